/* SPDX-License-Identifier: Apache-2.0
 *
 * The example kernels' elements: thread t of block b has element b * threads + t, if there is one.
 */
#ifndef EXAMPLES_ELEMENTS_H
#define EXAMPLES_ELEMENTS_H

#include <isowarp/kernel.h>

/* The shared memory of kernels that need none. */
typedef struct nothing { int unused; } nothing;

/* The index of the element of a warp's first lane. It may be past the end. */
IW_FN size_t first_element(const iw_block *block, unsigned warp)
{
  return block->index * block->threads + warp * IW_WARP_SIZE;
}

/* The lanes that have one of the n elements. */
IW_FN iw_pred with_element(const iw_block *block, unsigned warp, size_t n)
{
  return iw_elements(warp, n).valid;
}

#endif
