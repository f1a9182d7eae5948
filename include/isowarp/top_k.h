/* SPDX-License-Identifier: Apache-2.0
 *
 * The k largest or smallest elements of an array or of the rows of a matrix, the n-th element, and the median. The rules of isowarp.h
 * hold, and the order of elements is that of isowarp/sort.h: -0 before +0, NaN after all numbers (so that it is largest), all NaNs
 * equal. Of equal elements those of smaller index come first, so that there is one result.
 */
#ifndef ISOWARP_TOP_K_H
#define ISOWARP_TOP_K_H

#include <isowarp/sort.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum iw_extreme { IW_SMALLEST, IW_LARGEST } iw_extreme;

/* Top-k: writes the k smallest elements of `in`, n elements of any type, in ascending order, or the k largest ones in descending
 * order. They are the first k elements of a sort in that order. k: 0 … n. values: k elements; NULL: not wanted. indices: k indices
 * in `in`; NULL: not wanted, then index_type is not read. index_type: u32 (n <= 2^32, else IW_ERROR_OVERFLOW) or u64. At least one of
 * values and indices is given, unless k is 0. The call waits. It reads `in` once, and the parts of it again that have candidates: a
 * sorted sample gives a bound that about k elements do not exceed (Floyd and Rivest 1975, with one bound; Ribizel and Anzt 2020). If
 * n is below 4096, if k is a large part of n, or in the unlikely case that the sample misleads, it sorts. Enough scratch: that of
 * iw_sort_payloads with the indices as a payload; a small part of it for a small k. */
IW_API iw_status iw_top_k(iw_context *context, iw_type type, const void *in, size_t n, size_t k, iw_extreme extreme, void *values,
    iw_type index_type, void *indices);
/* The same of each row of a matrix, row after row: values and indices have rows * k elements, and indices count from the row's first
 * element. k: 0 … columns; u32 indices need columns <= 2^32. Scratch is needed for at most 256 rows, and for no more than 2^22
 * elements, at a time, but for a row at least. */
IW_API iw_status iw_top_k_rows(iw_context *context, iw_type type, const void *in, size_t rows, size_t columns, size_t k,
    iw_extreme extreme, void *values, iw_type index_type, void *indices);
/* Writes to *value the element that an ascending stable sort of `in` moves to index nth, 0 … n - 1, and its index in `in` to *index
 * (NULL: not wanted). Both are in host or device memory. The call waits. It reads `in` as iw_top_k does, between two bounds. */
IW_API iw_status iw_nth_element(iw_context *context, iw_type type, const void *in, size_t n, size_t nth, void *value, uint64_t *index);
/* The element at (n - 1) / 2: the median, of an even number of elements the lower one. n: at least 1. */
IW_API iw_status iw_median(iw_context *context, iw_type type, const void *in, size_t n, void *value, uint64_t *index);

#ifdef __cplusplus
}
#endif

#endif
