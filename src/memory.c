/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's memory, and the context's scratch.
 */
#include "internal.h"

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
  IW_TRY(iw_check_context(context));
  if (memory)
    context->ops->release(context, memory);
  return IW_OK;
}

iw_status iw_memory_copy(iw_context *context, void *to, const void *from, size_t bytes)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_array("to", to, bytes, 1));
  IW_TRY(iw_check_array("from", from, bytes, 1));
  IW_TRY(iw_check_apart("from", from, bytes, "to", to, bytes));
  return bytes ? context->ops->copy(context, to, from, bytes) : IW_OK;
}

iw_status iw_scratch(iw_context *context, size_t bytes, void **memory)
{
  enum { ROUND = 1 << 16 };
  static const char zeros[IW_SCRATCH_HEAD];
  if (!context->scratch || bytes > context->scratch_bytes) {
    if (bytes > PTRDIFF_MAX - IW_SCRATCH_HEAD - ROUND)
      return iw_fail(IW_ERROR_MEMORY, "the call needs more scratch than there is address space (n or bins too large)");
    bytes = (bytes + ROUND - 1) / ROUND * ROUND;
    void *grown;
    IW_TRY(context->ops->allocate(context, IW_SCRATCH_HEAD + bytes, &grown));
    const iw_status status = context->ops->copy(context, grown, context->scratch ? context->scratch : zeros, IW_SCRATCH_HEAD);
    if (status != IW_OK) {
      context->ops->release(context, grown);
      return status;
    }
    if (context->scratch)
      context->ops->release(context, context->scratch);
    context->scratch = grown;
    context->scratch_bytes = bytes;
  }
  *memory = (char *)context->scratch + IW_SCRATCH_HEAD;
  return IW_OK;
}

size_t iw_carve(size_t *used, size_t count, size_t size)
{
  const size_t at = *used, room = SIZE_MAX - 63 - at;
  *used = at == SIZE_MAX || at > SIZE_MAX - 63 || count > room / size ? SIZE_MAX : (at + count * size + 63) / 64 * 64;
  return at;
}

iw_status iw_context_reserve(iw_context *context, size_t bytes)
{
  void *memory;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_scratch(context, bytes, &memory));
  if (bytes > context->reserved)
    context->reserved = bytes;
  return IW_OK;
}
