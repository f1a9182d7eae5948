/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of the sort, filled in by sort.c; its passes are those of the radix split (multisplit/radix_args.h). Plain
 * data of the same layout on every target. It must not know the kernel language or the host's runtime.
 */
#ifndef IW_SORT_ARGS_H
#define IW_SORT_ARGS_H

#include "algorithms/common/total_order.h"

/* What a block has found in its chunk of the keys. If a block stops early, it has found all that it could find. */
typedef struct iw_sort_found {
  uint64_t varying;         /* the bits in which ranks differ from the first key's */
  uint64_t descents;        /* not 0: a key's rank is less than that of the key before it */
} iw_sort_found;

/* Finds which bits of the ranks vary, and whether the keys are sorted. A block is a warp. */
typedef struct iw_sort_survey_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t n, chunk;        /* block b has keys 1 + b * chunk and the following */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  iw_sort_found *found;     /* one for each block */
} iw_sort_survey_args;

/* Writes the index of the segment of each element. Blocks of any size. */
enum { IW_SEGMENT_IDS_CHUNK = 1024 };
typedef struct iw_segment_ids_args {
  const void *offsets;      /* count + 1; NULL: rows */
  uint64_t wide_offsets;    /* 1: offsets have 8 bytes, 0: 4 */
  uint64_t columns;         /* rows: elements of a row */
  uint64_t n, count;
  uint64_t steps;           /* of the binary search: 2^steps > count */
  void *ids;
  uint64_t id_bytes;        /* 4 or 8 */
} iw_segment_ids_args;

#endif
