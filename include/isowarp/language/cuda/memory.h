/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: loads and stores of lanes. Mirrors language/cpu/memory.h. What they order is in
 * doc/memory-model.md.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_MEMORY_H
#define ISOWARP_LANGUAGE_CUDA_MEMORY_H

#include <isowarp/language/cuda/shuffles.h>

/* The lanes of the warp meet before the store, so that none still reads the old value, and after it, so
 * that all see the new one. Every store is therefore a collective of the warp. */
#define IW_STORE_(some, place, value) do { __syncwarp(); if (some) place = value; __syncwarp(); } while (0)

/* iw_load_else, iw_gather_else: lanes outside of `some` get `absent`. The load goes to a register that
 * holds it already. */
#define IW_HAS_LOAD_ELSE
#define IW_LOADS(t) \
  IW_FN iw_##t iw_load_##t(const iws_##t *p, iw_pred some) \
  { return IW_LANE_(t, iw_value_(some) ? p[iw_lane_()] : 0); } \
  IW_FN iw_##t iw_gather_##t(const iws_##t *p, iw_u32 index, iw_pred some) \
  { return IW_LANE_(t, iw_value_(some) ? p[iw_value_(index)] : 0); } \
  IW_FN iw_##t iw_gather_far_##t(const iws_##t *p, iw_u64 index, iw_pred some) \
  { return IW_LANE_(t, iw_value_(some) ? p[iw_value_(index)] : 0); } \
  IW_FN iw_##t iw_load_else_##t(const iws_##t *p, iw_pred some, iws_##t absent) \
  { return IW_LANE_(t, iw_value_(some) ? p[iw_lane_()] : absent); } \
  IW_FN iw_##t iw_gather_else_##t(const iws_##t *p, iw_u32 index, iw_pred some, iws_##t absent) \
  { return IW_LANE_(t, iw_value_(some) ? p[iw_value_(index)] : absent); } \
  IW_FN iws_##t iw_get_##t(const iws_##t *p) { return *p; }
#define IW_STORES(t) \
  IW_FN void iw_store_##t(iws_##t *p, iw_##t a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_lane_()], iws_canonical_##t(iw_value_(a))); } \
  IW_FN void iw_scatter_##t(iws_##t *p, iw_u32 index, iw_##t a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_value_(index)], iws_canonical_##t(iw_value_(a))); } \
  IW_FN void iw_scatter_far_##t(iws_##t *p, iw_u64 index, iw_##t a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_value_(index)], iws_canonical_##t(iw_value_(a))); } \
  IW_FN void iw_set_##t(iws_##t *p, iws_##t v) { IW_STORE_(iw_lane_() == 0, *p, iws_canonical_##t(v)); } \
  /* Keeps a NaN's bits; for words that no kernel reads as bits. */ \
  IW_FN void iw_set_raw_##t(iws_##t *p, iws_##t v) { IW_STORE_(iw_lane_() == 0, *p, v); }
IW_TYPES(IW_LOADS)
IW_TYPES(IW_STORES)

/* Elements n of 1 and 2 bytes, in lanes l of 4 bytes. */
#define IW_MEMORY_NARROW(n, l) \
  IW_FN iw_##l iw_load_##n(const iws_##n *p, iw_pred some) \
  { return IW_LANE_(l, iw_value_(some) ? iws_widen_##n(p[iw_lane_()]) : 0); } \
  IW_FN iw_##l iw_load_else_##n(const iws_##n *p, iw_pred some, iws_##n absent) \
  { return IW_LANE_(l, iws_widen_##n(iw_value_(some) ? p[iw_lane_()] : absent)); } \
  IW_FN void iw_store_##n(iws_##n *p, iw_##l a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_lane_()], iws_narrow_##n(iw_value_(a))); } \
  IW_FN iw_##l iw_gather_##n(const iws_##n *p, iw_u32 index, iw_pred some) \
  { return IW_LANE_(l, iw_value_(some) ? iws_widen_##n(p[iw_value_(index)]) : 0); } \
  IW_FN iw_##l iw_gather_far_##n(const iws_##n *p, iw_u64 index, iw_pred some) \
  { return IW_LANE_(l, iw_value_(some) ? iws_widen_##n(p[iw_value_(index)]) : 0); } \
  IW_FN void iw_scatter_##n(iws_##n *p, iw_u32 index, iw_##l a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_value_(index)], iws_narrow_##n(iw_value_(a))); } \
  IW_FN void iw_scatter_far_##n(iws_##n *p, iw_u64 index, iw_##l a, iw_pred some) \
  { IW_STORE_(iw_value_(some), p[iw_value_(index)], iws_narrow_##n(iw_value_(a))); }
IW_NARROW_TYPES(IW_MEMORY_NARROW)

/* p[offset + lane] where `first`, else q[offset + lane], in global memory. By two loads to one register: nvcc
 * would select addresses, which take two registers for each load that is issued ahead. */
#define IW_HAS_LOAD_EITHER
#define IW_LOAD_EITHER(t, l, type, constraint) \
  IW_FN iw_##l iw_load_either_##t(iw_pred first, const iws_##t *p, const iws_##t *q, size_t offset) \
  { \
    iws_##l x; \
    asm volatile("{ .reg .pred f; setp.ne.u32 f, %1, 0; @f ld.global." type " %0, [%2]; @!f ld.global." type " %0, [%3]; }" \
                 : "=" constraint(x) : "r"((unsigned)iw_value_(first)), "l"(p + iw_lane_() + offset), "l"(q + iw_lane_() + offset)); \
    return IW_LANE_(l, x); \
  }
IW_LOAD_EITHER(u8, u32, "u8", "r") IW_LOAD_EITHER(u16, u32, "u16", "r") IW_LOAD_EITHER(u32, u32, "u32", "r") IW_LOAD_EITHER(u64, u64, "u64", "l")

/* The lanes of `some` whose byte is not 0. */
IW_FN iw_mask iw_ballot_u8(const uint8_t *p, iw_pred some)
{ return __ballot_sync(IW_FULL_MASK_, iw_value_(some) && p[iw_lane_()]); }

/* Packs the chosen lanes from p on; returns their number. */
#define IW_COMPACT(t) \
  IW_FN unsigned iw_compact_##t(iws_##t *p, iw_##t a, iw_pred some) \
  { \
    const unsigned m = __ballot_sync(IW_FULL_MASK_, iw_value_(some)); \
    IW_STORE_(iw_value_(some), p[__popc(m & iw_lanes_below_mask_())], iw_value_(a)); \
    return (unsigned)__popc(m); \
  }
IW_COMPACT(u8) IW_COMPACT(u16) IW_COMPACT(u32) IW_COMPACT(u64)

/* Packs the chosen lanes from p on and the other lanes of `some` from q on; returns the number of the
 * former. */
#define IW_COMPACT_BOTH(t) \
  IW_FN unsigned iw_compact_both_##t(iws_##t *p, iws_##t *q, iw_##t a, iw_pred chosen, iw_pred some) \
  { \
    const unsigned m = __ballot_sync(IW_FULL_MASK_, iw_value_(chosen)), \
        rank = (unsigned)__popc(m & iw_lanes_below_mask_()); \
    iws_##t *const to = iw_value_(chosen) ? p + rank : q + ((int)iw_lane_() - (int)rank); \
    IW_STORE_(iw_value_(some), *to, iw_value_(a)); \
    return (unsigned)__popc(m); \
  }
IW_COMPACT_BOTH(u8) IW_COMPACT_BOTH(u16) IW_COMPACT_BOTH(u32) IW_COMPACT_BOTH(u64)

/* A hint only: each lane prefetches one line of 128 bytes at a time into the L2 cache. */
IW_FN void iw_prefetch(const void *p, size_t bytes)
{
  IW_UNROLL for (size_t at = 0; at < bytes; at += 32 * 128)
    if (at + iw_lane_() * 128 < bytes)
      asm volatile("prefetch.global.L2 [%0];" :: "l"((const char *)p + at + iw_lane_() * 128));
}

#endif
