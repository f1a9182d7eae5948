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

struct iw_tickets;
/* Partition and select: elements that a test marks go to the front, the others, if they are wanted, elsewhere. Words and tickets
 * are those of scans: a word for each tile, two for each group of 32. What moves with them goes by their marks, by launches of
 * its own: bit i of flag_bits is element i's, and what a last tile lacks has words, too. */
enum { IW_PARTITION_MIN_TILE_BYTES = 32768 };     /* bytes of a tile, at least, of elements of 4 bytes or more: its words are counted by them */
enum { IW_PARTITION_MAX_TILE_ELEMENTS = 65536 };         /* elements of a tile, at most */
typedef struct iw_partition_args {
  const void *in;
  const uint8_t *flags;                 /* where they decide */
  size_t n;
  void *front, *rest;                   /* rest: the others; NULL: unwanted, or behind the front, as `parts` says */
  uint64_t *tile_states, *group_states;
  struct iw_tickets *tickets;
  uint64_t *count;                      /* of the front: written by the last tile; or NULL */
  uint64_t *block_counts;                      /* a word a block of a launch that counts, of which there are counted; or NULL */
  uint64_t counted_blocks;                     /* 0: none was, but there is one block, which does it */
  uint32_t *flag_bits;                      /* kept for other launches, or NULL; where they decide they are read */
  iw_scalar_bits lo, hi;                  /* selected is what is in this range, both ends included; empty: most below least */
  uint32_t inverted;                      /* 1: what is not in the range */
  uint32_t count_only;                    /* 1: only counts into block_counts */
  uint32_t nontemporal;                      /* the results are larger than the caches */
  uint32_t index_input;                     /* where flag bits decide: 1: elements are 0, 1, 2, …, and not read */
} iw_partition_args;

/* Makes the numbers of elements' buckets, by blocks of any size. */
enum { IW_BUCKET_IDS_CHUNK = 1024 };        /* elements of a warp */
typedef struct iw_bucket_ids_args {
  const void *in;
  uint64_t n;
  void *ids;                        /* of so many bytes each: 1, 2 or 4 */
  uint32_t id_bytes, max_id;                 /* max_id: what is greater counts as this one, … */
  uint32_t *clamped;                     /* … and sets *clamped to 1; or NULL */
} iw_bucket_ids_args;

#endif
