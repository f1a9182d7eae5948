/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: rows. A row is 16 bytes for each of the 32 lanes,
 * consecutive in memory, so a whole row is one 128-bit access of the warp. Vector v of a row is element v
 * of every lane's 16 bytes. Mirrors language/cpu/rows.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_ROWS_H
#define ISOWARP_LANGUAGE_CUDA_ROWS_H

#include <isowarp/language/cuda/conversions.h>
#include <isowarp/language/cuda/memory.h>

/* Elements of a row, and of a lane's part of it. By way of a second macro, so that t may be a macro. */
#define IW_ROW(t) IW_ROW_OF_(t)
#define IW_ROW_OF_(t) ((int)(16 / sizeof(iws_##t)) * 32)
#define IW_ROW_VECTORS(t) ((int)(16 / sizeof(iws_##t)))
#define IW_EACH_VECTOR(t, v) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v++)

#define IW_ALIGNED_(p) (((uintptr_t)(p) & 15) == 0)
IW_FN int iw_row_can_vectorize(const void *p) { return IW_ALIGNED_(p); }

/* S: the scalar type of an element. W: elements of a lane's part. */
template <class S> struct iw_row_of_ { S v[16 / sizeof(S)]; };
#define IW_EACH_ELEMENT_(v) IW_UNROLL for (int v = 0; v < W; v++)

/* Whether all of a row may be moved by one access; `valid` is the number of elements that exist from p
 * on. */
template <class S> IW_FN bool iw_row_is_whole_(const S *p, int64_t valid)
{ return valid == IW_FULL_ROW || (valid >= (int)(16 / sizeof(S)) * 32 && IW_ALIGNED_(p)); }

/* stays: what is read stays in the caches as long as other data do. */
template <class Row, class S> IW_FN void iw_row_read_(Row *x, const S *p, bool stays = false)
{
  const uint4 *const from = (const uint4 *)p + iw_lane_();
  const uint4 q = stays ? *from : __ldcs(from);
  memcpy(x, &q, 16);
}

/* ---- Moving rows ---- */

template <class S> IW_FN iw_row_of_<S> iw_row_issue_(const S *p, int64_t valid, S absent, bool stays = false)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_of_<S> x;
  const int first = (int)iw_lane_() * W;
  if (iw_row_is_whole_(p, valid)) iw_row_read_(&x, p, stays);
  else IW_EACH_ELEMENT_(v) x.v[v] = first + v < valid ? p[first + v] : absent;
  return x;
}

template <class S, S (*canonical)(S)> IW_FN void iw_row_store_(S *p, iw_row_of_<S> x, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  const int first = (int)iw_lane_() * W;
  IW_EACH_ELEMENT_(v) x.v[v] = canonical(x.v[v]);
  if (iw_row_is_whole_(p, valid)) {
    uint4 q;
    memcpy(&q, &x, 16);
    __stcs((uint4 *)p + iw_lane_(), q);
  } else IW_EACH_ELEMENT_(v) if (first + v < valid) p[first + v] = x.v[v];
}

template <class S> IW_FN void iw_row_store_shared_(S *p, iw_row_of_<S> x)
{ uint4 q; memcpy(&q, &x, 16); ((uint4 *)p)[iw_lane_()] = q; }

template <class S> IW_FN iw_row_of_<S> iw_row_load_shared_(const S *p)
{ const uint4 q = ((const uint4 *)p)[iw_lane_()]; iw_row_of_<S> x; memcpy(&x, &q, 16); return x; }

/* Lane l's part of a row is the part.l-th 16 bytes from p on, aligned. */
template <class S> IW_FN iw_row_of_<S> iw_row_gather_(const S *p, unsigned part)
{ iw_row_of_<S> x; const uint4 q = __ldcs((const uint4 *)p + part); memcpy(&x, &q, 16); return x; }

template <class S, S (*canonical)(S)>
IW_FN void iw_row_scatter_(S *p, unsigned part, iw_row_of_<S> x, bool some)
{
  enum { W = 16 / (int)sizeof(S) };
  uint4 q;
  IW_EACH_ELEMENT_(v) x.v[v] = canonical(x.v[v]);
  memcpy(&q, &x, 16);
  if (some) __stcs((uint4 *)p + part, q);
}

/* Element e is lane e % 32 of a[e / 32]; scratch: a row of shared memory, which the warp has for itself. */
template <class S, class Lanes> IW_FN iw_row_of_<S> iw_row_of_lanes_(S *scratch, const Lanes *a)
{
  enum { W = 16 / (int)sizeof(S) };
  __syncwarp();
  IW_EACH_ELEMENT_(v) scratch[v * 32 + iw_lane_()] = iw_value_(a[v]);
  __syncwarp();
  return iw_row_load_shared_<S>(scratch);
}

/* All elements moved up by one; `first` becomes the first. */
template <class S> IW_FN iw_row_of_<S> iw_row_shift_(iw_row_of_<S> x, S first)
{
  enum { W = 16 / (int)sizeof(S) };
  S left = __shfl_up_sync(IW_FULL_MASK_, x.v[W - 1], 1);
  if (iw_lane_() == 0) left = first;
  IW_UNROLL for (int v = W - 1; v > 0; v--) x.v[v] = x.v[v - 1];
  x.v[0] = left;
  return x;
}

template <class S> IW_FN iw_row_of_<S> iw_row_splat_(S a)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_of_<S> x;
  IW_EACH_ELEMENT_(v) x.v[v] = a;
  return x;
}

template <class S, S (*flip_bits)(S, S)> IW_FN iw_row_of_<S> iw_row_flip_bits_(iw_row_of_<S> x, S bits)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_EACH_ELEMENT_(v) x.v[v] = flip_bits(x.v[v], bits);
  return x;
}

#define IW_ROW_TYPE(t) \
  typedef iw_row_of_<iws_##t> iw_row_##t; typedef iw_row_##t iw_row_##t##_pending; \
  IW_FN iw_row_##t##_pending iw_row_issue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
  { return iw_row_issue_<iws_##t>(p, valid, absent); } \
  IW_FN iw_row_##t##_pending iw_row_reissue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
  { return iw_row_issue_<iws_##t>(p, valid, absent, true); } \
  IW_FN iw_row_##t iw_row_wait_##t(iw_row_##t##_pending pending) { return pending; } \
  IW_FN void iw_row_store_##t(iws_##t *p, iw_row_##t x, int64_t valid, int) \
  { iw_row_store_<iws_##t, iws_canonical_##t>(p, x, valid); } \
  IW_FN void iw_row_store_shared_##t(iws_##t *p, iw_row_##t x) { iw_row_store_shared_<iws_##t>(p, x); } \
  IW_FN iw_row_##t iw_row_load_shared_##t(const iws_##t *p) { return iw_row_load_shared_<iws_##t>(p); } \
  IW_FN iw_##t iw_row_vector_##t(iw_row_##t x, int v) { return IW_LANE_(t, x.v[v]); } \
  IW_FN iw_row_##t iw_row_gather_##t(const iws_##t *p, iw_u32 part) \
  { return iw_row_gather_<iws_##t>(p, iw_value_(part)); } \
  IW_FN void iw_row_scatter_##t(iws_##t *p, iw_u32 part, iw_row_##t x, iw_pred some) \
  { iw_row_scatter_<iws_##t, iws_canonical_##t>(p, iw_value_(part), x, iw_value_(some)); } \
  IW_FN iw_row_##t iw_row_of_lanes_##t(iws_##t *scratch, const iw_##t *a) \
  { return iw_row_of_lanes_<iws_##t>(scratch, a); } \
  IW_FN void iw_row_to_lanes_##t(iws_##t *scratch, iw_row_##t x, iw_##t *a) { \
    __syncwarp(); \
    iw_row_store_shared_<iws_##t>(scratch, x); \
    __syncwarp(); \
    IW_EACH_VECTOR(t, v) a[v] = IW_LANE_(t, scratch[v * 32 + iw_lane_()]); } \
  IW_FN iws_##t iw_row_last_##t(iw_row_##t x) { return iw_shuffle_from_(x.v[IW_ROW_VECTORS(t) - 1], 31); } \
  IW_FN iw_row_##t iw_row_flip_bits_##t(iw_row_##t x, iws_##t bits) \
  { return iw_row_flip_bits_<iws_##t, iws_flip_bits_##t>(x, bits); } \
  IW_FN iw_row_##t iw_row_splat_##t(iws_##t a) { return iw_row_splat_<iws_##t>(a); } \
  IW_FN iw_pred iw_row_valid_##t(int v, int64_t valid) \
  { return IW_LANE_(pred, (int)iw_lane_() * IW_ROW_VECTORS(t) + v < valid); } \
  IW_FN iw_row_##t iw_row_shift_##t(iw_row_##t x, iws_##t first) { return iw_row_shift_<iws_##t>(x, first); }
IW_TYPES(IW_ROW_TYPE)

/* ---- Scans and reductions of a row ---- */

template <class S, S (*op)(S, S)> IW_FN iw_row_of_<S> iw_row_combine_(S left, iw_row_of_<S> x)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_EACH_ELEMENT_(v) x.v[v] = op(left, x.v[v]);
  return x;
}

/* The tree over a row: first in each lane's part, then over the lanes. Lanes of left-hand siblings
 * combine the identity, which takes fewer instructions than a branch. */
template <class S, S (*op)(S, S), S (*identity)(void)>
IW_FN iw_row_of_<S> iw_row_inclusive_prefix_(iw_row_of_<S> x)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_UNROLL for (int d = 1; d < W; d *= 2)
    IW_EACH_ELEMENT_(v) if (v & d) x.v[v] = op(x.v[(v & ~(2 * d - 1)) + d - 1], x.v[v]);
  IW_UNROLL for (int b = 0; b < 5; b++) {
    S left = __shfl_sync(IW_FULL_MASK_, x.v[W - 1], (int)(iws_left_sibling_last(iw_lane_(),
        (unsigned)b) & 31));
    left = iw_lane_() >> b & 1 ? left : identity();
    IW_EACH_ELEMENT_(v) x.v[v] = op(left, x.v[v]);
  }
  return x;
}

/* The first `levels` levels of that tree: it ends at blocks of 2^levels elements. */
template <class S, S (*op)(S, S), S (*identity)(void)>
IW_FN iw_row_of_<S> iw_row_block_prefix_(iw_row_of_<S> x, int levels)
{
  enum { W = 16 / (int)sizeof(S), LOG_W = W == 4 ? 2 : 1 };
  IW_UNROLL for (int b = 0; b < LOG_W; b++)
    if (b < levels) {
      const int d = 1 << b;
      IW_EACH_ELEMENT_(v) if (v & d) x.v[v] = op(x.v[(v & ~(2 * d - 1)) + d - 1], x.v[v]);
    }
  IW_UNROLL for (int b = 0; b < 5; b++)
    if (LOG_W + b < levels) {
      S left = __shfl_sync(IW_FULL_MASK_, x.v[W - 1], (int)(iws_left_sibling_last(iw_lane_(),
          (unsigned)b) & 31));
      left = iw_lane_() >> b & 1 ? left : identity();
      IW_EACH_ELEMENT_(v) x.v[v] = op(left, x.v[v]);
    }
  return x;
}

/* The last element of that scan, by the same tree. */
template <class S, S (*op)(S, S)> IW_FN S iw_row_reduce_part_(iw_row_of_<S> x)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_UNROLL for (int d = 1; d < W; d *= 2)
    IW_UNROLL for (int v = 0; v < W; v += 2 * d) x.v[v] = op(x.v[v], x.v[v + d]);
  return x.v[0];
}

#define IW_ROW_OP(op, t) \
  IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) \
  { return iw_row_combine_<iws_##t, iws_##op##_##t>(left, x); } \
  IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
  { return iw_row_inclusive_prefix_<iws_##t, iws_##op##_##t, iws_identity_##op##_##t>(x); } \
  IW_FN iw_row_##t iw_row_block_prefix_##op##_##t(iw_row_##t x, int levels) \
  { return iw_row_block_prefix_<iws_##t, iws_##op##_##t, iws_identity_##op##_##t>(x, levels); } \
  IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) \
  { return iw_warp_##op##_##t(IW_LANE_(t, (iw_row_reduce_part_<iws_##t, iws_##op##_##t>(x)))); }
#define IW_ROW_OP_OF_LANES IW_ROW_OP
#define IW_ROW_OPS(t) IW_ROW_OP(sum, t) IW_ROW_OP(min, t) IW_ROW_OP(max, t)
IW_TYPES(IW_ROW_OPS)

/* ---- Rows of elements of 1 and 2 bytes, whose vectors are lanes of 4 ---- */

template <class S> struct iw_row_narrow_of_ { uint32_t w[4]; };

template <class S> IW_FN iw_row_narrow_of_<S> iw_row_issue_narrow_(const S *p, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  const int first = (int)iw_lane_() * W;
  iw_row_narrow_of_<S> x;
  if (iw_row_is_whole_(p, valid)) {
    iw_row_read_(&x, p);
    return x;
  }
  S e[W];
  IW_EACH_ELEMENT_(v) e[v] = first + v < valid ? p[first + v] : 0;
  memcpy(&x, e, 16);
  return x;
}

/* The bits of an element, by one instruction, which the compiler does not merge with others. */
template <class S> IW_FN uint32_t iw_row_bits_narrow_(iw_row_narrow_of_<S> x, int v)
{ return __byte_perm(x.w[v * (int)sizeof(S) / 4], 0, sizeof(S) == 1 ? 0x4440u + v % 4 : v & 1 ? 0x4432u : 0x4410u); }

#define IW_ROW_NARROW(n, l, value) \
  typedef iw_row_narrow_of_<iws_##n> iw_row_##n; typedef iw_row_##n iw_row_##n##_pending; \
  IW_FN iw_row_##n##_pending iw_row_issue_##n(const iws_##n *p, int64_t valid) \
  { return iw_row_issue_narrow_<iws_##n>(p, valid); } \
  IW_FN iw_row_##n iw_row_wait_##n(iw_row_##n##_pending pending) { return pending; } \
  IW_FN iw_##l iw_row_vector_##n(iw_row_##n x, int v) \
  { const uint32_t bits = iw_row_bits_narrow_<iws_##n>(x, v); return IW_LANE_(l, value); } \
  IW_FN iw_pred iw_row_valid_##n(int v, int64_t valid) \
  { return IW_LANE_(pred, (int)iw_lane_() * IW_ROW_VECTORS(n) + v < valid); }
IW_ROW_NARROW(u8, u32, bits) IW_ROW_NARROW(u16, u32, bits)
/* f16 and bf16 have the rows of u16 in memory, so they share its struct. */
IW_ROW_NARROW(i8, i32, (iws_i8)bits) IW_ROW_NARROW(i16, i32, (iws_i16)bits)
IW_ROW_NARROW(f16, f32, iws_widen_f16((iws_f16)bits)) IW_ROW_NARROW(bf16, f32, iws_widen_bf16((iws_bf16)bits))

/* ---- Rows of t whose elements in memory have another type s, converted by a lane function ---- */

/* A lane reads its n elements of s by words of this type, of at most 16 bytes. */
template <class s, int n> struct iw_share_;
#define IW_SHARE(s, n, type) template <> struct iw_share_<iws_##s, n> { typedef type word; };
#define IW_SHARES(s, type) IW_SHARE(s, 2, type##2) IW_SHARE(s, 4, type##4)
#define IW_SHARES_WIDE(s, type) IW_SHARE(s, 2, type##2) IW_SHARE(s, 4, type##2)
IW_SHARES(u8, uchar) IW_SHARES(u16, ushort) IW_SHARES(i8, char) IW_SHARES(i16, short) IW_SHARES(i32, int) IW_SHARES(u32, uint) IW_SHARES(f32, float)
IW_SHARES_WIDE(i64, longlong) IW_SHARES_WIDE(u64, ulonglong) IW_SHARES_WIDE(f64, double)

template <class S, class Memory>
struct iw_row_from_pending_ { Memory v[16 / sizeof(S)]; int64_t valid; S absent; };

template <class S, class Memory>
IW_FN iw_row_from_pending_<S, Memory> iw_row_issue_from_(const Memory *p, int64_t valid, S absent)
{
  enum { W = 16 / (int)sizeof(S) };
  typedef typename iw_share_<Memory, W>::word word;
  iw_row_from_pending_<S, Memory> c;
  enum { WORDS = sizeof c.v / sizeof(word) };
  const int first = (int)iw_lane_() * W;
  c.valid = valid;
  c.absent = absent;
  if (valid == IW_FULL_ROW || (valid >= W * 32 && (uintptr_t)p % sizeof(word) == 0))
    IW_UNROLL for (int w = 0; w < WORDS; w++) {
      const word q = __ldcs((const word *)p + iw_lane_() * WORDS + w);
      memcpy((char *)c.v + w * sizeof q, &q, sizeof q);
    }
  else IW_EACH_ELEMENT_(v) c.v[v] = first + v < valid ? p[first + v] : 0;
  return c;
}

/* convert(a scalar of Memory): a scalar of S. */
template <class S, class Memory, S (*convert)(Memory)>
IW_FN iw_row_of_<S> iw_row_wait_from_(iw_row_from_pending_<S, Memory> c)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_of_<S> x;
  const int first = (int)iw_lane_() * W;
  IW_EACH_ELEMENT_(v) x.v[v] = c.valid == IW_FULL_ROW || first + v < c.valid ? convert(c.v[v]) : c.absent;
  return x;
}

/* l: the lane type that elements of s come in. */
#define IW_ROW_BY_LANES_(t, name, s, l, function) \
  typedef iw_row_from_pending_<iws_##t, iws_##s> iw_row_##t##_from_##name##_pending; \
  IW_FN iw_row_##t##_from_##name##_pending iw_row_issue_##t##_from_##name(const iws_##s *p, \
      int64_t valid, iws_##t absent) \
  { return iw_row_issue_from_<iws_##t, iws_##s>(p, valid, absent); } \
  IW_FN iw_row_##t##_from_##name##_pending iw_row_reissue_##t##_from_##name(const iws_##s *p, \
      int64_t valid, iws_##t absent) \
  { return iw_row_issue_from_<iws_##t, iws_##s>(p, valid, absent); } \
  IW_FN iws_##t iw_row_convert_##t##_from_##name##_(iws_##s a) \
  { return iw_value_(function(IW_LANE_(l, iws_widen_##s(a)))); } \
  IW_FN iw_row_##t iw_row_wait_##t##_from_##name(iw_row_##t##_from_##name##_pending pending) \
  { return iw_row_wait_from_<iws_##t, iws_##s, iw_row_convert_##t##_from_##name##_>(pending); }
#define IW_ROW_BY_(t, name, s, l, function) IW_ROW_BY_LANES_(t, name, s, l, function)
#define IW_ROW_BY(t, name, s, function) IW_ROW_BY_(t, name, s, IW_LANES_FOR_##s, function)
#define IW_ROW_FROM(t, s) IW_ROW_BY_LANES_(t, s, s, s, iw_convert_##s##_##t)
IW_ROW_FROM(i64, i32) IW_ROW_FROM(u64, u32) IW_ROW_FROM(f64, f32)

#define IW_ROW_FROM_NARROW(t, n, l) IW_ROW_BY_LANES_(t, n, n, l, iw_convert_##l##_##t)
IW_ROWS_FROM_NARROW(IW_ROW_FROM_NARROW)

/* ---- Rows of t that are stored as elements of a narrower type n ---- */

template <class S, class Memory, Memory (*narrow)(S)> IW_FN void iw_row_store_to_(Memory *p, iw_row_of_<S> x, int64_t valid)
{
  enum { W = 16 / (int)sizeof(S) };
  typedef typename iw_share_<Memory, W>::word word;
  static_assert(sizeof(word) == W * sizeof(Memory), "a lane's elements are one word");
  Memory e[W];
  const int first = (int)iw_lane_() * W;
  IW_EACH_ELEMENT_(v) e[v] = narrow(x.v[v]);
  if (valid == IW_FULL_ROW || (valid >= W * 32 && (uintptr_t)p % sizeof(word) == 0)) {
    word q;
    memcpy(&q, e, sizeof q);
    __stcs((word *)p + iw_lane_(), q);
  } else IW_EACH_ELEMENT_(v) if (first + v < valid) p[first + v] = e[v];
}
#define IW_ROW_TO_NARROW(t, n, l) \
  IW_FN iws_##n iw_row_narrow_##n##_from_##t##_(iws_##t a) { return iws_narrow_##n((iws_##l)a); } \
  IW_FN void iw_row_store_##n##_from_##t(iws_##n *p, iw_row_##t x, int64_t valid, int) \
  { iw_row_store_to_<iws_##t, iws_##n, iw_row_narrow_##n##_from_##t##_>(p, x, valid); }
IW_ROWS_TO_NARROW(IW_ROW_TO_NARROW)

#endif
