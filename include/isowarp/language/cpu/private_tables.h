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

IW_FN void iw_private_histogram_tables_u32_row(iw_private_histogram *p, const int vectors)
{
  uint32_t *const counters = p->counters;
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
        counters[(uint32_t)e[l / 2]]++; counters[e[l / 2] >> 32]++; }
  }
}

/* Adds the tables of 16-bit or 8-bit counters to the first table, and clears them. */
IW_NOINLINE_FN void iw_private_histogram_reduce_small_tables(iw_private_histogram *p)
{
  uint32_t *const counters = p->counters, table_size = p->table_size;
  uint16_t *const shorts = (uint16_t *)(void *)(counters + table_size);
  uint8_t *const bytes = (uint8_t *)shorts;
  for (uint32_t t = 0; t < p->small_tables; t++)
    if (p->method == IW_PRIVATE_TABLES_U16) for (uint32_t k = 0; k < table_size;
                                                 k++) counters[k] += shorts[t * table_size + k];
    else for (uint32_t k = 0; k < table_size; k++) counters[k] += bytes[t * table_size + k];
  memset(bytes, 0, (size_t)p->small_tables * table_size * (p->method == IW_PRIVATE_TABLES_U16 ? 2 : 1));
  p->rows = 0;
}

/* 16-bit counters are reduced before one may overflow. */
IW_FN void iw_private_histogram_tables_u16_row(iw_private_histogram *p, const int vectors)
{
  uint16_t *const shorts = (uint16_t *)(void *)(p->counters + p->table_size);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 2) {
        shorts[(uint32_t)e[l / 2]]++; shorts[e[l / 2] >> 32]++; }
  }
  if (++p->rows == 65535 / (unsigned)(IW_MAX_ROW_VECTORS * IW_WARP_SIZE / IW_U16_TABLES))
    iw_private_histogram_reduce_small_tables(p);
}

/* An 8-bit counter that wrapped: its carry goes to the first table. With so many counters, few wrap. */
IW_NOINLINE_FN void iw_private_histogram_carry_u8(uint32_t *counters, uint32_t table_size, uint32_t at)
{ counters[at % table_size] += 256; }
IW_FN void iw_private_histogram_tables_u8_row(iw_private_histogram *p, const int vectors)
{
  uint32_t *const counters = p->counters, table_size = p->table_size;
  uint8_t *const bytes = (uint8_t *)(counters + table_size);
  IW_UNROLL for (int v = 0; v < vectors; v++) {
    IW_INDEX_PAIRS_(e, iw_add_u32(p->indices[v], p->table))
    for (const uint64_t *two = e; two < e + IW_WARP_SIZE / 2; two += 4) IW_UNROLL for (int k = 0; k < 4;
        k++) {
      const uint32_t low = (uint32_t)two[k], high = (uint32_t)(two[k] >> 32);
      if (__builtin_expect(++bytes[low] == 0, 0)) iw_private_histogram_carry_u8(counters, table_size, low);
      if (__builtin_expect(++bytes[high] == 0, 0)) iw_private_histogram_carry_u8(counters, table_size, high);
    }
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
