/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each pair of an element type FROM and a wider type T in which its elements are
 * summed up.
 */
#define OP sum
#define T u32
#define FROM u8
#include TEMPLATE
#undef T
#define T u64
#include TEMPLATE
#undef FROM
#define FROM u32
#include TEMPLATE
#undef T
#undef FROM
#define T i64
#define FROM i32
#include TEMPLATE
#undef T
#undef FROM
#define T f64
#define FROM f32
#include TEMPLATE
#undef T
#undef FROM
#undef OP
