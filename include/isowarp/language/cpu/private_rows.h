/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of private histograms: begin, one row after the other, end; each chooses by the strategy.
 * The last part of private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_ROWS_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_ROWS_H

#ifdef IW_NIBBLE_LOOKUP_
IW_FN void iw_private_histogram_begin_nibble_lookup(iw_private_histogram *p)
{
  p->packed_count = 0;
  if (iwv_has_lookup64()) {
    p->method = IW_PRIVATE_LOOKUP64;
    p->row = IW_LOOKUP64_ROW;
    for (int q = 0; q < 4; q++) {
      p->buckets[q].rows = p->buckets[q].packed_count = 0;
      for (int t = 0; t < 8; t++) for (int l = 0; l < IW_LOOKUP64_PLANES;
                                       l++) p->buckets[q].planes[t][l] = iwv_set1_u32(0);
    }
  } else {
    p->method = IW_PRIVATE_NIBBLE_LOOKUP;
    p->row = IW_NIBBLE_ROW;
    for (int h = 0; h < 16; h++)
      for (int l = 0; l < IW_NIBBLE_PLANES; l++) p->planes[h][0][l] = p->planes[h][1][l] = iwv_set1_u32(0);
  }
}
#endif

/* counters: `tables` tables, a power of two, of `table_size` counters each. map: for bytes, the 256
 * values by which they will be distinguished in the end; else NULL. n: about how many indices will come.
 * heavy: whether some of them may be very frequent. */
IW_FN void iw_private_histogram_begin_in(const iw_block *block, iw_private_histogram *p,
                                         uint32_t *counters, uint32_t table_size,
                                         uint32_t tables, const uint32_t *map, uint64_t n, int heavy)
{
  const int shorts = table_size <= IW_MAX_COUNTERS_U16;
  const uint32_t small_tables = shorts ? IW_U16_TABLES : table_size <= 8192 ? 4 : 2;
  (void)map; (void)n; (void)heavy;
  p->block = block;
  p->counters = counters;
  p->table_size = table_size;
  p->tables = tables;
  p->rows = 0;
  p->method = block->is_team ? IW_PRIVATE_ATOMICS : IW_PRIVATE_TABLES_U32;
  if (!block->is_team && table_size > IW_MAX_COUNTERS_U32
      && (tables - 1) * sizeof *counters >= small_tables * (shorts ? 2 : 1)) {
    p->method = shorts ? IW_PRIVATE_TABLES_U16 : IW_PRIVATE_TABLES_U8;
    p->small_tables = small_tables;
  }
  p->indices = p->row_buffers[0];
  p->former = p->row_buffers[1];
  p->next = p->waiting = 0;
  const size_t width = p->method == IW_PRIVATE_TABLES_U8 ? 1 : p->method == IW_PRIVATE_TABLES_U16 ? 2 : 4;
  char *const first = (char *)(counters + (width < 4 ? table_size : 0));
  for (uint32_t t = 0; t < 8; t++)
    p->table[t] = first + (t & ((width < 4 ? small_tables : tables) - 1)) * table_size * width;
#ifdef IW_BIT_SLICED_
  if (map ? iw_private_histogram_classify_bytes(p, map) : table_size <= 32 + 3) {
    p->method = map ? IW_PRIVATE_BYTE_CLASSES : IW_PRIVATE_BIT_SLICED;
    for (int l = 0; l < IW_PLANES; l++) p->slices[0].plane[l] = p->slices[1].plane[l] = iwv_set1_u32(0);
  }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_TABLES_U32 && table_size <= 256 + 3 && n >= IW_NIBBLE_MIN_INDICES)
    iw_private_histogram_begin_nibble_lookup(p);
#endif
#ifdef IW_BIT_SLICED_
  p->sampling = p->method <= IW_PRIVATE_TABLES_U8 && !map && n >= IW_MIN_INDICES_TO_SAMPLE && heavy;
  p->rows_until_sample = p->sampling ? 0 : UINT32_MAX;
  p->heavy_count = p->pending_count = 0;
#endif
}

/* Sets vector v of a row of indices below table_size. The last call for a vector wins. */
IW_FN void iw_private_histogram_set_vector(iw_private_histogram *p, int v, iw_u32 index) {
    p->indices[v] = index; }

/* Counts the row. inside: all indices are below table_size - 3, so that none is one of the three outlier
 * counters. */
IW_FN void iw_private_histogram_add_row(iw_private_histogram *p, const int vectors, int inside)
{
  (void)inside;
#ifdef IW_BIT_SLICED_
  if (p->method == IW_PRIVATE_BIT_SLICED) { iw_private_histogram_bit_sliced_row(p, vectors, inside);
  return; }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP || p->method == IW_PRIVATE_LOOKUP64) {
    iw_private_histogram_pack_row(p, vectors, inside);
    return;
  }
#endif
#ifdef IW_BIT_SLICED_
  if (p->sampling) { iw_private_histogram_heavy_hitters_row(p, vectors); return; }
  if (--p->rows_until_sample == 0) p->sampling = 1;
#endif
  if (p->method == IW_PRIVATE_ATOMICS) iw_private_histogram_atomics_row(p, vectors);
  else iw_private_histogram_defer_row(p, vectors);
}

#ifdef IW_BIT_SLICED_
IW_FN void iw_private_histogram_byte_classes_add_row(iw_private_histogram *p, const uint8_t *x)
{
#ifdef IWV_LOOKUP64
  if (p->lookup_count && p->wide) iw_private_histogram_byte_classes_lookup64_wide(p, x);
  else if (p->lookup_count) iw_private_histogram_byte_classes_lookup64(p, x);
  else
#endif
  if (p->wide && p->uniform) iw_private_histogram_byte_classes_row(p, x, 1, 1);
  else if (p->wide) iw_private_histogram_byte_classes_row(p, x, 1, 0);
  else if (p->uniform) iw_private_histogram_byte_classes_row(p, x, 0, 1);
  else iw_private_histogram_byte_classes_row(p, x, 0, 0);
  if (p->rows == IW_BIT_SLICED_ROWS) iw_private_histogram_flush_bit_sliced(p);
}
#endif

/* Counts a whole row of bytes, each its own index. */
IW_FN void iw_private_histogram_add_row_u8(iw_private_histogram *p, iw_row_u8 row)
{
#ifdef IW_BIT_SLICED_
  if (p->method == IW_PRIVATE_BYTE_CLASSES) { iw_private_histogram_byte_classes_add_row(p, row.p); return; }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_LOOKUP64) { iw_private_histogram_lookup64_row(p, row.p); return; }
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP) {
    memcpy(p->packed + p->packed_count, row.p, 16 * IW_WARP_SIZE);
    p->packed_count += 16 * IW_WARP_SIZE;
    if (p->packed_count == IW_NIBBLE_ROW) iw_private_histogram_nibble_row(p);
    return;
  }
#endif
  if (p->method == IW_PRIVATE_ATOMICS || p->tables != 8) {
    for (int v = 0; v < IW_ROW_VECTORS(u8); v++)
      iw_count_in(p->block, p->counters,
                  iw_add_u32(iw_row_vector_u8(row, v), iw_private_histogram_table_offset(p)),
                  iw_pred_of(IW_ALL_LANES));
    return;
  }
  iw_private_histogram_tables_u32_row_u8(p, row.p);
}

/* All that was counted is in the tables afterwards. A last row of packed bytes is filled up with zeros,
 * which are subtracted again. */
IW_FN void iw_private_histogram_end(iw_private_histogram *p)
{
  while (p->next < p->waiting) iw_private_histogram_count_waiting(p);
#ifdef IW_BIT_SLICED_
  if ((p->method == IW_PRIVATE_BIT_SLICED || p->method == IW_PRIVATE_BYTE_CLASSES) && p->rows)
    iw_private_histogram_flush_bit_sliced(p);
  iw_private_histogram_flush_heavy_hitters(p);
  for (uint32_t k = 0; k < p->pending_count; k++) iw_private_histogram_add_count(p, p->pending[k], 1);
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP || p->method == IW_PRIVATE_LOOKUP64) {
    const uint32_t rest = p->packed_count ? p->row - p->packed_count : 0;
    if (rest) {
      memset(p->packed + p->packed_count, 0, rest);
      iw_private_histogram_add_count(p, 0, 0 - rest);
      iw_private_histogram_packed_row(p);
    }
    if (p->method == IW_PRIVATE_LOOKUP64) iw_private_histogram_lookup64_end(p);
    else if (p->rows) iw_private_histogram_nibble_flush(p);
  }
#endif
  if (p->method == IW_PRIVATE_TABLES_U16 || p->method == IW_PRIVATE_TABLES_U8)
    iw_private_histogram_reduce_small_tables(p);
}

#endif
