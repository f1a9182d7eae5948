/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel template: writes the bucket id of each element, in as few bytes as hold the greatest one. The split
 * itself knows no rule (doc/design/sort.md#bucket-rules). Layer: kernel template; installed, as a user's
 * rule becomes a kernel here (include/isowarp/make_bucket_rule.h). It must not know the host's runtime.
 *
 * Parameters, which the includer undefines:
 *   T     u8, u16 or one of the six types; u8 and u16 come in u32 lanes
 *   BY    names the instance: the kernel is bucket_ids_BY, and its rule iw_u32 iw_bucket_id_BY(args, lanes
 *         of T, some), unspecified where not `some`
 *   ARGS  the kernel's arguments: an iw_bucket_ids_args, or a struct that begins with one
 */
#include <isowarp/algorithms/common/installed_args.h>
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/common/tuning.h>

#define FN(name) IW_JOIN(name, BY)

#ifndef ISOWARP_BUCKET_IDS_KERNEL_H
#define ISOWARP_BUCKET_IDS_KERNEL_H
/* Stores ids, clamped to the greatest one, and reports whether any was. */
IW_FN void store_bucket_ids(iw_block *block, const iw_bucket_ids_args *to, uint64_t at, iw_u32 id, iw_pred some)
{
  const iw_u32 last = iw_splat(to->max_id);
  if (to->clamped && iw_any(iw_and_pred(some, iw_gt(id, last))))
    iw_global_max(to->clamped, iw_splat(0u), iw_splat(1u), iw_lanes_below(1));
  id = iw_min(id, last);
  if (to->id_bytes == 1) iw_store_u8((uint8_t *)to->ids + at, id, some);
  else if (to->id_bytes == 2) iw_store_u16((uint16_t *)to->ids + at, id, some);
  else iw_store_u32((uint32_t *)to->ids + at, id, some);
}
#endif

IW_KERNEL(FN(bucket_ids), iw_no_shared, ARGS)
{
  IW_PHASE(warp) {
    const ARGS rule = *args;
    const iw_bucket_ids_args *const to = (const iw_bucket_ids_args *)&rule;
    const SCALAR *const in = (const SCALAR *)to->in;
    const uint64_t first = (block->index * block->warps + warp) * IW_BUCKET_IDS_CHUNK;
    const uint64_t end = first + IW_BUCKET_IDS_CHUNK < to->n ? first + IW_BUCKET_IDS_CHUNK : to->n;
    const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
    uint64_t at = first;
    /* The second loop is enough for one load in flight: a rule is long code, which is compiled once then. */
    for (; BUCKET_ID_LOADS > 1 && at + BUCKET_ID_LOADS * IW_WARP_SIZE <= end; at += BUCKET_ID_LOADS * IW_WARP_SIZE) {
      IW_PASTE(iw_, IW_PASTE(IW_LANES_FOR_, T)) x[BUCKET_ID_LOADS];
      IW_UNROLL for (int k = 0; k < BUCKET_ID_LOADS; k++) x[k] = OF_T(iw_load)(in + at + k * IW_WARP_SIZE, all);
      IW_UNROLL for (int k = 0; k < BUCKET_ID_LOADS; k++)
        store_bucket_ids(block, to, at + k * IW_WARP_SIZE, FN(iw_bucket_id)(&rule, x[k], all), all);
    }
    for (; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      store_bucket_ids(block, to, at, FN(iw_bucket_id)(&rule, OF_T(iw_load)(in + at, some), some), some);
    }
  }
}

#undef FN
