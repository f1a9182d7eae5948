/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, f32 or f64, with the intrinsics' suffix IWV_SUFFIX, ps or pd: registers of 256 bits.
 * Included by registers_256.h.
 */
#define SIMD(name) IWV_256(IW_PASTE(name##_, IWV_SUFFIX))
#define UNARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a) { return expr; }
#define BINARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a, REGISTER b) { return expr; }
#define COMPARE(op, how) IW_FN iwv_mask VFN(op)(REGISTER a, REGISTER b) \
{ return IWV_256(IW_PASTE(IW_PASTE(cast, IWV_SUFFIX), _si256))(SIMD(cmp)(a, b, IWV_CMP(how))); }

IW_FN REGISTER VFN(load)(const SCALAR *p) { return SIMD(loadu)(p); }
IW_FN void VFN(store)(SCALAR *p, REGISTER a) { SIMD(storeu)(p, a); }
IW_FN void VFN(stream)(SCALAR *p, REGISTER a) { IWV_COMPILER_BARRIER SIMD(stream)(p, a); }
IW_FN REGISTER VFN(set1)(SCALAR v) { return SIMD(set1)(v); }

BINARY(add, SIMD(add)(a, b))
BINARY(sub, SIMD(sub)(a, b))
BINARY(mul, SIMD(mul)(a, b))
BINARY(div, SIMD(div)(a, b))
UNARY(floor, SIMD(floor)(a))
UNARY(ceil, SIMD(ceil)(a))
UNARY(trunc, SIMD(round)(a, IWV_ROUND_TO_ZERO))
UNARY(rint, SIMD(round)(a, IWV_ROUND_TO_NEAREST))
UNARY(sqrt, SIMD(sqrt)(a))
#if defined(__AVX2__) && defined(__FMA__)
IW_FN REGISTER VFN(fma)(REGISTER a, REGISTER b, REGISTER c) { return SIMD(fmadd)(a, b, c); }
#endif
UNARY(neg, SIMD(xor)(a, VFN(set1)((SCALAR)-0.0)))
BINARY(flip_bits, SIMD(xor)(a, b))
UNARY(abs, SIMD(andnot)(VFN(set1)((SCALAR)-0.0), a))
/* x86's min and max return the second operand for two zeros or a NaN: take both orders, then or/and
 * decides. */
BINARY(min, SIMD(or)(SIMD(min)(a, b), SIMD(min)(b, a)))
BINARY(max, SIMD(or)(SIMD(and)(SIMD(max)(a, b), SIMD(max)(b, a)), SIMD(cmp)(a, b, IWV_CMP(UNORD_Q))))
UNARY(canonical, SIMD(blendv)(a, VFN(set1)(SFN(nan)()), SIMD(cmp)(a, a, IWV_CMP(UNORD_Q))))
COMPARE(eq, EQ_OQ)
COMPARE(lt, LT_OQ)
COMPARE(le, LE_OQ)

/* Whether any of `count` registers, an even number, holds a NaN: one comparison checks two registers, while
 * making one canonical takes three instructions. */
IW_FN int VFN(may_have_nan)(const REGISTER *a, int count)
{
  REGISTER seen = SIMD(cmp)(a[0], a[1], IWV_CMP(UNORD_Q));
  IW_UNROLL for (int k = 2; k < count; k += 2)
    seen = SIMD(or)(seen, SIMD(cmp)(a[k], a[k + 1], IWV_CMP(UNORD_Q)));
  return SIMD(movemask)(seen) != 0;
}

#undef SIMD
#undef UNARY
#undef BINARY
#undef COMPARE
