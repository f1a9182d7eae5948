/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of elements' buckets, of as few bytes as hold the last one. Compiled once per T, any of the eight types, and
 * rule: BY names it, an iw_u32 iw_number_BY(args, lanes of T, some), open where not `some`. ARGS is an iw_number_args, or
 * begins with one.
 */
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>

#define OF_BY(name) IW_JOIN(name, BY)

#ifndef IW_TEXT_NUMBER_H
#define IW_TEXT_NUMBER_H
typedef struct number_shared { int unused; } number_shared;

IW_FN void number_store(iw_block *block, const iw_number_args *to, uint64_t at, iw_u32 number, iw_pred some)
{
  const iw_u32 last = iw_splat(to->last);
  if (to->beyond && iw_any(iw_both(some, iw_gt(number, last))))
    iw_global_max(to->beyond, iw_splat(0u), iw_splat(1u), iw_lanes_below(1));
  number = iw_min(number, last);
  if (to->bytes == 1) iw_store_u8((uint8_t *)to->numbers + at, number, some);
  else if (to->bytes == 2) iw_store_u16((uint16_t *)to->numbers + at, number, some);
  else iw_store_u32((uint32_t *)to->numbers + at, number, some);
}
#endif

IW_KERNEL(OF_BY(number), number_shared, ARGS)
{
  IW_PHASE(warp) {
    const ARGS rule = *args;
    const iw_number_args *const to = (const iw_number_args *)&rule;
    const SCALAR *const in = (const SCALAR *)to->in;
    const uint64_t first = (block->index * block->warps + warp) * IW_NUMBER_CHUNK;
    const uint64_t end = first + IW_NUMBER_CHUNK < to->n ? first + IW_NUMBER_CHUNK : to->n;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    uint64_t at = first;
    for (; at + NUMBER_AHEAD * IW_WARP_SIZE <= end; at += NUMBER_AHEAD * IW_WARP_SIZE) {
      IW_PASTE(iw_, IW_PASTE(IW_HELD_, T)) x[NUMBER_AHEAD];
      IW_UNROLL for (int k = 0; k < NUMBER_AHEAD; k++) x[k] = OF_T(iw_load)(in + at + k * IW_WARP_SIZE, all);
      IW_UNROLL for (int k = 0; k < NUMBER_AHEAD; k++)
        number_store(block, to, at + k * IW_WARP_SIZE, OF_BY(iw_number)(&rule, x[k], all), all);
    }
    for (; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      number_store(block, to, at, OF_BY(iw_number)(&rule, OF_T(iw_load)(in + at, some), some), some);
    }
  }
}

#undef OF_BY
