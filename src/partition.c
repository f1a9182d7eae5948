/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and extract. Every comparison with a constant is a range of the type's values, or what is not in one, and
 * so is a bin; flags and users' predicates have kernels of their own. One launch; one more before it, which counts, where it
 * has to be known in advance how many go to the front.
 */
#include "internal.h"

#include <string.h>

/* Outputs from here on are larger than the caches that matter, and are written past them. */
enum { STREAM_BYTES = 8 << 20 };

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

/* Values of a type by their rank: 0 is the lowest, -inf of a float. Both zeros of floats have one. */
typedef struct order { unsigned bits; int floats, negatives; } order;

static order order_of(iw_type type)
{
  return (order){ 8 * (unsigned)iw_type_size(type), type == IW_F32 || type == IW_F64,
                  type == IW_I32 || type == IW_I64 || type == IW_F32 || type == IW_F64 };
}

static uint64_t all_of(unsigned bits)
{
  return ~(uint64_t)0 >> (64 - bits);
}

static uint64_t bits_of(const order *o, iw_word word)
{
  return o->bits == 32 ? word.u32 : word.u64;
}

static uint64_t infinity_of(const order *o)
{
  return o->bits == 32 ? 0x7f800000u : 0x7ff0000000000000u;
}

static int is_nan(const order *o, iw_word word)
{
  return o->floats && (bits_of(o, word) & all_of(o->bits - 1)) > infinity_of(o);
}

static uint64_t highest_rank(const order *o)
{
  return o->floats ? 2 * infinity_of(o) : all_of(o->bits);
}

static uint64_t rank_of(const order *o, iw_word word)
{
  const uint64_t bits = bits_of(o, word), sign = (uint64_t)1 << (o->bits - 1);
  if (!o->floats)
    return o->negatives ? bits ^ sign : bits;
  return bits & sign ? infinity_of(o) - (bits ^ sign) : infinity_of(o) + bits;
}

static iw_word at_rank(const order *o, uint64_t rank)
{
  const uint64_t sign = (uint64_t)1 << (o->bits - 1), zero = infinity_of(o);
  const uint64_t bits = o->floats ? rank < zero ? sign | (zero - rank) : rank - zero : o->negatives ? rank ^ sign : rank;
  iw_word word = { .u64 = 0 };
  if (o->bits == 32)
    word.u32 = (uint32_t)bits;
  else
    word.u64 = bits;
  return word;
}

/* Which elements go to the front. */
typedef struct range { iw_word least, most; int others; } range;

static range nothing_of(const order *o)
{
  const uint64_t highest = highest_rank(o);
  return o->floats ? (range){ at_rank(o, highest), at_rank(o, 0), 0 } /* an integer is in every range that wraps */
                   : (range){ at_rank(o, 0), at_rank(o, highest), 1 };
}

static range range_of(iw_type type, iw_compare compare, iw_word constant)
{
  const order o = order_of(type);
  range r = nothing_of(&o);
  if (!is_nan(&o, constant)) {
    const uint64_t rank = rank_of(&o, constant), highest = highest_rank(&o);
    const int less = compare == IW_LESS || compare == IW_LESS_EQUAL;
    const int greater = compare == IW_GREATER || compare == IW_GREATER_EQUAL;
    if (!(compare == IW_LESS && rank == 0) && !(compare == IW_GREATER && rank == highest)) {
      r.least = at_rank(&o, less ? 0 : rank + (compare == IW_GREATER));
      r.most = at_rank(&o, greater ? highest : rank - (compare == IW_LESS));
      r.others = 0;
    }
  }
  r.others ^= compare == IW_NOT_EQUAL;
  return r;
}

static range range_of_bin(iw_type type, const iw_histogram_plan *plan, size_t bin)
{
  const order o = order_of(type);
  const size_t size = iw_type_size(type);
  const int first = bin == 0, last = bin + 1 == plan->binning.bins, clamp = plan->binning.clamp != 0;
  range r = { plan->binning.bottom, plan->binning.top, 0 };
  if (!first)
    memcpy(&r.least, (const char *)plan->edges + bin * size, size);
  else if (clamp)
    r.least = at_rank(&o, 0);
  if (!last) {
    memcpy(&r.most, (const char *)plan->edges + (bin + 1) * size, size);
    r.most = at_rank(&o, rank_of(&o, r.most) - 1);
  } else if (clamp)
    r.most = at_rank(&o, highest_rank(&o));
  return r;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

/* What to divide, by what, and where to. */
enum { IN, FLAGS, FRONT, REST, COUNT, ARRAYS };
typedef struct division {
  iw_context *context;
  iw_type type;
  const void *in;
  size_t n;
  const uint8_t *flags;     /* or NULL */
  const iw_kernel *kernel;  /* a user's, or NULL for the library's own: */
  iw_kernel_id own;
  range range;
  int others;               /* wanted: in rest, or if that is NULL behind the marked ones */
  void *front, *rest;
  size_t *count;
} division;

static iw_status check(const division *d)
{
  const size_t size = iw_type_size(d->type), bytes = d->n * size;
  IW_TRY(iw_check_context(d->context));
  IW_TRY(iw_check_type(d->type, IW_I32));
  IW_TRY(iw_check_array("in", d->in, d->n, size));
  IW_TRY(iw_check_pointer("count", d->count));
  IW_TRY(iw_check_array("count", d->count, 1, sizeof *d->count));
  if (d->flags)
    IW_TRY(iw_check_apart("in", d->in, bytes, "flags", d->flags, d->n));
  if (!d->others)
    return d->in == d->front ? iw_check_in_place(d->context, d->in, d->front, bytes) : IW_OK;
  const char *const name = d->rest ? "front" : "out";
  IW_TRY(iw_check_array(name, d->front, d->n, size));
  IW_TRY(iw_check_apart("flags", d->flags, d->flags ? d->n : 0, name, d->front, bytes));
  if (!d->rest)
    return iw_check_in_place(d->context, d->in, d->front, bytes);
  IW_TRY(iw_check_array("rest", d->rest, d->n, size));
  IW_TRY(iw_check_apart("in", d->in, bytes, "front", d->front, bytes));
  IW_TRY(iw_check_apart("in", d->in, bytes, "rest", d->rest, bytes));
  IW_TRY(iw_check_apart("front", d->front, bytes, "rest", d->rest, bytes));
  return iw_check_apart("flags", d->flags, d->flags ? d->n : 0, "rest", d->rest, bytes);
}

/* Where only the marked ones are wanted, their array is as large as they are many. */
static iw_status check_selected(const division *d, size_t count)
{
  const size_t size = iw_type_size(d->type);
  IW_TRY(iw_check_array("out", d->front, count, size));
  IW_TRY(iw_check_apart_or_equal("in", d->in, d->n * size, "out", d->front, count * size));
  return iw_check_apart("flags", d->flags, d->flags ? d->n : 0, "out", d->front, count * size);
}

static size_t tiles_of(const division *d)
{
  return iw_ceil_div(d->n * iw_type_size(d->type), IW_PARTITION_TILE);
}

static size_t words_of(size_t tiles)
{
  return tiles + 2 * iw_ceil_div(tiles, 32);
}

size_t iw_partition_words_needed(size_t bytes)
{
  return words_of(iw_ceil_div(bytes, IW_PARTITION_TILE));
}

/* Counts the marked into args->parts. */
static iw_status count_first(iw_context *context, const iw_kernel *kernel, iw_partition_args *args, size_t blocks)
{
  args->counting = 1;
  const iw_status status = context->ops->launch(context, kernel, blocks, kernel->block, kernel->shared, args);
  args->counting = 0;
  args->counted = blocks;
  return status;
}

/* Adds the parts up, for the host. */
static iw_status add_parts(iw_context *context, const iw_partition_args *args, uint64_t *total)
{
  enum { SOME = 64 };
  uint64_t parts[SOME];
  *total = 0;
  for (uint64_t p = 0; p < args->counted; p += SOME) {
    const size_t some = iw_min(args->counted - p, SOME);
    IW_TRY(context->ops->copy(context, parts, args->parts + p, some * sizeof *parts));
    for (size_t i = 0; i < some; i++)
      *total += parts[i];
  }
  return IW_OK;
}

/* Whether n elements of out are sure to end before these bytes, or to begin behind them. */
static int is_apart(const division *d, const void *from, size_t bytes)
{
  const uintptr_t at = (uintptr_t)from, out = (uintptr_t)d->front;
  return at <= out ? out - at >= bytes : at - out >= d->n * iw_type_size(d->type);
}

/* Whether there is room for a selection of any size. */
static int surely_fits(const division *d)
{
  const size_t size = iw_type_size(d->type);
  return d->front && (uintptr_t)d->front % size == 0 && (d->in == d->front || is_apart(d, d->in, d->n * size))
    && (!d->flags || is_apart(d, d->flags, d->n));
}

static iw_status divide_staged(division *d, iw_array *arrays, int count_is_here)
{
  iw_context *const context = d->context;
  const size_t size = iw_type_size(d->type), n = d->n, tiles = tiles_of(d);
  const int in_place = n && arrays[IN].here == arrays[FRONT].here;
  static const uint64_t zero = 0;
  if (n == 0) {
    if (count_is_here)
      return context->ops->upload(context, d->count, &zero, sizeof zero);
    *d->count = 0;
    return IW_OK;
  }
  const iw_kernel *kernel = d->kernel;
  if (!kernel)
    IW_TRY(iw_own_kernel(context, d->own, &kernel));
  const size_t wave = (size_t)context->processors * kernel->per_processor;
  const size_t blocks = iw_min(iw_min(tiles, wave), iw_max(n * size / context->worth, 1));

  size_t used = 0;
  void *scratch, *tickets;
  const size_t at_copy = iw_carve(&used, in_place ? n : 0, size), at_count = iw_carve(&used, 1, sizeof(uint64_t));
  const size_t at_parts = iw_carve(&used, blocks, sizeof(uint64_t));
  IW_TRY(iw_scratch(context, used, &scratch));
  char *const base = scratch;
  iw_partition_args args = {
    .in = arrays[IN].here, .flags = arrays[FLAGS].here, .n = n, .front = arrays[FRONT].here,
    .rest = d->rest ? arrays[REST].here : NULL,
    .count = (uint64_t *)(void *)(count_is_here ? (char *)d->count : base + at_count),
    .least = d->range.least, .most = d->range.most, .others = (uint32_t)d->range.others,
    .stream = n * size >= STREAM_BYTES,
  };
  IW_TRY(iw_scan_words(context, words_of(tiles), &tickets, &args.tile_words));
  args.tickets = tickets;
  args.group_words = args.tile_words + tiles;
  if (in_place) {
    IW_TRY(context->ops->copy(context, base + at_copy, args.in, n * size));
    args.in = base + at_copy;
  }
  const int one_array = d->others && !d->rest, first = one_array || (!d->others && !count_is_here && !surely_fits(d));
  if (first) {
    args.parts = (uint64_t *)(void *)(base + at_parts);
    IW_TRY(count_first(context, kernel, &args, blocks));
  }
  if (first && !one_array) {
    uint64_t total;
    IW_TRY(add_parts(context, &args, &total));
    IW_TRY(check_selected(d, (size_t)total));
    args.parts = NULL;
    if (total == 0) {
      *d->count = 0;
      arrays[FRONT].bytes = 0;
      return IW_OK;
    }
  }
  IW_TRY(context->ops->launch(context, kernel, blocks, kernel->block, kernel->shared, &args));
  if (count_is_here && (one_array || arrays[FRONT].here == d->front) && (!d->rest || arrays[REST].here == d->rest))
    return IW_OK;
  uint64_t total;
  IW_TRY(context->ops->copy(context, &total, args.count, sizeof total)); /* the host wants to know */
  if (!count_is_here)
    *d->count = (size_t)total;
  if (!one_array)
    arrays[FRONT].bytes = (size_t)total * size;
  if (d->rest)
    arrays[REST].bytes = (n - (size_t)total) * size;
  return IW_OK;
}

/* Of a context for both backends a user's kernel has the one that it was built for. */
static iw_status choose(division *d, const iw_array *arrays)
{
  return d->kernel ? iw_choose_for(&d->context, d->kernel, arrays, ARRAYS) : iw_choose(&d->context, arrays, ARRAYS);
}

static iw_status divide(division *d)
{
  const size_t bytes = d->n * iw_type_size(d->type);
  iw_array arrays[ARRAYS] = {
    [IN] = { "in", d->in, bytes, IW_READ, NULL }, [FLAGS] = { "flags", d->flags, d->flags ? d->n : 0, IW_READ, NULL },
    [FRONT] = { d->rest ? "front" : "out", d->front, d->front ? bytes : 0, IW_WRITE, NULL },
    [REST] = { "rest", d->rest, d->rest ? bytes : 0, IW_WRITE, NULL },
    [COUNT] = { "count", d->count, sizeof *d->count, IW_WRITE, NULL },
  };
  int count_is_here;
  IW_TRY(choose(d, arrays));
  IW_TRY(iw_reached(d->context, &arrays[COUNT], &count_is_here));
  count_is_here &= d->context->backend == IW_BACKEND_CUDA;
  if (count_is_here && !d->others)
    IW_TRY(check_selected(d, d->n));
  IW_TRY(iw_stage_on(d->context, arrays, COUNT));
  return iw_unstage(d->context, arrays, COUNT, divide_staged(d, arrays, count_is_here));
}

static int is_wide(iw_type type)
{
  return iw_type_size(type) == 8;
}

/* The kernel that takes elements in a range. */
static iw_kernel_id ranging(iw_type type)
{
  return type == IW_F32 ? IW_K_partition_f32 : type == IW_F64 ? IW_K_partition_f64
    : is_wide(type) ? IW_K_partition_u64 : IW_K_partition_u32;
}

static iw_status check_predicate(iw_type type, const iw_predicate *predicate)
{
  if (predicate->size != sizeof *predicate)
    return iw_fail(IW_ERROR_MISMATCH, "the predicate was built with another version of isowarp's headers: it has %zu bytes, "
                   "this library's %zu", predicate->size, sizeof *predicate);
  IW_TRY(iw_check_kernel(predicate->partition));
  if (predicate->partition->args != sizeof(iw_partition_args))
    return iw_fail(IW_ERROR_MISMATCH, "kernel %s of predicate %s takes arguments of %zu bytes: this library's partitions have "
                   "%zu", predicate->partition->name, predicate->name, predicate->partition->args, sizeof(iw_partition_args));
  if (predicate->type != type)
    return iw_fail(IW_ERROR_INVALID, "type is %s, but predicate %s is for %s", iw_type_name(type), predicate->name,
                   iw_type_name(predicate->type));
  return IW_OK;
}

/* What a test says, in d. */
static iw_status apply(const iw_test *test, division *d)
{
  IW_TRY(iw_check_pointer("test", test));
  if (test->size != sizeof *test)
    return iw_fail(IW_ERROR_INVALID, "test->size is %zu, but an iw_test has %zu bytes", test->size, sizeof *test);
  IW_TRY(iw_check_type(d->type, IW_I32));
  const int given = (test->constant != NULL) + (test->flags != NULL) + (test->predicate != NULL);
  if (given != 1 && (d->n || given))
    return iw_fail(IW_ERROR_INVALID, "a test has one of constant, flags and predicate, not %d of them", given);
  if (test->predicate) {
    IW_TRY(check_predicate(d->type, test->predicate));
    d->kernel = test->predicate->partition;
  } else if (test->constant) {
    if ((unsigned)test->compare > IW_GREATER_EQUAL)
      return iw_fail(IW_ERROR_INVALID, "test->compare is %d, which is no iw_compare", (int)test->compare);
    iw_word constant = { .u64 = 0 };
    memcpy(&constant, test->constant, iw_type_size(d->type));
    d->range = range_of(d->type, test->compare, constant);
    d->own = ranging(d->type);
  } else {
    d->flags = test->flags;
    d->own = is_wide(d->type) ? IW_K_partition_flags_64 : IW_K_partition_flags_32;
  }
  return IW_OK;
}

static iw_status divide_by(division d, const iw_test *test)
{
  IW_TRY(iw_check_context(d.context));
  IW_TRY(apply(test, &d));
  IW_TRY(check(&d));
  return divide(&d);
}

iw_status iw_partition_by_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test, void *front,
                              void *rest, size_t *count)
{
  return divide_by((division){ .context = context, .type = type, .in = in, .n = n, .others = 1, .front = front, .rest = rest,
                               .count = count }, test);
}

iw_status iw_select_by_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_test *test, void *out,
                           size_t *count)
{
  return divide_by((division){ .context = context, .type = type, .in = in, .n = n, .front = out, .count = count }, test);
}

iw_status iw_partition_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                           size_t *count)
{
  IW_TRY(iw_check_pointer("pivot", pivot));
  return iw_partition_by_any(context, type, in, n, &(iw_test){ .size = sizeof(iw_test), .constant = pivot }, out, NULL, count);
}

iw_status iw_partition_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                                 void *out, size_t *count)
{
  IW_TRY(iw_check_array("flags", flags, n, 1));
  return iw_partition_by_any(context, type, in, n, &(iw_test){ .size = sizeof(iw_test), .flags = flags }, out, NULL, count);
}

iw_status iw_select_flags_any(iw_context *context, iw_type type, const void *in, const uint8_t *flags, size_t n,
                              void *out, size_t *count)
{
  IW_TRY(iw_check_array("flags", flags, n, 1));
  return iw_select_by_any(context, type, in, n, &(iw_test){ .size = sizeof(iw_test), .flags = flags }, out, count);
}

/* By a plan, or where there is none by one of the spec. */
static iw_status extract(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_plan *plan,
                         const iw_histogram_spec *spec, size_t bin, void *out, size_t *count)
{
  iw_histogram_plan own;
  division d = { .context = context, .type = type, .in = in, .n = n, .own = ranging(type), .front = out, .count = count };
  IW_TRY(check(&d));
  IW_TRY(plan ? iw_check_plan(plan, type) : iw_check_spec(type, spec));
  const size_t bins = plan ? plan->spec.bins : spec->bins;
  if (bin >= bins)
    return iw_fail(IW_ERROR_INVALID, "bin is %zu; there are bins 0 to %zu", bin, bins - 1);
  if (!plan)
    IW_TRY(iw_plan_for(context, type, in, n, spec, &own));
  if (n)
    d.range = range_of_bin(type, plan ? plan : &own, bin);
  const iw_status status = divide(&d);
  if (!plan)
    iw_plan_drop(&own);
  return status;
}

iw_status iw_extract_any(iw_context *context, iw_type type, const void *in, size_t n, const iw_histogram_spec *spec,
                         size_t bin, void *out, size_t *count)
{
  return extract(context, type, in, n, NULL, spec, bin, out, count);
}

iw_status iw_extract_planned_any(iw_context *context, const iw_histogram_plan *plan, iw_type type, const void *in, size_t n,
                                 size_t bin, void *out, size_t *count)
{
  IW_TRY(iw_check_pointer("plan", plan));
  return extract(context, type, in, n, plan, NULL, bin, out, count);
}

/* ---- Three ways -------------------------------------------------------------------------------------------------- */

/* Two bins, what is less than the pivot and what equals it; what is in none comes last. In no bin of a NaN is anything. */
iw_status iw_partition_three_any(iw_context *context, iw_type type, const void *in, size_t n, const void *pivot, void *out,
                                 size_t *offsets)
{
  IW_TRY(iw_check_type(type, IW_I32));
  IW_TRY(iw_check_pointer("pivot", pivot));
  const order o = order_of(type);
  const size_t size = iw_type_size(type);
  const iw_word lowest = at_rank(&o, 0);
  iw_word middle = { .u64 = 0 };
  memcpy(&middle, pivot, size);
  const int nan = is_nan(&o, middle);
  char edges[2 * sizeof(iw_word)];
  memcpy(edges, &lowest, size);
  memcpy(edges + size, nan ? &lowest : &middle, size);
  const iw_histogram_plan plan = {
    .type = type, .spec = { .size = sizeof plan.spec, .kind = IW_HISTOGRAM_EDGES, .bins = 2 },
    .binning = { .mode = IW_BINNING_SEARCH, .bins = 2, .steps = 1, .bottom = nan ? at_rank(&o, highest_rank(&o)) : lowest,
                 .top = nan ? lowest : middle },
    .edges = edges, .edges_bytes = 2 * size,
  };
  return iw_multisplit_planned_any(context, &plan, type, in, n, out, offsets);
}
