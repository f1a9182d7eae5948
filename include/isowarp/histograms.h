/* SPDX-License-Identifier: Apache-2.0
 *
 * More shapes of histograms: the bin index of each sample, tables of up to four dimensions and their
 * projections, logarithmic axes, rows with ranges of their own, and ranges that grow with a stream. The
 * rules of isowarp.h hold; its histograms have the bins, plans and policies that these calls take.
 */
#ifndef ISOWARP_HISTOGRAMS_H
#define ISOWARP_HISTOGRAMS_H

#include <isowarp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Bin indices -------------------------------------------------------------------------------------- */

/* Digitize: indices[i] = the index of the counter in which iw_histogram() with this spec counts sample i,
 * or the number of its counters if it counts sample i nowhere. With B bins an index below B is a bin, and
 *   policy DROP: B stands for every sample in no bin, NaN too;
 *   policy CLAMP: samples below all bins have 0, those above have B - 1, and NaN has B;
 *   policy COUNT: samples below all bins have B, those above, or without a bin in a map, B + 1, NaN B + 2.
 * index_type: u8, u16 or u32; IW_ERROR_OVERFLOW if it cannot hold the largest of these. indices: n elements,
 * which do not overlap samples. spec: may hold a plan; flags that are about counters do nothing. An automatic
 * range takes another pass, and the call waits. NumPy's digitize(samples, edges) is, by policy COUNT, 0 for
 * the index B, the number of edges for B + 1 and B + 2, and index + 1 for a bin. */
IW_API iw_status iw_digitize(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples,
    size_t n, iw_type index_type, void *indices);

/* ---- N-D histograms ----------------------------------------------------------------------------------- */

enum { IW_MAX_HISTOGRAM_AXES = 4 };

/* N-D histogram: counts is a row-major table with an axis of each plan's outputs, and at most 2^31 - 4
 * counters. Sample i is counted at the bins of all axes' samples i; it
 * is not counted if one of them is in no bin. axes: `dimensions` of them, 1 to IW_MAX_HISTOGRAM_AXES,
 * each of n samples; the last one's bins are neighbours in counts. The plans agree in IW_HIST_ACCUMULATE
 * and IW_HIST_COUNTERS_32. Two axes give what iw_histogram_pairs() gives. Scratch: 8 bytes for each
 * counter, and bin indices of a part of the samples. */
IW_API iw_status iw_histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
    size_t n, void *counts);

/* Weighted N-D histogram: sums has a sum for each counter of iw_histogram_nd(): of the weights of the
 * samples that it counts there. Sums and their type are as of iw_histogram_weighted(): floats are summed
 * exactly and rounded once. The plans agree in IW_HIST_ACCUMULATE and have no IW_HIST_COUNTERS_32. n <
 * 2^36; with T sums, for f64 (T + 3) * 87 < 2^32, for f32 (T + 3) * 16 < 2^32. */
IW_API iw_status iw_histogram_nd_weighted(iw_context *context, const iw_histogram_axis *axes,
    unsigned dimensions, iw_type weight_type, const void *weights, size_t n, void *sums);

/* ---- Logarithmic axes, and axes of powers ------------------------------------------------------------- */

/* Edges for IW_HISTOGRAM_EDGES: bins + 1 values of the type, e(0) = lo, e(bins) = hi, and between them the
 * values of the type that are nearest to real numbers, so that they are the same on every machine:
 *   log: lo * (hi/lo)^(k/bins), for lo > 0
 *   power: (lo^p + (hi^p - lo^p) * k/bins)^(1/p), for p from 1/64 to 64 and lo >= 0, or p from -64 to -1/64
 *   and lo > 0
 * A number midway between two values becomes the one whose last bit is 0; one that agrees with a midpoint in
 * 512 bits or more may count as midway. lo, hi: one value each, finite, lo < hi; they may lie in edges.
 * IW_ERROR_INVALID if two edges would be equal. All arrays are in host memory. Takes some microseconds per
 * edge (Ziv 1991). */
IW_API iw_status iw_histogram_log_edges(iw_type type, const void *lo, const void *hi, size_t bins, void *edges);
IW_API iw_status iw_histogram_power_edges(iw_type type, const void *lo, const void *hi, size_t bins,
    double power, void *edges);

/* ---- Projecting, rebinning and merging tables --------------------------------------------------------- */

/* An axis of a table, and how its bins become those of another one. */
typedef struct iw_table_axis {
  size_t size;    /* sizeof(iw_table_axis) */
  size_t bins;    /* 1 or more */
  int outliers;   /* 1: behind the bins are the two counters of IW_POLICY_COUNT; 0: there are none */
  size_t factor;  /* so many neighbouring bins become one, a divisor of bins; 0: all become one, and outliers */
} iw_table_axis;

/* Projects, rebins and merges: each cell of out = the sum of all cells of the table `in` that become it.
 * in: a row-major table with `dimensions` axes, 1 to IW_MAX_HISTOGRAM_AXES, and at most 2^31 - 4 cells,
 * as iw_histogram_nd() writes it. out has an axis with bins/factor bins, and the same outliers, for each
 * axis whose factor is not 0; without any it has one cell. type: of both: u32 or u64 counters, or
 * i64, u64, f32 or f64 sums of weights. Integers wrap; floats are summed exactly and rounded once, within
 * the limits of iw_histogram_nd_weighted(). flags: 0, or IW_HIST_ACCUMULATE, which adds to what out
 * holds: with factors of 1 this merges two tables of the same bins. out does not overlap in. */
IW_API iw_status iw_histogram_project(iw_context *context, iw_type type, const iw_table_axis *axes,
    unsigned dimensions, const void *in, void *out, unsigned flags);

/* ---- Rows with ranges of their own -------------------------------------------------------------------- */

/* Writes the automatic range (iw_histogram_range) of each row of a row-major matrix: lo and hi, in host
 * memory, have `rows` values each. An error names the row. Two passes. */
IW_API iw_status iw_histogram_row_ranges(iw_context *context, iw_type type, const void *samples, size_t rows,
    size_t columns, void *lo, void *hi);

/* Histograms of rows, each with its own range: row r of counts is iw_histogram() of row r of samples
 * alone, with the spec and the range lo[r], hi[r]. spec: even bins, lo and hi NULL, no
 * IW_HIST_HI_INCLUDED. lo, hi: `rows` values each, in host memory, or both NULL: the automatic range of
 * each row. counts: rows times the counters of the spec. A call of a histogram for each row: rows should
 * be longer than their histograms. An error in a range names the row. */
IW_API iw_status iw_histogram_rows_ranged(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples,
    size_t rows, size_t columns, const void *lo, const void *hi, void *counts);

/* ---- Histograms over a stream, with a range that grows ------------------------------------------------ */

/* The edges of such a histogram are among E(k) = origin + k*width for integers k, of floats in double
 * without fma and rounded to the type. Its range follows from the least and the greatest sample of all
 * batches, so the counts are those of one histogram of the whole stream, whatever its batches and their
 * order. */
typedef enum iw_growth {
  IW_GROW_RANGE, /* a fixed, even number of bins, each 2^level widths long. The range begins at a multiple of
                    half its length, counted from the origin; level is the least at which it has all samples.
                    So it moves by half, or doubles, when two bins become one each time */
  IW_GROW_BINS   /* bins of one width, from the least sample's to the greatest one's; IW_ERROR_OVERFLOW if
                    they would be more than `bins` */
} iw_growth;
typedef struct iw_growing_histogram iw_growing_histogram;
typedef struct iw_growing_histogram_info {
  size_t size;                /* sizeof(iw_growing_histogram_info), set by the caller */
  iw_type type;
  size_t bins;                /* 0 before the first finite sample */
  unsigned level;             /* bin i is [E(first + i*2^level), E(first + (i+1)*2^level)) */
  int64_t first;
  uint64_t below, above, nan; /* infinities and NaN, which are in no bin */
} iw_growing_histogram_info;

/* Makes a histogram without samples. origin, width: one value each of the type, finite, width > 0. bins:
 * 1 to 2^31 - 2. Result: *histogram, which one thread at a time may use. */
IW_API iw_status iw_growing_histogram_make(iw_type type, const void *origin, const void *width, size_t bins,
    iw_growth growth, iw_growing_histogram **histogram);
/* Frees a histogram. NULL is allowed. */
IW_API void iw_growing_histogram_free(iw_growing_histogram *histogram);
/* Adds a batch of n samples. type: the histogram's. If it fails, the batch is not counted, and nothing is
 * lost: IW_ERROR_OVERFLOW if there is no room, or if a sample is 2^60 widths or more from the origin;
 * IW_ERROR_INVALID if two edges would be the same float. The
 * call waits. Two passes over the batch, and three more if it has infinities or NaN, which copy it. */
IW_API iw_status iw_growing_histogram_add(iw_context *context, iw_growing_histogram *histogram, iw_type type,
    const void *samples, size_t n);
/* Adds the counts of another histogram that was made with equal arguments. */
IW_API iw_status iw_growing_histogram_merge(iw_context *context, iw_growing_histogram *histogram,
    const iw_growing_histogram *other);
/* Writes to *info what the histogram holds. */
IW_API iw_status iw_growing_histogram_get_info(const iw_growing_histogram *histogram,
    iw_growing_histogram_info *info);
/* Writes the bins + 1 edges (NULL: not wanted; of 0 bins none) and the counts (NULL: not wanted) to host
 * memory. type: the histogram's. Where an edge is beyond the type's values, its least or greatest one is
 * written, which is in the bin beside it. */
IW_API iw_status iw_growing_histogram_read(const iw_growing_histogram *histogram, iw_type type, void *edges,
    uint64_t *counts);

#ifdef __cplusplus
}
#endif

#endif
