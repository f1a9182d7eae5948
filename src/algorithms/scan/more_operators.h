/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators that the kernel language does not have: product and those of bits, made as a user's are (operators.h), and
 * the inclusion of TEMPLATE for each of their kernels. A part of the build units scan_operators.c, reduce_operators.c,
 * reduce_segments_operators.c and scan_segments_operators.c.
 */
#include <isowarp/operators.h>

#ifndef ISOWARP_MORE_OPERATORS_H
#define ISOWARP_MORE_OPERATORS_H
#define DEFINE_PRODUCT(t, one) \
  IW_FN iw_##t iw_product_##t(iw_##t a, iw_##t b) { return iw_mul_##t(a, b); } IW_OPERATOR(product, t, one)
#define DEFINE_BITWISE(op, t) \
  IW_FN iw_##t iw_bit_##op##_##t(iw_##t a, iw_##t b) { return iw_##op##_##t(a, b); } IW_OPERATOR(bit_##op, t, 0)
DEFINE_PRODUCT(u32, 1) DEFINE_PRODUCT(u64, 1) DEFINE_PRODUCT(f32, 1) DEFINE_PRODUCT(f64, 1)
DEFINE_BITWISE(or, u32) DEFINE_BITWISE(or, u64) DEFINE_BITWISE(xor, u32) DEFINE_BITWISE(xor, u64)
#undef DEFINE_PRODUCT
#undef DEFINE_BITWISE
#endif

#define OF_LANES
#define OP product
#include "algorithms/common/for_each_sum_type.h"
#undef OP
#define OP bit_xor
#include "algorithms/scan/for_each_bitwise_type.h"
#undef OP
#define TWIDDLE_BITS
#define OP bit_or
#include "algorithms/scan/for_each_bitwise_type.h"
#undef OP
#undef TWIDDLE_BITS

#define NARROW
#define OP product
#define INTEGER u32
#include "algorithms/common/for_each_narrow_type.h"
#undef OP
#undef NARROW
#undef OF_LANES
