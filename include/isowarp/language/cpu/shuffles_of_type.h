/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: shuffles, and the functions that take an operator as a parameter.
 * Included by shuffles.h.
 */
IW_FN LANES FN(shuffle)(LANES a, iw_u32 index, unsigned width)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  iws_u32 from[IW_PADDED(u32)];
  FN(to_array)(x, a);
  iw_to_array_u32(from, index);
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_index(l, from[l], width)];
  return FN(from_array)(y);
}

IW_FN LANES FN(shuffle_up)(LANES a, unsigned delta, unsigned width)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  FN(to_array)(x, a);
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_up(l, delta, width)];
  return FN(from_array)(y);
}

IW_FN LANES FN(shuffle_down)(LANES a, unsigned delta, unsigned width)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  FN(to_array)(x, a);
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_down(l, delta, width)];
  return FN(from_array)(y);
}

IW_FN LANES FN(shuffle_xor)(LANES a, unsigned mask, unsigned width)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  FN(to_array)(x, a);
  for (unsigned l = 0; l < IW_WARP_SIZE; l++) y[l] = x[iws_source_xor(l, mask, width, IW_WARP_SIZE)];
  return FN(from_array)(y);
}

IW_FN SCALAR FN(last)(LANES a)
{
  SCALAR e[VL];
  if (IW_WARP_SIZE < VL) return FN(at)(a, IW_WARP_SIZE - 1);
  VFN(store)(e, VFN(broadcast_last)(a.r[VECTORS - 1]));
  return e[0];
}

/* For one level of the tree over lanes, the lanes whose bit `level` is set receive the last lane of their
 * left sibling block of 2^level lanes. What the others receive is unspecified. */
IW_FN LANES IW_PASTE(FN(left_sibling), _)(int level, LANES a)
{
  const int d = (1 << level) / VL;
  LANES b = a;
  if (d == 0) EACH(i) b.r[i] = VFN(left_sibling)(level, a.r[i]);
  else EACH(i) if (i & d) b.r[i] = VFN(broadcast_last)(a.r[(i & ~(2 * d - 1)) + d - 1]);
  return b;
}

/* The lanes whose bit `level` is set from a, the others from b. */
IW_FN LANES IW_PASTE(FN(blend_level), _)(int level, LANES a, LANES b)
{
  const int d = (1 << level) / VL;
  if (d == 0) EACH(i) b.r[i] = VFN(blend_level)(level, a.r[i], b.r[i]);
  else EACH(i) if (i & d) b.r[i] = a.r[i];
  return b;
}

/* By an operator on lane values. One level of the tree: (last lane of the left sibling block) op
 * (itself). */
IW_OPERATOR_FN LANES IW_PASTE(FN(level_by), _)(LANES (*op)(LANES, LANES), LANES a, int level)
{ return IW_PASTE(FN(blend_level), _)(level, op(IW_PASTE(FN(left_sibling), _)(level, a), a), a); }

/* All lanes in the order of the tree. */
IW_OPERATOR_FN SCALAR IW_PASTE(FN(warp_by), _)(LANES (*op)(LANES, LANES), LANES a)
{
  IW_UNROLL for (int b = 0; b < IW_LOG_WARP; b++) a = op(IW_PASTE(FN(left_sibling), _)(b, a), a);
  return FN(last)(a);
}

/* By an operator on scalars. All lanes from the left, beginning with `first`; *before: each lane's fold
 * of what precedes it. */
IW_OPERATOR_FN SCALAR IW_PASTE(FN(fold_by), _)(SCALAR (*op)(SCALAR, SCALAR), SCALAR first, LANES a,
                                               LANES *before)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  FN(to_array)(x, a);
  for (int l = 0; l < IW_WARP_SIZE; l++) { y[l] = first; first = op(first, x[l]); }
  *before = FN(from_array)(y);
  return first;
}

/* The fold restarts at each lane of `heads`. */
IW_OPERATOR_FN SCALAR IW_PASTE(FN(fold_segments_by), _)(SCALAR (*op)(SCALAR, SCALAR), SCALAR first,
                                                        LANES a, iw_mask heads,
                                                        LANES *before)
{
  SCALAR x[PADDED], y[PADDED] = { 0 };
  FN(to_array)(x, a);
  for (int l = 0; l < IW_WARP_SIZE; l++) { y[l] = first; first = heads >> l & 1 ? x[l] : op(first, x[l]); }
  *before = FN(from_array)(y);
  return first;
}

/* The tree over the aggregates of a block's warps, in scalars: there are few. Unrolled if the block size
 * is a constant, so that the aggregates stay in registers. */
IW_OPERATOR_FN SCALAR IW_PASTE(FN(reduce_aggregates_by), _)(SCALAR (*op)(SCALAR, SCALAR), unsigned warps,
                                                            const SCALAR *aggregates)
{
  SCALAR e[IW_MAX_WARPS];
  e[0] = aggregates[0]; /* a block has at least one warp, which gcc cannot know */
  if (__builtin_constant_p(warps)) {
    IW_UNROLL for (unsigned i = 1; i < warps; i++) e[i] = aggregates[i];
    IW_UNROLL for (unsigned d = 1; d < warps; d *= 2)
      IW_UNROLL for (unsigned i = 0; i + d < warps; i += 2 * d) e[i] = op(e[i], e[i + d]);
  } else {
    for (unsigned i = 1; i < warps; i++) e[i] = aggregates[i];
    for (unsigned d = 1; d < warps; d *= 2)
      for (unsigned i = 0; i + d < warps; i += 2 * d) e[i] = op(e[i], e[i + d]);
  }
  return e[0];
}
