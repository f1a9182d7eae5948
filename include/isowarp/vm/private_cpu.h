/* SPDX-License-Identifier: Apache-2.0
 *
 * Private counters of a warp on the CPU: whatever counts whole rows fastest, and adds up to the same. Included by vm/cpu.h.
 *
 * A counter in memory takes an increment a cycle at best, and five or more in a row if it is the same one each time. So numbers
 * up to 31, and bytes of up to 16 kinds, are not counted in memory: a number becomes one bit of a register, and registers of bits
 * are added up in sliced counters, bit by bit, by carry-save adders. It takes as long whatever the numbers are. Others go to
 * several tables in turn; tables that a first-level cache has no room for are made of bytes, of which few overflow.
 */
#ifndef ISOWARP_VM_PRIVATE_CPU_H
#define ISOWARP_VM_PRIVATE_CPU_H

enum { IW_BY_TABLES, IW_BY_BYTES, IW_BY_SLICES, IW_BY_KINDS, IW_BY_ATOMICS };
enum { IW_MOST_VECTORS = 8, IW_MOST_KINDS = 16, IW_BYTE_COUNTERS = 1025 };
/* A warp smaller than a register has lanes that are none, and would be counted. */
#if defined(IWV_SLICES) && IW_WARP_SIZE >= 16
#define IW_SLICED_
#endif

#ifdef IW_SLICED_
/* Sliced counters: bit i of plane[l] is worth 2^l to the counter of bit i. What a row's registers carry over is added by twos on
 * each level above: one of them waits. */
enum { IW_PLANES = 20, IW_SLICED_ROWS = 4096 };
typedef struct iw_slices { iwv_u32 plane[IW_PLANES], waits[IW_PLANES]; unsigned rows; } iw_slices;

IW_FN void iw_slices_clear(iw_slices *s)
{ s->rows = 0; IW_UNROLL for (int l = 0; l < IW_PLANES; l++) s->plane[l] = iwv_set1_u32(0); }

/* Registers of bits, a power of two of them; all calls have the same count, until what was added is taken out. */
IW_FN void iw_slices_add(iw_slices *s, iwv_u32 *bits, const int count)
{ int level = 0;
  IW_UNROLL for (int k = count; k > 1; k /= 2, level++) {
    iwv_u32 plane = s->plane[level];
    IW_UNROLL for (int i = 0; i < k / 2; i++) bits[i] = iwv_carry(&plane, bits[2 * i], bits[2 * i + 1]);
    s->plane[level] = plane; }
  unsigned row = s->rows++;
  for (; row & 1; row >>= 1, level++) bits[0] = iwv_carry(&s->plane[level], s->waits[level], bits[0]);
  s->waits[level] = bits[0]; }

/* Takes the counters out: bit b of every lane, or of every byte of a lane, belongs to counts[b]. */
IW_APART void iw_slices_flush(iw_slices *s, int count, int bytes, unsigned most, uint32_t *counts)
{ int first = 0, levels;
  while (1 << first < count) first++;
  for (levels = first; s->rows >> (levels - first); levels++) ;
  for (int l = 0; l < levels; l++) {
    const int waiting = l >= first && s->rows >> (l - first) & 1;
    for (unsigned b = 0; b < most; b++) {
      uint32_t k = bytes ? iwv_count_in_bytes(s->plane[l], b) : iwv_count_in_lanes(s->plane[l], b);
      if (waiting) k += bytes ? iwv_count_in_bytes(s->waits[l], b) : iwv_count_in_lanes(s->waits[l], b);
      counts[b] += k << l; } }
  iw_slices_clear(s); }
#endif

typedef struct iw_private {
  const iw_block *block;
  uint32_t *counters;       /* tables of `own` each; the first one has the totals of those that are counted otherwise */
  uint32_t own, tables;
  int way, vectors, rows;
  uint8_t *bytes;           /* of IW_BY_BYTES: byte_tables of `own` */
  iw_u32 table;             /* where each lane's table begins */
  iw_u32 numbers[IW_MOST_VECTORS];
#ifdef IW_SLICED_
  /* Of IW_BY_KINDS: a byte's kind as a bit, of 16 in two bytes, by its upper half, where that decides; else by both halves. */
  int both, mixed;
  uint8_t by_upper[2][16], upper[16], by_lower[16][2][16], of[IW_MOST_KINDS];
  iw_slices slices[2];
#endif
} iw_private;

IW_FN void iw_private_more(iw_private *p, uint32_t counter, uint32_t count)
{ if (p->block->team) __atomic_fetch_add(p->counters + counter, count, __ATOMIC_RELAXED);
  else p->counters[counter] += count; }

#ifdef IW_SLICED_
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
  p->mixed = 0;
  memset(p->by_upper, 0, sizeof p->by_upper); memset(p->by_lower, 0, sizeof p->by_lower);
  for (unsigned h = 0; h < 16; h++) {
    const uint8_t *const of = kind + 16 * h;
    if (memcmp(of, of + 1, 15) == 0) p->by_upper[of[0] / 8][h] = (uint8_t)(1u << of[0] % 8);
    else {
      for (unsigned l = 0; l < 16; l++) p->by_lower[p->mixed][of[l] / 8][l] = (uint8_t)(1u << of[l] % 8);
      p->upper[p->mixed++] = (uint8_t)(16 * h); } }
  return 1; }

IW_FN void iw_private_kinds_row(iw_private *p, const uint8_t *x, const int both)
{ enum { COUNT = 16 * IW_WARP_SIZE / (4 * IW_VL_u32), SOME = COUNT < 4 ? COUNT : 4 };
  iwv_u32 bits[2][COUNT];
  IW_UNROLL for (int i = 0; i < COUNT; i += SOME) {
    iwv_u32 v[SOME], a[SOME], b[SOME];
    IW_UNROLL for (int k = 0; k < SOME; k++) {
      v[k] = iwv_load_u32((const iws_u32 *)(const void *)(x + (i + k) * 4 * IW_VL_u32));
      a[k] = iwv_bytes_of(iwv_table_of(p->by_upper[0]), iwv_upper_halves(v[k]));
      if (both) b[k] = iwv_bytes_of(iwv_table_of(p->by_upper[1]), iwv_upper_halves(v[k])); }
    for (int m = 0; m < p->mixed; m++) {
      const iwv_u32 low = iwv_table_of(p->by_lower[m][0]), high = iwv_table_of(p->by_lower[m][1]);
      const iwv_u32 upper = iwv_set1_u32(0x01010101u * p->upper[m]);
      IW_UNROLL for (int k = 0; k < SOME; k++) {
        const iwv_u32 at = iwv_lower_halves(v[k], upper);
        a[k] = iwv_or_u32(a[k], iwv_bytes_of(low, at));
        if (both) b[k] = iwv_or_u32(b[k], iwv_bytes_of(high, at)); } }
    IW_UNROLL for (int k = 0; k < SOME; k++) { bits[0][i + k] = a[k]; if (both) bits[1][i + k] = b[k]; } }
  iw_slices_add(&p->slices[0], bits[0], COUNT);
  if (both) iw_slices_add(&p->slices[1], bits[1], COUNT); }

IW_APART void iw_private_flush(iw_private *p)
{ uint32_t counts[32] = { 0 };
  if (p->way == IW_BY_KINDS) {
    const int count = 16 * IW_WARP_SIZE / (4 * IW_VL_u32);
    iw_slices_flush(&p->slices[0], count, 1, 8, counts);
    if (p->both) iw_slices_flush(&p->slices[1], count, 1, 8, counts + 8);
    for (int k = 0; k < IW_MOST_KINDS; k++) if (counts[k]) iw_private_more(p, p->of[k], counts[k]);
  } else {
    const unsigned most = p->own < 32 ? p->own : 32;
    iw_slices_flush(&p->slices[0], p->vectors * IW_VECTORS(u32), 0, most, counts);
    for (unsigned k = 0; k < most; k++) iw_private_more(p, k, counts[k]); } }

IW_FN void iw_private_slices_row(iw_private *p, const int vectors)
{ iwv_u32 bits[IW_MOST_VECTORS * IW_VECTORS(u32)];
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_EACH(u32, i)
    bits[v * IW_VECTORS(u32) + i] = iwv_shl_u32(iwv_set1_u32(1), p->numbers[v].r[i]);
  if (p->own > 32) IW_UNROLL for (int v = 0; v < vectors; v++) /* for the last bins there is no bit */
    if (iw_ge_u32(p->numbers[v], iw_splat_u32(32)).m)
      for (uint32_t k = 32; k < p->own; k++)
        iw_private_more(p, k, iw_popcount(iw_eq_u32(p->numbers[v], iw_splat_u32(k)).m));
  iw_slices_add(&p->slices[0], bits, vectors * IW_VECTORS(u32));
  p->vectors = vectors;
  if (p->slices[0].rows == IW_SLICED_ROWS) iw_private_flush(p); }
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

/* A counter that went round. */
IW_APART void iw_private_overflow(uint32_t *counters, uint32_t own, uint32_t at) { counters[at % own] += 256; }
IW_FN void iw_private_bytes_row(iw_private *p, const int vectors)
{ uint8_t *const bytes = p->bytes;
  uint32_t *const counters = p->counters, own = p->own;
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_PRIVATE_WORDS_(e, iw_add_u32(p->numbers[v], p->table))
    for (const uint64_t *two = e; two < e + IW_WARP_SIZE / 2; two += 4) IW_UNROLL for (int k = 0; k < 4; k++) {
      if (__builtin_expect(++bytes[(uint32_t)two[k]] == 0, 0)) iw_private_overflow(counters, own, (uint32_t)two[k]);
      if (__builtin_expect(++bytes[two[k] >> 32] == 0, 0)) iw_private_overflow(counters, own, (uint32_t)(two[k] >> 32)); } } }

IW_FN iw_u32 iw_private_table(uint32_t own, uint32_t tables)
{ return iw_mul_u32(iw_and_u32(iw_lane(), iw_splat_u32(tables - 1)), iw_splat_u32(own)); }

/* map: of bytes, by which they will be told apart in the end; else NULL. */
IW_FN void iw_private_open_in(const iw_block *block, iw_private *p, uint32_t *counters, uint32_t own, uint32_t tables, const uint32_t *map)
{ const uint32_t byte_tables = own <= 2304 ? 8 : own <= 8192 ? 4 : 2;
  p->block = block; p->counters = counters; p->own = own; p->tables = tables; p->rows = 0;
  p->way = IW_BY_TABLES;
  p->table = iw_private_table(own, tables);
  if (block->team) p->way = IW_BY_ATOMICS;
  else if (!map && own >= IW_BYTE_COUNTERS && (tables - 1) * sizeof *counters >= byte_tables) {
    p->way = IW_BY_BYTES;
    p->bytes = (uint8_t *)(counters + own);
    p->table = iw_private_table(own, byte_tables); }
#ifdef IW_SLICED_
  if (!map && own <= 32 + 3) { p->way = IW_BY_SLICES; iw_slices_clear(&p->slices[0]); }
  if (map && iw_private_kinds(p, map)) { p->way = IW_BY_KINDS; iw_slices_clear(&p->slices[0]); iw_slices_clear(&p->slices[1]); }
#endif
}

/* One vector of a row: numbers less than own. When all of the row's are there, the row is counted. */
IW_FN void iw_private_add(iw_private *p, int v, iw_u32 number) { p->numbers[v] = number; }
IW_FN void iw_private_row(iw_private *p, const int vectors)
{
#ifdef IW_SLICED_
  if (p->way == IW_BY_SLICES) { iw_private_slices_row(p, vectors); return; }
#endif
  if (p->way == IW_BY_TABLES) iw_private_tables_row(p, vectors);
  else if (p->way == IW_BY_BYTES) iw_private_bytes_row(p, vectors);
  else for (int v = 0; v < vectors; v++)
    iw_count_in(p->block, p->counters, iw_add_u32(p->numbers[v], p->table), iw_pred_of(IW_ALL_LANES)); }

/* A whole row of bytes, each its own number. */
IW_FN void iw_private_row_u8(iw_private *p, iw_row_u8 row)
{
#ifdef IW_SLICED_
  if (p->way == IW_BY_KINDS) {
    if (p->both) iw_private_kinds_row(p, row.p, 1); else iw_private_kinds_row(p, row.p, 0);
    if (p->slices[0].rows == IW_SLICED_ROWS) iw_private_flush(p);
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
    IW_UNROLL for (int l = 0; l < 8; l++) counters[l * 256 + (uint8_t)(w >> 8 * l)]++; } }

/* Then all that was counted is in the tables. */
IW_FN void iw_private_close(iw_private *p)
{
#ifdef IW_SLICED_
  if ((p->way == IW_BY_SLICES || p->way == IW_BY_KINDS) && p->slices[0].rows) iw_private_flush(p);
#endif
  if (p->way == IW_BY_BYTES) {
    const uint32_t size = p->own * (p->own <= 2304 ? 8u : p->own <= 8192 ? 4u : 2u);
    for (uint32_t first = 0; first < size; first += p->own)
      for (uint32_t k = 0; k < p->own; k++) p->counters[k] += p->bytes[first + k];
    memset(p->bytes, 0, size); } }

#endif
