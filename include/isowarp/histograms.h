/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms: their bins, plans that serve many calls, weights, rows and channels, the bin index of each
 * sample, tables of up to four dimensions and their projections, logarithmic axes, and ranges that grow
 * with a stream. The rules of isowarp.h hold.
 */
#ifndef ISOWARP_HISTOGRAMS_H
#define ISOWARP_HISTOGRAMS_H

#include <isowarp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Bins (all types) --------------------------------------------------------------------------------- */
/* Bins have edges e(0) < e(1) < … < e(bins). A sample x is in bin k if e(k) <= x < e(k+1), decided by
 * comparison. A NaN is in no bin. */
typedef enum iw_histogram_kind {
  IW_HISTOGRAM_EVEN,  /* floats: e(k) = k*step + lo, step = (hi-lo)/bins, in double without fma, then rounded
                         to the type; e(0) = lo, e(bins) = hi. Integers: e(k) = lo + ceil(k(hi-lo)/bins) */
  IW_HISTOGRAM_EDGES, /* the caller's bins + 1 edges */
  IW_HISTOGRAM_MAP    /* u8 samples only: the caller's table gives each value's bin index */
} iw_histogram_kind;
#define IW_MAP_NONE 0xffffu /* in a map: the value is in no bin */
/* What happens to samples outside [e(0), e(bins)), and to values that a map gives no bin. */
typedef enum iw_policy {
  IW_POLICY_DROP,  /* they are not counted */
  IW_POLICY_CLAMP, /* they count in the first or the last bin; not for maps */
  IW_POLICY_COUNT  /* two more counters: counts[bins] for those below, counts[bins + 1] for above */
} iw_policy;
enum {                    /* a map has no top: the first and the last flag do nothing there */
  IW_HIST_CLOSED_TOP = 1, /* x == hi (with EDGES: the last edge) is in the last bin. Even bins of integers that
                             are hi - lo + 1 have a value each then: e(bins) = hi + 1 */
  IW_HIST_ACCUMULATE = 2, /* add to what counts holds, to count a stream in chunks */
  IW_HIST_HI_INCLUDED = 4 /* integers: e(bins) = hi + 1, beside CLOSED_TOP too; with EDGES: CLOSED_TOP */
};
typedef struct iw_histogram_plan iw_histogram_plan;
/* The bins of a histogram, and what is counted. */
typedef struct iw_histogram_spec {
  size_t size;                   /* sizeof(iw_histogram_spec) */
  iw_type type;                  /* of the samples */
  iw_histogram_kind kind;
  size_t bins;                   /* 1 … 2^31 - 1; for a map at most 65535 */
  const void *lo, *hi;           /* EVEN: of the sample type, lo < hi, hi - lo finite; both NULL: automatic.
                                    Integers: e(bins) - lo >= bins, so that each bin has a value */
  const void *edges;             /* EDGES: bins + 1 finite values of the sample type, strictly increasing */
  const uint16_t *map;           /* MAP: 256 bin indices below bins, or IW_MAP_NONE */
  iw_policy policy;
  unsigned flags;                /* IW_HIST_… */
  size_t counter_width;          /* bytes of a counter: 8, which 0 stands for, or 4, by which a call of 2^32
                                    samples or more is IW_ERROR_OVERFLOW */
  const iw_histogram_plan *plan; /* not NULL: the spec is the plan's, and the members above but size are 0 */
} iw_histogram_spec;
/* The spec that is a plan. */
static inline iw_histogram_spec iw_spec_of_plan(const iw_histogram_plan *plan)
{
  const iw_histogram_spec spec = {
    sizeof(iw_histogram_spec), (iw_type)0, IW_HISTOGRAM_EVEN, 0, NULL, NULL, NULL, NULL, IW_POLICY_DROP, 0, 0, plan
  };
  return spec;
}
/* The numbers of samples outside of all bins, under every policy. */
typedef struct iw_histogram_report {
  size_t size;                       /* sizeof(iw_histogram_report), set by the caller */
  uint64_t underflow, overflow, nan; /* below e(0); above the last bin, or without a bin in a map; NaN */
} iw_histogram_report;

/* ---- Plans ------------------------------------------------------------------------------------------- */

/* A plan is a spec prepared for many calls: its edges, the rule that finds a sample's bin, and the tables
 * that kernels read, which stay on each device that used the plan. It is immutable: any number of threads may
 * use it at the same time, each with its own context.
 * Makes a plan from a spec, which may be freed afterwards. sample: n samples (or none) of the data, in host
 * or device memory. At most 8192 are read, and the call waits; the share of their most frequent bin decides
 * how later calls count. Not for automatic ranges or specs with a plan. Result: *plan, NULL on failure. */
IW_API iw_status iw_histogram_plan_make(iw_context *context, const iw_histogram_spec *spec, const void *sample, size_t n,
    iw_histogram_plan **plan);
/* Frees a plan. No call may be using it, and no graph that captured it may be replayed. NULL is allowed. */
IW_API void iw_histogram_plan_free(iw_histogram_plan *plan);

typedef struct iw_histogram_plan_info {
  size_t size;             /* sizeof(iw_histogram_plan_info), set by the caller */
  iw_type type;
  size_t bins, outputs;    /* outputs: counters that a histogram writes, bins or (policy COUNT) bins + 2 */
  const char *rule;        /* how a sample's bin is found, in words; a static string */
  double ambiguous;        /* 0 … 1: share of uniformly distributed samples so near an edge that arithmetic
                              cannot decide their bin; they are compared with that edge */
  size_t tables, copies;   /* tables of counters per block; copies of all counters, added up at the end */
  char why[384];           /* one sentence */
} iw_histogram_plan_info;
/* Writes to *info how n samples would be counted on this context; on AUTO, n samples in host memory. */
IW_API iw_status iw_histogram_plan_get_info(iw_context *context, const iw_histogram_plan *plan, size_t n,
    iw_histogram_plan_info *info);

/* ---- Histograms ---------------------------------------------------------------------------------------- */

struct iw_exact_sum; /* isowarp/exact.h */
/* What a histogram may be told. NULL in a call: all members 0. */
typedef struct iw_histogram_options {
  size_t size;                     /* sizeof(iw_histogram_options) */
  iw_type weight_type;             /* one of the six types: weights are added; 0: samples are counted */
  const void *weights;             /* n of them, one of each sample; NULL without weight_type */
  struct iw_exact_sum *exact_sums; /* weights of f32 and f64: where their unrounded sums go; counts is NULL */
  iw_histogram_report *report;     /* iw_histogram without weights: in host memory; NULL: not wanted */
} iw_histogram_options;

/* Histogram: counts[k] = the number of samples in bin k of the spec, or the sum of their weights.
 * counts: bins elements (policy COUNT: bins + 2) of uint64_t, or of uint32_t if counter_width is 4,
 *   overwritten unless IW_HIST_ACCUMULATE. An automatic range takes another pass, and the call waits. A plan's
 *   first call on another device than it was made on allocates: it cannot be captured.
 * Weights: counts are int64_t for weights of i32 i64, uint64_t for u32 u64, float for f32, double for f64.
 *   Integers wrap. Floats (and with IW_HIST_ACCUMULATE the old sum) are summed exactly and rounded once
 *   (doc/weights.md). The spec has no automatic range; counter_width is 0 or 8. n < 2^36; for f64 (bins + 3) *
 *   87 < 2^32, for f32 (bins + 3) * 16 < 2^32. On CUDA host memory is staged whole, here and in histograms of
 *   rows, of channels and of several dimensions.
 * Exact sums: as many as counts, in host memory, are added to with and without IW_HIST_ACCUMULATE. Needs host
 *   memory of 700 bytes per bin; the call waits. */
IW_API iw_status iw_histogram(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t n, void *counts,
    const iw_histogram_options *options);
/* Writes the bins + 1 edges of a spec, of the sample type, to host memory. If the type cannot hold the last
 * edge, hi + 1, hi is written. Not for maps, plans and automatic ranges. */
IW_API iw_status iw_histogram_edges(const iw_histogram_spec *spec, void *edges);
/* Writes the automatic range of each row of a row-major matrix without padding; an array is one row. lo and
 * hi, in host memory, have one value of the sample type for each row: a histogram of a row with this range
 * and IW_HIST_CLOSED_TOP is the automatic one, errors included. The range is [min, max]; of an empty row
 * [0, 1]; if all samples are v, [v, v+1] (the largest integer: [v-1, v]), of floats [v-0.5, v+0.5], or
 * v-|v|/2 and v+|v|/2 where that is v twice (doc/design/histogram.md#automatic-ranges). A NaN or an infinity
 * in the data is IW_ERROR_INVALID, whose message names the row of several. One pass over one row, two over
 * several. Integers can have up to max - min + 1 bins, by the rule of IW_HIST_CLOSED_TOP. */
IW_API iw_status iw_histogram_range(iw_context *context, iw_type type, const void *samples, size_t rows,
    size_t columns, void *lo, void *hi);

/* The ranges of the rows of a matrix, one value of the sample type each for `rows` rows, in host memory. */
typedef struct iw_histogram_ranges {
  size_t size;          /* sizeof(iw_histogram_ranges) */
  const void *lo, *hi;
} iw_histogram_ranges;
/* One histogram per row of a row-major matrix without padding: samples has rows * columns elements,
 * counts rows times the counters of the spec. ranges: NULL: all rows have the spec's bins, and if these
 * are automatic each row has its own automatic range (iw_histogram_range). Else row r has the range
 * lo[r], hi[r]; the spec has even bins, lo and hi NULL, and no IW_HIST_HI_INCLUDED. With ranges, and with
 * automatic ones, this is a call of a histogram for each row: rows should be longer than their
 * histograms. An error in a range names the row. */
IW_API iw_status iw_histogram_rows(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t rows,
    size_t columns, void *counts, const iw_histogram_ranges *ranges);
enum { IW_MAX_HISTOGRAM_CHANNELS = 23 };
/* One histogram per channel of interleaved samples: samples has n * channels elements, 1 …
 * IW_MAX_HISTOGRAM_CHANNELS channels. counts[c] gets channel c by specs[c]; a channel whose spec is NULL
 * is not counted. The specs have one type, and no automatic range. One pass. */
IW_API iw_status iw_histogram_channels(iw_context *context, const iw_histogram_spec *const *specs, unsigned channels,
    const void *samples, size_t n, void *const *counts);

/* ---- Bin indices -------------------------------------------------------------------------------------- */

/* Digitize: indices[i] = the index of the counter in which iw_histogram() with this spec counts sample i,
 * or the number of its counters if it counts sample i nowhere. With B bins an index below B is a bin, and
 *   policy DROP: B stands for every sample in no bin, NaN too;
 *   policy CLAMP: samples below all bins have 0, those above have B - 1, and NaN has B;
 *   policy COUNT: samples below all bins have B, those above, or without a bin in a map, B + 1, NaN B + 2.
 * indices: n elements of 1, 2 or 4 bytes, which do not overlap samples; IW_ERROR_OVERFLOW if they cannot
 * hold the largest of these. spec: may hold a plan; what it says of counters does nothing. An
 * automatic range takes another pass, and the call waits. NumPy's digitize(samples, edges) is, by policy
 * COUNT, 0 for the index B, the number of edges for B + 1 and B + 2, and index + 1 for a bin. */
IW_API iw_status iw_digitize(iw_context *context, const iw_histogram_spec *spec, const void *samples, size_t n,
    iw_indices indices);

/* ---- N-D histograms ----------------------------------------------------------------------------------- */

enum { IW_MAX_HISTOGRAM_AXES = 4 };
/* The bins and the samples of one dimension. */
typedef struct iw_histogram_axis {
  size_t size;                   /* sizeof(iw_histogram_axis) */
  const iw_histogram_spec *spec; /* without an automatic range */
  const void *samples;           /* n, of the spec's type */
} iw_histogram_axis;

/* N-D histogram: counts is a row-major table with an axis of each spec's counters, and at most 2^31 - 4
 * counters. Sample i is counted at the bins of all axes' samples i; it is not counted if one of them is in
 * no bin. axes: `dimensions` of them, 1 to IW_MAX_HISTOGRAM_AXES, each of n samples; the last one's bins are
 * neighbours in counts. The specs agree in IW_HIST_ACCUMULATE and counter_width. options: weights and exact
 * sums as of iw_histogram(), with the cells of the table in place of bins; no report. Scratch: 8 bytes for
 * each counter, and bin indices of a part of the samples. */
IW_API iw_status iw_histogram_nd(iw_context *context, const iw_histogram_axis *axes, unsigned dimensions,
    size_t n, void *counts, const iw_histogram_options *options);

/* ---- Logarithmic axes, and axes of powers ------------------------------------------------------------- */

/* Edges for IW_HISTOGRAM_EDGES: bins + 1 values of the type, e(0) = lo, e(bins) = hi, and between them the
 * values of the type that are nearest to real numbers, so that they are the same on every machine. With p
 * the power they are
 *   (lo^p + (hi^p - lo^p) * k/bins)^(1/p), for p from 1/64 to 64 and lo >= 0, or p from -64 to -1/64 and
 *   lo > 0; lo * (hi/lo)^(k/bins), for p = 0, a logarithmic axis, and lo > 0
 * A number midway between two values becomes the one whose last bit is 0; one that agrees with a midpoint in
 * 512 bits or more may count as midway. lo, hi: one value each, finite, lo < hi; they may lie in edges.
 * IW_ERROR_INVALID if two edges would be equal. All arrays are in host memory. Takes some microseconds per
 * edge (Ziv 1991). */
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
 * the limits of weights in iw_histogram_nd(). flags: 0, or IW_HIST_ACCUMULATE, which adds to what out
 * holds: with factors of 1 this merges two tables of the same bins. out does not overlap in. */
IW_API iw_status iw_histogram_project(iw_context *context, iw_type type, const iw_table_axis *axes,
    unsigned dimensions, const void *in, void *out, unsigned flags);

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
/* Adds a batch of n samples of the histogram's type. If it fails, the batch is not counted, and nothing is
 * lost: IW_ERROR_OVERFLOW if there is no room, or if a sample is 2^60 widths or more from the origin;
 * IW_ERROR_INVALID if two edges would be the same float. The call waits. Two passes over the batch, and three
 * more if it has infinities or NaN, which copy it. */
IW_API iw_status iw_growing_histogram_add(iw_context *context, iw_growing_histogram *histogram,
    const void *samples, size_t n);
/* Adds the counts of another histogram, not of the same one, that was made with equal arguments. */
IW_API iw_status iw_growing_histogram_merge(iw_context *context, iw_growing_histogram *histogram,
    const iw_growing_histogram *other);
/* Writes to *info what the histogram holds. */
IW_API iw_status iw_growing_histogram_get_info(const iw_growing_histogram *histogram,
    iw_growing_histogram_info *info);
/* Writes the bins + 1 edges (NULL: not wanted; of 0 bins none) and the counts (NULL: not wanted) to host
 * memory. Where an edge is beyond the type's values, the type's least or greatest value is written, which is
 * in the bin beside it. */
IW_API iw_status iw_growing_histogram_read(const iw_growing_histogram *histogram, void *edges, uint64_t *counts);

#ifdef __cplusplus
}
#endif

#endif
