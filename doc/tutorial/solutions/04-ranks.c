/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 4: ballot and rank. Each warp moves its elements below the pivot to the front and the others behind
 * them, both in their order.
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
    /* Exercise: the place of each element among the elements of its warp. */
    const iw_pred right = iw_and(here.valid, iw_not(left));
    const unsigned lefts = iw_popcount(iw_ballot(left));
    IW_MY(place) = iw_select(left, iw_rank(left), iw_add(iw_rank(right), lefts));
    /* End of the exercise. */
    iw_scatter(args->out + here.first, IW_MY(place), x, here.valid);
  }
}
