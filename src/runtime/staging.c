/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a call runs, and how kernels access the caller's arrays: in place, by a copy, or piece by piece. The
 * memory calls of isowarp.h select their context in the same way. Runtime layer.
 */
#include "runtime/memory.h"
#include "runtime/staging.h"

/* Sets *device to the index of the CUDA device that owns the array; -1 for host memory and for an empty
 * array. */
static iw_status device_of(const iw_array *array, int *device)
{
  *device = -1;
  return iw_bytes_of(array) ? iw_cuda_device_of(array->at, device) : IW_OK;
}

iw_status iw_select_auto_context(iw_context **context, const iw_array *arrays, unsigned count)
{
  size_t host = 0;
  for (unsigned i = 0; i < count; i++) {
    int device;
    IW_TRY(device_of(&arrays[i], &device));
    if (device >= 0)
      return iw_device_context(*context, context);
    host += iw_bytes_of(&arrays[i]);
  }
  return host >= (*context)->offload_threshold ? iw_device_context(*context, context) : IW_OK;
}

iw_status iw_select_context_for_kernel(iw_context **context, const iw_kernel *kernel,
                                       const iw_array *arrays, unsigned count)
{
  if (!(*context)->device_ops)
    return IW_OK;
  if (kernel->enqueue)
    return iw_device_context(*context, context);
  for (unsigned i = 0; i < count; i++) {
    int device;
    IW_TRY(device_of(&arrays[i], &device));
    if (device >= 0)
      return iw_fail(IW_ERROR_MISMATCH, "%s is memory of CUDA device %d, and kernel %s was built for %s",
                     arrays[i].name, device, kernel->name, kernel->isa);
  }
  return IW_OK;
}

iw_status iw_is_on_device(iw_context *context, const iw_array *array, int *on_device)
{
  *on_device = 0;
  int owns;
  if (!context->ops->owns || !iw_bytes_of(array))
    return IW_OK;
  IW_TRY(context->ops->owns(context, array->at, &owns));
  if (!owns)
    return IW_OK;
  return context->ops->locate(context, array->name, array->at, on_device);
}

static iw_status grow_staging(iw_context *context, size_t bytes)
{
  if (bytes <= context->staging_bytes)
    return IW_OK;
  if (bytes > PTRDIFF_MAX)
    return iw_fail(IW_ERROR_MEMORY, "the arrays exceed the address space");
  if (context->staging) {
    context->ops->release(context, context->staging);
    context->staging = NULL;
    context->staging_bytes = 0;
  }
  IW_TRY(context->ops->allocate(context, bytes, &context->staging));
  context->staging_bytes = bytes;
  return IW_OK;
}

/* The first of the staged arrays before array i whose copy holds that of array i too, because both begin at
 * one address; else i. So equal pointers stay equal, for calls that work in place. */
static unsigned array_with_copy(const iw_array *arrays, const int *staged, unsigned i)
{
  for (unsigned k = 0; k < i; k++)
    if (staged[k] && arrays[k].at == arrays[i].at && iw_bytes_of(&arrays[k]) >= iw_bytes_of(&arrays[i]))
      return k;
  return i;
}

iw_status iw_stage_copies(iw_context *context, iw_array *arrays, unsigned count)
{
  size_t offset[IW_MAX_ARRAYS]; /* of each copy in the staging memory */
  int staged[IW_MAX_ARRAYS];
  iw_layout layout;
  iw_layout_begin(&layout, context);
  for (unsigned i = 0; i < count; i++) {
    int accessible;
    IW_TRY(iw_is_accessible(context, &arrays[i], &accessible));
    staged[i] = !accessible;
    if (accessible)
      continue;
    const unsigned k = array_with_copy(arrays, staged, i);
    offset[i] = k < i ? offset[k] : iw_layout_add(&layout, arrays[i].name, iw_bytes_of(&arrays[i]), 1);
  }
  if (!layout.used)
    return IW_OK;
  IW_TRY(grow_staging(context, layout.used));
  iw_lay_out(context, context->staging, &layout);
  for (unsigned i = 0; i < count; i++)
    if (staged[i]) {
      arrays[i].kernel_ptr = (char *)context->staging + offset[i];
      if (arrays[i].access & IW_READ)
        IW_TRY(context->ops->copy(context, arrays[i].kernel_ptr, arrays[i].at, iw_bytes_of(&arrays[i])));
    }
  return IW_OK;
}

iw_status iw_unstage_copies(iw_context *context, const iw_array *arrays, unsigned count, iw_status status)
{
  for (unsigned i = 0; i < count && status == IW_OK; i++)
    if (arrays[i].kernel_ptr != arrays[i].at && arrays[i].access & IW_WRITE && iw_bytes_of(&arrays[i]))
      status = context->ops->copy(context, (void *)(uintptr_t)arrays[i].at, arrays[i].kernel_ptr,
                                  iw_bytes_of(&arrays[i]));
  return status;
}

iw_status iw_for_each_piece(iw_context *context, const iw_array *array, size_t unit, iw_piece_fn use,
                            void *job)
{
  int accessible;
  if (!iw_bytes_of(array))
    return IW_OK;
  IW_TRY(iw_is_accessible(context, array, &accessible));
  context->call_bytes = iw_bytes_of(array);
  return accessible ? use(job, array->at, 0, iw_bytes_of(array))
                    : context->ops->for_each_piece(context, array->at, iw_bytes_of(array), unit, use, job);
}

/* ---- The memory calls of isowarp.h ---- */

iw_status iw_memory_allocate(iw_context *context, size_t bytes, void **memory)
{
  IW_TRY(iw_check_pointer("memory", memory));
  *memory = NULL;
  IW_TRY(iw_check_context(context));
  if (bytes > PTRDIFF_MAX)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes: at most %zu", bytes, (size_t)PTRDIFF_MAX);
  return bytes ? context->ops->allocate(context, bytes, memory) : IW_OK;
}

iw_status iw_memory_free(iw_context *context, void *memory)
{
  int device = -1;
  IW_TRY(iw_check_context(context));
  if (memory && context->device_ops)
    IW_TRY(iw_cuda_device_of(memory, &device));
  if (device >= 0)
    IW_TRY(iw_device_context(context, &context));
  if (memory)
    context->ops->release(context, memory);
  return IW_OK;
}

iw_status iw_memory_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  IW_TRY(iw_check_context(context));
  const iw_array arrays[] = { { "to", to, bytes, 1, IW_WRITE, NULL }, { "from", from, bytes, 1, IW_READ, NULL } };
  if (!iw_are_apart(arrays, 2))
    IW_TRY(iw_check_arrays(arrays, 2));
  IW_TRY(iw_select_context(&context, arrays, 2));
  return bytes ? context->ops->copy(context, to, from, bytes) : IW_OK;
}
