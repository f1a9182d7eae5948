/* SPDX-License-Identifier: Apache-2.0
 *
 * Private histograms of all 256 byte values by bit-sliced counters, for registers of 512 bits: by nibble
 * lookup, or by 64-entry lookup on processors that have VBMI and VBMI2. Part of private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_NIBBLE_LOOKUP_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_NIBBLE_LOOKUP_H
#ifdef IW_NIBBLE_LOOKUP_

IW_NOINLINE_FN void iw_private_histogram_nibble_flush(iw_private_histogram *p)
{
  for (int h = 0; h < 16; h++) for (int high = 0; high < 2; high++) {
    uint32_t counts[8] = { 0 };
    iw_bit_slices_extract(p->planes[h][high], p->carry_pending[h][high], p->rows, IW_NIBBLE_VECTORS, 1, 8,
                          counts);
    for (uint32_t k = 0; k < 8; k++)
      if (counts[k]) iw_private_histogram_add_count(p, (uint32_t)(16 * h + 8 * high) + k, counts[k]);
  }
  p->rows = 0;
}

/* Counts the packed bytes. A byte's low nibble is one bit of 16, in two registers; for each high nibble
 * h, the bits of the bytes that have it are added to the planes of h. */
IW_NOINLINE_FN void iw_private_histogram_nibble_row(iw_private_histogram *p)
{
  static const uint8_t bit[2][16] = { { 1, 2, 4, 8, 16, 32, 64, 128 },
      { 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128 } };
  static const uint8_t shifted_one[31] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 };
  enum { GROUP = 16, TREES = IW_NIBBLE_VECTORS / GROUP };
  const iwv_u32 low = iwv_load_nibble_table(bit[0]), high = iwv_load_nibble_table(bit[1]);
  struct { iwv_u32 upper, low, high; } of[IW_NIBBLE_VECTORS];
  for (int k = 0; k < IW_NIBBLE_VECTORS; k++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(p->packed + k * 4 * IW_VL_u32));
    const iwv_u32 lower = iwv_and_u32(v, iwv_set1_u32(0x0f0f0f0f));
    of[k].upper = iwv_high_nibbles(v);
    of[k].low = iwv_nibble_lookup(low, lower);
    of[k].high = iwv_nibble_lookup(high, lower);
  }
  for (int h = 0; h < 16; h++) {
    iwv_u32 (*const planes)[IW_NIBBLE_PLANES] = p->planes[h], carries[2][TREES];
    const iwv_u32 is = iwv_load_nibble_table(shifted_one + 15 - h);
    for (int k = 0; k < TREES; k++) {
      iwv_u32 a[GROUP / 2], b[GROUP / 2], plane_a = planes[0][0], plane_b = planes[1][0];
      IW_UNROLL for (int i = 0; i < GROUP / 2; i++) {
        const int j = k * GROUP + 2 * i;
        const iwv_u32 m = iwv_nibble_lookup(is, of[j].upper), n = iwv_nibble_lookup(is, of[j + 1].upper);
        a[i] = iwv_full_adder_masked(&plane_a, of[j].low, m, of[j + 1].low, n);
        b[i] = iwv_full_adder_masked(&plane_b, of[j].high, m, of[j + 1].high, n);
      }
      planes[0][0] = plane_a;
      planes[1][0] = plane_b;
      carries[0][k] = iw_bit_slices_csa_tree(planes[0], 1, a, GROUP / 2);
      carries[1][k] = iw_bit_slices_csa_tree(planes[1], 1, b, GROUP / 2);
    }
    for (int i = 0; i < 2; i++)
      iw_bit_slices_carry(planes[i], p->carry_pending[h][i], 6, p->rows,
                          iw_bit_slices_csa_tree(planes[i], 4, carries[i], TREES));
  }
  p->packed_count = 0;
  if (++p->rows == IW_NIBBLE_ROWS) iw_private_histogram_nibble_flush(p);
}

IW_NOINLINE_FN void iw_private_histogram_lookup64_flush(iw_private_histogram *p, uint32_t q)
{
  iw_lookup64_bucket *const of = &p->buckets[q];
  for (uint32_t t = 0; t < 8; t++) {
    uint32_t counts[8] = { 0 };
    iw_bit_slices_extract(of->planes[t], of->carry_pending[t], of->rows, 16, 1, 8, counts);
    for (uint32_t k = 0; k < 8; k++) if (counts[k]) iw_private_histogram_add_count(p, 64 * q + 8 * t + k,
        counts[k]);
  }
  of->rows = 0;
}

/* Counts a block of bytes of quarter q: table t of eight turns the byte values 8 t … 8 t + 7 of the
 * quarter into one bit of eight. */
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_lookup64_block(iw_private_histogram *p, uint32_t q)
{
  static const uint8_t bit[120] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32,
        64, 128 };
  iw_lookup64_bucket *const of = &p->buckets[q];
  iwv_u32 v[16], carries[8];
  IW_UNROLL for (int i = 0; i < 16; i++)
    v[i] = iwv_load_u32((const iws_u32 *)(const void *)(of->bytes + i * 4 * IW_VL_u32));
  for (int t = 0; t < 8; t++) {
    const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)(bit + 56 - 8 * t));
    iwv_u32 plane = of->planes[t][0];
    IW_UNROLL for (int i = 0; i < 8; i++)
      carries[i] = iwv_full_add(&plane, iwv_lookup64(table, v[2 * i]), iwv_lookup64(table, v[2 * i + 1]));
    of->planes[t][0] = plane;
    iw_bit_slices_carry(of->planes[t], of->carry_pending[t], 4, of->rows,
                        iw_bit_slices_csa_tree(of->planes[t], 1, carries, 8));
  }
  of->packed_count -= IW_LOOKUP64_BLOCK;
  memcpy(of->bytes, of->bytes + IW_LOOKUP64_BLOCK, IW_LOOKUP64_ROW);
  if (++of->rows == IW_LOOKUP64_ROWS) iw_private_histogram_lookup64_flush(p, q);
}

/* One row of bytes: each goes to the bucket of its quarter. */
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_lookup64_row(iw_private_histogram *p, const uint8_t *x)
{
  uint8_t *to[4];
  IW_UNROLL for (int q = 0; q < 4; q++) to[q] = p->buckets[q].bytes + p->buckets[q].packed_count;
  for (const uint8_t *const end = x + IW_LOOKUP64_ROW; x < end; x += 4 * IW_VL_u32) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)x);
    IW_UNROLL for (unsigned q = 0; q < 4; q++) to[q] += iwv_compact_quarter(to[q], v, q);
  }
  IW_UNROLL for (uint32_t q = 0; q < 4; q++) {
    p->buckets[q].packed_count = (uint32_t)(to[q] - p->buckets[q].bytes);
    if (p->buckets[q].packed_count >= IW_LOOKUP64_BLOCK) iw_private_histogram_lookup64_block(p, q);
  }
}

/* Counts what is left in the buckets, filled up with the quarter's first value, which is subtracted
 * again. */
IW_NOINLINE_FN void iw_private_histogram_lookup64_end(iw_private_histogram *p)
{
  for (uint32_t q = 0; q < 4; q++) {
    iw_lookup64_bucket *const of = &p->buckets[q];
    const uint32_t rest = of->packed_count ? IW_LOOKUP64_BLOCK - of->packed_count : 0;
    if (rest) {
      memset(of->bytes + of->packed_count, 0, rest);
      iw_private_histogram_add_count(p, 64 * q, 0 - rest);
      of->packed_count = IW_LOOKUP64_BLOCK;
      iw_private_histogram_lookup64_block(p, q);
    }
    if (of->rows) iw_private_histogram_lookup64_flush(p, q);
  }
}

/* Counts the packed bytes when there are p->row of them. */
IW_FN void iw_private_histogram_packed_row(iw_private_histogram *p)
{
  if (p->method == IW_PRIVATE_LOOKUP64) {
    iw_private_histogram_lookup64_row(p, p->packed);
    p->packed_count = 0;
  } else iw_private_histogram_nibble_row(p);
}

/* Indices above 255 are counted by comparison, and subtracted from 255, as which they will be packed. */
IW_NOINLINE_FN void iw_private_histogram_count_above_255(iw_private_histogram *p, iw_u32 index)
{
  for (uint32_t k = 256; k < p->table_size; k++) {
    const uint32_t count = iw_popcount(iw_eq_u32(index, iw_splat_u32(k)).m);
    iw_private_histogram_add_count(p, k, count);
    iw_private_histogram_add_count(p, 255, 0 - count);
  }
}

/* Packs a row of indices to bytes; their order does not matter. */
IW_FN void iw_private_histogram_pack_row(iw_private_histogram *p, const int vectors, int inside)
{
  iw_u32 *const indices = p->indices;
  if (p->table_size > 256 && !inside) {
    iw_u32 all = indices[0];
    IW_UNROLL for (int v = 1; v < vectors; v++) all = iw_or_u32(all, indices[v]);
    if (iw_ge_u32(all, iw_splat_u32(256)).m)
      for (int v = 0; v < vectors; v++) iw_private_histogram_count_above_255(p, indices[v]);
  }
  iwv_u32 r[IW_MAX_ROW_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i) r[v * IW_VECTORS(u32) + i] = indices[v].r[i];
  IW_UNROLL for (int i = 0; i < vectors * IW_VECTORS(u32); i += 4)
    iwv_store_u32((iws_u32 *)(void *)(p->packed + p->packed_count + i * IW_VL_u32),
                  iwv_pack_u8(r[i], r[i + 1], r[i + 2], r[i + 3]));
  p->packed_count += vectors * IW_WARP_SIZE;
  if (p->packed_count == p->row) iw_private_histogram_packed_row(p);
}

#endif
#endif
