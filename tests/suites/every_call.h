/* SPDX-License-Identifier: Apache-2.0
 *
 * Every public call that takes a context, with fixed inputs: for suites that ask what a call does beside its results,
 * with stacks, memory and faults. A call's outputs are compared with those of a call in another context.
 */
#ifndef TESTS_EVERY_CALL_H
#define TESTS_EVERY_CALL_H

#include <isowarp.h>
#include <isowarp/strategies.h>
#include "reference.h"

/* The inputs, and an arena for the outputs of one call. */
enum { PAYLOADS = 3 };
enum { ELEMENT_TYPES = IW_BF16 + 1 };
typedef struct call_data {
  size_t n;
  void *in[ELEMENT_TYPES];  /* by type: below the type's `hi` and a bit above */
  uint8_t *flags;
  void *payloads[PAYLOADS]; /* of 1, 4 and 16 bytes */
  char *arena;
  size_t capacity, used;
} call_data;

/* Not an iw_status: the call does not exist for the type. */
#define NO_CALL ((iw_status)-1)

/* Bins for samples of a type: even ones from lo to hi, and the most that there may be. */
typedef struct bin_range { word lo, hi, pivot; size_t most; } bin_range;
static inline word word_of(iw_type type, double value)
{
  word w = { .u64 = (uint64_t)value };
  if (is_half(type))
    w.u16 = half_of(type, value);
  else if (type == IW_F32)
    w.f32 = (float)value;
  else if (type == IW_F64)
    w.f64 = value;
  return w;
}
static inline bin_range range_for(iw_type type)
{
  static const struct { double lo, hi, pivot; size_t most; } ranges[] = {
    [IW_U8] = { 10, 200, 99, 190 }, [IW_I8] = { 10, 100, 50, 85 }, [IW_BOOL] = { 0, 1, 1, 1 }, [IW_U16] = { 10, 60000, 99, 50000 },
    [IW_I16] = { 10, 30000, 99, 25000 }, [IW_F16] = { 10, 900, 99, 200 }, [IW_BF16] = { 10, 900, 99, 90 },
  };
  const int is_small = iw_type_size(type) < 4;
  const double lo = is_small ? ranges[type].lo : 10, hi = is_small ? ranges[type].hi : 900000, pivot = is_small ? ranges[type].pivot : 99;
  return (bin_range){ word_of(type, lo), word_of(type, hi), word_of(type, pivot), is_small ? ranges[type].most : 120000 };
}

static inline void *data_new(size_t bytes)
{
  void *const made = aligned_alloc(64, (bytes + 127) / 64 * 64);
  ck_assert_ptr_nonnull(made);
  return made;
}

static inline void call_data_make(call_data *d, size_t n)
{
  *d = (call_data){ .n = n, .capacity = 48 * n + (16 << 20) };
  start_random(7700 + n);
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    d->in[type] = data_new(n * iw_type_size(type));
    const uint64_t most = type == IW_U8 ? 210 : type == IW_I8 ? 110 : type == IW_BOOL ? 2 : type == IW_U16 ? 65000
      : type == IW_I16 ? 32000 : is_half(type) ? 1000 : 1000000;
    for (size_t i = 0; i < n; i++)
      put(type, d->in[type], i, word_of(type, (double)random_below(most)));
  }
  d->flags = data_new(n);
  for (size_t i = 0; i < n; i++)
    d->flags[i] = random_below(3) == 0;
  static const size_t width[PAYLOADS] = { 1, 4, 16 };
  for (unsigned p = 0; p < PAYLOADS; p++) {
    d->payloads[p] = data_new(n * width[p]);
    for (size_t i = 0; i < n * width[p]; i++)
      ((unsigned char *)d->payloads[p])[i] = (unsigned char)random_bits();
  }
  d->arena = data_new(d->capacity);
}

static inline uint64_t digest_of(const void *memory, size_t bytes, uint64_t digest)
{
  const char *const at = memory;
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  return digest;
}

/* Of all inputs. */
static inline uint64_t digest_of_inputs(const call_data *d)
{
  uint64_t digest = digest_of(d->flags, d->n, 1);
  for (iw_type type = IW_U8; type <= IW_BF16; type++)
    digest = digest_of(d->in[type], d->n * iw_type_size(type), digest);
  digest = digest_of(d->payloads[0], d->n, digest);
  digest = digest_of(d->payloads[1], 4 * d->n, digest);
  return digest_of(d->payloads[2], 16 * d->n, digest);
}

static inline void call_data_free(call_data *d)
{
  for (iw_type type = IW_U8; type <= IW_BF16; type++)
    free(d->in[type]);
  for (unsigned p = 0; p < PAYLOADS; p++)
    free(d->payloads[p]);
  free(d->flags);
  free(d->arena);
}

/* An output of the call, all 0. */
static inline void *output(call_data *d, size_t bytes)
{
  void *const at = d->arena + d->used;
  const size_t room = (bytes + 63) / 64 * 64;
  d->used += room;
  ck_assert_uint_le(d->used, d->capacity);
  return memset(at, 0, room);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

#define CALL(name) static inline iw_status call_##name(iw_context *c, iw_type type, call_data *d)
#define NO_BOOL if (type == IW_BOOL) return NO_CALL
#define IS_FLOAT (type == IW_F32 || type == IW_F64 || is_half(type))
#define IN d->in[type]
#define OUTPUT(count, size) output(d, (count) * (size))
#define ELEMENTS_OUT OUTPUT(d->n, iw_type_size(type))
#define COUNT_OUT output(d, sizeof(size_t))

CALL(inclusive_scan) { NO_BOOL; return iw_inclusive_scan(c, IW_SUM, type, IN, d->n, ELEMENTS_OUT, NULL); }
CALL(exclusive_scan) { return iw_exclusive_scan(c, IW_MIN, type, IN, d->n, ELEMENTS_OUT,
                                                IW_OPTIONS(iw_scan_options, .init = IN)); }
CALL(reduce) { return iw_reduce(c, IW_MAX, type, IN, d->n, output(d, 8), NULL); }
CALL(scan_with_wider)
{
  const iw_type sum = type == IW_U8 ? IW_U64 : type == IW_I32 ? IW_I64 : type == IW_F32 ? IW_F64 : type == IW_I8 ? IW_I64
    : type == IW_BF16 ? IW_F32 : IW_U16;
  return sum == IW_U16 ? NO_CALL : scan_wider(c, 0, IW_SUM, type, IN, sum, OUTPUT(d->n, 8), d->n, NULL);
}
CALL(reduce_with_wider)
{
  const iw_type sum = type == IW_U8 ? IW_U64 : type == IW_U32 ? IW_U64 : type == IW_F32 ? IW_F64 : type == IW_U16 ? IW_U64
    : type == IW_F16 ? IW_F32 : IW_BOOL;
  return sum == IW_BOOL ? NO_CALL : reduce_wider(c, IW_SUM, type, IN, d->n, sum, NULL, output(d, 8));
}
CALL(scan_with_flags) { NO_BOOL; return scan_segments(c, 0, IW_SUM, type, IN, by_flags(d->flags), ELEMENTS_OUT, d->n, NULL); }
CALL(scan_with_keys)
{
  return scan_segments(c, 1, IW_MAX, type, IN, by_keys(IW_U32, d->in[IW_U32]), ELEMENTS_OUT, d->n, NULL);
}
CALL(scan_with_rows) { return scan_segments(c, 0, IW_MIN, type, IN, by_rows(d->n / 8), ELEMENTS_OUT, d->n / 8 * 8, NULL); }
CALL(keys_by_value) { return iw_keys_by_value(c, type, IN, d->n, ELEMENTS_OUT); }
CALL(scan_with_offsets)
{
  uint64_t *const offsets = OUTPUT(4, sizeof *offsets);
  NO_BOOL;
  offsets[0] = 0;
  offsets[1] = d->n / 40;
  offsets[2] = d->n / 2;
  offsets[3] = d->n;
  return scan_segments(c, 0, IW_SUM, type, IN, by_offsets(IW_U64, offsets, 3), ELEMENTS_OUT, d->n, IN);
}
CALL(sum_exact) { return !IS_FLOAT ? NO_CALL : iw_sum_exact(c, type, IN, d->n, IW_F64, output(d, 8)); }
CALL(dot_exact) { return !IS_FLOAT || type == IW_F64 ? NO_CALL : iw_dot_exact(c, type, IN, IN, d->n, IW_F32, output(d, 4)); }
CALL(product) { NO_BOOL; return iw_inclusive_scan(c, IW_PRODUCT, type, IN, d->n, ELEMENTS_OUT,
                                                  IW_OPTIONS(iw_scan_options, .init = IN)); }
CALL(reduce_and) { return IS_FLOAT ? NO_CALL : iw_reduce(c, IW_AND, type, IN, d->n, output(d, 8), NULL); }
CALL(exact_sum_add)
{
  iw_exact_sum *const sum = output(d, sizeof *sum);
  sum->format = IW_EXACT_SUM_FORMAT;
  return !IS_FLOAT ? NO_CALL : iw_exact_sum_add(c, type, IN, d->n, sum);
}
CALL(reduce_rows)
{
  return reduce_segments(c, IW_MIN, type, IN, d->n / 3 * 3, by_rows(d->n / 3), type, NULL, OUTPUT(3, 8));
}
CALL(reduce_offsets)
{
  uint64_t *const offsets = OUTPUT(5, sizeof *offsets);
  NO_BOOL;
  for (size_t k = 0; k < 5; k++)
    offsets[k] = k < 3 ? k * 10 : k == 3 ? d->n / 2 : d->n;
  return reduce_segments(c, IW_SUM, type, IN, d->n, by_offsets(IW_U64, offsets, 4), type, IN, OUTPUT(4, 8));
}
CALL(reduce_columns)
{
  NO_BOOL;
  return reduce_segments(c, IW_SUM, type, IN, d->n / 3 * 3, by_columns(3), type, NULL, OUTPUT(3, 8));
}
CALL(product_offsets)
{
  uint64_t *const offsets = OUTPUT(3, sizeof *offsets);
  NO_BOOL;
  offsets[0] = 0;
  offsets[1] = d->n / 3;
  offsets[2] = d->n;
  return reduce_segments(c, IW_PRODUCT, type, IN, d->n, by_offsets(IW_U64, offsets, 2), type, NULL, OUTPUT(2, 8));
}
CALL(argmin_rows)
{
  const iw_segments rows = by_rows(d->n / 3);
  return iw_argmin(c, type, IN, d->n / 3 * 3, OUTPUT(3, sizeof(size_t)), OUTPUT(3, 8),
                   IW_OPTIONS(iw_scan_options, .segments = &rows));
}
CALL(argmax_columns)
{
  const iw_segments columns = by_columns(5);
  return iw_argmax(c, type, IN, d->n / 5 * 5, OUTPUT(5, sizeof(size_t)), NULL,
                   IW_OPTIONS(iw_scan_options, .segments = &columns));
}
CALL(reduce_by_key)
{
  NO_BOOL;
  return reduce_by_key(c, IW_SUM, type, IN, d->n, by_keys(IW_U32, d->in[IW_U32]), type, NULL, OUTPUT(d->n, 4),
                       OUTPUT(d->n, 8), COUNT_OUT);
}
CALL(argmin_by_key)
{
  const iw_segments runs = by_keys(IW_U32, d->in[IW_U32]);
  return iw_argmin(c, type, IN, d->n, OUTPUT(d->n, sizeof(size_t)), OUTPUT(d->n, 8),
                   IW_OPTIONS(iw_scan_options, .segments = &runs, .run_keys = OUTPUT(d->n, 4), .run_count = COUNT_OUT));
}
CALL(argmin) { return iw_argmin(c, type, IN, d->n, COUNT_OUT, output(d, 8), NULL); }
CALL(argmax) { return iw_argmax(c, type, IN, d->n, COUNT_OUT, NULL, NULL); }

static inline iw_status count_even(iw_context *c, iw_type type, call_data *d, size_t bins, unsigned flags, iw_policy policy)
{
  const bin_range r = range_for(type);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins < r.most ? bins : r.most, .lo = &r.lo, .hi = &r.hi,
                                   .flags = flags, .policy = policy };
  iw_histogram_report *const report = output(d, sizeof *report);
  report->size = sizeof *report;
  return histogram_of(c, type, &spec, IN, d->n, OUTPUT(spec.bins + 2, 8), report);
}
CALL(histogram_few) { return count_even(c, type, d, 20, 0, IW_POLICY_DROP); }
CALL(histogram_some) { return count_even(c, type, d, 1500, IW_HIST_COUNTERS_32, IW_POLICY_COUNT); }
CALL(histogram_many) { return count_even(c, type, d, 30000, IW_HIST_CLOSED_TOP, IW_POLICY_CLAMP); }
CALL(histogram_most) { return count_even(c, type, d, 120000, IW_HIST_ACCUMULATE, IW_POLICY_DROP); }
/* So many bins as automatic ranges of a type have room for, at most `bins`. */
static inline size_t automatic_bins(iw_type type, size_t bins)
{
  const size_t most = type == IW_BOOL ? 1 : iw_type_size(type) == 1 || is_half(type) ? 80 : bins;
  return bins < most ? bins : most;
}
CALL(histogram_automatic)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = automatic_bins(type, 100) };
  return histogram_of(c, type, &spec, IN, d->n, OUTPUT(100, 8), NULL);
}
CALL(histogram_edges)
{
  NO_BOOL;
  char edges[3 * 8];
  const double at[] = { 20, 77, 100 };
  for (size_t i = 0; i < 3; i++)
    put(type, edges, i, word_of(type, at[i]));
  const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_EDGES, .bins = 2, .edges = edges };
  return histogram_of(c, type, &spec, IN, d->n, OUTPUT(2, 8), NULL);
}
CALL(histogram_map)
{
  uint16_t map[256];
  for (unsigned v = 0; v < 256; v++)
    map[v] = v % 5 ? (uint16_t)(v * 200) : IW_MAP_NONE;
  const iw_histogram_spec spec = { .size = sizeof spec, .kind = IW_HISTOGRAM_MAP, .bins = 65535, .map = map };
  return type != IW_U8 ? NO_CALL : histogram_of(c, type, &spec, IN, d->n, OUTPUT(65535, 8), NULL);
}
CALL(histogram_range) { return iw_histogram_range(c, type, IN, d->n, output(d, 8), output(d, 8)); }

/* Plans are made by a context of their own before a call that takes one, as making one allocates. */
static iw_histogram_plan *plan_few[ELEMENT_TYPES], *plan_many[ELEMENT_TYPES];
static iw_histogram_spec few[ELEMENT_TYPES], many[ELEMENT_TYPES]; /* that are these plans */
static inline iw_histogram_plan *plan_new(iw_context *c, iw_type type, size_t bins, const void *sample, size_t n)
{
  const bin_range r = range_for(type);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins < r.most ? bins : r.most, .lo = &r.lo, .hi = &r.hi };
  iw_histogram_plan *plan;
  return plan_of(c, type, &spec, sample, n, &plan) == IW_OK ? plan : NULL;
}
static inline void plans_make(void)
{
  iw_context *c;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU };
  ck_assert_int_eq(iw_context_open(&c, &o), IW_OK);
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    ck_assert_ptr_nonnull(plan_few[type] = plan_new(c, type, 40, NULL, 0));
    ck_assert_ptr_nonnull(plan_many[type] = plan_new(c, type, 2500, NULL, 0));
    few[type] = iw_spec_of_plan(plan_few[type]);
    many[type] = iw_spec_of_plan(plan_many[type]);
  }
  iw_context_close(c);
}
static inline void plans_free(void)
{
  for (iw_type type = IW_U8; type <= IW_BF16; type++) {
    iw_histogram_plan_free(plan_few[type]);
    iw_histogram_plan_free(plan_many[type]);
  }
}
CALL(plan_make)
{
  iw_histogram_plan *const plan = plan_new(c, type, 3000, IN, d->n);
  if (!plan)
    return IW_ERROR_MEMORY;
  const iw_status status = histogram_by_plan(c, plan, IN, d->n, OUTPUT(3000, 8), NULL);
  iw_histogram_plan_free(plan);
  return status;
}
CALL(plan_describe)
{
  iw_histogram_plan_info *const info = output(d, sizeof *info);
  info->size = sizeof *info;
  const iw_status status = iw_histogram_plan_get_info(c, plan_many[type], d->n, info);
  memset(info, 0, sizeof *info); /* it depends on the context */
  return status;
}
CALL(histogram_by_plan) { return histogram_by_plan(c, plan_many[type], IN, d->n, OUTPUT(2500, 8), NULL); }
CALL(weighted_f64)
{
  return iw_histogram_weighted(c, &many[type], IN, IW_F64, d->in[IW_F64], d->n, OUTPUT(2500, 8));
}
CALL(weighted_exact)
{
  iw_exact_sum *const sums = OUTPUT(2500, sizeof *sums);
  for (unsigned k = 0; k < 2500; k++)
    sums[k].format = IW_EXACT_SUM_FORMAT;
  return iw_histogram_weighted_exact(c, &many[type], IN, IW_F64, d->in[IW_F64], d->n, sums);
}
CALL(weighted_u32)
{
  return iw_histogram_weighted(c, &few[type], IN, IW_U32, d->in[IW_U32], d->n, OUTPUT(40, 8));
}
CALL(pairs)
{
  const iw_type other = (iw_type)(1 + (type + 2) % 8);
  return histogram_pairs(c, plan_many[type], IN, plan_few[other], d->in[other], d->n, OUTPUT(2500 * 40, 8));
}
CALL(digitize)
{
  const bin_range r = range_for(type);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = r.most < 40 ? r.most : 40, .lo = &r.lo, .hi = &r.hi };
  return digitize_of(c, type, &spec, IN, d->n, IW_U16, OUTPUT(d->n, 2));
}
CALL(digitize_automatic)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = automatic_bins(type, 40) };
  return digitize_of(c, type, &spec, IN, d->n, IW_U8, OUTPUT(d->n, 1));
}
static inline void three_axes(iw_type type, const call_data *d, iw_histogram_axis axes[3])
{
  for (unsigned i = 0; i < 3; i++) {
    const iw_type of = (iw_type)(1 + (type - 1 + 3 * i) % IW_BF16);
    axes[i] = (iw_histogram_axis){ .size = sizeof *axes, .spec = &few[of], .samples = d->in[of] };
  }
}
CALL(nd)
{
  iw_histogram_axis axes[3];
  three_axes(type, d, axes);
  return iw_histogram_nd(c, axes, 3, d->n, OUTPUT(40 * 40 * 40, 8));
}
CALL(nd_weighted)
{
  iw_histogram_axis axes[3];
  three_axes(type, d, axes);
  return iw_histogram_nd_weighted(c, axes, 2, IW_F32, d->in[IW_F32], d->n, OUTPUT(40 * 40, 4));
}
CALL(project)
{
  const iw_type cells = iw_type_size(type) == 4 ? IW_U32 : is_float(type) ? IW_F64 : IW_U64;
  const size_t rows = d->n / 50 < 1000 ? d->n / 50 : 1000;
  const iw_table_axis axes[] = { { .size = sizeof *axes, .bins = rows, .factor = 1 },
                                 { .size = sizeof *axes, .bins = 50, .factor = 25 } };
  return d->n < 50 ? NO_CALL : iw_histogram_project(c, cells, axes, 2, d->in[cells], OUTPUT(rows * 2, 8), 0);
}
CALL(row_ranges)
{
  return iw_histogram_row_ranges(c, type, IN, 3, d->n / 3, OUTPUT(3, 8), OUTPUT(3, 8));
}
CALL(rows_ranged)
{
  const iw_histogram_spec spec = { .size = sizeof spec, .type = type, .bins = automatic_bins(type, 40) };
  return iw_histogram_rows(c, &spec, IN, 3, d->n / 3, OUTPUT(3 * 40, 8), NULL);
}
CALL(log_edges)
{
  NO_BOOL;
  const word lo = word_of(type, 1), hi = word_of(type, 100);
  return iw_histogram_log_edges(type, &lo, &hi, 4, OUTPUT(5, 8));
}
CALL(growing)
{
  const word origin = word_of(type, 0), width = word_of(type, 1);
  iw_growing_histogram *parts[2] = { NULL, NULL };
  iw_status status = iw_growing_histogram_make(type, &origin, &width, 64, IW_GROW_RANGE, &parts[0]);
  if (status == IW_OK)
    status = iw_growing_histogram_make(type, &origin, &width, 64, IW_GROW_RANGE, &parts[1]);
  for (unsigned p = 0; p < 2 && status == IW_OK; p++)
    status = iw_growing_histogram_add(c, parts[p], IN, p ? d->n : d->n / 2);
  if (status == IW_OK)
    status = iw_growing_histogram_merge(c, parts[0], parts[1]);
  if (status == IW_OK)
    status = iw_growing_histogram_read(parts[0], OUTPUT(65, 8), OUTPUT(64, 8));
  iw_growing_histogram_free(parts[0]);
  iw_growing_histogram_free(parts[1]);
  return status;
}
CALL(rows) { return iw_histogram_rows(c, &few[type], IN, d->n / 50, 50, OUTPUT(d->n / 50 * 40, 8), NULL); }
CALL(long_rows) { return iw_histogram_rows(c, &many[type], IN, 2, d->n / 2, OUTPUT(2 * 2500, 8), NULL); }
CALL(channels)
{
  const iw_histogram_spec *const specs[] = { &few[type], &many[type], NULL, &few[type] };
  void *const counts[] = { OUTPUT(40, 8), OUTPUT(2500, 8), NULL, OUTPUT(40, 8) };
  return iw_histogram_channels(c, specs, 4, IN, d->n / 4, counts);
}
static inline iw_status by_strategy(iw_context *c, iw_type type, call_data *d, iw_strategy strategy)
{
  const bin_range r = range_for(type);
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = r.most < 150 ? r.most : 150, .lo = &r.lo, .hi = &r.hi };
  const iw_strategy_options options = { .size = sizeof options, .strategy = strategy };
  return histogram_by_strategy_of(c, type, &spec, IN, d->n, OUTPUT(150, 8), NULL, &options);
}
CALL(strategy_basic) { return by_strategy(c, type, d, IW_STRATEGY_BASIC); }
CALL(strategy_private_global) { return by_strategy(c, type, d, IW_STRATEGY_PRIVATE_GLOBAL); }
CALL(strategy_private_shared) { return by_strategy(c, type, d, IW_STRATEGY_PRIVATE_SHARED); }
CALL(strategy_aggregated) { return by_strategy(c, type, d, IW_STRATEGY_AGGREGATED); }
CALL(strategy_direct) { return by_strategy(c, type, d, IW_STRATEGY_DIRECT); }

static inline iw_test less_than_pivot(const bin_range *r)
{
  return (iw_test){ .size = sizeof(iw_test), .compare = IW_LESS, .constant = &r->pivot };
}
CALL(partition)
{
  const bin_range r = range_for(type);
  const iw_test test = less_than_pivot(&r);
  return partition_of(c, type, &test, IN, d->n, ELEMENTS_OUT, NULL, COUNT_OUT);
}
CALL(partition_two)
{
  const bin_range r = range_for(type);
  const iw_test test = less_than_pivot(&r);
  void *const front = ELEMENTS_OUT, *const rest = ELEMENTS_OUT;
  return partition_of(c, type, &test, IN, d->n, front, rest, COUNT_OUT);
}
CALL(partition_flags) { return partition_by_flags(c, type, IN, d->flags, d->n, ELEMENTS_OUT, COUNT_OUT); }
CALL(partition_bins)
{
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = automatic_bins(type, 300) };
  const iw_test test = { .size = sizeof test, .bins = &automatic, .bin = automatic.bins > 7 ? 7 : 0 };
  return partition_of(c, type, &test, IN, d->n, ELEMENTS_OUT, NULL, COUNT_OUT);
}
CALL(select)
{
  const bin_range r = range_for(type);
  const iw_test test = less_than_pivot(&r);
  return select_of(c, type, &test, IN, d->n, ELEMENTS_OUT, COUNT_OUT);
}
CALL(select_bin) { NO_BOOL; return select_bin_of_plan(c, plan_many[type], type, IN, d->n, 3, ELEMENTS_OUT, COUNT_OUT); }
CALL(select_in_place)
{
  void *const array = ELEMENTS_OUT;
  memcpy(array, IN, d->n * iw_type_size(type));
  const iw_status status = select_by_flags(c, type, array, d->flags, d->n, array, COUNT_OUT);
  memset(array, 0, status == IW_ERROR_OVERLAP ? d->n * iw_type_size(type) : 0);
  return status == IW_ERROR_OVERLAP ? NO_CALL : status; /* only after iw_context_reserve() */
}
static inline void payloads_of(call_data *d, int rest, iw_payload payloads[4])
{
  static const size_t width[] = { 1, 4, 16, 8 };
  for (unsigned p = 0; p < 4; p++)
    payloads[p] = payload_of(p < PAYLOADS ? d->payloads[p] : NULL, OUTPUT(d->n, width[p]), rest ? OUTPUT(d->n, width[p]) : NULL,
                             width[p]);
}
CALL(partition_payloads)
{
  const bin_range r = range_for(type);
  const iw_test test = less_than_pivot(&r);
  iw_payload payloads[4];
  payloads_of(d, 1, payloads);
  return partition_payloads_of(c, type, &test, IN, d->n, payloads, 3, COUNT_OUT);
}
CALL(select_payloads)
{
  const iw_test test = { .size = sizeof test, .flags = d->flags };
  iw_payload payloads[4];
  payloads_of(d, 0, payloads);
  return select_payloads_of(c, type, &test, IN, d->n, payloads, 4, COUNT_OUT);
}
CALL(unique)
{
  iw_payload payloads[4];
  payloads_of(d, 0, payloads);
  return iw_unique(c, type, IN, d->n, ELEMENTS_OUT, COUNT_OUT,
                   IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = 2));
}
CALL(run_lengths) { return iw_run_lengths(c, type, IN, d->n, ELEMENTS_OUT, (iw_indices){ OUTPUT(d->n, 8), 8 },
                                          COUNT_OUT); }

CALL(multisplit_automatic)
{
  const iw_histogram_spec automatic = { .size = sizeof automatic, .bins = automatic_bins(type, 256) };
  return multisplit_by_bins(c, type, IN, d->n, &automatic, ELEMENTS_OUT, OUTPUT(257, 8));
}
CALL(multisplit_plan) { NO_BOOL; return multisplit_by_plan(c, plan_many[type], type, IN, d->n, ELEMENTS_OUT, OUTPUT(2501, 8)); }
CALL(multisplit_pivot)
{
  const bin_range r = range_for(type);
  return multisplit_by_pivot(c, type, IN, d->n, &r.pivot, ELEMENTS_OUT, OUTPUT(4, 8));
}
static inline iw_status by_bits(iw_context *c, iw_type type, call_data *d, unsigned bits)
{
  const iw_buckets buckets = { .size = sizeof buckets, .bits = bits };
  return multisplit_of(c, type, &buckets, IN, d->n, ELEMENTS_OUT, OUTPUT(((size_t)1 << bits) + 1, 8));
}
CALL(multisplit_4) { return by_bits(c, type, d, 4); }
CALL(multisplit_16) { return iw_type_size(type) == 1 ? NO_CALL : by_bits(c, type, d, 16); }
CALL(multisplit_payloads)
{
  const iw_buckets buckets = { .size = sizeof buckets, .bits = 8 };
  iw_payload payloads[4];
  payloads_of(d, 0, payloads);
  return multisplit_payloads_of(c, type, &buckets, IN, d->n, payloads, 4, OUTPUT(257, 8));
}
CALL(sort)
{
  const iw_sort_options options = { .size = sizeof options, .descending = 1 };
  return iw_sort(c, type, IN, d->n, ELEMENTS_OUT, &options);
}
CALL(sort_in_place)
{
  void *const out = memcpy(ELEMENTS_OUT, IN, d->n * iw_type_size(type));
  return iw_sort(c, type, out, d->n, out, NULL);
}
CALL(sort_payloads)
{
  iw_payload payloads[4];
  payloads_of(d, 0, payloads);
  return sort_payloads(c, type, IN, d->n, ELEMENTS_OUT, payloads, 4, NULL);
}
CALL(argsort) { return iw_argsort(c, type, IN, d->n, (iw_indices){ OUTPUT(d->n, 8), 8 }, NULL); }
CALL(sort_rows)
{
  const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = d->n % 7 ? 1 : d->n / 7 };
  return sort_segments(c, type, &rows, IN, d->n, ELEMENTS_OUT, NULL, 0, NULL);
}
CALL(lower_bound) { return iw_lower_bound(c, type, (iw_elements){ IN, d->n }, (iw_elements){ IN, d->n }, (iw_indices){ OUTPUT(d->n, 8), 8 }, NULL); }
CALL(upper_bound) { return iw_upper_bound(c, type, (iw_elements){ IN, d->n }, (iw_elements){ IN, d->n }, (iw_indices){ OUTPUT(d->n, 8), 8 }, NULL); }
CALL(is_sorted_until) { return iw_is_sorted_until(c, type, IN, d->n, OUTPUT(1, sizeof(size_t)), NULL); }
CALL(merge)
{
  const size_t half = d->n / 2, size = iw_type_size(type);
  char *const sorted = memcpy(ELEMENTS_OUT, IN, d->n * size);
  iw_status status = iw_sort(c, type, IN, half, sorted, NULL);
  if (status == IW_OK)
    status = iw_sort(c, type, (const char *)IN + half * size, d->n - half, sorted + half * size, NULL);
  return status == IW_OK ? iw_merge(c, type, (iw_elements){ sorted, half }, (iw_elements){ sorted + half * size, d->n - half }, ELEMENTS_OUT, (iw_indices){ OUTPUT(d->n, 8), 8 }, NULL)
                         : status;
}
CALL(top_k) { return top_k_of(c, type, IN, 1, d->n, d->n / 50, 1, OUTPUT(d->n / 50, iw_type_size(type)), (iw_indices){ OUTPUT(d->n / 50, 8), 8 }); }
CALL(top_k_rows) { return top_k_of(c, type, IN, 2, d->n / 2, d->n / 4, 0, NULL, (iw_indices){ OUTPUT(2 * (d->n / 4), 4), 4 }); }
CALL(nth_element) { return iw_nth_element(c, type, IN, d->n, d->n / 9, OUTPUT(1, 8), NULL); }
CALL(median) { return iw_median(c, type, IN, d->n, OUTPUT(1, 8), OUTPUT(1, 8)); }
CALL(memory)
{
  void *memory;
  void *const back = ELEMENTS_OUT;
  const size_t bytes = d->n * iw_type_size(type);
  iw_status status = iw_memory_allocate(c, bytes, &memory);
  if (status != IW_OK)
    return status;
  status = iw_memory_copy(c, memory, IN, bytes);
  if (status == IW_OK)
    status = iw_memory_copy(c, back, memory, bytes);
  return iw_memory_free(c, memory) == IW_OK ? status : IW_ERROR_LAUNCH;
}
CALL(reserve)
{
  const iw_status status = iw_context_reserve(c, d->n * iw_type_size(type));
  return status == IW_OK ? call_reduce(c, IW_F32, d) : status;
}
CALL(context)
{
  iw_context *other;
  iw_context_info info = { .size = sizeof info };
  const iw_status got = iw_context_get_info(c, &info);
  if (got != IW_OK)
    return got;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = info.threads };
  iw_status status = iw_context_open(&other, &o);
  if (status == IW_OK)
    status = call_inclusive_scan(other, IW_F32, d);
  if (status == IW_OK)
    status = iw_context_set_stream(other, NULL);
  if (status == IW_OK)
    status = iw_context_synchronize(other);
  iw_context_close(other);
  return status;
}

/* What iw_context_reserve() has to be given before the call, so that it does not allocate: the formula of isowarp.h, of
 * N-D and weighted histograms, of textbook strategies, of a multisplit, or of a sort. NONE: the call allocates what it returns. */
typedef enum reserve_formula { PLAIN, ND, WEIGHTS, TEXTBOOK, SPLIT, SORT, NONE } reserve_formula;
typedef struct every_call {
  const char *name;
  iw_status (*run)(iw_context *c, iw_type type, call_data *d);
  reserve_formula formula;
  size_t bins;    /* or buckets */
  size_t payload; /* bytes of an element of the largest payload, or of all that a multisplit or a sort moves besides */
} every_call;

static const every_call every_calls[] = {
#define ROW(name, ...) { #name, call_##name, __VA_ARGS__ }
  ROW(inclusive_scan, PLAIN, 0, 0), ROW(exclusive_scan, PLAIN, 0, 0), ROW(reduce, PLAIN, 0, 0), ROW(scan_with_wider, PLAIN, 0, 0),
  ROW(reduce_with_wider, PLAIN, 0, 0), ROW(scan_with_flags, PLAIN, 0, 0), ROW(scan_with_keys, PLAIN, 0, 4),
  ROW(scan_with_rows, PLAIN, 0, 0), ROW(keys_by_value, PLAIN, 0, 0), ROW(scan_with_offsets, PLAIN, 0, 0), ROW(product, PLAIN, 0, 0), ROW(reduce_and, PLAIN, 0, 0), ROW(sum_exact, PLAIN, 0, 0), ROW(dot_exact, PLAIN, 0, 0), ROW(exact_sum_add, PLAIN, 0, 0),
  ROW(reduce_rows, PLAIN, 0, 0), ROW(reduce_offsets, PLAIN, 0, 0), ROW(reduce_columns, PLAIN, 0, 0),
  ROW(product_offsets, PLAIN, 0, 0), ROW(argmin_rows, PLAIN, 0, 0), ROW(argmax_columns, PLAIN, 0, 0), ROW(reduce_by_key, PLAIN, 0, 8), ROW(argmin_by_key, PLAIN, 0, 8), ROW(argmin, PLAIN, 0, 0), ROW(argmax, PLAIN, 0, 0), ROW(histogram_few, PLAIN, 20, 0),
  ROW(histogram_some, PLAIN, 1500, 0), ROW(histogram_many, PLAIN, 30000, 0), ROW(histogram_most, PLAIN, 120000, 0),
  ROW(histogram_automatic, PLAIN, 100, 0), ROW(histogram_edges, PLAIN, 2, 0), ROW(histogram_map, PLAIN, 65535, 0),
  ROW(histogram_range, PLAIN, 0, 0), ROW(plan_make, NONE, 3000, 0), ROW(plan_describe, PLAIN, 2500, 0),
  ROW(histogram_by_plan, PLAIN, 2500, 0), ROW(weighted_f64, WEIGHTS, 2500, 8), ROW(weighted_u32, WEIGHTS, 40, 4), ROW(weighted_exact, NONE, 2500, 8),
  ROW(pairs, ND, 2500 * 40, 1), ROW(rows, ND, 40, 0), ROW(long_rows, ND, 2500, 0), ROW(channels, ND, 2580, 0),
  ROW(digitize, PLAIN, 40, 0), ROW(digitize_automatic, PLAIN, 40, 0), ROW(nd, ND, 40 * 40 * 40, 2), ROW(nd_weighted, WEIGHTS, 40 * 40, 8),
  ROW(project, WEIGHTS, 2000, 8), ROW(row_ranges, NONE, 0, 0), ROW(rows_ranged, NONE, 40, 0), ROW(log_edges, NONE, 4, 0),
  ROW(growing, NONE, 64, 0),
  ROW(strategy_basic, TEXTBOOK, 150, 0), ROW(strategy_private_global, TEXTBOOK, 150, 0),
  ROW(strategy_private_shared, TEXTBOOK, 150, 0), ROW(strategy_aggregated, TEXTBOOK, 150, 0), ROW(strategy_direct, PLAIN, 150, 0),
  ROW(partition, PLAIN, 0, 0), ROW(partition_two, PLAIN, 0, 0), ROW(partition_flags, PLAIN, 0, 0), ROW(partition_bins, PLAIN, 300, 0),
  ROW(select, PLAIN, 0, 0), ROW(select_bin, PLAIN, 0, 0), ROW(select_in_place, PLAIN, 0, 0), ROW(partition_payloads, PLAIN, 0, 16),
  ROW(select_payloads, PLAIN, 0, 16), ROW(unique, PLAIN, 0, 4), ROW(run_lengths, PLAIN, 0, 0),
  ROW(multisplit_automatic, SPLIT, 257, 0), ROW(multisplit_plan, SPLIT, 2501, 0), ROW(multisplit_pivot, SPLIT, 3, 0),
  ROW(multisplit_4, SPLIT, 16, 0), ROW(multisplit_16, SPLIT, 65536, 0), ROW(multisplit_payloads, SPLIT, 256, 29),
  ROW(sort, SORT, 0, 0), ROW(sort_in_place, SORT, 0, 0), ROW(sort_payloads, SORT, 0, 29), ROW(argsort, SORT, 0, 8), ROW(sort_rows, SORT, 0, 0),
  ROW(lower_bound, PLAIN, 0, 0), ROW(upper_bound, PLAIN, 0, 0),
  ROW(is_sorted_until, PLAIN, 0, 0), ROW(merge, SORT, 0, 8),
  ROW(top_k, SORT, 0, 8), ROW(top_k_rows, SORT, 0, 8), ROW(nth_element, SORT, 0, 8), ROW(median, SORT, 0, 8),
  ROW(memory, NONE, 0, 0), ROW(reserve, NONE, 0, 0), ROW(context, NONE, 0, 0),
#undef ROW
};
enum { EVERY_CALLS = sizeof every_calls / sizeof *every_calls };

static inline size_t bytes_to_reserve(const every_call *call, iw_type type, size_t n)
{
  const size_t size = iw_type_size(type), largest = n * (size > call->payload ? size : call->payload);
  const size_t plain = 2 * largest + 64 * call->bins + (1 << 20), more = 16 * (n + call->bins), most = 256 << 20;
  switch (call->formula) {
  case ND: return plain + (more < most ? more : most);
  case WEIGHTS: return plain + (more < most ? more : most) + 700 * call->bins;
  case TEXTBOOK: return plain + (4 * n < 64 << 20 ? 4 * n : 64 << 20)
                        + (call->run == call_strategy_private_global ? 64 << 20 : 0);
  case SPLIT: return 2 * n * (size + call->payload) + 13 * n + 64 * call->bins + (1 << 20);
  case SORT: return 2 * n * (size + call->payload) + 20 * n + (1 << 20);
  case PLAIN: case NONE: break;
  }
  return plain;
}

/* Makes the call. On success *digest is that of all outputs. */
static inline iw_status run_call(const every_call *call, iw_context *c, iw_type type, call_data *d, uint64_t *digest)
{
  d->used = 0;
  const iw_status status = call->run(c, type, d);
  *digest = status == IW_OK ? digest_of(d->arena, d->used, 2) : 0;
  return status;
}

/* The digests that all contexts have to give: those of one thread. */
static inline void expected_digests(call_data *d, uint64_t expected[EVERY_CALLS][ELEMENT_TYPES])
{
  iw_context *c;
  const iw_context_options o = { .size = sizeof o, .backend = IW_BACKEND_CPU, .threads = 1 };
  ck_assert_int_eq(iw_context_open(&c, &o), IW_OK);
  ck_assert_int_eq(iw_context_reserve(c, d->n * 8), IW_OK); /* for the calls in place */
  for (unsigned k = 0; k < EVERY_CALLS; k++)
    for (iw_type type = IW_U8; type <= IW_BF16; type++) {
      const iw_status status = run_call(&every_calls[k], c, type, d, &expected[k][type]);
      ck_assert_msg(status == IW_OK || status == NO_CALL, "%s of %s: %s", every_calls[k].name, iw_type_name(type), iw_message());
    }
  iw_context_close(c);
}

#endif
