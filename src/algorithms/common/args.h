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
#include <isowarp/algorithms/scan/args.h>

/* The shared memory of kernels that need none. */
typedef struct iw_no_shared { int unused; } iw_no_shared;

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

#endif
