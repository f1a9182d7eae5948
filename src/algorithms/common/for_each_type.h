/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each of the six types T that are scanned: i32 u32 i64 u64 f32 f64.
 */
#define T i32
#include TEMPLATE
#undef T
#define T u32
#include TEMPLATE
#undef T
#define T i64
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
