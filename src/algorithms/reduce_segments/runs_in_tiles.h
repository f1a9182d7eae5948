/* SPDX-License-Identifier: Apache-2.0
 *
 * The single pass of a reduction by key on GPUs: the kernel reduce_runs. A part of reduce_segments_kernel.h,
 * which has its parameters. A block takes a tile by a ticket and
 *   1. finds the heads of runs among its keys, and lists their places in shared memory (run_heads.h);
 *   2. publishes their number, and loads the elements into shared memory if runs are short on average;
 *   3. reduces short runs, one in each lane, while the numbers of earlier tiles arrive (common/look_back.h);
 *   4. writes the runs' keys and results to their final places, and lists the other runs for
 *      reduce_segments.
 * A run is short if it ends in its tile and has at most one row of order 1. If the runs of a tile are long
 * on average, all of them are listed, and the elements are not read here.
 *
 * A lane reduces its run from its first element on, whose places in the tree of order 1 all lanes share: the
 * tree needs no shuffles, and its control flow is uniform. Lanes past the end of their run combine the
 * identity. The operator need not commute.
 *
 * The order of publication is that of common/look_back.h. Step 2 needs the part of step 3 that is in the
 * tile's group, and comes directly after it. Short arrays have another schedule (runs_waiting.h), which
 * shares most functions.
 */
#define RUN_WARPS SEGMENTS_RUN_WARPS
#define CHUNK (RUN_TILE / RUN_WARPS) /* a warp's elements of a tile, at most */
#define CHUNK_WORDS (CHUNK / 32)
#define CHUNK_ROWS (CHUNK / ROW_ELEMENTS)
static_assert((RUN_TILE & (RUN_TILE - 1)) == 0 && RUN_TILE <= 1 << 15, "places in a tile have 16 bits, that behind it too");
static_assert(CHUNK_ROWS * ROW_ELEMENTS * RUN_WARPS == RUN_TILE && CHUNK_WORDS % 8 == 0,
              "a chunk is whole rows, and its heads are found eight words at a time");
static_assert(SEGMENTS_RUN_TILE_BYTES >= IW_RUN_MIN_TILE_BYTES, "the host allocates for tiles of this size");
static_assert(SEGMENTS_SHORT_MEAN >= IW_RUN_MIN_LISTED && ROW_ELEMENTS >= IW_RUN_MIN_LISTED,
              "the host allocates a list for runs of this length");
static_assert(RUN_WARPS >= 2 && RUN_WARPS <= 32, "one warp adds up the counts of all, and two wait for earlier tiles");

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

#define SHARED FN(run_shared)
typedef struct {
  SCALAR elements[RUN_TILE];          /* of a tile of short runs; a run's result replaces its first element */
  uint64_t tile_prefix, group_prefix; /* runs that begin before the tile: in its group, before it */
  uint64_t list_place;                /* of the first run of a tile of long runs */
  FN(waiting_shared) waiting;         /* of short arrays only */
  uint32_t warp_counts[RUN_WARPS];    /* heads in each warp's chunk */
  uint16_t begins[RUN_WARPS][CHUNK + 2]; /* their places in the tile, and behind them that of the next head, or the tile's end */
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

/* Adds up the warps' counts, and stores the end of the last run of each. */
IW_FN RUNS FN(count_runs)(SHARED *shared, unsigned warp, const PLACE *place)
{
  RUNS runs;
  const iw_u32 counts = iw_load_u32(shared->warp_counts, iw_lanes_below(RUN_WARPS)), sums = iw_inclusive_prefix_sum_u32(counts);
  runs.count = iw_last_u32(sums);
  runs.own = iw_at_u32(counts, warp);
  runs.before = iw_at_u32(sums, warp) - runs.own;
  runs.is_short = runs.count * SEGMENTS_SHORT_MEAN >= place->valid;
  const iw_mask later = iw_ballot(iw_ne_u32(counts, iw_splat_u32(0))) >> warp >> 1;
  iw_u32 end = iw_splat_u32(place->valid);
  if (later) end = iw_load_u16(shared->begins[warp + 1 + iw_lowest(later)], iw_lanes_below(1));
  iw_store_u16(shared->begins[warp] + runs.own, end, iw_lanes_below(1));
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

/* Lane l: begin and length of run r + l of a warp; length 0: the run leaves its tile. Returns the lanes
 * that have one. */
IW_FN iw_pred FN(bounds_of_runs)(const uint16_t *begins, const PLACE *place, const RUNS *runs, uint32_t r, iw_u32 *begin,
                                 iw_u32 *length)
{
  const iw_u32 zero = iw_splat_u32(0);
  const iw_pred some = iw_lt_u32(iw_iota_u32(r), iw_splat_u32(runs->own));
  const iw_u32 end = iw_load_u16(begins + r + 1, some);
  *begin = iw_load_u16(begins + r, some);
  *length = iw_sub_u32(end, *begin);
  if (!place->closes) *length = iw_select_u32(iw_eq_u32(end, iw_splat_u32(place->valid)), zero, *length);
  return some;
}

/* The lanes whose runs are reduced here. */
IW_FN iw_pred FN(is_short_run)(const RUNS *runs, iw_u32 length)
{
  return iw_lt_u32(iw_sub_u32(length, iw_splat_u32(1)), iw_splat_u32(runs->is_short ? ROW_ELEMENTS : 0));
}

/* Step 3 of one warp. */
IW_FN void FN(reduce_short_runs)(const ARGS *args, SHARED *shared, unsigned warp, const PLACE *place, const RUNS *runs)
{
  const LANES init = OF_T(iw_splat)(FN(initial_of)(args).init);
  IW_NO_UNROLL for (uint32_t r = 0; r < runs->own; r += 32) {
    iw_u32 begin, length;
    const iw_pred some = FN(bounds_of_runs)(shared->begins[warp], place, runs, r, &begin, &length);
    const iw_pred here = iw_and_pred(some, FN(is_short_run)(runs, length));
    length = iw_select_u32(here, length, iw_splat_u32(0));
    OF_T(iw_scatter)(shared->elements, begin, OF_OP(iw)(init, FN(reduce_run)(shared->elements, begin, length)), here);
  }
}

/* The look-back of a tile. The two parts are waited for by different warps. */
IW_FN void FN(look_back_of_runs)(const iw_look_back *look_back, SHARED *shared, unsigned warp, uint64_t tile,
                                 uint32_t count)
{
  if (warp == RUN_WARPS - 1) {
    const uint64_t before = wait_tile_counts(look_back, tile);
    iw_set_u64(&shared->tile_prefix, before);
    if (ends_group(tile)) publish_group_counts(look_back, tile, TILE_AGGREGATE, before + count);
  }
  if (warp == RUN_WARPS - 2) iw_set_u64(&shared->group_prefix, wait_group_counts(look_back, tile));
}

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

/* Writes the results of runs k + l of the lanes l of `here`, whose first elements they have replaced.
 * results: of the warp's first run, which is r before. */
IW_FN void FN(write_results)(const ARGS *args, const SHARED *shared, SCALAR *results, uint32_t r, uint64_t k, iw_u32 begin, iw_pred here)
{
  const LANES result = OF_T(iw_gather)(shared->elements, begin, here);
  if (args->result_form == IW_RESULT_OF_T) OF_T(iw_scatter)(results, iw_iota_u32(r), TWIDDLE_LANES(args, result), here);
  else FN(store_results)(args, iw_iota_u64(k), result, here);
}

/* Step 4 of one warp, whose first run is run k. */
IW_FN void FN(write_runs)(iw_block *block, const ARGS *args, const SHARED *shared, unsigned warp, const PLACE *place,
                          const RUNS *runs, uint64_t k)
{
  const uint16_t *const begins = shared->begins[warp];
  if (args->unique_keys) move_run_keys(args, place->first, begins, runs->own, k);
  SCALAR *const results = iw_opaque((SCALAR *)args->results + k); /* unless results are narrow */
  IW_NO_UNROLL for (uint32_t r = 0; r < runs->own; r += 32) {
    iw_u32 begin, length;
    const iw_pred some = FN(bounds_of_runs)(begins, place, runs, r, &begin, &length);
    const iw_pred here = iw_and_pred(some, FN(is_short_run)(runs, length));
    FN(write_results)(args, shared, results, r, k + r, begin, here);
    const iw_pred listed = iw_and_pred(some, iw_not_pred(here));
    const unsigned count = iw_popcount(iw_ballot(listed));
    if (!count) continue;
    const uint64_t at = runs->is_short ? take_list_places(block, args, count)
                                       : iw_get_u64(&shared->list_place) + runs->before + r;
    list_runs(args, at, k + r, iw_add_u64(iw_splat_u64(place->first), iw_convert_u32_u64(begin)), iw_convert_u32_u64(length), listed);
  }
}

IW_KERNEL_NO_SPECIALIZATION(KERNEL(reduce_runs), SHARED, iw_reduce_segments_args, RUN_WARPS * 32, SEGMENTS_RUN_BLOCKS)
{
  const uint64_t end_tile = (args->n + RUN_TILE - 1) / RUN_TILE;
  const int more_tickets = end_tile > block->blocks; /* else each block's first ticket is its only one */
  IW_VAR(RUNS, runs);
  uint32_t first;
  const iw_look_back look_back = { args->tile_states, args->group_states,
                                   iw_tickets_open(args->tickets, &first) };
  for (uint64_t tile = first; tile < end_tile;) {
    IW_PHASE(warp) {
      const uint32_t place = warp * CHUNK;
      uint32_t last;
      const uint32_t count = list_heads(args->keys, args->key_bytes, tile * RUN_TILE + place, args->n, CHUNK_WORDS, place,
                                        shared->begins[warp], &last, 0);
      iw_set_u32(&shared->warp_counts[warp], count);
    }
    IW_PHASE(warp) {
      const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
      const RUNS r = FN(count_runs)(shared, warp, &place);
      if (warp == 0) publish_tile_u32(&look_back, tile, TILE_AGGREGATE, r.count);
      if (r.is_short) FN(stage_chunk)(args, shared->elements + warp * CHUNK, tile * RUN_TILE + warp * CHUNK);
      IW_MY(runs) = r;
    }
    IW_PHASE(warp) {
      const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
      const RUNS r = IW_MY(runs);
      if (r.is_short) FN(reduce_short_runs)(args, shared, warp, &place, &r);
      else if (warp == 0 && r.count) iw_set_u64(&shared->list_place, take_list_places(block, args, r.count));
      FN(look_back_of_runs)(&look_back, shared, warp, tile, r.count);
    }
    IW_PHASE(warp) {
      const PLACE place = FN(place_of_tile)(args, CHUNK, tile);
      const RUNS r = IW_MY(runs);
      const uint64_t before = iw_get_u64(&shared->tile_prefix) + iw_get_u64(&shared->group_prefix);
      if (r.own ? r.before == 0 : !r.count && warp == 0)
        FN(describe_tile)(args, &look_back, shared->begins[warp], &place, r.count, before);
      FN(write_runs)(block, args, shared, warp, &place, &r, before + r.before);
      if (more_tickets && warp == 0) iw_ticket_post(iw_ticket_request(args->tickets));
    }
    tile = more_tickets ? (uint64_t)iw_ticket_receive() : end_tile;
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
