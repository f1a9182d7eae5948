/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules for buckets as a user writes them; operators.h names what they become.
 */
#include <isowarp/operators.h>

IW_FN iw_u32 last_digit(iw_u32 x) { return iw_rem(x, iw_splat(10u)); }
IW_BUCKET(last_digit, u32)
#define IW_MULTISPLIT_BUCKET last_digit
#define IW_MULTISPLIT_TYPE u32
#include <isowarp/make_bucket_rule.h>

/* 0 … 25, and 26 for what is none. */
IW_FN iw_u32 letter(iw_u32 c) { return iw_min(iw_sub(c, iw_splat((uint32_t)'a')), iw_splat(26u)); }
IW_BUCKET(letter, u8)
#define IW_MULTISPLIT_BUCKET letter
#define IW_MULTISPLIT_TYPE u8
#include <isowarp/make_bucket_rule.h>

/* More than it is said to have. */
IW_FN iw_u32 eighth(iw_u32 x) { return iw_shr(x, iw_splat(3u)); }
IW_BUCKET(eighth, u16)
#define IW_MULTISPLIT_BUCKET eighth
#define IW_MULTISPLIT_TYPE u16
#include <isowarp/make_bucket_rule.h>

/* The exponent; that of NaN too. */
IW_FN iw_u32 exponent(iw_f32 x) { return iw_and(iw_shr(iw_as_bits(x), iw_splat(23u)), iw_splat(255u)); }
IW_BUCKET(exponent, f32)
#define IW_MULTISPLIT_BUCKET exponent
#define IW_MULTISPLIT_TYPE f32
#include <isowarp/make_bucket_rule.h>

IW_FN iw_u32 hashed(iw_i64 x)
{
  return iw_to_u32(iw_shr(iw_mul(iw_to_u64(x), iw_splat((uint64_t)0x9e3779b97f4a7c15u)), iw_splat((uint64_t)48)));
}
IW_BUCKET(hashed, i64)
#define IW_MULTISPLIT_BUCKET hashed
#define IW_MULTISPLIT_TYPE i64
#include <isowarp/make_bucket_rule.h>
