/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: atomics. Mirrors language/cpu/atomics.h. All are relaxed: each is indivisible,
 * and none orders any other access (doc/memory-model.md). They do not synchronise the warp.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_ATOMICS_H
#define ISOWARP_LANGUAGE_CUDA_ATOMICS_H

#include <isowarp/language/cuda/memory.h>

/* native: the type that CUDA's function takes. */
#define IW_ATOMIC(scope, op, t, native, function) \
  IW_FN iw_##t iw_##scope##_##op##_##t(const iw_block *, iws_##t *p, iw_u32 index, iw_##t value, \
      iw_pred some) \
  { return IW_LANE_(t, iw_value_(some) ? (iws_##t)function((native *)p + iw_value_(index), \
      (native)iw_value_(value)) : 0); }
#define IW_ATOMIC_COMPARE_EXCHANGE(scope, t, native) \
  IW_FN iw_##t iw_##scope##_compare_exchange_##t(const iw_block *, iws_##t *p, iw_u32 index, \
      iw_##t expected, iw_##t value, \
                                                 iw_pred some) \
  { \
    return IW_LANE_(t, iw_value_(some) ? (iws_##t)atomicCAS((native *)p + iw_value_(index), \
        (native)iw_value_(expected), \
                                                            (native)iw_value_(value)) : 0); \
  }
#define IW_ATOMICS_OF(scope, t, native, word) \
  IW_ATOMIC(scope, add, t, word, atomicAdd) IW_ATOMIC(scope, exchange, t, word, atomicExch) \
  IW_ATOMIC(scope, min, t, native, atomicMin) IW_ATOMIC(scope, max, t, native, atomicMax) \
  IW_ATOMIC_COMPARE_EXCHANGE(scope, t, word)
#define IW_ATOMICS(t, native, word) \
  IW_ATOMICS_OF(shared, t, native, word) IW_ATOMICS_OF(global, t, native, word)
IW_ATOMICS(i32, int, int)
IW_ATOMICS(u32, unsigned, unsigned)
IW_ATOMICS(i64, long long, unsigned long long)
IW_ATOMICS(u64, unsigned long long, unsigned long long)

/* iw_global_add without the old values: RED instead of ATOM. */
IW_FN void iw_global_add_noreturn_u64(const iw_block *, uint64_t *p, iw_u32 index, iw_u64 value,
    iw_pred some)
{
  if (iw_value_(some))
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" :: "l"(p + iw_value_(index)), "l"(iw_value_(value)) : "memory");
}

/* ---- Counters in shared memory ---- */

/* The address in shared memory as an opaque register, so that the compiler keeps its sum with a lane's
 * offset instead of adding both anew for each access. */
IW_FN uint32_t iw_shared_address_(const void *p)
{
  uint32_t at;
  asm("mov.u32 %0, %1;" : "=r"(at) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return at;
}

IW_FN void iw_count_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{
  const uint32_t at = iw_shared_address_(counters) + 4 * iw_value_(index);
  if (iw_value_(some)) asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory");
}

/* One table per lane, interleaved: lanes meet neither at a counter nor at a bank. */
IW_FN void iw_count_per_lane_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{
  const uint32_t at = iw_shared_address_(counters + iw_lane_()) + 128 * iw_value_(index);
  if (iw_value_(some)) asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory");
}

/* Two counters of 16 bits a word. A predicated instruction, since the compiler would branch. */
IW_FN void iw_count_u16_in(const iw_block *, uint32_t *counters, iw_u32 index, iw_pred some)
{
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.shared.add.u32 [%0], %1; }"
               :: "r"((uint32_t)__cvta_generic_to_shared(counters) + (2 * iw_value_(index) & ~3u)),
                  "r"(1u << 16 * (iw_value_(index) & 1)), "r"((uint32_t)iw_value_(some)) : "memory");
}

/* iw_global_add where no other warp uses the places. */
#define IW_ADD_EXCLUSIVE(t) \
  IW_FN iw_##t iw_add_exclusive_##t(const iw_block *block, iws_##t *p, iw_u32 index, iw_##t value, iw_pred some) \
  { return iw_shared_add_##t(block, p, index, value, some); }
IW_ADD_EXCLUSIVE(u32) IW_ADD_EXCLUSIVE(u64)

/* iw_gather by relaxed loads, of places that other lanes change by atomics in the same phase. */
IW_FN iw_u32 iw_gather_relaxed_u32(const uint32_t *p, iw_u32 index, iw_pred some)
{ return IW_LANE_(u32, iw_value_(some) ? *(const volatile uint32_t *)(p + iw_value_(index)) : 0); }

/* ---- Counters of one warp alone: plain accesses, ordered by the warp's barrier ---- */

IW_FN iw_u32 iw_rank_in(uint32_t *counters, iw_u32 index, iw_pred some)
{
  const unsigned chosen = __ballot_sync(IW_FULL_MASK_, iw_value_(some));
  const unsigned same = __match_any_sync(IW_FULL_MASK_, iw_value_(index)) & chosen;
  const unsigned below = same & iw_lanes_below_mask_();
  const unsigned base = iw_value_(some) ? counters[iw_value_(index)] : 0;
  __syncwarp();
  if (iw_value_(some) && below == 0) counters[iw_value_(index)] = base + (unsigned)__popc(same);
  __syncwarp();
  return IW_LANE_(u32, iw_value_(some) ? base + (unsigned)__popc(below) : 0);
}

#define IW_APPEND(t) \
  IW_FN void iw_append_##t(iws_##t *p, uint32_t *counters, iw_u32 index, iw_##t a, iw_pred some) \
  { const iw_u32 at = iw_rank_in(counters, index, some); IW_STORE_(iw_value_(some), p[iw_value_(at)], \
      iw_value_(a)); }
IW_APPEND(u32) IW_APPEND(u64)

#endif
