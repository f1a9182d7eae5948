/* SPDX-License-Identifier: Apache-2.0
 *
 * Weighted histograms, host side: sums of weights by the bins of a plan or by the cells of a table, whose
 * indices are computed a chunk at a time (nd_tables.h). Algorithm layer; what a device can do is read from
 * context->device.
 */
#include "algorithms/common/exact_number.h"
#include "algorithms/exact_sum/exact_sum.h"
#include "algorithms/histogram/nd_tables.h"
#include "algorithms/histogram/weighted_sums.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <stdio.h>
#include <stdlib.h>

/* Tuning. None of these numbers can change a result. */
enum {
  /* bytes of all blocks' private sums; if they need more, blocks use atomics */
  MAX_COPIES_BYTES = 32 << 20,
  MIN_WEIGHTS_PER_BLOCK = 1 << 14 /* grain size: weights of a block, at least */
};

iw_sum_format iw_sum_format_of(iw_type type)
{
  switch (type) {
  case IW_I32: return (iw_sum_format){ IW_K_accumulate_weights_i32, 1, 0, 0, sizeof(int64_t) };
  case IW_U32: return (iw_sum_format){ IW_K_accumulate_weights_u32, 1, 0, 0, sizeof(uint64_t) };
  case IW_F32: return (iw_sum_format){ IW_K_accumulate_weights_f32, IW_DIGITS_F32 + IW_NONFINITE_WORDS,
      IW_DIGITS_F32, 23, sizeof(float) };
  case IW_F64: return (iw_sum_format){ IW_K_accumulate_weights_f64, IW_DIGITS_F64 + IW_NONFINITE_WORDS,
      IW_DIGITS_F64, 52, sizeof(double) };
  default: /* i64 and u64: sums wrap, whatever the sign; others are not types of weights: iw_check_type() */
    return (iw_sum_format){ IW_K_accumulate_weights_u64, 1, 0, 0, sizeof(uint64_t) };
  }
}

iw_status iw_begin_weighted(iw_context *context, const iw_sum_format *how, size_t entries, size_t n, int several_axes,
                            int one_copy, iw_weighted_chunks *c)
{
  const size_t chunk = iw_max(1, iw_min(n, iw_chunk_size(context)));
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
    IW_TRY(iw_find_bin_indices(context, plan, iw_element_at(plan->type, samples, at), here, c.bin_indices));
    IW_TRY(iw_add_weights(context, how, &c, iw_element_at(weight_type, weights, at), here));
  }
  return IW_OK;
}

/* Sums by the cells of a table, with an entry for the samples that are in none. */
static iw_status accumulate_table(iw_context *context, const iw_nd_axes *axes, const iw_sum_format *how, iw_type weight_type,
                                  const void *weights, size_t n, iw_weighted_sums *to)
{
  iw_weighted_chunks c;
  IW_TRY(iw_begin_weighted(context, how, axes->total + 3, n, axes->dimensions > 1, 0, &c));
  *to = c.sums;
  for (size_t at = 0; at < n; at += c.chunk) {
    const size_t here = iw_min(n - at, c.chunk);
    IW_TRY(iw_find_table_indices(context, axes, at, here, c.bin_indices, c.other));
    IW_TRY(iw_add_weights(context, how, &c, iw_element_at(weight_type, weights, at), here));
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
  if (iw_counter_size(&plan->spec) == sizeof(uint64_t))
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID, "%s->counter_width is 4, but sums of %s are no counters; valid are 0 and 8", name,
                 iw_type_name(weight_type));
}

/* What both calls for one plan check of their inputs; it lists samples, weights and sums. */
static iw_status check_weighted(const iw_histogram_plan *plan, const void *samples, iw_type weight_type, const void *weights, size_t n,
                                const void *sums, size_t sum_size, iw_array arrays[3])
{
  IW_TRY(iw_check_named_type("weight_type", weight_type, IW_SIX_TYPES));
  const unsigned accumulates = plan->spec.flags & IW_HIST_ACCUMULATE ? IW_READ : 0;
  arrays[0] = (iw_array){ "samples", samples, n, iw_type_size(plan->type), IW_READ, NULL };
  arrays[1] = (iw_array){ "weights", weights, n, iw_type_size(weight_type), IW_READ, NULL };
  arrays[2] = (iw_array){ "sums", sums, iw_outputs(&plan->spec), iw_min(sum_size, sizeof(uint64_t)), IW_WRITE | accumulates, NULL };
  IW_TRY(iw_check_each_array(arrays, 3));
  arrays[2].count *= sum_size / arrays[2].size; /* exact sums have several words */
  IW_TRY(iw_check_arrays(arrays, 3));
  IW_TRY(check_no_narrow_counters("spec", plan, weight_type));
  return iw_check_sums("spec", plan->spec.bins, "bins", weight_type, n);
}

static iw_status sum_weights(iw_context *context, const iw_histogram_plan *plan, const void *samples, iw_type weight_type,
                             const void *weights, size_t n, void *sums)
{
  const size_t sum_size = (unsigned)weight_type <= IW_F64 ? iw_sum_format_of(weight_type).sum : 1;
  iw_array arrays[3];
  IW_TRY(check_weighted(plan, samples, weight_type, weights, n, sums, sum_size, arrays));
  const iw_sum_format how = iw_sum_format_of(weight_type);
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

static iw_status sum_weights_exactly(iw_context *context, const iw_histogram_plan *plan, const void *samples, iw_type weight_type,
                                     const void *weights, size_t n, iw_exact_sum *sums)
{
  iw_array arrays[3];
  IW_TRY(check_weighted(plan, samples, weight_type, weights, n, sums, sizeof *sums, arrays));
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
  iw_weighted_sums found;
  IW_TRY(iw_stage(&context, arrays, 2));
  iw_status status = accumulate_weighted(context, plan, arrays[0].kernel_ptr, &how, weight_type,
                                         arrays[1].kernel_ptr, n, &found);
  if (status == IW_OK)
    status = add_weighted(context, plan, &how, &found, sums);
  return iw_unstage(context, arrays, 2, status);
}

iw_status iw_histogram_weighted(iw_context *context, const iw_histogram_spec *spec, const void *samples, iw_type weight_type,
                                const void *weights, size_t n, void *sums)
{
  iw_call_plan plan;
  IW_TRY(iw_check_context(context));
  iw_status status = iw_call_plan_make("spec", spec, &plan);
  if (status == IW_OK)
    status = sum_weights(context, plan.plan, samples, weight_type, weights, n, sums);
  iw_call_plan_release(&plan);
  return status;
}

iw_status iw_histogram_weighted_exact(iw_context *context, const iw_histogram_spec *spec, const void *samples, iw_type weight_type,
                                      const void *weights, size_t n, iw_exact_sum *sums)
{
  iw_call_plan plan;
  IW_TRY(iw_check_context(context));
  iw_status status = iw_call_plan_make("spec", spec, &plan);
  if (status == IW_OK)
    status = sum_weights_exactly(context, plan.plan, samples, weight_type, weights, n, sums);
  iw_call_plan_release(&plan);
  return status;
}

static iw_status sum_table(iw_context *context, iw_nd_axes *own, iw_type weight_type, const void *weights, size_t n, void *sums)
{
  iw_array arrays[IW_MAX_HISTOGRAM_AXES + 2];
  iw_array *const of_weights = &arrays[IW_MAX_HISTOGRAM_AXES], *const of_sums = of_weights + 1;
  IW_TRY(iw_check_named_type("weight_type", weight_type, IW_SIX_TYPES));
  IW_TRY(iw_check_table(own));
  const iw_sum_format how = iw_sum_format_of(weight_type);
  const iw_histogram_plan *const plan = own->of[0].plan;
  const int accumulate = (plan->spec.flags & IW_HIST_ACCUMULATE) != 0;
  *of_weights = (iw_array){ "weights", weights, n, iw_type_size(weight_type), IW_READ, NULL };
  *of_sums = (iw_array){ "sums", sums, own->total, how.sum, IW_WRITE | (accumulate ? IW_READ : 0), NULL };
  IW_TRY(iw_check_each_array(of_weights, 2));
  IW_TRY(check_no_narrow_counters("axes[0].spec", plan, weight_type));
  IW_TRY(iw_check_sums("axes[0].spec", own->total, "sums with the other axes", weight_type, n));
  for (unsigned d = own->dimensions; d < IW_MAX_HISTOGRAM_AXES; d++)
    arrays[d] = (iw_array){ "samples", NULL, 0, 1, IW_READ, NULL };
  iw_list_axis_samples(own, n, arrays);
  for (const iw_array *in = arrays; in < of_sums; in++)
    IW_TRY(iw_check_pair(in, of_sums));
  IW_TRY(iw_stage(&context, arrays, IW_MAX_HISTOGRAM_AXES + 2));
  iw_use_staged_axis_samples(own, arrays);
  iw_weighted_sums found;
  iw_status status = accumulate_table(context, own, &how, weight_type, of_weights->kernel_ptr, n, &found);
  if (status == IW_OK)
    status = iw_write_weighted(context, &how, &found, own->total, own->total, 0, accumulate, of_sums->kernel_ptr);
  return iw_unstage(context, arrays, IW_MAX_HISTOGRAM_AXES + 2, status);
}

iw_status iw_histogram_nd_weighted(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
                                   iw_type weight_type, const void *weights, size_t n, void *sums)
{
  iw_nd_axes own;
  IW_TRY(iw_check_context(context));
  iw_status status = iw_copy_axes(&own, axes, dimensions, n);
  if (status == IW_OK)
    status = sum_table(context, &own, weight_type, weights, n, sums);
  iw_release_axes(&own);
  return status;
}
