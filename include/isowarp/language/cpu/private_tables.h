/* SPDX-License-Identifier: Apache-2.0
 *
 * Private histograms in several tables in memory, lane l in table l modulo their number, so that equal
 * indices of neighbouring lanes are not the same counter. Part of private_histogram.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_TABLES_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_TABLES_H

/* The offset of each lane's table. */
IW_FN iw_u32 iw_private_histogram_table_offset(uint32_t table_size, uint32_t tables)
{ return iw_mul_u32(iw_and_u32(iw_lane(), iw_splat_u32(tables - 1)), iw_splat_u32(table_size)); }

/* The indices of lanes l and l + 1 of vector v, from memory: the compiler must not know where they come from
 * (doc/design/cpu.md#indices-of-lanes). */
IW_FN uint64_t iw_private_histogram_index_pair(const iw_private_histogram *p, int v, int l)
{
  uint64_t two;
  memcpy(&two, (const char *)(p->indices + v) + 4 * l, sizeof two);
  return two;
}

/* Each table has a pointer, so that nothing is added to an index. */
IW_FN void iw_private_histogram_tables_u32_row(iw_private_histogram *p, const int vectors)
{
  uint32_t *table[8];
  IW_UNROLL for (uint32_t t = 0; t < 8; t++) table[t] = p->counters + (t & (p->tables - 1)) * p->table_size;
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    const uint64_t two = iw_private_histogram_index_pair(p, v, l);
    table[l % 8][(uint32_t)two]++;
    table[(l + 1) % 8][two >> 32]++;
  }
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

/* 16-bit counters are reduced before one may overflow. */
IW_FN void iw_private_histogram_tables_u16_row(iw_private_histogram *p, const int vectors)
{
  uint16_t *table[IW_U16_TABLES];
  IW_UNROLL for (uint32_t t = 0; t < IW_U16_TABLES; t++)
    table[t] = (uint16_t *)(void *)(p->counters + p->table_size) + t * p->table_size;
  IW_UNROLL for (int v = 0; v < vectors; v++) IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
    const uint64_t two = iw_private_histogram_index_pair(p, v, l);
    table[l % IW_U16_TABLES][(uint32_t)two]++;
    table[(l + 1) % IW_U16_TABLES][two >> 32]++;
  }
  if (++p->rows == 65535 / (unsigned)(IW_MAX_ROW_VECTORS * IW_WARP_SIZE / IW_U16_TABLES))
    iw_private_histogram_reduce_small_tables(p);
}

/* The carry of an 8-bit counter that wrapped goes to the first table. With so many counters, few wrap. */
IW_FN void iw_private_histogram_tables_u8_row(iw_private_histogram *p, const int vectors)
{
  uint32_t *const counters = p->counters, table_size = p->table_size;
  uint8_t *table[4];
  IW_UNROLL for (uint32_t t = 0; t < 4; t++)
    table[t] = (uint8_t *)(counters + table_size) + (t & (p->small_tables - 1)) * table_size;
  IW_UNROLL for (int v = 0; v < vectors; v++)
    for (int l = 0; l < IW_WARP_SIZE; l += 8) IW_UNROLL for (int k = 0; k < 8; k += 2) {
      const uint64_t two = iw_private_histogram_index_pair(p, v, l + k);
      const uint32_t low = (uint32_t)two, high = (uint32_t)(two >> 32);
      if (__builtin_expect(++table[k % 4][low] == 0, 0)) counters[low] += 256;
      if (__builtin_expect(++table[(k + 1) % 4][high] == 0, 0)) counters[high] += 256;
    }
}

IW_FN void iw_private_histogram_tables_row(iw_private_histogram *p, const int vectors)
{
  if (p->method == IW_PRIVATE_TABLES_U32) iw_private_histogram_tables_u32_row(p, vectors);
  else if (p->method == IW_PRIVATE_TABLES_U16) iw_private_histogram_tables_u16_row(p, vectors);
  else if (p->method == IW_PRIVATE_TABLES_U8) iw_private_histogram_tables_u8_row(p, vectors);
  else for (int v = 0; v < vectors; v++)
    iw_count_in(p->block, p->counters, iw_add_u32(p->indices[v], p->table), iw_pred_of(IW_ALL_LANES));
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
