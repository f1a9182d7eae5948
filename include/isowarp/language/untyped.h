/* SPDX-License-Identifier: Apache-2.0
 *
 * The names without a type: iw_add(a, b) for iw_add_f32(a, b) and so on. There are two layers over one
 * vocabulary, _Generic in C11 and overloads in C++ (which nvcc compiles). Part of the kernel language,
 * common to all targets; it must not know what a lane value is made of. language/untyped_primitives.h has
 * the names of <isowarp/primitives.h>.
 *
 * The type comes from the first lane value or from the pointer. Operands after it may be scalars: they are
 * converted to the lane's type as C converts, and then stand in every lane. A lane value of another type is
 * an error, and so is a float scalar where lanes are integers.
 */
#ifndef ISOWARP_LANGUAGE_UNTYPED_H
#define ISOWARP_LANGUAGE_UNTYPED_H

#define IW_FOR_TYPES(kind, name) kind(name, f32) kind(name, f64) kind(name, i32) kind(name, u32) \
  kind(name, i64) kind(name, u64)
#define IW_FOR_INTS(kind, name) kind(name, i32) kind(name, u32) kind(name, i64) kind(name, u64)
#define IW_FOR_FLOATS(kind, name) kind(name, f32) kind(name, f64)
#define IW_FOR_BITS(kind, name) kind(name, u32) kind(name, u64)

#ifdef __cplusplus

/* ---- C++ ---- */

/* iw_operand_T: a lane value as it is, a scalar in every lane. On CUDA both are the same type. */
template <class S> struct iw_scalar_ { enum { is_number = __is_enum(S), is_float = 0 }; };
#define IW_SCALAR(type, yes) template <> struct iw_scalar_<type> { enum { is_number = 1, is_float = yes }; };
IW_SCALAR(float, 1) IW_SCALAR(double, 1) IW_SCALAR(bool, 0) IW_SCALAR(char, 0) IW_SCALAR(signed char, 0)
  IW_SCALAR(unsigned char, 0)
IW_SCALAR(short, 0) IW_SCALAR(unsigned short, 0) IW_SCALAR(int, 0) IW_SCALAR(unsigned, 0) IW_SCALAR(long, 0)
IW_SCALAR(unsigned long, 0) IW_SCALAR(long long, 0) IW_SCALAR(unsigned long long, 0)
#if defined(__CUDACC__) && !defined(IW_CHECK_LANES)
#define IW_OPERAND_LANES(t)
#else
#define IW_OPERAND_LANES(t) IW_FN iw_##t iw_operand_##t(iw_##t a) { return a; }
#endif
#define IW_OPERAND(t, takes_float) \
template <class S> IW_FN iw_##t iw_operand_##t(S v) \
{ static_assert(iw_scalar_<S>::is_number, "an operand is lanes of the first one's type, or a scalar"); \
  static_assert((takes_float) || !iw_scalar_<S>::is_float, "lanes of integers take no float operand"); \
  return iw_splat_##t((iws_##t)v); } \
IW_OPERAND_LANES(t)
IW_OPERAND(f32, 1) IW_OPERAND(f64, 1) IW_OPERAND(i32, 0) IW_OPERAND(u32, 0) IW_OPERAND(i64, 0)
  IW_OPERAND(u64, 0)

/* Calls name_T(first, rest...) where the argument that decides has the type T. */
#define IW_OVERLOAD_LANES(name, t) \
template <class... R> IW_FN auto name(iw_##t a, R... rest) -> decltype(name##_##t(a, rest...)) \
  { return name##_##t(a, rest...); }
#define IW_OVERLOAD_2(name, t) \
template <class B> IW_FN auto name(iw_##t a, B b) -> decltype(name##_##t(a, a)) \
  { return name##_##t(a, iw_operand_##t(b)); }
#define IW_OVERLOAD_3(name, t) \
template <class B, class C> IW_FN iw_##t name(iw_##t a, B b, C c) \
  { return name##_##t(a, iw_operand_##t(b), iw_operand_##t(c)); }
#define IW_OVERLOAD_SELECT(name, t) \
template <class B> IW_FN iw_##t name(iw_pred p, iw_##t a, B b) \
  { return name##_##t(p, a, iw_operand_##t(b)); }
#define IW_OVERLOAD_MEMORY(name, t) \
template <class... R> IW_FN auto name(const iws_##t *p, R... rest) -> decltype(name##_##t(p, rest...)) \
  { return name##_##t(p, rest...); }
#define IW_OVERLOAD_INTO(name, t) \
template <class... R> IW_FN auto name(iws_##t *p, R... rest) -> decltype(name##_##t(p, rest...)) \
  { return name##_##t(p, rest...); }
#define IW_OVERLOAD_STORE(name, t) \
template <class A> IW_FN void name(iws_##t *p, A a, iw_pred some) { name##_##t(p, iw_operand_##t(a), some); }
#define IW_OVERLOAD_SCATTER(name, t) \
template <class I, class A> IW_FN void name(iws_##t *p, I index, A a, iw_pred some) \
  { name##_##t(p, index, iw_operand_##t(a), some); }
#define IW_OVERLOAD_FOLD(name, t) \
IW_FN iws_##t name(iws_##t first, iw_##t a, iw_##t *before) { return name##_##t(first, a, before); }
#define IW_OVERLOAD_SPLAT(name, t) IW_FN iw_##t name(iws_##t v) { return name##_##t(v); }
#define IW_OVERLOAD_ATOMIC(name, t) \
template <class I, class A> \
  IW_FN iw_##t name##_in(const iw_block *block, iws_##t *p, I index, A a, iw_pred some) \
{ return name##_##t(block, p, iw_operand_u32(index), iw_operand_##t(a), some); }
#define IW_OVERLOAD_COMPARE_EXCHANGE(name, t) \
template <class I, class E, class A> \
IW_FN iw_##t name##_in(const iw_block *block, iws_##t *p, I index, E expected, A a, iw_pred some) \
{ return name##_##t(block, p, iw_operand_u32(index), iw_operand_##t(expected), iw_operand_##t(a), some); }
#define IW_OVERLOAD_BLOCK(name, t) \
template <class... R> IW_FN iws_##t name##_in(iw_block *block, IW_SRC(iw_##t) a, R... rest) \
  { return name##_##t(block, a, rest...); }
#define IW_OVERLOAD_BLOCK_TO(name, t) \
IW_FN void name##_in(iw_block *block, IW_DST(iw_##t) to, IW_SRC(iw_##t) a) { name##_##t(block, to, a); }
#define IW_OVERLOAD_BLOCK_GET(name, t) \
IW_FN iws_##t name##_in(iw_block *block, const iws_##t *p) { return name##_##t(block, p); }
#define IW_OVERLOAD_PUBLISH(name, t) \
IW_FN void name(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) { name##_##t(slots, i, flag, v); }

IW_FOR_TYPES(IW_OVERLOAD_2, iw_add) IW_FOR_TYPES(IW_OVERLOAD_2, iw_sub) IW_FOR_TYPES(IW_OVERLOAD_2, iw_mul)
IW_FOR_TYPES(IW_OVERLOAD_2, iw_div) IW_FOR_TYPES(IW_OVERLOAD_2, iw_min) IW_FOR_TYPES(IW_OVERLOAD_2, iw_max)
IW_FOR_TYPES(IW_OVERLOAD_2, iw_eq) IW_FOR_TYPES(IW_OVERLOAD_2, iw_ne) IW_FOR_TYPES(IW_OVERLOAD_2, iw_lt)
IW_FOR_TYPES(IW_OVERLOAD_2, iw_le) IW_FOR_TYPES(IW_OVERLOAD_2, iw_gt) IW_FOR_TYPES(IW_OVERLOAD_2, iw_ge)
IW_FOR_INTS(IW_OVERLOAD_2, iw_rem) IW_FOR_INTS(IW_OVERLOAD_2, iw_and) IW_FOR_INTS(IW_OVERLOAD_2, iw_or)
IW_FOR_INTS(IW_OVERLOAD_2, iw_xor) IW_FOR_INTS(IW_OVERLOAD_2, iw_shl) IW_FOR_INTS(IW_OVERLOAD_2, iw_shr)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_neg) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_at)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_last) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_broadcast)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_shift) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_shuffle)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_shuffle_up) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_shuffle_down)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_shuffle_xor) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_warp_sum)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_warp_min) IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_warp_max)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_inclusive_prefix_sum)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_inclusive_prefix_min)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_inclusive_prefix_max)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_exclusive_prefix_sum)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_exclusive_prefix_min)
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_exclusive_prefix_max)
IW_FOR_INTS(IW_OVERLOAD_LANES, iw_not) IW_FOR_INTS(IW_OVERLOAD_LANES, iw_match)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_floor) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_abs)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_ceil) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_trunc)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_rint) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_sqrt)
IW_FOR_FLOATS(IW_OVERLOAD_3, iw_fma)
IW_OVERLOAD_LANES(iw_abs, i32) IW_OVERLOAD_LANES(iw_abs, i64) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_as_bits)
IW_FOR_BITS(IW_OVERLOAD_LANES, iw_clz) IW_FOR_BITS(IW_OVERLOAD_LANES, iw_ctz)
IW_FOR_TYPES(IW_OVERLOAD_SELECT, iw_select) IW_FOR_TYPES(IW_OVERLOAD_SPLAT, iw_splat)
IW_OVERLOAD_LANES(iw_popcount, u32)
#if !defined(__CUDACC__) || defined(IW_CHECK_LANES) /* there lanes of u64 are masks, and iw_popcount is theirs already */
IW_OVERLOAD_LANES(iw_popcount, u64)
#endif
IW_FN iw_pred iw_and(iw_pred p, iw_pred q) { return iw_and_pred(p, q); }
IW_FN iw_pred iw_or(iw_pred p, iw_pred q) { return iw_or_pred(p, q); }
IW_FN iw_pred iw_not(iw_pred p) { return iw_not_pred(p); }
#define IW_CONVERT_FROM(from, to) IW_FN iw_##to iw_to_##to(iw_##from a) \
  { return iw_convert_##from##_##to(a); }
#define IW_CONVERT_TO(to) IW_CONVERT_FROM(f32, to) IW_CONVERT_FROM(f64, to) IW_CONVERT_FROM(i32, to) \
  IW_CONVERT_FROM(u32, to) \
  IW_CONVERT_FROM(i64, to) IW_CONVERT_FROM(u64, to)
IW_TYPES(IW_CONVERT_TO)
IW_FOR_TYPES(IW_OVERLOAD_FOLD, iw_fold_sum) IW_FOR_TYPES(IW_OVERLOAD_FOLD, iw_fold_min)
IW_FOR_TYPES(IW_OVERLOAD_FOLD, iw_fold_max)
IW_FOR_TYPES(IW_OVERLOAD_MEMORY, iw_load) IW_FOR_TYPES(IW_OVERLOAD_MEMORY, iw_gather)
IW_FOR_TYPES(IW_OVERLOAD_MEMORY, iw_gather_far) IW_FOR_TYPES(IW_OVERLOAD_MEMORY, iw_get)
IW_FOR_TYPES(IW_OVERLOAD_STORE, iw_store) IW_FOR_TYPES(IW_OVERLOAD_SCATTER, iw_scatter)
IW_FOR_TYPES(IW_OVERLOAD_SCATTER, iw_scatter_far) IW_FOR_TYPES(IW_OVERLOAD_INTO, iw_set)
IW_FOR_BITS(IW_OVERLOAD_INTO, iw_compact) IW_FOR_TYPES(IW_OVERLOAD_PUBLISH, iw_publish) IW_FOR_TYPES(IW_OVERLOAD_PUBLISH, iw_publish_release)
#define IW_CALL_ATOMIC(name, p) name##_in
#define IW_CALL_BLOCK(name, a) name##_in
#define IW_CALL_BLOCK_GET(name, p) name##_in
#define IW_ATOMIC_OPERAND(p, a) (a)
#define IW_ATOMIC_INDEX(i) (i)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_add) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_min)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_max) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_shared_exchange)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_add) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_min)
IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_max) IW_FOR_INTS(IW_OVERLOAD_ATOMIC, iw_global_exchange)
IW_FOR_INTS(IW_OVERLOAD_COMPARE_EXCHANGE, iw_shared_compare_exchange)
IW_FOR_INTS(IW_OVERLOAD_COMPARE_EXCHANGE, iw_global_compare_exchange)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK, iw_block_sum) IW_FOR_TYPES(IW_OVERLOAD_BLOCK, iw_block_min)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK, iw_block_max) IW_FOR_TYPES(IW_OVERLOAD_BLOCK, iw_block_broadcast)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_sum)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_min)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_inclusive_prefix_max)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_sum)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_min)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_TO, iw_block_exclusive_prefix_max)
IW_FOR_TYPES(IW_OVERLOAD_BLOCK_GET, iw_block_get)

#else

/* ---- C ---- */

/* name_T by the type of an expression: of lanes, of a scalar or of what a pointer points to. */
#define IW_CALL(name, a) _Generic((a), iw_f32: name##_f32, iw_f64: name##_f64, iw_i32: name##_i32, \
  iw_u32: name##_u32, \
  iw_i64: name##_i64, iw_u64: name##_u64)
#define IW_CALL_INT(name, a) _Generic((a), iw_i32: name##_i32, iw_u32: name##_u32, iw_i64: name##_i64, \
  iw_u64: name##_u64)
#define IW_CALL_LOGIC(name, a) _Generic((a), iw_pred: name##_pred, iw_i32: name##_i32, iw_u32: \
  name##_u32, iw_i64: name##_i64, \
  iw_u64: name##_u64)
#define IW_CALL_FLOAT(name, a) _Generic((a), iw_f32: name##_f32, iw_f64: name##_f64)
#define IW_CALL_ABS(name, a) _Generic((a), iw_f32: name##_f32, iw_f64: name##_f64, iw_i32: name##_i32, \
  iw_i64: name##_i64)
#define IW_CALL_BITS(name, a) _Generic((a), iw_u32: name##_u32, iw_u64: name##_u64)
#define IW_CALL_MASK(name, a) _Generic((a), iw_u32: name##_u32, iw_u64: name##_u64, default: name)
#define IW_CALL_SCALAR(name, v) _Generic((v), iws_f32: name##_f32, iws_f64: name##_f64, iws_i32: \
  name##_i32, \
  iws_u32: name##_u32, iws_i64: name##_i64, iws_u64: name##_u64)
#define IW_CALL_SCALAR_BITS(name, v) _Generic((v), iws_u32: name##_u32, iws_u64: name##_u64)
#define IW_CALL_ATOMIC(name, p) _Generic(*(p), iws_i32: name##_i32, iws_u32: name##_u32, iws_i64: \
  name##_i64, iws_u64: name##_u64)
#define IW_CALL_BLOCK(name, a) IW_CALL(name, *(a))
#define IW_CALL_BLOCK_GET(name, p) IW_CALL_SCALAR(name, *(p))

/* Operands: iw_lanes_T is a lane value as it is, iw_scalar_operand_T a scalar in every lane. The first is
 * also what a lane value of a wrong type is offered to, whose name then stands in the error. */
#define IW_OPERAND(t) \
IW_FN iw_##t iw_lanes_##t(iw_##t a) { return a; } \
IW_FN iw_##t iw_scalar_operand_##t(iws_##t v) { return iw_splat_##t(v); }
IW_TYPES(IW_OPERAND)
IW_FN iw_pred iw_lanes_pred(iw_pred p) { return p; }
typedef struct { char unused; } iw_integer_scalar;
#define IW_NO_FLOAT(t) IW_FN iw_##t iw_integer_lanes_take_no_float_##t(iw_integer_scalar v) \
  { (void)v; return iw_splat_##t(0); }
IW_INTS(IW_NO_FLOAT)
#define IW_OPERAND_FLOAT(t, b) _Generic((b), iw_##t: iw_lanes_##t, default: iw_scalar_operand_##t)
#define IW_OPERAND_INT(t, b) _Generic((b), iw_##t: iw_lanes_##t, float: iw_integer_lanes_take_no_float_##t, \
  double: iw_integer_lanes_take_no_float_##t, default: iw_scalar_operand_##t)
/* The conversion of b to the type of the lanes a, or of the scalar v. */
#define IW_LIKE(a, b) _Generic((a), iw_f32: IW_OPERAND_FLOAT(f32, b), iw_f64: IW_OPERAND_FLOAT(f64, b), \
  iw_i32: IW_OPERAND_INT(i32, b), \
  iw_u32: IW_OPERAND_INT(u32, b), iw_i64: IW_OPERAND_INT(i64, b), iw_u64: IW_OPERAND_INT(u64, b))
#define IW_LIKE_INT(a, b) _Generic((a), iw_pred: iw_lanes_pred, iw_i32: IW_OPERAND_INT(i32, b), iw_u32: \
  IW_OPERAND_INT(u32, b), \
  iw_i64: IW_OPERAND_INT(i64, b), iw_u64: IW_OPERAND_INT(u64, b))
#define IW_LIKE_SCALAR(v, b) _Generic((v), iws_f32: IW_OPERAND_FLOAT(f32, b), iws_f64: \
  IW_OPERAND_FLOAT(f64, b), \
  iws_i32: IW_OPERAND_INT(i32, b), iws_u32: IW_OPERAND_INT(u32, b), iws_i64: IW_OPERAND_INT(i64, b), \
  iws_u64: IW_OPERAND_INT(u64, b))

/* Every argument is evaluated and mentioned once, so that the size of nested calls grows with their number
 * and not as a power of their depth. The names of the variables differ, so that no warning speaks of
 * shadowing. */
#define IW_UNIQUE_(name, number) name##number
#define IW_UNIQUE(name, number) IW_UNIQUE_(name, number)
#define IW_1(call, name, a) IW_1_(call, name, a, IW_UNIQUE(iw_a_, __COUNTER__))
#define IW_1_(call, name, a, x) __extension__({ __auto_type x = (a); call(name, x)(x); })
#define IW_1_AND(call, name, a, ...) IW_1_AND_(call, name, a, IW_UNIQUE(iw_a_, __COUNTER__), __VA_ARGS__)
#define IW_1_AND_(call, name, a, x, ...) __extension__({ __auto_type x = (a); call(name, x)(x, \
  __VA_ARGS__); })
/* The same for operations that know their place in the source. */
#define IW_1_AT(call, name, text, a) IW_1_AT_(call, name, text, a, IW_UNIQUE(iw_a_, __COUNTER__))
#define IW_1_AT_(call, name, text, a, x) \
  __extension__({ __auto_type x = (a); call(name, x)(IW_SITE_(#name, text) x); })
#define IW_1_AND_AT(call, name, text, a, ...) \
  IW_1_AND_AT_(call, name, text, a, IW_UNIQUE(iw_a_, __COUNTER__), __VA_ARGS__)
#define IW_1_AND_AT_(call, name, text, a, x, ...) \
  __extension__({ __auto_type x = (a); call(name, x)(IW_SITE_(#name, text) x, __VA_ARGS__); })
#define IW_2(call, like, name, a, b) IW_2_(call, like, name, a, b, IW_UNIQUE(iw_a_, __COUNTER__), \
  IW_UNIQUE(iw_b_, __COUNTER__))
#define IW_2_(call, like, name, a, b, x, y) \
  __extension__({ __auto_type x = (a); __auto_type y = (b); call(name, x)(x, like(x, y)(y)); })
#define IW_3(call, like, name, a, b, c) IW_3_(call, like, name, a, b, c, IW_UNIQUE(iw_a_, __COUNTER__), \
  IW_UNIQUE(iw_b_, __COUNTER__), IW_UNIQUE(iw_c_, __COUNTER__))
#define IW_3_(call, like, name, a, b, c, x, y, z) \
  __extension__({ __auto_type x = (a); __auto_type y = (b); __auto_type z = (c); \
  call(name, x)(x, like(x, y)(y), like(x, z)(z)); })
#define IW_SELECT_(p, a, b, x, y) \
  __extension__({ __auto_type x = (a); __auto_type y = (b); IW_CALL(iw_select, x)(p, x, IW_LIKE(x, y)(y)); })
#define IW_STORE_OF_(site, p, a, some, x) \
  __extension__({ __auto_type x = (a); IW_CALL_SCALAR(iw_store, *(p))(site p, IW_LIKE_SCALAR(*(p), x)(x), \
  some); })
#define IW_SCATTER_OF_(site, name, p, index, a, some, x) \
  __extension__({ __auto_type x = (a); IW_CALL_SCALAR(name, *(p))(site p, index, IW_LIKE_SCALAR(*(p), x)(x), \
  some); })
#define IW_FOLD_OF(name, first, a, ...) IW_FOLD_OF_(name, first, a, IW_UNIQUE(iw_a_, __COUNTER__), \
  __VA_ARGS__)
#define IW_FOLD_OF_(name, first, a, x, ...) __extension__({ __auto_type x = (a); IW_CALL(name, x)( \
  IW_SITE_(#name, "") first, x, __VA_ARGS__); })
#define IW_ATOMIC_OPERAND(p, a) IW_ATOMIC_OPERAND_(p, a, IW_UNIQUE(iw_a_, __COUNTER__))
#define IW_ATOMIC_OPERAND_(p, a, x) __extension__({ __auto_type x = (a); IW_LIKE_SCALAR(*(p), x)(x); })
#define IW_ATOMIC_INDEX(i) IW_ATOMIC_INDEX_(i, IW_UNIQUE(iw_a_, __COUNTER__))
#define IW_ATOMIC_INDEX_(i, x) __extension__({ __auto_type x = (i); IW_OPERAND_INT(u32, x)(x); })

#define iw_add(a, b) IW_2(IW_CALL, IW_LIKE, iw_add, a, b)
#define iw_sub(a, b) IW_2(IW_CALL, IW_LIKE, iw_sub, a, b)
#define iw_mul(a, b) IW_2(IW_CALL, IW_LIKE, iw_mul, a, b)
#define iw_div(a, b) IW_2(IW_CALL, IW_LIKE, iw_div, a, b)
#define iw_min(a, b) IW_2(IW_CALL, IW_LIKE, iw_min, a, b)
#define iw_max(a, b) IW_2(IW_CALL, IW_LIKE, iw_max, a, b)
#define iw_eq(a, b) IW_2(IW_CALL, IW_LIKE, iw_eq, a, b)
#define iw_ne(a, b) IW_2(IW_CALL, IW_LIKE, iw_ne, a, b)
#define iw_lt(a, b) IW_2(IW_CALL, IW_LIKE, iw_lt, a, b)
#define iw_le(a, b) IW_2(IW_CALL, IW_LIKE, iw_le, a, b)
#define iw_gt(a, b) IW_2(IW_CALL, IW_LIKE, iw_gt, a, b)
#define iw_ge(a, b) IW_2(IW_CALL, IW_LIKE, iw_ge, a, b)
#define iw_rem(a, b) IW_2(IW_CALL_INT, IW_LIKE_INT, iw_rem, a, b)
#define iw_and(a, b) IW_2(IW_CALL_LOGIC, IW_LIKE_INT, iw_and, a, b)
#define iw_or(a, b) IW_2(IW_CALL_LOGIC, IW_LIKE_INT, iw_or, a, b)
#define iw_xor(a, b) IW_2(IW_CALL_INT, IW_LIKE_INT, iw_xor, a, b)
#define iw_shl(a, b) IW_2(IW_CALL_INT, IW_LIKE_INT, iw_shl, a, b)
#define iw_shr(a, b) IW_2(IW_CALL_INT, IW_LIKE_INT, iw_shr, a, b)
#define iw_neg(a) IW_1(IW_CALL, iw_neg, a)
#define iw_not(a) IW_1(IW_CALL_LOGIC, iw_not, a)
#define iw_abs(a) IW_1(IW_CALL_ABS, iw_abs, a)
#define iw_floor(a) IW_1(IW_CALL_FLOAT, iw_floor, a)
#define iw_ceil(a) IW_1(IW_CALL_FLOAT, iw_ceil, a)
#define iw_trunc(a) IW_1(IW_CALL_FLOAT, iw_trunc, a)
#define iw_rint(a) IW_1(IW_CALL_FLOAT, iw_rint, a)
#define iw_sqrt(a) IW_1(IW_CALL_FLOAT, iw_sqrt, a)
#define iw_fma(a, b, c) IW_3(IW_CALL_FLOAT, IW_LIKE, iw_fma, a, b, c)
#define iw_as_bits(a) IW_1(IW_CALL_FLOAT, iw_as_bits, a)
#define iw_popcount(a) IW_1(IW_CALL_MASK, iw_popcount, a)
#define iw_clz(a) IW_1(IW_CALL_BITS, iw_clz, a)
#define iw_ctz(a) IW_1(IW_CALL_BITS, iw_ctz, a)
#define iw_last(a) IW_1_AT(IW_CALL, iw_last, #a, a)
#define iw_warp_sum(a) IW_1_AT(IW_CALL, iw_warp_sum, #a, a)
#define iw_warp_min(a) IW_1_AT(IW_CALL, iw_warp_min, #a, a)
#define iw_warp_max(a) IW_1_AT(IW_CALL, iw_warp_max, #a, a)
#define iw_inclusive_prefix_sum(a) IW_1(IW_CALL, iw_inclusive_prefix_sum, a)
#define iw_inclusive_prefix_min(a) IW_1(IW_CALL, iw_inclusive_prefix_min, a)
#define iw_inclusive_prefix_max(a) IW_1(IW_CALL, iw_inclusive_prefix_max, a)
#define iw_exclusive_prefix_sum(a) IW_1(IW_CALL, iw_exclusive_prefix_sum, a)
#define iw_exclusive_prefix_min(a) IW_1(IW_CALL, iw_exclusive_prefix_min, a)
#define iw_exclusive_prefix_max(a) IW_1(IW_CALL, iw_exclusive_prefix_max, a)
#define iw_splat(v) IW_CALL_SCALAR(iw_splat, v)(v)
#define iw_select(p, a, b) IW_SELECT_(p, a, b, IW_UNIQUE(iw_a_, __COUNTER__), IW_UNIQUE(iw_b_, __COUNTER__))
#define IW_CALL_CONVERT(to, a) _Generic((a), iw_f32: iw_convert_f32_##to, iw_f64: iw_convert_f64_##to, \
  iw_i32: iw_convert_i32_##to, \
  iw_u32: iw_convert_u32_##to, iw_i64: iw_convert_i64_##to, iw_u64: iw_convert_u64_##to)
#define iw_to_f32(a) IW_1(IW_CALL_CONVERT, f32, a)
#define iw_to_f64(a) IW_1(IW_CALL_CONVERT, f64, a)
#define iw_to_i32(a) IW_1(IW_CALL_CONVERT, i32, a)
#define iw_to_u32(a) IW_1(IW_CALL_CONVERT, u32, a)
#define iw_to_i64(a) IW_1(IW_CALL_CONVERT, i64, a)
#define iw_to_u64(a) IW_1(IW_CALL_CONVERT, u64, a)
#define iw_match(a, some) IW_1_AND_AT(IW_CALL_INT, iw_match, #a ", " #some, a, some)
#define iw_at(a, lane) IW_1_AND_AT(IW_CALL, iw_at, #a ", " #lane, a, lane)
#define iw_broadcast(a, lane) (IW_NOTE_("iw_broadcast", #a ", " #lane) IW_1_AND(IW_CALL, iw_broadcast, a, lane))
#define iw_shift(a, first) IW_1_AND(IW_CALL, iw_shift, a, first)
#define iw_shuffle(a, index, width) IW_1_AND_AT(IW_CALL, iw_shuffle, #a ", " #index ", " #width, a, index, width)
#define iw_shuffle_up(a, delta, width) IW_1_AND_AT(IW_CALL, iw_shuffle_up, #a ", " #delta ", " #width, a, delta, width)
#define iw_shuffle_down(a, delta, width) IW_1_AND_AT(IW_CALL, iw_shuffle_down, #a ", " #delta ", " #width, a, delta, width)
#define iw_shuffle_xor(a, mask, width) IW_1_AND_AT(IW_CALL, iw_shuffle_xor, #a ", " #mask ", " #width, a, mask, width)
#define iw_fold_sum(first, a, before) IW_FOLD_OF(iw_fold_sum, first, a, before)
#define iw_fold_min(first, a, before) IW_FOLD_OF(iw_fold_min, first, a, before)
#define iw_fold_max(first, a, before) IW_FOLD_OF(iw_fold_max, first, a, before)
#define iw_load(p, some) \
  IW_CALL_SCALAR(iw_load, *(p))(IW_SITE_AT_("iw_load", #p ", " #some, p) p, some)
#define iw_gather(p, index, some) \
  IW_CALL_SCALAR(iw_gather, *(p))(IW_SITE_AT_("iw_gather", #p ", " #index ", " #some, p) p, index, some)
#define iw_gather_far(p, index, some) \
  IW_CALL_SCALAR(iw_gather_far, *(p))(IW_SITE_AT_("iw_gather_far", #p ", " #index ", " #some, p) p, index, some)
#define iw_store(p, a, some) \
  IW_STORE_OF_(IW_SITE_AT_("iw_store", #p ", " #a ", " #some, p), p, a, some, IW_UNIQUE(iw_a_, __COUNTER__))
#define iw_scatter(p, index, a, some) \
  IW_SCATTER_OF_(IW_SITE_AT_("iw_scatter", #p ", " #index ", " #a ", " #some, p), iw_scatter, p, index, a, some, \
                 IW_UNIQUE(iw_a_, __COUNTER__))
#define iw_scatter_far(p, index, a, some) \
  IW_SCATTER_OF_(IW_SITE_AT_("iw_scatter_far", #p ", " #index ", " #a ", " #some, p), iw_scatter_far, p, index, a, some, \
                 IW_UNIQUE(iw_a_, __COUNTER__))
#define iw_get(p) \
  IW_CALL_SCALAR(iw_get, *(p))(IW_SITE_AT_("iw_get", #p, p) p)
#define iw_set(p, v) \
  IW_CALL_SCALAR(iw_set, *(p))(IW_SITE_AT_("iw_set", #p ", " #v, p) p, v)
#define iw_compact(p, a, some) \
  IW_CALL_SCALAR_BITS(iw_compact, *(p))(IW_SITE_AT_("iw_compact", #p ", " #a ", " #some, p) p, a, some)
#define iw_publish(slots, i, flag, v) \
  IW_CALL_SCALAR(iw_publish, v)(IW_SITE_("iw_publish", #slots ", " #i ", " #flag ", " #v) slots, i, flag, v)
#define iw_publish_release(slots, i, flag, v) \
  IW_CALL_SCALAR(iw_publish_release, v)(IW_SITE_("iw_publish_release", #slots ", " #i ", " #flag ", " #v) slots, i, flag, v)

#endif

/* ---- Names that need to know the block ---- */

/* The block is in scope in a kernel under the name `block`; a function of your own takes it along. */
#define iw_active(warp) iw_active_(block, warp)
#define iw_elements(warp, n) iw_elements_from_(block, warp, block->index * block->threads, n)
#define iw_elements_from(warp, start, n) iw_elements_from_(block, warp, start, n)
#define iw_shared_add(p, index, v, some) \
  IW_CALL_ATOMIC(iw_shared_add, p)( \
    IW_SITE_AT_("iw_shared_add", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_shared_min(p, index, v, some) \
  IW_CALL_ATOMIC(iw_shared_min, p)( \
    IW_SITE_AT_("iw_shared_min", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_shared_max(p, index, v, some) \
  IW_CALL_ATOMIC(iw_shared_max, p)( \
    IW_SITE_AT_("iw_shared_max", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_shared_exchange(p, index, v, some) \
  IW_CALL_ATOMIC(iw_shared_exchange, p)( \
    IW_SITE_AT_("iw_shared_exchange", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_shared_compare_exchange(p, index, expected, v, some) \
  IW_CALL_ATOMIC(iw_shared_compare_exchange, p)( \
    IW_SITE_AT_("iw_shared_compare_exchange", #p ", " #index, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, \
  expected), IW_ATOMIC_OPERAND(p, v), some)
#define iw_global_add(p, index, v, some) \
  IW_CALL_ATOMIC(iw_global_add, p)( \
    IW_SITE_AT_("iw_global_add", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_global_min(p, index, v, some) \
  IW_CALL_ATOMIC(iw_global_min, p)( \
    IW_SITE_AT_("iw_global_min", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_global_max(p, index, v, some) \
  IW_CALL_ATOMIC(iw_global_max, p)( \
    IW_SITE_AT_("iw_global_max", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_global_exchange(p, index, v, some) \
  IW_CALL_ATOMIC(iw_global_exchange, p)( \
    IW_SITE_AT_("iw_global_exchange", #p ", " #index ", " #v ", " #some, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, v), some)
#define iw_global_compare_exchange(p, index, expected, v, some) \
  IW_CALL_ATOMIC(iw_global_compare_exchange, p)( \
    IW_SITE_AT_("iw_global_compare_exchange", #p ", " #index, p) block, p, IW_ATOMIC_INDEX(index), IW_ATOMIC_OPERAND(p, \
  expected), IW_ATOMIC_OPERAND(p, v), some)

/* Collectives of the block: between phases only. */
#define iw_block_sum(a) IW_CALL_BLOCK(iw_block_sum, a)(IW_COLLECTIVE_(block), a)
#define iw_block_min(a) IW_CALL_BLOCK(iw_block_min, a)(IW_COLLECTIVE_(block), a)
#define iw_block_max(a) IW_CALL_BLOCK(iw_block_max, a)(IW_COLLECTIVE_(block), a)
#define iw_block_broadcast(a, thread) IW_CALL_BLOCK(iw_block_broadcast, a)(IW_COLLECTIVE_(block), a, thread)
#define iw_block_inclusive_prefix_sum(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_sum, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_inclusive_prefix_min(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_min, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_inclusive_prefix_max(to, a) IW_CALL_BLOCK(iw_block_inclusive_prefix_max, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_exclusive_prefix_sum(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_sum, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_exclusive_prefix_min(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_min, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_exclusive_prefix_max(to, a) IW_CALL_BLOCK(iw_block_exclusive_prefix_max, \
  a)(IW_COLLECTIVE_(block), to, a)
#define iw_block_any(p) iw_block_any_(IW_COLLECTIVE_(block), p)
#define iw_block_all(p) iw_block_all_(IW_COLLECTIVE_(block), p)
#define iw_block_count(p) iw_block_count_(IW_COLLECTIVE_(block), p)
#define iw_block_get(p) IW_CALL_BLOCK_GET(iw_block_get, p)(IW_COLLECTIVE_(block), p)
#define iw_post_f32(v) iw_post_f32_(IW_IN_PHASE_(block), v)
#define iw_posted_f32() iw_posted_f32_(IW_COLLECTIVE_(block))
#define iw_post_f64(v) iw_post_f64_(IW_IN_PHASE_(block), v)
#define iw_posted_f64() iw_posted_f64_(IW_COLLECTIVE_(block))
#define iw_post_i32(v) iw_post_i32_(IW_IN_PHASE_(block), v)
#define iw_posted_i32() iw_posted_i32_(IW_COLLECTIVE_(block))
#define iw_post_u32(v) iw_post_u32_(IW_IN_PHASE_(block), v)
#define iw_posted_u32() iw_posted_u32_(IW_COLLECTIVE_(block))
#define iw_post_i64(v) iw_post_i64_(IW_IN_PHASE_(block), v)
#define iw_posted_i64() iw_posted_i64_(IW_COLLECTIVE_(block))
#define iw_post_u64(v) iw_post_u64_(IW_IN_PHASE_(block), v)
#define iw_posted_u64() iw_posted_u64_(IW_COLLECTIVE_(block))
#define iw_ticket_next(tickets) iw_ticket_next_(IW_COLLECTIVE_(block), tickets)
#define iw_ticket_post(requested) iw_ticket_post_(IW_IN_PHASE_(block), requested)
#define iw_ticket_receive() iw_ticket_receive_(IW_COLLECTIVE_(block))
#define iw_tickets_epoch(tickets) iw_tickets_epoch_(IW_COLLECTIVE_(block), tickets)
#define iw_tickets_open(tickets, first) iw_tickets_open_(IW_COLLECTIVE_(block), tickets, first)
#define iw_tickets_arrive_request(tickets) iw_tickets_arrive_request_(IW_IN_PHASE_(block), tickets)
#define iw_tickets_arrive(tickets, requested, is_last) iw_tickets_arrive_(IW_IN_PHASE_(block), tickets, requested, is_last)
#define iw_tickets_close(tickets) iw_tickets_close_(IW_COLLECTIVE_(block), tickets)
#define iw_is_last_block(closed) iw_is_last_block_(IW_COLLECTIVE_(block), closed)

#endif
