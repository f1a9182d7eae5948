/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums of floats: the float nearest to the true sum, whatever the order, the number of pieces,
 * threads or machines; and the unrounded sums, which can be stored, sent, merged and continued
 * (doc/exact.md). The rules of isowarp.h hold.
 */
#ifndef ISOWARP_EXACT_H
#define ISOWARP_EXACT_H

#include <isowarp/histograms.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An unrounded sum of finite floats: the integer of 2176 bits, in two's complement and little-endian
 * words, that is the sum divided by 2^-1074. It holds 2^77 numbers of the largest magnitude. Equal sums
 * are equal bytes, so that memcmp() compares them. It is plain data in the machine's byte order: all
 * targets of the library are little-endian. IW_EXACT_SUM_EMPTY is the sum of no numbers. */
typedef struct iw_exact_sum {
  uint32_t format;     /* IW_EXACT_SUM_FORMAT; a later format would have another number */
  uint32_t nonfinite;  /* which values were added: 1 a NaN, 2 +inf, 4 -inf */
  uint64_t words[34];  /* of the finite values; words[0] is the lowest */
} iw_exact_sum;
#define IW_EXACT_SUM_FORMAT 1
#define IW_EXACT_SUM_EMPTY { IW_EXACT_SUM_FORMAT, 0, { 0 } }

/* Exact sum: *result = the float of result_type nearest to the sum of n elements, ties to even.
 * type, result_type: f16, bf16, f32 or f64, the same or not. in: n elements, n < 2^36. result: one
 * element in host or device memory. A result that is 0 is +0. The sum is infinite if it is too large for
 * result_type or if infinities of one sign were added, and the canonical NaN after a NaN or infinities of
 * both signs. One pass. */
IW_API iw_status iw_sum_exact(iw_context *context, iw_type type, const void *in, size_t n, iw_type result_type,
                              void *result);
/* Exact dot product: the same for the sum of a[i] * b[i], of f16, bf16 or f32, whose products are not
 * rounded. a and b have n elements. */
IW_API iw_status iw_dot_exact(iw_context *context, iw_type type, const void *a, const void *b, size_t n,
                              iw_type result_type, void *result);

/* Adds n elements to *sum, which is in host memory; the call waits. Any number of calls in any order and with
 * any pieces, and merging, give the same bytes. exact_sums of iw_histogram_options are added to likewise. */
IW_API iw_status iw_exact_sum_add(iw_context *context, iw_type type, const void *in, size_t n,
                                  iw_exact_sum *sum);
/* The same for products a[i] * b[i], of f16, bf16 or f32. */
IW_API iw_status iw_exact_sum_add_products(iw_context *context, iw_type type, const void *a, const void *b,
                                           size_t n, iw_exact_sum *sum);
/* Adds the sum *other to *sum. They may be the same. On the host, without a context, as the next call. */
IW_API iw_status iw_exact_sum_merge(iw_exact_sum *sum, const iw_exact_sum *other);
/* *result = the float of type nearest to *sum, as iw_sum_exact rounds; result is in host memory. */
IW_API iw_status iw_exact_sum_round(const iw_exact_sum *sum, iw_type type, void *result);

#ifdef __cplusplus
}
#endif

#endif
