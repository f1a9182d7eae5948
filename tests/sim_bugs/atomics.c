/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: updates of shared places without atomics, after IndigoSuite's patterns. See bug.h.
 */
#include "bug.h"

/* counts[b]++ in global memory. */
IW_KERNEL(add_without_atomic, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 bin = bin_of(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_global_add(args->out, bin, 1, here.valid);
#else
    const iw_u32 old = iw_gather(args->out, bin, here.valid); /* BUG: add_without_atomic */
    iw_scatter(args->out, bin, iw_add(old, 1), here.valid); /* BUG: add_without_atomic */
#endif
  }
}

/* total += sum, by each warp. */
IW_KERNEL(lost_update, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t sum = iw_warp_sum(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_global_add(args->out, 0, sum, one_lane());
#else
    iw_set(args->out, iw_get(args->out) + sum); /* BUG: lost_update */
#endif
  }
}

/* Several blocks set a flag; the twin sets it by an atomic. */
IW_KERNEL(set_without_atomic, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    if (iw_any(iw_gt(x, 3))) {
#ifdef FIXED
      iw_global_exchange(args->out, 0, 1, one_lane());
#else
      iw_set(args->out, 1); /* BUG: set_without_atomic */
#endif
    }
  }
}

/* The guard reads the place without an atomic. */
IW_KERNEL(plain_guard, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t most = iw_warp_max(iw_load(args->in + here.first, here.valid));
    if (BUG(iw_get(args->out) < most, 1)) /* BUG: plain_guard */
      iw_global_max(args->out, 0, most, one_lane()); /* BUG: plain_guard */
  }
}

/* Compares, then sets. */
IW_KERNEL(guard_then_set, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t most = iw_warp_max(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_global_max(args->out, 0, most, one_lane());
#else
    if (iw_get(args->out) < most) /* BUG: guard_then_set */
      iw_set(args->out, most); /* BUG: guard_then_set */
#endif
  }
}

/* The guard is missing: the place keeps the value that is written last. */
IW_KERNEL(guard_missing, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t most = iw_warp_max(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_global_max(args->out, 0, most, one_lane());
#else
    iw_set(args->out, most); /* BUG: guard_missing */
#endif
  }
}

/* Takes places in a list by a plain counter: two warps take the same ones. */
IW_KERNEL(worklist, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_pred chosen = iw_and(iw_eq(iw_and(x, 1), 1), here.valid);
    const unsigned count = iw_popcount_of(chosen);
#ifdef FIXED
    const uint32_t begin = iw_at(iw_global_add(args->scratch, 0, count, one_lane()), 0);
#else
    const uint32_t begin = iw_get(args->scratch); /* BUG: worklist */
    iw_set(args->scratch, begin + count); /* BUG: worklist */
#endif
    iw_scatter(args->out, iw_add(iw_rank(chosen), begin), iw_splat_u32(1), chosen); /* BUG: worklist */
  }
}

/* Reads a total while other warps add to it. */
IW_KERNEL(plain_read, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const uint32_t sum = iw_warp_sum(iw_load(args->in + here.first, here.valid));
    iw_global_add(args->scratch, 0, sum, one_lane()); /* BUG: plain_read */
#ifdef FIXED
    const uint32_t total = iw_at(iw_global_add(args->scratch, 0, 0, one_lane()), 0);
#else
    const uint32_t total = iw_get(args->scratch); /* BUG: plain_read */
#endif
    iw_store(args->out + here.first, iw_splat_u32(total < sum), here.valid);
  }
}

/* The smallest value of all, by a load and a store in the lanes that have less. */
IW_KERNEL(min_without_atomic, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_u32 bin = bin_of(x);
#ifdef FIXED
    iw_global_min(args->out, bin, x, here.valid);
#else
    const iw_pred less = iw_and(iw_lt(x, iw_gather(args->out, bin, here.valid)), here.valid); /* BUG: min_without_atomic */
    iw_scatter(args->out, bin, x, less); /* BUG: min_without_atomic */
#endif
  }
}

/* An atomic for adding, and a plain store for resetting. */
IW_KERNEL(reset_without_atomic, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_global_add(args->scratch, 0, here.count, one_lane()); /* BUG: reset_without_atomic */
#ifdef FIXED
    iw_global_exchange(args->scratch, 0, 0, one_lane());
#else
    iw_set(args->scratch, 0); /* BUG: reset_without_atomic */
#endif
    iw_store(args->out + here.first, iw_add(iw_load(args->in + here.first, here.valid), 1), here.valid);
  }
}

/* counts[b]++ by one warp: lanes with one bin lose all additions but one. */
IW_KERNEL(lost_in_warp, nothing, bug_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 bin = bin_of(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_global_add(args->out, bin, 1, here.valid);
#else
    iw_scatter(args->out, bin, iw_add(iw_gather(args->out, bin, here.valid), 1), here.valid); /* BUG: lost_in_warp */
#endif
  }
}

/* The same in bytes of shared memory. */
typedef struct { uint8_t bins[BINS]; } byte_bins;
IW_KERNEL(lost_bytes, byte_bins, bug_args)
{
  IW_PHASE(warp) { iw_store_u8(shared->bins, iw_splat_u32(0), bin_lanes()); }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 bin = bin_of(iw_load(args->in + here.first, here.valid));
#ifdef FIXED
    iw_mask rest = iw_ballot(here.valid);
    while (rest) { /* one lane after the other */
      const iw_pred one = iw_eq(iw_iota_u32(0), (uint32_t)__builtin_ctzll(rest));
      iw_scatter_u8(shared->bins, bin, iw_add(iw_gather_u8(shared->bins, bin, one), 1), one);
      rest &= rest - 1;
    }
#else
    iw_scatter_u8(shared->bins, bin, iw_add(iw_gather_u8(shared->bins, bin, here.valid), 1), here.valid); /* BUG: lost_bytes */
#endif
  }
  IW_PHASE(warp) { iw_store(args->out, iw_load_u8(shared->bins, bin_lanes()), bin_lanes()); }
}
