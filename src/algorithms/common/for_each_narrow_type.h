/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each type FROM of 1 or 2 bytes that has kernels of its own and the type T in which it is
 * combined: the integers in type INTEGER, which the including file defines, the floats in f32.
 */
#define T INTEGER
#define FROM u8
#include TEMPLATE
#undef FROM
#define FROM u16
#include TEMPLATE
#undef FROM
#undef T
#define T f32
#define FROM f16
#include TEMPLATE
#undef FROM
#define FROM bf16
#include TEMPLATE
#undef FROM
#undef T
#undef INTEGER
