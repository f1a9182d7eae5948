/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of random_calls.h for the calls of isowarp/histograms.h: bin indices, N-D histograms with weights or without, histograms
 * whose range grows, and projections of tables. A part of random_calls.h, which includes it.
 */
#ifndef TESTS_RANDOM_HISTOGRAMS_H
#define TESTS_RANDOM_HISTOGRAMS_H

#include <isowarp.h>

static void digitize_case(run *r)
{
  const iw_type type = random_any_type(), index_type = (iw_type[]){ IW_U8, IW_U16, IW_U32 }[random_below(3)];
  const int flavour = random_flavour();
  const size_t size = iw_type_size(index_type);
  const input in = random_input(&r->pool, type, flavour, r->n);
  random_bins(r, type, &in, 0);
  snprintf(r->what, sizeof r->what, "bin indices of %s in %s, flavour %d, %s", iw_type_name(type), iw_type_name(index_type),
           flavour, r->bins_text);
  const iw_status cpu = digitize_of(r->pool.cpu, type, &r->spec, in.cpu, r->n, index_type, r->out[ARRAY].cpu);
  void *const out = place(&r->pool, &r->out[ARRAY], r->n, size, one_in(12), NULL);
  same_status(r, cpu, digitize_of(r->pool.gpu, type, &r->spec, in.gpu, r->n, index_type, out));
  same_output(r, ARRAY, "indices", cpu == IW_OK ? r->n * size : 0, size);
}

/* A small value as an element of this type. */
static word small_value(iw_type type, int x)
{
  return type == IW_F32 ? (word){ .f32 = (float)x / 4 } : type == IW_F64 ? (word){ .f64 = x / 4.0 }
    : is_half(type) ? (word){ .u16 = half_of(type, x / 4.0) } : (word){ .u64 = (uint64_t)x };
}

/* Sets an output of the CPU to n elements for a call that adds to them. */
static void begin_table(output *o, iw_type type, size_t n)
{
  for (size_t k = 0; k < n; k++)
    put(type, o->cpu, k, small_value(type, (int)(k % 100) + 1));
}

/* A plan of at most `most` even bins for samples of a random type, whose counters are *outputs. */
static iw_histogram_plan *random_plan(run *r, size_t most, unsigned flags, iw_type *type, size_t *outputs)
{
  iw_histogram_plan *plan;
  word lo = { .u64 = 0 }, hi = { .u64 = 0 };
  *type = random_any_type();
  const int width = *type == IW_BOOL ? 1 : 1 + (int)random_below(100);
  put(*type, &lo, 0, small_value(*type, is_float(*type) && one_in(2) ? -width : 0));
  put(*type, &hi, 0, small_value(*type, width));
  const size_t apart = is_half(*type) ? 60 : is_float(*type) ? 20000 : (size_t)width; /* so many edges are different values */
  const iw_histogram_spec spec = {
    .size = sizeof spec, .bins = random_size(most < apart ? most : apart), .lo = &lo, .hi = &hi,
    .policy = (iw_policy)random_below(3), .flags = flags | (one_in(2) ? IW_HIST_CLOSED_TOP : 0),
  };
  FINE(plan_of(r->pool.cpu, *type, &spec, NULL, 0, &plan));
  *outputs = spec.bins + (spec.policy == IW_POLICY_COUNT ? 2 : 0);
  return plan;
}

/* N-D histograms, of weights or of counts. */
static void nd_case(run *r)
{
  static const size_t most[] = { 20000, 200, 30, 12 }; /* bins of an axis: their product and outliers fit MOST_BINS */
  static const iw_type weights[] = { IW_I32, IW_U32, IW_I64, IW_U64, IW_F32, IW_F64 };
  const unsigned dimensions = 1 + (unsigned)random_below(IW_MAX_HISTOGRAM_AXES);
  const int weighted = one_in(2), narrow = !weighted && one_in(2);
  const unsigned flags = (one_in(2) ? IW_HIST_ACCUMULATE : 0) | (narrow ? IW_HIST_COUNTERS_32 : 0);
  const iw_type weight_type = weights[random_below(COUNT(weights))];
  const iw_type sum = narrow ? IW_U32 : !weighted || !is_float(weight_type) ? IW_U64 : weight_type;
  const size_t size = iw_type_size(sum);
  iw_histogram_axis cpu_axes[IW_MAX_HISTOGRAM_AXES], gpu_axes[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_plan *plans[IW_MAX_HISTOGRAM_AXES];
  iw_histogram_spec specs[IW_MAX_HISTOGRAM_AXES];
  iw_type first = IW_U8;
  size_t cells = 1;
  const input weight = random_input(&r->pool, weight_type, random_flavour(), r->n);
  for (unsigned d = 0; d < dimensions; d++) {
    size_t outputs;
    iw_type type;
    plans[d] = random_plan(r, most[dimensions - 1], flags, &type, &outputs);
    const input in = random_input(&r->pool, type, one_in(3) ? random_flavour() : TINY, r->n);
    specs[d] = iw_spec_of_plan(plans[d]);
    first = d ? first : type;
    cpu_axes[d] = (iw_histogram_axis){ .size = sizeof *cpu_axes, .spec = &specs[d], .samples = in.cpu };
    gpu_axes[d] = cpu_axes[d];
    gpu_axes[d].samples = in.gpu;
    cells *= outputs;
  }
  snprintf(r->what, sizeof r->what, "histogram of %u axes and %zu counters, the first one of %s, weights of %s, flags %u",
           dimensions, cells, iw_type_name(first), weighted ? iw_type_name(weight_type) : "none", flags);
  begin_table(&r->out[TABLE], sum, cells);
  void *const out = place(&r->pool, &r->out[TABLE], cells, size, one_in(4), r->out[TABLE].cpu);
#define CALL(context, axes, weights, out) \
  (weighted ? iw_histogram_nd_weighted(context, axes, dimensions, weight_type, weights, r->n, out) \
            : iw_histogram_nd(context, axes, dimensions, r->n, out))
  const iw_status cpu = CALL(r->pool.cpu, cpu_axes, weight.cpu, r->out[TABLE].cpu);
  same_status(r, cpu, CALL(r->pool.gpu, gpu_axes, weight.gpu, out));
#undef CALL
  same_output(r, TABLE, "counts", cells * size, size);
  for (unsigned d = 0; d < dimensions; d++)
    iw_histogram_plan_free(plans[d]);
}

/* Batches that are added to a histogram on each side, which then hold the same. */
static void growing_case(run *r)
{
  enum { MOST_GROWING = 4000, BATCHES = 4 };
  const iw_type type = random_any_type();
  const iw_growth growth = one_in(2) ? IW_GROW_RANGE : IW_GROW_BINS;
  const int flavour = one_in(3) ? random_flavour() : one_in(2) ? TINY : UNIT;
  const size_t bins = 2 * random_size(MOST_GROWING / 2), size = iw_type_size(type);
  const input in = random_input(&r->pool, type, flavour, r->n);
  word origin = { .u64 = 0 }, width = { .u64 = 0 };
  put(type, &origin, 0, small_value(type, (int)random_below(3)));
  put(type, &width, 0, small_value(type, 1 + (type == IW_BOOL ? 0 : (int)random_below(5))));
  iw_growing_histogram *histograms[2];
  iw_growing_histogram_info info[2];
  snprintf(r->what, sizeof r->what, "growing histogram of %s, flavour %d, growth %d, %zu bins", iw_type_name(type), flavour,
           (int)growth, bins);
  memset(info, 0, sizeof info);
  const iw_status made = iw_growing_histogram_make(type, &origin, &width, bins, growth, &histograms[0]);
  same_status(r, made, iw_growing_histogram_make(type, &origin, &width, bins, growth, &histograms[1]));
  if (made != IW_OK)
    return;
  for (size_t batch = 0, at = 0; batch < BATCHES; batch++) {
    const size_t n = batch == BATCHES - 1 ? r->n - at : random_below(r->n - at + 1);
    const iw_status cpu = iw_growing_histogram_add(r->pool.cpu, histograms[0], (const char *)in.cpu + at * size, n);
    same_status(r, cpu, iw_growing_histogram_add(r->pool.gpu, histograms[1], (const char *)in.gpu + at * size, n));
    at += n;
  }
  for (unsigned side = 0; side < 2; side++) {
    info[side].size = sizeof info[side];
    FINE(iw_growing_histogram_get_info(histograms[side], &info[side]));
    FINE(iw_growing_histogram_read(histograms[side], side ? r->scratch : r->edges,
                                   (uint64_t *)(void *)(side ? r->out[TABLE].seen : r->out[TABLE].cpu)));
    iw_growing_histogram_free(histograms[side]);
  }
  const size_t found = info[0].bins;
  CASE_IS(r, found == info[1].bins && info[0].level == info[1].level && info[0].first == info[1].first &&
          info[0].below == info[1].below && info[0].above == info[1].above && info[0].nan == info[1].nan,
          "%zu bins of level %u from %" PRId64 " on, the CPU's are %zu of level %u from %" PRId64 " on", info[1].bins,
          info[1].level, info[1].first, found, info[0].level, info[0].first);
  const size_t edge = found ? first_difference(r->edges, r->scratch, found + 1, size) : SIZE_MAX;
  const size_t count = first_difference(r->out[TABLE].cpu, r->out[TABLE].seen, found, sizeof(uint64_t));
  CASE_IS(r, edge == SIZE_MAX && count == SIZE_MAX, "edge %zu or count %zu of %zu bins differs", edge, count, found);
}

/* Tables of counts or sums, whose values are any of their type. */
static void project_case(run *r)
{
  static const iw_type types[] = { IW_U32, IW_U64, IW_I64, IW_F32, IW_F64 };
  const iw_type type = types[random_below(COUNT(types))];
  const unsigned dimensions = 1 + (unsigned)random_below(IW_MAX_HISTOGRAM_AXES), flags = one_in(2) ? IW_HIST_ACCUMULATE : 0;
  const int flavour = random_flavour();
  const size_t size = iw_type_size(type), most = r->n < 64 ? 64 : r->n < MOST_BINS ? r->n : MOST_BINS;
  iw_table_axis axes[IW_MAX_HISTOGRAM_AXES];
  size_t cells = 1, outputs = 1;
  for (unsigned d = 0; d < dimensions; d++) {
    const size_t factor = one_in(4) ? 0 : 1 + random_below(4), room = most / cells;
    const int outliers = room > 8 && one_in(2);
    const size_t groups = random_size(room / (factor ? factor : 1) > 4 ? room / (factor ? factor : 1) - 2 : 1);
    axes[d] = (iw_table_axis){ .size = sizeof axes[d], .bins = room < 8 ? 1 : groups * (factor ? factor : 1), .outliers = outliers,
                               .factor = room < 8 ? 1 : factor };
    cells *= axes[d].bins + 2 * (size_t)outliers;
    if (axes[d].factor)
      outputs *= axes[d].bins / axes[d].factor + 2 * (size_t)outliers;
  }
  const input in = random_input(&r->pool, type, flavour, cells);
  snprintf(r->what, sizeof r->what, "projection of a table of %u axes and %zu cells of %s to %zu, flavour %d, flags %u",
           dimensions, cells, iw_type_name(type), outputs, flavour, flags);
  begin_table(&r->out[TABLE], type, outputs);
  void *const out = place(&r->pool, &r->out[TABLE], outputs, size, one_in(4), r->out[TABLE].cpu);
  const iw_status cpu = iw_histogram_project(r->pool.cpu, type, axes, dimensions, in.cpu, r->out[TABLE].cpu, flags);
  same_status(r, cpu, iw_histogram_project(r->pool.gpu, type, axes, dimensions, in.gpu, out, flags));
  same_output(r, TABLE, "out", outputs * size, size);
}

#endif
