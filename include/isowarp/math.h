/* SPDX-License-Identifier: Apache-2.0
 *
 * Mathematical functions of lanes, with the same bits on every target
 * ===================================================================
 *
 * They are written in operations of the kernel language that round once each, in one order, so that CPUs of
 * all instruction sets, GPUs and the simulated GPU compute the same bits. A result does not depend on other
 * lanes, the warp size or the compiler's options. Kernels, and users' operators, transforms, predicates and
 * rules (<isowarp/operators.h>) may use them.
 *
 *   #include <isowarp/math.h>
 *   const iw_f32 y = iw_exp(x);
 *
 *   T is iw_f32 or iw_f64, the type of a. Every function has a name with its type too: iw_exp_f32(a). The
 *   scalar forms iws_exp_f32(float), … are the same functions of one value, with the same bits: for
 *   operators, tests and the host. (On CUDA they are device functions.)
 *
 *   T iw_exp(a) iw_log(a) iw_sin(a) iw_cos(a)                         f32, f64
 *   iw_f32 iw_exp2(a) iw_expm1(a) iw_log2(a) iw_log1p(a)              f32
 *   iw_f32 iw_tanh(a) iw_erf(a)                                       f32
 *   iw_f32 iw_pow(a, b)                                               f32; b may be a scalar
 *
 * Errors are at most 1 ulp of the result, over all floats of f32 (doc/math.md has the largest of each
 * function). All numbers are in the domain of sin and cos, however large. Subnormal arguments and results
 * are kept; what is too large is an infinity, what is too small 0. Infinities, zeros and their signs, NaNs
 * and the special cases of pow are as in Annex F of the C standard; no flags and no errno are set. log, log2
 * and log1p give NaN below their domain and -infinity at its end. Rounding is to nearest, as everywhere in
 * the language. Functions of f32 but exp compute in f64.
 */
#ifndef ISOWARP_MATH_H
#define ISOWARP_MATH_H

#include <isowarp/kernel.h>

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#endif
#include <isowarp/language/math/coefficients.h>
#ifndef __CUDACC__
#include <isowarp/language/cpu/diagnostics.h>
#endif
#include <isowarp/language/math/forms.h>
#define IW_MATH_FORM iws_
#define IW_MATH_BY_F64 IWS_BY_F64
#define IW_MATH_BY_F64_2 IWS_BY_F64_2
#include <isowarp/language/math/functions.h>
#if defined(IW_MATH_REGISTERS_F64)
#define IW_MATH_FORM iwv_
#define IW_MATH_BY_F64 IWV_BY_F64
#define IW_MATH_BY_F64_2 IWV_BY_F64_2
#include <isowarp/language/math/functions.h>
#elif defined(IW_MATH_REGISTERS)
IWV_BY_LANE1(exp_extreme, f32)
#define IW_MATH_FORM iwv_
#include <isowarp/language/math/names.h>
#include <isowarp/language/math/exp_f32.h>
#include <isowarp/language/math/names_end.h>
#undef IW_MATH_FORM
#endif
IW_MATH_LANES_INLINE(exp, f32) IW_MATH_LANES(exp2, f32) IW_MATH_LANES(expm1, f32)
IW_MATH_LANES(log, f32) IW_MATH_LANES(log2, f32) IW_MATH_LANES(log1p, f32)
IW_MATH_LANES(sin, f32) IW_MATH_LANES(cos, f32) IW_MATH_LANES(tanh, f32) IW_MATH_LANES(erf, f32)
IW_MATH_LANES_2(pow, f32)
IW_MATH_LANES(exp, f64) IW_MATH_LANES(log, f64) IW_MATH_LANES(sin, f64) IW_MATH_LANES(cos, f64)
#ifndef __CUDACC__
#include <isowarp/language/cpu/diagnostics_end.h>
#endif
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

/* The names without a type. */
#ifdef __cplusplus
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_exp) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_log)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_sin) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_cos)
IW_OVERLOAD_LANES(iw_exp2, f32) IW_OVERLOAD_LANES(iw_expm1, f32) IW_OVERLOAD_LANES(iw_log2, f32)
IW_OVERLOAD_LANES(iw_log1p, f32) IW_OVERLOAD_LANES(iw_tanh, f32) IW_OVERLOAD_LANES(iw_erf, f32)
IW_OVERLOAD_2(iw_pow, f32)
#else
#define IW_CALL_F32(name, a) _Generic((a), iw_f32: name##_f32)
#define iw_exp(a) IW_1(IW_CALL_FLOAT, iw_exp, a)
#define iw_log(a) IW_1(IW_CALL_FLOAT, iw_log, a)
#define iw_sin(a) IW_1(IW_CALL_FLOAT, iw_sin, a)
#define iw_cos(a) IW_1(IW_CALL_FLOAT, iw_cos, a)
#define iw_exp2(a) IW_1(IW_CALL_F32, iw_exp2, a)
#define iw_expm1(a) IW_1(IW_CALL_F32, iw_expm1, a)
#define iw_log2(a) IW_1(IW_CALL_F32, iw_log2, a)
#define iw_log1p(a) IW_1(IW_CALL_F32, iw_log1p, a)
#define iw_tanh(a) IW_1(IW_CALL_F32, iw_tanh, a)
#define iw_erf(a) IW_1(IW_CALL_F32, iw_erf, a)
#define iw_pow(a, b) IW_2(IW_CALL_F32, IW_LIKE, iw_pow, a, b)
#endif

#endif
