/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements that go to many places at a time, on the CPU: replicated counters, ranks by digits, raw scatters,
 * and write-combining buffers. Part of cpu/primitives.h, for the library's multisplit and histogram; uses
 * atomics.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_SCATTER_H
#define ISOWARP_LANGUAGE_CPU_SCATTER_H

typedef struct { uint64_t half[2]; } iws_u128;
/* The widths of elements that are moved as bits. */
#define IW_MOVED(X) X(u8) X(u16) X(u32) X(u64) X(u128)

/* Declares e, the indices of a vector in memory, two per word. The compiler must not know where they come
 * from: it would extract each from its register, which is slower (doc/design/cpu.md#indices-of-lanes). */
#define IW_INDEX_PAIRS_(e, index) \
  uint64_t e[IW_PADDED(u32) / 2]; \
  iw_to_array_u32((iws_u32 *)(void *)e, index); \
  __asm__ volatile("" : "+m"(e));

/* iw_gather for all lanes, without masks. at_once: by instructions that gather, which take longer than loads
 * of each element on some processors; places are below 2^31 then. */
#ifdef IWV_HAS_ELEMENTS
#define IW_ELEMENTS_AT_ONCE_u32(p, at) \
  if (at_once) { iw_u32 a; IW_EACH(u32, i) a.r[i] = iwv_elements_u32(p, at.r[i]); return a; }
#define IW_ELEMENTS_AT_ONCE_u64(p, at) \
  if (at_once) { iw_u64 a; IW_EACH(u64, i) a.r[i] = iwv_elements_half_u64(p, at.r[i / 2], i % 2); return a; }
#else
#define IW_ELEMENTS_AT_ONCE_u32(p, at)
#define IW_ELEMENTS_AT_ONCE_u64(p, at)
#endif
#define IW_ELEMENTS_AT_ONCE_u8(p, at)
#define IW_ELEMENTS_AT_ONCE_u16(p, at)
#define IW_ELEMENTS_AT(t, l) \
IW_FN iw_##l iw_elements_at_##t(const iws_##t *p, iw_u32 at, int at_once) { \
  iws_##l x[IW_PADDED(u32)]; \
  (void)at_once; \
  IW_ELEMENTS_AT_ONCE_##t(p, at) \
  IW_INDEX_PAIRS_(e, at) \
  IW_UNROLL for (int k = 0; k < IW_WARP_SIZE; k += 2) { x[k] = p[(uint32_t)e[k / 2]]; x[k + 1] = p[e[k / 2] >> 32]; } \
  return iw_from_array_##l(x); }
IW_ELEMENTS_AT(u8, u32) IW_ELEMENTS_AT(u16, u32) IW_ELEMENTS_AT(u32, u32) IW_ELEMENTS_AT(u64, u64)
#undef IW_ELEMENTS_AT

/* Counts in IW_COUNT_REPLICAS tables, with a stride of `each` counters, so that lanes with the same index
 * do not wait for each other's store; in one table if `each` is 0. */
#define IW_COUNT_REPLICAS 4
IW_FN void iw_count_replicated_in(const iw_block *block, uint32_t *counters, unsigned each, iw_u32 index,
                                  iw_pred some)
{
  if (block->is_team || some.m != IW_ALL_LANES) iw_count_in(block, counters, index, some);
  else {
    IW_INDEX_PAIRS_(e, index)
    uint32_t *const second = counters + each, *const third = second + each, *const fourth = third + each;
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += IW_COUNT_REPLICAS) {
      counters[(uint32_t)e[l / 2]]++;
      second[e[l / 2] >> 32]++;
      third[(uint32_t)e[l / 2 + 1]]++;
      fourth[e[l / 2 + 1] >> 32]++;
    }
  }
}

/* iw_rank_in by (word >> shift) & mask, of one lane value after the other. */
IW_FN void iw_rank_digits_in(uint32_t *counters, const iw_u32 *words, unsigned shift, uint32_t mask,
                             iw_u32 *ranks, int count)
{
  for (int k = 0; k < count; k++) {
    const iw_u32 index = iw_and_u32(iw_shr_u32(words[k], iw_splat_u32(shift)), iw_splat_u32(mask));
    ranks[k] = iw_rank_in(counters, index, iw_pred_of(IW_ALL_LANES));
  }
}

/* `bits` bits of each lane, fewer than 32, from bit `at` on. */
IW_FN iw_u32 iw_bitfield_extract(iw_u32 a, unsigned at, unsigned bits)
{ return iw_and_u32(iw_shr_u32(a, iw_splat_u32(at)), iw_splat_u32((1u << bits) - 1)); }

/* Scatters of bits that are not read before the next phase; lanes of type l for elements of type t. */
#define IW_SCATTER_BITS(name, t, l, index_type) \
IW_FN void iw_scatter_bits_##name(iws_##t *p, iw_##index_type index, iw_##l a, iw_pred some) { \
  iws_##l x[IW_PADDED(l)]; iws_##index_type at[IW_PADDED(index_type)]; \
  iw_to_array_##l(x, a); iw_to_array_##index_type(at, index); \
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned k = iw_lowest(m); p[at[k]] = (iws_##t)x[k]; } }
IW_SCATTER_BITS(u8, u8, u32, u32) IW_SCATTER_BITS(u16, u16, u32, u32)
IW_SCATTER_BITS(u32, u32, u32, u32) IW_SCATTER_BITS(u64, u64, u64, u32)
IW_SCATTER_BITS(far_u8, u8, u32, u64) IW_SCATTER_BITS(far_u16, u16, u32, u64)
IW_SCATTER_BITS(far_u32, u32, u32, u64) IW_SCATTER_BITS(far_u64, u64, u64, u64)
#undef IW_SCATTER_BITS

/* Software write-combining: the elements of each bucket are collected in a buffer of some cache lines in
 * shared memory, which is stored when it is full, past the caches if `stream`. */
enum { IW_MAX_WRITE_BUFFERS = 256, IW_WRITE_BUFFER_BYTES = 512 };
typedef struct {
  unsigned char lines[IW_MAX_WRITE_BUFFERS * IW_WRITE_BUFFER_BYTES];
  uint64_t to[IW_MAX_WRITE_BUFFERS];   /* element of `out` where the buffer's first element goes */
  uint32_t next[IW_MAX_WRITE_BUFFERS]; /* element of `lines` where the bucket's next element goes */
  /* elements at the buffer's beginning that are in front of the bucket */
  uint32_t head[IW_MAX_WRITE_BUFFERS];
  unsigned char *out;
  int stream;
} iw_write_buffers;

IW_FN void iw_write_buffer_store_line_(unsigned char *to, const unsigned char *line, int stream)
{
  if (!stream) memcpy(to, line, IW_WRITE_BUFFER_BYTES);
  else IW_UNROLL for (int j = 0; j < IW_WRITE_BUFFER_BYTES / 4; j += IW_VL_u32)
    iwv_stream_u32((uint32_t *)to + j, iwv_load_u32((const uint32_t *)line + j));
}

#define IW_TYPE_SET (IW_SET_OF_WIDTHS | IW_SET_u128)
#define IW_TEMPLATE <isowarp/language/cpu/write_buffers_of_width.h>
#include <isowarp/language/for_each_type.h>

#endif
