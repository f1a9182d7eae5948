/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans and reductions of segments that extend over ranks. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_SEGMENTS_H
#define IW_ALGORITHMS_DISTRIBUTED_SEGMENTS_H

#include "algorithms/distributed/distributed.h"
#include "algorithms/scan/operation.h"

/* The whole calls, for a checked spec with segments. */
iw_status iw_scan_distributed_segments(iw_step *step, const iw_scan_spec *spec, const void *in, void *out,
                                       size_t n);
/* finds: the indices of minima are wanted, and results may be NULL. */
iw_status iw_reduce_distributed_runs(iw_step *step, const iw_scan_spec *spec, const void *in, size_t n, void *results, int finds,
                                     uint64_t *indices, const iw_scan_options *options);

#endif
