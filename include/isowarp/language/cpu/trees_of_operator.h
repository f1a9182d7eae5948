/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types, and OP, a built-in operator (sum, min, max): trees and folds over
 * the lanes of a warp, by register operations. Included by shuffles.h.
 */
/* One level of the tree: lanes whose bit `level` is set become (last lane of the left sibling block) op
 * (itself). */
IW_FN LANES OP_FN(level)(LANES a, int level)
{
  if (1 << level < VL) {
    EACH(i) a.r[i] = VFN(blend_level)(level, OP_REGISTERS(VFN(left_sibling)(level, a.r[i]), a.r[i]), a.r[i]);
  } else {
    const int d = (1 << level) / VL;
    EACH(i) if (i & d) a.r[i] = OP_REGISTERS(VFN(broadcast_last)(a.r[(i & ~(2 * d - 1)) + d - 1]), a.r[i]);
  }
  return a;
}

/* All lanes in the order of the tree. At each level only the last lane of each block has to be right. */
IW_FN SCALAR OP_FN(warp)(LANES a)
{
  EACH(i) IW_UNROLL for (int b = 0; 1 << b < (IW_WARP_SIZE < VL ? IW_WARP_SIZE : VL); b++)
    a.r[i] = OP_REGISTERS(VFN(left_sibling)(b, a.r[i]), a.r[i]);
  IW_UNROLL for (int d = 1; d < VECTORS; d *= 2)
    for (int i = 2 * d - 1; i < VECTORS; i += 2 * d) a.r[i] = OP_REGISTERS(a.r[i - d], a.r[i]);
  return FN(last)(a);
}

IW_FN SCALAR OP_FN(fold)(SCALAR first, LANES a, LANES *before)
{ return IW_PASTE(FN(fold_by), _)(OP_SCALARS, first, a, before); }
IW_FN SCALAR OP_FN(fold_segments)(SCALAR first, LANES a, iw_mask heads, LANES *before)
{ return IW_PASTE(FN(fold_segments_by), _)(OP_SCALARS, first, a, heads, before); }
IW_FN SCALAR OP_FN(reduce_aggregates)(unsigned warps, const SCALAR *aggregates)
{ return IW_PASTE(FN(reduce_aggregates_by), _)(OP_SCALARS, warps, aggregates); }
