/* SPDX-License-Identifier: Apache-2.0
 *
 * Step 10: a scan of many blocks by three launches. The end of a launch is the barrier of the grid.
 */
#include <isowarp/kernel.h>

typedef struct { const uint32_t *in; uint32_t *out; uint32_t *sums; size_t n; size_t blocks; } scan_args;
typedef struct { int unused; } nothing;

/* Each block scans its elements and stores their sum. */
IW_KERNEL(scan_blocks, nothing, scan_args)
{
  IW_VAR(iw_u32, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    IW_MY(x) = iw_load(args->in + here.first, here.valid);
  }
  const uint32_t sum = iw_block_sum(x);
  iw_block_inclusive_prefix_sum(x, x);
  IW_PHASE(warp) {
    const iw_span here = iw_elements(warp, args->n);
    iw_store(args->out + here.first, IW_MY(x), here.valid);
    if (warp == 0)
      iw_set(args->sums + block->index, sum);
  }
}

/* One block scans the sums of all blocks, as many at a time as it has threads. */
IW_KERNEL(scan_sums, nothing, scan_args)
{
  IW_VAR(iw_u32, x);
  uint32_t before = 0;
  for (size_t start = 0; start < args->blocks; start += block->threads) {
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, start, args->blocks);
      IW_MY(x) = iw_load(args->sums + here.first, here.valid);
    }
    const uint32_t sum = iw_block_sum(x);
    iw_block_inclusive_prefix_sum(x, x);
    IW_PHASE(warp) {
      const iw_span here = iw_elements_from(warp, start, args->blocks);
      /* Exercise: store the scan of these sums, which includes what is before them. */
      (void)here;
      (void)before;
      /* End of the exercise. */
    }
    before += sum;
  }
}

/* Each block adds the sum of all blocks before it. */
IW_KERNEL(add_sums, nothing, scan_args)
{
  IW_PHASE(warp) {
    if (block->index > 0) {
      const iw_span here = iw_elements(warp, args->n);
      const uint32_t before = iw_get(args->sums + block->index - 1);
      const iw_u32 x = iw_load(args->out + here.first, here.valid);
      iw_store(args->out + here.first, iw_add(x, before), here.valid);
    }
  }
}
