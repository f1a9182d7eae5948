/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each of the two floating-point types as T, and undefines it.
 */
#define T f32
#include IW_TEMPLATE
#undef T
#define T f64
#include IW_TEMPLATE
#undef T
#undef IW_TEMPLATE
