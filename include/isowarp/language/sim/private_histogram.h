/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: a warp's counting of whole rows into counters
 * that its block has in shared memory. A lane counts into one of several tables by shared-memory atomics.
 * Mirrors language/cuda/private_histogram.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_PRIVATE_HISTOGRAM_H
#define ISOWARP_LANGUAGE_SIM_PRIVATE_HISTOGRAM_H

#include <isowarp/language/sim/atomics.h>
#include <isowarp/language/sim/rows.h>

/* extent: bytes from `counters` on. table: the first counter of each lane's table; indices: one per vector
 * of the row. */
typedef struct iw_private_histogram {
  const iw_block *block;
  uint32_t *counters;
  size_t extent;
  iw_u32 table, indices[8];
} iw_private_histogram;

IW_FN void iw_private_histogram_begin_in(size_t extent, const iw_block *block, iw_private_histogram *p, uint32_t *counters,
                                         uint32_t own, uint32_t tables, const uint32_t *map, uint64_t n, int hot)
{
  (void)map;
  (void)n;
  (void)hot;
  p->block = block;
  p->counters = counters;
  p->extent = extent;
  p->table = iw_lane();
  IW_EACH_LANE_(l) p->table.e[l] = (l & (tables - 1)) * own;
}
IW_FN void iw_private_histogram_set_vector(iw_private_histogram *p, int v, iw_u32 index) { p->indices[v] = index; }
IW_FN int iw_private_histogram_waits(const iw_private_histogram *p) { (void)p; return 0; }
IW_FN void iw_private_histogram_count_waiting(iw_private_histogram *p) { (void)p; }
IW_FN void iw_private_histogram_count_(const iw_site *site, const iw_private_histogram *p, iw_u32 index)
{ (iw_count_in)(site, p->extent, p->block, p->counters, iw_add_u32(p->table, index), iw_pred_(IW_ALL_LANES_, 0, 0)); }
IW_FN void iw_private_histogram_add_row(const iw_site *site, iw_private_histogram *p, int vectors, int inside)
{ (void)inside; for (int v = 0; v < vectors; v++) iw_private_histogram_count_(site, p, p->indices[v]); }
IW_FN void iw_private_histogram_add_row_u8(const iw_site *site, iw_private_histogram *p, iw_row_u8 row)
{ for (int v = 0; v < IW_ROW_VECTORS(u8); v++) iw_private_histogram_count_(site, p, iw_row_vector_u8(row, v)); }
IW_FN void iw_private_histogram_end(iw_private_histogram *p) { (void)p; }

#endif
