/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms over a stream, whose range grows. All edges that such a histogram can ever have lie on one
 * lattice, and its range depends on the least and the greatest sample alone, so that the cuts of the stream
 * into batches and their order change nothing. Public entry and host side: each batch is counted by
 * iw_histogram().
 */
#include "algorithms/histogram/histogram.h"
#include "algorithms/binning/sample_values.h"
#include "runtime/check.h"
#include "runtime/fp_environment.h"
#include "runtime/staging.h"

#include <isowarp/histograms.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Lattice indices are below this in absolute value: sums of two and multiples of a few fit in 64 bits. */
#define MOST_INDEX ((int64_t)1 << 60)

/* Bins i = 0 … bins - 1, of which bin i begins at lattice index first + (i << level). */
typedef struct bin_range { int64_t first; unsigned level; size_t bins; } bin_range;

/* How a batch is counted in a range, some edges of which the type may not have. The plan's bins, which
 * leave these out, are bins first, first + 1, … of the range, and samples above them are in bin `above`.
 * plan NULL: all are in bin `first`. */
typedef struct range_plan { iw_histogram_plan *plan; size_t first, above; } range_plan;

struct iw_growing_histogram {
  iw_type type;
  iw_growth growth;
  size_t bins;               /* IW_GROW_RANGE: of the histogram; IW_GROW_BINS: at most */
  iw_scalar_bits origin, width;
  int has_samples;           /* then: */
  int64_t least, greatest;   /* the lattice indices of the least and the greatest sample */
  bin_range range;           /* bins 0: no memory yet */
  uint64_t *counts;          /* range.bins */
  uint64_t *batch;           /* of the latest batch: the plan's */
  range_plan plan;
  uint64_t below, above, nan;
};

/* ---- The lattice ---- */

static double largest_of(iw_type type)
{
  return type == IW_F64 ? DBL_MAX : type == IW_F32 ? (double)FLT_MAX
    : iw_half_value(type, (uint16_t)(iw_facts_of(type).of.infinity - 1));
}

/* The least and the greatest value of a type. */
static int128 least_integer(iw_type type)
{
  const int128 sign = (int128)iw_sign_bit(type);
  return iw_facts_of(type).is_signed ? -sign : 0;
}

static int128 greatest_integer(iw_type type)
{
  const int128 sign = (int128)iw_sign_bit(type);
  return iw_facts_of(type).is_signed ? sign - 1 : 2 * sign - 1;
}

/* Edge k of a lattice of floats: monotone in k; an infinity where the type has no such number. */
static double real_edge(const iw_growing_histogram *h, int64_t k)
{
  iw_scalar_bits stored = { 0 };
  const double edge = (double)k * real_at(h->type, &h->width, 0) + real_at(h->type, &h->origin, 0);
  if (fabs(edge) > largest_of(h->type))
    return edge < 0 ? -(double)INFINITY : (double)INFINITY;
  store_real(h->type, &stored, 0, edge);
  return real_at(h->type, &stored, 0);
}

static int128 integer_edge(const iw_growing_histogram *h, int64_t k)
{
  return integer_at(h->type, &h->origin, 0) + k * integer_at(h->type, &h->width, 0);
}

/* Whether edge k is at most the value. */
static int edge_is_at_most(const iw_growing_histogram *h, int64_t k, const iw_scalar_bits *value)
{
  return is_float(h->type) ? real_edge(h, k) <= real_at(h->type, value, 0)
    : integer_edge(h, k) <= integer_at(h->type, value, 0);
}

/* Finds the last edge that is at most the value. Returns 0 if the lattice does not reach so far. */
static int find_on_lattice(const iw_growing_histogram *h, const iw_scalar_bits *value, int64_t *index)
{
  int64_t at = -MOST_INDEX, step = MOST_INDEX;
  if (!edge_is_at_most(h, at, value) || edge_is_at_most(h, MOST_INDEX, value))
    return 0;
  for (; step; step /= 2) /* at most 2 * MOST_INDEX - 1 further */
    if (at + step < MOST_INDEX && edge_is_at_most(h, at + step, value))
      at += step;
  *index = at;
  return 1;
}

static int64_t floor_div(int64_t x, int64_t divisor)
{
  return x / divisor - (x % divisor < 0);
}

/* The range of all samples between two lattice indices. Returns 0 if there is none. */
static int range_of(const iw_growing_histogram *h, int64_t least, int64_t greatest, bin_range *range)
{
  if (h->growth == IW_GROW_BINS) {
    const uint64_t bins = (uint64_t)(greatest - least) + 1;
    *range = (bin_range){ least, 0, bins };
    return bins <= h->bins;
  }
  /* The first level at which the samples lie in two neighbouring halves of a range. */
  const int64_t half = (int64_t)h->bins / 2;
  for (unsigned level = 0; half <= MOST_INDEX >> level; level++) {
    const int64_t first = floor_div(least, half << level), last = floor_div(greatest, half << level);
    if (last - first <= 1) {
      *range = (bin_range){ first * (half << level), level, h->bins };
      return 1;
    }
  }
  return 0;
}

/* ---- Counts ---- */

/* Adds counts to those of a range that contains theirs. */
static void add_counts(const bin_range *from, const uint64_t *counts, const bin_range *to, uint64_t *sums)
{
  for (size_t i = 0; i < from->bins; i++)
    if (counts[i]) {
      const int64_t index = from->first + ((int64_t)i << from->level);
      sums[(size_t)((index - to->first) >> to->level)] += counts[i];
    }
}

/* Stores an edge in the sample type; where it has no such value, its least or greatest one. Returns -1, 0
 * or 1: the edge is below all values, a value, or above all. */
static int store_edge(const iw_growing_histogram *h, int64_t k, void *edges, size_t at)
{
  const size_t size = iw_type_size(h->type);
  if (is_float(h->type)) {
    const double edge = real_edge(h, k), largest = largest_of(h->type);
    store_real(h->type, edges, at, fmax(-largest, fmin(edge, largest)));
    return edge < -largest ? -1 : edge > largest;
  }
  const int128 edge = integer_edge(h, k), least = least_integer(h->type), greatest = greatest_integer(h->type);
  const uint64_t bits = (uint64_t)(edge < least ? least : edge > greatest ? greatest : edge);
  memcpy((char *)edges + at * size, &bits, size);
  return edge < least ? -1 : edge > greatest;
}

/* Finds the edges of a range that the type has: from *from on, as many as it returns. */
static size_t store_edges(const iw_growing_histogram *h, const bin_range *range, void *edges, size_t *from)
{
  size_t count = 0;
  *from = 0;
  for (size_t i = 0; i <= range->bins; i++) {
    const int side = store_edge(h, range->first + ((int64_t)i << range->level), edges, i);
    if (side < 0)
      *from = i + 1;
    else if (side == 0)
      count++;
  }
  return count;
}

/* The range of samples below the type's first edge begins at its least value. */
static int begins_above_least(const iw_growing_histogram *h, const void *edges, size_t from)
{
  return is_float(h->type) ? real_at(h->type, edges, from) > -largest_of(h->type)
    : integer_at(h->type, edges, from) > least_integer(h->type);
}

static iw_status make_plan(iw_context *context, const iw_growing_histogram *h, const bin_range *range,
                           range_plan *made)
{
  const size_t size = iw_type_size(h->type);
  char *const edges = malloc((range->bins + 1) * size);
  if (!edges)
    return iw_fail(IW_ERROR_MEMORY, "no memory for %zu edges of %zu bytes", range->bins + 1, size);
  size_t from, count = store_edges(h, range, edges, &from);
  *made = (range_plan){ NULL, count ? from : from - 1, range->bins };
  if (count) {
    made->above = from + count - 1;
    if (from && begins_above_least(h, edges, from)) { /* edge from - 1 was stored as the least value */
      made->first--;
      count++;
    }
  }
  const iw_histogram_spec spec = { .size = sizeof spec, .type = h->type, .kind = IW_HISTOGRAM_EDGES, .bins = count - 1,
                                   .edges = edges + made->first * size, .policy = IW_POLICY_COUNT };
  const iw_status status = count > 1 ? iw_histogram_plan_make(context, &spec, NULL, 0, &made->plan) : IW_OK;
  free(edges);
  return status;
}

/* Makes room for samples from lattice index least to greatest. If it fails, the histogram is as it was. */
static iw_status grow(iw_context *context, iw_growing_histogram *h, int64_t least, int64_t greatest)
{
  if (h->has_samples) {
    least = least < h->least ? least : h->least;
    greatest = greatest > h->greatest ? greatest : h->greatest;
  }
  bin_range range;
  if (!range_of(h, least, greatest, &range))
    return iw_fail(IW_ERROR_OVERFLOW, "samples from %" PRId64 " to %" PRId64 " widths from the origin need more than the "
                   "%zu bins that this histogram may have", least, greatest, h->bins);
  if (!h->range.bins || range.first != h->range.first || range.level != h->range.level || range.bins != h->range.bins) {
    range_plan plan;
    uint64_t *const counts = calloc(2 * range.bins + 2, sizeof *counts);
    if (!counts)
      return iw_fail(IW_ERROR_MEMORY, "no memory for %zu counters", 2 * range.bins + 2);
    const iw_status status = make_plan(context, h, &range, &plan);
    if (status != IW_OK) {
      free(counts);
      return status;
    }
    add_counts(&h->range, h->counts, &range, counts);
    free(h->counts);
    iw_histogram_plan_free(h->plan.plan);
    h->counts = counts;
    h->batch = counts + range.bins;
    h->plan = plan;
    h->range = range;
  }
  h->has_samples = 1;
  h->least = least;
  h->greatest = greatest;
  return IW_OK;
}

/* ---- Batches ---- */

/* Counts finite samples, whose least and greatest are known. */
static iw_status add_finite(iw_context *context, iw_growing_histogram *h, const void *samples, size_t n,
                            const iw_scalar_bits *low, const iw_scalar_bits *high)
{
  int64_t least, greatest;
  if (!find_on_lattice(h, low, &least) || !find_on_lattice(h, high, &greatest))
    return iw_fail(IW_ERROR_OVERFLOW, "samples have a value that is 2^60 widths or more from the origin");
  IW_TRY(grow(context, h, least, greatest));
  const range_plan *const by = &h->plan;
  if (!by->plan) {
    h->counts[by->first] += n;
    return IW_OK;
  }
  const iw_histogram_spec spec = { .size = sizeof spec, .plan = by->plan };
  const size_t bins = by->plan->spec.bins;
  IW_TRY(iw_histogram(context, &spec, samples, n, h->batch, NULL));
  for (size_t i = 0; i < bins; i++)
    h->counts[by->first + i] += h->batch[i];
  if (by->above < h->range.bins)
    h->counts[by->above] += h->batch[bins + 1];
  return IW_OK;
}

/* Selects the finite samples, and counts the others. */
static iw_status add_with_outliers(iw_context *context, iw_growing_histogram *h, const void *samples, size_t n)
{
  iw_scalar_bits ends[2] = { { 0 }, { 0 } }, low = { 0 }, high = { 0 };
  uint64_t in_range;
  size_t finite = 0;
  void *selected;
  store_real(h->type, &ends[0], 0, -largest_of(h->type));
  store_real(h->type, &ends[1], 0, largest_of(h->type));
  char edges[2 * sizeof(iw_scalar_bits)];
  const size_t size = iw_type_size(h->type);
  memcpy(edges, &ends[0], size);
  memcpy(edges + size, &ends[1], size);
  const iw_histogram_spec all = { .size = sizeof all, .type = h->type, .kind = IW_HISTOGRAM_EDGES, .bins = 1, .edges = edges,
                                  .flags = IW_HIST_CLOSED_TOP };
  const iw_test test = { .size = sizeof test, .type = h->type, .bins = &all };
  iw_histogram_report report = { .size = sizeof report };
  IW_TRY(iw_histogram(context, &all, samples, n, &in_range, IW_OPTIONS(iw_histogram_options, .report = &report)));
  if (in_range) {
    IW_TRY(iw_memory_allocate(context, n * size, &selected));
    iw_status status = iw_select_if(context, &test, samples, n, selected, &finite, NULL);
    if (status == IW_OK)
      status = iw_find_value_range(context, h->type, selected, finite, &low, &high);
    if (status == IW_OK)
      status = add_finite(context, h, selected, finite, &low, &high);
    const iw_status freed = iw_memory_free(context, selected);
    IW_TRY(status);
    IW_TRY(freed);
  }
  h->below += report.underflow;
  h->above += report.overflow;
  h->nan += report.nan;
  return IW_OK;
}

static iw_status check_lattice(iw_type type, const void *origin, const void *width, size_t bins, iw_growth growth)
{
  enum { MOST = 0x7ffffffe };
  IW_TRY(iw_check_single("origin", origin, iw_type_size(type)));
  IW_TRY(iw_check_single("width", width, iw_type_size(type)));
  IW_TRY(iw_check_enum("growth", (int)growth, "iw_growth", IW_GROW_BINS));
  if (bins < 1 || bins > MOST || (growth == IW_GROW_RANGE && bins % 2))
    return iw_fail(IW_ERROR_INVALID, "bins is %zu; valid are%s numbers from %d to %d", bins,
                   growth == IW_GROW_RANGE ? " even" : "", growth == IW_GROW_RANGE ? 2 : 1, (int)MOST);
  if (is_float(type)) {
    const double from = real_at(type, origin, 0), by = real_at(type, width, 0);
    if (!isfinite(from) || !isfinite(by) || !(by > 0))
      return iw_fail(IW_ERROR_INVALID, "origin is %g and width is %g: both must be finite, and width positive", from, by);
    return IW_OK;
  }
  if (integer_at(type, width, 0) <= 0)
    return iw_fail(IW_ERROR_INVALID, "width is %s: it must be positive", format_integer(integer_at(type, width, 0)).s);
  return IW_OK;
}

/* ---- The calls ---- */

iw_status iw_growing_histogram_make(iw_type type, const void *origin, const void *width, size_t bins, iw_growth growth,
                                    iw_growing_histogram **histogram)
{
  IW_TRY(iw_check_single("histogram", histogram, sizeof *histogram));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(check_lattice(type, origin, width, bins, growth));
  iw_growing_histogram *const h = calloc(1, sizeof *h);
  if (!h)
    return iw_fail(IW_ERROR_MEMORY, "no memory for a histogram of %zu bytes", sizeof *h);
  h->type = type;
  h->growth = growth;
  h->bins = bins;
  memcpy(&h->origin, origin, iw_type_size(type));
  memcpy(&h->width, width, iw_type_size(type));
  *histogram = h;
  return IW_OK;
}

void iw_growing_histogram_free(iw_growing_histogram *h)
{
  if (!h)
    return;
  iw_histogram_plan_free(h->plan.plan);
  free(h->counts);
  free(h);
}

/* Needs the default floating-point environment. */
static IW_NOINLINE iw_status add(iw_context *context, iw_growing_histogram *h, const void *samples, size_t n)
{
  iw_scalar_bits low = { 0 }, high = { 0 };
  IW_TRY(iw_find_value_range(context, h->type, samples, n, &low, &high));
  if (is_float(h->type)
      && !(isfinite(real_at(h->type, &low, 0)) && isfinite(real_at(h->type, &high, 0))))
    return add_with_outliers(context, h, samples, n);
  return add_finite(context, h, samples, n, &low, &high);
}

iw_status iw_growing_histogram_add(iw_context *context, iw_growing_histogram *h, const void *samples, size_t n)
{
  iw_fp_env callers;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("histogram", h));
  const iw_array array = { "samples", samples, n, iw_type_size(h->type), IW_READ, NULL };
  IW_TRY(iw_check_arrays(&array, 1));
  if (!n)
    return IW_OK;
  IW_TRY(iw_select_context(&context, &array, 1));
  iw_fp_env_set_default(&callers);
  const iw_status status = add(context, h, samples, n);
  iw_fp_env_restore(&callers);
  return status;
}

iw_status iw_growing_histogram_merge(iw_context *context, iw_growing_histogram *h, const iw_growing_histogram *other)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("histogram", h));
  IW_TRY(iw_check_pointer("other", other));
  const size_t size = iw_type_size(h->type);
  if (h == other)
    return iw_fail(IW_ERROR_OVERLAP, "histogram and other are the same one, at %p", (const void *)h);
  if (h->type != other->type || h->growth != other->growth || h->bins != other->bins
      || memcmp(&h->origin, &other->origin, size) || memcmp(&h->width, &other->width, size))
    return iw_fail(IW_ERROR_INVALID, "histogram (%s, %zu bins) and other (%s, %zu bins) have to be made with equal "
                   "arguments", iw_type_name(h->type), h->bins, iw_type_name(other->type), other->bins);
  if (other->has_samples) {
    iw_fp_env callers;
    iw_fp_env_set_default(&callers);
    const iw_status status = grow(context, h, other->least, other->greatest);
    iw_fp_env_restore(&callers);
    IW_TRY(status);
    add_counts(&other->range, other->counts, &h->range, h->counts);
  }
  h->below += other->below;
  h->above += other->above;
  h->nan += other->nan;
  return IW_OK;
}

iw_status iw_growing_histogram_get_info(const iw_growing_histogram *h, iw_growing_histogram_info *info)
{
  IW_TRY(iw_check_pointer("histogram", h));
  IW_TRY(iw_check_pointer("info", info));
  IW_TRY(iw_check_struct_size("info->size", info->size, "iw_growing_histogram_info", sizeof *info));
  iw_clear_unknown(info, sizeof *info);
  info->type = h->type;
  info->bins = h->has_samples ? h->range.bins : 0;
  info->level = h->range.level;
  info->first = h->range.first;
  info->below = h->below;
  info->above = h->above;
  info->nan = h->nan;
  return IW_OK;
}

iw_status iw_growing_histogram_read(const iw_growing_histogram *h, void *edges, uint64_t *counts)
{
  IW_TRY(iw_check_pointer("histogram", h));
  const size_t size = iw_type_size(h->type), bins = h->has_samples ? h->range.bins : 0;
  if (edges)
    IW_TRY(iw_check_array("edges", edges, bins + 1, size));
  if (counts)
    IW_TRY(iw_check_array("counts", counts, bins, sizeof *counts));
  IW_TRY(iw_check_no_overlap("edges", edges, edges ? (bins + 1) * size : 0, "counts", counts,
                             counts ? bins * sizeof *counts : 0));
  iw_fp_env callers;
  iw_fp_env_set_default(&callers);
  for (size_t i = 0; edges && bins && i <= bins; i++)
    (void)store_edge(h, h->range.first + ((int64_t)i << h->range.level), edges, i);
  iw_fp_env_restore(&callers);
  if (counts && bins)
    memcpy(counts, h->counts, bins * sizeof *counts);
  return IW_OK;
}
