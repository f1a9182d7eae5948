/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each operator OP, type T and type FROM of elements of 1 or 2 bytes that are combined in T and
 * whose results may be of type FROM (NARROW). Bits of unsigned integers are those of signed ones: sums wrap, and
 * minima and maxima are computed with twiddled bits (scan/args.h), so u8 serves i8, u8 and bool, and u16 i16 and u16.
 */
#define NARROW
#define OP sum
#define INTEGER u32
#include "algorithms/common/for_each_narrow_type.h"
#undef OP
#define OP min
#define TWIDDLE_BITS
#define MINIMUM
#define INTEGER i32
#include "algorithms/common/for_each_narrow_type.h"
#undef MINIMUM
#undef TWIDDLE_BITS
#undef OP
#undef NARROW
