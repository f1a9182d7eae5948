/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front hands to the kernels: argument structs and the binning rule. Plain data, the same on every target.
 * Pointers are to memory where the kernel runs. Those of scan and reduce are installed with their text.
 */
#ifndef IW_KERNELS_ARGS_H
#define IW_KERNELS_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/algorithms/multisplit/args.h>
#include <isowarp/algorithms/partition/args.h>

/* The shared memory of kernels that need none. */
typedef struct iw_no_shared { int unused; } iw_no_shared;

/* Where a reduction's result is first: asked after it, piece by piece. */
typedef struct iw_arg_extremum { uint64_t index; iw_scalar_bits value; } iw_arg_extremum;
typedef struct iw_arg_extremum_args {
  const void *in;
  size_t n;
  const uint64_t *tile_states, *group_states; /* as the reduction of this piece left them */
  const void *result;                       /* of the pieces up to this one */
  iw_arg_extremum *found;                          /* in the pieces before, and in them with this one */
  uint64_t piece_begin;                              /* this piece's, in the whole */
} iw_arg_extremum_args;

/* Makes a bit for each element, by a warp a chunk: of flags, of what is in a range, or not, of keys that are not the one
 * before, of rows of so many columns. */
enum { IW_FLAG_BITS_CHUNK = 1024, IW_FLAG_BITS_WARPS = 8 };
typedef struct iw_flag_bits_args {
  const void *in;
  uint64_t n, columns, chunks;          /* chunks: those of whole tiles */
  uint32_t *bits;
  uint32_t heads;                       /* 1: the first element's is set */
  uint32_t lo, hi, inverted;         /* of bytes and 16-bit words, as partitions have them */
} iw_flag_bits_args;

/* Which bin a sample is in, ready for a kernel. bottom and top are the smallest and the largest sample that is in a
 * bin, so that closed tops and ranges one bit wider than the type need no case of their own. Bin numbers past the last
 * mean: bins: below, bins + 1: above (for a map: no bin), bins + 2: NaN. */
enum { IW_BINNING_GUESS, IW_BINNING_SEARCH, IW_BINNING_MAP };
typedef struct iw_binning {
  uint32_t mode;            /* IW_BINNING_… */
  uint32_t bins;
  uint32_t steps;           /* SEARCH: halvings that find one edge among bins */
  uint32_t clamp;           /* policy CLAMP: below is bin 0, above is the last bin */
  iw_scalar_bits bottom, top;      /* of the sample type */
  double scale, offset, tau;/* GUESS: floor(x*scale + offset), right where that is farther than tau from an integer; in
                               f32 for f32 samples (the numbers are floats then), else in f64; proven on the host
                               for all edges, tau < 1/4 */
  uint32_t even;            /* of floats: e(k) is k*step + first in f64, rounded to their type; 2: and e(bins) is too */
  double step, first;
  const void *edges;        /* e(0) … e(bins-1) of the sample type (u16 samples: as i32) */
  const uint32_t *map;      /* MAP: 256 bin numbers, bins + 1 for none */
} iw_binning;

/* ---- Histogram --------------------------------------------------------------------------------------------------- */

/* Counters of 32 bits that a block has room for in shared memory, and those of its lanes for samples in no bin. */
enum { IW_SHARED_COUNTERS = 49152, IW_OUTLIER_COUNTERS = 3 * 32 };
/* HISTOGRAM_SHARED_ATOMICS: words of shared memory at most; counters in which bytes of one bin are added up, if they are enough; words of
 * so many counters of 16 bits, whole rows of them. */
enum { IW_SHARED_ATOMICS_WORDS = 57344, IW_BYTE_SHARED_BINS = 512 };
#define IW_COUNTERS_16_WORDS(entries) (((uint64_t)(entries) + 255) / 256 * 128)

/* Sets n words to 0. */
typedef struct iw_clear_args { uint64_t *words, n; } iw_clear_args;

/* The bin number of each sample. */
typedef struct iw_bin_index_args {
  iw_bucket_ids_args to;
  iw_binning binning;
} iw_bin_index_args;

/* The strategies of the chapter count bin numbers. */
typedef struct iw_strategy_args {
  const uint32_t *bin_indices;
  uint64_t n;
  uint64_t *counts;         /* entries of them; first … first + window - 1 are counted by this launch */
  uint64_t *copies;         /* private copies in global memory: entries for each block */
  uint64_t *atomics;        /* what was done: [0] in global, [1] in shared memory */
  uint32_t entries, first, window;
  uint32_t coarsening;      /* samples per thread */
} iw_strategy_args;

/* One warp counts few samples in the caller's own counters. */
typedef struct iw_small_n_args {
  const void *samples;
  uint64_t n;
  void *out;                /* outputs counters: bins, or bins + 2 */
  uint64_t *outliers;      /* below, above, NaN; or NULL */
  uint32_t outputs, clamp, counters_32;
  uint32_t accumulate, more;/* whether counters, and outliers, are added to */
  iw_binning binning;
} iw_small_n_args;

/* Adds the copies up and writes the caller's counters. */
typedef struct iw_write_counts_args {
  const uint32_t *copies;   /* as many times entries; or NULL: */
  const uint64_t *counts;   /* entries of them */
  uint64_t blocks;          /* copies */
  uint32_t bins, entries, outputs; /* outputs: bins, or bins + 2 */
  uint32_t clamp, accumulate, counters_32; /* counters_32: the caller's counters have 32 bits */
  void *out;
  uint64_t *outliers;      /* below, above, NaN */
} iw_write_counts_args;

/* Whole rows: each block takes span samples, each of its warps a part of them in one piece. */
typedef struct iw_histogram_rows_args {
  const void *samples;
  uint64_t n, span;         /* span: a multiple of the block's rows; less than 2^32 */
  uint32_t *copies;         /* entries for each block, or table of a block where its counters are there; NULL: blocks add
                               to counts, their counters, or where these are not in shared memory each sample */
  uint64_t *counts;
  uint32_t entries;         /* bins + 3 */
  uint32_t in_shared;       /* whether the counters of a block are in shared memory, else in its copies */
  uint32_t tables;          /* of a block, a power of two of them, so that neighbours rarely meet */
  uint32_t counters_16;          /* HISTOGRAM_SHARED_ATOMICS: those in shared memory have 16 bits; and if there are none for all bins: */
  uint32_t claimable;           /* bins that a block has counters for, those that came first, a power of two */
  uint32_t heavy_hitters;             /* else: 0 if it is known that no bin is much more frequent than others */
  uint32_t *blocks_done;         /* 0. If finish.out is not NULL, the last block writes the caller's counters, and makes */
  iw_write_counts_args finish;    /* counts 0 again */
  iw_binning binning;
} iw_histogram_rows_args;

/* More bins than a block has counters for: samples are put in order by ranges of bins, a tile at a time, as numbers of 16 bits
 * within their range, and then counted range by range. */
enum {
  IW_BIN_RANGE_LOG2 = 15, IW_MAX_BIN_RANGES = 128, IW_BIN_RANGE_TILE = 8192,
  IW_BIN_RANGE_GROUP = 4,       /* numbers, of which each range has whole ones in a tile */
  IW_BIN_RANGE_PADDING = 2,       /* numbers between lanes' parts of a range that has a quarter of a tile: lanes do not meet at banks */
  IW_BIN_RANGE_TILE_CAPACITY = IW_BIN_RANGE_TILE + 768, /* so at most that many numbers; whole rows of them */
  IW_BIN_RANGE_TILE_STRIDE = 652237  /* a prime: tile t is looked at as t times this, modulo their number, which is less */
};
typedef struct iw_bin_partition_args {
  const void *samples;
  uint64_t n, tiles;
  uint16_t *local_bins;        /* IW_BIN_RANGE_TILE_CAPACITY for each tile */
  uint32_t *parts;          /* part tiles * range + tile: the first of its groups in the tile; how many they are * 2^16 */
  uint64_t *totals;         /* of each range; added to */
  uint64_t *counts;         /* of bins, and of what is in none */
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

/* ---- Weighted and joint histograms: over bin numbers ------------------------------------------------------------- */

/* Channels of interleaved elements, each to a piece of its own: element i of channel c to out[c*n + i]. */
typedef struct iw_deinterleave_args {
  const void *in;
  void *out;
  uint64_t n, channels;
} iw_deinterleave_args;

/* What a bin number is along an axis: its place, below and above with policy, or none. */
typedef struct iw_axis { uint32_t bins, policy, outputs; } iw_axis;

/* Joint numbers, row*row_outputs + x*y.outputs + y; `none` for what has no place on an axis. A matrix of rows; blocks of
 * 256 threads, `parts` for each row. May be in place. */
enum { IW_RAVEL_BLOCK_COLUMNS = 8192 };
typedef struct iw_ravel_args {
  const uint32_t *x, *y;    /* y: NULL for none */
  uint32_t *out;
  uint64_t columns, parts;
  uint32_t row_outputs, none;
  iw_axis x_axis, y_axis;
} iw_ravel_args;

/* Weights are added up exactly: integers in one word, floats in words of IW_DIGIT_BITS bits each, whose unit is the smallest
 * subnormal number, and three that count NaN, +inf and -inf. A digit of one weight is less than 2^27, so words do not overflow
 * before 2^36 weights. Word w of entry e is sums[w*entries + e]. */
enum {
  IW_DIGIT_BITS = 26, IW_DIGITS_F32 = 13, IW_DIGITS_F64 = 84, IW_NONFINITE_WORDS = 3,
  IW_MAX_WEIGHTS_LOG2 = 36
};
typedef struct iw_accumulate_weights_args {
  const uint32_t *bin_indices;
  const void *weights;
  uint64_t n;
  uint64_t *sums;           /* words * entries, for all blocks or apart for each */
  uint32_t entries, privatised;
  uint32_t words, digits;   /* digits: 0 for integers */
} iw_accumulate_weights_args;

typedef struct iw_write_sums_args {
  const uint64_t *sums;
  void *out;
  uint32_t entries, copies, words, digits;
  uint32_t bins, outputs, clamp, accumulate;
  uint32_t mantissa;        /* bits of one; 0 for integers */
} iw_write_sums_args;

/* The least and the greatest that each warp finds; `more`: of what it found before, too. In u32 for bytes and 16-bit words. */
typedef struct iw_value_range_args {
  const void *samples;      /* n of them, one or more */
  uint64_t n;
  void *least, *greatest;
  uint32_t more;
} iw_value_range_args;

#endif
