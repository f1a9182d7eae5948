/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each type of IW_TYPE_SET as T, and undefines both macros. A set
 * is the sum of its types' bits. IW_TYPE_SET is the set of the six types of lanes if nothing defines it. It
 * includes itself for each type, and the template if the set has the type.
 */
#ifndef ISOWARP_LANGUAGE_FOR_EACH_TYPE_H
#define ISOWARP_LANGUAGE_FOR_EACH_TYPE_H
#define IW_SET_u8 1
#define IW_SET_u16 2
#define IW_SET_i8 4
#define IW_SET_i16 8
#define IW_SET_f16 16
#define IW_SET_bf16 32
#define IW_SET_f32 64
#define IW_SET_f64 128
#define IW_SET_i32 256
#define IW_SET_u32 512
#define IW_SET_i64 1024
#define IW_SET_u64 2048
#define IW_SET_u128 4096
#define IW_SET_OF_INTEGERS (IW_SET_i32 | IW_SET_u32 | IW_SET_i64 | IW_SET_u64)
#define IW_SET_OF_FLOATS (IW_SET_f32 | IW_SET_f64)
/* Those of IW_NARROW_TYPES (scalar_narrow.h). */
#define IW_SET_OF_NARROW (IW_SET_u8 | IW_SET_u16 | IW_SET_i8 | IW_SET_i16 | IW_SET_f16 | IW_SET_bf16)
/* A type for each width of elements. */
#define IW_SET_OF_WIDTHS (IW_SET_u8 | IW_SET_u16 | IW_SET_u32 | IW_SET_u64)
#define IW_SET_OF(t) IW_SET_OF_(t)
#define IW_SET_OF_(t) IW_SET_##t
#endif

#ifdef T
#if IW_TYPE_SET & IW_SET_OF(T)
#include IW_TEMPLATE
#endif
#undef T
#else
#ifndef IW_TYPE_SET
#define IW_TYPE_SET (IW_SET_OF_INTEGERS | IW_SET_OF_FLOATS)
#endif
#define T u8
#include <isowarp/language/for_each_type.h>
#define T u16
#include <isowarp/language/for_each_type.h>
#define T i8
#include <isowarp/language/for_each_type.h>
#define T i16
#include <isowarp/language/for_each_type.h>
#define T f16
#include <isowarp/language/for_each_type.h>
#define T bf16
#include <isowarp/language/for_each_type.h>
#define T f32
#include <isowarp/language/for_each_type.h>
#define T f64
#include <isowarp/language/for_each_type.h>
#define T i32
#include <isowarp/language/for_each_type.h>
#define T u32
#include <isowarp/language/for_each_type.h>
#define T i64
#include <isowarp/language/for_each_type.h>
#define T u64
#include <isowarp/language/for_each_type.h>
#define T u128
#include <isowarp/language/for_each_type.h>
#undef IW_TYPE_SET
#undef IW_TEMPLATE
#endif
