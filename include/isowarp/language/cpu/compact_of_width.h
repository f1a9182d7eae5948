/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, u32 or u64: stream compaction of one warp. Whole registers are stored, so that up to a
 * warp's lanes behind the chosen ones may be overwritten. Included by memory.h.
 */
#define IW_BITS_OF_T(p, i) ((unsigned)((p).m >> ((i) * VL)) & ((1u << VL) - 1))

/* The lanes of `some`, packed, to p[0] … p[count - 1]; returns count. */
IW_FN unsigned FN(compact)(SCALAR *p, LANES a, iw_pred some)
{
  unsigned k = 0;
  EACH(i) {
    const unsigned bits = IW_BITS_OF_T(some, i);
    SCALAR x[VL];
    if (IW_WARP_SIZE >= VL) VFN(store)(p + k, VFN(compress)(bits, a.r[i]));
    else { VFN(store)(x, VFN(compress)(bits, a.r[i])); memcpy(p + k, x, IW_WARP_SIZE * sizeof *p); }
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}

/* The same with the other lanes of `some`, packed, to q[0] …; `chosen` is a subset of `some`. */
IW_FN unsigned FN(compact_both)(SCALAR *p, SCALAR *q, LANES a, iw_pred chosen, iw_pred some)
{
  unsigned k = 0;
  if (IW_WARP_SIZE < VL || some.m != IW_ALL_LANES) {
    FN(compact)(q, a, iw_and_pred(some, iw_not_pred(chosen)));
    return FN(compact)(p, a, chosen);
  }
  const iw_pred others = iw_not_pred(chosen);
  EACH(i) {
    const unsigned bits = IW_BITS_OF_T(chosen, i);
    VFN(store)(p + k, VFN(compress)(bits, a.r[i]));
    VFN(store)(q + (i * VL - k), VFN(compress)(IW_BITS_OF_T(others, i), a.r[i]));
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}
#undef IW_BITS_OF_T
