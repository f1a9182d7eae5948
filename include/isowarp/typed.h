/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h that take element types, as C11 macros that take them from the pointers. Opt-in,
 * above the public API; C++ has <isowarp/isowarp.hpp>.
 *
 *   float in[n], out[n], total;
 *   iwt_inclusive_scan(context, IW_SUM, in, n, out, NULL);
 *   iwt_reduce(context, IW_MAX, in, n, &total, NULL);
 *   iwt_partition(context, IWT_COMPARE(in, IW_LESS, 0.5f), in, n, out, NULL, &count);
 *
 * iwt_NAME has the parameters of iw_NAME in the same order, without the iw_type ones, and its contract.
 * Pointers whose element types do not fit do not compile. The array that gives the type (in, samples, edges)
 * may be NULL only with a cast; the others may be a plain NULL. Each argument is evaluated once: _Generic
 * evaluates no operand.
 *
 * Element types are those of <stdint.h>, float, double, _Bool, and where the compiler has them _Float16
 * (f16) and __bf16 (bf16): gcc 12 and 13, clang 15 and 18 on x86-64. Other programs pass halves to the calls
 * of <isowarp.h>, as uint16_t here is IW_U16.
 */
#ifndef ISOWARP_TYPED_H
#define ISOWARP_TYPED_H

#ifdef __cplusplus
#error "<isowarp/typed.h> is for C11: in C++ include <isowarp/isowarp.hpp>"
#endif

#include <isowarp/histograms.h>
#include <isowarp/segments.h>
#include <isowarp/sorts.h>

/* ---- Types of pointers -------------------------------------------------------------------------------------- */
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
  int64_t: IW_I64, uint64_t: IW_U64, float: IW_F32, double: IW_F64, int8_t: IW_I8, int16_t: IW_I16, _Bool: IW_BOOL \
  IWT_IF_F16(IW_F16) IWT_IF_BF16(IW_BF16))
/* The same for two and three pointers to one type, of which all but p may be NULL. Two different pointers make the
 * conditional a void pointer, which has no association. */
#define IWT_TYPE_2(p, q) IWT_TYPE(1 ? (p) : (q))
#define IWT_TYPE_3(p, q, r) (0 ? IWT_TYPE_2(p, q) : IWT_TYPE_2(p, r))
/* A pointer to counters. */
#define IWT_COUNTS(p) _Generic((p), uint64_t *: (p), uint32_t *: (p))
/* A pointer to sums of such weights: 32-bit integers are added in 64 bits. */
#define IWT_SUMS(p, weights) _Generic(1 ? (p) : _Generic(*(weights), int32_t: (int64_t *)0, uint32_t: (uint64_t *)0, \
  int64_t: (int64_t *)0, uint64_t: (uint64_t *)0, float: (float *)0, double: (double *)0), \
  int64_t *: (p), uint64_t *: (p), float *: (p), double *: (p))

/* ---- Arguments ---------------------------------------------------------------------------------------------- */
/* The address of `value` as an element of p, for init, constant, pivot, lo and hi. It lives as long as its block. */
#define IWT_VALUE(p, value) _Generic(*(p), uint8_t: &(uint8_t){ (uint8_t)(value) }, \
  uint16_t: &(uint16_t){ (uint16_t)(value) }, int32_t: &(int32_t){ (int32_t)(value) }, \
  uint32_t: &(uint32_t){ (uint32_t)(value) }, int64_t: &(int64_t){ (int64_t)(value) }, \
  uint64_t: &(uint64_t){ (uint64_t)(value) }, float: &(float){ (float)(value) }, double: &(double){ (double)(value) }, \
  int8_t: &(int8_t){ (int8_t)(value) }, int16_t: &(int16_t){ (int16_t)(value) }, _Bool: &(_Bool){ (_Bool)(value) } \
  IWT_IF_F16(&(iwt_f16){ (iwt_f16)(value) }) IWT_IF_BF16(&(iwt_bf16){ (iwt_bf16)(value) }))
/* The test: elements of p that compare so with value. */
#define IWT_COMPARE(p, comparison, value) \
  (&(iw_test){ .size = sizeof(iw_test), .compare = (comparison), .constant = IWT_VALUE(p, value) })
/* The initialiser of a payload: values of any type and where they go, `rest` or NULL; and one of element indices in
 * uint32_t or uint64_t. */
#define IWT_PAYLOAD(values, front, others) { .size = sizeof(iw_payload), .in = 1 ? (values) : (front), .out = (front), \
  .rest = 0 ? (front) : (others), .width = sizeof *(values) }
#define IWT_INDICES(front, others) { .size = sizeof(iw_payload), .out = (front), .rest = 0 ? (front) : (others), \
  .width = _Generic(*(front), uint32_t: 4, uint64_t: 8) }

/* An array of indices of uint32_t or uint64_t; one that is not wanted needs a type too: (uint32_t *)NULL. */
#define IWT_INDICES_OF(p) ((iw_indices){ (p), _Generic(*(p), uint32_t: 4, uint64_t: 8) })

/* A copy of a spec with these types. */
static inline iw_scan_spec iwt_scan_spec(const iw_scan_spec *spec, iw_type in_type, iw_type type)
{
  iw_scan_spec typed = { 0 };
  if (spec)
    typed = *spec;
  typed.in_type = in_type;
  typed.type = type;
  return typed;
}

/* ---- Scan and reduce ---------------------------------------------------------------------------------------- */
#define iwt_inclusive_scan(c, op, in, n, out, init) \
  iw_inclusive_scan(c, op, IWT_TYPE_3(in, out, init), in, n, out, init)
#define iwt_exclusive_scan(c, op, in, n, out, init) \
  iw_exclusive_scan(c, op, IWT_TYPE_3(in, out, init), in, n, out, init)
#define iwt_reduce(c, op, in, n, result, init) iw_reduce(c, op, IWT_TYPE_3(in, init, result), in, n, result, init)
/* The spec's types are ignored: they are those of the pointers, which may differ as iw_scan_with says. */
#define iwt_scan_with(c, spec, in, n, out) \
  iw_scan_with(c, (const iw_scan_spec[1]){ iwt_scan_spec(spec, IWT_TYPE(in), IWT_TYPE(out)) }, in, n, out)
#define iwt_reduce_with(c, spec, in, n, result) \
  iw_reduce_with(c, (const iw_scan_spec[1]){ iwt_scan_spec(spec, IWT_TYPE(in), IWT_TYPE(result)) }, in, n, result)
/* unique_keys has the type spec->segments->key_type; the compiler does not check it. */
#define iwt_reduce_by_key(c, spec, in, n, unique_keys, results, count) \
  iw_reduce_by_key(c, (const iw_scan_spec[1]){ iwt_scan_spec(spec, IWT_TYPE(in), IWT_TYPE(results)) }, in, n, \
                   unique_keys, results, count)
#define iwt_keys_by_value(c, in, n, out) iw_keys_by_value(c, IWT_TYPE_2(in, out), in, n, out)
#define iwt_argmin(c, in, n, index, value) iw_argmin(c, IWT_TYPE_2(in, value), in, n, index, value)
#define iwt_argmax(c, in, n, index, value) iw_argmax(c, IWT_TYPE_2(in, value), in, n, index, value)
#define iwt_argmin_segments(c, segments, in, n, indices, values) \
  iw_argmin_segments(c, IWT_TYPE_2(in, values), segments, in, n, indices, values)
#define iwt_argmax_segments(c, segments, in, n, indices, values) \
  iw_argmax_segments(c, IWT_TYPE_2(in, values), segments, in, n, indices, values)
/* unique_keys has the type segments->key_type. */
#define iwt_argmin_by_key(c, segments, in, n, unique_keys, indices, values, count) \
  iw_argmin_by_key(c, IWT_TYPE_2(in, values), segments, in, n, unique_keys, indices, values, count)
#define iwt_argmax_by_key(c, segments, in, n, unique_keys, indices, values, count) \
  iw_argmax_by_key(c, IWT_TYPE_2(in, values), segments, in, n, unique_keys, indices, values, count)

/* ---- Histogram ---------------------------------------------------------------------------------------------- */
#define iwt_histogram(c, spec, samples, n, counts, report) \
  iw_histogram(c, IWT_TYPE(samples), spec, samples, n, IWT_COUNTS(counts), report)
#define iwt_histogram_by_strategy(c, spec, samples, n, counts, report, options) /* with <isowarp/strategies.h> */ \
  iw_histogram_by_strategy(c, IWT_TYPE(samples), spec, samples, n, IWT_COUNTS(counts), report, options)
#define iwt_histogram_edges(spec, edges) iw_histogram_edges(IWT_TYPE(edges), spec, edges)
#define iwt_histogram_range(c, samples, n, lo, hi) \
  iw_histogram_range(c, IWT_TYPE_3(samples, lo, hi), samples, n, lo, hi)
#define iwt_histogram_plan_make(c, spec, sample, n, plan) \
  iw_histogram_plan_make(c, IWT_TYPE(sample), spec, sample, n, plan)
#define iwt_histogram_weighted(c, plan, samples, weights, n, sums) \
  iw_histogram_weighted(c, plan, IWT_TYPE(samples), samples, IWT_TYPE(weights), weights, n, IWT_SUMS(sums, weights))
/* Each axis is two arguments. */
#define iwt_histogram_pairs(c, x_plan, x, y_plan, y, n, counts) \
  iw_histogram_pairs(c, &(const iw_histogram_axis){ sizeof(iw_histogram_axis), x_plan, IWT_TYPE(x), x }, \
    &(const iw_histogram_axis){ sizeof(iw_histogram_axis), y_plan, IWT_TYPE(y), y }, n, IWT_COUNTS(counts))
/* The axes and the weights' sums have no pointer that gives the samples' types. */
#define iwt_histogram_nd(c, axes, dimensions, n, counts) iw_histogram_nd(c, axes, dimensions, n, IWT_COUNTS(counts))
#define iwt_histogram_nd_weighted(c, axes, dimensions, weights, n, sums) \
  iw_histogram_nd_weighted(c, axes, dimensions, IWT_TYPE(weights), weights, n, IWT_SUMS(sums, weights))
#define iwt_histogram_project(c, axes, dimensions, in, out, flags) \
  iw_histogram_project(c, IWT_TYPE_2(in, out), axes, dimensions, in, out, flags)
#define iwt_digitize(c, spec, samples, n, indices) \
  iw_digitize(c, IWT_TYPE(samples), spec, samples, n, IWT_TYPE(indices), indices)
#define iwt_histogram_log_edges(lo, hi, bins, edges) \
  iw_histogram_log_edges(IWT_TYPE(edges), IWT_VALUE(edges, lo), IWT_VALUE(edges, hi), bins, edges)
#define iwt_histogram_power_edges(lo, hi, bins, power, edges) \
  iw_histogram_power_edges(IWT_TYPE(edges), IWT_VALUE(edges, lo), IWT_VALUE(edges, hi), bins, power, edges)
#define iwt_histogram_row_ranges(c, samples, rows, columns, lo, hi) \
  iw_histogram_row_ranges(c, IWT_TYPE_3(samples, lo, hi), samples, rows, columns, lo, hi)
#define iwt_histogram_rows_ranged(c, spec, samples, rows, columns, lo, hi, counts) \
  iw_histogram_rows_ranged(c, IWT_TYPE_3(samples, lo, hi), spec, samples, rows, columns, lo, hi, IWT_COUNTS(counts))
#define iwt_growing_histogram_add(c, histogram, samples, n) \
  iw_growing_histogram_add(c, histogram, IWT_TYPE(samples), samples, n)
#define iwt_growing_histogram_read(histogram, edges, counts) \
  iw_growing_histogram_read(histogram, IWT_TYPE(edges), edges, counts)
#define iwt_histogram_rows(c, plan, samples, rows, columns, counts) \
  iw_histogram_rows(c, plan, IWT_TYPE(samples), samples, rows, columns, IWT_COUNTS(counts))
#define iwt_histogram_channels(c, plans, channels, samples, n, counts) \
  iw_histogram_channels(c, plans, channels, IWT_TYPE(samples), samples, n, counts)

/* ---- Partition, select, unique, multisplit ------------------------------------------------------------------ */
#define iwt_partition(c, test, in, n, front, rest, count) \
  iw_partition(c, IWT_TYPE_3(in, front, rest), test, in, n, front, rest, count)
#define iwt_select_if(c, test, in, n, out, count) iw_select_if(c, IWT_TYPE_2(in, out), test, in, n, out, count)
#define iwt_partition_payloads(c, test, in, n, payloads, payload_count, count) \
  iw_partition_payloads(c, IWT_TYPE(in), test, in, n, payloads, payload_count, count)
#define iwt_select_payloads(c, test, in, n, payloads, payload_count, count) \
  iw_select_payloads(c, IWT_TYPE(in), test, in, n, payloads, payload_count, count)
#define iwt_unique(c, in, n, out, count, payloads, payload_count) \
  iw_unique(c, IWT_TYPE_2(in, out), in, n, out, count, payloads, payload_count)
#define iwt_run_lengths(c, in, n, values, lengths, count) \
  iw_run_lengths(c, IWT_TYPE_2(in, values), in, n, values, IWT_TYPE(lengths), lengths, count)
#define iwt_multisplit(c, buckets, in, n, out, offsets) \
  iw_multisplit(c, IWT_TYPE_2(in, out), buckets, in, n, out, offsets)
#define iwt_multisplit_payloads(c, buckets, in, n, payloads, payload_count, offsets) \
  iw_multisplit_payloads(c, IWT_TYPE(in), buckets, in, n, payloads, payload_count, offsets)

/* ---- Sort --------------------------------------------------------------------------------------------------- */
#define iwt_sort(c, in, n, out, options) iw_sort(c, IWT_TYPE_2(in, out), in, n, out, options)
#define iwt_argsort(c, in, n, indices, options) iw_argsort(c, IWT_TYPE(in), in, n, IWT_INDICES_OF(indices), options)
#define iwt_lower_bound(c, sorted, n, values, count, indices, options) \
  iw_lower_bound(c, IWT_TYPE_2(sorted, values), (iw_elements){ sorted, n }, (iw_elements){ values, count }, IWT_INDICES_OF(indices), options)
#define iwt_upper_bound(c, sorted, n, values, count, indices, options) \
  iw_upper_bound(c, IWT_TYPE_2(sorted, values), (iw_elements){ sorted, n }, (iw_elements){ values, count }, IWT_INDICES_OF(indices), options)
#define iwt_is_sorted_until(c, in, n, until, options) iw_is_sorted_until(c, IWT_TYPE(in), in, n, until, options)
#define iwt_merge(c, a, a_count, b, b_count, out, indices, options) \
  iw_merge(c, IWT_TYPE_3(a, b, out), (iw_elements){ a, a_count }, (iw_elements){ b, b_count }, out, IWT_INDICES_OF(indices), options)
#define iwt_top_k(c, in, n, k, values, options) iw_top_k(c, IWT_TYPE_2(in, values), in, n, k, values, options)
#define iwt_nth_element(c, in, n, nth, value, index) iw_nth_element(c, IWT_TYPE_2(in, value), in, n, nth, value, index)
#define iwt_median(c, in, n, value, index) iw_median(c, IWT_TYPE_2(in, value), in, n, value, index)

#endif
