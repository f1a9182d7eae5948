/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel sort_finish: sorts keys of 8 bytes whose upper bits are sorted, by insertion, which takes little
 * time if few keys have equal upper bits. So a sort on a CPU needs passes over as many upper bits as tell
 * most keys apart, and not over all. Kernel template without parameters; it must not know the host's
 * runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sort/args.h"

enum { SORT_FINISH_MOST_MOVES = 64 };   /* of keys for one; with more, insertion would take long */

/* Moves key `at` to its place behind `first`. Returns whether that took few moves. */
IW_FN int sort_finish_insert(const iw_sort_finish_args *args, uint64_t first, uint64_t at)
{
  const uint64_t key = iw_get_u64(args->keys + at), rank = iw_total_rank_of_one(&args->order, key);
  uint64_t to = at, before = iw_get_u64(args->keys + at - 1);
  if (iw_total_rank_of_one(&args->order, before) <= rank) return 1;
  do {
    iw_set_u64(args->keys + to, before);
    if (--to == first) break;
    before = iw_get_u64(args->keys + to - 1);
  } while (iw_total_rank_of_one(&args->order, before) > rank);
  iw_set_u64(args->keys + to, key);
  return at - to <= SORT_FINISH_MOST_MOVES;
}

IW_KERNEL_NO_SPECIALIZATION(sort_finish, iw_no_shared, iw_sort_finish_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    const uint64_t first = iw_get_u64(args->begins + block->index), end = iw_get_u64(args->begins + block->index + 1);
    int few = 1;
    for (uint64_t at = first + 1; few && at < end; at++) few = sort_finish_insert(args, first, at);
    iw_set_u32(&args->unfinished[block->index], !few);
  }
}
