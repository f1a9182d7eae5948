/* SPDX-License-Identifier: Apache-2.0
 *
 * The first launch of a segmented scan on CPUs: kernels that make head bits, bit i set if element i begins a
 * segment, of flags or of keys. On GPUs the scan makes them itself (agent_pipelined.h). Where runs are
 * found in several launches (iw_mark_runs() of partition.c), these kernels flag their heads on all devices.
 */
#include "algorithms/common/flag_bits.h"
#include "algorithms/common/key_heads.h"

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

/* Kernel heads_keys_BITS: flags keys that differ from the key before. T is the type in memory. */
#define DEFINE_KEY_HEADS(bits, T) \
IW_KERNEL_NO_SPECIALIZATION(heads_keys_##bits, iw_no_shared, iw_flag_bits_args, IW_FLAG_BITS_WARPS * 32, 1) \
{ \
  IW_PHASE(warp) { \
    const iws_##T *const keys = (const iws_##T *)args->in; \
    FOR_EACH_FLAG_WORD(KEY_HEADS_##bits); \
  } \
}
#define KEY_HEADS_8(at, some) key_heads_u8(keys, at, some)
#define KEY_HEADS_16(at, some) key_heads_u16(keys, at, some)
#define KEY_HEADS_32(at, some) key_heads_u32(keys, at, some)
#define KEY_HEADS_64(at, some) key_heads_u64(keys, at, some)
DEFINE_KEY_HEADS(8, u8)
DEFINE_KEY_HEADS(16, u16)
DEFINE_KEY_HEADS(32, u32)
DEFINE_KEY_HEADS(64, u64)
