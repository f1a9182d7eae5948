/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 8: atomics. The histogram of the letters of a text, four letters in a bin; other bytes are in no bin.
 */
#include <isowarp/kernel.h>

enum { BINS = 7 };
typedef struct { const uint8_t *text; uint32_t *counts; size_t n; } histogram_args;
typedef struct { uint32_t counts[BINS]; } histogram_shared;

IW_KERNEL(histogram, histogram_shared, histogram_args)
{
  IW_PHASE(warp) {
    if (warp == 0)
      iw_store(shared->counts, 0, iw_lanes_below(BINS));
  }
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_u32 letter = iw_sub(iw_load_u8(args->text + here.first, here.valid), 'a');
    const iw_pred counted = iw_and(here.valid, iw_lt(letter, 26));
    /* Exercise: count the letter of each lane of `counted` in its bin of shared->counts. */
    iw_scatter(shared->counts, iw_div(letter, 4), 1, counted);
    /* End of the exercise. */
  }
  IW_PHASE(warp) {
    if (warp == 0) {
      const iw_u32 count = iw_load(shared->counts, iw_lanes_below(BINS));
      iw_global_add(args->counts, iw_lane(), count, iw_lanes_below(BINS));
    }
  }
}
