/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of one array, public entry and host side: checks, scratch and launches. schedule.c chooses the
 * schedule and its grid, and plan.c makes plans. The schedules are kernel templates in this folder:
 *
 *   small_n.h               few samples, by one warp
 *   private_counters.h      rows on a CPU: private SIMD counters; global_atomics.h if copies would be too
 *                           large
 *   shared_atomics.h        rows on a GPU: privatised shared-memory atomics
 *   bin_partition.h         many bins on a GPU
 *
 * bin_index.h decides the bin of a sample in all of them, by the rule that binning_plan.c makes. Algorithm
 * layer: what a device can do is read from context->device; the backend is not asked.
 */
#include "algorithms/histogram/schedule.h"
#include "algorithms/histogram/weighted_sums.h"
#include "runtime/arithmetic.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <string.h>

/* Tuning. None of these numbers can change a result. */
enum {
  CHUNK = 1 << 24,           /* samples of one launch; a multiple of what a block takes */
  PARTITION_CHUNK = 1 << 26  /* samples partitioned at a time by ranges of bins; a multiple of a tile */
};

/* The words at at_words, from which the report is read. */
enum { BELOW, ABOVE, NANS, WORDS };

static void lay_out_scratch(iw_histogram_job *job, iw_layout *layout)
{
  const iw_rows_plan rows = job->n ? iw_plan_rows(job, job->n) : (iw_rows_plan){ .copies = 1 };
  job->adds = job->context->device.prefers_global_atomics && !iw_uses_bin_partition(job);
  job->atomic_counts = !rows.copies && !job->adds;
  job->copies = rows.copies ? rows.blocks * (rows.in_shared ? 1 : rows.tables) : 0;
  iw_layout_begin(layout, job->context);
  job->at_words = iw_layout_add(layout, "words of the report", WORDS, sizeof(uint64_t));
  job->at_tables = iw_layout_add(layout, "tables", iw_binning_scratch_bytes(job->context, job->plan), 1);
  job->at_counts =
      iw_layout_add(layout, "counts", job->atomic_counts ? job->entries : 0, sizeof(uint64_t));
  job->at_copies = iw_layout_add(layout, "copies of counters", job->copies * job->entries, sizeof(uint32_t));
  if (iw_uses_bin_partition(job)) {
    const size_t tiles = iw_ceil_div(iw_min(job->n, PARTITION_CHUNK), IW_BIN_RANGE_TILE);
    const size_t ranges = iw_bin_range_count(job);
    job->at_local_bins = iw_layout_add(layout, "local bins", tiles * IW_BIN_RANGE_TILE_CAPACITY, sizeof(uint16_t));
    job->at_parts = iw_layout_add(layout, "parts of ranges", tiles * ranges, sizeof(uint32_t));
    job->at_totals = iw_layout_add(layout, "totals of ranges", ranges, sizeof(uint64_t));
  }
}

static iw_status allocate_scratch(iw_histogram_job *job)
{
  void *scratch;
  iw_layout layout;
  lay_out_scratch(job, &layout);
  IW_TRY(iw_scratch(job->context, &layout, &scratch));
  job->scratch = scratch;
  return IW_OK;
}

static iw_write_counts_args counts_args(const iw_histogram_job *job)
{
  const iw_histogram_spec *const spec = job->spec;
  return (iw_write_counts_args){
    .copies = (const uint32_t *)(job->scratch + job->at_copies),
    .counts = job->atomic_counts ? job->counted : NULL,
    .blocks = job->copies, .bins = (uint32_t)job->bins, .entries = (uint32_t)job->entries,
    .outputs = (uint32_t)iw_outputs(spec),
    .clamp = spec->policy == IW_POLICY_CLAMP, .accumulate = (spec->flags & IW_HIST_ACCUMULATE) != 0,
    .counters_32 = iw_counter_size(spec) == sizeof(uint32_t), .out = job->counts,
    .outliers = (uint64_t *)(job->scratch + job->at_words) + BELOW,
  };
}

/* Two launches for each chunk: partition by ranges of bins, count each range. */
static iw_status run_bin_partition(iw_histogram_job *job, const char *samples, size_t n)
{
  iw_context *const context = job->context;
  const unsigned partition = IW_K_bin_partition + job->type, count = IW_K_bin_partition_count;
  iw_bin_partition_args args = {
    .local_bins = (uint16_t *)(job->scratch + job->at_local_bins),
    .parts = (uint32_t *)(job->scratch + job->at_parts),
    .totals = (uint64_t *)(job->scratch + job->at_totals), .counts = job->counted,
    .ranges = (uint32_t)iw_bin_range_count(job), .binning = job->binning,
  };
  for (size_t at = 0; at < n; at += PARTITION_CHUNK) {
    args.samples = samples + at * iw_type_size(job->type);
    args.n = iw_min(n - at, PARTITION_CHUNK);
    args.tiles = iw_ceil_div(args.n, IW_BIN_RANGE_TILE);
    const iw_bin_partition_count_args count_args = {
      .local_bins = args.local_bins, .parts = args.parts, .totals = args.totals, .counts = args.counts,
      .tiles = args.tiles, .ranges = args.ranges, .bins = (uint32_t)job->bins,
    };
    IW_TRY(iw_clear(context, args.totals, args.ranges));
    IW_TRY(iw_launch_by_id(context, partition, iw_min(args.tiles, iw_blocks_per_wave(context, partition)), 0, &args));
    IW_TRY(iw_launch_by_id(context, count, iw_blocks_per_wave(context, count), 0, &count_args));
  }
  return IW_OK;
}

/* Counts a piece of the samples. */
static iw_status run_rows(iw_histogram_job *job, const void *samples, size_t n)
{
  if (iw_uses_bin_partition(job))
    return run_bin_partition(job, samples, n);
  const iw_rows_plan rows = iw_plan_rows(job, n);
  const iw_write_counts_args to = counts_args(job);
  const iw_histogram_rows_args args = {
    .samples = samples, .n = n, .span = rows.span,
    .copies = rows.copies ? (uint32_t *)(job->scratch + job->at_copies) : NULL,
    .counts = job->counted,
    .entries = (uint32_t)job->entries, .in_shared = (uint32_t)rows.in_shared,
    .tables = (uint32_t)rows.tables,
    .counters_16 = (uint32_t)rows.counters_16, .tables_at = (uint32_t)rows.tables_at, .claimable = (uint32_t)rows.claimable,
    .heavy_hitters = (uint32_t)iw_may_have_heavy_hitters(job->plan),
    .overlaps = (uint32_t)job->has_cleared,
    .to = { .out = to.out, .outliers = job->reports ? to.outliers : NULL, .bins = to.bins, .outputs = to.outputs,
            .clamp = to.clamp, .counters_32 = to.counters_32 },
    .binning = job->binning,
  };
  job->has_cleared = 0;
  return iw_launch_by_id_shared(job->context, IW_K_histogram_rows + job->type,
                                rows.blocks, rows.threads, rows.shared, &args);
}

static iw_status count_piece(void *argument, const void *samples, size_t at, size_t bytes)
{
  iw_histogram_job *const job = argument;
  (void)at;
  return run_rows(job, samples, iw_element_count(bytes, iw_type_size(job->type)));
}

/* Adds copies up and writes the caller's counters. */
static iw_status write_counts(iw_histogram_job *job)
{
  const iw_write_counts_args args = counts_args(job);
  /* On a CPU one block for up to 1024 entries: waking a second thread takes longer. */
  const unsigned threads = job->context->device.prefers_global_atomics ? 256
      : (unsigned)iw_min(1024, iw_ceil_div(job->entries, 32) * 32);
  return iw_launch_by_id(job->context, IW_K_histogram_write_counts, iw_ceil_div(job->entries, threads),
                         threads, &args);
}

/* Chooses and clears the counters to which blocks add. */
static iw_status begin_counts(iw_histogram_job *job)
{
  const iw_write_counts_args to = counts_args(job);
  uint64_t *const outliers = job->reports ? to.outliers : NULL;
  job->counted = (uint64_t *)(job->scratch + job->at_counts);
  if (!job->adds)
    return job->atomic_counts ? iw_clear(job->context, job->counted, job->entries) : IW_OK;
  if (to.accumulate)
    return outliers ? iw_clear(job->context, outliers, WORDS) : IW_OK;
  job->has_cleared = 1;
  return iw_clear_both(job->context, outliers, outliers ? WORDS : 0, to.out, to.outputs * iw_counter_size(job->spec) / sizeof(uint32_t));
}

/* Writes the caller's counters if blocks did not add to them. */
static iw_status end_counts(iw_histogram_job *job)
{
  return job->adds ? IW_OK : write_counts(job);
}

static iw_status read_report(iw_context *context, const void *words, iw_histogram_report *report)
{
  uint64_t found[WORDS] = { 0 };
  IW_TRY(context->ops->copy(context, found, words, sizeof found));
  report->underflow = found[BELOW];
  report->overflow = found[ABOVE];
  report->nan = found[NANS];
  return IW_OK;
}

/* A call for few samples: it needs no more scratch than a report and tables. */
typedef struct small_n_job { iw_context *context; iw_type type; iw_small_n_args args; } small_n_job;

static iw_status count_small_n_piece(void *argument, const void *samples, size_t at, size_t bytes)
{
  small_n_job *const job = argument;
  job->args.samples = samples;
  job->args.n = iw_element_count(bytes, iw_type_size(job->type));
  if (at)
    job->args.accumulate = job->args.accumulate_outliers = 1;
  return iw_launch_by_id(job->context, IW_K_histogram_small_n + job->type, 1, 0,
                         &job->args);
}

static iw_status count_small_n(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                               void *counts, iw_histogram_report *report)
{
  const iw_histogram_spec *const spec = &plan->spec;
  const size_t size = iw_type_size(plan->type), tables = iw_binning_scratch_bytes(context, plan);
  const iw_array array = { "samples", samples, n, size, IW_READ, NULL };
  void *words = NULL;
  size_t at_tables = 0;
  if (report || tables) {
    iw_layout layout;
    iw_layout_begin(&layout, context);
    iw_layout_add(&layout, "words of the report", WORDS, sizeof(uint64_t));
    at_tables = iw_layout_add(&layout, "tables", tables, 1);
    IW_TRY(iw_scratch(context, &layout, &words));
  }
  small_n_job job = { context, plan->type, {
    .out = counts, .outliers = report ? (uint64_t *)words + BELOW : NULL,
    .outputs = (uint32_t)iw_outputs(spec),
    .clamp = spec->policy == IW_POLICY_CLAMP, .counters_32 = iw_counter_size(spec) == sizeof(uint32_t),
    .accumulate = (spec->flags & IW_HIST_ACCUMULATE) != 0,
  } };
  IW_TRY(iw_binning_upload(context, plan, words ? (char *)words + at_tables : NULL, &job.args.binning));
  job.args.binning.clamp = 0; /* the kernel clamps, after it has counted outliers */
  IW_TRY(n ? iw_for_each_piece(context, &array, (size_t)CHUNK * size, count_small_n_piece, &job)
         : count_small_n_piece(&job, NULL, 0, 0));
  return report ? read_report(context, words, report) : IW_OK;
}

static iw_status count_all(iw_histogram_job *job)
{
  const size_t size = iw_type_size(job->type);
  const iw_array samples = { "samples", job->samples, job->n, size, IW_READ, NULL };
  IW_TRY(allocate_scratch(job));
  IW_TRY(iw_binning_upload(job->context, job->plan, job->scratch + job->at_tables, &job->binning));
  job->binning.clamp = 0; /* outliers have counters of their own until the result is written */
  IW_TRY(begin_counts(job));
  IW_TRY(iw_for_each_piece(job->context, &samples, (size_t)CHUNK * size, count_piece, job));
  return end_counts(job);
}

/* Counts samples by a plan, in pieces if kernels do not reach them. */
static iw_status count_samples(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                               void *counts, iw_histogram_report *report)
{
  if (iw_is_small_n(context, plan->spec.bins, n))
    return count_small_n(context, plan, samples, n, counts, report);
  iw_histogram_job job;
  iw_histogram_job_init(&job, context, plan, &plan->spec, n);
  job.samples = samples;
  job.counts = counts;
  job.reports = report != NULL;
  IW_TRY(count_all(&job));
  return report ? read_report(context, job.scratch + job.at_words, report) : IW_OK;
}

iw_status iw_histogram_run_plan(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                size_t n, void *counts)
{
  return count_samples(context, plan, samples, n, counts, NULL);
}

/* ---- Inside other calls ---- */

/* The plan of samples that are bin indices: bin k counts the samples k. */
static void identity_plan(size_t bins, iw_histogram_plan *plan)
{
  memset(plan, 0, sizeof *plan);
  plan->type = IW_U32;
  plan->spec.bins = bins;
  plan->binning = (iw_binning){
    .mode = IW_BINNING_GUESS, .bins = (uint32_t)bins, .top = { .u32 = (uint32_t)bins - 1 }, .scale = 1,
    .offset = 0.5,
  };
}

/* A spec that adds to 64-bit counters. */
static iw_histogram_spec accumulating_spec(const iw_histogram_plan *plan)
{
  iw_histogram_spec spec = plan->spec;
  spec.flags = IW_HIST_ACCUMULATE;
  spec.counter_width = sizeof(uint64_t);
  return spec;
}

size_t iw_histogram_accumulate_scratch_bytes(iw_context *context, const iw_histogram_plan *plan, size_t n)
{
  const iw_histogram_spec spec = accumulating_spec(plan);
  iw_histogram_job job;
  iw_layout layout;
  iw_histogram_job_init(&job, context, plan, &spec, n);
  lay_out_scratch(&job, &layout);
  return layout.used;
}

iw_status iw_histogram_accumulate(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                  size_t n, void *memory, uint64_t *counts)
{
  const iw_histogram_spec spec = accumulating_spec(plan);
  iw_histogram_job job;
  iw_layout layout;
  iw_histogram_job_init(&job, context, plan, &spec, n);
  lay_out_scratch(&job, &layout);
  iw_lay_out(context, memory, &layout);
  job.scratch = memory;
  job.counts = counts;
  IW_TRY(iw_binning_upload(context, plan, job.scratch + job.at_tables, &job.binning));
  job.binning.clamp = 0;
  IW_TRY(begin_counts(&job));
  if (n)
    IW_TRY(run_rows(&job, samples, n));
  return end_counts(&job);
}

size_t iw_count_bin_indices_scratch_bytes(iw_context *context, size_t n, size_t bins)
{
  iw_histogram_plan plan;
  identity_plan(bins, &plan);
  return iw_histogram_accumulate_scratch_bytes(context, &plan, n);
}

iw_status iw_count_bin_indices(iw_context *context, const uint32_t *bin_indices, size_t n, size_t bins,
                               void *memory, uint64_t *counts)
{
  iw_histogram_plan plan;
  identity_plan(bins, &plan);
  return iw_histogram_accumulate(context, &plan, bin_indices, n, memory, counts);
}

/* ---- The calls ---- */

iw_status iw_check_counters(const iw_histogram_spec *spec, const iw_array *counters, const iw_array *samples,
                            const char *n_name, size_t n)
{
  IW_TRY(iw_check_each_array(counters, 1));
  IW_TRY(iw_check_pair(samples, counters));
  if (n > UINT32_MAX && iw_counter_size(spec) == sizeof(uint32_t))
    return iw_fail(IW_ERROR_OVERFLOW, "%s is %zu; a 32-bit counter holds at most %lu", n_name, n,
                   (unsigned long)UINT32_MAX);
  return IW_OK;
}

iw_status iw_check_matrix(iw_type type, const void *samples, size_t rows, size_t columns)
{
  const size_t size = iw_type_size(type);
  if (columns && rows > PTRDIFF_MAX / size / columns)
    return iw_fail(IW_ERROR_INVALID, "samples cannot have %zu rows of %zu columns: at most %zu elements", rows, columns,
                   (size_t)PTRDIFF_MAX / size);
  return iw_check_array("samples", samples, rows * columns, size);
}

iw_status iw_check_row_counters(const iw_histogram_spec *spec, size_t rows)
{
  const size_t size = iw_counter_size(spec), outputs = iw_outputs(spec);
  if (rows > PTRDIFF_MAX / size / outputs)
    return iw_fail(IW_ERROR_INVALID, "counts cannot have %zu rows of %zu counters: at most %zu in all", rows, outputs,
                   (size_t)PTRDIFF_MAX / size);
  return IW_OK;
}

iw_status iw_copy_histogram_options(const iw_histogram_options *options, iw_histogram_options *own)
{
  const iw_type_set exact = (iw_type_set)(IW_SET_OF(IW_F32) | IW_SET_OF(IW_F64));
  *own = (iw_histogram_options){ .size = sizeof *own };
  if (!options)
    return IW_OK;
  IW_TRY(iw_check_struct("options->size", options, "iw_histogram_options", sizeof *options));
  const iw_type type = options->weight_type;
  if ((int)type || options->weights || options->exact_sums)
    IW_TRY(iw_check_named_type("options->weight_type", type, options->exact_sums ? exact : IW_SIX_TYPES));
  if (options->report && (int)type)
    return iw_fail(IW_ERROR_INVALID, "options->report is %p; valid is NULL, as weights are added", (void *)options->report);
  if (options->report)
    IW_TRY(iw_check_struct_size("report->size", options->report->size, "iw_histogram_report", sizeof *options->report));
  memcpy(own, options, sizeof *own);
  own->size = sizeof *own;
  return IW_OK;
}

iw_status iw_histogram(iw_context *context, const iw_histogram_spec *bins, const void *samples, size_t n,
                       void *counts, const iw_histogram_options *options)
{
  iw_type type;
  iw_histogram_options how;
  IW_TRY(iw_copy_histogram_options(options, &how));
  IW_TRY(iw_check_context(context));
  if ((int)how.weight_type)
    return iw_histogram_weights(context, bins, samples, n, counts, &how);
  iw_histogram_report *const report = how.report;
  IW_TRY(iw_check_spec_of_call(bins, &type));
  IW_TRY(iw_check_array("samples", samples, n, iw_type_size(type)));
  const iw_histogram_spec *const spec = iw_spec_of(bins);
  /* The samples come in pieces if kernels do not reach them; counts is copied. */
  iw_array arrays[] = {
    { "samples", samples, n, iw_type_size(type), IW_READ, NULL },
    iw_counters("counts", spec, counts, iw_outputs(spec)),
  };
  IW_TRY(iw_check_counters(spec, &arrays[1], &arrays[0], "n", n));
  if (report) {
    IW_TRY(iw_check_no_overlap("samples", samples, iw_bytes_of(&arrays[0]), "report", report, report->size));
    IW_TRY(iw_check_no_overlap("counts", counts, iw_bytes_of(&arrays[1]), "report", report, report->size));
  }
  IW_TRY(iw_select_context(&context, arrays, 2));
  iw_histogram_plan own;
  iw_histogram_report found = { .size = sizeof found };
  const int small_n = iw_is_small_n(context, spec->bins, n);
  if (!bins->plan && !(small_n && iw_plan_single_values(type, spec, &own)))
    IW_TRY(iw_plan_resolve(context, type, samples, n, spec, &own));
  iw_status status = iw_stage_on(context, &arrays[1], 1);
  if (status == IW_OK)
    status = count_samples(context, bins->plan ? bins->plan : &own, samples, n, arrays[1].kernel_ptr, report ? &found : NULL);
  if (!bins->plan)
    iw_plan_release(&own);
  IW_TRY(iw_unstage(context, &arrays[1], 1, status));
  if (report) {
    found.size = report->size;
    *report = found;
    iw_clear_unknown(report, sizeof *report);
  }
  return IW_OK;
}
