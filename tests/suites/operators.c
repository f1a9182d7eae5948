/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators and load transforms as a user writes them, predicates and rules for buckets; operators.h names
 * what they become.
 */
#include <isowarp/operators.h>

/* x -> m x + c in 16 bits, m in the upper half: first a, then b. */
IW_FN iw_u32 iw_affine_u32(iw_u32 a, iw_u32 b)
{
  const iw_u32 half = iw_splat(16u), low = iw_splat(0xffffu);
  const iw_u32 m = iw_shr(b, half), c = iw_and(b, low);
  return iw_or(iw_shl(iw_mul(iw_shr(a, half), m), half), iw_and(iw_add(iw_mul(iw_and(a, low), m), c), low));
}
IW_OPERATOR(affine, u32, 1u << 16)
#define IW_SCAN_SEGMENTS
#define IW_SCAN_OPERATOR affine
#define IW_SCAN_TYPE u32
#include <isowarp/make_operator.h>

/* The last that is not 0. */
IW_FN iw_i64 iw_newest_i64(iw_i64 a, iw_i64 b) { return iw_select(iw_ne(b, iw_splat((int64_t)0)), b, a); }
IW_OPERATOR(newest, i64, 0)
#define IW_SCAN_SEGMENTS
#define IW_SCAN_OPERATOR newest
#define IW_SCAN_TYPE i64
#include <isowarp/make_operator.h>

/* What the library's sum is. Not for segments. */
IW_FN iw_f32 iw_total_f32(iw_f32 a, iw_f32 b) { return iw_add(a, b); }
IW_OPERATOR(total, f32, -0.0f)
IW_FN iw_f32 narrowed(iw_f64 x) { return iw_to_f32(x); }
IW_TRANSFORM(narrowed, f32, f64)
#define IW_SCAN_OPERATOR total
#define IW_SCAN_TYPE f32
#define IW_SCAN_TRANSFORM narrowed
#include <isowarp/make_operator.h>

IW_FN iw_f64 squared(iw_f32 x) { return iw_mul(iw_to_f64(x), iw_to_f64(x)); }
IW_TRANSFORM(squared, f64, f32)
#define IW_SCAN_OPERATOR sum
#define IW_SCAN_TYPE f64
#define IW_SCAN_TRANSFORM squared
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>

/* 1 for a, e, i, o and u, of a byte. */
IW_FN iw_u32 vowel(iw_u32 letter)
{
  const iw_u32 place = iw_sub(letter, iw_splat((uint32_t)'a')); /* of 20 at most, and a bit of 0x104111 */
  return iw_and(iw_shr(iw_splat(0x104111u), place), iw_splat(1u));
}
IW_TRANSFORM(vowel, u32, u8)
#define IW_SCAN_OPERATOR sum
#define IW_SCAN_TYPE u32
#define IW_SCAN_TRANSFORM vowel
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>

/* Elements of 2 bytes come in lanes of f32. */
IW_FN iw_f32 doubled(iw_f32 x) { return iw_add(x, x); }
IW_TRANSFORM(doubled, f32, f16)
#define IW_SCAN_OPERATOR sum
#define IW_SCAN_TYPE f32
#define IW_SCAN_TRANSFORM doubled
#define IW_SCAN_SEGMENTS
#include <isowarp/make_operator.h>

#include "predicates.h"
#include "rules.h"
#include "keys.h"
