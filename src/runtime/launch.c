/* SPDX-License-Identifier: Apache-2.0
 *
 * Launching kernels: the checks that every backend needs. The backend checks whether the kernel fits the
 * machine. Runtime layer.
 */
#include "runtime/check.h"
#include "runtime/fp_environment.h"
#include "runtime/launch.h"

/* Whether the object that holds the kernel was compiled with contraction of a*b + c. The probe computes, so
 * it needs the default floating-point environment. */
static IW_NOINLINE int is_contracted(const iw_kernel *kernel)
{
  iw_fp_env caller;
  iw_fp_env_set_default(&caller);
  const int contracted = kernel->fp_contracted();
  iw_fp_env_restore(&caller);
  return contracted;
}

/* The result is not cached by address, because after dlclose() another library's kernel may have the same
 * address. */
iw_status iw_check_kernel(const iw_kernel *kernel)
{
  IW_TRY(iw_check_pointer("kernel", kernel));
  if (kernel->size != sizeof *kernel)
    return iw_fail(IW_ERROR_MISMATCH,
                   "the kernel was built with another version of isowarp's headers: its descriptor "
                   "has %zu bytes, this library's %zu", kernel->size, sizeof *kernel);
  if (kernel->enqueue) /* a CUDA kernel, which the CUDA runtime checks */
    return IW_OK;
  if (kernel->run && !iw_isa_available(kernel->isa))
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built for %s: this library was built without it, or this machine cannot "
                   "run it", kernel->name, kernel->isa);
  if (is_contracted(kernel))
    return iw_fail(IW_ERROR_MISMATCH,
                   "kernel %s was built with contraction of floating-point operations: add "
                   "-ffp-contract=off", kernel->name);
  return IW_OK;
}

iw_status iw_launch(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block,
                    const void *args, size_t args_size)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_pointer("kernel", kernel));
  if (block < 1 || block > 1024)
    return iw_fail(IW_ERROR_INVALID, "block is %u threads; valid are 1 to 1024", block);
  IW_TRY(iw_check_pointer("args", args));
  IW_TRY(iw_check_kernel(kernel));
  if (args_size != kernel->args)
    return iw_fail(IW_ERROR_MISMATCH,
                   "args_size is %zu, but the argument struct of kernel %s has %zu bytes", args_size,
                   kernel->name, kernel->args);
  if (kernel->block && kernel->block != block)
    return iw_fail(IW_ERROR_INVALID, "kernel %s needs blocks of %u threads, not %u", kernel->name,
                   kernel->block, block);
  if (context->device_ops && kernel->enqueue)
    IW_TRY(iw_device_context(context, &context));
  context->call_bytes = 0;
  return context->ops->launch(context, kernel, grid, block, kernel->shared, args);
}

iw_status iw_fail_no_kernel(iw_context *context)
{
  if (context->ops->load)
    IW_TRY(context->ops->load(context));
  return iw_fail(IW_ERROR_UNAVAILABLE, "the %s backend has no kernel for this call", context->ops->name);
}

iw_status iw_launch_by_id_shared(iw_context *context, unsigned id, size_t grid, unsigned block, size_t shared,
                                 const void *args)
{
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, id, &kernel));
  if (!grid)
    return IW_OK;
  if (!block)
    block = kernel->block;
  return context->ops->launch(context, kernel, grid, block, iw_min(shared, kernel->shared), args);
}

iw_status iw_launch_by_id(iw_context *context, unsigned id, size_t grid, unsigned block, const void *args)
{
  return iw_launch_by_id_shared(context, id, grid, block, SIZE_MAX, args);
}

size_t iw_blocks_per_wave(iw_context *context, unsigned id)
{
  const iw_kernel *kernel = context->ops->kernel(context, id);
  return (size_t)context->device.processors * (kernel ? kernel->blocks_per_processor : 1);
}
