/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator (sum, min, max): trees and folds over
 * the lanes of a warp. Included by shuffles.h.
 */
#define OP_IDENTITY IW_PASTE(IW_PASTE(IW_PASTE(iws_identity_, OP), _), T)
/* One level of the scan tree: lanes of right siblings get the last lane of the left sibling combined in
 * front. */
IW_FN LANES OP_FN(level)(LANES a, int level)
{
  iw_count_(NULL, IW_SIM_SHUFFLE, sizeof(SCALAR) / 4);
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) {
    const unsigned from = iws_left_sibling_last(l, (unsigned)level);
    if (!(l >> level & 1)) continue;
    a.e[l] = OP_SCALARS(a.e[from], a.e[l]);
    a.undefined |= (a.undefined >> from & 1) << l;
  }
  return a;
}

/* All lanes by the tree, distances ascending. The identity of a sum is 0 or -0, which are equal. */
IW_FN SCALAR OP_FN(warp)(const iw_site *site, LANES a)
{
  iw_use_(site, a.undefined, a.owner, "the reduction");
  iw_count_(site, IW_SIM_SHUFFLE, IW_LOG_WARP * (unsigned)(sizeof(SCALAR) / 4));
  /* Lanes that are no threads of the block take part: they have to change nothing. */
  if (iw_sim_self->checks && (iw_sim_self->lanes & IW_ALL_LANES_) != IW_ALL_LANES_)
    IW_EACH_LANE_(l)
      if (!(iw_sim_self->lanes >> l & 1) && OP_SCALARS(a.e[l], OP_IDENTITY()) != OP_IDENTITY())
        iw_sim_absent_lane(site, l);
  for (unsigned d = 1; d < IW_WARP_SIZE; d *= 2)
    for (unsigned l = 0; l < IW_WARP_SIZE; l += 2 * d) a.e[l] = OP_SCALARS(a.e[l], a.e[l + d]);
  return a.e[0];
}

IW_FN SCALAR OP_FN(fold)(const iw_site *site, SCALAR first, LANES a, LANES *before)
{
  iw_use_(site, a.undefined, a.owner, "the fold");
  return IW_PASTE(FN(fold_by), _)(OP_SCALARS, first, a, 0, before);
}
IW_FN SCALAR OP_FN(fold_segments)(const iw_site *site, SCALAR first, LANES a, iw_mask heads, LANES *before)
{
  iw_use_(site, a.undefined, a.owner, "the fold");
  return IW_PASTE(FN(fold_by), _)(OP_SCALARS, first, a, heads, before);
}
#undef OP_IDENTITY
