/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over IW_MATH_FORM: sin and cos in f64, for results of f64 and of f32. Included by
 * <isowarp/math.h>.
 *
 * x = n pi/2 + r with |r| <= pi/4. Below 2^20, n pi/2 is taken off in four parts (Cody and Waite); from
 * there on, x is multiplied by those bits of 2/pi that decide the quadrant and the 128 bits behind it (Payne
 * and Hanek, 1983).
 */

/* a + b and its rounding error (Knuth). */
IW_FN F64 FN(two_sum_)(F64 a, F64 b, F64 *error)
{
  const F64 sum = ADD(a, b), part = SUB(sum, a);
  *error = ADD(SUB(a, SUB(sum, part)), SUB(b, part));
  return sum;
}

/* A word below 2^32 as a float. */
IW_FN F64 FN(float_of_)(U64 a) { return SUB(FLOAT(OR(a, W(0x4330000000000000))), K(0x1p52)); }

/* The lower 64 bits of a * m, and the upper ones in *upper, for m < 2^53. */
IW_FN U64 FN(wide_product_)(U64 a, U64 m, U64 *upper)
{
  const U64 low = W(0xffffffff), half = W(32);
  const U64 m0 = AND(m, low), m1 = SHR(m, half), a0 = AND(a, low), a1 = SHR(a, half);
  const U64 least = TIMES(a0, m0), cross = TIMES(a1, m0);
  const U64 middle = PLUS(PLUS(SHR(least, half), AND(cross, low)), TIMES(a0, m1));
  *upper = PLUS(PLUS(TIMES(a1, m1), SHR(cross, half)), SHR(middle, half));
  return OR(AND(least, low), SHL(middle, half));
}

/* Whether a + b = sum carries: 0 or 1. */
IW_FN U64 FN(carry_)(U64 a, U64 b, U64 sum)
{ return SHR(OR(AND(a, b), AND(OR(a, b), XOR(sum, W(UINT64_MAX)))), W(63)); }

/* Payne and Hanek, for 2^20 <= |x| < infinity: gives r, what r lacks in *rest, and n modulo 4 in *n. */
IW_RARE_FN F64 FN(trig_reduce_large_)(F64 x, F64 *rest, U64 *n)
{
  const U64 sign = SHR(BITS(x), W(63)), magnitude = AND(BITS(x), W(0x7fffffffffffffff));
  const U64 m = OR(AND(magnitude, W(0xfffffffffffff)), W(0x10000000000000));
  /* m 2^e 2/pi / 4 modulo 1: the first e - 2 bits of 2/pi give integers. A word of 0 stands in front of
   * them. */
  const U64 place = MINUS(SHR(magnitude, W(52)), W(1013)), word = SHR(place, W(6)), bit = AND(place, W(63));
  U64 w[20] = { IW_TWO_OVER_PI_WORDS(W) };
  for (int level = 4, count = 4; level >= 0; level--) {
    const U64 step = AND(SHR(word, W((uint64_t)level)), W(1)), chosen = MINUS(W(0), step);
    count = level == 4 ? 4 : level == 3 ? 11 : level == 2 ? 7 : level == 1 ? 5 : 4;
    for (int i = 0; i < count; i++) w[i] = XOR(w[i], AND(chosen, XOR(w[i], w[i + (1 << level)])));
  }
  const U64 back = MINUS(W(64), bit);
  const U64 a0 = OR(SHL(w[0], bit), SHR(w[1], back)), a1 = OR(SHL(w[1], bit), SHR(w[2], back));
  const U64 a2 = OR(SHL(w[2], bit), SHR(w[3], back));
  U64 upper1, upper2, unused;
  FN(wide_product_)(a2, m, &upper2);
  const U64 lower1 = FN(wide_product_)(a1, m, &upper1), lower = PLUS(lower1, upper2);
  U64 first = PLUS(PLUS(FN(wide_product_)(a0, m, &unused), upper1), FN(carry_)(lower1, upper2, lower));
  /* In `first` a quadrant is 2^62. The nearest one is taken off; of a negative rest the last bit does not
   * matter. */
  const U64 quadrant = SHR(PLUS(first, W((uint64_t)1 << 61)), W(62));
  first = MINUS(first, SHL(quadrant, W(62)));
  const U64 negative = SHR(first, W(63)), flip = MINUS(W(0), negative);
  const U64 h = XOR(first, flip), l = XOR(lower, flip);
  const F64 p1 = MUL(FN(float_of_)(SHR(h, W(32))), K(0x1p-30)), p2 = MUL(FN(float_of_)(AND(h, W(0xffffffff))), K(0x1p-62));
  const F64 p3 = MUL(FN(float_of_)(SHR(l, W(32))), K(0x1p-94)), p4 = MUL(FN(float_of_)(AND(l, W(0xffffffff))), K(0x1p-126));
  F64 error1, error2;
  const F64 turns = FN(two_sum_)(FN(two_sum_)(p1, p2, &error1), p3, &error2), less = ADD(ADD(error1, error2), p4);
  /* Times pi/2, with a relative error below 2^-77. */
  const F64 top = FLOAT(AND(BITS(turns), W(~(uint64_t)0x7ffffff))), low = SUB(turns, top);
  const F64 c1 = K(IW_HALF_PI_PRODUCT_1), c2 = K(IW_HALF_PI_PRODUCT_2), c3 = K(IW_HALF_PI_PRODUCT_3);
  const F64 product = FN(two_sum_)(MUL(top, c1), ADD(MUL(top, c2), MUL(low, c1)), &error1);
  const F64 small = ADD(ADD(error1, MUL(low, c2)), ADD(MUL(turns, c3), MUL(less, ADD(c1, c2))));
  const F64 r = ADD(product, small), lack = ADD(SUB(product, r), small);
  const U64 signs = SHL(XOR(sign, negative), W(63));
  *n = AND(SELECT_BITS(LT(x, K(0)), MINUS(W(0), quadrant), quadrant), W(3));
  *rest = FLOAT(XOR(BITS(lack), signs));
  return FLOAT(XOR(BITS(r), signs));
}

/* The same for all x that are finite; *n is n modulo 2^51. */
IW_FN F64 FN(trig_reduce_)(F64 x, F64 *rest, U64 *n)
{
  const F64 sum = ADD(MUL(x, K(IW_TWO_OVER_PI)), K(0x1.8p52)), turns = SUB(sum, K(0x1.8p52));
  F64 error1, error2;
  const F64 a = SUB(x, MUL(turns, K(IW_HALF_PI_1)));
  const F64 b = FN(two_sum_)(a, MUL(turns, K(-IW_HALF_PI_2)), &error1);
  const F64 c = FN(two_sum_)(b, MUL(turns, K(-IW_HALF_PI_3)), &error2);
  const F64 small = SUB(ADD(error1, error2), MUL(turns, K(IW_HALF_PI_4)));
  F64 r = ADD(c, small);
  *rest = ADD(SUB(c, r), small);
  *n = BITS(sum);
  const MASK common = LT(ABS(x), K(0x1p20));
  if (!FN(all_f64_)(common)) {
    F64 large_rest;
    U64 large_n;
    const F64 large = FN(trig_reduce_large_)(x, &large_rest, &large_n);
    r = SELECT(common, r, large);
    *rest = SELECT(common, *rest, large_rest);
    *n = SELECT_BITS(common, *n, large_n);
  }
  return r;
}

/* sin or cos, by the quadrant: in odd ones the other, in the upper two with the other sign. */
IW_FN F64 FN(trig_choose_)(F64 x, F64 sine, F64 cosine, U64 n)
{
  const U64 odd = MINUS(W(0), AND(n, W(1))), chosen = XOR(BITS(sine), AND(odd, XOR(BITS(sine), BITS(cosine))));
  const F64 r = FLOAT(XOR(chosen, SHL(AND(n, W(2)), W(62))));
  return SELECT(LT(ABS(x), K(__builtin_inf())), r, K(__builtin_nan("")));
}

/* For f64. The quadrant is advanced by 1 for cos. */
IW_FN F64 FN(trig_f64_)(F64 x, U64 advance)
{
  F64 rest;
  U64 n;
  const F64 r = FN(trig_reduce_)(x, &rest, &n), z = MUL(r, r), half = MUL(K(0.5), z);
  POLYNOMIAL(s, z, SIN)
  POLYNOMIAL(c, z, COS)
  const F64 sine = ADD(r, ADD(MUL(MUL(r, z), s), SUB(rest, MUL(rest, half))));
  const F64 most = SUB(K(1), half), lost = SUB(SUB(K(1), most), half);
  const F64 cosine = ADD(most, ADD(lost, SUB(MUL(MUL(z, z), c), MUL(r, rest))));
  return FN(trig_choose_)(x, sine, cosine, PLUS(n, advance));
}
IW_FN F64 FN(sin_f64)(F64 x) { return SELECT(EQ(x, K(0)), x, FN(trig_f64_)(x, W(0))); }
IW_FN F64 FN(cos_f64)(F64 x) { return FN(trig_f64_)(x, W(1)); }

/* For f32, whose x are not so near to multiples of pi/2 that r needs more than its own bits. */
IW_FN F64 FN(trig_short_)(F64 x, U64 advance)
{
  const F64 sum = ADD(MUL(x, K(IW_TWO_OVER_PI)), K(0x1.8p52)), turns = SUB(sum, K(0x1.8p52));
  F64 r = SUB(SUB(SUB(x, MUL(turns, K(IW_HALF_PI_1))), MUL(turns, K(IW_HALF_PI_2))), MUL(turns, K(IW_HALF_PI_3)));
  U64 n = BITS(sum);
  const MASK common = LT(ABS(x), K(0x1p20));
  if (!FN(all_f64_)(common)) {
    F64 rest;
    U64 large_n;
    r = SELECT(common, r, FN(trig_reduce_large_)(x, &rest, &large_n));
    n = SELECT_BITS(common, n, large_n);
  }
  const F64 z = MUL(r, r);
  POLYNOMIAL(s, z, SIN_SHORT)
  POLYNOMIAL(c, z, COS_SHORT)
  const F64 sine = ADD(r, MUL(MUL(r, z), s));
  const F64 cosine = ADD(SUB(K(1), MUL(K(0.5), z)), MUL(MUL(z, z), c));
  return FN(trig_choose_)(x, sine, cosine, PLUS(n, advance));
}
