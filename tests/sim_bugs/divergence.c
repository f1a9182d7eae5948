/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: warps of a block that go different ways, lanes and threads that do not exist, values of other warps,
 * and what stands on the wrong side of a phase's end. See bug.h. On the CPU one thread runs all warps of a block, so
 * some of these give right results there.
 */
#include "bug.h"

typedef struct { uint32_t value; uint32_t sums[1024 / IW_WARP_SIZE]; } value_shared;

/* A value of one warp decides whether the block has another phase. */
IW_KERNEL(warp_decides_for_block, nothing, bug_args)
{
  BUG(int big = 0, (void)0);
  IW_VAR(iw_pred, is_big);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    IW_MY(is_big) = iw_and(iw_gt(x, 1000), here.valid);
    BUG(big = iw_any(IW_MY(is_big)), (void)0);
  }
  if (BUG(big, iw_block_any(is_big))) {
    IW_PHASE(warp) { /* BUG: warp_decides_for_block */
      if (warp == 0)
        iw_set(args->out + block->index, 1);
    }
  } /* BUG: warp_decides_for_block */
}

/* Both branches have a phase; warps of one block take both. */
IW_KERNEL(different_phases, nothing, bug_args)
{
  unsigned mine = 0;
  IW_PHASE(warp) {
    mine = BUG(warp, 0);
  }
  if (mine == 0) {
    IW_PHASE(warp) { /* BUG: different_phases */
      const iw_span here = iw_elements(warp, args->n);
      iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
    }
  } else {
    IW_PHASE(warp) { /* BUG: different_phases */
      const iw_span here = iw_elements(warp, args->n);
      iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
    }
  }
}

/* Each warp counts its own turns of a loop of phases. */
IW_KERNEL(unequal_loops, nothing, bug_args)
{
  unsigned turns = 2;
  IW_VAR(iw_u32, sum);
  IW_PHASE(warp) {
    IW_MY(sum) = iw_splat_u32(0);
    turns = BUG(warp + 1, 2);
  }
  for (unsigned k = 0; k < turns; k++) {
    IW_PHASE(warp) { /* BUG: unequal_loops */
      IW_MY(sum) = iw_add(IW_MY(sum), 1);
    }
  }
  IW_PHASE(warp) { /* BUG: unequal_loops */
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, IW_MY(sum), here.valid);
  }
}

/* Warps without elements leave the kernel, and the others wait for them. */
IW_KERNEL(early_return, nothing, bug_args)
{
  BUG(unsigned elements = 0, (void)0);
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    BUG(elements = here.count, (void)0);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  if (BUG(elements == 0, args->n == 0))
    return; /* BUG: early_return */
  const uint32_t sum = iw_block_sum(x); /* BUG: early_return */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, sum);
  }
}

/* A sum over the warps in a variable of C: a variable of each warp on a GPU, and of the block on the CPU. */
IW_KERNEL(sum_in_a_local, nothing, bug_args)
{
  uint32_t total = 0;
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
    total += iw_warp_sum(IW_MY(x));
  }
  BUG((void)0, total = iw_block_sum(x));
  IW_PHASE(warp) {
    iw_set(args->scratch + BUG(block->index, block->index * block->warps + warp), total); /* BUG: sum_in_a_local */
    if (warp == 0)
      iw_set(args->out + block->index, total);
  }
}

/* A collective of the block gets another thread from each warp. */
IW_KERNEL(unequal_arguments, nothing, bug_args)
{
  unsigned chosen = 0;
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
    chosen = BUG(warp * IW_WARP_SIZE, 0);
  }
  const uint32_t first = iw_block_broadcast(x, chosen); /* BUG: unequal_arguments */
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_splat(first), here.valid);
  }
}

/* Reads the variable of the neighbouring warp, as if it lay in shared memory. */
IW_KERNEL(variable_of_another_warp, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  IW_PHASE(mine) {
    const iw_span here = iw_elements(mine, args->n);
    const unsigned warp = BUG((mine + 1) % block->warps, mine);
    const iw_u32 y = iw_add(IW_MY(x), 1); /* BUG: variable_of_another_warp */
    iw_store(args->out + here.first, y, here.valid); /* BUG: variable_of_another_warp */
    (void)warp;
  }
}

/* Lanes and threads that are not there. */
IW_KERNEL(absent_lane, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 last = iw_broadcast(x, IW_WARP_SIZE - BUG(0, 1)); /* BUG: absent_lane */
    iw_store(args->out + here.first, last, here.valid);
  }
}
IW_KERNEL(absent_thread, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t last = iw_block_broadcast(x, block->threads - BUG(0, 1)); /* BUG: absent_thread */
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_splat(last), here.valid);
  }
}
/* The block's last warp is not full: its last lane is no thread. */
IW_KERNEL(lane_of_partial_warp, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_add(iw_load(args->in + here.first, here.valid), 1);
    const unsigned threads = block->threads - warp * IW_WARP_SIZE;
    const unsigned last = threads < IW_WARP_SIZE ? threads - 1 : IW_WARP_SIZE - 1;
    (void)last;
    const uint32_t v = iw_at(x, BUG(IW_WARP_SIZE - 1, last)); /* BUG: lane_of_partial_warp */
    iw_store(args->out + here.first, iw_splat(v), here.valid); /* BUG: lane_of_partial_warp */
  }
}
IW_KERNEL(width_24, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 y = iw_shuffle_xor(x, 1, BUG(IW_WARP_SIZE / 4 * 3, IW_WARP_SIZE)); /* BUG: width_24 */
    iw_store(args->out + here.first, y, here.valid);
  }
}

/* Between phases each warp of the block performs a store or an atomic. */
IW_KERNEL(atomic_between_phases, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
#ifdef FIXED
  IW_PHASE(warp) {
    if (warp == 0)
      iw_global_add(args->out, 0, sum, one_lane());
  }
#else
  iw_global_add(args->out, 0, sum, one_lane()); /* BUG: atomic_between_phases */
#endif
}
IW_KERNEL(store_between_phases, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
#ifdef FIXED
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(args->out + block->index, sum);
  }
#else
  iw_set(args->out + block->index, sum); /* BUG: store_between_phases */
#endif
}
/* Between phases iw_get reads only what no block of the launch writes. */
IW_KERNEL(get_between_phases, value_shared, bug_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, 5);
  }
  const uint32_t five = BUG(iw_get(&shared->value), iw_block_get(&shared->value)); /* BUG: get_between_phases */
  IW_PHASE(warp) {
    if (warp == 0)
      iw_set(&shared->value, 6); /* BUG: get_between_phases */
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, iw_splat(five), here.valid);
  }
}

/* Compilers reject these where they optimise for the CPU (tests/scripts/rejects.sh), and not for the simulator. */
#if defined(IW_SIM) || defined(FIXED)
IW_KERNEL(phase_left_by_break, value_shared, bug_args)
{
  for (unsigned k = 0; k < 2; k++) {
    IW_PHASE(warp) { /* BUG: phase_left_by_break */
      const iw_span here = iw_elements(warp, args->n);
#ifndef FIXED
      if (here.count == 0)
        break; /* BUG: phase_left_by_break */
#endif
      iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
    }
  }
}
IW_KERNEL(phase_left_by_return, value_shared, bug_args)
{
  IW_PHASE(warp) { /* BUG: phase_left_by_return */
    const iw_span here = iw_elements(warp, args->n);
#ifndef FIXED
    if (here.count == 0)
      return; /* BUG: phase_left_by_return */
#endif
    iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
  }
}
#endif

/* Each warp asks for its own first thread. */
IW_KERNEL(unequal_threads, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t first = iw_block_broadcast(x, BUG(block->first_warp * IW_WARP_SIZE, 0)); /* BUG: unequal_threads */
  IW_PHASE(warp) { iw_store(args->out + iw_elements(warp, args->n).first, iw_splat_u32(first), iw_active(warp)); }
}

/* The block does not have the thread. */
IW_KERNEL(thread_behind_block, nothing, bug_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t last = iw_block_broadcast(x, block->threads - BUG(0, 1)); /* BUG: thread_behind_block */
  IW_PHASE(warp) { iw_store(args->out + iw_elements(warp, args->n).first, iw_splat_u32(last), iw_active(warp)); }
}
