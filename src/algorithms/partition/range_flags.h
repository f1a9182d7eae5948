/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition and select of elements by a bit each, first part where no text of a partition makes the bits: bytes and 16-bit words
 * in a range, and elements that are not the one before.
 */
#include "algorithms/common/flag_bits.h"

/* As range.h has it. */
#define RANGE_FLAGS(T) \
IW_FN iw_mask range_flags_of_##T(const iw_flag_bits_args *args, uint64_t at, iw_pred some) \
{ \
  const iw_u32 x = iw_load_##T((const iws_##T *)args->in + at, some); \
  const iw_pred within = iw_le_u32(iw_sub_u32(x, iw_splat_u32(args->lo)), iw_splat_u32(args->hi - args->lo)); \
  return iw_ballot(iw_and_pred(some, args->inverted ? iw_not_pred(within) : within)); \
} \
IW_KERNEL_NO_SPECIALIZATION(range_flags_##T, iw_no_shared, iw_flag_bits_args, IW_FLAG_BITS_WARPS * 32, 1) \
{ \
  IW_PHASE(warp) FOR_EACH_FLAG_WORD(RANGE_FLAGS_OF_##T); \
}
#define RANGE_FLAGS_OF_u8(at, some) range_flags_of_u8(args, at, some)
#define RANGE_FLAGS_OF_u16(at, some) range_flags_of_u16(args, at, some)
RANGE_FLAGS(u8)
RANGE_FLAGS(u16)
DEFINE_KEY_HEADS(8, u8, u32)
DEFINE_KEY_HEADS(16, u16, u32)
#undef RANGE_FLAGS
