/* SPDX-License-Identifier: Apache-2.0
 *
 * Argument structs of kernels that several algorithms share, and those of scan, partition and multisplit,
 * which are installed with their templates. Plain data, the same on every target. Pointers are to memory
 * where the kernel runs. Layer: algorithms; knows no kernel's code.
 */
#ifndef IW_KERNELS_ARGS_H
#define IW_KERNELS_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/algorithms/multisplit/args.h>
#include <isowarp/algorithms/partition/args.h>
#include <isowarp/algorithms/scan/args.h>

/* What kernels have to know of the order of a type of 1 or 2 bytes (narrow_order.h), and a rank that no
 * element has. */
#define IW_NARROW_NAN 0x10000u
typedef struct iw_narrow_order {
  uint32_t flip;                        /* integers: the sign bit of a signed type, else 0 */
  uint32_t infinity;                    /* floats: the bits of +inf; 0: an integer */
} iw_narrow_order;

/* Kernels that write one bit per element (flag_bits.h): pack_flags (bytes that are not 0), range_flags_T
 * (elements inside or outside [lo, hi]) and heads_keys_BITS (keys that differ from the key before). A warp
 * processes chunks of IW_FLAG_BITS_CHUNK elements. */
enum { IW_FLAG_BITS_CHUNK = 1024, IW_FLAG_BITS_WARPS = 8 };
typedef struct iw_flag_bits_args {
  const void *in;
  uint64_t n, chunks;                   /* chunks: of n elements; for scans of whole tiles */
  uint32_t *bits;
  uint32_t heads;                       /* 1: element 0 is a head, whatever its flag */
  uint32_t lo, hi, inverted;            /* range_flags_T: as in iw_partition_args, but ranks of `order` */
  iw_narrow_order order;
} iw_flag_bits_args;

/* Sets n words of 64 bits to zero, and n_halves words of 32 bits (the kernel clear). */
typedef struct iw_clear_args { uint64_t *words, n; uint32_t *halves; uint64_t n_halves; } iw_clear_args;

/* Bucket ids of elements of 1 and 2 bytes by a pivot (multisplit/pivot_ids.h). */
typedef struct iw_pivot_ids_args {
  iw_bucket_ids_args to;
  iw_narrow_order order;
  uint32_t equal, greater;              /* the least ranks of buckets 1 and 2 */
} iw_pivot_ids_args;

#endif
