/* SPDX-License-Identifier: Apache-2.0
 *
 * N-D and weighted histograms, host side: pairs, rows of a matrix, channels, weights. All compute bin
 * indices a chunk at a time (bin_indices.h), so that a chunk stays in a cache, and then count them or add
 * weights by them. Algorithm layer; what a device can do is read from context->device.
 */
#include "algorithms/common/exact_number.h"
#include "algorithms/exact_sum/exact_sum.h"
#include "algorithms/histogram/histogram.h"
#include "algorithms/histogram/weighted_sums.h"
#include "algorithms/scan/scan.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/histograms.h>

/* A switch over iw_type lists all types, so that it does not compile when a new one is missing. */
#pragma GCC diagnostic error "-Wswitch"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tuning. None of these numbers can change a result. */
enum {
  CHUNK_PER_CORE = 1 << 18,       /* bin indices of a chunk for each core of a CPU: they stay in its cache */
  CHUNK_GPU = 1 << 23,            /* bin indices of a chunk on a GPU: enough that launches cost little */
  /* bytes of all blocks' private sums; if they need more, blocks use atomics */
  MAX_COPIES_BYTES = 32 << 20,
  /* columns from which each row of a matrix is a histogram call of its own */
  MIN_LONG_ROW = 1 << 16,
  MIN_WEIGHTS_PER_BLOCK = 1 << 14 /* grain size: weights of a block, at least */
};

static size_t chunk_size(const iw_context *context)
{
  return context->device.prefers_global_atomics ? CHUNK_GPU
      : CHUNK_PER_CORE * iw_min(context->device.processors, 16);
}

static iw_axis axis_of(const iw_histogram_plan *plan)
{
  return (iw_axis){ (uint32_t)plan->spec.bins, (uint32_t)plan->spec.policy, (uint32_t)iw_outputs(&plan->spec) };
}

/* Element i of an array, which may be NULL if it has none. */
static const void *element(iw_type type, const void *array, size_t i)
{
  return array ? (const char *)array + i * iw_type_size(type) : NULL;
}

/* Computes the bin indices of n samples. Outliers have indices of their own, whatever the policy. */
static iw_status find_bin_indices(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                  size_t n, uint32_t *bin_indices)
{
  iw_binning binning;
  IW_TRY(iw_binning_upload(context, plan, NULL, &binning));
  binning.clamp = 0;
  return iw_compute_bin_indices(context, plan->type, &binning, samples, n, bin_indices, sizeof *bin_indices,
                                UINT32_MAX, NULL);
}

/* ---- Counting raveled bin indices ---- */

/* The counters of one call and its scratch. bin_indices and other: one chunk; memory: scratch of the
 * histograms inside. */
typedef struct nd_counters {
  iw_context *context;
  size_t total, chunk;
  uint64_t *counts;
  uint32_t *bin_indices;
  void *other, *memory;
} nd_counters;

static iw_status nd_begin(nd_counters *j, iw_context *context, size_t total, size_t most, size_t other,
                          size_t memory)
{
  iw_layout layout;
  void *scratch;
  if (total > IW_MAX_TABLE)
    return iw_fail(IW_ERROR_INVALID, "%zu counters would be counted together: at most %d can be", total,
                   (int)IW_MAX_TABLE);
  *j = (nd_counters){ .context = context, .total = total,
      .chunk = iw_max(1, iw_min(most, chunk_size(context))) };
  iw_layout_begin(&layout, context);
  const size_t at_counts = iw_layout_add(&layout, "counts", total, sizeof(uint64_t));
  const size_t at_bin_indices = iw_layout_add(&layout, "bin indices", j->chunk, sizeof(uint32_t));
  const size_t at_other = iw_layout_add(&layout, "a chunk", j->chunk, other);
  if (!memory) /* the last chunk is shorter and may take another schedule */
    memory = iw_max(iw_count_bin_indices_scratch_bytes(context, j->chunk, total),
                    iw_count_bin_indices_scratch_bytes(context, most % j->chunk, total));
  const size_t at_memory = iw_layout_add(&layout, "scratch of histograms", memory, 1);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  j->counts = (uint64_t *)(void *)(base + at_counts);
  j->bin_indices = (uint32_t *)(void *)(base + at_bin_indices);
  j->other = base + at_other;
  j->memory = base + at_memory;
  return iw_clear(context, j->counts, total);
}

/* Ravels the bin indices of rows in j->bin_indices with the rows' own indices, and counts the result. */
static iw_status nd_ravel_and_count_rows(const nd_counters *j, size_t rows, size_t columns,
                                         const iw_histogram_plan *plan)
{
  const size_t parts = iw_ceil_div(columns, IW_RAVEL_BLOCK_COLUMNS);
  IW_TRY(iw_launch_by_id(j->context, IW_K_ravel_bins, rows * parts, 256, &(iw_ravel_args){
    .x = j->bin_indices, .out = j->bin_indices, .columns = columns, .parts = parts,
    .row_outputs = (uint32_t)iw_outputs(&plan->spec), .none = (uint32_t)j->total, .x_axis = axis_of(plan),
    .y_axis = { 0, 0, 1 },
  }));
  return iw_count_bin_indices(j->context, j->bin_indices, rows * columns, j->total, j->memory, j->counts);
}

/* Writes `outputs` counters from `base` on to the caller's, by the plan's flags. */
static iw_status nd_write_counts(const nd_counters *j, size_t base, size_t outputs,
                                 const iw_histogram_plan *plan, void *out)
{
  const unsigned flags = plan->spec.flags;
  return iw_launch_by_id(j->context, IW_K_histogram_write_counts, iw_ceil_div(outputs, 256), 256,
                         &(iw_write_counts_args){
    .counts = j->counts + base, .bins = (uint32_t)outputs, .entries = (uint32_t)outputs,
    .outputs = (uint32_t)outputs, .accumulate = (flags & IW_HIST_ACCUMULATE) != 0,
    .counters_32 = (flags & IW_HIST_COUNTERS_32) != 0, .out = out,
  });
}

/* ---- Several dimensions ---- */

/* The checked axes of a call. Samples are in memory that kernels can access once `samples` of an axis is staged.
 * total: counters of the table. */
typedef struct nd_axes { iw_histogram_axis of[IW_MAX_HISTOGRAM_AXES]; unsigned dimensions; size_t total; } nd_axes;

/* The names of an axis and of its members, for messages. */
typedef struct axis_names { const char *axis, *size, *plan, *type, *samples; } axis_names;
#define NAMES_OF(axis, member) { axis, member "size", member "plan", member "type", member "samples" }
static const axis_names list_names[IW_MAX_HISTOGRAM_AXES] = {
  NAMES_OF("axes", "axes[0]."), NAMES_OF("axes", "axes[1]."), NAMES_OF("axes", "axes[2]."), NAMES_OF("axes", "axes[3]."),
};
static const axis_names pair_names[] = { NAMES_OF("x", "x->"), NAMES_OF("y", "y->") };
#undef NAMES_OF

/* Computes the index in the table of samples at … at + n - 1: ravels bin indices axis by axis. Samples that are
 * not counted get `total`. other: room for as many indices; NULL for one axis. */
static iw_status find_table_indices(iw_context *context, const nd_axes *axes, size_t at, size_t n,
                                    uint32_t *indices, uint32_t *other)
{
  const iw_histogram_axis *const first = &axes->of[0];
  iw_axis before = axis_of(first->plan);
  IW_TRY(find_bin_indices(context, first->plan, element(first->type, first->samples, at), n, indices));
  for (unsigned d = 1; d < axes->dimensions || d == 1; d++) {
    const iw_histogram_axis *const axis = d < axes->dimensions ? &axes->of[d] : NULL;
    const iw_axis y = axis ? axis_of(axis->plan) : (iw_axis){ 0, 0, 1 };
    const uint32_t cells = before.outputs * y.outputs;
    if (axis)
      IW_TRY(find_bin_indices(context, axis->plan, element(axis->type, axis->samples, at), n, other));
    IW_TRY(iw_launch_by_id(context, IW_K_ravel_bins, iw_ceil_div(n, IW_RAVEL_BLOCK_COLUMNS), 256, &(iw_ravel_args){
      .x = indices, .y = axis ? other : NULL, .out = indices, .columns = n,
      .parts = iw_ceil_div(n, IW_RAVEL_BLOCK_COLUMNS), .none = cells, .x_axis = before, .y_axis = y,
    }));
    before = (iw_axis){ cells, IW_POLICY_DROP, cells };
  }
  return IW_OK;
}

static iw_status count_axes(iw_context *context, const nd_axes *axes, size_t n, void *counts)
{
  nd_counters j;
  IW_TRY(nd_begin(&j, context, axes->total, n, axes->dimensions > 1 ? sizeof(uint32_t) : 0, 0));
  for (size_t at = 0; at < n; at += j.chunk) {
    const size_t here = iw_min(n - at, j.chunk);
    IW_TRY(find_table_indices(context, axes, at, here, j.bin_indices, j.other));
    IW_TRY(iw_count_bin_indices(context, j.bin_indices, here, j.total, j.memory, j.counts));
  }
  return nd_write_counts(&j, 0, axes->total, axes->of[0].plan, counts);
}

/* Copies axis d of a call after its checks. */
static iw_status copy_axis(nd_axes *axes, unsigned d, const axis_names *name, const iw_histogram_axis *axis, size_t n)
{
  IW_TRY(iw_check_struct(name->size, axis, "iw_histogram_axis", sizeof *axis));
  IW_TRY(iw_check_plan(name->plan, axis->plan, name->type, axis->type));
  IW_TRY(iw_check_array(name->samples, axis->samples, n, iw_type_size(axis->type)));
  memcpy(&axes->of[d], axis, sizeof *axis); /* not what a later version has behind it */
  return IW_OK;
}

/* Checks a list of axes, whose elements have axes[0].size bytes. */
static iw_status copy_axes(nd_axes *to, const iw_histogram_axis *axes, unsigned dimensions, size_t n)
{
  IW_TRY(iw_check_pointer("axes", axes));
  if (dimensions < 1 || dimensions > IW_MAX_HISTOGRAM_AXES)
    return iw_fail(IW_ERROR_INVALID, "dimensions is %u; valid are 1 to %d", dimensions, (int)IW_MAX_HISTOGRAM_AXES);
  const size_t size = axes->size;
  to->dimensions = dimensions;
  for (unsigned d = 0; d < dimensions; d++) {
    const iw_histogram_axis *const axis = (const void *)((const char *)axes + d * size);
    IW_TRY(copy_axis(to, d, &list_names[d], axis, n));
    if (axis->size != size)
      return iw_fail(IW_ERROR_INVALID, "axes[%u].size is %zu, but axes[0].size is %zu: all have to be equal", d,
                     axis->size, size);
  }
  return IW_OK;
}

/* What has to hold of all axes together, and the number of counters. */
static iw_status check_table(nd_axes *axes, const axis_names *names)
{
  enum { SHARED = IW_HIST_ACCUMULATE | IW_HIST_COUNTERS_32 };
  const unsigned flags = axes->of[0].plan->spec.flags & SHARED;
  axes->total = 1;
  for (unsigned d = 0; d < axes->dimensions; d++) {
    const iw_histogram_spec *const spec = &axes->of[d].plan->spec;
    const size_t outputs = iw_outputs(spec);
    if ((spec->flags & SHARED) != flags)
      return iw_fail(IW_ERROR_INVALID, "%s and %s disagree about the counters: flags 0x%x and 0x%x of "
                     "IW_HIST_ACCUMULATE and IW_HIST_COUNTERS_32", names[0].plan, names[d].plan, flags,
                     spec->flags & SHARED);
    if (axes->total > IW_MAX_TABLE / outputs)
      return iw_fail(IW_ERROR_INVALID, "%s has %zu counters, times %zu of the axes before: at most %d can be "
                     "counted together", names[d].plan, outputs, axes->total, (int)IW_MAX_TABLE);
    axes->total *= outputs;
  }
  return IW_OK;
}

/* Lists the axes' samples. */
static void list_samples(const nd_axes *axes, const axis_names *names, size_t n, iw_array *arrays)
{
  for (unsigned d = 0; d < axes->dimensions; d++)
    arrays[d] = (iw_array){ names[d].samples, axes->of[d].samples, n * iw_type_size(axes->of[d].type), IW_READ, NULL };
}

static void take_staged_samples(nd_axes *axes, const iw_array *arrays)
{
  for (unsigned d = 0; d < axes->dimensions; d++)
    axes->of[d].samples = arrays[d].kernel_ptr;
}

/* Counts checked axes. */
static iw_status histogram_nd(iw_context *context, nd_axes *axes, const axis_names *names, size_t n, void *counts)
{
  iw_array arrays[IW_MAX_HISTOGRAM_AXES + 1];
  const iw_histogram_plan *const plan = axes->of[0].plan;
  IW_TRY(check_table(axes, names));
  list_samples(axes, names, n, arrays);
  arrays[axes->dimensions] = iw_counters("counts", &plan->spec, counts, axes->total);
  for (unsigned d = 0; d < axes->dimensions; d++)
    IW_TRY(iw_check_counters(&plan->spec, &arrays[axes->dimensions], &arrays[d], "n", n));
  IW_TRY(iw_stage(&context, arrays, axes->dimensions + 1));
  take_staged_samples(axes, arrays);
  return iw_unstage(context, arrays, axes->dimensions + 1,
                    count_axes(context, axes, n, arrays[axes->dimensions].kernel_ptr));
}

iw_status iw_histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions, size_t n,
                          void *counts)
{
  nd_axes own;
  IW_TRY(iw_check_context(context));
  IW_TRY(copy_axes(&own, axes, dimensions, n));
  return histogram_nd(context, &own, list_names, n, counts);
}

iw_status iw_histogram_pairs(iw_context *context, const iw_histogram_axis *x_axis,
                             const iw_histogram_axis *y_axis, size_t n, void *counts)
{
  nd_axes own = { .dimensions = 2 };
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer(pair_names[0].axis, x_axis));
  IW_TRY(copy_axis(&own, 0, &pair_names[0], x_axis, n));
  IW_TRY(iw_check_pointer(pair_names[1].axis, y_axis));
  IW_TRY(copy_axis(&own, 1, &pair_names[1], y_axis, n));
  return histogram_nd(context, &own, pair_names, n, counts);
}

/* ---- Rows of a matrix ---- */

/* Counts `rows` rows in one table, a chunk of columns at a time; only a single row may have more than a chunk. */
static iw_status count_rows_together(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                     size_t rows, size_t columns, void *counts)
{
  nd_counters j;
  const size_t outputs = iw_outputs(&plan->spec), piece = iw_min(columns, chunk_size(context));
  IW_TRY(nd_begin(&j, context, rows * outputs, rows * piece, 0, 0));
  for (size_t at = 0; at < columns; at += piece) {
    const size_t here = iw_min(piece, columns - at);
    IW_TRY(find_bin_indices(context, plan, element(plan->type, samples, at), rows * here, j.bin_indices));
    IW_TRY(nd_ravel_and_count_rows(&j, rows, here, plan));
  }
  return nd_write_counts(&j, 0, rows * outputs, plan, counts);
}

static iw_status count_matrix(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t rows,
                              size_t columns, void *counts)
{
  const size_t outputs = iw_outputs(&plan->spec), row_bytes = outputs * iw_counter_size(&plan->spec);
  const size_t chunk = chunk_size(context);
  const int long_rows = columns >= MIN_LONG_ROW;
  /* Rows counted together: at least one, else as many as fit in a chunk with their samples and with their
   * counters. */
  const size_t together = long_rows ? 1 : iw_max(1, iw_min(chunk / iw_max(columns, 1), chunk / outputs));
  for (size_t row = 0; row < rows; row += together) {
    const void *const from = element(plan->type, samples, row * columns);
    char *const to = (char *)counts + row * row_bytes;
    if (long_rows)
      IW_TRY(iw_histogram_run_plan(context, plan, from, columns, to));
    else
      IW_TRY(count_rows_together(context, plan, from, iw_min(together, rows - row), columns, to));
  }
  return IW_OK;
}

iw_status iw_histogram_rows(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *samples,
                            size_t rows, size_t columns, void *counts)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_plan("plan", plan, "type", type));
  IW_TRY(iw_check_matrix(type, samples, rows, columns));
  IW_TRY(iw_check_row_counters(&plan->spec, rows));
  iw_array arrays[] = {
    { "samples", samples, rows * columns * iw_type_size(type), IW_READ, NULL },
    iw_counters("counts", &plan->spec, counts, rows * iw_outputs(&plan->spec)),
  };
  IW_TRY(iw_check_counters(&plan->spec, &arrays[1], &arrays[0], "columns", columns));
  IW_TRY(iw_stage(&context, arrays, 2));
  return iw_unstage(context, arrays, 2,
                    count_matrix(context, plan, arrays[0].kernel_ptr, rows, columns, arrays[1].kernel_ptr));
}

/* ---- Channels ---- */

enum { MAX_CHANNELS = 23 };
_Static_assert((int)MAX_CHANNELS < (int)IW_MAX_ARRAYS, "a call can stage them all");

static iw_status count_channels(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels,
                                iw_type type, const void *samples, size_t n, const iw_array *counts)
{
  static const iw_kernel_id deinterleave[] = {
    [1] = IW_K_deinterleave_u8, [2] = IW_K_deinterleave_u16, [4] = IW_K_deinterleave_u32,
    [8] = IW_K_deinterleave_u64,
  };
  const size_t size = iw_type_size(type);
  const size_t chunk = iw_max(1, iw_min(n, chunk_size(context)));
  size_t total = 0, memory = 1;
  nd_counters j;
  for (unsigned c = 0; c < channels; c++)
    if (plans[c]) {
      total += iw_outputs(&plans[c]->spec);
      memory = iw_max(memory,
                      iw_max(iw_histogram_accumulate_scratch_bytes(context, plans[c], chunk),
                             iw_histogram_accumulate_scratch_bytes(context, plans[c], n % chunk)));
    }
  IW_TRY(nd_begin(&j, context, total, n, size * channels, memory));
  for (size_t at = 0; at < n; at += j.chunk) {
    const size_t here = iw_min(n - at, j.chunk);
    IW_TRY(iw_launch_by_id(context, deinterleave[size], iw_ceil_div(here, 8192), 256,
                           &(iw_deinterleave_args){
      .in = element(type, samples, at * channels), .out = j.other, .n = here, .channels = channels,
    }));
    for (size_t c = 0, base = 0; c < channels; c++)
      if (plans[c]) {
        IW_TRY(iw_histogram_accumulate(context, plans[c], element(type, j.other, c * here), here, j.memory,
                                       j.counts + base));
        base += iw_outputs(&plans[c]->spec);
      }
  }
  for (size_t c = 0, base = 0; c < channels; c++)
    if (plans[c]) {
      IW_TRY(nd_write_counts(&j, base, iw_outputs(&plans[c]->spec), plans[c], counts[c].kernel_ptr));
      base += iw_outputs(&plans[c]->spec);
    }
  return IW_OK;
}

iw_status iw_histogram_channels(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels,
                                iw_type type, const void *samples, size_t n, void *const *counts)
{
#define NAMES(array) array "[0]", array "[1]", array "[2]", array "[3]", array "[4]", array "[5]", array "[6]", \
  array "[7]", array "[8]", array "[9]", array "[10]", array "[11]", array "[12]", array "[13]", array "[14]", \
  array "[15]", array "[16]", array "[17]", array "[18]", array "[19]", array "[20]", array "[21]", array "[22]"
  static const char *const names[MAX_CHANNELS] = { NAMES("counts") };
  static const char *const plan_names[MAX_CHANNELS] = { NAMES("plans") };
#undef NAMES
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_pointer("plans", plans));
  IW_TRY(iw_check_pointer("counts", counts));
  if (channels < 1 || channels > MAX_CHANNELS)
    return iw_fail(IW_ERROR_INVALID, "channels is %u; valid are 1 to %d", channels, MAX_CHANNELS);
  const size_t size = iw_type_size(type);
  if (n > PTRDIFF_MAX / channels)
    return iw_fail(IW_ERROR_INVALID, "samples cannot have n = %zu times channels = %u elements: at most %zu", n, channels,
                   (size_t)PTRDIFF_MAX / size);
  IW_TRY(iw_check_array("samples", samples, n * channels, size));
  iw_array arrays[MAX_CHANNELS + 1] = { { "samples", samples, n * channels * size, IW_READ, NULL } };
  unsigned used = 0;
  for (unsigned c = 0; c < channels; c++) {
    arrays[c + 1] = (iw_array){ names[c], NULL, 0, 0, NULL };
    if (!plans[c])
      continue;
    IW_TRY(iw_check_plan(plan_names[c], plans[c], "type", type));
    const iw_histogram_spec *const spec = &plans[c]->spec;
    arrays[c + 1] = iw_counters(names[c], spec, counts[c], iw_outputs(spec));
    IW_TRY(iw_check_counters(spec, &arrays[c + 1], &arrays[0], "n", n));
    for (unsigned b = 0; b < c; b++)
      IW_TRY(iw_check_no_overlap(names[b], arrays[b + 1].at, arrays[b + 1].bytes, names[c], counts[c],
                                 arrays[c + 1].bytes));
    used++;
  }
  if (!used)
    return IW_OK;
  IW_TRY(iw_stage(&context, arrays, channels + 1));
  return iw_unstage(context, arrays, channels + 1,
                    count_channels(context, plans, channels, type, arrays[0].kernel_ptr, n, arrays + 1));
}

/* ---- Weights ---- */

iw_sum_format iw_sum_format_of(iw_type type)
{
  switch (type) {
  case IW_I32: return (iw_sum_format){ IW_K_accumulate_weights_i32, 1, 0, 0, sizeof(int64_t) };
  case IW_U32: return (iw_sum_format){ IW_K_accumulate_weights_u32, 1, 0, 0, sizeof(uint64_t) };
  case IW_F32: return (iw_sum_format){ IW_K_accumulate_weights_f32, IW_DIGITS_F32 + IW_NONFINITE_WORDS,
      IW_DIGITS_F32, 23, sizeof(float) };
  case IW_F64: return (iw_sum_format){ IW_K_accumulate_weights_f64, IW_DIGITS_F64 + IW_NONFINITE_WORDS,
      IW_DIGITS_F64, 52, sizeof(double) };
  case IW_I64: case IW_U64: /* sums wrap, whatever the sign */
    return (iw_sum_format){ IW_K_accumulate_weights_u64, 1, 0, 0, sizeof(uint64_t) };
  case IW_I8: case IW_I16: case IW_BOOL: case IW_F16: case IW_BF16:
  case IW_U8: case IW_U16: break; /* not types of weights: iw_check_type() */
  }
  return (iw_sum_format){ IW_K_accumulate_weights_u64, 1, 0, 0, sizeof(uint64_t) };
}

iw_status iw_begin_weighted(iw_context *context, const iw_sum_format *how, size_t entries, size_t n, int several_axes,
                            int one_copy, iw_weighted_chunks *c)
{
  const size_t chunk = iw_max(1, iw_min(n, chunk_size(context)));
  const size_t words = entries * how->words, fit = MAX_COPIES_BYTES / (words * sizeof(uint64_t));
  const size_t cores = context->device.processors;
  const size_t blocks = iw_min(context->device.prefers_global_atomics ? 4 * cores : cores,
                               iw_ceil_div(chunk, MIN_WEIGHTS_PER_BLOCK));
  const int privatised = !one_copy && !context->device.prefers_global_atomics && iw_max(fit, 1) >= blocks;
  iw_layout layout;
  void *scratch;
  c->chunk = chunk;
  c->blocks = blocks;
  c->privatised = privatised;
  c->sums = (iw_weighted_sums){ .entries = entries, .copies = privatised ? blocks : 1 };
  iw_layout_begin(&layout, context);
  const size_t at_sums = iw_layout_add(&layout, "sums", c->sums.copies * words, sizeof(uint64_t));
  const size_t at_indices = iw_layout_add(&layout, "bin indices", chunk, sizeof(uint32_t));
  const size_t at_other = iw_layout_add(&layout, "a chunk", several_axes ? chunk : 0, sizeof(uint32_t));
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  c->sums.sums = (uint64_t *)(void *)(base + at_sums);
  c->bin_indices = (uint32_t *)(void *)(base + at_indices);
  c->other = (uint32_t *)(void *)(base + at_other);
  return iw_clear(context, c->sums.sums, c->sums.copies * words);
}

iw_status iw_add_weights(iw_context *context, const iw_sum_format *how, const iw_weighted_chunks *c, const void *weights,
                         size_t n)
{
  return iw_launch_by_id(context, how->kernel, c->blocks, 256, &(iw_accumulate_weights_args){
    .bin_indices = c->bin_indices, .weights = weights, .n = n, .sums = c->sums.sums,
    .entries = (uint32_t)c->sums.entries, .privatised = (uint32_t)c->privatised, .words = how->words,
    .digits = how->digits,
  });
}

/* Sums by the bins of one plan, with entries for outliers. */
static iw_status accumulate_weighted(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                     const iw_sum_format *how, iw_type weight_type, const void *weights, size_t n,
                                     iw_weighted_sums *to)
{
  iw_weighted_chunks c;
  IW_TRY(iw_begin_weighted(context, how, plan->spec.bins + 3, n, 0, 0, &c));
  *to = c.sums;
  for (size_t at = 0; at < n; at += c.chunk) {
    const size_t here = iw_min(n - at, c.chunk);
    IW_TRY(find_bin_indices(context, plan, element(plan->type, samples, at), here, c.bin_indices));
    IW_TRY(iw_add_weights(context, how, &c, element(weight_type, weights, at), here));
  }
  return IW_OK;
}

/* Sums by the cells of a table, with an entry for the samples that are in none. */
static iw_status accumulate_table(iw_context *context, const nd_axes *axes, const iw_sum_format *how, iw_type weight_type,
                                  const void *weights, size_t n, iw_weighted_sums *to)
{
  iw_weighted_chunks c;
  IW_TRY(iw_begin_weighted(context, how, axes->total + 3, n, axes->dimensions > 1, 0, &c));
  *to = c.sums;
  for (size_t at = 0; at < n; at += c.chunk) {
    const size_t here = iw_min(n - at, c.chunk);
    IW_TRY(find_table_indices(context, axes, at, here, c.bin_indices, c.other));
    IW_TRY(iw_add_weights(context, how, &c, element(weight_type, weights, at), here));
  }
  return IW_OK;
}

iw_status iw_write_weighted(iw_context *context, const iw_sum_format *how, const iw_weighted_sums *from, size_t bins,
                            size_t outputs, int clamp, int accumulate, void *out)
{
  return iw_launch_by_id(context, IW_K_write_sums, iw_min(iw_ceil_div(outputs, 64), 1 << 16), 256,
                         &(iw_write_sums_args){
    .sums = from->sums, .out = out, .entries = (uint32_t)from->entries, .copies = (uint32_t)from->copies,
    .words = how->words, .digits = how->digits, .bins = (uint32_t)bins, .outputs = (uint32_t)outputs,
    .clamp = (uint32_t)clamp, .accumulate = (uint32_t)accumulate, .mantissa = how->mantissa,
    .sum_bits = (uint32_t)(8 * how->sum),
  });
}

/* Adds the sums to the caller's exact sums, on the host. */
static iw_status add_weighted(iw_context *context, const iw_histogram_plan *plan, const iw_sum_format *how,
                              const iw_weighted_sums *from, iw_exact_sum *sums)
{
  const size_t bins = plan->spec.bins, size = from->entries * how->words;
  const unsigned unit = how->sum == sizeof(float) ? 1074 - 149 : 0;
  uint64_t *const words = malloc(size * sizeof *words);
  iw_status status = words ? IW_OK : iw_fail(IW_ERROR_MEMORY, "no memory for the %zu bytes of the sums of %zu bins",
                                             size * sizeof *words, bins);
  for (size_t copy = 0; status == IW_OK && copy < from->copies; copy++) {
    status = context->ops->copy(context, words, from->sums + copy * size, size * sizeof *words);
    for (size_t entry = 0; status == IW_OK && entry < bins + 2; entry++) {
      const size_t clamped = entry == bins ? 0 : entry == bins + 1 ? bins - 1 : entry;
      if (entry < bins || plan->spec.policy != IW_POLICY_DROP)
        iw_add_exact_words(&sums[plan->spec.policy == IW_POLICY_CLAMP ? clamped : entry], words + entry, from->entries,
                           how->digits, unit);
    }
  }
  free(words);
  return status;
}

iw_status iw_check_sums(const char *name, size_t bins, const char *bins_name, iw_type weight_type, size_t n)
{
  const iw_sum_format how = iw_sum_format_of(weight_type);
  if (n >> IW_MAX_WEIGHTS_LOG2)
    return iw_fail(IW_ERROR_INVALID, "n is %zu; valid are numbers below 2^%d", n, IW_MAX_WEIGHTS_LOG2);
  if (bins + 3 > UINT32_MAX / how.words)
    return iw_fail(IW_ERROR_INVALID, "%s has %zu %s, too many for weights of %s: at most %lu", name, bins, bins_name,
                   iw_type_name(weight_type), (unsigned long)(UINT32_MAX / how.words - 3));
  return IW_OK;
}

static iw_status check_no_narrow_counters(const char *name, const iw_histogram_plan *plan, iw_type weight_type)
{
  if (!(plan->spec.flags & IW_HIST_COUNTERS_32))
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "%s has IW_HIST_COUNTERS_32, which is for counters: sums of %s have %zu bytes", name,
                 iw_type_name(weight_type), iw_sum_format_of(weight_type).sum);
}

/* What both calls for one plan check of their inputs. */
static iw_status check_weighted(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                const void *samples, iw_type weight_type, const void *weights, size_t n,
                                const void *sums, size_t sum_size)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_plan("plan", plan, "type", type));
  IW_TRY(iw_check_named_type("weight_type", weight_type, IW_SIX_TYPES));
  const size_t outputs = iw_outputs(&plan->spec), bytes = n * iw_type_size(type);
  const size_t weight_bytes = n * iw_type_size(weight_type);
  IW_TRY(iw_check_array("samples", samples, n, iw_type_size(type)));
  IW_TRY(iw_check_array("weights", weights, n, iw_type_size(weight_type)));
  IW_TRY(iw_check_array("sums", sums, outputs, iw_min(sum_size, sizeof(uint64_t))));
  IW_TRY(iw_check_no_overlap("samples", samples, bytes, "sums", sums, outputs * sum_size));
  IW_TRY(iw_check_no_overlap("weights", weights, weight_bytes, "sums", sums, outputs * sum_size));
  IW_TRY(check_no_narrow_counters("plan", plan, weight_type));
  return iw_check_sums("plan", plan->spec.bins, "bins", weight_type, n);
}

iw_status iw_histogram_weighted(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                const void *samples, iw_type weight_type, const void *weights, size_t n, void *sums)
{
  const size_t sum_size = (unsigned)weight_type <= IW_F64 ? iw_sum_format_of(weight_type).sum : 1;
  IW_TRY(check_weighted(context, plan, type, samples, weight_type, weights, n, sums, sum_size));
  const iw_sum_format how = iw_sum_format_of(weight_type);
  iw_array arrays[] = {
    { "samples", samples, n * iw_type_size(type), IW_READ, NULL },
    { "weights", weights, n * iw_type_size(weight_type), IW_READ, NULL },
    { "sums", sums, iw_outputs(&plan->spec) * how.sum,
      IW_WRITE | (plan->spec.flags & IW_HIST_ACCUMULATE ? IW_READ : 0), NULL },
  };
  iw_weighted_sums found;
  IW_TRY(iw_stage(&context, arrays, 3));
  iw_status status = accumulate_weighted(context, plan, arrays[0].kernel_ptr, &how, weight_type,
                                         arrays[1].kernel_ptr, n, &found);
  if (status == IW_OK)
    status = iw_write_weighted(context, &how, &found, plan->spec.bins, iw_outputs(&plan->spec),
                               plan->spec.policy == IW_POLICY_CLAMP, (plan->spec.flags & IW_HIST_ACCUMULATE) != 0,
                               arrays[2].kernel_ptr);
  return iw_unstage(context, arrays, 3, status);
}

iw_status iw_histogram_weighted_exact(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                      const void *samples, iw_type weight_type, const void *weights, size_t n,
                                      iw_exact_sum *sums)
{
  IW_TRY(check_weighted(context, plan, type, samples, weight_type, weights, n, sums, sizeof *sums));
  if (weight_type < IW_F32)
    return iw_fail(IW_ERROR_INVALID, "weight_type is %s; valid are f32 and f64", iw_type_name(weight_type));
  for (size_t k = 0; k < iw_outputs(&plan->spec); k++) {
    char format[40] = "", nonfinite[40] = "";
    if (sums[k].format != IW_EXACT_SUM_FORMAT || sums[k].nonfinite) { /* the names are for messages */
      snprintf(format, sizeof format, "sums[%zu].format", k);
      snprintf(nonfinite, sizeof nonfinite, "sums[%zu].nonfinite", k);
    }
    IW_TRY(iw_check_exact_sum("sums", format, nonfinite, &sums[k]));
  }
  const iw_sum_format how = iw_sum_format_of(weight_type);
  iw_array arrays[] = {
    { "samples", samples, n * iw_type_size(type), IW_READ, NULL },
    { "weights", weights, n * iw_type_size(weight_type), IW_READ, NULL },
  };
  iw_weighted_sums found;
  IW_TRY(iw_stage(&context, arrays, 2));
  iw_status status = accumulate_weighted(context, plan, arrays[0].kernel_ptr, &how, weight_type,
                                         arrays[1].kernel_ptr, n, &found);
  if (status == IW_OK)
    status = add_weighted(context, plan, &how, &found, sums);
  return iw_unstage(context, arrays, 2, status);
}

iw_status iw_histogram_nd_weighted(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
                                   iw_type weight_type, const void *weights, size_t n, void *sums)
{
  nd_axes own;
  iw_array arrays[IW_MAX_HISTOGRAM_AXES + 2];
  iw_array *const of_weights = &arrays[IW_MAX_HISTOGRAM_AXES], *const of_sums = of_weights + 1;
  IW_TRY(iw_check_context(context));
  IW_TRY(copy_axes(&own, axes, dimensions, n));
  IW_TRY(iw_check_named_type("weight_type", weight_type, IW_SIX_TYPES));
  IW_TRY(check_table(&own, list_names));
  const iw_sum_format how = iw_sum_format_of(weight_type);
  const iw_histogram_plan *const plan = own.of[0].plan;
  const int accumulate = (plan->spec.flags & IW_HIST_ACCUMULATE) != 0;
  IW_TRY(iw_check_array("weights", weights, n, iw_type_size(weight_type)));
  IW_TRY(iw_check_array("sums", sums, own.total, how.sum));
  IW_TRY(check_no_narrow_counters("axes[0].plan", plan, weight_type));
  IW_TRY(iw_check_sums("axes[0].plan", own.total, "sums with the other axes", weight_type, n));
  for (unsigned d = dimensions; d < IW_MAX_HISTOGRAM_AXES; d++)
    arrays[d] = (iw_array){ "samples", NULL, 0, IW_READ, NULL };
  list_samples(&own, list_names, n, arrays);
  *of_weights = (iw_array){ "weights", weights, n * iw_type_size(weight_type), IW_READ, NULL };
  *of_sums = (iw_array){ "sums", sums, own.total * how.sum, IW_WRITE | (accumulate ? IW_READ : 0), NULL };
  for (const iw_array *in = arrays; in < of_sums; in++)
    IW_TRY(iw_check_no_overlap(in->name, in->at, in->bytes, "sums", sums, of_sums->bytes));
  IW_TRY(iw_stage(&context, arrays, IW_MAX_HISTOGRAM_AXES + 2));
  take_staged_samples(&own, arrays);
  iw_weighted_sums found;
  iw_status status = accumulate_table(context, &own, &how, weight_type, of_weights->kernel_ptr, n, &found);
  if (status == IW_OK)
    status = iw_write_weighted(context, &how, &found, own.total, own.total, 0, accumulate, of_sums->kernel_ptr);
  return iw_unstage(context, arrays, IW_MAX_HISTOGRAM_AXES + 2, status);
}
