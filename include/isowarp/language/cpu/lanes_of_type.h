/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: lane values from and to arrays, arithmetic, comparisons, select.
 * Included by lanes.h.
 */
IW_STATIC_ASSERT(sizeof(SCALAR) == 4 || sizeof(SCALAR) == 8,
                 "vector masks are made for lanes of 4 and of 8 bytes only");

/* The lanes in memory, padding included. */
IW_FN void FN(to_array)(SCALAR *e, LANES a) { EACH(i) VFN(store)(e + i * VL, a.r[i]); }
IW_FN LANES FN(from_array)(const SCALAR *e) { LANES a; EACH(i) a.r[i] = VFN(load)(e + i * VL); return a; }
IW_FN LANES FN(splat)(SCALAR v) { LANES a; EACH(i) a.r[i] = VFN(set1)(v); return a; }
IW_FN SCALAR FN(at)(LANES a, unsigned lane)
{
  SCALAR e[PADDED];
  FN(to_array)(e, a);
  return e[lane & (IW_WARP_SIZE - 1)];
}

/* The sum operator has a name of its own, so that templates paste sum, min or max alike. */
IW_FN REGISTER VFN(sum)(REGISTER a, REGISTER b) { return VFN(add)(a, b); }

#define UNARY(op) IW_FN LANES FN(op)(LANES a) { EACH(i) a.r[i] = VFN(op)(a.r[i]); return a; }
#define BINARY(op) IW_FN LANES FN(op)(LANES a, LANES b) \
{ EACH(i) a.r[i] = VFN(op)(a.r[i], b.r[i]); return a; }
UNARY(neg)
UNARY(canonical)
BINARY(sum)
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(min)
BINARY(max)
BINARY(flip_bits)
#undef UNARY
#undef BINARY

#ifdef IWV_HAS_MASKS
/* Two registers of 64-bit lanes share one mask. */
#define COMPARE(op, compare, x, y) IW_FN iw_pred FN(op)(LANES a, LANES b) { \
  iw_pred p; \
  if (sizeof(SCALAR) == 4) IW_EACH(u32, i) p.v[i] = VFN(compare)(x.r[i], y.r[i]); \
  else IW_EACH(u32, i) p.v[i] = iwv_mask_pair(VFN(compare)(x.r[2 * i], y.r[2 * i]), \
                                              VFN(compare)(x.r[2 * i + 1], y.r[2 * i + 1])); \
  return iw_pred_(p, 1, 0); }
#else
#define COMPARE(op, compare, x, y) IW_FN iw_pred FN(op)(LANES a, LANES b) { \
  iw_pred p = { 0 }; \
  EACH(i) p.m |= (iw_bits)VFN(compare)(x.r[i], y.r[i]) << (i * VL); \
  p.m &= IW_ALL_LANES; \
  return p; }
#endif
COMPARE(eq, eq, a, b)
COMPARE(lt, lt, a, b)
COMPARE(le, le, a, b)
COMPARE(gt, lt, b, a)
COMPARE(ge, le, b, a)
#undef COMPARE
IW_FN iw_pred FN(ne)(LANES a, LANES b) { return iw_not_pred(FN(eq)(a, b)); }

IW_FN LANES FN(select)(iw_pred p, LANES a, LANES b)
{ EACH(i) a.r[i] = VFN(select)(SOME(p, i), a.r[i], b.r[i]); return a; }
