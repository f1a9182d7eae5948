/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sort offers to the host side of other algorithms: the meaning of its options, and sorts of
 * rows in memory of theirs. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_SORT_H
#define IW_ALGORITHMS_SORT_H

#include "algorithms/common/total_order.h"
#include "runtime/check.h"

#include <isowarp/sorts.h>

/* How a call compares elements: by bits begin_bit … end_bit - 1 of their ranks in an order. */
typedef struct iw_sort_rule {
  iw_total_order order;
  unsigned begin_bit, end_bit;
} iw_sort_rule;

/* Checks the options of a call, which may be NULL, and sets *rule. */
iw_status iw_apply_sort_options(iw_type type, const iw_sort_options *options, iw_sort_rule *rule);
/* Refuses a key, segments and payloads but those that are `taken`. instead: what does take them. */
enum { IW_TAKES_NOTHING, IW_TAKES_KEY, IW_TAKES_SEGMENTS, IW_TAKES_PAYLOADS = 4 };
iw_status iw_check_sort_takes(const iw_sort_options *options, unsigned taken, const char *instead);
/* The bits of ranks that decide. */
static inline uint64_t iw_deciding_bits(const iw_sort_rule *rule)
{
  return ~(uint64_t)0 >> (64 - rule->end_bit) & ~(uint64_t)0 << rule->begin_bit;
}

/* Memory for an array of a sort, of the context: n elements each. of[0]: between passes; it may be the
 * array's `in`, which is overwritten then. of[1]: for keys that are not wanted; it may be their `in`. */
typedef struct iw_sort_memory { void *of[2]; } iw_sort_memory;
/* iw_sort with these payloads, in memory for the keys and then for each payload. NULL: scratch of the
 * context. */
iw_status iw_sort_within(iw_context *context, iw_type type, const void *in, void *out, size_t n, const iw_payload *payloads,
                         size_t payload_count, const iw_sort_options *options, const iw_sort_memory *memory);

/* Launches the kernel of merges: sets block_tiles and pair_blocks of its arguments (sort/args.h). */
struct iw_merge_args;
iw_status iw_launch_merge(iw_context *context, struct iw_merge_args *args);

/* A sort of each row of a matrix, in memory that kernels can access. Nothing is in place. */
typedef struct iw_row_sort {
  iw_type type;
  int descending;
  size_t rows, columns;
  const void *in;
  void *out;                /* NULL: the sorted keys are not wanted */
  iw_payload payload;       /* as of iw_sort; width 0: none */
} iw_row_sort;
/* The scratch that a sort needs which differs from this one in its pointers only: but those that are NULL
 * are so there. */
size_t iw_sort_rows_scratch_bytes(iw_context *context, const iw_row_sort *rows);
/* memory: scratch of so many bytes. */
iw_status iw_sort_rows(iw_context *context, const iw_row_sort *rows, void *memory);

#endif
