/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: atomics. Mirrors language/cuda/atomics.h. All are relaxed: each is
 * indivisible, and none orders any other access (doc/memory-model.md). Lanes perform them in ascending
 * order.
 */
#ifndef ISOWARP_LANGUAGE_SIM_ATOMICS_H
#define ISOWARP_LANGUAGE_SIM_ATOMICS_H

#include <isowarp/language/sim/memory.h>

/* Kinds by scope. */
enum { IW_ATOMIC_OF_shared_ = IW_SIM_ATOMIC | IW_SIM_SHARED, IW_ATOMIC_OF_global_ = IW_SIM_ATOMIC };

IW_FN uint64_t iw_atomics_(IW_AT_PARAMETERS_, unsigned kind, const void *p, unsigned size, iw_u32 index, uint64_t operands_undefined,
                           uint32_t owner, iw_pred some, uint64_t *undefined)
{
  *undefined = 0;
  iw_sim_switch(site);
  if (!iw_sim_self->checks) return some.m;
  return iw_access_(IW_AT_, kind, p, size, index.e, NULL, some.m, some.undefined | (index.undefined & some.m),
                    owner | index.owner | some.owner, NULL, operands_undefined & some.m, undefined);
}

/* The memory of a lane's atomic: `word` is its place, `operand` the lane's operand. */
#define IW_ATOMIC(scope, op, t, result) \
  IW_FN iw_##t iw_##scope##_##op##_##t(IW_AT_PARAMETERS_, const iw_block *block, iws_##t *p, iw_u32 index, iw_##t value, \
                                       iw_pred some) \
  { \
    iw_##t r; \
    const uint64_t m = iw_atomics_(IW_AT_, IW_ATOMIC_OF_##scope##_, p, sizeof *p, index, value.undefined, value.owner, some, &r.undefined); \
    uint64_t changed = 0; \
    (void)block; \
    IW_EACH_LANE_(l) { \
      iws_##t *const word = p + index.e[l]; \
      const iws_##t operand = value.e[l]; \
      r.e[l] = m >> l & 1 ? *word : 0; \
      if (m >> l & 1) { *word = result; changed |= *word != r.e[l]; } \
    } \
    *iw_sim_self->writes += changed; \
    r.owner = iw_self_(); \
    return r; \
  }
#define IW_ATOMIC_COMPARE_EXCHANGE(scope, t) \
  IW_FN iw_##t iw_##scope##_compare_exchange_##t(IW_AT_PARAMETERS_, const iw_block *block, iws_##t *p, iw_u32 index, \
                                                 iw_##t expected, iw_##t value, iw_pred some) \
  { \
    iw_##t r; \
    const uint64_t m = iw_atomics_(IW_AT_, IW_ATOMIC_OF_##scope##_, p, sizeof *p, index, value.undefined | expected.undefined, \
                                   value.owner | expected.owner, some, &r.undefined); \
    uint64_t changed = 0; \
    (void)block; \
    IW_EACH_LANE_(l) { \
      iws_##t *const word = p + index.e[l]; \
      r.e[l] = m >> l & 1 ? *word : 0; \
      if ((m >> l & 1) && *word == expected.e[l]) { *word = value.e[l]; changed = 1; } \
    } \
    *iw_sim_self->writes += changed; \
    r.owner = iw_self_(); \
    return r; \
  }
#define IW_ATOMICS_OF(scope, t) \
  IW_ATOMIC(scope, add, t, iws_add_##t(*word, operand)) IW_ATOMIC(scope, exchange, t, operand) \
  IW_ATOMIC(scope, min, t, iws_min_##t(*word, operand)) IW_ATOMIC(scope, max, t, iws_max_##t(*word, operand)) \
  IW_ATOMIC_COMPARE_EXCHANGE(scope, t)
#define IW_ATOMICS(t) IW_ATOMICS_OF(shared, t) IW_ATOMICS_OF(global, t)
IW_INTS(IW_ATOMICS)

/* ---- Counters in shared memory ---- */

/* iw_global_add without the old values. */
IW_FN void iw_global_add_noreturn_u64(IW_AT_PARAMETERS_, const iw_block *block, uint64_t *p, iw_u32 index, iw_u64 value,
                                      iw_pred some)
{ (void)iw_global_add_u64(IW_AT_, block, p, index, value, some); }

IW_FN void iw_count_in(IW_AT_PARAMETERS_, const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{ (void)iw_shared_add_u32(IW_AT_, block, counters, index, iw_splat_u32(1), some); }

/* One table per lane, interleaved. */
IW_FN void iw_count_per_lane_in(IW_AT_PARAMETERS_, const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{
  IW_EACH_LANE_(l) index.e[l] = index.e[l] * IW_WARP_SIZE + l;
  iw_count_in(IW_AT_, block, counters, index, some);
}

/* Two counters of 16 bits a word. */
IW_FN void iw_count_u16_in(IW_AT_PARAMETERS_, const iw_block *block, uint32_t *counters, iw_u32 index, iw_pred some)
{
  iw_u32 one;
  IW_EACH_LANE_(l) { one.e[l] = 1u << 16 * (index.e[l] & 1); index.e[l] /= 2; }
  one.undefined = index.undefined;
  one.owner = index.owner;
  const iw_u32 was = iw_shared_add_u32(IW_AT_, block, counters, index, one, some);
  IW_EACH_LANE_(l)
    if (iw_sim_self->checks && (some.m >> l & 1) && (was.e[l] & 0xffff * one.e[l]) == 0xffff * one.e[l])
      iw_sim_overflow(site, l, 16);
}

/* iw_global_add where no other warp uses the places. */
#define IW_ADD_EXCLUSIVE(t) \
  IW_FN iw_##t iw_add_exclusive_##t(IW_AT_PARAMETERS_, const iw_block *block, iws_##t *p, iw_u32 index, iw_##t value, \
                                    iw_pred some) \
  { return iw_global_add_##t(IW_AT_, block, p, index, value, some); }
IW_ADD_EXCLUSIVE(u32) IW_ADD_EXCLUSIVE(u64)

/* iw_gather by relaxed loads, of places that other lanes change by atomics in the same phase. */
IW_FN iw_u32 iw_gather_relaxed_u32(IW_AT_PARAMETERS_, const uint32_t *p, iw_u32 index, iw_pred some)
{
  iw_u32 r;
  const uint64_t m = iw_atomics_(IW_AT_, IW_ATOMIC_OF_shared_, p, sizeof *p, index, 0, 0, some, &r.undefined);
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? p[index.e[l]] : 0;
  r.owner = iw_self_();
  return r;
}

/* ---- Counters of one warp alone: plain accesses ---- */

/* The lanes of `some` that are the first with their index (last: the last); the warp's updates are stored
 * by these. A set of bits has the indices that were seen, unless they are too large for it. */
IW_FN iw_pred iw_leaders_(const uint32_t *index, iw_pred some, int last)
{
  enum { SMALL = 2048 };
  uint64_t m = 0, seen[SMALL / 64];
  uint32_t bits = 0;
  if (!iw_sim_self->checks) return some;
  IW_EACH_LANE_(l) bits |= index[l];
  if (bits < SMALL) {
    memset(seen, 0, (bits / 64 + 1) * sizeof *seen);
    IW_EACH_LANE_(k) {
      const unsigned l = last ? IW_WARP_SIZE - 1 - k : k;
      uint64_t *const word = &seen[index[l] / 64];
      const uint64_t is_on = some.m >> l & 1;
      m |= (is_on & ~(*word >> index[l] % 64)) << l;
      *word |= is_on << index[l] % 64;
    }
  } else IW_EACH_LANE_(l) {
    uint64_t same = 0;
    IW_EACH_LANE_(k) same |= (uint64_t)(index[k] == index[l]) << k;
    same &= some.m;
    m |= some.m & (uint64_t)((last ? same >> l == 1 : (same & (((uint64_t)1 << l) - 1)) == 0)) << l;
  }
  return iw_pred_(m, some.undefined & m, some.owner);
}

IW_FN iw_u32 iw_rank_in(IW_AT_PARAMETERS_, uint32_t *counters, iw_u32 index, iw_pred some)
{
  iw_u32 r;
  iw_count_(site, IW_SIM_VOTE, 1);
  iw_count_(site, IW_SIM_MATCH, 1);
  const uint64_t m = iw_loads_(IW_AT_, counters, sizeof *counters, index.e, NULL, index.undefined, index.owner, some, &r.undefined);
  (void)iw_stores_(IW_AT_, IW_SIM_STORE, counters, sizeof *counters, index.e, NULL, index.undefined, index.owner, NULL,
                   r.undefined, iw_leaders_(index.e, some, 0));
  IW_EACH_LANE_(l) r.e[l] = m >> l & 1 ? counters[index.e[l]]++ : 0;
  r.owner = iw_self_();
  return r;
}

#define IW_APPEND(t) \
  IW_FN void iw_append_##t(IW_AT_PARAMETERS_, iws_##t *p, uint32_t *counters, iw_u32 index, iw_##t a, iw_pred some) \
  { \
    const iw_u32 to = iw_rank_in(site, SIZE_MAX, counters, index, some); \
    const uint64_t m = iw_stores_(IW_AT_, IW_SIM_STORE, p, sizeof *p, to.e, NULL, to.undefined, a.owner, a.e, a.undefined, some); \
    IW_EACH_LANE_(l) if (m >> l & 1) p[to.e[l]] = a.e[l]; \
  }
IW_APPEND(u32) IW_APPEND(u64)

#endif
