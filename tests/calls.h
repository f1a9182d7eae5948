/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of isowarp.h that take a structure, as one line each: the suites say what they ask for by arguments. Nothing here checks
 * or changes anything; each function fills in one structure and makes one call.
 */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <isowarp.h>
#include <isowarp/peers.h>
#include <isowarp/sorts.h>

/* ---- Operators --------------------------------------------------------------------------------------------------- */

/* The built-in operators; the first SEGMENT_OPS are those of scans of segments by flags and keys too. */
enum { SEGMENT_OPS = 3, ALL_OPS = 7 };
static inline iw_op op_at(unsigned i)
{
  static const iw_op ops[] = { IW_SUM, IW_MIN, IW_MAX, IW_PRODUCT, IW_AND, IW_OR, IW_XOR };
  return ops[i];
}
static inline unsigned op_index(iw_op op)
{
  unsigned i = 0;
  while (op_at(i) != op)
    i++;
  return i;
}
static inline const char *op_name(iw_op op)
{
  static const char *const names[] = { "sum", "min", "max", "product", "and", "or", "xor" };
  return names[op_index(op)];
}
static inline int is_bitwise(iw_op op) { return op == IW_AND || op == IW_OR || op == IW_XOR; }

/* ---- Scan and reduce --------------------------------------------------------------------------------------------- */

static inline iw_segments by_flags(const uint8_t *flags)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_FLAGS, .flags = flags };
}
static inline iw_segments by_keys(iw_type key_type, const void *keys)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_KEYS, .keys = keys,
                       .key_type = key_type };
}
static inline iw_segments by_rows(size_t columns)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_ROWS, .columns = columns };
}

static inline iw_segments by_columns(size_t columns)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_COLUMNS, .columns = columns };
}
static inline iw_segments by_offsets(iw_type offset_type, const void *offsets, size_t count)
{
  return (iw_segments){ .size = sizeof(iw_segments), .kind = IW_SEGMENTS_OFFSETS, .offsets = offsets,
                       .offset_type = offset_type, .count = count };
}

static inline iw_status scan_segments(iw_context *context, int exclusive, iw_op op, iw_type type,
                                      const void *in, iw_segments segments, void *out, size_t n,
                                      const void *init)
{
  const iw_scan_spec spec = {
    .size = sizeof spec, .op = op, .in_type = type, .type = type, .exclusive = exclusive, .init = init,
    .segments = &segments,
  };
  return iw_scan_with(context, &spec, in, n, out);
}

/* Sums of elements of one type in a wider one. */
static inline iw_status scan_wider(iw_context *context, int exclusive, iw_op op, iw_type in_type,
                                   const void *in, iw_type type, void *out, size_t n, const void *init)
{
  const iw_scan_spec spec = {
    .size = sizeof spec, .op = op, .in_type = in_type, .type = type, .exclusive = exclusive, .init = init,
  };
  return iw_scan_with(context, &spec, in, n, out);
}

static inline iw_status reduce_wider(iw_context *context, iw_op op, iw_type in_type, const void *in,
                                     size_t n, iw_type type, const void *init, void *result)
{
  const iw_scan_spec spec = { .size = sizeof spec, .op = op, .in_type = in_type, .type = type,
                             .init = init };
  return iw_reduce_with(context, &spec, in, n, result);
}

static inline iw_status reduce_segments(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n,
                                        iw_segments segments, iw_type type, const void *init, void *results)
{
  const iw_scan_spec spec = { .size = sizeof spec, .op = op, .in_type = in_type, .type = type,
                             .init = init, .segments = &segments };
  return iw_reduce_with(context, &spec, in, n, results);
}

static inline iw_status reduce_by_key(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n,
                                      iw_segments runs, iw_type type, const void *init, void *unique_keys, void *results,
                                      size_t *count)
{
  const iw_scan_spec spec = { .size = sizeof spec, .op = op, .in_type = in_type, .type = type,
                             .init = init, .segments = &runs };
  return iw_reduce_by_key(context, &spec, in, n, unique_keys, results, count);
}

/* ---- Histogram --------------------------------------------------------------------------------------------------- */

/* The bins of a plan, as a spec has to name them: all other members are 0. */
static inline iw_histogram_spec spec_of_plan(const iw_histogram_plan *plan)
{
  return (iw_histogram_spec){ .size = sizeof(iw_histogram_spec), .plan = plan };
}

static inline iw_status histogram_by_plan(iw_context *context, const iw_histogram_plan *plan, iw_type type,
                                          const void *samples, size_t n, void *counts,
                                          iw_histogram_report *report)
{
  const iw_histogram_spec spec = spec_of_plan(plan);
  return iw_histogram(context, type, &spec, samples, n, counts, report);
}

static inline iw_status histogram_pairs(iw_context *context, const iw_histogram_plan *x_plan,
                                        iw_type x_type, const void *x, const iw_histogram_plan *y_plan,
                                        iw_type y_type, const void *y, size_t n, void *counts)
{
  const iw_histogram_axis x_axis = { .size = sizeof x_axis, .plan = x_plan, .type = x_type, .samples = x };
  const iw_histogram_axis y_axis = { .size = sizeof y_axis, .plan = y_plan, .type = y_type, .samples = y };
  return iw_histogram_pairs(context, &x_axis, &y_axis, n, counts);
}

/* ---- Partition and select ---------------------------------------------------------------------------------------- */

/* Into one array: the elements less than *pivot, then the others. */
static inline iw_status partition_by_pivot(iw_context *context, iw_type type, const void *in, size_t n,
                                           const void *pivot, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .compare = IW_LESS, .constant = pivot };
  return iw_partition(context, type, &test, in, n, out, NULL, count);
}

static inline iw_status partition_by_flags(iw_context *context, iw_type type, const void *in,
                                           const uint8_t *flags, size_t n, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .flags = flags };
  return iw_partition(context, type, &test, in, n, out, NULL, count);
}

static inline iw_status select_by_flags(iw_context *context, iw_type type, const void *in,
                                        const uint8_t *flags, size_t n, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .flags = flags };
  return iw_select_if(context, type, &test, in, n, out, count);
}

/* The elements of one bin. */
static inline iw_status select_bin(iw_context *context, iw_type type, const void *in, size_t n,
                                   const iw_histogram_spec *spec, size_t bin, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .bins = spec, .bin = bin };
  return iw_select_if(context, type, &test, in, n, out, count);
}

static inline iw_status select_bin_of_plan(iw_context *context, const iw_histogram_plan *plan,
                                           iw_type type, const void *in, size_t n, size_t bin, void *out,
                                           size_t *count)
{
  const iw_histogram_spec spec = spec_of_plan(plan);
  return select_bin(context, type, in, n, &spec, bin, out, count);
}

/* A payload, or with in == NULL the indices of the elements. */
static inline iw_payload payload_of(const void *in, void *out, void *rest, size_t width)
{
  return (iw_payload){ .size = sizeof(iw_payload), .in = in, .out = out, .rest = rest, .width = width };
}

/* The payloads, and behind them the elements themselves, if they are wanted: out is not NULL then. */
typedef struct payload_list { iw_payload at[IW_MAX_PAYLOADS + 2]; size_t count; } payload_list;
static inline payload_list with_elements(iw_type type, const void *in, void *out, void *rest,
                                         const iw_payload *payloads, size_t count)
{
  payload_list list = { .count = count };
  for (size_t i = 0; i < count && i <= IW_MAX_PAYLOADS; i++)
    list.at[i] = payloads[i];
  if (out && count <= IW_MAX_PAYLOADS)
    list.at[list.count++] = payload_of(in, out, rest, iw_type_size(type));
  return list;
}

static inline iw_status partition_with(iw_context *context, iw_type type, const void *in, size_t n,
                                       const iw_test *test, void *front, void *rest, size_t *count,
                                       const iw_payload *payloads, size_t payload_count)
{
  const payload_list list = with_elements(type, in, front, rest, payloads, payload_count);
  return iw_partition_payloads(context, type, test, in, n, list.at, list.count, count);
}

static inline iw_status select_with(iw_context *context, iw_type type, const void *in, size_t n,
                                    const iw_test *test, void *out, size_t *count,
                                    const iw_payload *payloads, size_t payload_count)
{
  const payload_list list = with_elements(type, in, out, NULL, payloads, payload_count);
  return iw_select_payloads(context, type, test, in, n, list.at, list.count, count);
}

/* ---- Multisplit -------------------------------------------------------------------------------------------------- */

static inline iw_status multisplit_by_bins(iw_context *context, iw_type type, const void *in, size_t n,
                                           const iw_histogram_spec *spec, void *out, size_t *offsets)
{
  const iw_buckets buckets = { .size = sizeof buckets, .bins = spec };
  return iw_multisplit(context, type, &buckets, in, n, out, offsets);
}

static inline iw_status multisplit_by_plan(iw_context *context, const iw_histogram_plan *plan,
                                           iw_type type, const void *in, size_t n, void *out,
                                           size_t *offsets)
{
  const iw_histogram_spec spec = spec_of_plan(plan);
  return multisplit_by_bins(context, type, in, n, &spec, out, offsets);
}

/* Less, equal, the others; 4 offsets. */
static inline iw_status multisplit_by_pivot(iw_context *context, iw_type type, const void *in, size_t n,
                                            const void *pivot, void *out, size_t *offsets)
{
  const iw_buckets buckets = { .size = sizeof buckets, .pivot = pivot };
  return iw_multisplit(context, type, &buckets, in, n, out, offsets);
}

static inline iw_status multisplit_with(iw_context *context, iw_type type, const void *in, size_t n,
                                        const iw_buckets *buckets, void *out, const iw_payload *payloads,
                                        size_t count, size_t *offsets)
{
  const payload_list list = with_elements(type, in, out, NULL, payloads, count);
  return iw_multisplit_payloads(context, type, buckets, in, n, list.at, list.count, offsets);
}

/* ---- Sort -------------------------------------------------------------------------------------------------------- */

/* Options with these members; others: NULL or what is compared. */
static inline iw_sort_options sort_options_with(const iw_sort_options *others, const iw_sort_key *key,
                                                const iw_segments *segments, const iw_payload *payloads, size_t payload_count)
{
  iw_sort_options all = { .size = sizeof all };
  if (others)
    all = *others;
  all.key = key;
  all.segments = segments;
  all.payloads = payloads;
  all.payload_count = payload_count;
  return all;
}
static inline iw_status sort_payloads(iw_context *context, iw_type type, const void *in, size_t n, void *out,
                                      const iw_payload *payloads, size_t payload_count, const iw_sort_options *others)
{
  const iw_sort_options all = sort_options_with(others, NULL, NULL, payloads, payload_count);
  return iw_sort(context, type, in, n, out, &all);
}
static inline iw_status sort_segments(iw_context *context, iw_type type, const iw_segments *segments, const void *in, size_t n,
                                      void *out, const iw_payload *payloads, size_t payload_count, const iw_sort_options *others)
{
  const iw_sort_options all = sort_options_with(others, NULL, segments, payloads, payload_count);
  return iw_sort(context, type, in, n, out, &all);
}
static inline iw_status sort_by(iw_context *context, iw_type type, const iw_sort_key *key, const iw_segments *segments, const void *in,
                                size_t n, void *out, const iw_payload *payloads, size_t payload_count, const iw_sort_options *others)
{
  const iw_sort_options all = sort_options_with(others, key, segments, payloads, payload_count);
  return iw_sort(context, type, in, n, out, &all);
}
static inline iw_status distributed_sort_payloads(iw_distributed *handle, iw_type type, const void *in, size_t n, void *out,
                                                  const iw_payload *payloads, size_t payload_count, const iw_sort_options *others)
{
  const iw_sort_options all = sort_options_with(others, NULL, NULL, payloads, payload_count);
  return iw_distributed_sort(handle, type, in, n, out, &all);
}
/* Of each row. indices.at: NULL: not wanted. */
static inline iw_status top_k_of(iw_context *context, iw_type type, const void *in, size_t rows, size_t columns, size_t k,
                                 int descending, void *values, iw_indices indices)
{
  const iw_segments of_rows = by_rows(columns);
  const iw_payload permutation = { .size = sizeof permutation, .out = indices.at, .width = indices.width };
  iw_sort_options all = sort_options_with(NULL, NULL, rows == 1 ? NULL : &of_rows, &permutation, indices.at != NULL);
  all.descending = descending;
  return iw_top_k(context, type, in, rows * columns, k, values, &all);
}

#endif
