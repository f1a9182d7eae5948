/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over IW_MATH_FORM: functions in f64 with results that are good for f32. Their relative errors are
 * below 2^-33, so that a result rounded to f32 is wrong by 0.501 of its last bit at most. Arguments come
 * from f32 and have no subnormals here. Included by <isowarp/math.h>.
 */

/* e^r - 1 for |r| <= ln(2) / 2. */
IW_FN F64 FN(expm1_reduced_)(F64 r)
{
  POLYNOMIAL(p, r, EXP_SHORT)
  return ADD(r, MUL(MUL(r, r), p));
}

/* 2^n, for an integer n of at most 1000, where sum = n + 1.5 * 2^52. */
IW_FN F64 FN(power_of_2_)(F64 sum) { return FLOAT(SHL(PLUS(BITS(sum), W(1023)), W(52))); }

/* a, but at most `limit` and at least -limit; NaNs stay. */
IW_FN F64 FN(clamp_)(F64 a, F64 limit)
{ a = SELECT(LT(limit, a), limit, a); return SELECT(LT(a, SUB(K(0), limit)), SUB(K(0), limit), a); }

/* x = n ln 2 + r: gives 2^n, and e^r - 1 in *rest. */
IW_FN F64 FN(exp_parts_)(F64 x, F64 *rest)
{
  const F64 sum = ADD(MUL(x, K(IW_LOG2_E)), K(0x1.8p52)), n = SUB(sum, K(0x1.8p52));
  *rest = FN(expm1_reduced_)(SUB(SUB(x, MUL(n, K(IW_LN2_1))), MUL(n, K(IW_LN2_2))));
  return FN(power_of_2_)(sum);
}

IW_FN F64 FN(exp_short_)(F64 x)
{
  F64 rest;
  const F64 scale = FN(exp_parts_)(FN(clamp_)(x, K(200)), &rest);
  return ADD(scale, MUL(scale, rest));
}

IW_FN F64 FN(exp2_short_)(F64 x)
{
  const F64 y = FN(clamp_)(x, K(300)), sum = ADD(y, K(0x1.8p52)), n = SUB(sum, K(0x1.8p52));
  const F64 rest = FN(expm1_reduced_)(MUL(SUB(y, n), K(IW_LN2))), scale = FN(power_of_2_)(sum);
  return ADD(scale, MUL(scale, rest));
}

/* For n = 0 this is `rest`, with its small relative error. */
IW_FN F64 FN(expm1_clamped_)(F64 x)
{
  F64 rest;
  const F64 scale = FN(exp_parts_)(x, &rest);
  return ADD(MUL(scale, rest), SUB(scale, K(1)));
}
IW_FN F64 FN(expm1_short_)(F64 x) { return SELECT(EQ(x, K(0)), x, FN(expm1_clamped_)(FN(clamp_)(x, K(200)))); }

IW_FN F64 FN(with_sign_of_)(F64 a, F64 x) { return FLOAT(XOR(BITS(a), AND(BITS(x), W((uint64_t)1 << 63)))); }

/* tanh(a) = (e^2a - 1) / (e^2a + 1). */
IW_FN F64 FN(tanh_short_)(F64 x)
{
  const F64 t = FN(expm1_clamped_)(FN(clamp_)(MUL(K(2), ABS(x)), K(40)));
  return FN(with_sign_of_)(DIV(t, ADD(t, K(2))), x);
}

/* erf(a) = 1 - e^(-a q(a)); from 4 on it rounds to 1. */
IW_FN F64 FN(erf_short_)(F64 x)
{
  const F64 a = FN(clamp_)(ABS(x), K(4));
  POLYNOMIAL(q, a, ERF)
  const F64 t = FN(expm1_clamped_)(SUB(K(0), MUL(a, q)));
  return FN(with_sign_of_)(ABS(t), x);
}

/* a = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2); a is positive and normal. */
IW_FN F64 FN(log_parts_)(F64 a, F64 *f)
{
  const U64 root = W(0x3fe6a09e667f3bcd), one = W(0x3ff0000000000000);
  const U64 k = SHR(PLUS(BITS(a), MINUS(one, root)), W(52)); /* k + 1023 */
  *f = SUB(FLOAT(MINUS(BITS(a), SHL(MINUS(k, W(1023)), W(52)))), K(1));
  return SUB(FLOAT(OR(k, W(0x4330000000000000))), K(0x1p52 + 1023));
}

/* log(1 + f) */
IW_FN F64 FN(log1p_reduced_)(F64 f)
{
  const F64 s = DIV(f, ADD(K(2), f)), z = MUL(s, s);
  POLYNOMIAL(p, z, LOG_SHORT)
  return MUL(s, ADD(K(2), MUL(z, p)));
}

/* The logarithm `r` of a, or what it is of numbers that are not positive and finite. */
IW_FN F64 FN(log_special_)(F64 a, F64 r)
{
  const F64 infinity = K(__builtin_inf());
  r = SELECT(EQ(a, infinity), infinity, r);
  return SELECT(LT(K(0), a), r, SELECT(EQ(a, K(0)), SUB(K(0), infinity), K(__builtin_nan(""))));
}

IW_FN F64 FN(log_short_)(F64 x)
{
  F64 f;
  const F64 k = FN(log_parts_)(x, &f);
  return FN(log_special_)(x, ADD(MUL(k, K(IW_LN2)), FN(log1p_reduced_)(f)));
}

IW_FN F64 FN(log2_positive_)(F64 x)
{
  F64 f;
  const F64 k = FN(log_parts_)(x, &f);
  return ADD(k, MUL(FN(log1p_reduced_)(f), K(IW_LOG2_E)));
}
IW_FN F64 FN(log2_short_)(F64 x) { return FN(log_special_)(x, FN(log2_positive_)(x)); }

/* If 1 + x is not scaled, f is x itself: that it was rounded does not matter. */
IW_FN F64 FN(log1p_short_)(F64 x)
{
  const F64 a = ADD(K(1), x);
  F64 f;
  const F64 k = FN(log_parts_)(a, &f);
  f = SELECT(EQ(k, K(0)), x, f);
  return SELECT(EQ(x, K(0)), x, FN(log_special_)(a, ADD(MUL(k, K(IW_LN2)), FN(log1p_reduced_)(f))));
}

/* |x|^y = 2^(y log2 |x|), and the special cases of C's Annex F. */
IW_FN F64 FN(pow_short_)(F64 x, F64 y)
{
  const F64 zero = K(0), one = K(1), infinity = K(__builtin_inf()), a = ABS(x);
  F64 l = FN(log2_positive_)(a);
  l = SELECT(EQ(a, zero), SUB(zero, infinity), SELECT(EQ(a, infinity), infinity, l));
  /* 1^y is 1 for all y; 0 times an infinity, and of a NaN, is none of the function's. */
  F64 r = FN(exp2_short_)(SELECT(EQ(a, one), zero, MUL(y, l)));
  const MASK integral = EQ(RINT(y), y);
  const F64 half = MUL(y, K(0.5));
  const F64 odd = SELECT(EQ(RINT(half), half), zero, SELECT(integral, x, zero));
  r = FN(with_sign_of_)(r, odd);
  const F64 invalid = SELECT(integral, zero, SELECT(LT(x, zero), SELECT(LT(a, infinity), one, zero), zero));
  r = SELECT(EQ(invalid, one), K(__builtin_nan("")), r);
  r = SELECT(EQ(x, x), SELECT(EQ(y, y), r, y), x);
  return SELECT(EQ(x, one), one, SELECT(EQ(y, zero), one, r));
}

IW_FN F64 FN(sin_short_)(F64 x) { return SELECT(EQ(x, K(0)), x, FN(trig_short_)(x, W(0))); }
IW_FN F64 FN(cos_short_)(F64 x) { return FN(trig_short_)(x, W(1)); }
