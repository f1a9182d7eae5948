/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel multisplit_offsets: where each bucket begins among keys that are sorted, after more than one radix
 * pass. Each lane finds by binary search how many keys are less than its bucket. Part of the template
 * radix_split_kernel.h.
 */

/* The keys at these indices. */
IW_FN iw_u64 multisplit_gather_keys(const iw_bucket_offsets_args *args, iw_u64 at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return iw_to_u64(iw_gather_far_u8((const uint8_t *)args->keys, at, some));
  case 2: return iw_to_u64(iw_gather_far_u16((const uint16_t *)args->keys, at, some));
  case 4: return iw_to_u64(iw_gather_far((const uint32_t *)args->keys, at, some));
  default: return iw_gather_far((const uint64_t *)args->keys, at, some);
  }
}

IW_KERNEL(multisplit_offsets, iw_no_shared, iw_bucket_offsets_args)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_WARP_SIZE;
    const iw_pred some = iw_lanes_below((int64_t)(args->buckets + 1 - first));
    const iw_u64 bucket = iw_add(iw_to_u64(iw_lane()), iw_splat(first));
    iw_u64 below = iw_splat((uint64_t)0);                   /* invariant: at least so many keys are less */
    for (unsigned step = args->steps; step-- > 0;) {
      const iw_u64 next = iw_add(below, iw_splat((uint64_t)1 << step));
      const iw_pred there = iw_and_pred(some, iw_le(next, iw_splat(args->n)));
      const iw_u64 at = iw_sub(next, iw_splat((uint64_t)1));
      const iw_u64 id = iw_and_u64(iw_shr_u64(multisplit_gather_keys(args, at, there), iw_splat((uint64_t)args->shift)),
                                   iw_splat(args->mask));
      below = iw_select(iw_and_pred(there, iw_lt(id, bucket)), next, below);
    }
    iw_store(args->offsets + first, below, some);
  }
}
