/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over IW_MATH_FORM: exp of f32, in f32. Included by <isowarp/math.h>.
 *
 * x = n ln 2 + r with |r| <= ln(2) / 2, and e^x = 2^n e^r. n ln 2 is taken off in two parts, of which the
 * first is exact; what the second leaves is added to the small terms, so that only the last two additions
 * round visibly.
 */
#define V FN(f32)
#define C(c) FN(set1_f32)(c)
IW_FN V FN(exp_f32)(V x)
{
  const V shift = C(12582912.0f);              /* 1.5 * 2^23: the sum's last bit is worth 1 */
  const V sum = FN(add_f32)(FN(mul_f32)(x, C((float)IW_LOG2_E)), shift), n = FN(sub_f32)(sum, shift);
  const V upper = FN(sub_f32)(x, FN(mul_f32)(n, C(IW_LN2_F32_1))), lower = FN(mul_f32)(n, C(IW_LN2_F32_2));
  const V r = FN(sub_f32)(upper, lower);
  V p;
#define FIRST(c) p = C(c);
#define STEP(c) p = FN(add_f32)(FN(mul_f32)(p, r), C(c));
  IW_POLYNOMIAL_EXP_F32(FIRST, STEP)
#undef FIRST
#undef STEP
  p = FN(sub_f32)(FN(mul_f32)(FN(mul_f32)(r, r), p), lower);
  p = FN(add_f32)(C(1), FN(add_f32)(upper, p));
  /* 2^n is added to the exponent. */
  const V y = FN(from_raw_f32)(FN(add_u32)(FN(raw_f32)(p), FN(shl_u32)(FN(raw_f32)(sum), FN(set1_u32)(23))));
  const MASK common = FN(lt_f32)(FN(abs_f32)(x), C(87.0f));
  if (FN(all_f32_)(common)) return y;
  return FN(select_f32)(common, y, FN(exp_extreme_f32)(x));
}
#undef V
#undef C
