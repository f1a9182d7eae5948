/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a context keeps for its calls. Runtime layer.
 */
#include "runtime/check.h"
#include "runtime/memory.h"

#include <stdlib.h>

/* Frees memory that a larger allocation replaces. If a captured graph may still use it, it is freed with the
 * context. */
static void release_or_defer(iw_context *context, void *memory)
{
  iw_deferred_free *entry = context->has_captured_graph ? malloc(sizeof *entry) : NULL;
  if (!context->has_captured_graph)
    context->ops->release(context, memory);
  else if (entry) { /* if entry cannot be allocated, the memory leaks, because a graph may use it */
    *entry = (iw_deferred_free){ context->deferred_frees, memory };
    context->deferred_frees = entry;
  }
}

static iw_status scratch_of_bytes(iw_context *context, size_t bytes)
{
  enum { ROUND = 1 << 16 };
  if (!context->scratch || bytes > context->scratch_bytes) {
    if (bytes > PTRDIFF_MAX - ROUND)
      return iw_fail(IW_ERROR_MEMORY, "the call's scratch exceeds the address space: n or bins is too large");
    void *grown;
    bytes = iw_max(iw_ceil_div(bytes, ROUND), 1) * ROUND;
    IW_TRY(context->ops->allocate(context, bytes, &grown));
    if (context->scratch)
      release_or_defer(context, context->scratch);
    context->scratch = grown;
    context->scratch_bytes = bytes;
  }
  return IW_OK;
}

iw_status iw_scratch(iw_context *context, const iw_layout *layout, void **memory)
{
  IW_TRY(scratch_of_bytes(context, layout->used));
  *memory = context->scratch;
  iw_lay_out(context, context->scratch, layout);
  return IW_OK;
}

iw_status iw_scratch_array(iw_context *context, const char *name, size_t count, size_t size, void **memory)
{
  iw_layout layout;
  iw_layout_begin(&layout, context);
  iw_layout_add(&layout, name, count, size);
  return iw_scratch(context, &layout, memory);
}

/* Lays out memory that keeps its contents: a word or struct in the first 64 bytes, and then an array. */
static void lay_out_header_and_array(iw_context *context, void *memory, const char *header, size_t header_bytes,
                                     const char *array, size_t bytes)
{
  if (context->ops->lay_out)
    context->ops->lay_out(context, memory, &(iw_layout){
      .used = 64 + bytes, .count = 2, .array = { { header, 0, header_bytes }, { array, 64, bytes } },
    }, 1);
}

/* Allocates n 64-bit words of zeros where kernels run. */
static iw_status allocate_zeroed(iw_context *context, size_t n, void **memory)
{
  void *made;
  IW_TRY(context->ops->allocate(context, n * sizeof(uint64_t), &made));
  const iw_status status = context->ops->zero(context, made, n * sizeof(uint64_t));
  if (status != IW_OK) {
    context->ops->release(context, made);
    return status;
  }
  *memory = made;
  return IW_OK;
}

iw_status iw_grow_tile_states(iw_context *context, size_t words)
{
  enum { MIN_TILE_STATES = 2048 /* for short scans */ };
  void *grown;
  words = iw_max(words, MIN_TILE_STATES);
  IW_TRY(allocate_zeroed(context, IW_TICKET_WORDS + words, &grown));
  if (context->tickets)
    release_or_defer(context, context->tickets);
  context->tickets = grown;
  context->tile_state_capacity = words;
  return IW_OK;
}

void iw_lay_out_tile_states(iw_context *context, size_t words)
{
  lay_out_header_and_array(context, context->tickets, "tickets", sizeof(iw_tickets), "tile states", words * sizeof(uint64_t));
}

iw_status iw_zeroed_counters(iw_context *context, uint32_t **blocks_done, uint64_t **counters)
{
  enum { BLOCKS_DONE = 64 / sizeof(uint64_t) };
  if (!context->zeroed_counters)
    IW_TRY(allocate_zeroed(context, BLOCKS_DONE + IW_ZEROED_COUNTERS, &context->zeroed_counters));
  *blocks_done = context->zeroed_counters;
  *counters = (uint64_t *)context->zeroed_counters + BLOCKS_DONE;
  lay_out_header_and_array(context, context->zeroed_counters, "blocks done", sizeof(uint32_t), "zeroed counters",
                           IW_ZEROED_COUNTERS * sizeof(uint64_t));
  return IW_OK;
}

iw_status iw_edges_memory(iw_context *context, size_t bytes, void **memory)
{
  if (bytes > context->edges_bytes) {
    void *const larger = malloc(bytes);
    if (!larger)
      return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory for edges", bytes);
    free(context->edges);
    context->edges = larger;
    context->edges_bytes = bytes;
  }
  *memory = context->edges;
  return IW_OK;
}

/* Scratch of a CPU's histograms for private counters: a multiple of the bytes that are documented for one
 * thread. Nothing is written there until a call needs it, so it is address space rather than memory. */
static size_t private_counters_bytes(const iw_context *context, size_t bytes)
{
  enum { MAX_BYTES = 2 * IW_MAX_COPIES_BYTES };
  const size_t threads = context->device.processors;
  if (!context->device.reads_host_memory)
    return 0;
  return bytes > MAX_BYTES / threads ? MAX_BYTES : bytes * threads;
}

iw_status iw_context_reserve(iw_context *context, size_t bytes)
{
  enum { SHORT_BYTES = 1 << 20 }; /* short sorts have more tiles for each element */
  void *memory;
  IW_TRY(iw_check_context(context));
  if (bytes > PTRDIFF_MAX / 2)
    return iw_fail(IW_ERROR_MEMORY, "cannot reserve %zu bytes: at most %zu", bytes, (size_t)PTRDIFF_MAX / 2);
  IW_TRY(scratch_of_bytes(context, bytes + private_counters_bytes(context, bytes) + IW_MAX_LAYOUT * context->device.array_gap));
  uint64_t *words;
  IW_TRY(iw_tile_states(context, (bytes + SHORT_BYTES) / context->device.bytes_per_tile_state, &memory, &words));
  IW_TRY(iw_edges_memory(context, bytes / IW_BYTES_PER_BIN * sizeof(uint64_t), &memory));
  uint32_t *blocks_done;
  IW_TRY(iw_zeroed_counters(context, &blocks_done, &words));
  if (context->ops->reserve)
    IW_TRY(context->ops->reserve(context));
  if (bytes > context->reserved)
    context->reserved = bytes;
  return context->device_context ? iw_context_reserve(context->device_context, bytes) : IW_OK;
}
