/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable splits into buckets by numbers: a radix sort, least digit first, whose digits have 8 bits at most.
 */
#include "runtime/internal.h"

enum { DIGIT_BITS = 8, DIRECT_BYTES = 1 << 20, STREAM_BYTES = 8 << 20 };

/* How a split is done. */
typedef struct course {
  unsigned bits, passes, digit; /* of a number; how many passes, and bits of each digit */
  size_t digits, widest;
  size_t part, parts, chunks, moving; /* moving: blocks that move */
  int own;                  /* the moved array that is the numbers; where none is, they are moved as array `count` */
} course;

/* A GPU's blocks move a part each, and take them in order, so that what is written at a time stands together. On a CPU a thread
 * moves a chunk, which has two parts for two piles of a bucket. */
static void divide(iw_context *context, size_t n, course *c)
{
  c->part = IW_SPLIT_TILE;
  c->parts = c->chunks = c->moving = 1;
  if (n <= IW_SPLIT_TILE)
    return;
  const size_t tiles = iw_ceil_div(n, IW_SPLIT_TILE);
  if (context->backend == IW_BACKEND_CUDA) {
    c->parts = iw_max(iw_min(tiles / context->processors, IW_SPLIT_PARTS), 1);
    c->chunks = iw_ceil_div(tiles, c->parts);
    c->moving = tiles;
  } else {
    const size_t threads = iw_max(iw_min(iw_min(tiles, context->threads), n * c->widest / context->worth), 1);
    /* Several for each, where they are long, as one thread may have less of its processor than others. */
    const size_t blocks = threads == 1 ? 1 : iw_max(iw_min(4 * threads, n >> 20), threads);
    c->part = iw_ceil_div(iw_ceil_div(iw_ceil_div(n, iw_max(blocks, n >> 31)), 2), IW_SPLIT_TILE) * IW_SPLIT_TILE;
    c->parts = 2;
    c->chunks = c->moving = iw_ceil_div(n, 2 * c->part);
  }
}

static course plot(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved,
                   size_t count)
{
  course c = { .own = -1, .widest = numbers->bytes, .passes = 1 };
  c.digit = c.bits = buckets > 1 ? 64 - (unsigned)__builtin_clzll(buckets - 1) : 0;
  if (c.bits > DIGIT_BITS) {
    c.passes = (c.bits + DIGIT_BITS - 1) / DIGIT_BITS;
    c.digit = (c.bits + c.passes - 1) / c.passes;
  }
  c.digits = (size_t)1 << c.digit;
  for (size_t m = 0; m < count; m++) {
    c.widest = iw_max(c.widest, moved[m].width);
    if (moved[m].in && moved[m].in == numbers->at && moved[m].width == numbers->bytes)
      c.own = (int)m;
  }
  divide(context, n, &c);
  return c;
}

/* The memory that it needs; places: of the counts, and of each array between the passes. */
static size_t carve(const course *c, const iw_numbers *numbers, size_t n, const iw_moved *moved, size_t count,
                    size_t places[2 + IW_MOST_MOVED + 1])
{
  size_t used = 0;
  places[0] = iw_carve(&used, c->digits * c->chunks, sizeof(uint64_t));
  places[1] = iw_carve(&used, IW_SPLIT_DIGITS * c->chunks * c->parts, sizeof(uint32_t));
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
    IW_TRY(iw_run(context, IW_K_split_count, c->chunks, 0, args));
    IW_TRY(iw_offsets(context, args->counts, (args->mask + (size_t)1) * c->chunks));
  }
  return args->count || args->offsets ? iw_run(context, IW_K_split_move, c->moving, 0, args) : IW_OK;
}

iw_status iw_split_few(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const void *in, void *out,
                       uint64_t *offsets)
{
  iw_move_args args; /* of what it moves the first is told alone, as it takes longer to clear the others */
  args.numbers = numbers->at;
  args.bytes = numbers->bytes;
  args.shift = numbers->shift;
  args.mask = (uint32_t)buckets - 1;
  args.parts = 1;
  args.n = n;
  args.part = IW_SPLIT_TILE;
  args.chunks = 1;
  args.counts = NULL;
  args.fronts = NULL;
  args.offsets = offsets;
  args.buckets = buckets;
  args.alone = 1;
  args.few = n <= 16 * buckets;
  args.direct = 1;
  args.stream = 0;
  args.count = 1;
  args.moved[0] = (iw_moved){ in, out, numbers->bytes };
  return iw_run(context, IW_K_split_move, 1, 0, &args);
}

iw_status iw_split(iw_context *context, const iw_numbers *numbers, size_t buckets, size_t n, const iw_moved *moved,
                   size_t count, void *memory, uint64_t *offsets)
{
  size_t places[2 + IW_MOST_MOVED + 1];
  const course c = plot(context, numbers, buckets, n, moved, count);
  carve(&c, numbers, n, moved, count, places);
  char *const base = memory;
  const int several = c.passes > 1;
  iw_move_args args = {
    .numbers = numbers->at, .bytes = numbers->bytes, .n = n, .parts = (uint32_t)c.parts, .part = c.part, .chunks = c.chunks,
    .counts = (uint64_t *)(void *)base, .fronts = (uint32_t *)(void *)(base + places[1]),
    .offsets = several ? NULL : offsets, .buckets = buckets, .alone = c.moving == 1, .few = n <= 16 * c.digits,
    .direct = n <= DIRECT_BYTES / c.widest, .stream = n >= STREAM_BYTES / c.widest, .count = (uint32_t)count,
  };
  void *between[IW_MOST_MOVED]; /* where passes but the last have their other place */
  for (size_t m = 0; m < count; m++) {
    args.moved[m] = moved[m];
    between[m] = base + places[2 + m];
  }
  if (several && c.own < 0) {
    args.moved[count] = (iw_moved){ numbers->at, base + places[2 + count], numbers->bytes };
    between[args.count++] = base + places[3 + count];
  }
  if (c.own > 0) {              /* kernels have the numbers already, when they come to the first array */
    const iw_moved numbers_too = args.moved[c.own];
    args.moved[c.own] = args.moved[0];
    args.moved[0] = numbers_too;
    void *const place = between[c.own];
    between[c.own] = between[0];
    between[0] = place;
  }
  for (unsigned p = 0; p < c.passes; p++) {
    const unsigned done = p * c.digit, bits = c.digit < c.bits - done ? c.digit : c.bits - done;
    args.shift = numbers->shift + done;
    args.mask = ((uint32_t)1 << bits) - 1;
    if (!several)
      return pass(context, &c, &args);
    iw_move_args now = args;
    for (size_t m = 0; m < args.count; m++)
      if ((c.passes - p) % 2 == 0)
        now.moved[m].out = between[m];
    IW_TRY(pass(context, &c, &now));
    for (size_t m = 0; m < args.count; m++)
      args.moved[m].in = now.moved[m].out;
    args.numbers = now.moved[c.own < 0 ? count : 0].out;
  }
  iw_edges_args edges = {
    .numbers = args.numbers, .bytes = numbers->bytes, .shift = numbers->shift, .mask = ((uint64_t)1 << c.bits) - 1, .n = n,
    .buckets = buckets, .offsets = offsets,
  };
  while (n >> edges.steps)
    edges.steps++;
  return iw_run(context, IW_K_split_edges, iw_ceil_div(buckets + 1, 1024), 1024, &edges);
}
