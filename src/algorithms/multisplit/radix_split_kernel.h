/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of one pass of the stable radix split by bucket id, least significant digit first (radix_split.c
 * runs the passes). Like the radix sort of Merrill and Grimshaw 2011 and the GPU multisplit of Ashkiani et
 * al. 2016, a pass counts digits, scans the counts and moves elements:
 *   multisplit_count    each block counts the digits of a chunk, part by part; for ranked tiles the host then
 *                       runs a scan, and with write buffers each block that moves adds the counts up itself
 *   multisplit_move     moves the arrays, by one of two schedules
 *   radix_onesweep      moves, and counts its tiles by look-back, if the digits of all passes were counted
 *                       before (onesweep.h, digit_plan.h)
 *   multisplit_offsets  if there was more than one pass: finds where buckets begin (bucket_offsets_kernel.h)
 * The schedules of multisplit_move, chosen by the policy MULTISPLIT_WRITE_BUFFERS in tuning_cpu.h and
 * tuning_cuda.h:
 *   ranked_tiles.h      on GPUs: a block orders a tile by digit in shared memory and stores the runs of each
 *                       digit
 *   write_buffers.h     on CPUs: a thread collects each digit's elements in a write-combining buffer
 * Blocks of all kernels but radix_onesweep wait for no other block. Kernels know widths of keys and arrays,
 * not types.
 *
 * Layer: kernel template of the library, without parameters but the policy, which cannot change a bit of a
 * result. It must not know the host's runtime.
 */
#include <assert.h>
#include <string.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/look_back.h>
#include <isowarp/algorithms/common/tuning.h>
#include <isowarp/algorithms/multisplit/args.h>
#include "algorithms/common/args.h"
#include "algorithms/common/issue_keys.h"
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/multisplit/radix_args.h"

enum {
  MULTISPLIT_DIGIT_GROUPS = IW_RADIX_DIGITS / IW_WARP_SIZE,                   /* groups of 32 digits, one for each lane */
  MULTISPLIT_TILE = MULTISPLIT_WARPS * MULTISPLIT_ITEMS_PER_LANE * IW_WARP_SIZE,
  MULTISPLIT_PARTS = MULTISPLIT_WRITE_BUFFERS ? 2 : IW_MULTISPLIT_MAX_PARTS,  /* of a chunk, at most */
  MULTISPLIT_COUNT_TABLES = MULTISPLIT_PARTS * IW_COUNT_REPLICAS
};
static_assert(IW_RADIX_DIGITS % IW_WARP_SIZE == 0, "groups of digits are whole");
static_assert(MULTISPLIT_COUNT_TAIL_ROWS || MULTISPLIT_COUNT_ROWS == 1, "what is left of a batch of rows is less than a row");

IW_FN int multisplit_runs(const iw_radix_args *args) { return !args->runs || iw_get_u32(args->runs); }

/* ---- Keys and digits ----
 * Digits are of a key's rank (total_order_lanes.h), which for bucket ids is the id itself. */

/* Shifts are less than the width of a key. The remainders tell compilers so. */
IW_FN iw_u32 multisplit_digit_u32(iw_u32 rank, uint32_t shift, uint32_t mask)
{
  return iw_and_u32(iw_shr_u32(rank, iw_splat(shift % 32)), iw_splat(mask));
}

IW_FN iw_u32 multisplit_digit_u64(iw_u64 rank, uint32_t shift, uint32_t mask)
{
  return iw_and_u32(iw_to_u32(iw_shr_u64(rank, iw_splat((uint64_t)(shift % 64)))), iw_splat(mask));
}

/* The digit of a pass. */
IW_FN iw_u32 multisplit_key_digit_u32(const iw_radix_args *args, iw_u32 key)
{
  return multisplit_digit_u32(iw_total_rank_u32(&args->order, key), args->shift, args->mask);
}

IW_FN iw_u32 multisplit_key_digit_u64(const iw_radix_args *args, iw_u64 key)
{
  return multisplit_digit_u64(iw_total_rank_u64(&args->order, key), args->shift, args->mask);
}

/* Digits that are counted, of ranks in an order. */
typedef struct { const iw_total_order *order; int count; const uint32_t *shifts, *masks; } multisplit_digits;

/* What a lane keeps of a rank: the rank, or its digit if it has 64 bits. */
IW_FN iw_u32 multisplit_item_key_u32(const iw_radix_args *args, iw_u32 rank) { (void)args; return rank; }
IW_FN iw_u32 multisplit_item_key_u64(const iw_radix_args *args, iw_u64 rank) { return multisplit_digit_u64(rank, args->shift, args->mask); }

/* For each width of keys: multisplit_count_keys_T and multisplit_load_keys_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/multisplit/radix_split_keys.h"
#include <isowarp/language/for_each_type.h>

/* ---- Counting ----
 * A block has a table of counters for each part of its chunk; each table has IW_COUNT_REPLICAS replicas, so
 * that equal digits do not wait for each other, unless args->one_table. */

typedef struct { uint32_t counters[MULTISPLIT_COUNT_TABLES * IW_RADIX_DIGITS]; } multisplit_count_shared;

/* Counts a warp's rows of the keys from … end-1, of key_bytes bytes. */
IW_FN void multisplit_count_digits(const iw_block *block, const multisplit_digits *digits, const void *keys, uint64_t key_bytes,
                                   unsigned warp, uint64_t from, uint64_t end, uint32_t *counters, unsigned stride)
{
  switch (key_bytes) {
  case 1: multisplit_count_keys_u8(block, digits, keys, warp, from, end, counters, stride); break;
  case 2: multisplit_count_keys_u16(block, digits, keys, warp, from, end, counters, stride); break;
  case 4: multisplit_count_keys_u32(block, digits, keys, warp, from, end, counters, stride); break;
  default: multisplit_count_keys_u64(block, digits, keys, warp, from, end, counters, stride); break;
  }
}

#if MULTISPLIT_WRITE_BUFFERS
#include "algorithms/multisplit/pass_digits.h"
#else
/* The same for the digit of a pass. */
IW_FN void multisplit_count_part(const iw_block *block, const iw_radix_args *args, unsigned warp, uint64_t from, uint64_t end,
                                 uint32_t *counters)
{
  const multisplit_digits digit = { &args->order, 1, &args->shift, &args->mask };
  multisplit_count_digits(block, &digit, args->keys, args->key_bytes, warp, from, end, counters, args->one_table ? 0 : IW_RADIX_DIGITS);
}
#endif

/* The counts of the 32 digits from d on, in one part. */
IW_FN iw_u32 multisplit_part_counts(const iw_radix_args *args, const uint32_t *counters, int part, uint32_t d)
{
  const uint32_t *const table = counters + part * IW_COUNT_REPLICAS * IW_RADIX_DIGITS + d;
  iw_u32 sum = iw_load(table, iw_lanes_below(IW_WARP_SIZE));
  for (int k = 1; k < IW_COUNT_REPLICAS && !args->one_table; k++)
    sum = iw_add(sum, iw_load(table + k * IW_RADIX_DIGITS, iw_lanes_below(IW_WARP_SIZE)));
  return sum;
}

IW_FN uint64_t multisplit_clamp(const iw_radix_args *args, uint64_t at) { return at < args->n ? at : args->n; }

IW_FN void multisplit_clear_counters(const iw_block *block, const iw_radix_args *args, unsigned warp, uint32_t *counters)
{
  const unsigned tables = args->one_table ? 1 : args->parts * IW_COUNT_REPLICAS;
  for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE)
    for (unsigned t = 0; t < tables; t++)
      iw_store(counters + t * IW_RADIX_DIGITS + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
}

/* Counts a warp's rows of all parts of a chunk. */
IW_FN void multisplit_count_chunk(const iw_block *block, const iw_radix_args *args, unsigned warp, uint64_t chunk, uint32_t *counters)
{
  for (uint32_t p = 0; p < args->parts; p++) {
    const uint64_t from = (chunk * args->parts + p) * args->part;
    multisplit_count_part(block, args, warp, multisplit_clamp(args, from), multisplit_clamp(args, from + args->part),
                          counters + p * IW_COUNT_REPLICAS * IW_RADIX_DIGITS);
  }
}

#if MULTISPLIT_WRITE_BUFFERS
/* Stores a chunk's counts of the 32 digits from d on: in lines that no other thread writes. */
IW_FN void multisplit_store_counts(const iw_radix_args *args, uint64_t chunk, uint32_t d, iw_u32 counts)
{
  iw_store(args->chunk_counts + chunk * IW_RADIX_DIGITS + d, counts, iw_lanes_below(IW_WARP_SIZE));
}
#else
/* The indices in args->counts of the 32 digits from d on, of a chunk. */
IW_FN iw_u64 multisplit_count_index(const iw_radix_args *args, uint64_t chunk, uint32_t d)
{
  const iw_u64 digit = iw_to_u64(iw_add_u32(iw_splat(d), iw_lane()));
  return iw_add(iw_mul_u64(digit, iw_splat(args->chunks)), iw_splat(chunk));
}

/* Stores a chunk's counts of the 32 digits from d on: in the order of the scan. */
IW_FN void multisplit_store_counts(const iw_radix_args *args, uint64_t chunk, uint32_t d, iw_u32 counts)
{
  iw_scatter_far(args->counts, multisplit_count_index(args, chunk, d), iw_to_u64(counts), iw_lanes_below((int64_t)args->mask + 1 - d));
}

/* The output positions of a part's first elements of the 32 digits from d on: the scanned count of its
 * chunk, and what earlier parts of the chunk have. */
IW_FN iw_u64 multisplit_part_offset(const iw_radix_args *args, uint64_t part, uint32_t d)
{
  return iw_add(iw_gather_far((const uint64_t *)args->counts, multisplit_count_index(args, part / args->parts, d),
                              iw_lanes_below((int64_t)args->mask + 1 - d)),
                iw_to_u64(iw_load(args->part_prefixes + part * IW_RADIX_DIGITS + d, iw_lanes_below(IW_WARP_SIZE))));
}
#endif

IW_KERNEL_NO_SPECIALIZATION(multisplit_count, multisplit_count_shared, iw_radix_args, MULTISPLIT_COUNT_WARPS * 32, MULTISPLIT_COUNT_BLOCKS)
{
  IW_PHASE(warp) { multisplit_clear_counters(block, args, warp, shared->counters); }
  if (multisplit_runs(args)) /* else the counts are 0 */
    IW_PHASE(warp) { multisplit_count_chunk(block, args, warp, block->index, shared->counters); }
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d <= args->mask; d += block->warps * IW_WARP_SIZE) {
      iw_u32 sum = iw_splat(0u);
      for (uint32_t p = 0; p < args->parts; p++) {
        iw_store(args->part_prefixes + (block->index * args->parts + p) * IW_RADIX_DIGITS + d, sum, iw_lanes_below(IW_WARP_SIZE));
        sum = iw_add(sum, multisplit_part_counts(args, shared->counters, p, d));
      }
      multisplit_store_counts(args, block->index, d, sum);
    }
  }
}

/* ---- Moving ---- */

/* Stores the offsets of the 32 buckets from d on: the first part's output positions. */
IW_FN void multisplit_store_offsets(const iw_radix_args *args, uint32_t d, iw_u64 positions)
{
  iw_store(args->offsets + d, positions, iw_lanes_below((int64_t)args->buckets - d));
  if (d == 0) iw_set_u64(args->offsets + args->buckets, args->n);
}

#if MULTISPLIT_WRITE_BUFFERS
#include "algorithms/multisplit/write_buffers.h"
#else
#include "algorithms/multisplit/ranked_tiles.h"
#include "algorithms/multisplit/digit_plan.h"
#include "algorithms/multisplit/onesweep.h"
#endif
#include "algorithms/multisplit/bucket_offsets_kernel.h"
