/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of rows.h with random values, on two contexts whose results have to be the same, to the bit: a
 * CPU, and a GPU that is real or simulated. Arrays are in memory of either side, and have known bytes
 * around them. Inputs have to be unchanged afterwards. The suite that includes this opens the contexts.
 *
 * ISOWARP_TEST_CASE    this case alone
 * ISOWARP_TEST_MOST    the largest cases have 2^MOST elements (RANDOM_CALLS_MOST)
 */
#ifndef TESTS_RANDOM_CALLS_H
#define TESTS_RANDOM_CALLS_H

#include "rows.h"

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

/* ---- The pool ---------------------------------------------------------------------------------------- */

enum { RUNS = FLAVOURS, POOLS, MOST_BINS = 70000 };

/* Both sides, and values of each type that inputs are slices of. */
typedef struct pools {
  iw_context *gpu, *cpu;
  size_t most;
  struct { void *host, *device; } of[ELEMENT_TYPES][POOLS];
} pools;

/* How many values there are: bytes are slices of those of u64, up to 16 for an element. */
static size_t pool_elements(const pools *p, iw_type type) { return (type == IW_U64 ? 2 : 1) * p->most + 2 * MOST_BINS; }

static void need_pool(pools *p, iw_type type, int flavour)
{
  const size_t n = pool_elements(p, type), bytes = n * iw_type_size(type);
  if (p->of[type][flavour].host)
    return;
  const uint64_t kept = random_state;
  void *const host = malloc(bytes);
  ck_assert_ptr_nonnull(host);
  start_random(50000 + (unsigned)type * POOLS + (unsigned)flavour);
  if (flavour == RUNS)
    fill_runs(type, host, n);
  else
    fill(type, host, n, flavour);
  random_state = kept;
  p->of[type][flavour].host = host;
  p->of[type][flavour].device = on_device(p->gpu, host, bytes);
}

/* No call changed an input. Gives the pools back. */
static void close_pools(pools *p)
{
  for (unsigned t = IW_U8; t < ELEMENT_TYPES; t++)
    for (unsigned f = 0; f < POOLS; f++) {
      if (!p->of[t][f].host)
        continue;
      const size_t size = iw_type_size((iw_type)t), n = pool_elements(p, (iw_type)t), bytes = n * size;
      void *const seen = malloc(bytes);
      FINE(iw_memory_copy(p->gpu, seen, p->of[t][f].device, bytes));
      EQUAL("an input, afterwards,", p->of[t][f].host, seen, n, size);
      FINE(iw_memory_free(p->gpu, p->of[t][f].device));
      free(seen);
      free(p->of[t][f].host);
    }
}

/* ---- The environment --------------------------------------------------------------------------------- */

enum { GUARD = 256, SHIFTS = 32, SLOTS = 32, MOST_FOUND = 8 };

/* A pointer that a row has asked for. The CPU's call comes first, and its counts say how much the other one
 * has to write. */
typedef struct slot {
  request of;
  char *host;                    /* what the CPU's call gets */
  char *other;                   /* what the other call gets */
  char *room, *device, *seen;    /* between known bytes, in host and in device memory; for a look */
  size_t capacity, bytes;
  int is_staged, is_pooled;      /* other is host memory; a slice of a pool */
  const size_t *count;           /* of elements, or n - *count if n is not 0 */
  size_t n;
  int is_tight;
} slot;

typedef struct run {
  env env; /* first */
  pools pool;
  slot slots[SLOTS];
  unsigned slot_count, pass;     /* 0: the CPU's call */
  size_t number, large;          /* the case; how many were above 2^20 */
  uint64_t own_state;            /* of choices that are not the row's */
  int flavour;
  uint64_t found[2][MOST_FOUND];
  unsigned found_count;
  char what[1200], device[120];
} run;

static size_t most_bits(void) { return number("ISOWARP_TEST_MOST", RANDOM_CALLS_MOST); }

#define CASE_IS(r, condition, ...) do { if (!(condition)) { char why_[900]; \
  snprintf(why_, sizeof why_, __VA_ARGS__); \
  ck_abort_msg("%s, on %s: %s (ISOWARP_TEST_SEED=%" PRIu64 " ISOWARP_TEST_MOST=%zu ISOWARP_TEST_CASE=%zu " \
               "repeats it)", (r)->what, (r)->device, why_, test_seed(), most_bits(), (r)->number); } } while (0)

/* A choice that the row has not asked for. */
static uint64_t own_choice(run *r, uint64_t n)
{
  const uint64_t kept = random_state;
  random_state = r->own_state;
  const uint64_t chosen = random_below(n);
  r->own_state = random_state;
  random_state = kept;
  return chosen;
}

static uint64_t random_choose(env *e, uint64_t n) { (void)e; return random_below(n); }
static word random_word_of(env *e, iw_type type)
{
  const run *const r = (const run *)e;
  word w = { .u64 = 0 };
  put(type, &w, 0, random_word(type, r->flavour == RUNS ? TINY : r->flavour));
  return w;
}
static uint64_t random_number(env *e, const char *name, kind kind, size_t limit, uint64_t value)
{
  run *const r = (run *)e;
  (void)kind, (void)limit;
  const size_t length = strlen(r->what);
  if (!r->pass)
    snprintf(r->what + length, sizeof r->what - length, ", %s %" PRIu64, name, value);
  return value;
}

/* Neither an array nor a value. */
static int is_plain(const request *of)
{
  return of->kind >= READ || of->kind == NULL_ONLY || (of->kind == NEEDED && of->use == NONE);
}

/* The slot of an array of either call. */
static slot *slot_of(run *r, const void *array)
{
  for (unsigned i = 0; i < r->slot_count; i++)
    if (array && (array == r->slots[i].host || array == r->slots[i].other))
      return &r->slots[i];
  return NULL;
}
static const void *random_host(env *e, const void *array)
{
  const slot *const s = slot_of((run *)e, array);
  return s ? s->host : NULL;
}
static void random_has(env *e, const void *out, const size_t *count, size_t n, int is_tight)
{
  run *const r = (run *)e;
  slot *const s = slot_of(r, out), *const of = slot_of(r, count);
  s->count = (const size_t *)(void *)of->host;
  s->n = n;
  s->is_tight = is_tight && of->is_staged;
}
static void random_found(env *e, uint64_t value)
{
  run *const r = (run *)e;
  ck_assert_uint_lt(r->found_count, MOST_FOUND);
  r->found[r->pass][r->found_count++] = value;
}
static void random_reserve(env *e, size_t bytes) { FINE(iw_context_reserve(e->context, bytes)); }

/* How many elements the calls have to write. */
static size_t written(const slot *s) { return !s->count ? s->of.count : s->n ? s->n - *s->count : *s->count; }

static void need_room(run *r, slot *s, size_t bytes)
{
  if (bytes <= s->capacity)
    return;
  if (s->device)
    FINE(iw_memory_free(r->pool.gpu, s->device));
  free(s->room);
  free(s->seen);
  s->capacity = bytes + bytes / 2;
  s->room = malloc(s->capacity);
  s->seen = malloc(s->capacity);
  ck_assert(s->room && s->seen);
  s->device = device_memory(r->pool.gpu, s->capacity);
}

static int flavour_of(run *r, const request *of)
{
  if (of->is_small && own_choice(r, 3))
    return own_choice(r, 2) ? TINY : UNIT;
  if (of->has_runs)
    return own_choice(r, 3) ? RUNS : WIDE;
  return own_choice(r, 4) ? r->flavour : (int)own_choice(r, POOLS);
}

/* A slice of a pool, so that pointers are aligned to their elements and no better. */
static void pooled(run *r, slot *s)
{
  const size_t size = s->of.size;
  const iw_type type = (int)s->of.type ? s->of.type : size == 1 ? IW_U8 : size == 2 ? IW_U16 : size == 4 ? IW_U32 : IW_U64;
  const int flavour = flavour_of(r, &s->of);
  const size_t n = s->of.count * (size / iw_type_size(type));
  const size_t at = own_choice(r, pool_elements(&r->pool, type) - n + 1) * iw_type_size(type);
  need_pool(&r->pool, type, flavour);
  s->is_pooled = 1;
  s->host = (char *)r->pool.of[type][flavour].host + at;
  s->other = (s->is_staged ? s->host : (char *)r->pool.of[type][flavour].device + at);
}

/* The CPU's pointer. */
static void *first_pointer(run *r, slot *s)
{
  const request *const of = &s->of;
  s->is_staged = of->is_host || own_choice(r, of->size * of->count <= 8 ? 2 : 12) == 0;
  s->count = NULL;
  s->other = NULL; /* that of a former case may be where an array of this one is */
  s->is_pooled = s->is_tight = 0;
  s->bytes = of->size * of->count;
  if (is_plain(of))
    return s->host = (char *)(uintptr_t)of->given;
  if (of->use == IN && !of->given) {
    pooled(r, s);
    return s->host;
  }
  s->host = malloc(s->bytes + 1);
  ck_assert_ptr_nonnull(s->host);
  if (of->given)
    memcpy(s->host, of->given, s->bytes);
  else
    for (size_t k = 0; k < s->bytes; k++)
      s->host[k] = (char)(k % 8 ? 0 : k / 8 * 7 + 1); /* counters that are added to */
  need_room(r, s, s->bytes + 2 * GUARD + SHIFTS * 16);
  memcpy(s->seen, s->host, s->bytes); /* what the other call finds */
  return s->host;
}

/* The other call's, between known bytes. */
static void *second_pointer(run *r, slot *s)
{
  const request *const of = &s->of;
  unsigned char fence[GUARD];
  if (is_plain(of))
    return s->other = (char *)(uintptr_t)of->given;
  if (s->is_pooled)
    return s->other;
  if (s->is_tight && written(s) <= of->count)
    s->bytes = written(s) * of->size;
  memset(fence, FENCE_BYTE, sizeof fence);
  s->other = (s->is_staged ? s->room : s->device) + GUARD + of->size * own_choice(r, of->size <= 16 ? SHIFTS : 1);
  FINE(iw_memory_copy(r->pool.gpu, s->other - GUARD, fence, GUARD));
  FINE(iw_memory_copy(r->pool.gpu, s->other + s->bytes, fence, GUARD));
  if (s->bytes)
    FINE(iw_memory_copy(r->pool.gpu, s->other, s->seen, s->bytes));
  return s->other;
}

static void *random_pointer(env *e, const request *of)
{
  run *const r = (run *)e;
  slot *const s = &r->slots[r->slot_count++];
  ck_assert_uint_lt(r->slot_count, SLOTS);
  s->of = *of;
  return r->pass ? second_pointer(r, s) : first_pointer(r, s);
}

/* ---- Cases ------------------------------------------------------------------------------------------- */

/* What both calls wrote is equal, and all around it is as it was. */
static void same_slot(run *r, slot *s, iw_status status)
{
  const size_t size = s->of.size < 16 ? s->of.size : 8;
  if (s->is_pooled || is_plain(&s->of))
    return;
  FINE(iw_memory_copy(r->pool.gpu, s->seen, s->other - GUARD, s->bytes + 2 * GUARD));
  const size_t bytes = s->of.use != OUT ? s->bytes : status == IW_OK ? written(s) * s->of.size : 0;
  const size_t at = first_difference(s->host, s->seen + GUARD, bytes / size, size);
  CASE_IS(r, at == SIZE_MAX, "%s: element %zu of %zu is %s, the CPU's is %s", s->of.name, at, bytes / size,
          hex(s->seen + GUARD, at, size).s, hex(s->host, at, size).s);
  for (size_t i = 0; i < GUARD; i++) {
    CASE_IS(r, (unsigned char)s->seen[i] == FENCE_BYTE, "%s: a byte %zu before the array was written", s->of.name, GUARD - i);
    CASE_IS(r, (unsigned char)s->seen[GUARD + s->bytes + i] == FENCE_BYTE, "%s: a byte %zu behind the array was written",
            s->of.name, i + 1);
  }
}

static void end_case(run *r)
{
  for (unsigned i = 0; i < r->slot_count; i++)
    if (!r->slots[i].is_pooled && !is_plain(&r->slots[i].of))
      free(r->slots[i].host);
  r->slot_count = 0;
  for (unsigned a = 0; a < MOST_AXES; a++) {
    iw_histogram_plan_free(r->env.bins[a].plan);
    r->env.bins[a].plan = NULL;
  }
}

/* Both calls of a form of a row. Returns whether there is one. */
static int one_call(run *r, const row *row)
{
  const uint64_t begin = random_bits();
  iw_status status[2];
  snprintf(r->what, sizeof r->what, "%s of %s, form %u, n = %zu, flavour %d", row->name, iw_type_name(r->env.type), r->env.form, r->env.n,
           r->flavour);
  r->own_state = begin ^ 0x5555;
  for (r->pass = 0; r->pass < 2; r->pass++) {
    random_state = begin;
    r->slot_count = r->found_count = 0;
    r->env.context = r->pass ? r->pool.gpu : r->pool.cpu;
    status[r->pass] = row->run(&r->env);
    if (status[r->pass] == NO_CALL)
      break;
    for (unsigned a = 0; a < MOST_AXES && !r->pass; a++) {
      iw_histogram_plan_free(r->env.bins[a].plan);
      r->env.bins[a].plan = NULL;
    }
  }
  const int is_made = r->pass == 2;
  if (is_made) {
    CASE_IS(r, status[0] == status[1], "%s on the CPU, %s on the device; the last message is \"%s\"", iw_status_name(status[0]),
            iw_status_name(status[1]), iw_message());
    for (unsigned k = 0; k < r->found_count; k++)
      CASE_IS(r, r->found[0][k] == r->found[1][k], "number %u that it reports is %" PRIu64 ", the CPU's is %" PRIu64, k, r->found[1][k],
              r->found[0][k]);
    for (unsigned i = 0; i < r->slot_count; i++)
      same_slot(r, &r->slots[i], status[0]);
  }
  end_case(r);
  return is_made;
}

/* A size whose logarithm is uniform, now and then next to a power of two, now and then 0. */
static size_t random_n(size_t most)
{
  if (random_below(64) == 0)
    return 0;
  size_t n = random_size(most);
  if (n > 1 && random_below(6) == 0) {
    size_t power = 1;
    while (power * 2 <= n)
      power *= 2;
    n = power + random_below(3) - 1;
  }
  return n < most ? n : most;
}

/* A form of a row. */
static const row *random_row(unsigned *form)
{
  unsigned all = 0, k = 0;
  for (unsigned i = 0; i < ROW_COUNT; i++)
    all += rows[i].environments & FOR_RANDOM ? rows[i].forms : 0;
  *form = (unsigned)random_below(all);
  for (; !(rows[k].environments & FOR_RANDOM) || *form >= rows[k].forms; k++)
    *form -= rows[k].environments & FOR_RANDOM ? rows[k].forms : 0;
  return &rows[k];
}

static void one_case(run *r)
{
  enum { MOST_TRIES = 40 };
  start_random(1000000 + r->number);
  r->env.n = random_n(r->pool.most);
  r->large += r->env.n > 1 << 20;
  for (int is_made = 0; !is_made;) { /* or the row has no call of so many elements */
    const row *const row = random_row(&r->env.form);
    for (unsigned i = 0; i < MOST_TRIES && !is_made; i++) {
      r->env.type = (iw_type)(IW_U8 + random_below(IW_BF16));
      r->flavour = random_below(3) ? WIDE : (int)random_below(POOLS);
      is_made = one_call(r, row);
    }
  }
}

/* The arrays of a run of cases between two contexts. */
static void open_run(run *r, iw_context *gpu, iw_context *cpu)
{
  r->pool = (pools){ .gpu = gpu, .cpu = cpu, .most = (size_t)1 << most_bits() };
  r->env = (env){ .pointer = random_pointer, .number = random_number, .choose = random_choose, .word = random_word_of,
                  .host = random_host, .has = random_has, .reserve = random_reserve, .found = random_found, .right = no_right,
                  .host_context = cpu, .most_bins = MOST_BINS,
                  .room = MOST_BINS + 2, .is_random = 1, .scratch = malloc((MOST_BINS + 2) * 8),
                  .more_scratch = malloc((MOST_BINS + 2) * 8) };
  ck_assert(r->env.scratch && r->env.more_scratch);
}

static void close_run(run *r)
{
  for (unsigned i = 0; i < SLOTS; i++) {
    if (r->slots[i].device)
      FINE(iw_memory_free(r->pool.gpu, r->slots[i].device));
    free(r->slots[i].room);
    free(r->slots[i].seen);
    r->slots[i] = (slot){ .capacity = 0 };
  }
  free(r->env.scratch);
  free(r->env.more_scratch);
  close_pools(&r->pool);
  iw_context_close(r->pool.gpu);
  iw_context_close(r->pool.cpu);
}

/* Who loses patience is told where it was. */
static const run *running;
static void stopped(int signal)
{
  char text[1500];
  (void)signal;
  const int length = snprintf(text, sizeof text, "# stopped in %s (ISOWARP_TEST_SEED=%" PRIu64 " ISOWARP_TEST_MOST=%zu "
                              "ISOWARP_TEST_CASE=%zu)\n", running->what, test_seed(), most_bits(), running->number);
  _exit(write(STDOUT_FILENO, text, (size_t)length) == length ? 1 : 2);
}

#endif
