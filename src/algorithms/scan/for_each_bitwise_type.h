/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each type T, and type FROM of elements of 1 or 2 bytes, that a bitwise operator has kernels for:
 * the bits of signed and unsigned integers are combined alike.
 */
#define T u32
#include TEMPLATE
#define NARROW
#define FROM u8
#include TEMPLATE
#undef FROM
#define FROM u16
#include TEMPLATE
#undef FROM
#undef NARROW
#undef T
#define T u64
#include TEMPLATE
#undef T
