/* SPDX-License-Identifier: Apache-2.0
 *
 * The stable split by keys that all forms of multisplit end in. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_RADIX_SPLIT_H
#define IW_ALGORITHMS_RADIX_SPLIT_H

#include <isowarp.h>
#include "algorithms/multisplit/radix_args.h"

/* Where the bucket of an element is found: in the word of `bytes` bytes (1, 2, 4 or 8) at index i of `at`,
 * as (word >> shift) & mask, with the smallest mask 2^b - 1 that holds all buckets. The words are bucket
 * ids, or the elements themselves if bits of them decide. */
typedef struct iw_bucket_keys {
  const void *at;
  unsigned bytes, shift;
} iw_bucket_keys;

/* Moves `count` arrays (at most IW_MAX_MOVED - 1) of n elements stably into buckets, and writes buckets + 1
 * offsets. All memory is accessible to kernels, and nothing is in place. memory:
 * iw_multisplit_scratch_bytes(). */
size_t iw_multisplit_scratch_bytes(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n,
                                   const iw_move_array *moved, size_t count);
iw_status iw_multisplit_by_keys(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n,
                                const iw_move_array *moved, size_t count, void *memory, uint64_t *offsets);
/* The same for at most IW_MULTISPLIT_TILE elements that are their own keys, and for 2, 4, … 256 buckets:
 * one launch, no scratch. */
iw_status iw_multisplit_small(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n, const void *in,
                              void *out, uint64_t *offsets);

/* One pass of a radix sort, on the grid that splits of n elements have. The caller sets keys, key_bytes,
 * shift, mask, n, order, array_count, arrays, digit_offsets, runs and, of a split on a CPU, offsets, buckets
 * and division of *args, this call the other members.
 * widest: the bytes of the widest array, keys included; moved_bytes: of an element of all arrays, at most.
 * memory: iw_radix_pass_scratch_bytes(), of which every pass writes all that it reads.
 * If iw_radix_sweeps(), the passes are those of onesweep.h: digit_offsets are where elements of each of the
 * 256 digits begin in the output, which are to be had from iw_count_digits(). Otherwise digit_offsets is
 * NULL. */
int iw_radix_sweeps(iw_context *context, size_t n);
size_t iw_radix_pass_scratch_bytes(iw_context *context, size_t n, size_t widest, size_t moved_bytes);
/* Allocates what a pass takes besides its scratch and the memory of blocks. */
iw_status iw_reserve_radix_pass(iw_context *context, size_t n, size_t widest);
iw_status iw_radix_pass(iw_context *context, iw_radix_args *args, size_t widest, void *memory);
/* Adds the counts of the digits of several passes to args->counts. This call sets args->chunk. */
iw_status iw_count_digits(iw_context *context, iw_digit_counts_args *args);

#endif
