/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each element type of 1 or 2 bytes as T, and undefines it. The
 * types are those of IW_NARROW_TYPES (scalar_narrow.h).
 */
#define T u8
#include IW_TEMPLATE
#undef T
#define T u16
#include IW_TEMPLATE
#undef T
#define T i8
#include IW_TEMPLATE
#undef T
#define T i16
#include IW_TEMPLATE
#undef T
#define T f16
#include IW_TEMPLATE
#undef T
#define T bf16
#include IW_TEMPLATE
#undef T
#undef IW_TEMPLATE
