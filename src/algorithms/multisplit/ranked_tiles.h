/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranked-tile schedule of multisplit_move, for GPUs; part of the template radix_split_kernel.h. Compare
 * the block-level multisplit of Ashkiani et al. 2016 and CUB's AgentRadixSortDownsweep. A block moves one
 * tile, in the order of block indices, so that stores at the same time are close in memory
 * (doc/design/sort.md#the-split-on-gpus). A lane has MULTISPLIT_ITEMS_PER_LANE items, 32 elements apart, of
 * a short array's tile in radix_onesweep MULTISPLIT_SHORT_ITEMS_PER_LANE.
 *   1. Each warp counts the digits of its items.
 *   2. A warp for each group of 32 digits adds up the counts of all warps and scans them: where each digit
 *      and warp begins in the tile.
 *   3. Each warp ranks its items: how many items of the same digit come before in its part of the tile.
 *      Ranks count from where the digit and warp begin, so that they are positions in the tile. Digits are
 *      staged in shared memory at these positions, so that each lane learns the digits of the positions that
 *      it will store. If the keys themselves are moved and have 4 bytes, their ranks in the total order are
 *      staged in place of digits, and serve as the first array of step 4; but not those of a tile that has a
 *      NaN, which cannot be had from its rank.
 *   4. Each array is staged at the same positions and stored from there: equal digits are neighbours and go
 *      to consecutive addresses. If a tile does not fit the stage, it is done in rounds.
 */
static_assert(MULTISPLIT_WARPS >= MULTISPLIT_DIGIT_GROUPS, "each group of digits has a warp");
static_assert((int)MULTISPLIT_TILE == (int)IW_MULTISPLIT_TILE &&
              MULTISPLIT_WARPS * MULTISPLIT_SHORT_ITEMS_PER_LANE * IW_WARP_SIZE == (int)IW_MULTISPLIT_SHORT_TILE, "a part is a tile");
static_assert(MULTISPLIT_ITEMS_PER_LANE % 4 == 0 && MULTISPLIT_TILE <= 65536,
              "four digits are in a word; two positions in a tile fit a word");
static_assert(MULTISPLIT_ITEMS_PER_LANE % MULTISPLIT_STORE_BATCH == 0, "a lane stores whole batches");
static_assert(MULTISPLIT_SHORT_ITEMS_PER_LANE % 4 == 0 && MULTISPLIT_SHORT_ITEMS_PER_LANE <= MULTISPLIT_STORE_BATCH,
              "four digits are in a word; a lane stores all items of a short tile together");
static_assert(MULTISPLIT_STAGE_BYTES % (MULTISPLIT_WARPS * IW_WARP_SIZE * 8) == 0 && MULTISPLIT_STAGE_BYTES >= 4 * MULTISPLIT_TILE,
              "the stage holds a tile of 4-byte elements");

typedef struct {
  uint64_t staged[MULTISPLIT_STAGE_BYTES / sizeof(uint64_t)];
  union { uint64_t wide[IW_RADIX_DIGITS]; uint32_t narrow[IW_RADIX_DIGITS]; } bases; /* output position of a digit's first element,
                                                   less its position in the tile */
  uint32_t counters[MULTISPLIT_WARPS * IW_RADIX_DIGITS];    /* of each warp's digits; then their first positions in the tile */
  uint32_t sums[MULTISPLIT_DIGIT_GROUPS];
  uint32_t nans[MULTISPLIT_WARPS];              /* of floats: whether a warp's keys have one */
  uint64_t tile_at;                             /* radix_onesweep: the tile's place, and its number of elements */
  int32_t tile_valid;
} multisplit_shared;

/* A lane's items: keys as multisplit_item_key_…() has them, positions in the tile, two in a word, and the
 * digits at the positions that the lane stores, four in a word. */
typedef struct {
  iw_u32 keys[MULTISPLIT_ITEMS_PER_LANE];
  iw_u32 positions[MULTISPLIT_ITEMS_PER_LANE / 2];
  iw_u32 stored_digits[MULTISPLIT_ITEMS_PER_LANE / 4];
  iw_u32 tile_counts;                           /* of one digit of a group, in the tile */
} multisplit_items;

/* The tile of an index, from element `at` on, of which `valid` elements are there, the shift of its items'
 * keys, and the items of a lane, a literal. sweeps: the kernel is radix_onesweep (onesweep.h): tiles publish
 * their counts, with flags of this epoch, and output positions have 32 bits. */
typedef struct { uint64_t index, at; int32_t valid; unsigned shift; int items, sweeps; uint32_t epoch; } multisplit_tile;

/* Whether the tile has all of its elements, and there is code for that: short tiles have none. */
IW_FN int multisplit_is_whole(multisplit_tile tile)
{
  return tile.items == MULTISPLIT_ITEMS_PER_LANE && tile.valid == MULTISPLIT_TILE;
}

/* The states of the digits of this warp's group. */
IW_FN iw_look_back multisplit_states_of(const iw_radix_args *args, unsigned warp, multisplit_tile tile)
{
  const iw_look_back look_back = { args->states + warp * IW_WARP_SIZE, NULL, tile.epoch };
  return look_back;
}

/* ---- Items ---- */

/* The tile, of radix_onesweep from shared memory. There the index is not the block's, and what is computed
 * from it for all widths of arrays would be kept in more registers than there are. */
IW_FN multisplit_tile multisplit_reload_tile(const multisplit_shared *shared, multisplit_tile tile)
{
  if (!tile.sweeps) return tile;
  tile.at = iw_get_u64(&shared->tile_at);
  tile.valid = iw_get_i32(&shared->tile_valid);
  return tile;
}

IW_FN iw_u32 multisplit_position(const iw_u32 *positions, int k)
{
  return iw_bitfield_extract(positions[k / 2], 16 * (unsigned)(k % 2), 16);
}

IW_FN iw_u32 multisplit_stored_digit(const iw_u32 *stored_digits, int k)
{
  return iw_bitfield_extract(stored_digits[k / 4], 8 * (unsigned)(k % 4), 8);
}

/* The digit of an item's key. shift: of the pass, or 0 for 64-bit keys, whose digits were extracted when
 * they were loaded. */
IW_FN iw_u32 multisplit_item_digit(const iw_radix_args *args, unsigned shift, iw_u32 key)
{
  return multisplit_digit_u32(key, shift, args->mask);
}

IW_FN void multisplit_load_item_keys(const iw_radix_args *args, uint64_t at, iw_u32 *keys, const int items)
{
  switch (args->key_bytes) {
  case 1: multisplit_load_keys_u8(args, at, args->n, keys, items); break;
  case 2: multisplit_load_keys_u16(args, at, args->n, keys, items); break;
  case 4: multisplit_load_keys_u32(args, at, args->n, keys, items); break;
  default: multisplit_load_keys_u64(args, at, args->n, keys, items); break;
  }
}

/* Loads a warp's items and counts their digits. Loads the output positions of a group of digits: the
 * tile's, or in radix_onesweep the first tile's. */
IW_FN void multisplit_count_items(const iw_block *block, const iw_radix_args *args, multisplit_shared *shared, unsigned warp,
                                  multisplit_tile tile, multisplit_items *items)
{
  const uint32_t d = warp * IW_WARP_SIZE;
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint32_t *const counters = shared->counters + warp * IW_RADIX_DIGITS;
  multisplit_load_item_keys(args, tile.at + warp * (unsigned)tile.items * IW_WARP_SIZE, items->keys, tile.items);
  if (d <= args->mask && (tile.sweeps || !args->within_chunks)) {
    const iw_u64 positions = tile.sweeps ? iw_load(args->digit_offsets + d, all) : multisplit_part_offset(args, tile.index, d);
    if (tile.sweeps) iw_store(shared->bases.narrow + d, iw_to_u32(positions), all);
    else iw_store(shared->bases.wide + d, positions, all);
    if (tile.index == 0 && args->offsets) multisplit_store_offsets(args, d, positions);
  }
  if (tile.sweeps && warp == 0) {
    iw_set_u64(&shared->tile_at, tile.at);
    iw_set_i32(&shared->tile_valid, tile.valid);
  }
  IW_UNROLL for (int c = 0; c < IW_RADIX_DIGITS - 2 * IW_WARP_SIZE; c += 2 * IW_WARP_SIZE) /* two at a time */
    iw_scatter_bits_u64((uint64_t *)(void *)(counters + c), iw_lane(), iw_splat((uint64_t)0), all);
  /* by iw_store, which orders the stores above, too, before what lanes count */
  iw_store((uint64_t *)(void *)(counters + IW_RADIX_DIGITS - 2 * IW_WARP_SIZE), iw_splat((uint64_t)0), all);
  IW_UNROLL for (int k = 0; k < tile.items; k++)
    iw_count_replicated(counters, 0, multisplit_item_digit(args, tile.shift, items->keys[k]), all);
}

/* Whether a warp's keys have a NaN: of floats of 4 bytes. Items that do not exist have its rank in ascending
 * order, and do not count. */
IW_FN void multisplit_find_nan(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                               const multisplit_items *items)
{
  iw_pred some = iw_lanes_below(0);
#define IS_NAN iw_eq_u32(items->keys[k], iw_splat_u32((uint32_t)args->order.nan))
  if (multisplit_is_whole(tile)) IW_UNROLL for (int k = 0; k < tile.items; k++) some = iw_or_pred(some, IS_NAN);
  else IW_UNROLL for (int k = 0; k < tile.items; k++)
    some = iw_or_pred(some, iw_and_pred(IS_NAN, iw_lanes_below(tile.valid - ((int32_t)warp * tile.items + k) * IW_WARP_SIZE)));
#undef IS_NAN
  iw_set_u32(shared->nans + warp, iw_any(some));
}

/* Adds up the warps' counts of the warp's group of digits, if it has one. radix_onesweep publishes the
 * sums, as early as possible: other tiles wait for them. */
IW_FN void multisplit_sum_group(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                multisplit_items *items)
{
  const uint32_t d = warp * IW_WARP_SIZE;
  if (d > args->mask) return;
  iw_u32 sum = iw_splat(0u);
  IW_UNROLL for (int w = 0; w < MULTISPLIT_WARPS; w++)
    sum = iw_add(sum, iw_load(shared->counters + w * IW_RADIX_DIGITS + d, iw_lanes_below(IW_WARP_SIZE)));
  if (tile.sweeps) {
    const iw_look_back look_back = multisplit_states_of(args, warp, tile);
    publish_digit_counts(&look_back, tile.index, IW_RADIX_DIGITS, tile_status(tile.index == 0), sum);
  }
  items->tile_counts = sum;
  iw_set_u32(&shared->sums[warp], iw_warp_sum_u32(sum));
}

/* Turns the counters of the group into positions: where the items of each digit and warp begin in the
 * tile. */
IW_FN void multisplit_scan_group(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                 const multisplit_items *items)
{
  const uint32_t d = warp * IW_WARP_SIZE;
  if (d > args->mask) return;
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint32_t before = 0;
  for (unsigned g = 0; g < warp; g++) before += iw_get_u32(&shared->sums[g]);
  iw_u32 start = iw_add(iw_exclusive_prefix_sum_u32(items->tile_counts), iw_splat(before));
  if (tile.sweeps) iw_store(shared->bases.narrow + d, iw_sub(iw_load(shared->bases.narrow + d, all), start), all);
  else if (args->within_chunks) {
    if (args->offsets) multisplit_store_offsets(args, d, iw_to_u64(start));
    iw_store(shared->bases.wide + d, iw_splat((uint64_t)0), all);
  } else iw_store(shared->bases.wide + d, iw_sub(iw_load(shared->bases.wide + d, all), iw_to_u64(start)), all);
  IW_UNROLL for (int w = 0; w < MULTISPLIT_WARPS; w++) {
    uint32_t *const counters = shared->counters + w * IW_RADIX_DIGITS + d;
    const iw_u32 count = iw_load(counters, all);
    iw_scatter_bits_u32(counters, iw_lane(), start, all);
    start = iw_add(start, count);
  }
}

/* Ranks a warp's items, which makes positions in the tile, as counters are those of the warp's first
 * items, and stages there the keys, as ranks, or the digits. only_keys, a literal: keys are staged, and no
 * other array is later, for which positions would be kept. */
IW_FN void multisplit_rank_items(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                 multisplit_items *items, int stages_keys, const int only_keys)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  iw_u32 positions[MULTISPLIT_ITEMS_PER_LANE];
  iw_rank_digits_in(shared->counters + warp * IW_RADIX_DIGITS, items->keys, tile.shift, args->mask, positions, tile.items);
  if (!only_keys) IW_UNROLL for (int k = 0; k < tile.items; k += 2)
    items->positions[k / 2] = iw_or_u32(positions[k], iw_shl_u32(positions[k + 1], iw_splat(16u)));
#define POSITION (only_keys ? positions[k] : multisplit_position(items->positions, k))
  if (only_keys || stages_keys) IW_UNROLL for (int k = 0; k < tile.items; k++)
    iw_scatter_bits_u32((uint32_t *)shared->staged, POSITION, items->keys[k], all);
  else IW_UNROLL for (int k = 0; k < tile.items; k++)
    iw_scatter_bits_u8((uint8_t *)shared->staged, POSITION, multisplit_item_digit(args, tile.shift, items->keys[k]), all);
#undef POSITION
}

/* Reads back the digits at the positions that the warp will store. */
IW_FN void multisplit_load_stored_digits(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                         multisplit_items *items, int keys_are_staged)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  const uint32_t *const keys = (const uint32_t *)shared->staged + warp * IW_WARP_SIZE;
  const uint8_t *const digits = (const uint8_t *)shared->staged + warp * IW_WARP_SIZE;
  IW_UNROLL for (int k = 0; k < tile.items; k++) {
    const int32_t row = k * MULTISPLIT_WARPS * IW_WARP_SIZE;
    const iw_u32 digit = keys_are_staged ? multisplit_item_digit(args, tile.shift, iw_load_u32(keys + row, all)) : iw_load_u8(digits + row, all);
    const iw_u32 shifted = iw_shl_u32(digit, iw_splat(8u * (unsigned)(k % 4)));
    items->stored_digits[k / 4] = k % 4 ? iw_or_u32(items->stored_digits[k / 4], shifted) : shifted;
  }
}

/* The output positions of elements of these digits at positions `row` + lane in the tile, less
 * multisplit_output_row(). */
IW_FN iw_u64 multisplit_output(const multisplit_shared *shared, multisplit_tile tile, iw_u32 digits, iw_u32 lane, uint32_t row,
                               iw_pred some)
{
  if (tile.sweeps) return iw_to_u64(iw_add(iw_add(iw_gather_u32(shared->bases.narrow, digits, some), lane), iw_splat(row)));
  return iw_add(iw_gather_u64(shared->bases.wide, digits, some), iw_to_u64(lane));
}

/* A row is added to a pointer, where it is a constant offset, unless positions wrap at 2^32. */
IW_FN int32_t multisplit_output_row(multisplit_tile tile, int32_t row) { return tile.sweeps ? 0 : row; }

/* Stores staged ranks of keys, whose digits say where they go, as keys. whole: the tile has all of its
 * elements; floats: keys are floats. Both are literals. */
IW_FN void multisplit_store_ranks(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                  const int whole, const int floats)
{
  const iw_u32 lane = iw_add(iw_lane(), iw_splat((uint32_t)(warp * IW_WARP_SIZE)));
  const uint32_t *const staged = (const uint32_t *)shared->staged + warp * IW_WARP_SIZE;
  uint32_t *const out = (uint32_t *)args->arrays[0].out;
  tile = multisplit_reload_tile(shared, tile);
  const int batch = tile.items < MULTISPLIT_STORE_BATCH ? tile.items : MULTISPLIT_STORE_BATCH;
  IW_UNROLL for (int b = 0; b < tile.items; b += batch) {
    iw_u32 ranks[MULTISPLIT_STORE_BATCH];
    iw_u64 to[MULTISPLIT_STORE_BATCH];
    iw_pred some[MULTISPLIT_STORE_BATCH];
    IW_UNROLL for (int k = 0; k < batch; k++) {
      const int32_t row = (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE;
      some[k] = iw_lanes_below(whole ? IW_WARP_SIZE : tile.valid - row - (int32_t)(warp * IW_WARP_SIZE));
      ranks[k] = iw_load_u32(staged + row, some[k]);
    }
    IW_UNROLL for (int k = 0; k < batch; k++)
      to[k] = multisplit_output(shared, tile, multisplit_item_digit(args, tile.shift, ranks[k]), lane,
                                (uint32_t)(b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE, some[k]);
    IW_UNROLL for (int k = 0; k < batch; k++)
      iw_scatter_bits_far_u32(out + multisplit_output_row(tile, (b + k) * MULTISPLIT_WARPS * IW_WARP_SIZE), to[k],
                              floats ? iw_total_bits_u32(&args->order, ranks[k])
                                     : iw_xor_u32(ranks[k], iw_splat((uint32_t)args->order.flip)), some[k]);
  }
}

/* The same of all warps; the branch is around the phase, as nvcc would make predicates of one for each
 * key. */
IW_FN void multisplit_store_keys(iw_block *block, const iw_radix_args *args, multisplit_shared *shared, multisplit_tile tile,
                                 const int whole)
{
  if (args->order.infinity) IW_PHASE(warp) { multisplit_store_ranks(args, shared, warp, tile, whole, 1); }
  else IW_PHASE(warp) { multisplit_store_ranks(args, shared, warp, tile, whole, 0); }
}

/* For each width of elements: multisplit_move_array_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/multisplit/ranked_tiles_move.h"
#include <isowarp/language/for_each_type.h>

/* Moves an array's elements of the tile. is_staged: they are keys, whose ranks the stage has already.
 * Values of 16 bytes are two of 8, each of which is moved by itself. */
IW_FN void multisplit_move_tile(iw_block *block, const iw_radix_args *args, multisplit_shared *shared, const iw_move_array *moved,
                                multisplit_tile tile, IW_DST(multisplit_items) items, int is_staged)
{
  switch (moved->width) {
  case 1: multisplit_move_array_u8(block, shared, moved, tile, items, NULL, 1, 0); break;
  case 2: multisplit_move_array_u16(block, shared, moved, tile, items, NULL, 1, 0); break;
  case 4: multisplit_move_array_u32(block, shared, moved, tile, items, is_staged ? &args->order : NULL, 1, 0); break;
  case 8: multisplit_move_array_u64(block, shared, moved, tile, items, NULL, 1, 0); break;
  default: for (int half = 0; half < 2; half++) multisplit_move_array_u64(block, shared, moved, tile, items, NULL, 2, half);
  }
}

/* The tile's output positions, from those of the first tile, of the warp's group of digits. Waits for the
 * counts of tiles before. */
IW_FN void multisplit_look_back(const iw_look_back *look_back, multisplit_shared *shared, unsigned warp,
                                multisplit_tile tile, const multisplit_items *items, iw_polled_u32 *polled)
{
  uint32_t *const bases = shared->bases.narrow + warp * IW_WARP_SIZE;
  const iw_u32 before = wait_digit_counts(look_back, (int64_t)tile.index, IW_RADIX_DIGITS,
                                          MULTISPLIT_LOOK_BACK, polled);
  publish_digit_counts(look_back, tile.index, IW_RADIX_DIGITS, TILE_INCLUSIVE,
                       iw_add(before, items->tile_counts));
  iw_store(bases, iw_add(iw_load(bases, iw_lanes_below(IW_WARP_SIZE)), before), iw_lanes_below(IW_WARP_SIZE));
}

/* Ranks and stages a warp's items; in radix_onesweep warps that have a group of digits look back. What is
 * written in two steps here takes nvcc fewer registers so. */
IW_FN void multisplit_rank_and_look_back(const iw_radix_args *args, multisplit_shared *shared, unsigned warp, multisplit_tile tile,
                                         multisplit_items *items, int stages_keys)
{
  const int looks_back = tile.sweeps && tile.index && warp * IW_WARP_SIZE <= args->mask;
  const iw_look_back look_back = multisplit_states_of(args, warp, tile);
  iw_polled_u32 polled[MULTISPLIT_LOOK_BACK];
  if (stages_keys && args->array_count == 1) multisplit_rank_items(args, shared, warp, tile, items, 1, 1);
  else multisplit_rank_items(args, shared, warp, tile, items, stages_keys, 0);
  if (looks_back)
    poll_digit_counts(&look_back, (int64_t)tile.index, IW_RADIX_DIGITS, MULTISPLIT_LOOK_BACK, polled);
  if (looks_back) multisplit_look_back(&look_back, shared, warp, tile, items, polled);
}

/* Moves the tile of an index. sweeps, epoch: as in multisplit_tile; items_of_lane: a literal. */
IW_FN void multisplit_move_block(iw_block *block, const iw_radix_args *args, multisplit_shared *shared, uint64_t index, int sweeps,
                                 uint32_t epoch, IW_DST(multisplit_items) items, const int items_of_lane)
{
  const uint64_t size = (uint64_t)items_of_lane * MULTISPLIT_WARPS * IW_WARP_SIZE, at = index * size, left = args->n - at;
  const multisplit_tile tile = { index, at, (int32_t)(left < size ? left : size), args->key_bytes == 8 ? 0 : args->shift,
                                 items_of_lane, sweeps, epoch };
  /* Whether the first array is the keys, which can be staged at once then. */
  int stages_keys = args->key_bytes == 4 && args->array_count && args->arrays[0].in == args->keys && args->arrays[0].width == 4;
  const int finds_nan = stages_keys && args->order.infinity;
  IW_PHASE(warp) {
    multisplit_count_items(block, args, shared, warp, tile, &IW_MY(items));
    if (finds_nan) multisplit_find_nan(args, shared, warp, tile, &IW_MY(items));
  }
  IW_PHASE(warp) {
    multisplit_sum_group(args, shared, warp, tile, &IW_MY(items));
    if (finds_nan && warp == 0)
      iw_post_u32((uint32_t)iw_any(iw_ne_u32(iw_load_u32(shared->nans, iw_lanes_below(MULTISPLIT_WARPS)), iw_splat_u32(0))));
  }
  if (finds_nan) stages_keys = !iw_posted_u32();
  IW_PHASE(warp) { multisplit_scan_group(args, shared, warp, tile, &IW_MY(items)); }
  IW_PHASE(warp) { multisplit_rank_and_look_back(args, shared, warp, tile, &IW_MY(items), stages_keys); }
  if (stages_keys && args->array_count == 1) {
    if (multisplit_is_whole(tile)) multisplit_store_keys(block, args, shared, tile, 1);
    else multisplit_store_keys(block, args, shared, tile, 0);
    return;
  }
  IW_PHASE(warp) { multisplit_load_stored_digits(args, shared, warp, tile, &IW_MY(items), stages_keys); }
  for (uint32_t m = 0; m < args->array_count; m++)
    multisplit_move_tile(block, args, shared, args->arrays + m, tile, items, stages_keys && m == 0);
}

IW_KERNEL_NO_SPECIALIZATION(multisplit_move, multisplit_shared, iw_radix_args, MULTISPLIT_WARPS * 32, MULTISPLIT_BLOCKS)
{
  IW_VAR(multisplit_items, items);
  if (!multisplit_runs(args)) return;
  multisplit_move_block(block, args, shared, block->index, 0, 0, items, MULTISPLIT_ITEMS_PER_LANE);
}
