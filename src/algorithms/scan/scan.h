/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scan offers to the host side of other algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_SCAN_H
#define IW_ALGORITHMS_SCAN_H

#include <isowarp/segments.h>

/* Replaces n words, in memory that kernels can access, by their exclusive prefix sums. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n);

/* A reduction of the whole array by a checked spec without segments. */
iw_status iw_reduce_array(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result);

#endif
