/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and argmin. A whole array is reduced by scan/scan.h, segments by the kernels of this folder,
 * and so are runs, which a kernel or partition/partition.h finds. This file checks, chooses the kernels and
 * how many segments a warp takes at a time, lays out scratch and launches. It knows the runtime and the ids
 * of kernels; it must not know a backend or a schedule.
 *
 * reduce_segments_kernel.h has batches of segments. Its parts, which are the schedules:
 *
 *   rows_in_lanes.h     GPU: a warp reduces 32 pieces of rows at a time, of any segments, by a tree that
 *                       transposes
 *   rows_in_turn.h      CPU: segment by segment, row by row in registers
 *   long_segments.h     the list of segments of more than a tile, whose tiles all warps reduce
 *   columns.h           a lane reduces a column of a matrix
 *   first_minimum.h     argmin searches what was just reduced
 *   runs_in_tiles.h     GPU: runs by key in one pass; a lane reduces a short run of a tile, longer runs are
 *                       listed, or of short arrays reduced by the same launch (runs_waiting.h). On CPUs,
 *                       and on GPUs for argmin, users' operators and outputs without room for n runs,
 *                       partition/partition.h finds the runs, which are then segments by offsets
 *
 * Why: doc/design/segments.md.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/partition/partition.h"
#include "algorithms/reduce_segments/args.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

/* A call's operation, the init that it has without one of the caller's, and its kernels. fold: of tiles to
 * results. */
typedef struct operation {
  iw_operation of;
  iw_init_value init;
  const iw_kernel *segments, *tiles, *fold, *columns;
  const iw_kernel *runs, *short_runs; /* NULL: the set has none */
} operation;

/* Checks that a user's operator has kernels of this folder. */
static iw_status check_user_operator(const iw_operator *op)
{
  const iw_kernel *const kernels[] = { op->reduce_segments, op->reduce_tiles, op->fold_tiles, op->reduce_columns };
  for (unsigned i = 0; i < 4; i++)
    if (!kernels[i])
      return iw_fail(IW_ERROR_INVALID, "op is operator %s, which cannot reduce segments: define IW_SCAN_SEGMENTS where "
                     "<isowarp/make_operator.h> makes it", op->name);
  return iw_check_operator_kernels(op, kernels, 4, sizeof(iw_reduce_segments_args), "reductions of segments");
}

/* Checks what a spec combines, and that segments can be reduced by it. */
static iw_status check_operation(const iw_scan_spec *spec)
{
  iw_builtin_op op;
  if (iw_is_builtin(spec->op, &op))
    return iw_check_operation(op, spec->in_type, spec->type);
  return check_user_operator(spec->op);
}

/* Selects the context of a call and its operation. finds: the indices of minima are wanted. */
static iw_status select_operation(iw_context **context, const iw_scan_spec *spec, int finds, const iw_array *arrays,
                                  unsigned count, operation *o)
{
  iw_builtin_op op;
  if (!iw_is_builtin(spec->op, &op)) {
    const iw_operator *const user = spec->op;
    *o = (operation){
      { .in_type = spec->in_type, .type = spec->type, .wide = spec->type, .fold = IW_NO_FOLD }, iw_default_init_by(user),
      user->reduce_segments, user->reduce_tiles, user->fold_tiles, user->reduce_columns, NULL, NULL,
    };
    return iw_select_context_for_kernel(context, user->reduce_segments, arrays, count);
  }
  IW_TRY(iw_select_context(context, arrays, count));
  o->of = iw_operation_of(op, spec->in_type, spec->type);
  o->init = iw_default_init(op, spec->type);
  IW_TRY(iw_find_kernel(*context, IW_K_reduce_segments + o->of.fold, &o->segments));
  IW_TRY(iw_find_kernel(*context, IW_K_reduce_tiles + o->of.fold, &o->tiles));
  o->runs = (*context)->ops->kernel(*context, IW_K_reduce_runs + o->of.fold);
  o->short_runs = (*context)->ops->kernel(*context, IW_K_reduce_runs_short + o->of.fold);
  IW_TRY(iw_find_kernel(*context, finds ? IW_K_find + o->of.fold : IW_K_fold_tiles + o->of.fold_of_wide, &o->fold));
  return iw_find_kernel(*context, IW_K_reduce_columns + o->of.fold, &o->columns);
}

/* The form of results, as kernels take it (args.h). */
static uint32_t result_form(const iw_operation *o)
{
  return !iw_is_narrow(o) ? IW_RESULT_OF_T
    : o->type == IW_F16 || iw_type_size(o->type) == 1 ? IW_RESULT_U8_OR_F16 : IW_RESULT_U16_OR_BF16;
}

/* ---- Launches --------------------------------------------------------------------------------------- */

/* The number of blocks of a kernel that the device runs at a time. */
static size_t blocks_per_wave(const iw_context *context, const iw_kernel *kernel)
{
  return (size_t)context->device.processors * kernel->blocks_per_processor;
}

static iw_status launch(iw_context *context, const iw_kernel *kernel, size_t grid, const iw_reduce_segments_args *args)
{
  return grid ? context->ops->launch(context, kernel, grid, kernel->block, kernel->shared, args) : IW_OK;
}

/* The first launch: blocks take batches of segments as they get to run, so there are more of both than run
 * at a time. Of short arrays a batch is what a warp loads at a time, or half of that if segments may have
 * many lengths. A batch has `elements` elements on average. If a warp for each segment can run at a time, a
 * batch is one segment. */
static iw_status launch_segments(iw_context *context, const iw_kernel *kernel, size_t in_size, iw_reduce_segments_args *args)
{
  enum { BATCHES_PER_WARP = 8, AT_ONCE = 1024, LEAST = 2048, MOST = 32768 };
  /* The larger batches need elements enough: doc/design/segments.md#reductions-on-gpus. */
  enum { LONG = 256, LEAST_OF_LONG = 8192 };
  const size_t warps = iw_max(kernel->block / 32, 1);
  const size_t at_a_time = (size_t)context->device.processors * kernel->blocks_per_processor * warps;
  const size_t mean = iw_max(args->n / iw_max(args->count, 1), 1);
  const int is_long = mean >= LONG && args->n / at_a_time >= LEAST_OF_LONG / 2;
  const size_t at_once = args->offsets || args->runs ? AT_ONCE / 2 : AT_ONCE, most_at_once = args->offsets ? AT_ONCE / 2 : AT_ONCE;
  const size_t least_of_short = args->n / at_a_time < most_at_once ? at_once : LEAST;
  const size_t least = iw_min(iw_max(context->device.min_bytes_per_block / in_size / warps, is_long ? LEAST_OF_LONG : least_of_short), MOST);
  const size_t elements = iw_max(iw_min(args->n / (at_a_time * BATCHES_PER_WARP), MOST), least);
  const int one_each = args->count <= at_a_time && !args->indices && mean * in_size * warps >= context->device.min_bytes_per_block;
  args->batch = args->count_ptr ? elements : one_each ? 1 : IW_SEGMENTS_BATCH(elements, mean);
  size_t batches = iw_ceil_div(args->count_ptr ? args->n : args->count, args->batch);
  if (args->count_ptr && args->offsets) /* segments may be short: segments_at_a_time() */
    batches = iw_max(batches, iw_min(args->n / 32, at_a_time));
  return launch(context, kernel, iw_ceil_div(batches, warps), args);
}

/* Folds the tiles of so many long segments to their results. */
static iw_status launch_fold(iw_context *context, const operation *o, size_t segments, size_t most_blocks,
                             const iw_reduce_segments_args *args)
{
  return launch(context, o->fold, iw_min(iw_min(segments, blocks_per_wave(context, o->fold)), most_blocks), args);
}

/* The launches for segments of more than one tile: at most `segments` of them, with at most `tiles`
 * tiles. */
static iw_status launch_tiles(iw_context *context, const operation *o, size_t segments, size_t tiles,
                              const iw_reduce_segments_args *args)
{
  const size_t wave = blocks_per_wave(context, o->tiles);
  const size_t bytes = tiles * IW_SCAN_TILE * iw_type_size(o->of.in_type);
  const size_t grid = iw_min(iw_min(wave, tiles), iw_max(bytes / context->device.min_bytes_per_block, 1));
  IW_TRY(launch(context, o->tiles, grid, args));
  return args->blocks_done ? IW_OK : launch_fold(context, o, segments, grid, args);
}

enum { LISTED_WORDS = 3 }; /* of args->listed */

/* The scratch of a call: the list of segments of more than one tile, and their tiles. */
typedef struct lists {
  size_t segments, tiles; /* upper bounds */
  int long_rows;          /* all segments are rows of more than one tile */
  int is_zeroed;          /* an earlier launch of the call sets args->listed to 0 */
  size_t listed_at, list_at, aggregates_at;
} lists;

/* Adds the lists for these segments to a layout. by_offsets: 0 if they are rows of args->length elements. */
static void add_lists(iw_layout *layout, const operation *o, const iw_reduce_segments_args *args, int by_offsets, lists *l)
{
  const size_t n = args->n;
  l->is_zeroed = 0;
  l->long_rows = !by_offsets && args->length > IW_SCAN_TILE;
  if (l->long_rows) {
    l->segments = args->count;
    l->tiles = l->segments * iw_ceil_div(args->length, IW_SCAN_TILE);
  } else { /* listed are segments of more than a tile */
    l->segments = iw_min(by_offsets ? n / IW_SCAN_TILE : 0, args->count);
    l->tiles = n / IW_SCAN_TILE + l->segments;
  }
  l->listed_at = iw_layout_add(layout, "the number of listed segments", LISTED_WORDS, sizeof(uint64_t));
  l->list_at = iw_layout_add(layout, "the list of long segments", iw_max(l->long_rows ? 0 : l->segments, 1),
                             sizeof(iw_long_segment));
  l->aggregates_at = iw_layout_add(layout, "aggregates of tiles", l->tiles, iw_type_size(o->of.wide));
}

/* Sets args->listed to words that are 0. Of short arrays the last block of reduce_tiles folds the tiles of
 * listed segments, and leaves the words 0 for the next call: then nothing has to be zeroed. */
static iw_status prepare_list(iw_context *context, iw_reduce_segments_args *args, const lists *l, uint64_t *in_scratch)
{
  enum { FEW = 32 * IW_SCAN_GROUP_TILES }; /* the tiles of a segment that one warp folds */
  args->listed = in_scratch;
  if (!l->segments)
    return IW_OK;
  if (context->device.short_calls_wait && !l->long_rows && !args->indices && args->n <= (size_t)FEW * IW_SCAN_TILE) {
    uint64_t *zeros;
    IW_TRY(iw_zeroed_counters(context, &args->blocks_done, &zeros));
    if (!l->is_zeroed)
      args->listed = zeros;
  } else if (!l->is_zeroed)
    IW_TRY(context->ops->zero(context, args->listed, LISTED_WORDS * sizeof *args->listed));
  return IW_OK;
}

/* Reduces segments of arrays that kernels can access. args has all but the scratch and the batch. */
static iw_status reduce_with_lists(iw_context *context, const operation *o, iw_reduce_segments_args *args, const lists *l,
                                   char *scratch)
{
  IW_TRY(prepare_list(context, args, l, (uint64_t *)(void *)(scratch + l->listed_at)));
  args->list = l->long_rows ? NULL : (iw_long_segment *)(void *)(scratch + l->list_at);
  args->aggregates = scratch + l->aggregates_at;
  args->list_capacity = l->segments;
  args->tile_capacity = l->tiles;
  iw_status status = l->long_rows ? IW_OK : launch_segments(context, o->segments, iw_type_size(o->of.in_type), args);
  if (status == IW_OK && l->segments && !(context->device.reads_host_memory && !l->long_rows && !*args->listed))
    status = launch_tiles(context, o, l->segments, l->tiles, args);
  if (status != IW_OK && args->blocks_done)
    (void)context->ops->zero(context, args->listed, 2 * sizeof *args->listed);
  return status;
}

static iw_status reduce_accessible(iw_context *context, const operation *o, iw_reduce_segments_args *args)
{
  iw_layout layout;
  lists l;
  void *scratch;
  iw_layout_begin(&layout, context);
  add_lists(&layout, o, args, args->offsets != NULL, &l);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  return reduce_with_lists(context, o, args, &l, scratch);
}

/* Reduces the columns of a matrix that kernels can access, args->count columns of args->length elements. */
static iw_status reduce_columns(iw_context *context, const operation *o, iw_reduce_segments_args *args)
{
  enum { ROW = 128 }; /* of order 1 */
  const size_t width = args->count, tiles = iw_ceil_div(args->length, IW_SCAN_TILE);
  const size_t most_blocks = iw_max(args->n * iw_type_size(o->of.in_type) / context->device.min_bytes_per_block, 1);
  const unsigned warps = iw_max(o->columns->block / 32, 1);
  const size_t units = tiles * iw_ceil_div(width, 32); /* at most: narrow columns and strips have fewer (columns.h) */
  for (args->warps_per_unit = 1; warps % (2 * args->warps_per_unit) == 0 && args->warps_per_unit * ROW < args->length;)
    args->warps_per_unit *= 2;
  const size_t blocks = iw_ceil_div(units, warps / args->warps_per_unit);
  args->stride = width;
  IW_TRY(iw_scratch_array(context, "aggregates of tiles", tiles > 1 ? width * tiles : 1, iw_type_size(o->of.wide), &args->aggregates));
  IW_TRY(launch(context, o->columns, iw_min(iw_min(blocks_per_wave(context, o->columns), blocks), most_blocks), args));
  return tiles == 1 ? IW_OK : launch_fold(context, o, width, most_blocks, args);
}

/* ---- Arguments -------------------------------------------------------------------------------------- */

/* Checks a description of segments for a reduction of n elements, and sets *count to the number of
 * results. */
static iw_status check_segments(const iw_segments *segments, size_t n, size_t *count)
{
  IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
  switch (segments->kind) {
  case IW_SEGMENTS_FLAGS: case IW_SEGMENTS_KEYS: /* are runs */
    break;
  case IW_SEGMENTS_ROWS: case IW_SEGMENTS_COLUMNS:
    if (segments->columns ? n % segments->columns : n)
      return iw_fail(IW_ERROR_INVALID,
                     "n is %zu, which is not a multiple of segments->columns, which is %zu", n,
                     segments->columns);
    *count = segments->kind == IW_SEGMENTS_COLUMNS ? segments->columns : segments->columns ? n / segments->columns : 0;
    return IW_OK;
  case IW_SEGMENTS_OFFSETS:
    *count = segments->count;
    return iw_check_offsets_array(segments);
  }
  return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS);
}

/* ---- Rows and offsets ------------------------------------------------------------------------------- */

/* The arrays of a call. The caller's init is not staged. */
enum { IN, OUT, OFFSETS, INDICES, OF_SEGMENTS, INIT_OF_SEGMENTS = OF_SEGMENTS, ALL_OF_SEGMENTS };

static iw_status check_arrays(const iw_array *arrays)
{
  static const unsigned outputs[] = { OUT, INDICES };
  if (iw_are_apart(arrays, ALL_OF_SEGMENTS))
    return IW_OK;
  IW_TRY(iw_check_each_array(arrays, OF_SEGMENTS));
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < OF_SEGMENTS; i++)
      if (i != outputs[k])
        IW_TRY(iw_check_pair(&arrays[i], &arrays[outputs[k]]));
  IW_TRY(iw_check_each_array(&arrays[INIT_OF_SEGMENTS], 1));
  return iw_check_pair(&arrays[INIT_OF_SEGMENTS], &arrays[OUT]);
}

/* A checked spec with segments. out: results, of that name in messages; indices: NULL, or for the indices
 * of minima. */
static iw_status reduce_segments(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
                                 const char *out_name, void *out, int finds, size_t *indices)
{
  const iw_segments *const segments = spec->segments;
  const size_t size = iw_type_size(spec->type), in_size = iw_type_size(spec->in_type);
  size_t count = 0;
  IW_TRY(check_segments(segments, n, &count));
  const int has_offsets = segments->kind == IW_SEGMENTS_OFFSETS && count;
  iw_array arrays[ALL_OF_SEGMENTS] = {
    [IN] = { "in", in, n, in_size, IW_READ, NULL },
    [OUT] = { out_name, out, count, size, IW_WRITE | (finds ? IW_OPTIONAL : 0), NULL },
    [OFFSETS] = { "segments->offsets", NULL, 0, 1, IW_READ, NULL },
    [INDICES] = { "indices", indices, finds ? count : 0, sizeof *indices, IW_WRITE, NULL },
    [INIT_OF_SEGMENTS] = iw_init_array(spec->init, spec->type),
  };
  if (has_offsets)
    arrays[OFFSETS] = (iw_array){ "segments->offsets", segments->offsets, count + 1, iw_type_size(segments->offset_type), IW_READ, NULL };
  const unsigned staged = finds ? OF_SEGMENTS : INDICES;
  operation o;
  IW_TRY(check_arrays(arrays));
  if (!count)
    return IW_OK;
  IW_TRY(select_operation(&context, spec, finds, arrays, ALL_OF_SEGMENTS, &o));
  int on_device;
  IW_TRY(iw_is_on_device(context, &arrays[OFFSETS], &on_device));
  if (has_offsets && !on_device)
    IW_TRY(iw_check_offsets(segments, n));
  IW_TRY(iw_resolve_init(context, spec->type, &arrays[INIT_OF_SEGMENTS], &o.init));
  IW_TRY(iw_stage_on(context, arrays, staged));
  iw_reduce_segments_args args = {
    .in = arrays[IN].kernel_ptr, .n = n, .count = count, .offsets = arrays[OFFSETS].kernel_ptr,
    .length = segments->columns, .results = arrays[OUT].kernel_ptr, .indices = finds ? arrays[INDICES].kernel_ptr : NULL,
    .init = iw_kernel_init(&o.of, o.init.init), .first_out = iw_kernel_init(&o.of, o.init.first_out),
    .init_ptr = o.init.device_ptr, .twiddle = o.of.twiddle, .result_form = result_form(&o.of),
    .wide_offsets = segments->offset_type == IW_U64, .prefetches = (uint32_t)context->device.prefetches,
  };
  if (segments->kind == IW_SEGMENTS_COLUMNS) {
    args.length = n / count;
    if (count > 1 || n == 0) /* a single column is a row */
      return iw_unstage(context, arrays, staged, reduce_columns(context, &o, &args));
  }
  if (!has_offsets && !finds && iw_rows_have_blocks(context, &o.of, count, args.length))
    return iw_unstage(context, arrays, staged, iw_reduce_rows_by_blocks(context, &o.of, &o.init, args.in, count, args.length, args.results));
  return iw_unstage(context, arrays, staged, reduce_accessible(context, &o, &args));
}

/* ---- By key ----------------------------------------------------------------------------------------- */

/* The arrays of a call by key. */
enum { ELEMENTS, KEYS, UNIQUE, RESULTS, FIRSTS, STAGED, INIT = STAGED, COUNT, ARRAYS };

/* Checks what describes the runs, and sets what is known of them. */
static iw_status check_runs(const iw_segments *segments, size_t n, const void *run_keys, iw_runs *runs)
{
  switch (segments->kind) {
  case IW_SEGMENTS_KEYS:
    IW_TRY(iw_check_named_type("segments->key_type", segments->key_type, IW_ALL_TYPES));
    *runs = (iw_runs){ .type = segments->key_type, .in = segments->keys };
    break;
  case IW_SEGMENTS_FLAGS:
    if (run_keys)
      return iw_fail(IW_ERROR_INVALID, "options->run_keys is %p; valid is NULL, as segments->kind is IW_SEGMENTS_FLAGS", run_keys);
    *runs = (iw_runs){ .type = IW_U8, .is_flags = 1, .in = segments->flags };
    break;
  case IW_SEGMENTS_ROWS: case IW_SEGMENTS_OFFSETS: case IW_SEGMENTS_COLUMNS:
  default:
    return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS);
  }
  runs->n = n;
  runs->width = n <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
  return IW_OK;
}

/* Checks outputs for `count` runs, and sets their sizes to that. */
static iw_status check_outputs_by_key(iw_array *arrays, size_t count)
{
  arrays[UNIQUE].count = arrays[RESULTS].count = arrays[FIRSTS].count = count;
  IW_TRY(iw_check_each_array(&arrays[RESULTS], 2));
  IW_TRY(iw_check_each_array(&arrays[UNIQUE], 1));
  for (unsigned out = UNIQUE; out <= FIRSTS; out++)
    for (unsigned i = 0; i < ARRAYS; i++)
      if (i < UNIQUE || i > out) /* each pair once */
        IW_TRY(iw_check_pair(&arrays[i], &arrays[out]));
  return IW_OK;
}

/* Whether kernels write an output to a copy of it, on the device. */
static int is_staged(const iw_array *arrays)
{
  return arrays[UNIQUE].kernel_ptr != arrays[UNIQUE].at || arrays[RESULTS].kernel_ptr != arrays[RESULTS].at ||
         arrays[FIRSTS].kernel_ptr != arrays[FIRSTS].at;
}

/* iw_context_reserve() is documented to need 7 bytes for each element of 1 byte; a tile has a word, and two
 * for 32 tiles. */
_Static_assert(IW_RUN_MIN_TILE_BYTES / 8 * 7 >= 2 * (int)IW_BYTES_PER_TILE_STATE, "reserved tile states suffice for the smallest tiles");

/* Makes the segments of args the runs, whose begins are known. */
static void segment_by_runs(iw_reduce_segments_args *args, const iw_runs *runs)
{
  args->offsets = runs->begins;
  args->wide_offsets = runs->width == sizeof(uint64_t);
  args->ends_at_n = 1;
}

/* The launch that reads keys and elements once, and those for the runs that it lists. */
static iw_status reduce_in_tiles(iw_context *context, const operation *o, size_t least_tile, iw_reduce_segments_args *args, lists *l,
                                 char *scratch)
{
  void *tickets;
  const size_t tiles = iw_ceil_div(args->n, least_tile), bytes = args->n * (iw_type_size(o->of.in_type) + iw_max(args->key_bytes, 1));
  IW_TRY(iw_tile_states(context, tiles + 2 * iw_ceil_div(tiles, 32), &tickets, &args->tile_states));
  args->tickets = tickets;
  args->group_states = args->tile_states + tiles;
  args->listed = (uint64_t *)(void *)(scratch + l->listed_at);
  IW_TRY(context->ops->zero(context, args->listed, LISTED_WORDS * sizeof *args->listed));
  l->is_zeroed = 1;
  const size_t most_blocks = iw_max(bytes / context->device.min_bytes_per_block, 1);
  IW_TRY(launch(context, o->runs, iw_min(iw_min(tiles, blocks_per_wave(context, o->runs)), most_blocks), args));
  args->count_ptr = args->listed + 2;
  return reduce_with_lists(context, o, args, l, scratch);
}

/* Whether one launch does it all: the elements have at most IW_RUN_GROUPS groups of tiles. */
static int is_short(const iw_context *context, const operation *o, size_t n)
{
  return o->short_runs && n <= context->device.most_short_runs &&
         n <= (size_t)IW_RUN_GROUPS * IW_SCAN_GROUP_TILES * IW_RUN_MIN_TILE_BYTES / iw_type_size(o->of.wide);
}

/* That launch. Each processor has a tile, unless tiles would be too large, too small or too many. */
static iw_status reduce_short(iw_context *context, const operation *o, size_t least_tile, iw_reduce_segments_args *args)
{
  enum { ROW = 128, LEAST = 32 }; /* elements of a row of order 1; of a warp's chunk */
  void *tickets;
  const size_t warps = o->short_runs->block / 32, most = iw_min(context->device.processors, IW_RUN_GROUPS * IW_SCAN_GROUP_TILES);
  size_t chunk = LEAST;
  while (2 * chunk * warps <= least_tile && args->n > most * warps * chunk)
    chunk *= 2;
  const size_t tiles = iw_ceil_div(args->n, warps * chunk);
  IW_TRY(iw_tile_states(context, tiles + (args->n / ROW + 1) * IW_TILE_STATE_WORDS(iw_type_size(o->of.wide)), &tickets, &args->tile_states));
  args->tickets = tickets;
  args->row_states = args->tile_states + tiles;
  args->chunk = (uint32_t)chunk;
  return launch(context, o->short_runs, tiles, args);
}

/* The launch that finds the runs and moves their keys, and those for segments by offsets. */
static iw_status reduce_found_runs(iw_context *context, const operation *o, const iw_runs *runs, void *unique_keys,
                                   iw_reduce_segments_args *args, lists *l, char *scratch)
{
  IW_TRY(iw_find_runs_at_once(context, runs, unique_keys, (uint64_t *)(void *)(scratch + l->listed_at)));
  l->is_zeroed = 1;
  segment_by_runs(args, runs);
  args->count_ptr = runs->count;
  return reduce_with_lists(context, o, args, l, scratch);
}

/* Finds and reduces the runs, and does not wait for their number; kernels can access all arrays, which have
 * room for n runs. in_tiles: by the single pass. */
static iw_status reduce_runs_at_once(iw_context *context, const operation *o, int in_tiles, iw_runs *runs, iw_reduce_segments_args *args,
                                     iw_array *arrays, size_t *count, int count_is_here)
{
  const size_t n = runs->n, least_tile = IW_RUN_MIN_TILE_BYTES / iw_type_size(o->of.wide);
  const int in_one_launch = in_tiles && is_short(context, o, n);
  const size_t tiles = in_tiles && !in_one_launch ? iw_ceil_div(n, least_tile) : 0;
  iw_layout layout;
  lists l;
  void *scratch;
  args->count = n;
  iw_layout_begin(&layout, context);
  const size_t count_at = iw_layout_add(&layout, "the number of runs", 1, sizeof(uint64_t));
  const size_t tiles_at = iw_layout_add(&layout, "descriptions of tiles", tiles ? tiles + 1 : 0, sizeof(uint64_t));
  const size_t runs_at = iw_layout_add(&layout, "the list of runs", tiles ? n / IW_RUN_MIN_LISTED + tiles : 0, 2 * sizeof(uint64_t));
  const size_t begins_at = iw_layout_add(&layout, "begins of runs", in_tiles ? 0 : n, runs->width);
  if (!in_one_launch)
    add_lists(&layout, o, args, 1, &l);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  void *const unique_keys = arrays[UNIQUE].at ? arrays[UNIQUE].kernel_ptr : NULL;
  runs->count = (uint64_t *)(void *)(count_is_here ? (char *)count : base + count_at);
  if (in_tiles) {
    args->keys = runs->in;
    args->key_bytes = runs->is_flags ? 0 : (uint32_t)iw_type_size(runs->type);
    args->unique_keys = unique_keys;
    args->tile_runs = (uint64_t *)(void *)(base + tiles_at);
    args->runs = (uint64_t *)(void *)(base + runs_at);
    args->run_count = runs->count;
    IW_TRY(in_one_launch ? reduce_short(context, o, least_tile, args) : reduce_in_tiles(context, o, least_tile, args, &l, base));
  } else {
    runs->begins = base + begins_at;
    IW_TRY(reduce_found_runs(context, o, runs, unique_keys, args, &l, base));
  }
  if (count_is_here && !is_staged(arrays))
    return IW_OK;
  uint64_t found;
  IW_TRY(context->ops->copy(context, &found, runs->count, sizeof found));
  IW_TRY(check_outputs_by_key(arrays, (size_t)found));
  if (!count_is_here)
    *count = (size_t)found;
  return IW_OK;
}

/* Where the begins of n runs would take more bytes than this, the host counts the runs before it makes room
 * for them, if it can read what kernels write: there may be few. It is about what takes longer to allocate
 * than the bits to count. */
enum { MOST_BEGINS = 256 << 20 };

/* Marks the runs in scratch, of which the bits are the first array, and counts them. */
static iw_status count_runs(iw_context *context, iw_runs *runs, uint64_t *count)
{
  iw_layout layout;
  void *bits;
  iw_layout_begin(&layout, context);
  (void)iw_layout_add_head_bits(&layout, runs->n);
  IW_TRY(iw_scratch(context, &layout, &bits));
  runs->head_bits = bits;
  IW_TRY(iw_mark_runs(context, runs));
  *count = 0;
  for (size_t word = 0; word < iw_ceil_div(runs->n, 32); word++)
    *count += (uint64_t)__builtin_popcount(runs->head_bits[word]);
  return IW_OK;
}

/* Finds and reduces the runs; kernels can access all arrays. count_is_here: 1 if kernels write *count
 * themselves. */
static iw_status reduce_runs(iw_context *context, const operation *o, iw_runs *runs, iw_reduce_segments_args *args,
                             iw_array *arrays, size_t *count, int count_is_here)
{
  const size_t n = runs->n;
  iw_layout layout;
  lists l;
  void *scratch;
  args->count = n;
  if (context->device.reads_host_memory && n > MOST_BEGINS / runs->width)
    IW_TRY(count_runs(context, runs, &args->count));
  iw_layout_begin(&layout, context);
  const size_t bits_at = iw_layout_add_head_bits(&layout, n);
  const size_t count_at = iw_layout_add(&layout, "the number of runs", 1, sizeof(uint64_t));
  const size_t begins_at = iw_layout_add(&layout, "begins of runs", args->count, runs->width);
  add_lists(&layout, o, args, 1, &l);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  uint32_t *const bits = (uint32_t *)(void *)(base + bits_at);
  const int is_marked = runs->head_bits == bits; /* else scratch has grown, and the bits are lost, or there were none */
  runs->begins = base + begins_at;
  runs->head_bits = bits;
  runs->count = (uint64_t *)(void *)(count_is_here ? (char *)count : base + count_at);
  if (!is_marked)
    IW_TRY(iw_mark_runs(context, runs));
  IW_TRY(iw_find_runs(context, runs));
  segment_by_runs(args, runs);
  if (count_is_here)
    args->count_ptr = runs->count;
  /* The host needs the number to return it, and to copy staged outputs back. */
  if (!count_is_here || is_staged(arrays)) {
    uint64_t found;
    IW_TRY(context->ops->copy(context, &found, runs->count, sizeof found));
    IW_TRY(check_outputs_by_key(arrays, (size_t)found));
    args->count = found;
    args->count_ptr = NULL;
  }
  if (arrays[UNIQUE].at)
    IW_TRY(iw_move_run_heads(context, runs, arrays[UNIQUE].kernel_ptr));
  IW_TRY(reduce_with_lists(context, o, args, &l, base));
  if (!count_is_here)
    *count = (size_t)args->count;
  return IW_OK;
}

/* finds: the indices of minima are wanted. */
static iw_status reduce_by_key(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *run_keys,
                               const char *results_name, void *results, int finds, size_t *indices, size_t *count)
{
  static const uint64_t zero = 0;
  iw_runs runs;
  operation o;
  int count_is_here;
  const size_t size = iw_type_size(spec->type), in_size = iw_type_size(spec->in_type);
  iw_array arrays[ARRAYS] = {
    [ELEMENTS] = { "in", in, n, in_size, IW_READ, NULL },
    [UNIQUE] = { "options->run_keys", run_keys, n, 1, IW_WRITE | IW_OPTIONAL, NULL },
    [RESULTS] = { results_name, results, n, size, IW_WRITE | (finds ? IW_OPTIONAL : 0), NULL },
    [FIRSTS] = { "indices", indices, n, sizeof *indices, IW_WRITE | (finds ? 0 : IW_OPTIONAL), NULL },
    [INIT] = iw_init_array(spec->init, spec->type),
    [COUNT] = { "options->run_count", count, 1, sizeof *count, IW_WRITE | IW_SINGLE, NULL },
  };
  IW_TRY(iw_check_each_array(arrays, KEYS));
  IW_TRY(check_runs(spec->segments, n, run_keys, &runs));
  arrays[UNIQUE].size = iw_type_size(runs.type);
  arrays[KEYS] = (iw_array){ runs.is_flags ? "segments->flags" : "segments->keys", runs.in, n, arrays[UNIQUE].size, IW_READ, NULL };
  IW_TRY(iw_check_each_array(&arrays[KEYS], 1));
  IW_TRY(iw_check_each_array(&arrays[COUNT], 1));
  IW_TRY(iw_check_each_array(&arrays[INIT], 1));
  IW_TRY(select_operation(&context, spec, finds, arrays, ARRAYS, &o));
  IW_TRY(iw_is_accessible(context, &arrays[COUNT], &count_is_here));
  count_is_here &= !context->device.reads_host_memory;
  static const unsigned inputs[] = { ELEMENTS, KEYS, INIT };
  for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++)
    IW_TRY(iw_check_pair(&arrays[inputs[i]], &arrays[COUNT]));
  if (count_is_here)
    IW_TRY(check_outputs_by_key(arrays, n));
  if (!n) {
    if (count_is_here)
      return context->ops->upload(context, count, &zero, sizeof zero);
    *count = 0;
    return IW_OK;
  }
  IW_TRY(iw_resolve_init(context, spec->type, &arrays[INIT], &o.init));
  IW_TRY(iw_stage_on(context, arrays, STAGED));
  runs.in = arrays[KEYS].kernel_ptr;
  iw_reduce_segments_args args = {
    .in = arrays[ELEMENTS].kernel_ptr, .n = n, .results = arrays[RESULTS].kernel_ptr,
    .indices = finds ? arrays[FIRSTS].kernel_ptr : NULL, .init = iw_kernel_init(&o.of, o.init.init), .first_out = iw_kernel_init(&o.of, o.init.first_out),
    .init_ptr = o.init.device_ptr, .twiddle = o.of.twiddle, .result_form = result_form(&o.of),
    .prefetches = (uint32_t)context->device.prefetches,
  };
  /* At once if outputs have room for n runs, which may be more than there are. */
  const int in_tiles = o.runs && !finds;
  return iw_unstage(context, arrays, STAGED, (in_tiles || iw_finds_runs_at_once(context, &runs)) && iw_are_usable(arrays, ARRAYS)
    ? reduce_runs_at_once(context, &o, in_tiles, &runs, &args, arrays, count, count_is_here)
    : reduce_runs(context, &o, &runs, &args, arrays, count, count_is_here));
}

/* ---- Calls ------------------------------------------------------------------------------------------ */

iw_status iw_reduce_segments_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *results)
{
  IW_TRY(check_operation(spec));
  return reduce_segments(context, spec, in, n, "results", results, 0, NULL);
}

iw_status iw_reduce_runs_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *run_keys, void *results,
                                 size_t *count)
{
  IW_TRY(check_operation(spec));
  return reduce_by_key(context, spec, in, n, run_keys, "results", results, 0, NULL, count);
}

/* Whether segments are runs, which are counted. */
static inline iw_status are_runs(const iw_scan_options *options, int *runs)
{
  *runs = 0;
  if (!options)
    return IW_OK;
  const iw_segments *const segments = options->segments;
  if (segments) {
    IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
    IW_TRY(iw_check_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS));
    *runs = segments->kind == IW_SEGMENTS_KEYS || segments->kind == IW_SEGMENTS_FLAGS;
  }
  if (!*runs)
    return iw_check_no_runs(options, segments ? "segments of this kind" : "calls without segments");
  return options->run_count ? IW_OK
    : iw_fail(IW_ERROR_INVALID, "options->run_count is NULL: segments by keys and flags are runs, and the call writes their number there");
}

/* Not inline, so that a call of few elements has a small frame. */
static IW_NOINLINE iw_status reduce_by_options(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *results,
                                               const iw_scan_options *options)
{
  int runs;
  IW_TRY(are_runs(options, &runs));
  return runs ? iw_reduce_runs_by_spec(context, spec, in, n, options->run_keys, results, options->run_count)
    : spec->segments ? iw_reduce_segments_by_spec(context, spec, in, n, results)
                     : iw_reduce_array(context, spec, in, n, results);
}

iw_status iw_reduce(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *results, const iw_scan_options *options)
{
  iw_scan_spec spec;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_make_scan_spec(op, type, 0, options, &spec));
  return options ? reduce_by_options(context, &spec, in, n, results, options) : iw_reduce_array(context, &spec, in, n, results);
}

iw_status iw_make_find_spec(iw_op op, iw_type type, const iw_scan_options *options, iw_scan_spec *spec)
{
  IW_TRY(iw_check_type(type, IW_SCANNED_TYPES));
  IW_TRY(iw_make_scan_spec(op, type, 0, options, spec));
  if (spec->type != type)
    return iw_fail(IW_ERROR_INVALID, "options->out_type is %s; valid are 0 and type, %s: a minimum is an element",
                   iw_type_name(spec->type), iw_type_name(type));
  if (spec->init)
    return iw_fail(IW_ERROR_INVALID, "options->init is %p; valid is NULL: the first minimum is one of the elements", spec->init);
  return IW_OK;
}

iw_status iw_find_in_runs_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *run_keys, size_t *indices,
                                  void *values, size_t *count)
{
  return reduce_by_key(context, spec, in, n, run_keys, "values", values, 1, indices, count);
}

static iw_status find(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, size_t *indices, void *values,
                      const iw_scan_options *options)
{
  iw_scan_spec spec;
  iw_builtin_op builtin;
  int runs;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_make_find_spec(op, type, options, &spec));
  IW_TRY(are_runs(options, &runs));
  if (runs)
    return iw_find_in_runs_by_spec(context, &spec, in, n, options->run_keys, indices, values, options->run_count);
  if (spec.segments)
    return reduce_segments(context, &spec, in, n, "values", values, 1, indices);
  (void)iw_is_builtin(op, &builtin);
  return iw_find_extremum(context, builtin, type, in, n, indices, values);
}

iw_status iw_argmin(iw_context *context, iw_type type, const void *in, size_t n, size_t *indices, void *values,
                    const iw_scan_options *options)
{
  return find(context, IW_MIN, type, in, n, indices, values, options);
}

iw_status iw_argmax(iw_context *context, iw_type type, const void *in, size_t n, size_t *indices, void *values,
                    const iw_scan_options *options)
{
  return find(context, IW_MAX, type, in, n, indices, values, options);
}
