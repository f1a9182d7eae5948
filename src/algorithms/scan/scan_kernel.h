/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel template of inclusive and exclusive scan, of reduction, of segmented scan and of scans of the
 * rows of a matrix that have more than a tile: a single pass over memory with decoupled look-back
 * (common/look_back.h) in summation order 1 (common/order1.h). This file has what the schedules share:
 *   agent_pipelined.h     blocks of many warps that stage tiles in shared memory (GPUs)
 *   agent_reduce.h        reductions on GPUs, which stage and store nothing
 *   agent_single_warp.h   one warp that re-reads a tile from its cache (CPUs; SCAN_SINGLE_WARP)
 * As CUB's AgentScan, an agent is what one block executes. scan/tuning_cpu.h and tuning_cuda.h choose the
 * agent and its policy, no number of which can change a bit of a result. Launched by scan.c; users'
 * operators come by <isowarp/make_operator.h>.
 *
 * Parameters:
 *   T           the element type: i32 u32 i64 u64 f32 f64
 *   OP          the operator: sum, min, one of IW_FOR_LANE_OPERATORS (common/operations.h), or one of
 *               <isowarp/make_operator.h>: max, or a user's
 *   MINIMUM     if defined, OP is the built-in minimum
 *   OF_USER     if defined, OP need not commute
 *   FROM        if defined, the type of the elements in memory, which are converted to T, or a load
 *               transform (IW_TRANSFORM)
 *   NARROW      if defined, out and result are of type FROM if args->narrow is 1
 *   REDUCE      if defined, only the last inclusive prefix is computed
 *   TWIDDLE_BITS   if defined, elements are combined with the bits of args->twiddle inverted, so that
 *               one kernel computes the minima and maxima of several types
 *   SEGMENTED   if defined, the scan begins anew at heads: by the bits of args->heads (agent_single_warp.h), or
 *               by those that the kernel makes of args->keys (agent_pipelined.h)
 *   SHORT       if defined, for GPUs: the kernel of short scans (agent_waiting.h) or short reductions
 *   ALSO_SHORT  if defined, without these: the kernel has both schedules, as users' operators have one kernel
 *   LONG_ROWS   if defined, each row of a matrix of args->columns columns, or each listed segment, has tiles
 *               and groups of its own: its last tile ends with it, and look-back ends at its first group
 * Makes the kernel scan_OP_T, scan_short_OP_T, reduce_OP_T, reduce_short_OP_T, segmented_OP_T,
 * segmented_short_OP_T or scan_long_rows_OP_T, with _from_FROM behind it if FROM is defined.
 * The including file undefines the parameters; this one undefines everything else that it defines.
 */
#include <assert.h>
#include <string.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>
#include <isowarp/algorithms/common/look_back.h>
#include <isowarp/algorithms/common/key_heads.h>
#include <isowarp/algorithms/scan/args.h>

#if defined(REDUCE) && defined(SHORT)
#define STORES 0
#define HAS_SEGMENTS 0
#define KERNEL_STEM reduce_short
#define POLICY(name) ((int)REDUCE_SHORT##name(sizeof(SCALAR)))
#elif defined(REDUCE)
#define STORES 0
#define HAS_SEGMENTS 0
#define KERNEL_STEM reduce
#define POLICY(name) ((int)REDUCE##name(sizeof(SCALAR))) /* POLICY(_TILES): REDUCE_TILES for this type */
#elif defined(SHORT) && !defined(SEGMENTED)
#define STORES 1
#define HAS_SEGMENTS 0
#define KERNEL_STEM scan_short
#define POLICY(name) ((int)SCAN_SHORT##name(sizeof(SCALAR)))
#elif defined(SHORT)
#define STORES 1
#define HAS_SEGMENTS 1
#define KERNEL_STEM segmented_short
#define POLICY(name) ((int)SEGMENTED_SHORT##name(sizeof(SCALAR)))
#elif defined(SEGMENTED)
#define STORES 1
#define HAS_SEGMENTS 1
#define KERNEL_STEM segmented
#define POLICY(name) ((int)SEGMENTED##name(sizeof(SCALAR)))
#elif defined(LONG_ROWS)
#define STORES 1
#define HAS_SEGMENTS 0
#define KERNEL_STEM scan_long_rows
#define POLICY(name) ((int)SCAN##name(sizeof(SCALAR)))
#else
#define STORES 1
#define HAS_SEGMENTS 0
#define KERNEL_STEM scan
#define POLICY(name) ((int)SCAN##name(sizeof(SCALAR)))
#endif
#ifdef LONG_ROWS
#define HAS_ROWS 1
#else
#define HAS_ROWS 0
#endif
#ifdef TWIDDLE_BITS
#define TWIDDLED 1
#else
#define TWIDDLED 0
#endif
#define FN(name) IW_JOIN(IW_JOIN(KERNEL_STEM, name), IW_JOIN(OP, T_FROM)) /* scan_row_tree_sum_f64 */
#define KERNEL IW_JOIN(KERNEL_STEM, IW_JOIN(OP, T_FROM)) /* scan_sum_f64_from_f32 */
#if HAS_SEGMENTS
#define FOLD(first, values, heads, prefixes) OF_OP(iw_fold_segments)(first, values, heads, prefixes)
#else
#define FOLD(first, values, heads, prefixes) OF_OP(iw_fold)(first, values, prefixes)
#endif
#define ARGS iw_scan_args
#include <isowarp/algorithms/common/order1.h>

#define TILE IW_SCAN_TILE
#define TILE_ROWS IW_SCAN_ROWS
#define GROUP_TILES IW_SCAN_GROUP_TILES
static_assert(TILE == TILE_ROWS * ROW_ELEMENTS && (int)GROUP_TILES == (int)LOOK_BACK_GROUP_TILES,
              "tiles and groups are those of order 1");

/* A block has WARPS warps and processes TILES tiles at a time. Each warp has a chunk of them, CHUNK_ROWS
 * rows. */
#define TILES (HAS_ROWS ? 1 : POLICY(_TILES)) /* of one row of the matrix */
#define WARPS POLICY(_WARPS)
#define CHUNK_ROWS (TILES * TILE_ROWS / WARPS)
#define CHUNK (CHUNK_ROWS * ROW_ELEMENTS)
#define ROWS_IN_FLIGHT (SCAN_ROWS_IN_FLIGHT < CHUNK_ROWS ? SCAN_ROWS_IN_FLIGHT : CHUNK_ROWS)
static_assert(WARPS % TILES == 0 && TILES * TILE_ROWS % WARPS == 0,
              "a warp's chunk is whole rows of one tile");
static_assert(GROUP_TILES % TILES == 0, "a block's tiles are tiles of one group");
static_assert(CHUNK_ROWS % ROWS_IN_FLIGHT == 0, "SCAN_ROWS_IN_FLIGHT divides the rows of a chunk");
static_assert(SCAN_PIPELINE_DEPTH >= 1 && SCAN_TILES_PER_TICKET >= 1 && SCAN_QUEUE_TILES(sizeof(SCALAR)) >= 1,
              "SCAN_PIPELINE_DEPTH, SCAN_TILES_PER_TICKET and SCAN_QUEUE_TILES are at least 1");
static_assert(!SCAN_SINGLE_WARP || (WARPS == 1 && TILES == 1),
              "SCAN_SINGLE_WARP is for one warp and one tile");

#define SHARED FN(shared)
#define CARRY_IN FN(carry_in)
#define PLACE FN(place)

/* Where a tile is. Without LONG_ROWS the array is the only row of the matrix. */
typedef struct {
  uint64_t at;          /* its first element */
  uint64_t end;         /* past the last element of its row of the matrix */
  uint64_t first_tile;  /* of its row of the matrix */
  uint64_t first_group; /* likewise, of all groups */
} PLACE;

/* The number of tiles. */
IW_FN uint64_t FN(tile_count)(const iw_scan_args *args)
{
  if (!HAS_ROWS || args->columns) return args->tiles;
  const uint64_t listed = iw_get_u64(args->listed);
  return listed <= args->tiles ? listed : 0;
}

#if HAS_ROWS
/* Of a tile of a listed segment. Its segment has as many places for groups as it has tiles. */
IW_FN PLACE FN(place_in_list)(const iw_scan_args *args, uint64_t tile)
{
  PLACE place = { 0, 0, 0, 0 };
  if (tile >= FN(tile_count)(args)) return place;
  place.first_tile = place.first_group = iw_get_u64(args->places + 2 * args->tiles + tile);
  place.at = iw_get_u64(args->places + tile) + (tile - place.first_tile) * TILE;
  place.end = iw_get_u64(args->places + args->tiles + tile);
  return place;
}
#endif

IW_FN PLACE FN(place_of)(const iw_scan_args *args, uint64_t tile)
{
  PLACE place = { tile * TILE, args->n, 0, 0 };
#if HAS_ROWS
  if (!args->columns) return FN(place_in_list)(args, tile);
  const uint64_t row_tiles = (args->columns + TILE - 1) / TILE;
  /* A division of 32 bits takes fewer instructions. */
  const int is_short = (tile | row_tiles) <= UINT32_MAX;
  const uint64_t row = is_short ? (uint32_t)tile / (uint32_t)row_tiles : tile / row_tiles;
  place.first_tile = row * row_tiles;
  place.first_group = row * ((row_tiles + GROUP_TILES - 1) / GROUP_TILES);
  place.at = row * args->columns + (tile - place.first_tile) * TILE;
  place.end = (row + 1) * args->columns;
#endif
  return place;
}

/* The index of a tile in its row of the matrix, and the index of its group among all groups. */
IW_FN uint64_t FN(tile_in_row)(PLACE place, uint64_t tile) { return tile - place.first_tile; }
IW_FN uint64_t FN(group_of)(PLACE place, uint64_t tile)
{
  return place.first_group + FN(tile_in_row)(place, tile) / GROUP_TILES;
}

/* The exclusive prefix of a tile in two parts, as order 1 has it: over the tiles before it in its group, and
 * over the groups before and init. group_prefix is the identity if one of these tiles contains a head. */
typedef struct { uint64_t tile; SCALAR tile_prefix, group_prefix; } CARRY_IN;

/* What is combined with element 0. Segmented scans combine init with each head instead (order1.h). */
IW_FN SCALAR FN(init)(const iw_scan_args *args)
{
  if (HAS_SEGMENTS || !args->init_ptr) return args->init.T;
  return TWIDDLE(args, OF_T(iw_get)((const SCALAR *)args->init_ptr));
}

/* The first output of an exclusive scan: it differs from init if there is no init (+0 for a sum whose
 * identity is -0). */
IW_FN SCALAR FN(first_out)(const iw_scan_args *args)
{
  return !HAS_SEGMENTS && args->init_ptr ? FN(init)(args) : args->first_out.T;
}

/* Folds the states of the tiles first … first + count - 1, which are of one group, onto *prefix, and sets
 * *has_head if one of them contains a head. Returns 0 and changes nothing if one of them has not been
 * published. */
IW_FN int FN(try_fold_tiles)(const iw_look_back *look_back, uint64_t first, unsigned count, SCALAR *prefix,
                             int *has_head)
{
  IW_JOIN(iw_polled, T) states;
  iw_mask heads;
  LANES prefixes;
  if (!OF_T(try_load_tile_states)(look_back, first, count, HAS_SEGMENTS, &states, &heads)) return 0;
  *prefix = FOLD(*prefix, OF_T(iw_select)(iw_lanes_below(count), states.value,
                                          OF_T(iw_splat)(OF_OP(iws_identity)())), heads, &prefixes);
  *has_head = heads != 0;
  return 1;
}

#if HAS_ROWS
#ifdef NARROW
#define OUT_MEMORY FROM
#define STORED(x) IW_JOIN(iw_convert, IW_JOIN(T, IW_PASTE(IW_LANES_FOR_, FROM)))(x)
#else
#define OUT_MEMORY T
#define STORED(x) (x)
#endif
#if TWIDDLED
#define TWIDDLE_LANES(args, x) OF_T(iw_flip_bits)(x, OF_T(iw_splat)((args)->twiddle.T))
#else
#define TWIDDLE_LANES(args, x) (x)
#endif
/* Stores a row of outputs by one access for each 32 elements: rows of a matrix are mostly not aligned, and
 * four elements of a lane would be stored with gaps between the lanes. scratch: a row in shared memory, or
 * NULL. */
IW_FN int FN(store_by_lanes)(const iw_scan_args *args, uint64_t at, ROW x, int64_t valid, SCALAR *scratch)
{
  if (!scratch || valid == IW_FULL_ROW) return 0;
  EACH_PART(p) {
    LANES lanes[IW_ROW(T) / 32];
    OF_T(iw_row_to_lanes)(scratch + p * IW_ROW(T), x.part[p], lanes);
    IW_UNROLL for (int k = 0; k < IW_ROW(T) / 32; k++) {
      const int first = p * IW_ROW(T) + k * 32;
      IW_PASTE(iws_, OUT_MEMORY) *const out = (IW_PASTE(iws_, OUT_MEMORY) *)args->out + at + first;
      IW_JOIN(iw_store, OUT_MEMORY)(out, STORED(TWIDDLE_LANES(args, lanes[k])), iw_lanes_below(valid - first));
    }
  }
  return 1;
}
#undef OUT_MEMORY
#undef STORED
#undef TWIDDLE_LANES
#endif

/* Stores the first `valid` elements of a row of outputs, at element `at`. */
IW_FN void FN(store_outputs)(const iw_scan_args *args, uint64_t at, ROW x, int64_t valid, SCALAR *scratch)
{
#if HAS_ROWS
  if (FN(store_by_lanes)(args, at, x, valid, scratch)) return;
#endif
#ifdef NARROW
  if (args->narrow) {
    FN(row_store_narrow)(args, (ELEMENT *)args->out + at, x, valid, (int)args->stream);
    return;
  }
#endif
  FN(row_store)(args, (SCALAR *)args->out + at, x, valid, (int)args->stream);
}

/* Whether rows of outputs from element `at` on are stored at full speed. */
IW_FN int FN(can_vectorize_outputs)(const iw_scan_args *args, uint64_t at)
{
#ifdef NARROW
  if (args->narrow) return iw_row_can_vectorize((const ELEMENT *)args->out + at);
#endif
  return iw_row_can_vectorize((const SCALAR *)args->out + at);
}

/* Stores the last inclusive prefix, if it is wanted: of row `row` of a matrix, or of the array, which is row
 * 0. */
IW_FN void FN(set_result)(const iw_scan_args *args, uint64_t row, SCALAR inclusive)
{
  if (!args->result) return;
#ifdef NARROW
  if (args->narrow) {
    IW_JOIN(iw_store, FROM)((ELEMENT *)args->result + row, IW_JOIN(iw_convert, IW_JOIN(T, IW_PASTE(IW_LANES_FOR_, FROM)))(
      OF_T(iw_splat)(TWIDDLE(args, inclusive))), iw_lanes_below(1));
    return;
  }
#endif
  OF_T(iw_set)((SCALAR *)args->result + row, TWIDDLE(args, inclusive));
}

/* Combines a row's tree x, at element `at`, with its prefixes and stores it: row_prefix is the fold over the
 * rows before it in its tile, has_head says whether one of these contains a head; begin: the first element
 * of the array, or of the row of the matrix; scratch: a row in shared memory, or NULL. */
IW_FN void FN(finish_row)(const iw_scan_args *args, const CARRY_IN *carry, int has_head, SCALAR row_prefix,
                          ROW x, HEADS heads, uint64_t at, uint64_t begin,
                          int64_t valid, int exclusive, SCALAR *scratch)
{
  x = FN(row_apply_carry)(row_prefix, x, heads);
  if (!has_head)
    x = FN(row_apply_carry)(carry->group_prefix, FN(row_apply_carry)(carry->tile_prefix, x, heads), heads);
  if (exclusive) {
    const SCALAR tile_carry = has_head ? row_prefix : OF_OP(iws)(carry->group_prefix,
                                                                 OF_OP(iws)(carry->tile_prefix, row_prefix));
    const SCALAR first = at != begin ? tile_carry : FN(first_out)(args);
    x = FN(row_set_heads)(args->first_out.T, FN(row_shift)(x, first), heads);
  }
  FN(store_outputs)(args, at, x, valid, scratch);
}

#if defined(REDUCE) && !REDUCE_SINGLE_WARP
#include <isowarp/algorithms/scan/agent_reduce.h>
#elif defined(REDUCE) || SCAN_SINGLE_WARP
#include <isowarp/algorithms/scan/agent_single_warp.h>
#else
#include <isowarp/algorithms/scan/agent_pipelined.h>
#endif

#undef STORES
#undef HAS_SEGMENTS
#undef HAS_ROWS
#undef TWIDDLED
#undef KERNEL_STEM
#undef POLICY
#undef FN
#undef KERNEL
#undef FOLD
#undef ARGS
#undef TILE
#undef TILE_ROWS
#undef GROUP_TILES
#undef TILES
#undef WARPS
#undef CHUNK_ROWS
#undef CHUNK
#undef ROWS_IN_FLIGHT
#undef SHARED
#undef CARRY_IN
#undef PLACE
/* Defined by order1.h. */
#undef ROW_ELEMENTS
#undef T_FROM
#undef ELEMENT
#undef OF_T_FROM
#undef PARTS
#undef PART
#undef EACH_PART
#undef PART_VALID
#undef ROW_VALID
#undef ROW
#undef HEADS
#undef PENDING
#undef TWIDDLE
#undef TWIDDLE_PART
#undef ROW_READ
