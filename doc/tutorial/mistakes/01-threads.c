/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 1, a mistake: lanes without an element load and store.
 */
#include <isowarp/kernel.h>

typedef struct { const float *in; float *out; size_t n; } threads_args;
typedef struct { int unused; } nothing;

IW_KERNEL(threads, nothing, threads_args)
{
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    const iw_f32 x = iw_load(args->in + here.first, iw_active(warp));
    const iw_f32 y = iw_add(iw_mul(x, 2), 1);
    iw_store(args->out + here.first, y, iw_active(warp));
  }
}
