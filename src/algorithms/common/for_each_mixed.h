/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each pair of an element type FROM and a wider type T in which its elements are combined.
 */
#include "algorithms/common/for_each_narrow.h"
#define OP sum
#define T u32
#define FROM i8
#include TEMPLATE
#undef FROM
#define FROM i16
#include TEMPLATE
#undef FROM
#undef T
#define T u64
#define FROM u8
#include TEMPLATE
#undef FROM
#define FROM u16
#include TEMPLATE
#undef FROM
#define FROM i8
#include TEMPLATE
#undef FROM
#define FROM i16
#include TEMPLATE
#undef FROM
#define FROM u32
#include TEMPLATE
#undef FROM
#undef T
#define T i64
#define FROM i32
#include TEMPLATE
#undef FROM
#undef T
#define T f64
#define FROM f32
#include TEMPLATE
#undef FROM
#undef T
#undef OP
