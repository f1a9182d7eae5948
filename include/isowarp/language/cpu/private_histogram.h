/* SPDX-License-Identifier: Apache-2.0
 *
 * Private histograms of one warp on the CPU: the fastest way to count whole rows of indices, or of bytes, in
 * the block's counters. Part of cpu/primitives.h, for the library's histogram; uses rows.h and atomics.h.
 *
 * A counter in memory takes one increment per cycle at best, and five cycles or more if it was incremented
 * just before. So memory counters are avoided or replicated. The strategy depends on the number of counters:
 *   up to 32 (+ 3)       bit-sliced counters: an index is one bit of a register
 *   bytes in 16 classes  byte classes: a lookup turns each byte into one bit of 16
 *   up to 256 (+ 3)      with 512 bits only: all byte values bit-sliced, by nibble or 64-entry lookup
 *   more                 several tables, of 32, 16 or 8 bits as the first-level cache has room
 * With tables, indices are sampled from time to time, and heavy hitters are counted by comparison. All
 * strategies give the same counts.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIVATE_HISTOGRAM_H
#define ISOWARP_LANGUAGE_CPU_PRIVATE_HISTOGRAM_H

/* The strategies; those by tables come first. */
enum { IW_PRIVATE_TABLES_U32, IW_PRIVATE_TABLES_U16, IW_PRIVATE_TABLES_U8, IW_PRIVATE_BIT_SLICED,
  IW_PRIVATE_BYTE_CLASSES, IW_PRIVATE_NIBBLE_LOOKUP, IW_PRIVATE_LOOKUP64, IW_PRIVATE_ATOMICS };
enum { IW_MAX_ROW_VECTORS = 8, IW_MAX_BYTE_CLASSES = 16 };
/* The largest tables of 32-bit and of 16-bit counters; larger ones have 8 bits. */
enum { IW_MAX_COUNTERS_U32 = 1024, IW_MAX_COUNTERS_U16 = 2304, IW_U16_TABLES = 4 };

/* Whether the registers can count bits, and whether a warp fills them: padding lanes would be counted. */
#if defined(IWV_BIT_SLICES) && IW_WARP_SIZE >= 16
#define IW_BIT_SLICED_
#include <isowarp/language/cpu/bit_slices.h>
/* A heavy hitter is one of at most IW_MAX_HEAVY_HITTERS indices that make up 1 in IW_HEAVY_HITTER_SHARE
 * of a sample. */
enum { IW_MAX_HEAVY_HITTERS = 8, IW_VOTE_SLOTS = 256, IW_HEAVY_HITTER_SHARE = 40,
  IW_MIN_INDICES_TO_SAMPLE = 65536, /* shorter inputs are not sampled */
  IW_SAMPLE_INTERVAL_ROWS = 8192,   /* rows between two samples */
  IW_MAX_ROW_INDICES = IW_MAX_ROW_VECTORS * IW_WARP_SIZE, IW_PENDING_CAPACITY = 5 * IW_MAX_ROW_INDICES };
#endif
#if defined(IWV_NIBBLE_LOOKUP) && IW_WARP_SIZE >= 32
#define IW_NIBBLE_LOOKUP_
enum { IW_NIBBLE_ROW = 4096, IW_NIBBLE_VECTORS = IW_NIBBLE_ROW / (4 * IW_VL_u32), IW_NIBBLE_ROWS = 128,
IW_NIBBLE_PLANES = 14,
  /* for fewer, clearing and extracting the planes takes longer than tables do */
  IW_NIBBLE_MIN_INDICES = 16384 };
enum { IW_LOOKUP64_ROW = 16 * IW_WARP_SIZE, IW_LOOKUP64_BLOCK = 16 * 4 * IW_VL_u32, IW_LOOKUP64_ROWS = 256,
IW_LOOKUP64_PLANES = 13 };
/* The bytes of one quarter of the 256 values, which wait until they fill a block, and their counters. */
typedef struct iw_lookup64_bucket {
  iwv_u32 planes[8][IW_LOOKUP64_PLANES], carry_pending[8][IW_LOOKUP64_PLANES];
  uint8_t bytes[IW_LOOKUP64_BLOCK + IW_LOOKUP64_ROW];
  uint32_t packed_count;
  unsigned rows;
} iw_lookup64_bucket;
#endif

typedef struct iw_private_histogram {
  const iw_block *block;
  /* tables of `table_size` counters; what other strategies count is added to the first one */
  uint32_t *counters;
  uint32_t table_size, tables;
  int method, vectors;      /* method: a strategy; vectors: per row */
  unsigned rows;            /* added to bit slices or to 16-bit tables since these were clear */
  uint32_t small_tables;    /* tables of 16 or 8 bits, behind the first table */
  void *table[8];           /* lane l counts in table[l % 8], of counters of 32, 16 or 8 bits */
  /* The row that is being set, and the one before, of which tables have yet to count vectors `next` …
   * `waiting` - 1. */
  iw_u32 *indices, *former, row_buffers[2][IW_MAX_ROW_VECTORS];
  int next, waiting;
#ifdef IW_BIT_SLICED_
  /* For tables. Rows are compared with heavy hitters, or collected for a sample, while `sampling`. */
  int sampling;
  unsigned heavy_count, rows_until_sample;
  uint32_t heavy[IW_MAX_HEAVY_HITTERS], heavy_counts[IW_MAX_HEAVY_HITTERS];
  /* indices that are not in a table yet */
  uint32_t pending[IW_PENDING_CAPACITY + IW_WARP_SIZE], pending_count;
  /* For byte classes. A byte's class is one bit of 8, or of 16 if `wide`. It is looked up by the high
   * nibble, for the high nibbles whose bytes are all of one class (`uniform`: there are any of another
   * class than 0), and by the low nibble for the `mixed` others, upper[0] …. Class 0 has no bit: it is
   * what remains. of[k]: a byte of class k. */
  int wide, uniform, mixed;
  uint8_t by_high_nibble[2][16], upper[16], by_low_nibble[16][2][16], of[IW_MAX_BYTE_CLASSES];
#ifdef IWV_LOOKUP64
  /* quarters of the byte values that have a class but 0, if these are looked up; else 0 */
  int lookup_count;
  uint8_t lookup_quarter[4], lookup64[4][2][64];
#endif
  iw_bit_slices slices[2];
#endif
#ifdef IW_NIBBLE_LOOKUP_
  union {
    /* For nibble lookup: for each high nibble, the low nibbles below 8, and the others. */
    struct { iwv_u32 planes[16][2][IW_NIBBLE_PLANES], carry_pending[16][2][IW_NIBBLE_PLANES]; };
    iw_lookup64_bucket buckets[4];
  };
  uint8_t packed[IW_NIBBLE_ROW];
  uint32_t packed_count, row; /* bytes packed so far, and how many are counted at once */
#endif
} iw_private_histogram;

IW_FN void iw_private_histogram_add_count(iw_private_histogram *p, uint32_t counter, uint32_t count)
{
  if (p->block->is_team) __atomic_fetch_add(p->counters + counter, count, __ATOMIC_RELAXED);
  else p->counters[counter] += count;
}

#include <isowarp/language/cpu/private_bit_sliced.h>
#include <isowarp/language/cpu/private_nibble_lookup.h>
#include <isowarp/language/cpu/private_tables.h>
#include <isowarp/language/cpu/private_heavy_hitters.h>
#include <isowarp/language/cpu/private_rows.h>

#endif
