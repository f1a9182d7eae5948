/* SPDX-License-Identifier: Apache-2.0
 *
 * Private histograms in several tables in memory, lane l in table l modulo their number, so that equal
 * indices of neighbouring lanes are not the same counter. Part of private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_TABLES_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_TABLES_H

/* The offset of each lane's table of 32-bit counters. */
IW_FN iw_u32 iw_private_histogram_table_offset(const iw_private_histogram *p)
{ return iw_mul_u32(iw_and_u32(iw_lane(), iw_splat_u32(p->tables - 1)), iw_splat_u32(p->table_size)); }

/* The indices of lanes l and l + 1 of a vector, from memory: the compiler must not know where they come from
 * (doc/design/cpu.md#indices-of-lanes). */
IW_FN uint64_t iw_private_histogram_index_pair(const iw_u32 *indices, int l)
{
  uint64_t two;
  memcpy(&two, (const char *)indices + 4 * l, sizeof two);
  return two;
}

/* Adds the tables of 16-bit or 8-bit counters to the first table, and clears them. */
IW_NOINLINE_FN void iw_private_histogram_reduce_small_tables(iw_private_histogram *p)
{
  uint32_t *const counters = p->counters, table_size = p->table_size;
  uint16_t *const shorts = (uint16_t *)(void *)(counters + table_size);
  uint8_t *const bytes = (uint8_t *)shorts;
  const int is_short = p->method == IW_PRIVATE_TABLES_U16;
  for (uint32_t k = 0; k < table_size; k += IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)(table_size - k));
    iw_u32 sum = iw_load_u32(counters + k, some);
    for (uint32_t at = k; at < p->small_tables * table_size; at += table_size)
      sum = iw_add_u32(sum, is_short ? iw_load_u16(shorts + at, some) : iw_load_u8(bytes + at, some));
    iw_store_u32(counters + k, sum, some);
  }
  memset(bytes, 0, (size_t)p->small_tables * table_size * (is_short ? 2 : 1));
  p->rows = 0;
}

/* Counts a vector of indices. Each table has a pointer, so that nothing is added to an index. */
IW_FN void iw_private_histogram_tables_u32_vector(const iw_private_histogram *p, const iw_u32 *indices)
{
  uint32_t *table[8];
  IW_UNROLL for (int t = 0; t < 8; t++) table[t] = (uint32_t *)p->table[t];
  IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    const uint64_t two = iw_private_histogram_index_pair(indices, l);
    table[l % 8][(uint32_t)two]++;
    table[(l + 1) % 8][two >> 32]++;
  }
}

IW_FN void iw_private_histogram_tables_u16_vector(const iw_private_histogram *p, const iw_u32 *indices)
{
  uint16_t *table[IW_U16_TABLES];
  IW_UNROLL for (int t = 0; t < IW_U16_TABLES; t++) table[t] = (uint16_t *)p->table[t];
  IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    const uint64_t two = iw_private_histogram_index_pair(indices, l);
    table[l % IW_U16_TABLES][(uint32_t)two]++;
    table[(l + 1) % IW_U16_TABLES][two >> 32]++;
  }
}

/* The carry of an 8-bit counter that wrapped goes to the first table. With so many counters, few wrap. */
IW_FN void iw_private_histogram_tables_u8_vector(const iw_private_histogram *p, const iw_u32 *indices)
{
  uint32_t *const counters = p->counters;
  uint8_t *table[4];
  IW_UNROLL for (int t = 0; t < 4; t++) table[t] = (uint8_t *)p->table[t];
  for (int l = 0; l < IW_WARP_SIZE; l += 8) IW_UNROLL for (int k = 0; k < 8; k += 2) {
    const uint64_t two = iw_private_histogram_index_pair(indices, l + k);
    const uint32_t low = (uint32_t)two, high = (uint32_t)(two >> 32);
    if (__builtin_expect(++table[k % 4][low] == 0, 0)) counters[low] += 256;
    if (__builtin_expect(++table[(k + 1) % 4][high] == 0, 0)) counters[high] += 256;
  }
}

IW_FN void iw_private_histogram_tables_vector(const iw_private_histogram *p, const iw_u32 *indices)
{
  if (p->method == IW_PRIVATE_TABLES_U32) iw_private_histogram_tables_u32_vector(p, indices);
  else if (p->method == IW_PRIVATE_TABLES_U16) iw_private_histogram_tables_u16_vector(p, indices);
  else iw_private_histogram_tables_u8_vector(p, indices);
}

/* Whether vectors of the row before may have to be counted. With registers of 512 bits 256 bins are counted
 * without tables: nothing waits then, and a second loop for that is worth its code. With 256 bits such a loop
 * made f64 in 256 bins a twentieth slower, so the answer is a constant. */
IW_FN int iw_private_histogram_waits(const iw_private_histogram *p)
{
#ifdef IW_NIBBLE_LOOKUP_
  return p->next < p->waiting;
#else
  (void)p;
  return 1;
#endif
}

/* Counts a vector of the row before, if one waits. Between the bins of two vectors of a row, so that
 * additions to memory and arithmetic overlap. */
IW_FN void iw_private_histogram_count_waiting(iw_private_histogram *p)
{
  if (p->next < p->waiting) iw_private_histogram_tables_vector(p, p->former + p->next++);
}

/* Leaves the row that was set to iw_private_histogram_count_waiting(). 16-bit counters are reduced before
 * one may overflow. */
IW_FN void iw_private_histogram_defer_row(iw_private_histogram *p, int vectors)
{
  enum { MOST_ROWS = 65535 / (IW_MAX_ROW_VECTORS * IW_WARP_SIZE / IW_U16_TABLES) };
  while (p->next < p->waiting) iw_private_histogram_count_waiting(p);
  if (p->method == IW_PRIVATE_TABLES_U16 && ++p->rows == MOST_ROWS)
    iw_private_histogram_reduce_small_tables(p);
  iw_u32 *const former = p->former;
  p->former = p->indices;
  p->indices = former;
  p->next = 0;
  p->waiting = vectors;
}

IW_FN void iw_private_histogram_atomics_row(iw_private_histogram *p, int vectors)
{
  for (int v = 0; v < vectors; v++)
    iw_count_in(p->block, p->counters, iw_add_u32(p->indices[v], iw_private_histogram_table_offset(p)),
                iw_pred_of(IW_ALL_LANES));
}

/* A row of bytes in eight tables of 256 counters. Two bytes of a register take one instruction each to
 * extract. */
IW_FN void iw_private_histogram_tables_u32_row_u8(iw_private_histogram *p, const uint8_t *x)
{
  uint32_t *const counters = p->counters;
  for (const uint8_t *const end = x + 16 * IW_WARP_SIZE; x < end; x += 8) {
    uint64_t w;
    memcpy(&w, x, 8);
    IW_UNROLL for (int l = 0; l < 8; l += 2) {
      counters[l * 256 + (uint8_t)w]++;
      counters[l * 256 + 256 + (uint8_t)(w >> 8)]++;
      w >>= 16;
      __asm__("" : "+r"(w));
    }
  }
}

#endif
