/* SPDX-License-Identifier: Apache-2.0
 *
 * Private counters of a warp on the CPU: whatever counts whole rows fastest, and adds up to the same. Included by vm/cpu.h.
 *
 * A counter in memory takes an increment a cycle at best, and five or more in a row if it is the same one each time. So numbers
 * up to 31, and bytes of up to 16 kinds, are not counted in memory: a number becomes one bit of a register, and registers of bits
 * are added up in sliced counters, bit by bit, by carry-save adders. It takes as long whatever the numbers are, and with 512 bits
 * less than tables for all bytes and numbers up to 255. Others go to
 * several tables in turn, of 32 bits, 16 or 8 as a first-level cache has room for them: those of 16 are added up before one may
 * overflow, and of those of 8 few do. Now and then some numbers are looked at before they are counted; those that come often are
 * then counted aside, by comparison, and only the others go to the tables.
 */
#ifndef ISOWARP_VM_PRIVATE_CPU_H
#define ISOWARP_VM_PRIVATE_CPU_H

/* Those by tables first. */
enum { IW_BY_TABLES, IW_BY_SHORTS, IW_BY_BYTES, IW_BY_SLICES, IW_BY_KINDS, IW_BY_HALVES, IW_BY_QUARTERS, IW_BY_ATOMICS };
enum { IW_MOST_VECTORS = 8, IW_MOST_KINDS = 16 };
/* Counters of one table up to which it has 32 bits, and 16 bits; else it has 8. */
enum { IW_TABLE_WORDS = 1024, IW_TABLE_SHORTS = 2304, IW_TABLES_OF_SHORTS = 4 };
/* A warp smaller than a register has lanes that are none, and would be counted. */
#if defined(IWV_SLICES) && IW_WARP_SIZE >= 16
#define IW_SLICED_
#endif
#if defined(IWV_HALVES) && IW_WARP_SIZE >= 32
#define IW_HALVES_
#endif

#ifdef IW_SLICED_
/* Sliced counters: bit i of plane[l] is worth 2^l to the counter of bit i. What a row's registers carry over is added by twos on
 * each level above: one of them waits. */
enum { IW_PLANES = 20, IW_SLICED_ROWS = 4096 };
typedef struct iw_slices { iwv_u32 plane[IW_PLANES], waits[IW_PLANES]; } iw_slices;

/* Adds registers of bits, a power of two of them, from a level on; what that carries over is worth `count` of them. */
IW_FN iwv_u32 iw_slices_tree(iwv_u32 *planes, int level, iwv_u32 *bits, const int count)
{ IW_UNROLL for (int k = count; k > 1; k /= 2, level++) {
    iwv_u32 plane = planes[level];
    IW_UNROLL for (int i = 0; i < k / 2; i++) bits[i] = iwv_carry(&plane, bits[2 * i], bits[2 * i + 1]);
    planes[level] = plane; }
  return bits[0]; }
IW_FN void iw_slices_wait(iwv_u32 *planes, iwv_u32 *waits, int level, unsigned row, iwv_u32 carry)
{ for (; row & 1; row >>= 1, level++) carry = iwv_carry(&planes[level], waits[level], carry);
  waits[level] = carry; }
/* Registers of bits, as many in all rows; row: how many were added before. */
IW_FN void iw_slices_add(iwv_u32 *planes, iwv_u32 *waits, unsigned row, iwv_u32 *bits, const int count)
{ int level = 0;
  IW_UNROLL for (int k = count; k > 1; k /= 2) level++;
  iw_slices_wait(planes, waits, level, row, iw_slices_tree(planes, 0, bits, count)); }

/* Adds to counts[b] what bit b of every lane has, or of every byte of a lane, where `bytes`; and clears the planes. */
IW_APART void iw_slices_take(iwv_u32 *planes, const iwv_u32 *waits, unsigned rows, int count, int bytes, unsigned most, uint32_t *counts)
{ const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 carry = none;
  int first = 0;
  while (1 << first < count) first++;
  for (int l = 0; l < first || rows >> (l - first); l++) {
    if (l >= first) carry = iwv_carry(&planes[l], rows >> (l - first) & 1 ? waits[l] : none, carry);
    const iwv_u32 plane = planes[l];
    if (bytes) IW_UNROLL for (unsigned b = 0; b < 8; b++) counts[b] += iwv_count_in_bytes(plane, b) << l;
    else for (unsigned b = 0; b < most; b++) counts[b] += iwv_count_in_lanes(plane, b) << l;
    planes[l] = none; } }
#endif

#ifdef IW_SLICED_
/* Numbers are kept until there is no room for a row more, and looked at for hot ones: those whose share is one in IW_HOT_SHARE, if
 * together they have so much that comparing all with them and counting the others in tables takes less time: in bytes soonest. */
enum { IW_MOST_HOT = 8, IW_HOT_SLOTS = 256, IW_HOT_SHARE = 40,
  IW_HOT_NUMBERS = 65536,   /* fewer are not looked at */
  IW_HOT_ROWS = 8192,       /* that come before hot numbers are looked for again */
  IW_LARGEST_ROW = IW_MOST_VECTORS * IW_WARP_SIZE, IW_MOST_KEPT = 5 * IW_LARGEST_ROW };
#endif

#ifdef IW_HALVES_
enum { IW_HALVES_ROW = 4096, IW_HALVES_COUNT = IW_HALVES_ROW / (4 * IW_VL_u32), IW_HALVES_ROWS = 128, IW_HALF_PLANES = 14,
  IW_HALVES_WORTH = 16384 }; /* numbers: fewer are counted in tables before all these bits are */
/* The same by quarters of the bytes' values, where the processor can sort bytes by them: those of one quarter wait until they
 * are a block. */
enum { IW_QUARTERS_ROW = 16 * IW_WARP_SIZE, IW_QUARTERS_BLOCK = 16 * 4 * IW_VL_u32, IW_QUARTERS_ROWS = 256,
  IW_QUARTER_PLANES = 13 };
typedef struct iw_quarter {
  iwv_u32 planes[8][IW_QUARTER_PLANES], waits[8][IW_QUARTER_PLANES];
  uint8_t bytes[IW_QUARTERS_BLOCK + IW_QUARTERS_ROW];
  uint32_t have;
  unsigned rows;
} iw_quarter;
#endif

typedef struct iw_private {
  const iw_block *block;
  uint32_t *counters;       /* tables of `own` each; the first one has the totals of those that are counted otherwise */
  uint32_t own, tables;
  int way, vectors;
  unsigned rows;            /* that were added to slices or tables of 16 bits, since they were clear */
  uint32_t small_tables;    /* of IW_BY_SHORTS and IW_BY_BYTES; they are behind the first table */
  iw_u32 table;             /* where each lane's table begins */
  iw_u32 numbers[IW_MOST_VECTORS];
#ifdef IW_SLICED_
  /* Of the ways by tables: rows go aside while hot numbers are looked for, and where there are some. */
  int aside;
  unsigned hots, until;     /* until: rows that will come before hot numbers are looked for */
  uint32_t hot[IW_MOST_HOT], times[IW_MOST_HOT], kept[IW_MOST_KEPT + IW_WARP_SIZE], keeps; /* keeps: how many are kept */
  /* Of IW_BY_KINDS: a byte's kind as a bit, of 16 in two bytes, by its upper half, where that decides; else by both halves. The
   * first kind is none of the bits: it has what is left. */
  int both, plain, mixed;
  uint8_t by_upper[2][16], upper[16], by_lower[16][2][16], of[IW_MOST_KINDS];
#ifdef IWV_QUARTERS
  int quartered;            /* quarters with a bit, where they decide in place of halves, else 0 */
  uint8_t quarter[4], by_quarter[4][2][64];
#endif
  iw_slices slices[2];
#endif
#ifdef IW_HALVES_
  /* Of IW_BY_HALVES: for each upper half of a byte, the lower ones up to 7, and those above. */
  union {
    struct { iwv_u32 planes[16][2][IW_HALF_PLANES], waits[16][2][IW_HALF_PLANES]; };
    iw_quarter quarters[4];
  };
  uint8_t packed[IW_HALVES_ROW];
  uint32_t have, row;       /* of the packed bytes, and how many are counted at once */
#endif
} iw_private;

IW_FN void iw_private_more(iw_private *p, uint32_t counter, uint32_t count)
{ if (p->block->team) __atomic_fetch_add(p->counters + counter, count, __ATOMIC_RELAXED);
  else p->counters[counter] += count; }

#ifdef IW_SLICED_
enum { IW_KINDS_COUNT = 16 * IW_WARP_SIZE / (4 * IW_VL_u32), IW_MIXED = 3 }; /* upper halves: for more, quarters take less time */
#define IW_KIND_BIT_(kind) (uint8_t)((kind) ? 1u << (kind) % 8 : 0)
/* Whether the map tells apart so few kinds of bytes that they are counted as bits. */
IW_APART int iw_private_kinds(iw_private *p, const uint32_t *map)
{ unsigned kinds = 0;
  uint32_t seen[IW_MOST_KINDS];
  uint8_t kind[256];
  for (unsigned v = 0; v < 256; v++) {
    unsigned k = 0;
    if (v && map[v] == map[v - 1]) k = kind[v - 1];
    else while (k < kinds && seen[k] != map[v]) k++;
    if (k == IW_MOST_KINDS) return 0;
    if (k == kinds) { seen[k] = map[v]; p->of[kinds++] = (uint8_t)v; }
    kind[v] = (uint8_t)k; }
  p->both = kinds > 8;
  p->plain = p->mixed = 0;
  memset(p->by_upper, 0, sizeof p->by_upper); memset(p->by_lower, 0, sizeof p->by_lower);
  for (unsigned h = 0; h < 16; h++) {
    const uint8_t *const of = kind + 16 * h;
    if (memcmp(of, of + 1, 15) == 0) { p->by_upper[of[0] / 8][h] = IW_KIND_BIT_(of[0]); p->plain |= of[0]; }
    else {
      for (unsigned l = 0; l < 16; l++) p->by_lower[p->mixed][of[l] / 8][l] = IW_KIND_BIT_(of[l]);
      p->upper[p->mixed++] = (uint8_t)(16 * h); } }
#ifdef IWV_QUARTERS
  p->quartered = 0;
  memset(p->by_quarter, 0, sizeof p->by_quarter);
  for (unsigned q = 0; q < 4 && p->mixed > IW_MIXED && iwv_has_quarters(); q++) {
    unsigned any = 0;
    for (unsigned l = 0; l < 64; l++) {
      const uint8_t of = kind[64 * q + l];
      p->by_quarter[p->quartered][of / 8][l] = IW_KIND_BIT_(of);
      any |= of; }
    if (any) p->quarter[p->quartered++] = (uint8_t)q; }
#endif
  return 1; }

IW_FN void iw_private_kinds_bits(iw_private *p, iwv_u32 *low, iwv_u32 *high, const int count, const int both)
{ const unsigned row = p->rows++;
  iw_slices_add(p->slices[0].plane, p->slices[0].waits, row, low, count);
  if (both) iw_slices_add(p->slices[1].plane, p->slices[1].waits, row, high, count); }
IW_FN void iw_private_kinds_row(iw_private *p, const uint8_t *x, const int both, const int plain)
{ enum { COUNT = IW_KINDS_COUNT, SOME = COUNT < 4 ? COUNT : 4 };
  const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 bits[2][COUNT];
  IW_UNROLL for (int i = 0; i < COUNT; i += SOME) {
    iwv_u32 v[SOME], a[SOME], b[SOME];
    IW_UNROLL for (int k = 0; k < SOME; k++) {
      v[k] = iwv_load_u32((const iws_u32 *)(const void *)(x + (i + k) * 4 * IW_VL_u32));
      a[k] = plain ? iwv_bytes_of(iwv_table_of(p->by_upper[0]), iwv_upper_halves(v[k])) : none;
      b[k] = plain && both ? iwv_bytes_of(iwv_table_of(p->by_upper[1]), iwv_upper_halves(v[k])) : none; }
    for (int m = 0; m < p->mixed; m++) {
      const iwv_u32 low = iwv_table_of(p->by_lower[m][0]), high = iwv_table_of(p->by_lower[m][1]);
      const iwv_u32 upper = iwv_set1_u32(0x01010101u * p->upper[m]);
      IW_UNROLL for (int k = 0; k < SOME; k++) {
        const iwv_u32 at = iwv_lower_halves(v[k], upper);
        a[k] = iwv_or_u32(a[k], iwv_bytes_of(low, at));
        if (both) b[k] = iwv_or_u32(b[k], iwv_bytes_of(high, at)); } }
    IW_UNROLL for (int k = 0; k < SOME; k++) { bits[0][i + k] = a[k]; if (both) bits[1][i + k] = b[k]; } }
  iw_private_kinds_bits(p, bits[0], bits[1], COUNT, both); }
#ifdef IWV_QUARTERS
IWV_QUARTERS IW_FN void iw_private_quarter_bits(const iw_private *p, const uint8_t *x, iwv_u32 *bits, const int high, const int q)
{ const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)p->by_quarter[q][high]);
  IW_UNROLL for (int i = 0; i < IW_KINDS_COUNT; i++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(x + i * 4 * IW_VL_u32));
    const iwv_u32 of = iwv_bytes_of_quarter(table, v, p->quarter[q]);
    bits[i] = q ? iwv_or_u32(bits[i], of) : of; } }
IWV_QUARTERS IW_FN void iw_private_quartered_row(iw_private *p, const uint8_t *x, const int both)
{ iwv_u32 bits[2][IW_KINDS_COUNT];
  IW_UNROLL for (int high = 0; high <= both; high++) {
    iw_private_quarter_bits(p, x, bits[high], high, 0);
    for (int q = 1; q < p->quartered; q++) iw_private_quarter_bits(p, x, bits[high], high, q); }
  iw_private_kinds_bits(p, bits[0], bits[1], IW_KINDS_COUNT, both); }
IWV_QUARTERS IW_APART void iw_private_quartered(iw_private *p, const uint8_t *x) { iw_private_quartered_row(p, x, 0); }
IWV_QUARTERS IW_APART void iw_private_quartered_both(iw_private *p, const uint8_t *x) { iw_private_quartered_row(p, x, 1); }
#endif

IW_APART void iw_private_flush(iw_private *p)
{ uint32_t counts[32] = { 0 };
  if (p->way == IW_BY_KINDS) {
    for (int high = 0; high <= p->both; high++)
      iw_slices_take(p->slices[high].plane, p->slices[high].waits, p->rows, IW_KINDS_COUNT, 1, 8, counts + 8 * high);
    counts[0] = p->rows * 16 * IW_WARP_SIZE;
    for (int k = 1; k < IW_MOST_KINDS; k++) counts[0] -= counts[k];
    for (int k = 0; k < IW_MOST_KINDS; k++) if (counts[k]) iw_private_more(p, p->of[k], counts[k]);
  } else {
    const unsigned most = p->own < 32 ? p->own : 32;
    iw_slices_take(p->slices[0].plane, p->slices[0].waits, p->rows, p->vectors * IW_VECTORS(u32), 0, most, counts);
    for (unsigned k = 0; k < most; k++) iw_private_more(p, k, counts[k]); }
  p->rows = 0; }

IW_FN void iw_private_slices_row(iw_private *p, const int vectors, int inside)
{ iwv_u32 bits[IW_MOST_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i)
    bits[v * IW_VECTORS(u32) + i] = iwv_shl_u32(iwv_set1_u32(1), p->numbers[v].r[i]);
  if (p->own > 32 && !inside) IW_UNROLL for (int v = 0; v < vectors; v++) /* for the last bins there is no bit */
    if (iw_ge_u32(p->numbers[v], iw_splat_u32(32)).m)
      for (uint32_t k = 32; k < p->own; k++)
        iw_private_more(p, k, iw_popcount(iw_eq_u32(p->numbers[v], iw_splat_u32(k)).m));
  iw_slices_add(p->slices[0].plane, p->slices[0].waits, p->rows, bits, vectors * IW_VECTORS(u32));
  p->vectors = vectors;
  if (++p->rows == IW_SLICED_ROWS) iw_private_flush(p); }
#endif

#ifdef IW_HALVES_
IW_APART void iw_private_halves_flush(iw_private *p)
{ for (int h = 0; h < 16; h++) for (int high = 0; high < 2; high++) {
    uint32_t counts[8] = { 0 };
    iw_slices_take(p->planes[h][high], p->waits[h][high], p->rows, IW_HALVES_COUNT, 1, 8, counts);
    for (uint32_t k = 0; k < 8; k++)
      if (counts[k]) iw_private_more(p, (uint32_t)(16 * h + 8 * high) + k, counts[k]); }
  p->rows = 0; }

/* Bytes of any kind: all 256 of them are counted as bits. A byte's lower half is one bit of two bytes, and counts for an upper
 * half where that is its own. */
IW_APART void iw_private_halves_row(iw_private *p)
{ static const uint8_t bit[2][16] = { { 1, 2, 4, 8, 16, 32, 64, 128 }, { 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128 } };
  static const uint8_t own[31] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 };
  enum { SOME = 16, TREES = IW_HALVES_COUNT / SOME };
  const iwv_u32 low = iwv_table_of(bit[0]), high = iwv_table_of(bit[1]);
  struct { iwv_u32 upper, low, high; } of[IW_HALVES_COUNT];
  for (int k = 0; k < IW_HALVES_COUNT; k++) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)(p->packed + k * 4 * IW_VL_u32));
    const iwv_u32 lower = iwv_and_u32(v, iwv_set1_u32(0x0f0f0f0f));
    of[k].upper = iwv_upper_halves(v); of[k].low = iwv_bytes_of(low, lower); of[k].high = iwv_bytes_of(high, lower); }
  for (int h = 0; h < 16; h++) {
    iwv_u32 (*const planes)[IW_HALF_PLANES] = p->planes[h], carries[2][TREES];
    const iwv_u32 is = iwv_table_of(own + 15 - h);
    for (int k = 0; k < TREES; k++) {
      iwv_u32 a[SOME / 2], b[SOME / 2], plane_a = planes[0][0], plane_b = planes[1][0];
      IW_UNROLL for (int i = 0; i < SOME / 2; i++) {
        const int j = k * SOME + 2 * i;
        const iwv_u32 m = iwv_bytes_of(is, of[j].upper), n = iwv_bytes_of(is, of[j + 1].upper);
        a[i] = iwv_carry_of(&plane_a, of[j].low, m, of[j + 1].low, n);
        b[i] = iwv_carry_of(&plane_b, of[j].high, m, of[j + 1].high, n); }
      planes[0][0] = plane_a; planes[1][0] = plane_b;
      carries[0][k] = iw_slices_tree(planes[0], 1, a, SOME / 2); carries[1][k] = iw_slices_tree(planes[1], 1, b, SOME / 2); }
    for (int i = 0; i < 2; i++)
      iw_slices_wait(planes[i], p->waits[h][i], 6, p->rows, iw_slices_tree(planes[i], 4, carries[i], TREES)); }
  p->have = 0;
  if (++p->rows == IW_HALVES_ROWS) iw_private_halves_flush(p); }

IW_APART void iw_private_quarter_flush(iw_private *p, uint32_t q)
{ iw_quarter *const of = &p->quarters[q];
  for (uint32_t t = 0; t < 8; t++) {
    uint32_t counts[8] = { 0 };
    iw_slices_take(of->planes[t], of->waits[t], of->rows, 16, 1, 8, counts);
    for (uint32_t k = 0; k < 8; k++) if (counts[k]) iw_private_more(p, 64 * q + 8 * t + k, counts[k]); }
  of->rows = 0; }

/* Counts a block of bytes of a quarter: by eight tables of 64, a byte is one bit of eight. */
IWV_QUARTERS IW_APART void iw_private_quarter_block(iw_private *p, uint32_t q)
{ static const uint8_t bit[120] = { [56] = 1, 2, 4, 8, 16, 32, 64, 128 };
  iw_quarter *const of = &p->quarters[q];
  iwv_u32 v[16], carries[8];
  IW_UNROLL for (int i = 0; i < 16; i++) v[i] = iwv_load_u32((const iws_u32 *)(const void *)(of->bytes + i * 4 * IW_VL_u32));
  for (int t = 0; t < 8; t++) {
    const iwv_u32 table = iwv_load_u32((const iws_u32 *)(const void *)(bit + 56 - 8 * t));
    iwv_u32 plane = of->planes[t][0];
    IW_UNROLL for (int i = 0; i < 8; i++)
      carries[i] = iwv_carry(&plane, iwv_bytes_of_64(table, v[2 * i]), iwv_bytes_of_64(table, v[2 * i + 1]));
    of->planes[t][0] = plane;
    iw_slices_wait(of->planes[t], of->waits[t], 4, of->rows, iw_slices_tree(of->planes[t], 1, carries, 8)); }
  of->have -= IW_QUARTERS_BLOCK;
  memcpy(of->bytes, of->bytes + IW_QUARTERS_BLOCK, IW_QUARTERS_ROW);
  if (++of->rows == IW_QUARTERS_ROWS) iw_private_quarter_flush(p, q); }
IWV_QUARTERS IW_APART void iw_private_quarters_row(iw_private *p, const uint8_t *x)
{ uint8_t *to[4];
  IW_UNROLL for (int q = 0; q < 4; q++) to[q] = p->quarters[q].bytes + p->quarters[q].have;
  for (const uint8_t *const end = x + IW_QUARTERS_ROW; x < end; x += 4 * IW_VL_u32) {
    const iwv_u32 v = iwv_load_u32((const iws_u32 *)(const void *)x);
    IW_UNROLL for (unsigned q = 0; q < 4; q++) to[q] += iwv_put_quarter(to[q], v, q); }
  IW_UNROLL for (uint32_t q = 0; q < 4; q++) {
    p->quarters[q].have = (uint32_t)(to[q] - p->quarters[q].bytes);
    if (p->quarters[q].have >= IW_QUARTERS_BLOCK) iw_private_quarter_block(p, q); } }
/* What is left, filled up with zeros that are counted too often. */
IW_APART void iw_private_quarters_close(iw_private *p)
{ for (uint32_t q = 0; q < 4; q++) {
    iw_quarter *const of = &p->quarters[q];
    const uint32_t rest = of->have ? IW_QUARTERS_BLOCK - of->have : 0;
    if (rest) {
      memset(of->bytes + of->have, 0, rest);
      iw_private_more(p, 64 * q, 0 - rest);
      of->have = IW_QUARTERS_BLOCK;
      iw_private_quarter_block(p, q); }
    if (of->rows) iw_private_quarter_flush(p, q); } }
/* As many bytes as are counted at once. */
IW_FN void iw_private_packed_row(iw_private *p)
{ if (p->way == IW_BY_QUARTERS) { iw_private_quarters_row(p, p->packed); p->have = 0; } else iw_private_halves_row(p); }

/* Numbers past 255 are counted here, and taken from 255, which they will be packed as. */
IW_APART void iw_private_past(iw_private *p, iw_u32 number)
{ for (uint32_t k = 256; k < p->own; k++) {
    const uint32_t count = iw_popcount(iw_eq_u32(number, iw_splat_u32(k)).m);
    iw_private_more(p, k, count); iw_private_more(p, 255, 0 - count); } }

IW_FN void iw_private_pack_row(iw_private *p, const int vectors, int inside)
{ iw_u32 *const numbers = p->numbers;
  if (p->own > 256 && !inside) {
    iw_u32 all = numbers[0];
    IW_UNROLL for (int v = 1; v < vectors; v++) all = iw_or_u32(all, numbers[v]);
    if (iw_ge_u32(all, iw_splat_u32(256)).m) for (int v = 0; v < vectors; v++) iw_private_past(p, numbers[v]); }
  iwv_u32 r[IW_MOST_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i) r[v * IW_VECTORS(u32) + i] = numbers[v].r[i];
  IW_UNROLL for (int i = 0; i < vectors * IW_VECTORS(u32); i += 4)
    iwv_store_u32((iws_u32 *)(void *)(p->packed + p->have + i * IW_VL_u32), iwv_pack_u8(r[i], r[i + 1], r[i + 2], r[i + 3]));
  p->have += vectors * IW_WARP_SIZE;
  if (p->have == p->row) iw_private_packed_row(p); }
#endif

/* The numbers of a vector by twos: a compiler that sees where they come from takes each out of its register, which is slower. */
#define IW_PRIVATE_WORDS_(e, number) \
  uint64_t e[IW_PADDED(u32) / 2]; \
  iw_spill_u32((iws_u32 *)(void *)e, number); \
  __asm__ volatile("" : "+m"(e));
IW_FN void iw_private_tables_row(iw_private *p, const int vectors)
{ uint32_t *const counters = p->counters;
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_WORDS_(e, iw_add_u32(p->numbers[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) { counters[(uint32_t)e[l / 2]]++; counters[e[l / 2] >> 32]++; } } }

/* Adds tables of smaller counters to the first one. */
IW_APART void iw_private_fold(iw_private *p)
{ uint32_t *const counters = p->counters, own = p->own;
  uint16_t *const shorts = (uint16_t *)(void *)(counters + own);
  uint8_t *const bytes = (uint8_t *)shorts;
  for (uint32_t t = 0; t < p->small_tables; t++)
    if (p->way == IW_BY_SHORTS) for (uint32_t k = 0; k < own; k++) counters[k] += shorts[t * own + k];
    else for (uint32_t k = 0; k < own; k++) counters[k] += bytes[t * own + k];
  memset(bytes, 0, (size_t)p->small_tables * own * (p->way == IW_BY_SHORTS ? 2 : 1));
  p->rows = 0; }

IW_FN void iw_private_shorts_row(iw_private *p, const int vectors)
{ uint16_t *const shorts = (uint16_t *)(void *)(p->counters + p->own);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_WORDS_(e, iw_add_u32(p->numbers[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) { shorts[(uint32_t)e[l / 2]]++; shorts[e[l / 2] >> 32]++; } }
  if (++p->rows == 65535 / (unsigned)(IW_MOST_VECTORS * IW_WARP_SIZE / IW_TABLES_OF_SHORTS)) iw_private_fold(p); }

/* A counter that went round. */
IW_APART void iw_private_overflow(uint32_t *counters, uint32_t own, uint32_t at) { counters[at % own] += 256; }
IW_FN void iw_private_bytes_row(iw_private *p, const int vectors)
{ uint32_t *const counters = p->counters, own = p->own;
  uint8_t *const bytes = (uint8_t *)(counters + own);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_WORDS_(e, iw_add_u32(p->numbers[v], p->table))
    for (const uint64_t *two = e; two < e + IW_WARP_SIZE / 2; two += 4) IW_UNROLL for (int k = 0; k < 4; k++) {
      if (__builtin_expect(++bytes[(uint32_t)two[k]] == 0, 0)) iw_private_overflow(counters, own, (uint32_t)two[k]);
      if (__builtin_expect(++bytes[two[k] >> 32] == 0, 0)) iw_private_overflow(counters, own, (uint32_t)(two[k] >> 32)); } } }

IW_FN iw_u32 iw_private_table(uint32_t own, uint32_t tables)
{ return iw_mul_u32(iw_and_u32(iw_lane(), iw_splat_u32(tables - 1)), iw_splat_u32(own)); }

/* map: of bytes, by which they will be told apart in the end; else NULL. n: numbers that will come, about. */
IW_FN void iw_private_open_in(const iw_block *block, iw_private *p, uint32_t *counters, uint32_t own, uint32_t tables,
                              const uint32_t *map, uint64_t n, int hot)
{ const int shorts = own <= IW_TABLE_SHORTS;
  const uint32_t small_tables = shorts ? IW_TABLES_OF_SHORTS : own <= 8192 ? 4 : 2;
  (void)map; (void)n; (void)hot;
  p->block = block; p->counters = counters; p->own = own; p->tables = tables; p->rows = 0;
  p->way = block->team ? IW_BY_ATOMICS : IW_BY_TABLES;
  if (!block->team && own > IW_TABLE_WORDS && (tables - 1) * sizeof *counters >= small_tables * (shorts ? 2 : 1)) {
    p->way = shorts ? IW_BY_SHORTS : IW_BY_BYTES;
    p->small_tables = small_tables; }
  p->table = iw_private_table(own, p->way == IW_BY_SHORTS || p->way == IW_BY_BYTES ? small_tables : tables);
#ifdef IW_SLICED_
  if (map ? iw_private_kinds(p, map) : own <= 32 + 3) {
    p->way = map ? IW_BY_KINDS : IW_BY_SLICES;
    for (int l = 0; l < IW_PLANES; l++) p->slices[0].plane[l] = p->slices[1].plane[l] = iwv_set1_u32(0); }
#endif
#ifdef IW_HALVES_
  if (p->way == IW_BY_TABLES && own <= 256 + 3 && n >= IW_HALVES_WORTH) {
    p->way = IW_BY_HALVES; p->have = 0; p->row = IW_HALVES_ROW;
    if (iwv_has_quarters()) {
      p->way = IW_BY_QUARTERS; p->row = IW_QUARTERS_ROW;
      for (int q = 0; q < 4; q++) {
        p->quarters[q].rows = p->quarters[q].have = 0;
        for (int t = 0; t < 8; t++) for (int l = 0; l < IW_QUARTER_PLANES; l++) p->quarters[q].planes[t][l] = iwv_set1_u32(0); }
    } else for (int h = 0; h < 16; h++)
      for (int l = 0; l < IW_HALF_PLANES; l++) p->planes[h][0][l] = p->planes[h][1][l] = iwv_set1_u32(0); }
#endif
#ifdef IW_SLICED_
  p->aside = p->way <= IW_BY_BYTES && !map && n >= IW_HOT_NUMBERS && hot;
  p->until = p->aside ? 0 : UINT32_MAX; p->hots = p->keeps = 0;
#endif
}

IW_FN void iw_private_table_row(iw_private *p, const int vectors)
{ if (p->way == IW_BY_TABLES) iw_private_tables_row(p, vectors);
  else if (p->way == IW_BY_SHORTS) iw_private_shorts_row(p, vectors);
  else if (p->way == IW_BY_BYTES) iw_private_bytes_row(p, vectors);
  else for (int v = 0; v < vectors; v++)
    iw_count_in(p->block, p->counters, iw_add_u32(p->numbers[v], p->table), iw_pred_of(IW_ALL_LANES)); }

#ifdef IW_SLICED_
/* Finds hot numbers among those that are kept, and looks for none where there are none, for a while. Of the numbers that share a
 * slot one is told: what it has more than the others is less than its share, and not by much. */
IW_APART void iw_private_look(iw_private *p)
{ struct { uint32_t number; int more; } slots[IW_HOT_SLOTS];
  const int worth = p->way == IW_BY_TABLES ? 2 : p->way == IW_BY_SHORTS ? 3 : 6;
  int all = 0;
  memset(slots, 0, sizeof slots);
  for (uint32_t k = 0; k < p->keeps; k++) {
    const uint32_t number = p->kept[k], slot = number * 0x9e3779b1u >> 24;
    const int more = slots[slot].more;
    slots[slot].number = more == 0 ? number : slots[slot].number;
    slots[slot].more = slots[slot].number == number ? more + 1 : more - 1; }
  for (; p->hots < IW_MOST_HOT; p->hots++) {
    int most = 0;
    for (int s = 1; s < IW_HOT_SLOTS; s++) if (slots[s].more > slots[most].more) most = s;
    if (slots[most].more * IW_HOT_SHARE < (int)p->keeps) break;
    p->hot[p->hots] = slots[most].number; p->times[p->hots] = 0;
    all += slots[most].more; slots[most].more = 0; }
  if (all * worth < (int)p->keeps) p->hots = 0;
  p->aside = p->hots > 0; p->until = IW_HOT_ROWS; }

/* What was counted aside goes to the tables; then there are no hot numbers. */
IW_FN void iw_private_cool(iw_private *p)
{ for (unsigned h = 0; h < p->hots; h++) iw_private_more(p, p->hot[h], p->times[h]);
  p->hots = 0; }

/* Counts what is kept, but for what is no whole row. */
IW_APART void iw_private_drain(iw_private *p)
{ uint32_t at = 0;
  if (p->until == 0) { if (p->hots) iw_private_cool(p); else iw_private_look(p); }
  for (; at + IW_LARGEST_ROW <= p->keeps; at += IW_LARGEST_ROW) {
    IW_UNROLL for (int v = 0; v < IW_MOST_VECTORS; v++) p->numbers[v] = iw_unspill_u32(p->kept + at + v * IW_WARP_SIZE);
    iw_private_table_row(p, IW_MOST_VECTORS); }
  p->keeps -= at;
  memcpy(p->kept, p->kept + at, p->keeps * sizeof *p->kept); }

IW_APART void iw_private_aside_row(iw_private *p, int vectors)
{ iw_pred others[IW_MOST_VECTORS];
  IW_UNROLL for (int v = 0; v < vectors; v++) others[v] = iw_pred_of(IW_ALL_LANES);
  for (unsigned h = 0; h < p->hots; h++) {
    const iw_u32 hot = iw_splat_u32(p->hot[h]);
    unsigned times = 0;
    IW_UNROLL for (int v = 0; v < vectors; v++) {
      const iw_pred is = iw_eq_u32(p->numbers[v], hot);
      times += iw_popcount(is.m); others[v] = iw_both(others[v], iw_unless(is)); }
    p->times[h] += times; }
  IW_UNROLL for (int v = 0; v < vectors; v++) p->keeps += iw_compact_u32(p->kept + p->keeps, p->numbers[v], others[v]);
  if (p->until) p->until--;
  if (p->keeps > IW_MOST_KEPT - IW_LARGEST_ROW) iw_private_drain(p); }
#endif

/* One vector of a row: numbers less than own. When all of the row's are there, the row is counted. inside: whether they are less
 * than own - 3. */
IW_FN void iw_private_add(iw_private *p, int v, iw_u32 number) { p->numbers[v] = number; }
IW_FN void iw_private_row(iw_private *p, const int vectors, int inside)
{ (void)inside;
#ifdef IW_SLICED_
  if (p->way == IW_BY_SLICES) { iw_private_slices_row(p, vectors, inside); return; }
#endif
#ifdef IW_HALVES_
  if (p->way == IW_BY_HALVES || p->way == IW_BY_QUARTERS) { iw_private_pack_row(p, vectors, inside); return; }
#endif
#ifdef IW_SLICED_
  if (p->aside) { iw_private_aside_row(p, vectors); return; }
  if (--p->until == 0) p->aside = 1;
#endif
  iw_private_table_row(p, vectors); }

/* A whole row of bytes, each its own number. */
IW_FN void iw_private_row_u8(iw_private *p, iw_row_u8 row)
{
#ifdef IW_SLICED_
  if (p->way == IW_BY_KINDS) {
#ifdef IWV_QUARTERS
    if (p->quartered) (p->both ? iw_private_quartered_both : iw_private_quartered)(p, row.p); else
#endif
    if (p->both) { if (p->plain) iw_private_kinds_row(p, row.p, 1, 1); else iw_private_kinds_row(p, row.p, 1, 0); }
    else if (p->plain) iw_private_kinds_row(p, row.p, 0, 1);
    else iw_private_kinds_row(p, row.p, 0, 0);
    if (p->rows == IW_SLICED_ROWS) iw_private_flush(p);
    return; }
#endif
#ifdef IW_HALVES_
  if (p->way == IW_BY_QUARTERS) { iw_private_quarters_row(p, row.p); return; }
  if (p->way == IW_BY_HALVES) {
    memcpy(p->packed + p->have, row.p, 16 * IW_WARP_SIZE);
    p->have += 16 * IW_WARP_SIZE;
    if (p->have == IW_HALVES_ROW) iw_private_halves_row(p);
    return; }
#endif
  if (p->way == IW_BY_ATOMICS || p->tables != 8) {
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
IW_FN void iw_private_close(iw_private *p)
{
#ifdef IW_SLICED_
  if ((p->way == IW_BY_SLICES || p->way == IW_BY_KINDS) && p->rows) iw_private_flush(p);
  iw_private_cool(p);
  for (uint32_t k = 0; k < p->keeps; k++) iw_private_more(p, p->kept[k], 1);
#endif
#ifdef IW_HALVES_
  if (p->way == IW_BY_HALVES || p->way == IW_BY_QUARTERS) {
    const uint32_t rest = p->have ? p->row - p->have : 0; /* of a last row, which is filled up with what is counted too often */
    if (rest) { memset(p->packed + p->have, 0, rest); iw_private_more(p, 0, 0 - rest); iw_private_packed_row(p); }
    if (p->way == IW_BY_QUARTERS) iw_private_quarters_close(p);
    else if (p->rows) iw_private_halves_flush(p); }
#endif
  if (p->way == IW_BY_SHORTS || p->way == IW_BY_BYTES) iw_private_fold(p); }

#endif
