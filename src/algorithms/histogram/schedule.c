/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms, host side: which schedule counts a call's samples, and by which grid. Algorithm layer: what a
 * device can do is read from context->device; the backend is not asked.
 */
#include "algorithms/histogram/schedule.h"
#include "runtime/arithmetic.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

/* Tuning. None of these numbers can change a result. */
enum {
  /* Small n: samples up to which one warp counts them. On a GPU a second launch costs more than counting
   * those. On a CPU the limit grows with the bins, as clearing and adding up private counters does. */
  SMALL_N_GPU = 256,
  SMALL_N_CPU = 2048,
  SMALL_N_BINS = 2,                   /* bins for each further sample */
  SMALL_N_MOST_BINS = 1 << 16,        /* the caller's counters of more bins are not in a second-level cache */

  /* Private counters of a CPU's blocks. */
  MAX_TABLES = 8,                     /* copies of a block's counters: equal bins in a row rarely meet */
  /* counters up to which a block has MAX_TABLES: they fill a first-level cache */
  MAX_COUNTERS_ALL_TABLES = 1024,
  /* up to here it has half of them, and two for more counters: the memory of the second table then holds
   * tables of 8-bit counters (language/cpu/private_histogram.h) */
  MAX_COUNTERS_HALF_TABLES = 2304,
  /* samples for each counter from which there are two: for fewer, clearing and adding up takes longer */
  MIN_PER_COUNTER = 6,
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
  /* bytes of shared memory of a block besides its counters, to find how many blocks fit on a
   * multiprocessor */
  SHARED_OVERHEAD = 4096,
  MAX_CLAIMABLE_BINS = 16384,         /* claimed counters of a block, … */
  FEW_CLAIMABLE_BINS = 1024,          /* … and those of a block of an array of fewer than MANY_SAMPLES */
  MANY_SAMPLES = 1 << 22,
  /* samples for each counter of 16 bits: for fewer, clearing and adding up takes longer than counting most
   * samples in global memory */
  MIN_PER_COUNTER_16 = 16,
  MIN_BYTES_OF_TABLES = 8192,         /* bytes of a block from which it has a table for each lane */
  /* samples from which a bin partition is faster than claimed counters, … */
  PARTITION_MIN_SAMPLES = 1 << 22,
  PARTITION_MAX_BIN_PERCENT = 70      /* … unless one bin has more of the plan's sample than this */
};

/* 32-bit counters that fit in a block's shared memory. */
static size_t shared_counters(const iw_histogram_job *job)
{
  return iw_min(IW_SHARED_COUNTERS,
                job->context->device.shared_per_block / sizeof(uint32_t) - IW_OUTLIER_COUNTERS);
}

static iw_rows_plan begin_rows_plan(const iw_histogram_job *job)
{
  iw_context *const context = job->context;
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_histogram_rows + job->type);
  return (iw_rows_plan){ .threads = kernel ? kernel->block : 32 };
}

/* Samples that all warps of a block load at once: 16 bytes a lane. */
static size_t block_row(const iw_histogram_job *job, const iw_rows_plan *rows)
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
static void set_blocks(iw_rows_plan *rows, size_t n, size_t row, size_t blocks)
{
  rows->span = iw_ceil_div(iw_ceil_div(n, blocks), row) * row;
  rows->blocks = iw_ceil_div(n, rows->span);
}

/* The threads of a block that counts bytes. A lane adds for 16 bytes in turn, so few bytes go to many blocks;
 * of many bins to fewer, as each block adds its counts to those in memory. */
static unsigned byte_threads(const iw_histogram_job *job, size_t n, size_t tables)
{
  enum { LEAST = 256, MOST = 1024, MANY_BINS = 64 };
  const size_t processors = job->context->device.processors;
  const size_t blocks = job->bins < MANY_BINS ? processors : iw_max(processors / 2, 1);
  return tables > 1 ? MOST : (unsigned)iw_min(iw_max(iw_ceil_div(n / 16 / blocks, 32) * 32, LEAST), MOST);
}

/* The grid of shared_atomics.h. One table is enough: a GPU adds for lanes with one counter at once. Many
 * bytes have a table for each lane, so that each lane stays in its own bank. Counters that do not fit with 32
 * bits have 16. */
static iw_rows_plan plan_shared_atomics(const iw_histogram_job *job, size_t n)
{
  const iw_device *const device = &job->context->device;
  const int bytes = iw_type_size(job->type) == 1;
  const size_t available = iw_min(IW_SHARED_ATOMICS_WORDS, device->shared_per_block / sizeof(uint32_t));
  const size_t tables = bytes && n / device->processors >= MIN_BYTES_OF_TABLES ? 32 : 1;
  const size_t words = bytes ? 256 * tables + IW_BYTE_SHARED_BINS : job->entries + 1;
  const size_t words_16 = IW_COUNTERS_16_WORDS(job->entries);
  iw_rows_plan rows = begin_rows_plan(job);
  rows.tables = tables;
  if (bytes)
    rows.threads = byte_threads(job, n, tables);
  rows.in_shared = words <= available || words_16 <= available;
  rows.counters_16 = rows.in_shared && words > available;
  if (rows.counters_16 && n < MIN_PER_COUNTER_16 * job->entries)
    rows.in_shared = rows.counters_16 = 0;
  rows.claimable = n < MANY_SAMPLES ? FEW_CLAIMABLE_BINS : MAX_CLAIMABLE_BINS;
  while (2 * rows.claimable + 1 > available)
    rows.claimable /= 2;
  rows.shared =
      (!rows.in_shared ? 2 * rows.claimable + 1 : rows.counters_16 ? words_16 : words) * sizeof(uint32_t);
  if (job->plan->binning.cells && rows.in_shared) {
    const size_t at = iw_ceil_div(rows.shared, 8) * 2;
    const size_t end = at + job->plan->binning.cells + iw_ceil_div(job->plan->cells_at, sizeof(uint32_t));
    if (end <= available) {
      rows.tables_at = at;
      rows.shared = end * sizeof(uint32_t);
    }
  }
  const size_t row = block_row(job, &rows);
  const size_t wave = iw_blocks_per_wave(job->context, IW_K_histogram_rows + job->type);
  const size_t per_processor = device->shared_per_processor / (rows.shared + SHARED_OVERHEAD);
  const size_t resident = iw_min(wave, iw_max(1, per_processor) * device->processors);
  set_blocks(&rows, n, row, iw_max(min_blocks(n, row), iw_min(resident, iw_ceil_div(n, row))));
  return rows;
}

/* Chooses how many tables a block of private_counters.h has, and whether they are in shared memory. table:
 * counters of one. */
static void choose_tables(const iw_histogram_job *job, size_t table, iw_rows_plan *rows)
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
  if (rows->tables == 2 && job->n < MIN_PER_COUNTER * table)
    rows->tables = 1;
  rows->shared = rows->in_shared ? (rows->tables * table + IW_OUTLIER_COUNTERS) * sizeof(uint32_t) : 0;
}

/* The grid of private_counters.h. */
static iw_rows_plan plan_private_counters(const iw_histogram_job *job, size_t n)
{
  iw_context *const context = job->context;
  const size_t table = iw_type_size(job->type) == 1 ? 256 : job->entries;
  iw_rows_plan rows = begin_rows_plan(job);
  choose_tables(job, table, &rows);
  const size_t row = block_row(job, &rows), least = min_blocks(n, row);
  const size_t wave = iw_blocks_per_wave(context, IW_K_histogram_rows + job->type);
  const size_t max_copies = MAX_COPIES_BYTES / (job->entries * sizeof(uint32_t));
  const size_t grain = iw_max(MIN_BLOCK_UNITS * row, table / 2);
  const size_t waves = rows.in_shared && context->device.processors > 1 ? MAX_WAVES : 1;
  const size_t later_grain = grain * iw_max(1, job->entries / BINS_PER_GRAIN); /* of blocks after the first wave */
  size_t blocks = iw_max(iw_min(wave, iw_ceil_div(n, grain)), iw_min(waves * wave, n / later_grain));
  blocks = iw_max(least, blocks);
  /* Fewer blocks than threads are faster with copies than all threads with atomics, down to two thirds of
   * them (doc/design/histogram.md#many-bins-on-cpus). */
  rows.copies = max_copies >= least && 3 * max_copies >= 2 * iw_min(wave, blocks);
  rows.in_shared &= rows.copies;
  set_blocks(&rows, n, row, rows.copies ? iw_min(blocks, max_copies) : blocks);
  return rows;
}

iw_rows_plan iw_plan_rows(const iw_histogram_job *job, size_t n)
{
  return job->context->device.prefers_global_atomics ? plan_shared_atomics(job, n) : plan_private_counters(job, n);
}

int iw_has_dominant_bin(const iw_histogram_plan *plan)
{
  return 100 * plan->top_bin_share > PARTITION_MAX_BIN_PERCENT;
}

int iw_uses_bin_partition(const iw_histogram_job *job)
{
  iw_context *const context = job->context;
  if (!context->device.prefers_global_atomics || job->n < PARTITION_MIN_SAMPLES || !iw_is_one_of(job->type, IW_SIX_TYPES)
      || job->bins > (size_t)IW_MAX_BIN_RANGES << IW_BIN_RANGE_LOG2 || iw_has_dominant_bin(job->plan))
    return 0;
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_bin_partition_count);
  return kernel && kernel->shared <= context->device.shared_per_block
      && !plan_shared_atomics(job, job->n).in_shared;
}

size_t iw_bin_range_count(const iw_histogram_job *job)
{
  return iw_ceil_div(job->bins, (size_t)1 << IW_BIN_RANGE_LOG2);
}

int iw_may_have_heavy_hitters(const iw_histogram_plan *plan)
{
  return !plan->sampled || plan->top_bin_share * HEAVY_HITTER_SHARE >= 1;
}

/* Samples up to which one warp counts them. */
static size_t small_n_limit(const iw_context *context, size_t bins)
{
  return context->device.prefers_global_atomics ? SMALL_N_GPU
      : SMALL_N_CPU + iw_min(bins, SMALL_N_MOST_BINS) / SMALL_N_BINS;
}

int iw_is_small_n(const iw_context *context, size_t bins, size_t n)
{
  return n <= small_n_limit(context, bins);
}

void iw_histogram_job_init(iw_histogram_job *job, iw_context *context, const iw_histogram_plan *plan,
                     const iw_histogram_spec *spec, size_t n)
{
  job->context = context;
  job->type = plan->type;
  job->n = n;
  job->bins = spec->bins;
  job->entries = spec->bins + 3;
  job->plan = plan;
  job->spec = spec;
  job->reports = 0;
  job->has_cleared = 0;
}
