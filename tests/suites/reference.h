/* SPDX-License-Identifier: Apache-2.0
 *
 * What the suites of the operations share: scalar references, written from the definitions in isowarp.h and
 * doc/ alone, values to feed them, and the contexts on which every result has to be the same.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <inttypes.h>
#include <isowarp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assertions.h"
#include "calls.h"
#include "halves.h"

/* X(name, C type, iw_type, type in which comparisons and edges are exact) */
#define FOR_INTEGERS(X) \
  X(i32, int32_t, IW_I32, wide) X(u32, uint32_t, IW_U32, wide) \
  X(i64, int64_t, IW_I64, wide) X(u64, uint64_t, IW_U64, wide)
#define FOR_FLOATS(X) X(f32, float, IW_F32, double) X(f64, double, IW_F64, double)
#define FOR_6_TYPES(X) FOR_INTEGERS(X) FOR_FLOATS(X)
#define FOR_8_TYPES(X) X(u8, uint8_t, IW_U8, wide) X(u16, uint16_t, IW_U16, wide) FOR_6_TYPES(X)

/* The narrow types beside u8 and u16. */
#define FOR_SMALL_INTEGERS(X) X(u8, uint8_t, IW_U8, wide) X(u16, uint16_t, IW_U16, wide) FOR_NARROW_INTEGERS(X)
#define FOR_NARROW_INTEGERS(X) \
  X(i8, int8_t, IW_I8, wide) X(i16, int16_t, IW_I16, wide) X(boolean, uint8_t, IW_BOOL, wide)
#define FOR_HALVES(X) X(f16, uint16_t, IW_F16, double) X(bf16, uint16_t, IW_BF16, double) /* as bits */

__extension__ typedef __int128 wide;

/* One element of any type. */
typedef union word {
  uint8_t u8, boolean; uint16_t u16, f16, bf16; int8_t i8; int16_t i16;
  int32_t i32; uint32_t u32; int64_t i64; uint64_t u64; float f32; double f64;
} word;

static inline int is_float(iw_type type) { return type == IW_F32 || type == IW_F64 || is_half(type); }

/* ---- Random values ----------------------------------------------------------------------------------- */

static uint64_t random_state;

/* ISOWARP_TEST_SEED fixes the seed, which every failure names; each test starts from it anew, salted. */
static inline uint64_t test_seed(void)
{
  static uint64_t seed;
  static int known;
  const char *text = getenv("ISOWARP_TEST_SEED");
  if (!known) {
    seed = text ? strtoull(text, NULL, 0) : 20261120;
    known = 1;
  }
  return seed;
}

static inline void start_random(uint64_t salt)
{
  random_state = test_seed() * 0x9e3779b97f4a7c15u + salt * 0xd1342543de82ef95u;
}

static inline uint64_t random_bits(void) /* splitmix64 */
{
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t n) { return random_bits() % n; }
static inline double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }
/* A size whose logarithm is uniform. */
static inline size_t random_size(size_t most) { return (size_t)exp(random_unit() * log((double)most + 1)); }

/* What values a test gets. */
enum {
  WIDE,    /* integers: all bits; floats: 2^-40 … 2^40, either sign */
  SPECIAL, /* the same, with the type's ends; floats: infinities, NaN of several payloads, both zeros, subnormals */
  TINY,    /* integers: 0 … 15; floats: subnormals and both zeros */
  UNIT,    /* floats: [0, 1); integers: 0 … 999 */
  FLAVOURS
};

static inline uint32_t random_f32(int flavour)
{
  static const uint32_t special[] = {
    0x7fc00000, 0xffc00000, 0x7f800001, 0xffabcdef, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x80000001,
    0x007fffff, 0x00800000,
    0x7f7fffff, 0xff7fffff, 0x3f800000,
  };
  const uint64_t bits = random_bits();
  word w = { .f32 = (float)random_unit() };
  if (flavour == SPECIAL && bits % 8 == 0)
    return special[bits / 8 % (sizeof special / sizeof *special)];
  if (flavour == TINY)
    return (uint32_t)(bits & 0x80000000) | (bits >> 40 & 1 ? (uint32_t)(bits >> 41 & 0x7fffff) : 0);
  if (flavour == UNIT)
    return w.f32 < 1 ? w.u32 : 0;
  return (uint32_t)(bits & 0x807fffff) | (uint32_t)(127 - 40 + bits / 0x100000000 % 81) << 23;
}

static inline uint64_t random_f64(int flavour)
{
  static const uint64_t special[] = {
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff123456789abcd, 0x7ff0000000000000,
    0xfff0000000000000,
    0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff,
    0x3ff0000000000000,
  };
  const uint64_t bits = random_bits(), more = random_bits();
  word w = { .f64 = random_unit() };
  if (flavour == SPECIAL && more % 8 == 0)
    return special[more / 8 % (sizeof special / sizeof *special)];
  if (flavour == TINY)
    return (bits & 0x8000000000000000) | (more & 1 ? bits & 0xfffffffffffff : 0);
  if (flavour == UNIT)
    return w.u64;
  return (bits & 0x800fffffffffffff) | (1023 - 40 + more % 81) << 52;
}

static inline uint16_t random_half(iw_type type, int flavour)
{
  const unsigned infinity = half_infinity(type), sign = half_sign(type);
  const unsigned special[] = { infinity | 1, infinity | sign | (0x55 & (sign - 1)), sign - 1, infinity, infinity | sign, 0, sign, 1,
                               sign | 1, infinity - 1, sign | (infinity - 1), half_of(type, 1) };
  const uint64_t bits = random_bits();
  if (flavour == SPECIAL && bits % 8 == 0)
    return (uint16_t)special[bits / 8 % (sizeof special / sizeof *special)];
  if (flavour == TINY) /* subnormals and zeros */
    return (uint16_t)(bits & (sign | (bits >> 40 & 1 ? (1u << half_mantissa(type)) - 1 : 0)));
  if (flavour == UNIT)
    return half_of(type, random_unit());
  const double size = ldexp(1 + random_unit(), (int)(bits / 0x100000000 % 24) - 12);
  return half_of(type, bits & 1 ? -size : size);
}

static inline word random_word(iw_type type, int flavour)
{
  word w = { .u64 = random_bits() };
  if (type == IW_F32)
    w.u32 = random_f32(flavour);
  else if (type == IW_F64)
    w.u64 = random_f64(flavour);
  else if (is_half(type))
    w.u16 = random_half(type, flavour);
  else if (type == IW_BOOL)
    w.u64 &= 1;
  else if (flavour == TINY)
    w.u64 %= 16;
  else if (flavour == UNIT)
    w.u64 %= iw_type_size(type) == 1 ? 125 * (1 + (type == IW_U8)) : 1000;
  else if (flavour == SPECIAL && w.u64 % 16 == 0) { /* the ends of the type, and the middle */
    const uint64_t ends[] = { 0, ~(uint64_t)0, 0x7fffffffffffffff, 0x8000000000000000, 0x7fffffff,
                             0x80000000, 1 };
    w.u64 = ends[w.u64 / 16 % 7];
  }
  return w;
}

/* The low bytes of the value, on either byte order. A sanitizer checks each call of memcpy(): of sizes that
 * the compiler knows there is none. */
static inline void put(iw_type type, void *array, size_t i, word value)
{
  unsigned char *const at = array;
  const uint16_t low_16 = is_half(type) ? value.u16 : (uint16_t)value.u64;
  const uint32_t low_32 = is_float(type) ? value.u32 : (uint32_t)value.u64;
  switch (iw_type_size(type)) {
  case 1: at[i] = (uint8_t)value.u64; break;
  case 2: memcpy(at + 2 * i, &low_16, 2); break;
  case 4: memcpy(at + 4 * i, &low_32, 4); break;
  default: memcpy(at + 8 * i, &value.u64, 8);
  }
}

static inline word word_of(iw_type type, double value)
{
  word w = { .u64 = (uint64_t)(int64_t)value };
  if (is_half(type))
    w.u16 = half_of(type, value);
  else if (type == IW_F32)
    w.f32 = (float)value;
  else if (type == IW_F64)
    w.f64 = value;
  return w;
}

static inline void fill(iw_type type, void *array, size_t n, int flavour)
{
  for (size_t i = 0; i < n; i++)
    put(type, array, i, random_word(type, flavour));
}

/* n elements that start one element behind an address that suits every vector, known bytes on both sides. */
enum { FENCE = 64, FENCE_BYTE = 0xa5 };
typedef struct array { unsigned char *base; void *data; size_t bytes, size; } array;

static inline array array_new(size_t size, size_t n)
{
  array a = { .bytes = n * size, .size = size };
  const size_t all = (FENCE + size + n * size + FENCE + 63) / 64 * 64;
  a.base = aligned_alloc(64, all);
  ck_assert_ptr_nonnull(a.base);
  memset(a.base, FENCE_BYTE, all);
  a.data = a.base + FENCE + size;
  return a;
}

/* Whether nobody wrote outside the first bytes of it; written: bytes that may differ. */
static inline int array_intact(const array *a, size_t written)
{
  const unsigned char *const data = a->data;
  for (size_t i = 0; i < FENCE + a->size; i++)
    if (a->base[i] != FENCE_BYTE)
      return 0;
  for (size_t i = written; i < a->bytes + FENCE - a->size; i++)
    if (data[i] != FENCE_BYTE)
      return 0;
  return 1;
}

static inline void array_free(array *a) { free(a->base); }

/* ---- Contexts ---------------------------------------------------------------------------------------- */

/* Opens a context on a device, or keeps the message; on a thread of its own, since messages belong to
 * threads. */
typedef struct device_probe { iw_context_options options; char *reason; size_t room; } device_probe;
static inline void *probe_device(void *data)
{
  const device_probe *const probe = data;
  iw_context *context;
  if (iw_context_open(&context, &probe->options) != IW_OK)
    snprintf(probe->reason, probe->room, "%s", iw_message());
  iw_context_close(context);
  return NULL;
}

/* Why there is no CUDA device of that number, 0 or 1; "" where there is. CUDA does not survive a fork: where
 * tests fork, a process of its own asks, and main() before all others. */
static inline const char *no_device(int number)
{
  static char reasons[2][512];
  static int known[2];
  char *const reason = reasons[number];
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA,
                                      .device = number };
  const char *const forks = getenv("CK_FORK");
  iw_context *context;
  int ends[2];
  if (known[number]++)
    return reason;
  if (forks && !strcmp(forks, "no")) {
    device_probe probe = { options, reason, sizeof reasons[0] };
    pthread_t thread;
    if (pthread_create(&thread, NULL, probe_device, &probe) || pthread_join(thread, NULL))
      strcpy(reason, "there was no thread to ask on");
    return reason;
  }
  fflush(stdout);
  if (pipe(ends))
    return strcpy(reason, "there was no pipe to ask through");
  const pid_t asks = fork();
  if (asks == 0) {
    const char *const words = iw_context_open(&context, &options) == IW_OK ? "" : iw_message();
    _exit(write(ends[1], words, strlen(words)) != (ssize_t)strlen(words));
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t more; length < sizeof reasons[0] - 1
       && (more = read(ends[0], reason + length, sizeof reasons[0] - 1 - length)) > 0;)
    length += (size_t)more;
  close(ends[0]);
  int ended = 0;
  if (asks < 0 || waitpid(asks, &ended, 0) != asks || !WIFEXITED(ended) || WEXITSTATUS(ended))
    strcpy(reason, "the process that asked for it did not end well");
  return reason;
}
static inline const char *no_cuda(void) { return no_device(0); }

/* Every instruction set of this machine, with 1, 2, 3 and 7 threads, in both block modes: the first `cpus`.
 * Then a simulated GPU, by a random schedule, and the first CUDA device, if there is one; host memory is
 * staged on both. */
enum { MOST_SETTINGS = 64, SHAPES = 8 };
typedef struct setting { const char *isa; unsigned threads; iw_blocks blocks; iw_context *context; } setting;
typedef struct settings { setting at[MOST_SETTINGS]; unsigned count, cpus, turn, inputs; } settings;

/* Sets an environment variable that the caller of the suite has not set. */
static inline void choose(const char *variable, const char *value)
{
  static const char *own[8];
  static unsigned owned;
  unsigned i = 0;
  while (i < owned && strcmp(own[i], variable))
    i++;
  if (i < owned || !getenv(variable)) {
    if (i == owned)
      own[owned++] = variable;
    setenv(variable, value, 1);
  }
}

/* Whether the tests are those of ./quickstart check, which builds no kernels of the simulated GPU, and does
 * not optimise any but those of the best set. */
static inline int is_machine_only(void)
{
  const char *const brief = getenv("ISOWARP_TEST_BRIEF");
  return brief && !strcmp(brief, "machine");
}

static const char *const sim_schedules[] = { "ascending", "descending", "round-robin", "random", "priority", "adversarial" };

/* The simulated GPU: another device and schedule for each test, unless ISOWARP_SIM_... choose.
 * ISOWARP_TEST_NO_SIM leaves it out, for machines that are simulated themselves. */
static inline void sim_open(settings *all, const char *test)
{
  if (getenv("ISOWARP_TEST_NO_SIM"))
    return;
  static const char *const devices[] = { "h200", "a100", "l4", "t4" };
  char seed[24];
  uint64_t h = test_seed();
  for (; *test; test++)
    h = (h ^ (unsigned char)*test) * 0x100000001b3u; /* FNV-1a */
  h ^= h >> 32;
  snprintf(seed, sizeof seed, "%u", (unsigned)(h % 1000000));
  choose("ISOWARP_SIM_SCHEDULE", sim_schedules[h / 1000000 % 6]);
  choose("ISOWARP_SIM_DEVICE", devices[h / 6000000 % 4]);
  choose("ISOWARP_SIM_SEED", seed);
  setting *s = &all->at[all->count++];
  *s = (setting){ "sim", 1, IW_BLOCKS_AUTO, NULL };
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_SIM };
  ck_assert_msg(iw_context_open(&s->context, &options) == IW_OK, "%s", iw_message());
}

/* Only the simulated GPU, by schedule i % 6, with 1, 2 or all blocks resident; i: below SIM_WAITS. Blocks
 * that wait for others then wait for some that have not begun. */
enum { SIM_WAITS = 18 };
static inline void sim_open_waiting(settings *all, unsigned i)
{
  static const char *const resident[] = { "1", "2", "1000" };
  setenv("ISOWARP_SIM_SCHEDULE", sim_schedules[i % 6], 1);
  setenv("ISOWARP_SIM_RESIDENT", resident[i / 6], 1);
  sim_open(all, sim_schedules[i % 6]);
}

static inline void sim_close_waiting(settings *all)
{
  iw_context_close(all->at[0].context);
  unsetenv("ISOWARP_SIM_SCHEDULE");
  unsetenv("ISOWARP_SIM_RESIDENT");
}

static inline settings settings_open_for(const char *test)
{
  static const unsigned threads[] = { 1, 2, 3, 7 };
  settings all = { .count = 0 };
  for (unsigned i = 0; iw_isa_name(i); i++)
    for (unsigned shape = 0; iw_isa_available(iw_isa_name(i)) && shape < SHAPES; shape++) {
      setting *s = &all.at[all.count++];
      *s = (setting){ iw_isa_name(i), threads[shape / 2], shape % 2 ? IW_BLOCKS_TEAM : IW_BLOCKS_THREAD,
                     NULL };
      const iw_context_options options = {
        .size = sizeof options, .backend = IW_BACKEND_CPU, .isa = s->isa, .threads = s->threads, .blocks = s->blocks,
      };
      ck_assert_msg(iw_context_open(&s->context, &options) == IW_OK, "%s", iw_message());
    }
  ck_assert_uint_gt(all.count, 0);
  all.cpus = all.count;
  sim_open(&all, test);
  if (!*no_cuda()) {
    setting *s = &all.at[all.count++];
    *s = (setting){ "cuda", 1, IW_BLOCKS_AUTO, NULL };
    const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA };
    ck_assert_msg(iw_context_open(&s->context, &options) == IW_OK, "%s", iw_message());
  }
  return all;
}

#define settings_open() settings_open_for(__func__)

static inline int on_cuda(const setting *at) { return !strcmp(at->isa, "cuda"); }
static inline int on_sim(const setting *at) { return !strcmp(at->isa, "sim"); }
/* For what only the CPU backend has. */
static inline int on_gpu(const setting *at) { return on_cuda(at) || on_sim(at); }
static inline iw_backend backend_of(const setting *at)
{ return on_cuda(at) ? IW_BACKEND_CUDA : on_sim(at) ? IW_BACKEND_SIM : IW_BACKEND_CPU; }

static inline void settings_close(settings *all)
{
  for (unsigned i = 0; i < all->count; i++)
    iw_context_close(all->at[i].context);
}

/* The next setting to try after `at` for an input of n elements, or NULL: for small ones all of them at
 * first, and a third of them, others each time, after the test's first inputs; for large ones one of each
 * instruction set, in other shapes each time, of which the best set's first is one thread and a block a
 * thread, and CUDA. With ISOWARP_TEST_BRIEF one on the CPU, and for machines that are simulated none for
 * inputs that are large: with its value "machine" these have the best set. CUDA for all, and the simulated
 * GPU for some that are not large. If there is no CPU, all there are. Start with NULL. */
static inline setting *settings_next(settings *all, const setting *at, size_t n)
{
  enum { FIRST_INPUTS = 16 };
  const size_t next = at ? (size_t)(at - all->at) + 1 : 0, device = next > all->cpus ? next : all->cpus;
  size_t i = next;
  if (!all->cpus)
    return next < all->count ? &all->at[next] : NULL;
  all->inputs += !at;
  if (getenv("ISOWARP_TEST_BRIEF")) {
    const int is_large = n > 20000, takes = !is_large || is_machine_only();
    i = at || !takes ? device : all->cpus - 1 - all->turn++ * 7 % (is_large ? SHAPES : all->cpus); /* the best set first */
  }
  else if (n > 300) {
    const size_t sets = all->cpus / SHAPES, set = (next + SHAPES - 1) / SHAPES;
    all->turn += !at;
    i = set < sets ? set * SHAPES + (all->turn + sets - 2 - set) * 5 % SHAPES : device;
  }
  else if (all->inputs > FIRST_INPUTS)
    while (i < all->cpus && (i + (all->inputs * 0x9e3779b1u >> 16)) % 3)
      i++;
  /* The simulated GPU is slow: it has the first inputs of a test, and then about every fourth. */
  if (i < all->count && on_sim(&all->at[i])
      && (n > 20000 || (all->inputs > FIRST_INPUTS && all->inputs * 0x9e3779b1u >> 30)))
    i++;
  return i < all->count ? &all->at[i] : NULL;
}
#define FOR_SETTINGS(s, all, n) for (setting *s = settings_next(all, NULL, n); s; s = settings_next(all, s, n))

/* "avx2, 3 threads, team", "sim (a100, random, seed 17)", or "cuda". */
typedef struct setting_text { char s[64]; } setting_text;
static inline setting_text shape(const setting *at)
{
  setting_text t;
  if (on_cuda(at))
    snprintf(t.s, sizeof t.s, "cuda");
  else if (on_sim(at))
    snprintf(t.s, sizeof t.s, "sim (%s, %s, seed %s)", getenv("ISOWARP_SIM_DEVICE"), getenv("ISOWARP_SIM_SCHEDULE"),
             getenv("ISOWARP_SIM_SEED"));
  else
    snprintf(t.s, sizeof t.s, "%s, %u threads, %s", at->isa, at->threads,
             at->blocks == IW_BLOCKS_TEAM ? "team" : "a thread a block");
  return t;
}

/* The call is refused with this status and a message that has these words. */
#define REFUSED(call, status, words) do { const iw_status status_ = (call); \
  ck_assert_msg(status_ == (status) && strstr(iw_message(), words), "%s is %s (%s), not %s with \"%s\"", #call, \
                iw_status_name(status_), iw_message(), iw_status_name(status), words); } while (0)

/* Fails with the library's message, and with all that is needed to see it again. */
#define MUST(where, call) do { \
  mark_point(); \
  const iw_status status_ = (call); \
  ck_assert_msg(status_ == IW_OK, "%s: %s (%s)", #call, iw_message(), shape(where).s); } while (0)

/* A copy of a value in memory of the context's, to be freed by iw_memory_free(); NULL of NULL. */
static inline void *copy_there(const setting *at, const void *value, size_t bytes)
{
  void *there = NULL;
  if (value) {
    MUST(at, iw_memory_allocate(at->context, bytes, &there));
    MUST(at, iw_memory_copy(at->context, there, value, bytes));
  }
  return there;
}

/* Equal to the bit; names the first element that is not. */
#define SAME(where, what, expected, found, n, size) do { \
  const size_t at_ = first_difference(expected, found, n, size); \
  ck_assert_msg(at_ == SIZE_MAX, "%s: element %zu of %zu is %s, should be %s (%s, seed %" PRIu64 ")", \
                what, at_, (size_t)(n), hex(found, at_, size).s, hex(expected, at_, size).s, shape(where).s, \
                test_seed()); } while (0)

static inline size_t first_difference(const void *expected, const void *found, size_t n, size_t size)
{
  const char *a = expected, *b = found;
  if (n == 0 || !memcmp(a, b, n * size))
    return SIZE_MAX;
  for (size_t i = 0;; i++)
    if (memcmp(a + i * size, b + i * size, size))
      return i;
}

typedef struct hex_text { char s[24]; } hex_text;
static inline hex_text hex(const void *values, size_t i, size_t size)
{
  hex_text t = { "0x?" };
  word w = { .u64 = 0 };
  if (i != SIZE_MAX) {
    memcpy(&w, (const char *)values + i * size, size);
    snprintf(t.s, sizeof t.s, "0x%" PRIx64,
             size == 1 ? w.u8 : size == 2 ? w.u16 : size == 4 ? w.u32 : w.u64);
  }
  return t;
}

/* ---- Scan and reduce --------------------------------------------------------------------------------- */

static inline word one_nan(iw_type type, word w)
{
  if (type == IW_F32 && w.f32 != w.f32)
    w.u32 = 0x7fc00000;
  if (type == IW_F64 && w.f64 != w.f64)
    w.u64 = 0x7ff8000000000000;
  if (is_half(type) && isnan(half_value(type, w.u16)))
    w.u16 = half_of(type, (double)NAN);
  return w;
}

/* a (op) b. Bitwise operators are what isowarp/scans.h defines. */
#define BITWISE(NAME, name, takes, result) if (op == IW_##NAME && !((takes) & FLOATS)) return (__typeof__(a))(result);
#define REFERENCE_INTEGER(name, T, type, R) \
  static inline T apply_##name(iw_op op, T a, T b) \
  { \
    IW_BUILTIN_OPERATORS(BITWISE) \
    return op == IW_SUM ? (T)((uint64_t)a + (uint64_t)b) : op == IW_PRODUCT ? (T)((uint64_t)a * (uint64_t)b) : op == IW_MIN ? (b < a ? b : a) : (b > a ? b : a); \
  }
#define REFERENCE_FLOAT(name, T, type, R) \
  static inline T apply_##name(iw_op op, T a, T b) \
  { \
    if (op == IW_SUM) return a + b; \
    if (op == IW_PRODUCT) return a * b; \
    if (a != a || b != b) return (T)NAN; \
    if (a == b) return (op == IW_MIN) == (signbit(a) != 0) ? a : b; /* differ only as -0 and +0 */ \
    return op == IW_MIN ? (a < b ? a : b) : (a > b ? a : b); \
  }
FOR_INTEGERS(REFERENCE_INTEGER)
FOR_SMALL_INTEGERS(REFERENCE_INTEGER)
FOR_FLOATS(REFERENCE_FLOAT)

/* What an exclusive scan and a reduction of nothing give. */
static inline word identity_of(iw_op op, iw_type type)
{
  static const int64_t i64[] = { 0, INT64_MAX, INT64_MIN };
  static const int32_t i32[] = { 0, INT32_MAX, INT32_MIN };
  const uint64_t none = apply_u64(op, 0, 1) == 1 ? 0 : UINT64_MAX; /* of bitwise operators: changes no other value */
  word w = { .u64 = op == IW_PRODUCT ? 1 : is_bitwise(op) ? none : 0 };
  if (op == IW_PRODUCT && is_half(type))
    w.u16 = half_of(type, 1);
  else if (op == IW_PRODUCT && type == IW_F32)
    w.f32 = 1;
  else if (op == IW_PRODUCT && type == IW_F64)
    w.f64 = 1;
  else if (type == IW_BOOL)
    w.u64 &= 1;
  if (op == IW_PRODUCT || is_bitwise(op))
    return w;
  switch (type) {
  case IW_I32: w.i32 = i32[op_index(op)]; break;
  case IW_I64: w.i64 = i64[op_index(op)]; break;
  case IW_U32: w.u32 = op == IW_MIN ? UINT32_MAX : 0; break;
  case IW_U64: w.u64 = op == IW_MIN ? UINT64_MAX : 0; break;
  case IW_U8: w.u8 = op == IW_MIN ? UINT8_MAX : 0; break;
  case IW_U16: w.u16 = op == IW_MIN ? UINT16_MAX : 0; break;
  case IW_I8: w.i8 = op == IW_SUM ? 0 : op == IW_MIN ? INT8_MAX : INT8_MIN; break;
  case IW_I16: w.i16 = op == IW_SUM ? 0 : op == IW_MIN ? INT16_MAX : INT16_MIN; break;
  case IW_BOOL: w.boolean = op == IW_MIN; break;
  case IW_F32: w.f32 = op == IW_SUM ? 0.0f : op == IW_MIN ? INFINITY : -INFINITY; break;
  case IW_F64: w.f64 = op == IW_SUM ? 0.0 : op == IW_MIN ? (double)INFINITY : -(double)INFINITY; break;
  default: w.u16 = half_of(type, op == IW_SUM ? 0.0 : op == IW_MIN ? (double)INFINITY : -(double)INFINITY);
  }
  return w;
}

/* Sums in a wider type; and whether there is an operation. */
static const struct { iw_type in, sum; } wider_sums[] = {
  { IW_U8, IW_U32 }, { IW_U8, IW_U64 }, { IW_I32, IW_I64 }, { IW_U32, IW_U64 }, { IW_F32, IW_F64 }, { IW_U16, IW_U32 },
  { IW_U16, IW_U64 }, { IW_I8, IW_I32 }, { IW_I8, IW_I64 }, { IW_I16, IW_I32 }, { IW_I16, IW_I64 }, { IW_BOOL, IW_U32 },
  { IW_BOOL, IW_U64 }, { IW_F16, IW_F32 }, { IW_BF16, IW_F32 },
};
enum { WIDER_SUMS = sizeof wider_sums / sizeof *wider_sums };
static inline int has_operation(iw_op op, iw_type type)
{
  return (all_ops[op_index(op)].takes & (is_float(type) ? FLOATS : type == IW_BOOL ? BOOLS : INTEGERS)) != 0;
}

/* Sums and products of floats follow order 1. */
#define T float
#define NAME order1_f32
#include "order1.h"
#define T double
#define NAME order1_f64
#include "order1.h"
#define T float
#define NAME product_f32
#define PRODUCT
#include "order1.h"
#define T double
#define NAME product_f64
#define PRODUCT
#include "order1.h"

/* The inclusive scan. Integers, and min and max, have one result in any order. */
#define REFERENCE_SCAN(name, T, type, R) \
  static inline void scan_##name(iw_op op, const T *in, T *out, size_t n, const T *init) \
  { \
    T all = init ? *init : n ? in[0] : 0; \
    for (size_t i = 0; i < n; i++) \
      out[i] = all = i || init ? apply_##name(op, all, in[i]) : all; \
  }
FOR_6_TYPES(REFERENCE_SCAN)
FOR_SMALL_INTEGERS(REFERENCE_SCAN)

static inline double real_of(iw_type type, const void *values, size_t k)
{
  if (is_half(type))
    return (double)half_value(type, iw_type_size(type) == 1 ? ((const uint8_t *)values)[k] : ((const uint16_t *)values)[k]);
  return type == IW_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* Floats of 1 and 2 bytes are combined as f32, and each output is rounded. */
static inline void scan_halves(iw_op op, iw_type type, const void *in, void *out, size_t n, const void *init)
{
  float *const wide_in = malloc((n + 1) * sizeof *wide_in), *const wide_out = malloc((n + 1) * sizeof *wide_out);
  const float first = init ? (float)real_of(type, init, 0) : 0;
  ck_assert(wide_in && wide_out);
  for (size_t i = 0; i < n; i++)
    wide_in[i] = (float)real_of(type, in, i);
  if (op == IW_SUM)
    order1_f32(wide_in, wide_out, n, init ? first : -0.0f);
  else if (op == IW_PRODUCT)
    product_f32(wide_in, wide_out, n, init ? first : 1);
  else
    scan_f32(op, wide_in, wide_out, n, init ? &first : NULL);
  for (size_t i = 0; i < n; i++)
    put(type, out, i, (word){ .u16 = half_of(type, (double)wide_out[i]) });
  free(wide_in);
  free(wide_out);
}

/* init may be NULL. exclusive and total may be too. */
static inline void reference_scan(iw_op op, iw_type type, const void *in, size_t n, const void *init,
                                  void *inclusive,
                                  void *exclusive, void *total)
{
  const size_t size = iw_type_size(type);
  word first = identity_of(op, type);
  if (init)
    memcpy(&first, init, size);
  if (op == IW_SUM && type == IW_F32)
    order1_f32(in, inclusive, n, init ? first.f32 : -0.0f);
  else if (op == IW_SUM && type == IW_F64)
    order1_f64(in, inclusive, n, init ? first.f64 : -0.0);
  else if (op == IW_PRODUCT && type == IW_F32)
    product_f32(in, inclusive, n, init ? first.f32 : 1);
  else if (op == IW_PRODUCT && type == IW_F64)
    product_f64(in, inclusive, n, init ? first.f64 : 1);
  else switch (type) {
#define X(name, T, type, R) case type: scan_##name(op, in, inclusive, n, init); break;
  FOR_6_TYPES(X)
  FOR_SMALL_INTEGERS(X)
#undef X
  default: scan_halves(op, type, in, inclusive, n, init); break;
  }
  first = one_nan(type, first);
  for (size_t i = 0; i < n && is_float(type); i++) {
    word w = { .u64 = 0 };
    memcpy(&w, (const char *)inclusive + i * size, size);
    put(type, inclusive, i, one_nan(type, w));
  }
  if (exclusive && n) {
    memcpy(exclusive, &first, size);
    memcpy((char *)exclusive + size, inclusive, (n - 1) * size);
  }
  if (total)
    memcpy(total, n ? (const char *)inclusive + (n - 1) * size : (const char *)&first, size);
}

static inline word element(iw_type type, const void *in, size_t i)
{
  const size_t size = iw_type_size(type);
  word w = { .u64 = 0 };
  memcpy(&w, (const char *)in + i * size, size);
  return one_nan(type, w);
}

/* The index of the first minimum (maximum), and in *value what it is. n is not 0. */
static inline size_t first_of(iw_op op, iw_type type, const void *in, size_t n, word *value)
{
  *value = element(type, in, 0);
#define X(name, T, t, R) if (type == t) for (size_t i = 1; i < n; i++) value->name = apply_##name(op, value->name, element(type, in, i).name);
  FOR_6_TYPES(X)
  FOR_SMALL_INTEGERS(X)
#undef X
  if (is_half(type)) {
    float best = half_value(type, value->u16);
    for (size_t i = 1; i < n; i++)
      best = apply_f32(op, best, half_value(type, element(type, in, i).u16));
    value->u16 = half_of(type, (double)best);
  }
  *value = one_nan(type, *value);
  size_t first = 0;
  while (memcmp(value, (const word[]){ element(type, in, first) }, sizeof *value))
    first++;
  return first;
}

/* ---- Bins -------------------------------------------------------------------------------------------- */

/* The edges of a spec, where they can be compared exactly: e(bins) of integers may be one past the type. */
typedef struct edges { wide *i; double *f; size_t bins; int closed; } edges;

static inline wide integer_of(iw_type type, const void *values, size_t k)
{
  switch (type) {
#define X(name, T, type, R) case type: return ((const T *)values)[k];
  FOR_SMALL_INTEGERS(X) FOR_INTEGERS(X)
#undef X
  default: return 0;
  }
}

/* Compares values that are not NaN: less than 0, 0, or more. */
static inline int by_value(iw_type type, const void *a, const void *b)
{
  if (is_float(type)) {
    const double x = real_of(type, a, 0), y = real_of(type, b, 0);
    return (x > y) - (x < y);
  }
  const wide x = integer_of(type, a, 0), y = integer_of(type, b, 0);
  return (x > y) - (x < y);
}

static iw_type sorted_type;
static inline int by_sorted_type(const void *a, const void *b) { return by_value(sorted_type, a, b); }
/* Sorts values, each once; returns how many are left. */
static inline size_t sort_values(iw_type type, void *values, size_t n)
{
  const size_t size = iw_type_size(type);
  char *const v = values;
  size_t kept = n > 0;
  sorted_type = type;
  if (n)
    qsort(v, n, size, by_sorted_type);
  for (size_t i = 1; i < n; i++)
    if (by_value(type, v + (kept - 1) * size, v + i * size) < 0)
      memmove(v + kept++ * size, v + i * size, size);
  return kept;
}

/* Some of every value, each a few times, or many zeros. */
static inline void fill_runs(iw_type type, void *values, size_t n)
{
  for (size_t i = 0; i < n;) {
    const word w = random_below(2) ? (word){ .u64 = 0 } : random_word(type, random_below(2) ? TINY : UNIT);
    for (size_t end = i + 1 + random_below(random_below(8) ? 3 : 70); i < n && i < end; i++)
      put(type, values, i, w);
  }
}

/* Element i as a number of a wider type. */
static inline word widened_word(iw_type in_type, const void *in, size_t i, iw_type type)
{
  word w = { .u64 = 0 };
  if (!is_float(type))
    w.i64 = (int64_t)integer_of(in_type, in, i);
  else if (type == IW_F32)
    w.f32 = (float)real_of(in_type, in, i);
  else
    w.f64 = real_of(in_type, in, i);
  return w;
}

/* Whether hi is in the last even bin of integers as its other values are: on request, and where closed bins
 * have a value each. */
static inline int includes_hi(iw_type type, const iw_histogram_spec *spec)
{
  return spec->flags & IW_HIST_HI_INCLUDED ||
         (spec->flags & IW_HIST_CLOSED_TOP &&
          integer_of(type, spec->hi, 0) - integer_of(type, spec->lo, 0) + 1 == (wide)spec->bins);
}

/* Of kinds EVEN, its range given, and EDGES. */
static inline edges edges_of(iw_type type, const iw_histogram_spec *spec)
{
  const size_t bins = spec->bins;
  edges e = { NULL, NULL, bins, (spec->flags & IW_HIST_CLOSED_TOP) != 0 };
  if (is_float(type)) {
    e.f = malloc((bins + 1) * sizeof *e.f);
    for (size_t k = 0; k <= bins; k++)
      if (spec->kind == IW_HISTOGRAM_EDGES)
        e.f[k] = real_of(type, spec->edges, k);
      else {
        const double lo = real_of(type, spec->lo, 0), hi = real_of(type, spec->hi, 0);
        volatile double step = (hi - lo) / (double)bins, product = (double)k * step; /* volatile: never fused */
        const double at = product + lo;
        e.f[k] = k == 0 ? lo : k == bins ? hi : type == IW_F32 ? (double)(float)at
          : is_half(type) ? (double)half_value(type, half_of(type, at)) : at;
      }
    return e;
  }
  e.i = malloc((bins + 1) * sizeof *e.i);
  for (size_t k = 0; k <= bins; k++)
    if (spec->kind == IW_HISTOGRAM_EDGES)
      e.i[k] = integer_of(type, spec->edges, k);
    else {
      const int included = includes_hi(type, spec);
      const wide lo = integer_of(type, spec->lo, 0), hi = integer_of(type, spec->hi, 0) + included;
      e.i[k] = lo + ((wide)k * (hi - lo) + (wide)bins - 1) / (wide)bins;
      if (included)
        e.closed = 0; /* hi is the last bin's already */
    }
  return e;
}

static inline void edges_free(edges *e)
{
  free(e->i);
  free(e->f);
}

/* What a sample is, in place of a bin: bins + … */
enum { BELOW, ABOVE, NOT_A_NUMBER };

/* The k with e(k) <= x < e(k+1), by looking at half of what is left each time. */
#define REFERENCE_FIND(name, R, E) \
  static inline size_t find_##name(const R *e, size_t bins, int closed, R x) \
  { \
    size_t from = 0, to = bins; \
    if (x < e[0]) return bins + BELOW; \
    if (closed && x == e[bins]) return bins - 1; \
    if (x >= e[bins]) return bins + ABOVE; \
    while (to - from > 1) { \
      const size_t middle = from + (to - from) / 2; \
      if (e[middle] <= x) from = middle; else to = middle; \
    } \
    return from; \
  }
REFERENCE_FIND(integer, wide, i)
REFERENCE_FIND(real, double, f)

/* The bin of sample i; e: the spec's edges, unused for maps. */
static inline size_t bin_of(iw_type type, const void *samples, size_t i, const iw_histogram_spec *spec,
                            const edges *e)
{
  if (spec->kind == IW_HISTOGRAM_MAP) {
    const unsigned bin = spec->map[((const uint8_t *)samples)[i]];
    return bin == IW_MAP_NONE ? spec->bins + ABOVE : bin;
  }
  if (!is_float(type))
    return find_integer(e->i, e->bins, e->closed, integer_of(type, samples, i));
  const double x = real_of(type, samples, i);
  return x != x ? e->bins + NOT_A_NUMBER : find_real(e->f, e->bins, e->closed, x);
}

/* The bin that the policy gives a sample whose bin is `bin`: it clamps outsiders, or leaves them outside. */
static inline size_t clamped(size_t bin, const iw_histogram_spec *spec)
{
  if (spec->policy == IW_POLICY_CLAMP && bin == spec->bins + BELOW)
    return 0;
  if (spec->policy == IW_POLICY_CLAMP && bin == spec->bins + ABOVE)
    return spec->bins - 1;
  return bin;
}

static inline size_t bin_by_policy(iw_type type, const void *samples, size_t i,
                                   const iw_histogram_spec *spec,
                                   const edges *e)
{
  return clamped(bin_of(type, samples, i, spec, e), spec);
}

/* counts: bins + 2 (policy COUNT: of which all are results); outside: below, above, NaN. */
static inline void reference_histogram(iw_type type, const void *samples, size_t n,
                                       const iw_histogram_spec *spec,
                                       uint64_t *counts, uint64_t outside[3])
{
  edges e = { NULL, NULL, 0, 0 };
  if (spec->kind != IW_HISTOGRAM_MAP)
    e = edges_of(type, spec);
  memset(counts, 0, (spec->bins + 2) * sizeof *counts);
  memset(outside, 0, 3 * sizeof *outside);
  for (size_t i = 0; i < n; i++) {
    const size_t bin = bin_of(type, samples, i, spec, &e);
    if (bin >= spec->bins)
      outside[bin - spec->bins]++;
    const size_t counted = clamped(bin, spec);
    if (counted < spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0))
      counts[counted]++;
  }
  edges_free(&e);
}

/* ---- More elements than 32 bits count ---------------------------------------------------------------- */

/* Memory that nobody wrote is the kernel's page of zeros over and over; a large page, where there is one,
 * saves most page faults. MAP_ANONYMOUS and memfd_create() need _GNU_SOURCE, which a suite defines if it
 * has such tests. */
#ifdef MAP_ANONYMOUS
enum { PIECE = 1 << 24 };

static inline void *zeros_new(size_t bytes)
{
  void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
#ifdef MADV_HUGEPAGE
  (void)madvise(map, bytes, MADV_HUGEPAGE); /* a hint: its failure changes nothing */
#endif
  return map;
}

#ifdef MFD_CLOEXEC
/* A file in memory, whose pages are mapped at once: page faults of a file on a disk take longer than the
 * test. */
enum { MAP_PIECE = MAP_SHARED | MAP_FIXED | MAP_POPULATE };
static inline int file_for_pieces(void) { return memfd_create("pieces", MFD_CLOEXEC); }
#else
enum { MAP_PIECE = MAP_SHARED | MAP_FIXED };
static inline int file_for_pieces(void)
{
  FILE *const file = tmpfile();
  const int descriptor = file ? dup(fileno(file)) : -1;
  if (file)
    fclose(file);
  return descriptor;
}
#endif

/* An output for which this machine need not have the memory: all its pieces are one and the same, but for
 * the last, which begins at a multiple of PIECE and so can be looked at. 0x55 at first; room is rounded up
 * to whole pieces. */
static inline size_t endless_room(size_t bytes) { return (bytes + PIECE - 1) / PIECE * PIECE; }

static inline void *endless_new(size_t bytes)
{
  const size_t room = endless_room(bytes);
  const int file = file_for_pieces();
  char *map = file >= 0 && ftruncate(file, 2 * PIECE) == 0 ? zeros_new(room) : NULL;
  for (size_t at = 0; map && at < room; at += PIECE)
    if (mmap(map + at, PIECE, PROT_READ | PROT_WRITE, MAP_PIECE, file, at + PIECE < room ? 0 : PIECE)
        == MAP_FAILED) {
      munmap(map, room);
      map = NULL;
    }
  if (map) {
    memset(map, 0x55, PIECE);
    memset(map + room - PIECE, 0x55, PIECE);
  }
  if (file >= 0)
    close(file);
  return map;
}

/* Whether there is memory and time for this: `seconds` are what a call takes of its `part` of all. */
static inline int worth_it(const char *what, int mapped, double seconds, double part)
{
  const char *const brief = getenv("ISOWARP_TEST_BRIEF");
  if (!mapped)
    printf("# skipped: no address space for %s\n", what);
  else if (brief && *brief && *brief != '0')
    printf("# skipped, to be brief: %s\n", what);
  else if (seconds / part > 60)
    printf("# skipped: %s would take %.0f seconds a call here\n", what, seconds / part);
  else
    return 1;
  return 0;
}
#endif

/* Seconds. */
static inline double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifndef WITHOUT_CHECK
/* ---- Suites ------------------------------------------------------------------------------------------ */

static inline int run_suite(Suite *suite)
{
  SRunner *runner = srunner_create(suite);
  printf("# ISOWARP_TEST_SEED=%" PRIu64 "\n", test_seed());
  fflush(stdout); /* tests fork */
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A case with time enough for slow machines. */
static inline TCase *new_case(Suite *suite, const char *name)
{
  TCase *made = tcase_create(name);
  tcase_set_timeout(made, 900);
  suite_add_tcase(suite, made);
  return made;
}

/* A case of inputs with more than 2^32 elements or bins; CK_EXCLUDE_TAGS=large leaves it out. */
static inline TCase *new_large_case(Suite *suite)
{
  TCase *const made = new_case(suite, "large");
  tcase_set_tags(made, "large");
  return made;
}

/* Whether settings_open() gives a CUDA device. */
START_TEST(cuda_device)
{
  settings all = settings_open();
  if (*no_cuda())
    ck_assert_uint_eq(all.count, all.cpus + !getenv("ISOWARP_TEST_NO_SIM"));
  else
    ck_assert(on_cuda(&all.at[all.count - 1]));
  settings_close(&all);
}
END_TEST

/* Runs a suite whose tests use all settings. Without a CUDA device it has one skipped result. Check has no
 * skips, but TAP does: what follows # in a result's line, where Check puts the name of the test case. */
static inline int run_suite_on_all(Suite *suite)
{
  tcase_add_test(new_case(suite, *no_cuda() ? "CUDA # SKIP no device" : "CUDA"), cuda_device);
  printf(*no_cuda() ? "# not on CUDA: %s\n" : "# on CUDA, too%s\n", no_cuda());
  return run_suite(suite);
}
#endif

/* What a comparison with a constant says of element i, by the definition. */
static inline int compared(iw_type type, const void *in, size_t i, iw_compare compare, const void *constant)
{
#define COMPARED(a, b) (compare == IW_LESS ? a < b : compare == IW_LESS_EQUAL ? a <= b : compare == IW_EQUAL ? a == b \
                        : compare == IW_NOT_EQUAL ? a != b : compare == IW_GREATER ? a > b : a >= b)
  if (is_float(type)) {
    const double a = real_of(type, in, i), b = real_of(type, constant, 0);
    return COMPARED(a, b);
  }
  const wide a = integer_of(type, in, i), b = integer_of(type, constant, 0);
  return COMPARED(a, b);
#undef COMPARED
}

#endif
