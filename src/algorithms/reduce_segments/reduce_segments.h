/* SPDX-License-Identifier: Apache-2.0
 *
 * What reductions offer to the host side of other algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_REDUCE_SEGMENTS_H
#define IW_ALGORITHMS_REDUCE_SEGMENTS_H

#include "algorithms/scan/operation.h"

/* A reduction of segments that are no runs, by a checked spec. */
iw_status iw_reduce_segments_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *results);
/* A reduction of runs by a checked spec. */
iw_status iw_reduce_runs_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *run_keys, void *results,
                                 size_t *count);
/* Makes the spec of an argmin, and checks its options. */
iw_status iw_make_find_spec(iw_op op, iw_type type, const iw_scan_options *options, iw_scan_spec *spec);
/* The first minima of runs, by a checked spec. values: NULL: not wanted. */
iw_status iw_find_in_runs_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *run_keys, size_t *indices,
                                  void *values, size_t *count);

#endif
