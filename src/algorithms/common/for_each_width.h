/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each width of elements, T: u8 u16 u32 u64.
 */
#define T u8
#include TEMPLATE
#undef T
#define T u16
#include TEMPLATE
#undef T
#define T u32
#include TEMPLATE
#undef T
#define T u64
#include TEMPLATE
#undef T
