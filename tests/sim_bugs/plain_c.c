/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs: plain C in a kernel that raises a signal. A finding names the last operation on memory before it, and the
 * phase. Compiled with -fsanitize=bounds -fsanitize-undefined-trap-on-error. See bug.h.
 */
#include "bug.h"

/* The last block has no elements. */
IW_KERNEL(divides_by_0, nothing, bug_args)
{
  IW_PHASE(warp) { /* BUG: divides_by_0 */
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid); /* BUG: divides_by_0 */
    const uint32_t one = IW_WARP_SIZE / (uint32_t)BUG(here.count, (here.count ? here.count : 1));
    iw_store(args->out + here.first, iw_add(x, iw_splat(one)), here.valid);
  }
}

/* There are no slots. */
IW_KERNEL(reads_null, nothing, bug_args)
{
  IW_PHASE(warp) { /* BUG: reads_null */
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid); /* BUG: reads_null */
    const uint64_t flag = BUG(*(const volatile uint64_t *)args->slots, 0);
    iw_store(args->out + here.first, iw_add(x, iw_splat(1 + (uint32_t)flag)), here.valid);
  }
}

/* A C array of the warp. */
IW_KERNEL(past_a_local_array, nothing, bug_args)
{
  IW_PHASE(warp) { /* BUG: past_a_local_array */
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid); /* BUG: past_a_local_array */
    uint32_t parts[4] = { 1, 2, 3, 4 }, sum = 0;
    for (size_t k = 0; BUG(k <= block->blocks, k < block->blocks); k++)
      sum += parts[k];
    iw_store(args->out + here.first, iw_add(x, iw_splat(sum / 10)), here.valid);
  }
}
