/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel merge: merges two sorted arrays by merge path (Odeh, Green, Mwassi, Shmueli and Birk 2012). A
 * block merges tiles of the output by one of two schedules, which stage the elements of both arrays in
 * shared memory:
 *   merge_staged.h        GPUs: each lane merges a run of a tile
 *   merge_interleaved.h   CPUs: a block is one warp, which merges a few runs of a part of a tile in turn
 * Kernel template without parameters but the policy, which cannot change a bit of a result. It must not know
 * the host's runtime.
 */
#include <assert.h>
#include <stddef.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sort/args.h"

#ifndef MERGE_STAGED
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#define MERGE_STAGED 1
#else
#define MERGE_STAGED 0
#endif
#endif
enum { MERGE_WARPS = MERGE_STAGED ? 8 : 1, MERGE_BLOCKS = MERGE_STAGED ? 4 : 1 };
/* Elements of a tile, and of a GPU lane's run, by the bytes of a key; a run of a short tile. */
#define MERGE_TILE(size) ((size) == 8 ? IW_MERGE_TILE_OF_8_BYTES : IW_MERGE_TILE)
#define MERGE_RUN(size) (MERGE_TILE(size) / (MERGE_WARPS * IW_WARP_SIZE))
enum { MERGE_SHORT_RUN = IW_MERGE_SHORT_TILE / (MERGE_WARPS * IW_WARP_SIZE) };

#if MERGE_STAGED
static_assert(MERGE_TILE(4) % (MERGE_WARPS * IW_WARP_SIZE) == 0 && MERGE_TILE(8) % (MERGE_WARPS * IW_WARP_SIZE) == 0,
              "lanes have runs of one length");
static_assert(IW_MERGE_SHORT_TILE == MERGE_SHORT_RUN * MERGE_WARPS * IW_WARP_SIZE && MERGE_SHORT_RUN < MERGE_RUN(8), "a short tile is shorter");
static_assert(MERGE_RUN(4) % 2 == 1 && MERGE_RUN(8) % 2 == 1 && MERGE_SHORT_RUN % 2 == 1, "lanes access different banks of shared memory");
static_assert(MERGE_TILE(8) * 2 <= MERGE_TILE(4), "a tile of 8-byte keys fits in the memory of one of 4-byte keys");
static_assert(MERGE_RUN(1) <= 32, "which outputs of a run are of a is a word");
typedef struct {
  uint64_t keys[IW_MERGE_TILE / 2 + 34];   /* those of a, then those of b, each with one more, and zeros */
  uint64_t merged[IW_MERGE_TILE / 2];      /* the output */
  uint32_t taken[MERGE_WARPS * IW_WARP_SIZE];   /* of each run: bit k is set if its output k is of a */
  uint16_t starts[MERGE_WARPS * IW_WARP_SIZE];  /* of each run: the outputs before it that are of a */
  uint64_t begins[IW_MERGE_BLOCK_TILES + 1]; /* of each tile in a, and the end of the last one */
} merge_shared;
static_assert(offsetof(merge_shared, merged) % 16 == 0, "16 bytes of the output are loaded at a time");
#define MERGE_SCHEDULE "algorithms/sort/merge_staged.h"
#else
/* A tile is merged in parts, which stay in the first-level cache; runs that are merged in turn fill its
 * latency. */
enum { MERGE_PARTS = 4, MERGE_RUNS = 4 };
typedef struct {
  uint64_t ranks[IW_MERGE_TILE / MERGE_PARTS / 2 + 1]; /* of one more element of each array */
  uint64_t elements[IW_MERGE_TILE / MERGE_PARTS / 2 + 1];
  uint16_t sources[IW_MERGE_TILE / MERGE_PARTS];       /* which of them each output is */
} merge_shared;
static_assert(MERGE_TILE(8) * 2 + 2 * MERGE_PARTS <= MERGE_TILE(4), "a part of 8-byte keys fits in the memory of one of 4-byte keys");
#define MERGE_SCHEDULE "algorithms/sort/merge_interleaved.h"
#endif

/* For each width of keys: merge_tiles_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sort/merge_keys.h"
#include <isowarp/language/for_each_type.h>

/* The merge of the two runs that a block has a part of. */
IW_FN iw_merge_args merge_of_pair(const iw_merge_args *args, uint64_t pair)
{
  iw_merge_args of = *args;
  const uint64_t first = pair * 2 * args->run, left = args->a_count - first;
  of.a_count = left < args->run ? left : args->run;
  of.b_count = left - of.a_count < args->run ? left - of.a_count : args->run;
  of.a = (const char *)args->a + first * args->key_bytes;
  of.b = (const char *)of.a + of.a_count * args->key_bytes;
  of.out = (char *)args->out + first * args->key_bytes;
  return of;
}

/* Merges the outputs from `begin` on in front of `end`, at most IW_MERGE_BLOCK_TILES tiles. */
IW_FN void merge_tiles(iw_block *block, const iw_merge_args *args, uint64_t begin, uint64_t end, merge_shared *shared)
{
  switch (args->key_bytes) {
  case 1: merge_tiles_u8(block, args, begin, end, shared); break;
  case 2: merge_tiles_u16(block, args, begin, end, shared); break;
  case 4: merge_tiles_u32(block, args, begin, end, shared); break;
  default: merge_tiles_u64(block, args, begin, end, shared); break;
  }
}

IW_KERNEL_NO_SPECIALIZATION(merge, merge_shared, iw_merge_args, MERGE_WARPS * 32, MERGE_BLOCKS)
{
  const uint32_t index = (uint32_t)block->index, pair_blocks = (uint32_t)args->pair_blocks; /* a quick division */
  const iw_merge_args of = args->run ? merge_of_pair(args, index / pair_blocks) : *args;
  const uint64_t part = args->run ? index % pair_blocks : index, is_longer = part < args->longer_blocks;
  const uint64_t begin = (part * args->block_tiles + (is_longer ? part : args->longer_blocks)) * args->tile;
  const uint64_t end = begin + (args->block_tiles + is_longer) * args->tile, total = of.a_count + of.b_count;
  if (begin < total) merge_tiles(block, &of, begin, end < total ? end : total, shared); /* the last runs may be shorter */
}
