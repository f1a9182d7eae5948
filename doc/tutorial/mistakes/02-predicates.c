/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 2, a mistake: the lanes that need no step store nothing.
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
    iw_pred busy = iw_gt(x, 1);
    for (uint32_t step = 1; iw_any(busy); step++) {
      iw_store(steps, step, busy);
      const iw_pred odd = iw_eq(iw_and(x, 1), 1);
      x = iw_select(odd, iw_add(iw_mul(x, 3), 1), iw_div(x, 2));
      busy = iw_and(busy, iw_gt(x, 1));
    }
  }
}
