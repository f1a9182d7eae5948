/* SPDX-License-Identifier: Apache-2.0
 *
 * Weighted histograms, host side: sums of weights by the bins of a plan or by the cells of a table, whose
 * indices are computed a chunk at a time (nd_tables.h). Algorithm layer; what a device can do is read from
 * context->device.
 */
#include "algorithms/common/exact_number.h"
#include "algorithms/exact_sum/exact_sum.h"
#include "algorithms/histogram/nd_tables.h"
#include "algorithms/histogram/pair_args.h"
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
  MIN_WEIGHTS_PER_BLOCK = 1 << 13 /* grain size: weights of a block, at least */
};

iw_sum_format iw_sum_format_of(iw_type type)
{
  switch (type) {
  case IW_I32: return (iw_sum_format){ IW_K_accumulate_weights_i32, 1, 0, 0, sizeof(int64_t), 0, 0 };
  case IW_U32: return (iw_sum_format){ IW_K_accumulate_weights_u32, 1, 0, 0, sizeof(uint64_t), 0, 0 };
  case IW_F32: return (iw_sum_format){ IW_K_accumulate_weights_f32, IW_DIGITS_F32 + IW_NONFINITE_WORDS,
      IW_DIGITS_F32, 23, sizeof(float), 0, 0 };
  case IW_F64: return (iw_sum_format){ IW_K_accumulate_weights_f64, IW_DIGITS_F64 + IW_NONFINITE_WORDS,
      IW_DIGITS_F64, 52, sizeof(double), 0, 0 };
  default: /* i64 and u64: sums wrap, whatever the sign; others are not types of weights: iw_check_type() */
    return (iw_sum_format){ IW_K_accumulate_weights_u64, 1, 0, 0, sizeof(uint64_t), 0, 0 };
  }
}

/* What the weights of some blocks have in common. */
static iw_status find_extent(iw_context *context, const iw_sum_format *how, const void *weights, size_t n, iw_weights_extent *all)
{
  enum { MOST_BLOCKS = 64 };
  iw_weights_extent found[MOST_BLOCKS];
  const size_t wanted = iw_min(iw_ceil_div(n, MIN_WEIGHTS_PER_BLOCK), iw_min(context->device.processors, MOST_BLOCKS));
  const size_t chunk = iw_ceil_div(n, wanted), blocks = iw_ceil_div(n, chunk);
  IW_TRY(iw_launch_by_id(context, IW_K_weights_extent, blocks, 0, &(iw_weights_extent_args){
    .weights = weights, .n = n, .chunk = chunk, .weight_bytes = how->sum, .found = found,
  }));
  *all = (iw_weights_extent){ 0, UINT64_MAX };
  for (size_t b = 0; b < blocks; b++) {
    all->greatest = iw_max(all->greatest, found[b].greatest);
    all->least = iw_min(all->least, found[b].least);
  }
  return IW_OK;
}

/* The place of a float's last bit in units of the smallest subnormal number. */
static uint32_t place_of(const iw_sum_format *how, uint64_t magnitude)
{
  const uint32_t field = (uint32_t)(magnitude >> how->mantissa);
  return field ? field - 1 : 0;
}

/* Has sums in pairs of words if the device has the kernels for it, if windows of 64 bits (weight_windows.h)
 * do not take less time, which each bin of many weights has room for, and if all weights are finite and so
 * near each other that no sum of n of them overflows. */
static iw_status choose_pairs(iw_context *context, iw_type weight_type, const void *weights, size_t n, size_t entries, iw_sum_format *how)
{
  enum { WINDOWED_ENTRIES = 8192, WEIGHTS_OF_WINDOWED = 32, LEAST_WINDOWED = 8192 };
  iw_weights_extent all;
  const int by_windows = entries <= WINDOWED_ENTRIES && n >= LEAST_WINDOWED && n / WEIGHTS_OF_WINDOWED >= entries;
  if (!context->device.reads_host_memory || weight_type < IW_F32 || !n || by_windows)
    return IW_OK;
  IW_TRY(find_extent(context, how, weights, n, &all));
  const uint32_t last_field = weight_type == IW_F32 ? 255 : 2047, least = all.greatest ? place_of(how, all.least) : 0;
  const unsigned bits_of_count = 64 - (unsigned)__builtin_clzll(n);
  if (all.greatest >> how->mantissa == last_field
      || place_of(how, all.greatest) - least + how->mantissa + 1 + bits_of_count >= IW_PAIR_BITS)
    return IW_OK;
  how->kernel = IW_K_accumulate_pairs;
  how->words = IW_PAIR_WORDS;
  how->in_pairs = 1;
  how->place = least;
  return IW_OK;
}

iw_status iw_begin_weighted(iw_context *context, const iw_sum_format *how, size_t entries, size_t n, int several_axes,
                            int one_copy, iw_weighted_chunks *c)
{
  const size_t chunk = iw_max(1, iw_min(n, iw_chunk_size(context)));
  const size_t words = entries * how->words, fit = MAX_COPIES_BYTES / (words * sizeof(uint64_t));
  const size_t cores = context->device.processors;
  const size_t wanted = iw_min(context->device.prefers_global_atomics ? 4 * cores : cores,
                               iw_ceil_div(chunk, MIN_WEIGHTS_PER_BLOCK));
  const int may_copy = !one_copy && !context->device.prefers_global_atomics;
  const size_t blocks = how->in_pairs && may_copy ? iw_min(wanted, iw_max(fit, 1)) : wanted; /* pairs have no atomics */
  const int privatised = may_copy && iw_max(fit, 1) >= blocks;
  iw_layout layout;
  void *scratch;
  c->chunk = chunk;
  c->blocks = how->in_pairs && !privatised ? 1 : blocks;
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
  /* Copies are cleared by who adds to them: in all threads at the same time, and in their caches. */
  c->clears = privatised && !how->in_pairs && n;
  return c->clears ? IW_OK : iw_clear(context, c->sums.sums, c->sums.copies * words);
}

iw_status iw_add_weights(iw_context *context, const iw_sum_format *how, iw_weighted_chunks *c, const void *weights,
                         size_t n)
{
  const int clears = c->clears;
  c->clears = 0;
  if (how->in_pairs)
    return iw_launch_by_id(context, how->kernel, c->blocks, 0, &(iw_accumulate_pairs_args){
      .bin_indices = c->bin_indices, .weights = weights, .n = n, .chunk = iw_ceil_div(n, c->blocks), .weight_bytes = how->sum,
      .sums = c->sums.sums, .entries = (uint32_t)c->sums.entries, .place = how->place,
    });
  return iw_launch_by_id(context, how->kernel, c->blocks, 256, &(iw_accumulate_weights_args){
    .bin_indices = c->bin_indices, .weights = weights, .n = n, .sums = c->sums.sums,
    .entries = (uint32_t)c->sums.entries, .privatised = (uint32_t)c->privatised, .words = how->words,
    .digits = how->digits, .clears = (uint32_t)clears,
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
  enum { LEAST_PAIRS = 4096 };
  if (how->in_pairs) {
    const size_t chunk = iw_max(iw_ceil_div(outputs, context->device.processors), LEAST_PAIRS);
    return iw_launch_by_id(context, IW_K_write_pairs, iw_ceil_div(outputs, chunk), 0, &(iw_write_pairs_args){
      .sums = from->sums, .out = out, .copies = from->copies, .chunk = chunk, .weight_bytes = how->sum,
      .entries = (uint32_t)from->entries, .place = how->place, .bins = (uint32_t)bins, .outputs = (uint32_t)outputs,
      .clamp = (uint32_t)clamp,
    });
  }
  /* Where there are copies, each block has 32 sums of one warp, which adds their copies up together. */
  const size_t each = from->copies > 1 ? 32 : 64, threads = from->copies > 1 ? 32 : 256;
  return iw_launch_by_id(context, IW_K_write_sums, iw_min(iw_ceil_div(outputs, each), 1 << 16), (unsigned)threads,
                         &(iw_write_sums_args){
    .sums = from->sums, .out = out, .entries = (uint32_t)from->entries, .copies = (uint32_t)from->copies,
    .words = how->words, .digits = how->digits, .bins = (uint32_t)bins, .outputs = (uint32_t)outputs,
    .clamp = (uint32_t)clamp, .accumulate = (uint32_t)accumulate, .mantissa = how->mantissa,
    .sum_bits = (uint32_t)(8 * how->sum),
  });
}

/* ---- Where the sums go ---- */

/* Adds the sums to the caller's exact sums, on the host. */
static iw_status add_exact(iw_context *context, const iw_sum_format *how, const iw_weighted_sums *from, size_t bins, iw_policy policy,
                           iw_exact_sum *sums)
{
  const size_t size = from->entries * how->words;
  const unsigned unit = how->sum == sizeof(float) ? 1074 - 149 : 0;
  uint64_t *const words = malloc(size * sizeof *words);
  iw_status status = words ? IW_OK : iw_fail(IW_ERROR_MEMORY, "no memory for the %zu bytes of the sums of %zu bins",
                                             size * sizeof *words, bins);
  for (size_t copy = 0; status == IW_OK && copy < from->copies; copy++) {
    status = context->ops->copy(context, words, from->sums + copy * size, size * sizeof *words);
    for (size_t entry = 0; status == IW_OK && entry < bins + 2; entry++) {
      const size_t clamped = entry == bins ? 0 : entry == bins + 1 ? bins - 1 : entry;
      if (entry < bins || policy != IW_POLICY_DROP)
        iw_add_exact_words(&sums[policy == IW_POLICY_CLAMP ? clamped : entry], words + entry, from->entries, how->digits, unit);
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

/* The array of the sums: the caller's counts, or the exact sums, whose words it has. */
static iw_array list_sums(const iw_histogram_options *o, const void *counts, size_t outputs, int accumulates)
{
  const unsigned access = IW_WRITE | (accumulates ? IW_READ : 0);
  if (o->exact_sums)
    return (iw_array){ "options->exact_sums", o->exact_sums, outputs * (sizeof(iw_exact_sum) / sizeof(uint64_t)), sizeof(uint64_t),
                       access, NULL };
  return (iw_array){ "counts", counts, outputs, iw_sum_format_of(o->weight_type).sum, access, NULL };
}

/* Checks the spec, of this name in messages, and the memory of the sums. */
static iw_status check_spec_and_sums(const char *name, const iw_histogram_spec *spec, const iw_histogram_options *o, const void *counts,
                                     size_t outputs)
{
  if (iw_counter_size(spec) != sizeof(uint64_t))
    return iw_fail(IW_ERROR_INVALID, "%s->counter_width is 4, but sums of %s are no counters; valid are 0 and 8", name,
                   iw_type_name(o->weight_type));
  if (o->exact_sums && counts)
    return iw_fail(IW_ERROR_INVALID, "counts is %p; valid is NULL, as options->exact_sums is not", counts);
  for (size_t k = 0; o->exact_sums && k < outputs; k++) {
    const iw_exact_sum *const sum = &o->exact_sums[k];
    char format[48] = "", nonfinite[48] = "";
    if (sum->format != IW_EXACT_SUM_FORMAT || sum->nonfinite) { /* the names are for messages */
      snprintf(format, sizeof format, "exact_sums[%zu].format", k);
      snprintf(nonfinite, sizeof nonfinite, "exact_sums[%zu].nonfinite", k);
    }
    IW_TRY(iw_check_exact_sum("options->exact_sums", format, nonfinite, sum));
  }
  return IW_OK;
}

/* Writes the sums of `bins` bins where they go; sums: staged, or NULL if they are exact. */
static iw_status write_sums(iw_context *context, const iw_histogram_options *o, const iw_sum_format *how, const iw_weighted_sums *from,
                            size_t bins, size_t outputs, iw_policy policy, int accumulate, void *sums)
{
  if (o->exact_sums)
    return add_exact(context, how, from, bins, policy, o->exact_sums);
  return iw_write_weighted(context, how, from, bins, outputs, policy == IW_POLICY_CLAMP, accumulate, sums);
}

/* Chooses how sums are kept: as pairs if that is possible and they are rounded sums of this call alone. */
static iw_status choose_format(iw_context *context, const iw_histogram_options *o, const void *weights, size_t n, size_t bins,
                               int accumulate, iw_sum_format *how)
{
  return accumulate || o->exact_sums ? IW_OK : choose_pairs(context, o->weight_type, weights, n, bins + 3, how);
}

/* ---- The calls ---- */

static iw_status sum_weights(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n, void *counts,
                             const iw_histogram_options *o)
{
  const iw_histogram_spec *const spec = &plan->spec;
  iw_sum_format how = iw_sum_format_of(o->weight_type);
  const int accumulate = (spec->flags & IW_HIST_ACCUMULATE) != 0;
  const unsigned staged = o->exact_sums ? 2 : 3;
  iw_array arrays[] = {
    { "samples", samples, n, iw_type_size(plan->type), IW_READ, NULL },
    { "options->weights", o->weights, n, iw_type_size(o->weight_type), IW_READ, NULL },
    list_sums(o, counts, iw_outputs(spec), accumulate),
  };
  IW_TRY(iw_check_arrays(arrays, 3));
  IW_TRY(check_spec_and_sums("spec", spec, o, counts, iw_outputs(spec)));
  IW_TRY(iw_check_sums("spec", spec->bins, "bins", o->weight_type, n));
  iw_weighted_sums found;
  IW_TRY(iw_stage(&context, arrays, staged));
  iw_status status = choose_format(context, o, arrays[1].kernel_ptr, n, spec->bins, accumulate, &how);
  if (status == IW_OK)
    status = accumulate_weighted(context, plan, arrays[0].kernel_ptr, &how, o->weight_type, arrays[1].kernel_ptr, n, &found);
  if (status == IW_OK)
    status = write_sums(context, o, &how, &found, spec->bins, iw_outputs(spec), spec->policy, accumulate, arrays[2].kernel_ptr);
  return iw_unstage(context, arrays, staged, status);
}

iw_status iw_histogram_weights(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t n, void *counts,
                               const iw_histogram_options *options)
{
  iw_call_plan plan;
  iw_status status = iw_call_plan_make("spec", spec, &plan);
  if (status == IW_OK)
    status = sum_weights(context, plan.plan, samples, n, counts, options);
  iw_call_plan_release(&plan);
  return status;
}

iw_status iw_histogram_nd_weights(iw_context *context, iw_nd_axes *axes, size_t n, void *counts, const iw_histogram_options *o)
{
  enum { WEIGHTS = IW_MAX_HISTOGRAM_AXES, SUMS };
  iw_array arrays[SUMS + 1];
  IW_TRY(iw_check_table(axes));
  iw_sum_format how = iw_sum_format_of(o->weight_type);
  const iw_histogram_plan *const plan = axes->of[0].plan;
  const int accumulate = (plan->spec.flags & IW_HIST_ACCUMULATE) != 0;
  const unsigned staged = o->exact_sums ? SUMS : SUMS + 1;
  arrays[WEIGHTS] = (iw_array){ "options->weights", o->weights, n, iw_type_size(o->weight_type), IW_READ, NULL };
  arrays[SUMS] = list_sums(o, counts, axes->total, accumulate);
  IW_TRY(iw_check_each_array(&arrays[WEIGHTS], 2));
  IW_TRY(check_spec_and_sums("axes[0].spec", &plan->spec, o, counts, axes->total));
  IW_TRY(iw_check_sums("axes[0].spec", axes->total, "sums with the other axes", o->weight_type, n));
  for (unsigned d = axes->dimensions; d < IW_MAX_HISTOGRAM_AXES; d++)
    arrays[d] = (iw_array){ "samples", NULL, 0, 1, IW_READ, NULL };
  iw_list_axis_samples(axes, n, arrays);
  for (const iw_array *in = arrays; in < &arrays[SUMS]; in++)
    IW_TRY(iw_check_pair(in, &arrays[SUMS]));
  IW_TRY(iw_stage(&context, arrays, staged));
  iw_use_staged_axis_samples(axes, arrays);
  iw_weighted_sums found;
  iw_status status = choose_format(context, o, arrays[WEIGHTS].kernel_ptr, n, axes->total, accumulate, &how);
  if (status == IW_OK)
    status = accumulate_table(context, axes, &how, o->weight_type, arrays[WEIGHTS].kernel_ptr, n, &found);
  if (status == IW_OK)
    status = write_sums(context, o, &how, &found, axes->total, axes->total, IW_POLICY_DROP, accumulate, arrays[SUMS].kernel_ptr);
  return iw_unstage(context, arrays, staged, status);
}
