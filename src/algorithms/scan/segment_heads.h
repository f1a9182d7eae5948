/* SPDX-License-Identifier: Apache-2.0
 *
 * The first launch of a segmented scan: kernels that make head bits, bit i set if element i begins a
 * segment, of flags or of keys. Short scans on GPUs have no such launch (agent_waiting.h).
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

DEFINE_KEY_HEADS(32, u32)
DEFINE_KEY_HEADS(64, u64)
