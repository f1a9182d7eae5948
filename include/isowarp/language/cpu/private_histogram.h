/* SPDX-License-Identifier: Apache-2.0
 *
 * Private counters of a warp on the CPU: whatever counts whole rows fastest, and adds up to the same. Included by vm/cpu.h.
 *
 * A counter in memory takes an increment a cycle at best, and five or more in a row if it is the same one each time. So indices
 * up to 31, and bytes of up to 16 class_count, are not counted in memory: a index becomes one bit of a register, and registers of bits
 * are added up in sliced counters, bit by bit, by carry-save adders. It takes as long whatever the indices are, and with 512 bits
 * less than tables for all bytes and indices up to 255. Others go to
 * several tables in turn, of 32 bits, 16 or 8 as a first-level cache has room for them: those of 16 are added up before one may
 * overflow, and of those of 8 few do. Now and then some indices are looked at before they are counted; those that come often are
 * then counted sampling, by comparison, and only the others go to the tables.
 */
#ifndef ISOWARP_LANGUAGE_PRIVATE_COUNTERS_H
#define ISOWARP_LANGUAGE_PRIVATE_COUNTERS_H

/* Those by tables first. */
enum { IW_PRIVATE_TABLES_U32, IW_PRIVATE_TABLES_U16, IW_PRIVATE_TABLES_U8, IW_PRIVATE_BIT_SLICED, IW_PRIVATE_BYTE_CLASSES, IW_PRIVATE_NIBBLE_LOOKUP, IW_PRIVATE_LOOKUP64, IW_PRIVATE_ATOMICS };
enum { IW_MAX_ROW_VECTORS = 8, IW_MAX_BYTE_CLASSES = 16 };
/* Counters of one table up to which it has 32 bits, and 16 bits; else it has 8. */
enum { IW_MAX_COUNTERS_U32 = 1024, IW_MAX_COUNTERS_U16 = 2304, IW_U16_TABLES = 4 };
/* A warp smaller than a register has lanes that are none, and would be counted. */
#if defined(IWV_BIT_SLICES) && IW_WARP_SIZE >= 16
#define IW_BIT_SLICED_
#endif
#if defined(IWV_NIBBLE_LOOKUP) && IW_WARP_SIZE >= 32
#define IW_NIBBLE_LOOKUP_
#endif

#ifdef IW_BIT_SLICED_
/* Sliced counters: bit i of plane[l] is worth 2^l to the counter of bit i. What a row's registers carry over is added by twos on
 * each level above: one of them carry_pending. */
enum { IW_PLANES = 20, IW_BIT_SLICED_ROWS = 4096 };
typedef struct iw_bit_slices { iwv_u32 plane[IW_PLANES], carry_pending[IW_PLANES]; } iw_bit_slices;

/* Adds registers of bits, a power of two of them, from a level on; what that carries over is worth `count` of them. */
IW_FN iwv_u32 iw_bit_slices_csa_tree(iwv_u32 *planes, int level, iwv_u32 *bits, const int count)
{ IW_UNROLL for (int k = count; k > 1; k /= 2, level++) {
    iwv_u32 plane = planes[level];
    IW_UNROLL for (int i = 0; i < k / 2; i++) bits[i] = iwv_full_add(&plane, bits[2 * i], bits[2 * i + 1]);
    planes[level] = plane; }
  return bits[0]; }
IW_FN void iw_bit_slices_carry(iwv_u32 *planes, iwv_u32 *carry_pending, int level, unsigned row, iwv_u32 carry)
{ for (; row & 1; row >>= 1, level++) carry = iwv_full_add(&planes[level], carry_pending[level], carry);
  carry_pending[level] = carry; }
/* Registers of bits, as many in all rows; row: how many were added before. */
IW_FN void iw_bit_slices_add(iwv_u32 *planes, iwv_u32 *carry_pending, unsigned row, iwv_u32 *bits, const int count)
{ int level = 0;
  IW_UNROLL for (int k = count; k > 1; k /= 2) level++;
  iw_bit_slices_carry(planes, carry_pending, level, row, iw_bit_slices_csa_tree(planes, 0, bits, count)); }

/* Adds to counts[b] what bit b of every lane has, or of every byte of a lane, where `bytes`; and clears the planes. */
IW_NOINLINE_FN void iw_bit_slices_extract(iwv_u32 *planes, const iwv_u32 *carry_pending, unsigned rows, int count, int bytes, unsigned most, uint32_t *counts)
{ const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 carry = none;
  int first = 0;
  while (1 << first < count) first++;
  for (int l = 0; l < first || rows >> (l - first); l++) {
    if (l >= first) carry = iwv_full_add(&planes[l], rows >> (l - first) & 1 ? carry_pending[l] : none, carry);
    const iwv_u32 plane = planes[l];
    if (bytes) IW_UNROLL for (unsigned b = 0; b < 8; b++) counts[b] += iwv_popcount_bit_of_bytes(plane, b) << l;
    else for (unsigned b = 0; b < most; b++) counts[b] += iwv_popcount_bit_of_lanes(plane, b) << l;
    planes[l] = none; } }
#endif

#ifdef IW_BIT_SLICED_
/* Numbers are pending rows_until_sample there is no room for a row more, and looked at for heavy ones: those whose share is one in IW_HEAVY_HITTER_SHARE, if
 * together they packed_count so much that comparing all with them and counting the others in tables takes less time: in bytes soonest. */
enum { IW_MAX_HEAVY_HITTERS = 8, IW_VOTE_SLOTS = 256, IW_HEAVY_HITTER_SHARE = 40,
  IW_MIN_INDICES_TO_SAMPLE = 65536,   /* fewer are not looked at */
  IW_SAMPLE_INTERVAL_ROWS = 8192,       /* that come before heavy indices are looked for again */
  IW_MAX_ROW_INDICES = IW_MAX_ROW_VECTORS * IW_WARP_SIZE, IW_PENDING_CAPACITY = 5 * IW_MAX_ROW_INDICES };
#endif

#ifdef IW_NIBBLE_LOOKUP_
enum { IW_NIBBLE_ROW = 4096, IW_NIBBLE_VECTORS = IW_NIBBLE_ROW / (4 * IW_VL_u32), IW_NIBBLE_ROWS = 128, IW_NIBBLE_PLANES = 14,
  IW_NIBBLE_MIN_INDICES = 16384 }; /* indices: fewer are counted in tables before all these bits are */
/* The same by buckets of the bytes' values, where the processor can sort bytes by them: those of one lookup_quarter wait rows_until_sample they
 * are a block. */
enum { IW_LOOKUP64_ROW = 16 * IW_WARP_SIZE, IW_LOOKUP64_BLOCK = 16 * 4 * IW_VL_u32, IW_LOOKUP64_ROWS = 256,
  IW_LOOKUP64_PLANES = 13 };
typedef struct iw_lookup64_bucket {
  iwv_u32 planes[8][IW_LOOKUP64_PLANES], carry_pending[8][IW_LOOKUP64_PLANES];
  uint8_t bytes[IW_LOOKUP64_BLOCK + IW_LOOKUP64_ROW];
  uint32_t packed_count;
  unsigned rows;
} iw_lookup64_bucket;
#endif

typedef struct iw_private_histogram {
  const iw_block *block;
  uint32_t *counters;       /* tables of `table_size` each; the first one has the totals of those that are counted otherwise */
  uint32_t table_size, tables;
  int method, vectors;
  unsigned rows;            /* that were added to slices or tables of 16 bits, since they were clear */
  uint32_t small_tables;    /* of IW_PRIVATE_TABLES_U16 and IW_PRIVATE_TABLES_U8; they are behind the first table */
  iw_u32 table;             /* where each lane's table begins */
  iw_u32 indices[IW_MAX_ROW_VECTORS];
#ifdef IW_BIT_SLICED_
  /* Of the ways by tables: rows go sampling while heavy indices are looked for, and where there are some. */
  int sampling;
  unsigned heavy_count, rows_until_sample;     /* rows_until_sample: rows that will come before heavy indices are looked for */
  uint32_t heavy[IW_MAX_HEAVY_HITTERS], heavy_counts[IW_MAX_HEAVY_HITTERS], pending[IW_PENDING_CAPACITY + IW_WARP_SIZE], pending_count; /* pending_count: how many are pending */
  /* Of IW_PRIVATE_BYTE_CLASSES: a byte's class_of as a bit, of 16 in two bytes, by its upper half, where that decides; else by wide halves. The
   * first class_of is none of the bits: it has what is left. */
  int wide, uniform, mixed;
  uint8_t by_high_nibble[2][16], upper[16], by_low_nibble[16][2][16], of[IW_MAX_BYTE_CLASSES];
#ifdef IWV_LOOKUP64
  int lookup_count;            /* buckets with a bit, where they decide in place of halves, else 0 */
  uint8_t lookup_quarter[4], lookup64[4][2][64];
#endif
  iw_bit_slices slices[2];
#endif
#ifdef IW_NIBBLE_LOOKUP_
  /* Of IW_PRIVATE_NIBBLE_LOOKUP: for each upper half of a byte, the lower ones up to 7, and those above. */
  union {
    struct { iwv_u32 planes[16][2][IW_NIBBLE_PLANES], carry_pending[16][2][IW_NIBBLE_PLANES]; };
    iw_lookup64_bucket buckets[4];
  };
  uint8_t packed[IW_NIBBLE_ROW];
  uint32_t packed_count, row;       /* of the packed bytes, and how many are counted at once */
#endif
} iw_private_histogram;

IW_FN void iw_private_histogram_add_count(iw_private_histogram *p, uint32_t counter, uint32_t count)
{ if (p->block->is_team) __atomic_fetch_add(p->counters + counter, count, __ATOMIC_RELAXED);
  else p->counters[counter] += count; }

#ifdef IW_BIT_SLICED_
enum { IW_BYTE_CLASS_VECTORS = 16 * IW_WARP_SIZE / (4 * IW_VL_u32), IW_MAX_MIXED_NIBBLES = 3 }; /* upper halves: for more, buckets take less time */
#define IW_CLASS_BIT_(class_of) (uint8_t)((class_of) ? 1u << (class_of) % 8 : 0)
/* Whether the map tells apart so few class_count of bytes that they are counted as bits. */
IW_NOINLINE_FN int iw_private_histogram_classify_bytes(iw_private_histogram *p, const uint32_t *map)
{ unsigned class_count = 0;
  uint32_t seen[IW_MAX_BYTE_CLASSES];
  uint8_t class_of[256];
  for (unsigned v = 0; v < 256; v++) {
    unsigned k = 0;
    if (v && map[v] == map[v - 1]) k = class_of[v - 1];
    else while (k < class_count && seen[k] != map[v]) k++;
    if (k == IW_MAX_BYTE_CLASSES) return 0;
    if (k == class_count) { seen[k] = map[v]; p->of[class_count++] = (uint8_t)v; }
    class_of[v] = (uint8_t)k; }
  p->wide = class_count > 8;
  p->uniform = p->mixed = 0;
  memset(p->by_high_nibble, 0, sizeof p->by_high_nibble); memset(p->by_low_nibble, 0, sizeof p->by_low_nibble);
  for (unsigned h = 0; h < 16; h++) {
    const uint8_t *const of = class_of + 16 * h;
    if (memcmp(of, of + 1, 15) == 0) { p->by_high_nibble[of[0] / 8][h] = IW_CLASS_BIT_(of[0]); p->uniform |= of[0]; }
    else {
      for (unsigned l = 0; l < 16; l++) p->by_low_nibble[p->mixed][of[l] / 8][l] = IW_CLASS_BIT_(of[l]);
      p->upper[p->mixed++] = (uint8_t)(16 * h); } }
#ifdef IWV_LOOKUP64
  p->lookup_count = 0;
  memset(p->lookup64, 0, sizeof p->lookup64);
  for (unsigned q = 0; q < 4 && p->mixed > IW_MAX_MIXED_NIBBLES && iwv_has_lookup64(); q++) {
    unsigned any = 0;
    for (unsigned l = 0; l < 64; l++) {
      const uint8_t of = class_of[64 * q + l];
      p->lookup64[p->lookup_count][of / 8][l] = IW_CLASS_BIT_(of);
      any |= of; }
    if (any) p->lookup_quarter[p->lookup_count++] = (uint8_t)q; }
#endif
  return 1; }

IW_FN void iw_private_histogram_add_class_bits(iw_private_histogram *p, iwv_u32 *low, iwv_u32 *high, const int count, const int wide)
{ const unsigned row = p->rows++;
  iw_bit_slices_add(p->slices[0].plane, p->slices[0].carry_pending, row, low, count);
  if (wide) iw_bit_slices_add(p->slices[1].plane, p->slices[1].carry_pending, row, high, count); }
IW_FN void iw_private_histogram_byte_classes_row(iw_private_histogram *p, const uint8_t *x, const int wide, const int uniform)
{ enum { COUNT = IW_BYTE_CLASS_VECTORS, SOME = COUNT < 4 ? COUNT : 4 };
  const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 bits[2][COUNT];
  IW_UNROLL for (int i = 0; i < COUNT; i += SOME) {
    iwv_u32 v[SOME], a[SOME], b[SOME];
    IW_UNROLL for (int k = 0; k < SOME; k++) {
      v[k] = iwv_load_u32((const iws_u32 *)(const void *)(x + (i + k) * 4 * IW_VL_u32));
      a[k] = uniform ? iwv_nibble_lookup(iwv_load_nibble_table(p->by_high_nibble[0]), iwv_high_nibbles(v[k])) : none;
      b[k] = uniform && wide ? iwv_nibble_lookup(iwv_load_nibble_table(p->by_high_nibble[1]), iwv_high_nibbles(v[k])) : none; }
    for (int m = 0; m < p->mixed; m++) {
      const iwv_u32 low = iwv_load_nibble_table(p->by_low_nibble[m][0]), high = iwv_load_nibble_table(p->by_low_nibble[m][1]);
      const iwv_u32 upper = iwv_set1_u32(0x01010101u * p->upper[m]);
      IW_UNROLL for (int k = 0; k < SOME; k++) {
        const iwv_u32 at = iwv_low_nibbles_if(v[k], upper);
        a[k] = iwv_or_u32(a[k], iwv_nibble_lookup(low, at));
        if (wide) b[k] = iwv_or_u32(b[k], iwv_nibble_lookup(high, at)); } }
    IW_UNROLL for (int k = 0; k < SOME; k++) { bits[0][i + k] = a[k]; if (wide) bits[1][i + k] = b[k]; } }
  iw_private_histogram_add_class_bits(p, bits[0], bits[1], COUNT, wide); }
#ifdef IWV_LOOKUP64
IWV_LOOKUP64 IW_FN void iw_private_histogram_lookup64_bits(const iw_private_histogram *p, const uint8_t *x, iwv_u32 *bits, const int high, const int q)
{ const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)p->lookup64[q][high]);
  IW_UNROLL for (int i = 0; i < IW_BYTE_CLASS_VECTORS; i++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(x + i * 4 * IW_VL_u32));
    const iwv_u32 of = iwv_lookup64_in_quarter(table, v, p->lookup_quarter[q]);
    bits[i] = q ? iwv_or_u32(bits[i], of) : of; } }
IWV_LOOKUP64 IW_FN void iw_private_histogram_byte_classes_lookup64_row(iw_private_histogram *p, const uint8_t *x, const int wide)
{ iwv_u32 bits[2][IW_BYTE_CLASS_VECTORS];
  IW_UNROLL for (int high = 0; high <= wide; high++) {
    iw_private_histogram_lookup64_bits(p, x, bits[high], high, 0);
    for (int q = 1; q < p->lookup_count; q++) iw_private_histogram_lookup64_bits(p, x, bits[high], high, q); }
  iw_private_histogram_add_class_bits(p, bits[0], bits[1], IW_BYTE_CLASS_VECTORS, wide); }
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_byte_classes_lookup64(iw_private_histogram *p, const uint8_t *x) { iw_private_histogram_byte_classes_lookup64_row(p, x, 0); }
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_byte_classes_lookup64_wide(iw_private_histogram *p, const uint8_t *x) { iw_private_histogram_byte_classes_lookup64_row(p, x, 1); }
#endif

IW_NOINLINE_FN void iw_private_histogram_flush_bit_sliced(iw_private_histogram *p)
{ uint32_t counts[32] = { 0 };
  if (p->method == IW_PRIVATE_BYTE_CLASSES) {
    for (int high = 0; high <= p->wide; high++)
      iw_bit_slices_extract(p->slices[high].plane, p->slices[high].carry_pending, p->rows, IW_BYTE_CLASS_VECTORS, 1, 8, counts + 8 * high);
    counts[0] = p->rows * 16 * IW_WARP_SIZE;
    for (int k = 1; k < IW_MAX_BYTE_CLASSES; k++) counts[0] -= counts[k];
    for (int k = 0; k < IW_MAX_BYTE_CLASSES; k++) if (counts[k]) iw_private_histogram_add_count(p, p->of[k], counts[k]);
  } else {
    const unsigned most = p->table_size < 32 ? p->table_size : 32;
    iw_bit_slices_extract(p->slices[0].plane, p->slices[0].carry_pending, p->rows, p->vectors * IW_VECTORS(u32), 0, most, counts);
    for (unsigned k = 0; k < most; k++) iw_private_histogram_add_count(p, k, counts[k]); }
  p->rows = 0; }

IW_FN void iw_private_histogram_bit_sliced_row(iw_private_histogram *p, const int vectors, int inside)
{ iwv_u32 bits[IW_MAX_ROW_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i)
    bits[v * IW_VECTORS(u32) + i] = iwv_shl_u32(iwv_set1_u32(1), p->indices[v].r[i]);
  if (p->table_size > 32 && !inside) IW_UNROLL for (int v = 0; v < vectors; v++) /* for the last bins there is no bit */
    if (iw_ge_u32(p->indices[v], iw_splat_u32(32)).m)
      for (uint32_t k = 32; k < p->table_size; k++)
        iw_private_histogram_add_count(p, k, iw_popcount(iw_eq_u32(p->indices[v], iw_splat_u32(k)).m));
  iw_bit_slices_add(p->slices[0].plane, p->slices[0].carry_pending, p->rows, bits, vectors * IW_VECTORS(u32));
  p->vectors = vectors;
  if (++p->rows == IW_BIT_SLICED_ROWS) iw_private_histogram_flush_bit_sliced(p); }
#endif

#ifdef IW_NIBBLE_LOOKUP_
IW_NOINLINE_FN void iw_private_histogram_nibble_flush(iw_private_histogram *p)
{ for (int h = 0; h < 16; h++) for (int high = 0; high < 2; high++) {
    uint32_t counts[8] = { 0 };
    iw_bit_slices_extract(p->planes[h][high], p->carry_pending[h][high], p->rows, IW_NIBBLE_VECTORS, 1, 8, counts);
    for (uint32_t k = 0; k < 8; k++)
      if (counts[k]) iw_private_histogram_add_count(p, (uint32_t)(16 * h + 8 * high) + k, counts[k]); }
  p->rows = 0; }

/* Bytes of any class_of: all 256 of them are counted as bits. A byte's lower half is one bit of two bytes, and counts for an upper
 * half where that is its own. */
IW_NOINLINE_FN void iw_private_histogram_nibble_row(iw_private_histogram *p)
{ static const uint8_t bit[2][16] = { { 1, 2, 4, 8, 16, 32, 64, 128 }, { 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128 } };
  static const uint8_t shifted_one[31] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 };
  enum { SOME = 16, TREES = IW_NIBBLE_VECTORS / SOME };
  const iwv_u32 low = iwv_load_nibble_table(bit[0]), high = iwv_load_nibble_table(bit[1]);
  struct { iwv_u32 upper, low, high; } of[IW_NIBBLE_VECTORS];
  for (int k = 0; k < IW_NIBBLE_VECTORS; k++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(p->packed + k * 4 * IW_VL_u32));
    const iwv_u32 lower = iwv_and_u32(v, iwv_set1_u32(0x0f0f0f0f));
    of[k].upper = iwv_high_nibbles(v); of[k].low = iwv_nibble_lookup(low, lower); of[k].high = iwv_nibble_lookup(high, lower); }
  for (int h = 0; h < 16; h++) {
    iwv_u32 (*const planes)[IW_NIBBLE_PLANES] = p->planes[h], carries[2][TREES];
    const iwv_u32 is = iwv_load_nibble_table(shifted_one + 15 - h);
    for (int k = 0; k < TREES; k++) {
      iwv_u32 a[SOME / 2], b[SOME / 2], plane_a = planes[0][0], plane_b = planes[1][0];
      IW_UNROLL for (int i = 0; i < SOME / 2; i++) {
        const int j = k * SOME + 2 * i;
        const iwv_u32 m = iwv_nibble_lookup(is, of[j].upper), n = iwv_nibble_lookup(is, of[j + 1].upper);
        a[i] = iwv_full_adder_masked(&plane_a, of[j].low, m, of[j + 1].low, n);
        b[i] = iwv_full_adder_masked(&plane_b, of[j].high, m, of[j + 1].high, n); }
      planes[0][0] = plane_a; planes[1][0] = plane_b;
      carries[0][k] = iw_bit_slices_csa_tree(planes[0], 1, a, SOME / 2); carries[1][k] = iw_bit_slices_csa_tree(planes[1], 1, b, SOME / 2); }
    for (int i = 0; i < 2; i++)
      iw_bit_slices_carry(planes[i], p->carry_pending[h][i], 6, p->rows, iw_bit_slices_csa_tree(planes[i], 4, carries[i], TREES)); }
  p->packed_count = 0;
  if (++p->rows == IW_NIBBLE_ROWS) iw_private_histogram_nibble_flush(p); }

IW_NOINLINE_FN void iw_private_histogram_lookup64_flush(iw_private_histogram *p, uint32_t q)
{ iw_lookup64_bucket *const of = &p->buckets[q];
  for (uint32_t t = 0; t < 8; t++) {
    uint32_t counts[8] = { 0 };
    iw_bit_slices_extract(of->planes[t], of->carry_pending[t], of->rows, 16, 1, 8, counts);
    for (uint32_t k = 0; k < 8; k++) if (counts[k]) iw_private_histogram_add_count(p, 64 * q + 8 * t + k, counts[k]); }
  of->rows = 0; }

/* Counts a block of bytes of a lookup_quarter: by eight tables of 64, a byte is one bit of eight. */
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_lookup64_block(iw_private_histogram *p, uint32_t q)
{ static const uint8_t bit[120] = { [56] = 1, 2, 4, 8, 16, 32, 64, 128 };
  iw_lookup64_bucket *const of = &p->buckets[q];
  iwv_u32 v[16], carries[8];
  IW_UNROLL for (int i = 0; i < 16; i++) v[i] = iwv_load_u32((const iws_u32 *)(const void *)(of->bytes + i * 4 * IW_VL_u32));
  for (int t = 0; t < 8; t++) {
    const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)(bit + 56 - 8 * t));
    iwv_u32 plane = of->planes[t][0];
    IW_UNROLL for (int i = 0; i < 8; i++)
      carries[i] = iwv_full_add(&plane, iwv_lookup64(table, v[2 * i]), iwv_lookup64(table, v[2 * i + 1]));
    of->planes[t][0] = plane;
    iw_bit_slices_carry(of->planes[t], of->carry_pending[t], 4, of->rows, iw_bit_slices_csa_tree(of->planes[t], 1, carries, 8)); }
  of->packed_count -= IW_LOOKUP64_BLOCK;
  memcpy(of->bytes, of->bytes + IW_LOOKUP64_BLOCK, IW_LOOKUP64_ROW);
  if (++of->rows == IW_LOOKUP64_ROWS) iw_private_histogram_lookup64_flush(p, q); }
IWV_LOOKUP64 IW_NOINLINE_FN void iw_private_histogram_lookup64_row(iw_private_histogram *p, const uint8_t *x)
{ uint8_t *to[4];
  IW_UNROLL for (int q = 0; q < 4; q++) to[q] = p->buckets[q].bytes + p->buckets[q].packed_count;
  for (const uint8_t *const end = x + IW_LOOKUP64_ROW; x < end; x += 4 * IW_VL_u32) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)x);
    IW_UNROLL for (unsigned q = 0; q < 4; q++) to[q] += iwv_compact_quarter(to[q], v, q); }
  IW_UNROLL for (uint32_t q = 0; q < 4; q++) {
    p->buckets[q].packed_count = (uint32_t)(to[q] - p->buckets[q].bytes);
    if (p->buckets[q].packed_count >= IW_LOOKUP64_BLOCK) iw_private_histogram_lookup64_block(p, q); } }
/* What is left, filled up with zeros that are counted too often. */
IW_NOINLINE_FN void iw_private_histogram_lookup64_end(iw_private_histogram *p)
{ for (uint32_t q = 0; q < 4; q++) {
    iw_lookup64_bucket *const of = &p->buckets[q];
    const uint32_t rest = of->packed_count ? IW_LOOKUP64_BLOCK - of->packed_count : 0;
    if (rest) {
      memset(of->bytes + of->packed_count, 0, rest);
      iw_private_histogram_add_count(p, 64 * q, 0 - rest);
      of->packed_count = IW_LOOKUP64_BLOCK;
      iw_private_histogram_lookup64_block(p, q); }
    if (of->rows) iw_private_histogram_lookup64_flush(p, q); } }
/* As many bytes as are counted at once. */
IW_FN void iw_private_histogram_packed_row(iw_private_histogram *p)
{ if (p->method == IW_PRIVATE_LOOKUP64) { iw_private_histogram_lookup64_row(p, p->packed); p->packed_count = 0; } else iw_private_histogram_nibble_row(p); }

/* Numbers past 255 are counted here, and taken from 255, which they will be packed as. */
IW_NOINLINE_FN void iw_private_histogram_count_above_255(iw_private_histogram *p, iw_u32 index)
{ for (uint32_t k = 256; k < p->table_size; k++) {
    const uint32_t count = iw_popcount(iw_eq_u32(index, iw_splat_u32(k)).m);
    iw_private_histogram_add_count(p, k, count); iw_private_histogram_add_count(p, 255, 0 - count); } }

IW_FN void iw_private_histogram_pack_row(iw_private_histogram *p, const int vectors, int inside)
{ iw_u32 *const indices = p->indices;
  if (p->table_size > 256 && !inside) {
    iw_u32 all = indices[0];
    IW_UNROLL for (int v = 1; v < vectors; v++) all = iw_or_u32(all, indices[v]);
    if (iw_ge_u32(all, iw_splat_u32(256)).m) for (int v = 0; v < vectors; v++) iw_private_histogram_count_above_255(p, indices[v]); }
  iwv_u32 r[IW_MAX_ROW_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i) r[v * IW_VECTORS(u32) + i] = indices[v].r[i];
  IW_UNROLL for (int i = 0; i < vectors * IW_VECTORS(u32); i += 4)
    iwv_store_u32((iws_u32 *)(void *)(p->packed + p->packed_count + i * IW_VL_u32), iwv_pack_u8(r[i], r[i + 1], r[i + 2], r[i + 3]));
  p->packed_count += vectors * IW_WARP_SIZE;
  if (p->packed_count == p->row) iw_private_histogram_packed_row(p); }
#endif

/* The indices of a vector by twos: a compiler that sees where they come from takes each out of its register, which is slower. */
#define IW_PRIVATE_INDEX_PAIRS_(e, index) \
  uint64_t e[IW_PADDED(u32) / 2]; \
  iw_to_array_u32((iws_u32 *)(void *)e, index); \
  __asm__ volatile("" : "+m"(e));
IW_FN void iw_private_histogram_tables_u32_row(iw_private_histogram *p, const int vectors)
{ uint32_t *const counters = p->counters;
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) { counters[(uint32_t)e[l / 2]]++; counters[e[l / 2] >> 32]++; } } }

/* Adds tables of smaller counters to the first one. */
IW_NOINLINE_FN void iw_private_histogram_reduce_small_tables(iw_private_histogram *p)
{ uint32_t *const counters = p->counters, table_size = p->table_size;
  uint16_t *const shorts = (uint16_t *)(void *)(counters + table_size);
  uint8_t *const bytes = (uint8_t *)shorts;
  for (uint32_t t = 0; t < p->small_tables; t++)
    if (p->method == IW_PRIVATE_TABLES_U16) for (uint32_t k = 0; k < table_size; k++) counters[k] += shorts[t * table_size + k];
    else for (uint32_t k = 0; k < table_size; k++) counters[k] += bytes[t * table_size + k];
  memset(bytes, 0, (size_t)p->small_tables * table_size * (p->method == IW_PRIVATE_TABLES_U16 ? 2 : 1));
  p->rows = 0; }

IW_FN void iw_private_histogram_tables_u16_row(iw_private_histogram *p, const int vectors)
{ uint16_t *const shorts = (uint16_t *)(void *)(p->counters + p->table_size);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) { shorts[(uint32_t)e[l / 2]]++; shorts[e[l / 2] >> 32]++; } }
  if (++p->rows == 65535 / (unsigned)(IW_MAX_ROW_VECTORS * IW_WARP_SIZE / IW_U16_TABLES)) iw_private_histogram_reduce_small_tables(p); }

/* A counter that went round. */
IW_NOINLINE_FN void iw_private_histogram_carry_u8(uint32_t *counters, uint32_t table_size, uint32_t at) { counters[at % table_size] += 256; }
IW_FN void iw_private_histogram_tables_u8_row(iw_private_histogram *p, const int vectors)
{ uint32_t *const counters = p->counters, table_size = p->table_size;
  uint8_t *const bytes = (uint8_t *)(counters + table_size);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    for (const uint64_t *two = e; two < e + IW_WARP_SIZE / 2; two += 4) IW_UNROLL for (int k = 0; k < 4; k++) {
      if (__builtin_expect(++bytes[(uint32_t)two[k]] == 0, 0)) iw_private_histogram_carry_u8(counters, table_size, (uint32_t)two[k]);
      if (__builtin_expect(++bytes[two[k] >> 32] == 0, 0)) iw_private_histogram_carry_u8(counters, table_size, (uint32_t)(two[k] >> 32)); } } }

IW_FN iw_u32 iw_private_histogram_table_offset(uint32_t table_size, uint32_t tables)
{ return iw_mul_u32(iw_and_u32(iw_lane(), iw_splat_u32(tables - 1)), iw_splat_u32(table_size)); }

/* map: of bytes, by which they will be told apart in the end; else NULL. n: indices that will come, about. */
IW_FN void iw_private_histogram_begin_in(const iw_block *block, iw_private_histogram *p, uint32_t *counters, uint32_t table_size, uint32_t tables,
                              const uint32_t *map, uint64_t n, int heavy)
{ const int shorts = table_size <= IW_MAX_COUNTERS_U16;
  const uint32_t small_tables = shorts ? IW_U16_TABLES : table_size <= 8192 ? 4 : 2;
  (void)map; (void)n; (void)heavy;
  p->block = block; p->counters = counters; p->table_size = table_size; p->tables = tables; p->rows = 0;
  p->method = block->is_team ? IW_PRIVATE_ATOMICS : IW_PRIVATE_TABLES_U32;
  if (!block->is_team && table_size > IW_MAX_COUNTERS_U32 && (tables - 1) * sizeof *counters >= small_tables * (shorts ? 2 : 1)) {
    p->method = shorts ? IW_PRIVATE_TABLES_U16 : IW_PRIVATE_TABLES_U8;
    p->small_tables = small_tables; }
  p->table = iw_private_histogram_table_offset(table_size, p->method == IW_PRIVATE_TABLES_U16 || p->method == IW_PRIVATE_TABLES_U8 ? small_tables : tables);
#ifdef IW_BIT_SLICED_
  if (map ? iw_private_histogram_classify_bytes(p, map) : table_size <= 32 + 3) {
    p->method = map ? IW_PRIVATE_BYTE_CLASSES : IW_PRIVATE_BIT_SLICED;
    for (int l = 0; l < IW_PLANES; l++) p->slices[0].plane[l] = p->slices[1].plane[l] = iwv_set1_u32(0); }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_TABLES_U32 && table_size <= 256 + 3 && n >= IW_NIBBLE_MIN_INDICES) {
    p->method = IW_PRIVATE_NIBBLE_LOOKUP; p->packed_count = 0; p->row = IW_NIBBLE_ROW;
    if (iwv_has_lookup64()) {
      p->method = IW_PRIVATE_LOOKUP64; p->row = IW_LOOKUP64_ROW;
      for (int q = 0; q < 4; q++) {
        p->buckets[q].rows = p->buckets[q].packed_count = 0;
        for (int t = 0; t < 8; t++) for (int l = 0; l < IW_LOOKUP64_PLANES; l++) p->buckets[q].planes[t][l] = iwv_set1_u32(0); }
    } else for (int h = 0; h < 16; h++)
      for (int l = 0; l < IW_NIBBLE_PLANES; l++) p->planes[h][0][l] = p->planes[h][1][l] = iwv_set1_u32(0); }
#endif
#ifdef IW_BIT_SLICED_
  p->sampling = p->method <= IW_PRIVATE_TABLES_U8 && !map && n >= IW_MIN_INDICES_TO_SAMPLE && heavy;
  p->rows_until_sample = p->sampling ? 0 : UINT32_MAX; p->heavy_count = p->pending_count = 0;
#endif
}

IW_FN void iw_private_histogram_tables_row(iw_private_histogram *p, const int vectors)
{ if (p->method == IW_PRIVATE_TABLES_U32) iw_private_histogram_tables_u32_row(p, vectors);
  else if (p->method == IW_PRIVATE_TABLES_U16) iw_private_histogram_tables_u16_row(p, vectors);
  else if (p->method == IW_PRIVATE_TABLES_U8) iw_private_histogram_tables_u8_row(p, vectors);
  else for (int v = 0; v < vectors; v++)
    iw_count_in(p->block, p->counters, iw_add_u32(p->indices[v], p->table), iw_pred_of(IW_ALL_LANES)); }

#ifdef IW_BIT_SLICED_
/* Finds heavy indices among those that are pending, and looks for none where there are none, for a while. Of the indices that share a
 * slot one is told: what it has more than the others is less than its share, and not by much. */
IW_NOINLINE_FN void iw_private_histogram_find_heavy_hitters(iw_private_histogram *p)
{ struct { uint32_t index; int more; } slots[IW_VOTE_SLOTS];
  const int worth = p->method == IW_PRIVATE_TABLES_U32 ? 2 : p->method == IW_PRIVATE_TABLES_U16 ? 3 : 6;
  int all = 0;
  memset(slots, 0, sizeof slots);
  for (uint32_t k = 0; k < p->pending_count; k++) {
    const uint32_t index = p->pending[k], slot = index * 0x9e3779b1u >> 24;
    const int more = slots[slot].more;
    slots[slot].index = more == 0 ? index : slots[slot].index;
    slots[slot].more = slots[slot].index == index ? more + 1 : more - 1; }
  for (; p->heavy_count < IW_MAX_HEAVY_HITTERS; p->heavy_count++) {
    int most = 0;
    for (int s = 1; s < IW_VOTE_SLOTS; s++) if (slots[s].more > slots[most].more) most = s;
    if (slots[most].more * IW_HEAVY_HITTER_SHARE < (int)p->pending_count) break;
    p->heavy[p->heavy_count] = slots[most].index; p->heavy_counts[p->heavy_count] = 0;
    all += slots[most].more; slots[most].more = 0; }
  if (all * worth < (int)p->pending_count) p->heavy_count = 0;
  p->sampling = p->heavy_count > 0; p->rows_until_sample = IW_SAMPLE_INTERVAL_ROWS; }

/* What was counted sampling goes to the tables; then there are no heavy indices. */
IW_FN void iw_private_histogram_flush_heavy_hitters(iw_private_histogram *p)
{ for (unsigned h = 0; h < p->heavy_count; h++) iw_private_histogram_add_count(p, p->heavy[h], p->heavy_counts[h]);
  p->heavy_count = 0; }

/* Counts what is pending, but for what is no whole row. */
IW_NOINLINE_FN void iw_private_histogram_drain_pending(iw_private_histogram *p)
{ uint32_t at = 0;
  if (p->rows_until_sample == 0) { if (p->heavy_count) iw_private_histogram_flush_heavy_hitters(p); else iw_private_histogram_find_heavy_hitters(p); }
  for (; at + IW_MAX_ROW_INDICES <= p->pending_count; at += IW_MAX_ROW_INDICES) {
    IW_UNROLL for (int v = 0; v < IW_MAX_ROW_VECTORS; v++) p->indices[v] = iw_from_array_u32(p->pending + at + v * IW_WARP_SIZE);
    iw_private_histogram_tables_row(p, IW_MAX_ROW_VECTORS); }
  p->pending_count -= at;
  memcpy(p->pending, p->pending + at, p->pending_count * sizeof *p->pending); }

IW_NOINLINE_FN void iw_private_histogram_heavy_hitters_row(iw_private_histogram *p, int vectors)
{ iw_pred others[IW_MAX_ROW_VECTORS];
  IW_UNROLL for (int v = 0; v < vectors; v++) others[v] = iw_pred_of(IW_ALL_LANES);
  for (unsigned h = 0; h < p->heavy_count; h++) {
    const iw_u32 heavy = iw_splat_u32(p->heavy[h]);
    unsigned heavy_counts = 0;
    IW_UNROLL for (int v = 0; v < vectors; v++) {
      const iw_pred is = iw_eq_u32(p->indices[v], heavy);
      heavy_counts += iw_popcount(is.m); others[v] = iw_and_pred(others[v], iw_not_pred(is)); }
    p->heavy_counts[h] += heavy_counts; }
  IW_UNROLL for (int v = 0; v < vectors; v++) p->pending_count += iw_compact_u32(p->pending + p->pending_count, p->indices[v], others[v]);
  if (p->rows_until_sample) p->rows_until_sample--;
  if (p->pending_count > IW_PENDING_CAPACITY - IW_MAX_ROW_INDICES) iw_private_histogram_drain_pending(p); }
#endif

/* One vector of a row: indices less than table_size. When all of the row's are there, the row is counted. inside: whether they are less
 * than table_size - 3. */
IW_FN void iw_private_histogram_set_vector(iw_private_histogram *p, int v, iw_u32 index) { p->indices[v] = index; }
IW_FN void iw_private_histogram_add_row(iw_private_histogram *p, const int vectors, int inside)
{ (void)inside;
#ifdef IW_BIT_SLICED_
  if (p->method == IW_PRIVATE_BIT_SLICED) { iw_private_histogram_bit_sliced_row(p, vectors, inside); return; }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP || p->method == IW_PRIVATE_LOOKUP64) { iw_private_histogram_pack_row(p, vectors, inside); return; }
#endif
#ifdef IW_BIT_SLICED_
  if (p->sampling) { iw_private_histogram_heavy_hitters_row(p, vectors); return; }
  if (--p->rows_until_sample == 0) p->sampling = 1;
#endif
  iw_private_histogram_tables_row(p, vectors); }

/* A whole row of bytes, each its own index. */
IW_FN void iw_private_histogram_add_row_u8(iw_private_histogram *p, iw_row_u8 row)
{
#ifdef IW_BIT_SLICED_
  if (p->method == IW_PRIVATE_BYTE_CLASSES) {
#ifdef IWV_LOOKUP64
    if (p->lookup_count) (p->wide ? iw_private_histogram_byte_classes_lookup64_wide : iw_private_histogram_byte_classes_lookup64)(p, row.p); else
#endif
    if (p->wide) { if (p->uniform) iw_private_histogram_byte_classes_row(p, row.p, 1, 1); else iw_private_histogram_byte_classes_row(p, row.p, 1, 0); }
    else if (p->uniform) iw_private_histogram_byte_classes_row(p, row.p, 0, 1);
    else iw_private_histogram_byte_classes_row(p, row.p, 0, 0);
    if (p->rows == IW_BIT_SLICED_ROWS) iw_private_histogram_flush_bit_sliced(p);
    return; }
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_LOOKUP64) { iw_private_histogram_lookup64_row(p, row.p); return; }
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP) {
    memcpy(p->packed + p->packed_count, row.p, 16 * IW_WARP_SIZE);
    p->packed_count += 16 * IW_WARP_SIZE;
    if (p->packed_count == IW_NIBBLE_ROW) iw_private_histogram_nibble_row(p);
    return; }
#endif
  if (p->method == IW_PRIVATE_ATOMICS || p->tables != 8) {
    for (int v = 0; v < IW_ROW_VECTORS(u8); v++)
      iw_count_in(p->block, p->counters, iw_add_u32(iw_row_vector_u8(row, v), p->table), iw_pred_of(IW_ALL_LANES));
    return; }
  uint32_t *const counters = p->counters;
  for (const uint8_t *x = row.p, *const end = x + 16 * IW_WARP_SIZE; x < end; x += 8) {
    uint64_t w;
    memcpy(&w, x, 8);
    IW_UNROLL for (int l = 0; l < 8; l += 2) { /* two bytes of a register are had in an instruction each */
      counters[l * 256 + (uint8_t)w]++; counters[l * 256 + 256 + (uint8_t)(w >> 8)]++;
      w >>= 16;
      __asm__("" : "+r"(w)); } } }

/* Then all that was counted is in the tables. */
IW_FN void iw_private_histogram_end(iw_private_histogram *p)
{
#ifdef IW_BIT_SLICED_
  if ((p->method == IW_PRIVATE_BIT_SLICED || p->method == IW_PRIVATE_BYTE_CLASSES) && p->rows) iw_private_histogram_flush_bit_sliced(p);
  iw_private_histogram_flush_heavy_hitters(p);
  for (uint32_t k = 0; k < p->pending_count; k++) iw_private_histogram_add_count(p, p->pending[k], 1);
#endif
#ifdef IW_NIBBLE_LOOKUP_
  if (p->method == IW_PRIVATE_NIBBLE_LOOKUP || p->method == IW_PRIVATE_LOOKUP64) {
    const uint32_t rest = p->packed_count ? p->row - p->packed_count : 0; /* of a last row, which is filled up with what is counted too often */
    if (rest) { memset(p->packed + p->packed_count, 0, rest); iw_private_histogram_add_count(p, 0, 0 - rest); iw_private_histogram_packed_row(p); }
    if (p->method == IW_PRIVATE_LOOKUP64) iw_private_histogram_lookup64_end(p);
    else if (p->rows) iw_private_histogram_nibble_flush(p); }
#endif
  if (p->method == IW_PRIVATE_TABLES_U16 || p->method == IW_PRIVATE_TABLES_U8) iw_private_histogram_reduce_small_tables(p); }

#endif
