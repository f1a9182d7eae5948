/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: a warp's counting of whole rows into counters that its block
 * has in shared memory. A lane counts into one of several tables by shared-memory atomics. Mirrors
 * language/cpu/private_histogram.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_PRIVATE_HISTOGRAM_H
#define ISOWARP_LANGUAGE_CUDA_PRIVATE_HISTOGRAM_H

#include <isowarp/language/cuda/atomics.h>
#include <isowarp/language/cuda/rows.h>

/* table: the first counter of the lane's table; indices: one per vector of the row. */
typedef struct iw_private_histogram { const iw_block *block; uint32_t *counters, table;
    iw_u32 indices[8]; } iw_private_histogram;

IW_FN void iw_private_histogram_begin_in(const iw_block *block, iw_private_histogram *p,
    uint32_t *counters, uint32_t own,
                                         uint32_t tables, const uint32_t *, uint64_t, int)
{
  p->block = block;
  p->counters = counters;
  p->table = (iw_lane_() & (tables - 1)) * own;
}
IW_FN void iw_private_histogram_set_vector(iw_private_histogram *p, int v, iw_u32 index)
{ p->indices[v] = index; }
IW_FN void iw_private_histogram_count_(const iw_private_histogram *p, iw_u32 index)
{ iw_count_in(p->block, p->counters, IW_LANE_(u32, p->table + iw_value_(index)), IW_LANE_(pred, true)); }
IW_FN int iw_private_histogram_waits(const iw_private_histogram *) { return 0; }
IW_FN void iw_private_histogram_count_waiting(iw_private_histogram *) { }
IW_FN void iw_private_histogram_add_row(iw_private_histogram *p, int vectors, int)
{ IW_UNROLL for (int v = 0; v < vectors; v++) iw_private_histogram_count_(p, p->indices[v]); }
IW_FN void iw_private_histogram_add_row_u8(iw_private_histogram *p, iw_row_u8 row)
{ IW_UNROLL for (int v = 0; v < 16; v++) iw_private_histogram_count_(p, iw_row_vector_u8(row, v)); }
IW_FN void iw_private_histogram_end(iw_private_histogram *) {}

#endif
