/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h that take element types, as C++11 templates that take them from the pointers.
 * Opt-in, above the public API; C has <isowarp/typed.h>.
 *
 *   isowarp::inclusive_scan(context, IW_SUM, in, n, out);
 *   isowarp::reduce(context, IW_MAX, in, n, &total);
 *   isowarp::partition(context, IW_LESS, 0.5f, in, n, out, nullptr, &count);
 *
 * isowarp::NAME has the parameters of iw_NAME in the same order, without the iw_type ones, and its contract;
 * optional ones (init, value, report, payloads) come last and have defaults. Pointers whose element types do
 * not fit do not compile.
 *
 * Element types are those of <cstdint>, float, double, bool and, as bits, isowarp::f16 and isowarp::bf16;
 * also _Float16 and __bf16 where the compiler has them, and __half and __nv_bfloat16 if CUDA's header of
 * them is included before this one.
 */
#ifndef ISOWARP_HPP
#define ISOWARP_HPP

#ifndef __cplusplus
#error "<isowarp/isowarp.hpp> is for C++: in C include <isowarp/typed.h>"
#endif

#include <isowarp/histograms.h>
#include <isowarp/segments.h>
#include <isowarp/sorts.h>
#include <isowarp/strategies.h>

namespace isowarp {

/* Floats of 2 bytes, for compilers without such types. */
struct f16 { uint16_t bits; };
struct bf16 { uint16_t bits; };

namespace detail {
template <class T> struct element; /* of the element types only */
template <> struct element<uint8_t> { static constexpr iw_type type = IW_U8; };
template <> struct element<uint16_t> { static constexpr iw_type type = IW_U16; };
template <> struct element<int32_t> { static constexpr iw_type type = IW_I32; typedef int64_t sum; };
template <> struct element<uint32_t> { static constexpr iw_type type = IW_U32; typedef uint64_t sum; };
template <> struct element<int64_t> { static constexpr iw_type type = IW_I64; typedef int64_t sum; };
template <> struct element<uint64_t> { static constexpr iw_type type = IW_U64; typedef uint64_t sum; };
template <> struct element<float> { static constexpr iw_type type = IW_F32; typedef float sum; };
template <> struct element<double> { static constexpr iw_type type = IW_F64; typedef double sum; };
template <> struct element<int8_t> { static constexpr iw_type type = IW_I8; };
template <> struct element<int16_t> { static constexpr iw_type type = IW_I16; };
template <> struct element<bool> { static constexpr iw_type type = IW_BOOL; };
template <> struct element<f16> { static constexpr iw_type type = IW_F16; };
template <> struct element<bf16> { static constexpr iw_type type = IW_BF16; };
#if defined __FLT16_MANT_DIG__ && !defined __CUDACC__
__extension__ typedef _Float16 compilers_f16; /* not in ISO C++ */
template <> struct element<compilers_f16> { static constexpr iw_type type = IW_F16; };
#endif
#if defined __BFLT16_MANT_DIG__ && !defined __CUDACC__
__extension__ typedef __bf16 compilers_bf16;
template <> struct element<compilers_bf16> { static constexpr iw_type type = IW_BF16; };
#endif
#ifdef __CUDA_FP16_TYPES_EXIST__
template <> struct element< ::__half> { static constexpr iw_type type = IW_F16; };
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
template <> struct element< ::__nv_bfloat16> { static constexpr iw_type type = IW_BF16; };
#endif

template <class T> struct counter; /* uint64_t, or uint32_t with IW_HIST_COUNTERS_32; and element indices */
template <> struct counter<uint32_t> { static constexpr size_t width = 4; };
template <> struct counter<uint64_t> { static constexpr size_t width = 8; };
template <class T> inline void *counts(T *p) { return static_cast<void *>(p + 0 * counter<T>::width); }

template <class T> inline iw_indices indices(T *p)
{
  const iw_indices to = { p, static_cast<unsigned>(counter<T>::width) };
  return to;
}

/* T, but a parameter of it takes no part in deduction: it may be nullptr, and constants convert. */
template <class T> struct same { typedef T type; };
template <class T> using same_t = typename same<T>::type;

template <class S, class T> inline iw_scan_spec typed(iw_scan_spec spec)
{
  spec.in_type = element<S>::type;
  spec.type = element<T>::type;
  return spec;
}

template <class T> inline iw_test compared(iw_compare compare, const T *constant)
{
  iw_test test = iw_test();
  test.size = sizeof test;
  test.compare = compare;
  test.constant = constant;
  return test;
}
}

/* ---- Payloads ----------------------------------------------------------------------------------------------- */

/* A payload of values of 1 2 4 8 or 16 bytes, and one of element indices in uint32_t or uint64_t. */
template <class V> inline iw_payload payload(const V *values, detail::same_t<V> *out, detail::same_t<V> *rest = nullptr)
{
  return { sizeof(iw_payload), values, out, rest, sizeof(V) };
}
template <class I> inline iw_payload indices(I *out, detail::same_t<I> *rest = nullptr)
{
  return { sizeof(iw_payload), nullptr, out, rest, detail::counter<I>::width };
}

/* ---- Scan and reduce ---------------------------------------------------------------------------------------- */

template <class T>
inline iw_status inclusive_scan(iw_context *context, iw_op op, const T *in, size_t n, T *out,
                                const detail::same_t<T> *init = nullptr)
{
  return iw_inclusive_scan(context, op, detail::element<T>::type, in, n, out, init);
}
template <class T>
inline iw_status exclusive_scan(iw_context *context, iw_op op, const T *in, size_t n, T *out,
                                const detail::same_t<T> *init = nullptr)
{
  return iw_exclusive_scan(context, op, detail::element<T>::type, in, n, out, init);
}
template <class T>
inline iw_status reduce(iw_context *context, iw_op op, const T *in, size_t n, T *result,
                        const detail::same_t<T> *init = nullptr)
{
  return iw_reduce(context, op, detail::element<T>::type, in, n, result, init);
}
/* The spec's types are ignored: they are those of the pointers, which may differ as iw_scan_with says. */
template <class S, class T>
inline iw_status scan_with(iw_context *context, const iw_scan_spec &spec, const S *in, size_t n, T *out)
{
  const iw_scan_spec typed = detail::typed<S, T>(spec);
  return iw_scan_with(context, &typed, in, n, out);
}
template <class S, class T>
inline iw_status reduce_with(iw_context *context, const iw_scan_spec &spec, const S *in, size_t n, T *result)
{
  const iw_scan_spec typed = detail::typed<S, T>(spec);
  return iw_reduce_with(context, &typed, in, n, result);
}
/* unique_keys has the type spec.segments->key_type; the compiler does not check it. */
template <class S, class T>
inline iw_status reduce_by_key(iw_context *context, const iw_scan_spec &spec, const S *in, size_t n, void *unique_keys,
                               T *results, size_t *count)
{
  const iw_scan_spec typed = detail::typed<S, T>(spec);
  return iw_reduce_by_key(context, &typed, in, n, unique_keys, results, count);
}
template <class T>
inline iw_status argmin(iw_context *context, const T *in, size_t n, size_t *index, detail::same_t<T> *value = nullptr)
{
  return iw_argmin(context, detail::element<T>::type, in, n, index, value);
}
template <class T>
inline iw_status argmax(iw_context *context, const T *in, size_t n, size_t *index, detail::same_t<T> *value = nullptr)
{
  return iw_argmax(context, detail::element<T>::type, in, n, index, value);
}
template <class T>
inline iw_status argmin_segments(iw_context *context, const iw_segments &segments, const T *in, size_t n, size_t *indices,
                                 detail::same_t<T> *values = nullptr)
{
  return iw_argmin_segments(context, detail::element<T>::type, &segments, in, n, indices, values);
}
template <class T>
inline iw_status argmax_segments(iw_context *context, const iw_segments &segments, const T *in, size_t n, size_t *indices,
                                 detail::same_t<T> *values = nullptr)
{
  return iw_argmax_segments(context, detail::element<T>::type, &segments, in, n, indices, values);
}
template <class T>
inline iw_status keys_by_value(iw_context *context, const T *in, size_t n, detail::same_t<T> *out)
{
  return iw_keys_by_value(context, detail::element<T>::type, in, n, out);
}
/* unique_keys has the type segments.key_type. */
template <class T>
inline iw_status argmin_by_key(iw_context *context, const iw_segments &segments, const T *in, size_t n, void *unique_keys,
                               size_t *indices, detail::same_t<T> *values, size_t *count)
{
  return iw_argmin_by_key(context, detail::element<T>::type, &segments, in, n, unique_keys, indices, values, count);
}
template <class T>
inline iw_status argmax_by_key(iw_context *context, const iw_segments &segments, const T *in, size_t n, void *unique_keys,
                               size_t *indices, detail::same_t<T> *values, size_t *count)
{
  return iw_argmax_by_key(context, detail::element<T>::type, &segments, in, n, unique_keys, indices, values, count);
}

/* ---- Histogram ---------------------------------------------------------------------------------------------- */

template <class T, class C>
inline iw_status histogram(iw_context *context, const iw_histogram_spec *spec, const T *samples, size_t n, C *counts,
                           iw_histogram_report *report = nullptr)
{
  return iw_histogram(context, detail::element<T>::type, spec, samples, n, detail::counts(counts), report);
}
template <class T, class C>
inline iw_status histogram_by_strategy(iw_context *context, const iw_histogram_spec *spec, const T *samples, size_t n,
                                       C *counts, iw_strategy_report *report = nullptr,
                                       const iw_strategy_options *options = nullptr)
{
  return iw_histogram_by_strategy(context, detail::element<T>::type, spec, samples, n, detail::counts(counts),
                                  report, options);
}
template <class T> inline iw_status histogram_edges(const iw_histogram_spec *spec, T *edges)
{
  return iw_histogram_edges(detail::element<T>::type, spec, edges);
}
template <class T>
inline iw_status histogram_range(iw_context *context, const T *samples, size_t n, T *lo, T *hi)
{
  return iw_histogram_range(context, detail::element<T>::type, samples, n, lo, hi);
}
/* T is deduced from sample; name it for a plan without one: histogram_plan_make<float>(context, &spec, nullptr, 0, &plan). */
template <class T>
inline iw_status histogram_plan_make(iw_context *context, const iw_histogram_spec *spec, const T *sample, size_t n,
                                     iw_histogram_plan **plan)
{
  return iw_histogram_plan_make(context, detail::element<T>::type, spec, sample, n, plan);
}
template <class T, class W>
inline iw_status histogram_weighted(iw_context *context, const iw_histogram_plan *plan, const T *samples,
                                    const W *weights, size_t n, typename detail::element<W>::sum *sums)
{
  return iw_histogram_weighted(context, plan, detail::element<T>::type, samples, detail::element<W>::type, weights, n,
                               sums);
}
/* Each axis is two arguments. */
template <class S, class T, class C>
inline iw_status histogram_pairs(iw_context *context, const iw_histogram_plan *x_plan, const S *x,
                                 const iw_histogram_plan *y_plan, const T *y, size_t n, C *counts)
{
  const iw_histogram_axis x_axis = { sizeof x_axis, x_plan, detail::element<S>::type, x };
  const iw_histogram_axis y_axis = { sizeof y_axis, y_plan, detail::element<T>::type, y };
  return iw_histogram_pairs(context, &x_axis, &y_axis, n, detail::counts(counts));
}
template <class T, class C>
inline iw_status histogram_rows(iw_context *context, const iw_histogram_plan *plan, const T *samples, size_t rows,
                                size_t columns, C *counts)
{
  return iw_histogram_rows(context, plan, detail::element<T>::type, samples, rows, columns, detail::counts(counts));
}
/* An axis of an N-D histogram. */
template <class T> inline iw_histogram_axis histogram_axis(const iw_histogram_plan *plan, const T *samples)
{
  return { sizeof(iw_histogram_axis), plan, detail::element<T>::type, samples };
}
template <class C>
inline iw_status histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions, size_t n, C *counts)
{
  return iw_histogram_nd(context, axes, dimensions, n, detail::counts(counts));
}
template <class W>
inline iw_status histogram_nd_weighted(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
                                       const W *weights, size_t n, typename detail::element<W>::sum *sums)
{
  return iw_histogram_nd_weighted(context, axes, dimensions, detail::element<W>::type, weights, n, sums);
}
template <class T>
inline iw_status histogram_project(iw_context *context, const iw_table_axis *axes, unsigned dimensions, const T *in,
                                   T *out, unsigned flags)
{
  return iw_histogram_project(context, detail::element<T>::type, axes, dimensions, in, out, flags);
}
template <class T, class I>
inline iw_status digitize(iw_context *context, const iw_histogram_spec *spec, const T *samples, size_t n, I *indices)
{
  return iw_digitize(context, detail::element<T>::type, spec, samples, n, detail::element<I>::type, indices);
}
template <class T>
inline iw_status histogram_log_edges(detail::same_t<T> lo, detail::same_t<T> hi, size_t bins, T *edges)
{
  return iw_histogram_log_edges(detail::element<T>::type, &lo, &hi, bins, edges);
}
template <class T>
inline iw_status histogram_power_edges(detail::same_t<T> lo, detail::same_t<T> hi, size_t bins, double power, T *edges)
{
  return iw_histogram_power_edges(detail::element<T>::type, &lo, &hi, bins, power, edges);
}
template <class T>
inline iw_status histogram_row_ranges(iw_context *context, const T *samples, size_t rows, size_t columns, T *lo, T *hi)
{
  return iw_histogram_row_ranges(context, detail::element<T>::type, samples, rows, columns, lo, hi);
}
template <class T, class C>
inline iw_status histogram_rows_ranged(iw_context *context, const iw_histogram_spec *spec, const T *samples, size_t rows,
                                       size_t columns, const detail::same_t<T> *lo,
                                       const detail::same_t<T> *hi, C *counts)
{
  return iw_histogram_rows_ranged(context, detail::element<T>::type, spec, samples, rows, columns, lo, hi,
                                  detail::counts(counts));
}
template <class T>
inline iw_status growing_histogram_make(detail::same_t<T> origin, detail::same_t<T> width, size_t bins, iw_growth growth,
                                        iw_growing_histogram **histogram)
{
  return iw_growing_histogram_make(detail::element<T>::type, &origin, &width, bins, growth, histogram);
}
template <class T>
inline iw_status growing_histogram_add(iw_context *context, iw_growing_histogram *histogram, const T *samples, size_t n)
{
  return iw_growing_histogram_add(context, histogram, detail::element<T>::type, samples, n);
}
template <class T>
inline iw_status growing_histogram_read(const iw_growing_histogram *histogram, T *edges, uint64_t *counts)
{
  return iw_growing_histogram_read(histogram, detail::element<T>::type, edges, counts);
}
template <class T>
inline iw_status histogram_channels(iw_context *context, const iw_histogram_plan *const *plans, unsigned channels,
                                    const T *samples, size_t n, void *const *counts)
{
  return iw_histogram_channels(context, plans, channels, detail::element<T>::type, samples, n, counts);
}

/* ---- Partition, select, unique, multisplit ------------------------------------------------------------------ */

template <class T>
inline iw_status partition(iw_context *context, const iw_test *test, const T *in, size_t n, T *front,
                           detail::same_t<T> *rest, size_t *count)
{
  return iw_partition(context, detail::element<T>::type, test, in, n, front, rest, count);
}
template <class T>
inline iw_status select_if(iw_context *context, const iw_test *test, const T *in, size_t n, T *out, size_t *count)
{
  return iw_select_if(context, detail::element<T>::type, test, in, n, out, count);
}
/* The same for the test: element (compare) constant. */
template <class T>
inline iw_status partition(iw_context *context, iw_compare compare, detail::same_t<T> constant, const T *in, size_t n,
                           T *front, detail::same_t<T> *rest, size_t *count)
{
  const iw_test test = detail::compared(compare, &constant);
  return partition(context, &test, in, n, front, rest, count);
}
template <class T>
inline iw_status select_if(iw_context *context, iw_compare compare, detail::same_t<T> constant, const T *in, size_t n,
                           T *out, size_t *count)
{
  const iw_test test = detail::compared(compare, &constant);
  return select_if(context, &test, in, n, out, count);
}
template <class T>
inline iw_status partition_payloads(iw_context *context, const iw_test *test, const T *in, size_t n,
                                    const iw_payload *payloads, size_t payload_count, size_t *count)
{
  return iw_partition_payloads(context, detail::element<T>::type, test, in, n, payloads, payload_count, count);
}
template <class T>
inline iw_status select_payloads(iw_context *context, const iw_test *test, const T *in, size_t n,
                                 const iw_payload *payloads, size_t payload_count, size_t *count)
{
  return iw_select_payloads(context, detail::element<T>::type, test, in, n, payloads, payload_count, count);
}
template <class T>
inline iw_status unique(iw_context *context, const T *in, size_t n, detail::same_t<T> *out, size_t *count,
                        const iw_payload *payloads = nullptr, size_t payload_count = 0)
{
  return iw_unique(context, detail::element<T>::type, in, n, out, count, payloads, payload_count);
}
template <class T, class L>
inline iw_status run_lengths(iw_context *context, const T *in, size_t n, detail::same_t<T> *values, L *lengths,
                             size_t *count)
{
  return iw_run_lengths(context, detail::element<T>::type, in, n, values, detail::element<L>::type,
                        detail::counts(lengths), count);
}
template <class T>
inline iw_status multisplit(iw_context *context, const iw_buckets *buckets, const T *in, size_t n, T *out,
                            size_t *offsets)
{
  return iw_multisplit(context, detail::element<T>::type, buckets, in, n, out, offsets);
}
template <class T>
inline iw_status multisplit_payloads(iw_context *context, const iw_buckets *buckets, const T *in, size_t n,
                                     const iw_payload *payloads, size_t payload_count, size_t *offsets)
{
  return iw_multisplit_payloads(context, detail::element<T>::type, buckets, in, n, payloads, payload_count, offsets);
}

/* ---- Sort --------------------------------------------------------------------------------------------------- */

template <class T>
inline iw_status sort(iw_context *context, const T *in, size_t n, detail::same_t<T> *out, const iw_sort_options *options = nullptr)
{
  return iw_sort(context, detail::element<T>::type, in, n, out, options);
}
template <class T, class I>
inline iw_status argsort(iw_context *context, const T *in, size_t n, I *indices, const iw_sort_options *options = nullptr)
{
  return iw_argsort(context, detail::element<T>::type, in, n, detail::indices(indices), options);
}
template <class T, class I>
inline iw_status lower_bound(iw_context *context, const T *sorted, size_t n, const detail::same_t<T> *values, size_t count,
                             I *indices, const iw_sort_options *options = nullptr)
{
  return iw_lower_bound(context, detail::element<T>::type, iw_elements{ sorted, n }, iw_elements{ values, count },
                        detail::indices(indices), options);
}
template <class T, class I>
inline iw_status upper_bound(iw_context *context, const T *sorted, size_t n, const detail::same_t<T> *values, size_t count,
                             I *indices, const iw_sort_options *options = nullptr)
{
  return iw_upper_bound(context, detail::element<T>::type, iw_elements{ sorted, n }, iw_elements{ values, count },
                        detail::indices(indices), options);
}
template <class T>
inline iw_status is_sorted_until(iw_context *context, const T *in, size_t n, uint64_t *until, const iw_sort_options *options = nullptr)
{
  return iw_is_sorted_until(context, detail::element<T>::type, in, n, until, options);
}
template <class T, class I = uint32_t>
inline iw_status merge(iw_context *context, const T *a, size_t a_count, const detail::same_t<T> *b, size_t b_count,
                       detail::same_t<T> *out, I *indices = nullptr, const iw_sort_options *options = nullptr)
{
  return iw_merge(context, detail::element<T>::type, iw_elements{ a, a_count }, iw_elements{ b, b_count }, out,
                  detail::indices(indices), options);
}
template <class T>
inline iw_status top_k(iw_context *context, const T *in, size_t n, size_t k, detail::same_t<T> *values,
                       const iw_sort_options *options = nullptr)
{
  return iw_top_k(context, detail::element<T>::type, in, n, k, values, options);
}
template <class T>
inline iw_status nth_element(iw_context *context, const T *in, size_t n, size_t nth, detail::same_t<T> *value,
                             uint64_t *index = nullptr)
{
  return iw_nth_element(context, detail::element<T>::type, in, n, nth, value, index);
}
template <class T>
inline iw_status median(iw_context *context, const T *in, size_t n, detail::same_t<T> *value, uint64_t *index = nullptr)
{
  return iw_median(context, detail::element<T>::type, in, n, value, index);
}

}

#endif
