/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans of segments that extend over ranks, for iw_distributed_scan_with. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_SEGMENTS_H
#define IW_ALGORITHMS_DISTRIBUTED_SEGMENTS_H

#include "algorithms/distributed/distributed.h"

/* The whole call, for a spec with segments. */
iw_status iw_scan_distributed_segments(iw_step *step, const iw_scan_spec *spec, const void *in, void *out,
                                       size_t n);

#endif
