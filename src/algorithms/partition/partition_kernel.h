/* SPDX-License-Identifier: Apache-2.0
 *
 * Template of the stable partition and select kernels: one pass over memory with decoupled look-back
 * (Merrill and Garland 2016), like CUB's AgentSelectIf. A block flags the elements of a tile, counts the
 * selected ones and publishes the count as the tile's aggregate. Once the counts of all earlier tiles are
 * known (common/look_back.h) it knows where the tile's selected and rejected elements go. Both keep their
 * order. Elements are moved as bits.
 *
 * There are two schedules, chosen by the policy PARTITION_REREAD in tuning_cpu.h and tuning_cuda.h, which
 * also has the tile size:
 * - agent_staged.h, on GPUs: blocks of several warps pack a tile in shared memory and store it a round
 *   later; agent_waiting.h, of short arrays a block waits for all tiles before its own.
 * - agent_reread.h, on CPUs: a single warp queues the tile and reads it again from its cache once its prefix
 *   is known.
 *
 * Layer: kernel template; installed, as a user's predicate becomes a kernel here
 * (include/isowarp/make_predicate.h). It must not know the host's runtime, or a target other than by its
 * policy. No policy can change a bit of a result.
 *
 * Parameters of an instance. The includer undefines T; the others are undefined here:
 *   T            u32 or u64, with BIT_FLAGS also u8 and u16: the elements as bits
 *   BY           names the instance: the kernel is partition_BY, and its test iw_pred iw_test_BY(args, lanes
 *                of T)
 *   BYTE_FLAGS   if defined, there is no test: bytes args->flags that are not 0 select
 *   BIT_FLAGS    if defined, there is no test: bits args->flag_bits select, which an earlier launch stored.
 *                1 or 2 elements have a bit in common (2: values of 16 bytes, as pairs of u64)
 *   HEADS        if defined, there is no test: an element that differs from the one before it is selected,
 *                and element 0
 *   RUN_LENGTHS  with HEADS, on GPUs: the kernel writes run lengths too, and takes iw_partition_runs_args
 *   INDEX_INPUT  if defined, args->index_input makes indices the elements (with BIT_FLAGS)
 *   SHORT        if defined, on GPUs: the kernel is partition_short_BY, for short arrays (agent_waiting.h)
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/look_back.h>
#include <isowarp/algorithms/common/tuning.h>
#include <isowarp/algorithms/partition/args.h>

#ifndef ISOWARP_PARTITION_KERNEL_H
#define ISOWARP_PARTITION_KERNEL_H
static_assert(PARTITION_PIPELINE_DEPTH >= 1, "PARTITION_PIPELINE_DEPTH is at least 1");
static_assert(!PARTITION_REREAD || PARTITION_WARPS == 1, "PARTITION_REREAD is for one warp");
static_assert(PARTITION_WARPS <= 32, "one warp adds up the counts of all");
static_assert(PARTITION_TILE_BYTES >= IW_PARTITION_MIN_TILE_BYTES && PARTITION_TILE_ELEMENTS >= IW_PARTITION_MIN_TILE_BYTES / 4,
              "the host allocates tile states for tiles of at least IW_PARTITION_MIN_TILE_BYTES bytes");

/* A single block counts by itself where the rejected elements begin, if no launch has counted before it. */
IW_FN int partition_counts_itself(const iw_partition_args *args)
{
  return args->block_counts && !args->counted_blocks;
}

/* Writes the length of run i. */
IW_FN void set_run_length(const iw_partition_runs_args *args, uint64_t i, uint64_t length)
{
  if (args->lengths_width == 4) iw_set_u32((uint32_t *)args->lengths + i, (uint32_t)length);
  else iw_set_u64((uint64_t *)args->lengths + i, length);
}
#endif

#ifdef SHORT
#define KERNEL_STEM partition_short
#else
#define KERNEL_STEM partition
#endif
#define FN(name) IW_JOIN(IW_JOIN(KERNEL_STEM, name), BY)  /* FN(pack_tile): partition_pack_tile_f32 */
#define KERNEL IW_JOIN(KERNEL_STEM, BY)
#define SHARED FN(shared)
#if defined(BIT_FLAGS)
#define ELEMENTS_PER_FLAG BIT_FLAGS
#else
#define ELEMENTS_PER_FLAG 1
#endif
#if defined(BIT_FLAGS) || defined(BYTE_FLAGS)
#define TESTS_ELEMENTS 0
#else
#define TESTS_ELEMENTS 1
#endif
#define TILE_OF_BYTES (PARTITION_TILE_BYTES / (int)sizeof(SCALAR))
#ifdef SHORT
#define TILE ((int)IW_PARTITION_SHORT_TILE)
#else
#define TILE (TILE_OF_BYTES < PARTITION_TILE_ELEMENTS ? TILE_OF_BYTES : PARTITION_TILE_ELEMENTS)
#endif
#define CHUNK_ROWS (TILE / IW_ROW(T) / PARTITION_WARPS)     /* a warp's part of a tile */
#define CHUNK (CHUNK_ROWS * IW_ROW(T))
static_assert(sizeof(SCALAR) == 1 || sizeof(SCALAR) == 2 || sizeof(SCALAR) == 4 || sizeof(SCALAR) == 8, "T is bits of 1, 2, 4 or 8 bytes");
static_assert(sizeof(SCALAR) >= 4 || !TESTS_ELEMENTS, "tests take elements of 4 or 8 bytes; narrower ones move by bit flags");
static_assert(TILE / ELEMENTS_PER_FLAG <= IW_PARTITION_MAX_TILE_ELEMENTS && IW_PARTITION_MAX_TILE_ELEMENTS % (TILE / ELEMENTS_PER_FLAG) == 0,
              "the host allocates flag bits for whole tiles");
static_assert(CHUNK_ROWS >= 1 && CHUNK_ROWS * PARTITION_WARPS * IW_ROW(T) == TILE, "a warp's chunk is whole rows");

#if PARTITION_REREAD
#include <isowarp/algorithms/partition/agent_reread.h>
#else
#include <isowarp/algorithms/partition/agent_staged.h>
#endif

#undef KERNEL_STEM
#undef FN
#undef KERNEL
#undef SHARED
#undef ELEMENTS_PER_FLAG
#undef TESTS_ELEMENTS
#undef TILE_OF_BYTES
#undef TILE
#undef CHUNK_ROWS
#undef CHUNK
#undef BY
#undef BYTE_FLAGS
#undef BIT_FLAGS
#undef HEADS
#undef RUN_LENGTHS
#undef INDEX_INPUT
#undef SHORT
