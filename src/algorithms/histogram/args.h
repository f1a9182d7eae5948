/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host side of the histograms hands to their kernels. Plain data, the same on every target;
 * pointers are to memory where the kernel runs. Not installed. Knows no schedule's code.
 */
#ifndef IW_HISTOGRAM_ARGS_H
#define IW_HISTOGRAM_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include "algorithms/binning/args.h"

/* ---- Counting ---------------------------------------------------------------------------------------- */

/* Writes the caller's counters from those of the blocks. An entry is a counter of a block: one for each
 * bin, then `bins` for samples below, bins + 1 for samples above, and bins + 2 for NaN. */
typedef struct iw_write_counts_args {
  const uint32_t *copies;          /* `blocks` copies of `entries` counters each, if counts is NULL */
  const uint64_t *counts;          /* one array of `entries` counters, or NULL */
  uint64_t blocks;
  uint32_t bins, entries, outputs; /* outputs: bins, or bins + 2 */
  uint32_t clamp;                  /* 1: samples below are added to bin 0, samples above to the last bin */
  uint32_t accumulate;             /* 1: adds to the caller's counters */
  uint32_t counters_32;            /* 1: the caller's counters have 32 bits, else 64 */
  void *out;
  uint64_t *outliers;              /* below, above, NaN; used if entries > bins */
} iw_write_counts_args;

enum {
  /* private_counters.h: 32-bit counters of a block, at most */
  IW_SHARED_COUNTERS = 49152,
  IW_OUTLIER_COUNTERS = 3 * 32,    /* words of shared memory that the host leaves free besides them */
  IW_SHARED_ATOMICS_WORDS = 57344, /* shared_atomics.h: words of shared memory of a block, at most */
  IW_BYTE_SHARED_BINS = 512        /* shared_atomics.h: counters of the bins of bytes in shared memory */
};
/* Words of so many 16-bit counters, a multiple of a row. */
#define IW_COUNTERS_16_WORDS(entries) (((uint64_t)(entries) + 255) / 256 * 128)

/* Where blocks of shared_atomics.h add counts of entries: the caller's counters. */
typedef struct iw_add_counts_args {
  void *out;
  uint64_t *outliers;              /* below, above, NaN; or NULL */
  uint32_t bins, outputs, clamp, counters_32; /* as in iw_write_counts_args */
} iw_add_counts_args;

/* Kernel histogram_rows: block b counts samples b*span … b*span + span - 1. private_counters.h divides them
 * among the block's warps, in one piece each. */
typedef struct iw_histogram_rows_args {
  const void *samples;
  uint64_t n, span;            /* span: a multiple of the block's rows; less than 2^32 */
  /* private_counters.h: `entries` for each block if in_shared, else for each of its tables. NULL: blocks
   * add their counters to `counts` if in_shared, else 1 for each sample */
  uint32_t *copies;
  uint64_t *counts;            /* private_counters.h, global_atomics.h: counters of all blocks */
  uint32_t entries;            /* bins + 3 */
  uint32_t in_shared;          /* 1: the counters of a block are in shared memory */
  uint32_t tables;             /* copies of a block's counters, a power of two */
  uint32_t counters_16;        /* shared_atomics.h: counters in shared memory have 16 bits */
  /* shared_atomics.h: where in shared memory, in words, a block copies the table of cells and the edges
   * behind it; 0: it does not */
  uint32_t tables_at;
  uint32_t claimable;          /* shared_atomics.h: counters of a block if in_shared is 0, a power of two */
  /* private_counters.h: 0 if no bin is known to be much more frequent than the others */
  uint32_t heavy_hitters;
  /* shared_atomics.h, 1: the launch before this one is the kernel clear, of the counters of `to`, so that
   * samples are counted in shared memory while it runs */
  uint32_t overlaps;
  iw_add_counts_args to;       /* shared_atomics.h */
  iw_binning binning;
} iw_histogram_rows_args;

/* Kernel histogram_small_n: one warp counts in the caller's counters. */
typedef struct iw_small_n_args {
  const void *samples;
  uint64_t n;
  void *out;                    /* `outputs` counters */
  uint64_t *outliers;           /* below, above, NaN; or NULL */
  uint32_t outputs, clamp, counters_32, accumulate; /* as in iw_write_counts_args */
  uint32_t accumulate_outliers; /* 1: adds to outliers */
  iw_binning binning;
} iw_small_n_args;

/* ---- Bin partition (bin_partition.h, bin_partition_count.h) ------------------------------------------ */

/* Bin ranges have 2^15 bins, so that a bin index within a range, and one for padding, has 16 bits. */
enum {
  IW_BIN_RANGE_LOG2 = 15, IW_MAX_BIN_RANGES = 128,
  IW_BIN_RANGE_TILE = 8192,    /* samples of a tile */
  /* local bins of a group, which has 8 bytes. A range's part of a tile is whole groups, the last one
   * padded */
  IW_BIN_RANGE_GROUP = 4,
  /* local bins after each lane's part of a range that has a quarter of a tile: parts of equal length would
   * begin in the same bank */
  IW_BIN_RANGE_PADDING = 2,
  /* local bins of a tile with all padding, whole rows */
  IW_BIN_RANGE_TILE_CAPACITY = IW_BIN_RANGE_TILE + 768,
  /* a prime above the number of tiles: tiles are visited in the order t*652237 mod tiles */
  IW_BIN_RANGE_TILE_STRIDE = 652237
};
typedef struct iw_bin_partition_args {
  const void *samples;
  uint64_t n, tiles;
  uint16_t *local_bins; /* IW_BIN_RANGE_TILE_CAPACITY for each tile */
  /* part range*tiles + tile: the index of its first group in the tile, plus 2^16 times their number */
  uint32_t *parts;
  uint64_t *totals;     /* local bins of each range, with padding: the work it makes; added to */
  uint64_t *counts;     /* of all bins and outliers; this kernel adds the outliers */
  uint32_t ranges;
  iw_binning binning;
} iw_bin_partition_args;
typedef struct iw_bin_partition_count_args {
  const uint16_t *local_bins;
  const uint32_t *parts;
  const uint64_t *totals;
  uint64_t *counts;
  uint64_t tiles;
  uint32_t ranges, bins;
} iw_bin_partition_count_args;

/* ---- N-D and weighted histograms, over bin indices --------------------------------------------------- */

/* De-interleaves channels: element i of channel c goes to out[c*n + i]. A warp moves a chunk of each
 * channel. */
enum { IW_DEINTERLEAVE_CHUNK = 1024 };
typedef struct iw_deinterleave_args {
  const void *in;
  void *out;
  uint64_t n, channels;
} iw_deinterleave_args;

/* One axis of an N-D histogram: `outputs` coordinates, bins or bins + 2, by an iw_policy. */
typedef struct iw_axis { uint32_t bins, policy, outputs; } iw_axis;

/* Ravels bin indices: out = row*row_outputs + x*y_axis.outputs + y, or `none` for a sample without a
 * coordinate on an axis. The samples are a matrix; a row is the work of `parts` blocks. out may be x. */
enum { IW_RAVEL_BLOCK_COLUMNS = 8192 };
typedef struct iw_ravel_args {
  const uint32_t *x, *y; /* y: NULL for one axis */
  uint32_t *out;
  uint64_t columns, parts;
  uint32_t row_outputs, none;
  iw_axis x_axis, y_axis;
} iw_ravel_args;

/* Cells of a table that are added to those of another one. An axis has `cells` cells: `bins` for bins, then
 * those for outliers. Each 1/reciprocal_of_factor bins become one, `merged` in all; outliers are not
 * merged. stride: of the other table; 0 for an axis that it does not have. */
enum { IW_PROJECT_CHUNK = 256, IW_PROJECT_AXES = 4 };
typedef struct iw_project_axis {
  uint32_t cells, bins, merged, stride;
  double reciprocal_of_cells, reciprocal_of_factor;
} iw_project_axis;
typedef struct iw_project_args {
  uint32_t *out;         /* the other table's cell for cells first … first + n - 1; first + n < 2^31 */
  uint64_t first, n;
  uint32_t dimensions;
  iw_project_axis axes[IW_PROJECT_AXES];
} iw_project_args;

/* Exact sums of weights: words as common/exact_number.h has them. Word w of entry e is sums[w*entries +
 * e]. */
typedef struct iw_accumulate_weights_args {
  const uint32_t *bin_indices;
  const void *weights;
  uint64_t n;
  uint64_t *sums;               /* words*entries, for each block if privatised */
  uint32_t entries, privatised;
  uint32_t words, digits;       /* digits: those of the words that hold finite weights; 0 for integers */
  uint32_t clears;              /* 1: blocks clear their own sums first */
} iw_accumulate_weights_args;

typedef struct iw_write_sums_args {
  uint64_t *sums;               /* `copies` of words*entries; the first one may have all of them afterwards */
  void *out;
  uint32_t entries, copies, words, digits;
  uint32_t bins, outputs, clamp, accumulate; /* as in iw_write_counts_args */
  /* mantissa: stored mantissa bits of a sum, 0 for integers; sum_bits: 32 or 64, its width */
  uint32_t mantissa, sum_bits;
} iw_write_sums_args;

#endif
