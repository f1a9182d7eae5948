/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, a type of 1 or 2 bytes, whose lanes iw_T are those of a type of 4 bytes: loads, stores,
 * gathers and scatters. Included by memory.h.
 */
#define IW_WIDE_ IW_PASTE(IW_LANES_FOR_, T)
#define IW_TO_ARRAY_ IW_PASTE(iw_to_array_, IW_WIDE_)
#define IW_FROM_ARRAY_ IW_PASTE(iw_from_array_, IW_WIDE_)
#define IW_WIDE_SCALAR_ IW_PASTE(iws_, IW_WIDE_)
IW_STATIC_ASSERT(sizeof(IW_WIDE_SCALAR_) == 4, "elements of 1 and 2 bytes have lanes of 4 bytes");

IW_FN LANES FN(load)(const SCALAR *p, iw_pred some)
{
  LANES a;
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) {
    IW_EACH(u32, i) a.r[i] = VFN(widen)(p + i * IW_VL_u32);
    return a;
  }
#ifdef IWV_HAS_MASKED_NARROW
  IW_EACH(u32, i) a.r[i] = VFN(widen_masked)(p + i * IW_VL_u32, IW_BITS_OF(u32, some, i));
#else
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)] = { 0 };
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = SFN(widen)(p[l]); }
  a = IW_FROM_ARRAY_(x);
#endif
  return a;
}

IW_FN void FN(store)(SCALAR *p, LANES a, iw_pred some)
{
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)];
  a = IW_PASTE(iw_canonical_, IW_WIDE_)(a);
  if (IW_WARP_SIZE >= IW_VL_u32 && some.m == IW_ALL_LANES) {
    IW_EACH(u32, i) VFN(narrow)(p + i * IW_VL_u32, a.r[i]);
    return;
  }
  IW_TO_ARRAY_(x, a);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[l] = SFN(narrow)(x[l]); }
}

IW_FN LANES FN(gather)(const SCALAR *p, iw_u32 index, iw_pred some)
{
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = SFN(widen)(p[at[l]]); }
  return IW_FROM_ARRAY_(x);
}

IW_FN LANES FN(gather_far)(const SCALAR *p, iw_u64 index, iw_pred some)
{
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)] = { 0 };
  iws_u64 at[IW_PADDED(u64)];
  iw_to_array_u64(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = SFN(widen)(p[at[l]]); }
  return IW_FROM_ARRAY_(x);
}

IW_FN void FN(scatter)(SCALAR *p, iw_u32 index, LANES a, iw_pred some)
{
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)];
  iws_u32 at[IW_PADDED(u32)];
  IW_TO_ARRAY_(x, a);
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = SFN(narrow)(x[l]); }
}

IW_FN void FN(scatter_far)(SCALAR *p, iw_u64 index, LANES a, iw_pred some)
{
  IW_WIDE_SCALAR_ x[IW_PADDED(u32)];
  iws_u64 at[IW_PADDED(u64)];
  IW_TO_ARRAY_(x, a);
  iw_to_array_u64(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = SFN(narrow)(x[l]); }
}

#undef IW_WIDE_
#undef IW_TO_ARRAY_
#undef IW_FROM_ARRAY_
#undef IW_WIDE_SCALAR_
