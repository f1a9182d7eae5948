/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of the sort: checks, a survey of the keys where its result can be had (survey_kernel.h),
 * and a stable radix sort, least significant digit first. A pass is one of the radix split
 * (multisplit/radix_split.h) by a digit of the keys' ranks (common/total_order.h): elements move as they are
 * and become ranks whenever they are read. Segments are sorted by the segment's index after the key. Layer:
 * public entry; it must not know a backend or a schedule.
 *
 * Kernels, besides those of multisplit/:
 *
 *   survey_kernel.h        which bits of the ranks vary, and whether the keys are sorted; both targets
 *   block_sort_kernel.h    an array or a segment that fits a block, by merges: merge_by_lanes.h on GPUs,
 *                          where lanes find their parts by the merge path, and merge_in_turn.h on CPUs, item
 *                          by item; segments that fit a warp by a network of shuffles on GPUs
 *                          (network_by_lanes.h); on CPUs also rows of keys alone, or an array, by a network
 *                          of minima and maxima (rows_by_lanes.h), and longer arrays by such rows of
 *                          their buckets (buckets_by_lanes.h), into which a pass divides them first if there
 *                          are several threads (multisplit/division_digits.h)
 *   merge_kernel.h         merges of two arrays, or of many runs of an array: merge_staged.h on GPUs, where a
 *                          block stages its tiles and each lane merges a run of the output, and
 *                          merge_interleaved.h on CPUs, where a warp merges a few runs of a part in turn
 *
 * Why: doc/design/sort.md.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/common/payloads.h"
#include "algorithms/common/type_order.h"
#include "algorithms/multisplit/radix_split.h"
#include "algorithms/scan/operation.h"
#include "algorithms/sort/args.h"
#include "algorithms/sort/key_args.h"
#include "algorithms/sort/sort.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

#include <inttypes.h>
#include <string.h>

/* A call. */
typedef struct job {
  iw_context *context;
  iw_type type;                   /* of keys */
  size_t n;
  iw_type in_type;                /* of elements */
  const iw_sort_key *key;         /* NULL: elements are their keys */
  iw_sort_rule rule;
  const iw_segments *segments;    /* NULL: none */
  size_t segment_count;
  int needs_out;                  /* keys are an output that has to be there */
  int makes_indices;              /* an argsort, whose last payload the caller knows as `indices` */
  const iw_sort_memory *memory;   /* of each array, between passes; NULL: scratch of the context */
} job;

/* The arrays of a call: elements and payloads, each followed by its output, and the offsets. */
enum { ARRAYS = IW_MOVED_NAMES + 1 };
_Static_assert((int)ARRAYS <= (int)IW_MAX_ARRAYS, "a call can stage them all");

/* Passes: at most 8 over keys and 8 over segments. */
enum { DIGIT_BITS = 8 };
typedef struct digit {
  int of_segment;
  unsigned shift;
  uint32_t mask;
  const iw_division *division;    /* NULL, or the digit is that of a division, */
  uint64_t *offsets;              /* and the pass writes where each digit begins, and n */
} digit;
typedef struct passes {
  unsigned count;
  digit at[IW_MAX_PASSES];
  uint64_t *positions;            /* NULL, or the first positions of their digits, in the device's memory */
  unsigned more;                  /* 1: what follows the last pass writes the outputs, and else that does */
  unsigned keeps_keys;            /* 1: what follows the last pass needs the keys */
  const uint32_t *runs;           /* NULL, or whether each runs, in the device's memory */
  unsigned runs_stride;           /* 0: one word says it of all */
} passes;

/* An array that moves: where it is, and where passes write it to in turn. out NULL: it is a key that is not
 * wanted, which moves while later passes need it. */
typedef struct array {
  const void *at;                 /* NULL: indices that no pass has written yet */
  void *out, *scratch[2];
  size_t width;
  size_t scratch_at[2];           /* in the layout */
} array;

/* The arrays of a sort: the keys, payloads, and the segments' indices. */
enum { KEYS, MAX_ARRAYS = IW_MAX_RADIX_ARRAYS };
typedef struct arrays { unsigned count, ids; array of[MAX_ARRAYS]; } arrays; /* ids: the index of the last array; 0: no segments */

/* The staged arrays that a call moves, keys first. Keys by a function of the user's, which are in scratch,
 * are not wanted and have no `in` before they are written. */
typedef struct moves { unsigned count; iw_move_array of[MAX_ARRAYS]; } moves;

/* ---- Passes ------------------------------------------------------------------------------------------ */

/* Adds passes over the bits of a mask, from the lowest set bit on. */
static void add_passes(passes *p, int of_segment, uint64_t bits)
{
  while (bits) {
    const unsigned shift = (unsigned)__builtin_ctzll(bits);
    const uint64_t rest = bits >> shift, mask = rest & (((uint64_t)1 << DIGIT_BITS) - 1);
    p->at[p->count++] = (digit){ .of_segment = of_segment, .shift = shift, .mask = ((uint32_t)2 << (63 - __builtin_clzll(mask))) - 1 };
    bits = rest >> DIGIT_BITS ? rest >> DIGIT_BITS << DIGIT_BITS << shift : 0;
  }
}

static uint64_t bits_below(unsigned bits)
{
  return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* The bits of segments' indices that decide. */
static uint64_t id_bits(const job *j)
{
  return j->segment_count > 1 ? bits_below(64 - (unsigned)__builtin_clzll(j->segment_count - 1)) : 0;
}

static passes plan_passes(const job *j, uint64_t varying)
{
  passes p = { .count = 0 };
  add_passes(&p, 0, varying);
  if (p.count)
    add_passes(&p, 1, id_bits(j));
  return p;
}

enum { MOST_SURVEY_BLOCKS = 128 };
static size_t survey_blocks(const job *j)
{
  enum { LEAST_CHUNK = 16384 };
  return iw_min(iw_ceil_div(j->n - 1, LEAST_CHUNK), MOST_SURVEY_BLOCKS);
}

/* Sets *varying to the bits of ranks in which keys differ; 0 if they are sorted. */
static iw_status survey(const job *j, const void *keys, iw_sort_found *found, uint64_t *varying)
{
  iw_sort_found host[MOST_SURVEY_BLOCKS];
  const iw_sort_survey_args args = {
    .keys = keys, .key_bytes = iw_type_size(j->type), .n = j->n, .chunk = iw_ceil_div(j->n - 1, survey_blocks(j)),
    .order = j->rule.order, .mask = iw_deciding_bits(&j->rule), .found = found,
  };
  const size_t grid = iw_ceil_div(j->n - 1, args.chunk);
  uint64_t bits = 0, descents = 0;
  IW_TRY(iw_launch_by_id(j->context, IW_K_sort_survey, grid, 32, &args));
  IW_TRY(j->context->ops->copy(j->context, host, found, grid * sizeof *host));
  for (size_t b = 0; b < grid; b++) {
    bits |= host[b].varying;
    descents |= host[b].descents;
  }
  *varying = descents ? bits : 0;
  return IW_OK;
}

/* ---- What the device decides ------------------------------------------------------------------------- */

static unsigned key_passes(const passes *p)
{
  unsigned keys = 0;
  while (keys < p->count && !p->at[keys].of_segment)
    keys++;
  return keys;
}

/* Counts the digits of the passes first … end-1, which are digits of the same keys. The launch for the last
 * of all passes writes the plan. */
static iw_status count_digits(const job *j, const passes *p, unsigned first, unsigned end, const array *keys, const uint32_t *needed,
                              const iw_digit_plan *plan)
{
  iw_digit_counts_args args = { .keys = keys->at, .key_bytes = keys->width, .n = j->n, .digit_count = end - first, .first = first,
                                .needed = needed, .plan = *plan };
  if (first == end)
    return IW_OK;
  if (end < p->count)
    args.plan.blocks_done = NULL;
  if (!p->at[first].of_segment)
    args.order = j->rule.order;
  for (unsigned k = first; k < end; k++) {
    args.shifts[k - first] = p->at[k].shift;
    args.masks[k - first] = p->at[k].mask;
  }
  return iw_count_digits(j->context, &args);
}

/* Counts the digits of all passes, and decides which passes run. needed: NULL, or where no pass is to run if
 * this is 0. */
static iw_status plan_on_device(const job *j, const arrays *moved, const uint32_t *needed, uint32_t *runs, passes *p)
{
  const unsigned of_keys = key_passes(p);
  iw_digit_plan plan = { .key_passes = of_keys, .passes = p->count, .positions = p->positions, .runs = runs };
  p->runs = runs;
  p->runs_stride = 1;
  IW_TRY(iw_zeroed_counters(j->context, &plan.blocks_done, &plan.counts));
  iw_status status = count_digits(j, p, 0, of_keys, &moved->of[KEYS], needed, &plan);
  if (status == IW_OK)
    status = count_digits(j, p, of_keys, p->count, &moved->of[moved->ids], needed, &plan);
  if (status != IW_OK) /* the first launch may have counted */
    (void)j->context->ops->zero(j->context, plan.counts, p->count * IW_RADIX_DIGITS * sizeof *plan.counts);
  return status;
}

/* ---- The sort ---------------------------------------------------------------------------------------- */

/* The last pass that has an array's digits, as an index; -1: none. What follows may have those of keys. */
static int last_use(const passes *p, const arrays *moved, unsigned m)
{
  int last = -1;
  if ((p->more || p->keeps_keys) && m == KEYS)
    return (int)p->count;
  for (unsigned k = 0; k < p->count; k++)
    if (p->at[k].of_segment ? m == moved->ids : m == KEYS)
      last = (int)k;
  return last;
}

/* Runs pass k: moves each array that is wanted or that a later pass needs. */
static iw_status run_pass(const job *j, const passes *p, unsigned k, arrays *moved, size_t widest, void *memory)
{
  const digit *const d = &p->at[k];
  const unsigned keys = d->of_segment ? moved->ids : KEYS;
  iw_radix_args args = { .keys = moved->of[keys].at, .key_bytes = (uint32_t)moved->of[keys].width, .shift = d->shift, .mask = d->mask,
                         .n = j->n, .digit_offsets = p->positions ? p->positions + k * IW_RADIX_DIGITS : NULL,
                         .division = d->division, .offsets = d->offsets, .buckets = d->offsets ? IW_RADIX_DIGITS : 0,
                         .runs = p->runs ? p->runs + k * p->runs_stride : NULL };
  if (!d->of_segment)
    args.order = j->rule.order;
  for (unsigned i = 0; i < moved->count; i++) {
    const unsigned m = i == 0 ? keys : i == keys ? 0 : i; /* keys first: they can be staged at once */
    array *const a = &moved->of[m];
    void *const to = a->out && (p->count + p->more - k) % 2 ? a->out : a->scratch[a->out ? 0 : k % 2];
    if (!a->out && (int)k >= last_use(p, moved, m))
      continue;
    args.arrays[args.array_count++] = (iw_move_array){ a->at, to, a->width };
    a->at = to;
  }
  return iw_radix_pass(j->context, &args, widest, memory);
}

/* Moves the arrays by the passes. */
static iw_status run_passes(const job *j, passes *p, arrays *moved, size_t widest, void *memory)
{
  iw_context *const context = j->context;
  for (unsigned m = 0; m < moved->count && !p->count && !p->more; m++)
    if (moved->of[m].out && !moved->of[m].at)
      p->at[p->count++] = (digit){ .mask = 0 }; /* indices are written by a pass, here one whose digit is constant */
  const unsigned writes = p->count + p->more;
  for (unsigned m = 0; m < moved->count; m++) {
    array *const a = &moved->of[m];
    /* The first of an odd number of passes writes to out, of an even one to scratch, and no pass reads what
     * it writes. */
    const void *const first = writes % 2 ? a->out : a->scratch[0];
    void *const to = !writes || (a->at == first && first != a->out) ? a->out : a->at == first ? a->scratch[0] : NULL;
    if (!a->out || !to || a->at == to)
      continue;
    IW_TRY(context->ops->copy(context, to, a->at, j->n * a->width));
    a->at = to;
  }
  for (unsigned k = 0; k < p->count; k++)
    IW_TRY(run_pass(j, p, k, moved, widest, memory));
  return IW_OK;
}

/* Writes the keys of a function of the user's. */
static iw_status write_keys(const job *j, const moves *all, void *keys)
{
  const iw_kernel *const kernel = j->key->kernel;
  return j->context->ops->launch(j->context, kernel, iw_ceil_div(j->n, IW_SORT_KEYS_CHUNK * 8), 256, kernel->shared,
                                 &(iw_sort_keys_args){ .in = all->of[KEYS + 1].in, .keys = keys, .n = j->n });
}

/* Writes the segments' indices, unless *needed is 0. */
static iw_status write_segment_ids(const job *j, const void *offsets, const uint32_t *needed, const array *ids)
{
  iw_segment_ids_args args = {
    .offsets = offsets, .wide_offsets = offsets && j->segments->offset_type == IW_U64, .columns = j->segments->columns, .n = j->n,
    .count = j->segment_count, .ids = ids->scratch[1], .id_bytes = ids->width, .needed = needed,
  };
  while (j->segment_count >> args.steps)
    args.steps++;
  return iw_launch_by_id(j->context, IW_K_segment_ids, iw_ceil_div(j->n, IW_SEGMENT_IDS_CHUNK * 8), 256, &args);
}

/* Lists the arrays that move, and lays out what each of them needs between passes. most: the number of
 * passes that there may be. */
static void list_moved(const job *j, const moves *all, unsigned most, iw_layout *layout, arrays *moved)
{
  *moved = (arrays){ .count = 0 };
  for (unsigned i = 0; i < all->count; i++)
    moved->of[moved->count++] = (array){ .at = all->of[i].in, .out = all->of[i].out, .width = all->of[i].width };
  if (j->segment_count > 1) {
    moved->ids = moved->count;
    moved->of[moved->count++] = (array){ .width = j->segment_count > UINT32_MAX ? 8 : 4 };
  }
  for (unsigned m = 0; m < moved->count; m++) {
    array *const a = &moved->of[m];
    const int ids = m && m == moved->ids, made = m == KEYS && j->key, needed = ids || most > 1 || a->at == a->out;
    a->scratch_at[0] = iw_layout_add(layout, "an array between passes", needed && !j->memory ? j->n : 0, a->width);
    a->scratch_at[1] = iw_layout_add(layout, "keys between passes", !a->out && (most > 1 || made) && !j->memory ? j->n : 0, a->width);
  }
}

/* ---- Segments that fit a block (block_sort_kernel.h) ------------------------------------------------- */

/* The warps of blocks that sort segments of each class. A device whose kernel has blocks of one size has
 * one class. */
enum { CLASS_OF_TILES = 1 }; /* of upper_bits_kernel.h */
static const unsigned class_warps[IW_SEGMENT_CLASSES] = { 1, [CLASS_OF_TILES] = IW_UNSORTED_WARPS, 8, IW_BLOCK_SORT_MOST_WARPS };

/* Whether one warp merges item by item (merge_in_turn.h): that kernel has blocks of one size. */
static int merges_in_turn(iw_context *context)
{
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_block_sort);
  return kernel && kernel->block;
}

/* The elements that a block of class c sorts at most; 0: the device has no such class. */
static size_t class_capacity(iw_context *context, unsigned c)
{
  const iw_kernel *const kernel = context->ops->kernel(context, IW_K_block_sort);
  if (!kernel)
    return 0;
  if (merges_in_turn(context))
    return c ? 0 : (kernel->shared - IW_BLOCK_SORT_FRONT_LINES * IW_BLOCK_SORT_LINE_BYTES) / (2 * IW_BLOCK_SORT_ITEM_BYTES * IW_BLOCK_SORT_MEMORY);
  return (size_t)class_warps[c] * 32 * IW_BLOCK_SORT_ITEMS;
}

/* The bytes of the lines of runs of so many elements (rows_by_lanes.h): a multiple of eight lines and one
 * more, rounded up to a multiple of the 16 lines that a square writes at most. */
static size_t bytes_of_lines(size_t run)
{
  return iw_ceil_div(iw_ceil_div(run, 8) * 8 + 1, 16) * 16 * IW_BLOCK_SORT_LINE_BYTES;
}

/* The bytes of shared memory of a block of class c. Rows by lanes may be sorted one by one, too. */
static size_t shared_bytes(const job *j, unsigned c, const iw_block_sort_args *args)
{
  const size_t capacity = class_capacity(j->context, c);
  if (!merges_in_turn(j->context))
    return capacity * (args->stage_bytes + sizeof(uint16_t));
  return IW_BLOCK_SORT_FRONT_LINES * IW_BLOCK_SORT_LINE_BYTES + iw_max(capacity * 2 * IW_BLOCK_SORT_ITEM_BYTES, args->run ? bytes_of_lines(args->run) : 0);
}

/* Sorts the segments of class c: all, or those of a list. */
static iw_status sort_class(const job *j, unsigned c, iw_block_sort_args *args)
{
  const iw_device *const device = &j->context->device;
  const unsigned warps = class_warps[c];
  const size_t grain = iw_max(j->n * args->key_bytes / device->min_bytes_per_block, 1);
  const size_t wave = device->processors * (size_t)(32 / warps); /* by the registers of a block of 1024 threads */
  const size_t lanes = args->run ? IW_BLOCK_SORT_LINE_BYTES / args->stage_bytes : 1;
  const size_t units = args->run ? iw_ceil_div(args->count * args->runs, lanes) : args->count;
  const size_t blocks = iw_min(iw_min(units, grain), wave);
  return iw_launch_by_id_shared(j->context, warps == 1 && !merges_in_turn(j->context) ? IW_K_warp_sort : IW_K_block_sort, blocks, 32 * warps, shared_bytes(j, c, args), args);
}

/* Chooses the number of runs of each row that is sorted by lanes (rows_by_lanes.h): the least one by which
 * the rows fill a line, and lines fit the memory of other segments, which is as large as a first-level
 * cache; else the greatest one whose runs are long enough. Sets args->run to 0 if lines do not fit a block,
 * or if fewer than IW_LEAST_LANES_OF_ROWS lanes would be in use. */
static void choose_runs(const job *j, iw_block_sort_args *args)
{
  const size_t cache = class_capacity(j->context, 0) * 2 * IW_BLOCK_SORT_ITEM_BYTES;
  const size_t lanes = IW_BLOCK_SORT_LINE_BYTES / args->stage_bytes, columns = args->columns;
  size_t used = 0, bytes = SIZE_MAX;
  for (size_t runs = 1; runs <= lanes && (used < lanes || bytes > cache); runs *= 2) {
    const size_t part = iw_ceil_div(columns, runs), run = runs == 1 ? part : iw_lines_of_run(part);
    bytes = bytes_of_lines(run);
    if ((runs > 1 && part < IW_LEAST_RUN) || bytes > cache * IW_BLOCK_SORT_BY_LANES)
      continue;
    args->run = run;
    args->runs = runs;
    used = args->count * runs;
  }
  if (used < IW_LEAST_LANES_OF_ROWS)
    args->run = 0;
}

/* Has rows sorted by lanes if they are keys alone, or makes segments of as many short ones as fit a block,
 * where the kernel has these schedules. */
static void choose_schedule_of_rows(const job *j, iw_block_sort_args *args)
{
  /* Columns with which rows take less time as short ones than one row after the other, or by lanes. */
  enum { MOST_COLUMNS = 12, MOST_COLUMNS_OF_KEYS = 3 };
  if (!merges_in_turn(j->context) || args->offsets || !args->columns)
    return;
  if (args->alone && args->columns > MOST_COLUMNS_OF_KEYS)
    choose_runs(j, args);
  if (args->run || !j->segments || args->columns > MOST_COLUMNS)
    return;
  args->row = args->columns;
  args->columns *= class_capacity(j->context, 0) / args->row;
  args->count = iw_ceil_div(args->n, args->columns);
}

/* Sets the members of the arguments that do not depend on the class. */
static void set_block_sort(const job *j, const moves *all, const void *offsets, iw_block_sort_args *args)
{
  args->keys = all->of[KEYS].in;
  args->key_bytes = args->stage_bytes = (uint32_t)all->of[KEYS].width;
  args->order = j->rule.order;
  args->mask = iw_deciding_bits(&j->rule);
  args->offsets = offsets;
  args->wide_offsets = offsets && j->segments->offset_type == IW_U64;
  args->columns = j->segments ? j->segments->columns : j->n;
  args->n = j->n;
  args->count = j->segments ? j->segment_count : 1;
  args->run = args->row = 0;
  args->unsorted = NULL;
  args->begins = NULL;
  args->offsets_of_buckets = NULL;
  args->division = NULL;
  args->list = NULL;
  args->longer = NULL;
  args->array_count = 0;
  for (unsigned i = 0; i < all->count; i++) {
    if (!all->of[i].out)
      continue;
    args->arrays[args->array_count++] = all->of[i];
    args->stage_bytes = (uint32_t)iw_max(args->stage_bytes, all->of[i].width);
  }
  args->stage_bytes = args->stage_bytes > 4 ? 8 : 4;
  args->alone = args->array_count == 1 && args->arrays[0].in == args->keys && args->arrays[0].width == args->key_bytes
      && args->mask == bits_below(8 * args->key_bytes);
  choose_schedule_of_rows(j, args);
}

/* The class of an array, or of rows; IW_SEGMENT_CLASSES: they are too long. Where one warp merges item by
 * item, an array has fewer elements, as it needs no passes over segments' indices. */
static unsigned class_of(const job *j)
{
  const size_t divisor = !j->segments && merges_in_turn(j->context) ? 4 : 1;
  unsigned c = 0;
  while (c < IW_SEGMENT_CLASSES && class_capacity(j->context, c) / divisor < (j->segments ? j->segments->columns : j->n))
    c++;
  return c;
}

/* The lists of segments of each class, in scratch. */
typedef struct lists { uint32_t *counters, *of[IW_SEGMENT_CLASSES]; size_t at[1 + IW_SEGMENT_CLASSES], capacity[IW_SEGMENT_CLASSES]; } lists;

/* Lays out the lists. A list has no more segments than have more elements than fit the class before.
 * Returns whether there are any: indices of segments have 32 bits. */
static int lay_out_lists(const job *j, iw_layout *layout, lists *l)
{
  size_t longer_than = 0;
  if (!class_capacity(j->context, 0) || j->segment_count > UINT32_MAX)
    return 0;
  l->at[0] = iw_layout_add(layout, "counts of segments", 1 + IW_SEGMENT_CLASSES, sizeof(uint32_t));
  for (unsigned c = 0; c < IW_SEGMENT_CLASSES; c++) {
    const size_t most = class_capacity(j->context, c);
    l->capacity[c] = most ? iw_min(j->segment_count, j->n / (longer_than + 1)) : 0;
    l->at[1 + c] = iw_layout_add(layout, "a list of segments", l->capacity[c], sizeof(uint32_t));
    longer_than = most;
  }
  return 1;
}

/* Lists the segments by class. */
static iw_status list_segments(const job *j, const void *offsets, char *base, lists *l)
{
  iw_segment_lists_args args = { .offsets = offsets, .wide_offsets = j->segments->offset_type == IW_U64, .n = j->n,
                                 .count = j->segment_count };
  args.counters = l->counters = (uint32_t *)(void *)(base + l->at[0]);
  for (unsigned c = 0; c < IW_SEGMENT_CLASSES; c++) {
    args.lists[c] = l->of[c] = (uint32_t *)(void *)(base + l->at[1 + c]);
    args.most[c] = class_capacity(j->context, c);
    args.capacity[c] = l->capacity[c];
  }
  IW_TRY(j->context->ops->zero(j->context, l->counters, (1 + IW_SEGMENT_CLASSES) * sizeof *l->counters));
  return iw_launch_by_id(j->context, IW_K_segment_lists, iw_ceil_div(j->segment_count, IW_SEGMENT_LISTS_CHUNK * 8), 256, &args);
}

/* Sorts the listed segments. host: how many there are of each class; NULL: unknown. */
static iw_status sort_lists(const job *j, const lists *l, const uint32_t *host, iw_block_sort_args *args)
{
  for (unsigned c = 0; c < IW_SEGMENT_CLASSES; c++) {
    args->list = l->of[c];
    args->listed = l->counters + c;
    args->longer = host ? NULL : l->counters + IW_SEGMENT_CLASSES;
    args->list_capacity = args->count = host ? iw_min(host[c], l->capacity[c]) : l->capacity[c];
    if (args->count)
      IW_TRY(sort_class(j, c, args));
  }
  return IW_OK;
}

/* Sorts by blocks alone: segments of class c, or segments by offsets, whose counts can be had at once, if
 * all fit blocks. Sets *done to whether they do. */
static iw_status sort_in_blocks(const job *j, moves *all, unsigned c, const void *offsets, int *done)
{
  iw_layout layout;
  lists l;
  void *scratch = NULL;
  uint32_t counts[1 + IW_SEGMENT_CLASSES];
  iw_block_sort_args args; /* arrays beyond array_count are not set: clearing them would take long */
  *done = c < IW_SEGMENT_CLASSES;
  if (offsets || j->key) {
    iw_layout_begin(&layout, j->context);
    if (offsets && !lay_out_lists(j, &layout, &l))
      return IW_OK;
    const size_t at_keys = iw_layout_add(&layout, "keys", j->key ? j->n : 0, all->of[KEYS].width);
    IW_TRY(iw_scratch(j->context, &layout, &scratch));
    if (offsets) {
      IW_TRY(list_segments(j, offsets, scratch, &l));
      IW_TRY(j->context->ops->copy(j->context, counts, l.counters, sizeof counts));
      if (counts[IW_SEGMENT_CLASSES])
        return IW_OK;
      *done = 1;
    }
    if (j->key) {
      all->of[KEYS].in = (char *)scratch + at_keys;
      IW_TRY(write_keys(j, all, (char *)scratch + at_keys));
    }
  }
  set_block_sort(j, all, offsets, &args);
  return offsets ? sort_lists(j, &l, counts, &args) : sort_class(j, c, &args);
}

/* Sorts rows, or an array, that are too long for a class, by lanes; args->run is not 0. at: a word in
 * scratch. Sets *done to whether all are sorted. Else each row is as it was, or sorted. */
static iw_status sort_long_by_lanes(const job *j, iw_block_sort_args *args, uint32_t *at, int *done)
{
  uint32_t unsorted;
  args->unsorted = at;
  IW_TRY(j->context->ops->zero(j->context, at, sizeof unsorted));
  IW_TRY(sort_class(j, 0, args));
  IW_TRY(j->context->ops->copy(j->context, &unsorted, at, sizeof unsorted));
  *done = !unsorted;
  return IW_OK;
}

/* ---- Short arrays of long keys (merge_kernel.h) ------------------------------------------------------- */

iw_status iw_launch_merge(iw_context *context, iw_merge_args *args)
{
  const iw_kernel *kernel;
  IW_TRY(iw_find_kernel(context, IW_K_merge, &kernel));
  const uint64_t n = args->run ? iw_min(2 * args->run, args->a_count) : args->a_count + args->b_count;
  const uint64_t pairs = args->run ? iw_ceil_div(args->a_count, 2 * args->run) : 1;
  const uint64_t resident = (uint64_t)context->device.processors * kernel->blocks_per_processor;
  const int is_short = kernel->block > 32 && pairs * iw_ceil_div(n, IW_MERGE_SHORT_TILE) <= resident;
  args->tile = is_short ? IW_MERGE_SHORT_TILE : args->key_bytes == 8 ? IW_MERGE_TILE_OF_8_BYTES : IW_MERGE_TILE;
  const uint64_t tiles = iw_ceil_div(n, args->tile);
  /* More tiles search less often; all waves of blocks are full, and blocks have as many tiles or one more. */
  const uint64_t waves = iw_ceil_div(pairs * tiles, IW_MERGE_BLOCK_TILES * resident);
  const uint64_t most = iw_ceil_div(pairs * tiles, waves * resident);
  args->pair_blocks = iw_max(iw_ceil_div(tiles, most), iw_min(tiles, waves * resident / pairs));
  args->block_tiles = tiles / args->pair_blocks;
  args->longer_blocks = tiles % args->pair_blocks;
  return iw_launch_by_id(context, IW_K_merge, pairs * args->pair_blocks, 0, args);
}

/* Whether an array is sorted by merges of runs that blocks have sorted. Keys of 8 bytes take up to eight
 * passes, whose tiles do not fill a GPU. */
static int goes_by_merges(const job *j, const moves *all)
{
  enum { MOST = 1 << 18, FEW_BITS = 32 };
  return !j->segments && !j->key && !j->memory && all->count == 1 && all->of[KEYS].out && all->of[KEYS].width == 8 && j->n <= MOST
      && __builtin_popcountll(iw_deciding_bits(&j->rule)) > FEW_BITS && !merges_in_turn(j->context) && class_capacity(j->context, IW_SEGMENT_CLASSES - 1);
}

static iw_status sort_by_merges(const job *j, const moves *all)
{
  const size_t capacity = class_capacity(j->context, IW_SEGMENT_CLASSES - 1);
  iw_block_sort_args blocks;
  void *scratch;
  int merges = 0;
  for (size_t run = capacity; run < j->n; run *= 2)
    merges++;
  IW_TRY(iw_scratch_array(j->context, "an array between merges", j->n, all->of[KEYS].width, &scratch));
  void *const places[] = { all->of[KEYS].out, scratch };
  set_block_sort(j, all, NULL, &blocks);
  blocks.columns = capacity;
  blocks.count = iw_ceil_div(j->n, capacity);
  blocks.arrays[0].out = places[merges % 2];
  IW_TRY(sort_class(j, IW_SEGMENT_CLASSES - 1, &blocks));
  for (size_t run = capacity; run < j->n; run *= 2, merges--)
    IW_TRY(iw_launch_merge(j->context, &(iw_merge_args){
      .a = places[merges % 2], .out = places[(merges - 1) % 2], .key_bytes = all->of[KEYS].width, .a_count = j->n, .run = run,
      .order = j->rule.order, .mask = iw_deciding_bits(&j->rule),
    }));
  return IW_OK;
}

/* ---- Upper bits first -------------------------------------------------------------------------------- */

/* The keys of a chunk that finish() gives a block, and such chunks. */
static size_t finish_chunk(const job *j)
{
  enum { LEAST_CHUNK = 1 << 12, CHUNKS_OF_PROCESSOR = 16 };
  return iw_max(iw_ceil_div(j->n, CHUNKS_OF_PROCESSOR * (size_t)j->context->device.processors), LEAST_CHUNK);
}

static size_t finish_chunks(const job *j) { return iw_ceil_div(j->n, finish_chunk(j)); }

/* Whether elements are more than keys, which move with indices then. */
static int has_others(const moves *all)
{
  return all->count > 1;
}

/* Whether elements are sorted by buckets of their keys (buckets_by_lanes.h): those of 4 or 8 bytes that the
 * host can access and all of whose bits decide. */
enum { LEAST_SAMPLED = 256, MOST_SAMPLED = 1024, LEAST_BY_BUCKETS = 1 << 12, LEAST_OF_OTHERS = 1 << 10, LEAST_OF_THREADS = 1 << 14 };
static int has_buckets(const job *j, const moves *all)
{
  const size_t width = all->of[KEYS].width;
  return j->context->device.reads_host_memory && merges_in_turn(j->context) && width >= 4 && iw_deciding_bits(&j->rule) == bits_below(8 * (unsigned)width)
      && j->segment_count <= 1 && j->n >= (has_others(all) ? LEAST_OF_OTHERS : LEAST_BY_BUCKETS) && j->n <= UINT32_MAX;
}

static uint64_t rank_at(const job *j, const void *keys, size_t at)
{
  return iw_total_rank(&j->rule.order, iw_type_size(j->type) == 8 ? ((const uint64_t *)keys)[at] : ((const uint32_t *)keys)[at]);
}

/* The upper bits of ranks that vary, over which there are so many passes at most. */
static uint64_t upper_bits(uint64_t varying, unsigned passes)
{
  const unsigned bits = 64 - (unsigned)__builtin_clzll(varying);
  return bits > passes * DIGIT_BITS ? varying & ~bits_below(bits - passes * DIGIT_BITS) : varying;
}

/* How many keys, by a sorted sample, the longest bucket of equal upper bits has in which keys differ. */
static size_t longest_bucket(const job *j, const void *sample, size_t sampled, uint64_t upper)
{
  size_t longest = 0;
  for (size_t i = 0, next; i < sampled; i = next) {
    const uint64_t first = rank_at(j, sample, i);
    for (next = i + 1; next < sampled && !((rank_at(j, sample, next) ^ first) & upper);)
      next++;
    if (rank_at(j, sample, next - 1) != first)
      longest = iw_max(longest, next - i);
  }
  return longest * (j->n / sampled);
}

/* A sample of the keys, in scratch. */
typedef struct key_sample {
  void *keys;
  size_t count;                   /* at most MOST_SAMPLED; 0: not taken */
} key_sample;

static void take_keys(const job *j, const moves *all, void *keys, size_t count)
{
  const size_t width = all->of[KEYS].width;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)keys + i * width, (const char *)all->of[KEYS].in + i * (j->n / count) * width, width);
}

/* The bits in which the ranks of a few keys differ; 0: they ascend. */
static uint64_t survey_few(const job *j, const moves *all)
{
  enum { LOOKED_AT = 32 };
  uint64_t keys[LOOKED_AT], bits = 0, descents = 0;
  take_keys(j, all, keys, LOOKED_AT);
  for (size_t i = 1; i < LOOKED_AT; i++) {
    const uint64_t rank = rank_at(j, keys, i), before = rank_at(j, keys, i - 1);
    bits |= rank ^ before;
    descents |= rank < before;
  }
  return descents ? bits : 0;
}

/* Takes a sample, unless it has been taken, and sorts it. division: NULL, or becomes what divides it best. */
static iw_status sort_sample(const job *j, const moves *all, key_sample *s, iw_division *division)
{
  enum { KEYS_OF_SAMPLED = 1 << 10 };
  moves of_sample = { .count = 1 };
  iw_block_sort_args args;
  job of = *j;
  const int is_new = !s->count;
  of.n = s->count = iw_min(iw_max(j->n / KEYS_OF_SAMPLED, LEAST_SAMPLED), MOST_SAMPLED);
  of.segments = NULL; /* or a single one */
  of_sample.of[KEYS] = (iw_move_array){ s->keys, s->keys, all->of[KEYS].width };
  set_block_sort(&of, &of_sample, NULL, &args);
  if (is_new) {
    take_keys(j, all, s->keys, s->count);
    IW_TRY(sort_class(&of, 0, &args));
  }
  args.division = division;
  return division ? iw_launch_by_id(j->context, IW_K_block_sort, 1, 32, &args) : IW_OK;
}

/* Whether one thread can do all, without passes. */
static int goes_by_one(const job *j, const moves *all)
{
  enum { MOST_OF_ONE_THREAD = 1 << 22, MOST_OF_INDICES = 1 << 23 };
  const size_t width = all->of[KEYS].width, bytes = width + (has_others(all) ? sizeof(uint32_t) : 0);
  const size_t most_of_one = j->makes_indices && all->count == 2 ? MOST_OF_INDICES / width : MOST_OF_ONE_THREAD / bytes; /* payloads are far apart */
  return j->context->device.processors == 1 ? j->n <= most_of_one : j->n <= LEAST_OF_THREADS;
}

/* Whether keys that vary in these bits have buckets: passes over so few bits take less time. */
static int has_bits_of_buckets(const job *j, const moves *all, uint64_t varying)
{
  return has_buckets(j, all) && plan_passes(j, varying).count > all->of[KEYS].width / (has_others(all) ? 2 : 4);
}

/* The upper ones of the bits that vary over which passes make buckets that fit caches (buckets_by_lanes.h);
 * if that saves no pass, all that vary. */
static iw_status bits_of_passes(const job *j, const moves *all, uint64_t varying, key_sample *s, uint64_t *upper)
{
  enum { MOST_BYTES = 1 << 20 };
  const size_t bytes = all->of[KEYS].width + (has_others(all) ? sizeof(uint32_t) : 0);
  *upper = varying;
  if (!has_bits_of_buckets(j, all, varying) || goes_by_one(j, all))
    return IW_OK;
  IW_TRY(sort_sample(j, all, s, NULL));
  for (unsigned passes = plan_passes(j, varying).count - 1; passes; passes--)
    if (longest_bucket(j, s->keys, s->count, upper_bits(varying, passes)) * bytes <= MOST_BYTES)
      *upper = upper_bits(varying, passes);
  return IW_OK;
}

/* Where the bucket of the key before `at` ends. */
static size_t bucket_end(const job *j, const void *keys, uint64_t upper, size_t at)
{
  const uint64_t last = rank_at(j, keys, at - 1) & upper;
  size_t step = 1, end = at;
  while (end < j->n && (rank_at(j, keys, end) & upper) == last) {
    at = end + 1;
    end = iw_min(end + step, j->n);
    step *= 2;
  }
  while (at < end) {
    const size_t middle = at + (end - at) / 2;
    if ((rank_at(j, keys, middle) & upper) == last) at = middle + 1;
    else end = middle;
  }
  return at;
}

/* Where a chunk ends that has to have the key before `wanted`. */
static size_t chunk_end(const job *j, const void *keys, uint64_t upper, const uint64_t *offsets, size_t wanted)
{
  size_t low = 0, high = IW_RADIX_DIGITS;
  if (wanted >= j->n || !offsets)
    return wanted < j->n ? bucket_end(j, keys, upper, wanted) : j->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (offsets[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return offsets[low];
}

/* Sorts keys that passes over their upper bits, or by a division, have put in order by these, in chunks that
 * may be empty, and other arrays with them. offsets: NULL, or of the division. indices: if there are others,
 * twice n. */
static iw_status finish(const job *j, const arrays *moved, uint64_t upper, const uint64_t *offsets, uint64_t *begins, uint32_t *indices)
{
  const array *const keys = &moved->of[KEYS];
  const size_t chunks = upper || offsets ? finish_chunks(j) : 1;
  iw_block_sort_args args;
  moves all;
  all.count = 1;
  all.of[KEYS] = (iw_move_array){ keys->at, keys->out ? keys->out : keys->scratch[1], keys->width };
  begins[0] = 0;
  for (size_t c = 1; c <= chunks; c++) {
    const uint64_t wanted = iw_min(c * finish_chunk(j), j->n);
    begins[c] = wanted <= begins[c - 1] ? begins[c - 1] : chunk_end(j, keys->at, upper, offsets, wanted);
  }
  begins[chunks] = j->n;
  set_block_sort(j, &all, NULL, &args);
  args.begins = begins;
  args.upper = upper;
  args.offsets_of_buckets = offsets;
  args.spare = keys->scratch[0];
  args.indices[0] = args.indices[1] = NULL;
  if (moved->count > 1) {
    args.indices[0] = indices;
    args.indices[1] = indices + j->n;
  }
  if (!keys->out)
    args.arrays[0].width = 0;
  for (unsigned m = 1; m < moved->count; m++)
    if (moved->of[m].out) /* elements whose keys are a function's need not be wanted */
      args.arrays[args.array_count++] = (iw_move_array){ moved->of[m].at, moved->of[m].out, moved->of[m].width };
  return iw_launch_by_id(j->context, IW_K_block_sort, chunks, 32, &args);
}

/* What a sort by passes will do, and what its scratch is. looks: the result of a survey can be had at once.
 * Otherwise segments by offsets that fit blocks are sorted by these (listed). sweeps: the digits of all
 * passes are counted before the first one. Either way the device decides which passes run. */
typedef struct sort_plan {
  passes all;
  arrays moved;
  lists of_classes;
  iw_layout layout;
  size_t widest, at_unsorted, at_found, at_positions, at_runs, at_words, at_ranges, at_sample, at_offsets, at_begins, at_indices, at_memory;
  int looks, listed, sweeps;
  unsigned upper_passes;          /* 0, or so many passes over upper bits come first (sort_upper_bits) */
} sort_plan;

static size_t unsorted_tiles(const job *j) { return iw_ceil_div(j->n, IW_UNSORTED_TILE); }

/* How many passes over the upper bits of keys of 8 bytes leave few runs of equal upper bits, if keys are
 * random; 0: all passes run. Passes over all bits may have to follow, from the same arrays: so all arrays are
 * sorted in place, or none is, and none is in the caller's memory between passes. An odd number of passes
 * would copy arrays that are in place. */
static unsigned count_upper_passes(const job *j, const moves *all, const sort_plan *plan)
{
  /* With fewer passes two keys of the sample would mostly have equal upper bits. Many floats have one of few
   * exponents, and take one more. */
  enum { LEAST_SAVED = 2, LEAST_PASSES = 3, MOST_PAIRS_LOG2 = 15 }; /* pairs: of keys with equal upper bits */
  unsigned in_place = 0, bits = 0;
  if (!plan->sweeps || plan->listed || j->key || j->memory || j->segment_count > 1 || all->of[KEYS].width != 8 || plan->all.count % 2)
    return 0;
  for (unsigned m = 0; m < all->count; m++)
    in_place += all->of[m].in == all->of[m].out;
  while ((j->n - 1) >> bits)
    bits++;
  const unsigned wanted = !!j->rule.order.infinity + (unsigned)iw_max(iw_ceil_div(2 * bits - 1 - MOST_PAIRS_LOG2, DIGIT_BITS), LEAST_PASSES);
  return (in_place == 0 || in_place == all->count) && wanted + LEAST_SAVED <= plan->all.count ? wanted : 0;
}

static void plan_sort(const job *j, const moves *all, const void *offsets, int looks, sort_plan *plan)
{
  iw_context *const context = j->context;
  iw_layout *const layout = &plan->layout;
  plan->all = plan_passes(j, iw_deciding_bits(&j->rule));
  size_t moved_bytes = 0;
  plan->widest = 0;
  plan->looks = looks;
  iw_layout_begin(layout, context);
  plan->at_unsorted = iw_layout_add(layout, "whether a row is unsorted", looks ? 1 : 0, sizeof(uint32_t));
  list_moved(j, all, plan->all.count, layout, &plan->moved);
  for (unsigned m = 0; m < plan->moved.count; m++) {
    plan->widest = iw_max(plan->widest, plan->moved.of[m].width);
    moved_bytes += plan->moved.of[m].width;
  }
  plan->listed = offsets && !looks && lay_out_lists(j, layout, &plan->of_classes);
  plan->sweeps = iw_radix_sweeps(context, j->n);
  const unsigned planned = plan->sweeps ? iw_max(plan->all.count, 1) : 0;
  plan->at_found = iw_layout_add(layout, "survey of the keys", looks ? survey_blocks(j) : 0, sizeof(iw_sort_found));
  plan->at_positions = iw_layout_add(layout, "first positions of digits", planned * IW_RADIX_DIGITS, sizeof(uint64_t));
  plan->at_runs = iw_layout_add(layout, "passes that run", planned, sizeof(uint32_t));
  plan->upper_passes = count_upper_passes(j, all, plan);
  plan->at_words = iw_layout_add(layout, "which passes run", plan->upper_passes ? IW_UPPER_BITS_WORDS : 0, sizeof(uint32_t));
  plan->at_ranges = iw_layout_add(layout, "unsorted tiles", plan->upper_passes ? 2 * unsorted_tiles(j) : 0, sizeof(uint64_t));
  plan->at_sample = iw_layout_add(layout, "sample of the keys", looks && !planned ? MOST_SAMPLED : 0, sizeof(uint64_t));
  plan->at_offsets = iw_layout_add(layout, "where digits of a division begin", looks && !planned ? IW_RADIX_DIGITS + 1 : 0, sizeof(uint64_t));
  plan->at_begins = iw_layout_add(layout, "where chunks begin", looks && !planned ? finish_chunks(j) + 1 : 0, sizeof(uint64_t));
  plan->at_indices = iw_layout_add(layout, "indices of keys in buckets", looks && !planned && has_others(all) && has_buckets(j, all) ? 2 * j->n : 0, sizeof(uint32_t));
  plan->at_memory = iw_layout_add(layout, "scratch of a pass", iw_radix_pass_scratch_bytes(context, j->n, plan->widest, moved_bytes), 1);
}

/* Sorts rows of keys alone that are too long for a class by lanes, if the kernel has this schedule for them.
 * Rows that may have NaNs may be left to passes after outputs have been written, so the memory of these, and
 * that of their blocks, is allocated first. Sets *done to whether all rows are sorted. */
static iw_status sort_long_rows(const job *j, const moves *all, const sort_plan *plan, int *done)
{
  iw_block_sort_args args;
  void *scratch;
  *done = 0;
  set_block_sort(j, all, NULL, &args);
  if (!args.run)
    return IW_OK;
  if (!j->rule.order.infinity) {
    IW_TRY(iw_scratch_array(j->context, "whether a row is unsorted", 1, sizeof(uint32_t), &scratch));
    return sort_long_by_lanes(j, &args, scratch, done);
  }
  IW_TRY(iw_scratch(j->context, &plan->layout, &scratch));
  if (j->context->ops->reserve)
    IW_TRY(j->context->ops->reserve(j->context));
  IW_TRY(iw_reserve_radix_pass(j->context, j->n, plan->widest));
  return sort_long_by_lanes(j, &args, (uint32_t *)(void *)((char *)scratch + plan->at_unsorted), done);
}

/* Sorts a short array of keys alone by lanes, if passes over the bits that vary would take longer: if these
 * are more than half of the passes of keys of 4 or 8 bytes. Narrower keys take longer to move to lanes, one
 * by one, than passes take. Sets *done to whether the array is sorted. */
enum { MOST_BYTES_BY_LANES = 1 << 15 };
static iw_status sort_array_by_lanes(const job *j, const moves *all, uint64_t varying, uint32_t *at, int *done)
{
  enum { LEAST_BYTES = 4 };
  const size_t width = iw_type_size(j->type);
  iw_block_sort_args args;
  *done = 0;
  if (j->segments || width < LEAST_BYTES || j->n > MOST_BYTES_BY_LANES / width || plan_passes(j, varying).count <= width / 2)
    return IW_OK;
  set_block_sort(j, all, NULL, &args);
  return args.run ? sort_long_by_lanes(j, &args, at, done) : IW_OK;
}

/* Runs the passes of the plan, over upper bits or by a division, and sorts buckets. offsets: as of finish. */
static iw_status finish_passes(const job *j, const moves *all, sort_plan *plan, uint64_t upper, const uint64_t *offsets, char *scratch)
{
  int in_place = 0;
  for (unsigned m = 0; m < all->count; m++)
    in_place |= all->of[m].in == all->of[m].out;
  if (in_place && j->context->ops->reserve)
    IW_TRY(j->context->ops->reserve(j->context)); /* before the input changes */
  plan->all.more = has_others(all) || (in_place && offsets);
  if (plan->all.count || plan->all.more)
    IW_TRY(run_passes(j, &plan->all, &plan->moved, plan->widest, scratch + plan->at_memory));
  return finish(j, &plan->moved, upper, offsets, (uint64_t *)(void *)(scratch + plan->at_begins), (uint32_t *)(void *)(scratch + plan->at_indices));
}

/* Chooses a division of the keys into buckets for all threads. Sets *divides to whether there is one: arrays
 * may be too short, or most keys of a sample be in few buckets. */
static iw_status choose_division(const job *j, const moves *all, key_sample *s, iw_division *division, int *divides)
{
  /* Buckets of longer arrays do not fit the memory of a block, so that passes take less time. */
  enum { LEAST_BYTES = 1 << 20, MOST_BYTES = 1 << 26, MOST_BYTES_OF_BUCKET = 1 << 22, MOST_SHARES = 16 };
  const size_t processors = j->context->device.processors, width = all->of[KEYS].width, shares = iw_min(2 * processors, MOST_SHARES);
  const size_t bytes = width + (has_others(all) ? sizeof(uint32_t) : 0);
  *divides = 0;
  if (j->n <= (processors == 1 ? LEAST_BYTES / width : LEAST_OF_THREADS) || j->n > MOST_BYTES / bytes)
    return IW_OK;
  IW_TRY(sort_sample(j, all, s, division));
  const size_t longest = division->longest * (j->n / s->count);
  *divides = longest <= j->n / shares && longest <= MOST_BYTES_OF_BUCKET / bytes;
  return IW_OK;
}

/* Sorts by buckets of a division, which all threads make, or of one thread. varying: of all keys, or of some.
 * Sets *done to whether the array is sorted. */
static iw_status sort_by_buckets(const job *j, const moves *all, sort_plan *plan, uint64_t varying, key_sample *s, char *scratch, int *done)
{
  uint64_t *const offsets = (uint64_t *)(void *)(scratch + plan->at_offsets);
  iw_division division;
  int divides;
  *done = 0;
  if (!has_bits_of_buckets(j, all, varying))
    return IW_OK;
  IW_TRY(choose_division(j, all, s, &division, &divides));
  plan->all = (passes){ .count = 0 };
  if (divides)
    plan->all.at[plan->all.count++] = (digit){ .mask = IW_RADIX_DIGITS - 1, .division = &division, .offsets = offsets };
  else if (!goes_by_one(j, all))
    return IW_OK;
  else if (plan_passes(j, varying).count < all->of[KEYS].width) {
    /* If most keys have equal upper bits, few passes take less time. */
    IW_TRY(sort_sample(j, all, s, NULL));
    if (longest_bucket(j, s->keys, s->count, upper_bits(varying, 1)) > j->n / 2)
      return IW_OK;
  }
  *done = 1;
  return finish_passes(j, all, plan, 0, divides ? offsets : NULL, scratch);
}

/* Sorts an array, or rows, whose survey can be had at once: short arrays by lanes, others by buckets, by
 * passes over upper bits and buckets of these, or by passes over all bits that vary. If a few keys say that
 * there are buckets, there is no survey. */
static iw_status sort_by_look(const job *j, const moves *all, sort_plan *plan, char *scratch)
{
  key_sample s = { .keys = scratch + plan->at_sample };
  uint64_t varying = 0, upper;
  int done = 0;
  if (has_buckets(j, all) && (has_others(all) || j->n > MOST_BYTES_BY_LANES / all->of[KEYS].width))
    varying = survey_few(j, all);
  if (varying)
    IW_TRY(sort_by_buckets(j, all, plan, varying, &s, scratch, &done));
  if (!done) {
    IW_TRY(survey(j, plan->moved.of[KEYS].at, (iw_sort_found *)(void *)(scratch + plan->at_found), &varying));
    IW_TRY(sort_array_by_lanes(j, all, varying, (uint32_t *)(void *)(scratch + plan->at_unsorted), &done));
  }
  if (!done)
    IW_TRY(sort_by_buckets(j, all, plan, varying, &s, scratch, &done));
  if (done)
    return IW_OK;
  IW_TRY(bits_of_passes(j, all, varying, &s, &upper));
  plan->all = plan_passes(j, upper);
  return upper != varying ? finish_passes(j, all, plan, upper, NULL, scratch)
                          : run_passes(j, &plan->all, &plan->moved, plan->widest, scratch + plan->at_memory);
}

/* Sorts keys of 8 bytes by passes over their upper bits, and then the tiles that these leave unsorted
 * (upper_bits_kernel.h). The device decides whether passes over all bits follow: if two keys of a sample have
 * equal upper bits, instead, and if a run of equal upper bits is long, afterwards. *needed: where it says
 * so. */
static iw_status sort_upper_bits(const job *j, const sort_plan *plan, char *scratch, const uint32_t **needed)
{
  enum { KEYS_OF_SAMPLED = 1 << 11 }; /* of few keys a large sample would have equal upper bits by chance */
  const passes *const all = &plan->all;
  arrays moved = plan->moved;
  passes upper = { .positions = (uint64_t *)(void *)(scratch + plan->at_positions), .keeps_keys = 1 };
  while (upper.count < plan->upper_passes) {
    upper.at[upper.count] = all->at[all->count - plan->upper_passes + upper.count];
    upper.count++;
  }
  iw_upper_bits_args args = {
    .keys = moved.of[KEYS].at, .n = j->n, .order = j->rule.order, .mask = iw_deciding_bits(&j->rule),
    .sampled = iw_min(iw_max(j->n / KEYS_OF_SAMPLED, IW_UPPER_SAMPLE / 2), IW_UPPER_SAMPLE),
    .words = (uint32_t *)(void *)(scratch + plan->at_words), .ranges = (uint64_t *)(void *)(scratch + plan->at_ranges),
  };
  args.upper = args.mask & ~bits_below(upper.at[0].shift);
  IW_TRY(iw_launch_by_id(j->context, IW_K_upper_bits_sample, 1, 0, &args));
  IW_TRY(plan_on_device(j, &moved, args.words + IW_BY_UPPER_BITS, (uint32_t *)(void *)(scratch + plan->at_runs), &upper));
  IW_TRY(run_passes(j, &upper, &moved, plan->widest, scratch + plan->at_memory));
  args.keys = moved.of[KEYS].at;
  IW_TRY(iw_launch_by_id(j->context, IW_K_unsorted_tiles, iw_ceil_div(unsorted_tiles(j), 8), 256, &args));
  moves in_place = { .count = moved.count };
  for (unsigned m = 0; m < moved.count; m++)
    in_place.of[m] = (iw_move_array){ moved.of[m].at, moved.of[m].out, moved.of[m].width };
  iw_block_sort_args tiles;
  set_block_sort(j, &in_place, NULL, &tiles);
  tiles.upper = args.upper;
  tiles.begins = args.ranges;
  tiles.listed = args.words + IW_LISTED_TILES;
  tiles.unsorted = args.words + IW_BY_ALL_BITS;
  *needed = tiles.unsorted;
  const size_t blocks = iw_min(unsorted_tiles(j), iw_blocks_per_wave(j->context, IW_K_tile_sort));
  return iw_launch_by_id_shared(j->context, IW_K_tile_sort, blocks, 0, shared_bytes(j, CLASS_OF_TILES, &tiles), &tiles);
}

/* Sorts by a plan, in scratch of its layout. */
static iw_status sort_by_plan(const job *j, sort_plan *plan, moves *all, const void *offsets, char *scratch)
{
  arrays *const moved = &plan->moved;
  iw_sort_found *const found = (iw_sort_found *)(void *)(scratch + plan->at_found);
  const uint32_t *longer = NULL;
  for (unsigned m = 0; m < moved->count; m++)
    for (unsigned k = 0; k < 2; k++)
      moved->of[m].scratch[k] = j->memory ? j->memory[m].of[k] : scratch + moved->of[m].scratch_at[k];
  if (j->key) { /* the first pass writes to the other place */
    all->of[KEYS].in = moved->of[KEYS].at = moved->of[KEYS].scratch[1];
    IW_TRY(write_keys(j, all, moved->of[KEYS].scratch[1]));
  }
  if (plan->listed) {
    iw_block_sort_args args;
    IW_TRY(list_segments(j, offsets, scratch, &plan->of_classes));
    set_block_sort(j, all, offsets, &args);
    IW_TRY(sort_lists(j, &plan->of_classes, NULL, &args));
    longer = plan->of_classes.counters + IW_SEGMENT_CLASSES;
  }
  if (plan->looks && !moved->ids && !plan->listed && !plan->sweeps)
    return sort_by_look(j, all, plan, scratch);
  if (plan->looks) {
    uint64_t varying;
    IW_TRY(survey(j, moved->of[KEYS].at, found, &varying));
    plan->all = plan_passes(j, varying);
  }
  if (moved->ids) {
    array *const ids = &moved->of[moved->ids];
    ids->at = ids->scratch[1]; /* the first pass writes to the other one */
    if (plan->all.count)
      IW_TRY(write_segment_ids(j, offsets, longer, ids));
  }
  if (plan->upper_passes && plan->all.count >= plan->upper_passes + 2 && plan->all.count % 2 == 0)
    IW_TRY(sort_upper_bits(j, plan, scratch, &longer));
  plan->all.runs = longer;
  if (plan->sweeps) {
    uint64_t *const positions = plan->all.positions = (uint64_t *)(void *)(scratch + plan->at_positions);
    IW_TRY(plan->all.count ? plan_on_device(j, moved, longer, (uint32_t *)(void *)(scratch + plan->at_runs), &plan->all)
                           : j->context->ops->zero(j->context, positions, IW_RADIX_DIGITS * sizeof *positions));
  }
  return run_passes(j, &plan->all, moved, plan->widest, scratch + plan->at_memory);
}

/* Sorts the staged arrays. looks: the result of a survey can be had at once. */
static iw_status sort(const job *j, const iw_array *given, const void *offsets, const iw_payload *payloads, size_t payload_count,
                      int looks)
{
  moves all;               /* arrays beyond count are not set: clearing them would take long */
  sort_plan plan;
  void *scratch;
  all.count = 0;
  if (j->key)
    all.of[all.count++] = (iw_move_array){ NULL, NULL, iw_type_size(j->type) };
  for (size_t i = 0; i <= payload_count; i++)
    all.of[all.count++] = (iw_move_array){ given[2 * i].kernel_ptr, given[2 * i + 1].kernel_ptr,
                                           i ? payloads[i - 1].width : iw_type_size(j->in_type) };
  const unsigned c = offsets ? IW_SEGMENT_CLASSES : class_of(j);
  int done = 0;
  if (c < IW_SEGMENT_CLASSES || (offsets && looks))
    IW_TRY(sort_in_blocks(j, &all, c, offsets, &done));
  if (done)
    return IW_OK;
  if (goes_by_merges(j, &all))
    return sort_by_merges(j, &all);
  plan_sort(j, &all, offsets, looks, &plan);
  if (j->segments && !offsets && looks)
    IW_TRY(sort_long_rows(j, &all, &plan, &done));
  if (done)
    return IW_OK;
  IW_TRY(iw_scratch(j->context, &plan.layout, &scratch));
  return sort_by_plan(j, &plan, &all, offsets, scratch);
}

/* ---- Rows, for other algorithms ---------------------------------------------------------------------- */

/* The call, and its arrays. */
static job job_of_rows(iw_context *context, const iw_row_sort *rows, const iw_segments *segments, moves *all)
{
  job j = { .context = context, .type = rows->type, .in_type = rows->type, .n = rows->rows * rows->columns, .segments = segments,
            .segment_count = rows->rows };
  j.rule.order = iw_total_order_of(rows->type, rows->descending);
  j.rule.end_bit = 8 * (unsigned)iw_type_size(rows->type);
  all->count = rows->payload.width ? 2 : 1;
  all->of[KEYS] = (iw_move_array){ rows->in, rows->out, iw_type_size(rows->type) };
  all->of[KEYS + 1] = (iw_move_array){ rows->payload.in, rows->payload.out, rows->payload.width };
  return j;
}

/* Whether the keys of rows are looked at. */
static int looks_at_rows(const job *j) { return j->context->device.reads_host_memory && j->n > 1; }

size_t iw_sort_rows_scratch_bytes(iw_context *context, const iw_row_sort *rows)
{
  const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_ROWS, .columns = rows->columns };
  moves all;
  sort_plan plan;
  const job j = job_of_rows(context, rows, &segments, &all);
  if (class_of(&j) < IW_SEGMENT_CLASSES)
    return 0;
  plan_sort(&j, &all, NULL, looks_at_rows(&j), &plan);
  return plan.layout.used;
}

iw_status iw_sort_rows(iw_context *context, const iw_row_sort *rows, void *memory)
{
  const iw_segments segments = { .size = sizeof segments, .kind = IW_SEGMENTS_ROWS, .columns = rows->columns };
  moves all;
  sort_plan plan;
  const job j = job_of_rows(context, rows, &segments, &all);
  const unsigned c = class_of(&j);
  if (c < IW_SEGMENT_CLASSES) {
    iw_block_sort_args args;
    set_block_sort(&j, &all, NULL, &args);
    return sort_class(&j, c, &args);
  }
  plan_sort(&j, &all, NULL, looks_at_rows(&j), &plan);
  iw_lay_out(context, memory, &plan.layout);
  return sort_by_plan(&j, &plan, &all, NULL, memory);
}

/* ---- Checks ------------------------------------------------------------------------------------------ */

iw_status iw_check_sort_takes(const iw_sort_options *options, unsigned taken, const char *instead)
{
  if (!options)
    return IW_OK;
  IW_TRY(iw_check_struct("options->size", options, "iw_sort_options", sizeof *options));
  const char *const given = options->key && !(taken & IW_TAKES_KEY) ? "key"
    : options->segments && !(taken & IW_TAKES_SEGMENTS) ? "segments" : NULL;
  if (options->payload_count && !(taken & IW_TAKES_PAYLOADS))
    return iw_fail(IW_ERROR_INVALID, "options->payload_count is %zu; valid is 0, as this call moves no payloads; %s", options->payload_count,
                   instead);
  return !given ? IW_OK : iw_fail(IW_ERROR_INVALID, "options->%s is not NULL, which this call does not take; %s", given, instead);
}

iw_status iw_apply_sort_options(iw_type type, const iw_sort_options *options, iw_sort_rule *rule)
{
  const unsigned bits = 8 * (unsigned)iw_type_size(type);
  rule->begin_bit = 0;
  rule->end_bit = bits;
  if (!options) {
    rule->order = iw_total_order_of(type, 0);
    return IW_OK;
  }
  IW_TRY(iw_check_struct("options->size", options, "iw_sort_options", sizeof *options));
  rule->order = iw_total_order_of(type, options->descending);
  if (!options->begin_bit && !options->end_bit)
    return IW_OK;
  if (rule->order.infinity)
    return iw_fail(IW_ERROR_INVALID, "options->begin_bit is %u and options->end_bit is %u; valid for %s are 0 and 0, as floats are "
                   "compared by all bits", options->begin_bit, options->end_bit, iw_type_name(type));
  if (options->end_bit > bits)
    return iw_fail(IW_ERROR_INVALID, "options->end_bit is %u; valid are 1 to %u for %s", options->end_bit, bits, iw_type_name(type));
  if (options->begin_bit >= options->end_bit)
    return iw_fail(IW_ERROR_INVALID, "options->begin_bit is %u, which is not less than options->end_bit, which is %u",
                   options->begin_bit, options->end_bit);
  rule->begin_bit = options->begin_bit;
  rule->end_bit = options->end_bit;
  return IW_OK;
}

/* Checks a description of segments, but not offsets themselves. */
static iw_status apply_segments(const iw_segments *segments, job *j)
{
  j->segments = segments;
  IW_TRY(iw_check_struct("segments->size", segments, "iw_segments", sizeof *segments));
  if (segments->kind == IW_SEGMENTS_ROWS) {
    if (segments->columns ? j->n % segments->columns : j->n)
      return iw_fail(IW_ERROR_INVALID, "n is %zu, which is not a multiple of segments->columns, which is %zu", j->n, segments->columns);
    j->segment_count = segments->columns ? j->n / segments->columns : 0;
    return IW_OK;
  }
  if (segments->kind != IW_SEGMENTS_OFFSETS)
    return iw_fail(IW_ERROR_INVALID, "segments->kind is %d; valid are IW_SEGMENTS_ROWS (%d) and IW_SEGMENTS_OFFSETS (%d)", (int)segments->kind,
                   (int)IW_SEGMENTS_ROWS, (int)IW_SEGMENTS_OFFSETS);
  IW_TRY(iw_check_named_type("segments->offset_type", segments->offset_type, IW_SET_OF(IW_U32) | IW_SET_OF(IW_U64)));
  if (segments->count == SIZE_MAX)
    return iw_fail(IW_ERROR_INVALID, "segments->count is %zu: count + 1 offsets exceed the address space", segments->count);
  if (!segments->count && j->n)
    return iw_fail(IW_ERROR_INVALID, "segments->count is 0 and n is %zu: each element has to be in a segment", j->n);
  j->segment_count = segments->count;
  return iw_check_array("segments->offsets", segments->offsets, segments->count ? segments->count + 1 : 0, iw_type_size(segments->offset_type));
}

/* Checks that offsets in host memory ascend from 0 to n. */
static iw_status check_offsets(const job *j)
{
  const iw_segments *const segments = j->segments;
  const int wide = segments->offset_type == IW_U64;
  IW_TRY(iw_check_offsets(segments, j->n));
  const uint64_t first = wide ? *(const uint64_t *)segments->offsets : *(const uint32_t *)segments->offsets;
  const uint64_t last = wide ? ((const uint64_t *)segments->offsets)[segments->count]
                             : ((const uint32_t *)segments->offsets)[segments->count];
  if (first)
    return iw_fail(IW_ERROR_INVALID, "segments->offsets[0] is %" PRIu64 "; valid is 0, as each element has to be in a segment", first);
  if (last != j->n)
    return iw_fail(IW_ERROR_INVALID, "segments->offsets[%zu] is %" PRIu64 "; valid is n, which is %zu, as each element has to be in a segment",
                   segments->count, last, j->n);
  return IW_OK;
}

/* Lists the arrays of a call, the last of which is the offsets. */
static unsigned list_arrays(const job *j, const void *in, void *out, const iw_payload *payloads, size_t count, iw_array *given)
{
  const unsigned k = iw_list_moved(j->in_type, in, out, j->n, payloads, count, given);
  given[k] = (iw_array){ "segments->offsets", NULL, 0, 1, IW_READ, NULL };
  if (j->segments && j->segments->kind == IW_SEGMENTS_OFFSETS && j->segment_count)
    given[k] = (iw_array){ "segments->offsets", j->segments->offsets, j->segment_count + 1, iw_type_size(j->segments->offset_type), IW_READ, NULL };
  if (j->needs_out)
    given[1].access &= ~(unsigned)IW_OPTIONAL;
  if (j->makes_indices)
    given[2 * count + 1].name = "indices";
  return k + 1;
}

/* Checks the arrays of a call, stages them and sorts. */
static iw_status run(job *j, const void *in, void *out, const iw_payload *payloads, size_t payload_count)
{
  iw_array given[ARRAYS];
  const unsigned count = list_arrays(j, in, out, payloads, payload_count, given);
  IW_TRY(iw_check_each_array(given, 2));
  IW_TRY(iw_check_payloads(payloads, payload_count, j->n, given));
  IW_TRY(iw_check_arrays(given, count));
  IW_TRY(iw_select_context(&j->context, given, count));
  const iw_array *const offsets = &given[count - 1];
  if (iw_bytes_of(offsets)) {
    int on_device;
    IW_TRY(iw_is_on_device(j->context, offsets, &on_device));
    if (!on_device)
      IW_TRY(check_offsets(j));
  }
  if (!j->n)
    return IW_OK;
  IW_TRY(iw_stage_on(j->context, given, count));
  if (j->memory) { /* the call may have selected a device that cannot access it */
    int accessible;
    IW_TRY(iw_is_accessible(j->context, &(iw_array){ "memory", j->memory[0].of[0], j->n, given[0].size, IW_WRITE, NULL }, &accessible));
    j->memory = accessible ? j->memory : NULL;
  }
  int looks = j->context->device.reads_host_memory; /* or the call waits anyway */
  for (unsigned k = 0; k < count; k++)
    looks |= iw_bytes_of(&given[k]) && given[k].kernel_ptr != given[k].at;
  const iw_status status = sort(j, given, iw_bytes_of(offsets) ? offsets->kernel_ptr : NULL, payloads, payload_count, looks && j->n > 1);
  return iw_unstage(j->context, given, count, status);
}

/* ---- The calls --------------------------------------------------------------------------------------- */

/* Checks a user's key. */
static iw_status check_key(iw_type type, const iw_sort_key *key)
{
  if (key->size != sizeof *key)
    return iw_fail(IW_ERROR_MISMATCH, "the key was built with another version of isowarp's headers: it has %zu bytes, this library's %zu",
                   key->size, sizeof *key);
  IW_TRY(iw_check_kernel(key->kernel));
  if (key->kernel->args != sizeof(iw_sort_keys_args))
    return iw_fail(IW_ERROR_MISMATCH, "kernel %s of key %s takes arguments of %zu bytes: this library's keys have %zu", key->kernel->name,
                   key->name, key->kernel->args, sizeof(iw_sort_keys_args));
  if (key->type != type)
    return iw_fail(IW_ERROR_INVALID, "type is %s, but key %s is for %s", iw_type_name(type), key->name, iw_type_name(key->type));
  return IW_OK;
}

/* Checks the arguments of a call but for its arrays. */
static iw_status begin(job *j, const iw_sort_options *options)
{
  IW_TRY(iw_check_context(j->context));
  IW_TRY(iw_check_type(j->in_type, IW_ALL_TYPES));
  j->type = j->in_type;
  if (!options)
    return iw_apply_sort_options(j->type, options, &j->rule);
  IW_TRY(iw_check_struct("options->size", options, "iw_sort_options", sizeof *options));
  if (options->key) {
    IW_TRY(check_key(j->in_type, options->key));
    j->key = options->key;
    j->type = options->key->key_type;
  }
  IW_TRY(iw_apply_sort_options(j->type, options, &j->rule));
  return options->segments ? apply_segments(options->segments, j) : IW_OK;
}

/* Checks and copies the payloads of a call, adds the indices if there are any, and runs it. */
static iw_status run_with(job *j, const void *in, void *out, const iw_payload *payloads, size_t count, iw_indices indices)
{
  iw_payload all[IW_MAX_PAYLOADS];
  const size_t most = IW_MAX_PAYLOADS - (size_t)j->makes_indices;
  if (count > most)
    return iw_fail(IW_ERROR_INVALID, "options->payload_count is %zu; valid are 0 to %zu", count, most);
  if (count)
    IW_TRY(iw_copy_payloads(payloads, count, all));
  if (j->makes_indices)
    all[count++] = (iw_payload){ .size = sizeof *all, .out = indices.at, .width = indices.width };
  return run(j, in, out, all, count);
}

iw_status iw_sort(iw_context *context, iw_type type, const void *in, size_t n, void *out, const iw_sort_options *options)
{
  job j = { .context = context, .in_type = type, .n = n };
  IW_TRY(begin(&j, options));
  if (!options || !options->payload_count) {
    j.needs_out = 1;
    return run(&j, in, out, NULL, 0);
  }
  return run_with(&j, in, out, options->payloads, options->payload_count, (iw_indices){ NULL, 0 });
}

iw_status iw_sort_within(iw_context *context, iw_type type, const void *in, void *out, size_t n, const iw_payload *payloads,
                         size_t payload_count, const iw_sort_options *options, const iw_sort_memory *memory)
{
  job j = { .context = context, .in_type = type, .n = n, .memory = memory };
  IW_TRY(begin(&j, options));
  return run_with(&j, in, out, payloads, payload_count, (iw_indices){ NULL, 0 });
}

iw_status iw_argsort(iw_context *context, iw_type type, const void *in, size_t n, iw_indices indices, const iw_sort_options *options)
{
  job j = { .context = context, .in_type = type, .n = n, .makes_indices = 1 };
  IW_TRY(begin(&j, options));
  IW_TRY(iw_check_array("in", in, n, iw_type_size(type)));
  IW_TRY(iw_check_indices("indices", indices, n ? n - 1 : 0, "n", n));
  IW_TRY(iw_check_array("indices", indices.at, n, indices.width));
  return options ? run_with(&j, in, NULL, options->payloads, options->payload_count, indices) : run_with(&j, in, NULL, NULL, 0, indices);
}
