/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 4, a mistake: lanes without an element count as elements on the right.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; uint32_t pivot; size_t n; } ranks_args;
typedef struct { int unused; } nothing;

IW_KERNEL(ranks, nothing, ranks_args)
{
  IW_VAR(iw_u32, place);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 x = iw_load(args->in + here.first, here.valid);
    const iw_pred left = iw_and(here.valid, iw_lt(x, args->pivot));
    const iw_pred right = iw_not(left);
    const unsigned lefts = iw_popcount(iw_ballot(left));
    IW_MY(place) = iw_select(left, iw_rank(left), iw_add(iw_rank(right), lefts));
    iw_scatter(args->out + here.first, IW_MY(place), x, iw_or(left, right));
  }
}
