/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of the template block_sort_kernel.h, included once for each width of elements: T is u8, u16, u32 or
 * u64. Narrow elements come in u32 lanes. `stride` and `half`: elements are 1 apart, or are the lower (0) or
 * upper (1) halves of values of 16 bytes, 2 apart.
 */
#define FN(name) IW_JOIN(IW_JOIN(block_sort, name), T)
#define ELEMENT_LANES IW_PASTE(IW_LANES_FOR_, T)
#define VECTOR IW_PASTE(iw_, ELEMENT_LANES)

/* Each lane's elements from `at` on. */
IW_FN VECTOR FN(load_elements)(const SCALAR *in, int stride, iw_pred some)
{
  return stride == 1 ? OF_T(iw_load)(in, some) : OF_T(iw_gather)(in, iw_add_u32(iw_lane(), iw_lane()), some);
}

IW_FN void FN(stage)(const iw_block *block, const block_sort_segment *s, const iw_move_array *moved, unsigned warp, int stride, int half,
                     const int few)
{
  const SCALAR *const in = (const SCALAR *)moved->in + s->first * (uint64_t)stride + half;
  for (uint32_t at = warp * IW_WARP_SIZE; at < s->length; at += block->warps * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)s->length - at);
    if (few && !block_sort_moves_row(s, at, some)) continue;
    OF_T(iw_store)((SCALAR *)s->staged + at, FN(load_elements)(in + (uint64_t)at * (uint64_t)stride, stride, some), some);
  }
}

/* Stores the staged elements in the order of the indices; of an array without input the indices in the
 * whole array. */
IW_FN void FN(store)(const iw_block *block, const block_sort_segment *s, const iw_move_array *moved, unsigned warp, int stride, int half,
                     const int few)
{
  SCALAR *const out = (SCALAR *)moved->out + s->first * (uint64_t)stride + half;
  for (uint32_t at = warp * IW_WARP_SIZE; at < s->length; at += block->warps * IW_WARP_SIZE) {
    const iw_pred some = iw_lanes_below((int64_t)s->length - at);
    if (few && !block_sort_moves_row(s, at, some)) continue;
    const iw_u32 index = iw_load_u16(s->indices + at, some);
    const VECTOR x = moved->in ? OF_T(iw_gather)((const SCALAR *)s->staged, index, some)
                               : IW_JOIN(iw_to, ELEMENT_LANES)(iw_add_u64(iw_to_u64(index), iw_splat(s->first)));
    SCALAR *const to = out + (uint64_t)at * (uint64_t)stride;
    if (stride == 1) OF_T(iw_store)(to, x, some);
    else OF_T(iw_scatter)(to, iw_add_u32(iw_lane(), iw_lane()), x, some);
  }
}

/* few: elements mostly stay, and arrays are in place. A literal. */
IW_FN void FN(move)(iw_block *block, const block_sort_segment *s, const iw_move_array *moved, int stride, int half, const int few)
{
  if (moved->in) IW_PHASE(warp) { FN(stage)(block, s, moved, warp, stride, half, few); }
  IW_PHASE(warp) { FN(store)(block, s, moved, warp, stride, half, few); }
}

#undef FN
#undef ELEMENT_LANES
#undef VECTOR
