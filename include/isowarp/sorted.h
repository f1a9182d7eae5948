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

#ifdef __cplusplus
}
#endif

#endif
