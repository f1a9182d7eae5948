/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: masked and indexed loads and stores. A store writes a canonical
 * NaN. Included by memory.h.
 */
IW_FN LANES FN(load)(const SCALAR *p, iw_pred some)
{
  LANES a;
  if (IW_WARP_SIZE >= VL && some.m == IW_ALL_LANES) return FN(from_array)(p);
  EACH(i) a.r[i] = VFN(load_masked)(p + i * VL, SOME(some, i));
  return a;
}

IW_FN void FN(store)(SCALAR *p, LANES a, iw_pred some)
{
  a = FN(canonical)(a);
  if (IW_WARP_SIZE >= VL && some.m == IW_ALL_LANES) { FN(to_array)(p, a); return; }
  EACH(i) VFN(store_masked)(p + i * VL, SOME(some, i), a.r[i]);
}

IW_FN LANES FN(gather)(const SCALAR *p, iw_u32 index, iw_pred some)
{
  SCALAR x[PADDED] = { 0 };
  iws_u32 at[IW_PADDED(u32)];
  iw_to_array_u32(at, index);
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) x[l] = p[at[l]]; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; }
  return FN(from_array)(x);
}

IW_FN void FN(scatter)(SCALAR *p, iw_u32 index, LANES a, iw_pred some)
{
  SCALAR x[PADDED];
  iws_u32 at[IW_PADDED(u32)];
  FN(to_array)(x, FN(canonical)(a));
  iw_to_array_u32(at, index);
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) p[at[l]] = x[l]; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = x[l]; }
}

IW_FN LANES FN(gather_far)(const SCALAR *p, iw_u64 index, iw_pred some)
{
  SCALAR x[PADDED] = { 0 };
  iws_u64 at[IW_PADDED(u64)];
  iw_to_array_u64(at, index);
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) x[l] = p[at[l]]; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); x[l] = p[at[l]]; }
  return FN(from_array)(x);
}

IW_FN void FN(scatter_far)(SCALAR *p, iw_u64 index, LANES a, iw_pred some)
{
  SCALAR x[PADDED];
  iws_u64 at[IW_PADDED(u64)];
  FN(to_array)(x, FN(canonical)(a));
  iw_to_array_u64(at, index);
  if (some.m == IW_ALL_LANES) { for (int l = 0; l < IW_WARP_SIZE; l++) p[at[l]] = x[l]; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); p[at[l]] = x[l]; }
}

IW_FN SCALAR FN(get)(const SCALAR *p) { return *p; }
IW_FN void FN(set)(SCALAR *p, SCALAR v) { *p = SFN(canonical)(v); }
/* Keeps a NaN's bits: for values that no kernel reads as bits. */
IW_FN void FN(set_raw)(SCALAR *p, SCALAR v) { *p = v; }
