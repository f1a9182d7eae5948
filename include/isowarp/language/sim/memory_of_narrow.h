/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, a type of 1 or 2 bytes, whose lanes have 4: loads and stores. Included by memory.h.
 */
IW_FN LANES FN(load)(IW_AT_PARAMETERS_, const SCALAR *p, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, NULL, 0, 0, some, &r.undefined);
  r.owner = iw_self_();
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? SFN(widen)(p[l]) : 0;
  return r;
}
IW_FN LANES FN(gather)(IW_AT_PARAMETERS_, const SCALAR *p, iw_u32 index, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, index.e, NULL, index.undefined, index.owner, some, &r.undefined);
  r.owner = iw_self_();
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? SFN(widen)(p[index.e[l]]) : 0;
  return r;
}
IW_FN LANES FN(gather_far)(IW_AT_PARAMETERS_, const SCALAR *p, iw_u64 index, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, index.e, index.undefined, index.owner, some, &r.undefined);
  r.owner = iw_self_();
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? SFN(widen)(p[index.e[l]]) : 0;
  return r;
}
IW_FN void FN(store)(IW_AT_PARAMETERS_, SCALAR *p, LANES a, iw_pred some)
{
  const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE, p, sizeof *p, NULL, NULL, 0, a.owner, NULL, a.undefined, some);
  IW_EACH_LANE_(l) if (m >> l & 1) p[l] = SFN(narrow)(a.e[l]);
}
IW_FN void FN(scatter)(IW_AT_PARAMETERS_, SCALAR *p, iw_u32 index, LANES a, iw_pred some)
{
  SCALAR values[IW_WARP_SIZE];
  IW_EACH_LANE_(l) values[l] = SFN(narrow)(a.e[l]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SCATTER_KIND_(a), p, sizeof *p, index.e, NULL, index.undefined,
                                a.owner | index.owner, values, a.undefined, some);
  IW_EACH_LANE_(l) if (m >> l & 1) p[index.e[l]] = values[l];
}
IW_FN void FN(scatter_far)(IW_AT_PARAMETERS_, SCALAR *p, iw_u64 index, LANES a, iw_pred some)
{
  SCALAR values[IW_WARP_SIZE];
  IW_EACH_LANE_(l) values[l] = SFN(narrow)(a.e[l]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SCATTER_KIND_(a), p, sizeof *p, NULL, index.e, index.undefined,
                                a.owner | index.owner, values, a.undefined, some);
  IW_EACH_LANE_(l) if (m >> l & 1) p[index.e[l]] = values[l];
}
