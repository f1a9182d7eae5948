/* SPDX-License-Identifier: Apache-2.0
 *
 * Launching: the checks that every backend wants. Whether the kernel fits this machine is the backend's to say.
 */
#include "internal.h"

iw_status iw_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block, const void *args)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("kernel", kernel));
  if (block < 1 || block > 1024)
    return iw_fail(IW_ERROR_INVALID, "block is %u threads: 1 to 1024 are possible", block);
  IW_TRY(iw_check_pointer("args", args));
  return context->ops->launch(context, kernel, grid, block, args);
}

iw_status iw_run(iw_context *context, iw_kernel_id id, size_t grid, unsigned block, const void *args)
{
  const iw_kernel *kernel = context->ops->kernel(context, id);
  if (!kernel)
    return iw_fail(IW_ERROR_UNAVAILABLE, "the %s backend has no kernel for this call", context->ops->name);
  return grid ? context->ops->launch(context, kernel, grid, block ? block : kernel->block, args) : IW_OK;
}
