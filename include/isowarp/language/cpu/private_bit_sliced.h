/* SPDX-License-Identifier: Apache-2.0
 *
 * Private histograms by bit-sliced counters: of up to 32 indices, and of bytes in up to 16 classes. Part of
 * private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_BIT_SLICED_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_BIT_SLICED_H
#ifdef IW_BIT_SLICED_

/* IW_MAX_MIXED_NIBBLES: with more mixed high nibbles than this, lookups of 64 entries take less time. */
enum { IW_BYTE_CLASS_VECTORS = 16 * IW_WARP_SIZE / (4 * IW_VL_u32), IW_MAX_MIXED_NIBBLES = 3 };
IW_FN uint8_t iw_class_bit_(uint8_t class_of) { return (uint8_t)(class_of ? 1u << class_of % 8 : 0); }

/* Makes the lookup tables from the class of each byte value. */
IW_FN void iw_private_histogram_make_lookups(iw_private_histogram *p, const uint8_t *class_of)
{
  p->uniform = p->mixed = 0;
  memset(p->by_high_nibble, 0, sizeof p->by_high_nibble);
  memset(p->by_low_nibble, 0, sizeof p->by_low_nibble);
  for (unsigned h = 0; h < 16; h++) {
    const uint8_t *const of = class_of + 16 * h;
    if (memcmp(of, of + 1, 15) == 0) {
      p->by_high_nibble[of[0] / 8][h] = iw_class_bit_(of[0]);
      p->uniform |= of[0];
    } else {
      for (unsigned l = 0; l < 16; l++) p->by_low_nibble[p->mixed][of[l] / 8][l] = iw_class_bit_(of[l]);
      p->upper[p->mixed++] = (uint8_t)(16 * h);
    }
  }
#ifdef IWV_LOOKUP64
  p->lookup_count = 0;
  memset(p->lookup64, 0, sizeof p->lookup64);
  for (unsigned q = 0; q < 4 && p->mixed > IW_MAX_MIXED_NIBBLES && iwv_has_lookup64(); q++) {
    unsigned any = 0;
    for (unsigned l = 0; l < 64; l++) {
      const uint8_t of = class_of[64 * q + l];
      p->lookup64[p->lookup_count][of / 8][l] = iw_class_bit_(of);
      any |= of;
    }
    if (any) p->lookup_quarter[p->lookup_count++] = (uint8_t)q;
  }
#endif
}

/* Whether `map` separates so few classes of bytes, equal values of map[0 … 255], that bytes can be
 * counted by class. */
IW_NOINLINE_FN int iw_private_histogram_classify_bytes(iw_private_histogram *p, const uint32_t *map)
{
  unsigned class_count = 0;
  uint32_t seen[IW_MAX_BYTE_CLASSES];
  uint8_t class_of[256];
  for (unsigned v = 0; v < 256; v++) {
    unsigned k = 0;
    if (v && map[v] == map[v - 1]) k = class_of[v - 1];
    else while (k < class_count && seen[k] != map[v]) k++;
    if (k == IW_MAX_BYTE_CLASSES) return 0;
    if (k == class_count) { seen[k] = map[v]; p->of[class_count++] = (uint8_t)v; }
    class_of[v] = (uint8_t)k;
  }
  p->wide = class_count > 8;
  iw_private_histogram_make_lookups(p, class_of);
  return 1;
}

IW_FN void iw_private_histogram_add_class_bits(iw_private_histogram *p, iwv_u32 *low, iwv_u32 *high,
                                               const int count, const int wide)
{
  const unsigned row = p->rows++;
  iw_bit_slices_add(p->slices[0].plane, p->slices[0].carry_pending, row, low, count);
  if (wide) iw_bit_slices_add(p->slices[1].plane, p->slices[1].carry_pending, row, high, count);
}

/* One row of bytes, by nibble lookups. Four registers at a time, so that their lookups overlap. */
IW_FN void iw_private_histogram_byte_classes_row(iw_private_histogram *p, const uint8_t *x, const int wide,
                                                 const int uniform)
{
  enum { COUNT = IW_BYTE_CLASS_VECTORS, SOME_ = COUNT < 4 ? COUNT : 4 };
  const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 bits[2][COUNT];
  IW_UNROLL for (int i = 0; i < COUNT; i += SOME_) {
    iwv_u32 v[SOME_], a[SOME_], b[SOME_];
    IW_UNROLL for (int k = 0; k < SOME_; k++) {
      v[k] = iwv_load_u32((const iws_u32 *)(const void *)(x + (i + k) * 4 * IW_VL_u32));
      a[k] = uniform ? iwv_nibble_lookup(iwv_load_nibble_table(p->by_high_nibble[0]),
                                         iwv_high_nibbles(v[k])) : none;
      b[k] = uniform && wide ? iwv_nibble_lookup(iwv_load_nibble_table(p->by_high_nibble[1]),
                                                 iwv_high_nibbles(v[k])) : none;
    }
    for (int m = 0; m < p->mixed; m++) {
      const iwv_u32 low = iwv_load_nibble_table(p->by_low_nibble[m][0]),
          high = iwv_load_nibble_table(p->by_low_nibble[m][1]);
      const iwv_u32 upper = iwv_set1_u32(0x01010101u * p->upper[m]);
      IW_UNROLL for (int k = 0; k < SOME_; k++) {
        const iwv_u32 at = iwv_low_nibbles_if(v[k], upper);
        a[k] = iwv_or_u32(a[k], iwv_nibble_lookup(low, at));
        if (wide) b[k] = iwv_or_u32(b[k], iwv_nibble_lookup(high, at));
      }
    }
    IW_UNROLL for (int k = 0; k < SOME_; k++) { bits[0][i + k] = a[k]; if (wide) bits[1][i + k] = b[k]; }
  }
  iw_private_histogram_add_class_bits(p, bits[0], bits[1], COUNT, wide);
}

#ifdef IWV_LOOKUP64
/* One row of bytes, by lookups of 64 entries. */
IWV_LOOKUP64 IW_FN void iw_private_histogram_lookup64_bits(const iw_private_histogram *p, const uint8_t *x,
                                                           iwv_u32 *bits,
                                                           const int high, const int q)
{
  const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)p->lookup64[q][high]);
  IW_UNROLL for (int i = 0; i < IW_BYTE_CLASS_VECTORS; i++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(x + i * 4 * IW_VL_u32));
    const iwv_u32 of = iwv_lookup64_in_quarter(table, v, p->lookup_quarter[q]);
    bits[i] = q ? iwv_or_u32(bits[i], of) : of;
  }
}
IWV_LOOKUP64 IW_FN void iw_private_histogram_byte_classes_lookup64_row(iw_private_histogram *p,
    const uint8_t *x, const int wide)
{
  iwv_u32 bits[2][IW_BYTE_CLASS_VECTORS];
  IW_UNROLL for (int high = 0; high <= wide; high++) {
    iw_private_histogram_lookup64_bits(p, x, bits[high], high, 0);
    for (int q = 1; q < p->lookup_count; q++) iw_private_histogram_lookup64_bits(p, x, bits[high], high, q);
  }
  iw_private_histogram_add_class_bits(p, bits[0], bits[1], IW_BYTE_CLASS_VECTORS, wide);
}
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_byte_classes_lookup64(iw_private_histogram *p,
    const uint8_t *x)
{ iw_private_histogram_byte_classes_lookup64_row(p, x, 0); }
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_byte_classes_lookup64_wide(iw_private_histogram *p,
    const uint8_t *x)
{ iw_private_histogram_byte_classes_lookup64_row(p, x, 1); }
#endif

/* Adds the bit-sliced counters to the first table. */
IW_NOINLINE_FN void iw_private_histogram_flush_bit_sliced(iw_private_histogram *p)
{
  uint32_t counts[32] = { 0 };
  if (p->method == IW_PRIVATE_BYTE_CLASSES) {
    for (int high = 0; high <= p->wide; high++)
      iw_bit_slices_extract(p->slices[high].plane, p->slices[high].carry_pending, p->rows,
                            IW_BYTE_CLASS_VECTORS, 1, 8,
                            counts + 8 * high);
    counts[0] = p->rows * 16 * IW_WARP_SIZE;
    for (int k = 1; k < IW_MAX_BYTE_CLASSES; k++) counts[0] -= counts[k];
    for (int k = 0; k < IW_MAX_BYTE_CLASSES; k++) if (counts[k]) iw_private_histogram_add_count(p,
        p->of[k], counts[k]);
  } else {
    const unsigned most = p->table_size < 32 ? p->table_size : 32;
    iw_bit_slices_extract(p->slices[0].plane, p->slices[0].carry_pending, p->rows,
                          p->vectors * IW_VECTORS(u32), 0, most, counts);
    for (unsigned k = 0; k < most; k++) iw_private_histogram_add_count(p, k, counts[k]);
  }
  p->rows = 0;
}

/* One row of indices: lane by lane, the bit of its index. A shift by 32 or more gives 0, so indices from
 * 32 on, of which there are three at most, are counted by comparison. */
IW_FN void iw_private_histogram_bit_sliced_row(iw_private_histogram *p, const int vectors, int inside)
{
  iwv_u32 bits[IW_MAX_ROW_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i)
    bits[v * IW_VECTORS(u32) + i] = iwv_shl_u32(iwv_set1_u32(1), p->indices[v].r[i]);
  if (p->table_size > 32 && !inside) IW_UNROLL for (int v = 0; v < vectors; v++)
    if (iw_ge_u32(p->indices[v], iw_splat_u32(32)).m)
      for (uint32_t k = 32; k < p->table_size; k++)
        iw_private_histogram_add_count(p, k, iw_popcount(iw_eq_u32(p->indices[v], iw_splat_u32(k)).m));
  iw_bit_slices_add(p->slices[0].plane, p->slices[0].carry_pending, p->rows, bits,
                    vectors * IW_VECTORS(u32));
  p->vectors = vectors;
  if (++p->rows == IW_BIT_SLICED_ROWS) iw_private_histogram_flush_bit_sliced(p);
}

#endif
#endif
