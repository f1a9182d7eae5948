/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each of the six element types as T and each built-in operator
 * as OP, and undefines it.
 */
#define T f32
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#define T f64
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#define T i32
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#define T u32
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#define T i64
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#define T u64
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
#undef T
#undef IW_TEMPLATE
