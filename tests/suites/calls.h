/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of isowarp.h that take a structure, as one line each: the suites say what they ask for by
 * arguments. Nothing here checks or changes anything; each function fills in one structure and makes one
 * call.
 */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <isowarp.h>
#include <isowarp/peers.h>

#include "scan_arguments.h"

/* ---- Operators --------------------------------------------------------------------------------------- */

/* The built-in operators; the first SEGMENT_OPS are those of scans of segments by flags and keys too. */
enum { INTEGERS = 1, BOOLS = 2, FLOATS = 4 }; /* the types that an operator takes */
static const struct { iw_op op; const char *name, *constant; unsigned takes; } all_ops[] = {
#define OPERATOR(NAME, name, takes, result) { IW_##NAME, #name, "IW_" #NAME, takes },
  IW_BUILTIN_OPERATORS(OPERATOR)
#undef OPERATOR
};
enum { SEGMENT_OPS = 3, ALL_OPS = sizeof all_ops / sizeof *all_ops };
static inline iw_op op_at(unsigned i) { return all_ops[i].op; }
static inline unsigned op_index(iw_op op)
{
  unsigned i = 0;
  while (op_at(i) != op)
    i++;
  return i;
}
static inline const char *op_name(iw_op op) { return all_ops[op_index(op)].name; }
static inline int is_bitwise(iw_op op) { return !(all_ops[op_index(op)].takes & FLOATS); }

/* ---- Types ------------------------------------------------------------------------------------------- */

/* All types, the six of 4 and 8 bytes (WIDE_TYPES) first. All calls take the first MOVED_TYPES; the others
 * are for scans and reductions only. */
enum {
  WIDE_TYPES = 6,
  MOVED_TYPES = IW_BF16,
#define TYPE(NAME, name, C, kind) + 1
  SCANNED_TYPES = 0 IW_ELEMENT_TYPES(TYPE)
#undef TYPE
};
static const iw_type all_types[] = {
#define TYPE(NAME, name, C, kind) [(int)IW_##NAME > MOVED_TYPES ? IW_##NAME - 1 : (IW_##NAME + MOVED_TYPES - IW_I32) % MOVED_TYPES] = IW_##NAME,
  IW_ELEMENT_TYPES(TYPE)
#undef TYPE
};

/* ---- Scan and reduce --------------------------------------------------------------------------------- */

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
  return scan_by(context, exclusive, op, type, in, n, out, IW_OPTIONS(iw_scan_options, .init = init, .segments = &segments));
}

/* Sums of elements of one type in a wider one. */
static inline iw_status scan_wider(iw_context *context, int exclusive, iw_op op, iw_type in_type,
                                   const void *in, iw_type type, void *out, size_t n, const void *init)
{
  return scan_by(context, exclusive, op, in_type, in, n, out, IW_OPTIONS(iw_scan_options, .init = init, .out_type = type));
}

static inline iw_status reduce_wider(iw_context *context, iw_op op, iw_type in_type, const void *in,
                                     size_t n, iw_type type, const void *init, void *result)
{
  return iw_reduce(context, op, in_type, in, n, result, IW_OPTIONS(iw_scan_options, .init = init, .out_type = type));
}

static inline iw_status reduce_segments(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n,
                                        iw_segments segments, iw_type type, const void *init, void *results)
{
  return iw_reduce(context, op, in_type, in, n, results,
                   IW_OPTIONS(iw_scan_options, .init = init, .out_type = type, .segments = &segments));
}

static inline iw_status reduce_by_key(iw_context *context, iw_op op, iw_type in_type, const void *in, size_t n,
                                      iw_segments runs, iw_type type, const void *init, void *run_keys, void *results,
                                      size_t *count)
{
  return iw_reduce(context, op, in_type, in, n, results,
                   IW_OPTIONS(iw_scan_options, .init = init, .out_type = type, .segments = &runs, .run_keys = run_keys,
                              .run_count = count));
}

/* ---- Histogram --------------------------------------------------------------------------------------- */

/* The spec with this type, if it has no plan; NULL of NULL. It lives as long as the caller's `memory`. */
static inline const iw_histogram_spec *typed_spec(iw_type type, const iw_histogram_spec *spec, iw_histogram_spec *memory)
{
  if (!spec || spec->size != sizeof *spec)
    return spec;
  *memory = *spec;
  if (!spec->plan && !(int)spec->type)
    memory->type = type;
  return memory;
}

/* Histogram calls, of samples of this type by a spec that may lack it. */
static inline iw_status histogram_of(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples,
                                     size_t n, void *counts, iw_histogram_report *report)
{
  iw_histogram_spec memory;
  return iw_histogram(context, typed_spec(type, spec, &memory), samples, n, counts, IW_OPTIONS(iw_histogram_options, .report = report));
}
static inline iw_status plan_of(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *sample, size_t n,
                                iw_histogram_plan **plan)
{
  iw_histogram_spec memory;
  return iw_histogram_plan_make(context, typed_spec(type, spec, &memory), sample, n, plan);
}
static inline iw_status write_edges_of(iw_type type, const iw_histogram_spec *spec, void *edges)
{
  iw_histogram_spec memory;
  return iw_histogram_edges(typed_spec(type, spec, &memory), edges);
}
static inline iw_status digitize_of(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples,
                                    size_t n, iw_type index_type, void *indices)
{
  iw_histogram_spec memory;
  return iw_digitize(context, typed_spec(type, spec, &memory), samples, n,
                     (iw_indices){ indices, (unsigned)iw_type_size(index_type) });
}
static inline iw_status histogram_by_plan(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                                          void *counts, iw_histogram_report *report)
{
  const iw_histogram_spec spec = iw_spec_of_plan(plan);
  return iw_histogram(context, &spec, samples, n, counts, IW_OPTIONS(iw_histogram_options, .report = report));
}
/* A table of two axes. */
static inline iw_status histogram_pairs(iw_context *context, const iw_histogram_plan *x_plan, const void *x,
                                        const iw_histogram_plan *y_plan, const void *y, size_t n, void *counts)
{
  const iw_histogram_spec specs[] = { iw_spec_of_plan(x_plan), iw_spec_of_plan(y_plan) };
  const iw_histogram_axis axes[] = { { sizeof *axes, &specs[0], x }, { sizeof *axes, &specs[1], y } };
  return iw_histogram_nd(context, axes, 2, n, counts, NULL);
}
/* Sums of weights. */
static inline iw_status weighted_histogram(iw_context *context, const iw_histogram_spec *spec, const void *samples, iw_type type,
                                           const void *weights, size_t n, void *sums)
{
  return iw_histogram(context, spec, samples, n, sums, IW_OPTIONS(iw_histogram_options, .weight_type = type, .weights = weights));
}
static inline iw_status exact_histogram(iw_context *context, const iw_histogram_spec *spec, const void *samples, iw_type type,
                                        const void *weights, size_t n, iw_exact_sum *sums)
{
  return iw_histogram(context, spec, samples, n, NULL,
                      IW_OPTIONS(iw_histogram_options, .weight_type = type, .weights = weights, .exact_sums = sums));
}
static inline iw_status weighted_table(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions, iw_type type,
                                       const void *weights, size_t n, void *sums)
{
  return iw_histogram_nd(context, axes, dimensions, n, sums,
                         IW_OPTIONS(iw_histogram_options, .weight_type = type, .weights = weights));
}

/* ---- Partition and select ---------------------------------------------------------------------------- */

/* The test with this type; NULL of NULL. specs: room for its bins. */
static inline const iw_test *typed_test(iw_type type, const iw_test *test, iw_test *memory, iw_histogram_spec *spec)
{
  if (!test || test->size != sizeof *test)
    return test;
  *memory = *test;
  if (!(int)test->type)
    memory->type = type;
  memory->bins = typed_spec(type, test->bins, spec);
  return memory;
}
static inline const iw_buckets *typed_buckets(iw_type type, const iw_buckets *buckets, iw_buckets *memory, iw_histogram_spec *spec)
{
  if (!buckets || buckets->size != sizeof *buckets)
    return buckets;
  *memory = *buckets;
  if (!(int)buckets->type)
    memory->type = type;
  memory->bins = typed_spec(type, buckets->bins, spec);
  return memory;
}

/* Calls with elements of this type by a test, or buckets, that may lack it. */
static inline iw_status partition_of(iw_context *context, iw_type type, const iw_test *test, const void *in, size_t n,
                                     void *front, void *rest, size_t *count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_partition(context, typed_test(type, test, &memory, &spec), in, n, front, count,
                      rest ? IW_OPTIONS(iw_move_options, .rest = rest) : NULL);
}
static inline iw_status select_of(iw_context *context, iw_type type, const iw_test *test, const void *in, size_t n, void *out,
                                  size_t *count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_select_if(context, typed_test(type, test, &memory, &spec), in, n, out, count, NULL);
}
static inline iw_status multisplit_of(iw_context *context, iw_type type, const iw_buckets *buckets, const void *in, size_t n,
                                      void *out, size_t *offsets)
{
  iw_buckets memory;
  iw_histogram_spec spec;
  return iw_multisplit(context, typed_buckets(type, buckets, &memory, &spec), in, n, out, offsets, NULL);
}
/* The same of payloads alone. */
static inline iw_status partition_payloads_of(iw_context *context, iw_type type, const iw_test *test, const void *in, size_t n,
                                              const iw_payload *payloads, size_t payload_count, size_t *count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_partition(context, typed_test(type, test, &memory, &spec), in, n, NULL, count,
                      IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = payload_count));
}
static inline iw_status select_payloads_of(iw_context *context, iw_type type, const iw_test *test, const void *in, size_t n,
                                           const iw_payload *payloads, size_t payload_count, size_t *count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_select_if(context, typed_test(type, test, &memory, &spec), in, n, NULL, count,
                      IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = payload_count));
}
static inline iw_status multisplit_payloads_of(iw_context *context, iw_type type, const iw_buckets *buckets, const void *in,
                                               size_t n, const iw_payload *payloads, size_t payload_count, size_t *offsets)
{
  iw_buckets memory;
  iw_histogram_spec spec;
  return iw_multisplit(context, typed_buckets(type, buckets, &memory, &spec), in, n, NULL, offsets,
                       IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = payload_count));
}
static inline iw_status distributed_histogram_of(iw_distributed *handle, iw_type type, const iw_histogram_spec *spec,
                                                 const void *samples, size_t n, void *counts, iw_histogram_report *report)
{
  iw_histogram_spec memory;
  return iw_distributed_histogram(handle, typed_spec(type, spec, &memory), samples, n, counts,
                                  IW_OPTIONS(iw_histogram_options, .report = report));
}
static inline iw_status distributed_weighted_histogram(iw_distributed *handle, const iw_histogram_spec *spec, const void *samples,
                                                       iw_type type, const void *weights, size_t n, void *sums)
{
  return iw_distributed_histogram(handle, spec, samples, n, sums,
                                  IW_OPTIONS(iw_histogram_options, .weight_type = type, .weights = weights));
}
static inline iw_status distributed_partition_of(iw_distributed *handle, iw_type type, const iw_test *test, const void *in,
                                                 size_t n, void *out, uint64_t *count, const iw_move_options *options)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_distributed_partition(handle, typed_test(type, test, &memory, &spec), in, n, out, count, options);
}
/* total: the selected elements of all ranks. */
static inline iw_status distributed_select_of(iw_distributed *handle, iw_type type, const iw_test *test, const void *in,
                                              size_t n, void *out, size_t *count, uint64_t *total, const iw_move_options *options)
{
  iw_test memory;
  iw_histogram_spec spec;
  uint64_t begin;
  const iw_status status = iw_distributed_select_if(handle, typed_test(type, test, &memory, &spec), in, n, out, count, options);
  return status == IW_OK ? iw_distributed_extent(handle, *count, &begin, total) : status;
}
static inline iw_status distributed_multisplit_of(iw_distributed *handle, iw_type type, const iw_buckets *buckets, const void *in,
                                                  size_t n, void *out, uint64_t *offsets, const iw_move_options *options)
{
  iw_buckets memory;
  iw_histogram_spec spec;
  return iw_distributed_multisplit(handle, typed_buckets(type, buckets, &memory, &spec), in, n, out, offsets, options);
}

/* Into one array: the elements less than *pivot, then the others. */
static inline iw_status partition_by_pivot(iw_context *context, iw_type type, const void *in, size_t n,
                                           const void *pivot, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .type = type, .compare = IW_LESS, .constant = pivot };
  return iw_partition(context, &test, in, n, out, count, NULL);
}

static inline iw_status partition_by_flags(iw_context *context, iw_type type, const void *in,
                                           const uint8_t *flags, size_t n, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .type = type, .flags = flags };
  return iw_partition(context, &test, in, n, out, count, NULL);
}

static inline iw_status select_by_flags(iw_context *context, iw_type type, const void *in,
                                        const uint8_t *flags, size_t n, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .type = type, .flags = flags };
  return iw_select_if(context, &test, in, n, out, count, NULL);
}

/* The elements of one bin. */
static inline iw_status select_bin(iw_context *context, iw_type type, const void *in, size_t n,
                                   const iw_histogram_spec *spec, size_t bin, void *out, size_t *count)
{
  const iw_test test = { .size = sizeof test, .bins = spec, .bin = bin };
  return select_of(context, type, &test, in, n, out, count);
}

/* A payload, or with in == NULL the indices of the elements. */
static inline iw_payload payload_of(const void *in, void *out, void *rest, size_t width)
{
  return (iw_payload){ .size = sizeof(iw_payload), .in = in, .out = out, .rest = rest, .width = width };
}

static inline iw_status partition_with(iw_context *context, iw_type type, const void *in, size_t n,
                                       const iw_test *test, void *front, void *rest, size_t *count,
                                       const iw_payload *payloads, size_t payload_count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_partition(context, typed_test(type, test, &memory, &spec), in, n, front, count,
                      IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = payload_count, .rest = rest));
}

static inline iw_status select_with(iw_context *context, iw_type type, const void *in, size_t n,
                                    const iw_test *test, void *out, size_t *count,
                                    const iw_payload *payloads, size_t payload_count)
{
  iw_test memory;
  iw_histogram_spec spec;
  return iw_select_if(context, typed_test(type, test, &memory, &spec), in, n, out, count,
                      IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = payload_count));
}

/* ---- Multisplit -------------------------------------------------------------------------------------- */

static inline iw_status multisplit_by_bins(iw_context *context, iw_type type, const void *in, size_t n,
                                           const iw_histogram_spec *spec, void *out, size_t *offsets)
{
  const iw_buckets buckets = { .size = sizeof buckets, .bins = spec };
  return multisplit_of(context, type, &buckets, in, n, out, offsets);
}

/* Less, equal, the others; 4 offsets. */
static inline iw_status multisplit_by_pivot(iw_context *context, iw_type type, const void *in, size_t n,
                                            const void *pivot, void *out, size_t *offsets)
{
  const iw_buckets buckets = { .size = sizeof buckets, .type = type, .pivot = pivot };
  return iw_multisplit(context, &buckets, in, n, out, offsets, NULL);
}

static inline iw_status multisplit_with(iw_context *context, iw_type type, const void *in, size_t n,
                                        const iw_buckets *buckets, void *out, const iw_payload *payloads,
                                        size_t count, size_t *offsets)
{
  iw_buckets memory;
  iw_histogram_spec spec;
  return iw_multisplit(context, typed_buckets(type, buckets, &memory, &spec), in, n, out, offsets,
                       IW_OPTIONS(iw_move_options, .payloads = payloads, .payload_count = count));
}

/* ---- Sort -------------------------------------------------------------------------------------------- */

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
