/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of ranked_tiles.h, included once for each width of elements: T is u8, u16, u32 or u64. Narrow
 * elements come in u32 lanes. `stride` and `half`: elements are 1 apart, or are the lower (0) or upper (1)
 * halves of values of 16 bytes, 2 apart.
 */
#define FN(name) IW_JOIN(IW_JOIN(multisplit, name), T)
#define ELEMENT_LANES IW_PASTE(IW_LANES_FOR_, T)            /* u32 or u64 */
#define VECTOR IW_PASTE(iw_, ELEMENT_LANES)
/* Items of a lane that fit the stage at a time, and the elements of such a round; items that are loaded,
 * and stored, together. */
#define STAGE_ITEMS (MULTISPLIT_STAGE_BYTES / (int)sizeof(SCALAR) / (MULTISPLIT_WARPS * IW_WARP_SIZE))
#define ROUND_ITEMS (STAGE_ITEMS < tile.items ? STAGE_ITEMS : tile.items)
#define ROUND (ROUND_ITEMS * MULTISPLIT_WARPS * IW_WARP_SIZE)
#define MOST_LOADED (sizeof(SCALAR) == 8 ? MULTISPLIT_ITEMS_PER_LANE / 2 : MULTISPLIT_ITEMS_PER_LANE)
#define LOAD_BATCH (tile.items < (int)MOST_LOADED ? tile.items : (int)MOST_LOADED)
#define STORE_BATCH (ROUND_ITEMS < MULTISPLIT_STORE_BATCH ? ROUND_ITEMS : ROUND_ITEMS % MULTISPLIT_STORE_BATCH ? 1 : MULTISPLIT_STORE_BATCH)

/* Loads a warp's elements, or makes their indices, and stages those whose positions are in round r. */
IW_FN void FN(stage_array)(multisplit_shared *shared, unsigned warp, const iw_move_array *moved, multisplit_tile tile,
                           const multisplit_items *items, int r, int stride, int half, int whole)
{
  tile = multisplit_reload_tile(shared, tile);
  const int32_t before = (int32_t)(warp * (unsigned)tile.items * IW_WARP_SIZE);
  const SCALAR *const in = (const SCALAR *)moved->in + (tile.at + (uint64_t)before) * stride + half;
  IW_UNROLL for (int b = 0; b < tile.items; b += LOAD_BATCH) {
    VECTOR x[MOST_LOADED];
    if (moved->in) IW_UNROLL for (int k = 0; k < LOAD_BATCH; k++) {
      const iw_pred some = iw_lanes_below(whole ? IW_WARP_SIZE : tile.valid - before - (b + k) * IW_WARP_SIZE);
      x[k] = stride == 1 ? OF_T(iw_load)(in + (b + k) * IW_WARP_SIZE, some)
                         : OF_T(iw_gather)(in + (b + k) * IW_WARP_SIZE * stride, iw_add(iw_lane(), iw_lane()), some);
    }
    else IW_UNROLL for (int k = 0; k < LOAD_BATCH; k++)
      x[k] = IW_JOIN(iw_to, ELEMENT_LANES)(iw_add(iw_to_u64(iw_lane()), iw_splat(tile.at + (uint64_t)(before + (b + k) * IW_WARP_SIZE))));
    IW_UNROLL for (int k = 0; k < LOAD_BATCH; k++) {
      const iw_pred some = iw_lanes_below(whole ? IW_WARP_SIZE : tile.valid - before - (b + k) * IW_WARP_SIZE);
      const iw_u32 to = iw_sub(multisplit_position(items->positions, b + k), iw_splat((uint32_t)(r * ROUND)));
      OF_T(iw_scatter_bits)((SCALAR *)shared->staged, to, x[k],
                            ROUND_ITEMS == tile.items ? some : iw_and_pred(some, iw_lt(to, iw_splat((uint32_t)ROUND))));
    }
  }
}

/* Stores the elements that are staged in round r. order: NULL, or their ranks in this order are staged. */
IW_FN void FN(store_array)(multisplit_shared *shared, unsigned warp, const iw_move_array *moved, multisplit_tile tile,
                           const multisplit_items *items, int r, const iw_total_order *order, int stride, int half, int whole)
{
  const SCALAR *const staged = (const SCALAR *)shared->staged + warp * IW_WARP_SIZE;
  const int flips = order && (order->flip | order->negative_flip);
  const iw_u32 lane = iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)));
  tile = multisplit_reload_tile(shared, tile);
  IW_UNROLL for (int b = 0; b < ROUND_ITEMS; b += STORE_BATCH) {
    VECTOR x[MULTISPLIT_STORE_BATCH];
    iw_u64 to[MULTISPLIT_STORE_BATCH];
    IW_UNROLL for (int k = 0; k < STORE_BATCH; k++) {
      const int32_t row = (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE;
      const iw_pred some = iw_lanes_below(whole ? IW_WARP_SIZE : tile.valid - r * ROUND - row - (int32_t)(warp * IW_WARP_SIZE));
      to[k] = multisplit_output(shared, tile, multisplit_stored_digit(items->stored_digits, r * ROUND_ITEMS + b + k), lane,
                                (uint32_t)(r * ROUND + row), some);
      x[k] = OF_T(iw_load)(staged + row, some);
    }
    if (flips) IW_UNROLL for (int k = 0; k < STORE_BATCH; k++) x[k] = IW_JOIN(iw_total_bits, ELEMENT_LANES)(order, x[k]);
    IW_UNROLL for (int k = 0; k < STORE_BATCH; k++) {
      const int32_t row = r * ROUND + (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE;
      OF_T(iw_scatter_bits_far)((SCALAR *)moved->out + half + multisplit_output_row(tile, row) * stride, stride == 1 ? to[k] : iw_add(to[k], to[k]), x[k],
                                iw_lanes_below(whole ? IW_WARP_SIZE : tile.valid - row - (int32_t)(warp * IW_WARP_SIZE)));
    }
  }
}

IW_FN void FN(move_rounds)(iw_block *block, multisplit_shared *shared, const iw_move_array *moved, multisplit_tile tile,
                           IW_DST(multisplit_items) items, const iw_total_order *order, int stride, int half, int whole)
{
  IW_UNROLL for (int r = 0; r < tile.items / ROUND_ITEMS; r++) if (whole || r * ROUND < tile.valid) {
    if (!order) IW_PHASE(warp) { FN(stage_array)(shared, warp, moved, tile, &IW_MY(items), r, stride, half, whole); }
    IW_PHASE(warp) { FN(store_array)(shared, warp, moved, tile, &IW_MY(items), r, order, stride, half, whole); }
  }
}

/* Moves an array's elements of a tile, of which the stage has the ranks if `order` is not NULL; whole tiles
 * have code of their own. */
IW_FN void FN(move_array)(iw_block *block, multisplit_shared *shared, const iw_move_array *moved, multisplit_tile tile,
                          IW_DST(multisplit_items) items, const iw_total_order *order, int stride, int half)
{
  if (multisplit_is_whole(tile)) FN(move_rounds)(block, shared, moved, tile, items, order, stride, half, 1);
  else FN(move_rounds)(block, shared, moved, tile, items, order, stride, half, 0);
}

#undef FN
#undef ELEMENT_LANES
#undef VECTOR
#undef STAGE_ITEMS
#undef ROUND_ITEMS
#undef ROUND
#undef MOST_LOADED
#undef LOAD_BATCH
#undef STORE_BATCH
