/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions by a description (iw_reduce_with), of the whole array by scan/scan.h, or of each of its
 * segments by the kernels of this folder: this file checks, chooses the kernels and how many segments a
 * warp takes at a time, lays out scratch and launches. It knows the runtime and the ids of kernels; it
 * must not know a backend or a schedule.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/reduce_segments/args.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

#include <inttypes.h>

/* A call's operation and its kernels. */
typedef struct operation {
  iw_builtin_op op;
  iw_type in_type, type;
  iw_kernel_id segments, tiles, fold;
} operation;

static operation operation_of(iw_builtin_op op, iw_type in_type, iw_type type)
{
  const unsigned mixed = iw_mixed_sum(in_type, type);
  return (operation){
    op, in_type, type,
    in_type == type ? IW_KERNEL_OF_OP(reduce_segments, op, type) : IW_KERNEL_OF_MIXED(reduce_segments, mixed),
    in_type == type ? IW_KERNEL_OF_OP(reduce_tiles, op, type) : IW_KERNEL_OF_MIXED(reduce_tiles, mixed),
    IW_KERNEL_OF_OP(fold_tiles, op, type),
  };
}

/* ---- Launches --------------------------------------------------------------------------------------- */

/* The first launch: blocks take batches of segments as they get to run, so there are more of both than
 * run at a time. A batch has `elements` elements on average. */
static iw_status launch_segments(iw_context *context, iw_kernel_id id, size_t in_size, iw_reduce_segments_args *args)
{
  enum { BATCHES_PER_WARP = 8, LEAST = 512, MOST = 32768, LANES = 32, EIGHTH = 8 };
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, id, &kernel));
  const size_t warps = iw_max(kernel->block / 32, 1);
  const size_t at_a_time = (size_t)context->device.processors * kernel->blocks_per_processor * warps;
  const size_t least = iw_min(iw_max(context->device.min_bytes_per_block / in_size / warps, LEAST), MOST);
  const size_t elements = iw_max(iw_min(args->n / (at_a_time * BATCHES_PER_WARP), MOST), least);
  size_t batch = iw_max(elements / iw_max(args->n / args->count, 1), 1);
  batch = batch >= LANES ? batch / LANES * LANES : batch >= EIGHTH ? batch / EIGHTH * EIGHTH : batch;
  args->batch = batch;
  return context->ops->launch(context, kernel, iw_ceil_div(iw_ceil_div(args->count, batch), warps), kernel->block,
                              kernel->shared, args);
}

/* The launches for segments of more than one tile: at most `segments` of them, with at most `tiles`
 * tiles. */
static iw_status launch_tiles(iw_context *context, const operation *o, size_t segments, size_t tiles,
                              const iw_reduce_segments_args *args)
{
  const size_t wave = iw_blocks_per_wave(context, o->tiles);
  const size_t bytes = tiles * IW_SCAN_TILE * iw_type_size(o->in_type);
  const size_t grid = iw_min(iw_min(wave, tiles), iw_max(bytes / context->device.min_bytes_per_block, 1));
  IW_TRY(iw_launch_by_id(context, o->tiles, grid, 0, args));
  return iw_launch_by_id(context, o->fold, iw_min(iw_min(segments, context->device.processors), grid), 0, args);
}

/* Reduces segments of arrays that kernels can access. args has all but scratch and the batch. */
static iw_status reduce_accessible(iw_context *context, const operation *o, iw_reduce_segments_args *args)
{
  const size_t in_size = iw_type_size(o->in_type), n = args->n;
  const int long_rows = !args->offsets && args->columns > IW_SCAN_TILE;
  size_t segments, tiles;
  if (long_rows) {
    segments = args->count;
    tiles = segments * iw_ceil_div(args->columns, IW_SCAN_TILE);
  } else { /* the list has segments of more than a tile, and short ones 2^31 elements behind the first of 32 */
    segments = iw_min(args->offsets ? n / IW_SCAN_TILE + (n >> 31) * 32 : 0, args->count);
    tiles = n / IW_SCAN_TILE + segments;
  }
  iw_layout layout;
  iw_layout_begin(&layout, context);
  const size_t at_listed = iw_layout_add(&layout, "the number of listed segments", 2, sizeof(uint64_t));
  const size_t at_list = iw_layout_add(&layout, "the list of long segments", iw_max(long_rows ? 0 : segments, 1),
                                       sizeof(iw_long_segment));
  const size_t at_aggregates = iw_layout_add(&layout, "aggregates of tiles", tiles, iw_type_size(o->type));
  void *scratch;
  IW_TRY(iw_scratch(context, &layout, &scratch));
  args->listed = (uint64_t *)(void *)((char *)scratch + at_listed);
  args->list = long_rows ? NULL : (iw_long_segment *)(void *)((char *)scratch + at_list);
  args->aggregates = (char *)scratch + at_aggregates;
  args->list_capacity = segments;
  args->tile_capacity = tiles;
  if (segments)
    IW_TRY(context->ops->zero(context, args->listed, 2 * sizeof *args->listed));
  if (!long_rows)
    IW_TRY(launch_segments(context, o->segments, in_size, args));
  if (!segments || (context->device.reads_host_memory && !long_rows && !*args->listed))
    return IW_OK;
  return launch_tiles(context, o, segments, tiles, args);
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
                   "segments->kind is %s, but reductions have segments by IW_SEGMENTS_ROWS and IW_SEGMENTS_OFFSETS",
                   segments->kind == IW_SEGMENTS_FLAGS ? "IW_SEGMENTS_FLAGS" : "IW_SEGMENTS_KEYS");
  case IW_SEGMENTS_ROWS:
    if (segments->columns ? n % segments->columns : n)
      return iw_fail(IW_ERROR_INVALID,
                     "n is %zu, which is not a multiple of segments->columns, which is %zu", n,
                     segments->columns);
    *count = segments->columns ? n / segments->columns : 0;
    return IW_OK;
  case IW_SEGMENTS_OFFSETS:
    IW_TRY(iw_check_named_type("segments->offset_type", segments->offset_type, IW_U8));
    if (segments->offset_type != IW_U32 && segments->offset_type != IW_U64)
      return iw_fail(IW_ERROR_INVALID, "segments->offset_type is %s, but offsets are u32 or u64",
                     iw_type_name(segments->offset_type));
    *count = segments->count;
    if (*count == SIZE_MAX)
      return iw_fail(IW_ERROR_INVALID, "segments->count is %zu: count + 1 offsets exceed the address space", *count);
    return iw_check_array("offsets", segments->offsets, *count ? *count + 1 : 0, iw_type_size(segments->offset_type));
  }
  return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_OFFSETS);
}

static iw_status reduce_segments(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
                                 void *result)
{
  const iw_segments *const segments = spec->segments;
  const size_t size = iw_type_size(spec->type), in_size = iw_type_size(spec->in_type);
  iw_builtin_op op;
  size_t count = 0;
  if (!iw_is_builtin(spec->op, &op))
    return iw_fail(IW_ERROR_INVALID,
                   "spec->op is operator %s, but segments are reduced by IW_SUM, IW_MIN and IW_MAX only",
                   spec->op->name);
  IW_TRY(iw_check_operation(op, spec->in_type, spec->type));
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
  const iw_scalar_bits twiddle = iw_twiddle_of(op, spec->type);
  iw_reduce_segments_args args = {
    .in = arrays[0].kernel_ptr, .n = n, .count = count, .offsets = arrays[2].kernel_ptr,
    .columns = segments->columns, .results = arrays[1].kernel_ptr, .init = iw_flip_scalar_bits(init.init, twiddle),
    .first_out = iw_flip_scalar_bits(init.first_out, twiddle), .init_ptr = init.device_ptr, .twiddle = twiddle,
    .wide_offsets = segments->offset_type == IW_U64,
  };
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
