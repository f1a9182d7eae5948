/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over IW_MATH_FORM, iws_ or iwv_, with IW_MATH_BY_F64 and IW_MATH_BY_F64_2, how f64 computes a
 * function of f32: all functions of <isowarp/math.h> in this form. Included by it.
 */
#include <isowarp/language/math/names.h>
#include <isowarp/language/math/trig_f64.h>
#include <isowarp/language/math/short_f64.h>
#include <isowarp/language/math/exp_log_f64.h>
IW_RARE_FN F64 FN(exp_extreme_)(F64 x) { return FN(exp_short_)(x); }
IW_MATH_BY_F64(exp_extreme, FN(exp_extreme_))
#include <isowarp/language/math/exp_f32.h>
IW_MATH_BY_F64(exp2, FN(exp2_short_))
IW_MATH_BY_F64(expm1, FN(expm1_short_))
IW_MATH_BY_F64(log, FN(log_short_))
IW_MATH_BY_F64(log2, FN(log2_short_))
IW_MATH_BY_F64(log1p, FN(log1p_short_))
IW_MATH_BY_F64(sin, FN(sin_short_))
IW_MATH_BY_F64(cos, FN(cos_short_))
IW_MATH_BY_F64(tanh, FN(tanh_short_))
IW_MATH_BY_F64(erf, FN(erf_short_))
IW_MATH_BY_F64_2(pow, FN(pow_short_))
#include <isowarp/language/math/names_end.h>
#undef IW_MATH_BY_F64
#undef IW_MATH_BY_F64_2
#undef IW_MATH_FORM
