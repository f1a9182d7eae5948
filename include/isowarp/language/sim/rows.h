/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU, library primitives: rows. A row is 16 bytes for each lane,
 * consecutive in memory, so a whole row is one 128-bit access of the warp, and any other row one access for
 * each element of a lane's 16 bytes. Vector v of a row is element v of every lane's 16 bytes: element l *
 * ROW_VECTORS + v of the row is lane l's. Mirrors language/cuda/rows.h. May change with the library.
 */
#ifndef ISOWARP_LANGUAGE_SIM_ROWS_H
#define ISOWARP_LANGUAGE_SIM_ROWS_H

#include <isowarp/language/sim/memory.h>

/* Elements of a row, and of a lane's part of it. By way of a second macro, so that t may be a macro. */
#define IW_ROW(t) IW_ROW_OF_(t)
#define IW_ROW_OF_(t) ((int)(16 / sizeof(iws_##t)) * IW_WARP_SIZE)
#define IW_ROW_VECTORS(t) ((int)(16 / sizeof(iws_##t)))
#define IW_EACH_VECTOR(t, v) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v++)

#define IW_ALIGNED_(p, bytes) ((uintptr_t)(p) % (bytes) == 0)
IW_FN int iw_row_can_vectorize(const void *p) { return IW_ALIGNED_(p, 16); }

/* The lanes whose element v is below `valid`; a lane has `vectors` elements. */
IW_FN iw_pred iw_row_valid_(int vectors, int v, int64_t valid)
{
  if (valid >= vectors * IW_WARP_SIZE) return iw_pred_(IW_ALL_LANES_, 0, 0);
  return iw_lanes_below(valid <= v ? 0 : (valid - v + vectors - 1) / vectors);
}
/* Whether all of a row may be moved by one access; `valid` is the number of elements that exist from p on. */
IW_FN int iw_row_is_whole_(const void *p, int elements, int64_t valid)
{ return valid == IW_FULL_ROW || (valid >= elements && IW_ALIGNED_(p, 16)); }

/* Loads the elements of a row in accesses of one element a lane: element e at e * size of `to`. Those from
 * `valid` on stay as they are. */
IW_FN void iw_row_load_elements_(IW_AT_PARAMETERS_, void *to, const void *p, unsigned size, int vectors, int64_t valid,
                                 uint64_t *undefined)
{
  for (int v = 0; v < vectors; v++) {
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_LOAD, p, size, v, vectors, iw_row_valid_(vectors, v, valid), 0, size,
                                          undefined + v);
    IW_EACH_LANE_(l) if (m >> l & 1)
      memcpy((char *)to + (l * (unsigned)vectors + (unsigned)v) * size, (const char *)p + (l * (unsigned)vectors + (unsigned)v) * size, size);
  }
}
/* Loads a row in accesses of `bytes` bytes a lane, whose elements have `size` bytes. */
IW_FN void iw_row_load_parts_(IW_AT_PARAMETERS_, void *to, const void *p, unsigned bytes, unsigned size, int vectors,
                              uint64_t *undefined)
{
  const unsigned parts = (unsigned)vectors * size / bytes;
  for (unsigned w = 0; w < parts; w++) {
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_LOAD, p, bytes, w, parts, iw_pred_(IW_ALL_LANES_, 0, 0), 0, size,
                                          undefined + w * (bytes / size));
    if (m == IW_ALL_LANES_ && parts == 1) memcpy(to, p, (size_t)IW_WARP_SIZE * bytes);
    else IW_EACH_LANE_(l) {
      char *const part = (char *)to + (l * parts + w) * bytes;
      if (m >> l & 1) memcpy(part, (const char *)p + (l * parts + w) * bytes, bytes);
      else memset(part, 0, bytes);
    }
  }
}

#define IW_WIDEN_(e) (e)
#define IW_TEMPLATE <isowarp/language/sim/rows_of_width.h>
#include <isowarp/language/for_each_type.h>
#undef IW_WIDEN_
#define IW_TEMPLATE <isowarp/language/sim/rows_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_OPERATOR_TEMPLATE <isowarp/language/sim/rows_of_operator.h>
#include <isowarp/language/for_each_operator.h>

/* ---- Rows of elements of 1 and 2 bytes, whose vectors are lanes of 4 ---- */

#define IW_WIDEN_(e) SFN(widen)(e)
#define IW_TYPE_SET IW_SET_OF_NARROW
#define IW_TEMPLATE <isowarp/language/sim/rows_of_width.h>
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET IW_SET_OF_NARROW
#define IW_TEMPLATE <isowarp/language/sim/rows_of_narrow.h>
#include <isowarp/language/for_each_type.h>
#undef IW_WIDEN_

/* ---- An operator that is known on lane values only, as a user's is (IW_OPERATOR) ---- */

#define IW_ROW_OP_OF_LANES(op, t) \
IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) { return iw_row_by_##t##_(iw_##op##_##t, left, x); } \
IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
{ return iw_row_inclusive_prefix_by_##t##_(iw_##op##_##t, x); } \
IW_FN iw_row_##t iw_row_block_prefix_##op##_##t(iw_row_##t x, int levels) \
{ return iw_row_block_prefix_by_##t##_(iw_##op##_##t, x, levels); } \
IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) \
{ return (iw_row_last_##t)(IW_SITE_("iw_row_reduce_" #op "_" #t, "x") iw_row_inclusive_prefix_by_##t##_(iw_##op##_##t, x)); }

/* ---- Rows of t whose elements in memory have another type s, converted by a lane function ---- */

/* A lane reads its elements of s by words of at most 16 bytes. */
#define IW_SHARE_(t, s) (sizeof(iws_##s) * IW_ROW_VECTORS(t) < 16 ? (unsigned)(sizeof(iws_##s) * IW_ROW_VECTORS(t)) : 16u)

#define IW_ROW_BY_TYPE_(t, name, s) \
typedef struct { iws_##s e[IW_ROW(t)]; uint64_t undefined[IW_ROW_VECTORS(t)]; uint32_t owner; int64_t valid; iws_##t absent; \
} iw_row_##t##_from_##name##_pending;
/* parameters, at: the site, or nothing and the place of the macro. */
#define IW_ROW_BY_ISSUE_(t, name, s, issue, parameters, at) \
IW_FN iw_row_##t##_from_##name##_pending iw_row_##issue##_##t##_from_##name(parameters const iws_##s *p, int64_t valid, \
                                                                            iws_##t absent) \
{ \
  iw_row_##t##_from_##name##_pending c; \
  c.valid = valid; \
  c.absent = absent; \
  c.owner = iw_self_(); \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && IW_ALIGNED_(p, IW_SHARE_(t, s)))) \
    iw_row_load_parts_(at, c.e, p, IW_SHARE_(t, s), sizeof *p, IW_ROW_VECTORS(t), c.undefined); \
  else { \
    memset(c.e, 0, sizeof c.e); \
    iw_row_load_elements_(at, c.e, p, sizeof *p, IW_ROW_VECTORS(t), valid, c.undefined); \
  } \
  return c; \
}
/* l: the lane type that elements of s come in. */
#define IW_ROW_BY_WAIT_(t, name, s, l, function) \
IW_FN iw_row_##t iw_row_wait_##t##_from_##name(iw_row_##t##_from_##name##_pending c) \
{ \
  iw_row_##t x; \
  x.owner = c.owner; \
  IW_EACH_VECTOR(t, v) { \
    const iw_pred valid = iw_row_valid_(IW_ROW_VECTORS(t), v, c.valid); \
    iw_##l a; \
    IW_EACH_LANE_(k) a.e[k] = iws_widen_##s(c.e[k * IW_ROW_VECTORS(t) + (unsigned)v]); \
    a.undefined = c.undefined[v]; \
    a.owner = c.owner; \
    const iw_##t b = function(a); \
    IW_EACH_LANE_(k) x.e[k * IW_ROW_VECTORS(t) + (unsigned)v] = valid.m >> k & 1 ? b.e[k] : c.absent; \
    x.undefined[v] = b.undefined & valid.m; \
  } \
  return x; \
}
#define IW_NO_PARAMETERS_
#define IW_ROW_BY_LANES_(t, name, s, l, function) \
  IW_ROW_BY_TYPE_(t, name, s) \
  IW_ROW_BY_ISSUE_(t, name, s, issue, IW_NO_PARAMETERS_, \
                   IW_SITE_("iw_row_issue_" #t "_from_" #name, "p, valid, absent") SIZE_MAX) \
  IW_ROW_BY_ISSUE_(t, name, s, reissue, IW_NO_PARAMETERS_, \
                   IW_SITE_("iw_row_reissue_" #t "_from_" #name, "p, valid, absent") SIZE_MAX) \
  IW_ROW_BY_WAIT_(t, name, s, l, function)
#define IW_ROW_BY_(t, name, s, l, function) IW_ROW_BY_LANES_(t, name, s, l, function)
/* A user's transform has the place of its IW_TRANSFORM. */
#define IW_ROW_BY(t, name, s, function) IW_ROW_BY_(t, name, s, IW_LANES_FOR_##s, function)

#define IW_COMMA_PARAMETERS_ IW_AT_PARAMETERS_,
#define IW_ROW_FROM(t, s, l) \
  IW_ROW_BY_TYPE_(t, s, s) IW_ROW_BY_ISSUE_(t, s, s, issue, IW_COMMA_PARAMETERS_, IW_AT_) \
  IW_ROW_BY_ISSUE_(t, s, s, reissue, IW_COMMA_PARAMETERS_, IW_AT_) IW_ROW_BY_WAIT_(t, s, s, l, iw_convert_##l##_##t)
IW_ROW_FROM(i64, i32, i32) IW_ROW_FROM(u64, u32, u32) IW_ROW_FROM(f64, f32, f32)
IW_ROWS_FROM_NARROW(IW_ROW_FROM)

/* ---- Rows of t that are stored as elements of a narrower type n, whose lanes are of type l ---- */

#define IW_ROW_TO(t, n, l) \
IW_FN void iw_row_store_##n##_from_##t(IW_AT_PARAMETERS_, iws_##n *p, iw_row_##t x, int64_t valid, int stream) \
{ \
  enum { W = IW_ROW_VECTORS(t) }; \
  iws_##n e[IW_ROW(t)]; \
  (void)stream; \
  for (int i = 0; i < IW_ROW(t); i++) e[i] = iws_narrow_##n((iws_##l)x.e[i]); \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && IW_ALIGNED_(p, W * sizeof *p))) { \
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, W * sizeof *p, 0, 1, \
                                          iw_pred_(IW_ALL_LANES_, 0, 0), x.owner, sizeof *p, x.undefined); \
    IW_EACH_LANE_(k) if (m >> k & 1) memcpy(p + k * W, e + k * W, W * sizeof *p); \
    return; \
  } \
  IW_EACH_VECTOR(t, v) { \
    const uint64_t m = iw_access_strided_(IW_AT_, IW_SIM_STORE | IW_SIM_NO_SYNC, p, sizeof *p, v, W, \
                                          iw_row_valid_(W, v, valid), x.owner, sizeof *p, x.undefined + v); \
    IW_EACH_LANE_(k) if (m >> k & 1) p[k * W + (unsigned)v] = e[k * W + (unsigned)v]; \
  } \
}
IW_ROWS_TO_NARROW(IW_ROW_TO)

#endif
