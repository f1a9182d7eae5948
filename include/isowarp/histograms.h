/* SPDX-License-Identifier: Apache-2.0
 *
 * More shapes of histograms: the bin index of each sample, and tables of up to four dimensions. The rules of isowarp.h
 * hold; its histograms have the bins, plans and policies that these calls take.
 */
#ifndef ISOWARP_HISTOGRAMS_H
#define ISOWARP_HISTOGRAMS_H

#include <isowarp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Bin indices -------------------------------------------------------------------------------------- */

/* Digitize: indices[i] = the index of the counter in which iw_histogram() with this spec counts sample i, or
 * the number of its counters if it counts sample i nowhere. So with B bins an index below B is a bin, and
 *   policy DROP: B stands for every sample in no bin, NaN too;
 *   policy CLAMP: samples below all bins have 0, those above B - 1, and NaN has B;
 *   policy COUNT: samples below all bins have B, those above (and those that a map drops) B + 1, NaN B + 2.
 * index_type: u8, u16 or u32; IW_ERROR_OVERFLOW if it cannot hold the largest of these indices. indices: n
 * elements, which do not overlap samples. The flags of the spec that are about counters do nothing. The spec may hold
 * a plan. An automatic range takes another pass, and the call waits; any other spec without a plan copies its
 * edges to a device, and the call waits there. NumPy's digitize(samples, edges) is, with policy COUNT, index + 1
 * for a bin, 0 for B, and B + 1 for B + 1 and B + 2. */
IW_API iw_status iw_digitize(iw_context *context, iw_type type, const void *samples, size_t n,
    const iw_histogram_spec *spec, iw_type index_type, void *indices);

/* ---- N-D histograms ----------------------------------------------------------------------------------- */

enum { IW_MAX_HISTOGRAM_AXES = 4 };

/* N-D histogram: counts is a row-major table of dimensions[0] * dimensions[1] * … counters, the outputs of the
 * axes' plans, at most 2^31 - 4 in all. Sample i is counted at the bins of all axes' samples i; it is not
 * counted if one of them is in no bin. axes: `dimensions` of them, 1 to IW_MAX_HISTOGRAM_AXES, each of n
 * samples; the last one's bins are neighbours in counts. The plans agree in IW_HIST_ACCUMULATE and
 * IW_HIST_COUNTERS_32. Two axes give what iw_histogram_pairs() gives. Scratch: 8 bytes for each counter, and
 * bin indices of a part of the samples. */
IW_API iw_status iw_histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
    size_t n, void *counts);

/* Weighted N-D histogram: sums has a sum for each counter of iw_histogram_nd(): of the weights of the samples
 * that it counts there. Sums and their type are as of iw_histogram_weighted(): floats are summed exactly and rounded
 * once. The plans agree in IW_HIST_ACCUMULATE and have no IW_HIST_COUNTERS_32. n < 2^36; with T sums, for f64
 * (T + 3) * 87 < 2^32, for f32 (T + 3) * 16 < 2^32. */
IW_API iw_status iw_histogram_nd_weighted(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
    iw_type weight_type, const void *weights, size_t n, void *sums);

#ifdef __cplusplus
}
#endif

#endif
