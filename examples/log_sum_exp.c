/* SPDX-License-Identifier: Apache-2.0
 *
 * The logarithm of the sum of the exponentials of each prefix, without overflow, by the library's scan with
 * a user's operator: log(e^a + e^b) is the larger one plus log(1 + e^-difference). It adds probabilities
 * that are kept as logarithms.
 */
#include <isowarp/operators.h>
#include <isowarp/math.h>
#include <math.h>

IW_FN iw_f32 iw_log_sum_exp_f32(iw_f32 a, iw_f32 b)
{
  const iw_f32 high = iw_max(a, b), low = iw_min(a, b);
  const iw_f32 below = iw_select(iw_eq(low, high), iw_splat(0.0f), iw_sub(low, high)); /* of two infinities too */
  const iw_f32 sum = iw_add(high, iw_log1p(iw_exp(below)));
  return iw_select(iw_eq(low, -INFINITY), high, sum); /* the logarithm of 0 changes no bit */
}
IW_OPERATOR(log_sum_exp, f32, -INFINITY)

#define IW_SCAN_OPERATOR log_sum_exp
#define IW_SCAN_TYPE f32
#include <isowarp/make_operator.h>                           /* iw_operator log_sum_exp_f32 */
