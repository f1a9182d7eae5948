/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of distributed arrays: each rank counts its samples, and an all-reduce adds the counters up.
 * Sums of float weights are added up without rounding (exact.c). An automatic range is that of the ranks'
 * extremes. Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"
#include "algorithms/distributed/exact.h"
#include "algorithms/histogram/histogram.h"
#include "algorithms/scan/scan.h"

#include <inttypes.h>

/* ---- Specs ------------------------------------------------------------------------------------------ */

void iw_step_spec(iw_step *step, iw_type type, const iw_histogram_spec *bins)
{
  if (step->status != IW_OK)
    return;
  const iw_histogram_plan *const plan = bins->plan;
  const iw_histogram_spec *const spec = iw_spec_of(bins);
  const size_t size = iw_type_size(type);
  iw_step_word(step, "whether there is a plan", IW_WORD_NUMBER, plan != NULL);
  iw_step_word(step, "kind of bins", IW_WORD_NUMBER, (uint64_t)spec->kind);
  iw_step_word(step, "bins", IW_WORD_NUMBER, spec->bins);
  iw_step_word(step, "policy", IW_WORD_NUMBER, (uint64_t)spec->policy);
  iw_step_word(step, "flags", IW_WORD_HEX, spec->flags);
  iw_step_word(step, "bytes of a counter", IW_WORD_NUMBER, iw_counter_size(spec));
  if (plan) { /* what kernels read of its edges */
    const uint64_t mask = size == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX; /* keys have at least 4 bytes */
    iw_step_word(step, "bottom of the plan", IW_WORD_HEX, plan->binning.bottom.u64 & mask);
    iw_step_word(step, "top of the plan", IW_WORD_HEX, plan->binning.top.u64 & mask);
  }
  if (plan && plan->edges)
    iw_step_hash(step, "plan", plan->edges, plan->edges_bytes);
  else if (plan)
    iw_step_hash(step, "plan", plan->map, sizeof plan->map);
  else if (spec->kind == IW_HISTOGRAM_EDGES)
    iw_step_hash(step, "edges", spec->edges, (spec->bins + 1) * size);
  else if (spec->kind == IW_HISTOGRAM_MAP)
    iw_step_hash(step, "map", spec->map, 256 * sizeof *spec->map);
  else {
    iw_step_word(step, "whether the range is automatic", IW_WORD_NUMBER,
                 (uint64_t)iw_spec_is_automatic(spec));
    iw_step_value(step, "lo", type, spec->lo);
    iw_step_value(step, "hi", type, spec->hi);
  }
}

static int is_automatic(const iw_histogram_spec *spec)
{
  return !spec->plan && iw_spec_is_automatic(spec);
}

/* The least and the greatest of this rank's samples, as own words 1 and 2. */
static iw_status find_own_extremes(iw_step *step, iw_type type, const void *samples, size_t n)
{
  iw_scalar_bits least = { .u64 = 0 }, greatest = { .u64 = 0 };
  if (n) {
    IW_TRY(iw_reduce_by_op(step->context, IW_MIN, type, samples, n, &least));
    IW_TRY(iw_reduce_by_op(step->context, IW_MAX, type, samples, n, &greatest));
  }
  step->record.own[1] = least.u64;
  step->record.own[2] = greatest.u64;
  return IW_OK;
}

iw_status iw_find_extremes(iw_step *step, iw_type type, const void *samples, size_t n,
                           const iw_histogram_spec *spec)
{
  return is_automatic(spec) ? find_own_extremes(step, type, samples, n) : IW_OK;
}

iw_status iw_range_of_extremes(iw_step *step, iw_type type, void *lo, void *hi)
{
  iw_distributed *const d = step->handle;
  const size_t size = iw_type_size(type);
  size_t k = 0;
  for (unsigned r = 0; r < d->peers.count; r++)
    for (unsigned word = 1; word <= 2 && d->records[r].own[0]; word++)
      memcpy((char *)d->values + k++ * size, &d->records[r].own[word], size);
  return iw_histogram_range(step->context, type, d->values, 1, k, lo, hi);
}

iw_status iw_range_spec(iw_step *step, iw_type type, const iw_histogram_spec *spec,
                        iw_histogram_spec *ranged,
                        iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  *ranged = *spec;
  ranged->size = sizeof *ranged;
  if (!is_automatic(spec))
    return IW_OK;
  IW_TRY(iw_range_of_extremes(step, type, lo, hi));
  ranged->lo = lo;
  ranged->hi = hi;
  ranged->flags |= IW_HIST_CLOSED_TOP;
  return IW_OK;
}

static iw_status check_range(iw_type type, const void *samples, size_t n, const void *lo, const void *hi)
{
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_array("samples", samples, n, size));
  IW_TRY(iw_check_single("lo", lo, size));
  IW_TRY(iw_check_single("hi", hi, size));
  IW_TRY(iw_check_no_overlap("samples", samples, n * size, "lo", lo, size));
  IW_TRY(iw_check_no_overlap("samples", samples, n * size, "hi", hi, size));
  return iw_check_no_overlap("lo", lo, size, "hi", hi, size);
}

iw_status iw_distributed_histogram_range(iw_distributed *handle, iw_type type, const void *samples, size_t n,
                                         void *lo, void *hi)
{
  iw_step step;
  iw_scalar_bits least, greatest;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_histogram_range"));
  const size_t size = iw_type_size(type);
  IW_STEP(&step, check_range(type, samples, n, lo, hi));
  IW_STEP(&step, iw_step_select(&step, samples, n * size, NULL, 0));
  IW_STEP(&step, find_own_extremes(&step, type, samples, n));
  iw_step_word(&step, "type", IW_WORD_TYPE, type);
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  IW_STEP(&step, iw_range_of_extremes(&step, type, &least, &greatest));
  IW_TRY(iw_agree(&step));
  memcpy(lo, &least, size);
  memcpy(hi, &greatest, size);
  return IW_OK;
}

/* ---- Counts ----------------------------------------------------------------------------------------- */

/* Counters in host memory: those of the report follow those of the bins, and the number of ranks that have
 * failed to count follows these. */
enum { REPORT_WORDS = 3, FAILED_WORDS = 1, MORE_WORDS = REPORT_WORDS + FAILED_WORDS };
enum { WANTS_REPORT = 3 }; /* own word: whether this rank does */
typedef struct counter_job {
  size_t outputs, size;    /* counters, and bytes of one in the caller's memory */
  int adds;                /* to what the caller's counters hold */
  int reports;             /* a rank wants the report, which is one more copy from a device */
  uint64_t *words;         /* outputs + MORE_WORDS */
  uint64_t *before;        /* if it adds: what the caller's counters hold, `outputs` */
  void *counts;            /* the caller's */
} counter_job;

static iw_status check_histogram(iw_type type, const void *samples, size_t n, const iw_histogram_spec *bins,
                                 counter_job *j,
                                 const iw_histogram_report *report)
{
  const size_t bytes = n * iw_type_size(type);
  IW_TRY(iw_check_spec(type, bins));
  IW_TRY(iw_check_array("samples", samples, n, iw_type_size(type)));
  const iw_histogram_spec *const spec = iw_spec_of(bins);
  j->outputs = iw_outputs(spec);
  j->size = iw_counter_size(spec);
  j->adds = (spec->flags & IW_HIST_ACCUMULATE) != 0;
  IW_TRY(iw_check_array("counts", j->counts, j->outputs, j->size));
  IW_TRY(iw_check_no_overlap("samples", samples, bytes, "counts", j->counts, j->outputs * j->size));
  if (!report)
    return IW_OK;
  IW_TRY(iw_check_no_overlap("samples", samples, bytes, "report", report, report->size));
  return iw_check_no_overlap("counts", j->counts, j->outputs * j->size, "report", report, report->size);
}

static iw_status reserve_before(iw_step *step, counter_job *j)
{
  void *memory;
  IW_TRY(iw_slot_memory(step, IW_SLOT_PLACES, NULL, j->outputs * sizeof *j->before, &memory));
  j->before = memory;
  return IW_OK;
}

static iw_status reserve_counters(iw_step *step, counter_job *j)
{
  void *memory;
  const size_t words = j->outputs + MORE_WORDS;
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, words * sizeof *j->words, &memory));
  j->words = memory;
  memset(memory, 0, words * sizeof *j->words);
  if (j->adds)
    IW_TRY(reserve_before(step, j));
  return iw_all_reduce_reserve(step, words);
}

/* Makes 64-bit counters of 32-bit ones at the same place. */
static void widen_counters(uint64_t *words, size_t n)
{
  for (size_t k = n; k-- > 0;) {
    uint32_t narrow;
    memcpy(&narrow, (const char *)words + k * sizeof narrow, sizeof narrow);
    words[k] = narrow;
  }
}

/* Counts this rank's samples into words that are 0, so that it does not matter whether the counts are
 * added. */
static iw_status count_own(iw_step *step, iw_type type, const void *samples, size_t n,
                           const iw_histogram_spec *bins, counter_job *j)
{
  iw_histogram_report report = { .size = sizeof report };
  iw_histogram_spec ranged;
  iw_scalar_bits lo, hi;
  uint64_t total = 0;
  for (unsigned r = 0; r < step->handle->peers.count; r++) {
    total += step->handle->records[r].own[0];
    j->reports |= step->handle->records[r].own[WANTS_REPORT] != 0;
  }
  if (j->size == sizeof(uint32_t) && total > UINT32_MAX)
    return iw_fail(IW_ERROR_OVERFLOW,
                   "the whole array has %" PRIu64 " elements; a 32-bit counter holds at most %lu", total,
                   (unsigned long)UINT32_MAX);
  IW_TRY(iw_range_spec(step, type, bins, &ranged, &lo, &hi));
  IW_TRY(iw_histogram(step->context, &ranged, samples, n, j->words,
                      IW_OPTIONS(iw_histogram_options, .report = j->reports ? &report : NULL)));
  if (j->size == sizeof(uint32_t))
    widen_counters(j->words, j->outputs);
  j->words[j->outputs] = report.underflow;
  j->words[j->outputs + 1] = report.overflow;
  j->words[j->outputs + 2] = report.nan;
  return IW_OK;
}

/* Makes the sums what the caller's counters hold then: with the old counts, if they are added, and of their
 * width. */
static iw_status write_counters(iw_step *step, const counter_job *j)
{
  const size_t bytes = j->outputs * j->size;
  if (j->adds) {
    IW_TRY(iw_memory_copy(step->handle->context, j->before, j->counts, bytes));
    if (j->size == sizeof(uint32_t))
      widen_counters(j->before, j->outputs);
    for (size_t k = 0; k < j->outputs; k++)
      j->words[k] += j->before[k];
  }
  for (size_t k = 0; k < j->outputs && j->size == sizeof(uint32_t); k++) {
    const uint32_t narrow = (uint32_t)j->words[k];
    memcpy((char *)j->words + k * sizeof narrow, &narrow, sizeof narrow);
  }
  return iw_memory_copy(step->handle->context, j->counts, j->words, bytes);
}

static iw_status count_samples(iw_step *step, const iw_histogram_spec *spec, const void *samples, size_t n, void *counts,
                               iw_histogram_report *report)
{
  iw_type type = (iw_type)0;
  counter_job j = { .counts = counts };
  IW_STEP(step, iw_check_spec_of_call(spec, &type));
  IW_STEP(step, check_histogram(type, samples, n, spec, &j, report));
  iw_step_word(step, "type", IW_WORD_TYPE, type);
  iw_step_spec(step, type, spec);
  IW_STEP(step, iw_step_select(step, samples, n * iw_type_size(type), counts, j.outputs * j.size));
  IW_STEP(step, iw_find_extremes(step, type, samples, n, spec));
  IW_STEP(step, reserve_counters(step, &j));
  step->record.own[0] = n;
  step->record.own[WANTS_REPORT] = report != NULL;
  IW_TRY(iw_agree(step));
  IW_STEP(step, count_own(step, type, samples, n, spec, &j));
  uint64_t *const failed = &j.words[j.outputs + REPORT_WORDS];
  *failed = step->status != IW_OK;
  IW_TRY(iw_all_reduce(step, j.words, j.outputs + MORE_WORDS));
  if (*failed)
    return iw_agree(step);
  const iw_histogram_report sums = {
    .underflow = j.words[j.outputs], .overflow = j.words[j.outputs + 1], .nan = j.words[j.outputs + 2],
  };
  IW_STEP(step, write_counters(step, &j));
  IW_TRY(iw_finish(step));
  if (report) {
    iw_clear_unknown(report, sizeof *report);
    report->underflow = sums.underflow;
    report->overflow = sums.overflow;
    report->nan = sums.nan;
  }
  return IW_OK;
}

/* ---- Weights ---------------------------------------------------------------------------------------- */

/* A call's plan, arrays and sums. */
typedef struct weighted_job {
  iw_call_plan call;
  const iw_histogram_plan *plan; /* of call */
  iw_histogram_spec spec;        /* that is the plan */
  iw_type type, weight_type;
  const void *samples, *weights;
  size_t n, outputs, size;
  void *sums;              /* the caller's */
  void *own;               /* uint64_t or iw_exact_sum, in host memory */
  counter_job counters;    /* of integers; of floats, `before` has room for the rounded sums */
} weighted_job;

static int is_float_weight(iw_type type) { return type == IW_F32 || type == IW_F64; }

/* Adds weights to `own`, exact sums if they are floats. */
static iw_status add_weights(iw_step *step, const weighted_job *j, const void *samples, const void *weights, size_t n)
{
  const int is_float = is_float_weight(j->weight_type);
  return iw_histogram(step->context, &j->spec, samples, n, is_float ? NULL : j->own,
                      IW_OPTIONS(iw_histogram_options, .weight_type = j->weight_type, .weights = weights,
                                 .exact_sums = is_float ? j->own : NULL));
}

/* The checks of a call without samples, which writes to `own` only, and those of the arrays. */
static iw_status check_weighted(iw_step *step, weighted_job *j)
{
  void *memory;
  const int is_float = is_float_weight(j->weight_type);
  const size_t sample_bytes = j->n * iw_type_size(j->type),
      weight_bytes = j->n * iw_type_size(j->weight_type);
  j->outputs = iw_outputs(&j->plan->spec);
  j->size = is_float ? iw_type_size(j->weight_type) : sizeof(uint64_t);
  IW_TRY(iw_check_array("samples", j->samples, j->n, iw_type_size(j->type)));
  IW_TRY(iw_check_array("options->weights", j->weights, j->n, iw_type_size(j->weight_type)));
  IW_TRY(iw_check_array("sums", j->sums, j->outputs, j->size));
  IW_TRY(iw_check_no_overlap("samples", j->samples, sample_bytes, "counts", j->sums, j->outputs * j->size));
  IW_TRY(iw_check_no_overlap("options->weights", j->weights, weight_bytes, "counts", j->sums, j->outputs * j->size));
  const size_t own_bytes = j->outputs * (is_float ? sizeof(iw_exact_sum) : sizeof(uint64_t));
  IW_TRY(iw_slot_memory(step, IW_SLOT_PARTS, NULL, own_bytes, &memory));
  j->own = memory;
  memset(memory, 0, own_bytes);
  for (size_t k = 0; is_float && k < j->outputs; k++)
    ((iw_exact_sum *)j->own)[k].format = IW_EXACT_SUM_FORMAT;
  j->counters = (counter_job){ .outputs = j->outputs, .size = sizeof(uint64_t), .words = j->own, .counts = j->sums,
                               .adds = (j->plan->spec.flags & IW_HIST_ACCUMULATE) != 0 };
  if (is_float || j->counters.adds)
    IW_TRY(reserve_before(step, &j->counters));
  IW_TRY(is_float ? iw_exact_reserve(step) : iw_all_reduce_reserve(step, j->outputs));
  return add_weights(step, j, NULL, NULL, 0);
}

/* Rounds each sum once, with the old one in it if sums are accumulated. */
static iw_status write_float_sums(iw_step *step, const weighted_job *j)
{
  const size_t bytes = j->outputs * j->size;
  iw_exact_sum *const exact = j->own;
  char *const values = (char *)j->counters.before;
  if (j->counters.adds)
    IW_TRY(iw_memory_copy(step->handle->context, values, j->sums, bytes));
  for (size_t k = 0; k < j->outputs; k++) {
    if (j->counters.adds)
      iw_exact_add_float(&exact[k], j->weight_type, values + k * j->size);
    IW_TRY(iw_exact_sum_round(&exact[k], j->weight_type, values + k * j->size));
  }
  return iw_memory_copy(step->handle->context, j->sums, values, bytes);
}

/* Sets the call's plan and what follows from it. */
static iw_status set_plan(weighted_job *j, const iw_histogram_spec *spec)
{
  IW_TRY(iw_call_plan_make("spec", spec, &j->call));
  j->plan = j->call.plan;
  j->spec = iw_spec_of_plan(j->plan);
  j->type = j->plan->type;
  return IW_OK;
}

static iw_status sum_weights(iw_step *step, weighted_job *j, const iw_histogram_spec *spec)
{
  IW_STEP(step, set_plan(j, spec));
  IW_STEP(step, iw_step_select(step, j->samples, j->plan ? j->n * iw_type_size(j->type) : 0, j->weights,
                               j->n * iw_type_size(j->weight_type)));
  IW_STEP(step, check_weighted(step, j));
  iw_step_word(step, "type", IW_WORD_TYPE, j->type);
  if (step->status == IW_OK)
    iw_step_spec(step, j->type, &j->spec);
  IW_TRY(iw_agree(step));
  IW_STEP(step, add_weights(step, j, j->samples, j->weights, j->n));
  IW_TRY(iw_agree(step));
  if (is_float_weight(j->weight_type))
    IW_TRY(iw_exact_all_reduce(step, j->own, j->outputs));
  else
    IW_TRY(iw_all_reduce(step, j->own, j->outputs));
  IW_STEP(step, is_float_weight(j->weight_type) ? write_float_sums(step, j) : write_counters(step, &j->counters));
  return iw_finish(step);
}

/* ---- The call --------------------------------------------------------------------------------------- */

static iw_status copy_options(const iw_histogram_options *options, iw_histogram_options *own)
{
  IW_TRY(iw_copy_histogram_options(options, own));
  if (own->exact_sums)
    return iw_fail(IW_ERROR_INVALID, "options->exact_sums is %p; valid is NULL: iw_histogram() adds to those of each rank, "
                   "iw_distributed_exact_sums_merge() merges them", (void *)own->exact_sums);
  return IW_OK;
}

iw_status iw_distributed_histogram(iw_distributed *handle, const iw_histogram_spec *spec, const void *samples, size_t n, void *counts,
                                   const iw_histogram_options *options)
{
  iw_step step;
  iw_histogram_options own;
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_histogram"));
  IW_STEP(&step, copy_options(options, &own));
  iw_step_word(&step, "options->weight_type", IW_WORD_TYPE, own.weight_type);
  if (!(int)own.weight_type)
    return count_samples(&step, spec, samples, n, counts, own.report);
  weighted_job j = { .weight_type = own.weight_type, .samples = samples, .weights = own.weights, .n = n, .sums = counts };
  const iw_status status = sum_weights(&step, &j, spec);
  iw_call_plan_release(&j.call);
  return status;
}
