/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front hands to the kernels of scan, reduce, partition and multisplit. Plain data, the same on every target. Pointers
 * are to memory where the kernel runs.
 */
#ifndef ISOWARP_TEXT_ARGS_H
#define ISOWARP_TEXT_ARGS_H

#include <stddef.h>
#include <stdint.h>

/* One element of any type, as bits. */
typedef union iw_scalar_bits {
  uint8_t u8; uint16_t u16; int32_t i32; uint32_t u32; int64_t i64; uint64_t u64; float f32; double f64;
} iw_scalar_bits;

/* The words and tickets of scans: zeroed when they are made, then used by nothing else, so that a flag of an older
 * launch can never look like one of this. words: per tile (per group) one uint64_t for 4-byte types, two for 8-byte
 * ones. */
struct iw_tickets;
typedef struct iw_scan_args {
  const void *in;
  void *out;
  size_t n;
  uint64_t tiles;                       /* of IW_SCAN_TILE elements */
  uint64_t *tile_states, *group_states;   /* a group is 32 tiles */
  struct iw_tickets *tickets;
  iw_scalar_bits init, first_out;                  /* in front of element 0, or of each segment; and what an exclusive scan stores there */
  union {
    const void *init_ptr;                /* where both of them are, or NULL */
    const uint32_t *heads;              /* of segments: a bit for each element, and for what a last tile lacks of 4096 */
  };
  void *result;                         /* one element: the inclusive scan's last, or NULL */
  uint32_t exclusive, stream;           /* stream: the result is larger than the caches */
} iw_scan_args;
#ifndef IW_SCAN_ROWS
#define IW_SCAN_ROWS 32                 /* of order 1, in a tile */
#endif
enum { IW_SCAN_TILE = IW_SCAN_ROWS * 128, IW_SCAN_GROUP_TILES = 32, IW_SCAN_GROUP = IW_SCAN_TILE * IW_SCAN_GROUP_TILES };

#endif
