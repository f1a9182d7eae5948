/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each type T whose minimum scans have a kernel of their own. With twiddled bits
 * (scan/args.h) the minimum of i32 is also that of u32 and both maxima, and likewise for 8 bytes; the minimum
 * of a float type is also its maximum. kernel_list.h has the aliases.
 */
#define OP min
#define TWIDDLE_BITS
#define MINIMUM
#define T i32
#include TEMPLATE
#undef T
#define T i64
#include TEMPLATE
#undef T
#define T f32
#include TEMPLATE
#undef T
#define T f64
#include TEMPLATE
#undef T
#undef MINIMUM
#undef TWIDDLE_BITS
#undef OP
