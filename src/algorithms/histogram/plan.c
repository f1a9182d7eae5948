/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of histograms: made, described and freed. A plan may look at a sample of the data. Host side of the
 * algorithms layer.
 */
#include "algorithms/histogram/schedule.h"
#include "runtime/check.h"
#include "runtime/fp_environment.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <stdlib.h>
#include <string.h>

/* Tuning. None of these numbers can change a result. */
enum {
  MAX_SAMPLE = 8192, /* samples that a plan looks at, … */
  SAMPLE_PIECES = 64 /* … in so many pieces at equal distances if there are more */
};

static int by_value(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sets plan->top_bin_share, the share of the sample's most frequent bin. Samples below all bins, above all
 * bins, and NaN count as a bin each. Sorts the bin indices of the sample. */
static void find_top_bin(uint32_t *bin_indices, size_t n, iw_histogram_plan *plan)
{
  size_t longest_run = 0;
  qsort(bin_indices, n, sizeof *bin_indices, by_value);
  for (size_t k = 0, run_begin = 0; k < n; k++) {
    run_begin = bin_indices[k] == bin_indices[run_begin] ? run_begin : k;
    longest_run = iw_max(longest_run, k + 1 - run_begin);
  }
  plan->sampled = n;
  plan->top_bin_share = (double)longest_run / (double)n;
}

/* Finds the share of the most frequent bin in the caller's sample, or in pieces of it at equal distances. */
static iw_status sample_bins(iw_context *context, const void *sample, size_t n, iw_histogram_plan *plan)
{
  const size_t size = iw_type_size(plan->type), pieces = n > MAX_SAMPLE ? SAMPLE_PIECES : 1;
  const size_t piece = iw_min(n, MAX_SAMPLE) / pieces, count = pieces * piece;
  const size_t stride = pieces > 1 ? (n - piece) / (pieces - 1) : 0;
  const iw_array array = { "sample", sample, n, size, IW_READ, NULL };
  int accessible; /* either will do, as pieces are copied; the call fails for memory of another device */
  IW_TRY(iw_select_context(&context, &array, 1));
  IW_TRY(iw_is_accessible(context, &array, &accessible));
  iw_layout layout;
  void *scratch;
  iw_layout_begin(&layout, context);
  const size_t at_tables = iw_layout_add(&layout, "tables", iw_binning_scratch_bytes(context, plan), 1);
  const size_t at_samples = iw_layout_add(&layout, "samples", count, size);
  const size_t at_bin_indices = iw_layout_add(&layout, "bin indices", count, sizeof(uint32_t));
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch, *const copy = base + at_samples;
  for (size_t k = 0; k < pieces; k++)
    IW_TRY(context->ops->copy(context, copy + k * piece * size, (const char *)sample + k * stride * size,
                              piece * size));
  iw_binning binning;
  IW_TRY(iw_binning_upload(context, plan, base + at_tables, &binning));
  binning.clamp = 0;
  IW_TRY(iw_compute_bin_indices(context, plan->type, &binning, copy, count, base + at_bin_indices, sizeof(uint32_t),
                                UINT32_MAX, NULL));
  uint32_t *const bin_indices = malloc(count * sizeof *bin_indices);
  if (!bin_indices)
    return iw_fail(IW_ERROR_MEMORY, "no memory for %zu bytes of bin indices", count * sizeof *bin_indices);
  const iw_status status =
      context->ops->copy(context, bin_indices, base + at_bin_indices, count * sizeof *bin_indices);
  if (status == IW_OK)
    find_top_bin(bin_indices, count, plan);
  free(bin_indices);
  return status;
}

static iw_status plan_make(iw_context *context, const iw_histogram_spec *spec, const void *sample, size_t n, iw_histogram_plan **plan)
{
  iw_type type;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_spec_of_call(spec, &type));
  IW_TRY(iw_check_array("sample", sample, n, iw_type_size(type)));
  if (spec->plan)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->plan is %p; valid is NULL, as a plan is made of bins that have none yet",
                   (const void *)spec->plan);
  if (iw_spec_is_automatic(spec))
    return iw_fail(IW_ERROR_INVALID,
                   "spec->lo and spec->hi are NULL, and a plan knows no data to take its range from: "
                   "iw_histogram_range() finds it");
  iw_histogram_plan *const made = malloc(sizeof *made);
  if (!made)
    return iw_fail(IW_ERROR_MEMORY, "no memory for a plan of %zu bytes", sizeof *made);
  iw_status status = iw_plan_make(NULL, type, spec, SIZE_MAX, made);
  made->persistent = 1;
  /* upload its tables now, not in the first call */
  if (status == IW_OK && !context->device.reads_host_memory) {
    iw_binning binning;
    status = iw_binning_upload(context, made, NULL, &binning);
  }
  if (status == IW_OK && n)
    status = sample_bins(context, sample, n, made);
  if (status != IW_OK) {
    iw_histogram_plan_free(made);
    return status;
  }
  *plan = made;
  return IW_OK;
}

iw_status iw_histogram_plan_make(iw_context *context, const iw_histogram_spec *spec, const void *sample, size_t n,
                                 iw_histogram_plan **plan)
{
  iw_histogram_plan *made = NULL;
  IW_TRY(iw_check_single("plan", plan, sizeof *plan));
  const size_t size = spec && spec->size >= sizeof *spec ? iw_type_size(spec->type) : 0;
  if (size && n <= PTRDIFF_MAX / size) /* else the sample is refused */
    IW_TRY(iw_check_no_overlap("sample", sample, n * size, "plan", plan, sizeof *plan));
  const iw_status status = plan_make(context, spec, sample, n, &made);
  *plan = made;
  return status;
}

void iw_histogram_plan_free(iw_histogram_plan *plan)
{
  if (!plan)
    return;
  iw_plan_release(plan);
  free(plan);
}

static const char *rule_text(const iw_histogram_plan *plan)
{
  return plan->binning.mode == IW_BINNING_MAP ? "a table of all bytes"
    : plan->binning.cells ? "a table of cells, and comparison with the edges of a cell"
    : plan->binning.mode == IW_BINNING_SEARCH ? "search among the edges"
    : plan->binning.tau > 0 ? "arithmetic, and comparison near an edge" : "arithmetic alone";
}

/* How iw_histogram_plan_info.why says that the rule is exact. */
static void write_proof(const iw_binning *binning, char *text, size_t size)
{
  *text = 0;
  if (binning->mode == IW_BINNING_GUESS)
    iw_format(text, size, " (proven for all edges; samples within %.2g bins of an edge are compared)",
              binning->tau > 0 ? binning->tau : 0);
  else if (binning->cells)
    iw_format(text, size, " (%u cells %s)", binning->cells, binning->cell_shift ? "by leading bits" : "of equal length");
  else if (binning->mode == IW_BINNING_SEARCH)
    iw_format(text, size, " in %u steps (no formula is close enough to all of them)", binning->steps);
}

/* Which counters a call by rows has. */
static void write_counters(const iw_histogram_job *job, const iw_rows_plan *rows, char *text, size_t size)
{
  if (iw_uses_bin_partition(job))
    iw_format(text, size, ", partitioned by %zu ranges of bins, each counted in shared memory%s", iw_bin_range_count(job),
              job->plan->sampled ? ", as no bin has most of the sample" : "");
  else if (!rows->copies && !rows->in_shared)
    iw_format(text, size, ", in one table that all %zu blocks add to%s", rows->blocks,
              iw_has_dominant_bin(job->plan) ? ", as one bin has most of the sample" : "");
  else
    iw_format(text, size, ", %zu table%s of counters%s for each of %zu block%s in %s memory", rows->tables,
              rows->tables == 1 ? "" : "s", rows->counters_16 ? " of 16 bits" : "", rows->blocks,
              rows->blocks == 1 ? "" : "s", rows->in_shared ? "shared" : "global");
}

/* What the plan's sample showed, and whether tables leave frequent bins out, if the schedule can do so. */
static void write_sample(const iw_histogram_plan *plan, int finds_heavy_hitters, char *text, size_t size)
{
  *text = 0;
  if (plan->sampled)
    iw_format(text, size, "; the largest bin, or what is in none, has %.0f%% of a sample of %zu%s",
              100 * plan->top_bin_share, plan->sampled,
              !finds_heavy_hitters ? ""
              : iw_may_have_heavy_hitters(plan) ? ", so tables leave out frequent ones" : ", so tables take all");
}

/* Needs the default floating-point environment. */
static IW_NOINLINE void describe(const iw_histogram_plan *plan, iw_context *context, size_t n,
                                 iw_histogram_plan_info *info)
{
  iw_histogram_job job;
  iw_histogram_job_init(&job, context, plan, &plan->spec, n);
  const int by_rows = !iw_is_small_n(context, plan->spec.bins, n);
  const iw_rows_plan rows = by_rows ? iw_plan_rows(&job, n) : (iw_rows_plan){ .tables = 0 };
  info->type = plan->type;
  info->bins = plan->spec.bins;
  info->outputs = iw_outputs(&plan->spec);
  info->rule = rule_text(plan);
  info->ambiguous = plan->binning.tau > 0 ? 2 * plan->binning.tau : 0;
  info->tables = rows.tables;
  info->copies = rows.copies ? rows.blocks : 0;
  char proof[96], sample[128], counters[160] = "";
  write_proof(&plan->binning, proof, sizeof proof);
  if (by_rows)
    write_counters(&job, &rows, counters, sizeof counters);
  write_sample(plan, by_rows && !context->device.prefers_global_atomics && iw_type_size(plan->type) > 1, sample,
               sizeof sample);
  const int length = iw_format(info->why, sizeof info->why, "%zu bins of %s by %s%s; %zu samples %s%s%s",
                               plan->spec.bins, iw_type_name(plan->type), rule_text(plan), proof, n,
                               by_rows ? "by whole rows" : "by one warp, as they are too few for private counters",
                               counters, sample);
  if (length >= (int)sizeof info->why)
    memcpy(info->why + sizeof info->why - 4, "...", 4);
}

iw_status iw_histogram_plan_get_info(iw_context *context, const iw_histogram_plan *plan, size_t n,
                                     iw_histogram_plan_info *info)
{
  iw_fp_env callers;
  IW_TRY(iw_check_pointer("plan", plan));
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("info", info));
  IW_TRY(iw_check_struct_size("info->size", info->size, "iw_histogram_plan_info", sizeof *info));
  iw_clear_unknown(info, sizeof *info);
  iw_fp_env_set_default(&callers);
  describe(plan, context, n, info);
  iw_fp_env_restore(&callers);
  return IW_OK;
}
