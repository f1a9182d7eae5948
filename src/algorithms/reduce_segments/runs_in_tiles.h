/* SPDX-License-Identifier: Apache-2.0
 *
 * The single pass of a reduction by key on GPUs: the kernel reduce_runs. A part of reduce_segments_kernel.h,
 * which has its parameters. A block takes a tile by a ticket and
 *   1. finds the heads of runs among its keys, and lists their places in shared memory (run_heads.h);
 *   2. publishes their number, loads the elements into shared memory, and waits for the numbers of earlier
 *      tiles (common/look_back.h);
 *   3. reduces short runs, one in each lane, writes keys and results to their final places, and lists the
 *      other runs for reduce_segments.
 * If the runs of a tile are long on average, all of them are listed, the elements are not read here, and
 * the tile is a late one: its begins are kept, and while the block does steps 1 and 2 of its next tile it
 * waits for the late one's earlier tiles, and lists its runs.
 * A run is short if it ends in its tile and has at most one row of order 1.
 *
 * A lane reduces its run from its first element on, whose places in the tree of order 1 all lanes share: the
 * tree needs no shuffles, and its control flow is uniform. Lanes past the end of their run combine the
 * identity. The operator need not commute.
 *
 * The order of publication is that of common/look_back.h: what step 2 waits for has smaller tiles than the
 * unpublished one of the block. The warp that describes a late tile does not wait in that phase, so its
 * group's inclusive prefix does not depend on other blocks. Short arrays have another schedule
 * (runs_waiting.h), which shares most functions.
 */
#define RUN_WARPS SEGMENTS_RUN_WARPS
#define CHUNK (RUN_TILE / RUN_WARPS) /* a warp's elements of a tile, at most */
#define CHUNK_WORDS (CHUNK / 32)
#define CHUNK_ROWS (CHUNK / ROW_ELEMENTS)
static_assert((RUN_TILE & (RUN_TILE - 1)) == 0 && RUN_TILE < 1 << 15, "places in a tile have 16 bits, and RUN_LEAVES is more than RUN_TILE behind each");
static_assert(CHUNK_ROWS * ROW_ELEMENTS * RUN_WARPS == RUN_TILE && CHUNK_WORDS % 8 == 0,
              "a chunk is whole rows, and its heads are found eight words at a time");
static_assert(SEGMENTS_LIST_ROWS >= 1 && SEGMENTS_LIST_ROWS <= MOST_LIST_ROWS && CHUNK % (SEGMENTS_LIST_ROWS * IW_ROW(u32)) == 0,
              "a chunk is a multiple of the rows of keys that are listed at a time");
static_assert(SEGMENTS_RUN_TILE_BYTES >= IW_RUN_MIN_TILE_BYTES, "the host allocates for tiles of this size");
static_assert(SEGMENTS_SHORT_MEAN >= IW_RUN_MIN_LISTED && ROW_ELEMENTS >= IW_RUN_MIN_LISTED,
              "the host allocates a list for runs of this length");
static_assert(RUN_WARPS >= 4 && RUN_WARPS <= 32, "one warp adds up the counts of all, and three others wait for earlier tiles");

/* What a block of a short array knows of the elements before its tile: for each group of tiles the number of
 * its heads before the tile, and the index behind the last one. Of the run across the begin of the tile, if
 * it ends in the tile: the number of its rows, and of those whose aggregates other blocks publish; its first
 * element; its index; and the aggregates of its other rows. */
typedef struct {
  uint64_t counts[IW_RUN_GROUPS], lasts[IW_RUN_GROUPS];
  uint64_t across_rows, across_known, across_begin, across_run;
  uint32_t closes;                    /* PLACE, below */
  SCALAR rows[RUN_TILE / ROW_ELEMENTS + 1];
} FN(waiting_shared);

/* Runs that begin before a tile: in its group, and before that. */
typedef struct { uint64_t tile, group; } FN(prefix);

#define SHARED FN(run_shared)
typedef struct {
  SCALAR elements[RUN_TILE];          /* of a tile of short runs */
  FN(prefix) prefix, late_prefix;     /* of a tile of short runs, and of the late tile */
  uint64_t list_place;                /* of the late tile's first run */
  FN(waiting_shared) waiting;         /* of short arrays only */
  uint32_t warp_counts[RUN_WARPS];    /* heads in each warp's chunk */
  uint16_t late_begins[2][RUN_TILE / SEGMENTS_SHORT_MEAN + 32]; /* of the late tile's runs, and of those of the next one */
  uint16_t begins[RUN_WARPS][CHUNK + 32]; /* their places in the tile, and behind them the end of the last run, 32 times */
} SHARED;

/* Where a tile is. Those of short arrays are smaller, so that each processor has one. */
#define PLACE FN(run_place)
typedef struct {
  uint64_t tile, first; /* its index, its first element */
  uint32_t valid;       /* its elements */
  int is_last, closes;  /* closes: its last run is known to end with it */
} PLACE;

/* What a warp knows of a tile: it reduces and writes the runs that begin in its chunk. */
#define RUNS FN(runs_of_warp)
typedef struct {
  uint32_t count, own, before; /* runs that begin in the tile, in the warp's chunk, and in lower chunks */
  int is_short;                /* the mean length of the tile's runs is small */
} RUNS;

/* chunk: the elements of a warp. */
IW_FN PLACE FN(place_of_tile)(const ARGS *args, uint32_t chunk, uint64_t tile)
{
  const uint32_t elements = chunk * RUN_WARPS;
  const uint64_t first = tile * elements, left = args->n - first;
  const PLACE place = { tile, first, left < elements ? (uint32_t)left : elements, left <= elements, left <= elements };
  return place;
}

/* Adds up the warps' counts, and stores the end of the last run of each 32 times. */
IW_FN RUNS FN(count_runs)(SHARED *shared, unsigned warp, const PLACE *place)
{
  RUNS runs;
  const iw_u32 counts = iw_load_u32(shared->warp_counts, iw_lanes_below(RUN_WARPS)), none = iw_splat_u32(0), own = iw_splat_u32(warp);
  runs.count = iw_warp_sum_u32(counts);
  runs.own = iw_warp_sum_u32(iw_select_u32(iw_eq_u32(iw_lane(), own), counts, none));
  runs.before = iw_warp_sum_u32(iw_select_u32(iw_lt_u32(iw_lane(), own), counts, none));
  runs.is_short = runs.count * SEGMENTS_SHORT_MEAN >= place->valid;
  const iw_mask later = iw_ballot(iw_ne_u32(counts, none)) >> warp >> 1;
  iw_u32 end = iw_splat_u32(place->closes ? place->valid : RUN_LEAVES);
  if (later) end = iw_gather_u16(shared->begins[warp + 1 + iw_lowest(later)], none, iw_lanes_below(IW_WARP_SIZE));
  iw_store_u16(shared->begins[warp] + runs.own, end, iw_lanes_below(IW_WARP_SIZE));
  return runs;
}

/* ---- Elements of runs ---- */

IW_FN PENDING FN(issue_row)(const ARGS *args, uint64_t at, int64_t valid)
{
  return FN(row_issue)(args, (const ELEMENT *)args->in + at, valid, FN(row_heads)(NULL, 0));
}

IW_FN void FN(stage_row)(const ARGS *args, SCALAR *elements, PENDING pending)
{
  ROW x;
  EACH_PART(p) x.part[p] = FN(part_wait)(args, pending, p);
  FN(row_store_shared)(elements, x);
}

/* Lane l: element i of its run of `length` elements from elements[begin] on, or the identity behind it. */
IW_FN LANES FN(element_of_run)(const SCALAR *elements, iw_u32 begin, iw_u32 length, uint32_t i)
{
  const iw_pred some = iw_gt_u32(length, iw_splat_u32(i));
  const iw_u32 place = iw_add_u32(begin, iw_splat_u32(i));
#ifdef IW_HAS_LOAD_ELSE
  return OF_T(iw_gather_else)(elements, place, some, OF_OP(iws_identity)());
#else
  return OF_T(iw_select)(some, OF_T(iw_gather)(elements, place, some), IDENTITY);
#endif
}

/* The tree of the `count` elements from i on: 2, 4 or 8. */
IW_FN LANES FN(tree_of_run)(const SCALAR *elements, iw_u32 begin, iw_u32 length, uint32_t i, int count)
{
  LANES x[8];
  IW_UNROLL for (int k = 0; k < count; k++) x[k] = FN(element_of_run)(elements, begin, length, i + (uint32_t)k);
  FN(combine_pairs)(x, count / 2);
  FN(combine_pairs)(x, count / 4);
  FN(combine_pairs)(x, count / 8);
  return x[0];
}

/* Lane l: the row of order 1 of its run, which has at most ROW_ELEMENTS elements; the identity if it has
 * none. */
IW_FN LANES FN(reduce_run)(const SCALAR *elements, iw_u32 begin, iw_u32 length)
{
  enum { LEVELS = 4 }; /* above subtrees of 8 elements */
  static_assert(8 << LEVELS == ROW_ELEMENTS, "the tree of a row");
#define LONGER_THAN(i) iw_any(iw_gt_u32(length, iw_splat_u32(i)))
  LANES x = FN(element_of_run)(elements, begin, length, 0), pending[LEVELS];
  if (!LONGER_THAN(1)) return x;
  x = OF_OP(iw)(x, FN(element_of_run)(elements, begin, length, 1));
  if (!LONGER_THAN(2)) return x;
  x = OF_OP(iw)(x, FN(tree_of_run)(elements, begin, length, 2, 2));
  if (!LONGER_THAN(4)) return x;
  x = OF_OP(iw)(x, FN(tree_of_run)(elements, begin, length, 4, 4));
  if (!LONGER_THAN(8)) return x;
  /* pending[level] holds a subtree of 8 * 2^level elements until its right sibling is complete. */
  uint32_t trees = 1;
  pending[0] = x;
  IW_UNROLL for (int level = 1; level < LEVELS; level++) pending[level] = IDENTITY;
  IW_NO_UNROLL for (; trees < ROW_ELEMENTS / 8 && LONGER_THAN(8); trees++) {
    int carries = 1;
    begin = iw_add_u32(begin, iw_splat_u32(8));
    length = iw_sub_u32(iw_max_u32(length, iw_splat_u32(8)), iw_splat_u32(8));
    x = FN(tree_of_run)(elements, begin, length, 0, 8);
    IW_UNROLL for (int level = 0; level < LEVELS; level++)
      if (carries) {
        if (trees >> level & 1) x = OF_OP(iw)(pending[level], x);
        else pending[level] = x, carries = 0;
      }
  }
#undef LONGER_THAN
  if (trees == ROW_ELEMENTS / 8) return x;
  x = IDENTITY;
  IW_UNROLL for (int level = 0; level < LEVELS; level++)
    if (trees >> level & 1) x = OF_OP(iw)(pending[level], x);
  return x;
}

/* ---- The steps ---- */

/* Step 2 of one warp. The rows of a whole chunk are loaded before the first is waited for. */
IW_FN void FN(stage_chunk)(const ARGS *args, SCALAR *elements, uint64_t at)
{
  if (at + CHUNK <= args->n && iw_row_can_vectorize((const ELEMENT *)args->in + at)) {
    PENDING pending[CHUNK_ROWS];
    IW_UNROLL for (int r = 0; r < CHUNK_ROWS; r++) pending[r] = FN(issue_row)(args, at + (uint64_t)r * ROW_ELEMENTS, IW_FULL_ROW);
    IW_UNROLL for (int r = 0; r < CHUNK_ROWS; r++) FN(stage_row)(args, elements + r * ROW_ELEMENTS, pending[r]);
  } else IW_NO_UNROLL for (uint64_t r = 0; r < CHUNK && at + r < args->n; r += ROW_ELEMENTS)
    FN(stage_row)(args, elements + r, FN(issue_row)(args, at + r, (int64_t)(args->n - at - r)));
}

/* Lane l: begin and length of run r + l of a warp. The length is 0 if there is none, and more than RUN_TILE
 * if the run leaves its tile. */
IW_FN void FN(bounds_of_runs)(const uint16_t *begins, uint32_t r, iw_u32 *begin, iw_u32 *length)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  *begin = iw_load_u16(begins + r, all);
  *length = iw_sub_u32(iw_load_u16(begins + r + 1, all), *begin);
}

/* Publishes the number of a tile's runs, and that of its group if the tile ends it. */
IW_FN void FN(publish_runs)(const iw_look_back *look_back, unsigned warp, uint64_t tile, uint32_t count)
{
  if (warp == 0) publish_tile_u32(look_back, tile, TILE_AGGREGATE, count);
  if (warp == RUN_WARPS - 3 && ends_group(tile))
    publish_group_counts(look_back, tile, TILE_AGGREGATE, wait_tile_counts(look_back, tile) + count);
}

/* The look-back of a tile. The two parts are waited for by different warps. */
IW_FN void FN(look_back_of_runs)(const iw_look_back *look_back, FN(prefix) *prefix, unsigned warp, uint64_t tile)
{
  if (warp == RUN_WARPS - 1) iw_set_u64(&prefix->tile, wait_tile_counts(look_back, tile));
  if (warp == RUN_WARPS - 2) iw_set_u64(&prefix->group, wait_group_counts(look_back, tile));
}
IW_FN uint64_t FN(runs_before)(const FN(prefix) *prefix) { return iw_get_u64(&prefix->tile) + iw_get_u64(&prefix->group); }

/* Describes a tile, before whose runs there are `before`. begins: the places of its heads. */
IW_FN void FN(describe_tile)(const ARGS *args, const iw_look_back *look_back, const uint16_t *begins, const PLACE *place,
                             uint32_t count, uint64_t before)
{
  const uint64_t after = before + count, tile = place->tile;
  const uint64_t head = iw_at_u32(iw_load_u16(begins, iw_lanes_below(count ? 1 : 0)), 0);
  if (ends_group(tile)) publish_group_counts(look_back, tile, TILE_INCLUSIVE, after);
  iw_set_u64(args->tile_runs + tile, before << RUN_HEAD_BITS | head);
  if (!place->is_last) return;
  iw_set_u64(args->tile_runs + tile + 1, after << RUN_HEAD_BITS);
  iw_set_u64(args->run_count, after);
}

/* runs_waiting.h: reduces runs k + l of the lanes l of `some` that end in their tile. */
IW_FN void FN(reduce_runs_of_rows)(const ARGS *args, uint64_t first, uint64_t k, iw_u32 begin, iw_u32 length, iw_pred some);

/* Lists runs k + l of the lanes l of `listed`. at: the first place for them in the list. */
IW_FN void FN(list_runs_of_tile)(const ARGS *args, uint64_t at, uint64_t first, uint64_t k, iw_u32 begin, iw_u32 length, iw_pred listed)
{
  length = iw_select_u32(iw_gt_u32(length, iw_splat_u32(RUN_TILE)), iw_splat_u32(0), length);
  list_runs(args, at, k, iw_add_u64(iw_splat_u64(first), iw_convert_u32_u64(begin)), iw_convert_u32_u64(length), listed);
}

/* Step 3 of one warp, whose first run is run k: keys and results. Longer runs are listed, or with `waits`, a
 * literal, reduced if they end in the tile. */
IW_FN void FN(finish_runs)(iw_block *block, const ARGS *args, const SHARED *shared, unsigned warp, const PLACE *place,
                           const RUNS *runs, uint64_t k, const int waits)
{
  const uint16_t *const begins = shared->begins[warp];
  const LANES init = OF_T(iw_splat)(FN(initial_of)(args).init);
  const iw_u32 most = iw_splat_u32(ROW_ELEMENTS);
  const int moves_u32 = args->unique_keys && args->key_bytes == 4;
  /* Whatever a key's width is: nvcc would keep a selection for each store. */
  const uint32_t *const keys = iw_opaque((const uint32_t *)((uintptr_t)args->keys + place->first * args->key_bytes));
  uint32_t *const unique_keys = iw_opaque((uint32_t *)((uintptr_t)args->unique_keys + k * args->key_bytes));
  SCALAR *const results = iw_opaque((SCALAR *)args->results + k); /* unless results are narrow */
  if (args->unique_keys && !moves_u32) move_run_keys(args, place->first, begins, runs->own, k);
  /* In reduce_runs_short nvcc does not see that all lanes have the same number, but by a reduction; then the
   * loop does not diverge (compute capability 8.0 and later). */
  const uint32_t own = waits ? iw_warp_max_u32(iw_splat_u32(runs->own)) : runs->own;
  IW_NO_UNROLL for (uint32_t r = 0; r < own; r += 32) {
    iw_u32 begin, length, key = iw_splat_u32(0);
    FN(bounds_of_runs)(begins, r, &begin, &length);
    const iw_pred some = iw_lt_u32(iw_iota_u32(r), iw_splat_u32(own));
    if (moves_u32) key = iw_gather_u32(keys, begin, some);
    const iw_pred here = iw_lt_u32(iw_sub_u32(length, iw_splat_u32(1)), most), longer = iw_gt_u32(length, most);
    const LANES x = FN(reduce_run)(shared->elements, begin, iw_select_u32(here, length, iw_splat_u32(0)));
    const LANES result = OF_OP(iw)(init, x);
    if (args->result_form == IW_RESULT_OF_T) OF_T(iw_scatter)(results, iw_iota_u32(r), TWIDDLE_LANES(args, result), here);
    else FN(store_results)(args, iw_iota_u64(k + r), result, here);
    if (moves_u32) iw_scatter_bits_u32(unique_keys, iw_iota_u32(r), key, some);
    const unsigned count = iw_popcount(iw_ballot(longer));
    if (!count) continue;
    if (waits) FN(reduce_runs_of_rows)(args, place->first, k + r, begin, length, longer);
    else FN(list_runs_of_tile)(args, take_list_places(block, args, count), place->first, k + r, begin, length, longer);
  }
}

/* Copies the begins of a tile of long runs, which are few, to where they stay while the next tile's are
 * found. */
IW_FN void FN(keep_runs)(const SHARED *shared, uint16_t *late_begins, unsigned warp, const PLACE *place, const RUNS *runs)
{
  IW_NO_UNROLL for (uint32_t r = 0; r < runs->own; r += 32) {
    const iw_pred some = iw_lt_u32(iw_iota_u32(r), iw_splat_u32(runs->own));
    iw_store_u16(late_begins + runs->before + r, iw_load_u16(shared->begins[warp] + r, some), some);
  }
  if (warp == 0) iw_store_u16(late_begins + runs->count, iw_splat_u32(place->closes ? place->valid : RUN_LEAVES), iw_lanes_below(IW_WARP_SIZE));
}

/* Lists the runs of the late tile, of which there are `count`, and moves their keys. */
IW_FN void FN(finish_late_runs)(const ARGS *args, const iw_look_back *look_back, const SHARED *shared, const uint16_t *late_begins,
                                unsigned warp, uint64_t tile, uint32_t count)
{
  const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
  const uint64_t before = FN(runs_before)(&shared->late_prefix);
  if (warp == 0) FN(describe_tile)(args, look_back, late_begins, &place, count, before);
  IW_NO_UNROLL for (uint32_t r = 32 * warp; r < count; r += 32 * RUN_WARPS) {
    iw_u32 begin, length;
    FN(bounds_of_runs)(late_begins, r, &begin, &length);
    if (args->unique_keys) move_run_keys(args, place.first, late_begins + r, count - r < 32 ? count - r : 32, before + r);
    FN(list_runs_of_tile)(args, iw_get_u64(&shared->list_place) + r, place.first, before + r, begin, length, iw_gt_u32(length, iw_splat_u32(0)));
  }
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_runs), SHARED, iw_reduce_segments_args, RUN_WARPS * 32, SEGMENTS_RUN_BLOCKS)
{
  const uint32_t RUNS_ARE_SHORT = UINT32_MAX; /* posted in place of the next ticket, which is requested later */
  const uint64_t end_tile = (args->n + RUN_TILE - 1) / RUN_TILE;
  const int more_tickets = end_tile > block->blocks; /* else each block's first ticket is its only one */
  IW_VAR(RUNS, runs);
  IW_VAR(uint32_t, late_count);
  uint32_t first;
  const iw_look_back look_back = { args->tile_states, args->group_states,
                                   iw_tickets_open(args->tickets, &first) };
  uint64_t tile = first, late = end_tile;
  for (unsigned own = 0; tile < end_tile || late < end_tile; own ^= 1) {
    IW_PHASE(warp) {
      const uint64_t at = (uint64_t)warp * CHUNK;
      if (tile < end_tile)
        iw_set_u32(&shared->warp_counts[warp],
                   list_heads(args->keys, args->key_bytes, tile * RUN_TILE + at, args->n, CHUNK_WORDS, (uint32_t)at,
                              shared->begins[warp], NULL, SEGMENTS_LIST_ROWS, (tile + 1) * RUN_TILE <= args->n));
      if (late < end_tile) {
        if (warp == 0 && IW_MY(late_count)) iw_set_u64(&shared->list_place, take_list_places(block, args, IW_MY(late_count)));
        FN(look_back_of_runs)(&look_back, &shared->late_prefix, warp, late);
      }
    }
    IW_PHASE(warp) {
      RUNS r = { 0, 0, 0, 0 };
      if (tile < end_tile) {
        const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
        const uint64_t at = (uint64_t)warp * CHUNK;
        r = FN(count_runs)(shared, warp, &place);
        FN(publish_runs)(&look_back, warp, tile, r.count);
        if (r.is_short) {
          FN(stage_chunk)(args, shared->elements + at, tile * RUN_TILE + at);
          FN(look_back_of_runs)(&look_back, &shared->prefix, warp, tile);
        } else FN(keep_runs)(shared, shared->late_begins[own], warp, &place, &r);
      }
      if (late < end_tile) FN(finish_late_runs)(args, &look_back, shared, shared->late_begins[own ^ 1], warp, late, IW_MY(late_count));
      IW_MY(runs) = r;
      IW_MY(late_count) = r.count;
      if (warp == 0 && tile < end_tile) iw_ticket_post(r.is_short ? RUNS_ARE_SHORT : more_tickets ? iw_ticket_request(args->tickets) : 0);
    }
    uint32_t posted = tile < end_tile ? iw_ticket_receive() : 0;
    const int is_short = posted == RUNS_ARE_SHORT;
    if (is_short) IW_PHASE(warp) {
      const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
      const RUNS r = IW_MY(runs);
      const uint64_t before = FN(runs_before)(&shared->prefix);
      if (r.own && r.before == 0) FN(describe_tile)(args, &look_back, shared->begins[warp], &place, r.count, before);
      FN(finish_runs)(block, args, shared, warp, &place, &r, before + r.before, 0);
      if (warp == 0) iw_ticket_post(more_tickets ? iw_ticket_request(args->tickets) : 0);
    }
    if (is_short) posted = iw_ticket_receive();
    late = is_short ? end_tile : tile;
    tile = tile < end_tile && more_tickets ? posted : end_tile;
  }
  iw_tickets_close(args->tickets);
}

#include "algorithms/reduce_segments/runs_waiting.h"

#undef PLACE
#undef SHARED
#undef RUNS
#undef RUN_WARPS
#undef CHUNK
#undef CHUNK_WORDS
#undef CHUNK_ROWS
