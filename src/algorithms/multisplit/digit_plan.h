/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of radix_digit_counts, in its last block; part of the template radix_split_kernel.h. Finds from
 * the counts of digits where passes put them, and decides on the device which passes of a sort run. Passes
 * move arrays between two places in turn. Two neighbouring passes whose digits are constant are left out
 * together, so that those that follow find the arrays where the host has said; a single one runs, and so does
 * the first, which reads the caller's array.
 */

/* Scans the counts of a pass, which become 0. Returns whether its digit varies. */
IW_FN int multisplit_scan_digit_counts(const iw_digit_plan *plan, uint64_t n, uint64_t pass)
{
  const iw_pred all = iw_lanes_below(IW_WARP_SIZE);
  uint64_t before = 0;
  int varies = 1;
  for (uint32_t d = 0; d < IW_RADIX_DIGITS; d += IW_WARP_SIZE) {
    uint64_t *const counts = plan->counts + pass * IW_RADIX_DIGITS + d;
    const iw_u64 count = iw_load(counts, all), to = iw_inclusive_prefix_sum(count);
    if (iw_any(iw_eq(count, iw_splat(n)))) varies = 0;
    iw_store(counts, iw_splat((uint64_t)0), all);
    iw_store(plan->positions + pass * IW_RADIX_DIGITS + d, iw_add(iw_sub(to, count), iw_splat(before)), all);
    before += iw_last(to);
  }
  return varies;
}

/* Writes the plan. varies: in shared memory, of each pass. */
IW_FN void multisplit_plan_passes(iw_block *block, const iw_digit_plan *plan, uint64_t n, int needed, uint32_t *varies)
{
  IW_PHASE(warp) {
    for (uint64_t k = warp; needed && k < plan->passes; k += block->warps)
      iw_set_u32(varies + k, multisplit_scan_digit_counts(plan, n, k));
  }
  IW_PHASE(warp) {
    for (uint64_t k = 0; warp == 0 && k < plan->passes; k++) {
      const int is_pair = needed && k > 0 && k + 1 < plan->key_passes && !iw_get_u32(varies + k) && !iw_get_u32(varies + k + 1);
      iw_set_u32(plan->runs + k, needed && !is_pair);
      if (is_pair) iw_set_u32(plan->runs + ++k, 0);
    }
  }
}
