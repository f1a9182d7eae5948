/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of isowarp.h with the element type taken from the pointers: C11 by _Generic, C++ by overloads.
 *
 *   float in[n], out[n], total;
 *   iw_inclusive_scan(context, IW_SUM, in, out, n);
 *   iw_reduce(context, IW_MAX, in, n, &total);
 *   double exact;
 *   iw_reduce_as(context, IW_SUM, in, n, &exact);
 *   iw_partition(context, in, n, 0.5f, out, &count);
 *
 * There is no init; the calls of isowarp.h take one. Pointers of different types in one call do not compile, but for
 * iw_…_as.
 */
#ifndef ISOWARP_TYPED_H
#define ISOWARP_TYPED_H

#include <isowarp.h>

#ifdef __cplusplus

namespace isowarp_detail {
template <class T> struct type_of;
template <> struct type_of<uint8_t> { static const iw_type value = IW_U8; };
template <> struct type_of<uint16_t> { static const iw_type value = IW_U16; };
template <> struct type_of<int32_t> { static const iw_type value = IW_I32; };
template <> struct type_of<uint32_t> { static const iw_type value = IW_U32; };
template <> struct type_of<int64_t> { static const iw_type value = IW_I64; };
template <> struct type_of<uint64_t> { static const iw_type value = IW_U64; };
template <> struct type_of<float> { static const iw_type value = IW_F32; };
template <> struct type_of<double> { static const iw_type value = IW_F64; };
template <class T> struct same { typedef T type; }; /* takes no part in deduction: pivots convert to the elements' type */
}

template <class T> inline iw_status iw_inclusive_scan(iw_context *c, iw_op op, const T *in, T *out, size_t n)
{ return iw_inclusive_scan_any(c, op, isowarp_detail::type_of<T>::value, in, out, n, 0); }
template <class T> inline iw_status iw_exclusive_scan(iw_context *c, iw_op op, const T *in, T *out, size_t n)
{ return iw_exclusive_scan_any(c, op, isowarp_detail::type_of<T>::value, in, out, n, 0); }
template <class T> inline iw_status iw_reduce(iw_context *c, iw_op op, const T *in, size_t n, T *result)
{ return iw_reduce_any(c, op, isowarp_detail::type_of<T>::value, in, n, 0, result); }
template <class S, class T>
inline iw_status iw_inclusive_scan_as(iw_context *c, iw_op op, const S *in, T *out, size_t n)
{ return iw_inclusive_scan_as_any(c, op, isowarp_detail::type_of<S>::value, in,
                                  isowarp_detail::type_of<T>::value, out, n, 0); }
template <class S, class T>
inline iw_status iw_exclusive_scan_as(iw_context *c, iw_op op, const S *in, T *out, size_t n)
{ return iw_exclusive_scan_as_any(c, op, isowarp_detail::type_of<S>::value, in,
                                  isowarp_detail::type_of<T>::value, out, n, 0); }
template <class S, class T> inline iw_status iw_reduce_as(iw_context *c, iw_op op, const S *in, size_t n, T *result)
{ return iw_reduce_as_any(c, op, isowarp_detail::type_of<S>::value, in, n,
                          isowarp_detail::type_of<T>::value, 0, result); }
template <class T> inline iw_status iw_argmin(iw_context *c, const T *in, size_t n, size_t *index)
{ return iw_argmin_any(c, isowarp_detail::type_of<T>::value, in, n, index, 0); }
template <class T> inline iw_status iw_argmax(iw_context *c, const T *in, size_t n, size_t *index)
{ return iw_argmax_any(c, isowarp_detail::type_of<T>::value, in, n, index, 0); }
template <class T>
inline iw_status iw_inclusive_scan_segments(iw_context *c, iw_op op, const T *in, const uint8_t *flags, T *out, size_t n)
{ return iw_inclusive_scan_segments_any(c, op, isowarp_detail::type_of<T>::value, in, flags, out, n, 0); }
template <class T, class K>
inline iw_status iw_inclusive_scan_by_key(iw_context *c, iw_op op, const T *in, const K *keys, T *out, size_t n)
{ return iw_inclusive_scan_by_key_any(c, op, isowarp_detail::type_of<T>::value, in,
                                      isowarp_detail::type_of<K>::value, keys, out, n, 0); }
template <class T>
inline iw_status iw_inclusive_scan_rows(iw_context *c, iw_op op, const T *in, T *out, size_t rows, size_t columns)
{ return iw_inclusive_scan_rows_any(c, op, isowarp_detail::type_of<T>::value, in, out, rows, columns, 0); }
template <class T>
inline iw_status iw_exclusive_scan_segments(iw_context *c, iw_op op, const T *in, const uint8_t *flags, T *out, size_t n)
{ return iw_exclusive_scan_segments_any(c, op, isowarp_detail::type_of<T>::value, in, flags, out, n, 0); }
template <class T, class K>
inline iw_status iw_exclusive_scan_by_key(iw_context *c, iw_op op, const T *in, const K *keys, T *out, size_t n)
{ return iw_exclusive_scan_by_key_any(c, op, isowarp_detail::type_of<T>::value, in,
                                      isowarp_detail::type_of<K>::value, keys, out, n, 0); }
template <class T>
inline iw_status iw_exclusive_scan_rows(iw_context *c, iw_op op, const T *in, T *out, size_t rows, size_t columns)
{ return iw_exclusive_scan_rows_any(c, op, isowarp_detail::type_of<T>::value, in, out, rows, columns, 0); }
template <class T> inline iw_status iw_histogram(iw_context *c, const T *samples, size_t n, const iw_histogram_spec *spec,
                                                 uint64_t *counts)
{ return iw_histogram_any(c, isowarp_detail::type_of<T>::value, samples, n, spec, counts, 0); }
template <class T>
inline iw_status iw_histogram_plan_run(iw_context *c, const iw_histogram_plan *plan, const T *samples, size_t n, uint64_t *counts)
{ return iw_histogram_plan_run_any(c, plan, isowarp_detail::type_of<T>::value, samples, n, counts, 0); }
template <class T>
inline iw_status iw_extract_planned(iw_context *c, const iw_histogram_plan *plan, const T *in, size_t n, size_t bin, T *out,
                                    size_t *count)
{ return iw_extract_planned_any(c, plan, isowarp_detail::type_of<T>::value, in, n, bin, out, count); }
template <class T>
inline iw_status iw_multisplit_planned(iw_context *c, const iw_histogram_plan *plan, const T *in, size_t n, T *out,
                                       size_t *offsets)
{ return iw_multisplit_planned_any(c, plan, isowarp_detail::type_of<T>::value, in, n, out, offsets); }
namespace isowarp_detail {
template <class T> struct sum_of { typedef T type; };
template <> struct sum_of<int32_t> { typedef int64_t type; };
template <> struct sum_of<uint32_t> { typedef uint64_t type; };
}
template <class T, class W>
inline iw_status iw_histogram_weighted(iw_context *c, const iw_histogram_plan *plan, const T *samples, const W *weights,
                                       size_t n, typename isowarp_detail::sum_of<W>::type *sums)
{ return iw_histogram_weighted_any(c, plan, isowarp_detail::type_of<T>::value, samples, isowarp_detail::type_of<W>::value,
                                   weights, n, sums); }
template <class S, class T>
inline iw_status iw_histogram_pairs(iw_context *c, const iw_histogram_plan *x_plan, const S *x, const iw_histogram_plan *y_plan,
                                    const T *y, size_t n, uint64_t *counts)
{ return iw_histogram_pairs_any(c, x_plan, isowarp_detail::type_of<S>::value, x, y_plan, isowarp_detail::type_of<T>::value, y,
                                n, counts); }
template <class T>
inline iw_status iw_histogram_rows(iw_context *c, const iw_histogram_plan *plan, const T *samples, size_t rows, size_t columns,
                                   uint64_t *counts)
{ return iw_histogram_rows_any(c, plan, isowarp_detail::type_of<T>::value, samples, rows, columns, counts); }
template <class T> inline iw_status iw_partition(iw_context *c, const T *in, size_t n,
                                                 typename isowarp_detail::same<T>::type pivot, T *out, size_t *count)
{ return iw_partition_any(c, isowarp_detail::type_of<T>::value, in, n, &pivot, out, count); }
template <class T> inline iw_status iw_partition_flags(iw_context *c, const T *in, const uint8_t *flags, size_t n, T *out,
                                                       size_t *count)
{ return iw_partition_flags_any(c, isowarp_detail::type_of<T>::value, in, flags, n, out, count); }
template <class T> inline iw_status iw_select_flags(iw_context *c, const T *in, const uint8_t *flags, size_t n, T *out,
                                                    size_t *count)
{ return iw_select_flags_any(c, isowarp_detail::type_of<T>::value, in, flags, n, out, count); }
template <class T, class V>
inline iw_status iw_partition_pairs(iw_context *c, const T *in, const V *values, size_t n, const iw_test *test, T *front,
                                    V *values_front, T *rest, V *values_rest, size_t *count)
{ const iw_payload payload = { values, values_front, values_rest, sizeof(V) };
  return iw_partition_payloads_any(c, isowarp_detail::type_of<T>::value, in, n, test, front, rest, count, &payload, 1); }
template <class T, class V>
inline iw_status iw_select_pairs(iw_context *c, const T *in, const V *values, size_t n, const iw_test *test, T *out,
                                 V *values_out, size_t *count)
{ const iw_payload payload = { values, values_out, 0, sizeof(V) };
  return iw_select_payloads_any(c, isowarp_detail::type_of<T>::value, in, n, test, out, count, &payload, 1); }
template <class T, class I>
inline iw_status iw_select_indices(iw_context *c, const T *in, size_t n, const iw_test *test, I *indices, size_t *count)
{ const iw_payload payload = { 0, indices, 0, sizeof(I) };
  return iw_select_payloads_any(c, isowarp_detail::type_of<T>::value, in, n, test, 0, count, &payload, 1); }
template <class T> inline iw_status iw_unique(iw_context *c, const T *in, size_t n, T *out, size_t *count)
{ return iw_unique_any(c, isowarp_detail::type_of<T>::value, in, n, out, count, 0, 0); }
template <class T, class L>
inline iw_status iw_run_lengths(iw_context *c, const T *in, size_t n, T *values, L *lengths, size_t *count)
{ return iw_run_lengths_any(c, isowarp_detail::type_of<T>::value, in, n, values, isowarp_detail::type_of<L>::value, lengths,
                            count); }
template <class T> inline iw_status iw_extract(iw_context *c, const T *in, size_t n, const iw_histogram_spec *spec,
                                               size_t bin, T *out, size_t *count)
{ return iw_extract_any(c, isowarp_detail::type_of<T>::value, in, n, spec, bin, out, count); }
template <class T> inline iw_status iw_multisplit(iw_context *c, const T *in, size_t n, const iw_histogram_spec *spec,
                                                  T *out, size_t *offsets)
{ return iw_multisplit_any(c, isowarp_detail::type_of<T>::value, in, n, spec, out, offsets); }
template <class T> inline iw_status iw_multisplit_by(iw_context *c, const T *in, size_t n, const iw_buckets *buckets, T *out,
                                                     size_t *offsets)
{ return iw_multisplit_by_any(c, isowarp_detail::type_of<T>::value, in, n, buckets, out, 0, 0, offsets); }
template <class T, class V>
inline iw_status iw_multisplit_pairs(iw_context *c, const T *in, const V *values, size_t n, const iw_buckets *buckets, T *out,
                                     V *values_out, size_t *offsets)
{ const iw_payload payload = { values, values_out, 0, sizeof(V) };
  return iw_multisplit_by_any(c, isowarp_detail::type_of<T>::value, in, n, buckets, out, &payload, 1, offsets); }
namespace isowarp_detail {
template <class T> struct number;
template <> struct number<uint32_t> { static const size_t width = 4; };
template <> struct number<uint64_t> { static const size_t width = 8; };
}
template <class T, class I> inline iw_status iw_multisplit_order(iw_context *c, const T *in, size_t n, const iw_buckets *buckets,
                                                                 I *order, size_t *offsets)
{ const iw_payload payload = { 0, order, 0, isowarp_detail::number<I>::width };
  return iw_multisplit_by_any(c, isowarp_detail::type_of<T>::value, in, n, buckets, 0, &payload, 1, offsets); }

#else

/* The iw_type of a pointer's elements; a pointer to anything else does not compile. */
#define IW_TYPE_OF(p) _Generic(*(p), uint8_t: IW_U8, uint16_t: IW_U16, int32_t: IW_I32, uint32_t: IW_U32, \
  int64_t: IW_I64, uint64_t: IW_U64, float: IW_F32, double: IW_F64)
/* The same, for a pair of pointers to one type: comparing them makes the compiler object where they differ. */
#define IW_TYPE_OF_BOTH(p, q) (0 ? IW_TYPE_OF(1 ? (p) : (q)) : IW_TYPE_OF(p))
#define IW_ADDRESS_AS(p, value) _Generic(*(p), int32_t: &(int32_t){ (int32_t)(value) }, uint32_t: &(uint32_t){ (uint32_t)(value) }, \
  int64_t: &(int64_t){ (int64_t)(value) }, uint64_t: &(uint64_t){ (uint64_t)(value) }, float: &(float){ (float)(value) }, \
  double: &(double){ (double)(value) })

#define iw_inclusive_scan(c, op, in, out, n) iw_inclusive_scan_any(c, op, IW_TYPE_OF_BOTH(in, out), in, out, n, NULL)
#define iw_exclusive_scan(c, op, in, out, n) iw_exclusive_scan_any(c, op, IW_TYPE_OF_BOTH(in, out), in, out, n, NULL)
#define iw_reduce(c, op, in, n, result) iw_reduce_any(c, op, IW_TYPE_OF_BOTH(in, result), in, n, NULL, result)
#define iw_inclusive_scan_as(c, op, in, out, n) \
  iw_inclusive_scan_as_any(c, op, IW_TYPE_OF(in), in, IW_TYPE_OF(out), out, n, NULL)
#define iw_exclusive_scan_as(c, op, in, out, n) \
  iw_exclusive_scan_as_any(c, op, IW_TYPE_OF(in), in, IW_TYPE_OF(out), out, n, NULL)
#define iw_reduce_as(c, op, in, n, result) \
  iw_reduce_as_any(c, op, IW_TYPE_OF(in), in, n, IW_TYPE_OF(result), NULL, result)
#define iw_argmin(c, in, n, index) iw_argmin_any(c, IW_TYPE_OF(in), in, n, index, NULL)
#define iw_argmax(c, in, n, index) iw_argmax_any(c, IW_TYPE_OF(in), in, n, index, NULL)
#define iw_inclusive_scan_segments(c, op, in, flags, out, n) \
  iw_inclusive_scan_segments_any(c, op, IW_TYPE_OF_BOTH(in, out), in, flags, out, n, NULL)
#define iw_inclusive_scan_by_key(c, op, in, keys, out, n) \
  iw_inclusive_scan_by_key_any(c, op, IW_TYPE_OF_BOTH(in, out), in, IW_TYPE_OF(keys), keys, out, n, NULL)
#define iw_inclusive_scan_rows(c, op, in, out, rows, columns) \
  iw_inclusive_scan_rows_any(c, op, IW_TYPE_OF_BOTH(in, out), in, out, rows, columns, NULL)
#define iw_exclusive_scan_segments(c, op, in, flags, out, n) \
  iw_exclusive_scan_segments_any(c, op, IW_TYPE_OF_BOTH(in, out), in, flags, out, n, NULL)
#define iw_exclusive_scan_by_key(c, op, in, keys, out, n) \
  iw_exclusive_scan_by_key_any(c, op, IW_TYPE_OF_BOTH(in, out), in, IW_TYPE_OF(keys), keys, out, n, NULL)
#define iw_exclusive_scan_rows(c, op, in, out, rows, columns) \
  iw_exclusive_scan_rows_any(c, op, IW_TYPE_OF_BOTH(in, out), in, out, rows, columns, NULL)
#define iw_histogram(c, samples, n, spec, counts) iw_histogram_any(c, IW_TYPE_OF(samples), samples, n, spec, \
  1 ? (counts) : (uint64_t *)0, NULL)
#define iw_histogram_plan_run(c, plan, samples, n, counts) \
  iw_histogram_plan_run_any(c, plan, IW_TYPE_OF(samples), samples, n, 1 ? (counts) : (uint64_t *)0, NULL)
/* The type of sums of a pointer's elements: 32-bit integers are added up in 64 bits. */
#define IW_SUM_OF(p) _Generic(*(p), int32_t: (int64_t *)0, uint32_t: (uint64_t *)0, int64_t: (int64_t *)0, \
  uint64_t: (uint64_t *)0, float: (float *)0, double: (double *)0)
#define iw_histogram_weighted(c, plan, samples, weights, n, sums) \
  iw_histogram_weighted_any(c, plan, IW_TYPE_OF(samples), samples, IW_TYPE_OF(weights), weights, n, \
                            1 ? (sums) : IW_SUM_OF(weights))
#define iw_histogram_pairs(c, x_plan, x, y_plan, y, n, counts) \
  iw_histogram_pairs_any(c, x_plan, IW_TYPE_OF(x), x, y_plan, IW_TYPE_OF(y), y, n, 1 ? (counts) : (uint64_t *)0)
#define iw_histogram_rows(c, plan, samples, rows, columns, counts) \
  iw_histogram_rows_any(c, plan, IW_TYPE_OF(samples), samples, rows, columns, 1 ? (counts) : (uint64_t *)0)
#define iw_extract_planned(c, plan, in, n, bin, out, count) \
  iw_extract_planned_any(c, plan, IW_TYPE_OF_BOTH(in, out), in, n, bin, out, count)
#define iw_multisplit_planned(c, plan, in, n, out, offsets) \
  iw_multisplit_planned_any(c, plan, IW_TYPE_OF_BOTH(in, out), in, n, out, offsets)
#define iw_partition(c, in, n, pivot, out, count) \
  iw_partition_any(c, IW_TYPE_OF_BOTH(in, out), in, n, IW_ADDRESS_AS(in, pivot), out, count)
#define iw_partition_flags(c, in, flags, n, out, count) \
  iw_partition_flags_any(c, IW_TYPE_OF_BOTH(in, out), in, flags, n, out, count)
#define iw_select_flags(c, in, flags, n, out, count) \
  iw_select_flags_any(c, IW_TYPE_OF_BOTH(in, out), in, flags, n, out, count)
/* Values of any type; they and where they go have one. */
#define IW_PAYLOAD_OF(values, front, rest) &(iw_payload){ 1 ? (values) : (front), 1 ? (front) : (rest), rest, sizeof *(values) }
#define iw_partition_pairs(c, in, values, n, test, front, values_front, rest, values_rest, count) \
  iw_partition_payloads_any(c, IW_TYPE_OF_BOTH(in, front), in, n, test, front, rest, count, \
                            IW_PAYLOAD_OF(values, values_front, values_rest), 1)
#define iw_select_pairs(c, in, values, n, test, out, values_out, count) \
  iw_select_payloads_any(c, IW_TYPE_OF_BOTH(in, out), in, n, test, out, count, IW_PAYLOAD_OF(values, values_out, NULL), 1)
#define iw_select_indices(c, in, n, test, indices, count) \
  iw_select_payloads_any(c, IW_TYPE_OF(in), in, n, test, NULL, count, \
                         &(iw_payload){ .out = indices, .width = sizeof *(indices) }, 1)
#define iw_unique(c, in, n, out, count) iw_unique_any(c, IW_TYPE_OF_BOTH(in, out), in, n, out, count, NULL, 0)
#define iw_run_lengths(c, in, n, values, lengths, count) \
  iw_run_lengths_any(c, IW_TYPE_OF_BOTH(in, values), in, n, values, IW_TYPE_OF(lengths), lengths, count)
#define iw_extract(c, in, n, spec, bin, out, count) iw_extract_any(c, IW_TYPE_OF_BOTH(in, out), in, n, spec, bin, out, count)
#define iw_multisplit(c, in, n, spec, out, offsets) \
  iw_multisplit_any(c, IW_TYPE_OF_BOTH(in, out), in, n, spec, out, offsets)
/* By any rule: elements alone; with a value each, of any type of 1, 2, 4, 8 or 16 bytes; or their order alone, in uint32_t or
 * uint64_t: the number of the element that would go to each place. */
#define iw_multisplit_by(c, in, n, buckets, out, offsets) \
  iw_multisplit_by_any(c, IW_TYPE_OF_BOTH(in, out), in, n, buckets, out, NULL, 0, offsets)
#define iw_multisplit_pairs(c, in, values, n, buckets, out, values_out, offsets) \
  iw_multisplit_by_any(c, IW_TYPE_OF_BOTH(in, out), in, n, buckets, out, \
                       IW_PAYLOAD_OF(values, values_out, NULL), 1, offsets)
#define iw_multisplit_order(c, in, n, buckets, order, offsets) \
  iw_multisplit_by_any(c, IW_TYPE_OF(in), in, n, buckets, NULL, \
                       &(iw_payload){ NULL, order, NULL, _Generic(*(order), uint32_t: 4, uint64_t: 8) }, 1, offsets)

#endif
#endif
