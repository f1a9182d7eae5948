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
  const iw_clear_args args = { words, n };
  return iw_launch_by_id(context, IW_K_clear, iw_ceil_div(n, 8192), 256, &args);
}
