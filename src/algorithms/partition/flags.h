/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition and select of elements by a bit each, first part where no text of a partition makes the bits: bytes and 16-bit words
 * in a range, and elements that are not the one before.
 */
#include "algorithms/common/flag_bits.h"

/* As range.h has it. */
#define MARKS(T) \
IW_FN iw_mask marks_of_##T(const iw_bits_args *args, uint64_t at, iw_pred some) \
{ \
  const iw_u32 x = iw_load_##T((const iws_##T *)args->in + at, some); \
  const iw_pred within = iw_le_u32(iw_sub_u32(x, iw_splat_u32(args->least)), iw_splat_u32(args->most - args->least)); \
  return iw_ballot(iw_both(some, args->others ? iw_unless(within) : within)); \
} \
IW_KERNEL_ONCE(marks_##T, nothing, iw_bits_args, IW_BITS_WARPS * 32, 1) \
{ \
  IW_PHASE(warp) EACH_WORD(MARKS_OF_##T); \
}
#define MARKS_OF_u8(at, some) marks_of_u8(args, at, some)
#define MARKS_OF_u16(at, some) marks_of_u16(args, at, some)
MARKS(u8)
MARKS(u16)
HEADS_KEYS(8, u8, u32)
HEADS_KEYS(16, u16, u32)
#undef MARKS
