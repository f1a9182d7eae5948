/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators, load transforms, predicates, bucket rules and sort keys of your own, made of lane functions in
 * the kernel language. The library's kernels are made of them by other headers, each of which has an
 * example: scans, reductions and reductions of segments by <isowarp/make_operator.h>, partition and select
 * by <isowarp/make_predicate.h>, multisplit by <isowarp/make_bucket_rule.h>, and sorts by
 * <isowarp/make_sort_key.h>.
 *
 * The macros stand at file scope, after the lane function that they take. The result of the function in a
 * lane depends only on its arguments in that lane: it uses no iw_lane, no shuffle, no memory and no
 * collective. T is one of f32 f64 i32 u32 i64 u64.
 *
 *   IW_OPERATOR(OP, T, identity)   takes your IW_FN iw_T iw_OP_T(iw_T a, iw_T b). a stands in front of b.
 *                                  Scans and reductions of the library group the operands by summation order
 *                                  1, the collectives by their tree, both the same on every target, so OP
 *                                  need be neither associative nor commutative for equal bits. identity: a
 *                                  constant that changes no bit of the other operand, on either side (for a
 *                                  sum of floats -0.0); it is also lane 0 of an exclusive prefix. The
 *                                  collectives of kernel.h then exist for OP too, under their typed names:
 *                                  iw_warp_OP_T, iw_fold_OP_T, iw_inclusive_prefix_OP_T,
 *                                  iw_exclusive_prefix_OP_T, iw_block_OP_T(block, a),
 *                                  iw_block_inclusive_prefix_OP_T(block, to, a), and iws_OP_T of two
 *                                  scalars. OP must not be a name of the language (sum)
 *   IW_TRANSFORM(NAME, T, S)       takes your IW_FN iw_T NAME(iw_S x): elements are of type S in memory and
 *                                  are combined as T. S: as T, or u8 u16 (the function receives iw_u32), i8
 *                                  i16 (iw_i32), f16 bf16 (iw_f32)
 *   IW_PREDICATE(NAME, T)          takes your IW_FN iw_pred NAME(iw_T x): a test of elements
 *   IW_BUCKET(NAME, T)             takes your IW_FN iw_u32 NAME(iw_T x): the bucket id of an element. T also
 *                                  u8 or u16, which the function receives as iw_u32
 */
#ifndef ISOWARP_OPERATORS_H
#define ISOWARP_OPERATORS_H

#include <isowarp/primitives.h>

/* Two elements for the host: the identity, and what stands in front of an exclusive scan. */
#define IW_IDENTITY_INITIAL(op, t, absent, front) \
__attribute__((unused)) static const iws_##t iw_identity_initial_##op##_##t[2] = { absent, front };
#define IW_OPERATOR(op, t, identity) \
IW_FN iws_##t iws_identity_##op##_##t(void) { return identity; } \
IW_FN iws_##t iw_scan_initial_##op##_##t(void) { return identity; } \
IW_TREE_OF_LANES(op, t) IW_ROW_OP_OF_LANES(op, t) IW_WARP_SCAN(op, t) IW_BLOCK(op, t) \
IW_IDENTITY_INITIAL(op, t, identity, identity)
/* iws_NAME is the type of the elements in memory. */
#define IW_TRANSFORM(name, t, s) \
  typedef iws_##s iws_##name; enum { iw_in_type_##name = IW_TYPE_OF_##s }; IW_ROW_BY(t, name, s, name) IW_LANES_BY(t, name, s)
/* Loads that transform, for reductions of segments. */
#define IW_LANES_BY(t, name, s) \
IW_FN iw_##t iw_load_##name(const iws_##s *p, iw_pred some) { return name(iw_load_##s(p, some)); } \
IW_FN iw_##t iw_gather_##name(const iws_##s *p, iw_u32 index, iw_pred some) { return name(iw_gather_##s(p, index, some)); } \
IW_FN iw_##t iw_gather_far_##name(const iws_##s *p, iw_u64 index, iw_pred some) \
{ return name(iw_gather_far_##s(p, index, some)); }

#define IW_BITS_f32 u32
#define IW_BITS_i32 u32
#define IW_BITS_u32 u32
#define IW_BITS_f64 u64
#define IW_BITS_i64 u64
#define IW_BITS_u64 u64
/* A predicate, in the form that the kernel template of partition calls. */
#define IW_PREDICATE(name, t) IW_PREDICATE_(name, t, IW_BITS_##t)
#define IW_PREDICATE_(name, t, u) IW_PREDICATE_OF_(name, t, u)
#define IW_PREDICATE_OF_(name, t, u) \
IW_FN iw_pred iw_test_##name(const void *args, iw_##u bits) \
{ (void)args; return name(iw_from_bits_##t(bits)); }
/* A bucket rule, in the form that the kernel template of bucket ids calls. */
#define IW_BUCKET(name, t) IW_BUCKET_(name, IW_LANES_FOR_##t)
#define IW_BUCKET_(name, l) IW_BUCKET_OF_(name, l)
#define IW_BUCKET_OF_(name, l) \
IW_FN iw_u32 iw_bucket_id_##name(const void *args, iw_##l x, iw_pred some) \
{ (void)args; (void)some; return name(x); }

#endif
