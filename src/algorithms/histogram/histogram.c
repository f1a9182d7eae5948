/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of one array, public entry and host side: checks, the choice of a schedule and of its grid,
 * scratch, launches, and plans. The schedules are kernel templates in this folder:
 *
 *   small_n.h               few samples, by one warp
 *   private_counters.h      rows on a CPU: private SIMD counters; global_atomics.h if copies would be too large
 *   shared_atomics.h        rows on a GPU: privatised shared-memory atomics
 *   bin_partition.h         many bins on a GPU
 *   textbook_strategies.h   on request only
 *
 * bin_index.h decides the bin of a sample in all of them, by the rule that binning_plan.c makes. Algorithm
 * layer: what a device can do is read from context->device; the backend is not asked.
 */
#include "algorithms/histogram/histogram.h"
#include "runtime/arithmetic.h"
#include "runtime/check.h"
#include "runtime/fp_environment.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/strategies.h>

#include <stdlib.h>
#include <string.h>

/* A switch over iw_type lists all types, so that it does not compile when a new one is missing. */
#pragma GCC diagnostic error "-Wswitch"

/* Tuning. None of these numbers can change a result. */
enum {
  CHUNK = 1 << 24,                    /* samples of one launch; a multiple of what a block takes */

  /* Small n: samples up to which one warp counts them. On a GPU a second launch costs more than counting
   * those. On a CPU the limit grows with the bins, as clearing and adding up private counters does. */
  SMALL_N_GPU = 256,
  SMALL_N_CPU = 2048,
  SMALL_N_PER_BIN = 2,
  SMALL_N_MOST_BINS = 1 << 16,        /* the caller's counters of more bins are not in a second-level cache */

  /* Private counters of a CPU's blocks. */
  MAX_TABLES = 8,                     /* copies of a block's counters: equal bins in a row rarely meet */
  /* counters up to which a block has MAX_TABLES: they fill a first-level cache */
  MAX_COUNTERS_ALL_TABLES = 1024,
  /* up to here it has half of them, and two for more counters: the memory of the second table then holds tables
   * of 8-bit counters (language/cpu/private_histogram.h) */
  MAX_COUNTERS_HALF_TABLES = 2304,
  MAX_COUNTERS_PER_COPY = 1 << 18,    /* counters of all tables of a block in global memory */
  /* bytes of all blocks' copies; if they need more, blocks use global atomics */
  MAX_COPIES_BYTES = IW_MAX_COPIES_BYTES,
  MIN_BLOCK_UNITS = 64,               /* grain size: rows of each warp of a block, at least, … */
  /* … times bins/16 if each thread has a block already: a block costs its counters */
  BINS_PER_GRAIN = 16,
  MAX_WAVES = 4,                      /* blocks of a thread, for load balance */
  /* heavy hitters are looked for if a bin may have 1/40 of the samples */
  HEAVY_HITTER_SHARE = 40,

  /* Shared-memory atomics and bin partition on a GPU. */
  /* bytes of shared memory of a block besides its counters, to find how many blocks fit on a multiprocessor */
  SHARED_OVERHEAD = 4096,
  MAX_CLAIMABLE_BINS = 16384,         /* claimed counters of a block */
  /* samples from which a bin partition is faster than claimed counters, … */
  PARTITION_MIN_SAMPLES = 1 << 22,
  PARTITION_MAX_BIN_PERCENT = 70,     /* … unless one bin has more of the plan's sample than this */
  PARTITION_CHUNK = 1 << 26,          /* samples partitioned at a time; a multiple of a tile */

  COUNT_THREADS = 1024,               /* threads of a block of the textbook strategies */

  MAX_SAMPLE = 8192,                  /* samples that a plan looks at, … */
  SAMPLE_PIECES = 64                  /* … in so many pieces at equal distances if there are more */
};

/* One call of a histogram. */
typedef struct histogram_job {
  iw_context *context;
  iw_type type;
  const char *samples;
  size_t n, bins, entries;       /* entries: counters of bins, below, above, NaN */
  const iw_histogram_plan *plan;
  const iw_histogram_spec *spec; /* policy and flags: the plan's, or others for its bins */
  void *counts;                  /* the caller's counters */
  iw_strategy strategy;
  unsigned coarsening;
  iw_binning binning;            /* with tables in memory of the device */
  char *scratch;                 /* the offsets of its parts follow */
  size_t at_words, at_tables, at_counts, at_copies, at_bin_indices, at_local_bins, at_parts, at_totals;
  size_t copies;                 /* copies of all counters */
  /* the counters to which blocks add: at_counts in the scratch, or the context's zeroed counters */
  uint64_t *counted;
  /* the context's counter of finished blocks, if the last block writes the caller's counters; else NULL */
  uint32_t *blocks_done;
  int atomic_counts;             /* 1: blocks add to `counted`; 0: they store copies that are added up */
} histogram_job;

/* The words at at_words, from which the report is read. */
enum { BELOW, ABOVE, NANS, GLOBAL_ATOMICS, SHARED_ATOMICS, WORDS };

/* 32-bit counters that fit in a block's shared memory. */
static size_t shared_counters(const histogram_job *job)
{
  return iw_min(IW_SHARED_COUNTERS,
                job->context->device.shared_per_block / sizeof(uint32_t) - IW_OUTLIER_COUNTERS);
}

/* The grid of histogram_rows. Private counters are in shared memory, or copies in global memory, or there
 * are none. Where copies are added up, counters in shared memory have copies too. */
typedef struct rows_plan {
  size_t span, blocks, tables, shared, claimable;
  unsigned threads;
  int in_shared, counters_16, copies;
} rows_plan;

static rows_plan begin_rows_plan(const histogram_job *job)
{
  iw_context *const context = job->context;
  const iw_kernel *const kernel = context->ops->kernel(context, IW_KERNEL_OF_SAMPLE(histogram_rows, job->type));
  return (rows_plan){ .threads = kernel ? kernel->block : 32 };
}

/* Samples that all warps of a block load at once: 16 bytes a lane. */
static size_t block_row(const histogram_job *job, const rows_plan *rows)
{
  return rows->threads * 16 / iw_type_size(job->type);
}

/* The fewest blocks, as a counter of a block has 32 bits. */
static size_t min_blocks(size_t n, size_t row)
{
  const size_t max_span = (size_t)1 << 31;
  return iw_ceil_div(n, max_span - row);
}

/* Divides n samples among about so many blocks, by whole rows. */
static void set_blocks(rows_plan *rows, size_t n, size_t row, size_t blocks)
{
  rows->span = iw_ceil_div(iw_ceil_div(n, blocks), row) * row;
  rows->blocks = iw_ceil_div(n, rows->span);
}

/* The grid of shared_atomics.h. One table is enough: a GPU adds for lanes with one counter at once. Bytes
 * have a table for each lane, so that each lane stays in its own bank. Counters that do not fit with 32 bits
 * have 16. */
static rows_plan plan_shared_atomics(const histogram_job *job, size_t n)
{
  const iw_device *const device = &job->context->device;
  const int bytes = iw_type_size(job->type) == 1;
  const size_t available = iw_min(IW_SHARED_ATOMICS_WORDS, device->shared_per_block / sizeof(uint32_t));
  const size_t words = bytes ? 256 * 32 + IW_BYTE_SHARED_BINS : job->entries + 1;
  const size_t words_16 = IW_COUNTERS_16_WORDS(job->entries);
  rows_plan rows = begin_rows_plan(job);
  rows.tables = bytes ? 32 : 1;
  rows.in_shared = words <= available || words_16 <= available;
  rows.counters_16 = rows.in_shared && words > available;
  rows.claimable = MAX_CLAIMABLE_BINS;
  while (2 * rows.claimable + 1 > available)
    rows.claimable /= 2;
  rows.shared =
      (!rows.in_shared ? 2 * rows.claimable + 1 : rows.counters_16 ? words_16 : words) * sizeof(uint32_t);
  const size_t row = block_row(job, &rows);
  const size_t wave = iw_blocks_per_wave(job->context, IW_KERNEL_OF_SAMPLE(histogram_rows, job->type));
  const size_t per_processor = device->shared_per_processor / (rows.shared + SHARED_OVERHEAD);
  const size_t resident = iw_min(wave, iw_max(1, per_processor) * device->processors);
  set_blocks(&rows, n, row, iw_max(min_blocks(n, row), iw_min(resident, iw_ceil_div(n, row))));
  return rows;
}

/* Chooses how many tables a block of private_counters.h has, and whether they are in shared memory. table: counters
 * of one. */
static void choose_tables(const histogram_job *job, size_t table, rows_plan *rows)
{
  const size_t available = shared_counters(job);
  rows->tables = MAX_TABLES;
  rows->in_shared = table <= available;
  if (table > MAX_COUNTERS_ALL_TABLES) {
    rows->tables = table > MAX_COUNTERS_HALF_TABLES ? 2 : MAX_TABLES / 2;
    rows->in_shared = rows->tables * table <= available;
  }
  while (rows->tables > 1 && rows->tables * table > (rows->in_shared ? available : MAX_COUNTERS_PER_COPY))
    rows->tables /= 2;
  rows->shared = rows->in_shared ? (rows->tables * table + IW_OUTLIER_COUNTERS) * sizeof(uint32_t) : 0;
}

/* The grid of private_counters.h. */
static rows_plan plan_private_counters(const histogram_job *job, size_t n)
{
  iw_context *const context = job->context;
  const size_t table = iw_type_size(job->type) == 1 ? 256 : job->entries;
  rows_plan rows = begin_rows_plan(job);
  choose_tables(job, table, &rows);
  const size_t row = block_row(job, &rows), least = min_blocks(n, row);
  const size_t wave = iw_blocks_per_wave(context, IW_KERNEL_OF_SAMPLE(histogram_rows, job->type));
  const size_t max_copies = MAX_COPIES_BYTES / (job->entries * sizeof(uint32_t));
  const size_t grain = iw_max(MIN_BLOCK_UNITS * row, table);
  const size_t waves = rows.in_shared && context->device.processors > 1 ? MAX_WAVES : 1;
  const size_t later_grain = grain * iw_max(1, job->entries / BINS_PER_GRAIN); /* of blocks after the first wave */
  size_t blocks = iw_max(iw_min(wave, iw_ceil_div(n, grain)), iw_min(waves * wave, n / later_grain));
  blocks = iw_max(least, blocks);
  /* Fewer blocks than threads are faster with copies than all threads with atomics, down to two thirds of them
   * (decision 167). */
  rows.copies = max_copies >= least && 3 * max_copies >= 2 * iw_min(wave, blocks);
  rows.in_shared &= rows.copies;
  set_blocks(&rows, n, row, rows.copies ? iw_min(blocks, max_copies) : blocks);
  return rows;
}

static rows_plan plan_rows(const histogram_job *job, size_t n)
{
  return job->context->device.prefers_global_atomics ? plan_shared_atomics(job, n) : plan_private_counters(job, n);
}

/* Whether one bin has so many samples that claimed counters are faster than a bin partition. */
static int has_dominant_bin(const iw_histogram_plan *plan)
{
  return 100 * plan->top_bin_share > PARTITION_MAX_BIN_PERCENT;
}

/* Whether the samples are counted by bin partition: many samples of a type with more bins than a block has
 * counters for. */
static int uses_bin_partition(const histogram_job *job)
{
  iw_context *const context = job->context;
  if (job->strategy != IW_STRATEGY_ROWS || !context->device.prefers_global_atomics
      || job->n < PARTITION_MIN_SAMPLES || !iw_is_one_of(job->type, IW_SIX_TYPES)
      || job->bins > (size_t)IW_MAX_BIN_RANGES << IW_BIN_RANGE_LOG2 || has_dominant_bin(job->plan))
    return 0;
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_bin_partition_count);
  return kernel && kernel->shared <= context->device.shared_per_block
      && !plan_shared_atomics(job, job->n).in_shared;
}

static size_t bin_range_count(const histogram_job *job)
{
  return iw_ceil_div(job->bins, (size_t)1 << IW_BIN_RANGE_LOG2);
}

/* Whether the last block writes the caller's counters, so that one launch is enough. */
static int last_block_writes(const histogram_job *job)
{
  return job->strategy == IW_STRATEGY_ROWS && job->context->device.prefers_global_atomics && job->n
      && job->entries <= IW_ZEROED_COUNTERS;
}

static size_t private_copies(const histogram_job *job)
{
  return iw_max(1, iw_min(iw_ceil_div(iw_min(job->n, CHUNK), COUNT_THREADS),
                          MAX_COPIES_BYTES / (job->entries * sizeof(uint64_t))));
}

static void lay_out_scratch(histogram_job *job, iw_layout *layout)
{
  const int by_rows = job->strategy == IW_STRATEGY_ROWS;
  const rows_plan rows = by_rows && job->n ? plan_rows(job, job->n)
    : (rows_plan){ .copies = by_rows && !job->n };
  job->atomic_counts = !rows.copies;
  job->copies = rows.copies ? rows.blocks * (rows.in_shared ? 1 : rows.tables)
    : job->strategy == IW_STRATEGY_PRIVATE_GLOBAL ? private_copies(job) : 0;
  iw_layout_begin(layout, job->context);
  job->at_words = iw_layout_add(layout, "words of the report", WORDS, sizeof(uint64_t));
  job->at_tables = iw_layout_add(layout, "tables", iw_binning_scratch_bytes(job->context, job->plan), 1);
  job->at_counts =
      iw_layout_add(layout, "counts", job->atomic_counts && !last_block_writes(job) ? job->entries : 0,
                    sizeof(uint64_t));
  job->at_copies =
      iw_layout_add(layout, "copies of counters", job->copies * job->entries, by_rows ? sizeof(uint32_t) : sizeof(uint64_t));
  job->at_bin_indices = iw_layout_add(layout, "bin indices", by_rows ? 0 : iw_min(job->n, CHUNK), sizeof(uint32_t));
  if (uses_bin_partition(job)) {
    const size_t tiles = iw_ceil_div(iw_min(job->n, PARTITION_CHUNK), IW_BIN_RANGE_TILE);
    const size_t ranges = bin_range_count(job);
    job->at_local_bins = iw_layout_add(layout, "local bins", tiles * IW_BIN_RANGE_TILE_CAPACITY, sizeof(uint16_t));
    job->at_parts = iw_layout_add(layout, "parts of ranges", tiles * ranges, sizeof(uint32_t));
    job->at_totals = iw_layout_add(layout, "totals of ranges", ranges, sizeof(uint64_t));
  }
}

static iw_status allocate_scratch(histogram_job *job)
{
  void *scratch;
  iw_layout layout;
  lay_out_scratch(job, &layout);
  IW_TRY(iw_scratch(job->context, &layout, &scratch));
  job->scratch = scratch;
  return IW_OK;
}

static iw_write_counts_args counts_args(const histogram_job *job)
{
  const iw_histogram_spec *const spec = job->spec;
  return (iw_write_counts_args){
    .copies = (const uint32_t *)(job->scratch + job->at_copies),
    .counts = job->atomic_counts ? job->counted : NULL,
    .blocks = job->copies, .bins = (uint32_t)job->bins, .entries = (uint32_t)job->entries,
    .outputs = (uint32_t)iw_outputs(spec),
    .clamp = spec->policy == IW_POLICY_CLAMP, .accumulate = (spec->flags & IW_HIST_ACCUMULATE) != 0,
    .counters_32 = (spec->flags & IW_HIST_COUNTERS_32) != 0, .out = job->counts,
    .outliers = (uint64_t *)(job->scratch + job->at_words) + BELOW,
  };
}

/* 0 if the plan has seen a sample and no bin was much more frequent than others. */
static int may_have_heavy_hitters(const iw_histogram_plan *plan)
{
  return !plan->sampled || plan->top_bin_share * HEAVY_HITTER_SHARE >= 1;
}

/* Two launches for each chunk: partition by ranges of bins, count each range. */
static iw_status run_bin_partition(histogram_job *job, const char *samples, size_t n)
{
  iw_context *const context = job->context;
  const iw_kernel_id partition = IW_KERNEL_OF(bin_partition, job->type), count = IW_K_bin_partition_count;
  iw_bin_partition_args args = {
    .local_bins = (uint16_t *)(job->scratch + job->at_local_bins),
    .parts = (uint32_t *)(job->scratch + job->at_parts),
    .totals = (uint64_t *)(job->scratch + job->at_totals), .counts = job->counted,
    .ranges = (uint32_t)bin_range_count(job), .binning = job->binning,
  };
  for (size_t at = 0; at < n; at += PARTITION_CHUNK) {
    args.samples = samples + at * iw_type_size(job->type);
    args.n = iw_min(n - at, PARTITION_CHUNK);
    args.tiles = iw_ceil_div(args.n, IW_BIN_RANGE_TILE);
    const iw_bin_partition_count_args count_args = {
      .local_bins = args.local_bins, .parts = args.parts, .totals = args.totals, .counts = args.counts,
      .tiles = args.tiles, .ranges = args.ranges, .bins = (uint32_t)job->bins,
    };
    IW_TRY(iw_clear(context, args.totals, args.ranges));
    IW_TRY(iw_launch_by_id(context, partition, iw_min(args.tiles, iw_blocks_per_wave(context, partition)), 0, &args));
    IW_TRY(iw_launch_by_id(context, count, iw_blocks_per_wave(context, count), 0, &count_args));
  }
  return IW_OK;
}

/* Counts a piece of the samples. last: it is the last piece. */
static iw_status run_rows(histogram_job *job, const void *samples, size_t n, int last)
{
  if (uses_bin_partition(job))
    return run_bin_partition(job, samples, n);
  const rows_plan rows = plan_rows(job, n);
  iw_histogram_rows_args args = {
    .samples = samples, .n = n, .span = rows.span,
    .copies = rows.copies ? (uint32_t *)(job->scratch + job->at_copies) : NULL,
    .counts = job->counted,
    .entries = (uint32_t)job->entries, .in_shared = (uint32_t)rows.in_shared,
    .tables = (uint32_t)rows.tables,
    .counters_16 = (uint32_t)rows.counters_16, .claimable = (uint32_t)rows.claimable,
    .heavy_hitters = (uint32_t)may_have_heavy_hitters(job->plan),
    .blocks_done = job->blocks_done, .binning = job->binning,
  };
  if (job->blocks_done && last)
    args.finish = counts_args(job);
  return iw_launch_by_id_shared(job->context, IW_KERNEL_OF_SAMPLE(histogram_rows, job->type),
                                rows.blocks, rows.threads, rows.shared, &args);
}

iw_status iw_clear(iw_context *context, void *words, size_t n)
{
  const iw_clear_args args = { words, n };
  return iw_launch_by_id(context, IW_K_clear, iw_ceil_div(n, 8192), 256, &args);
}

iw_status iw_compute_bin_indices(iw_context *context, iw_type type, const iw_binning *binning, const void *samples,
                                 size_t n, void *bin_indices, size_t bytes, uint32_t last, uint32_t *clamped)
{
  const iw_bin_index_args args = {
    .to = { .in = samples, .n = n, .ids = bin_indices, .id_bytes = (uint32_t)bytes, .max_id = last,
            .clamped = clamped },
    .binning = *binning,
  };
  return iw_launch_by_id(context, IW_KERNEL_OF_SAMPLE(bucket_ids, type), iw_ceil_div(n, IW_BUCKET_IDS_CHUNK * 8), 256,
                         &args);
}

/* Textbook strategies: the bin indices first, then a strategy counts them. */
static iw_status run_strategy(histogram_job *job, const char *samples, size_t n)
{
  static const iw_kernel_id kernels[] = {
    [IW_STRATEGY_SEQUENTIAL] = IW_K_strategy_sequential,
    [IW_STRATEGY_BASIC] = IW_K_strategy_basic,
    [IW_STRATEGY_PRIVATE_GLOBAL] = IW_K_strategy_private_global,
    [IW_STRATEGY_PRIVATE_SHARED] = IW_K_strategy_private_shared,
    [IW_STRATEGY_COARSE_CONTIGUOUS] = IW_K_strategy_coarse_contiguous,
    [IW_STRATEGY_COARSE_INTERLEAVED] = IW_K_strategy_coarse_interleaved,
    [IW_STRATEGY_AGGREGATED] = IW_K_strategy_aggregated,
  };
  const int in_shared = job->strategy >= IW_STRATEGY_PRIVATE_SHARED;
  const int coarse = job->strategy >= IW_STRATEGY_COARSE_CONTIGUOUS;
  /* If the counters do not fit in shared memory, each launch counts a window of the bins. */
  const size_t window = in_shared ? iw_min(job->entries, shared_counters(job)) : job->entries;
  const size_t shared = in_shared ? window * sizeof(uint32_t) : 0;
  iw_strategy_args args = {
    .bin_indices = (const uint32_t *)(job->scratch + job->at_bin_indices),
    .counts = (uint64_t *)(job->scratch + job->at_counts),
    .copies = (uint64_t *)(job->scratch + job->at_copies),
    .atomics = (uint64_t *)(job->scratch + job->at_words) + GLOBAL_ATOMICS,
    .entries = (uint32_t)job->entries, .coarsening = coarse ? job->coarsening : 1,
  };
  for (size_t at = 0; at < n; at += CHUNK) {
    args.n = iw_min(n - at, CHUNK);
    IW_TRY(iw_compute_bin_indices(job->context, job->type, &job->binning,
                                  samples + at * iw_type_size(job->type), args.n,
                                  job->scratch + job->at_bin_indices, sizeof(uint32_t), UINT32_MAX, NULL));
    const size_t grid = job->strategy == IW_STRATEGY_SEQUENTIAL ? 1
      : job->strategy == IW_STRATEGY_PRIVATE_GLOBAL ? iw_min(job->copies, iw_ceil_div(args.n, COUNT_THREADS))
      : iw_ceil_div(args.n, (size_t)COUNT_THREADS * args.coarsening);
    for (size_t first = 0; first < job->entries; first += window) {
      args.first = (uint32_t)first;
      args.window = (uint32_t)iw_min(window, job->entries - first);
      const unsigned block = job->strategy == IW_STRATEGY_SEQUENTIAL ? 32 : COUNT_THREADS;
      IW_TRY(iw_launch_by_id_shared(job->context, kernels[job->strategy], grid, block, shared, &args));
    }
  }
  return IW_OK;
}

static iw_status count_piece(void *argument, const void *samples, size_t at, size_t bytes)
{
  histogram_job *const job = argument;
  const size_t n = iw_element_count(bytes, iw_type_size(job->type));
  if (job->strategy != IW_STRATEGY_ROWS)
    return run_strategy(job, samples, n);
  const int last = iw_element_count(at, iw_type_size(job->type)) + n == job->n;
  return run_rows(job, samples, n, last);
}

/* Adds copies up and writes the caller's counters. */
static iw_status write_counts(histogram_job *job)
{
  const iw_write_counts_args args = counts_args(job);
  /* On a CPU one block for up to 1024 entries: waking a second thread takes longer. */
  const unsigned threads = job->context->device.prefers_global_atomics ? 256
      : (unsigned)iw_min(1024, iw_ceil_div(job->entries, 32) * 32);
  return iw_launch_by_id(job->context, IW_K_histogram_write_counts, iw_ceil_div(job->entries, threads),
                         threads, &args);
}

/* Chooses and clears the counters to which blocks add. */
static iw_status begin_counts(histogram_job *job)
{
  job->counted = (uint64_t *)(job->scratch + job->at_counts);
  job->blocks_done = NULL;
  if (last_block_writes(job))
    return iw_zeroed_counters(job->context, &job->blocks_done, &job->counted);
  return job->atomic_counts ? iw_clear(job->context, job->counted, job->entries) : IW_OK;
}

/* Writes the caller's counters if the last block did not. After a failure it clears the context's counters,
 * which have to be zero between calls. */
static iw_status end_counts(histogram_job *job, iw_status status)
{
  if (status == IW_OK)
    return job->blocks_done ? IW_OK : write_counts(job);
  if (job->blocks_done)
    (void)iw_clear(job->context, job->counted, job->entries);
  return status;
}

/* Reads the first `count` words of the report. */
static iw_status read_report(iw_context *context, const void *words, size_t count, iw_strategy_report *report)
{
  uint64_t found[WORDS] = { 0 };
  IW_TRY(context->ops->copy(context, found, words, count * sizeof *found));
  report->underflow = found[BELOW];
  report->overflow = found[ABOVE];
  report->nan = found[NANS];
  report->global_atomics = found[GLOBAL_ATOMICS];
  report->shared_atomics = found[SHARED_ATOMICS];
  return IW_OK;
}

static iw_status write_report(const histogram_job *job, iw_strategy_report *report)
{
  const int rows = job->strategy == IW_STRATEGY_ROWS;
  IW_TRY(read_report(job->context, job->scratch + job->at_words, rows ? GLOBAL_ATOMICS : WORDS, report));
  report->strategy = job->strategy;
  if (rows) { /* one per sample; merging the blocks' counters is not counted */
    const int global = job->atomic_counts && !plan_rows(job, job->n).in_shared && !uses_bin_partition(job);
    *(global ? &report->global_atomics : &report->shared_atomics) = job->n;
  }
  return IW_OK;
}

/* A call for few samples: it needs no more scratch than a report and tables. */
typedef struct small_n_job { iw_context *context; iw_type type; iw_small_n_args args; } small_n_job;

static iw_status count_small_n_piece(void *argument, const void *samples, size_t at, size_t bytes)
{
  small_n_job *const job = argument;
  job->args.samples = samples;
  job->args.n = iw_element_count(bytes, iw_type_size(job->type));
  if (at)
    job->args.accumulate = job->args.accumulate_outliers = 1;
  return iw_launch_by_id(job->context, IW_KERNEL_OF_SAMPLE(histogram_small_n, job->type), 1, 0,
                         &job->args);
}

static iw_status count_small_n(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                               void *counts, iw_strategy_report *report)
{
  const iw_histogram_spec *const spec = &plan->spec;
  const size_t size = iw_type_size(plan->type), tables = iw_binning_scratch_bytes(context, plan);
  const iw_array array = { "samples", samples, n * size, IW_READ, NULL };
  void *words = NULL;
  size_t at_tables = 0;
  if (report || tables) {
    iw_layout layout;
    iw_layout_begin(&layout, context);
    iw_layout_add(&layout, "words of the report", GLOBAL_ATOMICS, sizeof(uint64_t));
    at_tables = iw_layout_add(&layout, "tables", tables, 1);
    IW_TRY(iw_scratch(context, &layout, &words));
  }
  small_n_job job = { context, plan->type, {
    .out = counts, .outliers = report ? (uint64_t *)words + BELOW : NULL,
    .outputs = (uint32_t)iw_outputs(spec),
    .clamp = spec->policy == IW_POLICY_CLAMP, .counters_32 = (spec->flags & IW_HIST_COUNTERS_32) != 0,
    .accumulate = (spec->flags & IW_HIST_ACCUMULATE) != 0,
  } };
  IW_TRY(iw_binning_upload(context, plan, words ? (char *)words + at_tables : NULL, &job.args.binning));
  job.args.binning.clamp = 0; /* the kernel clamps, after it has counted outliers */
  IW_TRY(n ? iw_for_each_piece(context, &array, (size_t)CHUNK * size, count_small_n_piece, &job)
         : count_small_n_piece(&job, NULL, 0, 0));
  if (!report)
    return IW_OK;
  IW_TRY(read_report(context, words, GLOBAL_ATOMICS, report));
  report->strategy = IW_STRATEGY_DIRECT;
  report->global_atomics = context->device.prefers_global_atomics ? n : 0; /* a CPU's warp uses none */
  return IW_OK;
}

static iw_status count_all(histogram_job *job)
{
  const size_t size = iw_type_size(job->type);
  const iw_array samples = { "samples", job->samples, job->n * size, IW_READ, NULL };
  IW_TRY(allocate_scratch(job));
  IW_TRY(iw_binning_upload(job->context, job->plan, job->scratch + job->at_tables, &job->binning));
  job->binning.clamp = 0; /* outliers have counters of their own until the result is written */
  if (job->strategy != IW_STRATEGY_ROWS)
    IW_TRY(iw_clear(job->context, job->scratch + job->at_words, WORDS));
  IW_TRY(begin_counts(job));
  return end_counts(job, iw_for_each_piece(job->context, &samples, (size_t)CHUNK * size, count_piece, job));
}

/* Samples up to which one warp counts them. */
static size_t small_n_limit(const iw_context *context, size_t bins)
{
  return context->device.prefers_global_atomics ? SMALL_N_GPU
      : SMALL_N_CPU + SMALL_N_PER_BIN * iw_min(bins, SMALL_N_MOST_BINS);
}

static iw_strategy choose_strategy(const iw_context *context, size_t bins, size_t n)
{
  return n <= small_n_limit(context, bins) ? IW_STRATEGY_DIRECT : IW_STRATEGY_ROWS;
}

/* spec: as histogram_job has it. */
static void job_init(histogram_job *job, iw_context *context, const iw_histogram_plan *plan,
                     const iw_histogram_spec *spec, iw_strategy strategy, size_t n)
{
  job->context = context;
  job->type = plan->type;
  job->n = n;
  job->bins = spec->bins;
  job->entries = spec->bins + 3;
  job->plan = plan;
  job->spec = spec;
  job->strategy = strategy;
  job->coarsening = 0; /* of textbook strategies only */
}

/* Counts samples by a plan, in pieces if kernels do not reach them. options: checked, or NULL for AUTO. */
static iw_status count_samples(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                               const iw_strategy_options *options, void *counts, iw_strategy_report *report)
{
  enum { DEFAULT_COARSENING = 4 };
  const iw_strategy strategy = options && options->strategy != IW_STRATEGY_AUTO ? options->strategy
    : choose_strategy(context, plan->spec.bins, n);
  if (strategy == IW_STRATEGY_DIRECT)
    return count_small_n(context, plan, samples, n, counts, report);
  histogram_job job;
  job_init(&job, context, plan, &plan->spec, strategy, n);
  job.samples = samples;
  job.counts = counts;
  job.coarsening = options && options->coarsening ? options->coarsening : DEFAULT_COARSENING;
  IW_TRY(count_all(&job));
  return report ? write_report(&job, report) : IW_OK;
}

iw_status iw_histogram_run_plan(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                size_t n, void *counts)
{
  return count_samples(context, plan, samples, n, NULL, counts, NULL);
}

/* ---- Inside other calls ---- */

/* The plan of samples that are bin indices: bin k counts the samples k. */
static void identity_plan(size_t bins, iw_histogram_plan *plan)
{
  memset(plan, 0, sizeof *plan);
  plan->type = IW_U32;
  plan->spec.bins = bins;
  plan->binning = (iw_binning){
    .mode = IW_BINNING_GUESS, .bins = (uint32_t)bins, .top = { .u32 = (uint32_t)bins - 1 }, .scale = 1,
    .offset = 0.5,
  };
}

/* A spec that adds to 64-bit counters. */
static iw_histogram_spec accumulating_spec(const iw_histogram_plan *plan)
{
  iw_histogram_spec spec = plan->spec;
  spec.flags = IW_HIST_ACCUMULATE;
  return spec;
}

size_t iw_histogram_accumulate_scratch_bytes(iw_context *context, const iw_histogram_plan *plan, size_t n)
{
  const iw_histogram_spec spec = accumulating_spec(plan);
  histogram_job job;
  iw_layout layout;
  job_init(&job, context, plan, &spec, IW_STRATEGY_ROWS, n);
  lay_out_scratch(&job, &layout);
  return layout.used;
}

iw_status iw_histogram_accumulate(iw_context *context, const iw_histogram_plan *plan, const void *samples,
                                  size_t n, void *memory, uint64_t *counts)
{
  const iw_histogram_spec spec = accumulating_spec(plan);
  histogram_job job;
  iw_layout layout;
  job_init(&job, context, plan, &spec, IW_STRATEGY_ROWS, n);
  lay_out_scratch(&job, &layout);
  iw_lay_out(context, memory, &layout);
  job.scratch = memory;
  job.counts = counts;
  IW_TRY(iw_binning_upload(context, plan, job.scratch + job.at_tables, &job.binning));
  job.binning.clamp = 0;
  IW_TRY(begin_counts(&job));
  return end_counts(&job, n ? run_rows(&job, samples, n, 1) : IW_OK);
}

size_t iw_count_bin_indices_scratch_bytes(iw_context *context, size_t n, size_t bins)
{
  iw_histogram_plan plan;
  identity_plan(bins, &plan);
  return iw_histogram_accumulate_scratch_bytes(context, &plan, n);
}

iw_status iw_count_bin_indices(iw_context *context, const uint32_t *bin_indices, size_t n, size_t bins,
                               void *memory, uint64_t *counts)
{
  iw_histogram_plan plan;
  identity_plan(bins, &plan);
  return iw_histogram_accumulate(context, &plan, bin_indices, n, memory, counts);
}

/* ---- The calls ---- */

iw_status iw_check_counters(const iw_histogram_spec *spec, const iw_array *counters, const iw_array *samples,
                            const char *n_name, size_t n)
{
  const size_t size = iw_counter_size(spec);
  IW_TRY(iw_check_array(counters->name, counters->at, iw_element_count(counters->bytes, size), size));
  IW_TRY(iw_check_no_overlap(samples->name, samples->at, samples->bytes, counters->name, counters->at,
                             counters->bytes));
  if (spec->flags & IW_HIST_COUNTERS_32 && n > UINT32_MAX)
    return iw_fail(IW_ERROR_OVERFLOW, "%s is %zu; a 32-bit counter holds at most %lu", n_name, n,
                   (unsigned long)UINT32_MAX);
  return IW_OK;
}

iw_status iw_check_matrix(iw_type type, const void *samples, size_t rows, size_t columns)
{
  const size_t size = iw_type_size(type);
  if (columns && rows > PTRDIFF_MAX / size / columns)
    return iw_fail(IW_ERROR_INVALID, "samples cannot have %zu rows of %zu columns: at most %zu elements", rows, columns,
                   (size_t)PTRDIFF_MAX / size);
  return iw_check_array("samples", samples, rows * columns, size);
}

iw_status iw_check_row_counters(const iw_histogram_spec *spec, size_t rows)
{
  const size_t size = iw_counter_size(spec), outputs = iw_outputs(spec);
  if (rows > PTRDIFF_MAX / size / outputs)
    return iw_fail(IW_ERROR_INVALID, "counts cannot have %zu rows of %zu counters: at most %zu in all", rows, outputs,
                   (size_t)PTRDIFF_MAX / size);
  return IW_OK;
}

/* The samples come in pieces if kernels do not reach them; counts is copied. callers_report: the report in the
 * caller's memory, of which only the size is used, or NULL. */
static iw_status histogram(iw_context *context, iw_type type, const void *samples, size_t n,
                           const iw_histogram_spec *bins, const iw_strategy_options *options, void *counts,
                           const void *callers_report, iw_strategy_report *report)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_array("samples", samples, n, iw_type_size(type)));
  IW_TRY(iw_check_spec(type, bins));
  const iw_histogram_spec *const spec = iw_spec_of(bins);
  iw_array arrays[] = {
    { "samples", samples, n * iw_type_size(type), IW_READ, NULL },
    iw_counters("counts", spec, counts, iw_outputs(spec)),
  };
  IW_TRY(iw_check_counters(spec, &arrays[1], &arrays[0], "n", n));
  if (callers_report) {
    const size_t bytes = *(const size_t *)callers_report;
    IW_TRY(iw_check_no_overlap("samples", samples, arrays[0].bytes, "report", callers_report, bytes));
    IW_TRY(iw_check_no_overlap("counts", counts, arrays[1].bytes, "report", callers_report, bytes));
  }
  IW_TRY(iw_select_context(&context, arrays, 2));
  iw_histogram_plan own;
  if (!bins->plan)
    IW_TRY(iw_plan_resolve(context, type, samples, n, spec, &own));
  iw_status status = iw_stage_on(context, &arrays[1], 1);
  if (status == IW_OK)
    status = count_samples(context, bins->plan ? bins->plan : &own, samples, n, options,
                           arrays[1].kernel_ptr, report);
  if (!bins->plan)
    iw_plan_release(&own);
  return iw_unstage(context, &arrays[1], 1, status);
}

iw_status iw_histogram(iw_context *context, iw_type type, const void *samples, size_t n,
                       const iw_histogram_spec *spec, void *counts, iw_histogram_report *report)
{
  iw_strategy_report found;
  if (!report)
    return histogram(context, type, samples, n, spec, NULL, counts, NULL, NULL);
  IW_TRY(iw_check_struct_size("report->size", report->size, "iw_histogram_report", sizeof *report));
  IW_TRY(histogram(context, type, samples, n, spec, NULL, counts, report, &found));
  iw_clear_unknown(report, sizeof *report);
  report->underflow = found.underflow;
  report->overflow = found.overflow;
  report->nan = found.nan;
  return IW_OK;
}

iw_status iw_histogram_by_strategy(iw_context *context, iw_type type, const void *samples, size_t n,
                                   const iw_histogram_spec *spec, const iw_strategy_options *options,
                                   void *counts, iw_strategy_report *report)
{
  if (report)
    IW_TRY(iw_check_struct_size("report->size", report->size, "iw_strategy_report", sizeof *report));
  if (options) {
    IW_TRY(iw_check_struct("options->size", options, "iw_strategy_options", sizeof *options));
    IW_TRY(iw_check_enum("options->strategy", (int)options->strategy, "iw_strategy", IW_STRATEGY_DIRECT));
  }
  if (options && options->coarsening > 65536)
    return iw_fail(IW_ERROR_INVALID,
                   "options->coarsening is %u; valid are 1 to 65536, and 0 for the default",
                   options->coarsening);
  IW_TRY(histogram(context, type, samples, n, spec, options, counts, report, report));
  if (report)
    iw_clear_unknown(report, sizeof *report);
  return IW_OK;
}

static const char *const strategies[] = {
  [IW_STRATEGY_AUTO] = "auto",
  [IW_STRATEGY_SEQUENTIAL] = "sequential",
  [IW_STRATEGY_BASIC] = "basic",
  [IW_STRATEGY_PRIVATE_GLOBAL] = "private-global",
  [IW_STRATEGY_PRIVATE_SHARED] = "private-shared",
  [IW_STRATEGY_COARSE_CONTIGUOUS] = "coarse-contiguous",
  [IW_STRATEGY_COARSE_INTERLEAVED] = "coarse-interleaved",
  [IW_STRATEGY_AGGREGATED] = "aggregated",
  [IW_STRATEGY_ROWS] = "rows",
  [IW_STRATEGY_DIRECT] = "direct",
};

const char *iw_strategy_name(iw_strategy strategy)
{
  return (unsigned)strategy < sizeof strategies / sizeof *strategies ? strategies[strategy] : NULL;
}

/* ---- Plans ---- */

static IW_NOINLINE iw_status fail_plan(const char *plan_name, const iw_histogram_plan *plan, const char *type_name,
                                       iw_type type)
{
  IW_TRY(iw_check_pointer(plan_name, plan));
  IW_TRY(iw_check_named_type(type_name, type, IW_ALL_TYPES));
  return iw_fail(IW_ERROR_INVALID, "%s is %s, but %s was made for %s", type_name, iw_type_name(type), plan_name,
                 iw_type_name(plan->type));
}

iw_status iw_check_plan(const char *plan_name, const iw_histogram_plan *plan, const char *type_name, iw_type type)
{
  return plan && plan->type == type ? IW_OK : fail_plan(plan_name, plan, type_name, type);
}

static int by_value(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sets plan->top_bin_share, the share of the sample's most frequent bin. Samples below all bins, above all bins, and
 * NaN count as a bin each. Sorts the bin indices of the sample. */
static void find_top_bin(uint32_t *bin_indices, size_t n, iw_histogram_plan *plan)
{
  size_t longest_run = 0;
  qsort(bin_indices, n, sizeof *bin_indices, by_value);
  for (size_t k = 0, run_begin = 0; k < n; k++) {
    run_begin = bin_indices[k] == bin_indices[run_begin] ? run_begin : k;
    longest_run = iw_max(longest_run, k + 1 - run_begin);
  }
  plan->sampled = n;
  plan->top_bin_share = (double)longest_run / (double)n;
}

/* Finds the share of the most frequent bin in the caller's sample, or in pieces of it at equal distances. */
static iw_status sample_bins(iw_context *context, const void *sample, size_t n, iw_histogram_plan *plan)
{
  const size_t size = iw_type_size(plan->type), pieces = n > MAX_SAMPLE ? SAMPLE_PIECES : 1;
  const size_t piece = iw_min(n, MAX_SAMPLE) / pieces, count = pieces * piece;
  const size_t stride = pieces > 1 ? (n - piece) / (pieces - 1) : 0;
  const iw_array array = { "sample", sample, n * size, IW_READ, NULL };
  int accessible; /* either will do, as pieces are copied; the call fails for memory of another device */
  IW_TRY(iw_select_context(&context, &array, 1));
  IW_TRY(iw_is_accessible(context, &array, &accessible));
  iw_layout layout;
  void *scratch;
  iw_layout_begin(&layout, context);
  const size_t at_tables = iw_layout_add(&layout, "tables", iw_binning_scratch_bytes(context, plan), 1);
  const size_t at_samples = iw_layout_add(&layout, "samples", count, size);
  const size_t at_bin_indices = iw_layout_add(&layout, "bin indices", count, sizeof(uint32_t));
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch, *const copy = base + at_samples;
  for (size_t k = 0; k < pieces; k++)
    IW_TRY(context->ops->copy(context, copy + k * piece * size, (const char *)sample + k * stride * size,
                              piece * size));
  iw_binning binning;
  IW_TRY(iw_binning_upload(context, plan, base + at_tables, &binning));
  binning.clamp = 0;
  IW_TRY(iw_compute_bin_indices(context, plan->type, &binning, copy, count, base + at_bin_indices, sizeof(uint32_t),
                                UINT32_MAX, NULL));
  uint32_t *const bin_indices = malloc(count * sizeof *bin_indices);
  if (!bin_indices)
    return iw_fail(IW_ERROR_MEMORY, "no memory for %zu bytes of bin indices", count * sizeof *bin_indices);
  const iw_status status =
      context->ops->copy(context, bin_indices, base + at_bin_indices, count * sizeof *bin_indices);
  if (status == IW_OK)
    find_top_bin(bin_indices, count, plan);
  free(bin_indices);
  return status;
}

static iw_status plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *sample,
                           size_t n, iw_histogram_plan **plan)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_spec(type, spec));
  IW_TRY(iw_check_array("sample", sample, n, iw_type_size(type)));
  if (spec->plan)
    return iw_fail(IW_ERROR_INVALID,
                   "spec->plan is %p; valid is NULL, as a plan is made of bins that have none yet",
                   (const void *)spec->plan);
  if (iw_spec_is_automatic(spec))
    return iw_fail(IW_ERROR_INVALID,
                   "spec->lo and spec->hi are NULL, and a plan knows no data to take its range from: "
                   "iw_histogram_range() finds it");
  iw_histogram_plan *const made = malloc(sizeof *made);
  if (!made)
    return iw_fail(IW_ERROR_MEMORY, "no memory for a plan of %zu bytes", sizeof *made);
  iw_status status = iw_plan_make(NULL, type, spec, made);
  made->persistent = 1;
  /* upload its tables now, not in the first call */
  if (status == IW_OK && !context->device.reads_host_memory) {
    iw_binning binning;
    status = iw_binning_upload(context, made, NULL, &binning);
  }
  if (status == IW_OK && n)
    status = sample_bins(context, sample, n, made);
  if (status != IW_OK) {
    iw_histogram_plan_free(made);
    return status;
  }
  *plan = made;
  return IW_OK;
}

iw_status iw_histogram_plan_make(iw_context *context, iw_type type, const iw_histogram_spec *spec,
                                 const void *sample, size_t n, iw_histogram_plan **plan)
{
  iw_histogram_plan *made = NULL;
  IW_TRY(iw_check_single("plan", plan, sizeof *plan));
  if (iw_type_size(type) && n <= PTRDIFF_MAX / iw_type_size(type)) /* else the sample is refused */
    IW_TRY(iw_check_no_overlap("sample", sample, n * iw_type_size(type), "plan", plan, sizeof *plan));
  const iw_status status = plan_make(context, type, spec, sample, n, &made);
  *plan = made;
  return status;
}

void iw_histogram_plan_free(iw_histogram_plan *plan)
{
  if (!plan)
    return;
  iw_plan_release(plan);
  free(plan);
}

static const char *rule_text(const iw_histogram_plan *plan)
{
  return plan->binning.mode == IW_BINNING_MAP ? "a table of all bytes"
    : plan->binning.mode == IW_BINNING_SEARCH ? "search among the edges"
    : plan->binning.tau > 0 ? "arithmetic, and comparison near an edge" : "arithmetic alone";
}

/* How iw_histogram_plan_info.why says that the rule is exact. */
static void write_proof(const iw_binning *binning, char *text, size_t size)
{
  *text = 0;
  if (binning->mode == IW_BINNING_GUESS)
    iw_format(text, size, " (proven for all edges; samples within %.2g bins of an edge are compared)",
              binning->tau > 0 ? binning->tau : 0);
  else if (binning->mode == IW_BINNING_SEARCH)
    iw_format(text, size, " in %u steps (no formula is close enough to all of them)", binning->steps);
}

/* Which counters a call by rows has. */
static void write_counters(const histogram_job *job, const rows_plan *rows, char *text, size_t size)
{
  if (uses_bin_partition(job))
    iw_format(text, size, ", partitioned by %zu ranges of bins, each counted in shared memory%s", bin_range_count(job),
              job->plan->sampled ? ", as no bin has most of the sample" : "");
  else if (!rows->copies && !rows->in_shared)
    iw_format(text, size, ", in one table that all %zu blocks add to%s", rows->blocks,
              has_dominant_bin(job->plan) ? ", as one bin has most of the sample" : "");
  else
    iw_format(text, size, ", %zu table%s of counters%s for each of %zu block%s in %s memory", rows->tables,
              rows->tables == 1 ? "" : "s", rows->counters_16 ? " of 16 bits" : "", rows->blocks,
              rows->blocks == 1 ? "" : "s", rows->in_shared ? "shared" : "global");
}

/* What the plan's sample showed, and whether tables leave frequent bins out, if the schedule can do so. */
static void write_sample(const iw_histogram_plan *plan, int finds_heavy_hitters, char *text, size_t size)
{
  *text = 0;
  if (plan->sampled)
    iw_format(text, size, "; the largest bin, or what is in none, has %.0f%% of a sample of %zu%s",
              100 * plan->top_bin_share, plan->sampled,
              !finds_heavy_hitters ? ""
              : may_have_heavy_hitters(plan) ? ", so tables leave out frequent ones" : ", so tables take all");
}

/* Needs the default floating-point environment. */
static IW_NOINLINE void describe(const iw_histogram_plan *plan, iw_context *context, size_t n,
                                 iw_histogram_plan_info *info)
{
  histogram_job job;
  job_init(&job, context, plan, &plan->spec, choose_strategy(context, plan->spec.bins, n), n);
  const int by_rows = job.strategy == IW_STRATEGY_ROWS && n;
  const rows_plan rows = by_rows ? plan_rows(&job, n) : (rows_plan){ .tables = 0 };
  info->type = plan->type;
  info->bins = plan->spec.bins;
  info->outputs = iw_outputs(&plan->spec);
  info->rule = rule_text(plan);
  info->ambiguous = plan->binning.tau > 0 ? 2 * plan->binning.tau : 0;
  info->tables = rows.tables;
  info->copies = rows.copies ? rows.blocks : 0;
  char proof[96], sample[128], counters[160] = "";
  write_proof(&plan->binning, proof, sizeof proof);
  if (by_rows)
    write_counters(&job, &rows, counters, sizeof counters);
  write_sample(plan, by_rows && !context->device.prefers_global_atomics && iw_type_size(plan->type) > 1, sample,
               sizeof sample);
  const int length = iw_format(info->why, sizeof info->why, "%zu bins of %s by %s%s; %zu samples by %s, %s%s%s",
                               plan->spec.bins, iw_type_name(plan->type), rule_text(plan), proof, n,
                               iw_strategy_name(job.strategy),
                               job.strategy == IW_STRATEGY_DIRECT ? "which are too few for private counters"
                               : "whole rows at a time", counters, sample);
  if (length >= (int)sizeof info->why)
    memcpy(info->why + sizeof info->why - 4, "...", 4);
}

iw_status iw_histogram_plan_describe(const iw_histogram_plan *plan, iw_context *context, size_t n,
                                     iw_histogram_plan_info *info)
{
  iw_fp_env callers;
  IW_TRY(iw_check_pointer("plan", plan));
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("info", info));
  IW_TRY(iw_check_struct_size("info->size", info->size, "iw_histogram_plan_info", sizeof *info));
  iw_clear_unknown(info, sizeof *info);
  iw_fp_env_set_default(&callers);
  describe(plan, context, n, info);
  iw_fp_env_restore(&callers);
  return IW_OK;
}
