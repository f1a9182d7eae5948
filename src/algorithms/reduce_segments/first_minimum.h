/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of the first minimum of a segment, for argmin and argmax. A part of reduce_segments_kernel.h,
 * which has its parameters; FINDS is 1 if MINIMUM is defined. A segment of up to a tile is searched for its
 * minimum by the warp that has just reduced it, while it is in a cache. A longer segment has the aggregates
 * of its tiles in scratch: they say which tile is the first with the minimum, and only that tile is searched
 * (doc/design/segments.md#argmin-and-other-operators). Elements are compared as they are combined, with
 * twiddled bits.
 */
#define SEARCH_LOADS ((int)SEGMENTS_SEARCH_LOADS)

/* The lanes of `some` whose bits differ from b's, and the others: a NaN equals a NaN, and -0 differs from
 * +0. */
IW_FN iw_pred FN(differs)(LANES a, LANES b) { return iw_ne(IW_JOIN(SEGMENTS_BITS, T)(a), IW_JOIN(SEGMENTS_BITS, T)(b)); }
IW_FN iw_mask FN(equal_lanes)(LANES a, LANES b, iw_pred some)
{
  return iw_ballot(iw_and_pred(some, iw_not_pred(FN(differs)(a, b))));
}

/* 32 elements that are `stride` apart; the identity in lanes outside of `some`. */
IW_FN LANES FN(load_strided)(const ARGS *args, const ELEMENT *in, uint64_t stride, iw_pred some)
{
  if (stride == 1) return FN(load_some)(args, in, some);
  const iw_u64 index = iw_mul_u64(iw_iota_u64(0), iw_splat_u64(stride));
  return OF_T(iw_select)(some, TWIDDLE_LANES(args, CONVERT(IW_JOIN(iw_gather_far, IN_MEMORY)(in, index, some))), IDENTITY);
}

/* The index of the first of `count` elements, `stride` apart, that equals `best`; 0 if there is none. */
IW_FN uint64_t FN(first_equal)(const ARGS *args, const ELEMENT *in, uint64_t stride, uint64_t count, LANES best)
{
  for (uint64_t at = 0; at < count; at += 32 * SEARCH_LOADS) {
    const int64_t left = (int64_t)(count - at);
    LANES x[SEARCH_LOADS];
    IW_UNROLL for (int i = 0; i < SEARCH_LOADS; i++)
      x[i] = FN(load_strided)(args, in + (at + 32 * (uint64_t)i) * stride, stride, iw_lanes_below(left - 32 * i));
    for (int i = 0; i < SEARCH_LOADS; i++) {
      const iw_mask found = FN(equal_lanes)(x[i], best, iw_lanes_below(left - 32 * i));
      if (found) return at + 32 * (uint64_t)i + iw_lowest(found);
    }
  }
  return 0;
}

#if SEGMENTS_IN_LANES
/* Lane l: the index in its segment, `length` elements from `begin` on, of the first one that equals
 * best[l]; 0 if there is none. SEARCH_LOADS segments are searched at a time. */
IW_FN iw_u64 FN(first_equal_of_each)(const ARGS *args, iw_u64 begin, iw_u32 length, LANES best)
{
  iw_u32 index = iw_splat_u32(0);
  const uint32_t searched = (uint32_t)iw_ballot(iw_gt_u32(length, iw_splat_u32(0)));
  for (unsigned k = 0; k < 32; k += SEARCH_LOADS) {
    uint32_t left = searched >> k & (uint32_t)(((uint64_t)1 << SEARCH_LOADS) - 1);
    for (uint32_t at = 0; left; at += 32) {
      LANES x[SEARCH_LOADS];
      IW_UNROLL for (unsigned i = 0; i < SEARCH_LOADS; i++) {
        const ELEMENT *const in = (const ELEMENT *)args->in + iw_at_u64(begin, k + i) + at;
        const int64_t valid = (int64_t)iw_at_u32(length, k + i) - at;
        x[i] = FN(load_some)(args, in, iw_lanes_below(left >> i & 1 ? valid : 0));
      }
      IW_UNROLL for (unsigned i = 0; i < SEARCH_LOADS; i++) {
        const int64_t valid = (int64_t)iw_at_u32(length, k + i) - at;
        const iw_pred some = iw_lanes_below(left >> i & 1 ? valid : 0);
        const iw_mask found = FN(equal_lanes)(x[i], OF_T(iw_splat)(OF_T(iw_at)(best, k + i)), some);
        if (found)
          index = iw_select_u32(iw_eq_u32(iw_lane(), iw_splat_u32(k + i)), iw_splat_u32(at + iw_lowest(found)), index);
        if (found || valid <= 32) left &= ~((uint32_t)1 << i);
      }
    }
  }
  return iw_convert_u32_u64(index);
}
#endif

/* The first tile of a long segment that has its minimum, which becomes *best. */
IW_FN uint64_t FN(first_tile_of_minimum)(const ARGS *args, uint64_t first_tile, uint64_t tiles, SCALAR *best)
{
  const SCALAR *const aggregates = (const SCALAR *)args->aggregates + first_tile;
  iw_u64 first = iw_iota_u64(0); /* lane l: the first tile l + 32 * k that has the minimum of such tiles */
  LANES least = IDENTITY;
  for (uint64_t at = 0; at < tiles; at += 32 * SEARCH_LOADS) {
    const int64_t left = (int64_t)(tiles - at);
    LANES x[SEARCH_LOADS];
    IW_UNROLL for (int i = 0; i < SEARCH_LOADS; i++) {
      const iw_pred some = iw_lanes_below(left - 32 * i);
      x[i] = OF_T(iw_select)(some, OF_T(iw_load)(aggregates + at + 32 * i, some), IDENTITY);
    }
    for (int i = 0; i < SEARCH_LOADS; i++) {
      const LANES next = OF_OP(iw)(least, x[i]);
      first = iw_select_u64(FN(differs)(next, least), iw_iota_u64(at + 32 * (uint64_t)i), first);
      least = next;
    }
  }
  *best = OF_OP(iw_warp)(least);
  const iw_pred has = iw_not_pred(FN(differs)(least, OF_T(iw_splat)(*best)));
  return iw_warp_min_u64(iw_select_u64(has, first, iw_splat_u64(UINT64_MAX)));
}

/* In place of fold_tiles. A column is a segment whose elements are `stride` apart. */
IW_KERNEL_NO_SPECIALIZATION(KERNEL(find), iw_no_shared, iw_reduce_segments_args, TILE_WARPS * 32, SEGMENTS_FOLD_BLOCKS)
{
  IW_PHASE(warp) {
    uint64_t tiles_of_all;
    const uint64_t segments = long_segments(args, &tiles_of_all);
    for (uint64_t k = block->index * block->warps + warp; k < segments; k += block->blocks * block->warps) {
      const iw_long_segment s = long_segment(args, k);
      if (!s.length) { /* a column without elements */
        iw_set_u64(args->indices + s.segment, 0);
        FN(set_result)(args, s.segment, FN(initial_of)(args).of_none);
        continue;
      }
      SCALAR best;
      const uint64_t tile = FN(first_tile_of_minimum)(args, s.first_tile, tiles_of(s.length), &best);
      const uint64_t at = tile * TILE, left = s.length - at, stride = args->stride ? args->stride : 1;
      const ELEMENT *const in = (const ELEMENT *)args->in + (args->stride ? k + at * stride : s.begin + at);
      const uint64_t index = FN(first_equal)(args, in, stride, left < TILE ? left : TILE, OF_T(iw_splat)(best));
      iw_set_u64(args->indices + s.segment, at + index);
      FN(set_result)(args, s.segment, best);
    }
  }
}

#undef SEARCH_LOADS
