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

/* The lengths of runs, which are known by where they begin; count of them in n elements. Each warp has its own place `next` for
 * where the run behind its chunk begins, which it keeps first. */
enum { IW_RUN_LENGTHS_CHUNK = 1024, IW_RUN_LENGTHS_WARPS = 8 };
typedef struct iw_run_lengths_args {
  void *runs;
  const uint64_t *count;
  uint64_t n, *next;
  uint32_t save_next;                     /* 1: keeps `next`, and is run for n runs; 0: writes lengths */
} iw_run_lengths_args;

/* ---- Splits into buckets ------------------------------------------------------------------------------------------ */

/* An array that is moved: elements of 1, 2, 4, 8 or 16 bytes. in: NULL for 0, 1, 2, … in 4 or 8 bytes. */
typedef struct iw_move_array { const void *in; void *out; size_t width; } iw_move_array;

/* One pass, by a digit: (number >> shift) & mask, for numbers of so many bytes. */
enum {
  IW_RADIX_DIGITS = 256, IW_MAX_MOVED = 9,
  IW_MULTISPLIT_TILE = 8192,     /* what a block of many warps moves: a part */
  IW_MULTISPLIT_MAX_PARTS = 8        /* of a chunk, at most: a block counts a chunk, and its parts apart */
};
typedef struct iw_radix_pass_args {
  const void *keys;
  uint32_t key_bytes, shift, mask, parts;
  uint64_t n, part, chunks; /* part: elements of one */
  uint64_t *counts;         /* of each digit in each chunk; scanned, they are where to move it */
  uint32_t *part_prefixes;         /* for each part and digit, what its chunk has in front of it */
  uint64_t *offsets;        /* of the buckets, and n; or NULL */
  uint64_t buckets;
  uint32_t single_block, one_table;      /* one block, which counts by itself; and needs no more than one table for it */
  uint32_t unbuffered, nontemporal;  /* on a CPU: element by element; whole lines go past the caches */
  uint32_t array_count;
  iw_move_array arrays[IW_MAX_MOVED];
} iw_radix_pass_args;

/* Where each bucket begins among numbers that are in order. */
typedef struct iw_bucket_offsets_args {
  const void *keys;
  uint32_t key_bytes, shift;
  uint64_t mask, n, buckets;
  uint64_t *offsets;
  uint32_t steps;           /* so that 2^steps is more than n */
} iw_bucket_offsets_args;

#endif
