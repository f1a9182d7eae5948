/* SPDX-License-Identifier: Apache-2.0
 *
 * Types that the argument structs of the installed kernel templates (scan, reduce, partition, multisplit)
 * have in common, and the arguments of bucket ids. Plain data, the same on every target. Layer: algorithms.
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

/* Writes the bucket id of each element. Blocks of any size; a warp takes a chunk. */
enum { IW_BUCKET_IDS_CHUNK = 1024 };
typedef struct iw_bucket_ids_args {
  const void *in;
  uint64_t n;
  void *ids;                /* n ids of id_bytes each: 1, 2 or 4 */
  uint32_t id_bytes;
  uint32_t max_id;          /* greater ids are clamped to this one */
  uint32_t *clamped;        /* set to 1 if any id was clamped; or NULL */
} iw_bucket_ids_args;

#endif
