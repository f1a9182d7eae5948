/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts numbers by their distance from 10, with the library's sort and a user's key function. Numbers of
 * equal distance keep their order.
 */
#include <isowarp/operators.h>

IW_FN iw_u32 by_distance(iw_u32 x)
{
  const iw_u32 ten = iw_splat(10u);
  return iw_sub(iw_max(x, ten), iw_min(x, ten));
}
IW_TRANSFORM(by_distance, u32, u32)

#define IW_SORT_KEY by_distance
#define IW_SORT_KEY_TYPE u32
#include <isowarp/make_sort_key.h>                       /* iw_sort_key by_distance_key */
