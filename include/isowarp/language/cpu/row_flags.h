/* SPDX-License-Identifier: Apache-2.0
 *
 * Flagged elements of rows on the CPU: flag sets, row views, compaction into shared memory and flushing from
 * there to global memory. Part of cpu/primitives.h, for the library's partition; uses rows.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ROW_FLAGS_H
#define ISOWARP_LANGUAGE_CPU_ROW_FLAGS_H

typedef struct { unsigned n; } iw_count_accumulator;
IW_FN unsigned iw_count_total(iw_count_accumulator accumulator) { return accumulator.n; }

/* Bytes of a cache line and of a register. */
enum { IW_LINE = 64, IW_REGISTER = IW_VL_u32 * 4 };

/* Streams the whole cache lines of `staged` to the line-aligned `out`, past the caches, without any other
 * store to memory between them. Moves the rest, less than a line, to the front of `staged`, and returns
 * the number of bytes streamed. Reads up to a line past `staged + count`. */
IW_FN unsigned iw_stream_whole_lines_(char *out, char *staged, unsigned count)
{
  const unsigned end = count / IW_LINE * IW_LINE;
  for (unsigned i = 0; i < end; i += IW_LINE)
    IW_UNROLL for (unsigned j = i; j < i + IW_LINE; j += IW_REGISTER)
      iwv_stream_u32((iws_u32 *)(void *)(out + j), iwv_load_u32((const iws_u32 *)(void *)(staged + j)));
  IW_UNROLL for (unsigned j = 0; j < IW_LINE; j += IW_REGISTER)
    iwv_store_u32((iws_u32 *)(void *)(staged + j), iwv_load_u32((const iws_u32 *)(void *)(staged + end + j)));
  return end;
}

/* The general case of iw_flush_T, in bytes. */
IW_NOINLINE_FN unsigned iw_flush_bytes_(char *out, char *staged, unsigned count, int all, int stream)
{
  const unsigned head = (unsigned)(-(uintptr_t)out % IW_LINE);
  if (!stream || count < head + IW_LINE) {
    if (stream && !all) return 0;
    memcpy(out, staged, count);
    return count;
  }
  memcpy(out, staged, head);
  if (head) memmove(staged, staged + head, count - head);
  const unsigned end = iw_stream_whole_lines_(out + head, staged, count - head);
  if (!all) return head + end;
  memcpy(out + head + end, staged, count - head - end);
  return count;
}

/* Vector v of the row first, first + 1, …. There is no such row of bytes or 16-bit words. */
IW_FN iw_u32 iw_row_iota_vector_u32_(uint64_t first, int v)
{ return iw_add_u32(iw_splat_u32((uint32_t)(first + (unsigned)v * IW_WARP_SIZE)),
                    iw_convert_u32_u32(iw_lane())); }
IW_FN iw_u64 iw_row_iota_vector_u64_(uint64_t first, int v)
{ return iw_add_u64(iw_splat_u64(first + (unsigned)v * IW_WARP_SIZE), iw_convert_u32_u64(iw_lane())); }
IW_FN iw_u8 iw_row_iota_vector_u8_(uint64_t first, int v) { (void)first; (void)v; return iw_splat_u32(0); }
IW_FN iw_u16 iw_row_iota_vector_u16_(uint64_t first, int v) { (void)first; (void)v; return iw_splat_u32(0); }

#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE <isowarp/language/cpu/row_flags_of_width.h>
#include <isowarp/language/for_each_type.h>

#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE <isowarp/language/cpu/row_flag_bits_of_width.h>
#include <isowarp/language/for_each_type.h>

#endif
