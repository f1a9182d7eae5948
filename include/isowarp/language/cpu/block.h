/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks on the CPU: phases, variables of warps, and what the block's collectives (warp.h) are made of. A
 * block's warps are a loop; if a team of threads runs one block, each thread loops over its share of them
 * and the end of a phase is a barrier. Part of cpu.h, after shuffles.h; knows nothing of other blocks
 * (grid.h).
 */
#ifndef ISOWARP_LANGUAGE_CPU_BLOCK_H
#define ISOWARP_LANGUAGE_CPU_BLOCK_H

IW_FN void iw_barrier_(const iw_block *block) { if (block->is_team) block->barrier(block); }

#define IW_VAR(type, x) type x[IW_MAX_WARPS]
#define IW_VAR_ARRAY(type, x, n) type x[IW_MAX_WARPS][n]
#define IW_MY(x) ((x)[warp])
/* A warp variable as a parameter of a function: written, and read. */
#define IW_DST(type) type *
#define IW_SRC(type) const type *

IW_FN iw_pred iw_active_(const iw_block *block, unsigned warp)
{ return iw_lanes_below((int64_t)block->threads - (int64_t)warp * IW_WARP_SIZE); }

/* One thread of the block evaluates expr and broadcasts it: the others call iw_once_end_ after the next
 * barrier. Two slots alternate, so that the next broadcast may begin while a thread still reads the last
 * one. */
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? (void)(*iw_once_(block) = (expr)) : (void)0)
IW_FN int iw_once_begin_(const iw_block *block) { return block->first_warp == 0; }
IW_FN uint64_t *iw_once_(const iw_block *block) { return &block->memory->broadcast[block->parity & 1]; }
IW_FN uint32_t iw_uniform_(uint32_t v) { return v; }
IW_FN uint64_t iw_once_end_(iw_block *block) { return block->memory->broadcast[block->parity++ & 1]; }

/* A word per warp for the aggregates of the next collective; two arrays alternate for the same reason. */
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block) {
    return block->memory->warp_aggregates[block->parity++ & 1]; }
/* The tree over them: trees_of_operator.h. */
#define IW_REDUCE_AGGREGATES_(op, t, block, aggregates) \
  iw_reduce_aggregates_##op##_##t((block)->warps, aggregates)

#endif
