/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each type T whose sums need code of their own: signed integers wrap as unsigned
 * ones do, so kernels of sums of i32 and i64 are those of u32 and u64.
 */
#define T u32
#include TEMPLATE
#undef T
#define T u64
#include TEMPLATE
#undef T
#define T f32
#include TEMPLATE
#undef T
#define T f64
#include TEMPLATE
#undef T
