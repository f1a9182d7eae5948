/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel deinterleave_T: splits interleaved channels into one array each. Kernel template, compiled once per
 * T (u8, u16, u32, u64). A warp moves IW_DEINTERLEAVE_CHUNK elements of each channel. With NARROW, for
 * elements of 1 and 2 bytes, it loads whole words where it can: elements of an incomplete last word, and of
 * arrays that are not aligned to words, are loaded one by one.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/histogram/args.h"

#define FN(name) IW_JOIN(name, T)
#ifdef NARROW
#include "algorithms/histogram/deinterleave_words.h"
#endif

IW_KERNEL(FN(deinterleave), iw_no_shared, iw_deinterleave_args)
{
  IW_PHASE(warp) {
    const uint64_t first = (block->index * block->warps + warp) * IW_DEINTERLEAVE_CHUNK;
    const uint64_t channels = args->channels, n = args->n;
    const SCALAR *const in = (const SCALAR *)args->in;
    SCALAR *const out = (SCALAR *)args->out;
    const iw_u32 step = iw_mul(iw_lane(), iw_splat((uint32_t)channels));
#ifdef NARROW
    const uint64_t whole = FN(deinterleave_whole)(in, n * channels);
#endif
    for (uint64_t at = first; at < first + IW_DEINTERLEAVE_CHUNK && at < n; at += IW_WARP_SIZE) {
      const iw_pred valid = iw_lanes_below((int64_t)(n - at));
#ifdef NARROW
      if ((at + IW_WARP_SIZE) * channels <= whole) FN(deinterleave_words)(args, at, step, valid);
      else
#endif
      for (uint64_t c = 0; c < channels; c++)
        FN(iw_store)(out + c * n + at, FN(iw_gather)(in + at * channels + c, step, valid), valid);
    }
  }
}

#undef FN
