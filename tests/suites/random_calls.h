/* SPDX-License-Identifier: Apache-2.0
 *
 * Random calls on a GPU, real or simulated, whose results have to be the CPU's, to the bit: arguments, arrays in memory of
 * either side, and what stands around the results. The suite that includes this opens the contexts.
 *
 * ISOWARP_TEST_CASE    this case alone
 * ISOWARP_TEST_MOST    the largest cases have 2^MOST elements (RANDOM_CALLS_MOST)
 */
#ifndef TESTS_RANDOM_CALLS_H
#define TESTS_RANDOM_CALLS_H

#include "reference.h"
#include <isowarp.h>
#include <isowarp/strategies.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define FINE(call) ck_assert_msg((call) == IW_OK, "%s: %s", #call, iw_message())
#define EQUAL(what, expected, found, n, size) do { \
  const size_t at_ = first_difference(expected, found, n, size); \
  ck_assert_msg(at_ == SIZE_MAX, "%s: element %zu of %zu is %s, should be %s", what, at_, (size_t)(n), \
                hex(found, at_, size).s, hex(expected, at_, size).s); } while (0)

static size_t number(const char *variable, size_t otherwise)
{
  const char *const text = getenv(variable);
  return text ? (size_t)strtoull(text, NULL, 0) : otherwise;
}

static iw_context *open_on(iw_backend backend, int device)
{
  iw_context *context;
  const iw_context_options options = { .size = sizeof options, .backend = backend, .device = device };
  FINE(iw_context_open(&context, &options));
  return context;
}
static iw_context *open_cpu(void) { return open_on(IW_BACKEND_CPU, 0); }

static void *device_memory(iw_context *gpu, size_t bytes)
{
  void *memory;
  FINE(iw_memory_allocate(gpu, bytes, &memory));
  return memory;
}

/* A copy of host memory on the device. */
static void *on_device(iw_context *gpu, const void *from, size_t bytes)
{
  void *const memory = device_memory(gpu, bytes);
  FINE(iw_memory_copy(gpu, memory, from, bytes));
  return memory;
}

/* ---- Random calls: the pool ------------------------------------------------------------------------------------- */

enum { TYPES = IW_BF16 + 1, RUNS = FLAVOURS, POOLS };

/* Both sides, and values of each type that inputs are slices of. */
typedef struct pools {
  iw_context *gpu, *cpu;
  size_t most, elements;
  struct { void *host, *device; } of[TYPES][POOLS];
} pools;

/* Some of every value, each a few times, or many zeros. */
static void fill_runs(iw_type type, void *values, size_t n)
{
  for (size_t i = 0; i < n;) {
    const word w = random_below(2) ? (word){ .u64 = 0 } : random_word(type, random_below(2) ? TINY : UNIT);
    for (size_t end = i + 1 + random_below(random_below(8) ? 3 : 70); i < n && i < end; i++)
      put(type, values, i, w);
  }
}

static void need_pool(pools *p, iw_type type, int flavour)
{
  const size_t bytes = p->elements * iw_type_size(type);
  if (p->of[type][flavour].host)
    return;
  const uint64_t kept = random_state;
  void *const host = malloc(bytes);
  ck_assert_ptr_nonnull(host);
  start_random(50000 + (unsigned)type * POOLS + (unsigned)flavour);
  if (flavour == RUNS)
    fill_runs(type, host, p->elements);
  else
    fill(type, host, p->elements, flavour);
  random_state = kept;
  p->of[type][flavour].host = host;
  p->of[type][flavour].device = on_device(p->gpu, host, bytes);
}

/* n values from anywhere in a pool, so that pointers are aligned to their elements and no better. gpu is now and then
 * host memory, too. */
typedef struct input { const void *cpu, *gpu; } input;

static input random_input(pools *p, iw_type type, int flavour, size_t n)
{
  const size_t at = random_below(p->elements - n + 1) * iw_type_size(type);
  need_pool(p, type, flavour);
  const char *const host = p->of[type][flavour].host, *const device = p->of[type][flavour].device;
  const int staged = random_below(12) == 0;
  return (input){ host + at, (staged ? host : device) + at };
}

/* No call changed an input. Gives the pools back. */
static void close_pools(pools *p)
{
  for (unsigned t = IW_U8; t < TYPES; t++)
    for (unsigned f = 0; f < POOLS; f++) {
      if (!p->of[t][f].host)
        continue;
      const size_t size = iw_type_size((iw_type)t), bytes = p->elements * size;
      void *const seen = malloc(bytes);
      FINE(iw_memory_copy(p->gpu, seen, p->of[t][f].device, bytes));
      EQUAL("an input, afterwards,", p->of[t][f].host, seen, p->elements, size);
      FINE(iw_memory_free(p->gpu, p->of[t][f].device));
      free(seen);
      free(p->of[t][f].host);
    }
}

/* ---- Random calls: outputs -------------------------------------------------------------------------------------- */

enum { GUARD = 256, SHIFTS = 32 };

/* Where an output goes on each side. The device's (or host's, on the device's context) stands between known bytes. */
typedef struct output { char *device, *host, *cpu, *seen, *gpu; size_t room, bytes; int staged; } output;

static output output_new(pools *p, size_t bytes)
{
  output o = { .room = bytes + 2 * GUARD + 8 * SHIFTS };
  o.host = calloc(1, o.room);
  o.seen = malloc(o.room);
  o.cpu = malloc(o.room);
  ck_assert(o.host && o.seen && o.cpu);
  o.device = on_device(p->gpu, o.host, o.room);
  return o;
}

static void output_free(pools *p, output *o)
{
  FINE(iw_memory_free(p->gpu, o->device));
  free(o->host);
  free(o->seen);
  free(o->cpu);
}

/* A place of n elements for a call to write to, between known bytes; initial: what it holds, or NULL. */
static void *place(pools *p, output *o, size_t n, size_t size, int staged, const void *initial)
{
  unsigned char fence[GUARD];
  memset(fence, FENCE_BYTE, sizeof fence);
  o->bytes = n * size;
  o->staged = staged;
  ck_assert_uint_le(o->bytes + 2 * GUARD + size * SHIFTS, o->room);
  o->gpu = (staged ? o->host : o->device) + GUARD + size * random_below(SHIFTS);
  FINE(iw_memory_copy(p->gpu, o->gpu - GUARD, fence, GUARD));
  FINE(iw_memory_copy(p->gpu, o->gpu + o->bytes, fence, GUARD));
  if (initial && n)
    FINE(iw_memory_copy(p->gpu, o->gpu, initial, o->bytes));
  return o->gpu;
}

/* ---- Random calls: cases ---------------------------------------------------------------------------------------- */

enum { ARRAY, SECOND, TABLE, WORD, OUTPUTS, MOST_BINS = 70000 };

typedef struct run {
  pools pool;
  output out[OUTPUTS];
  size_t number, n, large;       /* the case; its size; how many were above 2^20 */
  char what[200], bins_text[100], device[120];
  /* Bins of a case. */
  iw_histogram_spec spec;
  iw_strategy_options options;
  word lo, hi;
  uint16_t map[256];
  char *edges, *scratch;
} run;

static size_t most_bits(void) { return number("ISOWARP_TEST_MOST", RANDOM_CALLS_MOST); }

#define CASE_IS(r, condition, ...) do { if (!(condition)) { char why_[900]; \
  snprintf(why_, sizeof why_, __VA_ARGS__); \
  ck_abort_msg("%s, n = %zu, on %s: %s (ISOWARP_TEST_SEED=%" PRIu64 " ISOWARP_TEST_MOST=%zu ISOWARP_TEST_CASE=%zu " \
               "repeats it)", (r)->what, (r)->n, (r)->device, why_, test_seed(), most_bits(), (r)->number); } } while (0)

static void same_status(run *r, iw_status cpu, iw_status gpu)
{
  CASE_IS(r, cpu == gpu, "%s on the CPU, %s on the device; the last message is \"%s\"", iw_status_name(cpu),
          iw_status_name(gpu), iw_message());
}

/* The first `bytes` of an output are the CPU's, and all around it is as it was. */
static void same_output(run *r, unsigned which, const char *name, size_t bytes, size_t size)
{
  output *const o = &r->out[which];
  FINE(iw_memory_copy(r->pool.gpu, o->seen, o->gpu - GUARD, o->bytes + 2 * GUARD));
  const size_t at = first_difference(o->cpu, o->seen + GUARD, bytes / size, size);
  CASE_IS(r, at == SIZE_MAX, "%s: element %zu of %zu is %s, the CPU's is %s", name, at, bytes / size,
          hex(o->seen + GUARD, at, size).s, hex(o->cpu, at, size).s);
  for (size_t i = 0; i < GUARD; i++)
    CASE_IS(r, (unsigned char)o->seen[i] == FENCE_BYTE && (unsigned char)o->seen[GUARD + o->bytes + i] == FENCE_BYTE,
            "%s: a byte %zu %s the array was written", name,
            (unsigned char)o->seen[i] == FENCE_BYTE ? i + 1 : GUARD - i,
            (unsigned char)o->seen[i] == FENCE_BYTE ? "behind" : "before");
}

static int one_in(size_t n) { return random_below(n) == 0; }
static iw_type random_any_type(void) { return (iw_type)(IW_U8 + random_below(IW_BF16)); }
/* Of the first `ops` operators one that takes the type. */
static iw_op random_op(iw_type type, unsigned ops)
{
  iw_op op;
  do
    op = op_at((unsigned)random_below(ops));
  while (!has_operation(op, type));
  return op;
}
static int random_flavour(void) { return (int)random_below(POOLS); }

static void scan_case(run *r)
{
  const iw_type type = random_any_type();
  const iw_op op = random_op(type, ALL_OPS);
  const int flavour = random_below(3) ? WIDE : random_flavour(), exclusive = one_in(2), in_place = one_in(3);
  const size_t size = iw_type_size(type), n = r->n;
  const input in = random_input(&r->pool, type, flavour, n);
  word init = { .u64 = 0 };
  put(type, &init, 0, random_word(type, flavour == RUNS ? WIDE : flavour));
  const void *const first = one_in(2) ? &init : NULL;
  snprintf(r->what, sizeof r->what, "%s scan by %s of %s, flavour %d%s%s",
           exclusive ? "exclusive" : "inclusive",
           op_name(op), iw_type_name(type), flavour, first ? ", init" : "", in_place ? ", in place" : "");
  void *const out = place(&r->pool, &r->out[ARRAY], n, size, one_in(12), in_place ? in.gpu : NULL);
  const void *const there = first ? place(&r->pool, &r->out[WORD], 1, size, one_in(2), first) : NULL;
  const iw_status cpu = scan_by(r->pool.cpu, exclusive, op, type, in.cpu, n, r->out[ARRAY].cpu, IW_OPTIONS(iw_scan_options, .init = first));
  same_status(r, cpu, scan_by(r->pool.gpu, exclusive, op, type, in_place ? out : in.gpu, n, out, IW_OPTIONS(iw_scan_options, .init = there)));
  same_output(r, ARRAY, "out", n * size, size);
  memcpy(r->out[WORD].cpu, &init, size);
  if (there)
    same_output(r, WORD, "init, afterwards,", size, size);
}

/* Ascending positions up to n, of segments of one length or of any; their number is in *count. */
static uint64_t *random_offsets(size_t n, size_t *count)
{
  const size_t most = random_size(MOST_BINS), each = one_in(2) ? n / most : 0;
  uint64_t *const offsets = malloc((most + 1) * sizeof *offsets), at = random_below(n / 4 + 1);
  ck_assert_ptr_nonnull(offsets);
  for (*count = 0; *count < most; ++*count) {
    const uint64_t length = each ? each : one_in(50) ? random_size(n + 1) : random_below(2 * (n / most) + 3);
    offsets[*count] = at;
    if (length > n - at)
      break;
    at += length;
  }
  offsets[*count] = at;
  return offsets;
}

/* Writes offsets as an input of the CPU's call, and returns where those of the other call are. */
static const void *place_offsets(run *r, iw_type type, const uint64_t *offsets, size_t count)
{
  for (size_t k = 0; k <= count; k++)
    put(type, r->out[TABLE].cpu, k, (word){ .u64 = offsets[k] });
  return place(&r->pool, &r->out[TABLE], count + 1, iw_type_size(type), one_in(4), r->out[TABLE].cpu);
}

/* Scans of rows, and of segments by flags, by keys and by offsets. */
static void segmented_scan_case(run *r)
{
  static const iw_segments_kind kinds[] = { IW_SEGMENTS_ROWS, IW_SEGMENTS_ROWS, IW_SEGMENTS_FLAGS, IW_SEGMENTS_KEYS,
                                            IW_SEGMENTS_OFFSETS, IW_SEGMENTS_OFFSETS };
  const iw_segments_kind kind = kinds[random_below(COUNT(kinds))];
  const iw_type type = random_any_type(), key_type = kind == IW_SEGMENTS_KEYS ? random_any_type() : IW_U8;
  const iw_type offset_type = one_in(2) ? IW_U32 : IW_U64;
  const int by_heads = kind == IW_SEGMENTS_FLAGS || kind == IW_SEGMENTS_KEYS;
  const iw_op op = random_op(type, by_heads ? SEGMENT_OPS : ALL_OPS);
  const int flavour = random_below(3) ? WIDE : random_flavour(), in_place = one_in(3);
  const size_t columns = one_in(3) ? 1 + random_below(300) : random_size(r->n + !r->n), size = iw_type_size(type);
  const size_t n = kind == IW_SEGMENTS_ROWS ? r->n / columns * columns : r->n;
  const input in = random_input(&r->pool, type, flavour, n), runs = random_input(&r->pool, key_type, RUNS, n);
  word init = { .u64 = 0 };
  put(type, &init, 0, random_word(type, flavour == RUNS ? WIDE : flavour));
  iw_segments segments = { .size = sizeof segments, .kind = kind, .columns = columns, .flags = runs.cpu,
                           .keys = runs.cpu, .key_type = key_type, .offset_type = offset_type };
  const void *offsets_there = NULL;
  if (kind == IW_SEGMENTS_OFFSETS) {
    uint64_t *const offsets = random_offsets(n, &segments.count);
    segments.count += !segments.count;
    offsets[0] = 0; /* outputs of elements in no segment would differ */
    offsets[segments.count] = n;
    offsets_there = place_offsets(r, offset_type, offsets, segments.count);
    segments.offsets = r->out[TABLE].cpu;
    free(offsets);
  }
  scan_arguments spec = { .op = op, .in_type = type, .type = type, .exclusive = one_in(2),
                        .init = one_in(2) ? &init : NULL, .segments = &segments };
  snprintf(r->what, sizeof r->what, "%s scan by %s of %s, flavour %d, of segments of kind %d (%zu columns, keys of %s)%s%s",
           spec.exclusive ? "exclusive" : "inclusive", op_name(op), iw_type_name(type), flavour, (int)kind, columns,
           iw_type_name(key_type), spec.init ? ", init" : "", in_place ? ", in place" : "");
  void *const out = place(&r->pool, &r->out[ARRAY], n, size, one_in(12), in_place ? in.gpu : NULL);
  const iw_status cpu = scan_with(r->pool.cpu, &spec, in.cpu, n, r->out[ARRAY].cpu);
  if (spec.init)
    spec.init = place(&r->pool, &r->out[WORD], 1, size, one_in(2), &init);
  segments.flags = segments.keys = runs.gpu;
  segments.offsets = offsets_there;
  same_status(r, cpu, scan_with(r->pool.gpu, &spec, in_place ? out : in.gpu, n, out));
  same_output(r, ARRAY, "out", n * size, size);
}

static void reduce_case(run *r)
{
  const iw_type type = random_any_type();
  const iw_op op = random_op(type, ALL_OPS);
  const int flavour = random_below(3) ? WIDE : random_flavour();
  const size_t size = iw_type_size(type);
  const input in = random_input(&r->pool, type, flavour, r->n);
  word init = { .u64 = 0 };
  put(type, &init, 0, random_word(type, flavour == RUNS ? WIDE : flavour));
  const void *const first = one_in(2) ? &init : NULL;
  const int staged = one_in(2);
  snprintf(r->what, sizeof r->what, "reduce by %s of %s, flavour %d%s, to %s", op_name(op), iw_type_name(type), flavour,
           first ? ", init" : "", staged ? "the host" : "the device");
  void *const out = place(&r->pool, &r->out[WORD], 1, size, staged, &init);
  const iw_status cpu = iw_reduce(r->pool.cpu, op, type, in.cpu, r->n, r->out[WORD].cpu,
                                  IW_OPTIONS(iw_scan_options, .init = first));
  same_status(r, cpu, iw_reduce(r->pool.gpu, op, type, in.gpu, r->n, out,
                                IW_OPTIONS(iw_scan_options, .init = first && one_in(2) ? out : first)));
  same_output(r, WORD, "result", size, size);
}

static iw_type edges_type;
static int by_value(const void *a, const void *b)
{
  if (is_float(edges_type)) {
    const double x = real_of(edges_type, a, 0), y = real_of(edges_type, b, 0);
    return (x > y) - (x < y);
  }
  const wide x = integer_of(edges_type, a, 0), y = integer_of(edges_type, b, 0);
  return (x > y) - (x < y);
}

/* Edges out of the values of an input: sorted, each once. Their number. */
static size_t random_edges(run *r, iw_type type, const input *in, size_t wanted)
{
  const size_t size = iw_type_size(type);
  size_t found = 0, kept = 1;
  for (size_t i = 0; i < wanted && r->n; i++) {
    memcpy(r->edges + found * size, (const char *)in->cpu + random_below(r->n) * size, size);
    found += !is_float(type) || isfinite(real_of(type, r->edges, found));
  }
  edges_type = type;
  qsort(r->edges, found, size, by_value);
  for (size_t i = 1; i < found; i++)
    if (by_value(r->edges + (kept - 1) * size, r->edges + i * size) < 0)
      memmove(r->edges + kept++ * size, r->edges + i * size, size);
  return found ? kept : 0;
}

/* Even bins between two values of the input or over a neat range, the caller's edges, a map, or an automatic range. */
static void random_bins(run *r, iw_type type, const input *in, int only_even_and_edges)
{
  const size_t size = iw_type_size(type),
      most = r->n < 1000 ? 300 : one_in(20) ? MOST_BINS : one_in(4) ? 20000 : 500;
  const unsigned kind = (unsigned)random_below(only_even_and_edges ? 8 : 10);
  iw_histogram_spec *const s = &r->spec;
  *s = (iw_histogram_spec){
    .size = sizeof *s, .bins = random_size(most), .policy = (iw_policy)random_below(3),
    .flags = (unsigned)random_below(8),
  };
  r->options = (iw_strategy_options){ .size = sizeof r->options,
                                     .coarsening = (unsigned)(one_in(2) ? random_below(20) : 0) };
  if (!is_float(type) && one_in(4))
    s->flags |= IW_HIST_HI_INCLUDED;
  const char *name = "even";
  if (kind == 9 && type == IW_U8) {
    name = "map";
    s->kind = IW_HISTOGRAM_MAP;
    s->flags &= ~(unsigned)(IW_HIST_CLOSED_TOP | IW_HIST_HI_INCLUDED);
    s->policy = one_in(2) ? IW_POLICY_DROP : IW_POLICY_COUNT;
    s->bins = random_size(one_in(4) ? 65535 : 256);
    s->map = r->map;
    for (unsigned v = 0; v < 256; v++)
      r->map[v] = random_below(5) ? (uint16_t)random_below(s->bins) : IW_MAP_NONE;
  } else if (kind >= 7) {
    name = "automatic";
    s->flags &= ~(unsigned)IW_HIST_HI_INCLUDED;
    s->bins = random_size(100);
  } else if (kind >= 4) {
    const size_t found = random_edges(r, type, in, 2 + random_size(most < 5000 ? most : 5000));
    s->kind = IW_HISTOGRAM_EDGES;
    s->flags &= ~(unsigned)IW_HIST_HI_INCLUDED;
    s->edges = r->edges;
    s->bins = found > 1 ? found - 1 : 1;
    name = "edges";
  } else {
    s->lo = &r->lo, s->hi = &r->hi;
    r->lo = r->hi = (word){ .u64 = 0 };
    if (r->n && one_in(2)) {
      memcpy(&r->lo, (const char *)in->cpu + random_below(r->n) * size, size);
      memcpy(&r->hi, (const char *)in->cpu + random_below(r->n) * size, size);
      edges_type = type;
      if (by_value(&r->lo, &r->hi) > 0) {
        const word other = r->lo;
        r->lo = r->hi, r->hi = other;
      }
    } else if (type == IW_F32)
      r->lo.f32 = one_in(2) ? 0 : -1, r->hi.f32 = one_in(2) ? 1 : 0.7f;
    else if (type == IW_F64)
      r->lo.f64 = one_in(2) ? 0 : -1, r->hi.f64 = one_in(2) ? 1 : 0.7;
    else if (is_half(type))
      r->lo.u16 = half_of(type, one_in(2) ? 0 : -1), r->hi.u16 = half_of(type, one_in(2) ? 1 : 0.7);
    else
      put(type, &r->lo, 0, (word){ .u64 = random_below(9) }),
        put(type, &r->hi, 0, (word){ .u64 = 200 + random_below(50) });
  }
  if (s->kind != IW_HISTOGRAM_MAP && (s->lo || s->edges) && write_edges_of(type, s, r->scratch) != IW_OK) {
    name = "a few even"; /* the others cannot be had */
    s->kind = IW_HISTOGRAM_EVEN;
    s->edges = NULL;
    s->lo = &r->lo, s->hi = &r->hi;
    s->bins = random_size(100);
    put(type, &r->lo, 0, (word){ .u64 = 0 });
    put(type, &r->hi, 0,
        type == IW_F32 ? (word){ .f32 = 3 } : type == IW_F64 ? (word){ .f64 = 3 }
        : is_half(type) ? (word){ .u16 = half_of(type, 3) } : (word){ .u64 = 101 });
  }
  snprintf(r->bins_text, sizeof r->bins_text, "%zu bins (%s, policy %d, flags %u)", s->bins, name,
           (int)s->policy, s->flags);
}

/* The chapter's strategies are slow by design, one thread of a GPU above all. */
static iw_strategy random_strategy(size_t n)
{
  if (n <= 1 << 13)
    return (iw_strategy)random_below(IW_STRATEGY_ROWS + 1);
  if (n > 1 << 21 || random_below(4))
    return one_in(2) ? IW_STRATEGY_AUTO : IW_STRATEGY_ROWS;
  return (iw_strategy)(IW_STRATEGY_BASIC + random_below(IW_STRATEGY_ROWS - IW_STRATEGY_BASIC));
}

static void histogram_case(run *r)
{
  const iw_type type = random_any_type();
  const int flavour = random_flavour(), with_report = one_in(2);
  const input in = random_input(&r->pool, type, flavour, r->n);
  random_bins(r, type, &in, 0);
  iw_histogram_spec *const s = &r->spec;
  r->options.strategy = random_strategy(r->n);
  const size_t counts = s->bins + (s->policy == IW_POLICY_COUNT ? 2 : 0),
      size = s->flags & IW_HIST_COUNTERS_32 ? 4 : 8;
  iw_strategy_report cpu_report = { .size = sizeof cpu_report }, gpu_report = { .size = sizeof gpu_report };
  snprintf(r->what, sizeof r->what, "histogram of %s, flavour %d, %s, %s, coarsening %u%s",
           iw_type_name(type), flavour,
           r->bins_text, iw_strategy_name(r->options.strategy), r->options.coarsening,
               with_report ? ", report" : "");
  for (size_t k = 0; k < counts; k++)
    put(size == 4 ? IW_U32 : IW_U64, r->out[TABLE].cpu, k, (word){ .u64 = k * 7 + 1 });
  void *const out = place(&r->pool, &r->out[TABLE], counts, size, one_in(4), r->out[TABLE].cpu);
  const iw_status cpu = histogram_by_strategy_of(r->pool.cpu, type, s, in.cpu, r->n, r->out[TABLE].cpu,
                                                 &cpu_report, &r->options);
  same_status(r, cpu, with_report || r->options.strategy != IW_STRATEGY_AUTO
              ? histogram_by_strategy_of(r->pool.gpu, type, s, in.gpu, r->n, out, with_report ? &gpu_report : NULL,
                                         &r->options)
              : histogram_of(r->pool.gpu, type, s, in.gpu, r->n, out, NULL));
  same_output(r, TABLE, "counts", counts * size, size);
  if (cpu == IW_OK && with_report) {
    CASE_IS(r, r->options.strategy == IW_STRATEGY_AUTO || cpu_report.strategy == gpu_report.strategy,
            "the report says strategy %d, the CPU's %d", (int)gpu_report.strategy, (int)cpu_report.strategy);
    CASE_IS(r, cpu_report.underflow == gpu_report.underflow && cpu_report.overflow == gpu_report.overflow
               && cpu_report.nan == gpu_report.nan,
            "outside are %" PRIu64 ", %" PRIu64 " and %" PRIu64 ", for the CPU %" PRIu64 ", %" PRIu64 " and %" PRIu64,
            gpu_report.underflow, gpu_report.overflow, gpu_report.nan, cpu_report.underflow,
                cpu_report.overflow,
            cpu_report.nan);
  }
}

static void range_case(run *r)
{
  const iw_type type = random_any_type();
  const int flavour = random_flavour();
  const input in = random_input(&r->pool, type, flavour, r->n);
  word lo[2], hi[2];
  memset(lo, 0, sizeof lo);
  memset(hi, 0, sizeof hi);
  snprintf(r->what, sizeof r->what, "range of %s, flavour %d", iw_type_name(type), flavour);
  const iw_status cpu = iw_histogram_range(r->pool.cpu, type, in.cpu, r->n, &lo[0], &hi[0]);
  same_status(r, cpu, iw_histogram_range(r->pool.gpu, type, in.gpu, r->n, &lo[1], &hi[1]));
  CASE_IS(r, lo[0].u64 == lo[1].u64 && hi[0].u64 == hi[1].u64, "%s … %s, for the CPU %s … %s",
          hex(lo, 1, 8).s,
          hex(hi, 1, 8).s, hex(lo, 0, 8).s, hex(hi, 0, 8).s);
}

/* Partition by a pivot or flags, select, extract: the CPU first, since its count says how much room there has to be. */
static void sides_case(run *r)
{
  enum { PIVOT, FLAGS, SELECT, EXTRACT };
  static const char *const names[] = { "partition", "partition by flags", "select", "extract" };
  const unsigned which = (unsigned)random_below(4);
  const iw_type type = random_any_type();
  const int flavour = random_flavour(), count_staged = one_in(2), all = which < SELECT;
  const size_t size = iw_type_size(type), n = r->n;
  const input in = random_input(&r->pool, type, flavour, n);
  const input flags = random_input(&r->pool, IW_U8, one_in(3) ? WIDE : RUNS, n);
  const int in_place = one_in(4) && n * size <= (size_t)64 << 20;
  size_t cpu_count = 0, bin = 0;
  word pivot = { .u64 = 0 };
  put(type, &pivot, 0, random_word(type, flavour == RUNS ? TINY : flavour));
  if (n && one_in(2))
    memcpy(&pivot, (const char *)in.cpu + random_below(n) * size, size);
  if (which == EXTRACT) {
    random_bins(r, type, &in, 1);
    bin = one_in(3) ? 0 : one_in(2) ? r->spec.bins - 1 : random_below(r->spec.bins);
  }
  snprintf(r->what, sizeof r->what, "%s of %s, flavour %d%s%s, count to %s%s", names[which],
           iw_type_name(type),
           flavour, which == EXTRACT ? ", " : "", which == EXTRACT ? r->bins_text : "",
           count_staged ? "the host" : "the device", in_place ? ", in place" : "");
#define CALL(context, in, flags, out, count) \
  (which == PIVOT ? partition_by_pivot(context, type, in, n, &pivot, out, count) \
   : which == FLAGS ? partition_by_flags(context, type, in, flags, n, out, count) \
   : which == SELECT ? select_by_flags(context, type, in, flags, n, out, count) \
   : select_bin(context, type, in, n, &r->spec, bin, out, count))
  const iw_status cpu = CALL(r->pool.cpu, in.cpu, flags.cpu, r->out[ARRAY].cpu, &cpu_count);
  memcpy(r->out[WORD].cpu, &cpu_count, sizeof cpu_count);
  const size_t written = cpu != IW_OK ? 0 : all ? n : cpu_count,
      room = all || in_place || !count_staged ? n : written;
  void *const out = place(&r->pool, &r->out[ARRAY], room, size, one_in(12), in_place ? in.gpu : NULL);
  size_t *const count = place(&r->pool, &r->out[WORD], 1, sizeof *count, count_staged, r->out[WORD].cpu);
  if (in_place)
    FINE(iw_context_reserve(r->pool.gpu, n * size));
  same_status(r, cpu, CALL(r->pool.gpu, in_place ? out : in.gpu, flags.gpu, out, count));
#undef CALL
  same_output(r, WORD, "count", sizeof *count, sizeof *count);
  same_output(r, ARRAY, "out", written * size, size);
}

/* Partition by a comparison or flags into two arrays, which are on the device or not, and select; the count likewise. */
static void two_outputs_case(run *r)
{
  const iw_type type = random_any_type();
  const int flavour = random_flavour(), by_flags = one_in(3), select = one_in(3);
  const size_t size = iw_type_size(type), n = r->n;
  const input in = random_input(&r->pool, type, flavour, n);
  const input flags = random_input(&r->pool, IW_U8, one_in(3) ? WIDE : RUNS, n);
  size_t cpu_count = 0;
  word constant = { .u64 = 0 };
  put(type, &constant, 0, random_word(type, flavour == RUNS ? TINY : flavour));
  if (n && one_in(2))
    memcpy(&constant, (const char *)in.cpu + random_below(n) * size, size);
  iw_test test = { .size = sizeof test, .compare = (iw_compare)random_below(6) };
  if (by_flags)
    test.flags = flags.cpu;
  else
    test.constant = &constant;
  snprintf(r->what, sizeof r->what, "%s of %s by %s %d, flavour %d",
           select ? "select" : "partition into two", iw_type_name(type),
           by_flags ? "flags" : "comparison", (int)test.compare, flavour);
#define CALL(context, in, front, rest, count) \
  (select ? select_of(context, type, &test, in, n, front, count) \
          : partition_of(context, type, &test, in, n, front, rest, count))
  const iw_status cpu = CALL(r->pool.cpu, in.cpu, r->out[ARRAY].cpu, r->out[SECOND].cpu, &cpu_count);
  memcpy(r->out[WORD].cpu, &cpu_count, sizeof cpu_count);
  void *const front = place(&r->pool, &r->out[ARRAY], n, size, one_in(12), NULL);
  void *const rest = place(&r->pool, &r->out[SECOND], select ? 0 : n, size, one_in(12), NULL);
  size_t *const count = place(&r->pool, &r->out[WORD], 1, sizeof *count, one_in(2), r->out[WORD].cpu);
  if (by_flags)
    test.flags = flags.gpu;
  same_status(r, cpu, CALL(r->pool.gpu, in.gpu, front, rest, count));
#undef CALL
  same_output(r, WORD, "count", sizeof *count, sizeof *count);
  same_output(r, ARRAY, "front", cpu == IW_OK ? cpu_count * size : 0, size);
  if (!select)
    same_output(r, SECOND, "rest", cpu == IW_OK ? (n - cpu_count) * size : 0, size);
}

static void multisplit_case(run *r)
{
  const iw_type type = random_any_type();
  const int flavour = random_flavour();
  const size_t size = iw_type_size(type);
  const input in = random_input(&r->pool, type, flavour, r->n);
  random_bins(r, type, &in, 1);
  snprintf(r->what, sizeof r->what, "multisplit of %s, flavour %d, %s", iw_type_name(type), flavour,
           r->bins_text);
  const iw_status cpu = multisplit_by_bins(r->pool.cpu, type, in.cpu, r->n, &r->spec, r->out[ARRAY].cpu,
                                          (size_t *)(void *)r->out[TABLE].cpu);
  void *const out = place(&r->pool, &r->out[ARRAY], r->n, size, one_in(12), NULL);
  size_t *const offsets = place(&r->pool, &r->out[TABLE], r->spec.bins + 1, sizeof *offsets, one_in(4),
                                NULL);
  same_status(r, cpu, multisplit_by_bins(r->pool.gpu, type, in.gpu, r->n, &r->spec, out, offsets));
  same_output(r, TABLE, "offsets", cpu == IW_OK ? (r->spec.bins + 1) * sizeof *offsets : 0, sizeof *offsets);
  same_output(r, ARRAY, "out", cpu == IW_OK ? r->n * size : 0, size);
}

/* A sort, with the permutation or without; some sorts are in place. */
static void sort_case(run *r)
{
  const iw_type type = random_any_type();
  const int flavour = random_flavour(), indices = one_in(2), in_place = one_in(3);
  const size_t size = iw_type_size(type), width = one_in(2) ? 4 : 8;
  const unsigned bits = 8 * (unsigned)size;
  const input in = random_input(&r->pool, type, flavour, r->n);
  iw_sort_options options = { .size = sizeof options, .descending = one_in(2) };
  if (!is_float(type) && one_in(3)) {
    options.begin_bit = (unsigned)random_below(bits);
    options.end_bit = options.begin_bit + 1 + (unsigned)random_below(bits - options.begin_bit);
  }
  snprintf(r->what, sizeof r->what, "sort of %s, flavour %d, descending %d, bits %u to %u%s", iw_type_name(type), flavour,
           options.descending, options.begin_bit, options.end_bit, indices ? ", with indices" : "");
  iw_payload payload = { .size = sizeof payload, .out = r->out[SECOND].cpu, .width = width };
  const iw_status cpu = sort_payloads(r->pool.cpu, type, in.cpu, r->n, r->out[ARRAY].cpu, &payload, (size_t)indices, &options);
  void *const out = place(&r->pool, &r->out[ARRAY], r->n, size, one_in(12), in_place ? in.cpu : NULL);
  payload.out = place(&r->pool, &r->out[SECOND], indices ? r->n : 0, width, one_in(12), NULL);
  same_status(r, cpu, sort_payloads(r->pool.gpu, type, in_place ? out : in.gpu, r->n, out, &payload, (size_t)indices, &options));
  same_output(r, ARRAY, "out", cpu == IW_OK ? r->n * size : 0, size);
  same_output(r, SECOND, "indices", cpu == IW_OK && indices ? r->n * width : 0, width);
}

/* Sorts of rows and of segments by offsets, with the permutation or without. */
static void sort_segments_case(run *r)
{
  const iw_type type = random_any_type(), offset_type = one_in(2) ? IW_U32 : IW_U64;
  const int flavour = random_flavour(), indices = one_in(2), by_rows = one_in(2);
  const size_t columns = one_in(3) ? 1 + random_below(300) : random_size(r->n + !r->n), size = iw_type_size(type);
  const size_t n = by_rows ? r->n / columns * columns : r->n, width = one_in(2) ? 4 : 8;
  const input in = random_input(&r->pool, type, flavour, n);
  const iw_sort_options options = { .size = sizeof options, .descending = one_in(2) };
  iw_segments segments = { .size = sizeof segments, .kind = by_rows ? IW_SEGMENTS_ROWS : IW_SEGMENTS_OFFSETS, .columns = columns,
                           .offset_type = offset_type };
  const void *offsets_there = NULL;
  if (!by_rows) {
    uint64_t *const offsets = random_offsets(n, &segments.count);
    segments.count += !segments.count;
    offsets[0] = 0; /* every element is in a segment */
    offsets[segments.count] = n;
    offsets_there = place_offsets(r, offset_type, offsets, segments.count);
    segments.offsets = r->out[TABLE].cpu;
    free(offsets);
  }
  snprintf(r->what, sizeof r->what, "sort of %s, flavour %d, descending %d, of segments of kind %d (%zu columns, %zu segments)%s",
           iw_type_name(type), flavour, options.descending, (int)segments.kind, columns, segments.count,
           indices ? ", with indices" : "");
  iw_payload payload = { .size = sizeof payload, .out = r->out[SECOND].cpu, .width = width };
#define CALL(context, in, out) sort_segments(context, type, &segments, in, n, out, &payload, (size_t)indices, &options)
  const iw_status cpu = CALL(r->pool.cpu, in.cpu, r->out[ARRAY].cpu);
  void *const out = place(&r->pool, &r->out[ARRAY], n, size, one_in(12), NULL);
  payload.out = place(&r->pool, &r->out[SECOND], indices ? n : 0, width, one_in(12), NULL);
  segments.offsets = offsets_there;
  same_status(r, cpu, CALL(r->pool.gpu, in.gpu, out));
#undef CALL
  same_output(r, ARRAY, "out", cpu == IW_OK ? n * size : 0, size);
  same_output(r, SECOND, "indices", cpu == IW_OK && indices ? n * width : 0, width);
}

/* Lower and upper bounds of values in an array that the CPU has sorted. */
static void bounds_case(run *r)
{
  const iw_type type = random_any_type(), index_type = one_in(2) ? IW_U32 : IW_U64;
  const int flavour = random_flavour(), upper = one_in(2);
  const size_t size = iw_type_size(type), index_size = iw_type_size(index_type), count = random_size(r->pool.most);
  const input in = random_input(&r->pool, type, flavour, r->n);
  const input values = random_input(&r->pool, type, one_in(3) ? random_flavour() : flavour, count);
  iw_sort_options options = { .size = sizeof options, .descending = one_in(2) };
  if (!is_float(type) && one_in(4)) {
    options.begin_bit = (unsigned)random_below(8 * size);
    options.end_bit = options.begin_bit + 1 + (unsigned)random_below(8 * size - options.begin_bit);
  }
  snprintf(r->what, sizeof r->what, "%s bounds of %zu of %s, flavour %d, descending %d, bits %u to %u, in %s",
           upper ? "upper" : "lower", count, iw_type_name(type), flavour, options.descending, options.begin_bit, options.end_bit, iw_type_name(index_type));
#define CALL(context, sorted, values, indices) (upper ? iw_upper_bound : iw_lower_bound)(\
    context, type, (iw_elements){ sorted, r->n }, (iw_elements){ values, count }, (iw_indices){ indices, (unsigned)iw_type_size(index_type) }, &options)
  FINE(iw_sort(r->pool.cpu, type, in.cpu, r->n, r->out[SECOND].cpu, &options));
  const void *const sorted = place(&r->pool, &r->out[SECOND], r->n, size, one_in(12), r->out[SECOND].cpu);
  const iw_status cpu = CALL(r->pool.cpu, r->out[SECOND].cpu, values.cpu, r->out[ARRAY].cpu);
  void *const out = place(&r->pool, &r->out[ARRAY], count, index_size, one_in(12), NULL);
  same_status(r, cpu, CALL(r->pool.gpu, sorted, values.gpu, out));
#undef CALL
  same_output(r, ARRAY, "indices", count * index_size, index_size);
  same_output(r, SECOND, "the sorted array, afterwards,", r->n * size, size);
}

/* Merges of two arrays that the CPU has sorted: the output, or indices. */
static void merge_case(run *r)
{
  const iw_type type = random_any_type(), index_type = one_in(2) ? IW_U32 : IW_U64;
  const int flavour = random_flavour(), wants_indices = one_in(3);
  const size_t size = iw_type_size(type), a_count = one_in(6) ? 0 : random_below(r->n + 1), b_count = r->n - a_count;
  const size_t width = wants_indices ? iw_type_size(index_type) : size;
  const input in = random_input(&r->pool, type, flavour, r->n);
  iw_sort_options options = { .size = sizeof options, .descending = one_in(2) };
  if (!is_float(type) && one_in(4)) {
    options.begin_bit = (unsigned)random_below(8 * size);
    options.end_bit = options.begin_bit + 1 + (unsigned)random_below(8 * size - options.begin_bit);
  }
  snprintf(r->what, sizeof r->what, "merge of %zu and %zu of %s, flavour %d, descending %d, bits %u to %u, indices %d in %s", a_count, b_count,
           iw_type_name(type), flavour, options.descending, options.begin_bit, options.end_bit, wants_indices, iw_type_name(index_type));
#define CALL(context, a, out) iw_merge(context, type, (iw_elements){ a, a_count }, (iw_elements){ (const char *)(a) + a_count * size, b_count }, \
                                       wants_indices ? NULL : (out), (iw_indices){ wants_indices ? (out) : NULL, (unsigned)iw_type_size(index_type) }, &options)
  char *const both = r->out[SECOND].cpu;
  FINE(iw_sort(r->pool.cpu, type, in.cpu, a_count, both, &options));
  FINE(iw_sort(r->pool.cpu, type, (const char *)in.cpu + a_count * size, b_count, both + a_count * size, &options));
  const void *const sorted = place(&r->pool, &r->out[SECOND], r->n, size, one_in(12), both);
  const iw_status cpu = CALL(r->pool.cpu, both, r->out[ARRAY].cpu);
  void *const out = place(&r->pool, &r->out[ARRAY], r->n, width, one_in(12), NULL);
  same_status(r, cpu, CALL(r->pool.gpu, sorted, out));
#undef CALL
  same_output(r, ARRAY, wants_indices ? "indices" : "out", r->n * width, width);
  same_output(r, SECOND, "the sorted arrays, afterwards,", r->n * size, size);
}

/* The largest or smallest elements and their indices, of an array or of rows; or the element at a place of the sorted array. */
static void top_k_case(run *r)
{
  const iw_type type = random_any_type(), index_type = one_in(2) ? IW_U32 : IW_U64;
  const int largest = one_in(2);
  const int flavour = random_flavour(), finds = one_in(4);
  const size_t size = iw_type_size(type), width = iw_type_size(index_type), columns = one_in(2) ? r->n : random_size(r->n + !r->n);
  const size_t rows = columns ? r->n / columns : 1, most = one_in(2) && columns > 4096 ? 4096 : columns;
  const size_t k = random_below(most + 1), count = finds ? r->n > 0 : rows * k, nth = finds && r->n ? random_below(r->n) : 0;
  const input in = random_input(&r->pool, type, flavour, r->n);
  snprintf(r->what, sizeof r->what, "%s of %zu rows of %zu %s, flavour %d, extreme %d, %zu of them, element %zu, indices in %s",
           finds ? "element at" : "top-k", rows, columns, iw_type_name(type), flavour, largest, k, nth, iw_type_name(index_type));
#define CALL(context, in, values, indices) (finds ? iw_nth_element(context, type, in, r->n, nth, values, (uint64_t *)(indices)) \
  : top_k_of(context, type, in, rows, columns, k, largest, values, (iw_indices){ indices, (unsigned)width }))
  const size_t index_size = finds ? sizeof(uint64_t) : width;
  const iw_status cpu = CALL(r->pool.cpu, in.cpu, (void *)r->out[ARRAY].cpu, (void *)r->out[SECOND].cpu);
  void *const values = place(&r->pool, &r->out[ARRAY], count, size, one_in(12), NULL);
  void *const indices = place(&r->pool, &r->out[SECOND], count, index_size, one_in(12), NULL);
  same_status(r, cpu, CALL(r->pool.gpu, in.gpu, values, indices));
#undef CALL
  same_output(r, ARRAY, "values", cpu == IW_OK ? count * size : 0, size);
  same_output(r, SECOND, "indices", cpu == IW_OK ? count * index_size : 0, index_size);
}

/* Reductions, argmin and argmax of rows and columns, of segments by offsets, and of runs by key and by flags. */
static void segments_case(run *r)
{
  enum { BY_ROWS, BY_COLUMNS, BY_OFFSETS, BY_KEYS, BY_FLAGS };
  const unsigned form = (unsigned)random_below(5), pair = (unsigned)random_below(WIDER_SUMS);
  const int is_wider = one_in(4), flavour = random_below(3) ? WIDE : random_flavour(), wants_keys = form == BY_KEYS && !one_in(3);
  const iw_type type = is_wider ? wider_sums[pair].sum : random_any_type(), in_type = is_wider ? wider_sums[pair].in : type;
  const iw_op op = is_wider ? IW_SUM : random_op(type, ALL_OPS);
  const int finds = (op == IW_MIN || op == IW_MAX) && one_in(2), wants_values = !one_in(4);
  const iw_type key_type = form == BY_KEYS ? random_any_type() : IW_U8, offset_type = one_in(2) ? IW_U32 : IW_U64;
  const size_t size = iw_type_size(type), key_size = iw_type_size(key_type);
  const size_t columns = random_size(r->n + !r->n), n = form <= BY_COLUMNS ? r->n / columns * columns : r->n;
  const input in = random_input(&r->pool, in_type, flavour, n), runs = random_input(&r->pool, key_type, RUNS, n);
  const int count_staged = one_in(2);
  size_t count = form == BY_COLUMNS ? columns : n / columns;
  word init = { .u64 = 0 };
  put(type, &init, 0, random_word(type, flavour == RUNS ? WIDE : flavour));
  iw_segments segments = { .size = sizeof segments, .columns = columns,
                           .kind = form == BY_COLUMNS ? IW_SEGMENTS_COLUMNS : IW_SEGMENTS_ROWS };
  scan_arguments spec = { .op = op, .in_type = in_type, .type = type, .init = one_in(2) ? &init : NULL,
                        .segments = &segments };
  snprintf(r->what, sizeof r->what, "%s by %s of %s in %s, flavour %d, of segments of kind %u (%zu columns, keys of %s, offsets of "
           "%s)%s", finds ? "find" : "reduce", op_name(op), iw_type_name(in_type), iw_type_name(type), flavour, form, columns, iw_type_name(key_type),
           iw_type_name(offset_type), spec.init ? ", init" : "");
  uint64_t *const offsets = form == BY_OFFSETS ? random_offsets(n, &count) : NULL;
  const void *offsets_there = NULL;
  if (form == BY_OFFSETS) {
    offsets_there = place_offsets(r, offset_type, offsets, count);
    free(offsets);
    segments = (iw_segments){ .size = sizeof segments, .kind = IW_SEGMENTS_OFFSETS, .offsets = r->out[TABLE].cpu,
                              .offset_type = offset_type, .count = count };
  } else if (form >= BY_KEYS)
    segments = (iw_segments){ .size = sizeof segments, .kind = form == BY_KEYS ? IW_SEGMENTS_KEYS : IW_SEGMENTS_FLAGS,
                              .keys = runs.cpu, .key_type = key_type, .flags = runs.cpu };
#define CALL(context, in, unique, results, count) \
  (finds ? (op == IW_MIN ? iw_argmin : iw_argmax)(context, type, in, n, (size_t *)(void *)(unique), wants_values ? (results) : NULL, \
                                                  form >= BY_KEYS ? IW_OPTIONS(iw_scan_options, .segments = &segments, .run_count = count) \
                                                                  : IW_OPTIONS(iw_scan_options, .segments = &segments)) \
   : form < BY_KEYS ? reduce_with(context, &spec, in, n, results) \
                  : reduce_by_key_with(context, &spec, in, n, wants_keys ? (unique) : NULL, results, count))
  const iw_status cpu = CALL(r->pool.cpu, in.cpu, r->out[SECOND].cpu, r->out[ARRAY].cpu, &count);
  const size_t room = form < BY_KEYS || count_staged ? count : n;
  memcpy(r->out[WORD].cpu, &count, sizeof count);
  void *const results = place(&r->pool, &r->out[ARRAY], room, size, one_in(12), NULL);
  const size_t second_size = finds ? sizeof(size_t) : key_size;
  void *const unique = place(&r->pool, &r->out[SECOND], wants_keys || finds ? room : 0, second_size, one_in(12), NULL);
  size_t *const count_at = place(&r->pool, &r->out[WORD], 1, sizeof count, count_staged, r->out[WORD].cpu);
  if (form == BY_OFFSETS)
    segments.offsets = offsets_there;
  segments.keys = segments.flags = runs.gpu;
  same_status(r, cpu, CALL(r->pool.gpu, in.gpu, unique, results, count_at));
#undef CALL
  same_output(r, WORD, "count", sizeof count, sizeof count);
  same_output(r, ARRAY, "results", cpu == IW_OK && (!finds || wants_values) ? count * size : 0, size);
  if (wants_keys || finds)
    same_output(r, SECOND, finds ? "indices" : "unique keys", cpu == IW_OK ? count * second_size : 0, second_size);
}

/* Exact sums and dot products, rounded or not. */
static void exact_case(run *r)
{
  static const iw_type floats[] = { IW_F16, IW_BF16, IW_F32, IW_F64 };
  const int is_dot = one_in(2), is_unrounded = one_in(3), flavour = random_flavour();
  const iw_type type = floats[random_below(is_dot ? 3 : 4)], result_type = floats[random_below(4)];
  const size_t size = is_unrounded ? sizeof(iw_exact_sum) : iw_type_size(result_type);
  const input a = random_input(&r->pool, type, flavour, r->n), b = random_input(&r->pool, type, one_in(2) ? flavour : random_flavour(), r->n);
  snprintf(r->what, sizeof r->what, "exact %s of %s in %s, flavour %d, unrounded %d", is_dot ? "dot product" : "sum", iw_type_name(type),
           iw_type_name(result_type), flavour, is_unrounded);
#define CALL(context, a, b, result, sum) \
  (is_unrounded ? is_dot ? iw_exact_sum_add_products(context, type, a, b, r->n, sum) : iw_exact_sum_add(context, type, a, r->n, sum) \
   : is_dot ? iw_dot_exact(context, type, a, b, r->n, result_type, result) : iw_sum_exact(context, type, a, r->n, result_type, result))
  iw_exact_sum of_cpu = IW_EXACT_SUM_EMPTY, of_gpu = IW_EXACT_SUM_EMPTY;
  const iw_status cpu = CALL(r->pool.cpu, a.cpu, b.cpu, (void *)r->out[WORD].cpu, &of_cpu);
  void *const result = place(&r->pool, &r->out[WORD], is_unrounded ? 0 : 1, size > 8 ? 8 : size, one_in(2), NULL);
  same_status(r, cpu, CALL(r->pool.gpu, a.gpu, b.gpu, result, &of_gpu));
#undef CALL
  EQUAL(r->what, &of_cpu, &of_gpu, sizeof of_cpu / 8, 8);
  same_output(r, WORD, "result", cpu == IW_OK && !is_unrounded ? size : 0, size > 8 ? 8 : size);
}

#include "random_histograms.h"

/* A size whose logarithm is uniform, now and then next to a power of two, now and then 0. */
static size_t random_n(size_t most)
{
  if (one_in(64))
    return 0;
  size_t n = random_size(most);
  if (n > 1 && one_in(6)) {
    size_t power = 1;
    while (power * 2 <= n)
      power *= 2;
    n = power + random_below(3) - 1;
  }
  return n < most ? n : most;
}

static void one_case(run *r)
{
  static void (*const cases[])(run *) = {
    scan_case, scan_case, scan_case, scan_case, segmented_scan_case, segmented_scan_case, reduce_case, reduce_case,
    histogram_case, histogram_case, histogram_case, histogram_case, range_case,
    sides_case, sides_case, sides_case, two_outputs_case, two_outputs_case, multisplit_case, multisplit_case,
    sort_case, sort_case, sort_segments_case, bounds_case, bounds_case, merge_case, merge_case, top_k_case, top_k_case,
    segments_case, segments_case, segments_case, exact_case, exact_case,
    digitize_case, nd_case, nd_case, growing_case, project_case,
  };
  start_random(1000000 + r->number);
  r->n = random_n(r->pool.most);
  r->large += r->n > 1 << 20;
  cases[random_below(COUNT(cases))](r);
}

/* The arrays of a run of cases between two contexts. */
static void open_run(run *r, iw_context *gpu, iw_context *cpu)
{
  r->pool = (pools){ .gpu = gpu, .cpu = cpu, .most = (size_t)1 << most_bits() };
  r->pool.elements = r->pool.most + 5000;
  r->out[ARRAY] = output_new(&r->pool, r->pool.most * 8);
  r->out[SECOND] = output_new(&r->pool, r->pool.most * 8);
  r->out[TABLE] = output_new(&r->pool, (MOST_BINS + 2) * 8);
  r->out[WORD] = output_new(&r->pool, 8);
  r->edges = malloc((MOST_BINS + 2) * 8);
  r->scratch = malloc((MOST_BINS + 2) * 8);
}

static void close_run(run *r)
{
  for (unsigned i = 0; i < OUTPUTS; i++)
    output_free(&r->pool, &r->out[i]);
  free(r->edges);
  free(r->scratch);
  close_pools(&r->pool);
  iw_context_close(r->pool.gpu);
  iw_context_close(r->pool.cpu);
}

/* Who loses patience is told where it was. */
static const run *running;
static void stopped(int signal)
{
  char text[400];
  (void)signal;
  const int length = snprintf(text, sizeof text, "# stopped in %s, n = %zu (ISOWARP_TEST_SEED=%" PRIu64
                              " ISOWARP_TEST_MOST=%zu ISOWARP_TEST_CASE=%zu)\n", running->what, running->n,
                                  test_seed(),
                              most_bits(), running->number);
  _exit(write(STDOUT_FILENO, text, (size_t)length) == length ? 1 : 2);
}

#endif
