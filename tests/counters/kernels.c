/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose counts can be computed by hand: each has one or two operations of the language without a
 * loop, so that one run by one warp executes each instruction of the disassembly once. They run on the
 * simulated GPU (check_sim_counters), are compared with the disassembly (sass_counters.sh) and are profiled
 * (ncu_counters.sh). Every access kernel loads each lane's index first: 1 load, 1 request, 4 sectors. Those
 * on global memory load it for the lanes that take part, as the compiler does in any case.
 */
#include <isowarp/kernel.h>
#include <isowarp/primitives.h>
#include "counters/args.h"

typedef struct words_32 { uint32_t of[2048]; } words_32;
typedef struct words_64 { uint64_t of[1024]; } words_64;

#define INDEX() const iw_pred some = iw_pred_of(args->lanes); const iw_u32 index = iw_load(args->index, some)
#define INDEX_OF_ALL() const iw_u32 index = iw_load(args->index, iw_lanes_below(32)); const iw_pred some = iw_pred_of(args->lanes)

/* ---- Global memory ---- */

IW_KERNEL(gather_u32, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_store(args->out, iw_gather(args->in, index, some), iw_lanes_below(32)); } }
IW_KERNEL(gather_u64, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_store((uint64_t *)args->out, iw_gather((const uint64_t *)args->in, index, some), iw_lanes_below(32)); } }
IW_KERNEL(gather_u8, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_store(args->out, iw_gather_u8((const uint8_t *)args->in, index, some), iw_lanes_below(32)); } }
IW_KERNEL(load_half, iw_no_shared, counter_args)
{ IW_PHASE(warp) { iw_store(args->out, iw_load(args->in, iw_lanes_below(args->n)), iw_lanes_below(args->n)); } }
IW_KERNEL(scatter_u32, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_scatter(args->out, index, index, some); } }
IW_KERNEL(scatter_u64, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_scatter((uint64_t *)args->out, index, iw_to_u64(index), some); } }
IW_KERNEL(row_copy, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const iw_row_u32_pending x = iw_row_issue_u32(args->in, IW_FULL_ROW, 0);
    iw_row_store_u32(args->out, iw_row_wait_u32(x), IW_FULL_ROW, 0);
  }
}
IW_KERNEL(row_copy_partial, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const iw_row_u32_pending x = iw_row_issue_u32(args->in, args->n, 0);
    iw_row_store_u32(args->out, iw_row_wait_u32(x), args->n, 0);
  }
}
IW_KERNEL(uniform, iw_no_shared, counter_args)
{ IW_PHASE(warp) { iw_set(args->out, iw_get(args->in) + 1); } }

/* ---- Shared memory ---- */

#define FILL(t) iw_store(shared->of, iw_to_##t(index), iw_lanes_below(32))
IW_KERNEL(shared_gather_u32, words_32, counter_args)
{ IW_PHASE(warp) { INDEX_OF_ALL(); FILL(u32); iw_store(args->out, iw_gather(shared->of, index, some), iw_lanes_below(32)); } }
IW_KERNEL(shared_gather_u64, words_64, counter_args)
{ IW_PHASE(warp) { INDEX_OF_ALL(); FILL(u64); iw_store((uint64_t *)args->out, iw_gather(shared->of, index, some), iw_lanes_below(32)); } }
IW_KERNEL(shared_scatter_u32, words_32, counter_args)
{ IW_PHASE(warp) { INDEX_OF_ALL(); iw_scatter(shared->of, index, index, some); iw_store(args->out, iw_load(shared->of, iw_lanes_below(32)), iw_lanes_below(32)); } }
IW_KERNEL(shared_row, words_32, counter_args)
{
  IW_PHASE(warp) {
    const iw_row_u32_pending x = iw_row_issue_u32(args->in, IW_FULL_ROW, 0);
    iw_row_store_shared_u32(shared->of, iw_row_wait_u32(x));
  }
  IW_PHASE(warp) { iw_row_store_u32(args->out, iw_row_load_shared_u32(shared->of), IW_FULL_ROW, 0); }
}

/* ---- Atomics: clear, count, and store the counters ---- */

#define RESULT(t) iw_store((uint##t##_t *)args->out, iw_load(shared->of, iw_lanes_below(32)), iw_lanes_below(32))
#define SHARED_ATOMIC(name, type, bits, ...) \
  IW_KERNEL(name, type, counter_args) { IW_PHASE(warp) { INDEX_OF_ALL(); iw_store(shared->of, iw_splat((uint##bits##_t)0), iw_lanes_below(32)); \
    __VA_ARGS__; (void)index; } IW_PHASE(warp) { RESULT(bits); } }
SHARED_ATOMIC(count_in, words_32, 32, iw_count_in(block, shared->of, index, some))
SHARED_ATOMIC(count_u16_in, words_32, 32, iw_count_u16_in(block, shared->of, index, some))
IW_KERNEL(shared_add_one, words_32, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat(0u), iw_lanes_below(32));
    iw_shared_add(shared->of, index, iw_splat(1u), some);
  }
  IW_PHASE(warp) { RESULT(32); }
}
IW_KERNEL(shared_add_two, words_32, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat(0u), iw_lanes_below(32));
    iw_shared_add(shared->of, index, iw_splat(2u), some);
  }
  IW_PHASE(warp) { RESULT(32); }
}
IW_KERNEL(shared_add_result, words_32, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat(0u), iw_lanes_below(32));
    const iw_u32 was = iw_shared_add(shared->of, index, iw_splat(1u), some);
    iw_store(args->out, was, iw_lanes_below(32));
  }
}
IW_KERNEL(shared_exchange_u64, words_64, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat((uint64_t)0), iw_lanes_below(32));
    const iw_u64 was = iw_shared_exchange(shared->of, index, iw_to_u64(index), some);
    iw_store((uint64_t *)args->out, was, iw_lanes_below(32));
  }
}
IW_KERNEL(shared_add_u64, words_64, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat((uint64_t)0), iw_lanes_below(32));
    iw_shared_add(shared->of, index, iw_to_u64(index), some);
  }
  IW_PHASE(warp) { RESULT(64); }
}
IW_KERNEL(global_add_u32, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    INDEX();
    iw_global_add(args->out, index, index, some);
  }
}
IW_KERNEL(global_add_result, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    INDEX();
    const iw_u32 was = iw_global_add(args->out, index, index, some);
    iw_store(args->out + 1024, was, iw_lanes_below(32));
  }
}
IW_KERNEL(global_add_noreturn, iw_no_shared, counter_args)
{ IW_PHASE(warp) { INDEX(); iw_global_add_noreturn_u64(block, args->words, index, iw_to_u64(index), some); } }

/* ---- Lanes, barriers, blocks ---- */

IW_KERNEL(shuffles, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in, iw_lanes_below(32));
    iw_store(args->out, iw_add(iw_shuffle_xor(x, 1, 32), iw_shuffle_up(x, 2, 32)), iw_lanes_below(32));
  }
}
IW_KERNEL(warp_sum_u64, iw_no_shared, counter_args)
{ IW_PHASE(warp) { iw_set(args->words, iw_warp_sum(iw_load((const uint64_t *)args->in, iw_lanes_below(32)))); } }
IW_KERNEL(votes, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const iw_u32 x = iw_load(args->in, iw_lanes_below(32));
    const iw_pred odd = iw_ne(iw_and(x, iw_splat(1u)), iw_splat(0u));
    iw_set(args->out, iw_popcount_of(odd));
  }
}
IW_KERNEL(ranks, words_32, counter_args)
{
  IW_PHASE(warp) {
    INDEX_OF_ALL();
    iw_store(shared->of, iw_splat(0u), iw_lanes_below(32));
    iw_store(args->out, iw_rank_in(shared->of, index, some), iw_lanes_below(32));
  }
}
IW_KERNEL(all_lanes, iw_no_shared, counter_args)
{ IW_PHASE(warp) { iw_set(args->out, (uint32_t)iw_all(iw_ne(iw_load(args->in, iw_lanes_below(32)), iw_splat(7u)))); } }
IW_KERNEL(warp_prefix, iw_no_shared, counter_args)
{ IW_PHASE(warp) { iw_store(args->out, iw_exclusive_prefix_sum(iw_load(args->in, iw_lanes_below(32))), iw_lanes_below(32)); } }
IW_KERNEL(fold, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    iw_u32 before;
    const uint32_t sum = iw_fold_sum(1u, iw_load(args->in, iw_lanes_below(32)), &before);
    iw_store(args->out, iw_add(before, iw_splat(sum)), iw_lanes_below(32));
  }
}
IW_KERNEL(row_scan, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const iw_row_u32 x = iw_row_wait_u32(iw_row_issue_u32(args->in, IW_FULL_ROW, 0));
    iw_row_store_u32(args->out, iw_row_inclusive_prefix_sum_u32(x), IW_FULL_ROW, 0);
  }
}
IW_KERNEL(block_prefix, iw_no_shared, counter_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) { IW_MY(x) = iw_load(args->in + 32 * warp, iw_lanes_below(32)); }
  iw_block_inclusive_prefix_sum(x, x);
  IW_PHASE(warp) { iw_store(args->out + 32 * warp, IW_MY(x), iw_lanes_below(32)); }
}
IW_KERNEL(barriers, iw_no_shared, counter_args)
{
  uint32_t *const out = args->out + block->index * 256;
  IW_PHASE(warp) { iw_set(out + warp, 1u); }
  IW_PHASE(warp) { iw_set(out + warp + 64, 2u); }
}
IW_KERNEL(block_sum, iw_no_shared, counter_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) { IW_MY(x) = iw_load(args->in + 32 * warp, iw_lanes_below(32)); }
  const uint32_t sum = iw_block_sum(x);
  IW_PHASE(warp) { iw_set(args->out + warp, sum); }
}
IW_KERNEL(publish_poll, iw_no_shared, counter_args)
{
  IW_PHASE(warp) { iw_publish(args->words, 0, 4 * 1 + 1, args->n); }
  IW_PHASE(warp) {
    const iw_polled_u32 seen = iw_poll_u32(args->words, 0, 0, 1);
    iw_store(args->out, iw_add(seen.value, seen.flag), iw_lanes_below(32));
  }
}

/* ---- Bad patterns ---- */

/* Thread t loads element t * n. */
IW_KERNEL(strided_loads, iw_no_shared, counter_args)
{
  IW_PHASE(warp) {
    const unsigned thread = (unsigned)block->index * block->threads + warp * IW_WARP_SIZE;
    const iw_u32 at = iw_mul(iw_iota_u32(thread), iw_splat(args->n));
    iw_store(args->out + thread, iw_gather(args->in, at, iw_active(warp)), iw_active(warp));
  }
}
/* Transposes tiles of 32 x 32 through shared memory without padding: a column lies in one bank. n: tiles in
 * a row. */
IW_KERNEL(transpose, words_32, counter_args)
{
  const size_t width = 32 * (size_t)args->n, row = block->index / args->n, column = block->index % args->n;
  IW_PHASE(warp) {
    for (unsigned y = warp; y < 32; y += block->warps)
      iw_store(shared->of + 32 * y, iw_load(args->in + (32 * row + y) * width + 32 * column, iw_lanes_below(32)), iw_lanes_below(32));
  }
  IW_PHASE(warp) {
    for (unsigned y = warp; y < 32; y += block->warps)
      iw_store(args->out + (32 * column + y) * width + 32 * row,
               iw_gather(shared->of, iw_add(iw_mul(iw_lane(), iw_splat(32u)), iw_splat(y)), iw_lanes_below(32)), iw_lanes_below(32));
  }
}
