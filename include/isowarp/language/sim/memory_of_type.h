/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: loads and stores. Included by memory.h.
 */
IW_FN LANES FN(load)(IW_AT_PARAMETERS_, const SCALAR *p, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, NULL, 0, 0, some, &r.undefined);
  r.owner = iw_self_();
  if (m == IW_ALL_LANES_) memcpy(r.e, p, sizeof r.e);
  else IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? p[l] : 0;
  return r;
}
IW_FN LANES FN(gather)(IW_AT_PARAMETERS_, const SCALAR *p, iw_u32 index, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, index.e, NULL, index.undefined, index.owner, some, &r.undefined);
  r.owner = iw_self_();
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? p[index.e[l]] : 0;
  return r;
}
IW_FN LANES FN(gather_far)(IW_AT_PARAMETERS_, const SCALAR *p, iw_u64 index, iw_pred some)
{
  LANES r;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, index.e, index.undefined, index.owner, some, &r.undefined);
  r.owner = iw_self_();
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? p[index.e[l]] : 0;
  return r;
}
/* A uniform value. */
IW_FN SCALAR FN(get)(IW_AT_PARAMETERS_, const SCALAR *p)
{
  uint64_t undefined;
  const uint64_t m = iw_loads_(IW_AT_, p, sizeof *p, NULL, NULL, 0, 0, iw_pred_(1, 0, 0), &undefined);
  iw_use_(site, undefined, 0, "the uniform value");
  return m ? *p : 0;
}

IW_FN void FN(store)(IW_AT_PARAMETERS_, SCALAR *p, LANES a, iw_pred some)
{
  IW_EACH_LANE_(l) a.e[l] = SFN(canonical)(a.e[l]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE, p, sizeof *p, NULL, NULL, 0, a.owner, NULL, a.undefined, some);
  if (m == IW_ALL_LANES_) memcpy(p, a.e, sizeof a.e);
  else IW_EACH_LANE_(l) if (m >> l & 1) p[l] = a.e[l];
}
IW_FN void FN(scatter)(IW_AT_PARAMETERS_, SCALAR *p, iw_u32 index, LANES a, iw_pred some)
{
  IW_EACH_LANE_(l) a.e[l] = SFN(canonical)(a.e[l]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SCATTER_KIND_(a), p, sizeof *p, index.e, NULL, index.undefined,
                                a.owner | index.owner, a.e, a.undefined, some);
  IW_EACH_LANE_(l) if (m >> l & 1) p[index.e[l]] = a.e[l];
}
IW_FN void FN(scatter_far)(IW_AT_PARAMETERS_, SCALAR *p, iw_u64 index, LANES a, iw_pred some)
{
  IW_EACH_LANE_(l) a.e[l] = SFN(canonical)(a.e[l]);
  const uint64_t m = iw_stores_(IW_AT_, IW_SCATTER_KIND_(a), p, sizeof *p, NULL, index.e, index.undefined,
                                a.owner | index.owner, a.e, a.undefined, some);
  IW_EACH_LANE_(l) if (m >> l & 1) p[index.e[l]] = a.e[l];
}
/* Keeps a NaN's bits; for words that no kernel reads as bits. */
IW_FN void FN(set_raw)(IW_AT_PARAMETERS_, SCALAR *p, SCALAR v)
{ if (iw_stores_(IW_AT_, IW_SIM_STORE, p, sizeof *p, NULL, NULL, 0, 0, NULL, 0, iw_pred_(1, 0, 0))) *p = v; }
IW_FN void FN(set)(IW_AT_PARAMETERS_, SCALAR *p, SCALAR v) { FN(set_raw)(IW_AT_, p, SFN(canonical)(v)); }
