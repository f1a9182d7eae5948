/* SPDX-License-Identifier: Apache-2.0
 *
 * What other algorithms use of the reduction of segments. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_REDUCE_SEGMENTS_H
#define IW_ALGORITHMS_REDUCE_SEGMENTS_H

#include <isowarp/segments.h>

/* Checks that offsets in host memory ascend, the last one being at most n. */
iw_status iw_check_offsets(const iw_segments *segments, size_t n);

#endif
