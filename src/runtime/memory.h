/* SPDX-License-Identifier: Apache-2.0
 *
 * The context's own memory: scratch, tile states and zeroed counters. Runtime layer.
 */
#ifndef IW_RUNTIME_MEMORY_H
#define IW_RUNTIME_MEMORY_H

#include "runtime/arithmetic.h"
#include "runtime/context.h"
#include "runtime/error.h"

static inline void iw_layout_begin(iw_layout *layout, const iw_context *context)
{
  layout->used = 0;
  layout->gap = context->device.array_gap;
  layout->count = 0;
}

/* Adds an array of count * size bytes to a layout, and returns its offset, aligned to 64. If the sum
 * overflows, layout->used becomes SIZE_MAX, which iw_scratch() refuses. name: a string that lives as long
 * as the layout. */
static inline size_t iw_layout_add(iw_layout *layout, const char *name, size_t count, size_t size)
{
  const size_t at = layout->used;
  size_t bytes, end;
  const int overflow = __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(at, bytes, &end)
    || end > SIZE_MAX - 63 - layout->gap;
  layout->used = overflow ? SIZE_MAX : (end + 63) / 64 * 64 + layout->gap;
  if (!overflow && bytes && layout->count < IW_MAX_LAYOUT) {
    layout->array[layout->count].name = name;
    layout->array[layout->count].at = at;
    layout->array[layout->count++].bytes = bytes;
  }
  return at;
}

/* Sets *memory to scratch for the arrays of a layout, aligned to 64, with unspecified contents. A later
 * call may move it. */
iw_status iw_scratch(iw_context *context, const iw_layout *layout, void **memory);
/* iw_scratch() for one array of count * size bytes. */
iw_status iw_scratch_array(iw_context *context, const char *name, size_t count, size_t size, void **memory);

/* Lays out a part of scratch that the caller of an algorithm hands to it, with unspecified contents. */
static inline void iw_lay_out(iw_context *context, void *memory, const iw_layout *layout)
{
  if (context->ops->lay_out)
    context->ops->lay_out(context, memory, layout, 0);
}

enum { IW_TICKET_WORDS = 64 / sizeof(uint64_t) };
/* The steps of iw_tile_states() that most calls do not need. */
iw_status iw_grow_tile_states(iw_context *context, size_t words);
void iw_lay_out_tile_states(iw_context *context, size_t words);
/* Sets *tickets to an iw_tickets and *states to at least `words` tile-state words. The words are zeroed when
 * they are allocated, and hold nothing but tile states, and claims of short scans (scan/agent_waiting.h),
 * whose upper half, the flag, is 0: other data could be taken for the flag of a later launch's epoch. */
static inline iw_status iw_tile_states(iw_context *context, size_t words, void **tickets, uint64_t **states)
{
  if (!context->tickets || words > context->tile_state_capacity)
    IW_TRY(iw_grow_tile_states(context, words));
  *tickets = context->tickets;
  *states = (uint64_t *)context->tickets + IW_TICKET_WORDS;
  if (context->ops->lay_out)
    iw_lay_out_tile_states(context, words);
  return IW_OK;
}
/* iw_context_reserve() allocates one tile-state word for this many bytes at least (iw_device). Each look-back
 * but that of digits asserts that this is enough. */
enum { IW_BYTES_PER_TILE_STATE = 2 << 10 };

/* Sets *counters to IW_ZEROED_COUNTERS words and *blocks_done to a counter of finished blocks. All are zero
 * before and after each call that uses them. A call that fails between two launches sets them to zero. */
enum { IW_ZEROED_COUNTERS = 4096 };
iw_status iw_zeroed_counters(iw_context *context, uint32_t **blocks_done, uint64_t **counters);

/* Sets *memory to at least `bytes` bytes of host memory for the edges of bins that serve one call. A later
 * call may move it. */
iw_status iw_edges_memory(iw_context *context, size_t bytes, void **memory);

/* The bytes for each bin that iw_context_reserve() is documented to need. */
enum { IW_BYTES_PER_BIN = 64 };

/* The most bytes of scratch that all copies of a histogram's counters take for each table of a block: two
 * at most. */
enum { IW_MAX_COPIES_BYTES = 64 << 20 };

#endif
