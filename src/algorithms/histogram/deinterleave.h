/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel deinterleave_T: splits interleaved channels into one array each. Kernel template, compiled once per
 * T, a type of lanes (u32, u64); deinterleave_narrow.h is for narrower ones. A warp moves
 * IW_DEINTERLEAVE_CHUNK elements of each channel.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/histogram/args.h"

#define FN(name) IW_JOIN(name, T)

IW_KERNEL(FN(deinterleave), iw_no_shared, iw_deinterleave_args)
{
  IW_PHASE(warp) {
    const uint64_t first = (block->index * block->warps + warp) * IW_DEINTERLEAVE_CHUNK;
    const uint64_t channels = args->channels, n = args->n;
    const SCALAR *const in = (const SCALAR *)args->in;
    SCALAR *const out = (SCALAR *)args->out;
    const iw_u32 step = iw_mul(iw_lane(), iw_splat((uint32_t)channels));
    for (uint64_t at = first; at < first + IW_DEINTERLEAVE_CHUNK && at < n; at += IW_WARP_SIZE) {
      const iw_pred valid = iw_lanes_below((int64_t)(n - at));
      for (uint64_t c = 0; c < channels; c++)
        FN(iw_store)(out + c * n + at, FN(iw_gather)(in + at * channels + c, step, valid), valid);
    }
  }
}

#undef FN
