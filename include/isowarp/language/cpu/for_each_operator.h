/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each of the six element types as T and each built-in operator
 * as OP, and undefines it.
 */
#define T f32
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#define T f64
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#define T i32
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#define T u32
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#define T i64
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#define T u64
#include <isowarp/language/cpu/each_operator_of_type.h>
#undef T
#undef IW_TEMPLATE
