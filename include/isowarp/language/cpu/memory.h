/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores, gathers, scatters and compaction of one warp on the CPU. Shared and global memory are both
 * plain memory here. Part of cpu.h, after lanes.h and conversions.h; knows nothing of rows (rows.h) or of
 * other threads (atomics.h).
 */
#ifndef ISOWARP_LANGUAGE_CPU_MEMORY_H
#define ISOWARP_LANGUAGE_CPU_MEMORY_H

/* Elements of 1 and 2 bytes are held in lanes of 4 bytes. */
#define IW_NARROW_LANES(t, l) typedef iw_##l iw_##t;
IW_NARROW_TYPES(IW_NARROW_LANES)

#define IW_TEMPLATE <isowarp/language/cpu/memory_of_type.h>
#include <isowarp/language/for_each_type.h>

#define IW_TYPE_SET IW_SET_OF_NARROW
#define IW_TEMPLATE <isowarp/language/cpu/memory_of_narrow.h>
#include <isowarp/language/for_each_type.h>

#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16)
#define IW_TEMPLATE <isowarp/language/cpu/compact_of_narrow.h>
#include <isowarp/language/for_each_type.h>

#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE <isowarp/language/cpu/compact_of_width.h>
#include <isowarp/language/for_each_type.h>

IW_FN void iw_prefetch(const void *p, size_t bytes)
{ IW_UNROLL for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)p + at); }

/* The lanes of `some` whose byte is not 0. */
IW_FN iw_mask iw_ballot_u8(const uint8_t *p, iw_pred some)
{
  iw_mask m = 0;
  if (IW_WARP_SIZE >= 32 && some.m == IW_ALL_LANES)
    IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l += 32) m |= (iw_mask)iwv_nonzero_32(p + l) << (l & 63);
  else for (iw_bits rest = some.m; rest; rest &= rest - 1) {
    const unsigned l = iw_lowest(rest);
    m |= (iw_mask)(p[l] != 0) << l;
  }
  return m;
}

#endif
