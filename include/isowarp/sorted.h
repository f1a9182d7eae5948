/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on sorted arrays. The rules of isowarp.h hold, and the order of elements is that of isowarp/sort.h: -0 before +0, NaN after
 * all numbers, all NaNs equal.
 */
#ifndef ISOWARP_SORTED_H
#define ISOWARP_SORTED_H

#include <isowarp/sort.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lower bounds: indices[i] = the number of elements of sorted that come before values[i], which is the index of the first one that
 * does not, or n. sorted: n elements, sorted as iw_sort() with these options sorts them; if they are not, indices are unspecified
 * numbers from 0 to n. values: count elements of the same type, in any order. index_type: u32 (n < 2^32, else IW_ERROR_OVERFLOW) or
 * u64. indices overlaps neither array. Each value takes log2(n) reads of sorted, by bisection; no scratch. */
IW_API iw_status iw_lower_bound(iw_context *context, iw_type type, const void *sorted, size_t n, const void *values, size_t count,
    iw_type index_type, void *indices, const iw_sort_options *options);
/* Upper bounds: the same, of elements that do not come after values[i]. */
IW_API iw_status iw_upper_bound(iw_context *context, iw_type type, const void *sorted, size_t n, const void *values, size_t count,
    iw_type index_type, void *indices, const iw_sort_options *options);
/* Writes to *until the index of the first element of `in` that comes before the one in front of it, or n: `in` is sorted as iw_sort()
 * with these options sorts if and only if *until is n. The call waits. It reads `in` in parts that become larger, up to the one that
 * has this element; no scratch but 64 KiB. */
IW_API iw_status iw_is_sorted_until(iw_context *context, iw_type type, const void *in, size_t n, size_t *until,
    const iw_sort_options *options);
/* Merges a and b, which are sorted as iw_sort() with these options sorts, into out, a_count + b_count elements: the stable sort of the
 * elements of a and then those of b, so that of equal elements those of a come first. If a or b is not sorted, outputs are unspecified,
 * but nothing outside of the arrays is accessed. out: NULL: not wanted. indices: element i of the output is indices[i] of a, or
 * indices[i] - a_count of b; NULL: not wanted, then index_type is not read. index_type: u32 (a_count + b_count <= 2^32, else
 * IW_ERROR_OVERFLOW) or u64. At least one of out and indices is given, unless both counts are 0. By merge path (Odeh and others 2012):
 * a_count + b_count comparisons, and two bisections for each some hundred elements; no scratch. */
IW_API iw_status iw_merge(iw_context *context, iw_type type, const void *a, size_t a_count, const void *b, size_t b_count, void *out,
    iw_type index_type, void *indices, const iw_sort_options *options);

#ifdef __cplusplus
}
#endif

#endif
