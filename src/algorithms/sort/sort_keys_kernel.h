/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel template: writes the sort key of each element. The sort itself knows no function. Layer: kernel
 * template; installed, as a user's function becomes a kernel here (include/isowarp/make_sort_key.h). It must
 * not know the host's runtime.
 *
 * Parameters, which the includer undefines:
 *   T   the keys' type, one of the six types
 *   BY  names the instance: the kernel is sort_keys_BY, and its function that of an IW_TRANSFORM(BY, T, S)
 */
#include <isowarp/algorithms/common/names.h>
#include <isowarp/algorithms/sort/key_args.h>

#ifndef ISOWARP_SORT_KEYS_KERNEL_H
#define ISOWARP_SORT_KEYS_KERNEL_H
enum { SORT_KEYS_LOADS = 4 };           /* in flight */
#endif

IW_KERNEL(IW_JOIN(sort_keys, BY), iw_no_shared, iw_sort_keys_args)
{
  IW_PHASE(warp) {
    const IW_PASTE(iws_, BY) *const in = (const IW_PASTE(iws_, BY) *)args->in;
    SCALAR *const keys = (SCALAR *)args->keys;
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_SORT_KEYS_CHUNK;
    const uint64_t end = first + IW_SORT_KEYS_CHUNK < args->n ? first + IW_SORT_KEYS_CHUNK : args->n;
    for (uint64_t at = first; at < end; at += SORT_KEYS_LOADS * IW_WARP_SIZE) {
      LANES x[SORT_KEYS_LOADS];
      IW_UNROLL for (int k = 0; k < SORT_KEYS_LOADS; k++)
        x[k] = IW_JOIN(iw_load, BY)(in + at + k * IW_WARP_SIZE, iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE));
      IW_UNROLL for (int k = 0; k < SORT_KEYS_LOADS; k++)
        OF_T(iw_store)(keys + at + k * IW_WARP_SIZE, x[k], iw_lanes_below((int64_t)(end - at) - k * IW_WARP_SIZE));
    }
  }
}
