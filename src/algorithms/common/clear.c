/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting memory of kernels to zero (clear.h).
 */
#include "algorithms/common/args.h"
#include "algorithms/common/clear.h"
#include "algorithms/common/kernel_ids.h"
#include "runtime/arithmetic.h"
#include "runtime/launch.h"

iw_status iw_clear(iw_context *context, void *words, size_t n)
{
  return iw_clear_both(context, words, n, NULL, 0);
}

iw_status iw_clear_both(iw_context *context, void *words, size_t n, void *halves, size_t n_halves)
{
  const iw_clear_args args = { words, n, halves, n_halves };
  return iw_launch_by_id(context, IW_K_clear, iw_ceil_div(iw_max(n, n_halves), 8192), 256, &args);
}
