/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of elements as a user writes them; operators.h names what they become.
 */
#include <isowarp/operators.h>

IW_FN iw_pred is_odd(iw_u32 x) { return iw_eq(iw_and(x, iw_splat(1u)), iw_splat(1u)); }
IW_PREDICATE(is_odd, u32)
#define IW_PARTITION_PREDICATE is_odd
#define IW_PARTITION_TYPE u32
#include <isowarp/make_predicate.h>

/* NaN too. */
IW_FN iw_pred is_not_positive(iw_f32 x) { return iw_not_pred(iw_gt(x, iw_splat(0.0f))); }
IW_PREDICATE(is_not_positive, f32)
#define IW_PARTITION_PREDICATE is_not_positive
#define IW_PARTITION_TYPE f32
#include <isowarp/make_predicate.h>

/* The third bit, or all of the upper half. */
IW_FN iw_pred is_picked(iw_i64 x)
{
  const iw_pred third = iw_ne(iw_and(x, iw_splat((int64_t)4)), iw_splat((int64_t)0));
  return iw_or_pred(third, iw_eq(iw_shr(x, iw_splat((int64_t)32)), iw_splat((int64_t)-1)));
}
IW_PREDICATE(is_picked, i64)
#define IW_PARTITION_PREDICATE is_picked
#define IW_PARTITION_TYPE i64
#include <isowarp/make_predicate.h>
