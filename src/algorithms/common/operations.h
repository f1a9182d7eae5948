/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in operations of scans and reductions, as data. This file is the only list of them: a new
 * operator has its value and its row of IW_BUILTIN_OPERATORS in isowarp/scans.h, and its rows here.
 *
 * An operation, as a caller sees it, is an operator, the type of the elements and the type of the outputs. A
 * fold is code that serves operations: the combine function OP, the type T in which it combines, and the
 * type FROM of the elements in memory. Folds are fewer than operations: sums of signed integers wrap as
 * unsigned ones do. With twiddled bits (scan/args.h) the minimum of i32 gives all minima and maxima of
 * integers of 1 to 4 bytes, which are widened first: max(x) is ~min(~x). The minimum of a float type gives
 * its maximum too, and OR gives AND.
 */
#ifndef IW_ALGORITHMS_OPERATIONS_H
#define IW_ALGORITHMS_OPERATIONS_H

/* X(OPERATOR, stands, identity), of each operator of isowarp/scans.h. The rows of IW_stands in
 * IW_FOR_OPERATIONS serve IW_OPERATOR: those of MIN serve MAX, with twiddled bits. identity: the value that
 * changes no bit of another one, by iw_identity_of(). */
#define IW_FOR_SERVED_OPERATORS(X) \
  X(SUM, SUM, NEGATIVE_ZERO) X(MIN, MIN, GREATEST) X(MAX, MIN, LEAST) X(PRODUCT, PRODUCT, ONE) \
  X(AND, OR, ALL_BITS) X(OR, OR, ZERO) X(XOR, XOR, ZERO)

/* Operators that the kernel language does not have: X(OP, T, identity, the result of lanes a and b). */
#define IW_FOR_LANE_OPERATORS(X) \
  X(product, u32, 1, iw_mul_u32(a, b)) X(product, u64, 1, iw_mul_u64(a, b)) \
  X(product, f32, 1, iw_mul_f32(a, b)) X(product, f64, 1, iw_mul_f64(a, b)) \
  X(bit_or, u32, 0, iw_or_u32(a, b)) X(bit_or, u64, 0, iw_or_u64(a, b)) \
  X(bit_xor, u32, 0, iw_xor_u32(a, b)) X(bit_xor, u64, 0, iw_xor_u64(a, b))

/* X(OPERATOR, type of elements, type of outputs, fold). Where outputs have 1 byte, the fold of u8 serves
 * i8 and bool; where they have 2 bytes, the fold of u16 serves i16. */
#define IW_FOR_OPERATIONS(X) \
  IW_FOR_INTEGER_OPERATIONS(X, SUM, sum, u) IW_FOR_FLOAT_OPERATIONS(X, SUM, sum) \
  IW_FOR_INTEGER_OPERATIONS(X, MIN, min, i) IW_FOR_FLOAT_OPERATIONS(X, MIN, min) \
  X(MIN, BOOL, BOOL, min_i32_from_u8) \
  IW_FOR_INTEGER_OPERATIONS(X, PRODUCT, product, u) IW_FOR_FLOAT_OPERATIONS(X, PRODUCT, product) \
  IW_FOR_INTEGER_OPERATIONS(X, OR, bit_or, u) X(OR, BOOL, BOOL, bit_or_u32_from_u8) \
  IW_FOR_INTEGER_OPERATIONS(X, XOR, bit_xor, u) X(XOR, BOOL, BOOL, bit_xor_u32_from_u8) \
  X(SUM, U8, U32, sum_u32_from_u8) X(SUM, BOOL, U32, sum_u32_from_u8) X(SUM, U16, U32, sum_u32_from_u16) \
  X(SUM, I8, I32, sum_u32_from_i8) X(SUM, I16, I32, sum_u32_from_i16) \
  X(SUM, U8, U64, sum_u64_from_u8) X(SUM, BOOL, U64, sum_u64_from_u8) X(SUM, U16, U64, sum_u64_from_u16) \
  X(SUM, I8, I64, sum_u64_from_i8) X(SUM, I16, I64, sum_u64_from_i16) \
  X(SUM, I32, I64, sum_i64_from_i32) X(SUM, U32, U64, sum_u64_from_u32) \
  X(SUM, F16, F32, sum_f32_from_f16) X(SUM, BF16, F32, sum_f32_from_bf16) X(SUM, F32, F64, sum_f64_from_f32)
/* letter: of the integers in which the folds combine. */
#define IW_FOR_INTEGER_OPERATIONS(X, op, fold, letter) \
  X(op, I32, I32, fold##_##letter##32) X(op, I64, I64, fold##_##letter##64) \
  X(op, U32, U32, fold##_##letter##32) X(op, U64, U64, fold##_##letter##64) \
  X(op, U8, U8, fold##_##letter##32_from_u8) X(op, U16, U16, fold##_##letter##32_from_u16) \
  X(op, I8, I8, fold##_##letter##32_from_u8) X(op, I16, I16, fold##_##letter##32_from_u16)
#define IW_FOR_FLOAT_OPERATIONS(X, op, fold) \
  X(op, F32, F32, fold##_f32) X(op, F16, F16, fold##_f32_from_f16) \
  X(op, F64, F64, fold##_f64) X(op, BF16, BF16, fold##_f32_from_bf16)

/* The folds, in sets, by their names: OP_T, or OP_T_from_FROM where elements in memory are not of type T.
 * src/kernels/units.awk reads these lines, too. PLAIN: elements and outputs are of type T. NARROW: elements
 * are of FROM, outputs of FROM or T. WIDENING: elements are of FROM, outputs of T. OPERATORS are of
 * IW_FOR_LANE_OPERATORS. */
#define IW_PLAIN_SUMS(X)       X(sum_u32) X(sum_u64) X(sum_f32) X(sum_f64)
#define IW_NARROW_SUMS(X)      X(sum_u32_from_u8) X(sum_u32_from_u16) X(sum_f32_from_f16) X(sum_f32_from_bf16)
#define IW_WIDENING_SUMS(X) \
  X(sum_u32_from_i8) X(sum_u32_from_i16) X(sum_u64_from_u8) X(sum_u64_from_u16) X(sum_u64_from_i8) \
  X(sum_u64_from_i16) X(sum_u64_from_u32) X(sum_i64_from_i32) X(sum_f64_from_f32)
#define IW_PLAIN_MINIMA(X)     X(min_i32) X(min_i64) X(min_f32) X(min_f64)
#define IW_NARROW_MINIMA(X)    X(min_i32_from_u8) X(min_i32_from_u16) X(min_f32_from_f16) X(min_f32_from_bf16)
#define IW_PLAIN_OPERATORS(X) \
  X(product_u32) X(product_u64) X(product_f32) X(product_f64) \
  X(bit_or_u32) X(bit_or_u64) X(bit_xor_u32) X(bit_xor_u64)
#define IW_NARROW_OPERATORS(X) \
  X(product_u32_from_u8) X(product_u32_from_u16) X(product_f32_from_f16) X(product_f32_from_bf16) \
  X(bit_or_u32_from_u8) X(bit_or_u32_from_u16) X(bit_xor_u32_from_u8) X(bit_xor_u32_from_u16)
/* The operators whose folds twiddle bits. */
#define IW_TWIDDLING(X)        X(min) X(bit_or)
#define IW_FOR_FOLDS(X) \
  IW_PLAIN_SUMS(X) IW_NARROW_SUMS(X) IW_WIDENING_SUMS(X) IW_PLAIN_MINIMA(X) IW_NARROW_MINIMA(X) \
  IW_PLAIN_OPERATORS(X) IW_NARROW_OPERATORS(X)

#endif
