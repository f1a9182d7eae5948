/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: flags of the elements of rows, counting flagged elements,
 * and packing them apart from the others in shared memory. Element v of a lane's part is bit v of the
 * lane's flags. Mirrors language/cpu/row_flags.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_ROW_FLAGS_H
#define ISOWARP_LANGUAGE_CUDA_ROW_FLAGS_H

#include <isowarp/language/cuda/atomics.h>
#include <isowarp/language/cuda/row_segments.h>

/* ---- Counting ---- */

typedef struct { unsigned n; } iw_count_accumulator;   /* of the lane */
IW_FN unsigned iw_count_total(iw_count_accumulator count) { return iw_warp_sum_u32(IW_LANE_(u32, count.n)); }

/* ---- Flags of one row, and flag sets of up to IW_FLAG_SET_ROWS rows ---- */

template <class S> struct iw_row_flags_of_ { unsigned m; };
/* Rows are next to each other in a lane's words. */
template <class S> struct iw_row_flag_set_of_ { unsigned m[16 / sizeof(S) < 4 ? 1 : 16 / sizeof(S) / 4]; };

/* The flags of the row at element `at`, a multiple of the row's length, from packed bits; each bit holds
 * for `each` (1 or 2) elements, of which `valid` exist. */
template <class S> IW_FN iw_row_flags_of_<S> iw_row_load_flags_(const uint32_t *bits, size_t at, int each, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_flags_of_<S> m;
  const size_t first = (at + iw_lane_() * W) / each;
  const unsigned word = (int64_t)(iw_lane_() * W) < valid ? __ldcs(bits + first / 32) >> (first % 32) : 0;
  m.m = (each == 1 ? word : iws_duplicate_bits(word & IW_LOW_BITS_UP_TO_(W / 2 - 1)))
      & IW_LOW_BITS_UP_TO_(W - 1);
  return m;
}

template <class S> IW_FN void iw_row_set_flags_(iw_row_flag_set_of_<S> *set, int row, iw_row_flags_of_<S> m)
{
  enum { W = 16 / (int)sizeof(S) };
  const int at = row * W;
  set->m[at / 32] = (at % 32 ? set->m[at / 32] : 0) | m.m << at % 32;
}

/* Keeps the flags of the first `valid` elements of so many rows; with `others`, those of the elements
 * that were not flagged. */
template <class S>
IW_FN void iw_row_restrict_flags_(iw_row_flag_set_of_<S> *set, int rows, int others, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S), ROWS_PER_WORD = 32 / W };
  IW_UNROLL for (int k = 0; k < rows; k += ROWS_PER_WORD) {
    unsigned *const m = set->m + k / ROWS_PER_WORD;
    *m ^= others ? IW_LOW_BITS_UP_TO_(((rows - k < ROWS_PER_WORD ? rows - k : ROWS_PER_WORD) * W - 1)) : 0;
    if (valid != IW_FULL_ROW) IW_UNROLL for (int j = 0; j < ROWS_PER_WORD && k + j < rows; j++) {
      const int64_t left = valid - (k + j) * (W * 32) - (int)iw_lane_() * W;
      *m &= left >= W ? ~0u
          : ~((left <= 0 ? IW_LOW_BITS_UP_TO_(W - 1) : IW_LOW_BITS_UP_TO_(W - 1) & ~((1u << left) - 1))
              << j * W);
    }
  }
}

template <class S>
IW_FN void iw_row_count_flags_(iw_count_accumulator *count, const iw_row_flag_set_of_<S> *set, int rows)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_UNROLL for (int k = 0; k < rows; k += 32 / W) count->n += (unsigned)__popc(set->m[k * W / 32]);
}

/* ---- Moving packed elements from shared to global memory ---- */

template <class S> IW_FN unsigned iw_flush_(S *out, const S *staged, unsigned count)
{
  __syncwarp();
  for (unsigned i = iw_lane_(); i < count; i += 32) __stcs(out + i, staged[i]);
  __syncwarp();
  return count;
}

/* The warps of a block take turns in lines of 128 bytes of the destination (32 elements where these are
 * narrower), so that each store of a warp is one line, or a part of one at the ends. */
template <class S>
IW_FN void iw_block_store_(S *to, const S *from, unsigned count, unsigned warp, unsigned warps)
{
  enum { LINE = sizeof *to < 4 ? 32 : 128 / sizeof *to, AHEAD = 4 };
  const int step = (int)warps * 32, end = (int)count;
  int i = (int)(warp * 32 + iw_lane_()) - (int)((uintptr_t)to / sizeof *to % LINE);
  to += i;
  from += i;
  asm("" : "+l"(to)); /* keeps the sum in a register: the compiler would form it anew for each store */
  _Pragma("unroll 1")
  for (; i + (AHEAD - 1) * step < end; i += AHEAD * step, to += AHEAD * step, from += AHEAD * step) {
    S x[AHEAD];
    IW_UNROLL for (int j = 0; j < AHEAD; j++) x[j] = j || i >= 0 ? from[j * step] : 0;
    IW_UNROLL for (int j = 0; j < AHEAD; j++) if (j || i >= 0) __stcs(to + j * step, x[j]);
  }
  _Pragma("unroll 1")
  for (; i < end; i += step, to += step, from += step) if (i >= 0) __stcs(to, *from);
}

#define IW_ROW_FLAGS(t) \
  typedef iw_row_flags_of_<iws_##t> iw_row_##t##_flags; \
  typedef iw_row_flag_set_of_<iws_##t> iw_row_##t##_flag_set; \
  IW_FN iw_row_##t##_flags iw_row_load_flags_##t(const uint32_t *bits, size_t at, int each, int64_t valid) \
  { return iw_row_load_flags_<iws_##t>(bits, at, each, valid); } \
  IW_FN void iw_row_set_flags_##t(iw_row_##t##_flag_set *set, int row, iw_row_##t##_flags m) \
  { iw_row_set_flags_(set, row, m); } \
  IW_FN void iw_row_restrict_flags_##t(iw_row_##t##_flag_set *set, int rows, int others, int64_t valid) \
  { iw_row_restrict_flags_(set, rows, others, valid); } \
  IW_FN void iw_row_count_flags_##t(iw_count_accumulator *count, const iw_row_##t##_flag_set *set, \
      int rows) \
  { iw_row_count_flags_(count, set, rows); } \
  IW_NOINLINE_FN unsigned iw_flush_##t(iws_##t *out, iws_##t *staged, unsigned count, int, int) \
  { return iw_flush_<iws_##t>(out, staged, count); } \
  IW_FN void iw_block_store_##t(iws_##t *to, const iws_##t *from, unsigned count, unsigned warp, \
      unsigned warps) \
  { iw_block_store_<iws_##t>(to, from, count, warp, warps); }
IW_ROW_FLAGS(u8) IW_ROW_FLAGS(u16) IW_ROW_FLAGS(u32) IW_ROW_FLAGS(u64)

/* Inclusive sums of one count per lane over the warp. */
IW_FN unsigned iw_warp_inclusive_count_(unsigned count)
{
  IW_UNROLL for (int d = 1; d < 32; d *= 2) {
    const unsigned left = __shfl_up_sync(IW_FULL_MASK_, count, d);
    if ((int)iw_lane_() >= d) count += left;
  }
  return count;
}

/* ---- Views and packing of narrow rows ---- */

template <class S> struct iw_row_view_of_ { unsigned w[4]; };

template <class S> IW_FN iw_row_view_of_<S> iw_row_view_narrow_(const S *p, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_view_of_<S> x;
  const int first = (int)iw_lane_() * W, each = 4 / (int)sizeof(S);
  if (iw_row_is_whole_(p, valid)) iw_row_read_(&x, p);
  else IW_UNROLL for (int w = 0; w < 4; w++) {
    x.w[w] = 0;
    IW_UNROLL for (int v = 0; v < each; v++)
      if (first + w * each + v < valid) x.w[w] |= (unsigned)p[first + w * each + v] << v * (32 / each);
  }
  return x;
}

/* A lane holds 8 or 16 elements of a row, so counts are added up over the lanes, row by row. */
template <class S>
IW_FN unsigned iw_row_compact_narrow_(S *to, unsigned front, unsigned rest,
    const iw_row_view_of_<S> *x, int rows,
                                      const iw_row_flag_set_of_<S> *set)
{
  enum { W = 16 / (int)sizeof(S) };
  const int each = 4 / (int)sizeof(S);
  unsigned all = 0;
  IW_UNROLL for (int k = 0; k < rows; k++) {
    const int row = k * W;
    const unsigned m = set->m[row / 32] >> row % 32 & IW_LOW_BITS_UP_TO_(W - 1);
    const unsigned count = (unsigned)__popc(m);
    S *const p = to + front + all, *const q = to + rest + k * (W * 32) - all;
    const unsigned up_to = iw_warp_inclusive_count_(count);
    unsigned rank = up_to - count;
    IW_EACH_ELEMENT_(v) {
      const bool flagged = m >> v & 1;
      *(flagged ? p + rank : q + (iw_lane_() * W + v - rank))
          = (S)(x[k].w[v / each] >> v % each * (32 / each));
      rank += flagged;
    }
    all += __shfl_sync(IW_FULL_MASK_, up_to, 31);
  }
  return all;
}

#define IW_ROW_VIEW_NARROW(t) \
  typedef iw_row_view_of_<iws_##t> iw_row_##t##_view; \
  IW_FN iw_row_##t##_view iw_row_view_##t(const iws_##t *p, int64_t valid) \
  { return iw_row_view_narrow_<iws_##t>(p, valid); } \
  IW_FN unsigned iw_row_compact_##t(iws_##t *to, unsigned front, unsigned rest, int, \
      const iw_row_##t##_view *x, int rows, \
                                    const iw_row_##t##_flag_set *set) \
  { return iw_row_compact_narrow_<iws_##t>(to, front, rest, x, rows, set); }
IW_ROW_VIEW_NARROW(u8) IW_ROW_VIEW_NARROW(u16)

/* ---- Views and packing of u32 and u64 rows ---- */

/* sum + times * byte b of a, in one instruction. */
IW_FN unsigned iw_byte_multiply_add_(unsigned a, int b, int times, unsigned sum)
{
#if defined(__CUDA_ARCH__)
  return __dp4a(a, (unsigned)times << 8 * b, sum);
#else
  return sum + (unsigned)times * (a >> 8 * b & 255);
#endif
}

/* Stores x in shared memory: a flagged element at *to, which moves on; another one as far below `ends`
 * as *to lies above 0. The second function stores flagged elements only. In PTX, since the compiler
 * takes three instructions to test a bit. */
#define IW_COMPACT_ELEMENT(t, bits, r) \
  IW_FN void iw_compact_element_(unsigned *to, unsigned ends, unsigned m, unsigned bit, iws_##t x) \
  { \
    asm volatile("{ .reg .pred p; .reg .u32 a, b; and.b32 b, %1, %2; setp.ne.u32 p, b, 0; sub.u32 a, %3, %0; " \
                 "selp.u32 a, %0, a, p; st.shared." bits " [a], %4; @p add.u32 %0, %0, %5; }" \
                 : "+r"(*to) : "r"(m), "r"(bit), "r"(ends), r(x), "r"((unsigned)sizeof x) : "memory"); \
  } \
  IW_COMPACT_FLAGGED(t, bits, r)
#define IW_COMPACT_FLAGGED(t, bits, r) \
  IW_FN void iw_compact_flagged_element_(unsigned *to, unsigned m, unsigned bit, iws_##t x) \
  { \
    asm volatile("{ .reg .pred p; .reg .u32 b; and.b32 b, %1, %2; setp.ne.u32 p, b, 0; " \
                 "@p st.shared." bits " [%0], %3; @p add.u32 %0, %0, %4; }" \
                 : "+r"(*to) : "r"(m), "r"(bit), r(x), "r"((unsigned)sizeof x) : "memory"); \
  }
IW_COMPACT_ELEMENT(u32, "b32", "r") IW_COMPACT_ELEMENT(u64, "b64", "l") IW_COMPACT_FLAGGED(u16, "b16", "h")

/* The counts of flags of eight rows of a lane, a byte each: even rows in counts[0], odd rows in
 * counts[1]. */
template <int W> IW_FN void iw_count_flags_by_row_(unsigned m, unsigned counts[2])
{
  unsigned n = m;
  n -= n >> 1 & 0x55555555u;
  if (W == 4) {
    n = (n & 0x33333333u) + (n >> 2 & 0x33333333u);
    counts[0] = n & 0x0f0f0f0fu;
    counts[1] = n >> 4 & 0x0f0f0f0fu;
  } else {
    n = (n | n << 8) & 0x00ff00ffu;
    n = (n | n << 4) & 0x0f0f0f0fu;
    counts[0] = n & 0x03030303u;
    counts[1] = n >> 2 & 0x03030303u;
  }
}

/* The flagged elements of eight rows, a byte a row, in all lanes, and before those of this lane. */
template <int W> IW_FN void iw_rank_flags_by_row_(unsigned m, unsigned before[2], unsigned all[2])
{
  iw_count_flags_by_row_<W>(m, before);
  IW_UNROLL for (int h = 0; h < 2; h++) {
    const unsigned own = before[h], up_to = iw_warp_inclusive_count_(own);
    before[h] = up_to - own;
    all[h] = __shfl_sync(IW_FULL_MASK_, up_to, 31);
  }
}

/* Addresses are in bytes: the first element of a lane's part, if it is not flagged, lies as far below `ends`
 * as the lane's first flagged one lies above 0. */
template <class S>
IW_FN unsigned iw_row_compact_(S *p, unsigned front, unsigned rest, int both, const iw_row_of_<S> *x,
    int rows,
                               const iw_row_flag_set_of_<S> *set)
{
  enum { W = 16 / (int)sizeof(S), BYTES = (int)sizeof(S) };
  const unsigned m = set->m[0];
  unsigned before[2], all[2];
  iw_rank_flags_by_row_<W>(m, before, all);
  const unsigned at = iw_shared_address_(p), ends = 2 * at + BYTES * (front + rest + iw_lane_() * W);
  unsigned flagged = at + BYTES * front;
  if (both) IW_UNROLL for (int k = 0; k < rows; k++) {
    unsigned to = iw_byte_multiply_add_(before[k & 1], k / 2, BYTES, flagged);
    IW_EACH_ELEMENT_(v) iw_compact_element_(&to, ends + (k * (W * 32) + v) * BYTES, m,
        1u << (k * W + v), x[k].v[v]);
    flagged = iw_byte_multiply_add_(all[k & 1], k / 2, BYTES, flagged);
  }
  else IW_UNROLL for (int k = 0; k < rows; k++) {
    unsigned to = iw_byte_multiply_add_(before[k & 1], k / 2, BYTES, flagged);
    IW_EACH_ELEMENT_(v) iw_compact_flagged_element_(&to, m, 1u << (k * W + v), x[k].v[v]);
    flagged = iw_byte_multiply_add_(all[k & 1], k / 2, BYTES, flagged);
  }
  return (flagged - at) / BYTES - front;
}

/* The same for the elements' places, the first of which is `first`. */
template <class S>
IW_FN unsigned iw_row_compact_places_(uint16_t *p, unsigned front, unsigned first, int rows,
                                      const iw_row_flag_set_of_<S> *set)
{
  enum { W = 16 / (int)sizeof(S) };
  const unsigned m = set->m[0], at = iw_shared_address_(p), place = first + iw_lane_() * W;
  unsigned before[2], all[2], flagged = at + 2 * front;
  iw_rank_flags_by_row_<W>(m, before, all);
  IW_UNROLL for (int k = 0; k < rows; k++) {
    unsigned to = iw_byte_multiply_add_(before[k & 1], k / 2, 2, flagged);
    IW_EACH_ELEMENT_(v) iw_compact_flagged_element_(&to, m, 1u << (k * W + v),
        (uint16_t)(place + k * (W * 32) + v));
    flagged = iw_byte_multiply_add_(all[k & 1], k / 2, 2, flagged);
  }
  return (flagged - at) / 2 - front;
}

/* Behind the lane's last flagged element of rows in one word. */
template <class S> IW_FN unsigned iw_row_last_flags_(const iw_row_flag_set_of_<S> *set)
{
  enum { W = 16 / (int)sizeof(S) };
  const int last = 31 - __clz((int)set->m[0]);
  return last < 0 ? 0 : last / W * (W * 32) + iw_lane_() * W + last % W + 1;
}

template <class S> IW_FN void iw_row_set_vector_flags_(iw_row_flag_set_of_<S> *set, int row, int v, bool p)
{
  const int at = row * (int)(16 / sizeof(S)) + v;
  set->m[0] = (at ? set->m[0] : 0) | (p ? 1u << at : 0);
}

/* Eight neighbouring lanes exchange flags (a transposition), so that lane k of them has all of row k
 * next to each other; that is 8 * W bits. */
template <class S>
IW_FN void iw_row_store_flags_(uint32_t *bits, size_t at, iw_row_flag_set_of_<S> set, int rows)
{
  enum { W = 16 / (int)sizeof(S) };
  const unsigned lane = iw_lane_();
  unsigned m = set.m[0];
  if (rows < 8) m &= IW_LOW_BITS_UP_TO_((rows * W - 1) & 31);
  IW_UNROLL for (int d = 4; d > 0; d /= 2) {
    const unsigned lows = W == 4 ? (d == 4 ? 0x0000ffffu : d == 2 ? 0x00ff00ffu : 0x0f0f0f0fu)
                                 : (d == 4 ? 0x00ffu : d == 2 ? 0x0f0fu : 0x3333u);
    const unsigned theirs = __shfl_xor_sync(IW_FULL_MASK_, m, d);
    m = lane & d ? (m & ~lows) | (theirs & ~lows) >> d * W : (m & lows) | (theirs & lows) << d * W;
  }
  const size_t part = (at + (lane & 7) * (32 * W)) / (8 * W) + lane / 8;
  if ((int)(lane & 7) < rows) {
    if (W == 4) bits[part] = m;
    else ((uint16_t *)bits)[part] = (uint16_t)m;
  }
}

/* Flags from bytes that are not 0: a lane's bytes in one word. */
template <class S> struct iw_row_flags_pending_of_ { unsigned bytes; };

template <class S> IW_FN iw_row_flags_pending_of_<S> iw_row_issue_flags_(const uint8_t *p, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  typedef typename iw_share_<iws_u8, W>::word word;
  iw_row_flags_pending_of_<S> f;
  const int first = (int)iw_lane_() * W;
  f.bytes = 0;
  if (valid == IW_FULL_ROW || (valid >= W * 32 && (uintptr_t)p % sizeof(word) == 0)) {
    const word q = __ldcs((const word *)p + iw_lane_());
    memcpy(&f, &q, sizeof q);
  } else IW_EACH_ELEMENT_(v) if (first + v < valid) f.bytes |= (unsigned)p[first + v] << 8 * v;
  return f;
}

/* Sets bit 7 of each byte that is not 0, then multiplies to move bits 0, 8, 16 and 24 to 24 … 27. */
template <class S> IW_FN iw_row_flags_of_<S> iw_row_wait_flags_(iw_row_flags_pending_of_<S> f)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_flags_of_<S> m;
  const unsigned set = ((f.bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | f.bytes;
  m.m = (set >> 7 & 0x01010101u) * 0x01020408u >> 24 & IW_LOW_BITS_UP_TO_(W - 1);
  return m;
}

#define IW_ROW_VIEW(t) \
  typedef iw_row_##t iw_row_##t##_view; \
  typedef iw_row_flags_pending_of_<iws_##t> iw_row_##t##_flags_pending; \
  IW_FN iw_row_##t##_view iw_row_view_##t(const iws_##t *p, int64_t valid) \
  { return iw_row_issue_##t(p, valid, 0); } \
  IW_FN iw_##t iw_row_view_vector_##t(iw_row_##t##_view x, int v) { return IW_LANE_(t, x.v[v]); } \
  IW_FN iw_row_##t##_view iw_row_iota_##t(uint64_t first) \
  { \
    iw_row_##t x; \
    IW_EACH_VECTOR(t, v) x.v[v] = (iws_##t)(first + iw_lane_() * IW_ROW_VECTORS(t) + v); \
    return x; \
  } \
  IW_FN unsigned iw_row_compact_##t(iws_##t *p, unsigned front, unsigned rest, int both, \
      const iw_row_##t##_view *x, int rows, \
                                    const iw_row_##t##_flag_set *set) \
  { return iw_row_compact_<iws_##t>(p, front, rest, both, x, rows, set); } \
  IW_FN unsigned iw_row_compact_places_##t(uint16_t *p, unsigned front, unsigned first, int rows, \
      const iw_row_##t##_flag_set *set) \
  { return iw_row_compact_places_<iws_##t>(p, front, first, rows, set); } \
  IW_FN iw_u32 iw_row_last_flags_##t(const iw_row_##t##_flag_set *set, int) \
  { return IW_LANE_(u32, iw_row_last_flags_<iws_##t>(set)); } \
  IW_FN void iw_row_set_vector_flags_##t(iw_row_##t##_flag_set *set, int row, int v, iw_pred p) \
  { iw_row_set_vector_flags_(set, row, v, iw_value_(p)); } \
  IW_FN void iw_row_store_flags_##t(uint32_t *bits, size_t at, iw_row_##t##_flag_set set, int rows) \
  { iw_row_store_flags_(bits, at, set, rows); } \
  IW_FN iw_row_##t##_flags_pending iw_row_issue_flags_##t(const uint8_t *p, int64_t valid) \
  { return iw_row_issue_flags_<iws_##t>(p, valid); } \
  IW_FN iw_row_##t##_flags iw_row_wait_flags_##t(iw_row_##t##_flags_pending pending) \
  { return iw_row_wait_flags_(pending); }
IW_ROW_VIEW(u32) IW_ROW_VIEW(u64)

#endif
