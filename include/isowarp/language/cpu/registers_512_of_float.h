/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 512 bits: template over T, f32 or f64. IWV_SUFFIX is the intrinsics' suffix, ps or pd,
 * IWV_INTEGER that of integers of the same size, and IWV_SET the type of a set of lanes. Included by
 * registers_512.h.
 */
#define SIMD(name) IW_PASTE(_mm512_##name##_, IWV_SUFFIX)
#define UNARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a) { return expr; }
#define BINARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a, REGISTER b) { return expr; }
#define COMPARE(op, how) IW_FN unsigned VFN(op)(REGISTER a, REGISTER b) { return CMP_MASK(a, b, how); }
#define CMP_MASK IW_PASTE(SIMD(cmp), _mask)

IW_FN REGISTER VFN(load)(const SCALAR *p) { return SIMD(loadu)(p); }
IW_FN void VFN(store)(SCALAR *p, REGISTER a) { SIMD(storeu)(p, a); }
IW_FN void VFN(stream)(SCALAR *p, REGISTER a) { SIMD(stream)(p, a); }
IW_FN REGISTER VFN(load_masked)(const SCALAR *p, unsigned set) { return SIMD(maskz_loadu)((IWV_SET)set, p); }
IW_FN void VFN(store_masked)(SCALAR *p, unsigned set, REGISTER a) { SIMD(mask_storeu)(p, (IWV_SET)set, a); }
IW_FN REGISTER VFN(set1)(SCALAR v) { return SIMD(set1)(v); }
IW_FN REGISTER VFN(select)(unsigned set, REGISTER a, REGISTER b)
{ return SIMD(mask_mov)(b, (IWV_SET)set, a); }

BINARY(add, SIMD(add)(a, b))
BINARY(sub, SIMD(sub)(a, b))
BINARY(mul, SIMD(mul)(a, b))
BINARY(div, SIMD(div)(a, b))
UNARY(floor, SIMD(roundscale)(a, 9))
UNARY(ceil, SIMD(roundscale)(a, 10))
UNARY(trunc, SIMD(roundscale)(a, 11))
UNARY(rint, SIMD(roundscale)(a, 8))
UNARY(sqrt, SIMD(sqrt)(a))
IW_FN REGISTER VFN(fma)(REGISTER a, REGISTER b, REGISTER c) { return SIMD(fmadd)(a, b, c); }
UNARY(neg, SIMD(xor)(a, VFN(set1)((SCALAR)-0.0)))
BINARY(flip_bits, SIMD(xor)(a, b))
UNARY(abs, SIMD(andnot)(VFN(set1)((SCALAR)-0.0), a))
/* x86's min and max return the second operand for two zeros or a NaN: take both orders, then or/and
 * decides. */
BINARY(min, SIMD(or)(SIMD(min)(a, b), SIMD(min)(b, a)))
BINARY(max, SIMD(mask_mov)(SIMD(and)(SIMD(max)(a, b), SIMD(max)(b, a)), CMP_MASK(a, b, _CMP_UNORD_Q),
                           VFN(set1)(SFN(nan)())))
/* One instruction: in the table by kind of number, 0 keeps the first operand (for NaNs), 1 takes the
 * second. */
UNARY(canonical, SIMD(fixupimm)(VFN(set1)(SFN(nan)()), a, IW_PASTE(_mm512_set1_, IWV_INTEGER)(0x11111100),
                                0))
COMPARE(eq, _CMP_EQ_OQ)
COMPARE(lt, _CMP_LT_OQ)
COMPARE(le, _CMP_LE_OQ)

#undef SIMD
#undef UNARY
#undef BINARY
#undef COMPARE
#undef CMP_MASK
