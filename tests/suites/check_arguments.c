/* SPDX-License-Identifier: Apache-2.0
 *
 * Every parameter of every call, one wrong value at a time: the call is refused, the message has the parameter's name, the
 * value and the limit, and nothing is written. A table says what each call takes; the wrong values are made by its kinds
 * of parameters. Also: results and arrays that overlap, structs of a later version, and messages under a caller's
 * rounding mode and locale.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"

#include <fenv.h>
#include <float.h>
#include <isowarp/descriptor.h>
#include <isowarp.h>
#include <isowarp/strategies.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Arguments that are right ------------------------------------------------------------------------------------ */

enum { N = 8, POOL = 64, POOLS = 12 };

/* Each array and result has a pool of its own, in the middle of which it begins, so that a neighbour may overlap it. */
static uint64_t pools[POOLS][POOL], pools_before[POOLS][POOL];

/* The parameters of all calls. Those of one call that are equal are one member. */
static struct {
  iw_context *context, **opened;
  iw_op op;
  iw_type type, weight_type, length_type;
  const void *in, *init, *weights;
  void *out, *result, *second, *lo, *hi;
  size_t n, bytes, args_size, grid, rows, columns, k;
  unsigned block, channels, length_width;
  uint32_t kernel_args;
  const void *args;
  const iw_kernel *kernel;
  const iw_context_options *options;
  iw_context_info *info;
  iw_scan_options *scan;
  iw_move_options *moves;
  const iw_histogram_spec *spec;
  iw_histogram_report *report;
  iw_histogram_plan *plan;
  iw_histogram_plan_info *plan_info;
  const iw_histogram_ranges *ranges;
  const iw_histogram_spec *const *specs;
  void *const *counts;
  const iw_strategy_options *strategy;
  iw_strategy_report *strategy_report;
  iw_test *test;
  iw_buckets *buckets;
  iw_sort_options *sort;
  iw_elements elements, others;
  iw_indices indices;
  iw_exact_sum *sum, *other, *sums;
  const iw_histogram_axis *axes;
  const iw_table_axis *table;
  iw_growth growth;
  iw_growing_histogram *growing, *other_growing;
  iw_growing_histogram_info *growing_info;
} a;

/* What members of `a` point to. */
static iw_context *context, *opened;
static iw_histogram_plan *plan;
static iw_growing_histogram *growing, *other_growing;
static const iw_histogram_spec *specs[2];
static void *counts[2];
static struct {
  iw_context_options options;
  iw_context_info info;
  iw_segments segments;
  iw_scan_options scan;
  iw_move_options moves;
  iw_histogram_spec spec, planned;
  iw_histogram_ranges ranges;
  iw_histogram_report report;
  iw_histogram_plan_info plan_info;
  iw_strategy_options strategy;
  iw_strategy_report strategy_report;
  iw_test test;
  iw_payload payloads[2];
  iw_buckets buckets;
  iw_sort_options sort;
  iw_exact_sum sum, other, sums[4];
  iw_histogram_axis axes[2];
  iw_table_axis table[2];
  iw_growing_histogram_info growing_info;
} s;

static void run_nothing(iw_block *block, void *shared, const void *args)
{
  (void)block;
  (void)shared;
  (void)args;
}
static int not_contracted(void) { return 0; }
static const iw_kernel kernel = {
  .size = sizeof kernel, .name = "nothing", .isa = "generic", .warp_size = 32, .blocks_per_processor = 1,
  .args = sizeof(uint32_t), .run = run_nothing, .fp_contracted = not_contracted,
};

static uint64_t *pool(unsigned i) { return pools[i] + POOL / 2; }

static void reset(void)
{
  for (unsigned i = 0; i < POOLS; i++)
    for (unsigned k = 0; k < POOL; k++)
      pools[i][k] = k % 4; /* samples, flags, keys, pivot, constant */
  *pool(3) = UINT64_C(0x0101010101010101); /* flags: all are selected, */
  *pool(5) = 0;            /* lo and hi of every type, as all are little-endian */
  *pool(6) = 100;
  s.options = (iw_context_options){ .size = sizeof s.options };
  s.info = (iw_context_info){ .size = sizeof s.info };
  s.segments = (iw_segments){ .size = sizeof s.segments, .kind = IW_SEGMENTS_FLAGS, .flags = (const uint8_t *)pool(3),
                              .keys = pool(4), .key_type = IW_I64, .columns = 4 };
  s.scan = (iw_scan_options){ .size = sizeof s.scan, .init = pool(2) };
  s.moves = (iw_move_options){ .size = sizeof s.moves };
  s.planned = (iw_histogram_spec){ .size = sizeof s.spec, .plan = plan };
  s.ranges = (iw_histogram_ranges){ .size = sizeof s.ranges, .lo = pool(7), .hi = pool(8) };
  s.spec = (iw_histogram_spec){ .size = sizeof s.spec, .type = IW_I64, .bins = 4, .lo = pool(5), .hi = pool(6) };
  s.report = (iw_histogram_report){ .size = sizeof s.report };
  s.plan_info = (iw_histogram_plan_info){ .size = sizeof s.plan_info };
  for (unsigned i = 0; i < 2; i++)
    s.axes[i] = (iw_histogram_axis){ .size = sizeof *s.axes, .spec = &s.planned, .samples = pool(i) };
  s.table[0] = s.table[1] = (iw_table_axis){ .size = sizeof *s.table, .bins = 2, .factor = 2 };
  s.growing_info = (iw_growing_histogram_info){ .size = sizeof s.growing_info };
  s.strategy = (iw_strategy_options){ .size = sizeof s.strategy, .strategy = IW_STRATEGY_BASIC };
  s.strategy_report = (iw_strategy_report){ .size = sizeof s.strategy_report };
  s.test = (iw_test){ .size = sizeof s.test, .type = IW_I64, .constant = pool(2), .compare = IW_GREATER_EQUAL }; /* as here */
  for (unsigned i = 0; i < 2; i++)
    s.payloads[i] = (iw_payload){ .size = sizeof *s.payloads, .in = pool(5 + 2 * i), .out = pool(6 + 2 * i), .width = 8 };
  s.buckets = (iw_buckets){ .size = sizeof s.buckets, .type = IW_I64, .bit = 1, .bits = 2 };
  specs[0] = &s.planned;
  specs[1] = &s.spec;
  counts[0] = pool(6);
  counts[1] = pool(7);
  s.sort = (iw_sort_options){ .size = sizeof s.sort };
  a.elements = (iw_elements){ pool(0), N };
  a.others = (iw_elements){ pool(1), N };
  a.indices = (iw_indices){ pool(9), 8 };
  a.context = context;
  a.axes = s.axes;
  a.table = s.table;
  a.growth = IW_GROW_BINS;
  a.growing = growing;
  a.other_growing = other_growing;
  a.growing_info = &s.growing_info;
  a.opened = &opened;
  a.op = IW_MIN; /* takes all types */
  a.type = a.weight_type = IW_I64;
  a.length_type = IW_U64;
  a.in = pool(0);
  a.weights = pool(1);
  a.init = pool(2);
  a.out = pool(9);
  a.result = pool(10);
  a.second = pool(11);
  a.lo = pool(7);
  a.hi = pool(8);
  a.n = N;
  a.bytes = 64;
  a.grid = 1;
  a.rows = 2;
  a.columns = 4;
  a.k = 3;
  a.block = 32;
  a.channels = 2;
  a.args = &a.kernel_args;
  a.args_size = sizeof a.kernel_args;
  a.kernel = &kernel;
  a.options = &s.options;
  a.info = &s.info;
  a.scan = &s.scan;
  a.moves = &s.moves;
  a.spec = &s.spec;
  a.report = &s.report;
  a.plan = plan;
  a.plan_info = &s.plan_info;
  a.ranges = NULL;
  a.specs = specs;
  a.counts = counts;
  a.strategy = &s.strategy;
  a.strategy_report = &s.strategy_report;
  a.test = &s.test;
  a.buckets = &s.buckets;
  a.sort = &s.sort;
  s.sum = s.other = (iw_exact_sum)IW_EXACT_SUM_EMPTY;
  a.sum = &s.sum;
  a.other = &s.other;
  for (unsigned k = 0; k < 4; k++)
    s.sums[k] = s.sum;
  a.sums = s.sums;
  memcpy(pools_before, pools, sizeof pools);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

/* Kinds of parameters. number: bytes of an element or value, of a struct, or the largest value. */
typedef enum kind {
  NEEDED,     /* a pointer that is not NULL */
  OPTIONAL,   /* a pointer that may be NULL, and is aligned to `number` */
  ALIGNED,    /* both: not NULL, and aligned to `number` */
  LENGTH,     /* n elements of `number` bytes; the message names the array */
  ALL_TYPES,  /* an iw_type */
  TYPE_OR_NONE, /* the same, or 0 */
  SIX_TYPES,  /* one of the six types */
  FLOAT_TYPES, /* number IW_BF16: any; IW_F32: any but f64; IW_F64: f32 and f64 */
  ENUM,       /* an enumeration of 0 to `number` */
  UNSIGNED,   /* an unsigned of at most `number`, */
  FROM_ONE,   /* … and not 0 */
  SIZE_AT_MOST, /* a size_t of at most `number` */
  SIZE_FROM_ONE,
  SIZE_ZERO,  /* a size_t that is 0 in this call */
  NULL_ONLY,  /* a pointer that is NULL in this call */
  FORMAT,     /* a uint32_t that is `number` */
  FLAG_BITS,  /* an unsigned with the bits of `number` */
  OPERATOR,
  READ,       /* a struct that the call reads, by the pointer to it; `number` is its size */
  MAY_READ,   /* the same, and it may be NULL, */
  WRITTEN,    /* one that the call writes, */
  MAY_WRITE   /* … and it may be NULL */
} kind;

/* How a call uses an array or value: whether it may overlap another parameter. */
typedef enum use { NONE, IN, VALUE /* read before anything is written */, OUT } use;

typedef struct parameter {
  const char *name;   /* as in messages */
  void *at;           /* a member of a, or of a struct */
  kind kind;
  size_t number;
  use use;
  size_t bytes;       /* of the array or value, if it may overlap */
} parameter;

enum { MOST = 18 };
typedef struct call {
  const char *name;
  iw_status (*run)(void);
  void (*prepare)(void); /* after reset(), or NULL */
  parameter parameters[MOST];
} call;

#define CALL(function, expression) static iw_status run_##function(void) { return expression; }
CALL(open, iw_context_open(a.opened, a.options))
CALL(get_info, iw_context_get_info(a.context, a.info))
CALL(reserve, iw_context_reserve(a.context, a.bytes))
CALL(set_stream, iw_context_set_stream(a.context, NULL))
CALL(synchronize, iw_context_synchronize(a.context))
CALL(threshold, iw_context_measure_offload_threshold(a.context, a.result))
CALL(copy, iw_memory_copy(a.context, a.out, a.in, a.bytes))
CALL(inclusive, iw_inclusive_scan(a.context, a.op, a.type, a.in, a.n, a.out, a.scan))
CALL(exclusive, iw_exclusive_scan(a.context, a.op, a.type, a.in, a.n, a.out, a.scan))
CALL(reduce, iw_reduce(a.context, a.op, a.type, a.in, a.n, a.result, a.scan))
CALL(keys_by_value, iw_keys_by_value(a.context, a.type, a.in, a.n, a.out))
CALL(reduce_segments, iw_reduce(a.context, a.op, a.type, a.in, a.n, a.out, a.scan))
CALL(sum_exact, iw_sum_exact(a.context, a.type, a.in, a.n, a.length_type, a.result))
CALL(dot_exact, iw_dot_exact(a.context, a.type, a.in, a.weights, a.n, a.length_type, a.result))
CALL(exact_sum_add, iw_exact_sum_add(a.context, a.type, a.in, a.n, a.sum))
CALL(exact_sum_add_products, iw_exact_sum_add_products(a.context, a.type, a.in, a.weights, a.n, a.sum))
CALL(weighted_exact, iw_histogram_weighted_exact(a.context, a.spec, a.in, a.weight_type, a.weights, a.n, a.sums))
CALL(exact_sum_merge, iw_exact_sum_merge(a.sum, a.other))
CALL(exact_sum_round, iw_exact_sum_round(a.sum, a.type, a.result))
CALL(argmin, iw_argmin(a.context, a.type, a.in, a.n, a.result, a.second, a.scan))
CALL(argmax, iw_argmax(a.context, a.type, a.in, a.n, a.result, a.second, a.scan))
CALL(argmin_runs, iw_argmin(a.context, a.type, a.in, a.n, a.out, a.hi, a.scan))
CALL(argmax_runs, iw_argmax(a.context, a.type, a.in, a.n, a.out, a.hi, a.scan))
CALL(histogram, iw_histogram(a.context, a.spec, a.in, a.n, a.out, a.report))
CALL(strategy, iw_histogram_by_strategy(a.context, a.spec, a.in, a.n, a.out, a.strategy_report, a.strategy))
CALL(edges, iw_histogram_edges(a.spec, a.out))
CALL(range, iw_histogram_range(a.context, a.type, a.in, a.n, a.lo, a.hi))
CALL(describe, iw_histogram_plan_get_info(a.context, a.plan, a.n, a.plan_info))
CALL(weighted, iw_histogram_weighted(a.context, a.spec, a.in, a.weight_type, a.weights, a.n, a.out))
CALL(rows, iw_histogram_rows(a.context, a.spec, a.in, a.rows, a.columns, a.out, a.ranges))
CALL(digitize, iw_digitize(a.context, a.spec, a.in, a.n, a.indices))
CALL(nd, iw_histogram_nd(a.context, a.axes, a.channels, a.n, a.out))
CALL(nd_weighted, iw_histogram_nd_weighted(a.context, a.axes, a.channels, a.weight_type, a.weights, a.n, a.out))
CALL(project, iw_histogram_project(a.context, a.weight_type, a.table, a.channels, a.in, a.out, 0))
CALL(log_edges, iw_histogram_log_edges(a.type, a.lo, a.hi, a.bytes, a.out))
CALL(power_edges, iw_histogram_power_edges(a.type, a.lo, a.hi, a.bytes, 0.5, a.out))
CALL(row_ranges, iw_histogram_row_ranges(a.context, a.type, a.in, a.rows, a.columns, a.lo, a.hi))
CALL(growing_add, iw_growing_histogram_add(a.context, a.growing, a.in, a.n))
CALL(growing_merge, iw_growing_histogram_merge(a.context, a.growing, a.other_growing))
CALL(growing_info, iw_growing_histogram_get_info(a.growing, a.growing_info))
CALL(growing_read, iw_growing_histogram_read(a.growing, a.out, a.second))
CALL(channels, iw_histogram_channels(a.context, a.specs, a.channels, a.in, a.n / 2, a.counts))
CALL(partition, iw_partition(a.context, a.test, a.in, a.n, a.out, a.result, a.moves))
CALL(select, iw_select_if(a.context, a.test, a.in, a.n, a.out, a.result, a.moves))
CALL(unique, iw_unique(a.context, a.type, a.in, a.n, a.out, a.result, a.moves))
CALL(run_lengths, iw_run_lengths(a.context, a.type, a.in, a.n, a.out, a.indices, a.result))
CALL(decode, iw_run_lengths_decode(a.context, a.type, a.elements, a.second, a.length_width, a.out, a.n))
CALL(multisplit, iw_multisplit(a.context, a.buckets, a.in, a.n, a.out, a.result, a.moves))
CALL(sort, iw_sort(a.context, a.type, a.in, a.n, a.out, a.sort))
CALL(argsort, iw_argsort(a.context, a.type, a.in, a.n, a.indices, a.sort))
CALL(lower_bound, iw_lower_bound(a.context, a.type, a.elements, a.others, a.indices, a.sort))
CALL(upper_bound, iw_upper_bound(a.context, a.type, a.elements, a.others, a.indices, a.sort))
CALL(is_sorted_until, iw_is_sorted_until(a.context, a.type, a.in, a.n, a.result, a.sort))
CALL(merge, iw_merge(a.context, a.type, a.elements, a.others, a.out, a.indices, a.sort))
CALL(top_k, iw_top_k(a.context, a.type, a.in, a.n, a.k, a.out, a.sort))
CALL(nth_element, iw_nth_element(a.context, a.type, a.in, a.n, a.k, a.out, a.second))
CALL(median, iw_median(a.context, a.type, a.in, a.n, a.out, a.second))
CALL(launch, iw_launch(a.context, a.kernel, a.grid, a.block, a.args, a.args_size))
static iw_status run_allocate(void)
{
  void *memory = NULL;
  const iw_status status = iw_memory_allocate(a.context, a.bytes, &memory);
  if (status == IW_OK)
    iw_memory_free(a.context, memory);
  return status;
}
static iw_status run_free(void) { return iw_memory_free(a.context, NULL); }
static iw_status run_plan_make(void)
{
  iw_histogram_plan **const made = a.result;
  const iw_status status = iw_histogram_plan_make(a.context, a.spec, a.in, a.n, made);
  if (status == IW_OK) {
    iw_histogram_plan_free(*made);
    *made = NULL;
  }
  return status;
}

static iw_status run_growing_make(void)
{
  iw_growing_histogram **const made = a.result;
  const iw_status status = iw_growing_histogram_make(a.type, a.lo, a.hi, a.bytes, a.growth, made);
  if (status == IW_OK) {
    iw_growing_histogram_free(*made);
    *made = NULL;
  }
  return status;
}

static void by_u32_indices(void) { a.indices.width = 4; }
static void by_two_axes(void)
{
  a.channels = 2;
  a.weights = pool(4); /* apart from the second axis */
}
static void by_positive_range(void)
{
  a.bytes = 4;
  *(uint64_t *)pool(7) = 1; /* lo and hi of every type: of floats, subnormal numbers */
  *(uint64_t *)pool(8) = 100;
  memcpy(pools_before, pools, sizeof pools);
}
static void by_ranges_of_rows(void)
{
  s.spec.lo = s.spec.hi = NULL;
  a.ranges = &s.ranges;
  memset(pool(7), 0, 16);
  memset(pool(8), 100, 16); /* a large number of every type */
  memcpy(pools_before, pools, sizeof pools);
}
static void by_segments(void) { s.scan.segments = &s.segments; }
static void by_keys_of_segments(void) { by_segments(); s.segments.kind = IW_SEGMENTS_KEYS; }
static void by_runs(void)
{
  by_keys_of_segments();
  s.scan.run_keys = pool(11);
  s.scan.run_count = (size_t *)(void *)pool(10);
}
static void by_runs_to_find(void) { by_runs(); s.scan.init = NULL; }
static void without_init(void) { s.scan.init = NULL; }
static void by_rows_of_segments(void) { by_segments(); s.segments.kind = IW_SEGMENTS_ROWS; s.segments.columns = 1; }
static void by_rows_to_find(void) { by_rows_of_segments(); without_init(); }
static void by_offsets_of_segments(void)
{
  by_segments();
  s.segments = (iw_segments){ .size = sizeof s.segments, .kind = IW_SEGMENTS_OFFSETS, .offsets = pool(4), .offset_type = IW_U64,
                              .count = 1 };
}
static void by_payloads(void)
{
  s.moves.payloads = s.payloads;
  s.moves.payload_count = 2;
  a.out = NULL;
}
static void by_payloads_too(void) { by_payloads(); a.out = pool(9); }
static void by_rest(void) { s.moves.rest = pool(11); }
static void by_lengths(void)
{
  a.n = 0 + 1 + 2 + 3; /* the first elements of each pool */
  a.elements.n = 4;
  a.length_width = 8;
}
static void by_payloads_of_sort(void) { s.sort.payloads = s.payloads; s.sort.payload_count = 2; }
static void by_rows_of_sort(void) { by_rows_of_segments(); by_payloads_of_sort(); s.sort.segments = &s.segments; }
static void by_indices_apart(void) { a.indices.at = pool(11); } /* out has 16 elements */
static void by_indices_of_top_k(void)
{
  s.payloads[0].in = NULL;
  s.sort.payloads = s.payloads;
  s.sort.payload_count = 1;
}
static void by_rows_of_top_k(void)
{
  by_indices_of_top_k();
  s.segments.kind = IW_SEGMENTS_ROWS;
  s.sort.segments = &s.segments;
}
static void by_flags_of_test(void) { s.test.constant = NULL; s.test.flags = (const uint8_t *)pool(3); }
static void by_bin_of_test(void) { s.test.constant = NULL; s.test.bins = &s.spec; }
static void by_plan_of_test(void) { by_bin_of_test(); s.spec = s.planned; }
static void by_bins_of_buckets(void) { s.buckets.bits = s.buckets.bit = 0; s.buckets.bins = &s.spec; }
static void by_pivot_of_buckets(void) { s.buckets.bits = s.buckets.bit = 0; s.buckets.pivot = pool(2); }
static void by_plan_of_spec(void) { s.spec = s.planned; }
static void by_edges(void)
{
  s.spec.kind = IW_HISTOGRAM_EDGES;
  s.spec.lo = s.spec.hi = NULL;
  s.spec.edges = pool(5);
  for (unsigned k = 0; k <= 4; k++)
    pool(5)[k] = k;
  memcpy(pools_before, pools, sizeof pools);
}
static const uint16_t map_of_bytes[256] = { 1, 2, 3 };
static void by_map(void)
{
  s.spec = (iw_histogram_spec){ .size = sizeof s.spec, .type = IW_U8, .kind = IW_HISTOGRAM_MAP, .bins = 4, .map = map_of_bytes };
}

#define CONTEXT { "context", &a.context, NEEDED, 0, NONE, 0 }
#define TYPE { "type", &a.type, ALL_TYPES, 0, NONE, 0 }
#define ARRAY_IN(name, member) { name, &a.member, ALIGNED, 8, IN, 8 * N }
#define ARRAY_OUT(name, member) { name, &a.member, ALIGNED, 8, OUT, 8 * N }
#define RESULT(name, member) { name, &a.member, ALIGNED, 8, OUT, 8 }
#define ELEMENTS(name) { name, &a.n, LENGTH, 8, NONE, 0 }
#define SPEC { "spec", &a.spec, READ, sizeof(iw_histogram_spec), NONE, 0 }
#define RANGE { "spec->lo", &s.spec.lo, ALIGNED, 8, VALUE, 8 }, { "spec->hi", &s.spec.hi, ALIGNED, 8, VALUE, 8 }
#define BINS { "spec->bins", &s.spec.bins, SIZE_FROM_ONE, 0x7fffffff, NONE, 0 }
#define SPEC_MEMBERS RANGE, BINS, { "spec->kind", &s.spec.kind, ENUM, 2, NONE, 0 }, \
  { "spec->policy", &s.spec.policy, ENUM, 2, NONE, 0 }, { "spec->flags", &s.spec.flags, FLAG_BITS, 15, NONE, 0 }
#define SPEC_TYPE { "spec->type", &s.spec.type, ALL_TYPES, 0, NONE, 0 }
#define TEST { "test", &a.test, READ, sizeof(iw_test), NONE, 0 }
#define TEST_TYPE { "test->type", &s.test.type, ALL_TYPES, 0, NONE, 0 }
#define CONSTANT { "test->constant", &s.test.constant, OPTIONAL, 8, VALUE, 8 }
#define BUCKETS { "buckets", &a.buckets, READ, sizeof(iw_buckets), NONE, 0 }
#define BUCKETS_TYPE { "buckets->type", &s.buckets.type, ALL_TYPES, 0, NONE, 0 }
#define MOVES { "options", &a.moves, MAY_READ, sizeof(iw_move_options), NONE, 0 }
#define SORT { "options", &a.sort, MAY_READ, sizeof(iw_sort_options), NONE, 0 }, \
  { "options->end_bit", &s.sort.end_bit, UNSIGNED, 64, NONE, 0 }
#define OFFSETS { "offsets", &a.result, ALIGNED, 8, OUT, 40 }
#define PAYLOADS { "payloads", &s.moves.payloads, NEEDED, 0, NONE, 0 }, PAYLOADS_OF_A_CALL, \
  { "payload_count", &s.moves.payload_count, SIZE_AT_MOST, IW_MAX_PAYLOADS, NONE, 0 }
#define PAYLOADS_OF_A_CALL \
  { "payloads[0].size", &s.payloads[0].size, SIZE_AT_MOST, sizeof(iw_payload), NONE, 0 }, \
  { "payloads[1].size", &s.payloads[1].size, SIZE_AT_MOST, sizeof(iw_payload), NONE, 0 }, \
  { "payloads[1].width", &s.payloads[1].width, SIZE_AT_MOST, 16, NONE, 0 }, \
  { "payloads[0].in", &s.payloads[0].in, OPTIONAL, 8, IN, 8 * N }, \
  { "payloads[1].in", &s.payloads[1].in, OPTIONAL, 8, IN, 8 * N }, \
  { "payloads[0].out", &s.payloads[0].out, ALIGNED, 8, OUT, 8 * N }, \
  { "payloads[1].out", &s.payloads[1].out, ALIGNED, 8, OUT, 8 * N }
#define SORT_PAYLOADS { "payloads", &s.sort.payloads, NEEDED, 0, NONE, 0 }, PAYLOADS_OF_A_CALL
#define OP { "op", &a.op, OPERATOR, 0, NONE, 0 }
#define SCAN { "options", &a.scan, MAY_READ, sizeof(iw_scan_options), NONE, 0 }
#define INIT(use) { "init", &s.scan.init, OPTIONAL, 8, use, 8 }
#define OUT_TYPE { "options->out_type", &s.scan.out_type, TYPE_OR_NONE, 0, NONE, 0 }
#define SEGMENTS { "segments", &s.scan.segments, MAY_READ, sizeof(iw_segments), NONE, 0 }, \
  { "segments->kind", &s.segments.kind, ENUM, 4, NONE, 0 }
#define RUNS { "run_keys", &s.scan.run_keys, OPTIONAL, 8, OUT, 8 * N }, { "run_count", &s.scan.run_count, ALIGNED, 8, OUT, 8 }, \
  { "keys", &s.segments.keys, ALIGNED, 8, IN, 8 * N }, { "segments->key_type", &s.segments.key_type, ALL_TYPES, 0, NONE, 0 }

static void for_f64(void) { a.type = a.length_type = IW_F64; }
static void by_f64(void) { a.weight_type = IW_F64; }
static void for_f32(void) { a.type = a.length_type = IW_F32; }
#define FLOAT_TYPE { "type", &a.type, FLOAT_TYPES, IW_BF16, NONE, 0 }
#define ONLY_F32 { "type", &a.type, FLOAT_TYPES, IW_F32, NONE, 0 }
#define RESULT_TYPE { "result_type", &a.length_type, FLOAT_TYPES, IW_BF16, NONE, 0 }
#define EXACT_SUM(name, member) { name, &a.member, ALIGNED, 8, NONE, 0 }, \
  { name "->format", &s.member.format, FORMAT, IW_EXACT_SUM_FORMAT, NONE, 0 }, \
  { name "->nonfinite", &s.member.nonfinite, UNSIGNED, 7, NONE, 0 }

static const call calls[] = {
  { "iw_context_open", run_open, NULL, { { "context", &a.opened, NEEDED, 0, NONE, 0 },
    { "options", &a.options, MAY_READ, sizeof(iw_context_options), NONE, 0 },
    { "options->backend", &s.options.backend, ENUM, 3, NONE, 0 }, { "options->blocks", &s.options.blocks, ENUM, 2, NONE, 0 },
    { "options->threads", &s.options.threads, UNSIGNED, 1024, NONE, 0 },
    { "options->openmp", &s.options.openmp, UNSIGNED, 1, NONE, 0 } } },
  { "iw_context_get_info", run_get_info, NULL, { CONTEXT, { "info", &a.info, WRITTEN, sizeof(iw_context_info), NONE, 0 } } },
  { "iw_context_reserve", run_reserve, NULL, { CONTEXT, { "reserve", &a.bytes, SIZE_AT_MOST, PTRDIFF_MAX / 2, NONE, 0 } } },
  { "iw_context_set_stream", run_set_stream, NULL, { CONTEXT } },
  { "iw_context_synchronize", run_synchronize, NULL, { CONTEXT } },
  { "iw_context_measure_offload_threshold", run_threshold, NULL, { CONTEXT, RESULT("bytes", result) } },
  { "iw_memory_allocate", run_allocate, NULL, { CONTEXT, { "allocate", &a.bytes, SIZE_AT_MOST, PTRDIFF_MAX, NONE, 0 } } },
  { "iw_memory_free", run_free, NULL, { CONTEXT } },
  { "iw_memory_copy", run_copy, NULL, { CONTEXT, { "from", &a.in, NEEDED, 0, IN, 64 }, { "to", &a.out, NEEDED, 0, OUT, 64 },
    { "to", &a.bytes, LENGTH, 1, NONE, 0 } } },
  { "iw_inclusive_scan", run_inclusive, NULL, { CONTEXT, OP, TYPE, ARRAY_IN("in", in), ARRAY_OUT("out", out), ELEMENTS("in"),
    SCAN, INIT(IN), OUT_TYPE, { "run_keys", &s.scan.run_keys, NULL_ONLY, 0, NONE, 0 },
    { "run_count", &s.scan.run_count, NULL_ONLY, 0, NONE, 0 } } },
  { "iw_exclusive_scan", run_exclusive, NULL, { CONTEXT, OP, TYPE, ARRAY_IN("in", in), ARRAY_OUT("out", out), ELEMENTS("in"),
    SCAN, INIT(IN), OUT_TYPE } },
  { "iw_inclusive_scan", run_inclusive, by_segments, { CONTEXT, OP, TYPE, SCAN, ARRAY_IN("in", in), ARRAY_OUT("out", out),
    ELEMENTS("in"), SEGMENTS, { "flags", &s.segments.flags, NEEDED, 0, IN, N } } },
  { "iw_exclusive_scan", run_exclusive, by_keys_of_segments, { ARRAY_IN("in", in), ARRAY_OUT("out", out),
    { "keys", &s.segments.keys, ALIGNED, 8, IN, 8 * N },
    { "segments->key_type", &s.segments.key_type, ALL_TYPES, 0, NONE, 0 } } },
  { "iw_inclusive_scan", run_inclusive, by_offsets_of_segments, { ARRAY_IN("in", in), ARRAY_OUT("out", out),
    { "offsets", &s.segments.offsets, ALIGNED, 8, IN, 8 * 2 } } },
  { "iw_reduce", run_reduce, NULL, { CONTEXT, OP, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), SCAN, INIT(VALUE), OUT_TYPE,
    RESULT("results", result), { "run_keys", &s.scan.run_keys, NULL_ONLY, 0, NONE, 0 },
    { "run_count", &s.scan.run_count, NULL_ONLY, 0, NONE, 0 } } },
  { "iw_reduce", run_reduce_segments, by_rows_of_segments, { CONTEXT, OP, TYPE, SCAN, INIT(NONE), OUT_TYPE, SEGMENTS, ARRAY_IN("in", in),
    ELEMENTS("in"), { "results", &a.out, ALIGNED, 8, OUT, 8 * N } } },
  { "iw_reduce", run_reduce_segments, by_runs, { CONTEXT, OP, TYPE, SCAN, INIT(NONE), OUT_TYPE, SEGMENTS, ARRAY_IN("in", in),
    ELEMENTS("in"), { "results", &a.out, ALIGNED, 8, OUT, 8 * N }, RUNS } },
  { "iw_keys_by_value", run_keys_by_value, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), ARRAY_OUT("out", out), ELEMENTS("in") } },
  { "iw_sum_exact", run_sum_exact, for_f64, { CONTEXT, FLOAT_TYPE, RESULT_TYPE, ARRAY_IN("in", in), ELEMENTS("in"),
    RESULT("result", result) } },
  { "iw_dot_exact", run_dot_exact, for_f32, { CONTEXT, ONLY_F32, RESULT_TYPE, { "a", &a.in, ALIGNED, 4, IN, 4 * N },
    { "b", &a.weights, ALIGNED, 4, IN, 4 * N }, { "a", &a.n, LENGTH, 4, NONE, 0 }, { "result", &a.result, ALIGNED, 4, OUT, 4 } } },
  { "iw_exact_sum_add", run_exact_sum_add, for_f64, { CONTEXT, FLOAT_TYPE, ARRAY_IN("in", in), ELEMENTS("in"),
    EXACT_SUM("sum", sum) } },
  { "iw_exact_sum_add_products", run_exact_sum_add_products, for_f32, { CONTEXT, ONLY_F32, EXACT_SUM("sum", sum),
    { "a", &a.in, ALIGNED, 4, IN, 4 * N }, { "b", &a.weights, ALIGNED, 4, IN, 4 * N }, { "a", &a.n, LENGTH, 4, NONE, 0 } } },
  { "iw_exact_sum_merge", run_exact_sum_merge, NULL, { EXACT_SUM("sum", sum), EXACT_SUM("other", other) } },
  { "iw_exact_sum_round", run_exact_sum_round, for_f64, { FLOAT_TYPE, EXACT_SUM("sum", sum), RESULT("result", result) } },
#define FIND { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), RESULT("indices", result), SCAN, \
    { "values", &a.second, OPTIONAL, 8, OUT, 8 }, { "init", &s.scan.init, NULL_ONLY, 0, NONE, 0 }, OUT_TYPE }
  { "iw_argmin", run_argmin, without_init, FIND },
  { "iw_argmax", run_argmax, without_init, FIND },
#define OF_SEGMENTS { CONTEXT, TYPE, SCAN, SEGMENTS, ARRAY_IN("in", in), ELEMENTS("in"), \
    { "indices", &a.result, ALIGNED, 8, OUT, 8 * N }, { "values", &a.second, OPTIONAL, 8, OUT, 8 * N } }
  { "iw_argmin", run_argmin, by_rows_to_find, OF_SEGMENTS },
  { "iw_argmax", run_argmax, by_rows_to_find, OF_SEGMENTS },
#define OF_RUNS { CONTEXT, TYPE, SCAN, SEGMENTS, ARRAY_IN("in", in), ELEMENTS("in"), RUNS, \
    { "indices", &a.out, ALIGNED, 8, OUT, 8 * N }, { "values", &a.hi, OPTIONAL, 8, OUT, 8 * N } }
  { "iw_argmin", run_argmin_runs, by_runs_to_find, OF_RUNS },
  { "iw_argmax", run_argmax_runs, by_runs_to_find, OF_RUNS },
  { "iw_histogram", run_histogram, NULL, { CONTEXT, SPEC_TYPE, ARRAY_IN("samples", in), ELEMENTS("samples"), SPEC, SPEC_MEMBERS,
    { "counts", &a.out, ALIGNED, 8, OUT, 32 }, { "report", &a.report, MAY_WRITE, sizeof(iw_histogram_report), NONE, 0 } } },
  { "iw_histogram", run_histogram, by_plan_of_spec, { SPEC } },
  { "iw_histogram", run_histogram, by_edges, { { "spec->edges", &s.spec.edges, ALIGNED, 8, VALUE, 40 }, BINS,
    { "counts", &a.out, ALIGNED, 8, OUT, 32 } } },
  { "iw_histogram", run_histogram, by_map, { { "spec->map", &s.spec.map, ALIGNED, 2, NONE, 0 },
    { "spec->bins", &s.spec.bins, SIZE_FROM_ONE, 65535, NONE, 0 } } },
  { "iw_histogram_by_strategy", run_strategy, NULL, { CONTEXT, SPEC_TYPE, ARRAY_IN("samples", in), ELEMENTS("samples"), SPEC,
    SPEC_MEMBERS, { "counts", &a.out, ALIGNED, 8, OUT, 32 },
    { "report", &a.strategy_report, MAY_WRITE, sizeof(iw_strategy_report), NONE, 0 },
    { "options", &a.strategy, MAY_READ, sizeof(iw_strategy_options), NONE, 0 },
    { "options->strategy", &s.strategy.strategy, ENUM, IW_STRATEGY_DIRECT, NONE, 0 },
    { "options->coarsening", &s.strategy.coarsening, UNSIGNED, 65536, NONE, 0 } } },
  { "iw_histogram_edges", run_edges, NULL, { SPEC_TYPE, SPEC, SPEC_MEMBERS, { "edges", &a.out, ALIGNED, 8, OUT, 40 } } },
  { "iw_histogram_range", run_range, NULL, { CONTEXT, TYPE, ARRAY_IN("samples", in), ELEMENTS("samples"), RESULT("lo", lo),
    RESULT("hi", hi) } },
  { "iw_histogram_plan_make", run_plan_make, NULL, { CONTEXT, SPEC_TYPE, SPEC, SPEC_MEMBERS, ARRAY_IN("sample", in),
    ELEMENTS("sample"), RESULT("plan", result) } },
  { "iw_histogram_plan_get_info", run_describe, NULL, { { "plan", &a.plan, NEEDED, 0, NONE, 0 }, CONTEXT,
    { "info", &a.plan_info, WRITTEN, sizeof(iw_histogram_plan_info), NONE, 0 } } },
  { "iw_histogram_weighted", run_weighted, NULL, { CONTEXT, SPEC, SPEC_TYPE,
    ARRAY_IN("samples", in), { "weight_type", &a.weight_type, SIX_TYPES, 0, NONE, 0 }, ARRAY_IN("weights", weights),
    ELEMENTS("samples"), { "sums", &a.out, ALIGNED, 8, OUT, 32 } } },
  { "iw_histogram_weighted_exact", run_weighted_exact, by_f64, { CONTEXT, SPEC, SPEC_TYPE,
    ARRAY_IN("samples", in), { "weight_type", &a.weight_type, FLOAT_TYPES, IW_F64, NONE, 0 },
    ARRAY_IN("weights", weights), ELEMENTS("samples"), { "sums", &a.sums, ALIGNED, 8, NONE, 0 },
    { "sums[3].format", &s.sums[3].format, FORMAT, IW_EXACT_SUM_FORMAT, NONE, 0 } } },
  { "iw_histogram_rows", run_rows, NULL, { CONTEXT, SPEC, SPEC_TYPE, SPEC_MEMBERS, ARRAY_IN("samples", in),
    { "samples", &a.columns, LENGTH, 8, NONE, 0 }, { "counts", &a.out, ALIGNED, 8, OUT, 64 } } },
  { "iw_histogram_rows", run_rows, by_ranges_of_rows, { CONTEXT, SPEC_TYPE, ARRAY_IN("samples", in),
    { "samples", &a.columns, LENGTH, 8, NONE, 0 }, SPEC, BINS, { "spec->policy", &s.spec.policy, ENUM, 2, NONE, 0 },
    { "ranges", &a.ranges, MAY_READ, sizeof(iw_histogram_ranges), NONE, 0 },
    { "ranges->lo", &s.ranges.lo, ALIGNED, 8, VALUE, 16 }, { "ranges->hi", &s.ranges.hi, ALIGNED, 8, VALUE, 16 },
    { "counts", &a.out, ALIGNED, 8, OUT, 64 } } },
  { "iw_digitize", run_digitize, by_u32_indices, { CONTEXT, SPEC_TYPE, ARRAY_IN("samples", in), ELEMENTS("samples"), SPEC,
    SPEC_MEMBERS, { "indices.width", &a.indices.width, UNSIGNED, 4, NONE, 0 },
    { "indices", &a.indices.at, ALIGNED, 4, OUT, 4 * N } } },
#define AXES { "axes", &a.axes, NEEDED, 0, NONE, 0 }, { "dimensions", &a.channels, FROM_ONE, 4, NONE, 0 }, \
    { "axes[0].size", &s.axes[0].size, SIZE_AT_MOST, sizeof(iw_histogram_axis), NONE, 0 }, \
    { "axes[1].size", &s.axes[1].size, SIZE_AT_MOST, sizeof(iw_histogram_axis), NONE, 0 }, \
    { "axes[0].spec", &s.axes[0].spec, NEEDED, 0, NONE, 0 }, { "axes[1].spec", &s.axes[1].spec, NEEDED, 0, NONE, 0 }, \
    ELEMENTS("axes[0].samples"), \
    { "axes[0].samples", &s.axes[0].samples, ALIGNED, 8, IN, 8 * N }
  { "iw_histogram_nd", run_nd, by_two_axes, { CONTEXT, AXES, { "axes[1].samples", &s.axes[1].samples, ALIGNED, 8, IN, 8 * N },
    { "counts", &a.out, ALIGNED, 8, OUT, 128 } } },
  { "iw_histogram_nd_weighted", run_nd_weighted, by_two_axes, { CONTEXT, AXES, ARRAY_IN("weights", weights),
    { "weight_type", &a.weight_type, SIX_TYPES, 0, NONE, 0 }, { "sums", &a.out, ALIGNED, 8, OUT, 128 } } },
  { "iw_histogram_project", run_project, by_two_axes, { CONTEXT, { "type", &a.weight_type, ALL_TYPES, 0, NONE, 0 },
    { "axes", &a.table, NEEDED, 0, NONE, 0 }, { "dimensions", &a.channels, FROM_ONE, 4, NONE, 0 },
    { "axes[0].size", &s.table[0].size, SIZE_AT_MOST, sizeof(iw_table_axis), NONE, 0 },
    { "axes[1].bins", &s.table[1].bins, SIZE_FROM_ONE, 0x7ffffffc, NONE, 0 },
    { "in", &a.in, ALIGNED, 8, IN, 32 }, { "out", &a.out, ALIGNED, 8, OUT, 8 } } },
#define LIMITS { "lo", &a.lo, ALIGNED, 8, VALUE, 8 }, { "hi", &a.hi, ALIGNED, 8, VALUE, 8 }
  { "iw_histogram_log_edges", run_log_edges, by_positive_range, { TYPE, LIMITS,
    { "bins", &a.bytes, SIZE_FROM_ONE, 0x7fffffff, NONE, 0 }, { "edges", &a.out, ALIGNED, 8, OUT, 40 } } },
  { "iw_histogram_power_edges", run_power_edges, by_positive_range, { TYPE, LIMITS,
    { "bins", &a.bytes, SIZE_FROM_ONE, 0x7fffffff, NONE, 0 }, { "edges", &a.out, ALIGNED, 8, OUT, 40 } } },
  { "iw_histogram_row_ranges", run_row_ranges, NULL, { CONTEXT, TYPE, ARRAY_IN("samples", in),
    { "samples", &a.columns, LENGTH, 8, NONE, 0 }, { "lo", &a.lo, ALIGNED, 8, OUT, 16 },
    { "hi", &a.hi, ALIGNED, 8, OUT, 16 } } },
  { "iw_growing_histogram_make", run_growing_make, by_positive_range, { TYPE, { "origin", &a.lo, ALIGNED, 8, NONE, 0 },
    { "width", &a.hi, ALIGNED, 8, NONE, 0 }, { "bins", &a.bytes, SIZE_FROM_ONE, 0x7ffffffe, NONE, 0 },
    { "growth", &a.growth, ENUM, 1, NONE, 0 }, { "histogram", &a.result, ALIGNED, 8, NONE, 0 } } },
#define GROWING { "histogram", &a.growing, NEEDED, 0, NONE, 0 }
  { "iw_growing_histogram_add", run_growing_add, NULL, { CONTEXT, GROWING,
    ARRAY_IN("samples", in), ELEMENTS("samples") } },
  { "iw_growing_histogram_merge", run_growing_merge, NULL, { CONTEXT, GROWING,
    { "other", &a.other_growing, NEEDED, 0, NONE, 0 } } },
  { "iw_growing_histogram_get_info", run_growing_info, NULL, { GROWING,
    { "info", &a.growing_info, WRITTEN, sizeof(iw_growing_histogram_info), NONE, 0 } } },
  { "iw_growing_histogram_read", run_growing_read, NULL, { GROWING,
    { "edges", &a.out, OPTIONAL, 8, OUT, 40 }, { "counts", &a.second, OPTIONAL, 8, OUT, 32 } } },
  { "iw_histogram_channels", run_channels, NULL, { CONTEXT, { "specs", &a.specs, NEEDED, 0, NONE, 0 },
    { "channels", &a.channels, FROM_ONE, 23, NONE, 0 }, ARRAY_IN("samples", in), { "counts", &a.counts, NEEDED, 0, NONE, 0 },
    { "counts[0]", &counts[0], ALIGNED, 8, OUT, 32 }, { "counts[1]", &counts[1], ALIGNED, 8, OUT, 32 } } },
  { "iw_partition", run_partition, by_rest, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), ELEMENTS("in"), TEST, CONSTANT, MOVES,
    { "test->compare", &s.test.compare, ENUM, IW_GREATER_EQUAL, NONE, 0 }, ARRAY_OUT("out", out),
    { "rest", &s.moves.rest, OPTIONAL, 8, OUT, 8 * N }, RESULT("count", result) } },
  { "iw_partition", run_partition, by_flags_of_test, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), ARRAY_OUT("out", out),
    { "flags", &s.test.flags, OPTIONAL, 1, IN, N }, RESULT("count", result) } },
  { "iw_select_if", run_select, NULL, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), ELEMENTS("in"), TEST, CONSTANT,
    ARRAY_OUT("out", out), RESULT("count", result), MOVES, { "rest", &s.moves.rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_select_if", run_select, by_flags_of_test, { TEST_TYPE, ARRAY_IN("in", in), ARRAY_OUT("out", out),
    { "flags", &s.test.flags, OPTIONAL, 1, IN, N }, RESULT("count", result) } },
  { "iw_select_if", run_select, by_bin_of_test, { TEST, { "spec", &s.test.bins, MAY_READ, sizeof(iw_histogram_spec), NONE, 0 },
    SPEC_MEMBERS, { "test->bin", &s.test.bin, SIZE_AT_MOST, 3, NONE, 0 }, ARRAY_OUT("out", out), RESULT("count", result) } },
  { "iw_select_if", run_select, by_plan_of_test, { { "test->bin", &s.test.bin, SIZE_AT_MOST, 3, NONE, 0 } } },
  { "iw_partition", run_partition, by_payloads, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), TEST, CONSTANT, MOVES, PAYLOADS,
    RESULT("count", result) } },
  { "iw_partition", run_partition, by_payloads_too, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), { "out", &a.out, OPTIONAL, 8, OUT, 8 * N }, PAYLOADS,
    RESULT("count", result) } },
  { "iw_select_if", run_select, by_payloads, { CONTEXT, TEST_TYPE, ARRAY_IN("in", in), TEST, CONSTANT, PAYLOADS,
    RESULT("count", result), { "payloads[0].rest", &s.payloads[0].rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_unique", run_unique, by_payloads_too, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), MOVES,
    { "out", &a.out, OPTIONAL, 8, OUT, 8 * N }, PAYLOADS, RESULT("count", result), { "rest", &s.moves.rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_run_lengths", run_run_lengths, by_indices_apart, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"),
    { "values", &a.out, OPTIONAL, 8, OUT, 8 * N }, { "lengths.width", &a.indices.width, UNSIGNED, 8, NONE, 0 },
    { "lengths", &a.indices.at, ALIGNED, 8, OUT, 8 * N }, RESULT("count", result) } },
  { "iw_run_lengths_decode", run_decode, by_lengths, { CONTEXT, TYPE, { "values", &a.elements.at, ALIGNED, 8, IN, 32 },
    { "values", &a.elements.n, LENGTH, 8, NONE, 0 }, { "lengths", &a.second, ALIGNED, 8, IN, 32 },
    { "length_width", &a.length_width, UNSIGNED, 8, NONE, 0 }, { "out", &a.out, ALIGNED, 8, OUT, 48 }, ELEMENTS("out") } },
  { "iw_multisplit", run_multisplit, NULL, { CONTEXT, BUCKETS_TYPE, ARRAY_IN("in", in), ELEMENTS("in"), BUCKETS, MOVES,
    { "buckets->bits", &s.buckets.bits, UNSIGNED, 16, NONE, 0 }, { "buckets->bit", &s.buckets.bit, UNSIGNED, 63, NONE, 0 },
    { "buckets->count", &s.buckets.count, SIZE_ZERO, 0, NONE, 0 }, { "out", &a.out, OPTIONAL, 8, OUT, 8 * N }, OFFSETS,
    { "rest", &s.moves.rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_multisplit", run_multisplit, by_pivot_of_buckets, { BUCKETS_TYPE, ARRAY_IN("in", in),
    { "buckets->pivot", &s.buckets.pivot, OPTIONAL, 8, VALUE, 8 }, { "out", &a.out, OPTIONAL, 8, OUT, 8 * N },
    { "offsets", &a.result, ALIGNED, 8, OUT, 32 } } },
  { "iw_multisplit", run_multisplit, by_bins_of_buckets, { BUCKETS,
    { "spec", &s.buckets.bins, MAY_READ, sizeof(iw_histogram_spec), NONE, 0 }, SPEC_MEMBERS, { "out", &a.out, OPTIONAL, 8, OUT, 8 * N }, OFFSETS } },
  { "iw_multisplit", run_multisplit, by_payloads, { CONTEXT, BUCKETS_TYPE, ARRAY_IN("in", in), BUCKETS, PAYLOADS, OFFSETS,
    { "payloads[0].rest", &s.payloads[0].rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_multisplit", run_multisplit, by_payloads_too, { BUCKETS_TYPE, ARRAY_IN("in", in), { "out", &a.out, OPTIONAL, 8, OUT, 8 * N }, PAYLOADS, OFFSETS } },
  { "iw_sort", run_sort, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), ARRAY_OUT("out", out), SORT } },
  { "iw_sort", run_sort, by_payloads_of_sort, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), SORT, SORT_PAYLOADS,
    { "payload_count", &s.sort.payload_count, SIZE_AT_MOST, IW_MAX_PAYLOADS, NONE, 0 },
    { "payloads[0].rest", &s.payloads[0].rest, SIZE_ZERO, 0, NONE, 0 } } },
  { "iw_sort", run_sort, by_rows_of_sort, { CONTEXT, TYPE, ARRAY_IN("in", in),
    { "segments", &s.sort.segments, MAY_READ, sizeof(iw_segments), NONE, 0 }, ELEMENTS("in"), SORT, SORT_PAYLOADS,
    { "payload_count", &s.sort.payload_count, SIZE_AT_MOST, IW_MAX_PAYLOADS, NONE, 0 } } },
#define INDICES(of, bytes) { "indices.width", &a.indices.width, UNSIGNED, 8, NONE, 0 }, { "indices", &a.indices.at, of, 8, OUT, bytes }
  { "iw_argsort", run_argsort, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), INDICES(ALIGNED, 8 * N), SORT } },
  { "iw_argsort", run_argsort, by_payloads_of_sort, { TYPE, ARRAY_IN("in", in), SORT_PAYLOADS,
    { "payload_count", &s.sort.payload_count, SIZE_AT_MOST, IW_MAX_PAYLOADS - 1, NONE, 0 } } },
#define SORTED { "sorted", &a.elements.at, ALIGNED, 8, IN, 8 * N }, { "sorted", &a.elements.n, LENGTH, 8, NONE, 0 }
  { "iw_lower_bound", run_lower_bound, NULL, { CONTEXT, TYPE, SORTED, { "values", &a.others.at, ALIGNED, 8, IN, 8 * N },
    { "values", &a.others.n, LENGTH, 8, NONE, 0 }, INDICES(ALIGNED, 8 * N), SORT } },
  { "iw_upper_bound", run_upper_bound, NULL, { CONTEXT, TYPE, SORTED, { "values", &a.others.at, ALIGNED, 8, IN, 8 * N },
    { "values", &a.others.n, LENGTH, 8, NONE, 0 }, INDICES(ALIGNED, 8 * N), SORT } },
  { "iw_is_sorted_until", run_is_sorted_until, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), SORT, RESULT("until", result) } },
  { "iw_merge", run_merge, by_indices_apart, { CONTEXT, TYPE, { "a", &a.elements.at, ALIGNED, 8, IN, 8 * N },
    { "b", &a.others.at, ALIGNED, 8, IN, 8 * N }, { "out", &a.out, OPTIONAL, 8, OUT, 16 * N }, INDICES(OPTIONAL, 16 * N), SORT } },
#define TOP_K(outputs) { "values", &a.out, OPTIONAL, 8, OUT, 8 * (outputs) }, \
  { "options", &a.sort, MAY_READ, sizeof(iw_sort_options), NONE, 0 }, \
  { "payload_count", &s.sort.payload_count, SIZE_AT_MOST, 1, NONE, 0 }, { "payloads", &s.sort.payloads, NEEDED, 0, NONE, 0 }, \
  { "payloads[0].width", &s.payloads[0].width, SIZE_AT_MOST, 8, NONE, 0 }, \
  { "payloads[0].in", &s.payloads[0].in, SIZE_ZERO, 0, NONE, 0 }, { "payloads[0].rest", &s.payloads[0].rest, SIZE_ZERO, 0, NONE, 0 }, \
  { "payloads[0].out", &s.payloads[0].out, OPTIONAL, 8, OUT, 8 * (outputs) }
  { "iw_top_k", run_top_k, by_indices_of_top_k, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"),
    { "k", &a.k, SIZE_AT_MOST, N, NONE, 0 }, TOP_K(3) } },
  { "iw_top_k", run_top_k, by_rows_of_top_k, { CONTEXT, TYPE, ARRAY_IN("in", in), { "k", &a.k, SIZE_AT_MOST, 4, NONE, 0 },
    { "segments", &s.sort.segments, MAY_READ, sizeof(iw_segments), NONE, 0 }, TOP_K(6) } },
#define INDEX { "index", &a.second, OPTIONAL, 8, OUT, 8 }
  { "iw_nth_element", run_nth_element, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), { "nth", &a.k, SIZE_AT_MOST, N - 1, NONE, 0 },
    RESULT("value", out), INDEX } },
  { "iw_median", run_median, NULL, { CONTEXT, TYPE, ARRAY_IN("in", in), ELEMENTS("in"), RESULT("value", out), INDEX } },
  { "iw_launch", run_launch, NULL, { CONTEXT, { "kernel", &a.kernel, NEEDED, 0, NONE, 0 },
    { "block", &a.block, FROM_ONE, 1024, NONE, 0 }, { "args", &a.args, NEEDED, 0, NONE, 0 } } },
};

#define FOR_CALLS(k) for (unsigned k = 0; k < COUNT(calls); k++)
#define FOR_PARAMETERS(p, k) for (const parameter *p = calls[k].parameters; p < calls[k].parameters + MOST && p->name; p++)

static void prepare(const call *of)
{
  reset();
  if (of->prepare)
    of->prepare();
}

/* ---- One wrong value at a time ----------------------------------------------------------------------------------- */

static unsigned refusals;

/* The call is refused, says these words, and has written nothing. */
static void refused(const call *of, const parameter *p, const char *const words[4])
{
  const iw_status status = of->run();
  /* what cannot be allocated is not an argument's fault */
  const iw_status expected = of->run == run_reserve || of->run == run_allocate ? IW_ERROR_MEMORY : IW_ERROR_INVALID;
  ck_assert_msg(status == (p->kind == NEEDED || p->kind == SIZE_AT_MOST ? (p->kind == NEEDED ? IW_ERROR_INVALID : expected)
                                                                        : IW_ERROR_INVALID),
                "%s with %s = %s is %s (%s)", of->name, p->name, words[1], iw_status_name(status), iw_message());
  for (unsigned w = 0; w < 4; w++)
    ck_assert_msg(strstr(iw_message(), words[w]) != NULL, "%s with %s = %s says \"%s\", without \"%s\"", of->name, p->name,
                  words[1], iw_message(), words[w]);
  ck_assert_msg(!memcmp(pools, pools_before, sizeof pools), "%s with %s = %s has written", of->name, p->name, words[1]);
  refusals++;
}

typedef struct text { char s[64]; } text;
__attribute__((format(printf, 1, 2))) static text text_of(const char *format, ...)
{
  text t;
  va_list list;
  va_start(list, format);
  vsnprintf(t.s, sizeof t.s, format, list);
  va_end(list);
  return t;
}

#define REFUSED_WITH(ctype, value, ...) do { \
    prepare(of); \
    *(ctype *)p->at = (value); \
    refused(of, p, (const char *const[4]){ p->name, __VA_ARGS__ }); \
  } while (0)

static void wrong_size(const call *of, const parameter *p, size_t size)
{
  const text value = text_of("%zu", size), known = text_of("%zu", p->number), name = text_of("%s->size", p->name);
  prepare(of);
  **(size_t **)p->at = size;
  refused(of, p, (const char *const[4]){ name.s, value.s, known.s, "4096" });
}

/* Whether a parameter of one of the kinds ALL_TYPES to FLOAT_TYPES may be the type. */
static int takes(const parameter *p, iw_type type)
{
  const int is_float = type == IW_F32 || type == IW_F64, is_six = type >= IW_I32 && type <= IW_F64;
  const int is_half = type == IW_F16 || type == IW_BF16;
  return p->kind == ALL_TYPES || p->kind == TYPE_OR_NONE || (p->kind == SIX_TYPES && is_six)
         || (p->kind == FLOAT_TYPES && (is_half ? p->number != IW_F64 : is_float && type <= (iw_type)p->number));
}

static void wrong_values(const call *of, const parameter *p)
{
  static const int types[] = { -1, 0, SCANNED_TYPES + 1, 99, INT_MAX, INT_MIN };
  static const uintptr_t ops[] = { 0, 8, 99, 4095 };
  const size_t number = p->number, sizes[] = { 0, 1, number - 1, 4097, SIZE_MAX };
  const text limit = text_of("%zu", number), most = text_of("%zu", (size_t)PTRDIFF_MAX / (number ? number : 1));
  switch (p->kind) {
  case NEEDED:
    REFUSED_WITH(void *, NULL, "NULL", "", "");
    break;
  case ALIGNED:
    REFUSED_WITH(void *, NULL, "NULL", "", "");
    /* fall through */
  case OPTIONAL:
    for (size_t by = 1; by < number; by *= 2) {
      prepare(of);
      char *const odd = *(char **)p->at + by;
      REFUSED_WITH(void *, odd, text_of("%p", (void *)odd).s, "not aligned", limit.s);
    }
    break;
  case LENGTH:
    REFUSED_WITH(size_t, SIZE_MAX, "18446744073709551615", most.s, "at most");
    REFUSED_WITH(size_t, PTRDIFF_MAX / number + 1, text_of("%zu", PTRDIFF_MAX / number + 1).s, most.s, "at most");
    break;
  case ALL_TYPES: case SIX_TYPES: case FLOAT_TYPES: case TYPE_OR_NONE:
    for (unsigned i = 0; i < COUNT(types); i++)
      if (types[i] || p->kind != TYPE_OR_NONE)
        REFUSED_WITH(iw_type, (iw_type)types[i], text_of("%d", types[i]).s, "iw_type", "is not an");
    for (iw_type type = IW_U8; type <= IW_BF16; type++)
      if (!takes(p, type))
        REFUSED_WITH(iw_type, type, iw_type_name(type), p->kind == FLOAT_TYPES ? "f32" : "i32",
                     p->kind == FLOAT_TYPES ? "f64" : "i64");
    break;
  case ENUM:
    REFUSED_WITH(int, -1, "-1", limit.s, "valid are");
    REFUSED_WITH(int, (int)number + 1, text_of("%zu", number + 1).s, limit.s, "valid are");
    REFUSED_WITH(int, INT_MAX, "2147483647", limit.s, "valid are");
    break;
  case FROM_ONE:
    REFUSED_WITH(unsigned, 0, "0", limit.s, "valid are 1 to");
    /* fall through */
  case UNSIGNED:
    REFUSED_WITH(unsigned, (unsigned)number + 1, text_of("%zu", number + 1).s, limit.s, "valid are");
    REFUSED_WITH(unsigned, UINT_MAX, "4294967295", limit.s, "valid are");
    break;
  case SIZE_FROM_ONE:
    REFUSED_WITH(size_t, 0, "0", limit.s, "1 to");
    /* fall through */
  case SIZE_AT_MOST:
    REFUSED_WITH(size_t, number + 1, text_of("%zu", number + 1).s, limit.s, "");
    REFUSED_WITH(size_t, SIZE_MAX, "18446744073709551615", limit.s, "");
    break;
  case FORMAT:
    REFUSED_WITH(uint32_t, 0, "0", limit.s, "knows");
    REFUSED_WITH(uint32_t, (uint32_t)number + 1, text_of("%zu", number + 1).s, limit.s, "knows");
    break;
  case SIZE_ZERO:
    REFUSED_WITH(size_t, 7, "7", "valid is", "");
    break;
  case NULL_ONLY:
    REFUSED_WITH(void *, pool(3), text_of("%p", (void *)pool(3)).s, "valid is NULL", "");
    break;
  case FLAG_BITS:
    REFUSED_WITH(unsigned, 16, "0x10", "0xf", "unknown");
    REFUSED_WITH(unsigned, 0x80000001, "0x80000000", "0xf", "unknown");
    break;
  case OPERATOR:
    for (unsigned i = 0; i < COUNT(ops); i++)
      REFUSED_WITH(uintptr_t, ops[i], text_of("%u", (unsigned)ops[i]).s, all_ops[0].constant, all_ops[ALL_OPS - 1].constant);
    break;
  case READ: case WRITTEN:
    REFUSED_WITH(void *, NULL, "NULL", "", "");
    /* fall through */
  case MAY_READ: case MAY_WRITE:
    for (unsigned i = 0; i < COUNT(sizes); i++)
      wrong_size(of, p, sizes[i]);
    break;
  }
}

static void setup(void)
{
  const int64_t lo = 0, hi = 100;
  const iw_histogram_spec spec = { .size = sizeof spec, .type = IW_I64, .bins = 4, .lo = &lo, .hi = &hi };
  ck_assert_int_eq(iw_context_open(&context, NULL), IW_OK);
  ck_assert_int_eq(iw_histogram_plan_make(context, &spec, NULL, 0, &plan), IW_OK);
  const int64_t zero = 0, one = 1, samples[] = { 0, 1, 2, 3 }; /* as in all pools */
  ck_assert_int_eq(iw_growing_histogram_make(IW_I64, &zero, &one, 4, IW_GROW_RANGE, &growing), IW_OK);
  ck_assert_int_eq(iw_growing_histogram_make(IW_I64, &zero, &one, 4, IW_GROW_RANGE, &other_growing), IW_OK);
  ck_assert_int_eq(iw_growing_histogram_add(context, growing, samples, 4), IW_OK);
}

static void teardown(void)
{
  iw_context_close(opened);
  iw_growing_histogram_free(growing);
  iw_growing_histogram_free(other_growing);
  iw_histogram_plan_free(plan);
  iw_context_close(context);
}

static void run_well(const call *of, const char *why)
{
  ck_assert_msg(of->run() == IW_OK, "%s %s: %s", of->name, why, iw_message());
  iw_context_close(opened);
  opened = NULL;
}

START_TEST(messages)
{
  FOR_CALLS(k) {
    prepare(&calls[k]);
    run_well(&calls[k], "as it should be");
    FOR_PARAMETERS(p, k)
      wrong_values(&calls[k], p);
  }
  printf("# %u wrong values in %u calls\n", refusals, (unsigned)COUNT(calls));
}
END_TEST

/* Each call that returns a status is in the table. */
START_TEST(completeness)
{
  static const char *const headers[] = {
    "include/isowarp/context.h", "include/isowarp/scans.h", "include/isowarp/moves.h", "include/isowarp/sorts.h",
    "include/isowarp/strategies.h", "include/isowarp/exact.h", "include/isowarp/histograms.h",
  };
  const char *const srcdir = getenv("srcdir"), begin[] = "IW_API iw_status ";
  for (unsigned h = 0; h < COUNT(headers); h++) {
    char line[256];
    unsigned found = 0;
    FILE *const file = fopen(text_of("%s/%s", srcdir ? srcdir : "..", headers[h]).s, "r");
    if (!file) {
      printf("# skipped: no %s (srcdir is not set)\n", headers[h]);
      continue;
    }
    while (fgets(line, sizeof line, file))
      if (!strncmp(line, begin, strlen(begin))) {
        unsigned k = 0;
        line[strcspn(line, "(")] = 0;
        while (k < COUNT(calls) && strcmp(calls[k].name, line + strlen(begin)) != 0)
          k++;
        ck_assert_msg(k < COUNT(calls), "%s is not in the table of calls", line + strlen(begin));
        found++;
      }
    fclose(file);
    ck_assert_uint_gt(found, 0);
  }
}
END_TEST

/* Calls of all types take each of them, and so do calls of fewer. */
START_TEST(types)
{
  FOR_CALLS(k)
    FOR_PARAMETERS(p, k)
      for (iw_type type = IW_U8; (p->at == &a.type || p->at == &s.spec.type || p->at == &s.test.type || p->at == &s.buckets.type) && type <= IW_BF16; type++) {
        if (!takes(p, type))
          continue;
        prepare(&calls[k]);
        if (s.spec.kind == IW_HISTOGRAM_MAP || s.spec.kind == IW_HISTOGRAM_EDGES || calls[k].run == run_channels)
          continue; /* the edges, the map or the other channel are of another type */
        *(iw_type *)p->at = type;
        s.spec.type = p->at == &s.test.type || p->at == &s.buckets.type ? type : s.spec.type;
        run_well(&calls[k], iw_type_name(type));
      }
}
END_TEST

/* Bins of another type than the elements': both types are named. */
START_TEST(types_of_bins)
{
  reset();
  by_bin_of_test();
  s.test.type = IW_F32;
  ck_assert_int_eq(run_select(), IW_ERROR_INVALID);
  ck_assert_str_eq(iw_message(), "test->bins: spec->type is i64, but the elements are of f32");
  s.spec = s.planned;
  ck_assert_int_eq(run_select(), IW_ERROR_INVALID);
  ck_assert_msg(strstr(iw_message(), "type is f32") && strstr(iw_message(), "was made for i64"), "%s", iw_message());
  reset();
  by_bins_of_buckets();
  s.buckets.type = IW_F32;
  ck_assert_int_eq(run_multisplit(), IW_ERROR_INVALID);
  ck_assert_str_eq(iw_message(), "buckets->bins: spec->type is i64, but the elements are of f32");
  reset();
  s.spec.type = IW_F32;
  ck_assert_int_eq(run_channels(), IW_ERROR_INVALID);
  ck_assert_msg(strstr(iw_message(), "specs[1] is of f32") && strstr(iw_message(), "i64"), "%s", iw_message());
}
END_TEST

/* ---- Overlaps ---------------------------------------------------------------------------------------------------- */

/* The address of the last element of an array. */
static char *last_of(const parameter *p)
{
  return *(char **)p->at + (p->bytes > 8 ? p->bytes - 8 : 0);
}

static void overlapping(const call *of, const parameter *out, const parameter *other)
{
  prepare(of);
  *(void **)out->at = last_of(other);
  memcpy(pools_before, pools, sizeof pools);
  const iw_status status = of->run();
  ck_assert_msg(status == IW_ERROR_OVERLAP && strstr(iw_message(), out->name) && strstr(iw_message(), other->name),
                "%s with %s in %s is %s (%s)", of->name, out->name, other->name, iw_status_name(status),
                status ? iw_message() : "");
  ck_assert_msg(!memcmp(pools, pools_before, sizeof pools), "%s with %s in %s has written", of->name, out->name, other->name);
}

/* Results and output arrays that overlap each other or an input are refused; inputs may overlap. */
START_TEST(overlaps)
{
  unsigned refused_pairs = 0, input_pairs = 0;
  FOR_CALLS(k)
    FOR_PARAMETERS(p, k)
      FOR_PARAMETERS(q, k)
        if (p->use == OUT && q != p && (q->use == IN || q->use == OUT)) {
          overlapping(&calls[k], p, q);
          refused_pairs++;
        } else if (p->use == IN && q->use == IN && q != p) {
          prepare(&calls[k]);
          *(void **)p->at = *(void **)q->at;
          run_well(&calls[k], "with equal inputs");
          input_pairs++;
        }
  printf("# %u pairs refused, %u pairs of inputs accepted\n", refused_pairs, input_pairs);
  /* Reports are results. */
  reset();
  iw_histogram_report *const report = (iw_histogram_report *)(void *)(pool(0) + 6);
  iw_strategy_report *const of_strategy = (iw_strategy_report *)(void *)(pool(9) + 2);
  report->size = sizeof *report;
  a.report = report;
  ck_assert_int_eq(run_histogram(), IW_ERROR_OVERLAP);
  ck_assert_ptr_nonnull(strstr(iw_message(), "report"));
  of_strategy->size = sizeof *of_strategy;
  a.strategy_report = of_strategy;
  ck_assert_int_eq(run_strategy(), IW_ERROR_OVERLAP);
  ck_assert_ptr_nonnull(strstr(iw_message(), "report"));
}
END_TEST

/* Single values and tables are read before anything is written: they may lie in what is written. */
START_TEST(values_in_outputs)
{
  unsigned pairs = 0;
  FOR_CALLS(k)
    FOR_PARAMETERS(p, k)
      FOR_PARAMETERS(q, k)
        if (p->use == VALUE && q->use == OUT && q->bytes >= p->bytes)
          for (size_t place = 0; place <= q->bytes - p->bytes; place += 8) {
            uint64_t expected[POOL];
            prepare(&calls[k]);
            memcpy(*(char **)q->at + place, *(void **)p->at, p->bytes); /* as some of q may not be written */
            run_well(&calls[k], "apart");
            memcpy(expected, *(void **)q->at, q->bytes);
            prepare(&calls[k]);
            char *const at = *(char **)q->at + place;
            memcpy(at, *(void **)p->at, p->bytes);
            *(void **)p->at = at;
            ck_assert_msg(calls[k].run() == IW_OK, "%s with %s in %s: %s", calls[k].name, p->name, q->name, iw_message());
            ck_assert_msg(calls[k].run == run_plan_make || !memcmp(expected, *(void **)q->at, q->bytes),
                          "%s with %s in %s has another result", calls[k].name, p->name, q->name);
            pairs++;
          }
  ck_assert_uint_gt(pairs, 50);
}
END_TEST

/* ---- Structs of a later version ---------------------------------------------------------------------------------- */

/* Two pages, of which the second cannot be accessed. */
static char *page;
static size_t page_size;

static void *before_the_end(size_t bytes)
{
  if (!page) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(page != MAP_FAILED);
    ck_assert_int_eq(mprotect(page + page_size, page_size, PROT_NONE), 0);
  }
  memset(page, 0, page_size);
  return page + page_size - bytes;
}

START_TEST(larger_structs)
{
  unsigned structs = 0;
  FOR_CALLS(k)
    FOR_PARAMETERS(p, k) {
      if (p->kind < READ)
        continue;
      const size_t more[] = { 0, 8, 24, 4096 - p->number };
      const int written = p->kind == WRITTEN || p->kind == MAY_WRITE;
      const text name = text_of("%s->size", p->name);
      structs++;
      for (unsigned m = 0; m < COUNT(more); m++) {
        const size_t size = p->number + more[m];
        prepare(&calls[k]);
        char *const larger = before_the_end(size);
        memcpy(larger, *(void **)p->at, p->number);
        memcpy(larger, &size, sizeof size);
        if (written)
          memset(larger + p->number, 0x99, more[m]);
        *(void **)p->at = larger;
        run_well(&calls[k], "with a larger struct");
        for (size_t i = p->number; i < size; i++)
          ck_assert_msg(larger[i] == 0, "%s leaves byte %zu of %s", calls[k].name, i, p->name);
        for (size_t i = p->number; !written && i < size; i += more[m] / 8) {
          const text byte = text_of("byte %zu is 153", i), known = text_of("%zu bytes", p->number);
          memset(larger + p->number, 0, more[m]);
          larger[i] = (char)0x99;
          memcpy(pools_before, pools, sizeof pools);
          refused(&calls[k], p, (const char *const[4]){ name.s, text_of("%zu", size).s, byte.s, known.s });
        }
      }
      if (!written) { /* too small: no byte past it is read */
        prepare(&calls[k]);
        char *const small = before_the_end(sizeof(size_t));
        memcpy(small, &(size_t){ sizeof(size_t) }, sizeof(size_t));
        *(void **)p->at = small;
        refused(&calls[k], p, (const char *const[4]){ name.s, "8", "valid are", "4096" });
      }
    }
  ck_assert_uint_gt(structs, 20);
}
END_TEST

/* Payloads have the size of the first. */
START_TEST(larger_payloads)
{
  typedef struct later { iw_payload known; uint64_t unknown; } later;
  FOR_CALLS(k)
    FOR_PARAMETERS(p, k)
      if (p->at == &s.moves.payloads) {
        prepare(&calls[k]);
        uint64_t expected[2][N];
        run_well(&calls[k], "with payloads");
        memcpy(expected[0], pool(6), sizeof *expected);
        memcpy(expected[1], pool(8), sizeof *expected);
        prepare(&calls[k]);
        later *const list = before_the_end(2 * sizeof *list);
        for (unsigned i = 0; i < 2; i++) {
          list[i].known = s.payloads[i];
          list[i].known.size = sizeof *list;
        }
        s.moves.payloads = &list->known;
        run_well(&calls[k], "with larger payloads");
        ck_assert_mem_eq(expected[0], pool(6), sizeof *expected);
        ck_assert_mem_eq(expected[1], pool(8), sizeof *expected);
        list[1].unknown = 5;
        memcpy(pools_before, pools, sizeof pools);
        refused(&calls[k], p, (const char *const[4]){ "payloads[1].size", "48", "byte 40 is 5", "40 bytes" });
        list[1].unknown = 0;
        list[1].known.size = sizeof(iw_payload);
        refused(&calls[k], p, (const char *const[4]){ "payloads[1].size", "40", "payloads[0].size", "48" });
      }
}
END_TEST

/* ---- The caller's rounding mode and locale ----------------------------------------------------------------------- */

/* Numbers that end differently in each rounding mode, and a decimal point. */
static void say_numbers(char *said, size_t room)
{
  const float samples[] = { 1, 2, 2, 3 }, lo = 0.1f, hi = 3.3f;
  const double low = 1.0 / 3, high = 0.1;
  iw_histogram_spec spec = { .size = sizeof spec, .bins = 5, .lo = &low, .hi = &high };
  iw_histogram_plan_info info = { .size = sizeof info };
  iw_histogram_plan *made;
  double edges[6];
  ck_assert_int_eq(write_edges_of(IW_F64, &spec, edges), IW_ERROR_INVALID);
  snprintf(said, room, "%s", iw_message());
  spec.lo = &lo;
  spec.hi = &hi;
  ck_assert_int_eq(plan_of(context, IW_F32, &spec, samples, 3, &made), IW_OK);
  ck_assert_int_eq(iw_histogram_plan_get_info(context, made, 1000000, &info), IW_OK);
  iw_histogram_plan_free(made);
  snprintf(said + strlen(said), room - strlen(said), "; %s", info.why);
}

START_TEST(rounding_modes)
{
#ifdef FE_UPWARD
  static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD };
  char said[COUNT(modes)][1024];
  reset();
  for (unsigned m = 0; m < COUNT(modes); m++) {
    fesetround(modes[m]);
    say_numbers(said[m], sizeof *said);
    const int kept = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(kept, modes[m]);
    ck_assert_str_eq(said[m], said[0]);
  }
  ck_assert_ptr_nonnull(strstr(said[0], "0.33333333333333331"));
#endif
}
END_TEST

START_TEST(decimal_comma)
{
  char plain[1024], said[1024], folder[] = "/tmp/isowarp-locale-XXXXXX", command[512];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(command, sizeof command, "cd %s && printf 'comment_char %%%%\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
           "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n' > comma && "
           "localedef -c -i ./comma -f ANSI_X3.4-1968 ./xx_XX > log 2>&1; test -e xx_XX/LC_NUMERIC", folder);
  reset();
  say_numbers(plain, sizeof plain);
  const int made = system(command) == 0;
  setenv("LOCPATH", folder, 1);
  if (!made || !setlocale(LC_ALL, "xx_XX"))
    printf("# skipped: no locale with a decimal comma\n");
  else {
    ck_assert_str_eq(text_of("%.1f", 0.5).s, "0,5");
    say_numbers(said, sizeof said);
    ck_assert_str_eq(text_of("%.1f", 0.5).s, "0,5"); /* the caller keeps its locale */
    setlocale(LC_ALL, "C");
    ck_assert_str_eq(said, plain);
  }
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

/* ---- Other points of the contract -------------------------------------------------------------------------------- */

/* HI_INCLUDED includes CLOSED_TOP; with edges of integers they are the same, and a map has no top. */
START_TEST(closed_tops)
{
  const int32_t samples[] = { 0, 5, 9, 10, 11 }, lo = 0, hi = 10, edges[] = { 0, 5, 10 };
  const uint8_t bytes[] = { 0, 1, 2, 3, 255 };
  static const unsigned flags[] = {
    0, IW_HIST_CLOSED_TOP, IW_HIST_HI_INCLUDED, IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED,
  };
  iw_histogram_spec even = { .size = sizeof even, .bins = 2, .lo = &lo, .hi = &hi };
  iw_histogram_spec by_edge = { .size = sizeof by_edge, .kind = IW_HISTOGRAM_EDGES, .bins = 2, .edges = edges };
  iw_histogram_spec map = { .size = sizeof map, .kind = IW_HISTOGRAM_MAP, .bins = 4, .map = map_of_bytes };
  uint64_t found[4][3][4] = { { { 0 } } };
  int32_t written[4][3];
  for (unsigned f = 0; f < COUNT(flags); f++) {
    even.flags = by_edge.flags = map.flags = flags[f];
    ck_assert_int_eq(histogram_of(context, IW_I32, &even, samples, 5, found[f][0], NULL), IW_OK);
    ck_assert_int_eq(histogram_of(context, IW_I32, &by_edge, samples, 5, found[f][1], NULL), IW_OK);
    ck_assert_int_eq(histogram_of(context, IW_U8, &map, bytes, 5, found[f][2], NULL), IW_OK);
    ck_assert_int_eq(write_edges_of(IW_I32, &even, written[f]), IW_OK);
    ck_assert_uint_eq(found[f][0][0] + found[f][0][1], f ? 4 : 3);
    ck_assert_uint_eq(found[f][1][0] + found[f][1][1], f ? 4 : 3);
    ck_assert_mem_eq(found[f][2], found[0][2], sizeof *found[0]);
    ck_assert_int_eq(written[f][2], f < 2 ? 10 : 11);
  }
  ck_assert_mem_eq(found[3], found[2], sizeof *found);
}
END_TEST

/* An init that is a NaN is the canonical one, and so is what it is combined with. */
START_TEST(nan_init)
{
  const uint32_t payload = 0xffc12345u, signaling = 0x7f800001u, *const inits[] = { &payload, &signaling };
  const uint64_t wide = 0xfff8000000001234u;
  const float in[3] = { 1, 2, 3 };
  const double wide_in[3] = { 1, 2, 3 };
  for (unsigned i = 0; i < 6; i++) {
    uint32_t out[3], none, all;
    uint64_t wide_out[3];
    ck_assert_int_eq(iw_exclusive_scan(context, op_at(i % 3), IW_F32, in, 3, out,
                                       IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_reduce(context, op_at(i % 3), IW_F32, NULL, 0, &none,
                               IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_reduce(context, op_at(i % 3), IW_F32, in, 3, &all,
                               IW_OPTIONS(iw_scan_options, .init = inits[i / 3])), IW_OK);
    ck_assert_int_eq(iw_exclusive_scan(context, op_at(i % 3), IW_F64, wide_in, 3, wide_out,
                                       IW_OPTIONS(iw_scan_options, .init = &wide)), IW_OK);
    ck_assert(out[0] == 0x7fc00000u && out[2] == 0x7fc00000u && none == 0x7fc00000u && all == 0x7fc00000u);
    ck_assert(wide_out[0] == 0x7ff8000000000000u && wide_out[2] == 0x7ff8000000000000u);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("arguments");
  TCase *c = new_case(suite, "arguments");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, messages);
  tcase_add_test(c, completeness);
  tcase_add_test(c, types);
  tcase_add_test(c, types_of_bins);
  tcase_add_test(c, overlaps);
  tcase_add_test(c, values_in_outputs);
  tcase_add_test(c, larger_structs);
  tcase_add_test(c, larger_payloads);
  tcase_add_test(c, rounding_modes);
  tcase_add_test(c, decimal_comma);
  tcase_add_test(c, closed_tops);
  tcase_add_test(c, nan_init);
  return run_suite_on_all(suite);
}
