/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of passes that read the keys once, for GPUs; part of the template radix_split_kernel.h. After
 * A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
 *   radix_digit_counts  counts the digits of all passes, which no pass changes, in one read; the last block
 *                       plans the passes (digit_plan.h)
 *   radix_onesweep      moves a tile as multisplit_move does. A tile publishes its count of each digit and
 *                       learns from the tiles before it where its elements of that digit begin
 *                       (common/look_back.h)
 *
 * The order of publication is that of common/look_back.h.
 */
typedef struct {
  uint32_t counters[IW_MAX_COUNTED_DIGITS * IW_RADIX_DIGITS * IW_COUNT_REPLICAS];
  uint32_t varies[IW_MAX_PASSES];
} multisplit_digit_counts_shared;

/* Counts a block's chunk. */
IW_FN void multisplit_count_digits_of_chunk(iw_block *block, const iw_digit_counts_args *args, multisplit_digit_counts_shared *shared)
{
  const uint32_t end = (uint32_t)args->digit_count * IW_RADIX_DIGITS, step = block->warps * IW_WARP_SIZE;
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d < end * IW_COUNT_REPLICAS; d += step)
      iw_store(shared->counters + d, iw_splat(0u), iw_lanes_below(IW_WARP_SIZE));
  }
  IW_PHASE(warp) {
    const multisplit_digits digits = { &args->order, (int)args->digit_count, args->shifts, args->masks };
    const uint64_t at = block->index * args->chunk, left = at < args->n ? args->n - at : 0;
    multisplit_count_digits(block, &digits, args->keys, args->key_bytes, warp, at, at + (left < args->chunk ? left : args->chunk),
                            shared->counters, IW_RADIX_DIGITS);
  }
  IW_PHASE(warp) {
    for (uint32_t d = warp * IW_WARP_SIZE; d < end; d += step) {
      const uint32_t *const table = shared->counters + d / IW_RADIX_DIGITS * IW_RADIX_DIGITS * IW_COUNT_REPLICAS + d % IW_RADIX_DIGITS;
      iw_u32 sum = iw_load(table, iw_lanes_below(IW_WARP_SIZE));
      for (int k = 1; k < IW_COUNT_REPLICAS; k++)
        sum = iw_add(sum, iw_load(table + k * IW_RADIX_DIGITS, iw_lanes_below(IW_WARP_SIZE)));
      iw_global_add_noreturn(args->plan.counts + args->first * IW_RADIX_DIGITS, iw_add(iw_splat(d), iw_lane()), iw_to_u64(sum),
                             iw_gt(sum, iw_splat(0u)));
    }
  }
}

IW_KERNEL_NO_SPECIALIZATION(radix_digit_counts, multisplit_digit_counts_shared, iw_digit_counts_args, MULTISPLIT_COUNT_WARPS * 32,
                            MULTISPLIT_COUNT_BLOCKS)
{
  const int needed = !args->needed || iw_get_u32(args->needed);
  if (needed) multisplit_count_digits_of_chunk(block, args, shared);
  if (args->plan.blocks_done && iw_is_last_block(args->plan.blocks_done))
    multisplit_plan_passes(block, &args->plan, args->n, needed, shared->varies);
}

IW_KERNEL_NO_SPECIALIZATION(radix_onesweep, multisplit_shared, iw_radix_args, MULTISPLIT_WARPS * 32, MULTISPLIT_BLOCKS)
{
  IW_VAR(multisplit_items, items);
  uint32_t index;
  if (!multisplit_runs(args)) return;
  const uint32_t epoch = iw_tickets_open(args->tickets, &index);
  if (args->part == IW_MULTISPLIT_SHORT_TILE)
    multisplit_move_block(block, args, shared, index, 1, epoch, items, MULTISPLIT_SHORT_ITEMS_PER_LANE);
  else multisplit_move_block(block, args, shared, index, 1, epoch, items, MULTISPLIT_ITEMS_PER_LANE);
  iw_tickets_close(args->tickets);
}
