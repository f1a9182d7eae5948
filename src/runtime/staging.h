/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a call runs, and how kernels access the caller's arrays: in place, by a copy, or piece by piece.
 * Runtime layer.
 */
#ifndef IW_RUNTIME_STAGING_H
#define IW_RUNTIME_STAGING_H

#include "runtime/check.h"
#include "runtime/context.h"

/* Replaces an AUTO context by its device context if one of the arrays is device memory, or if the arrays
 * have at least offload_threshold bytes. Other contexts stay. */
iw_status iw_select_auto_context(iw_context **context, const iw_array *arrays, unsigned count);
static inline iw_status iw_select_context(iw_context **context, const iw_array *arrays, unsigned count)
{
  return (*context)->device_ops ? iw_select_auto_context(context, arrays, count) : IW_OK;
}
/* Replaces an AUTO context by the context that can run a user's kernel: the device context if nvcc built it.
 * Fails if it was built for a CPU and one of the arrays is device memory. */
iw_status iw_select_context_for_kernel(iw_context **context, const iw_kernel *kernel, const iw_array *arrays,
                                       unsigned count);

/* Makes the arrays accessible to kernels of a selected context: host memory is copied to the device if the
 * call reads it. Equal pointers stay equal. */
iw_status iw_stage_copies(iw_context *context, iw_array *arrays, unsigned count);
static inline iw_status iw_stage_on(iw_context *context, iw_array *arrays, unsigned count)
{
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    arrays[i].kernel_ptr = (void *)(uintptr_t)arrays[i].at;
    bytes += iw_bytes_of(&arrays[i]);
  }
  context->call_bytes = bytes;
  return context->ops->locate ? iw_stage_copies(context, arrays, count) : IW_OK;
}

/* iw_select_context(), then iw_stage_on(). */
static inline iw_status iw_stage(iw_context **context, iw_array *arrays, unsigned count)
{
  IW_TRY(iw_select_context(context, arrays, count));
  return iw_stage_on(*context, arrays, count);
}

/* Ends a call that began with iw_stage(). If status is IW_OK, copies the written arrays back to host memory
 * and returns the status of the copies; else returns status. */
iw_status iw_unstage_copies(iw_context *context, const iw_array *arrays, unsigned count, iw_status status);
static inline iw_status iw_unstage(iw_context *context, const iw_array *arrays, unsigned count,
                                   iw_status status)
{
  return context->ops->locate ? iw_unstage_copies(context, arrays, count, status) : status;
}

/* Calls use() for an array that kernels read once: once with all of it if kernels can access it, else with
 * pieces of a multiple of `unit` bytes. Does not call use() for an empty array. */
iw_status iw_for_each_piece(iw_context *context, const iw_array *array, size_t unit, iw_piece_fn use,
                            void *job);

/* Sets *accessible to whether kernels can access the array in place. */
static inline iw_status iw_is_accessible(iw_context *context, const iw_array *array, int *accessible)
{
  *accessible = 1;
  return iw_bytes_of(array) && context->ops->locate
             ? context->ops->locate(context, array->name, array->at, accessible)
             : IW_OK;
}
/* Sets *on_device to whether the array is memory of the context's device; 0 on a CPU context. Allowed
 * during a capture. */
iw_status iw_is_on_device(iw_context *context, const iw_array *array, int *on_device);

#endif
