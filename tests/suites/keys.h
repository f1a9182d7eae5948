/* SPDX-License-Identifier: Apache-2.0
 *
 * Sort keys as a user writes them; operators.h names what they become.
 */
#include <isowarp/operators.h>

/* Many elements have the same key. */
IW_FN iw_u32 remainder_of_10(iw_u32 x) { return iw_rem(x, iw_splat(10u)); }
IW_TRANSFORM(remainder_of_10, u32, u32)
#define IW_SORT_KEY remainder_of_10
#define IW_SORT_KEY_TYPE u32
#include <isowarp/make_sort_key.h>

/* Wider than the elements; NaN of NaN. */
IW_FN iw_f64 magnitude(iw_f32 x) { return iw_to_f64(iw_abs(x)); }
IW_TRANSFORM(magnitude, f64, f32)
#define IW_SORT_KEY magnitude
#define IW_SORT_KEY_TYPE f64
#include <isowarp/make_sort_key.h>

/* Of narrow elements. */
IW_FN iw_i32 reversed(iw_u32 x) { return iw_to_i32(iw_sub(iw_splat(128u), x)); }
IW_TRANSFORM(reversed, i32, u8)
#define IW_SORT_KEY reversed
#define IW_SORT_KEY_TYPE i32
#include <isowarp/make_sort_key.h>
