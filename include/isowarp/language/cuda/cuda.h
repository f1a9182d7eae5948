/* SPDX-License-Identifier: Apache-2.0
 *
 * The lane VM of CUDA: a lane value is a register, a predicate a bool, a block's warps run at once. The same names as in
 * vm/cpu.h, one after the other.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_H
#define ISOWARP_LANGUAGE_CUDA_H

#include <isowarp/descriptor.h>

#define IW_LANES_ISA "cuda"
#if defined(IW_WARP_SIZE) && IW_WARP_SIZE != 32
#error "a warp of CUDA has 32 lanes"
#endif
#undef IW_WARP_SIZE
#define IW_WARP_SIZE 32
#define IW_MAX_WARPS 32
#define IW_LOG_WARP 5
#define IW_FULL_MASK_ 0xffffffffu

/* ---- Lane values and predicates ---- */

#define IW_LANE_TYPE(t) typedef iws_##t iw_##t;
IW_TYPES(IW_LANE_TYPE)
typedef uint64_t iw_mask;
typedef bool iw_pred;

IW_FN unsigned iw_lane_(void) { return threadIdx.x & 31; }
IW_FN iw_pred iw_pred_of(iw_mask m) { return m >> iw_lane_() & 1; }
IW_FN iw_mask iw_ballot(iw_pred p) { return __ballot_sync(IW_FULL_MASK_, p); }
IW_FN iw_pred iw_and_pred(iw_pred a, iw_pred b) { return a && b; }
IW_FN iw_pred iw_or_pred(iw_pred a, iw_pred b) { return a || b; }
IW_FN iw_pred iw_not_pred(iw_pred a) { return !a; }
IW_FN iw_pred iw_lanes_below(int64_t n) { return (int64_t)iw_lane_() < n; }
IW_FN int iw_wanted(iw_pred p) { return p; }
IW_FN unsigned iw_popcount(iw_mask m) { return (unsigned)__popcll(m); }
IW_FN unsigned iw_highest(iw_mask m) { return 63u - (unsigned)__clzll((long long)m); }
IW_FN unsigned iw_lowest(iw_mask m) { return (unsigned)__ffsll((long long)m) - 1; }

#define IW_ARRAY_AND_SPLAT(t) \
IW_FN iw_##t iw_splat_##t(iws_##t v) { return v; } \
IW_FN iws_##t iw_at_##t(iw_##t a, unsigned lane) { return __shfl_sync(IW_FULL_MASK_, a, (int)lane); }
IW_TYPES(IW_ARRAY_AND_SPLAT)

#define IW_LANE1(op, t) IW_FN iw_##t iw_##op##_##t(iw_##t a) { return iws_##op##_##t(a); }
#define IW_LANE2(op, t) IW_FN iw_##t iw_##op##_##t(iw_##t a, iw_##t b) { return iws_##op##_##t(a, b); }
#define IW_LANE_COMPARE(op, expr, t) IW_FN iw_pred iw_##op##_##t(iw_##t a, iw_##t b) { return expr; }
#define IW_LANE_NUMBERS(t) IW_LANE2(sum, t) IW_LANE2(add, t) IW_LANE2(sub, t) IW_LANE2(mul, t) IW_LANE2(div, t) \
  IW_LANE2(min, t) IW_LANE2(max, t) IW_LANE1(neg, t) IW_LANE1(canonical, t) \
  IW_LANE_COMPARE(eq, a == b, t) IW_LANE_COMPARE(lt, a < b, t) IW_LANE_COMPARE(le, a <= b, t) \
  IW_LANE_COMPARE(gt, a > b, t) IW_LANE_COMPARE(ge, a >= b, t) IW_LANE_COMPARE(ne, a != b, t) \
  IW_FN iw_##t iw_select_##t(iw_pred p, iw_##t a, iw_##t b) { return p ? a : b; }
#define IW_LANE_INTS(t) IW_LANE2(rem, t) IW_LANE2(and, t) IW_LANE2(or, t) IW_LANE2(xor, t) IW_LANE2(shl, t) IW_LANE2(shr, t) \
  IW_LANE1(not, t)
IW_TYPES(IW_LANE_NUMBERS) IW_INTS(IW_LANE_INTS)
IW_LANE1(floor, f32) IW_LANE1(floor, f64) IW_LANE1(abs, f32) IW_LANE1(abs, f64) IW_LANE1(abs, i32) IW_LANE1(abs, i64)

#define IW_CONVERT(from, to) IW_FN iw_##to iw_convert_##from##_##to(iw_##from a) { return iws_convert_##from##_##to(a); }
#define IW_CONVERT_ALL(from) IW_CONVERT(from, f32) IW_CONVERT(from, f64) \
  IW_CONVERT(from, i32) IW_CONVERT(from, u32) IW_CONVERT(from, i64) IW_CONVERT(from, u64)
IW_TYPES(IW_CONVERT_ALL)
IW_FN iw_u32 iw_to_index_f32(iw_f32 a, uint32_t last) { return iw_min_u32(iw_convert_f32_u32(a), last); }
IW_FN iw_u32 iw_to_index_f64(iw_f64 a, uint32_t last) { return iw_min_u32(iw_convert_f64_u32(a), last); }
/* Added to a number whose last bit is worth 1, a sum is rounded to integers, which are its low bits: conversions are slow. */
IW_FN iw_u32 iw_floor_index_f32(iw_f32 a, iw_f32 *past)
{ const float units = 12582912.0f, sum = __fadd_rn(a, units); *past = __fsub_rn(a, __fsub_rn(sum, units));
  return __float_as_uint(sum) - 0x4b400000u + (uint32_t)(__float_as_int(*past) >> 31); }
IW_FN iw_u32 iw_floor_index_f64(iw_f64 a, iw_f64 *past)
{ const double units = 6755399441055744.0, sum = __dadd_rn(a, units); *past = __dsub_rn(a, __dsub_rn(sum, units));
  return (uint32_t)__double2loint(sum) + (uint32_t)(__double2hiint(*past) >> 31); }
#define IW_FLOORS(f, range) \
typedef struct { iw_u32 most; iw_##f least; } iw_floors_##f; \
IW_FN void iw_floors_open_##f(iw_floors_##f *s) { s->most = 0; s->least = 1; } \
IW_FN iw_u32 iw_floors_add_##f(iw_floors_##f *s, iw_##f a) \
{ iw_##f past; const iw_u32 b = iw_floor_index_##f(a, &past); \
  s->most = iw_abs_##f(a) < range ? iw_max_u32(s->most, b) : UINT32_MAX; \
  s->least = iw_abs_##f(past) < s->least ? iw_abs_##f(past) : s->least; \
  return b; } \
IW_FN int iw_floors_unambiguous_##f(const iw_floors_##f *s, uint32_t count, iws_##f tau) \
{ return __all_sync(0xffffffff, s->most < count && s->least > tau); }
IW_FLOORS(f32, 4194304.0f) IW_FLOORS(f64, 2147483648.0)
#define IW_EDGES(f, range) \
IW_FN iw_u32 iw_nearest_index_##f(iw_##f a) \
{ return iw_abs_##f(a) < range ? (uint32_t)iw_convert_##f##_i32(iw_floor_##f(iw_add_##f(a, (iws_##f)0.5))) : UINT32_MAX; } \
typedef struct { double first, step; } iw_edges_##f; \
IW_FN void iw_edges_open_##f(iw_edges_##f *e, uint32_t, double first, double step) { e->first = first; e->step = step; } \
IW_FN iw_##f iw_edges_at_##f(const iw_edges_##f *e, iw_u32 k) \
{ return iw_convert_f64_##f(__dadd_rn(__dmul_rn(iw_convert_i32_f64(iw_convert_u32_i32(k)), e->step), e->first)); }
IW_EDGES(f32, 4194304.0f) IW_EDGES(f64, 2147483648.0)
#define IW_AS_BITS(f, u) \
IW_FN iw_##u iw_as_bits_##f(iw_##f a) { return iws_raw_##f(iws_canonical_##f(a)); } \
IW_FN iw_##f iw_from_bits_##f(iw_##u a) { return iws_from_raw_##f(a); }
IW_AS_BITS(f32, u32) IW_AS_BITS(f64, u64)

IW_FN iw_u32 iw_lane(void) { return iw_lane_(); }

/* ---- Shuffles ---- */

#define IW_SHUFFLE(t) \
IW_FN iw_##t iw_shuffle_##t(iw_##t a, iw_u32 index, unsigned width) { return __shfl_sync(IW_FULL_MASK_, a, (int)index, (int)width); } \
IW_FN iw_##t iw_shuffle_up_##t(iw_##t a, unsigned delta, unsigned width) \
{ return __shfl_sync(IW_FULL_MASK_, a, (int)iws_source_up(iw_lane_(), delta, width)); } \
IW_FN iw_##t iw_shuffle_down_##t(iw_##t a, unsigned delta, unsigned width) \
{ return __shfl_sync(IW_FULL_MASK_, a, (int)iws_source_down(iw_lane_(), delta, width)); } \
IW_FN iw_##t iw_shuffle_xor_##t(iw_##t a, unsigned mask, unsigned width) \
{ return __shfl_sync(IW_FULL_MASK_, a, (int)iws_source_xor(iw_lane_(), mask, width, 32)); } \
IW_FN iws_##t iw_last_##t(iw_##t a) { return __shfl_sync(IW_FULL_MASK_, a, 31); }
IW_TYPES(IW_SHUFFLE)

#define IW_TREE(op, t) \
IW_FN iw_##t iw_level_##op##_##t(iw_##t a, int level) \
{ const iws_##t left = __shfl_sync(IW_FULL_MASK_, a, (int)(iws_left_sibling_last(iw_lane_(), (unsigned)level) & 31)); \
  return iw_lane_() >> level & 1 ? iws_##op##_##t(left, a) : a; } \
/* All lanes from the left; in `before` what each has in front. */ \
IW_FN iws_##t iw_fold_##op##_##t(iws_##t first, iw_##t a, iw_##t *before) \
{ IW_UNROLL for (unsigned k = 0; k < 32; k++) { \
    if (iw_lane_() == k) *before = first; \
    first = iws_##op##_##t(first, __shfl_sync(IW_FULL_MASK_, a, (int)k)); } \
  return first; } \
/* The same, begun anew at the lanes of `heads`. */ \
IW_FN iws_##t iw_fold_segments_##op##_##t(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
{ IW_UNROLL for (unsigned k = 0; k < 32; k++) { \
    const iws_##t x = __shfl_sync(IW_FULL_MASK_, a, (int)k); \
    if (iw_lane_() == k) *before = first; \
    first = heads >> k & 1 ? x : iws_##op##_##t(first, x); } \
  return first; }
/* All lanes, distances ascending: the order of the tree. By butterfly, where operands may change places. */
#define IW_WARP(op, t) IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
{ IW_UNROLL for (int d = 1; d < 32; d *= 2) a = iws_##op##_##t(a, __shfl_xor_sync(IW_FULL_MASK_, a, d)); return a; }
#define IW_WARP_NONCOMMUTATIVE(op, t) IW_FN iws_##t iw_warp_##op##_##t(iw_##t a) \
{ IW_UNROLL for (int d = 1; d < 32; d *= 2) a = iws_##op##_##t(a, __shfl_down_sync(IW_FULL_MASK_, a, d)); \
  return __shfl_sync(IW_FULL_MASK_, a, 0); }
#define IW_TREES(t) IW_TREE(sum, t) IW_TREE(min, t) IW_TREE(max, t) IW_WARP(sum, t) IW_WARP(min, t) IW_WARP(max, t)
IW_TYPES(IW_TREES)
/* A lane function is a number's. */
#define IW_TREE_OF_LANES(op, t) \
IW_FN iws_##t iws_##op##_##t(iws_##t a, iws_##t b) { return iw_##op##_##t(a, b); } \
IW_TREE(op, t) IW_WARP_NONCOMMUTATIVE(op, t)

#define IW_MATCH(t) IW_FN iw_u64 iw_match_##t(iw_##t a, iw_pred some) \
{ const unsigned mask = __ballot_sync(IW_FULL_MASK_, some); const unsigned same = __match_any_sync(IW_FULL_MASK_, a); \
  return some ? (uint64_t)(same & mask) : 0; }
IW_INTS(IW_MATCH)

IW_FN iw_u32 iw_rank(iw_pred p) { return (unsigned)__popc(__ballot_sync(IW_FULL_MASK_, p) & ((1u << iw_lane_()) - 1)); }

/* ---- Memory ---- */

/* What a warp writes it sees: lanes meet before a store, for what others still read, and after it. */
#define IW_STORE_(some, place, value) do { __syncwarp(); if (some) place = value; __syncwarp(); } while (0)
#define IW_MEMORY(t) \
IW_FN iw_##t iw_load_##t(const iws_##t *p, iw_pred some) { return some ? p[iw_lane_()] : 0; } \
IW_FN void iw_store_##t(iws_##t *p, iw_##t a, iw_pred some) { IW_STORE_(some, p[iw_lane_()], iws_canonical_##t(a)); } \
IW_FN iw_##t iw_gather_##t(const iws_##t *p, iw_u32 index, iw_pred some) { return some ? p[index] : 0; } \
IW_FN void iw_scatter_##t(iws_##t *p, iw_u32 index, iw_##t a, iw_pred some) { IW_STORE_(some, p[index], iws_canonical_##t(a)); } \
IW_FN iw_##t iw_gather_far_##t(const iws_##t *p, iw_u64 index, iw_pred some) { return some ? p[index] : 0; } \
IW_FN void iw_scatter_far_##t(iws_##t *p, iw_u64 index, iw_##t a, iw_pred some) { IW_STORE_(some, p[index], iws_canonical_##t(a)); } \
IW_FN iws_##t iw_get_##t(const iws_##t *p) { return *p; } \
IW_FN void iw_set_##t(iws_##t *p, iws_##t v) { IW_STORE_(iw_lane_() == 0, *p, iws_canonical_##t(v)); }
IW_TYPES(IW_MEMORY)
/* iw_set of what no text sees as bits. */
#define IW_SET_RAW(t) IW_FN void iw_set_raw_##t(iws_##t *p, iws_##t v) { IW_STORE_(iw_lane_() == 0, *p, v); }
IW_TYPES(IW_SET_RAW)

#define IW_MEMORY_NARROW(n, type) \
IW_FN iw_u32 iw_load_##n(const type *p, iw_pred some) { return some ? p[iw_lane_()] : 0; } \
IW_FN void iw_store_##n(type *p, iw_u32 a, iw_pred some) { IW_STORE_(some, p[iw_lane_()], (type)a); } \
IW_FN iw_u32 iw_gather_##n(const type *p, iw_u32 index, iw_pred some) { return some ? p[index] : 0; }
IW_MEMORY_NARROW(u8, uint8_t) IW_MEMORY_NARROW(u16, uint16_t)
/* Which of the bytes are not 0. */
IW_FN iw_mask iw_ballot_u8(const uint8_t *p, iw_pred some) { return __ballot_sync(IW_FULL_MASK_, some && p[iw_lane_()]); }

#define IW_COMPACT(t) IW_FN unsigned iw_compact_##t(iws_##t *p, iw_##t a, iw_pred some) \
{ const unsigned m = __ballot_sync(IW_FULL_MASK_, some); IW_STORE_(some, p[__popc(m & ((1u << iw_lane_()) - 1))], a); return (unsigned)__popc(m); }
IW_COMPACT(u32) IW_COMPACT(u64)
#define IW_COMPACT_BOTH(t) IW_FN unsigned iw_compact_both_##t(iws_##t *p, iws_##t *q, iw_##t a, iw_pred chosen, iw_pred some) \
{ const unsigned m = __ballot_sync(IW_FULL_MASK_, chosen), rank = (unsigned)__popc(m & ((1u << iw_lane_()) - 1)); \
  iws_##t *const to = chosen ? p + rank : q + ((int)iw_lane_() - (int)rank); \
  IW_STORE_(some, *to, a); return (unsigned)__popc(m); }
/* Bytes and 16-bit words, which are lanes of 32 bits. */
typedef iw_u32 iw_u8; typedef iw_u32 iw_u16;
IW_COMPACT(u8) IW_COMPACT(u16)
IW_COMPACT_BOTH(u8) IW_COMPACT_BOTH(u16) IW_COMPACT_BOTH(u32) IW_COMPACT_BOTH(u64)

IW_FN void iw_prefetch(const void *p, size_t bytes)
{ IW_UNROLL for (size_t at = 0; at < bytes; at += 32 * 128)
    if (at + iw_lane_() * 128 < bytes) asm volatile("prefetch.global.L2 [%0];" :: "l"((const char *)p + at + iw_lane_() * 128)); }

/* ---- Atomics ---- */

#define IW_ATOMIC(scope, op, t, native, function) \
IW_FN iw_##t iw_##scope##_##op##_##t(const iw_block *, iws_##t *p, iw_u32 index, iw_##t value, iw_pred some) \
{ return some ? (iws_##t)function((native *)p + index, (native)value) : 0; }
#define IW_ATOMICS_OF(scope, t, native, word) \
IW_ATOMIC(scope, add, t, word, atomicAdd) IW_ATOMIC(scope, exchange, t, word, atomicExch) \
IW_ATOMIC(scope, min, t, native, atomicMin) IW_ATOMIC(scope, max, t, native, atomicMax) \
IW_FN iw_##t iw_##scope##_compare_exchange_##t(const iw_block *, iws_##t *p, iw_u32 index, iw_##t expected, iw_##t value, iw_pred some) \
{ return some ? (iws_##t)atomicCAS((word *)p + index, (word)expected, (word)value) : 0; }
#define IW_ATOMICS(t, native, word) IW_ATOMICS_OF(shared, t, native, word) IW_ATOMICS_OF(global, t, native, word)
IW_ATOMICS(i32, int, int) IW_ATOMICS(u32, unsigned, unsigned)
IW_ATOMICS(i64, long long, unsigned long long) IW_ATOMICS(u64, unsigned long long, unsigned long long)

/* The same as adding where nobody asks for what was there. */
IW_FN void iw_global_add_noreturn_u64(const iw_block *, uint64_t *p, iw_u32 index, iw_u64 value, iw_pred some)
{ if (some) asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" :: "l"(p + index), "l"(value) : "memory"); }
/* Where it is in shared memory, as a register: so that the compiler keeps the sum of it and what is in the lane. */
IW_FN uint32_t iw_shared_address_(const void *p)
{ uint32_t at; asm("mov.u32 %0, %1;" : "=r"(at) : "r"((uint32_t)__cvta_generic_to_shared(p))); return at; }
IW_FN void iw_count_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{ const uint32_t at = iw_shared_address_(counters) + 4 * index;
  if (some) asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory"); }
/* Its lane's table: lanes meet neither at a counter nor at a bank. */
IW_FN void iw_count_per_lane_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{ const uint32_t at = iw_shared_address_(counters + iw_lane_()) + 128 * index;
  if (some) asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory"); }
IW_FN void iw_count_u16_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{ asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.shared.add.u32 [%0], %1; }"
               :: "r"((uint32_t)__cvta_generic_to_shared(counters) + (2 * index & ~3u)), "r"(1u << 16 * (index & 1)),
                  "r"((uint32_t)some) : "memory"); }
IW_FN iw_u32 iw_rank_in(uint32_t *counters, iw_u32 index, iw_pred some)
{ const unsigned mask = __ballot_sync(IW_FULL_MASK_, some), same = __match_any_sync(IW_FULL_MASK_, index) & mask;
  const unsigned below = same & ((1u << iw_lane_()) - 1);
  const unsigned base = some ? counters[index] : 0;
  __syncwarp();
  if (some && below == 0) counters[index] = base + (unsigned)__popc(same);
  __syncwarp();
  return some ? base + (unsigned)__popc(below) : 0; }

#define IW_APPEND(t) \
IW_FN void iw_append_##t(iws_##t *p, uint32_t *counters, iw_u32 index, iw_##t a, iw_pred some) \
{ const iw_u32 at = iw_rank_in(counters, index, some); IW_STORE_(some, p[at], a); }
IW_APPEND(u32) IW_APPEND(u64)

/* ---- Rows: 16 bytes a lane, consecutive in memory. Vector v of a row is element v of every lane's share ---- */

/* By way of a second macro, so that t may be one. */
#define IW_ROW(t) IW_ROW_OF_(t)
#define IW_ROW_OF_(t) ((int)(16 / sizeof(iws_##t)) * 32)
#define IW_ROW_VECTORS(t) ((int)(16 / sizeof(iws_##t)))
#define IW_EACH_VECTOR(t, v) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v++)
#define IW_ALIGNED_(p) (((uintptr_t)(p) & 15) == 0)
IW_FN int iw_row_can_vectorize(const void *p) { return IW_ALIGNED_(p); }
#define IW_ROW_TYPE(t) \
typedef struct { iws_##t v[IW_ROW_VECTORS(t)]; } iw_row_##t; typedef iw_row_##t iw_row_##t##_pending; \
IW_FN iw_row_##t##_pending iw_row_issue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
{ iw_row_##t x; const int first = (int)iw_lane_() * IW_ROW_VECTORS(t); \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && IW_ALIGNED_(p))) { const uint4 q = __ldcs((const uint4 *)p + iw_lane_()); memcpy(&x, &q, 16); } \
  else IW_EACH_VECTOR(t, v) x.v[v] = first + v < valid ? p[first + v] : absent; \
  return x; } \
IW_FN iw_row_##t##_pending iw_row_reissue_##t(const iws_##t *p, int64_t valid, iws_##t absent) \
{ return iw_row_issue_##t(p, valid, absent); } \
IW_FN iw_row_##t iw_row_wait_##t(iw_row_##t##_pending c) { return c; } \
IW_FN void iw_row_store_shared_##t(iws_##t *p, iw_row_##t x) { uint4 q; memcpy(&q, &x, 16); ((uint4 *)p)[iw_lane_()] = q; } \
IW_FN iw_row_##t iw_row_load_shared_##t(const iws_##t *p) { const uint4 q = ((const uint4 *)p)[iw_lane_()]; iw_row_##t x; memcpy(&x, &q, 16); return x; } \
IW_FN void iw_row_store_##t(iws_##t *p, iw_row_##t x, int64_t valid, int) \
{ const int first = (int)iw_lane_() * IW_ROW_VECTORS(t); IW_EACH_VECTOR(t, v) x.v[v] = iws_canonical_##t(x.v[v]); \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && IW_ALIGNED_(p))) { uint4 q; memcpy(&q, &x, 16); __stcs((uint4 *)p + iw_lane_(), q); } \
  else IW_EACH_VECTOR(t, v) if (first + v < valid) p[first + v] = x.v[v]; } \
IW_FN iw_##t iw_row_vector_##t(iw_row_##t x, int v) { return x.v[v]; } \
IW_FN iws_##t iw_row_last_##t(iw_row_##t x) { return iw_last_##t(x.v[IW_ROW_VECTORS(t) - 1]); } \
IW_FN iw_row_##t iw_row_splat_##t(iws_##t a) { iw_row_##t x; IW_EACH_VECTOR(t, v) x.v[v] = a; return x; } \
IW_FN iw_pred iw_row_valid_##t(int v, int64_t valid) { return (int)iw_lane_() * IW_ROW_VECTORS(t) + v < valid; } \
IW_FN iw_row_##t iw_row_shift_##t(iw_row_##t x, iws_##t first) \
{ iws_##t left = __shfl_up_sync(IW_FULL_MASK_, x.v[IW_ROW_VECTORS(t) - 1], 1); if (iw_lane_() == 0) left = first; \
  IW_UNROLL for (int v = IW_ROW_VECTORS(t) - 1; v > 0; v--) x.v[v] = x.v[v - 1]; \
  x.v[0] = left; return x; }
IW_TYPES(IW_ROW_TYPE)

#define IW_ROW_OP(op, t) \
IW_FN iw_row_##t iw_row_##op##_##t(iws_##t left, iw_row_##t x) \
{ IW_EACH_VECTOR(t, v) x.v[v] = iws_##op##_##t(left, x.v[v]); return x; } \
/* The tree over a row: in each lane's share, then over the lanes. */ \
IW_FN iw_row_##t iw_row_inclusive_prefix_##op##_##t(iw_row_##t x) \
{ IW_UNROLL for (int d = 1; d < IW_ROW_VECTORS(t); d *= 2) IW_EACH_VECTOR(t, v) if (v & d) \
    x.v[v] = iws_##op##_##t(x.v[(v & ~(2 * d - 1)) + d - 1], x.v[v]); \
  IW_UNROLL for (int b = 0; b < 5; b++) { \
    iws_##t left = __shfl_sync(IW_FULL_MASK_, x.v[IW_ROW_VECTORS(t) - 1], (int)(iws_left_sibling_last(iw_lane_(), (unsigned)b) & 31)); \
    left = iw_lane_() >> b & 1 ? left : iws_identity_##op##_##t(); /* fewer instructions than a branch */ \
    IW_EACH_VECTOR(t, v) x.v[v] = iws_##op##_##t(left, x.v[v]); } \
  return x; } \
/* The last of that alone. */ \
IW_FN iws_##t iw_row_reduce_##op##_##t(iw_row_##t x) \
{ IW_UNROLL for (int d = 1; d < IW_ROW_VECTORS(t); d *= 2) IW_UNROLL for (int v = 0; v < IW_ROW_VECTORS(t); v += 2 * d) \
    x.v[v] = iws_##op##_##t(x.v[v], x.v[v + d]); \
  return iw_warp_##op##_##t(x.v[0]); }
#define IW_ROW_OP_OF_LANES IW_ROW_OP
#define IW_ROW_OPS(t) IW_ROW_OP(sum, t) IW_ROW_OP(min, t) IW_ROW_OP(max, t)
IW_TYPES(IW_ROW_OPS)

/* Heads of segments: element v of a lane's share is bit v of the lane. */
#define IW_LOW_BITS_UP_TO_(v) ((2u << (v)) - 1) /* it, and those before it in the share */
#define IW_SEGMENTS(t) \
typedef struct { unsigned m; } iw_row_##t##_heads; \
IW_FN iw_row_##t##_heads iw_row_heads_##t(const uint32_t *bits, size_t at) \
{ iw_row_##t##_heads h; const size_t first = at + iw_lane_() * IW_ROW_VECTORS(t); \
  h.m = bits[first / 32] >> (first % 32) & IW_LOW_BITS_UP_TO_(IW_ROW_VECTORS(t) - 1); return h; } \
IW_FN int iw_row_has_head_##t(iw_row_##t##_heads h) { return __any_sync(IW_FULL_MASK_, h.m); } \
/* The lanes below this one that have a head. */ \
IW_FN unsigned iw_row_head_lanes_below_##t(iw_row_##t##_heads h) \
{ return __ballot_sync(IW_FULL_MASK_, h.m) & ((1u << iw_lane_()) - 1); } \
/* The elements in front of the first head. */ \
IW_FN iw_row_##t##_heads iw_row_carry_in_##t(iw_row_##t##_heads h) \
{ const unsigned below = iw_row_head_lanes_below_##t(h); h.m = below ? 0 : (h.m - 1) & ~h.m; return h; } \
IW_FN iw_row_##t iw_row_select_##t(iw_row_##t##_heads h, iw_row_##t a, iw_row_##t b) \
{ IW_EACH_VECTOR(t, v) a.v[v] = h.m >> v & 1 ? a.v[v] : b.v[v]; return a; }
IW_TYPES(IW_SEGMENTS)

#define IW_ROW_SEGMENTS(op, t) \
IW_FN iw_row_##t iw_row_segmented_prefix_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
{ const unsigned lane = iw_lane_(), below = iw_row_head_lanes_below_##t(h); \
  IW_UNROLL for (int d = 1; d < IW_ROW_VECTORS(t); d *= 2) IW_EACH_VECTOR(t, v) if (v & d) { \
    const unsigned own = IW_LOW_BITS_UP_TO_(v) & ~((1u << (v & -d)) - 1); /* its block of d, up to it */ \
    x.v[v] = h.m & own ? x.v[v] : iws_##op##_##t(x.v[(v & -d) - 1], x.v[v]); } \
  IW_UNROLL for (int b = 0; b < 5; b++) { \
    iws_##t left = __shfl_sync(IW_FULL_MASK_, x.v[IW_ROW_VECTORS(t) - 1], (int)(iws_left_sibling_last(lane, (unsigned)b) & 31)); \
    left = (lane >> b & 1) && !(below >> (lane & -(1u << b))) ? left : iws_identity_##op##_##t(); \
    IW_EACH_VECTOR(t, v) x.v[v] = h.m & IW_LOW_BITS_UP_TO_(v) ? x.v[v] : iws_##op##_##t(left, x.v[v]); } \
  return x; } \
/* left op each element that is in front of all heads. */ \
IW_FN iws_##t iw_row_last_segment_reduce_##op##_##t(iw_row_##t x, iw_row_##t##_heads h) \
{ return iw_row_last_##t(iw_row_segmented_prefix_##op##_##t(x, h)); } \
IW_FN iw_row_##t iw_row_carry_in_##op##_##t(iws_##t left, iw_row_##t x, iw_row_##t##_heads h) \
{ return iw_row_select_##t(iw_row_carry_in_##t(h), iw_row_##op##_##t(left, x), x); }
#define IW_ROW_SEGMENTS_ALL(t) IW_ROW_SEGMENTS(sum, t) IW_ROW_SEGMENTS(min, t) IW_ROW_SEGMENTS(max, t)
IW_TYPES(IW_ROW_SEGMENTS_ALL)

#define IW_ROW_NARROW(n, type) \
typedef struct { uint32_t w[4]; } iw_row_##n; typedef iw_row_##n iw_row_##n##_pending; \
IW_FN iw_row_##n##_pending iw_row_issue_##n(const type *p, int64_t valid) \
{ const int each = 16 / sizeof(type), first = (int)iw_lane_() * each; iw_row_##n x; type e[16 / sizeof(type)]; \
  if (valid == IW_FULL_ROW || (valid >= each * 32 && IW_ALIGNED_(p))) { \
    const uint4 q = __ldcs((const uint4 *)p + iw_lane_()); memcpy(&x, &q, 16); return x; } \
  IW_UNROLL for (int v = 0; v < each; v++) e[v] = first + v < valid ? p[first + v] : 0; \
  memcpy(&x, e, 16); return x; } \
IW_FN iw_row_##n iw_row_wait_##n(iw_row_##n##_pending c) { return c; } \
/* In one instruction, which no other is merged with. */ \
IW_FN iw_u32 iw_row_vector_##n(iw_row_##n x, int v) \
{ return __byte_perm(x.w[v * (int)sizeof(type) / 4], 0, sizeof(type) == 1 ? 0x4440u + v % 4 : v & 1 ? 0x4432u : 0x4410u); } \
IW_FN iw_pred iw_row_valid_##n(int v, int64_t valid) { return (int)iw_lane_() * (int)(16 / sizeof(type)) + v < valid; }
IW_ROW_NARROW(u8, uint8_t) IW_ROW_NARROW(u16, uint16_t)

/* How a lane reads its share of a row, n elements of s: a word at a time, 16 bytes of them at most. */
template <class s, int n> struct iw_share_;
#define IW_SHARE(s, n, type) template <> struct iw_share_<iws_##s, n> { typedef type word; };
#define IW_SHARES(s, type) IW_SHARE(s, 2, type##2) IW_SHARE(s, 4, type##4)
#define IW_SHARES_WIDE(s, type) IW_SHARE(s, 2, type##2) IW_SHARE(s, 4, type##2)
IW_SHARES(u8, uchar) IW_SHARES(u16, ushort) IW_SHARES(i32, int) IW_SHARES(u32, uint) IW_SHARES(f32, float)
IW_SHARES_WIDE(i64, longlong) IW_SHARES_WIDE(u64, ulonglong) IW_SHARES_WIDE(f64, double)
/* A row of t whose elements in memory are s, by a lane function. */
#define IW_ROW_BY(t, name, s, function) \
typedef struct { iws_##s v[IW_ROW_VECTORS(t)]; int64_t valid; iws_##t absent; } iw_row_##t##_from_##name##_pending; \
IW_FN iw_row_##t##_from_##name##_pending iw_row_issue_##t##_from_##name(const iws_##s *p, int64_t valid, iws_##t absent) \
{ iw_row_##t##_from_##name##_pending c; const int first = (int)iw_lane_() * IW_ROW_VECTORS(t); c.valid = valid; c.absent = absent; \
  typedef iw_share_<iws_##s, IW_ROW_VECTORS(t)>::word word; enum { WORDS = sizeof c.v / sizeof(word) }; \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && (uintptr_t)p % sizeof(word) == 0)) \
    IW_UNROLL for (int w = 0; w < WORDS; w++) { \
      const word q = __ldcs((const word *)p + iw_lane_() * WORDS + w); memcpy((char *)c.v + w * sizeof q, &q, sizeof q); } \
  else IW_EACH_VECTOR(t, v) c.v[v] = first + v < valid ? p[first + v] : 0; \
  return c; } \
IW_FN iw_row_##t##_from_##name##_pending iw_row_reissue_##t##_from_##name(const iws_##s *p, int64_t valid, iws_##t absent) \
{ return iw_row_issue_##t##_from_##name(p, valid, absent); } \
IW_FN iw_row_##t iw_row_wait_##t##_from_##name(iw_row_##t##_from_##name##_pending c) \
{ iw_row_##t x; const int first = (int)iw_lane_() * IW_ROW_VECTORS(t); \
  IW_EACH_VECTOR(t, v) x.v[v] = c.valid == IW_FULL_ROW || first + v < c.valid ? function(c.v[v]) : c.absent; \
  return x; }
#define IW_ROW_FROM(t, s, l) IW_ROW_BY(t, s, s, iw_convert_##l##_##t)
IW_ROW_FROM(u32, u8, u32) IW_ROW_FROM(u64, u8, u32) IW_ROW_FROM(i64, i32, i32) IW_ROW_FROM(u64, u32, u32) IW_ROW_FROM(f64, f32, f32)

/* Marks of a row's elements: bits as heads have them. A row that was read is in registers. */
typedef struct { unsigned n; } iw_count_accumulator;                   /* of the lane */
IW_FN unsigned iw_count_total(iw_count_accumulator tally)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(IW_FULL_MASK_, tally.n);
#else
  return iw_warp_sum_u32(tally.n);
#endif
}
#define IW_ROW_FLAGS(t) \
typedef struct { unsigned m; } iw_row_##t##_flags; \
/* Those of a row at a multiple of its length, of which `each` elements, 1 or 2, have a bit. */ \
IW_FN iw_row_##t##_flags iw_row_load_flags_##t(const uint32_t *bits, size_t at, int each) \
{ iw_row_##t##_flags m; const size_t first = (at + iw_lane_() * IW_ROW_VECTORS(t)) / each; \
  const unsigned word = __ldcs(bits + first / 32) >> (first % 32); \
  m.m = (each == 1 ? word : iws_duplicate_bits(word & IW_LOW_BITS_UP_TO_(IW_ROW_VECTORS(t) / 2 - 1))) & IW_LOW_BITS_UP_TO_(IW_ROW_VECTORS(t) - 1); \
  return m; } \
typedef struct { unsigned m[IW_ROW_VECTORS(t) / 4 ? IW_ROW_VECTORS(t) / 4 : 1]; } iw_row_##t##_flag_set; \
IW_FN void iw_row_set_flags_##t(iw_row_##t##_flag_set *kept, int k, iw_row_##t##_flags m) \
{ const int at = k * IW_ROW_VECTORS(t); kept->m[at / 32] = (at % 32 ? kept->m[at / 32] : 0) | m.m << at % 32; } \
/* All rows of a share are next to each other in the lane's words. */ \
IW_FN void iw_row_restrict_flags_##t(iw_row_##t##_flag_set *kept, int rows, int others, int64_t valid) \
{ enum { W = IW_ROW_VECTORS(t), A_WORD = 32 / W }; \
  IW_UNROLL for (int k = 0; k < rows; k += A_WORD) { unsigned *const m = kept->m + k / A_WORD; \
    *m ^= others ? IW_LOW_BITS_UP_TO_(((rows - k < A_WORD ? rows - k : A_WORD) * W - 1)) : 0; \
    if (valid != IW_FULL_ROW) IW_UNROLL for (int j = 0; j < A_WORD && k + j < rows; j++) { \
      const int64_t left = valid - (k + j) * IW_ROW(t) - (int)iw_lane_() * W; \
      *m &= left >= W ? ~0u : ~((left <= 0 ? IW_LOW_BITS_UP_TO_(W - 1) : IW_LOW_BITS_UP_TO_(W - 1) & ~((1u << left) - 1)) << j * W); } } } \
IW_FN void iw_row_count_flags_##t(iw_count_accumulator *tally, const iw_row_##t##_flag_set *kept, int rows) \
{ IW_UNROLL for (int k = 0; k < rows; k += 32 / IW_ROW_VECTORS(t)) tally->n += (unsigned)__popc(kept->m[k * IW_ROW_VECTORS(t) / 32]); } \
IW_NOINLINE_FN unsigned iw_flush_##t(iws_##t *out, iws_##t *staged, unsigned count, int, int) \
{ __syncwarp(); for (unsigned i = iw_lane_(); i < count; i += 32) __stcs(out + i, staged[i]); __syncwarp(); return count; } \
/* Each store is one line, or at the ends a part of it. */ \
IW_FN void iw_block_store_##t(iws_##t *to, const iws_##t *from, unsigned count, unsigned warp, unsigned warps) \
{ enum { LINE = sizeof *to < 4 ? 32 : 128 / sizeof *to, AHEAD = 4 }; const int step = (int)warps * 32, end = (int)count; \
  int i = (int)(warp * 32 + iw_lane_()) - (int)((uintptr_t)to / sizeof *to % LINE); \
  to += i; from += i; asm("" : "+l"(to)); /* or the compiler would work it out anew for each store */ \
  _Pragma("unroll 1") for (; i + (AHEAD - 1) * step < end; i += AHEAD * step, to += AHEAD * step, from += AHEAD * step) { \
    iws_##t x[AHEAD]; \
    IW_UNROLL for (int j = 0; j < AHEAD; j++) x[j] = j || i >= 0 ? from[j * step] : 0; \
    IW_UNROLL for (int j = 0; j < AHEAD; j++) if (j || i >= 0) __stcs(to + j * step, x[j]); } \
  _Pragma("unroll 1") for (; i < end; i += step, to += step, from += step) if (i >= 0) __stcs(to, *from); }
IW_ROW_FLAGS(u8) IW_ROW_FLAGS(u16) IW_ROW_FLAGS(u32) IW_ROW_FLAGS(u64)

/* Bytes and 16-bit words are many in a lane: it is cheaper to add the lanes' numbers of marks up. */
#define IW_ROW_VIEW_NARROW(t) \
typedef struct { unsigned w[4]; } iw_row_##t##_view; \
IW_FN iw_row_##t##_view iw_row_view_##t(const iws_##t *p, int64_t valid) \
{ iw_row_##t##_view x; const int first = (int)iw_lane_() * IW_ROW_VECTORS(t), each = 4 / (int)sizeof *p; \
  if (valid == IW_FULL_ROW || (valid >= IW_ROW(t) && IW_ALIGNED_(p))) { const uint4 q = __ldcs((const uint4 *)p + iw_lane_()); memcpy(&x, &q, 16); } \
  else IW_UNROLL for (int w = 0; w < 4; w++) { x.w[w] = 0; \
    IW_UNROLL for (int v = 0; v < each; v++) if (first + w * each + v < valid) x.w[w] |= (unsigned)p[first + w * each + v] << v * (32 / each); } \
  return x; } \
IW_FN unsigned iw_row_compact_##t(iws_##t *to, unsigned front, unsigned rest, int, const iw_row_##t##_view *x, int rows, const iw_row_##t##_flag_set *kept) \
{ const int each = 4 / (int)sizeof *to; unsigned all = 0; \
  IW_UNROLL for (int k = 0; k < rows; k++) { \
    const int row = k * IW_ROW_VECTORS(t); const unsigned m = kept->m[row / 32] >> row % 32 & IW_LOW_BITS_UP_TO_(IW_ROW_VECTORS(t) - 1); \
    unsigned up_to = (unsigned)__popc(m); \
    iws_##t *const p = to + front + all, *const q = to + rest + k * IW_ROW(t) - all; \
    IW_UNROLL for (int d = 1; d < 32; d *= 2) { const unsigned left = __shfl_up_sync(IW_FULL_MASK_, up_to, d); if ((int)iw_lane_() >= d) up_to += left; } \
    unsigned rank = up_to - (unsigned)__popc(m); \
    IW_EACH_VECTOR(t, v) { const bool marked = m >> v & 1; \
      *(marked ? p + rank : q + (iw_lane_() * IW_ROW_VECTORS(t) + v - rank)) = (iws_##t)(x[k].w[v / each] >> v % each * (32 / each)); rank += marked; } \
    all += __shfl_sync(IW_FULL_MASK_, up_to, 31); } \
  return all; }
IW_ROW_VIEW_NARROW(u8) IW_ROW_VIEW_NARROW(u16)

/* sum + times * byte b of a, in one instruction. */
IW_FN unsigned iw_byte_multiply_add_(unsigned a, int b, int times, unsigned sum)
{
#if defined(__CUDA_ARCH__)
  return __dp4a(a, (unsigned)times << 8 * b, sum);
#else
  return sum + (unsigned)times * (a >> 8 * b & 255);
#endif
}
/* To shared memory: what m has marked to *to, which moves on by it; else as far from `ends` as that is from 0. By hand, since the
 * compiler takes three instructions to test a bit. */
#define IW_COMPACT_ELEMENT(t, bits, r) \
IW_FN void iw_compact_element_##t(unsigned *to, unsigned ends, unsigned m, unsigned bit, iws_##t x) \
{ asm volatile("{ .reg .pred p; .reg .u32 a, b; and.b32 b, %1, %2; setp.ne.u32 p, b, 0; sub.u32 a, %3, %0; selp.u32 a, %0, a, p; " \
               "st.shared." bits " [a], %4; @p add.u32 %0, %0, %5; }" \
               : "+r"(*to) : "r"(m), "r"(bit), "r"(ends), r(x), "r"((unsigned)sizeof x) : "memory"); } \
IW_FN void iw_compact_flagged_element_##t(unsigned *to, unsigned m, unsigned bit, iws_##t x) \
{ asm volatile("{ .reg .pred p; .reg .u32 b; and.b32 b, %1, %2; setp.ne.u32 p, b, 0; @p st.shared." bits " [%0], %3; @p add.u32 %0, %0, %4; }" \
               : "+r"(*to) : "r"(m), "r"(bit), r(x), "r"((unsigned)sizeof x) : "memory"); }
IW_COMPACT_ELEMENT(u32, "b32", "r") IW_COMPACT_ELEMENT(u64, "b64", "l")
#define IW_ROW_VIEW(t) \
typedef iw_row_##t iw_row_##t##_view; \
IW_FN iw_row_##t##_view iw_row_view_##t(const iws_##t *p, int64_t valid) { return iw_row_issue_##t(p, valid, 0); } \
IW_FN iw_row_##t##_view iw_row_iota_##t(uint64_t first) \
{ iw_row_##t x; IW_EACH_VECTOR(t, v) x.v[v] = (iws_##t)(first + iw_lane_() * IW_ROW_VECTORS(t) + v); return x; } \
/* Ranks of eight rows at once, a byte a row: even rows, then odd ones. */ \
IW_FN unsigned iw_row_compact_##t(iws_##t *p, unsigned front, unsigned rest, int both, const iw_row_##t##_view *x, int rows, const iw_row_##t##_flag_set *kept) \
{ enum { W = IW_ROW_VECTORS(t), S = (int)sizeof *p }; const unsigned m = kept->m[0]; unsigned before[2], all[2], n = m; n -= n >> 1 & 0x55555555u; \
  if (W == 4) { n = (n & 0x33333333u) + (n >> 2 & 0x33333333u); before[0] = n & 0x0f0f0f0fu; before[1] = n >> 4 & 0x0f0f0f0fu; } \
  else { n = (n | n << 8) & 0x00ff00ffu; n = (n | n << 4) & 0x0f0f0f0fu; before[0] = n & 0x03030303u; before[1] = n >> 2 & 0x03030303u; } \
  IW_UNROLL for (int h = 0; h < 2; h++) { const unsigned own = before[h]; unsigned up_to = own; \
    IW_UNROLL for (int d = 1; d < 32; d *= 2) { const unsigned left = __shfl_up_sync(IW_FULL_MASK_, up_to, d); if ((int)iw_lane_() >= d) up_to += left; } \
    before[h] = up_to - own; all[h] = __shfl_sync(IW_FULL_MASK_, up_to, 31); } \
  /* In bytes. The first of the lane's share among the others stands as far from `ends` as its marked ones from 0. */ \
  const unsigned at = iw_shared_address_(p), ends = 2 * at + S * (front + rest + iw_lane_() * W); unsigned marked = at + S * front; \
  if (both) IW_UNROLL for (int k = 0; k < rows; k++) { \
    unsigned to = iw_byte_multiply_add_(before[k & 1], k / 2, S, marked); \
    IW_EACH_VECTOR(t, v) iw_compact_element_##t(&to, ends + (k * IW_ROW(t) + v) * S, m, 1u << (k * W + v), x[k].v[v]); \
    marked = iw_byte_multiply_add_(all[k & 1], k / 2, S, marked); } \
  else IW_UNROLL for (int k = 0; k < rows; k++) { \
    unsigned to = iw_byte_multiply_add_(before[k & 1], k / 2, S, marked); \
    IW_EACH_VECTOR(t, v) iw_compact_flagged_element_##t(&to, m, 1u << (k * W + v), x[k].v[v]); \
    marked = iw_byte_multiply_add_(all[k & 1], k / 2, S, marked); } \
  return (marked - at) / S - front; } \
IW_FN iw_##t iw_row_view_vector_##t(iw_row_##t##_view x, int v) { return x.v[v]; } \
IW_FN void iw_row_set_vector_flags_##t(iw_row_##t##_flag_set *kept, int k, int v, iw_pred p) \
{ const int at = k * IW_ROW_VECTORS(t) + v; kept->m[0] = (at ? kept->m[0] : 0) | (p ? 1u << at : 0); } \
/* Of eight lanes the marks are exchanged, so that lane k has theirs of row k, next to each other. */ \
IW_FN void iw_row_store_flags_##t(uint32_t *bits, size_t at, iw_row_##t##_flag_set kept, int rows) \
{ enum { W = IW_ROW_VECTORS(t) }; const unsigned lane = iw_lane_(); unsigned m = kept.m[0]; \
  if (rows < 8) m &= IW_LOW_BITS_UP_TO_((rows * W - 1) & 31); \
  IW_UNROLL for (int d = 4; d > 0; d /= 2) { \
    const unsigned lows = W == 4 \
      ? (d == 4 ? 0x0000ffffu : d == 2 ? 0x00ff00ffu : 0x0f0f0f0fu) : (d == 4 ? 0x00ffu : d == 2 ? 0x0f0fu : 0x3333u); \
    const unsigned theirs = __shfl_xor_sync(IW_FULL_MASK_, m, d); \
    m = lane & d ? (m & ~lows) | (theirs & ~lows) >> d * W : (m & lows) | (theirs & lows) << d * W; } \
  const size_t part = (at + (lane & 7) * (32 * W)) / (8 * W) + lane / 8; /* of 8 * W bits */ \
  if ((int)(lane & 7) < rows) { if (W == 4) bits[part] = m; else ((uint16_t *)bits)[part] = (uint16_t)m; } } \
typedef struct { unsigned bytes; } iw_row_##t##_flags_pending; \
IW_FN iw_row_##t##_flags_pending iw_row_issue_flags_##t(const uint8_t *p, int64_t valid) \
{ iw_row_##t##_flags_pending f; const int first = (int)iw_lane_() * IW_ROW_VECTORS(t); typedef iw_share_<iws_u8, IW_ROW_VECTORS(t)>::word word; f.bytes = 0; \
  if (valid >= IW_ROW(t) && (uintptr_t)p % sizeof(word) == 0) { const word q = __ldcs((const word *)p + iw_lane_()); memcpy(&f, &q, sizeof q); } \
  else IW_EACH_VECTOR(t, v) if (first + v < valid) f.bytes |= (unsigned)p[first + v] << 8 * v; \
  return f; } \
/* Bit 7 of bytes that are not 0, then bits 0, 8, 16, 24 moved to 24 … 27. */ \
IW_FN iw_row_##t##_flags iw_row_wait_flags_##t(iw_row_##t##_flags_pending f) \
{ iw_row_##t##_flags m; const unsigned set = ((f.bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | f.bytes; \
  m.m = (set >> 7 & 0x01010101u) * 0x01020408u >> 24 & IW_LOW_BITS_UP_TO_(IW_ROW_VECTORS(t) - 1); return m; }
IW_ROW_VIEW(u32) IW_ROW_VIEW(u64)

/* ---- Piles: elements that go to many places at a time ---- */

typedef struct { uint64_t half[2]; } iws_u128;
#define IW_MOVED(X) X(u8) X(u16) X(u32) X(u64) X(u128)

/* One table is enough: lanes with one index are added up on their way. */
#define IW_COUNT_REPLICAS 1
IW_FN void iw_count_replicated_in(const iw_block *, uint32_t *counters, unsigned, iw_u32 index, iw_pred some)
{ if (some) atomicAdd(counters + index, 1u); }

/* iw_rank_in by (word >> shift) & mask, of 8 bits at most, of one lane value after the other; ranks are less than 2^16, two in each.
 * Lanes that have the same are found by a ballot on each bit that is not the same in all of the words, which takes as long whatever
 * they are; the last of them counts them. */
enum { IW_RANK_BATCH = 8, IW_RANK_MAX_VARYING_BITS = 5 }; /* values at a time; where more bits than that vary, all are looked at */
IW_FN unsigned iw_warp_or_(unsigned a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(IW_FULL_MASK_, a);
#else
  IW_UNROLL for (int d = 1; d < 32; d *= 2) a |= __shfl_xor_sync(IW_FULL_MASK_, a, d);
  return a;
#endif
}
/* The lanes that agree in this bit. By predicates: of `set ? lanes : ~lanes` the compiler makes words. */
IW_FN unsigned iw_match_bit_(unsigned word, unsigned bit)
{ unsigned lanes;
  asm volatile("{ .reg .pred p; and.b32 %0,%1,%2; setp.ne.u32 p,%0,0; vote.sync.ballot.b32 %0,p,0xffffffff; @!p not.b32 %0,%0; }"
               : "=r"(lanes) : "r"(word), "r"(bit));
  return lanes; }
IW_FN unsigned iw_rank_one_(uint32_t *counter, unsigned same)
{ const unsigned bit = 1u << iw_lane_(), first = *counter, rank = first + (unsigned)__popc(same & (bit - 1));
  __syncwarp();
  if ((same & ~(bit - 1)) == bit) *counter = rank + 1;
  __syncwarp();
  return rank; }
IW_FN void iw_rank_digits_in(uint32_t *counters, const iw_u32 *words, unsigned shift, uint32_t mask, iw_u32 *ranks, int count)
{ const unsigned one = __shfl_sync(IW_FULL_MASK_, words[0], 0); unsigned vary = 0;
  IW_UNROLL for (int k = 0; k < count; k++) vary |= words[k] ^ one;
  vary = iw_warp_or_(vary) & mask << shift;
  __syncwarp();                                             /* what the lanes did to counters before */
  const bool all = __popc(vary) > IW_RANK_MAX_VARYING_BITS;
  IW_UNROLL for (int k = 0; k < count; k += IW_RANK_BATCH) {
    unsigned same[IW_RANK_BATCH];
    IW_UNROLL for (int i = 0; i < IW_RANK_BATCH; i++) same[i] = IW_FULL_MASK_;
    if (all)
      IW_UNROLL for (unsigned b = 1; b < 256; b *= 2)
        IW_UNROLL for (int i = 0; i < IW_RANK_BATCH; i++) same[i] &= iw_match_bit_(words[k + i] >> shift, mask & b);
    else
      for (unsigned rest = vary; rest; rest &= rest - 1)
        IW_UNROLL for (int i = 0; i < IW_RANK_BATCH; i++) same[i] &= iw_match_bit_(words[k + i], rest & (0 - rest));
    IW_UNROLL for (int i = 0; i < IW_RANK_BATCH; i++) {
      const unsigned rank = iw_rank_one_(counters + (words[k + i] >> shift & mask), same[i]);
      ranks[(k + i) / 2] = i % 2 ? ranks[(k + i) / 2] | rank << 16 : rank; } } }

/* So many bits of each lane, from bit `at` on. Not hoisted: what is packed stays so. */
IW_FN iw_u32 iw_bitfield_extract(iw_u32 a, unsigned at, unsigned bits)
{ unsigned b; asm volatile("bfe.u32 %0,%1,%2,%3;" : "=r"(b) : "r"(a), "r"(at), "r"(bits)); return b; }

/* iw_scatter of bits that nobody looks at before the next phase. */
#define IW_SCATTER_BITS(t, l) \
IW_FN void iw_scatter_bits_##t(iws_##t *p, iw_u32 index, iw_##l a, iw_pred some) { if (some) p[index] = (iws_##t)a; } \
IW_FN void iw_scatter_bits_far_##t(iws_##t *p, iw_u64 index, iw_##l a, iw_pred some) { if (some) __stcs(p + index, (iws_##t)a); }
IW_SCATTER_BITS(u8, u32) IW_SCATTER_BITS(u16, u32) IW_SCATTER_BITS(u32, u32) IW_SCATTER_BITS(u64, u64)
#define IW_GATHER_FAR(t) IW_FN iw_u32 iw_gather_far_##t(const iws_##t *p, iw_u64 index, iw_pred some) { return some ? p[index] : 0; }
IW_GATHER_FAR(u8) IW_GATHER_FAR(u16)

/* A pile grows where it is: in memory. */
enum { IW_MAX_WRITE_BUFFERS = 256 };
typedef struct { uint64_t to[IW_MAX_WRITE_BUFFERS]; void *out; } iw_write_buffers;
IW_FN uint64_t iw_write_buffer_position_(uint64_t *to, iw_u32 index, iw_pred some)
{ const unsigned same = __match_any_sync(IW_FULL_MASK_, index) & __ballot_sync(IW_FULL_MASK_, some);
  const unsigned below = (unsigned)__popc(same & ((1u << iw_lane_()) - 1)); const uint64_t first = some ? to[index] : 0;
  __syncwarp();
  if (some && below == 0) to[index] = first + (unsigned)__popc(same);
  __syncwarp();
  return first + below; }
#define IW_WRITE_BUFFER_OF(t) \
IW_FN void iw_write_buffers_open_##t(iw_write_buffers *piles, iws_##t *out, const uint64_t *places, unsigned count, int) \
{ if (iw_lane_() == 0) piles->out = out; \
  for (unsigned d = iw_lane_(); d < count; d += 32) piles->to[d] = places[d]; \
  __syncwarp(); } \
IW_FN void iw_write_buffer_append_##t(iw_write_buffers *piles, const iws_##t *in, iw_u32 index, iw_pred some) \
{ const uint64_t place = iw_write_buffer_position_(piles->to, index, some); if (some) ((iws_##t *)piles->out)[place] = in[iw_lane_()]; } \
IW_FN void iw_write_buffer_append_both_##t(iw_write_buffers *p, const iws_##t *in_p, iw_u32 index_p, iw_write_buffers *q, const iws_##t *in_q, iw_u32 index_q) \
{ iw_write_buffer_append_##t(p, in_p, index_p, true); iw_write_buffer_append_##t(q, in_q, index_q, true); } \
IW_FN void iw_write_buffers_close_##t(iw_write_buffers *, unsigned) { __syncwarp(); } \
IW_FN void iw_scatter_ranked_##t(iws_##t *out, uint32_t *counters, const iws_##t *in, iw_u32 index, iw_pred some) \
{ const iw_u32 at = iw_rank_in(counters, index, some); if (some) out[at] = in[iw_lane_()]; }
IW_MOVED(IW_WRITE_BUFFER_OF)

/* ---- Blocks ---- */

#define IW_VAR(type, x) type x
#define IW_VAR_ARRAY(type, x, n) type x[n]
#define IW_MY(x) (x)
#define IW_DST(type) type &
#define IW_SRC(type) const type
IW_FN iw_pred iw_active_(const iw_block *block, unsigned) { return threadIdx.x < block->threads; }

IW_FN void iw_barrier_(const iw_block *) { __syncthreads(); }
IW_FN iw_block_memory *iw_memory_(void) { static __shared__ iw_block_memory memory; return &memory; }
#define IW_ONCE_(block, expr) (iw_once_begin_(block) ? (void)(*iw_once_(block) = (expr)) : (void)0)
IW_FN int iw_once_begin_(const iw_block *) { return threadIdx.x == 0; }
IW_FN uint64_t *iw_once_(iw_block *block) { return &iw_memory_()->broadcast[block->parity & 1]; }
IW_FN uint64_t iw_once_end_(iw_block *block) { return iw_memory_()->broadcast[block->parity++ & 1]; }
/* The tree over the warps' totals. */
#define IW_REDUCE_AGGREGATES_(op, t, block, totals) iw_warp_##op##_##t(iw_block_aggregates_##op##_##t(block, (const uint64_t *)(totals), 0))
IW_FN uint64_t *iw_warp_aggregates_(iw_block *block) { return iw_memory_()->warp_aggregates[block->parity++ & 1]; }

/* Private counters: each lane's table. */
typedef struct iw_private_histogram { const iw_block *block; uint32_t *counters, table; iw_u32 indices[8]; } iw_private_histogram;
IW_FN void iw_private_histogram_begin_in(const iw_block *block, iw_private_histogram *p, uint32_t *counters, uint32_t own, uint32_t tables,
                              const uint32_t *, uint64_t, int)
{ p->block = block; p->counters = counters; p->table = (iw_lane_() & (tables - 1)) * own; }
IW_FN void iw_private_histogram_set_vector(iw_private_histogram *p, int v, iw_u32 number) { p->indices[v] = number; }
IW_FN void iw_private_histogram_add_row(iw_private_histogram *p, int vectors, int)
{ IW_UNROLL for (int v = 0; v < vectors; v++) iw_count_in(p->block, p->counters, p->table + p->indices[v], true); }
IW_FN void iw_private_histogram_add_row_u8(iw_private_histogram *p, iw_row_u8 row)
{ IW_UNROLL for (int v = 0; v < 16; v++) iw_count_in(p->block, p->counters, p->table + iw_row_vector_u8(row, v), true); }
IW_FN void iw_private_histogram_end(iw_private_histogram *) {}

/* ---- Between blocks ---- */

IW_FN uint32_t iw_fetch_add_relaxed_(const iw_block *, uint32_t *p, uint32_t v) { return atomicAdd(p, v); }
IW_FN void iw_store_relaxed_(uint32_t *p, uint32_t v) { *(volatile uint32_t *)p = v; }
IW_FN uint32_t iw_load_relaxed_(const uint32_t *p) { return *(const volatile uint32_t *)p; }
/* All that the block did before is seen by whom the answer tells of it. */
IW_FN uint32_t iw_increment_acq_rel_(const iw_block *, uint32_t *p)
{ __threadfence(); const uint32_t was = atomicAdd(p, 1u); __threadfence(); return was; }
/* For a warp: one lane asks, and only that lane will be asked for what it got. */
IW_FN uint32_t iw_ticket_request_in(uint32_t *p) { return iw_lane_() == 0 ? atomicAdd(p, 1u) : 0; }
IW_FN void iw_pause(unsigned *) {}

#define IW_POLLED(t) typedef struct { iw_u32 flag; iw_##t value; } iw_polled_##t;
IW_TYPES(IW_POLLED)
IW_FN void iw_tile_state_store_(uint64_t *p, uint64_t w) { asm volatile("st.relaxed.gpu.global.u64 [%0],%1;" :: "l"(p), "l"(w) : "memory"); }
IW_FN uint64_t iw_tile_state_load_(const uint64_t *p)
{ uint64_t w; asm volatile("ld.relaxed.gpu.global.u64 %0,[%1];" : "=l"(w) : "l"(p) : "memory"); return w; }
#define IW_PUBLISH_32(t) \
IW_FN void iw_publish_##t(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) \
{ uint32_t u; memcpy(&u, &v, 4); if (iw_lane_() == 0) iw_tile_state_store_(slots + i, (uint64_t)flag << 32 | u); } \
IW_FN iw_polled_##t iw_poll_##t(const uint64_t *slots, int64_t base, int first, int end) \
{ const int l = (int)iw_lane_(); uint64_t w = 0; iw_polled_##t r; if (l >= first && l < end) w = iw_tile_state_load_(slots + (base + l)); \
  const uint32_t u = (uint32_t)w; memcpy(&r.value, &u, 4); r.flag = (uint32_t)(w >> 32); return r; }
#define IW_PUBLISH_64(t) \
IW_FN void iw_publish_##t(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) \
{ uint64_t u; memcpy(&u, &v, 8); if (iw_lane_() == 0) { iw_tile_state_store_(slots + 2 * i, (uint64_t)flag << 32 | (uint32_t)u); \
    iw_tile_state_store_(slots + 2 * i + 1, (uint64_t)flag << 32 | u >> 32); } } \
IW_FN iw_polled_##t iw_poll_##t(const uint64_t *slots, int64_t base, int first, int end) \
{ const int l = (int)iw_lane_(); uint64_t lo = 0, hi = 0; iw_polled_##t r; \
  if (l >= first && l < end) { lo = iw_tile_state_load_(slots + 2 * (base + l)); hi = iw_tile_state_load_(slots + 2 * (base + l) + 1); } \
  const uint64_t u = hi << 32 | (uint32_t)lo; memcpy(&r.value, &u, 8); r.flag = hi >> 32 == lo >> 32 ? (uint32_t)(hi >> 32) : 0; return r; }
IW_PUBLISH_32(f32) IW_PUBLISH_32(i32) IW_PUBLISH_32(u32) IW_PUBLISH_64(f64) IW_PUBLISH_64(i64) IW_PUBLISH_64(u64)

/* ---- Kernels ---- */

#ifndef IW_KERNEL_PREFIX
#define IW_KERNEL_PREFIX
#endif
#ifndef IW_KERNEL_SUFFIX
#define IW_KERNEL_SUFFIX
#endif
#define IW_PASTE_(a, b) a##b
#define IW_PASTE(a, b) IW_PASTE_(a, b)
#define IW_KERNEL_NAME(name) IW_PASTE(IW_PASTE(IW_KERNEL_PREFIX, name), IW_KERNEL_SUFFIX)

/* Every operation of the language rounds by itself, whatever the compiler's flags. */
static int iw_contracted_(void) { return 0; }

/* On devices of compute capability 9.0 and later blocks come while the launch before theirs in the stream ends, and wait here
 * until all that it wrote is seen. Before it ends none may come: they would take the places of its own. */
IW_FN void iw_grid_dependency_wait_(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* What is known of a kernel on a device, or was asked for there. */
enum { IW_MAX_DEVICES_ = 16 };
typedef struct { size_t granted; int begins; } iw_device_cache_;
/* More dynamic shared memory than 48 KiB has to be asked for, once for each device. */
static cudaError_t iw_request_shared_memory_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{ enum { FREE = 48 << 10 };
  if (how->shared <= FREE) return cudaSuccess;
  if (how->device < IW_MAX_DEVICES_ && how->shared <= __atomic_load_n(&known[how->device].granted, __ATOMIC_RELAXED)) return cudaSuccess;
  const cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)how->shared);
  if (e == cudaSuccess && how->device < IW_MAX_DEVICES_) __atomic_store_n(&known[how->device].granted, how->shared, __ATOMIC_RELAXED);
  return e; }
/* Whether its code here has iw_grid_dependency_wait_: 1, else 2; PTX of an older target that is compiled for a later device has not. */
static int iw_waits_for_dependency_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{ if (how->device >= IW_MAX_DEVICES_) return 0;
  int begins = __atomic_load_n(&known[how->device].begins, __ATOMIC_RELAXED);
  if (!begins) {
    cudaFuncAttributes code;
    begins = cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90 ? 1 : 2;
    __atomic_store_n(&known[how->device].begins, begins, __ATOMIC_RELAXED);
  }
  return begins == 1; }
static int iw_launch_kernel_(const void *kernel, const iw_cuda_launch *how, iw_device_cache_ *known)
{ int was = how->device;
  cudaError_t e = cudaGetDevice(&was);
  if (e == cudaSuccess && was != how->device) e = cudaSetDevice(how->device);
  if (e == cudaSuccess) e = iw_request_shared_memory_(kernel, how, known);
  if (e == cudaSuccess) {
    unsigned threads = how->threads;
    void *parameters[] = { (void *)how->args, &threads };
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)how->grid);
    config.blockDim = dim3((threads + 31) / 32 * 32);
    config.dynamicSmemBytes = how->shared;
    config.stream = (cudaStream_t)how->stream;
    config.attrs = &early;
    config.numAttrs = iw_waits_for_dependency_(kernel, how, known) ? 1 : 0;
    e = cudaLaunchKernelExC(&config, kernel, parameters);
  }
  if (was != how->device) (void)cudaSetDevice(was);
  if (e != cudaSuccess) (void)cudaGetLastError();           /* it is the caller's now */
  return (int)e; }

/* A __global__ function, and the descriptor by which a context launches it. */
#define IW_KERNEL_NO_SPECIALIZATION IW_KERNEL_SIZED
#define IW_KERNEL_SIZED(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_)
#define IW_KERNEL_OF_(name, shared_type, args_type, threads_, blocks_per_processor_) \
  IW_FN void name##_body_(iw_block *block, shared_type *shared, const args_type *args); \
  static __global__ void __launch_bounds__((threads_) ? ((threads_) + 31) / 32 * 32 : 1024, blocks_per_processor_) \
  name##_grid_(const __grid_constant__ args_type args, unsigned threads) \
  { extern __shared__ __align__(128) unsigned char iw_shared_[]; \
    iw_grid_dependency_wait_(); \
    iw_block b; b.index = blockIdx.x; b.blocks = gridDim.x; b.threads = (threads_) ? (threads_) : threads; \
    b.warps = (b.threads + 31) / 32; b.parity = 0; \
    name##_body_(&b, (shared_type *)iw_shared_, &args); } \
  static int name##_start_(const iw_cuda_launch *how) \
  { static iw_device_cache_ known[IW_MAX_DEVICES_]; return iw_launch_kernel_((const void *)name##_grid_, how, known); } \
  IW_EXTERN_CONST iw_kernel IW_KERNEL_NAME(name); \
  const iw_kernel IW_KERNEL_NAME(name) = { sizeof(iw_kernel), #name, IW_LANES_ISA, IW_WARP_SIZE, threads_, blocks_per_processor_, \
    sizeof(shared_type), sizeof(args_type), 0, iw_contracted_, name##_start_ }; \
  IW_FN void name##_body_(iw_block *block, shared_type *shared, const args_type *args)

#endif
