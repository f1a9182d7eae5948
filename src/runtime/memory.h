/* SPDX-License-Identifier: Apache-2.0
 *
 * The context's own memory: scratch, tile states and zeroed counters. Runtime layer.
 */
#ifndef IW_RUNTIME_MEMORY_H
#define IW_RUNTIME_MEMORY_H

#include "runtime/arithmetic.h"
#include "runtime/context.h"

/* Sets *memory to at least `bytes` bytes of scratch, aligned to 64, with unspecified contents. A later call
 * may move it. */
iw_status iw_scratch(iw_context *context, size_t bytes, void **memory);

/* Adds count * size bytes to the layout of a scratch that has *used bytes, and returns their offset,
 * aligned to 64. If the sum overflows, *used becomes SIZE_MAX, which iw_scratch() refuses. */
static inline size_t iw_layout_add(size_t *used, size_t count, size_t size)
{
  const size_t at = *used;
  size_t bytes, end;
  const int overflow = __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(at, bytes, &end)
    || end > SIZE_MAX - 63;
  *used = overflow ? SIZE_MAX : (end + 63) / 64 * 64;
  return at;
}

/* Sets *tickets to an iw_tickets and *states to at least `words` tile-state words. They are zeroed when
 * they are allocated and hold nothing but tile states, because other data could have the flag of a later
 * launch's epoch. */
iw_status iw_tile_states(iw_context *context, size_t words, void **tickets, uint64_t **states);
/* iw_context_reserve() allocates one tile-state word for this many bytes. Each look-back asserts that this
 * is enough. */
enum { IW_BYTES_PER_TILE_STATE = 3 << 10 };

/* Sets *counters to IW_ZEROED_COUNTERS words and *blocks_done to a counter of finished blocks. All are zero
 * before and after each launch that uses them. */
enum { IW_ZEROED_COUNTERS = 4096 };
iw_status iw_zeroed_counters(iw_context *context, uint32_t **blocks_done, uint64_t **counters);

#endif
