/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 1: a thread for each element. out[i] = 2 * in[i] + 1.
 */
#include <isowarp/kernel.h>

typedef struct { const float *in; float *out; size_t n; } threads_args;
typedef struct { int unused; } nothing;

IW_KERNEL(threads, nothing, threads_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_f32 x = iw_load(args->in + here.first, here.valid);
    /* Exercise: y is 2 * x + 1. */
    const iw_f32 y = x;
    /* End of the exercise. */
    iw_store(args->out + here.first, y, here.valid);
  }
}
