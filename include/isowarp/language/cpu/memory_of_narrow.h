/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, a type of 1 or 2 bytes, whose lanes iw_T are those of a type of 4 bytes: loads, stores, gathers and
 * compaction. Included by memory.h.
 */
#define IW_WIDE_ IW_PASTE(IW_LANES_FOR_, T)
#define IW_COMPRESS_ IW_PASTE(iwv_compress_, IW_WIDE_)
IW_STATIC_ASSERT(sizeof(IW_PASTE(iws_, IW_WIDE_)) == 4, "elements of 1 and 2 bytes have lanes of 4 bytes");

IW_FN LANES FN(load)(const SCALAR *p, iw_pred some)
{
  IW_PASTE(iws_, IW_WIDE_) x[IW_PADDED(u32)] = { 0 };
  LANES a;
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) {
    IW_EACH(u32, i) a.r[i] = VFN(widen)(p + i * IW_VL_u32);
    return a;
  }
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[l]; }
  return IW_PASTE(iw_from_array_, IW_WIDE_)(x);
}

IW_FN void FN(store)(SCALAR *p, LANES a, iw_pred some)
{
  IW_PASTE(iws_, IW_WIDE_) x[IW_PADDED(u32)];
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) {
    IW_EACH(u32, i) VFN(narrow)(p + i * IW_VL_u32, a.r[i]);
    return;
  }
  IW_PASTE(iw_to_array_, IW_WIDE_)(x, a);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[l] = (SCALAR)x[l]; }
}

IW_FN LANES FN(gather)(const SCALAR *p, iw_u32 index, iw_pred some)
{
  IW_PASTE(iws_, IW_WIDE_) x[IW_PADDED(u32)] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; }
  return IW_PASTE(iw_from_array_, IW_WIDE_)(x);
}

/* See compact_of_width.h. */
IW_FN unsigned FN(compact)(SCALAR *p, LANES a, iw_pred some)
{
  unsigned k = 0;
  IW_EACH(u32, i) {
    const unsigned bits = IW_BITS_OF(u32, some, i);
    SCALAR x[IW_VL_u32];
    if (IW_WARP_SIZE >= IW_VL_u32) VFN(narrow)(p + k, IW_COMPRESS_(bits, a.r[i]));
    else { VFN(narrow)(x, IW_COMPRESS_(bits, a.r[i])); memcpy(p + k, x, IW_WARP_SIZE * sizeof *p); }
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}

IW_FN unsigned FN(compact_both)(SCALAR *p, SCALAR *q, LANES a, iw_pred chosen, iw_pred some)
{
  unsigned k = 0;
  if (IW_WARP_SIZE < IW_VL_u32 || some.m != IW_ALL_LANES) {
    FN(compact)(q, a, iw_and_pred(some, iw_not_pred(chosen)));
    return FN(compact)(p, a, chosen);
  }
  const iw_pred others = iw_not_pred(chosen);
  IW_EACH(u32, i) {
    const unsigned bits = IW_BITS_OF(u32, chosen, i);
    VFN(narrow)(p + k, IW_COMPRESS_(bits, a.r[i]));
    VFN(narrow)(q + (i * IW_VL_u32 - k), IW_COMPRESS_(IW_BITS_OF(u32, others, i), a.r[i]));
    k += (unsigned)__builtin_popcount(bits);
  }
  return k;
}

#undef IW_COMPRESS_
#undef IW_WIDE_
