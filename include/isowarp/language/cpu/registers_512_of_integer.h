/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 512 bits: template over T, any of the four integer types. IWV_SUFFIX is the intrinsics'
 * suffix, epi32 or epi64, IWV_SIGN that of operations that depend on the sign, IWV_SIGNED the type of set1's
 * argument, and IWV_SET the type of a set of lanes. Included by registers_512.h.
 */
#define SIMD(name) IW_PASTE(_mm512_##name##_, IWV_SUFFIX)
#define SIMD_SIGN(name) IW_PASTE(_mm512_##name##_, IWV_SIGN)
#define UNARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a) { return expr; }
#define BINARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a, REGISTER b) { return expr; }
#define COMPARE(op, how) IW_FN unsigned VFN(op)(REGISTER a, REGISTER b) \
{ return IW_PASTE(SIMD_SIGN(cmp), _mask)(a, b, how); }

IW_FN REGISTER VFN(load)(const SCALAR *p) { return _mm512_loadu_si512(p); }
IW_FN void VFN(store)(SCALAR *p, REGISTER a) { _mm512_storeu_si512(p, a); }
IW_FN void VFN(stream)(SCALAR *p, REGISTER a) { _mm512_stream_si512((__m512i *)p, a); }
IW_FN REGISTER VFN(load_masked)(const SCALAR *p, unsigned set) { return SIMD(maskz_loadu)((IWV_SET)set, p); }
IW_FN void VFN(store_masked)(SCALAR *p, unsigned set, REGISTER a) { SIMD(mask_storeu)(p, (IWV_SET)set, a); }
IW_FN REGISTER VFN(set1)(SCALAR v) { return SIMD(set1)((IWV_SIGNED)v); }
IW_FN REGISTER VFN(select)(unsigned set, REGISTER a, REGISTER b)
{ return SIMD(mask_mov)(b, (IWV_SET)set, a); }

BINARY(and, _mm512_and_si512(a, b))
BINARY(or, _mm512_or_si512(a, b))
BINARY(xor, _mm512_xor_si512(a, b))
BINARY(flip_bits, _mm512_xor_si512(a, b))
UNARY(not, _mm512_xor_si512(a, _mm512_set1_epi32(-1)))
UNARY(canonical, a)
BINARY(add, SIMD(add)(a, b))
BINARY(sub, SIMD(sub)(a, b))
BINARY(mul, SIMD(mullo)(a, b))
UNARY(neg, SIMD(sub)(_mm512_setzero_si512(), a))
BINARY(shl, SIMD(sllv)(a, b))
BINARY(min, SIMD_SIGN(min)(a, b))
BINARY(max, SIMD_SIGN(max)(a, b))
COMPARE(eq, _MM_CMPINT_EQ)
COMPARE(lt, _MM_CMPINT_LT)
COMPARE(le, _MM_CMPINT_LE)

#undef SIMD
#undef SIMD_SIGN
#undef UNARY
#undef BINARY
#undef COMPARE
