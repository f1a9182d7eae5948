/* SPDX-License-Identifier: Apache-2.0
 *
 * Which chunks of an array a warp of any block takes: for (c = first; c < end; c += step). On GPUs warps that
 * run at a time have neighbouring chunks. A CPU's thread runs the warps of a block one after the other, so
 * each has a part of the array, and a thread reads on and on (doc/design/cpu.md#chunks-of-warps).
 */
#ifndef IW_ALGORITHMS_CHUNKS_H
#define IW_ALGORITHMS_CHUNKS_H

#include <isowarp/kernel.h>

typedef struct { uint64_t first, end, step; } warp_chunks;

IW_FN warp_chunks chunks_of_warp(const iw_block *block, unsigned warp, uint64_t chunks)
{
  const uint64_t warps = block->blocks * block->warps, mine = block->index * block->warps + warp;
#ifdef IW_GPU_SCHEDULES
  const warp_chunks own = { mine, chunks, warps };
#else
  const uint64_t each = chunks / warps, longer = chunks % warps, first = mine * each + (mine < longer ? mine : longer);
  const warp_chunks own = { first, first + each + (mine < longer), 1 };
#endif
  return own;
}

#endif
