/* SPDX-License-Identifier: Apache-2.0
 *
 * Splitting by bucket numbers: a stable radix sort of the elements' order, least digit first, by which all arrays are moved.
 */
#include "internal.h"

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "offsets are counted in words of 64 bits");

/* Bytes of counters that a block has for so many digits. */
static size_t shared_of(size_t digits)
{
  return IW_SPLIT_WARPS * digits * sizeof(uint32_t);
}

/* How a split is done, and the places of what it needs. */
typedef struct splitting {
  unsigned bits, passes, digit;
  size_t digits, chunk, chunks, bytes, at_counts, at_numbers[2], at_order[2];
} splitting;

static splitting plan_split(const iw_context *context, size_t buckets, size_t n)
{
  splitting s = { .bits = 1 };
  unsigned most = IW_SPLIT_BITS;
  while ((buckets - 1) >> s.bits)
    s.bits++;
  while (shared_of((size_t)1 << most) > context->shared_room)
    most--;
  s.passes = (s.bits + most - 1) / most;
  s.digit = (s.bits + s.passes - 1) / s.passes;
  s.digits = (size_t)1 << s.digit;
  /* Long enough that a chunk's own counters are few beside its elements. */
  s.chunk = iw_max(1 << 14, 16 * iw_ceil_div(s.digits, 32) * 32);
  s.chunks = iw_ceil_div(n, s.chunk);
  s.at_counts = iw_carve(&s.bytes, s.digits * s.chunks, sizeof(uint64_t));
  for (unsigned i = 0; i < 2; i++) {
    s.at_numbers[i] = iw_carve(&s.bytes, i < s.passes ? n : 0, sizeof(uint32_t));
    s.at_order[i] = iw_carve(&s.bytes, i < s.passes ? n : 0, sizeof(uint64_t));
  }
  return s;
}

size_t iw_split_bytes(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved,
                      size_t count)
{
  return plan_split(context, buckets, n).bytes;
}

iw_status iw_split(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved, size_t count,
                   void *memory, uint64_t *offsets)
{
  const splitting s = plan_split(context, buckets, n);
  const size_t grid = iw_ceil_div(s.chunks, IW_SPLIT_WARPS), shared = shared_of(s.digits);
  char *const base = memory;
  iw_split_args args = {
    .numbers = numbers->at, .bytes = numbers->bytes, .shift = numbers->shift, .mask = (uint32_t)(((uint64_t)1 << s.bits) - 1),
    .n = n, .chunk = s.chunk, .chunks = s.chunks, .counts = (uint64_t *)(void *)(base + s.at_counts), .offsets = offsets,
    .digit_mask = ((uint32_t)1 << s.digit) - 1, .digits = (uint32_t)s.digits,
  };
  IW_TRY(iw_clear(context, offsets, buckets + 1));
  if (n == 0)
    return IW_OK;
  IW_TRY(iw_run(context, IW_K_split_count, grid, 32 * IW_SPLIT_WARPS, &args));
  IW_TRY(iw_offsets(context, offsets, buckets + 1));
  for (unsigned pass = 0; count && pass < s.passes; pass++) {
    args.digit_shift = pass * s.digit;
    args.out_numbers = (uint32_t *)(void *)(base + s.at_numbers[pass % 2]);
    args.out_order = (uint64_t *)(void *)(base + s.at_order[pass % 2]);
    IW_TRY(iw_run_shared(context, IW_K_split_tally, grid, 32 * IW_SPLIT_WARPS, shared, &args));
    IW_TRY(iw_offsets(context, args.counts, s.digits * s.chunks));
    IW_TRY(iw_run_shared(context, IW_K_split_place, grid, 32 * IW_SPLIT_WARPS, shared, &args));
    args.numbers = args.out_numbers;
    args.order = args.out_order;
    args.bytes = sizeof(uint32_t);
    args.shift = 0;
  }
  for (size_t i = 0; i < count; i++)
    IW_TRY(iw_run(context, IW_K_split_move, iw_ceil_div(n, 8192), 256, &(iw_split_move_args){
      .order = args.order, .in = moved[i].in, .out = moved[i].out, .n = n, .width = (uint32_t)moved[i].width,
    }));
  return IW_OK;
}
