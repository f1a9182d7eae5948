/* SPDX-License-Identifier: Apache-2.0
 *
 * The names without a type: iw_add(a, b) for iw_add_f32(a, b) and so on. Two layers over one vocabulary: _Generic in C11,
 * overloads in C++. A kernel that only uses these names reads the same whatever its element type is.
 */
#ifndef ISOWARP_LANGUAGE_UNTYPED_H
#define ISOWARP_LANGUAGE_UNTYPED_H

#ifdef __cplusplus

/* Calls name_T(first, rest…) where the argument that decides, `key`, has T's type. */
#define IW_OVERLOAD_LANES(name, t) \
template <class... R> IW_FN auto name(iw_##t a, R... rest) -> decltype(name##_##t(a, rest...)) { return name##_##t(a, rest...); }
#define IW_OVERLOAD_MEMORY(name, t) \
template <class... R> IW_FN auto name(const iws_##t *p, R... rest) -> decltype(name##_##t(p, rest...)) { return name##_##t(p, rest...); }
#define IW_OVERLOAD_INTO(name, t) \
template <class... R> IW_FN auto name(iws_##t *p, R... rest) -> decltype(name##_##t(p, rest...)) { return name##_##t(p, rest...); }
#define IW_OVERLOAD_FOLD(name, t) \
IW_FN iws_##t name(iws_##t first, iw_##t a, iw_##t *before) { return name##_##t(first, a, before); }
#define IW_OVERLOAD_FOLD_SEGMENTS(name, t) \
IW_FN iws_##t name(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) { return name##_##t(first, a, heads, before); }
#define IW_OVERLOAD_SPLAT(name, t) IW_FN iw_##t name(iws_##t v) { return name##_##t(v); }
#define IW_OVERLOAD_SELECT(name, t) IW_FN iw_##t name(iw_pred p, iw_##t a, iw_##t b) { return name##_##t(p, a, b); }
#define IW_OVERLOAD_ATOMIC(name, t) \
template <class... R> IW_FN iw_##t name##_in(const iw_block *block, iws_##t *p, R... rest) { return name##_##t(block, p, rest...); }
#define IW_OVERLOAD_BLOCK(name, t) \
template <class... R> IW_FN iws_##t name##_in(iw_block *block, IW_SRC(iw_##t) a, R... rest) { return name##_##t(block, a, rest...); }
#define IW_OVERLOAD_BLOCK_TO(name, t) \
IW_FN void name##_in(iw_block *block, IW_DST(iw_##t) to, IW_SRC(iw_##t) a) { name##_##t(block, to, a); }
#define IW_OVERLOAD_PUBLISH(name, t) \
IW_FN void name(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) { name##_##t(slots, i, flag, v); }

#define IW_FOR_NUMBERS(kind, name) kind(name, f32) kind(name, f64) kind(name, i32) kind(name, u32) kind(name, i64) kind(name, u64)
#define IW_FOR_INTS(kind, name) kind(name, i32) kind(name, u32) kind(name, i64) kind(name, u64)
#define IW_FOR_FLOATS(kind, name) kind(name, f32) kind(name, f64)
#define IW_LANES(name) IW_FOR_NUMBERS(IW_OVERLOAD_LANES, name)

IW_LANES(iw_add) IW_LANES(iw_sub) IW_LANES(iw_mul) IW_LANES(iw_div) IW_LANES(iw_min) IW_LANES(iw_max) IW_LANES(iw_neg)
IW_LANES(iw_canonical) IW_LANES(iw_eq) IW_LANES(iw_ne) IW_LANES(iw_lt) IW_LANES(iw_le) IW_LANES(iw_gt) IW_LANES(iw_ge)
IW_FOR_INTS(IW_OVERLOAD_LANES, iw_rem) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_and) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_or)
IW_FOR_INTS(IW_OVERLOAD_LANES, iw_xor) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_not) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_shl)
IW_FOR_INTS(IW_OVERLOAD_LANES, iw_shr) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_match)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_floor) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_to_index)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_floor_index)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_abs) IW_OVERLOAD_LANES(iw_abs, i32)
IW_OVERLOAD_LANES(iw_abs, i64) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_as_bits)
IW_FOR_NUMBERS(IW_OVERLOAD_SELECT, iw_select) IW_FOR_NUMBERS(IW_OVERLOAD_SPLAT, iw_splat)
#define IW_CONVERT_LAYER(to) \
IW_FN iw_##to iw_to_##to(iw_f32 a) { return iw_convert_f32_##to(a); } IW_FN iw_##to iw_to_##to(iw_f64 a) { return iw_convert_f64_##to(a); } \
IW_FN iw_##to iw_to_##to(iw_i32 a) { return iw_convert_i32_##to(a); } IW_FN iw_##to iw_to_##to(iw_u32 a) { return iw_convert_u32_##to(a); } \
IW_FN iw_##to iw_to_##to(iw_i64 a) { return iw_convert_i64_##to(a); } IW_FN iw_##to iw_to_##to(iw_u64 a) { return iw_convert_u64_##to(a); }
IW_TYPES(IW_CONVERT_LAYER)
IW_LANES(iw_at) IW_LANES(iw_last) IW_LANES(iw_broadcast) IW_LANES(iw_shift)
IW_LANES(iw_shuffle) IW_LANES(iw_shuffle_up) IW_LANES(iw_shuffle_down) IW_LANES(iw_shuffle_xor)
IW_LANES(iw_warp_sum) IW_LANES(iw_warp_min) IW_LANES(iw_warp_max)
IW_FOR_NUMBERS(IW_OVERLOAD_FOLD, iw_fold_sum) IW_FOR_NUMBERS(IW_OVERLOAD_FOLD, iw_fold_min) IW_FOR_NUMBERS(IW_OVERLOAD_FOLD, iw_fold_max)
IW_FOR_NUMBERS(IW_OVERLOAD_FOLD_SEGMENTS, iw_fold_segments_sum) IW_FOR_NUMBERS(IW_OVERLOAD_FOLD_SEGMENTS, iw_fold_segments_min)
IW_FOR_NUMBERS(IW_OVERLOAD_FOLD_SEGMENTS, iw_fold_segments_max)
IW_LANES(iw_inclusive_prefix_sum) IW_LANES(iw_inclusive_prefix_min) IW_LANES(iw_inclusive_prefix_max)
IW_LANES(iw_exclusive_prefix_sum) IW_LANES(iw_exclusive_prefix_min) IW_LANES(iw_exclusive_prefix_max)
IW_FOR_NUMBERS(IW_OVERLOAD_MEMORY, iw_load) IW_FOR_NUMBERS(IW_OVERLOAD_MEMORY, iw_gather) IW_FOR_NUMBERS(IW_OVERLOAD_MEMORY, iw_gather_far)
IW_FOR_NUMBERS(IW_OVERLOAD_MEMORY, iw_get) IW_FOR_NUMBERS(IW_OVERLOAD_INTO, iw_store) IW_FOR_NUMBERS(IW_OVERLOAD_INTO, iw_scatter)
IW_FOR_NUMBERS(IW_OVERLOAD_INTO, iw_scatter_far) IW_FOR_NUMBERS(IW_OVERLOAD_INTO, iw_set)
IW_OVERLOAD_INTO(iw_compact, u32) IW_OVERLOAD_INTO(iw_compact, u64) IW_OVERLOAD_INTO(iw_compact_both, u32) IW_OVERLOAD_INTO(iw_compact_both, u64) IW_OVERLOAD_INTO(iw_append, u32) IW_OVERLOAD_INTO(iw_append, u64)
IW_FOR_NUMBERS(IW_OVERLOAD_PUBLISH, iw_publish)

#define IW_CALL_ATOMIC(name, p) name##_in
#define IW_CALL_BLOCK(name, a) name##_in
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_add) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_min) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_max)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_exchange) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_compare_exchange)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_add) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_min) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_max)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_exchange) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_compare_exchange)
IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK, iw_block_sum) IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK, iw_block_min) IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK, iw_block_max)
IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK, iw_block_broadcast)
IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_sum) IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_min)
IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_max) IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_sum)
IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_min) IW_FOR_NUMBERS(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_max)

#else

#define IW_CALL(name, a) _Generic((a), iw_f32: name##_f32, iw_f64: name##_f64, iw_i32: name##_i32, iw_u32: name##_u32, \
  iw_i64: name##_i64, iw_u64: name##_u64)
#define IW_CALL_INT(name, a) _Generic((a), iw_i32: name##_i32, iw_u32: name##_u32, iw_i64: name##_i64, iw_u64: name##_u64)
#define IW_CALL_FLOAT(name, a) _Generic((a), iw_f32: name##_f32, iw_f64: name##_f64)
#define IW_CALL_SCALAR(name, v) _Generic((v), iws_f32: name##_f32, iws_f64: name##_f64, iws_i32: name##_i32, \
  iws_u32: name##_u32, iws_i64: name##_i64, iws_u64: name##_u64)
#define IW_CALL_ATOMIC(name, p) _Generic(*(p), iws_i32: name##_i32, iws_u32: name##_u32, iws_i64: name##_i64, iws_u64: name##_u64)
#define IW_CALL_BLOCK(name, a) IW_CALL(name, *(a))

#define iw_add(a, b) IW_CALL(iw_add, a)(a, b)
#define iw_sub(a, b) IW_CALL(iw_sub, a)(a, b)
#define iw_mul(a, b) IW_CALL(iw_mul, a)(a, b)
#define iw_div(a, b) IW_CALL(iw_div, a)(a, b)
#define iw_min(a, b) IW_CALL(iw_min, a)(a, b)
#define iw_max(a, b) IW_CALL(iw_max, a)(a, b)
#define iw_neg(a) IW_CALL(iw_neg, a)(a)
#define iw_canonical(a) IW_CALL(iw_canonical, a)(a)
#define iw_eq(a, b) IW_CALL(iw_eq, a)(a, b)
#define iw_ne(a, b) IW_CALL(iw_ne, a)(a, b)
#define iw_lt(a, b) IW_CALL(iw_lt, a)(a, b)
#define iw_le(a, b) IW_CALL(iw_le, a)(a, b)
#define iw_gt(a, b) IW_CALL(iw_gt, a)(a, b)
#define iw_ge(a, b) IW_CALL(iw_ge, a)(a, b)
#define iw_rem(a, b) IW_CALL_INT(iw_rem, a)(a, b)
#define iw_and(a, b) IW_CALL_INT(iw_and, a)(a, b)
#define iw_or(a, b) IW_CALL_INT(iw_or, a)(a, b)
#define iw_xor(a, b) IW_CALL_INT(iw_xor, a)(a, b)
#define iw_not(a) IW_CALL_INT(iw_not, a)(a)
#define iw_shl(a, b) IW_CALL_INT(iw_shl, a)(a, b)
#define iw_shr(a, b) IW_CALL_INT(iw_shr, a)(a, b)
#define iw_match(a, some) IW_CALL_INT(iw_match, a)(a, some)
#define iw_floor(a) IW_CALL_FLOAT(iw_floor, a)(a)
#define iw_to_index(a, last) IW_CALL_FLOAT(iw_to_index, a)(a, last)
#define iw_floor_index(a, past) IW_CALL_FLOAT(iw_floor_index, a)(a, past)
#define iw_abs(a) _Generic((a), iw_f32: iw_abs_f32, iw_f64: iw_abs_f64, iw_i32: iw_abs_i32, iw_i64: iw_abs_i64)(a)
#define iw_as_bits(a) IW_CALL_FLOAT(iw_as_bits, a)(a)
#define iw_select(p, a, b) IW_CALL(iw_select, a)(p, a, b)
#define iw_splat(v) IW_CALL_SCALAR(iw_splat, v)(v)
#define IW_CALL_TO(to, a) _Generic((a), iw_f32: iw_convert_f32_##to, iw_f64: iw_convert_f64_##to, iw_i32: iw_convert_i32_##to, \
  iw_u32: iw_convert_u32_##to, iw_i64: iw_convert_i64_##to, iw_u64: iw_convert_u64_##to)(a)
#define iw_to_f32(a) IW_CALL_TO(f32, a)
#define iw_to_f64(a) IW_CALL_TO(f64, a)
#define iw_to_i32(a) IW_CALL_TO(i32, a)
#define iw_to_u32(a) IW_CALL_TO(u32, a)
#define iw_to_i64(a) IW_CALL_TO(i64, a)
#define iw_to_u64(a) IW_CALL_TO(u64, a)
#define iw_at(a, lane) IW_CALL(iw_at, a)(a, lane)
#define iw_last(a) IW_CALL(iw_last, a)(a)
#define iw_broadcast(a, lane) IW_CALL(iw_broadcast, a)(a, lane)
#define iw_shift(a, first) IW_CALL(iw_shift, a)(a, first)
#define iw_shuffle(a, index, width) IW_CALL(iw_shuffle, a)(a, index, width)
#define iw_shuffle_up(a, delta, width) IW_CALL(iw_shuffle_up, a)(a, delta, width)
#define iw_shuffle_down(a, delta, width) IW_CALL(iw_shuffle_down, a)(a, delta, width)
#define iw_shuffle_xor(a, mask, width) IW_CALL(iw_shuffle_xor, a)(a, mask, width)
#define iw_warp_sum(a) IW_CALL(iw_warp_sum, a)(a)
#define iw_warp_min(a) IW_CALL(iw_warp_min, a)(a)
#define iw_warp_max(a) IW_CALL(iw_warp_max, a)(a)
#define iw_fold_sum(first, a, before) IW_CALL(iw_fold_sum, a)(first, a, before)
#define iw_fold_min(first, a, before) IW_CALL(iw_fold_min, a)(first, a, before)
#define iw_fold_max(first, a, before) IW_CALL(iw_fold_max, a)(first, a, before)
#define iw_fold_segments_sum(first, a, heads, before) IW_CALL(iw_fold_segments_sum, a)(first, a, heads, before)
#define iw_fold_segments_min(first, a, heads, before) IW_CALL(iw_fold_segments_min, a)(first, a, heads, before)
#define iw_fold_segments_max(first, a, heads, before) IW_CALL(iw_fold_segments_max, a)(first, a, heads, before)
#define iw_inclusive_prefix_sum(a) IW_CALL(iw_inclusive_prefix_sum, a)(a)
#define iw_inclusive_prefix_min(a) IW_CALL(iw_inclusive_prefix_min, a)(a)
#define iw_inclusive_prefix_max(a) IW_CALL(iw_inclusive_prefix_max, a)(a)
#define iw_exclusive_prefix_sum(a) IW_CALL(iw_exclusive_prefix_sum, a)(a)
#define iw_exclusive_prefix_min(a) IW_CALL(iw_exclusive_prefix_min, a)(a)
#define iw_exclusive_prefix_max(a) IW_CALL(iw_exclusive_prefix_max, a)(a)
#define iw_load(p, some) IW_CALL_SCALAR(iw_load, *(p))(p, some)
#define iw_store(p, a, some) IW_CALL_SCALAR(iw_store, *(p))(p, a, some)
#define iw_gather(p, index, some) IW_CALL_SCALAR(iw_gather, *(p))(p, index, some)
#define iw_scatter(p, index, a, some) IW_CALL_SCALAR(iw_scatter, *(p))(p, index, a, some)
#define iw_gather_far(p, index, some) IW_CALL_SCALAR(iw_gather_far, *(p))(p, index, some)
#define iw_scatter_far(p, index, a, some) IW_CALL_SCALAR(iw_scatter_far, *(p))(p, index, a, some)
#define iw_get(p) IW_CALL_SCALAR(iw_get, *(p))(p)
#define iw_set(p, v) IW_CALL_SCALAR(iw_set, *(p))(p, v)
#define iw_append(p, counters, index, a, some) \
  _Generic(*(p), iws_u32: iw_append_u32, iws_u64: iw_append_u64)(p, counters, index, a, some)
#define iw_compact(p, a, some) _Generic(*(p), iws_u32: iw_compact_u32, iws_u64: iw_compact_u64)(p, a, some)
#define iw_compact_both(p, q, a, chosen, some) \
  _Generic(*(p), iws_u32: iw_compact_both_u32, iws_u64: iw_compact_both_u64)(p, q, a, chosen, some)
#define iw_publish(slots, i, flag, v) IW_CALL_SCALAR(iw_publish, v)(slots, i, flag, v)

#endif

/* These need to know the block, which is in scope in a kernel under this name; a function of your own takes it along. */
#define iw_active(warp) iw_active_(block, warp)
#define iw_count(counters, index, some) iw_count_in(block, counters, index, some)
#define iw_count_per_lane(counters, index, some) iw_count_per_lane_in(block, counters, index, some)
#define iw_count_u16(counters, index, some) iw_count_u16_in(block, counters, index, some)
#define iw_private_histogram_begin(p, counters, own, tables, map, n, hot) iw_private_histogram_begin_in(block, p, counters, own, tables, map, n, hot)
#define iw_count_replicated(counters, each, index, some) iw_count_replicated_in(block, counters, each, index, some)
#define iw_shared_add(p, index, v, some) IW_CALL_ATOMIC(iw_shared_add, p)(block, p, index, v, some)
#define iw_shared_min(p, index, v, some) IW_CALL_ATOMIC(iw_shared_min, p)(block, p, index, v, some)
#define iw_shared_max(p, index, v, some) IW_CALL_ATOMIC(iw_shared_max, p)(block, p, index, v, some)
#define iw_shared_exchange(p, index, v, some) IW_CALL_ATOMIC(iw_shared_exchange, p)(block, p, index, v, some)
#define iw_shared_compare_exchange(p, index, expected, v, some) \
  IW_CALL_ATOMIC(iw_shared_compare_exchange, p)(block, p, index, expected, v, some)
#define iw_global_add(p, index, v, some) IW_CALL_ATOMIC(iw_global_add, p)(block, p, index, v, some)
#define iw_global_add_noreturn(p, index, v, some) iw_global_add_noreturn_u64(block, p, index, v, some)
#define iw_global_min(p, index, v, some) IW_CALL_ATOMIC(iw_global_min, p)(block, p, index, v, some)
#define iw_global_max(p, index, v, some) IW_CALL_ATOMIC(iw_global_max, p)(block, p, index, v, some)
#define iw_global_exchange(p, index, v, some) IW_CALL_ATOMIC(iw_global_exchange, p)(block, p, index, v, some)
#define iw_global_compare_exchange(p, index, expected, v, some) \
  IW_CALL_ATOMIC(iw_global_compare_exchange, p)(block, p, index, expected, v, some)
#define iw_block_sum(a) IW_CALL_BLOCK(iw_block_sum, a)(block, a)
#define iw_block_min(a) IW_CALL_BLOCK(iw_block_min, a)(block, a)
#define iw_block_max(a) IW_CALL_BLOCK(iw_block_max, a)(block, a)
#define iw_block_broadcast(a, thread) IW_CALL_BLOCK(iw_block_broadcast, a)(block, a, thread)
#define iw_block_inclusive_prefix_sum(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_sum, a)(block, to, a)
#define iw_block_inclusive_prefix_min(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_min, a)(block, to, a)
#define iw_block_inclusive_prefix_max(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_max, a)(block, to, a)
#define iw_block_exclusive_prefix_sum(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_sum, a)(block, to, a)
#define iw_block_exclusive_prefix_min(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_min, a)(block, to, a)
#define iw_block_exclusive_prefix_max(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_max, a)(block, to, a)
#define iw_ticket_next(tickets) iw_ticket_next_(block, tickets)
#define iw_ticket_post(asked) iw_ticket_post_(block, asked)
#define iw_ticket_receive() iw_ticket_receive_(block)
#define iw_tickets_epoch(tickets) iw_tickets_epoch_(block, tickets)
#define iw_tickets_open(tickets, first) iw_tickets_open_(block, tickets, first)
#define iw_tickets_close(tickets) iw_tickets_close_(block, tickets)
#define iw_is_last_block(closed) iw_is_last_block_(block, closed)

#endif
