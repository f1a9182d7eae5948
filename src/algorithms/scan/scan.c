/* SPDX-License-Identifier: Apache-2.0
 *
 * The public calls of scan, reduction, argmin and argmax: they check, choose a context and a kernel, stage
 * host data, fill in the kernel's arguments (scan/args.h) and launch. A reduction and argmin take input that
 * is not on the device piece by piece. This file knows the runtime and the ids of kernels; it must not know
 * a backend or an agent's schedule.
 *
 * The kernel templates and their schedules:
 *
 *   scan_kernel.h          scans and reductions of arrays, segments by flags and keys, and rows of more than
 *                          a tile
 *     agent_pipelined.h      GPU: a block of several warps stages tiles in shared memory until their
 *                            prefixes arrive
 *     agent_waiting.h        GPU, scans of up to 256 tiles: a block for each waits for all tiles before its own
 *     agent_reduce.h         GPU, reductions: blocks have tiles, which the last block folds, or a group
 *     agent_single_warp.h    CPU: one warp a tile; it reads a tile again from its cache if the prefix was
 *                            unknown
 *   scan_rows_kernel.h     rows of up to a tile, or many rows, and segments by offsets: a warp scans each
 *                          whole
 *     rows_by_lanes.h, segments_by_lanes.h    GPU: chunks of rows, and the bounds of 32 segments, in lanes
 *     rows_in_turn.h, segments_in_turn.h      CPU: row by row in registers, loaded at any address
 *
 * Long segments by offsets are listed and scanned as long rows are. Why: doc/design/scan.md and segments.md.
 */
#include "algorithms/common/args.h"
#include "algorithms/common/kernel_ids.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <assert.h>
#include <string.h>

/* Outputs of at least so many bytes are larger than the caches that matter, and are stored past them. */
enum { STREAM_BYTES = 8 << 20 };

/* The 64-bit words of a tile state whose value is of this type, in which elements are combined: a word
 * holds a flag and 32 bits of the value. */
static size_t tile_state_words(iw_type wide)
{
  return IW_TILE_STATE_WORDS(iw_type_size(wide));
}

/* The arrays of a reduction. Its init may be its result. */
enum { IN, INIT, RESULT, OF_REDUCTION };

static size_t tile_count(size_t n)
{
  return iw_ceil_div(n, IW_SCAN_TILE);
}

/* Completes the arguments of a scan or a reduction of n elements, and launches it; n = 0 is one tile
 * without elements. Of listed segments args->tiles is given. The grid is at most one wave of resident
 * blocks, one block per tile, and iw_most_blocks(). */
static iw_status launch_scan(iw_context *context, const iw_kernel *kernel, iw_type wide, size_t n,
                             iw_scan_args *args)
{
  void *tickets;
  const size_t rows = args->columns ? n / args->columns : 1; /* of a matrix */
  const size_t row_tiles = iw_max(tile_count(n / rows), 1);
  const size_t groups = args->places ? args->tiles : rows * iw_ceil_div(row_tiles, IW_SCAN_GROUP_TILES);
  args->n = n;
  if (!args->places)
    args->tiles = rows * row_tiles;
  /* A reduction on GPUs whose blocks have a group each has states of groups in place of tiles, and of
   * sections of groups; one that finds an index also a word for each block. A short scan has states of
   * helpers and a word for each tile in place of states of groups. */
  const int by_groups = !args->out && !args->waits && context->device.short_calls_wait;
  const size_t each = tile_state_words(wide), more = args->out ? each + 1 : args->first_index != NULL;
  const size_t words = args->waits ? args->tiles * (each + more) : (args->tiles + groups) * each;
  IW_TRY(iw_tile_states(context, words, &tickets, &args->tile_states));
  args->tickets = tickets;
  args->group_states = args->tile_states + (by_groups ? groups : args->tiles) * tile_state_words(wide);
  const size_t max_blocks = iw_most_blocks(&context->device, n * iw_type_size(wide), args->out != NULL);
  const size_t wave = (size_t)context->device.processors * kernel->blocks_per_processor;
  /* Code for a device with less shared memory has a shorter pipeline than kernel->shared is for. */
  const size_t blocks = args->waits ? iw_ceil_div(args->tiles, args->waits) : by_groups ? groups : iw_min(iw_min(args->tiles, max_blocks), wave);
  return context->ops->launch(context, kernel, blocks, kernel->block,
                              iw_min(kernel->shared, context->device.shared_per_block), args);
}

/* kernel: of a user's operator, or NULL. */
static iw_status launch_reduction(iw_context *context, const iw_kernel *kernel, const iw_operation *o, size_t n, iw_scan_args *args)
{
  enum { MOST_SINGLE = 512 }; /* tiles that have a block each */
  const int waits = context->device.short_calls_wait, is_short = waits && tile_count(n) <= IW_REDUCE_SHORT_TILES;
  if (!kernel)
    IW_TRY(iw_find_kernel(context, (is_short ? IW_K_reduce_short : IW_K_reduce) + o->fold, &kernel));
  if (is_short)
    args->waits = iw_type_size(o->wide) == 4 && tile_count(n) > MOST_SINGLE ? 2 : 1;
  else if (waits && tile_count(n) <= IW_REDUCE_WAITED_TILES)
    args->waits = kernel->block / 32;
  args->prefetches = (uint32_t)context->device.prefetches;
  return launch_scan(context, kernel, o->wide, n, args);
}

/* Whether a block scans each tile of an array: it may read another one's tile, which must not be overwritten
 * then. */
static int is_short(const iw_context *context, const void *in, const void *out, size_t n)
{
  return context->device.short_calls_wait && tile_count(n) <= IW_SCAN_WAITED_TILES && in != out;
}

/* A scan of an array. */
static iw_status launch_scan_of_array(iw_context *context, const iw_kernel *kernel, iw_type wide, size_t n, iw_scan_args *args)
{
  args->waits = (uint32_t)is_short(context, args->in, args->out, n);
  return launch_scan(context, kernel, wide, n, args);
}

/* A scan by a user's operator. */
static iw_status scan_with_kernel(iw_context *context, const iw_kernel *kernel, const void *in, iw_type type,
                                  void *out, size_t n, const iw_init_value *init, int exclusive)
{
  return n == 0 ? IW_OK : launch_scan_of_array(context, kernel, type, n, &(iw_scan_args){
    .in = in, .out = out, .init = init->init, .first_out = init->first_out, .init_ptr = init->device_ptr,
    .exclusive = (uint32_t)exclusive, .stream = n * iw_type_size(type) >= STREAM_BYTES,
  });
}

/* An init of the type of outputs, as kernels take it. */
static iw_init_value kernel_form(const iw_operation *o, iw_init_value value)
{
  return (iw_init_value){ iw_kernel_init(o, value.init), iw_kernel_init(o, value.first_out), value.device_ptr };
}

/* init: as kernels take it. */
static iw_status scan(iw_context *context, const iw_operation *o, const void *in, void *out, size_t n,
                      const iw_init_value *init, int exclusive)
{
  const iw_kernel *kernel;
  if (n == 0)
    return IW_OK;
  IW_TRY(iw_find_kernel(context, (is_short(context, in, out, n) ? IW_K_scan_short : IW_K_scan) + o->fold, &kernel));
  return launch_scan_of_array(context, kernel, o->wide, n, &(iw_scan_args){
    .in = in, .out = out, .init = init->init, .first_out = init->first_out,
    .init_ptr = init->device_ptr, .twiddle = o->twiddle, .exclusive = (uint32_t)exclusive,
    .stream = n * iw_type_size(o->type) >= STREAM_BYTES, .narrow = (uint32_t)iw_is_narrow(o),
  });
}

iw_status iw_reserve_offsets(iw_context *context, size_t n)
{
  const size_t tiles = iw_max(tile_count(n), 1);
  void *tickets;
  uint64_t *states;
  return iw_tile_states(context, (tiles + iw_ceil_div(tiles, IW_SCAN_GROUP_TILES)) * tile_state_words(IW_U64), &tickets, &states);
}

/* Replaces counts by offsets: an exclusive sum in place, for other algorithms. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n)
{
  const iw_init_value zero = iw_default_init(IW_BUILTIN_SUM, IW_U64);
  const iw_operation sum = iw_operation_of(IW_BUILTIN_SUM, IW_U64, IW_U64);
  return scan(context, &sum, words, words, n, &zero, 1);
}

iw_status iw_ends(iw_context *context, const void *lengths, size_t width, size_t n, uint64_t *ends)
{
  const iw_init_value zero = iw_default_init(IW_BUILTIN_SUM, IW_U64);
  const iw_operation sum = iw_operation_of(IW_BUILTIN_SUM, width == sizeof(uint32_t) ? IW_U32 : IW_U64, IW_U64);
  return scan(context, &sum, lengths, ends, n, &zero, 0);
}

static iw_status builtin_scan(iw_context *context, iw_builtin_op op, iw_type in_type, const void *in,
                              iw_type type, void *out, size_t n, const void *init, int exclusive)
{
  IW_TRY(iw_check_operation(op, in_type, type));
  const size_t in_size = iw_type_size(in_type), size = iw_type_size(type);
  iw_array arrays[] = { { "in", in, n, in_size, IW_READ, NULL },
                        { "out", out, n, size, IW_WRITE | (in_type == type ? IW_IN_PLACE : 0), NULL }, iw_init_array(init, type) };
  IW_TRY(iw_check_arrays_in_turn(arrays, 2, 3));
  iw_init_value value = iw_default_init(op, type);
  IW_TRY(iw_select_context(&context, arrays, 3));
  IW_TRY(iw_resolve_init(context, type, &arrays[2], &value));
  IW_TRY(iw_stage_on(context, arrays, 2));
  const iw_operation o = iw_operation_of(op, in_type, type);
  value = kernel_form(&o, value);
  return iw_unstage(context, arrays, 2, scan(context, &o, arrays[0].kernel_ptr, arrays[1].kernel_ptr, n, &value, exclusive));
}

iw_status iw_scan_part(iw_context *context, const iw_scan_spec *spec, const void *in, void *out, size_t n,
                       const iw_scalar_bits *prefix)
{
  iw_builtin_op op;
  (void)iw_is_builtin(spec->op, &op);
  const iw_operation o = iw_operation_of(op, spec->in_type, spec->type);
  iw_array arrays[] = { { "in", in, n, iw_type_size(spec->in_type), IW_READ, NULL },
                        { "out", out, n, iw_type_size(spec->type), IW_WRITE, NULL } };
  iw_init_value value = kernel_form(&o, iw_default_init(op, spec->type));
  if (prefix)
    value.init = value.first_out = iw_flip_scalar_bits(*prefix, o.twiddle);
  IW_TRY(iw_stage(&context, arrays, 2));
  return iw_unstage(context, arrays, 2, scan(context, &o, arrays[0].kernel_ptr, arrays[1].kernel_ptr, n, &value,
                                             spec->exclusive != 0));
}

/* A reduction that takes its input piece by piece: the result of the pieces so far is the init of the next
 * one. Pieces are whole groups of summation order 1, so that this gives the bits of one launch. A launch
 * does not write its result where its init is: a block may still read init after another one has written
 * the result. */
typedef struct reduce_job {
  iw_context *context;
  const iw_kernel *kernel; /* of a user's operator, or NULL */
  const iw_operation *operation;
  size_t in_size, in_bytes;
  iw_init_value init; /* of the first piece */
  void *results[2];/* an element that the kernel can reach, for the pieces in turn */
  unsigned pieces;
} reduce_job;

static iw_status reduce_piece(void *job, const void *piece, size_t at, size_t bytes)
{
  reduce_job *r = job;
  void *const before = r->results[(r->pieces + 1) % 2], *const result = r->results[r->pieces % 2];
  r->pieces++;
  const iw_operation *const o = r->operation;
  return launch_reduction(r->context, r->kernel, o, iw_element_count(bytes, r->in_size), &(iw_scan_args){
    .in = piece, .init = iw_kernel_init(o, r->init.init), .init_ptr = at ? before : r->init.device_ptr,
    .result = result, .twiddle = o->twiddle,
    .narrow = iw_is_narrow(o) && at + bytes == r->in_bytes, /* results between pieces are of type o->wide */
  });
}

/* Stores the result of a reduction of no elements. */
static iw_status store_empty_result(iw_context *context, const iw_array *to, const void *value)
{
  int accessible;
  IW_TRY(iw_is_accessible(context, to, &accessible));
  if (accessible)
    return context->ops->upload(context, (void *)(uintptr_t)to->at, value, iw_bytes_of(to));
  memcpy((void *)(uintptr_t)to->at, value, iw_bytes_of(to));
  return IW_OK;
}

/* kernel: of a user's operator, or NULL. identity: the init without one. */
static iw_status reduce_with_kernel(iw_context *context, const iw_kernel *kernel, const iw_array arrays[OF_REDUCTION],
                                    const iw_operation *o, iw_init_value identity)
{
  enum { RESULT_BYTES = 64 };
  const size_t size = iw_type_size(o->type), in_size = iw_type_size(o->in_type);
  void *const result = (void *)(uintptr_t)arrays[RESULT].at;
  reduce_job job = { context, kernel, o, in_size, iw_bytes_of(&arrays[IN]), identity, { NULL, NULL }, 0 };
  IW_TRY(iw_resolve_init(context, o->type, &arrays[INIT], &job.init));
  if (iw_bytes_of(&arrays[IN]) == 0 && !job.init.device_ptr)
    return store_empty_result(context, &arrays[RESULT], &job.init.first_out);
  int accessible, in_one_piece;
  IW_TRY(iw_is_accessible(context, &arrays[RESULT], &accessible));
  IW_TRY(iw_is_accessible(context, &arrays[IN], &in_one_piece));
  const int in_place = accessible && job.init.device_ptr != result && (in_one_piece || !iw_is_narrow(o));
  void *scratch = NULL;
  if (!context->device.reads_host_memory && !(in_place && in_one_piece)) /* else arrays may be in scratch themselves */
    IW_TRY(iw_scratch_array(context, "results", 2, RESULT_BYTES, &scratch));
  job.results[0] = in_place ? result : scratch;
  job.results[1] = scratch ? (char *)scratch + RESULT_BYTES : result;
  if (iw_bytes_of(&arrays[IN]))
    IW_TRY(iw_for_each_piece(context, &arrays[IN], IW_SCAN_GROUP * in_size, reduce_piece, &job));
  else
    IW_TRY(reduce_piece(&job, NULL, 0, 0));
  void *const last = job.results[(job.pieces + 1) % 2];
  return last == result ? IW_OK : context->ops->copy(context, result, last, size);
}

/* Lists and checks the arrays of a reduction. */
static inline iw_status list_reduction(const void *in, size_t n, size_t in_size, const void *init, iw_type type, void *result,
                                       iw_array arrays[OF_REDUCTION])
{
  arrays[IN] = (iw_array){ "in", in, n, in_size, IW_READ, NULL };
  arrays[INIT] = iw_init_array(init, type);
  arrays[INIT].access |= IW_READ_FIRST;
  arrays[RESULT] = (iw_array){ "results", result, 1, iw_type_size(type), IW_WRITE | IW_SINGLE, NULL };
  return iw_check_arrays(arrays, OF_REDUCTION);
}

static iw_status builtin_reduce(iw_context *context, iw_builtin_op op, iw_type in_type, const void *in,
                                size_t n, iw_type type, const void *init, void *result)
{
  IW_TRY(iw_check_operation(op, in_type, type));
  iw_array arrays[OF_REDUCTION];
  IW_TRY(list_reduction(in, n, iw_type_size(in_type), init, type, result, arrays));
  IW_TRY(iw_select_context(&context, arrays, OF_REDUCTION));
  const iw_operation o = iw_operation_of(op, in_type, type);
  return reduce_with_kernel(context, NULL, arrays, &o, iw_default_init(op, type));
}

iw_status iw_reduce_part(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result)
{
  iw_builtin_op op;
  (void)iw_is_builtin(spec->op, &op);
  iw_operation o = iw_operation_of(op, spec->in_type, spec->type);
  const iw_array arrays[OF_REDUCTION] = {
    [IN] = { "in", in, n, iw_type_size(spec->in_type), IW_READ, NULL }, [INIT] = iw_init_array(NULL, o.wide),
    [RESULT] = { "result", result, 1, iw_type_size(o.wide), IW_WRITE, NULL },
  };
  IW_TRY(iw_select_context(&context, arrays, OF_REDUCTION));
  o.type = o.wide; /* the result is not rounded to the elements' type */
  return reduce_with_kernel(context, NULL, arrays, &o, iw_default_init(op, o.wide));
}

/* A warp, which has a row elsewhere (reduce_segments/), takes longer than a block for a long row. Many rows
 * fill the device with warps, too. */
int iw_rows_have_blocks(const iw_context *context, const iw_operation *o, size_t rows, size_t columns)
{
  enum { LEAST_COLUMNS = 512, ROWS_OF_PROCESSOR = 4 };
  return context->device.short_calls_wait && o->fold != IW_NO_FOLD && columns > LEAST_COLUMNS && columns <= IW_SCAN_TILE
      && rows <= (size_t)context->device.processors * ROWS_OF_PROCESSOR;
}

iw_status iw_reduce_rows_by_blocks(iw_context *context, const iw_operation *o, const iw_init_value *init, const void *in, size_t rows,
                                   size_t columns, void *results)
{
  const iw_kernel *kernel;
  const iw_init_value value = kernel_form(o, *init);
  IW_TRY(iw_find_kernel(context, IW_K_reduce_short + o->fold, &kernel));
  return context->ops->launch(context, kernel, rows, kernel->block, iw_min(kernel->shared, context->device.shared_per_block), &(iw_scan_args){
    .in = in, .n = rows * columns, .columns = columns, .result = results, .init = value.init, .init_ptr = value.device_ptr,
    .twiddle = o->twiddle, .narrow = iw_is_narrow(o),
  });
}

/* ---- Argmin and argmax ------------------------------------------------------------------------------ */

/* A search piece by piece: the reduction gives the extremum so far, and on GPUs its index; on CPUs a second
 * kernel finds that by the states that the reduction has published (doc/design/scan.md#argmin). */
typedef struct arg_job {
  iw_context *context;
  const iw_operation *operation;
  iw_scalar_bits init; /* of the first piece, as the kernel takes it */
  void *result;
  unsigned search; /* the kernel that finds the element */
  iw_arg_extremum *found;
} arg_job;

static iw_status arg_extremum_piece(void *job, const void *piece, size_t at, size_t bytes)
{
  const arg_job *s = job;
  const size_t size = iw_type_size(s->operation->type), n = bytes / size;
  iw_scan_args reduction = {
    .in = piece, .init = s->init, .init_ptr = at ? &s->found->value : NULL, .result = s->result,
    .twiddle = s->operation->twiddle,
  };
  const int finds = s->context->device.short_calls_wait;
  if (finds) {
    reduction.result = &s->found->value;
    reduction.first_index = &s->found->index;
    reduction.begin = at / size;
  }
  IW_TRY(launch_reduction(s->context, NULL, s->operation, n, &reduction));
  return finds ? IW_OK : iw_launch_by_id(s->context, s->search, 1, 0, &(iw_arg_extremum_args){
    .in = piece, .n = n, .tile_states = reduction.tile_states, .group_states = reduction.group_states,
    .result = s->result, .found = s->found, .piece_begin = at / size, .twiddle = s->operation->twiddle,
  });
}

iw_status iw_find_extremum(iw_context *context, iw_builtin_op op, iw_type type, const void *in, size_t n, size_t *index, void *value)
{
  const size_t size = iw_type_size(type);
  const iw_array arrays[] = {
    { "in", in, n, size, IW_READ, NULL }, { "indices", index, 1, sizeof *index, IW_WRITE | IW_SINGLE, NULL },
    { "values", value, 1, size, IW_WRITE | IW_SINGLE | IW_OPTIONAL, NULL },
  };
  IW_TRY(iw_check_arrays_in_turn(arrays, 2, 3));
  IW_TRY(iw_select_context(&context, arrays, 3));
  if (n == 0) {
    const iw_init_value identity = iw_default_init(op, type);
    IW_TRY(store_empty_result(context, &arrays[1], &n));
    return value ? store_empty_result(context, &arrays[2], &identity.first_out) : IW_OK;
  }
  int is_direct = context->device.short_calls_wait; /* kernels write both results */
  for (unsigned i = 0; i < 3; i++) { /* both results have to be in memory that can be copied to */
    int accessible = 1;
    if (arrays[i].at)
      IW_TRY(iw_is_accessible(context, &arrays[i], &accessible));
    is_direct &= accessible;
  }
  iw_layout layout;
  iw_layout_begin(&layout, context);
  const size_t at_result = iw_layout_add(&layout, "the extremum", 1, sizeof(iw_scalar_bits));
  const size_t at_found = iw_layout_add(&layout, "the extremum and its index", 1, sizeof(iw_arg_extremum));
  void *scratch;
  IW_TRY(iw_scratch(context, &layout, &scratch));
  const iw_operation o = iw_operation_of(op, type, type);
  if (is_direct)
    return launch_reduction(context, NULL, &o, n, &(iw_scan_args){
      .in = in, .init = iw_kernel_init(&o, iw_default_init(op, type).init), .result = value ? value : (char *)scratch + at_result,
      .twiddle = o.twiddle, .narrow = iw_is_narrow(&o), .first_index = (uint64_t *)index,
    });
  arg_job job = {
    context, &o, iw_kernel_init(&o, iw_default_init(op, type).init), (char *)scratch + at_result, IW_K_arg + o.fold,
    (iw_arg_extremum *)(void *)((char *)scratch + at_found),
  };
  IW_TRY(iw_for_each_piece(context, &arrays[0], IW_SCAN_GROUP * size, arg_extremum_piece, &job));
  if (value && iw_is_narrow(&o)) {
    iw_scalar_bits wide = { .u64 = 0 };
    IW_TRY(context->ops->copy(context, &wide, &job.found->value, iw_type_size(o.wide)));
    const iw_scalar_bits narrow = iw_narrow_scalar_bits(type, wide);
    IW_TRY(context->ops->copy(context, value, &narrow, size));
  } else if (value)
    IW_TRY(context->ops->copy(context, value, &job.found->value, size));
  return context->ops->copy(context, index, &job.found->index, sizeof *index);
}

/* ---- Users' operators ------------------------------------------------------------------------------- */

static iw_status operator_scan(iw_context *context, const iw_operator *op, iw_type type, const void *in,
                               void *out, size_t n, const void *init, int exclusive)
{
  const size_t in_size = iw_type_size(op->in_type), size = iw_type_size(type);
  iw_array arrays[] = { { "in", in, n, in_size, IW_READ, NULL },
                        { "out", out, n, size, IW_WRITE | (in_size == size ? IW_IN_PLACE : 0), NULL }, iw_init_array(init, type) };
  IW_TRY(iw_check_arrays_in_turn(arrays, 2, 3));
  iw_init_value value = iw_default_init_by(op);
  IW_TRY(iw_select_context_for_kernel(&context, op->scan, arrays, 3));
  IW_TRY(iw_resolve_init(context, type, &arrays[2], &value));
  IW_TRY(iw_stage_on(context, arrays, 2));
  return iw_unstage(context, arrays, 2,
                    scan_with_kernel(context, op->scan, arrays[0].kernel_ptr, type, arrays[1].kernel_ptr, n,
                                     &value, exclusive));
}

static iw_status operator_reduce(iw_context *context, const iw_operator *op, iw_type type, const void *in,
                                 size_t n, const void *init, void *result)
{
  iw_array arrays[OF_REDUCTION];
  IW_TRY(list_reduction(in, n, iw_type_size(op->in_type), init, type, result, arrays));
  IW_TRY(iw_select_context_for_kernel(&context, op->reduce, arrays, OF_REDUCTION));
  const iw_operation o = { .in_type = op->in_type, .type = type, .wide = type, .fold = IW_NO_FOLD };
  return reduce_with_kernel(context, op->reduce, arrays, &o, iw_default_init_by(op));
}

/* ---- Segments --------------------------------------------------------------------------------------- */

/* How segments are described: an array of flags or keys, and the kernel that makes head bits of it unless
 * the scan does (doc/design/segments.md#scans-by-flags-and-keys); the columns of a matrix; or an array of
 * offsets. */
typedef struct segment_source {
  iw_segments_kind kind;
  iw_kernel_id kernel;
  const char *name; /* of the array in messages */
  const void *at;
  size_t length;    /* of the array */
  size_t size;      /* bytes of one flag, key or offset; 0: the segments are rows */
  size_t columns;   /* of the matrix */
} segment_source;

/* Makes the head bits of n elements in scratch memory, up to the end of the last tile. source_data: the
 * array, staged. */
static iw_status make_heads(iw_context *context, const segment_source *source, iw_type type,
                            const void *source_data, size_t n, const uint32_t **heads)
{
  const size_t chunks = tile_count(n) * (IW_SCAN_TILE / IW_FLAG_BITS_CHUNK);
  void *memory;
  IW_TRY(iw_scratch_array(context, "head bits", chunks, IW_FLAG_BITS_CHUNK / 8, &memory));
  *heads = memory;
  /* As many blocks as the scan will have: OpenMP makes a team anew when its size changes
   * (doc/design/cpu.md#threads). */
  const size_t grid = iw_min(iw_ceil_div(chunks, IW_FLAG_BITS_WARPS), iw_most_blocks(&context->device, n * iw_type_size(type), 1));
  return iw_launch_by_id(context, source->kernel, grid, 0, &(iw_flag_bits_args){
    .in = source_data, .n = n, .chunks = chunks, .bits = memory, .heads = 1,
  });
}

/* A scan of segments: its operation, its init, and its kernels for segments by offsets and for tiles of
 * long ones. */
typedef struct segmented_operation {
  iw_operation of;
  iw_init_value init;
  const iw_kernel *segments, *long_rows;
  int has_row_kernel; /* there is scan_rows too, which is faster for the rows of a matrix */
} segmented_operation;

/* A scan of the rows of a matrix, whose arrays kernels can access. */
typedef struct row_scan {
  const segmented_operation *o;
  const void *in;
  void *out;
  size_t rows, columns;
  iw_scalar_bits init, first_out;
  const void *init_ptr;
  uint32_t exclusive, stream;
} row_scan;

/* Tile by tile. */
static iw_status scan_long_rows(iw_context *context, const row_scan *s)
{
  const iw_operation *const o = &s->o->of;
  return launch_scan(context, s->o->long_rows, o->wide, s->rows * s->columns, &(iw_scan_args){
    .in = s->in, .out = s->out, .init = s->init, .first_out = s->first_out, .init_ptr = s->init_ptr,
    .twiddle = o->twiddle, .exclusive = s->exclusive, .stream = s->stream,
    .narrow = (uint32_t)iw_is_narrow(o), .columns = s->columns,
  });
}

/* Row by row of the matrix, each by one warp, if a row has at most a tile. A short last tile takes as long
 * as a full one, so rows of less than 8 tiles are scanned like this, too, if each warp gets several, unless
 * they are not aligned to 16 bytes: then a GPU scans tiles faster. */
static iw_status scan_rows(iw_context *context, const row_scan *s)
{
  /* Elements that a warp takes at a time: at most those of 4 tiles, and no more than give each warp four
   * batches. */
  enum { MOST = 4 * IW_SCAN_TILE, BATCHES = 4, ROW = IW_SCAN_TILE / IW_SCAN_ROWS, LEVELS = 7 };
  const iw_operation *const o = &s->o->of;
  const size_t n = s->rows * s->columns, size = iw_type_size(o->type);
  const unsigned id = IW_K_scan_rows + o->fold;
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, id, &kernel));
  const size_t wave = iw_blocks_per_wave(context, id), warps = wave * (kernel->block / 32);
  const int many = s->columns < 8 * IW_SCAN_TILE && s->rows >= 8 * warps && size >= 4 && s->columns * size % 16 == 0;
  if (s->columns > IW_SCAN_TILE && !many)
    return scan_long_rows(context, s);
  uint32_t levels = 0;
  while (levels < LEVELS && (size_t)1 << levels < s->columns)
    levels++;
  const size_t together = ROW >> levels; /* rows of the matrix that share a row of order 1 */
  const size_t elements = iw_min(MOST, n / (warps * BATCHES));
  const size_t batch = iw_max(elements / s->columns / together, 1) * together;
  const size_t most_blocks = iw_max(n * size / context->device.min_bytes_per_block, 1);
  const size_t blocks = iw_ceil_div(iw_ceil_div(s->rows, batch), kernel->block / 32);
  return iw_launch_by_id(context, id, iw_min(iw_min(blocks, most_blocks), wave), 0, &(iw_scan_rows_args){
    .in = s->in, .out = s->out, .rows = s->rows, .columns = s->columns, .batch = batch, .init = s->init,
    .first_out = s->first_out, .init_ptr = s->init_ptr, .twiddle = o->twiddle, .levels = levels,
    .exclusive = s->exclusive, .stream = s->stream,
  });
}

/* Tile by tile, the segments that args has listed. */
static iw_status scan_listed(iw_context *context, const segmented_operation *o, const iw_scan_rows_args *args)
{
  return launch_scan(context, o->long_rows, o->of.wide, args->n, &(iw_scan_args){
    .in = args->in, .out = args->out, .tiles = args->tile_capacity, .init = args->init, .first_out = args->first_out,
    .init_ptr = args->init_ptr, .twiddle = args->twiddle, .exclusive = args->exclusive, .stream = args->stream,
    .narrow = (uint32_t)iw_is_narrow(&o->of), .places = args->places, .listed = args->listed,
  });
}

/* Segment by segment, each by one warp, which lists the long ones: those of more than a tile, or if each
 * warp gets several of 8 tiles, of more than that. args has the arrays, rows, n and what to compute.
 * Without offsets segments are rows of a matrix of at most a tile. */
static iw_status scan_by_offsets(iw_context *context, const segmented_operation *o, iw_scan_rows_args *args)
{
  enum { MOST = 4 * IW_SCAN_TILE, BATCHES = 4, LONG = 8 * IW_SCAN_TILE, OF_SEGMENT = 8 }; /* elements that take as long */
  const size_t n = args->n, count = args->rows, size = iw_type_size(o->of.type), mean = n / count + OF_SEGMENT;
  const iw_kernel *const kernel = o->segments;
  iw_layout layout;
  void *scratch;
  const size_t wave = (size_t)context->device.processors * kernel->blocks_per_processor;
  const size_t in_block = kernel->block / 32, warps = wave * in_block;
  const size_t batch = iw_max(iw_min(MOST, mean * (count / (warps * BATCHES))) / mean, 1);
  args->batch = batch < 32 ? batch : batch / 32 * 32;
  args->longest = n / warps >= 8 * (size_t)LONG ? LONG : IW_SCAN_TILE;
  args->tile_capacity = args->offsets && n > args->longest ? tile_count(n) + iw_min(count, n / args->longest) : 0;
  iw_layout_begin(&layout, context);
  const size_t listed_at = iw_layout_add(&layout, "the number of listed tiles", 1, sizeof(uint64_t));
  const size_t places_at = iw_layout_add(&layout, "places of tiles", iw_max(args->tile_capacity, 1), 3 * sizeof(uint64_t));
  IW_TRY(iw_scratch(context, &layout, &scratch));
  args->listed = (uint64_t *)(void *)((char *)scratch + listed_at);
  args->places = (uint64_t *)(void *)((char *)scratch + places_at);
  IW_TRY(context->ops->zero(context, args->listed, sizeof *args->listed));
  const size_t most_blocks = iw_max(n * size / context->device.min_bytes_per_block, 1);
  const size_t blocks = iw_ceil_div(iw_ceil_div(count, args->batch), in_block);
  IW_TRY(context->ops->launch(context, kernel, iw_min(iw_min(blocks, most_blocks), wave), kernel->block, kernel->shared, args));
  if (!args->tile_capacity || (context->device.reads_host_memory && !*args->listed))
    return IW_OK;
  return scan_listed(context, o, args);
}

/* arrays: in, out and the source's array, staged. */
static iw_status segmented_scan(iw_context *context, const segmented_operation *segmented, const iw_array arrays[3],
                                const segment_source *source, size_t n, int exclusive)
{
  const iw_operation *const o = &segmented->of;
  const iw_init_value *const init = &segmented->init;
  const int by_rows = source->kind == IW_SEGMENTS_ROWS, by_offsets = source->kind == IW_SEGMENTS_OFFSETS;
  if (n == 0 || (by_offsets && source->length == 0))
    return IW_OK;
  const uint32_t stream = n * iw_type_size(o->type) >= STREAM_BYTES;
  const row_scan rows = {
    .o = segmented, .in = arrays[0].kernel_ptr, .out = arrays[1].kernel_ptr, .rows = n / iw_max(source->columns, 1),
    .columns = source->columns, .init = iw_kernel_init(o, init->init), .first_out = iw_kernel_init(o, init->first_out),
    .init_ptr = init->device_ptr, .exclusive = (uint32_t)exclusive, .stream = stream,
  };
  if (by_rows && segmented->has_row_kernel)
    return scan_rows(context, &rows);
  if (by_rows && rows.columns > IW_SCAN_TILE)
    return scan_long_rows(context, &rows);
  if (by_rows || by_offsets)
    return scan_by_offsets(context, segmented, &(iw_scan_rows_args){
      .in = rows.in, .out = rows.out, .rows = by_offsets ? source->length - 1 : rows.rows, .columns = rows.columns, .n = n,
      .init = rows.init, .first_out = rows.first_out, .init_ptr = rows.init_ptr, .twiddle = o->twiddle,
      .exclusive = rows.exclusive, .stream = stream, .offsets = by_offsets ? arrays[2].kernel_ptr : NULL,
      .wide_offsets = source->size == sizeof(uint64_t),
    });
  const iw_kernel *kernel;
  iw_scan_args args = {
    .in = rows.in, .out = rows.out, .init = rows.init, .first_out = rows.first_out, .twiddle = o->twiddle,
    .exclusive = rows.exclusive, .stream = stream, .narrow = (uint32_t)iw_is_narrow(o),
    .waits = (uint32_t)is_short(context, rows.in, rows.out, n),
  };
  IW_TRY(iw_find_kernel(context, (args.waits ? IW_K_segmented_short : IW_K_segmented) + o->fold, &kernel));
  if (context->device.scan_pipelines) {
    args.keys = arrays[2].kernel_ptr;
    args.key_bytes = source->kind == IW_SEGMENTS_KEYS ? source->size : 0;
  } else
    IW_TRY(make_heads(context, source, o->wide, arrays[2].kernel_ptr, n, &args.heads));
  return launch_scan(context, kernel, o->wide, n, &args);
}

/* Checks a description of the segments of n elements, and finds the kernel for it. */
static iw_status segment_source_of(const iw_segments *segments, size_t n, segment_source *source)
{
  IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
  const iw_type key_type = segments->key_type;
  static const iw_kernel_id heads[] = { [1] = IW_K_heads_keys_8, [2] = IW_K_heads_keys_16, [4] = IW_K_heads_keys_32,
                                        [8] = IW_K_heads_keys_64 };
  switch (segments->kind) {
  case IW_SEGMENTS_FLAGS:
    *source = (segment_source){
      .kind = IW_SEGMENTS_FLAGS, .kernel = IW_K_pack_flags, .name = "segments->flags", .at = segments->flags, .length = n, .size = 1,
    };
    return IW_OK;
  case IW_SEGMENTS_KEYS:
    IW_TRY(iw_check_named_type("segments->key_type", key_type, IW_ALL_TYPES));
    *source = (segment_source){
      .kind = IW_SEGMENTS_KEYS, .kernel = heads[iw_type_size(key_type)], .name = "segments->keys", .at = segments->keys, .length = n,
      .size = iw_type_size(key_type),
    };
    return IW_OK;
  case IW_SEGMENTS_ROWS:
    if (segments->columns ? n % segments->columns : n)
      return iw_fail(IW_ERROR_INVALID,
                     "n is %zu, which is not a multiple of segments->columns, which is %zu", n,
                     segments->columns);
    *source = (segment_source){ .kind = IW_SEGMENTS_ROWS, .columns = segments->columns };
    return IW_OK;
  case IW_SEGMENTS_OFFSETS:
    IW_TRY(iw_check_offsets_array(segments));
    *source = (segment_source){
      .kind = IW_SEGMENTS_OFFSETS, .name = "segments->offsets", .at = segments->count ? segments->offsets : NULL,
      .length = segments->count ? segments->count + 1 : 0, .size = iw_type_size(segments->offset_type),
    };
    return IW_OK;
  case IW_SEGMENTS_COLUMNS:
    return iw_fail(IW_ERROR_INVALID,
                   "segments->kind is IW_SEGMENTS_COLUMNS, but scans have segments by flags, keys, rows and offsets");
  }
  return iw_fail_enum("segments->kind", (int)segments->kind, "iw_segments_kind", IW_SEGMENTS_COLUMNS);
}

/* Whether each of n elements is in a segment; offsets are in host memory. */
static int covers_all(const iw_segments *segments, size_t n)
{
  const uint32_t *const narrow = segments->offsets;
  const uint64_t *const wide = segments->offsets;
  const size_t count = segments->count;
  if (!count)
    return n == 0;
  return segments->offset_type == IW_U32 ? narrow[0] == 0 && narrow[count] == n : wide[0] == 0 && wide[count] == n;
}

/* Checks that a user's operator can scan segments. */
static iw_status check_user_operator(const iw_operator *op)
{
  const iw_kernel *const segments[] = { op->scan_segments }, *const long_rows[] = { op->scan_long_rows };
  if (!op->scan_segments || !op->scan_long_rows)
    return iw_fail(IW_ERROR_INVALID, "op is operator %s, which cannot scan segments: define IW_SCAN_SEGMENTS where "
                   "<isowarp/make_operator.h> makes it", op->name);
  IW_TRY(iw_check_operator_kernels(op, segments, 1, sizeof(iw_scan_rows_args), "scans of segments"));
  return iw_check_operator_kernels(op, long_rows, 1, sizeof(iw_scan_args), "scans");
}

/* Checks what a scan of segments of this kind combines. */
static iw_status check_segmented_operation(const iw_scan_spec *spec, iw_segments_kind kind)
{
  iw_builtin_op op;
  if (kind == IW_SEGMENTS_FLAGS || kind == IW_SEGMENTS_KEYS)
    IW_TRY(iw_check_operator_of_scanned_heads(spec->op, &op));
  if (!iw_is_builtin(spec->op, &op))
    return check_user_operator(spec->op);
  IW_TRY(iw_check_type(spec->in_type, IW_SCANNED_TYPES));
  IW_TRY(iw_check_named_type("options->out_type", spec->type, IW_SCANNED_TYPES));
  if (spec->in_type != spec->type)
    return iw_fail(IW_ERROR_INVALID, "type is %s and options->out_type %s, but built-in scans of segments have one type",
                   iw_type_name(spec->in_type), iw_type_name(spec->type));
  return iw_check_operation(op, spec->type, spec->type);
}

/* Selects the context of a call and its operation. */
static iw_status select_segmented_operation(iw_context **context, const iw_scan_spec *spec, const iw_array *arrays,
                                            unsigned count, segmented_operation *o)
{
  iw_builtin_op op;
  if (!iw_is_builtin(spec->op, &op)) {
    const iw_operator *const user = spec->op;
    *o = (segmented_operation){
      { .in_type = spec->in_type, .type = spec->type, .wide = spec->type, .fold = IW_NO_FOLD }, iw_default_init_by(user),
      user->scan_segments, user->scan_long_rows, 0,
    };
    return iw_select_context_for_kernel(context, user->scan_segments, arrays, count);
  }
  IW_TRY(iw_select_context(context, arrays, count));
  o->of = iw_operation_of(op, spec->type, spec->type);
  o->init = iw_default_init(op, spec->type);
  o->has_row_kernel = op <= IW_BUILTIN_MAX;
  IW_TRY(iw_find_kernel(*context, IW_K_scan_segments + o->of.fold, &o->segments));
  return iw_find_kernel(*context, IW_K_scan_long_rows + o->of.fold, &o->long_rows);
}

/* Scans segments by a checked spec. */
static iw_status scan_segments(iw_context *context, const iw_scan_spec *spec, const void *in, void *out, size_t n)
{
  const iw_segments *const segments = spec->segments;
  const void *const init = spec->init;
  segment_source description = { .size = 0 }, *const source = &description;
  IW_TRY(segment_source_of(segments, n, source));
  IW_TRY(check_segmented_operation(spec, source->kind));
  const size_t in_size = iw_type_size(spec->in_type), size = iw_type_size(spec->type);
  const unsigned count = source->size ? 3 : 2;
  iw_array arrays[] = {
    { "in", in, n, in_size, IW_READ, NULL }, { "out", out, n, size, IW_WRITE | (in_size == size ? IW_IN_PLACE : 0), NULL },
    { source->name, source->at, source->length, source->size, IW_READ, NULL }, iw_init_array(init, spec->type),
  };
  IW_TRY(iw_check_arrays_in_turn(arrays, 2, 4));
  segmented_operation o;
  IW_TRY(select_segmented_operation(&context, spec, arrays, 4, &o));
  if (source->kind == IW_SEGMENTS_OFFSETS) {
    int on_device;
    IW_TRY(iw_is_on_device(context, &arrays[2], &on_device));
    if (!on_device && source->length)
      IW_TRY(iw_check_offsets(segments, n));
    if (on_device || !covers_all(segments, n)) /* elements that are in no segment stay as they are */
      arrays[1].access |= IW_READ;
  }
  IW_TRY(iw_resolve_init(context, spec->type, &arrays[3], &o.init));
  if (o.init.device_ptr && source->kind <= IW_SEGMENTS_KEYS) { /* segmented kernels need init in every row, so they take it by value */
    iw_scalar_bits host_init;
    IW_TRY(context->ops->copy(context, &host_init, o.init.device_ptr, size));
    o.init.init = o.init.first_out = iw_load_scalar_bits(spec->type, &host_init);
  }
  IW_TRY(iw_stage_on(context, arrays, count));
  return iw_unstage(context, arrays, count, segmented_scan(context, &o, arrays, source, n, spec->exclusive != 0));
}

/* ---- Calls ------------------------------------------------------------------------------------------ */

iw_status iw_scan_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *out)
{
  iw_builtin_op builtin;
  if (spec->segments)
    return scan_segments(context, spec, in, out, n);
  return iw_is_builtin(spec->op, &builtin)
    ? builtin_scan(context, builtin, spec->in_type, in, spec->type, out, n, spec->init, spec->exclusive)
    : operator_scan(context, spec->op, spec->type, in, out, n, spec->init, spec->exclusive);
}

static inline iw_status scan_call(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *out,
                                  const iw_scan_options *options, int exclusive)
{
  iw_scan_spec spec;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_make_scan_spec(op, type, exclusive, options, &spec));
  IW_TRY(iw_check_no_runs(options, "scans"));
  return iw_scan_by_spec(context, &spec, in, n, out);
}

iw_status iw_inclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *out,
                            const iw_scan_options *options)
{
  return scan_call(context, op, type, in, n, out, options, 0);
}

iw_status iw_exclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *out,
                            const iw_scan_options *options)
{
  return scan_call(context, op, type, in, n, out, options, 1);
}

/* A scan of rows of one element, with the init 0. A sum changes -0 and NaNs only, whose result is the
 * canonical NaN; OR with 0 changes no integer. */
iw_status iw_keys_by_value(iw_context *context, iw_type type, const void *in, size_t n, void *out)
{
  const iw_scalar_bits zero = { 0 };
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  const iw_op op = iw_is_one_of(type, IW_FLOAT_TYPES) ? IW_SUM : IW_OR;
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 1 };
  const iw_scan_spec spec = { .op = op, .in_type = type, .type = type, .init = &zero, .segments = &rows };
  return iw_scan_by_spec(context, &spec, in, n, out);
}

iw_status iw_reduce_array(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result)
{
  iw_builtin_op builtin;
  return iw_is_builtin(spec->op, &builtin)
    ? builtin_reduce(context, builtin, spec->in_type, in, n, spec->type, spec->init, result)
    : operator_reduce(context, spec->op, spec->type, in, n, spec->init, result);
}

iw_status iw_reduce_by_op(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *result)
{
  const iw_scan_spec spec = { .op = op, .in_type = type, .type = type };
  return iw_reduce_array(context, &spec, in, n, result);
}
