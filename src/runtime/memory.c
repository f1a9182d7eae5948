/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's memory, and the context's scratch.
 */
#include "runtime/internal.h"

#include <stdlib.h>

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
  if (memory && context->elsewhere && iw_cuda_device_of(memory) >= 0)
    IW_TRY(iw_device_context(context, &context));
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
  const iw_array arrays[] = { { "from", from, bytes, IW_READ, NULL }, { "to", to, bytes, IW_WRITE, NULL } };
  IW_TRY(iw_choose(&context, arrays, 2));
  return bytes ? context->ops->copy(context, to, from, bytes) : IW_OK;
}

/* Memory that larger one takes the place of. A graph that was captured may still use it: then it goes with the context. */
static void retire(iw_context *context, void *memory)
{
  struct iw_retired *entry = context->captured ? malloc(sizeof *entry) : NULL;
  if (!context->captured)
    context->ops->release(context, memory);
  else if (entry) { /* else it is lost rather than pulled from under a graph */
    *entry = (struct iw_retired){ context->retired, memory };
    context->retired = entry;
  }
}

iw_status iw_scratch(iw_context *context, size_t bytes, void **memory)
{
  enum { ROUND = 1 << 16 };
  if (!context->scratch || bytes > context->scratch_bytes) {
    if (bytes > PTRDIFF_MAX - ROUND)
      return iw_fail(IW_ERROR_MEMORY, "the call needs more scratch than there is address space (n or bins too large)");
    void *grown;
    bytes = iw_max(iw_ceil_div(bytes, ROUND), 1) * ROUND;
    IW_TRY(context->ops->allocate(context, bytes, &grown));
    if (context->scratch)
      retire(context, context->scratch);
    context->scratch = grown;
    context->scratch_bytes = bytes;
  }
  *memory = context->scratch;
  return IW_OK;
}

iw_status iw_clear(iw_context *context, void *words, size_t n)
{
  const iw_clear_args args = { words, n };
  return iw_run(context, IW_K_clear, iw_ceil_div(n, 8192), 256, &args);
}

iw_status iw_scan_words(iw_context *context, size_t words, void **tickets, uint64_t **first)
{
  enum { TICKETS = 64 / sizeof(uint64_t), LEAST = 1024 };
  if (!context->tickets || words > context->words) {
    void *grown;
    words = iw_max(words, LEAST);
    IW_TRY(context->ops->allocate(context, (TICKETS + words) * sizeof(uint64_t), &grown));
    const iw_status status = iw_clear(context, grown, TICKETS + words);
    if (status != IW_OK) {
      context->ops->release(context, grown);
      return status;
    }
    if (context->tickets)
      retire(context, context->tickets);
    context->tickets = grown;
    context->words = words;
  }
  *tickets = context->tickets;
  *first = (uint64_t *)context->tickets + TICKETS;
  return IW_OK;
}

iw_status iw_zeroed(iw_context *context, uint32_t **closed, uint64_t **words)
{
  enum { CLOSED = 64 / sizeof(uint64_t) };
  if (!context->zeroed) {
    void *made;
    IW_TRY(context->ops->allocate(context, (CLOSED + IW_ZEROED) * sizeof(uint64_t), &made));
    const iw_status status = iw_clear(context, made, CLOSED + IW_ZEROED);
    if (status != IW_OK) {
      context->ops->release(context, made);
      return status;
    }
    context->zeroed = made;
  }
  *closed = context->zeroed;
  *words = (uint64_t *)context->zeroed + CLOSED;
  return IW_OK;
}

iw_status iw_context_reserve(iw_context *context, size_t bytes)
{
  void *memory;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_scratch(context, bytes, &memory));
  uint64_t *words;
  IW_TRY(iw_scan_words(context, iw_max(iw_scan_words_needed(bytes / sizeof(uint32_t), IW_I32), iw_partition_words_needed(bytes)),
                       &memory, &words));
  uint32_t *closed;
  if (context->atomics_merge)
    IW_TRY(iw_zeroed(context, &closed, &words));
  if (bytes > context->reserved)
    context->reserved = bytes;
  return context->device ? iw_context_reserve(context->device, bytes) : IW_OK;
}
