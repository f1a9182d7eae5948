/* SPDX-License-Identifier: Apache-2.0
 *
 * The stable radix split by bucket id, least significant digit first, with digits of at most 8 bits: plans
 * passes and grids, divides scratch, and launches the kernels of radix_split_kernel.h. Layer: algorithm; it
 * must not know public structs, rules or types.
 */
#include "algorithms/common/args.h"
#include "algorithms/common/kernel_ids.h"
#include "algorithms/multisplit/radix_split.h"
#include "algorithms/scan/scan.h"
#include "runtime/arithmetic.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/processors.h"

enum { DIGIT_BITS = 8, NONTEMPORAL_BYTES = 8 << 20 };
/* Arrays of so many bytes are scattered without buffers: by one block, unless the lines that 256 buckets
 * write now and next fill its first-level cache, or by more. */
enum { UNBUFFERED_BYTES_OF_ONE = 256 << 20, UNBUFFERED_BYTES_OF_MORE = 16 << 20 };
/* A block that scatters so many bytes prefetches on any CPU. */
enum { PREFETCHED_BYTES = 8 << 20 };
/* CPUs move elements within chunks and then gather the outputs if so many threads have part, of arrays of up
 * to so many bytes, and if a digit has at most so many bytes in a chunk, on average: else most lines have one
 * writer anyway. Chunks have at least so many bytes. Elements of less than 4 bytes count as 4
 * (doc/design/sort.md#the-split-on-cpus). */
enum { GATHERING_BLOCKS = 4, MOST_GATHERED_BYTES = 1 << 20, MOST_RUN_BYTES = 512, LEAST_CHUNK_BYTES = 4 << 10 };
enum { LINE_BYTES = 64, BYTES_OF_LINES = 2 * LINE_BYTES * IW_RADIX_DIGITS };
_Static_assert((int)IW_MAX_PASSES * (int)IW_RADIX_DIGITS <= (int)IW_ZEROED_COUNTERS, "the digits of all passes have counters");

/* How a split is done: passes, and the grid of each. */
typedef struct split_plan {
  unsigned bits, passes, digit;    /* bits of a bucket id, passes, and bits of a digit */
  size_t digits, widest;
  size_t least_bytes;              /* of the widest array in a chunk on a CPU */
  int has_buffers;                 /* the schedule of write-combining buffers, of CPUs */
  int gathers;                     /* elements move within chunks, and outputs are gathered */
  size_t part, parts, chunks;      /* elements of a part, parts of a chunk, and chunks */
  size_t move_blocks;              /* grid size of the kernel that moves */
  int keys_array;                  /* the array that is the keys; -1: none, and between passes the keys move as array `count` */
  int sweeps;                      /* the digits of all passes are counted at once, and radix_onesweep moves */
} split_plan;

/* Whether the context's kernels have the schedule of write-combining buffers, whose blocks are one warp.
 * Ranked tiles have more (static assertions of write_buffers.h and ranked_tiles.h). The descriptor cannot
 * differ from the kernel as a number of the device record could: with the wrong grid, kernels write past
 * their scratch. */
static int has_write_buffers(iw_context *context)
{
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_multisplit_move);
  return kernel && kernel->block == 32;
}

/* Counts of tiles that are published have 32 bits. A single tile needs none. */
int iw_radix_sweeps(iw_context *context, size_t n)
{
  return n > IW_MULTISPLIT_TILE && n <= UINT32_MAX && context->ops->kernel(context, IW_K_radix_onesweep);
}

/* Whether radix_onesweep has tiles of fewer elements for so short an array: each of them has a multiprocessor
 * then, or nearly. */
static int has_short_tiles(const iw_context *context, size_t n)
{
  enum { MOST_SHORT = 128 }; /* whose states are reserved: iw_device.bytes_per_tile_state */
  return iw_ceil_div(n, IW_MULTISPLIT_SHORT_TILE) <= iw_min(context->device.processors, MOST_SHORT);
}

/* The grid of a split that moves within chunks and gathers. Returns 0 if that does not pay. */
static int plan_gathering(const iw_context *context, size_t n, split_plan *c)
{
  const size_t bytes = n * iw_max(c->widest, sizeof(uint32_t));
  const size_t threads = context->options.threads || !iw_in_parallel_region() ? context->threads : 1;
  const size_t blocks = iw_min(threads, bytes / LEAST_CHUNK_BYTES);
  if (blocks < GATHERING_BLOCKS || n * c->widest < 2 * c->least_bytes || bytes > MOST_GATHERED_BYTES ||
      bytes > blocks * c->digits * MOST_RUN_BYTES)
    return 0;
  c->part = iw_ceil_div(iw_ceil_div(n, blocks), LINE_BYTES) * LINE_BYTES; /* chunks of bytes have lines of their own, too */
  c->chunks = c->move_blocks = iw_ceil_div(n, c->part);
  return 1;
}

/* On a GPU a block moves one part, in the order of blocks, so that stores at the same time are close in
 * memory. On a CPU a thread moves a chunk of two parts, for two streams of write-combining buffers
 * (doc/design/sort.md#the-split-on-cpus). */
static void plan_grid(iw_context *context, size_t n, split_plan *c)
{
  c->part = IW_MULTISPLIT_TILE;
  c->parts = c->chunks = c->move_blocks = 1;
  c->has_buffers = has_write_buffers(context);
  if (n <= IW_MULTISPLIT_TILE)
    return;
  const size_t tiles = iw_ceil_div(n, IW_MULTISPLIT_TILE);
  if (!c->has_buffers) {
    c->parts = iw_max(iw_min(tiles / context->device.processors, IW_MULTISPLIT_MAX_PARTS), 1);
    c->chunks = iw_ceil_div(tiles, c->parts);
    c->move_blocks = tiles;
  } else if (!(c->gathers = plan_gathering(context, n, c))) {
    const size_t threads = iw_max(iw_min(iw_min(tiles, context->threads), n * c->widest / c->least_bytes), 1);
    /* Several chunks for each thread if they are long, as threads may get unequal shares of the
     * processors. */
    const size_t blocks = threads == 1 ? 1 : iw_max(iw_min(4 * threads, n >> 20), threads);
    c->part = iw_ceil_div(iw_ceil_div(iw_ceil_div(n, iw_max(blocks, n >> 31)), 2), IW_MULTISPLIT_TILE) * IW_MULTISPLIT_TILE;
    c->parts = 2;
    c->chunks = c->move_blocks = iw_ceil_div(n, 2 * c->part);
  }
}

static split_plan make_plan(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n, const iw_move_array *moved,
                   size_t count)
{
  split_plan c = { .keys_array = -1, .widest = keys->bytes, .passes = 1, .least_bytes = context->device.min_bytes_per_block };
  c.digit = c.bits = buckets > 1 ? 64 - (unsigned)__builtin_clzll(buckets - 1) : 0;
  if (c.bits > DIGIT_BITS) {
    c.passes = (c.bits + DIGIT_BITS - 1) / DIGIT_BITS;
    c.digit = (c.bits + c.passes - 1) / c.passes;
  }
  c.digits = (size_t)1 << c.digit;
  for (size_t m = 0; m < count; m++) {
    c.widest = iw_max(c.widest, moved[m].width);
    if (moved[m].in && moved[m].in == keys->at && moved[m].width == keys->bytes)
      c.keys_array = (int)m;
  }
  if (n * c.widest >= 2 * c.least_bytes) /* where two threads gain, chunks may be shorter: as in iw_most_blocks() */
    c.least_bytes /= 4;
  plan_grid(context, n, &c);
  c.sweeps = count && iw_radix_sweeps(context, n) && has_short_tiles(context, n); /* of longer arrays a pass by chunks takes less time */
  return c;
}

/* Lays out the scratch of a split; scratch_at: offsets of counts, part prefixes, or if it sweeps of digits'
 * positions and of which passes run, and of each array between passes or, if it gathers, between launches. */
static void layout_scratch(iw_context *context, const split_plan *c, const iw_bucket_keys *keys, size_t n, const iw_move_array *moved,
                           size_t count, iw_layout *layout, size_t scratch_at[2 + IW_MAX_MOVED + 1])
{
  iw_layout_begin(layout, context);
  if (c->sweeps)
    scratch_at[0] = iw_layout_add(layout, "first positions of digits", c->passes * IW_RADIX_DIGITS, sizeof(uint64_t));
  else if (c->has_buffers)
    scratch_at[0] = iw_layout_add(layout, "counts of digits", IW_RADIX_DIGITS * c->chunks, sizeof(uint32_t));
  else
    scratch_at[0] = iw_layout_add(layout, "counts of digits", c->digits * c->chunks, sizeof(uint64_t));
  scratch_at[1] = c->sweeps ? iw_layout_add(layout, "passes that run", c->passes, sizeof(uint32_t))
                            : iw_layout_add(layout, "prefixes of parts", IW_RADIX_DIGITS * c->chunks * c->parts, sizeof(uint32_t));
  for (size_t m = 0; m < count; m++)
    scratch_at[2 + m] = iw_layout_add(layout, "an array between passes", c->passes > 1 || c->gathers ? n : 0, moved[m].width);
  for (size_t m = count; m < count + 2; m++)
    scratch_at[2 + m] = iw_layout_add(layout, "keys between passes", c->passes > 1 && c->keys_array < 0 ? n : 0, keys->bytes);
}

size_t iw_multisplit_scratch_bytes(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n, const iw_move_array *moved,
                      size_t count)
{
  size_t scratch_at[2 + IW_MAX_MOVED + 1];
  iw_layout layout;
  const split_plan c = make_plan(context, keys, buckets, n, moved, count);
  layout_scratch(context, &c, keys, n, moved, count, &layout, scratch_at);
  return layout.used;
}

/* A pass whose digits have been counted. */
static iw_status sweep(iw_context *context, iw_radix_args *args)
{
  args->part = has_short_tiles(context, args->n) ? IW_MULTISPLIT_SHORT_TILE : IW_MULTISPLIT_TILE;
  const size_t tiles = iw_ceil_div(args->n, args->part);
  void *tickets;
  IW_TRY(iw_tile_states(context, tiles * IW_RADIX_DIGITS, &tickets, &args->states));
  args->tickets = tickets;
  return iw_launch_by_id(context, IW_K_radix_onesweep, tiles, 0, args);
}

/* Whether a CPU scatters elements without buffers. An array of 4 bytes moves together with the one before it,
 * and both count. */
static int is_unbuffered(const iw_device *device, const split_plan *c, const iw_radix_args *args)
{
  const int fills_cache = device->first_cache_bytes && device->first_cache_bytes <= BYTES_OF_LINES;
  size_t bytes = c->widest;
  for (uint32_t m = 1; m < args->array_count; m++)
    if (args->arrays[m].width == sizeof(uint32_t))
      bytes = iw_max(bytes, args->arrays[m - 1].width + sizeof(uint32_t));
  return args->n <= (c->move_blocks == 1 && !fills_cache ? UNBUFFERED_BYTES_OF_ONE : UNBUFFERED_BYTES_OF_MORE) / bytes;
}

/* One pass by two launches: blocks move elements within their chunks, to `staged`, and then gather the
 * outputs, which may be the inputs. */
static iw_status gather(iw_context *context, const split_plan *c, const iw_radix_args *args, void *const *staged)
{
  iw_radix_args within = *args, gathering = *args;
  for (uint32_t m = 0; m < args->array_count; m++)
    gathering.arrays[m].in = within.arrays[m].out = staged[m];
  within.offsets = NULL;
  within.within_chunks = within.unbuffered = gathering.gathers = 1;
  IW_TRY(iw_launch_by_id(context, IW_K_multisplit_move, c->chunks, 0, &within));
  return iw_launch_by_id(context, IW_K_multisplit_move, c->move_blocks, 0, &gathering);
}

/* One pass: counts, a scan of the counts where blocks do not add them up themselves, and moves. staged: of a
 * pass that gathers, memory for each array. */
static iw_status pass(iw_context *context, const split_plan *c, iw_radix_args *args, void *const *staged)
{
  if (c->sweeps)
    return sweep(context, args);
  if (c->gathers)
    return gather(context, c, args, staged);
  if (!args->within_chunks) {
    IW_TRY(iw_launch_by_id(context, IW_K_multisplit_count, c->chunks, 0, args));
    if (!c->has_buffers)
      IW_TRY(iw_offsets(context, args->counts, (args->mask + (size_t)1) * c->chunks));
  }
  if (!args->array_count && !args->offsets)
    return IW_OK;
  args->unbuffered = (uint32_t)is_unbuffered(&context->device, c, args);
  args->prefetches = context->device.prefetches || args->n >= PREFETCHED_BYTES / c->widest * c->move_blocks;
  return iw_launch_by_id(context, IW_K_multisplit_move, args->array_count ? c->move_blocks : 1, 0, args); /* block 0 stores offsets */
}

/* Sets the members of args that a grid and its scratch decide. */
static void set_grid(const split_plan *c, char *base, const size_t *scratch_at, iw_radix_args *args)
{
  const size_t n = args->n;
  args->parts = (uint32_t)c->parts;
  args->part = c->part;
  args->chunks = c->chunks;
  args->counts = c->has_buffers ? NULL : (uint64_t *)(void *)(base + scratch_at[0]);
  args->chunk_counts = c->has_buffers ? (uint32_t *)(void *)(base + scratch_at[0]) : NULL;
  args->part_prefixes = (uint32_t *)(void *)(base + scratch_at[1]);
  args->within_chunks = c->move_blocks == 1;
  args->one_table = c->parts == 1 && n <= 16 * c->digits * c->chunks; /* other parts would count elsewhere */
  args->nontemporal = n >= NONTEMPORAL_BYTES / c->widest;
}

/* The grid of a pass of a sort, whose arrays between passes are not part of its scratch. What follows a pass
 * runs on all threads anyway, so they need not be woken for it alone, and chunks are shorter. */
static split_plan plan_pass(iw_context *context, size_t n, size_t widest, size_t moved_bytes, iw_layout *layout,
                            size_t scratch_at[2 + IW_MAX_MOVED + 1])
{
  split_plan c = { .keys_array = -1, .widest = widest, .passes = 1, .bits = DIGIT_BITS, .digit = DIGIT_BITS, .digits = IW_RADIX_DIGITS,
                   .least_bytes = context->device.min_bytes_per_block / 4 };
  plan_grid(context, n, &c);
  layout_scratch(context, &c, &(iw_bucket_keys){ .bytes = 1 }, n, NULL, 0, layout, scratch_at);
  scratch_at[2] = iw_layout_add(layout, "arrays between launches", c.gathers ? n * moved_bytes + LINE_BYTES * IW_MAX_RADIX_ARRAYS : 0, 1);
  return c;
}

iw_status iw_count_digits(iw_context *context, iw_digit_counts_args *args)
{
  /* Of a short array each processor has a chunk, whose loads are all in flight; of others chunks are larger,
   * as each block adds its counts to those in memory. */
  enum { UNIT_BYTES = 8192, LEAST_OF_LONG = 8192, BLOCKS_OF_PROCESSOR = 8 };
  const size_t processors = context->device.processors, unit = UNIT_BYTES / args->key_bytes;
  const size_t chunk = iw_min(iw_max(iw_ceil_div(args->n, processors), 1), LEAST_OF_LONG);
  const size_t blocks = iw_min(iw_ceil_div(args->n, chunk), BLOCKS_OF_PROCESSOR * processors);
  args->chunk = iw_ceil_div(iw_ceil_div(args->n, blocks), unit) * unit;
  return iw_launch_by_id(context, IW_K_radix_digit_counts, iw_ceil_div(args->n, args->chunk), 0, args);
}

size_t iw_radix_pass_scratch_bytes(iw_context *context, size_t n, size_t widest, size_t moved_bytes)
{
  size_t scratch_at[2 + IW_MAX_MOVED + 1];
  iw_layout layout;
  if (iw_radix_sweeps(context, n))
    return 0;
  plan_pass(context, n, widest, moved_bytes, &layout, scratch_at);
  return layout.used;
}

iw_status iw_reserve_radix_pass(iw_context *context, size_t n, size_t widest)
{
  size_t scratch_at[2 + IW_MAX_MOVED + 1];
  iw_layout layout;
  const split_plan c = plan_pass(context, n, widest, 0, &layout, scratch_at);
  return c.has_buffers ? IW_OK : iw_reserve_offsets(context, c.digits * c.chunks);
}

iw_status iw_radix_pass(iw_context *context, iw_radix_args *args, size_t widest, void *memory)
{
  size_t scratch_at[2 + IW_MAX_MOVED + 1];
  iw_layout layout;
  if (args->digit_offsets)
    return sweep(context, args);
  size_t moved_bytes = 0;
  for (uint32_t m = 0; m < args->array_count; m++)
    moved_bytes += args->arrays[m].width;
  const split_plan c = plan_pass(context, args->n, widest, moved_bytes, &layout, scratch_at);
  iw_lay_out(context, memory, &layout);
  set_grid(&c, memory, scratch_at, args);
  void *staged[IW_MAX_RADIX_ARRAYS];
  char *place = (char *)memory + scratch_at[2];
  for (uint32_t m = 0; m < args->array_count; m++) {
    staged[m] = place;
    place += iw_ceil_div(args->n * args->arrays[m].width, LINE_BYTES) * LINE_BYTES;
  }
  return pass(context, &c, args, staged);
}

iw_status iw_multisplit_small(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n, const void *in, void *out,
                       uint64_t *offsets)
{
  iw_radix_args args; /* only one array is set: clearing the others would take longer */
  args.keys = keys->at;
  args.key_bytes = keys->bytes;
  args.shift = keys->shift;
  args.mask = (uint32_t)buckets - 1;
  args.parts = 1;
  args.n = n;
  args.part = IW_MULTISPLIT_TILE;
  args.chunks = 1;
  args.counts = NULL;
  args.chunk_counts = NULL;
  args.part_prefixes = NULL;
  args.offsets = offsets;
  args.buckets = buckets;
  args.order = (iw_total_order){ .flip = 0 };
  args.within_chunks = 1;
  args.gathers = 0;
  args.one_table = n <= 16 * buckets;
  args.unbuffered = 1;
  args.prefetches = 0;
  args.nontemporal = 0;
  args.runs = NULL;
  args.division = NULL;
  args.array_count = 1;
  args.arrays[0] = (iw_move_array){ in, out, keys->bytes };
  return iw_launch_by_id(context, IW_K_multisplit_move, 1, 0, &args);
}

iw_status iw_multisplit_by_keys(iw_context *context, const iw_bucket_keys *keys, size_t buckets, size_t n, const iw_move_array *moved,
                   size_t count, void *memory, uint64_t *offsets)
{
  size_t scratch_at[2 + IW_MAX_MOVED + 1];
  iw_layout layout;
  const split_plan c = make_plan(context, keys, buckets, n, moved, count);
  layout_scratch(context, &c, keys, n, moved, count, &layout, scratch_at);
  iw_lay_out(context, memory, &layout);
  char *const base = memory;
  const int multipass = c.passes > 1;
  iw_digit_counts_args digits = { .keys = keys->at, .key_bytes = keys->bytes, .n = n, .digit_count = c.passes,
                                  .plan = { .key_passes = c.passes, .passes = c.passes, .positions = (uint64_t *)(void *)(base + scratch_at[0]),
                                            .runs = (uint32_t *)(void *)(base + scratch_at[1]) } };
  iw_radix_args args = {
    .keys = keys->at, .key_bytes = keys->bytes, .n = n, .offsets = multipass ? NULL : offsets, .buckets = buckets,
    .array_count = (uint32_t)count,
  };
  set_grid(&c, base, scratch_at, &args);
  void *alternate[IW_MAX_MOVED]; /* passes write to outputs and to these in turn, to outputs last; or stage in these */
  for (size_t m = 0; m < count; m++) {
    args.arrays[m] = moved[m];
    alternate[m] = base + scratch_at[2 + m];
  }
  if (multipass && c.keys_array < 0) {
    args.arrays[count] = (iw_move_array){ keys->at, base + scratch_at[2 + count], keys->bytes };
    alternate[args.array_count++] = base + scratch_at[3 + count];
  }
  if (c.keys_array > 0) {        /* keys that are array 0 are staged once, not twice */
    const iw_move_array keys_too = args.arrays[c.keys_array];
    args.arrays[c.keys_array] = args.arrays[0];
    args.arrays[0] = keys_too;
    void *const place = alternate[c.keys_array];
    alternate[c.keys_array] = alternate[0];
    alternate[0] = place;
  }
  for (unsigned p = 0; p < c.passes; p++) {
    const unsigned done = p * c.digit, bits = c.digit < c.bits - done ? c.digit : c.bits - done;
    digits.shifts[p] = keys->shift + done;
    digits.masks[p] = ((uint32_t)1 << bits) - 1;
  }
  if (c.sweeps) {
    IW_TRY(iw_zeroed_counters(context, &digits.plan.blocks_done, &digits.plan.counts));
    IW_TRY(iw_count_digits(context, &digits));
  }
  for (unsigned p = 0; p < c.passes; p++) {
    args.shift = digits.shifts[p];
    args.mask = digits.masks[p];
    args.digit_offsets = c.sweeps ? digits.plan.positions + p * IW_RADIX_DIGITS : NULL;
    if (!multipass)
      return pass(context, &c, &args, alternate);
    iw_radix_args pass_args = args;
    for (size_t m = 0; m < args.array_count; m++)
      if (!c.gathers && (c.passes - p) % 2 == 0)
        pass_args.arrays[m].out = alternate[m];
    IW_TRY(pass(context, &c, &pass_args, alternate));
    for (size_t m = 0; m < args.array_count; m++)
      args.arrays[m].in = pass_args.arrays[m].out;
    args.keys = pass_args.arrays[c.keys_array < 0 ? count : 0].out;
  }
  iw_bucket_offsets_args offsets_args = {
    .keys = args.keys, .key_bytes = keys->bytes, .shift = keys->shift, .mask = ((uint64_t)1 << c.bits) - 1, .n = n,
    .buckets = buckets, .offsets = offsets,
  };
  while (n >> offsets_args.steps)
    offsets_args.steps++;
  return iw_launch_by_id(context, IW_K_multisplit_offsets, iw_ceil_div(buckets + 1, 1024), 1024, &offsets_args);
}
