/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of the radix split (radix_split_kernel.h), filled in by radix_split.c and by the sort. Plain data of the same
 * layout on every target. Not installed: what users' bucket rules need is in args.h. It must not know the kernel language or the
 * host's runtime.
 */
#ifndef IW_MULTISPLIT_RADIX_ARGS_H
#define IW_MULTISPLIT_RADIX_ARGS_H

#include <isowarp/algorithms/multisplit/args.h>
#include "algorithms/common/total_order.h"

/* Arrays that a pass moves: elements, eight payloads, segment ids, and keys between passes. */
enum { IW_MAX_RADIX_ARRAYS = 11 };

/* One pass of the radix split, by the digit (rank of the key >> shift) & mask. Two launches: multisplit_count writes `counts` and
 * `part_prefixes`; after a scan of `counts`, multisplit_move moves the arrays. A single block counts by itself. */
typedef struct iw_radix_args {
  const void *keys;
  uint32_t key_bytes, shift, mask;
  uint32_t parts;           /* of a chunk */
  uint64_t n;
  uint64_t part;            /* elements of a part */
  uint64_t chunks;
  uint64_t *counts;         /* [digit][chunk]: elements; after the scan the digit's first output position of the chunk */
  uint32_t *part_prefixes;  /* [chunk][part][digit]: elements of the digit in earlier parts of the chunk */
  uint64_t *offsets;        /* where each bucket begins, and n behind the last one; or NULL */
  uint64_t buckets;
  iw_total_order order;     /* of keys; all 0: ranks are the keys themselves, as of bucket ids */
  uint32_t single_block;    /* 1: one block does all, without a counting launch */
  uint32_t one_table;       /* 1: counts in one table instead of replicated ones, as clearing them would take longer */
  uint32_t unbuffered;      /* write-combining schedule: 1: scatters directly, as the output stays in cache */
  uint32_t nontemporal;     /* write-combining schedule: 1: flushes buffers with streaming stores */
  const uint32_t *runs;     /* NULL, or written by an earlier launch. 0: the pass does nothing (sort/plan_kernel.h) */
  uint32_t array_count;
  iw_move_array arrays[IW_MAX_RADIX_ARRAYS];
} iw_radix_args;

#endif
