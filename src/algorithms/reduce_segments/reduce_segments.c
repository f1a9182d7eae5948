/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions by a description (iw_reduce_with), of the whole array by scan/scan.h, or of each of its
 * segments by the kernels of this folder, and by key (iw_reduce_by_key), where partition/partition.h finds the
 * segments: this file checks, chooses the kernels and how many segments a warp takes at a time, lays out
 * scratch and launches. It knows the runtime and the ids of kernels; it must not know a backend or a schedule.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/partition/partition.h"
#include "algorithms/reduce_segments/args.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

#include <inttypes.h>

/* A call's operation and its kernels. */
typedef struct operation {
  iw_operation of;
  iw_kernel_id segments, tiles, fold, columns;
} operation;

static operation operation_of(iw_builtin_op op, iw_type in_type, iw_type type)
{
  const iw_operation o = iw_operation_of(op, in_type, type);
  return (operation){
    o, IW_KERNEL_OF_OPERATION(reduce_segments, &o), IW_KERNEL_OF_OPERATION(reduce_tiles, &o),
    IW_KERNEL_OF_OP(fold_tiles, op, o.wide),
    IW_KERNEL_OF_OPERATION(reduce_columns, &o),
  };
}

/* The form of results, as kernels take it (args.h). */
static uint32_t result_form(const iw_operation *o)
{
  return !iw_is_narrow(o) ? IW_RESULT_OF_T
    : o->type == IW_F16 || iw_type_size(o->type) == 1 ? IW_RESULT_U8_OR_F16 : IW_RESULT_U16_OR_BF16;
}

/* ---- Launches --------------------------------------------------------------------------------------- */

/* The first launch: blocks take batches of segments as they get to run, so there are more of both than
 * run at a time. A batch has `elements` elements on average. */
static iw_status launch_segments(iw_context *context, iw_kernel_id id, size_t in_size, iw_reduce_segments_args *args)
{
  enum { BATCHES_PER_WARP = 8, LEAST = 2048, MOST = 32768 };
  enum { LONG = 256, LEAST_OF_LONG = 8192 }; /* where there are elements enough for it: decision 113 */
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, id, &kernel));
  const size_t warps = iw_max(kernel->block / 32, 1);
  const size_t at_a_time = (size_t)context->device.processors * kernel->blocks_per_processor * warps;
  const size_t mean = iw_max(args->n / iw_max(args->count, 1), 1);
  const int is_long = mean >= LONG && args->n / at_a_time >= LEAST_OF_LONG / 2;
  const size_t least = iw_min(iw_max(context->device.min_bytes_per_block / in_size / warps, is_long ? LEAST_OF_LONG : LEAST),
                              MOST);
  const size_t elements = iw_max(iw_min(args->n / (at_a_time * BATCHES_PER_WARP), MOST), least);
  args->batch = args->count_ptr ? elements : IW_SEGMENTS_BATCH(elements, mean);
  const size_t batches = iw_ceil_div(args->count_ptr ? args->n : args->count, args->batch);
  return context->ops->launch(context, kernel, iw_ceil_div(batches, warps), kernel->block, kernel->shared, args);
}

/* Folds the tiles of so many long segments to their results. */
static iw_status launch_fold(iw_context *context, const operation *o, size_t segments, size_t most_blocks,
                             const iw_reduce_segments_args *args)
{
  return iw_launch_by_id(context, o->fold, iw_min(iw_min(segments, iw_blocks_per_wave(context, o->fold)), most_blocks), 0, args);
}

/* The launches for segments of more than one tile: at most `segments` of them, with at most `tiles`
 * tiles. */
static iw_status launch_tiles(iw_context *context, const operation *o, size_t segments, size_t tiles,
                              const iw_reduce_segments_args *args)
{
  const size_t wave = iw_blocks_per_wave(context, o->tiles);
  const size_t bytes = tiles * IW_SCAN_TILE * iw_type_size(o->of.in_type);
  const size_t grid = iw_min(iw_min(wave, tiles), iw_max(bytes / context->device.min_bytes_per_block, 1));
  IW_TRY(iw_launch_by_id(context, o->tiles, grid, 0, args));
  return launch_fold(context, o, segments, grid, args);
}

/* The scratch of a call: the list of segments of more than one tile, and their tiles. */
typedef struct lists {
  size_t segments, tiles; /* upper bounds */
  int long_rows;          /* all segments are rows of more than one tile */
  size_t listed_at, list_at, aggregates_at;
} lists;

/* Adds the lists for these segments to a layout. by_offsets: 0 if they are rows of args->length elements. */
static void add_lists(iw_layout *layout, const operation *o, const iw_reduce_segments_args *args, int by_offsets, lists *l)
{
  const size_t n = args->n;
  l->long_rows = !by_offsets && args->length > IW_SCAN_TILE;
  if (l->long_rows) {
    l->segments = args->count;
    l->tiles = l->segments * iw_ceil_div(args->length, IW_SCAN_TILE);
  } else { /* listed are segments of more than a tile */
    l->segments = iw_min(by_offsets ? n / IW_SCAN_TILE : 0, args->count);
    l->tiles = n / IW_SCAN_TILE + l->segments;
  }
  l->listed_at = iw_layout_add(layout, "the number of listed segments", 2, sizeof(uint64_t));
  l->list_at = iw_layout_add(layout, "the list of long segments", iw_max(l->long_rows ? 0 : l->segments, 1),
                             sizeof(iw_long_segment));
  l->aggregates_at = iw_layout_add(layout, "aggregates of tiles", l->tiles, iw_type_size(o->of.wide));
}

/* Reduces segments of arrays that kernels can access. args has all but the scratch and the batch. */
static iw_status reduce_with_lists(iw_context *context, const operation *o, iw_reduce_segments_args *args, const lists *l,
                                   char *scratch)
{
  args->listed = (uint64_t *)(void *)(scratch + l->listed_at);
  args->list = l->long_rows ? NULL : (iw_long_segment *)(void *)(scratch + l->list_at);
  args->aggregates = scratch + l->aggregates_at;
  args->list_capacity = l->segments;
  args->tile_capacity = l->tiles;
  if (l->segments)
    IW_TRY(context->ops->zero(context, args->listed, 2 * sizeof *args->listed));
  if (!l->long_rows)
    IW_TRY(launch_segments(context, o->segments, iw_type_size(o->of.in_type), args));
  if (!l->segments || (context->device.reads_host_memory && !l->long_rows && !*args->listed))
    return IW_OK;
  return launch_tiles(context, o, l->segments, l->tiles, args);
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
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, o->columns, &kernel));
  const unsigned warps = iw_max(kernel->block / 32, 1);
  const size_t units = tiles * iw_ceil_div(width, 32); /* at most: narrow columns and strips have fewer (columns.h) */
  for (args->warps_per_unit = 1; warps % (2 * args->warps_per_unit) == 0 && args->warps_per_unit * ROW < args->length;)
    args->warps_per_unit *= 2;
  const size_t blocks = iw_ceil_div(units, warps / args->warps_per_unit);
  args->stride = width;
  IW_TRY(iw_scratch_array(context, "aggregates of tiles", tiles > 1 ? width * tiles : 1, iw_type_size(o->of.wide), &args->aggregates));
  IW_TRY(iw_launch_by_id(context, o->columns, iw_min(iw_min(iw_blocks_per_wave(context, o->columns), blocks), most_blocks), 0, args));
  return tiles == 1 ? IW_OK : launch_fold(context, o, width, most_blocks, args);
}

/* ---- Arguments -------------------------------------------------------------------------------------- */

/* Checks offsets in host memory. */
static iw_status check_offsets(const iw_segments *segments, size_t n)
{
  const size_t count = segments->count;
  const uint32_t *const narrow = segments->offsets;
  const uint64_t *const wide = segments->offsets;
  size_t k = 0;
#define OFFSET(k) (segments->offset_type == IW_U32 ? narrow[k] : wide[k])
  if (segments->offset_type == IW_U32)
    while (k < count && narrow[k] <= narrow[k + 1])
      k++;
  else
    while (k < count && wide[k] <= wide[k + 1])
      k++;
  if (k < count)
    return iw_fail(IW_ERROR_INVALID, "offsets[%zu] is %" PRIu64 ", which is less than offsets[%zu], which is %" PRIu64,
                   k + 1, (uint64_t)OFFSET(k + 1), k, (uint64_t)OFFSET(k));
  if (OFFSET(count) > n)
    return iw_fail(IW_ERROR_INVALID, "offsets[%zu] is %" PRIu64 ", which is more than n, which is %zu", count,
                   (uint64_t)OFFSET(count), n);
#undef OFFSET
  return IW_OK;
}

/* Checks a description of segments for a reduction of n elements, and sets *count to the number of
 * results. */
static iw_status check_segments(const iw_segments *segments, size_t n, size_t *count)
{
  IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
  switch (segments->kind) {
  case IW_SEGMENTS_FLAGS: case IW_SEGMENTS_KEYS:
    return iw_fail(IW_ERROR_INVALID,
                   "segments->kind is %s, for which there is iw_reduce_by_key; valid are IW_SEGMENTS_ROWS, IW_SEGMENTS_OFFSETS and IW_SEGMENTS_COLUMNS",
                   segments->kind == IW_SEGMENTS_FLAGS ? "IW_SEGMENTS_FLAGS" : "IW_SEGMENTS_KEYS");
  case IW_SEGMENTS_ROWS: case IW_SEGMENTS_COLUMNS:
    if (segments->columns ? n % segments->columns : n)
      return iw_fail(IW_ERROR_INVALID,
                     "n is %zu, which is not a multiple of segments->columns, which is %zu", n,
                     segments->columns);
    *count = segments->kind == IW_SEGMENTS_COLUMNS ? segments->columns : segments->columns ? n / segments->columns : 0;
    return IW_OK;
  case IW_SEGMENTS_OFFSETS:
    IW_TRY(iw_check_named_type("segments->offset_type", segments->offset_type, IW_SET_OF(IW_U32) | IW_SET_OF(IW_U64)));
    *count = segments->count;
    if (*count == SIZE_MAX)
      return iw_fail(IW_ERROR_INVALID, "segments->count is %zu: count + 1 offsets exceed the address space", *count);
    return iw_check_array("offsets", segments->offsets, *count ? *count + 1 : 0, iw_type_size(segments->offset_type));
  }
  return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS);
}

/* Sets *op to the operator of a checked spec, if segments can be reduced by it. */
static iw_status check_operator(const iw_scan_spec *spec, iw_builtin_op *op)
{
  IW_TRY(iw_check_operator_of_segments(spec->op, "reduced", op));
  return iw_check_operation(*op, spec->in_type, spec->type);
}

/* ---- Rows and offsets ------------------------------------------------------------------------------- */

static iw_status reduce_segments(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
                                 void *result)
{
  const iw_segments *const segments = spec->segments;
  const size_t size = iw_type_size(spec->type), in_size = iw_type_size(spec->in_type);
  iw_builtin_op op;
  size_t count = 0;
  IW_TRY(check_operator(spec, &op));
  IW_TRY(check_segments(segments, n, &count));
  IW_TRY(iw_check_array("in", in, n, in_size));
  IW_TRY(iw_check_array("result", result, count, size));
  const size_t offsets_bytes = segments->kind != IW_SEGMENTS_OFFSETS || !count
    ? 0 : (count + 1) * iw_type_size(segments->offset_type);
  IW_TRY(iw_check_no_overlap("in", in, n * in_size, "result", result, count * size));
  IW_TRY(iw_check_no_overlap("offsets", segments->offsets, offsets_bytes, "result", result, count * size));
  IW_TRY(iw_check_init(spec->init, size));
  if (spec->init)
    IW_TRY(iw_check_no_overlap("init", spec->init, size, "result", result, count * size));
  if (!count)
    return IW_OK;
  iw_array arrays[] = {
    { "in", in, n * in_size, IW_READ, NULL }, { "result", result, count * size, IW_WRITE, NULL },
    { "offsets", offsets_bytes ? segments->offsets : NULL, offsets_bytes, IW_READ, NULL },
    iw_init_array(spec->init, spec->type),
  };
  iw_init_value init = iw_default_init(op, spec->type);
  IW_TRY(iw_select_context(&context, arrays, 4));
  int on_device;
  IW_TRY(iw_is_on_device(context, &arrays[2], &on_device));
  if (offsets_bytes && !on_device)
    IW_TRY(check_offsets(segments, n));
  IW_TRY(iw_resolve_init(context, spec->type, &arrays[3], &init));
  IW_TRY(iw_stage_on(context, arrays, 3));
  const operation o = operation_of(op, spec->in_type, spec->type);
  iw_reduce_segments_args args = {
    .in = arrays[0].kernel_ptr, .n = n, .count = count, .offsets = arrays[2].kernel_ptr,
    .length = segments->columns, .results = arrays[1].kernel_ptr, .init = iw_kernel_init(&o.of, init.init),
    .first_out = iw_kernel_init(&o.of, init.first_out), .init_ptr = init.device_ptr, .twiddle = o.of.twiddle,
    .result_form = result_form(&o.of), .wide_offsets = segments->offset_type == IW_U64,
  };
  if (segments->kind == IW_SEGMENTS_COLUMNS) {
    args.length = n / count;
    if (count > 1 || n == 0) /* a single column is a row */
      return iw_unstage(context, arrays, 3, reduce_columns(context, &o, &args));
  }
  return iw_unstage(context, arrays, 3, reduce_accessible(context, &o, &args));
}

iw_status iw_reduce_with(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
                         void *result)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_scan_spec(spec));
  return spec->segments ? reduce_segments(context, spec, in, n, result)
                        : iw_reduce_array(context, spec, in, n, result);
}

/* ---- By key ----------------------------------------------------------------------------------------- */

/* The arrays of a call by key. */
enum { ELEMENTS, KEYS, UNIQUE, RESULTS, STAGED, INIT = STAGED, COUNT, ARRAYS };

/* Checks what describes the runs, and sets what is known of them. */
static iw_status check_runs(const iw_segments *segments, size_t n, const void *unique_keys, iw_runs *runs)
{
  IW_TRY(iw_check_pointer("spec->segments", segments));
  IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
  switch (segments->kind) {
  case IW_SEGMENTS_KEYS:
    IW_TRY(iw_check_named_type("segments->key_type", segments->key_type, IW_ALL_TYPES));
    *runs = (iw_runs){ .type = segments->key_type, .in = segments->keys };
    break;
  case IW_SEGMENTS_FLAGS:
    if (unique_keys)
      return iw_fail(IW_ERROR_INVALID, "unique_keys is %p; valid is NULL, as segments->kind is IW_SEGMENTS_FLAGS", unique_keys);
    *runs = (iw_runs){ .type = IW_U8, .is_flags = 1, .in = segments->flags };
    break;
  case IW_SEGMENTS_ROWS: case IW_SEGMENTS_OFFSETS: case IW_SEGMENTS_COLUMNS:
    return iw_fail(IW_ERROR_INVALID,
                   "segments->kind is %s, for which there is iw_reduce_with; valid are IW_SEGMENTS_KEYS and IW_SEGMENTS_FLAGS",
                   segments->kind == IW_SEGMENTS_ROWS ? "IW_SEGMENTS_ROWS"
                   : segments->kind == IW_SEGMENTS_OFFSETS ? "IW_SEGMENTS_OFFSETS" : "IW_SEGMENTS_COLUMNS");
  default:
    return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS);
  }
  runs->n = n;
  runs->width = n <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
  return iw_check_array(runs->is_flags ? "flags" : "keys", runs->in, n, iw_type_size(runs->type));
}

/* Checks outputs for `count` runs, and sets their sizes to that. */
static iw_status check_outputs_by_key(iw_array *arrays, size_t count, size_t key_size, size_t size)
{
  arrays[UNIQUE].bytes = arrays[UNIQUE].at ? count * key_size : 0;
  arrays[RESULTS].bytes = count * size;
  IW_TRY(iw_check_array("results", arrays[RESULTS].at, count, size));
  if (arrays[UNIQUE].at)
    IW_TRY(iw_check_array("unique_keys", arrays[UNIQUE].at, count, key_size));
  for (unsigned out = UNIQUE; out <= RESULTS; out++)
    for (unsigned i = 0; i < ARRAYS; i++)
      if (i < UNIQUE || i > out) /* each pair once */
        IW_TRY(iw_check_no_overlap(arrays[i].name, arrays[i].at, arrays[i].bytes, arrays[out].name, arrays[out].at,
                                   arrays[out].bytes));
  return IW_OK;
}

/* Finds and reduces the runs; kernels can access all arrays. count_is_here: 1 if kernels write *count themselves. */
static iw_status reduce_runs(iw_context *context, const operation *o, iw_runs *runs, iw_reduce_segments_args *args,
                             iw_array *arrays, size_t *count, int count_is_here)
{
  const size_t n = runs->n, key_size = iw_type_size(runs->type), size = iw_type_size(o->of.type);
  iw_layout layout;
  lists l;
  void *scratch;
  args->count = n;
  iw_layout_begin(&layout, context);
  const size_t count_at = iw_layout_add(&layout, "the number of runs", 1, sizeof(uint64_t));
  const size_t begins_at = iw_layout_add(&layout, "begins of runs", n, runs->width);
  const size_t bits_at = iw_layout_add_head_bits(&layout, n);
  add_lists(&layout, o, args, 1, &l);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  runs->begins = base + begins_at;
  runs->head_bits = (uint32_t *)(void *)(base + bits_at);
  runs->count = (uint64_t *)(void *)(count_is_here ? (char *)count : base + count_at);
  IW_TRY(iw_find_runs(context, runs));
  args->offsets = runs->begins;
  args->wide_offsets = runs->width == sizeof(uint64_t);
  args->ends_at_n = 1;
  if (count_is_here)
    args->count_ptr = runs->count;
  /* The host needs the number to return it, and to copy staged outputs back. */
  int is_staged = 0;
  for (unsigned i = UNIQUE; i < STAGED; i++)
    is_staged |= arrays[i].kernel_ptr != arrays[i].at;
  if (!count_is_here || is_staged) {
    uint64_t found;
    IW_TRY(context->ops->copy(context, &found, runs->count, sizeof found));
    IW_TRY(check_outputs_by_key(arrays, (size_t)found, key_size, size));
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

iw_status iw_reduce_by_key(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *unique_keys,
                           void *results, size_t *count)
{
  static const uint64_t zero = 0;
  iw_builtin_op op;
  iw_runs runs;
  int count_is_here;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_scan_spec(spec));
  IW_TRY(check_operator(spec, &op));
  const size_t size = iw_type_size(spec->type), in_size = iw_type_size(spec->in_type);
  IW_TRY(iw_check_array("in", in, n, in_size));
  IW_TRY(check_runs(spec->segments, n, unique_keys, &runs));
  const size_t key_size = iw_type_size(runs.type);
  IW_TRY(iw_check_single("count", count, sizeof *count));
  IW_TRY(iw_check_init(spec->init, size));
  iw_array arrays[ARRAYS] = {
    [ELEMENTS] = { "in", in, n * in_size, IW_READ, NULL },
    [KEYS] = { runs.is_flags ? "flags" : "keys", runs.in, n * key_size, IW_READ, NULL },
    [UNIQUE] = { "unique_keys", unique_keys, unique_keys ? n * key_size : 0, IW_WRITE, NULL },
    [RESULTS] = { "results", results, n * size, IW_WRITE, NULL },
    [INIT] = iw_init_array(spec->init, spec->type),
    [COUNT] = { "count", count, sizeof *count, IW_WRITE, NULL },
  };
  iw_init_value init = iw_default_init(op, spec->type);
  IW_TRY(iw_select_context(&context, arrays, ARRAYS));
  IW_TRY(iw_is_accessible(context, &arrays[COUNT], &count_is_here));
  count_is_here &= !context->device.reads_host_memory;
  static const unsigned inputs[] = { ELEMENTS, KEYS, INIT };
  for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++)
    IW_TRY(iw_check_no_overlap(arrays[inputs[i]].name, arrays[inputs[i]].at, arrays[inputs[i]].bytes, "count", count,
                               sizeof *count));
  if (count_is_here)
    IW_TRY(check_outputs_by_key(arrays, n, key_size, size));
  if (!n) {
    if (count_is_here)
      return context->ops->upload(context, count, &zero, sizeof zero);
    *count = 0;
    return IW_OK;
  }
  IW_TRY(iw_resolve_init(context, spec->type, &arrays[INIT], &init));
  IW_TRY(iw_stage_on(context, arrays, STAGED));
  const operation o = operation_of(op, spec->in_type, spec->type);
  runs.in = arrays[KEYS].kernel_ptr;
  iw_reduce_segments_args args = {
    .in = arrays[ELEMENTS].kernel_ptr, .n = n, .results = arrays[RESULTS].kernel_ptr,
    .init = iw_kernel_init(&o.of, init.init), .first_out = iw_kernel_init(&o.of, init.first_out),
    .init_ptr = init.device_ptr, .twiddle = o.of.twiddle, .result_form = result_form(&o.of),
  };
  return iw_unstage(context, arrays, STAGED, reduce_runs(context, &o, &runs, &args, arrays, count, count_is_here));
}
