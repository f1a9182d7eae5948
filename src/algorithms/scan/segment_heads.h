/* SPDX-License-Identifier: Apache-2.0
 *
 * The first launch of a segmented scan: kernels that make head bits, bit i set if element i begins a
 * segment, of flags, of keys or of the columns of a matrix. The scan kernel itself (scan_kernel.h) knows
 * head bits only.
 */
#include "algorithms/common/flag_bits.h"

/* The heads are the elements whose flag is not 0. */
IW_KERNEL_NO_SPECIALIZATION(pack_flags, iw_no_shared, iw_flag_bits_args, IW_FLAG_BITS_WARPS * 32, 1)
{
  IW_PHASE(warp) {
    const uint8_t *const flags = (const uint8_t *)args->in;
#define WORD(at, some) iw_ballot_u8(flags + (at), some)
    FOR_EACH_FLAG_WORD(WORD);
#undef WORD
  }
}

DEFINE_KEY_HEADS(32, u32, u32)
DEFINE_KEY_HEADS(64, u64, u64)

/* The heads are the first elements of the rows of a matrix. `next`: elements from `at` to the next head. */
IW_KERNEL_NO_SPECIALIZATION(heads_rows, iw_no_shared, iw_flag_bits_args, IW_FLAG_BITS_WARPS * 32, 1)
{
  const uint64_t columns = args->columns, step = 32 % columns;
  uint64_t each = 0;
  for (uint64_t bit = 0; bit < 32; bit += columns) each |= (uint64_t)1 << bit;
  IW_PHASE(warp)
    for (uint64_t chunk = block->index * block->warps + warp; chunk < args->chunks;
         chunk += block->blocks * block->warps) {
      const uint64_t past = chunk * IW_FLAG_BITS_CHUNK % columns;
      uint64_t next = past ? columns - past : 0;
      for (uint64_t at = chunk * IW_FLAG_BITS_CHUNK; at < (chunk + 1) * IW_FLAG_BITS_CHUNK; at += 32) {
        const uint64_t left = at < args->n ? args->n - at : 0;
        const uint32_t word = next < 32 ? (uint32_t)(each << next) : 0;
        iw_set_u32(args->bits + at / 32, left < 32 ? word & (((uint32_t)1 << left) - 1) : word);
        next = next < step ? next + columns - step : next - step;
      }
    }
}
