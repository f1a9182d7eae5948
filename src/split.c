/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable splits into buckets by numbers: a radix sort, least digit first, whose digits have 8 bits at most.
 */
#include "internal.h"

enum { DIGIT_BITS = 8, DIRECT_BYTES = 1 << 20, STREAM_BYTES = 8 << 20 };

/* How a split is done. */
typedef struct course {
  unsigned bits, passes, digit; /* of a number; how many passes, and bits of each digit */
  size_t chunk, blocks, digits;
  unsigned widest;
  int own;                  /* the moved array that is the numbers; where it is none, they are moved as array `count` */
} course;

static course plot(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved, size_t count)
{
  course c = { .own = -1, .widest = numbers->bytes };
  while (c.bits < 64 && (buckets - 1) >> c.bits)
    c.bits++;
  c.passes = c.bits > DIGIT_BITS ? (c.bits + DIGIT_BITS - 1) / DIGIT_BITS : 1;
  c.digit = (c.bits + c.passes - 1) / c.passes;
  c.digits = (size_t)1 << c.digit;
  for (size_t m = 0; m < count; m++) {
    c.widest = (unsigned)iw_max(c.widest, moved[m].width);
    if (moved[m].in && moved[m].in == numbers->at && moved[m].width == numbers->bytes)
      c.own = (int)m;
  }
  c.chunk = IW_SPLIT_UNIT;
  c.blocks = 1;
  if (n <= IW_SPLIT_UNIT)
    return c;
  const size_t wave = iw_wave(context, IW_K_split_move), units = iw_ceil_div(n, IW_SPLIT_UNIT);
  const size_t worth = iw_max(n * c.widest / context->worth, 1);
  const size_t blocks = iw_max(iw_max(iw_min(iw_min(units, wave), worth), 1), n >> 31);
  c.chunk = iw_ceil_div(iw_ceil_div(n, blocks), IW_SPLIT_UNIT) * IW_SPLIT_UNIT;
  c.blocks = iw_ceil_div(n, c.chunk);
  return c;
}

/* The memory that it needs; places: of the counts, and of each array between the passes. */
static size_t carve(const course *c, const iw_numbers *numbers, size_t n, const iw_moved *moved, size_t count,
                    size_t places[2 + IW_MOST_MOVED + 1])
{
  size_t used = 0;
  places[0] = iw_carve(&used, c->digits * c->blocks, sizeof(uint64_t));
  places[1] = iw_carve(&used, IW_SPLIT_DIGITS * c->blocks, sizeof(uint32_t));
  for (size_t m = 0; m < count; m++)
    places[2 + m] = iw_carve(&used, c->passes > 1 ? n : 0, moved[m].width);
  for (size_t m = count; m < count + 2; m++)
    places[2 + m] = iw_carve(&used, c->passes > 1 && c->own < 0 ? n : 0, numbers->bytes);
  return used;
}

size_t iw_split_bytes(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved,
                      size_t count)
{
  size_t places[2 + IW_MOST_MOVED + 1];
  const course c = plot(context, numbers, buckets, n, moved, count);
  return carve(&c, numbers, n, moved, count, places);
}

/* One pass over arrays whose numbers are at args->numbers. */
static iw_status pass(iw_context *context, const course *c, iw_move_args *args)
{
  if (!args->alone) {
    IW_TRY(iw_run(context, IW_K_split_count, c->blocks, 0, args));
    IW_TRY(iw_offsets(context, args->counts, (args->mask + (size_t)1) * c->blocks));
  }
  return iw_run(context, IW_K_split_move, c->blocks, 0, args);
}

iw_status iw_split(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved, size_t count,
                   void *memory, uint64_t *offsets)
{
  size_t places[2 + IW_MOST_MOVED + 1];
  const course c = plot(context, numbers, buckets, n, moved, count);
  carve(&c, numbers, n, moved, count, places);
  char *const base = memory;
  const int several = c.passes > 1;
  iw_move_args args = {
    .numbers = numbers->at, .bytes = numbers->bytes, .n = n, .chunk = c.chunk, .counts = (uint64_t *)(void *)base,
    .firsts = (uint32_t *)(void *)(base + places[1]),
    .buckets = buckets, .offsets = several ? NULL : offsets, .alone = c.blocks == 1, .few = n <= 16 * c.digits, .direct = n <= DIRECT_BYTES / c.widest,
    .stream = n >= STREAM_BYTES / c.widest, .count = (uint32_t)count,
  };
  iw_moved between[IW_MOST_MOVED]; /* out: where the passes but the last have their other place */
  for (size_t m = 0; m < count; m++) {
    args.moved[m] = moved[m];
    between[m] = (iw_moved){ NULL, base + places[2 + m], moved[m].width };
  }
  size_t own = (size_t)c.own;
  if (several && c.own < 0) {
    own = args.count++;
    args.moved[own] = (iw_moved){ numbers->at, base + places[2 + count], numbers->bytes };
    between[own] = (iw_moved){ NULL, base + places[3 + count], numbers->bytes };
  }
  for (unsigned p = 0; p < c.passes; p++) {
    const unsigned done = p * c.digit, bits = c.digit < c.bits - done ? c.digit : c.bits - done;
    args.shift = numbers->shift + done;
    args.bits = bits;
    args.mask = ((uint32_t)1 << bits) - 1;
    iw_move_args now = args;
    for (size_t m = 0; m < args.count; m++)
      if ((c.passes - p) % 2 == 0)
        now.moved[m].out = between[m].out;
    IW_TRY(pass(context, &c, &now));
    for (size_t m = 0; m < args.count; m++)
      args.moved[m].in = now.moved[m].out;
    if (several)
      args.numbers = now.moved[own].out;
  }
  if (!several)
    return IW_OK;
  iw_edges_args edges = {
    .numbers = args.numbers, .bytes = numbers->bytes, .shift = numbers->shift, .mask = ((uint64_t)1 << c.bits) - 1, .n = n,
    .buckets = buckets, .offsets = offsets,
  };
  while (n >> edges.steps)
    edges.steps++;
  return iw_run(context, IW_K_split_edges, iw_ceil_div(buckets + 1, 256), 256, &edges);
}
