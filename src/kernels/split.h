/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisplit by the elements' bucket numbers: passes of a radix sort of their order, least digit first, and a move by it. A warp
 * takes a chunk.
 */
#include <isowarp/text/typed.h>
#include "args.h"

typedef struct split_shared { uint32_t counters[IW_SPLIT_WARPS << IW_SPLIT_BITS]; } split_shared; /* digits for each warp */

/* Where a warp's chunk ends. */
IW_FN uint64_t split_end(const iw_split_args *args, uint64_t chunk)
{
  const uint64_t end = (chunk + 1) * args->chunk;
  return end < args->n ? end : args->n;
}

IW_FN iw_u32 split_number(const iw_split_args *args, uint64_t at, iw_pred some)
{
  const void *const p = args->numbers;
  const iw_u32 mask = iw_splat(args->mask), shift = iw_splat(args->shift);
  if (args->bytes == 8) {
    const iw_u64 word = iw_load_u64((const uint64_t *)p + at, some);
    return iw_and_u32(iw_to_u32(iw_shr_u64(word, iw_splat((uint64_t)args->shift))), mask);
  }
  const iw_u32 word = args->bytes == 1 ? iw_load_u8((const uint8_t *)p + at, some)
    : args->bytes == 2 ? iw_load_u16((const uint16_t *)p + at, some) : iw_load_u32((const uint32_t *)p + at, some);
  return iw_and_u32(iw_shr_u32(word, shift), mask);
}

IW_FN iw_u32 split_digit(const iw_split_args *args, iw_u32 number)
{
  return iw_and_u32(iw_shr_u32(number, iw_splat(args->digit_shift)), iw_splat(args->digit_mask));
}

/* Digits d, d + 1, … of this chunk among the counts of all. */
IW_FN iw_u64 split_place_of(const iw_split_args *args, uint64_t chunk, iw_u32 digit)
{
  return iw_add_u64(iw_mul_u64(iw_to_u64(digit), iw_splat(args->chunks)), iw_splat(chunk));
}

IW_FN void split_clear(const iw_split_args *args, uint32_t *counters)
{
  for (uint32_t d = 0; d < args->digits; d += IW_WARP_SIZE)
    iw_store(counters + d, iw_splat(0u), iw_lanes_below((int64_t)args->digits - d));
}

/* How often there is each number. */
IW_KERNEL(split_count, nothing, iw_split_args)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp, end = split_end(args, chunk);
    for (uint64_t at = chunk * args->chunk; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      iw_global_add(args->offsets, split_number(args, at, some), iw_splat((uint64_t)1), some);
    }
  }
}

IW_KERNEL(split_tally, split_shared, iw_split_args)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp, end = split_end(args, chunk);
    uint32_t *const counters = shared->counters + warp * args->digits;
    split_clear(args, counters);
    for (uint64_t at = chunk * args->chunk; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      iw_count(counters, split_digit(args, split_number(args, at, some)), some);
    }
  }
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp;
    for (uint32_t d = 0; chunk < args->chunks && d < args->digits; d += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)args->digits - d);
      const iw_u32 count = iw_load_u32(shared->counters + warp * args->digits + d, some);
      iw_scatter_far(args->counts, split_place_of(args, chunk, iw_add_u32(iw_splat(d), iw_lane())), iw_to_u64(count), some);
    }
  }
}

IW_KERNEL(split_place, split_shared, iw_split_args)
{
  IW_PHASE(warp) {
    const uint64_t chunk = block->index * block->warps + warp, end = split_end(args, chunk);
    uint32_t *const counters = shared->counters + warp * args->digits;
    split_clear(args, counters);
    for (uint64_t at = chunk * args->chunk; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u32 number = split_number(args, at, some), digit = split_digit(args, number);
      const iw_u64 base = iw_gather_far((const uint64_t *)args->counts, split_place_of(args, chunk, digit), some);
      const iw_u64 place = iw_add_u64(base, iw_to_u64(iw_rank_in(counters, digit, some)));
      const iw_u64 order = args->order ? iw_load_u64(args->order + at, some) : iw_add_u64(iw_splat(at), iw_to_u64(iw_lane()));
      iw_scatter_far(args->out_numbers, place, number, some);
      iw_scatter_far(args->out_order, place, order, some);
    }
  }
}

/* Moves elements, or their numbers, to where the order has them. */
IW_KERNEL(split_move, nothing, iw_split_move_args)
{
  IW_PHASE(warp) {
    const uint64_t first = (block->index * block->warps + warp) * 1024, end = first + 1024 < args->n ? first + 1024 : args->n;
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at)), one = iw_lanes_below(1);
      const iw_u64 order = iw_load_u64(args->order + at, some);
      if (!args->in && args->width == 4) iw_store((uint32_t *)args->out + at, iw_to_u32(order), some);
      else if (!args->in) iw_store((uint64_t *)args->out + at, order, some);
      else if (args->width == 4)
        iw_store((uint32_t *)args->out + at, iw_gather_far((const uint32_t *)args->in, order, some), some);
      else if (args->width == 8)
        iw_store((uint64_t *)args->out + at, iw_gather_far((const uint64_t *)args->in, order, some), some);
      else if (args->width == 16) {
        const iw_u64 from = iw_add_u64(order, order), to = iw_to_u64(iw_add_u32(iw_lane(), iw_lane()));
        for (int half = 0; half < 2; half++)
          iw_scatter_far((uint64_t *)args->out + 2 * at + half, to, iw_gather_far((const uint64_t *)args->in + half, from, some), some);
      } else
        for (int l = 0; l < IW_WARP_SIZE && at + l < end; l++) {
          const uint64_t from = iw_at(order, l);
          if (args->width == 1) iw_store_u8((uint8_t *)args->out + at + l, iw_load_u8((const uint8_t *)args->in + from, one), one);
          else iw_store_u16((uint16_t *)args->out + at + l, iw_load_u16((const uint16_t *)args->in + from, one), one);
        }
    }
  }
}
