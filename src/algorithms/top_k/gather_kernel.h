/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel top_k_gather: gathers samples of rows, or what is wanted of sorted rows. Kernel template without
 * parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/top_k/args.h"

/* The places of a sample's keys in their row. */
IW_FN iw_u64 top_k_places(uint64_t row_elements, uint64_t log2_sample, iw_u64 element)
{
  iw_u32 hash = iw_mul(iw_to_u32(element), iw_splat(0x9e3779b1u)); /* the finaliser of MurmurHash3 (Appleby) */
  hash = iw_mul(iw_xor(hash, iw_shr(hash, iw_splat(16u))), iw_splat(0x85ebca6bu));
  hash = iw_mul(iw_xor(hash, iw_shr(hash, iw_splat(13u))), iw_splat(0xc2b2ae35u));
  hash = iw_xor(hash, iw_shr(hash, iw_splat(16u)));
  /* floor((element + hash / 2^32) * row_elements / 2^log2_sample), of the upper 24 bits of the hash. */
  const iw_u64 spread = iw_splat(row_elements), upper = iw_to_u64(iw_shr(hash, iw_splat(8u)));
  const iw_u64 within = iw_shr(iw_mul(upper, spread), iw_splat((uint64_t)24));
  return iw_shr(iw_add(iw_mul(element, spread), within), iw_splat(log2_sample));
}

#define TOP_K_GATHER(T, lanes, less) do { \
    const iw_##lanes x = iw_gather_far_##T((const iws_##T *)args->in, from, some); \
    iw_store_##T((iws_##T *)args->out + at, iw_sub_##lanes(x, less), some); \
  } while (0)

IW_KERNEL_NO_SPECIALIZATION(top_k_gather, iw_no_shared, iw_top_k_gather_args, IW_TOP_K_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * IW_TOP_K_GATHER_CHUNK, total = args->rows * args->count;
    for (uint64_t at = first; at < first + IW_TOP_K_GATHER_CHUNK && at < total; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(total - at));
      const iw_u64 place = iw_iota_u64(at), row = iw_div(place, iw_splat(args->count));
      const iw_u64 element = iw_sub(place, iw_mul(row, iw_splat(args->count)));
      const iw_u64 subtracted = iw_mul(row, iw_splat(args->subtracted));
      const iw_u64 from_row = args->spread ? top_k_places(args->spread, args->spread_bits, element) : element;
      iw_u64 from = iw_add(iw_mul(row, iw_splat(args->stride)), from_row);
      if (args->offsets) from = iw_add(from, iw_gather_far(args->offsets, row, some));
      switch (args->bytes) {
      case 1: TOP_K_GATHER(u8, u32, iw_splat(0u)); break;
      case 2: TOP_K_GATHER(u16, u32, iw_splat(0u)); break;
      case 4: TOP_K_GATHER(u32, u32, iw_to_u32(subtracted)); break;
      default: TOP_K_GATHER(u64, u64, subtracted); break;
      }
    }
  }
}
#undef TOP_K_GATHER
