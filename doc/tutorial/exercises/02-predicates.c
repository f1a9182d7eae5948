/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 2: predicates in place of branches. steps[i] is the number of Collatz steps from in[i] to 1: an even
 * number is halved, an odd number x becomes 3 * x + 1.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *steps; size_t n; } collatz_args;
typedef struct { int unused; } nothing;

IW_KERNEL(collatz, nothing, collatz_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    uint32_t *const steps = args->steps + here.first;
    iw_u32 x = iw_load(args->in + here.first, here.valid);
    iw_store(steps, 0, here.valid);
    iw_pred busy = iw_gt(x, 1);
    for (uint32_t step = 1; iw_any(busy); step++) {
      iw_store(steps, step, busy);
      /* Exercise: x is the next number: 3 * x + 1 in the lanes where x is odd, x / 2 in the others. */
      x = iw_splat_u32(1);
      /* End of the exercise. */
      busy = iw_and(busy, iw_gt(x, 1));
    }
  }
}
