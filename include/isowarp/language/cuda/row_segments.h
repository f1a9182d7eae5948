/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA, library primitives: rows in segments. The first element of a segment is its
 * head; element v of a lane's part is bit v of the lane's head bits. Mirrors language/cpu/row_segments.h.
 * May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_ROW_SEGMENTS_H
#define ISOWARP_LANGUAGE_CUDA_ROW_SEGMENTS_H

#include <isowarp/language/cuda/rows.h>

/* Bits 0 … v. */
#define IW_LOW_BITS_UP_TO_(v) ((2u << (v)) - 1)

template <class S> struct iw_row_heads_of_ { unsigned m; };

template <class S> IW_FN iw_row_heads_of_<S> iw_row_heads_(const uint32_t *bits, size_t at)
{
  enum { W = 16 / (int)sizeof(S) };
  iw_row_heads_of_<S> h;
  const size_t first = at + iw_lane_() * W;
  h.m = bits[first / 32] >> (first % 32) & IW_LOW_BITS_UP_TO_(W - 1);
  return h;
}

/* The lanes below this one that have a head. */
template <class S> IW_FN unsigned iw_row_head_lanes_below_(iw_row_heads_of_<S> h)
{ return __ballot_sync(IW_FULL_MASK_, h.m) & iw_lanes_below_mask_(); }

/* The elements before the row's first head. */
template <class S> IW_FN iw_row_heads_of_<S> iw_row_before_heads_(iw_row_heads_of_<S> h)
{
  const unsigned below = iw_row_head_lanes_below_(h);
  h.m = below ? 0 : (h.m - 1) & ~h.m;
  return h;
}

template <class S>
IW_FN iw_row_of_<S> iw_row_select_(iw_row_heads_of_<S> h, iw_row_of_<S> a, iw_row_of_<S> b)
{
  enum { W = 16 / (int)sizeof(S) };
  IW_EACH_ELEMENT_(v) a.v[v] = h.m >> v & 1 ? a.v[v] : b.v[v];
  return a;
}

/* The tree of iw_row_inclusive_prefix_, where nothing from before a head is combined with it or what
 * follows it. */
template <class S, S (*op)(S, S), S (*identity)(void)>
IW_FN iw_row_of_<S> iw_row_segmented_prefix_(iw_row_of_<S> x, iw_row_heads_of_<S> h)
{
  enum { W = 16 / (int)sizeof(S) };
  const unsigned lane = iw_lane_();
  const int last_head = 31 - __clz((int)iw_row_head_lanes_below_(h)); /* of the lanes below; -1: none */
  IW_UNROLL for (int d = 1; d < W; d *= 2)
    IW_EACH_ELEMENT_(v) if (v & d) {
      const unsigned own = IW_LOW_BITS_UP_TO_(v) & ~((1u << (v & -d)) - 1); /* from the start of its block of d, up to it */
      x.v[v] = h.m & own ? x.v[v] : op(x.v[(v & -d) - 1], x.v[v]);
    }
  IW_UNROLL for (int b = 0; b < 5; b++) {
    S left = __shfl_sync(IW_FULL_MASK_, x.v[W - 1], (int)(iws_left_sibling_last(lane, (unsigned)b) & 31));
    const int own = lane >> b & 1 ? (int)(lane & -(1u << b)) : -1; /* the first lane of its block of 2^b */
    left = last_head < own ? left : identity();
    IW_EACH_ELEMENT_(v) x.v[v] = h.m & IW_LOW_BITS_UP_TO_(v) ? x.v[v] : op(left, x.v[v]);
  }
  return x;
}

#define IW_SEGMENTS(t) \
  typedef iw_row_heads_of_<iws_##t> iw_row_##t##_heads; \
  IW_FN iw_row_##t##_heads iw_row_heads_##t(const uint32_t *bits, size_t at) \
  { return iw_row_heads_<iws_##t>(bits, at); } \
  IW_FN int iw_row_has_head_##t(iw_row_##t##_heads h) { return __any_sync(IW_FULL_MASK_, h.m); } \
  IW_FN iw_row_##t##_heads iw_row_carry_in_##t(iw_row_##t##_heads h) { return iw_row_before_heads_(h); } \
  IW_FN iw_row_##t iw_row_select_##t(iw_row_##t##_heads h, iw_row_##t a, iw_row_##t b) \
  { return iw_row_select_<iws_##t>(h, a, b); }
IW_TYPES(IW_SEGMENTS)

#define IW_ROW_SEGMENTS(op, t) \
  IW_FN iw_row_##t iw_row_segmented_prefix_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
  { return iw_row_segmented_prefix_<iws_##t, iws_##op##_##t, iws_identity_##op##_##t>(x, h); } \
  IW_FN iws_##t iw_row_last_segment_reduce_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
  { return iw_row_last_##t(iw_row_segmented_prefix_##op##_##t(x, h)); } \
  /* left op each element before the first head; the others stay. */ \
  IW_FN iw_row_##t iw_row_carry_in_##op##_##t(iws_##t left, iw_row_##t x, iw_row_##t##_heads h) \
  { return iw_row_select_##t(iw_row_carry_in_##t(h), iw_row_##op##_##t(left, x), x); }
#define IW_ROW_SEGMENTS_ALL(t) IW_ROW_SEGMENTS(sum, t) IW_ROW_SEGMENTS(min, t) IW_ROW_SEGMENTS(max, t)
IW_TYPES(IW_ROW_SEGMENTS_ALL)

#endif
