/* SPDX-License-Identifier: Apache-2.0
 *
 * Heavy hitters of private histograms by tables: a few very frequent indices are counted by comparison, and
 * only the others go to the tables, where each increment of the same counter would wait for the one before.
 * Part of private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_HEAVY_HITTERS_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_HEAVY_HITTERS_H
#ifdef IW_BIT_SLICED_

/* Finds heavy hitters among the pending indices: a Boyer-Moore majority vote per hash slot, whose margin
 * underestimates the frequency. They are used if together they are 1 in `gain` of the sample at least,
 * which is when comparing everything with them takes less time than counting them in tables. If there are
 * none, sampling rests for IW_SAMPLE_INTERVAL_ROWS. */
IW_NOINLINE_FN void iw_private_histogram_find_heavy_hitters(iw_private_histogram *p)
{
  struct { uint32_t index; int margin; } slots[IW_VOTE_SLOTS];
  const int gain = p->method == IW_PRIVATE_TABLES_U32 ? 2 : p->method == IW_PRIVATE_TABLES_U16 ? 3 : 6;
  int all = 0;
  memset(slots, 0, sizeof slots);
  for (uint32_t k = 0; k < p->pending_count; k++) {
    const uint32_t index = p->pending[k], slot = index * 0x9e3779b1u >> 24;
    const int margin = slots[slot].margin;
    slots[slot].index = margin == 0 ? index : slots[slot].index;
    slots[slot].margin = slots[slot].index == index ? margin + 1 : margin - 1;
  }
  for (; p->heavy_count < IW_MAX_HEAVY_HITTERS; p->heavy_count++) {
    int most = 0;
    for (int s = 1; s < IW_VOTE_SLOTS; s++) if (slots[s].margin > slots[most].margin) most = s;
    if (slots[most].margin * IW_HEAVY_HITTER_SHARE < (int)p->pending_count) break;
    p->heavy[p->heavy_count] = slots[most].index;
    p->heavy_counts[p->heavy_count] = 0;
    all += slots[most].margin;
    slots[most].margin = 0;
  }
  if (all * gain < (int)p->pending_count) p->heavy_count = 0;
  p->sampling = p->heavy_count > 0;
  p->rows_until_sample = IW_SAMPLE_INTERVAL_ROWS;
}

/* Adds the counts of the heavy hitters to the first table; there are none afterwards. */
IW_FN void iw_private_histogram_flush_heavy_hitters(iw_private_histogram *p)
{
  for (unsigned h = 0; h < p->heavy_count; h++) iw_private_histogram_add_count(p, p->heavy[h],
      p->heavy_counts[h]);
  p->heavy_count = 0;
}

/* Counts the pending indices in tables, whole rows of them; less than a row stays pending. */
IW_NOINLINE_FN void iw_private_histogram_drain_pending(iw_private_histogram *p)
{
  uint32_t at = 0;
  if (p->rows_until_sample == 0) {
    if (p->heavy_count) iw_private_histogram_flush_heavy_hitters(p);
    else iw_private_histogram_find_heavy_hitters(p);
  }
  for (; at + IW_MAX_ROW_INDICES <= p->pending_count; at += IW_MAX_ROW_INDICES) {
    IW_UNROLL for (int v = 0; v < IW_MAX_ROW_VECTORS;
                   v++) p->indices[v] = iw_from_array_u32(p->pending + at + v * IW_WARP_SIZE);
    iw_private_histogram_defer_row(p, IW_MAX_ROW_VECTORS);
  }
  p->pending_count -= at;
  memcpy(p->pending, p->pending + at, p->pending_count * sizeof *p->pending);
}

/* One row: the heavy hitters are counted, the others become pending. */
IW_NOINLINE_FN void iw_private_histogram_heavy_hitters_row(iw_private_histogram *p, int vectors)
{
  iw_pred others[IW_MAX_ROW_VECTORS];
  IW_UNROLL for (int v = 0; v < vectors; v++) others[v] = iw_pred_of(IW_ALL_LANES);
  for (unsigned h = 0; h < p->heavy_count; h++) {
    const iw_u32 heavy = iw_splat_u32(p->heavy[h]);
    unsigned count = 0;
    IW_UNROLL for (int v = 0; v < vectors; v++) {
      const iw_pred is = iw_eq_u32(p->indices[v], heavy);
      count += iw_popcount(is.m);
      others[v] = iw_and_pred(others[v], iw_not_pred(is));
    }
    p->heavy_counts[h] += count;
  }
  IW_UNROLL for (int v = 0; v < vectors; v++)
    p->pending_count += iw_compact_u32(p->pending + p->pending_count, p->indices[v], others[v]);
  if (p->rows_until_sample) p->rows_until_sample--;
  if (p->pending_count > IW_PENDING_CAPACITY - IW_MAX_ROW_INDICES) iw_private_histogram_drain_pending(p);
}

#endif
#endif
