/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h that take element types, as C11 macros that take them from the pointers. Opt-in,
 * above the public API; C++ has <isowarp/isowarp.hpp>.
 *
 *   float in[n], out[n], total;
 *   iwt_inclusive_scan(context, IW_SUM, in, n, out, NULL);
 *   iwt_reduce(context, IW_MAX, in, n, &total, NULL);
 *   iwt_partition(context, IWT_COMPARE(in, IW_LESS, 0.5f), in, n, out, &count, NULL);
 *
 * iwt_NAME has the parameters of iw_NAME in the same order, without the iw_type ones, and its contract;
 * iwt_histogram_weighted and iwt_histogram_nd_weighted have weights. The width of counters follows from
 * counts, too, but for tables, channels and plans.
 * Pointers whose element types do not fit do not compile. Arrays that give types (in, out, samples, edges)
 * may be NULL only with a cast; the others may be a plain NULL. Each argument is evaluated once: _Generic
 * evaluates no operand.
 *
 * Element types are those of <stdint.h>, float, double, _Bool, and where the compiler has them _Float16
 * (f16) and __bf16 (bf16): gcc 12 and 13, clang 15 and 18 on x86-64. Other programs pass halves to the
 * calls of <isowarp.h>, as uint16_t here is IW_U16.
 */
#ifndef ISOWARP_TYPED_H
#define ISOWARP_TYPED_H

#ifdef __cplusplus
#error "<isowarp/typed.h> is for C11: in C++ include <isowarp/isowarp.hpp>"
#endif

#include <isowarp.h>

/* ---- Types of pointers ------------------------------------------------------------------------------- */
/* The associations of floats of 2 bytes, if the compiler has them. __extension__: not in ISO C. */
#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 iwt_f16;
#define IWT_IF_F16(...) , iwt_f16: __VA_ARGS__
#else
#define IWT_IF_F16(...)
#endif
#ifdef __BFLT16_MANT_DIG__
__extension__ typedef __bf16 iwt_bf16;
#define IWT_IF_BF16(...) , iwt_bf16: __VA_ARGS__
#else
#define IWT_IF_BF16(...)
#endif

/* The iw_type of a pointer's elements; a pointer to anything else has no association and does not compile. */
#define IWT_TYPE(p) _Generic(*(p), uint8_t: IW_U8, uint16_t: IW_U16, int32_t: IW_I32, uint32_t: IW_U32, \
  int64_t: IW_I64, uint64_t: IW_U64, float: IW_F32, double: IW_F64, int8_t: IW_I8, int16_t: IW_I16, \
  _Bool: IW_BOOL IWT_IF_F16(IW_F16) IWT_IF_BF16(IW_BF16))
/* The same for two and three pointers to one type, of which all but p may be NULL. Two different pointers
 * make the conditional a void pointer, which has no association. */
#define IWT_TYPE_2(p, q) IWT_TYPE(1 ? (p) : (q))
#define IWT_TYPE_3(p, q, r) (0 ? IWT_TYPE_2(p, q) : IWT_TYPE_2(p, r))
/* The iw_type of outputs at q that a scan or reduction of elements at p has: theirs, or a wider one.
 * Parameters of functions have no qualifiers, so that the type of a function stands for both types. */
#define IWT_PAIR(in, out) void (*)(in, out)
#define IWT_OUT_TYPE(p, q) _Generic((void (*)(__typeof__(*(p)), __typeof__(*(q))))0, \
  IWT_PAIR(uint8_t, uint8_t): IW_U8, IWT_PAIR(uint8_t, uint32_t): IW_U32, \
  IWT_PAIR(uint8_t, uint64_t): IW_U64, \
  IWT_PAIR(uint16_t, uint16_t): IW_U16, IWT_PAIR(uint16_t, uint32_t): IW_U32, \
  IWT_PAIR(uint16_t, uint64_t): IW_U64, \
  IWT_PAIR(int8_t, int8_t): IW_I8, IWT_PAIR(int8_t, int32_t): IW_I32, IWT_PAIR(int8_t, int64_t): IW_I64, \
  IWT_PAIR(int16_t, int16_t): IW_I16, IWT_PAIR(int16_t, int32_t): IW_I32, \
  IWT_PAIR(int16_t, int64_t): IW_I64, \
  IWT_PAIR(_Bool, _Bool): IW_BOOL, IWT_PAIR(_Bool, uint32_t): IW_U32, IWT_PAIR(_Bool, uint64_t): IW_U64, \
  IWT_PAIR(int32_t, int32_t): IW_I32, IWT_PAIR(int32_t, int64_t): IW_I64, \
  IWT_PAIR(int64_t, int64_t): IW_I64, \
  IWT_PAIR(uint32_t, uint32_t): IW_U32, IWT_PAIR(uint32_t, uint64_t): IW_U64, \
  IWT_PAIR(uint64_t, uint64_t): IW_U64, \
  IWT_PAIR(float, float): IW_F32, IWT_PAIR(float, double): IW_F64, IWT_PAIR(double, double): IW_F64 \
  IWT_IF_F16_PAIRS IWT_IF_BF16_PAIRS)
#ifdef __FLT16_MANT_DIG__
#define IWT_IF_F16_PAIRS , IWT_PAIR(iwt_f16, iwt_f16): IW_F16, IWT_PAIR(iwt_f16, float): IW_F32
#else
#define IWT_IF_F16_PAIRS
#endif
#ifdef __BFLT16_MANT_DIG__
#define IWT_IF_BF16_PAIRS , IWT_PAIR(iwt_bf16, iwt_bf16): IW_BF16, IWT_PAIR(iwt_bf16, float): IW_F32
#else
#define IWT_IF_BF16_PAIRS
#endif
/* A pointer to counters. */
#define IWT_COUNTS(p) _Generic((p), uint64_t *: (p), uint32_t *: (p))
/* A pointer to sums of such weights: 32-bit integers are added in 64 bits. */
#define IWT_SUMS(p, weights) _Generic(1 ? (p) : _Generic(*(weights), \
  int32_t: (int64_t *)0, uint32_t: (uint64_t *)0, int64_t: (int64_t *)0, \
  uint64_t: (uint64_t *)0, float: (float *)0, double: (double *)0), \
  int64_t *: (p), uint64_t *: (p), float *: (p), double *: (p))

/* ---- Arguments --------------------------------------------------------------------------------------- */
/* The address of `value` as an element of p, for init, constant, pivot, lo and hi. It lives as long as its
 * block. */
#define IWT_VALUE(p, value) _Generic(*(p), uint8_t: &(uint8_t){ (uint8_t)(value) }, \
  uint16_t: &(uint16_t){ (uint16_t)(value) }, int32_t: &(int32_t){ (int32_t)(value) }, \
  uint32_t: &(uint32_t){ (uint32_t)(value) }, int64_t: &(int64_t){ (int64_t)(value) }, \
  uint64_t: &(uint64_t){ (uint64_t)(value) }, int8_t: &(int8_t){ (int8_t)(value) }, \
  int16_t: &(int16_t){ (int16_t)(value) }, _Bool: &(_Bool){ (_Bool)(value) }, \
  float: &(float){ (float)(value) }, double: &(double){ (double)(value) } \
  IWT_IF_F16(&(iwt_f16){ (iwt_f16)(value) }) IWT_IF_BF16(&(iwt_bf16){ (iwt_bf16)(value) }))
/* The test: elements of p that compare so with value. */
#define IWT_COMPARE(p, comparison, value) \
  (&(iw_test){ .size = sizeof(iw_test), .type = IWT_TYPE(p), .compare = (comparison), \
    .constant = IWT_VALUE(p, value) })
/* The initialiser of a payload: values of any type and where they go, `rest` or NULL; and one of element
 * indices in uint32_t or uint64_t. */
#define IWT_PAYLOAD(values, front, others) { .size = sizeof(iw_payload), \
  .in = 1 ? (values) : (front), .out = (front), .rest = 0 ? (front) : (others), .width = sizeof *(values) }
#define IWT_INDICES(front, others) { .size = sizeof(iw_payload), .out = (front), \
  .rest = 0 ? (front) : (others), .width = _Generic(*(front), uint32_t: 4, uint64_t: 8) }

/* An array of indices of uint32_t or uint64_t; one that is not wanted needs a type too: (uint32_t *)NULL. */
#define IWT_INDICES_OF(p) ((iw_indices){ (p), _Generic(*(p), uint32_t: 4, uint64_t: 8) })

/* A copy of options with this type of outputs. */
static inline iw_scan_options iwt_scan_options(const iw_scan_options *options, iw_type out_type)
{
  iw_scan_options typed = { 0 };
  if (options)
    typed = *options;
  else
    typed.size = sizeof typed;
  typed.out_type = out_type;
  return typed;
}
/* Copies of a spec, a test and buckets with this type, and of a spec with this width of counters (0: its
 * own), unless a plan has them. */
static inline iw_histogram_spec iwt_spec(const iw_histogram_spec *spec, iw_type type, size_t counter_width)
{
  iw_histogram_spec typed = { 0 };
  if (spec)
    typed = *spec;
  if (!typed.plan)
    typed.type = type;
  if (!typed.plan && counter_width)
    typed.counter_width = counter_width;
  return typed;
}
static inline iw_test iwt_test(const iw_test *test, iw_type type)
{
  iw_test typed = { 0 };
  if (test)
    typed = *test;
  typed.type = type;
  return typed;
}
static inline iw_buckets iwt_buckets(const iw_buckets *buckets, iw_type type)
{
  iw_buckets typed = { 0 };
  if (buckets)
    typed = *buckets;
  typed.type = type;
  return typed;
}
#define IWT_SPEC(spec, p) ((const iw_histogram_spec[1]){ iwt_spec(spec, IWT_TYPE(p), 0) })
#define IWT_COUNTING(spec, p, counts) \
  ((const iw_histogram_spec[1]){ iwt_spec(spec, IWT_TYPE(p), sizeof *(counts)) })
#define IWT_OPTIONS(options, in, out) \
  ((const iw_scan_options[1]){ iwt_scan_options(options, IWT_OUT_TYPE(in, out)) })
/* Options with this init, an element of p. */
#define IWT_INIT(p, value) IW_OPTIONS(iw_scan_options, .init = IWT_VALUE(p, value))

/* ---- Scan and reduce --------------------------------------------------------------------------------- */
/* The types of in and of outputs may differ as out_type of iw_scan_options says; that member is ignored
 * here. init and run_keys have the types of outputs and of keys; the compiler does not check them. */
#define iwt_inclusive_scan(c, op, in, n, out, options) \
  iw_inclusive_scan(c, op, IWT_TYPE(in), in, n, out, IWT_OPTIONS(options, in, out))
#define iwt_exclusive_scan(c, op, in, n, out, options) \
  iw_exclusive_scan(c, op, IWT_TYPE(in), in, n, out, IWT_OPTIONS(options, in, out))
#define iwt_reduce(c, op, in, n, results, options) \
  iw_reduce(c, op, IWT_TYPE(in), in, n, results, IWT_OPTIONS(options, in, results))
#define iwt_keys_by_value(c, in, n, out) iw_keys_by_value(c, IWT_TYPE_2(in, out), in, n, out)
#define iwt_argmin(c, in, n, indices, values, options) \
  iw_argmin(c, IWT_TYPE_2(in, values), in, n, indices, values, options)
#define iwt_argmax(c, in, n, indices, values, options) \
  iw_argmax(c, IWT_TYPE_2(in, values), in, n, indices, values, options)

/* ---- Histogram --------------------------------------------------------------------------------------- */
/* A spec's type is that of the samples, whatever it says. options: no weights, whose sums are no counters:
 * iwt_histogram_weighted. */
#define iwt_histogram(c, spec, samples, n, counts, options) \
  iw_histogram(c, IWT_COUNTING(spec, samples, counts), samples, n, IWT_COUNTS(counts), options)
#define iwt_histogram_edges(spec, edges) iw_histogram_edges(IWT_SPEC(spec, edges), edges)
#define iwt_histogram_range(c, samples, rows, columns, lo, hi) \
  iw_histogram_range(c, IWT_TYPE_3(samples, lo, hi), samples, rows, columns, lo, hi)
#define iwt_histogram_plan_make(c, spec, sample, n, plan) \
  iw_histogram_plan_make(c, IWT_SPEC(spec, sample), sample, n, plan)
/* iw_histogram, and below iw_histogram_nd, with weights, whose type gives that of the sums. */
#define IWT_WEIGHTS(of) IW_OPTIONS(iw_histogram_options, .weight_type = IWT_TYPE(of), .weights = (of))
#define iwt_histogram_weighted(c, spec, samples, weights_, n, sums) \
  iw_histogram(c, IWT_SPEC(spec, samples), samples, n, IWT_SUMS(sums, weights_), IWT_WEIGHTS(weights_))
/* The axes' samples have no pointers here that give their types: the specs do. */
#define iwt_histogram_nd(c, axes, dimensions, n, counts, options) \
  iw_histogram_nd(c, axes, dimensions, n, IWT_COUNTS(counts), options)
#define iwt_histogram_nd_weighted(c, axes, dimensions, weights_, n, sums) \
  iw_histogram_nd(c, axes, dimensions, n, IWT_SUMS(sums, weights_), IWT_WEIGHTS(weights_))
#define iwt_histogram_project(c, axes, dimensions, in, out, flags) \
  iw_histogram_project(c, IWT_TYPE_2(in, out), axes, dimensions, in, out, flags)
#define iwt_digitize(c, spec, samples, n, indices) \
  iw_digitize(c, IWT_SPEC(spec, samples), samples, n, (iw_indices){ (indices), sizeof *(indices) })
#define iwt_histogram_power_edges(lo, hi, bins, power, edges) \
  iw_histogram_power_edges(IWT_TYPE(edges), IWT_VALUE(edges, lo), IWT_VALUE(edges, hi), bins, power, edges)
#define iwt_histogram_rows(c, spec, samples, rows, columns, counts, ranges) \
  iw_histogram_rows(c, IWT_COUNTING(spec, samples, counts), samples, rows, columns, IWT_COUNTS(counts), \
    ranges)
#define iwt_histogram_channels(c, specs, channels, samples, n, counts) \
  iw_histogram_channels(c, specs, channels, samples, n, counts)

/* ---- Partition, select, unique, multisplit ----------------------------------------------------------- */
/* The type of a test or of buckets is that of in, whatever they say. Payloads and rest have no pointers
 * here. */
#define iwt_partition(c, test, in, n, out, count, options) \
  iw_partition(c, (const iw_test[1]){ iwt_test(test, IWT_TYPE_2(in, out)) }, in, n, out, count, options)
#define iwt_select_if(c, test, in, n, out, count, options) \
  iw_select_if(c, (const iw_test[1]){ iwt_test(test, IWT_TYPE_2(in, out)) }, in, n, out, count, options)
#define iwt_unique(c, in, n, out, count, options) \
  iw_unique(c, IWT_TYPE_2(in, out), in, n, out, count, options)
#define iwt_run_lengths(c, in, n, values, lengths, count) \
  iw_run_lengths(c, IWT_TYPE_2(in, values), in, n, values, IWT_INDICES_OF(lengths), count)
#define iwt_run_lengths_decode(c, values, lengths, runs, out, n) \
  iw_run_lengths_decode(c, IWT_TYPE_2(values, out), (iw_elements){ values, runs }, lengths, \
    IWT_INDICES_OF(lengths).width, out, n)
#define iwt_multisplit(c, buckets, in, n, out, offsets, options) \
  iw_multisplit(c, (const iw_buckets[1]){ iwt_buckets(buckets, IWT_TYPE_2(in, out)) }, in, n, out, \
    offsets, options)

/* ---- Sort -------------------------------------------------------------------------------------------- */
#define iwt_sort(c, in, n, out, options) iw_sort(c, IWT_TYPE_2(in, out), in, n, out, options)
#define iwt_argsort(c, in, n, indices, options) \
  iw_argsort(c, IWT_TYPE(in), in, n, IWT_INDICES_OF(indices), options)
#define iwt_bounds(c, bound, sorted, n, values, count, indices, options) \
  iw_bounds(c, bound, IWT_TYPE_2(sorted, values), (iw_elements){ sorted, n }, \
    (iw_elements){ values, count }, IWT_INDICES_OF(indices), options)
#define iwt_is_sorted_until(c, in, n, until, options) \
  iw_is_sorted_until(c, IWT_TYPE(in), in, n, until, options)
#define iwt_merge(c, a, a_count, b, b_count, out, indices, options) \
  iw_merge(c, IWT_TYPE_3(a, b, out), (iw_elements){ a, a_count }, (iw_elements){ b, b_count }, out, \
    IWT_INDICES_OF(indices), options)
#define iwt_top_k(c, in, n, k, values, options) iw_top_k(c, IWT_TYPE_2(in, values), in, n, k, values, options)
#define iwt_nth_element(c, in, n, nth, value, index) \
  iw_nth_element(c, IWT_TYPE_2(in, value), in, n, nth, value, index)

#endif
