/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of top-k, of the n-th element and of the median: the elements that a stable sort moves to
 * the places first … end - 1 (doc/design/sort.md#top-k). A sample of each row gives one or two bounds, in
 * one of four ways:
 *   CPUs                         one pass collects the candidates, of a short row all keys, and quickselect keeps
 *                                the wanted ones (near_kernel.h, doc/design/sort.md#top-k-on-cpus)
 *   short arrays, on devices     blocks sort the same sample and move candidates to buckets, in which the place
 *                                of each is found by counting: two launches, and the host does not wait
 *                                (short_kernel.h, doc/design/sort.md#short-top-k)
 *   few candidates, on devices   one pass appends them in any order, and the place of each is found by
 *                                counting (few_kernel.h)
 *   otherwise                    one pass counts what is below and up to the bounds (count_kernel.h),
 *                                another one moves the candidates, in the order of their indices, and a
 *                                stable sort of them has the wanted elements side by side
 * Counts say whether the bounds were right. For a short array the device then finds the wanted elements
 * without bounds. A row for which those of CPUs or of few candidates were wrong goes the last way, and it is
 * sorted if they are wrong again. Layer: public entry; it must not know a backend or a schedule.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/common/type_order.h"
#include "algorithms/scan/scan.h"
#include "algorithms/sort/sort.h"
#include "algorithms/top_k/args.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/sorts.h>
#include <math.h>

/* A call, whose arrays kernels can access. */
typedef struct job {
  iw_context *context;
  iw_type type;
  int descending;
  const char *in;
  size_t rows, columns;
  size_t first, end;             /* the places of wanted elements in a sorted row */
  char *values, *indices;        /* rows * (end - first) elements; or NULL */
  size_t index_bytes;            /* 4 or 8 */
} job;

/* How a row is sampled. */
typedef struct sample_plan {
  unsigned log2_count;
  size_t count;                  /* keys of the sample; 0: the row is sorted */
  size_t hi_at, lo_at, bounds;   /* as in iw_top_k_args */
  size_t capacity;
} sample_plan;

/* The plan for few candidates, which a device ranks: as in iw_top_k_few_args. The sample's count is that of
 * its keys. */
typedef struct few_plan {
  sample_plan sample;            /* count 0: there would be many candidates, or the device has no kernels for this */
  size_t items, group_lanes, lane_keys;
  size_t buckets, stride;        /* of the candidates, and how many items of the sample apart their splitters are; buckets 1: none */
} few_plan;

enum { MOST_ROWS = 256, SORTED_AT_A_TIME = 1 << 22, LEAST_COLUMNS = 4096, LEAST_SAMPLE = 8, MOST_SAMPLE = 20 }; /* samples: log2 */

/* ---- Plans ------------------------------------------------------------------------------------------- */

/* A number that a binomial variable of this mean exceeds with a probability of less than 10^-6. */
static double rarely_exceeded(double mean, double variance)
{
  return mean + 5 * sqrt(variance) + 8;
}

/* The plan for a sample of 2^log2_count keys. About end * count / columns keys of the sample are less than
 * the last wanted element. */
static sample_plan plan_of(size_t columns, size_t first, size_t end, unsigned log2_count)
{
  sample_plan p = { .log2_count = log2_count, .count = (size_t)1 << log2_count, .bounds = 1 };
  const double n = (double)columns, count = (double)p.count;
  const double before_last = (double)end * count / n, before_first = (double)first * count / n;
  const double hi = rarely_exceeded(before_last, before_last * (1 - before_last / count));
  const double lo = before_first - (rarely_exceeded(before_first, before_first * (1 - before_first / count)) - before_first);
  p.hi_at = hi < count ? (size_t)hi : p.count;
  if (lo >= 1) {
    p.bounds = 2;
    p.lo_at = (size_t)lo;
  }
  const double span = (double)(p.hi_at - p.lo_at);
  const double between = rarely_exceeded(span, span) * n / count;
  p.capacity = between < n ? iw_max((size_t)between, end - first) + (p.bounds == 2 ? end - first : 0) : columns;
  return p;
}

/* The plan that takes the least time, in keys that are sorted in it. If that would be many, the row is
 * sorted. Candidates have indices, and as they are few and scattered, each takes the time to read its chunk
 * again, or all take the time to read all. */
static sample_plan plan_sample(const job *j)
{
  enum { READ = 32, SELECT = 10 };       /* keys that are read while one is sorted; keys that are sorted while a chunk is read */
  sample_plan best = { .count = 0 };
  size_t least = SIZE_MAX;
  for (unsigned log2_count = LEAST_SAMPLE; j->columns >= LEAST_COLUMNS && log2_count <= MOST_SAMPLE; log2_count++) {
    const sample_plan p = plan_of(j->columns, j->first, j->end, log2_count);
    const size_t sorted = p.count + 2 * p.capacity, time = sorted + iw_min(SELECT * p.capacity, j->columns / READ);
    if (sorted >= j->columns / 2 || time >= least || j->columns >> 40)
      continue;
    least = time;
    best = p;
  }
  return best;
}

/* A number that a Poisson variable of this mean exceeds with a probability of about 10^-6. */
static double seldom_exceeded(double mean)
{
  return mean + 4.75 * sqrt(mean) + 4;
}

/* Ranks candidates in buckets, which two more launches make. */
static void set_buckets(few_plan *p)
{
  const size_t span = p->sample.hi_at - p->sample.lo_at;
  p->stride = iw_max(iw_ceil_div(span, IW_TOP_K_MOST_BUCKETS), 1);
  p->buckets = iw_max(iw_ceil_div(span, p->stride), 1);
}

/* The plan for few candidates by a sample of 2^log2_count keys. */
static few_plan few_plan_of(const job *j, unsigned log2_count)
{
  enum { MOST_ITEMS = 2048, MOST_LANE_KEYS = 16, LEAST_COLUMNS_OF_ITEM = 8 };
  const size_t size = iw_type_size(j->type);
  few_plan p = { .sample = { .log2_count = log2_count, .count = (size_t)1 << log2_count, .bounds = 1 } };
  const double n = (double)j->columns, per_key = n / (double)p.sample.count;
  const double hi = seldom_exceeded((double)j->end / per_key), before_first = (double)j->first / per_key;
  const double lo = before_first - (seldom_exceeded(before_first) - before_first);
  const size_t keys_of_item = p.sample.count <= MOST_ITEMS ? 1 : p.sample.count / MOST_ITEMS;
  p.items = p.sample.count / keys_of_item;
  p.group_lanes = keys_of_item > MOST_LANE_KEYS ? 32 : 1;
  p.lane_keys = keys_of_item / p.group_lanes;
  if (lo >= 1) {
    p.sample.bounds = 2;
    p.sample.lo_at = (size_t)lo;
  }
  p.sample.hi_at = hi < (double)p.items ? (size_t)hi : p.items;
  const double span = (double)(p.sample.hi_at - p.sample.lo_at), ties = size < 4 ? ldexp(n, 1 - 8 * (int)size) : 0;
  const double capacity = seldom_exceeded(span) * per_key + ties;
  p.sample.capacity = capacity < n ? (size_t)capacity : j->columns;
  if (keys_of_item > 1 && (p.sample.bounds == 2 || p.sample.hi_at > p.items / LEAST_COLUMNS_OF_ITEM)) /* the least ones tell too little */
    p.sample.count = 0;
  p.buckets = p.stride = 1;
  return p;
}

/* Replaces the plan by another one that takes less time, in keys that are sampled in it. */
static void choose_few(const job *j, const few_plan *p, few_plan *best, double *least)
{
  enum { MOST_CANDIDATES = 1 << 15, MOST_IN_BUCKETS = 1 << 17 };
  enum { PAIRS = 170, BUCKETS = 200000 }; /* pairs of candidates that are compared while a key is sampled; keys that are sampled while
                                             buckets are made */
  const size_t capacity = p->sample.capacity, most = p->buckets > 1 ? MOST_IN_BUCKETS : MOST_CANDIDATES;
  const double expected = (double)capacity / 2, pairs = expected * expected / (double)p->buckets;
  const double time = (double)p->sample.count + pairs / PAIRS + (p->buckets > 1 ? BUCKETS : 0);
  if (!p->sample.count || capacity > iw_min(most, j->columns / 2) || time >= *least)
    return;
  *least = time;
  *best = *p;
}

/* The plan for few candidates that takes the least time. */
static few_plan plan_few(const job *j)
{
  few_plan best = { .sample = { .count = 0 } };
  double least = HUGE_VAL;
  if (!j->context->ops->kernel(j->context, IW_K_top_k_rank) || j->columns >> 32 || j->columns < LEAST_COLUMNS)
    return best;
  for (unsigned log2_count = LEAST_SAMPLE; log2_count <= MOST_SAMPLE && (size_t)4 << log2_count <= j->columns; log2_count++) {
    few_plan p = few_plan_of(j, log2_count);
    choose_few(j, &p, &best, &least);
    set_buckets(&p);
    choose_few(j, &p, &best, &least);
  }
  return best;
}

/* The plan for a short array on a device that takes the least time, in nanoseconds about. The capacity is
 * that of each bucket, which random keys exceed with a probability of less than 10^-6. */
static few_plan plan_short(const job *j)
{
  enum { PAIRS = 6000, MOST_PAIRS = 1 << 27 }; /* pairs of candidates that are compared in a nanosecond, and at most */
  enum { SMALL = 1 << 16 };                    /* candidates for which all calls have scratch */
  few_plan best = { .sample = { .count = 0 } };
  double least = HUGE_VAL;
  if (j->rows > 1 || j->columns > j->context->device.most_short_top_k || j->columns < LEAST_COLUMNS)
    return best;
  for (unsigned log2_count = LEAST_SAMPLE; (size_t)1 << log2_count <= IW_TOP_K_SHORT_SAMPLE && (size_t)4 << log2_count <= j->columns; log2_count++) {
    few_plan p = few_plan_of(j, log2_count);
    set_buckets(&p);
    const double per_key = (double)j->columns / (double)p.sample.count, stride = (double)p.stride, of_bucket = stride * per_key;
    const double pairs = 2 * of_bucket * of_bucket * (double)p.buckets, time = 1.5 * (double)p.sample.count + pairs / PAIRS;
    const double candidates = of_bucket * (double)p.buckets;
    p.sample.capacity = iw_min((size_t)((stride + 6 * sqrt(stride) + 14) * per_key), j->columns);
    if (p.sample.hi_at >= p.items || candidates > (double)j->columns / 2 || p.buckets * p.sample.capacity > 3 * j->columns + SMALL
        || pairs > MOST_PAIRS || time >= least)
      continue;
    least = time;
    best = p;
  }
  return best;
}

/* The plan of the path of CPUs, in nanoseconds about. bounds 0: all keys of a row are candidates. capacity 0:
 * there is none: a sort takes less time if rows are very short, or most of a row is wanted. */
static sample_plan plan_near(const job *j)
{
  enum { SAMPLED = 3, COLLECTED = 3, LEAST_NEAR_COLUMNS = 40, LEAST_SAMPLED_COLUMNS = 1024, MOST_NOT_SAMPLED = 1 << 13 };
  sample_plan best = { .capacity = 0 };
  size_t least = SIZE_MAX;
  const int is_place = j->first > 0;
  if (!j->context->device.reads_host_memory || j->columns >> 32 || j->columns < LEAST_NEAR_COLUMNS
      || (!is_place && j->end > j->columns / 2) || (is_place && j->end > j->first + 1))
    return best;
  if (j->columns <= MOST_NOT_SAMPLED) {
    best.capacity = j->columns;
    least = COLLECTED * j->columns;
  }
  for (unsigned log2_count = LEAST_SAMPLE; log2_count <= MOST_SAMPLE && (size_t)2 << log2_count <= j->columns; log2_count++) {
    sample_plan p = plan_of(j->columns, j->first, j->end, log2_count);
    const double per_key = (double)j->columns / (double)p.count;
    if (p.bounds == 1) /* if there are too few candidates, the row goes another way */
      p.hi_at = iw_min(p.hi_at, (size_t)seldom_exceeded((double)j->end / per_key));
    const size_t time = SAMPLED * p.count + COLLECTED * (size_t)((double)(p.hi_at - p.lo_at) * per_key);
    if (p.capacity >= j->columns || time >= least || j->columns < LEAST_SAMPLED_COLUMNS)
      continue;
    least = time;
    best = p;
  }
  return best;
}

/* ---- Launches ---------------------------------------------------------------------------------------- */

static iw_status gather(iw_context *context, iw_top_k_gather_args args)
{
  return iw_launch_by_id(context, IW_K_top_k_gather, iw_ceil_div(args.rows * args.count, IW_TOP_K_GATHER_CHUNK * IW_TOP_K_WARPS), 0,
                         &args);
}

/* Writes what is wanted of sorted rows to the outputs. sorted_keys and sorted_indices: of `stride` elements
 * a row. */
static iw_status write_wanted(const job *j, const void *sorted_keys, const void *sorted_indices, size_t stride, const uint64_t *offsets,
                              size_t first, size_t subtracted)
{
  const size_t size = iw_type_size(j->type), wanted = j->end - j->first;
  iw_top_k_gather_args args = { .rows = j->rows, .stride = stride, .count = wanted, .offsets = offsets };
  if (j->values) {
    args.in = (const char *)sorted_keys + first * size;
    args.out = j->values;
    args.bytes = size;
    IW_TRY(gather(j->context, args));
  }
  if (!j->indices)
    return IW_OK;
  args.in = (const char *)sorted_indices + first * j->index_bytes;
  args.out = j->indices;
  args.bytes = j->index_bytes;
  args.subtracted = subtracted;
  return gather(j->context, args);
}

/* The bits of an element of the greatest rank. */
static uint64_t bits_of_greatest(const iw_total_order *order)
{
  const uint64_t all = order->sign | (order->sign - 1);
  if (!order->infinity)
    return ~order->flip & all;
  return order->nan ? order->infinity | 1 : order->infinity | order->sign;
}

/* Pointers for what has no memory yet: the scratch of a sort depends on which of its arrays are wanted. */
static iw_row_sort sort_without_memory(const job *j, size_t columns, int keys, int indices)
{
  static char places[4];
  return (iw_row_sort){
    .type = j->type, .descending = j->descending, .rows = j->rows, .columns = columns, .in = places, .out = keys ? places + 1 : NULL,
    .payload = { .size = sizeof(iw_payload), .in = indices ? places + 2 : NULL, .out = indices ? places + 3 : NULL,
                 .width = indices ? j->index_bytes : 0 },
  };
}

/* ---- By a sort --------------------------------------------------------------------------------------- */

static iw_status sort_rows(const job *j)
{
  const size_t n = j->rows * j->columns;
  iw_row_sort sort = sort_without_memory(j, j->columns, j->values != NULL, j->indices != NULL);
  iw_layout layout;
  void *scratch;
  sort.payload.in = NULL;
  iw_layout_begin(&layout, j->context);
  const size_t keys_at = iw_layout_add(&layout, "sorted keys", j->values ? n : 0, iw_type_size(j->type));
  const size_t indices_at = iw_layout_add(&layout, "sorted indices", j->indices ? n : 0, j->index_bytes);
  const size_t memory_at = iw_layout_add(&layout, "scratch of a sort", iw_sort_rows_scratch_bytes(j->context, &sort), 1);
  IW_TRY(iw_scratch(j->context, &layout, &scratch));
  char *const base = scratch;
  sort.in = j->in;
  sort.out = j->values ? base + keys_at : NULL;
  sort.payload.out = j->indices ? base + indices_at : NULL;
  IW_TRY(iw_sort_rows(j->context, &sort, base + memory_at));
  return write_wanted(j, base + keys_at, base + indices_at, j->columns, NULL, j->first, j->columns);
}

/* The part of a call that has `rows` rows from `at` on. */
static job part_of(const job *j, size_t at, size_t rows)
{
  const size_t size = iw_type_size(j->type), wanted = j->end - j->first;
  job part = *j;
  part.rows = rows;
  part.in += at * j->columns * size;
  if (j->values)
    part.values += at * wanted * size;
  if (j->indices)
    part.indices += at * wanted * j->index_bytes;
  return part;
}

/* ---- By a sample ------------------------------------------------------------------------------------- */

/* Scratch: the sample, its sorted keys, counts of chunks, candidates, their indices, both sorted, what
 * became of rows, and scratch of sorts. */
enum { SAMPLE, SORTED_SAMPLE, COUNTS, CANDIDATES, INDICES, SORTED_CANDIDATES, SORTED_INDICES, FAILED, OFFSETS, SORT_MEMORY, PARTS };

static void lay_out(const job *j, const sample_plan *p, size_t row_chunks, iw_layout *layout, size_t at[PARTS])
{
  const size_t size = iw_type_size(j->type), indices = j->indices ? j->rows * p->capacity : 0;
  const iw_row_sort of_sample = sort_without_memory(j, p->count, 1, 0);
  const iw_row_sort of_candidates = sort_without_memory(j, p->capacity, j->values != NULL, j->indices != NULL);
  iw_layout_begin(layout, j->context);
  at[SAMPLE] = iw_layout_add(layout, "sample", j->rows * p->count, size);
  at[SORTED_SAMPLE] = iw_layout_add(layout, "sorted sample", j->rows * p->count, size);
  at[COUNTS] = iw_layout_add(layout, "counts of chunks", 2 * p->bounds * j->rows * row_chunks + 1, sizeof(uint64_t));
  at[CANDIDATES] = iw_layout_add(layout, "candidates", j->rows * p->capacity, size);
  at[INDICES] = iw_layout_add(layout, "indices of candidates", indices, j->index_bytes);
  at[SORTED_CANDIDATES] = iw_layout_add(layout, "sorted candidates", j->values ? j->rows * p->capacity : 0, size);
  at[SORTED_INDICES] = iw_layout_add(layout, "indices of sorted candidates", indices, j->index_bytes);
  at[FAILED] = iw_layout_add(layout, "rows that failed", j->rows, sizeof(uint64_t));
  at[OFFSETS] = iw_layout_add(layout, "places of wanted elements", j->rows, sizeof(uint64_t));
  at[SORT_MEMORY] = iw_layout_add(layout, "scratch of sorts", iw_max(iw_sort_rows_scratch_bytes(j->context, &of_sample),
                                                                    iw_sort_rows_scratch_bytes(j->context, &of_candidates)), 1);
}

/* Samples the rows and sorts the sample. */
static iw_status make_sample(const job *j, const sample_plan *p, char *base, const size_t at[PARTS])
{
  iw_row_sort sort = sort_without_memory(j, p->count, 1, 0);
  IW_TRY(gather(j->context, (iw_top_k_gather_args){
    .in = j->in, .out = base + at[SAMPLE], .bytes = iw_type_size(j->type), .rows = j->rows, .stride = j->columns, .count = p->count,
    .spread = j->columns, .spread_bits = p->log2_count,
  }));
  sort.in = base + at[SAMPLE];
  sort.out = base + at[SORTED_SAMPLE];
  return iw_sort_rows(j->context, &sort, base + at[SORT_MEMORY]);
}

/* Sorts the candidates and writes what is wanted of them. */
static iw_status sort_candidates(const job *j, const sample_plan *p, char *base, const size_t at[PARTS])
{
  iw_row_sort sort = sort_without_memory(j, p->capacity, j->values != NULL, j->indices != NULL);
  sort.in = base + at[CANDIDATES];
  sort.out = j->values ? base + at[SORTED_CANDIDATES] : NULL;
  sort.payload.in = j->indices ? base + at[INDICES] : NULL;
  sort.payload.out = j->indices ? base + at[SORTED_INDICES] : NULL;
  IW_TRY(iw_sort_rows(j->context, &sort, base + at[SORT_MEMORY]));
  return write_wanted(j, base + at[SORTED_CANDIDATES], base + at[SORTED_INDICES], p->capacity,
                      (const uint64_t *)(const void *)(base + at[OFFSETS]), 0, 0);
}

/* For at most MOST_ROWS rows. */
static iw_status select_by_sample(const job *j, const sample_plan *p)
{
  enum { WARPS_OF_PROCESSOR = 64 };
  uint64_t failed[MOST_ROWS];
  size_t at[PARTS];
  iw_layout layout;
  void *scratch;
  iw_context *const context = j->context;
  const size_t chunk = IW_TOP_K_CHUNK_BYTES / iw_type_size(j->type), row_chunks = iw_ceil_div(j->columns, chunk);
  const size_t for_each = j->rows * row_chunks / (WARPS_OF_PROCESSOR * (size_t)context->device.processors);
  const size_t group = iw_max(iw_min(for_each, IW_TOP_K_MOST_CHUNKS), 1);
  const size_t row_groups = iw_ceil_div(row_chunks, group), blocks = iw_ceil_div(j->rows * row_groups, IW_TOP_K_WARPS);
  lay_out(j, p, row_chunks, &layout, at);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  const iw_total_order order = iw_total_order_of(j->type, j->descending);
  const iw_top_k_args args = {
    .keys = j->in, .key_bytes = iw_type_size(j->type), .rows = j->rows, .columns = j->columns, .chunk = chunk, .row_chunks = row_chunks,
    .group = group, .row_groups = row_groups, .order = order, .sample = base + at[SORTED_SAMPLE], .sample_count = p->count,
    .hi_at = p->hi_at, .lo_at = p->lo_at, .bounds = p->bounds, .counts = (uint64_t *)(void *)(base + at[COUNTS]), .first = j->first, .end = j->end,
    .capacity = p->capacity, .candidates = base + at[CANDIDATES], .indices = j->indices ? base + at[INDICES] : NULL,
    .index_bytes = j->index_bytes, .failed = (uint64_t *)(void *)(base + at[FAILED]),
    .offsets = (uint64_t *)(void *)(base + at[OFFSETS]),
    .filler = bits_of_greatest(&order),
  };
  IW_TRY(make_sample(j, p, base, at));
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_count, blocks, 0, &args));
  IW_TRY(iw_offsets(context, args.counts, 2 * p->bounds * j->rows * row_chunks + 1));
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_select, blocks, 0, &args));
  IW_TRY(sort_candidates(j, p, base, at));
  IW_TRY(context->ops->copy(context, failed, args.failed, j->rows * sizeof *failed));
  for (size_t r = 0; r < j->rows; r++) {
    const job row = part_of(j, r, 1);
    if (failed[r])
      IW_TRY(sort_rows(&row));
  }
  return IW_OK;
}

/* Selects from rows by a sample and a sort of the candidates, or by a sort of the rows. */
static iw_status select_or_sort(const job *j)
{
  const sample_plan p = plan_sample(j);
  return p.count ? select_by_sample(j, &p) : sort_rows(j);
}

/* ---- By ranks of few candidates ---------------------------------------------------------------------- */

/* Lays out the scratch: the sample's items and their indices, bounds, candidates and their indices, what is
 * known of rows. */
enum { ITEMS, ITEM_INDICES, BOUNDS, FEW, FEW_INDICES, COUNTED, BELOW, NOT_FOUND, SPLITTERS, BUCKETS, GROUPED, GROUPED_INDICES, FEW_PARTS };

static void lay_out_few(const job *j, const few_plan *p, iw_layout *layout, size_t at[FEW_PARTS])
{
  const size_t candidates = j->rows * p->sample.capacity;
  iw_layout_begin(layout, j->context);
  at[ITEMS] = iw_layout_add(layout, "sample", j->rows * p->items, sizeof(uint64_t));
  at[ITEM_INDICES] = iw_layout_add(layout, "indices of the sample", j->rows * p->items, sizeof(uint32_t));
  at[BOUNDS] = iw_layout_add(layout, "bounds", 2 * j->rows, sizeof(uint64_t));
  at[FEW] = iw_layout_add(layout, "candidates", candidates, sizeof(uint64_t));
  at[FEW_INDICES] = iw_layout_add(layout, "indices of candidates", iw_type_size(j->type) == 8 ? candidates : 0, sizeof(uint32_t));
  at[COUNTED] = iw_layout_add(layout, "counts of candidates", j->rows, sizeof(uint64_t));
  at[BELOW] = iw_layout_add(layout, "counts of keys below", j->rows, sizeof(uint64_t));
  at[NOT_FOUND] = iw_layout_add(layout, "rows that failed", j->rows, sizeof(uint64_t));
  const size_t buckets = p->buckets > 1 ? j->rows * p->buckets : 0, grouped = buckets ? candidates : 0;
  at[SPLITTERS] = iw_layout_add(layout, "splitters of buckets", buckets, sizeof(uint64_t));
  at[BUCKETS] = iw_layout_add(layout, "counts and begins of buckets", 3 * buckets, sizeof(uint32_t));
  at[GROUPED] = iw_layout_add(layout, "candidates by buckets", grouped, sizeof(uint64_t));
  at[GROUPED_INDICES] = iw_layout_add(layout, "indices by buckets", iw_type_size(j->type) == 8 ? grouped : 0, sizeof(uint32_t));
}

static iw_total_order few_order(const job *j)
{
  iw_total_order order = iw_total_order_of(j->type, j->descending);
  if (!order.infinity)
    order.infinity = UINT64_MAX;
  return order;
}

static iw_top_k_few_args few_args(const job *j, const few_plan *p, char *base, const size_t at[FEW_PARTS])
{
  const size_t size = iw_type_size(j->type), chunk = IW_TOP_K_CHUNK_BYTES / size;
  uint32_t *const of_buckets = (uint32_t *)(void *)(base + at[BUCKETS]);
  return (iw_top_k_few_args){
    .keys = j->in, .key_bytes = size, .rows = j->rows, .columns = j->columns, .chunk = chunk,
    .row_chunks = iw_ceil_div(j->columns, chunk), .order = few_order(j),
    .log2_sample = p->sample.log2_count, .items = p->items, .group_lanes = p->group_lanes, .lane_keys = p->lane_keys,
    .sample = (uint64_t *)(void *)(base + at[ITEMS]), .sample_indices = (uint32_t *)(void *)(base + at[ITEM_INDICES]),
    .hi_at = p->sample.hi_at, .lo_at = p->sample.bounds == 2 ? p->sample.lo_at : p->items, .bounds = p->sample.bounds,
    .bound_items = (uint64_t *)(void *)(base + at[BOUNDS]), .first = j->first, .end = j->end, .capacity = p->sample.capacity,
    .candidates = (uint64_t *)(void *)(base + at[FEW]), .indices = size == 8 ? (uint32_t *)(void *)(base + at[FEW_INDICES]) : NULL,
    .counts = (uint64_t *)(void *)(base + at[COUNTED]), .below = (uint64_t *)(void *)(base + at[BELOW]),
    .failed = (uint64_t *)(void *)(base + at[NOT_FOUND]), .values = j->values, .out_indices = j->indices, .index_bytes = j->index_bytes,
    .buckets = p->buckets, .first_splitter = p->sample.lo_at, .stride = p->stride, .splitters = (uint64_t *)(void *)(base + at[SPLITTERS]),
    .bucket_counts = of_buckets, .bucket_grouped = of_buckets + j->rows * p->buckets, .bucket_begins = of_buckets + 2 * j->rows * p->buckets,
    .grouped = (uint64_t *)(void *)(base + at[GROUPED]), .grouped_indices = (uint32_t *)(void *)(base + at[GROUPED_INDICES]),
  };
}

/* Launches top_k_rank for at most so many items of each row. */
static iw_status rank_items(iw_context *context, const iw_top_k_few_args *args, size_t items)
{
  enum { WAVES = 4 };
  const size_t tiles = args->rows * iw_ceil_div(items, IW_TOP_K_RANK_ITEMS);
  return iw_launch_by_id(context, IW_K_top_k_rank, iw_min(tiles, WAVES * iw_blocks_per_wave(context, IW_K_top_k_rank)), 0, args);
}

/* Groups the candidates by buckets. */
static iw_status group_few(iw_context *context, const few_plan *p, iw_top_k_few_args *args)
{
  const size_t tiles = args->rows * iw_ceil_div(p->sample.capacity, 32 * IW_TOP_K_WARPS);
  const size_t blocks = iw_min(tiles, iw_blocks_per_wave(context, IW_K_top_k_group));
  args->counts_buckets = 1;
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_group, blocks, 0, args));
  args->counts_buckets = 0;
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_group, blocks, 0, args));
  args->is_grouped = 1;
  return IW_OK;
}

/* For at most MOST_ROWS rows. Rows whose candidates are too many, or do not have what is wanted, are left
 * to the other ways. */
static iw_status rank_few(const job *j, const few_plan *p)
{
  uint64_t failed[MOST_ROWS];
  size_t at[FEW_PARTS];
  iw_layout layout;
  void *scratch;
  iw_context *const context = j->context;
  lay_out_few(j, p, &layout, at);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  iw_top_k_few_args args = few_args(j, p, scratch, at);
  const size_t groups_of_warp = 32 / p->group_lanes, sample_warps = iw_ceil_div(j->rows * p->items, groups_of_warp);
  const size_t blocks = iw_min(iw_ceil_div(j->rows * args.row_chunks, IW_TOP_K_WARPS), iw_blocks_per_wave(context, IW_K_top_k_collect));
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_sample, iw_ceil_div(sample_warps, IW_TOP_K_WARPS), 0, &args));
  args.of_sample = 1;
  IW_TRY(rank_items(context, &args, p->items));
  args.of_sample = 0;
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_collect, blocks, 0, &args));
  if (p->buckets > 1)
    IW_TRY(group_few(context, p, &args));
  IW_TRY(rank_items(context, &args, p->sample.capacity));
  IW_TRY(context->ops->copy(context, failed, args.failed, j->rows * sizeof *failed));
  for (size_t r = 0, count; r < j->rows; r += count) {
    for (count = 1; failed[r] && r + count < j->rows && failed[r + count]; count++)
      ;
    const job part = part_of(j, r, count);
    if (failed[r])
      IW_TRY(select_or_sort(&part));
  }
  return IW_OK;
}

/* ---- By two launches --------------------------------------------------------------------------------- */

/* The scratch: candidates and their indices, bucket by bucket; where buckets begin; keys below the bounds;
 * and indices of the wanted elements. */
enum { SHORT_ITEMS, SHORT_INDICES, SHORT_BEGINS, SHORT_TILES, SHORT_BELOW, SHORT_WANTED, SHORT_PARTS };

static void lay_out_short(const job *j, const few_plan *p, iw_layout *layout, size_t at[SHORT_PARTS])
{
  const size_t candidates = p->buckets * p->sample.capacity;
  iw_layout_begin(layout, j->context);
  at[SHORT_ITEMS] = iw_layout_add(layout, "candidates", candidates, sizeof(uint64_t));
  at[SHORT_INDICES] = iw_layout_add(layout, "indices of candidates", iw_type_size(j->type) == 8 ? candidates : 0, sizeof(uint32_t));
  at[SHORT_BEGINS] = iw_layout_add(layout, "begins of buckets", p->buckets + 1, sizeof(uint32_t));
  at[SHORT_TILES] = iw_layout_add(layout, "tiles of buckets", p->buckets + 1, sizeof(uint32_t));
  at[SHORT_BELOW] = iw_layout_add(layout, "count of keys below", 1, sizeof(uint64_t));
  at[SHORT_WANTED] = iw_layout_add(layout, "indices of wanted elements", j->end - j->first, sizeof(uint32_t));
}

static iw_status collect_short(const job *j, const few_plan *p)
{
  enum { LEAST_CHUNK = IW_TOP_K_RANK_WARPS * 32 };
  size_t at[SHORT_PARTS];
  iw_layout layout;
  void *scratch;
  iw_context *const context = j->context;
  const size_t blocks = iw_min(iw_ceil_div(j->columns, LEAST_CHUNK), context->device.processors);
  const size_t chunk = iw_min(iw_ceil_div(iw_ceil_div(j->columns, blocks), 32) * 32, IW_TOP_K_SHORT_CHUNK);
  const size_t row_chunks = iw_ceil_div(j->columns, chunk);
  const size_t tiles = p->buckets + p->buckets * p->stride * (j->columns / p->items) / IW_TOP_K_RANK_ITEMS; /* about */
  lay_out_short(j, p, &layout, at);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  iw_top_k_few_args args = {
    .keys = j->in, .key_bytes = iw_type_size(j->type), .rows = 1, .columns = j->columns, .chunk = chunk, .row_chunks = row_chunks,
    .order = few_order(j), .log2_sample = p->sample.log2_count, .hi_at = p->sample.hi_at, .lo_at = p->sample.lo_at,
    .bounds = p->sample.bounds, .first = j->first, .end = j->end, .capacity = p->sample.capacity,
    .candidates = (uint64_t *)(void *)(base + at[SHORT_ITEMS]), .indices = (uint32_t *)(void *)(base + at[SHORT_INDICES]),
    .below = (uint64_t *)(void *)(base + at[SHORT_BELOW]), .values = j->values, .out_indices = j->indices, .index_bytes = j->index_bytes,
    .buckets = p->buckets, .stride = p->stride, .bucket_begins = (uint32_t *)(void *)(base + at[SHORT_BEGINS]),
    .bucket_tiles = (uint32_t *)(void *)(base + at[SHORT_TILES]), .wanted = (uint32_t *)(void *)(base + at[SHORT_WANTED]),
  };
  IW_TRY(iw_zeroed_counters(context, &args.blocks_done, &args.counts));
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_short, iw_min(blocks, row_chunks), 0, &args));
  return iw_launch_by_id(context, IW_K_top_k_rank_short, iw_min(tiles, iw_blocks_per_wave(context, IW_K_top_k_rank_short)), 0, &args);
}

/* ---- By one read and quickselect --------------------------------------------------------------------- */

/* The scratch: items and what quickselect moves, with indices of keys of 8 bytes; counts; the wanted items,
 * or their keys; the items sorted; rows that failed; scratch of the sort. */
enum {
  NEAR_ITEMS, NEAR_OTHERS, NEAR_INDICES, NEAR_OTHER_INDICES, NEAR_COUNTS, LEAST, LEAST_INDICES, UNSORTED, SORTED_LEAST,
  SORTED_LEAST_INDICES, NEAR_FAILED, NEAR_SORT, NEAR_PARTS
};

/* How rows are divided, and how the wanted items are sorted: not at all if sort.rows is 0, as the kernels do
 * it. */
typedef struct near_plan {
  size_t chunk, row_chunks, capacity;
  iw_row_sort sort;
} near_plan;

/* Whether the wanted keys are sorted, rather than items: nobody asks for their indices. */
static int sorts_keys(const job *j) { return !j->indices && j->end - j->first > IW_TOP_K_SORTED_AT_ONCE; }

static near_plan divide_near(const job *j, const sample_plan *p)
{
  enum { LEAST_CHUNK_BYTES = 1 << 18, MORE = 256 };
  static char places[4];
  const size_t processors = j->context->device.processors, wanted = j->end - j->first;
  const size_t most_chunks = iw_min(iw_ceil_div(j->columns * iw_type_size(j->type), LEAST_CHUNK_BYTES), iw_max(processors / j->rows, 1));
  const size_t chunk = p->bounds ? iw_ceil_div(j->columns, most_chunks) : j->columns;
  near_plan plan = { .chunk = chunk, .row_chunks = iw_ceil_div(j->columns, chunk), .capacity = iw_max(iw_min(p->capacity, chunk), p->count) };
  if (p->bounds == 1)
    plan.capacity = iw_max(iw_min(iw_max(p->capacity, 2 * j->end), chunk) + MORE, p->count); /* a chunk has no more candidates than keys */
  if (wanted <= IW_TOP_K_SORTED_AT_ONCE)
    return plan;
  plan.sort = (iw_row_sort){ .type = IW_U64, .rows = j->rows, .columns = wanted, .in = places, .out = places + 1 };
  if (sorts_keys(j)) {
    plan.sort.type = j->type;
    plan.sort.descending = j->descending;
  } else if (iw_type_size(j->type) == 8)
    plan.sort.payload = (iw_payload){ .size = sizeof(iw_payload), .in = places + 2, .out = places + 3, .width = sizeof(uint32_t) };
  return plan;
}

static void lay_out_near(const job *j, const near_plan *plan, iw_layout *layout, size_t at[NEAR_PARTS])
{
  const int is_wide = iw_type_size(j->type) == 8;
  const size_t chunks = j->rows * plan->row_chunks, items = chunks * (plan->capacity + IW_TOP_K_PADDING);
  const size_t wanted = j->rows * (j->end - j->first), least = sorts_keys(j) ? 0 : wanted, sorted = plan->sort.rows ? least : 0;
  iw_layout_begin(layout, j->context);
  at[NEAR_ITEMS] = iw_layout_add(layout, "candidates", items, sizeof(uint64_t));
  at[NEAR_OTHERS] = iw_layout_add(layout, "candidates that are moved", items, sizeof(uint64_t));
  at[NEAR_INDICES] = iw_layout_add(layout, "indices of candidates", is_wide ? items : 0, sizeof(uint32_t));
  at[NEAR_OTHER_INDICES] = iw_layout_add(layout, "indices that are moved", is_wide ? items : 0, sizeof(uint32_t));
  at[NEAR_COUNTS] = iw_layout_add(layout, "counts of candidates", IW_TOP_K_NEAR_COUNTS * chunks, sizeof(uint64_t));
  at[LEAST] = iw_layout_add(layout, "the wanted candidates", least, sizeof(uint64_t));
  at[LEAST_INDICES] = iw_layout_add(layout, "their indices", is_wide ? least : 0, sizeof(uint32_t));
  at[UNSORTED] = iw_layout_add(layout, "the wanted keys", wanted - least, iw_type_size(j->type));
  at[SORTED_LEAST] = iw_layout_add(layout, "the same, sorted", sorted, sizeof(uint64_t));
  at[SORTED_LEAST_INDICES] = iw_layout_add(layout, "their indices", is_wide ? sorted : 0, sizeof(uint32_t));
  at[NEAR_FAILED] = iw_layout_add(layout, "rows that failed", j->rows, sizeof(uint64_t));
  at[NEAR_SORT] = iw_layout_add(layout, "scratch of a sort", plan->sort.rows ? iw_sort_rows_scratch_bytes(j->context, &plan->sort) : 0, 1);
}

static iw_top_k_near_args near_args(const job *j, const sample_plan *p, const near_plan *plan, char *base, const size_t at[NEAR_PARTS])
{
  const int is_wide = iw_type_size(j->type) == 8;
#define WORDS(part) ((uint64_t *)(void *)(base + at[part]))
#define INDICES_AT(part) (is_wide ? (uint32_t *)(void *)(base + at[part]) : NULL)
  return (iw_top_k_near_args){
    .keys = j->in, .key_bytes = iw_type_size(j->type), .rows = j->rows, .columns = j->columns, .chunk = plan->chunk,
    .row_chunks = plan->row_chunks, .order = iw_total_order_of(j->type, j->descending), .log2_sample = p->log2_count, .hi_at = p->hi_at,
    .lo_at = p->lo_at, .bounds = p->bounds, .first = j->first, .end = j->end, .capacity = plan->capacity, .items = WORDS(NEAR_ITEMS),
    .other = WORDS(NEAR_OTHERS), .index = INDICES_AT(NEAR_INDICES), .other_index = INDICES_AT(NEAR_OTHER_INDICES),
    .counts = WORDS(NEAR_COUNTS), .least = WORDS(LEAST), .least_index = INDICES_AT(LEAST_INDICES),
    .unsorted = sorts_keys(j) ? base + at[UNSORTED] : NULL, .sorted = WORDS(plan->sort.rows ? SORTED_LEAST : LEAST),
    .sorted_index = plan->sort.rows ? INDICES_AT(SORTED_LEAST_INDICES) : INDICES_AT(LEAST_INDICES), .failed = WORDS(NEAR_FAILED),
    .values = j->values, .indices = j->indices, .index_bytes = j->index_bytes,
  };
#undef WORDS
#undef INDICES_AT
}

/* For at most MOST_ROWS rows. Rows whose bounds were wrong are left to the other ways. */
static iw_status collect_near(const job *j, const sample_plan *p)
{
  uint64_t failed[MOST_ROWS];
  size_t at[NEAR_PARTS];
  iw_layout layout;
  void *scratch;
  iw_context *const context = j->context;
  const near_plan plan = divide_near(j, p);
  lay_out_near(j, &plan, &layout, at);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const base = scratch;
  const iw_top_k_near_args args = near_args(j, p, &plan, base, at);
  IW_TRY(iw_launch_by_id(context, IW_K_top_k_near, j->rows * plan.row_chunks, 0, &args));
  if (plan.row_chunks > 1)
    IW_TRY(iw_launch_by_id(context, IW_K_top_k_least, j->rows, 0, &args));
  if (plan.sort.rows) {
    iw_row_sort sort = plan.sort;
    sort.in = args.unsorted ? args.unsorted : args.least;
    sort.out = args.unsorted ? j->values : base + at[SORTED_LEAST];
    sort.payload.in = args.least_index;
    sort.payload.out = args.least_index ? base + at[SORTED_LEAST_INDICES] : NULL;
    IW_TRY(iw_sort_rows(context, &sort, base + at[NEAR_SORT]));
  }
  if (!args.unsorted && (plan.row_chunks > 1 || plan.sort.rows))
    IW_TRY(iw_launch_by_id(context, IW_K_top_k_take, j->rows, 0, &args));
  if (!p->bounds)
    return IW_OK; /* no row can fail */
  IW_TRY(context->ops->copy(context, failed, args.failed, j->rows * sizeof *failed));
  for (size_t r = 0; r < j->rows; r++) {
    const job row = part_of(j, r, 1);
    if (failed[r])
      IW_TRY(select_or_sort(&row));
  }
  return IW_OK;
}

/* Processes the staged arrays of a call, some rows at a time. */
static iw_status select_wanted(const job *j)
{
  enum { IN_CACHE = 1 << 15, NEAR_ROWS = 4 }; /* elements whose items stay in a cache; rows for each processor, at least */
  const sample_plan near = plan_near(j);
  const few_plan brief = plan_short(j);
  if (brief.sample.count)
    return collect_short(j, &brief);
  const few_plan few = plan_few(j);
  const size_t samples = near.capacity || few.sample.count || plan_sample(j).count;
  const size_t elements = near.capacity ? iw_max(IN_CACHE, NEAR_ROWS * j->context->device.processors * j->columns) : SORTED_AT_A_TIME;
  const size_t most = iw_max(iw_min(iw_min(elements, SORTED_AT_A_TIME) / j->columns, samples ? MOST_ROWS : SORTED_AT_A_TIME), 1);
  for (size_t at = 0; at < j->rows; at += most) {
    const job part = part_of(j, at, iw_min(most, j->rows - at));
    IW_TRY(near.capacity ? collect_near(&part, &near) : few.sample.count ? rank_few(&part, &few) : select_or_sort(&part));
  }
  return IW_OK;
}

/* ---- Checks and calls -------------------------------------------------------------------------------- */

/* The arrays of a call: the input, the values and the indices. */
enum { ARRAYS = 3 };

/* Checks which arrays overlap, stages them and runs the call. */
static iw_status run(job *j, iw_array arrays[ARRAYS])
{
  IW_TRY(iw_check_arrays(arrays, ARRAYS));
  if (!arrays[1].count)
    return IW_OK;
  IW_TRY(iw_stage(&j->context, arrays, ARRAYS));
  j->in = arrays[0].kernel_ptr;
  j->values = arrays[1].kernel_ptr;
  j->indices = arrays[2].kernel_ptr;
  return iw_unstage(j->context, arrays, ARRAYS, select_wanted(j));
}

/* Checks the options of a top-k of n elements, and sets its rows and where its indices go. */
static iw_status apply_options(const iw_sort_options *options, size_t n, job *j, iw_indices *indices)
{
  if (!options)
    return IW_OK;
  IW_TRY(iw_check_sort_takes(options, IW_TAKES_SEGMENTS | IW_TAKES_PAYLOADS, "iw_sort takes a key"));
  if (options->begin_bit || options->end_bit)
    return iw_fail(IW_ERROR_INVALID, "options->begin_bit is %u and options->end_bit is %u; valid are 0 and 0: the call compares all bits, "
                   "and iw_sort some of them", options->begin_bit, options->end_bit);
  j->descending = options->descending != 0;
  const iw_segments *const rows = options->segments;
  if (rows) {
    IW_TRY(iw_check_struct("segments->size", rows, "iw_segments", sizeof *rows));
    if (rows->kind != IW_SEGMENTS_ROWS)
      return iw_fail(IW_ERROR_INVALID, "segments->kind is %d; valid is IW_SEGMENTS_ROWS, and iw_sort takes offsets", (int)rows->kind);
    if (rows->columns ? n % rows->columns : n)
      return iw_fail(IW_ERROR_INVALID, "n is %zu, which is not a multiple of segments->columns, which is %zu", n, rows->columns);
    j->columns = rows->columns;
    j->rows = rows->columns ? n / rows->columns : 0;
  }
  if (options->payload_count > 1)
    return iw_fail(IW_ERROR_INVALID, "options->payload_count is %zu; valid are 0 and 1, the indices", options->payload_count);
  if (!options->payload_count)
    return IW_OK;
  iw_payload copies[IW_MAX_PAYLOADS];
  IW_TRY(iw_copy_payloads(options->payloads, 1, copies));
  if (copies[0].in || copies[0].rest)
    return iw_fail(IW_ERROR_INVALID, "payloads[0].%s is %p; valid is NULL (0): a top-k gives indices, by which other values are gathered",
                   copies[0].in ? "in" : "rest", copies[0].in ? copies[0].in : copies[0].rest);
  if (copies[0].width != 4 && copies[0].width != 8)
    return iw_fail(IW_ERROR_INVALID, "payloads[0].width is %zu; valid are 4 and 8", copies[0].width);
  *indices = (iw_indices){ copies[0].out, (unsigned)copies[0].width };
  return IW_OK;
}

iw_status iw_top_k(iw_context *context, iw_type type, const void *in, size_t n, size_t k, void *values, const iw_sort_options *options)
{
  job j = { .context = context, .type = type, .rows = 1, .columns = n, .end = k };
  iw_indices indices = { NULL, sizeof(uint64_t) };
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  const size_t size = iw_type_size(type);
  IW_TRY(iw_check_array("in", in, n, size));
  IW_TRY(apply_options(options, n, &j, &indices));
  if (k > j.columns && (j.rows || k))
    return iw_fail(IW_ERROR_INVALID, "k is %zu; valid are 0 to %s, which is %zu", k,
                   options && options->segments ? "segments->columns" : "n", j.columns);
  iw_array arrays[ARRAYS] = {
    { "in", in, n, size, IW_READ, NULL }, { "values", values, j.rows * k, size, IW_WRITE | IW_OPTIONAL, NULL },
    { "payloads[0].out", indices.at, j.rows * k, indices.width, IW_WRITE | (options && options->payload_count ? 0 : IW_OPTIONAL), NULL },
  };
  if (indices.width == 4 && j.columns > (size_t)UINT32_MAX + 1)
    return iw_fail(IW_ERROR_OVERFLOW, "payloads[0].width is 4 and %s is %zu: indices of 32 bits number at most 4294967296 elements",
                   options->segments ? "segments->columns" : "n", j.columns);
  IW_TRY(iw_check_each_array(arrays, ARRAYS));
  if (!values && !indices.at && j.rows && k)
    return iw_fail(IW_ERROR_INVALID, "values is NULL and there is no payload; at least one of them is needed");
  j.index_bytes = indices.width;
  return run(&j, arrays);
}

iw_status iw_nth_element(iw_context *context, iw_type type, const void *in, size_t n, size_t nth, void *value,
                         size_t *index)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  if (!n)
    return iw_fail(IW_ERROR_INVALID, "nth is %zu and n is 0; valid is at least 1 element", nth);
  if (nth >= n)
    return iw_fail(IW_ERROR_INVALID, "nth is %zu; valid are 0 to %zu, as n is %zu", nth, n - 1, n);
  job j = { .context = context, .type = type, .rows = 1, .columns = n, .first = nth, .end = nth + 1, .index_bytes = sizeof *index };
  iw_array arrays[ARRAYS] = {
    { "in", in, n, iw_type_size(type), IW_READ, NULL }, { "value", value, 1, iw_type_size(type), IW_WRITE | IW_SINGLE, NULL },
    { "index", index, 1, sizeof *index, IW_WRITE | IW_SINGLE | IW_OPTIONAL, NULL },
  };
  return run(&j, arrays);
}
