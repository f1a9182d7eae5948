/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations of one warp on the CPU, and counters in shared memory. Lanes take their turns in
 * ascending order; every lane of `some` receives the value from before its own operation. Part of cpu.h,
 * after memory.h; of blocks it knows only whether several threads run one (is_team): if not, shared memory
 * needs no atomic instructions.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ATOMICS_H
#define ISOWARP_LANGUAGE_CPU_ATOMICS_H

#define IW_TYPE_SET IW_SET_OF_INTEGERS
#define IW_TEMPLATE <isowarp/language/cpu/atomics_of_integer.h>
#include <isowarp/language/for_each_type.h>

/* An atomic add whose old value is not used. */
IW_FN void iw_global_add_noreturn_u64(const iw_block *block, uint64_t *p, iw_u32 index, iw_u64 value,
                                      iw_pred some)
{ iw_global_add_u64(block, p, index, value, some); }

/* Adds 1 to counters of the block in shared memory. */
IW_FN void iw_count_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{
  iws_u32 at[IW_PADDED(u32)];
  iw_to_array_u32(at, index);
  if (block->is_team) {
    for (iw_bits m = some.m; m; m &= m - 1) __atomic_fetch_add(counters + at[iw_lowest(m)], 1,
                                                               __ATOMIC_RELAXED);
  } else if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; l++) counters[at[l]]++; }
  else for (iw_bits m = some.m; m; m &= m - 1) counters[at[iw_lowest(m)]]++;
}

/* The same with a table per lane; the tables are interleaved. */
IW_FN void iw_count_per_lane_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{ iw_count_in(block, counters, iw_add_u32(iw_mul_u32(index, iw_splat_u32(IW_WARP_SIZE)), iw_lane()), some); }

/* The same with counters of 16 bits, two per 32-bit word. */
IW_FN void iw_count_u16_in(const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{
  const iw_u32 one = iw_splat_u32(1), shift = iw_shl_u32(iw_and_u32(index, one), iw_splat_u32(4));
  iw_shared_add_u32(block, counters, iw_shr_u32(index, one), iw_shl_u32(one, shift), some);
}

/* iw_global_add where no other warp uses the places. */
#define IW_ADD_EXCLUSIVE(t) \
  IW_FN iw_##t iw_add_exclusive_##t(const iw_block *block, iws_##t *p, iw_u32 index, iw_##t value, iw_pred some) \
  { return iw_shared_add_##t(block, p, index, value, some); }
IW_ADD_EXCLUSIVE(u32) IW_ADD_EXCLUSIVE(u64)

/* iw_gather by relaxed atomic loads, of places that other lanes change by atomics in the same phase. */
IW_FN iw_u32 iw_gather_relaxed_u32(const uint32_t *p, iw_u32 index, iw_pred some)
{
  iws_u32 at[IW_PADDED(u32)], got[IW_PADDED(u32)] = { 0 };
  iw_to_array_u32(at, index);
  for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m);
  got[l] = __atomic_load_n(p + at[l], __ATOMIC_RELAXED); }
  return iw_from_array_u32(got);
}

/* Each lane's rank among the lanes with its index, plus the counter of that index, which is then advanced
 * by them. The counters belong to one warp. */
IW_FN iw_u32 iw_rank_in(uint32_t *counters, iw_u32 index, iw_pred some)
{
  iws_u32 at[IW_PADDED(u32)], old[IW_PADDED(u32)] = { 0 };
  iw_to_array_u32(at, index);
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE;
                                               l++) old[l] = counters[at[l]]++; }
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m);
  old[l] = counters[at[l]]++; }
  return iw_from_array_u32(old);
}

/* iw_scatter to the ranks that iw_rank_in gives. */
#define IW_APPEND(t) \
IW_FN void iw_append_##t(iws_##t *p, uint32_t *counters, iw_u32 index, iw_##t a, iw_pred some) { \
  iws_##t x[IW_PADDED(t)]; iws_u32 at[IW_PADDED(u32)]; iw_to_array_##t(x, a); iw_to_array_u32(at, index); \
  if (some.m == IW_ALL_LANES) { IW_UNROLL for (int l = 0; l < IW_WARP_SIZE; \
                                               l++) p[counters[at[l]]++] = x[l]; } \
  else for (iw_bits m = some.m; m; m &= m - 1) { const unsigned l = iw_lowest(m); \
  p[counters[at[l]]++] = x[l]; } }
IW_APPEND(u32) IW_APPEND(u64)
#undef IW_APPEND

#endif
