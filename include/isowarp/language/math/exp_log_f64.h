/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over IW_MATH_FORM: exp and log of f64. Included by <isowarp/math.h>.
 */

/* e^r of x = n ln 2 + r; *sum: n + 1.5 * 2^52. The first part of n ln 2 is taken off exactly. What the
 * second leaves, and what 1 + upper loses, is added to the small terms, so that only the last addition
 * rounds visibly. */
IW_FN F64 FN(exp_reduced_)(F64 x, F64 *sum)
{
  *sum = ADD(MUL(x, K(IW_LOG2_E)), K(0x1.8p52));
  const F64 n = SUB(*sum, K(0x1.8p52));
  const F64 upper = SUB(x, MUL(n, K(IW_LN2_1))), lower = MUL(n, K(IW_LN2_2)), r = SUB(upper, lower);
  POLYNOMIAL(p, r, EXP)
  const F64 most = ADD(K(1), upper), lost = ADD(SUB(K(1), most), upper);
  return ADD(most, ADD(lost, SUB(MUL(MUL(r, r), p), lower)));
}

/* 2^n in two factors, as it may be too large or too small for one. */
IW_RARE_FN F64 FN(exp_extreme_f64_)(F64 x)
{
  F64 sum;
  const F64 p = FN(exp_reduced_)(FN(clamp_)(x, K(800)), &sum);
  const U64 biased = AND(PLUS(BITS(sum), W(2046)), W(0xfff)), half = SHR(biased, W(1));
  return MUL(MUL(p, FLOAT(SHL(half, W(52)))), FLOAT(SHL(MINUS(biased, half), W(52))));
}

IW_FN F64 FN(exp_f64)(F64 x)
{
  F64 sum;
  const F64 p = FN(exp_reduced_)(x, &sum), y = FLOAT(PLUS(BITS(p), SHL(BITS(sum), W(52))));
  const MASK common = LT(ABS(x), K(708));
  if (FN(all_f64_)(common)) return y;
  return SELECT(common, y, FN(exp_extreme_f64_)(x));
}

/* log(1 + f) = f - f^2/2 + s (f^2/2 + z R(z)) with s = f / (2 + f), z = s^2: 2 s = f - s f, and the rest of
 * 2 atanh(s) is s z R. k ln 2 + f is added first, with its error. */
IW_FN F64 FN(log_f64)(F64 x)
{
  const MASK subnormal = LT(x, K(0x1p-1022));
  F64 f;
  const F64 k = SUB(FN(log_parts_)(SELECT(subnormal, MUL(x, K(0x1p54)), x), &f), SELECT(subnormal, K(54), K(0)));
  const F64 s = DIV(f, ADD(K(2), f)), z = MUL(s, s), half = MUL(MUL(K(0.5), f), f);
  POLYNOMIAL(p, z, LOG)
  const F64 upper = MUL(k, K(IW_LN2_1)), most = ADD(upper, f), lost = ADD(SUB(upper, most), f);
  const F64 small = ADD(MUL(s, ADD(half, MUL(z, p))), MUL(k, K(IW_LN2_2)));
  return FN(log_special_)(x, ADD(most, ADD(lost, SUB(small, half))));
}
