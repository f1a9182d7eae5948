/* SPDX-License-Identifier: Apache-2.0
 *
 * N-D histograms, host side: several axes, rows of a matrix, channels. All compute bin indices a chunk at a
 * time (nd_tables.h) and count them. Algorithm layer.
 */
#include "algorithms/histogram/nd_tables.h"
#include "algorithms/histogram/weighted_sums.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

/* Tuning, which can change no result: columns from which each row of a matrix is a histogram call of its
 * own. */
enum { MIN_LONG_ROW = 1 << 16 };

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
      .chunk = iw_max(1, iw_min(most, iw_chunk_size(context))) };
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
    .row_outputs = (uint32_t)iw_outputs(&plan->spec), .none = (uint32_t)j->total, .x_axis = iw_axis_of(plan),
    .y_axis = { 0, 0, 1 },
  }));
  return iw_count_bin_indices(j->context, j->bin_indices, rows * columns, j->total, j->memory, j->counts);
}

/* Writes `outputs` counters from `base` on to the caller's, by the plan's spec. */
static iw_status nd_write_counts(const nd_counters *j, size_t base, size_t outputs,
                                 const iw_histogram_plan *plan, void *out)
{
  return iw_launch_by_id(j->context, IW_K_histogram_write_counts, iw_ceil_div(outputs, 256), 256,
                         &(iw_write_counts_args){
    .counts = j->counts + base, .bins = (uint32_t)outputs, .entries = (uint32_t)outputs,
    .outputs = (uint32_t)outputs, .accumulate = (plan->spec.flags & IW_HIST_ACCUMULATE) != 0,
    .counters_32 = iw_counter_size(&plan->spec) == sizeof(uint32_t), .out = out,
  });
}

/* ---- Several axes ---- */

static iw_status count_axes(iw_context *context, const iw_nd_axes *axes, size_t n, void *counts)
{
  nd_counters j;
  IW_TRY(nd_begin(&j, context, axes->total, n, axes->dimensions > 1 ? sizeof(uint32_t) : 0, 0));
  for (size_t at = 0; at < n; at += j.chunk) {
    const size_t here = iw_min(n - at, j.chunk);
    IW_TRY(iw_find_table_indices(context, axes, at, here, j.bin_indices, j.other));
    IW_TRY(iw_count_bin_indices(context, j.bin_indices, here, j.total, j.memory, j.counts));
  }
  return nd_write_counts(&j, 0, axes->total, axes->of[0].plan, counts);
}

/* Counts checked axes. */
static iw_status histogram_nd(iw_context *context, iw_nd_axes *axes, size_t n, void *counts)
{
  iw_array arrays[IW_MAX_HISTOGRAM_AXES + 1];
  const iw_histogram_plan *const plan = axes->of[0].plan;
  IW_TRY(iw_check_table(axes));
  iw_list_axis_samples(axes, n, arrays);
  arrays[axes->dimensions] = iw_counters("counts", &plan->spec, counts, axes->total);
  for (unsigned d = 0; d < axes->dimensions; d++)
    IW_TRY(iw_check_counters(&plan->spec, &arrays[axes->dimensions], &arrays[d], "n", n));
  IW_TRY(iw_stage(&context, arrays, axes->dimensions + 1));
  iw_use_staged_axis_samples(axes, arrays);
  return iw_unstage(context, arrays, axes->dimensions + 1,
                    count_axes(context, axes, n, arrays[axes->dimensions].kernel_ptr));
}

iw_status iw_histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions, size_t n,
                          void *counts, const iw_histogram_options *options)
{
  iw_nd_axes own;
  iw_histogram_options how;
  IW_TRY(iw_copy_histogram_options(options, &how));
  IW_TRY(iw_check_context(context));
  if (how.report)
    return iw_fail(IW_ERROR_INVALID, "options->report is %p; valid is NULL: a table has no report", (void *)how.report);
  iw_status status = iw_copy_axes(&own, axes, dimensions, n);
  if (status == IW_OK)
    status = (int)how.weight_type ? iw_histogram_nd_weights(context, &own, n, counts, &how) : histogram_nd(context, &own, n, counts);
  iw_release_axes(&own);
  return status;
}

/* ---- Rows of a matrix ---- */

/* Counts `rows` rows in one table, a chunk of columns at a time; only a single row may have more than a
 * chunk. */
static iw_status count_rows_together(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                     size_t rows, size_t columns, void *counts)
{
  nd_counters j;
  const size_t outputs = iw_outputs(&plan->spec), piece = iw_min(columns, iw_chunk_size(context));
  IW_TRY(nd_begin(&j, context, rows * outputs, rows * piece, 0, 0));
  for (size_t at = 0; at < columns; at += piece) {
    const size_t here = iw_min(piece, columns - at);
    IW_TRY(iw_find_bin_indices(context, plan, iw_element_at(plan->type, samples, at), rows * here, j.bin_indices));
    IW_TRY(nd_ravel_and_count_rows(&j, rows, here, plan));
  }
  return nd_write_counts(&j, 0, rows * outputs, plan, counts);
}

static iw_status count_matrix(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t rows,
                              size_t columns, void *counts)
{
  const size_t outputs = iw_outputs(&plan->spec), row_bytes = outputs * iw_counter_size(&plan->spec);
  const size_t chunk = iw_chunk_size(context);
  const int long_rows = columns >= MIN_LONG_ROW;
  /* Rows counted together: at least one, else as many as fit in a chunk with their samples and with their
   * counters. */
  const size_t together = long_rows ? 1 : iw_max(1, iw_min(chunk / iw_max(columns, 1), chunk / outputs));
  for (size_t row = 0; row < rows; row += together) {
    const void *const from = iw_element_at(plan->type, samples, row * columns);
    char *const to = (char *)counts + row * row_bytes;
    if (long_rows)
      IW_TRY(iw_histogram_run_plan(context, plan, from, columns, to));
    else
      IW_TRY(count_rows_together(context, plan, from, iw_min(together, rows - row), columns, to));
  }
  return IW_OK;
}

static iw_status histogram_matrix(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t rows, size_t columns,
                                  void *counts)
{
  IW_TRY(iw_check_matrix(plan->type, samples, rows, columns));
  IW_TRY(iw_check_row_counters(&plan->spec, rows));
  iw_array arrays[] = {
    { "samples", samples, rows * columns, iw_type_size(plan->type), IW_READ, NULL },
    iw_counters("counts", &plan->spec, counts, rows * iw_outputs(&plan->spec)),
  };
  IW_TRY(iw_check_counters(&plan->spec, &arrays[1], &arrays[0], "columns", columns));
  IW_TRY(iw_stage(&context, arrays, 2));
  return iw_unstage(context, arrays, 2,
                    count_matrix(context, plan, arrays[0].kernel_ptr, rows, columns, arrays[1].kernel_ptr));
}

iw_status iw_histogram_rows(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t rows, size_t columns,
                            void *counts, const iw_histogram_ranges *ranges)
{
  iw_type type;
  iw_call_plan plan;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_spec_of_call(spec, &type));
  if (ranges || (!spec->plan && iw_spec_is_automatic(spec)))
    return iw_histogram_ranged_rows(context, type, spec, samples, rows, columns, counts, ranges);
  iw_status status = iw_call_plan_make("spec", spec, &plan);
  if (status == IW_OK)
    status = histogram_matrix(context, plan.plan, samples, rows, columns, counts);
  iw_call_plan_release(&plan);
  return status;
}

/* ---- Channels ---- */

enum { MAX_CHANNELS = IW_MAX_HISTOGRAM_CHANNELS };
_Static_assert((int)MAX_CHANNELS < (int)IW_MAX_ARRAYS, "a call can stage them all");

static iw_status count_channels(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels,
                                iw_type type, const void *samples, size_t n, const iw_array *counts)
{
  static const iw_kernel_id deinterleave[] = {
    [1] = IW_K_deinterleave_u8, [2] = IW_K_deinterleave_u16, [4] = IW_K_deinterleave_u32,
    [8] = IW_K_deinterleave_u64,
  };
  const size_t size = iw_type_size(type);
  const size_t chunk = iw_max(1, iw_min(n, iw_chunk_size(context)));
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
      .in = iw_element_at(type, samples, at * channels), .out = j.other, .n = here, .channels = channels,
    }));
    for (size_t c = 0, base = 0; c < channels; c++)
      if (plans[c]) {
        IW_TRY(iw_histogram_accumulate(context, plans[c], iw_element_at(type, j.other, c * here), here, j.memory,
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

#define NAMES(array) array "[0]", array "[1]", array "[2]", array "[3]", array "[4]", array "[5]", array "[6]", \
  array "[7]", array "[8]", array "[9]", array "[10]", array "[11]", array "[12]", array "[13]", array "[14]", \
  array "[15]", array "[16]", array "[17]", array "[18]", array "[19]", array "[20]", array "[21]", array "[22]"
static const char *const counts_names[MAX_CHANNELS] = { NAMES("counts") };
static const char *const spec_names[MAX_CHANNELS] = { NAMES("specs") };
#undef NAMES

/* The plans of the channels that are counted, all of one type. */
static iw_status make_plans(const iw_histogram_spec *const *specs, unsigned channels, iw_call_plan *made,
                            const iw_histogram_plan **plans, const iw_histogram_plan **first)
{
  *first = NULL;
  for (unsigned c = 0; c < channels; c++) {
    if (!specs[c])
      continue;
    IW_TRY(iw_call_plan_make(spec_names[c], specs[c], &made[c]));
    plans[c] = made[c].plan;
    if (!*first)
      *first = plans[c];
    if (plans[c]->type != (*first)->type)
      return iw_fail(IW_ERROR_INVALID, "%s is of %s, but an earlier one of %s: all channels have one type", spec_names[c],
                     iw_type_name(plans[c]->type), iw_type_name((*first)->type));
  }
  return IW_OK;
}

static iw_status histogram_channels(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels, iw_type type,
                                    const void *samples, size_t n, void *const *counts)
{
  const size_t size = iw_type_size(type);
  if (n > PTRDIFF_MAX / channels)
    return iw_fail(IW_ERROR_INVALID, "samples cannot have n = %zu times channels = %u elements: at most %zu", n, channels,
                   (size_t)PTRDIFF_MAX / size);
  iw_array arrays[MAX_CHANNELS + 1] = { { "samples", samples, n * channels, size, IW_READ, NULL } };
  IW_TRY(iw_check_each_array(arrays, 1));
  for (unsigned c = 0; c < channels; c++) {
    arrays[c + 1] = (iw_array){ counts_names[c], NULL, 0, 1, 0, NULL };
    if (!plans[c])
      continue;
    const iw_histogram_spec *const spec = &plans[c]->spec;
    arrays[c + 1] = iw_counters(counts_names[c], spec, counts[c], iw_outputs(spec));
    IW_TRY(iw_check_counters(spec, &arrays[c + 1], &arrays[0], "n", n));
    for (unsigned b = 0; b < c; b++)
      IW_TRY(iw_check_pair(&arrays[b + 1], &arrays[c + 1]));
  }
  IW_TRY(iw_stage(&context, arrays, channels + 1));
  return iw_unstage(context, arrays, channels + 1,
                    count_channels(context, plans, channels, type, arrays[0].kernel_ptr, n, arrays + 1));
}

iw_status iw_histogram_channels(iw_context *context, const iw_histogram_spec *const *specs, unsigned channels, const void *samples,
                                size_t n, void *const *counts)
{
  iw_call_plan made[MAX_CHANNELS] = { { NULL, NULL } };
  const iw_histogram_plan *plans[MAX_CHANNELS] = { NULL }, *first;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("specs", specs));
  IW_TRY(iw_check_pointer("counts", counts));
  if (channels < 1 || channels > MAX_CHANNELS)
    return iw_fail(IW_ERROR_INVALID, "channels is %u; valid are 1 to %d", channels, MAX_CHANNELS);
  iw_status status = make_plans(specs, channels, made, plans, &first);
  if (status == IW_OK && first)
    status = histogram_channels(context, plans, channels, first->type, samples, n, counts);
  for (unsigned c = 0; c < channels; c++)
    iw_call_plan_release(&made[c]);
  return status;
}
