/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel sort_finish: sorts keys of 8 bytes whose upper bits are sorted, by insertion, which takes little time if few keys have equal upper
 * bits. So a sort on a CPU needs passes over as many upper bits as tell most keys apart, and not over all. Each block takes the keys
 * of the groups of equal upper bits that begin in its chunk. Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/sort/args.h"

enum { SORT_FINISH_MOST_MOVES = 64 };   /* of keys for one; with more, insertion would take long */

IW_FN uint64_t sort_finish_upper(const iw_sort_finish_args *args, uint64_t at)
{
  return iw_total_rank(&args->order, iw_get_u64(args->keys + at)) & args->upper;
}

/* Moves key `at` to its place behind `first`. Returns whether that took few moves. */
IW_FN int sort_finish_insert(const iw_sort_finish_args *args, uint64_t first, uint64_t at)
{
  const uint64_t key = iw_get_u64(args->keys + at), rank = iw_total_rank(&args->order, key);
  uint64_t to = at, before = iw_get_u64(args->keys + at - 1);
  if (iw_total_rank(&args->order, before) <= rank) return 1;
  do {
    iw_set_u64(args->keys + to, before);
    if (--to == first) break;
    before = iw_get_u64(args->keys + to - 1);
  } while (iw_total_rank(&args->order, before) > rank);
  iw_set_u64(args->keys + to, key);
  return at - to <= SORT_FINISH_MOST_MOVES;
}

IW_KERNEL_NO_SPECIALIZATION(sort_finish, iw_no_shared, iw_sort_finish_args, 32, 1)
{
  IW_PHASE(warp) {
    (void)warp;
    uint64_t at = (uint64_t)block->index * args->chunk;
    const uint64_t end = args->chunk < args->n - at ? at + args->chunk : args->n;
    if (at) /* the block before has this group */
      for (uint64_t upper = sort_finish_upper(args, at - 1); at < end && sort_finish_upper(args, at) == upper;) at++;
    const uint64_t first = at++;
    int few = 1;
    for (; few && at < end; at++) few = sort_finish_insert(args, first, at);
    if (first < end)
      for (uint64_t upper = sort_finish_upper(args, end - 1); few && at < args->n && sort_finish_upper(args, at) == upper; at++)
        few = sort_finish_insert(args, first, at);
    iw_set_u32(&args->unfinished[block->index], !few);
  }
}
