/* SPDX-License-Identifier: Apache-2.0
 *
 * The hash of each prefix of a text, h = 31 h + byte in 32 bits, by the library's scan with a user's
 * operator and load transform. A byte changes a hash by a map h -> m h + c. The composition of maps is
 * associative (but not commutative), so this recurrence is a scan of maps.
 */
#include <isowarp/operators.h>

/* Map a, then map b. m is the upper half of a word, c the lower half. */
IW_FN iw_u64 iw_after_u64(iw_u64 a, iw_u64 b)
{
  const iw_u64 half = iw_splat((uint64_t)32), low = iw_splat((uint64_t)0xffffffff);
  const iw_u64 m = iw_shr(b, half), c = iw_and(b, low);
  return iw_or(iw_shl(iw_mul(iw_shr(a, half), m), half), iw_and(iw_add(iw_mul(iw_and(a, low), m), c), low));
}
IW_OPERATOR(after, u64, (uint64_t)1 << 32)          /* the identity map */

/* The map of a byte. */
IW_FN iw_u64 hashing(iw_u32 byte) { return iw_or(iw_to_u64(byte), iw_splat((uint64_t)31 << 32)); }
IW_TRANSFORM(hashing, u64, u8)

#define IW_SCAN_OPERATOR after
#define IW_SCAN_TYPE u64
#define IW_SCAN_TRANSFORM hashing
#include <isowarp/make_operator.h>                           /* iw_operator after_u64_from_hashing */
