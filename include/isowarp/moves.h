/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that move elements: partition, select, unique, run lengths and multisplit, with other arrays that
 * move along. The rules of isowarp.h hold.
 *
 * All of these are stable, and move elements bit by bit. Selects and unique write *count outputs and need
 * no more room; but if count is in device memory, their outputs need room for n, and cannot equal in. An
 * output may equal its input (in place) after iw_context_reserve() of the array's bytes or more; else
 * that is IW_ERROR_OVERLAP.
 */
#ifndef ISOWARP_MOVES_H
#define ISOWARP_MOVES_H

#include <isowarp/histograms.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What moves along ---------------------------------------------------------------------------------- */

/* An array that moves along (a payload): value i goes where element i of the call's in goes, bit by bit. */
typedef struct iw_payload {
  size_t size;     /* sizeof(iw_payload) */
  const void *in;  /* n values; NULL: the indices 0 … n-1; width 4 (n <= 2^32) or 8 */
  void *out;       /* as the call's out; may equal the payload's in, where the call's out may equal in */
  void *rest;      /* as rest of iw_move_options, for each payload separately; else NULL */
  size_t width;    /* bytes of a value: 1 2 4 8 16; also its alignment, but 8 for 16 */
} iw_payload;
enum { IW_MAX_PAYLOADS = 8 };

/* What a call of this header may be told. NULL in a call: all members 0. */
typedef struct iw_move_options {
  size_t size;                /* sizeof(iw_move_options) */
  const iw_payload *payloads; /* payload_count of them, which are 0 … IW_MAX_PAYLOADS; may share an in. With
                                 payloads out may be NULL: the elements are not wanted */
  size_t payload_count;
  void *rest;                 /* iw_partition: the elements that are not selected; else NULL */
} iw_move_options;

/* ---- Partition, select, unique (all types) ------------------------------------------------------------- */

typedef enum iw_compare { IW_LESS, IW_LESS_EQUAL, IW_EQUAL, IW_NOT_EQUAL, IW_GREATER, IW_GREATER_EQUAL } iw_compare;
/* A user's test: a kernel that <isowarp/make_predicate.h> makes from a function. */
typedef struct iw_predicate iw_predicate;
/* Selects elements by exactly one of constant, flags, predicate and bins. */
typedef struct iw_test {
  size_t size;                   /* sizeof(iw_test) */
  iw_type type;                  /* of the elements */
  iw_compare compare;            /* element (compare) *constant, as in C: a NaN is != all, -0 == +0 */
  const void *constant;          /* one element in host memory */
  const uint8_t *flags;          /* n bytes: elements whose flag is not 0 */
  const iw_predicate *predicate; /* the six types */
  const iw_histogram_spec *bins; /* all types: elements in bin `bin` of these, as iw_histogram counts; no map */
  size_t bin;
} iw_test;

/* Partition. Without rest out (n elements) = [selected elements][others]. Else out = the selected
 * elements, options->rest = the others; each has room for n, of which *count and n - *count are written,
 * and nothing overlaps. Result: *count, the number of selected elements, in host or device memory. in may
 * be NULL if the test is by flags and out is NULL. With rest out is wanted too.
 * One pass with decoupled look-back (Merrill and Garland 2016); a partition without rest has a counting
 * pass before it, unless a GPU runs all tiles of a short array of 4 or 8 bytes at a time. Payloads: each is
 * read once; scratch: a bit per element, and a copy of each payload whose out equals its in. */
IW_API iw_status iw_partition(iw_context *context, const iw_test *test, const void *in, size_t n, void *out, size_t *count,
    const iw_move_options *options);
/* Select: out = the selected elements, *count of them. out may equal in. Else as iw_partition. */
IW_API iw_status iw_select_if(iw_context *context, const iw_test *test, const void *in, size_t n, void *out, size_t *count,
    const iw_move_options *options);

/* Unique: out = the first element of each run of equal neighbours; out may equal in. Elements are equal
 * if their bits are: -0 differs from +0, and a NaN equals one of the same bits; iw_keys_by_value
 * (isowarp/scans.h) makes elements of which neither holds. Result: *count, the number of runs, in host or
 * device memory. One pass. */
IW_API iw_status iw_unique(iw_context *context, iw_type type, const void *in, size_t n, void *out, size_t *count,
    const iw_move_options *options);
/* Run-length encoding: values = the out of iw_unique (NULL: not wanted), lengths[r] = the length of run
 * r. values may equal in. */
IW_API iw_status iw_run_lengths(iw_context *context, iw_type type, const void *in, size_t n, void *values, iw_indices lengths,
    size_t *count);
/* The inverse of iw_run_lengths: out = values[0] lengths[0] times, values[1] lengths[1] times, and so on;
 * n elements. values, and lengths of length_width bytes (4 or 8), have `runs` elements. IW_ERROR_INVALID,
 * with out unchanged, if the lengths' sum is not n. The call waits. Scratch: 8 bytes for each run. */
IW_API iw_status iw_run_lengths_decode(iw_context *context, iw_type type, iw_elements values, const void *lengths,
    unsigned length_width, void *out, size_t n);

/* ---- Multisplit ---------------------------------------------------------------------------------------- */

/* A user's bucket rule: a kernel that <isowarp/make_bucket_rule.h> makes from a function. */
typedef struct iw_bucket_rule iw_bucket_rule;
/* Gives each element a bucket, by exactly one of bins, pivot, bits and rule. */
typedef struct iw_buckets {
  size_t size;                   /* sizeof(iw_buckets) */
  iw_type type;                  /* of the elements */
  const iw_histogram_spec *bins; /* all types: bucket k is bin k, as iw_histogram counts; a map only of u8 */
  const void *pivot;             /* all types: 3 buckets: less, equal (as in C), and greater or NaN */
  unsigned bit, bits;            /* all types: id = (element's bits >> bit) mod 2^bits; bits 1 … 16 */
  const iw_bucket_rule *rule;    /* the six types, u8 and u16 */
  size_t count;                  /* rule: buckets, 1 … 2^31 - 1; an id >= count means the last one. Else 0 */
} iw_buckets;

/* Multisplit: out = [bucket 0][bucket 1]…[last bucket][elements in no bin]; n elements; out may equal in.
 * out: NULL, in a call with options: only offsets and payloads are wanted. out of a payload without in
 * becomes the permutation: out[i] = the index of the element that moves to i. offsets, in host or device
 * memory: one element more than there are buckets; bucket k is out[offsets[k]] … out[offsets[k+1] - 1].
 * Radix passes of up to 8 bits over bucket ids; scratch as iw_context_reserve says. */
IW_API iw_status iw_multisplit(iw_context *context, const iw_buckets *buckets, const void *in, size_t n, void *out, size_t *offsets,
    const iw_move_options *options);

#ifdef __cplusplus
}
#endif

#endif
