/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of the radix split (radix_split_kernel.h), filled in by radix_split.c and by the
 * sort. Plain data of the same layout on every target. Not installed: what users' bucket rules need is in
 * args.h. It must not know the kernel language or the host's runtime.
 */
#ifndef IW_MULTISPLIT_RADIX_ARGS_H
#define IW_MULTISPLIT_RADIX_ARGS_H

#include <isowarp/descriptor.h>
#include <isowarp/algorithms/multisplit/args.h>
#include "algorithms/common/total_order.h"

/* Digits of at most so many passes are counted at once; the passes of a sort, 8 over keys and 8 over
 * segments. */
enum { IW_MAX_COUNTED_DIGITS = 8, IW_MAX_PASSES = 16 };

/* What the last launch that counts finds from the counts of all passes: the first output position of each
 * digit, and which passes run (digit_plan.h). */
typedef struct iw_digit_plan {
  uint32_t *blocks_done;    /* the counter of iw_is_last_block; NULL: a later launch counts, too */
  uint64_t key_passes, passes; /* the passes over keys come first */
  uint64_t *counts;         /* [pass][IW_RADIX_DIGITS]: 0 before the first launch, and after the last one */
  uint64_t *positions;      /* [pass][IW_RADIX_DIGITS] */
  uint32_t *runs;           /* for each pass 1 or 0 */
} iw_digit_plan;

/* Counts the digits of several passes: (rank of the key >> shifts[k]) & masks[k]. */
typedef struct iw_digit_counts_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t n, chunk;        /* block b has keys b * chunk and the following */
  iw_total_order order;
  uint64_t digit_count;
  uint32_t shifts[IW_MAX_COUNTED_DIGITS], masks[IW_MAX_COUNTED_DIGITS];
  uint64_t first;           /* the pass of the first of them */
  const uint32_t *needed;   /* NULL, or 0: nothing is counted, and no pass runs */
  iw_digit_plan plan;
} iw_digit_counts_args;

/* How a key has a digit that is not a range of bits of its rank (division_digits.h). Digits ascend with
 * ranks. */
enum { IW_BY_RANK, IW_BY_VALUE, IW_BY_LOGARITHM };
typedef struct iw_division {
  uint64_t least, most;     /* ranks */
  uint64_t base, scale;     /* IW_BY_VALUE: floats of the keys' width, as bits. scale 0: impossible */
  uint32_t way, shift, last; /* last: the greatest digit */
  uint32_t flip;            /* IW_BY_VALUE: XORed to digits */
  uint32_t clamps;          /* 1: keys may be less than `least` or more than `most`, and have the digit of that one */
  uint32_t longest;         /* of a sample: the keys of the longest digit in which keys differ */
} iw_division;

/* Arrays that a pass moves: elements, eight payloads, segment ids, and keys between passes. */
enum { IW_MAX_RADIX_ARRAYS = 11 };

/* One pass of the radix split, by the digit (rank of the key >> shift) & mask, or by a division. Two
 * launches: multisplit_count writes the counts and `part_prefixes`; after a scan of `counts`, multisplit_move
 * moves the arrays. With write buffers each of its blocks adds up `chunk_counts` itself. A single block
 * counts by itself. On CPUs a short array takes two launches of multisplit_move: blocks count, and move
 * elements within their chunks, then they gather parts of the outputs from all chunks. */
typedef struct iw_radix_args {
  const void *keys;
  uint32_t key_bytes, shift, mask;
  uint32_t parts;           /* of a chunk */
  uint64_t n;
  uint64_t part;            /* elements of a part */
  uint64_t chunks;
  uint64_t *counts;         /* ranked tiles: [digit][chunk]: elements; after the scan the digit's first output position of the chunk */
  uint32_t *chunk_counts;   /* write buffers: [chunk][IW_RADIX_DIGITS]: elements */
  uint32_t *part_prefixes;  /* [chunk][part][digit]: elements of the digit in earlier parts of the chunk; within chunks, of
                             * lower digits in the chunk */
  uint64_t *offsets;        /* where each bucket begins, and n behind the last one; or NULL */
  uint64_t buckets;
  iw_total_order order;     /* of keys; all 0: ranks are the keys themselves, as of bucket ids */
  uint32_t within_chunks;   /* 1: blocks count their chunks themselves and move elements within these, as a single block always does */
  uint32_t gathers;         /* write-combining schedule: 1: after that, blocks gather parts of the outputs from all chunks */
  uint32_t one_table;       /* 1: counts in one table instead of replicated ones, as clearing them would take longer */
  uint32_t unbuffered;      /* write-combining schedule: 1: scatters directly */
  uint32_t prefetches;      /* write-combining schedule: 1: prefetches what one array alone is scattered to */
  uint32_t nontemporal;     /* write-combining schedule: 1: flushes buffers with streaming stores */
  const uint64_t *digit_offsets; /* radix_onesweep: the first output position of each digit */
  uint64_t *states;         /* radix_onesweep: tile states, [tile][digit] */
  iw_tickets *tickets;      /* radix_onesweep */
  const uint32_t *runs;     /* NULL, or written by an earlier launch. 0: the pass does nothing (digit_plan.h) */
  const iw_division *division; /* NULL, or on CPUs a division of keys of 4 or 8 bytes by at most mask + 1 digits */
  uint32_t array_count;
  iw_move_array arrays[IW_MAX_RADIX_ARRAYS];
} iw_radix_args;

#endif
