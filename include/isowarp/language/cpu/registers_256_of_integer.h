/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of 256 bits: template over T, any of the four integer types. IWV_SUFFIX is the intrinsics'
 * suffix, epi32 or epi64, IWV_SET1 that of set1, and IWV_SIGNED the type of its argument. IWV_LEAST has the
 * bits to flip for an unsigned comparison, else 0. Included by registers_256.h.
 */
#define SIMD(name) IWV_256(IW_PASTE(name##_, IWV_SUFFIX))
#define UNARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a) { return expr; }
#define BINARY(op, expr) IW_FN REGISTER VFN(op)(REGISTER a, REGISTER b) { return expr; }
#define COMPARE(op, expr) IW_FN iwv_mask VFN(op)(REGISTER a, REGISTER b) { return expr; }

IW_FN REGISTER VFN(load)(const SCALAR *p) { return IWV_256(loadu_si256)((const iwv_m256i *)p); }
IW_FN void VFN(store)(SCALAR *p, REGISTER a) { IWV_256(storeu_si256)((iwv_m256i *)p, a); }
IW_FN void VFN(stream)(SCALAR *p, REGISTER a)
{ IWV_COMPILER_BARRIER IWV_256(stream_si256)((iwv_m256i *)p, a); }
IW_FN REGISTER VFN(set1)(SCALAR v) { return IWV_256(IW_PASTE(set1_, IWV_SET1))((IWV_SIGNED)v); }
IW_FN int VFN(may_have_nan)(const REGISTER *a, int count) { (void)a; (void)count; return 0; }

BINARY(and, IWV_256(and_si256)(a, b))
BINARY(or, IWV_256(or_si256)(a, b))
BINARY(xor, IWV_256(xor_si256)(a, b))
BINARY(flip_bits, IWV_256(xor_si256)(a, b))
UNARY(not, IWV_256(xor_si256)(a, IWV_256(set1_epi32)(-1)))
UNARY(canonical, a)
BINARY(add, SIMD(add)(a, b))
BINARY(sub, SIMD(sub)(a, b))
UNARY(neg, SIMD(sub)(IWV_256(setzero_si256)(), a))
BINARY(shl, SIMD(sllv)(a, b))

/* There is a signed comparison only: for unsigned integers, the sign bits are flipped. */
IW_FN REGISTER VFN(greater)(REGISTER a, REGISTER b)
{
  const REGISTER flip = VFN(set1)(IWV_LEAST);
  return SIMD(cmpgt)(IWV_256(xor_si256)(a, flip), IWV_256(xor_si256)(b, flip));
}
COMPARE(eq, SIMD(cmpeq)(a, b))
COMPARE(lt, VFN(greater)(b, a))
COMPARE(le, VFN(not)(VFN(greater)(a, b)))

#undef SIMD
#undef UNARY
#undef BINARY
#undef COMPARE
