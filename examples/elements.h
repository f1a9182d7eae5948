/* SPDX-License-Identifier: Apache-2.0
 *
 * What the example kernels have in common: thread t of block b takes element b * threads + t, if there is one.
 */
#ifndef EXAMPLES_ELEMENTS_H
#define EXAMPLES_ELEMENTS_H

#include <isowarp/kernel.h>

/* For kernels that need no shared memory. */
typedef struct nothing { int unused; } nothing;

/* The element of a warp's first lane, also where there are fewer than that. */
IW_FN size_t first_element(const iw_block *block, unsigned warp)
{
  return block->index * block->threads + warp * IW_WARP_SIZE;
}

/* The lanes that have one of the n elements: the last warp of a block, and the last block, may be part full. */
IW_FN iw_pred with_element(const iw_block *block, unsigned warp, size_t n)
{
  return iw_elements(warp, n).valid;
}

#endif
