/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows on the CPU: 16 bytes per lane, consecutive in memory. With W lanes in a warp, vector v of a row holds
 * W consecutive elements of it, from element v * W on. Part of cpu/primitives.h, for the library's templates
 * and for users' operators and transforms; the built-in operators on rows are in row_operators.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ROWS_H
#define ISOWARP_LANGUAGE_CPU_ROWS_H

/* By way of a second macro, so that t may be one. */
#define IW_ROW(t) IW_ROW_OF_(t)
#define IW_ROW_OF_(t) ((int)(16 / sizeof(iws_##t)) * IW_WARP_SIZE)
#define IW_ROW_VECTORS(t) ((int)(16 / sizeof(iws_##t)))
#define IW_EACH_VECTOR(t, v) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v++)

/* Bytes. Far enough ahead that memory answers in time, and not farther than a thread's part of the array
 * often is. The hardware's own prefetcher stops at page ends. */
#ifndef IW_PREFETCH_DISTANCE
#define IW_PREFETCH_DISTANCE 4096
#endif

IW_FN int iw_row_can_vectorize(const void *p) { (void)p; return 1; }

/* Whether any of `count` registers may hold a NaN; 1 where asking takes as long as making all of them
 * canonical. */
#ifndef IWV_HAS_NAN
#define IW_MAY_HAVE_NAN(t) \
IW_FN int iwv_may_have_nan_##t(const iwv_##t *a, int count) { (void)a; (void)count; return 1; }
IW_TYPES(IW_MAY_HAVE_NAN)
#undef IW_MAY_HAVE_NAN
#endif

/* Whether shuffles across the halves of a register take longer than those within them, and a load broadcasts
 * a lane. */
#if defined(__AVX2__)
enum { IW_SHUFFLES_HALVES = 1 };
#else
enum { IW_SHUFFLES_HALVES = 0 };
#endif

#define IW_TEMPLATE <isowarp/language/cpu/rows_of_type.h>
#include <isowarp/language/for_each_type.h>

#define IW_TYPE_SET IW_SET_OF_NARROW
#define IW_TEMPLATE <isowarp/language/cpu/rows_of_narrow.h>
#include <isowarp/language/for_each_type.h>

/* An operator on rows that is known on lane values only, as a user's is (IW_OPERATOR). */
#define IW_ROW_OP_OF_LANES(op, t) \
IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) { \
    return iw_row_by_##t##_(iw_##op##_##t, left, x); } \
IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
{ return iw_row_inclusive_prefix_by_##t##_(iw_##op##_##t, x); } \
IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) { return iw_row_reduce_by_##t##_(iw_##op##_##t, x); }

IW_FN void iw_row_prefetch_bytes_(const void *p, int bytes)
{ for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + IW_PREFETCH_DISTANCE + i); }

/* Rows of t made by a lane function of elements that are s in memory (IW_TRANSFORM). */
#define IW_ROW_BY(t, name, s, function) \
typedef struct { const iws_##s *p; int64_t valid; iws_##t absent; int again; \
} iw_row_##t##_from_##name##_pending; \
IW_ROW_BY_ISSUE(t, name, s) \
IW_FN iw_row_##t iw_row_wait_##t##_from_##name(iw_row_##t##_from_##name##_pending c) { \
  iw_row_##t x; \
  if (c.valid >= IW_ROW(t)) IW_ROW_BY_WHOLE(t, s, function) else IW_ROW_BY_PART(t, s, function) \
  return x; }
#define IW_ROW_BY_WHOLE(t, s, function) { \
  if (!c.again) iw_row_prefetch_bytes_(c.p, IW_ROW(t) * (int)sizeof(iws_##s)); \
  IW_EACH_VECTOR(t, v) x.v[v] = function(iw_load_##s(c.p + v * IW_WARP_SIZE, iw_pred_of(IW_ALL_LANES))); }
#define IW_ROW_BY_PART(t, s, function) IW_EACH_VECTOR(t, v) { \
  const iw_pred some = iw_lanes_below(c.valid - v * IW_WARP_SIZE); \
  x.v[v] = iw_splat_##t(c.absent); \
  if (some.m) x.v[v] = iw_select_##t(some, function(iw_load_##s(c.p + v * IW_WARP_SIZE, some)), x.v[v]); }
#define IW_ROW_BY_ISSUE(t, name, s) \
IW_FN iw_row_##t##_from_##name##_pending iw_row_issue_##t##_from_##name(const iws_##s *p, int64_t valid, \
    iws_##t absent) \
{ iw_row_##t##_from_##name##_pending c = { p, valid, absent, 0 }; return c; } \
IW_FN iw_row_##t##_from_##name##_pending iw_row_reissue_##t##_from_##name(const iws_##s *p, int64_t valid, \
    iws_##t absent) \
{ iw_row_##t##_from_##name##_pending c = { p, valid, absent, 1 }; return c; }
#define IW_ROW_FROM(t, s, l) IW_ROW_BY(t, s, s, iw_convert_##l##_##t)
IW_ROW_FROM(i64, i32, i32) IW_ROW_FROM(u64, u32, u32) IW_ROW_FROM(f64, f32, f32)
IW_ROWS_FROM_NARROW(IW_ROW_FROM)
#undef IW_ROW_FROM

/* Rows of t that are stored as elements of a narrower type n, whose lanes are of type l. stream: bypasses
 * the caches, if p is aligned to a cache line. */
#define IW_ROW_TO(t, n, l) \
IW_FN void iw_row_store_##n##_from_##t(iws_##n *p, iw_row_##t x, int64_t valid, int stream) { \
  uint32_t line[IW_ROW(t) * sizeof(iws_##n) / 4 + IW_PADDED(u32)]; \
  iws_##n *const e = (iws_##n *)line; \
  const int past = IW_WARP_SIZE >= IW_VL_u32 && stream && ((uintptr_t)p & 63) == 0, whole = valid >= IW_ROW(t); \
  if (valid <= 0) return; \
  IW_EACH_VECTOR(t, v) iw_store_##n((whole && !past ? p : e) + v * IW_WARP_SIZE, iw_convert_##t##_##l(x.v[v]), \
                                    iw_pred_of(IW_ALL_LANES)); \
  if (!whole) memcpy(p, e, (size_t)valid * sizeof *p); \
  else if (past) IW_UNROLL for (int i = 0; i < IW_ROW(t) * (int)sizeof *p / 4; i += IW_VL_u32) \
    iwv_stream_u32((uint32_t *)p + i, iwv_load_u32(line + i)); }
IW_ROWS_TO_NARROW(IW_ROW_TO)
#undef IW_ROW_TO

#endif
