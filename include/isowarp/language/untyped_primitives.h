/* SPDX-License-Identifier: Apache-2.0
 *
 * The names without a type of <isowarp/primitives.h>, by the means of language/untyped.h. Part of the kernel
 * language, common to all targets.
 */
#ifndef ISOWARP_LANGUAGE_UNTYPED_PRIMITIVES_H
#define ISOWARP_LANGUAGE_UNTYPED_PRIMITIVES_H

#ifdef __cplusplus

#define IW_OVERLOAD_FOLD_SEGMENTS(name, t) \
IW_FN iws_##t name(iws_##t first, iw_##t a, iw_mask heads, iw_##t *before) \
  { return name##_##t(first, a, heads, before); }
IW_FOR_TYPES(IW_OVERLOAD_LANES, iw_canonical)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_to_index) IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_floor_index)
IW_FOR_FLOATS(IW_OVERLOAD_LANES, iw_raw_bits)
IW_FOR_TYPES(IW_OVERLOAD_FOLD_SEGMENTS, iw_fold_segments_sum) IW_FOR_TYPES(IW_OVERLOAD_FOLD_SEGMENTS,
  iw_fold_segments_min)
IW_FOR_TYPES(IW_OVERLOAD_FOLD_SEGMENTS, iw_fold_segments_max)
IW_FOR_BITS(IW_OVERLOAD_INTO, iw_compact_both) IW_FOR_BITS(IW_OVERLOAD_INTO, iw_append)

#else

#define iw_canonical(a) IW_1(IW_CALL, iw_canonical, a)
#define iw_raw_bits(a) IW_1(IW_CALL_FLOAT, iw_raw_bits, a)
#define iw_to_index(a, last) IW_1_AND(IW_CALL_FLOAT, iw_to_index, a, last)
#define iw_floor_index(a, past) IW_1_AND(IW_CALL_FLOAT, iw_floor_index, a, past)
#define iw_fold_segments_sum(first, a, heads, before) IW_FOLD_OF(iw_fold_segments_sum, first, a, heads, \
  before)
#define iw_fold_segments_min(first, a, heads, before) IW_FOLD_OF(iw_fold_segments_min, first, a, heads, \
  before)
#define iw_fold_segments_max(first, a, heads, before) IW_FOLD_OF(iw_fold_segments_max, first, a, heads, \
  before)
#define iw_append(p, counters, index, a, some) \
  IW_CALL_SCALAR_BITS(iw_append, *(p))(IW_SITE_AT_("iw_append", #p, p) p, counters, index, a, some)
#define iw_compact_both(p, q, a, chosen, some) \
  IW_CALL_SCALAR_BITS(iw_compact_both, *(p))(IW_SITE_AT_("iw_compact_both", #p ", " #q, p) p, q, a, chosen, some)

#endif

/* These need to know the block. */
#define iw_count(counters, index, some) iw_count_in(block, counters, index, some)
#define iw_count_per_lane(counters, index, some) iw_count_per_lane_in(block, counters, index, some)
#define iw_count_u16(counters, index, some) iw_count_u16_in(block, counters, index, some)
#define iw_count_replicated(counters, each, index, some) iw_count_replicated_in(block, counters, each, \
  index, some)
#define iw_private_histogram_begin(p, counters, own, tables, map, n, hot) \
  iw_private_histogram_begin_in(block, p, counters, own, tables, map, n, hot)
#define iw_global_add_noreturn(p, index, v, some) iw_global_add_noreturn_u64(block, p, index, v, some)

#endif
