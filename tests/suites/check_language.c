/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel language, primitive by primitive, in every build (instruction set and warp size) that this
 * machine runs, at several block sizes, thread counts and in both block modes, against scalar references
 * written from the definitions in kernel.h. Everything is compared to the bit, with what must not be
 * touched. With -DLANGUAGE_CUDA this is the suite check_language_cuda: the build of the kernels by nvcc, on
 * a CUDA context; without a device it is skipped.
 *
 * ISOWARP_TEST_SEED=number repeats a run; ISOWARP_TEST_BRIEF=1 leaves out most block sizes and ways, where
 * all is slow.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <config.h>

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <isowarp.h>
#include <isowarp/descriptor.h>
#include "assertions.h"
#include "halves.h"
#include "language.h"

/* ---- Builds of the kernels ---- */

typedef struct build {
  const char *isa;
  unsigned warp;
  const iw_kernel *const *kernels;
} build;

/* The warp sizes of each set, as in fragment.am. */
#define LARGE_SIZES(X, isa) X(isa, 32) X(isa, 64)
#define ALL_SIZES(X, isa) X(isa, 8) X(isa, 16) LARGE_SIZES(X, isa)
#define SIZES_generic(X) ALL_SIZES(X, generic)
#define SIZES_sse4(X) LARGE_SIZES(X, sse4)
#define SIZES_avx2(X) ALL_SIZES(X, avx2)
#define SIZES_avx512(X) ALL_SIZES(X, avx512)
#define SIZES_neon(X) ALL_SIZES(X, neon)
#define SIZES_cuda(X) X(cuda, 32)
#define SIZES_sim(X) ALL_SIZES(X, sim)
#if defined(LANGUAGE_CUDA)
#define LANGUAGE_DEVICE IW_BACKEND_CUDA
#define FOR_SETS(X) X(cuda)
#elif defined(LANGUAGE_SIM)
#define LANGUAGE_DEVICE IW_BACKEND_SIM
#define FOR_SETS(X) X(sim)
#else
#define FOR_SETS(X) IW_FOR_ISAS(X)
#endif

#define DECLARE(isa, size) extern const iw_kernel *const language_##isa##_##size[];
#define DECLARE_SET(isa) SIZES_##isa(DECLARE)
FOR_SETS(DECLARE_SET)
#define ENTRY(isa, size) { #isa, size, language_##isa##_##size },
#define ENTRIES(isa) SIZES_##isa(ENTRY)
static const build all_builds[] = { FOR_SETS(ENTRIES) };
#define NAME(name) #name,
static const char *const kernel_names[] = { LANGUAGE_KERNELS(NAME) };

static build builds[sizeof all_builds / sizeof all_builds[0]]; /* those that this machine runs */
static int build_count;
#define EACH_BUILD(b) for (const build *b = builds; b < builds + build_count; b++)

/* ---- Ways to run a kernel ---- */

static unsigned sparse = 1; /* every how many-th case runs: more for a brief run */

static const unsigned block_sizes[] = { 1, 7, 31, 32, 33, 64, 100, 1000, 1024 };
#define EACH_BLOCK(block) \
  for (unsigned b_ = 0, block; b_ < sizeof block_sizes / sizeof block_sizes[0] && (block = block_sizes[b_]); \
       b_ += sparse > 1 ? 4 : 1)

static const struct { unsigned threads; iw_blocks blocks; } ways[] = {
#ifdef LANGUAGE_DEVICE
  { 1, IW_BLOCKS_AUTO },
#else
  { 1, IW_BLOCKS_THREAD }, { 2, IW_BLOCKS_THREAD }, { 3, IW_BLOCKS_THREAD }, { 7, IW_BLOCKS_THREAD },
  { 1, IW_BLOCKS_TEAM }, { 2, IW_BLOCKS_TEAM }, { 3, IW_BLOCKS_TEAM }, { 7, IW_BLOCKS_TEAM },
#endif
};
enum { WAYS = sizeof ways / sizeof ways[0] };
#define EACH_WAY(way, step) for (int way = 0; way < WAYS; way += sparse > 1 ? 5 : (step)) /* 5: one of each mode */
#ifdef LANGUAGE_DEVICE
static const iw_backend backend = LANGUAGE_DEVICE;
#else
static const iw_backend backend = IW_BACKEND_CPU;
#endif
static iw_context *contexts[WAYS];
static struct { void *memory; size_t bytes; } on_device; /* of contexts[0], for launches there */

static uint64_t seed, random_state;

/* Counter-based, so that one number repeats everything. */
static uint64_t random_bits(void)
{
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void setup(void)
{
  random_state = seed;
  for (int w = 0; w < WAYS; w++) {
    const iw_context_options options = { .size = sizeof options, .backend = backend, .threads = ways[w].threads,
                                         .blocks = ways[w].blocks };
    ck_assert_msg(iw_context_open(&contexts[w], &options) == IW_OK, "%s", iw_message());
  }
}

#ifdef LANGUAGE_SIM
/* Tests of iw_compact read what it may have overwritten. */
static void setup_compact(void)
{
  setenv("ISOWARP_SIM_CHECKS", "bounds,race,slots,barrier,ownership,phase,overflow", 1);
  setup();
}
#else
#define setup_compact setup
#endif

static void teardown(void)
{
  iw_memory_free(contexts[0], on_device.memory);
  on_device.memory = NULL;
  on_device.bytes = 0;
  for (int w = 0; w < WAYS; w++)
    iw_context_close(contexts[w]);
}

/* ---- Memory between pages that nobody may touch ---- */

enum { CANARY = 0xa5 };
static struct { unsigned char *map; size_t bytes; } areas[32];
static unsigned area_count;

/* `bytes` of canaries that end (or, at_front, start) at such a page. */
static void *guarded(size_t bytes, int at_front)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page, all = inner + 2 * page;
  unsigned char *const map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(map != MAP_FAILED && area_count < sizeof areas / sizeof areas[0]);
  areas[area_count].map = map;
  areas[area_count++].bytes = all;
  memset(map, CANARY, all);
  ck_assert(mprotect(map, page, PROT_NONE) == 0 && mprotect(map + page + inner, page, PROT_NONE) == 0);
  return map + page + (at_front ? 0 : inner - bytes);
}

static void release(void)
{
  while (area_count) {
    area_count--;
    munmap(areas[area_count].map, areas[area_count].bytes);
  }
}

/* What a kernel reads beside its arrays. */
static void *guarded_copy(const void *from, size_t bytes)
{
  return memcpy(guarded(bytes, 0), from, bytes);
}

/* Much address space, to be used at its end only, by iw_memory_copy; NULL where it cannot be had (as under
 * some tools). */
static void *far_memory(size_t bytes)
{
  void *memory = NULL;
#ifdef LANGUAGE_DEVICE
  if (iw_memory_allocate(contexts[0], bytes, &memory) != IW_OK)
    printf("# no far memory: %s\n", iw_message());
#else
  if (sizeof(size_t) == 8)
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#endif
  return memory == MAP_FAILED ? NULL : memory;
}

static void far_release(void *memory, size_t bytes)
{
#ifdef LANGUAGE_DEVICE
  ck_assert(bytes > 0 && iw_memory_free(contexts[0], memory) == IW_OK);
#else
  munmap(memory, bytes);
#endif
}

/* ---- Launches ---- */

#ifdef LANGUAGE_DEVICE
/* A pointer into an area, as one into the areas' images, which stand one behind the other. */
static void *moved(const void *p, unsigned char *images)
{
  for (unsigned i = 0; i < area_count; images += areas[i++].bytes) {
    const uintptr_t at = (uintptr_t)p - (uintptr_t)areas[i].map;
    if (at < areas[i].bytes)
      return images + at;
  }
  return (void *)(uintptr_t)p; /* NULL, or memory of the device */
}

static int holds(unsigned area, const void *p)
{
  return (uintptr_t)p - (uintptr_t)areas[area].map < areas[area].bytes;
}

/* For a launch all areas are copied to the device, and back. There canaries stand in for the pages that
 * nobody may touch, and inputs must be what they were. */
static iw_status launch_kernel(iw_context *context, const iw_kernel *kernel, size_t grid, unsigned block,
                               const language_args *args)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = 0;
  for (unsigned i = 0; i < area_count; i++)
    bytes += areas[i].bytes;
  if (bytes > on_device.bytes) {
    iw_memory_free(context, on_device.memory);
    on_device.bytes = 2 * bytes;
    ck_assert_msg(iw_memory_allocate(context, on_device.bytes, &on_device.memory) == IW_OK, "%s", iw_message());
  }

  unsigned char *const device = on_device.memory;
  unsigned char *const images = malloc(bytes), *const guards = malloc(page), *image = images;
  ck_assert(images != NULL && guards != NULL);
  memset(images, CANARY, bytes);
  memset(guards, CANARY, page);
  for (unsigned i = 0; i < area_count; image += areas[i++].bytes)
    memcpy(image + page, areas[i].map + page, areas[i].bytes - 2 * page);
  ck_assert_msg(iw_memory_copy(context, device, images, bytes) == IW_OK, "%s", iw_message());

  language_args there = *args;
  there.a = moved(args->a, device);
  there.b = moved(args->b, device);
  there.index = moved(args->index, device);
  there.chosen = moved(args->chosen, device);
  there.out = moved(args->out, device);
  there.scratch = moved(args->scratch, device);
  there.slots = moved(args->slots, device);
  there.deltas = moved(args->deltas, device);
  iw_status status = iw_launch(context, kernel, grid, block, &there, sizeof there);
  if (status == IW_OK)
    status = iw_memory_copy(context, images, device, bytes);

  image = images;
  for (unsigned i = 0; i < area_count && status == IW_OK; image += areas[i++].bytes) {
    const size_t inner = areas[i].bytes - 2 * page;
    ck_assert_msg(memcmp(image, guards, page) == 0, "%s wrote in front of an array", kernel->name);
    ck_assert_msg(memcmp(image + page + inner, guards, page) == 0, "%s wrote behind an array", kernel->name);
    if (holds(i, args->out) || holds(i, args->scratch) || holds(i, args->slots))
      memcpy(areas[i].map + page, image + page, inner);
    else
      ck_assert_msg(memcmp(areas[i].map + page, image + page, inner) == 0, "%s changed an input", kernel->name);
  }
  free(images);
  free(guards);
  return status;
}
#else
#define launch_kernel(context, kernel, grid, block, args) \
  iw_launch(context, kernel, grid, block, args, sizeof(language_args))
#endif

/* ---- Outputs: columns, as in language.h; wanted and got ---- */

static struct { unsigned char *want, *got; size_t stride, bytes; } out;
#define WANT(type, c) ((type *)(void *)(out.want + (size_t)(c) * out.stride))
#define GOT(type, c) ((type *)(void *)(out.got + (size_t)(c) * out.stride))

/* Columns for that many elements of up to 8 bytes, with room between them; `shift` bytes off a vector's
 * alignment. */
static void outputs(size_t columns, size_t elements, size_t shift)
{
  out.stride = (elements + 80) * 8 / 64 * 64;
  out.bytes = columns * out.stride;
  out.want = (unsigned char *)guarded(out.bytes + 64, 0) + shift;
  out.got = (unsigned char *)guarded(out.bytes + 64, 0) + shift;
}

static void launch(const build *b, int kernel, int way, size_t grid, unsigned block, language_args *args)
{
  memset(out.got, CANARY, out.bytes);
  args->out = out.got;
  args->stride = out.stride;
  mark_point();
  ck_assert_msg(launch_kernel(contexts[way], b->kernels[kernel], grid, block, args) == IW_OK, "%s",
                iw_message());
}

#define HOW_FORMAT "%s, %s, warps of %u, blocks of %u, %u threads%s"
#define HOW(b) kernel_names[kernel], (b)->isa, (b)->warp, block, ways[way].threads, \
  ways[way].blocks == IW_BLOCKS_TEAM ? " in a team" : ""

static void compare(const build *b, int kernel, int way, unsigned block)
{
  if (memcmp(out.want, out.got, out.bytes) == 0)
    return;
  size_t at = 0;
  while (out.want[at] == out.got[at])
    at++;
  const size_t column = at / out.stride, word = at / 8 * 8;
  uint64_t want, got;
  memcpy(&want, out.want + word, 8);
  memcpy(&got, out.got + word, 8);
  ck_abort_msg(HOW_FORMAT ": result %zu, byte %zu: 8 bytes are %016llx, not %016llx", HOW(b), column,
               word - column * out.stride, (unsigned long long)got, (unsigned long long)want);
}

/* Runs the kernel in two ways, one of each mode; each build takes all ways in turn, from one that the seed
 * gives. */
static void run(const build *b, int kernel, size_t grid, unsigned block, language_args *args)
{
  static unsigned runs_of[sizeof builds / sizeof builds[0]];
  enum { HALF = (WAYS + 1) / 2 };
  const unsigned turn = runs_of[b - builds]++ + (unsigned)(b - builds) + (unsigned)(seed % HALF);
  const int two[] = { sparse > 1 ? 0 : (int)(turn % HALF), HALF + (sparse > 1 ? 1 : (int)((turn / HALF + turn) % HALF)) };
  for (int k = 0; k < 2 && two[k] < WAYS; k++) {
    launch(b, kernel, two[k], grid, block, args);
    compare(b, kernel, two[k], block);
  }
}

static size_t blocks_for(size_t n, unsigned block) { return (n + block - 1) / block; }

/* Enough elements for all pairs of special values where the blocks are largest, and an odd number. */
static size_t elements_for(unsigned block) { return block < 1000 ? 3 * (size_t)block + block / 2 + 1 : 2601; }

static uint32_t *random_words(size_t n)
{
  uint32_t *const p = guarded(n * sizeof *p, 0);
  for (size_t e = 0; e < n; e++)
    p[e] = (uint32_t)random_bits();
  return p;
}

/* 0 … n-1 in any order. */
static uint32_t *permutation(size_t n)
{
  uint32_t *const index = random_words(n);
  for (size_t e = 0; e < n; e++)
    index[e] = (uint32_t)e;
  for (size_t e = n - 1; e > 0; e--) {
    const size_t other = random_bits() % (e + 1);
    const uint32_t k = index[e];
    index[e] = index[other];
    index[other] = k;
  }
  return index;
}

/* How many elements the warp w of a block has, of n; and its first. */
typedef struct { size_t first; unsigned count, active; size_t index; } warp_place;
static warp_place place(const build *b, size_t n, unsigned block, size_t block_index, unsigned w)
{
  const unsigned left = block - w * b->warp, active = left < b->warp ? left : b->warp;
  const size_t first = block_index * block + (size_t)w * b->warp, rest = n > first ? n - first : 0;
  const size_t index = block_index * blocks_for(block, b->warp) + w;
  return (warp_place){ first, rest < active ? (unsigned)rest : active, active, index };
}
#define EACH_WARP(b, p, n, block) \
  for (size_t i_ = 0; i_ < blocks_for(n, block); i_++) \
    for (unsigned w_ = 0; w_ * (b)->warp < (block); w_++) \
      for (warp_place p = place(b, n, block, i_, w_), *once_ = &p; once_; once_ = NULL)

/* ---- Special values ---- */

#define P(k) (1ull << (k))
static const int64_t special_ints[] = {
  0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, -1, -2, -3, -31, -32, -33, -64,
  INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1, (int64_t)P(31), (int64_t)P(31) + 1, -(int64_t)P(31) - 1,
  (int64_t)P(32) - 1, (int64_t)P(32), (int64_t)P(32) + 1, -(int64_t)P(32), (int64_t)P(24) + 1, (int64_t)P(24) + 3,
  (int64_t)P(53) + 1, (int64_t)P(53) + 3, (int64_t)P(62), INT64_MAX, INT64_MAX - 1, INT64_MAX - 512, INT64_MIN,
  INT64_MIN + 1, (int64_t)P(40) + (int64_t)P(16),
};
static const double special_floats[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, -0.25, 0.99999994, -0.99999994, 3.0, (double)INFINITY, -(double)INFINITY,
  (double)FLT_MAX, -(double)FLT_MAX, (double)FLT_MIN, -(double)FLT_MIN, 1e-45, -1e-45, 1.1e-38, -1.1e-38,
  8388607.5, -8388607.5, 8388608.0, 16777217.0, 4503599627370495.5, -4503599627370495.5, 4503599627370497.0,
  2147483647.0, 2147483520.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967040.0, 4294967296.0,
  9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0, 18446744073709549568.0, 18446744073709551616.0,
  1e30, -1e30,
};
/* Quiet, negative, with payloads, signalling. */
static const uint32_t nans_f32[] = { 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffffffff, 0x7f800001 };
static const uint64_t nans_f64[] = {
  0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000012345678, ~0ull, 0x7ff0000000000001,
};

/* Which values an array gets. */
enum { FINITE, MIXED, SPECIAL, LOWEST_ONLY, HIGHEST_ONLY, MINUS_ZERO };

/* m, rounded to nearest even to that many binary digits; in double, which holds it. */
static double rounded(uint64_t m, int digits)
{
  int shift = 0;
  while (m >> shift >> digits)
    shift++;
  if (shift == 0)
    return (double)m;
  const uint64_t kept = m >> shift, rest = m & (P(shift) - 1), half = P(shift - 1);
  return ldexp((double)(kept + (rest > half || (rest == half && (kept & 1)))), shift);
}

/* The lane that up and down read: the own one where the source is outside the segment. */
static unsigned lane_from(unsigned lane, unsigned width, int64_t source)
{
  const int64_t start = lane / width * width;
  return source < start || source >= start + width ? lane : (unsigned)source;
}

static void put_f64(double *p, double v);

#define START_TEST_(name) START_TEST(name)
#define TEST_OF(name) START_TEST_(PASTE(name, T))

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define T f32
#define S float
#define U uint32_t
#define IS_FLOAT 1
#define IS_SIGNED 1
#define CANONICAL 0x7fc00000u
#include "check_language_typed.h"
#define T f64
#define S double
#define U uint64_t
#define IS_FLOAT 1
#define IS_SIGNED 1
#define CANONICAL 0x7ff8000000000000u
#include "check_language_typed.h"
#define T i32
#define S int32_t
#define U uint32_t
#define IS_FLOAT 0
#define IS_SIGNED 1
#include "check_language_typed.h"
#define T u32
#define S uint32_t
#define U uint32_t
#define IS_FLOAT 0
#define IS_SIGNED 0
#define IS_COMPACT 1
#include "check_language_typed.h"
#define T i64
#define S int64_t
#define U uint64_t
#define IS_FLOAT 0
#define IS_SIGNED 1
#include "check_language_typed.h"
#define T u64
#define S uint64_t
#define U uint64_t
#define IS_FLOAT 0
#define IS_SIGNED 0
#define IS_COMPACT 1
#include "check_language_typed.h"

/* ---- What has no type ---- */

static uint64_t lowest_bits(int64_t n) { return n <= 0 ? 0 : n >= 64 ? ~0ull : P(n) - 1; }

START_TEST(predicates)
{
  static const int64_t bounds[LANGUAGE_BOUNDS] = { INT64_MIN, -(int64_t)P(32), -1, 0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64,
                                                   (int64_t)P(32) + 1, INT64_MAX };
  EACH_BUILD(b) EACH_BLOCK(block) for (int data = 0; data < 3; data++) { /* random, all lanes, no lane */
    const size_t n = block < 64 ? elements_for(block) : 2 * block + 5, grid = blocks_for(n, block);
    uint32_t *const chosen = random_words(n);
    const int64_t *const limits = guarded_copy(bounds, sizeof bounds);
    outputs(14 + LANGUAGE_BOUNDS, n, 0);
    for (size_t e = 0; e < n && data; e++)
      chosen[e] = data == 1 ? 3 : 0;
    EACH_WARP(b, w, n, block) {
      uint64_t p = 0, q = 0, all = lowest_bits(b->warp);
      for (unsigned l = 0; l < w.count; l++) {
        WANT(uint32_t, 11)[w.first + l] = (uint32_t)__builtin_popcountll(p);
        p |= (uint64_t)(chosen[w.first + l] & 1) << l;
        q |= (uint64_t)(chosen[w.first + l] >> 1 & 1) << l;
        WANT(uint32_t, 12)[w.first + l] = chosen[w.first + l] & 1 ? l : 1000;
      }
      const size_t i = w.index;
      uint32_t high = 99, low = 99;
      for (unsigned l = 0; l < 64; l++) {
        if (p >> l & 1)
          high = l;
        if (p >> (63 - l) & 1)
          low = 63 - l;
      }
      WANT(uint64_t, 0)[i] = p;
      WANT(uint64_t, 1)[i] = p & q;
      WANT(uint64_t, 2)[i] = p | q;
      WANT(uint64_t, 3)[i] = all & ~p;
      WANT(uint64_t, 4)[i] = all & (p | P(63));
      WANT(uint32_t, 5)[i] = p != 0;
      WANT(uint32_t, 6)[i] = (p | q) == all;
      WANT(uint32_t, 7)[i] = (uint32_t)__builtin_popcountll(p);
      WANT(uint32_t, 8)[i] = (uint32_t)__builtin_popcountll(q);
      WANT(uint32_t, 9)[i] = high;
      WANT(uint32_t, 10)[i] = low;
      WANT(uint64_t, 13)[i] = lowest_bits(w.active);
      for (int k = 0; k < LANGUAGE_BOUNDS; k++)
        WANT(uint64_t, 14 + k)[i] = all & lowest_bits(bounds[k]);
    }
    run(b, LANGUAGE_predicates, grid, block, &(language_args){ .b = limits, .chosen = chosen, .n = n });
    release();
  }
}
END_TEST

START_TEST(votes)
{
  EACH_BUILD(b) EACH_BLOCK(block) for (int data = 0; data < 3; data++) { /* random, all lanes, no lane */
    const size_t n = data == 1 ? 2 * block : 2 * block + 5, grid = blocks_for(n, block);
    uint32_t *const chosen = random_words(n), *const index = random_words(n);
    uint32_t *const offsets = guarded((grid + 1) * sizeof *offsets, 0), *const total = guarded(sizeof *total, 0);
    outputs(4, n, 0);
    for (size_t e = 0; e < n && data; e++)
      chosen[e] = data == 1;
    offsets[0] = 0;
    for (size_t i = 1; i <= grid; i++) {
      const size_t rest = n - offsets[i - 1];
      offsets[i] = offsets[i - 1] + (uint32_t)(random_bits() % 3 ? random_bits() % (rest + 1) : 0);
    }
    *total = 0;
    EACH_WARP(b, w, n, block) {
      const size_t i = w.index / blocks_for(block, b->warp);
      uint32_t count = 0, most = 0, sum = 0;
      for (size_t e = i * block; e < n && e < (i + 1) * block; e++)
        if (chosen[e] & 1) {
          count++;
          if ((index[e] & 31) > most)
            most = index[e] & 31;
        }
      for (size_t e = offsets[i]; e < offsets[i + 1]; e++)
        sum += index[e];
      WANT(uint32_t, 0)[w.index] = (count > 0 ? 1 : 0) | (count == block ? 2 : 0) | (count < block ? 4 : 0) | (count == 0 ? 8 : 0);
      WANT(uint32_t, 1)[w.index] = count;
      WANT(uint32_t, 2)[w.index] = most + 1;
      WANT(uint32_t, 3)[w.index] = sum;
    }
    uint32_t want = 0, runs = 0;
    for (size_t e = 0; e < n; e++)
      want += chosen[e] & 1;
    EACH_WAY(way, 1) {
      const int kernel = LANGUAGE_votes;
      launch(b, kernel, way, grid, block, &(language_args){ .chosen = chosen, .index = index, .n = n, .deltas = offsets, .scratch = total });
      compare(b, kernel, way, block);
      ck_assert_uint_eq(*total, want * ++runs);
    }
    release();
  }
}
END_TEST

START_TEST(spans)
{
  static const uint64_t starts[LANGUAGE_BOUNDS] = { 0, 0, 0, 1, 5, 5, 5, 0, 100, 1000, P(32), P(32) + 7, UINT64_MAX, UINT64_MAX - 9, 3, 0 };
  static const uint64_t ends[LANGUAGE_BOUNDS] = { 0, 1, 33, 2000, 4, 5, 6, 7, 164, 1031, P(32) + 9, P(33), UINT64_MAX, UINT64_MAX, 0,
                                                  UINT64_MAX };
  static const uint32_t table[4] = { 5, 3, 2, 7 };
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = elements_for(block), grid = blocks_for(n, block);
    const uint64_t *const from = guarded_copy(starts, sizeof starts), *const to = guarded_copy(ends, sizeof ends);
    outputs(2 + 4 * LANGUAGE_BOUNDS, n, 0);
    EACH_WARP(b, w, n, block) {
      for (unsigned l = 0; l < w.count; l++)
        WANT(uint32_t, 0)[w.first + l] = table[l % 4];
      WANT(uint32_t, 1)[w.index] = w.count;
      const unsigned thread = (unsigned)(w.index % blocks_for(block, b->warp)) * b->warp;
      for (int k = 0; k < LANGUAGE_BOUNDS; k++) {
        uint64_t first = ends[k], valid = 0, within = 0;
        uint32_t count = 0;
        for (unsigned l = 0; l < b->warp; l++) { /* without a sum that could wrap */
          if (starts[k] < ends[k] && l < ends[k] - starts[k])
            within |= P(l);
          if (thread + l < block && starts[k] < ends[k] && thread + l < ends[k] - starts[k]) {
            valid |= P(l);
            count++;
          }
        }
        if (count)
          first = starts[k] + thread;
        WANT(uint64_t, 2 + 4 * k)[w.index] = first;
        WANT(uint64_t, 3 + 4 * k)[w.index] = valid;
        WANT(uint32_t, 4 + 4 * k)[w.index] = count;
        WANT(uint64_t, 5 + 4 * k)[w.index] = within;
      }
    }
    run(b, LANGUAGE_spans, grid, block, &(language_args){ .a = from, .b = to, .n = n });
    release();
  }
}
END_TEST

START_TEST(narrow)
{
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = elements_for(block), grid = blocks_for(n, block);
    uint32_t *const chosen = random_words(n), *const index = permutation(n);
    uint8_t *const bytes = guarded(n, 0);
    uint16_t *const words = guarded(2 * n, 0);
    outputs(12, n, 0);
    for (size_t e = 0; e < n; e++) {
      bytes[e] = (uint8_t)random_bits();
      words[e] = (uint16_t)random_bits();
    }
    for (size_t e = 0; e < n; e++) {
      const uint32_t p = chosen[e] & 1;
      if (p) {
        WANT(uint8_t, 0)[e] = (uint8_t)index[e];
        WANT(uint16_t, 3)[e] = (uint16_t)index[e];
        WANT(uint8_t, 10)[index[e]] = (uint8_t)(index[e] + 300);
        WANT(uint16_t, 11)[index[e]] = (uint16_t)(index[e] + 70000);
      }
      WANT(uint32_t, 1)[e] = p ? bytes[e] : 0;
      WANT(uint32_t, 2)[e] = p ? bytes[index[e]] : 0;
      WANT(uint32_t, 4)[e] = p ? words[e] : 0;
      WANT(uint32_t, 5)[e] = p ? words[index[e]] : 0;
    }
    EACH_WARP(b, w, n, block) {
      uint32_t count8 = 0, sum8 = 0, count16 = 0, sum16 = 0;
      for (size_t e = w.index * 16 * b->warp; e < n && e < (w.index + 1) * 16 * b->warp; e++, count8++)
        sum8 += bytes[e];
      for (size_t e = w.index * 8 * b->warp; e < n && e < (w.index + 1) * 8 * b->warp; e++, count16++)
        sum16 += words[e];
      WANT(uint32_t, 6)[w.index] = count8;
      WANT(uint32_t, 7)[w.index] = sum8;
      WANT(uint32_t, 8)[w.index] = count16;
      WANT(uint32_t, 9)[w.index] = sum16;
    }
    run(b, LANGUAGE_narrow, grid, block,
        &(language_args){ .a = bytes, .b = words, .chosen = chosen, .index = index, .n = n });
    release();
  }
}
END_TEST

/* Elements of 1 and 2 bytes, by the definitions: as those of lanes, and back. A NaN of 4 bytes is stored as
 * the canonical one. */
static float one_nan(float x) { return x == x ? x : (float)NAN; }
#define WIDE_u8(a) ((uint32_t)(a))
#define WIDE_u16(a) ((uint32_t)(a))
#define WIDE_i8(a) ((int32_t)(a))
#define WIDE_i16(a) ((int32_t)(a))
#define WIDE_f16(a) one_nan(half_value(IW_F16, a))
#define WIDE_bf16(a) one_nan(half_value(IW_BF16, a))
#define SMALL_u8(a) ((uint8_t)(a))
#define SMALL_u16(a) ((uint16_t)(a))
#define SMALL_i8(a) ((int8_t)(a))
#define SMALL_i16(a) ((int16_t)(a))
#define SMALL_f16(a) half_of(IW_F16, (double)(a))
#define SMALL_bf16(a) half_of(IW_BF16, (double)(a))
typedef uint8_t type_u8; typedef uint16_t type_u16, type_f16, type_bf16; typedef int8_t type_i8; typedef int16_t type_i16;
typedef uint32_t type_u32; typedef int32_t type_i32; typedef uint64_t type_u64; typedef float type_f32;

/* A word that as a float is often of f16's size, at its ends, or at a tie between two f16. */
static uint32_t word_for_halves(void)
{
  const uint32_t bits = (uint32_t)random_bits(), exponent = 127 - 26 + bits % 45;
  const uint32_t kept = random_bits() % 2 ? 0xffffe000 : random_bits() % 2 ? 0xffff0000 : 0xffffffff;
  if (random_bits() % 4 == 0)
    return bits;
  const uint32_t tie = random_bits() % 2 ? (kept ^ 0xffffffff) / 2 + 1 : 0;
  return (((bits & 0x807fffff) | exponent << 23) & kept) | (kept == 0xffffffff ? 0 : tie);
}

START_TEST(narrow_memory)
{
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = elements_for(block), grid = blocks_for(n, block);
    uint32_t *const chosen = random_words(n), *const index = permutation(n), *const words = guarded(4 * n, 0);
    uint16_t *const a = guarded(2 * n, 0);
    int c = 0;
    outputs(36, n, 0);
    for (size_t e = 0; e < n; e++) {
      a[e] = (uint16_t)random_bits();
      words[e] = word_for_halves();
    }
#define NARROW_MEMORY(t, l) \
    for (size_t e = 0; e < n; e++) { \
      const type_##t *const narrow = (const void *)a; \
      type_##l given; \
      memcpy(&given, &words[e], sizeof given); \
      if (chosen[e] & 1) { \
        WANT(type_##t, c)[e] = SMALL_##t(given); \
        WANT(type_##t, c + 4)[index[e]] = WANT(type_##t, c + 5)[index[e]] = SMALL_##t(given); \
      } \
      WANT(type_##l, c + 1)[e] = chosen[e] & 1 ? WIDE_##t(narrow[e]) : 0; \
      WANT(type_##l, c + 2)[e] = WANT(type_##l, c + 3)[e] = chosen[e] & 1 ? WIDE_##t(narrow[index[e]]) : 0; \
    } \
    c += 6;
    NARROW_MEMORY(u8, u32) NARROW_MEMORY(u16, u32) NARROW_MEMORY(i8, i32) NARROW_MEMORY(i16, i32)
    NARROW_MEMORY(f16, f32) NARROW_MEMORY(bf16, f32)
#undef NARROW_MEMORY
    run(b, LANGUAGE_narrow_memory, grid, block,
        &(language_args){ .a = a, .b = words, .chosen = chosen, .index = index, .n = n });
    release();
  }
}
END_TEST

/* Every number of elements that two rows of the widest type, and of the other, can have; then 65536, which
 * are all halves. */
START_TEST(rows_narrow)
{
  EACH_BUILD(b) {
    const size_t row_32 = 4 * b->warp, most = 65536;
    for (size_t n = 0; n <= most; n += n < 2 * row_32 + 1 ? (sparse + 9) / 10 : most - n ? most - n : 1) {
      const size_t warps = n < most ? 2 : most / (row_32 / 2), rows = warps * row_32; /* rows of 8 bytes have half of it */
      uint32_t *const words = guarded(4 * n, 0);
      uint16_t *const halves = guarded(2 * n, 0);
      const int way = n % 64 ? 0 : 5 % WAYS;
      int c = 0;
      outputs(18, rows, 0);
      for (size_t e = 0; e < n; e++) {
        words[e] = word_for_halves();
        halves[e] = n < most ? (uint16_t)random_bits() : (uint16_t)e;
      }
#define ROW_FROM(t, s) \
      for (size_t e = 0; e < warps * 16 / sizeof(type_##t) * b->warp; e++) \
        WANT(type_##t, c)[e] = e < n ? (type_##t)WIDE_##s(((const type_##s *)(const void *)halves)[e]) : 9; \
      c++;
#define ROW_TO(t, s) \
      for (size_t e = 0; e < n && e < rows; e++) { \
        type_##t given; \
        memcpy(&given, &words[e], sizeof given); \
        WANT(type_##s, c)[e] = SMALL_##s(given); \
      } \
      c++;
      ROW_FROM(u32, u8) ROW_FROM(u32, u16) ROW_FROM(u32, i8) ROW_FROM(u32, i16) ROW_FROM(i32, u8) ROW_FROM(i32, u16)
      ROW_FROM(u64, u8) ROW_FROM(u64, u16) ROW_FROM(u64, i8) ROW_FROM(u64, i16) ROW_FROM(f32, f16) ROW_FROM(f32, bf16)
      ROW_TO(u32, u8) ROW_TO(u32, u16) ROW_TO(i32, u8) ROW_TO(i32, u16) ROW_TO(f32, f16) ROW_TO(f32, bf16)
#undef ROW_FROM
#undef ROW_TO
      const size_t grid = (warps + 1) / 2;
      launch(b, LANGUAGE_rows_narrow, way, grid, 2 * b->warp, &(language_args){ .a = words, .b = halves, .n = n });
      compare(b, LANGUAGE_rows_narrow, way, 2 * b->warp);
      release();
    }
  }
}
END_TEST

/* Every number of elements that two rows of the widest type, and of the other, can have. */
START_TEST(rows_from)
{
  EACH_BUILD(b) {
    const size_t wide = 2 * b->warp, rows = 2 * wide, rows_32 = 2 * rows; /* two rows of 8 and of 4 bytes */
    for (size_t n = 0; n <= rows_32 + 1; n += (sparse + 9) / 10) {
      uint32_t *const words = random_words(n);
      uint8_t *const bytes = guarded(n, 0);
      const int way = n % 64 ? 0 : 5 % WAYS;
      outputs(5, rows_32, 0);
      for (size_t e = 0; e < n; e++)
        bytes[e] = (uint8_t)random_bits();
      for (size_t e = 0; e < rows_32; e++)
        WANT(uint32_t, 0)[e] = e < n ? bytes[e] : 9;
      for (size_t e = 0; e < rows; e++) {
        float x = 9;
        if (e < n)
          memcpy(&x, &words[e], sizeof x);
        WANT(uint64_t, 1)[e] = e < n ? bytes[e] : 9;
        WANT(int64_t, 2)[e] = e < n ? (int32_t)words[e] : 9;
        WANT(uint64_t, 3)[e] = e < n ? words[e] : 9;
        if (x == x)
          WANT(double, 4)[e] = (double)x;
        else
          WANT(uint64_t, 4)[e] = 0x7ff8000000000000;
      }
      launch(b, LANGUAGE_rows_from, way, 1, 2 * b->warp, &(language_args){ .a = words, .b = bytes, .n = n });
      compare(b, LANGUAGE_rows_from, way, 2 * b->warp);
      release();
    }
  }
}
END_TEST

/* Operators of a user's, by loops from the left. */
static uint32_t then(uint32_t a, uint32_t b)
{
  const uint32_t m = b >> 16, c = b & 0xffff;
  return (a >> 16) * m << 16 | (((a & 0xffff) * m + c) & 0xffff);
}

START_TEST(operators)
{
  enum { ODD = 1 << 16, FIRST = 0x30005 };
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = elements_for(block), grid = blocks_for(n, block), row = 4 * (size_t)b->warp;
    uint32_t *const index = random_words(n), all = ODD;
    uint16_t *const shorts = guarded(n * sizeof *shorts, 0);
    float *const a = guarded(n * sizeof *a, 0);
    outputs(17, n, 0);
    for (size_t e = 0; e < n; e++) {
      shorts[e] = (uint16_t)random_bits();
      a[e] = (float)(int32_t)random_bits() * 0x1p-20f;
      for (unsigned c = 5; c <= 9; c++)
        WANT(uint32_t, c)[e] = 0;
      WANT(uint32_t, 16)[e] = 0;
    }
    EACH_WARP(b, w, n, block) {
      uint32_t x = ODD, folded = FIRST, rows = ODD;
      for (size_t e = w.first; e < w.first + w.count; e++) {
        const uint32_t odd = index[e] | ODD;
        WANT(uint32_t, 1)[e] = x;
        WANT(uint32_t, 0)[e] = x = then(x, odd);
        WANT(uint32_t, 4)[e] = folded;
        folded = then(folded, odd);
        if (e % block == 0)
          all = ODD;
        WANT(uint32_t, 15)[e] = all;
        WANT(uint32_t, 14)[e] = all = then(all, odd);
      }
      for (size_t e = w.first; e < w.first + w.count; e++) {
        WANT(uint32_t, 2)[e] = x;
        WANT(uint32_t, 3)[e] = folded;
      }
      for (size_t e = w.index * row; e < n && e < (w.index + 1) * row; e++)
        rows = then(rows, index[e] | ODD);
      WANT(uint32_t, 12)[w.index] = rows;
    }
    for (size_t e = 0, end; e < n; e++) {
      end = (e / block + 1) * block < n ? (e / block + 1) * block : n;
      WANT(uint32_t, 13)[e] = WANT(uint32_t, 14)[end - 1];
      const uint32_t word = index[e] | ODD, narrow = shorts[e] * 0x10001u | ODD;
      const size_t in_row = e % row, warps = grid * blocks_for(block, b->warp);
      if (e / row < warps) {
        WANT(uint32_t, 10)[e] = then(in_row ? WANT(uint32_t, 10)[e - 1] : FIRST, word);
        WANT(uint32_t, 11)[e] = then(in_row ? WANT(uint32_t, 11)[e - 1] : ODD, narrow);
      }
    }
    run(b, LANGUAGE_operators, grid, block, &(language_args){ .a = a, .b = shorts, .index = index, .n = n });
    release();
  }
}
END_TEST

START_TEST(counters)
{
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = 2 * block + block / 2 + 1, grid = blocks_for(n, block);
    uint32_t *const chosen = random_words(n), *const index = random_words(n);
    outputs(6, LANGUAGE_COUNTERS * (n + 64 * grid), 0);
    for (size_t i = 0; i < grid * LANGUAGE_COUNTERS; i++) {
      WANT(uint32_t, 2)[i] = i % LANGUAGE_COUNTERS;
      WANT(uint32_t, 5)[i / 2] = 0x30000u + i % LANGUAGE_COUNTERS / 2;
      for (uint32_t l = 0; l < b->warp; l++)
        WANT(uint32_t, 4)[i * b->warp + l] = l;
    }
    EACH_WARP(b, w, n, block) {
      const size_t of_block = w.first / block * LANGUAGE_COUNTERS;
      uint32_t own[LANGUAGE_COUNTERS], *const all = WANT(uint32_t, 2) + of_block;
      for (uint32_t k = 0; k < LANGUAGE_COUNTERS; k++)
        own[k] = k;
      for (size_t e = w.first; e < w.first + w.count; e++) {
        const uint32_t k = index[e] % LANGUAGE_COUNTERS;
        const uint32_t times = 1 + (chosen[e] & 1);
        all[k] += times;
        WANT(uint32_t, 4)[(of_block + k) * b->warp + (e - w.first)] += times;
        WANT(uint32_t, 5)[(of_block + k) / 2] += times << 16 * (k % 2);
        if (chosen[e] & 1)
          WANT(uint32_t, 0)[e] = own[k]++;
      }
      for (size_t e = w.first; e < w.first + w.count; e++)
        WANT(uint32_t, 1)[e] = own[index[e] % LANGUAGE_COUNTERS]++;
      memcpy(WANT(uint32_t, 3) + w.index * LANGUAGE_COUNTERS, own, sizeof own);
    }
    run(b, LANGUAGE_counters, grid, block, &(language_args){ .chosen = chosen, .index = index, .n = n });
    release();
  }
}
END_TEST

/* Rows of numbers less than `own`; or of bytes, of so many kinds. They come often enough to fill whatever
 * fills. */
START_TEST(private_counters)
{
  static const struct { uint32_t own, tables, vectors, rows, kinds; } cases[] = {
    { 1, 8, 4, 3, 0 }, { 7, 4, 2, 4099, 0 }, { 32, 8, 8, 67, 0 }, { 35, 1, 4, 4097, 0 }, { 36, 8, 4, 67, 0 },
    { 100, 16, 4, 300, 0 }, { 256, 8, 8, 1101, 0 }, { 259, 4, 2, 2100, 0 }, { 260, 4, 4, 67, 0 }, { 1024, 4, 4, 300, 0 },
    { 1025, 4, 8, 1101, 0 }, { 2305, 2, 4, 1500, 0 }, { 5000, 1, 8, 30, 0 },
    { 256, 8, 0, 67, 1 }, { 256, 8, 0, 4097, 7 }, { 256, 8, 0, 300, 8 }, { 256, 8, 0, 67, 9 }, { 256, 8, 0, 67, 16 },
    { 256, 8, 0, 67, 17 }, { 256, 8, 0, 601, 256 }, { 256, 4, 0, 67, 256 },
  };
  const int kernel = LANGUAGE_private_counters;
  enum { ROWS = 37, BLOCKS = 2, CASES = sizeof cases / sizeof cases[0] };
  EACH_BUILD(b) for (unsigned c = 0; c < CASES; c += sparse > 1 ? 5 : 1) for (int alike = 0; alike < 3; alike++) {
    const uint32_t own = cases[c].own, tables = cases[c].tables, rows = cases[c].rows, kinds = cases[c].kinds;
    const unsigned block = c % 3 ? b->warp : 2 * b->warp;
    const size_t row = b->warp * (kinds ? 16 : (size_t)cases[c].vectors), n = ROWS * row, warps = BLOCKS * block / b->warp;
    uint32_t *const index = random_words(n), map[256];
    uint8_t *const bytes = guarded(n, 0);
    for (uint32_t v = 0; v < 256; v++)
      map[v] = kinds < 256 && c % 2 ? v * kinds / 256 : v % (kinds ? kinds : 1); /* runs of a kind, or all mixed */
    for (size_t e = 0; e < n; e++) {
      const int often = alike == 1 || (alike && e > 1 && random_bits() % 4); /* all are one, or most are one of two */
      index[e] = index[!often ? e : alike == 1 ? 0 : random_bits() % 2] % own;
      bytes[e] = (uint8_t)(alike == 1 ? 77 : random_bits());
    }
    outputs(1, BLOCKS * own, 0);
    memset(WANT(uint32_t, 0), 0, BLOCKS * own * sizeof(uint32_t));
    for (size_t w = 0; w < warps; w++)
      for (uint32_t r = 0; r < rows; r++)
        for (size_t e = (w + r) % ROWS * row, end = e + row; e < end; e++)
          WANT(uint32_t, 0)[w / (warps / BLOCKS) * own + (kinds ? map[bytes[e]] : index[e])]++;
    const uint32_t *const how = guarded_copy(&cases[c], sizeof cases[c]), *const apart = guarded_copy(map, sizeof map);
    /* Cases of many rows run in one way each, which differs from case to case. */
    const int many = rows > 1000, first_way = many ? (int)(c + (unsigned)alike + (unsigned)(b - builds)) % WAYS : 0;
    for (int way = first_way; way < WAYS; way += many ? WAYS : sparse > 1 ? 5 : 3) {
      launch(b, kernel, way, BLOCKS, block, &(language_args){ .a = bytes, .index = index, .chosen = apart, .n = ROWS,
                                                              .deltas = how, .thread = kinds != 0 });
      for (size_t k = 0; k < BLOCKS * own && kinds; k++) { /* bytes of a kind may be counted as one another */
        uint32_t *const counts = GOT(uint32_t, 0) + k / own * own, count = counts[k % own];
        counts[k % own] = 0;
        counts[map[k % own]] += count;
      }
      compare(b, kernel, way, block);
    }
    ck_assert_uint_le(own * tables, LANGUAGE_PRIVATE);
    release();
  }
}
END_TEST

/* Each element stands on its pile behind those that came before, of the block's first half and then of its
 * second. */
START_TEST(piles)
{
  static const uint32_t sizes[] = { 0, 1, 5, 300, 4000 }, counts[] = { 1, 3, 256 };
  const int kernel = LANGUAGE_piles;
  EACH_BUILD(b) for (unsigned s = 0; s < 5; s += sparse > 1 ? 3 : 1) for (unsigned c = 0; c < 3; c++) {
    enum { BLOCKS = 2, PILES = LANGUAGE_PILES, WIDTHS = 5 };
    const size_t n = sizes[s], all = 2 * BLOCKS * n;
    const unsigned block = c ? b->warp : 100;
    uint32_t *const index = random_words(all + 1), *const first = guarded(BLOCKS * PILES * sizeof *first, 0);
    uint64_t *const places = guarded(2 * BLOCKS * PILES * sizeof *places, 0);
    unsigned char *const a = guarded(16 * (all + 4), 0), *const in = a + 16 * 3;
    outputs(2 * WIDTHS, 2 * all, 0);
    for (size_t e = 0; e < 16 * all; e++)
      in[e] = (unsigned char)random_bits();
    uint64_t next = 0;
    for (uint32_t d = 0; d < PILES; d++)
      for (size_t part = 0; part < 2 * BLOCKS; part++) {
        places[part * PILES + d] = next;
        if (part % 2 == 0)
          first[part / 2 * PILES + d] = (uint32_t)next;
        for (size_t e = part * n; e < (part + 1) * n; e++)
          if ((index[e] %= counts[c]) == d) {
            for (size_t w = 0, size = 1; w < WIDTHS; w++, size *= 2)
              for (unsigned way = 0; way < 2; way++)
                memcpy(WANT(unsigned char, 2 * w + way) + next * size, in + e * size, size);
            next++;
          }
      }
    for (int way = 0; way < WAYS; way += 3) {
      launch(b, kernel, way, BLOCKS, block, &(language_args){ .a = in, .index = index, .slots = places, .deltas = first, .n = n,
                                                              .thread = (c + (unsigned)way) % 2 });
      compare(b, kernel, way, block);
    }
    release();
  }
}
END_TEST

START_TEST(phases)
{
  EACH_BUILD(b) EACH_BLOCK(block) {
    const size_t n = 3 * (size_t)block, grid = 3;
    uint32_t *const index = random_words(n);
    outputs(4, n, 0);
    for (size_t e = 0; e < n; e++) {
      WANT(uint32_t, 0)[e] = index[e / block * block + (e % block + 4) % block];
      for (uint32_t i = 0; i < 3; i++)
        WANT(uint32_t, 1 + i)[e] = index[e] * (i + 3);
    }
    run(b, LANGUAGE_phases, grid, block, &(language_args){ .index = index, .n = n });
    release();
  }
}
END_TEST

START_TEST(handover)
{
  EACH_BUILD(b) EACH_WAY(way, 1) {
    const size_t n = 300, grid = 23;
    void *const tickets = guarded(64, 0);
    uint64_t *const slots = guarded(n * sizeof *slots, 0);
    uint32_t *const index = random_words(b->warp);
    memset(tickets, 0, 64);
    memset(slots, 0, n * sizeof *slots);
    outputs(1, n * b->warp, 0);
    for (size_t e = 0; e < n * b->warp; e++)
      WANT(uint32_t, 0)[e] = index[e % b->warp] + (uint32_t)(e / b->warp);
    launch(b, LANGUAGE_handover, way, grid, 100, &(language_args){ .index = index, .n = n, .scratch = tickets, .slots = slots });
    compare(b, LANGUAGE_handover, way, 100);
    release();
  }
}
END_TEST

/* Sums of a block at each size from 1 to 1024. */
START_TEST(any_block_size)
{
  const int kernel = LANGUAGE_any_size;
  float *const a = guarded(1024 * sizeof *a, 0), x[1024];
  values_f32(a, 1024, FINITE);
  EACH_BUILD(b) for (unsigned block = 1; block <= 1024; block += sparse) {
    outputs(3, block, 0);
    memcpy(x, a + 1024 - block, block * sizeof *x);
    const float last = x[block - 1];
    tree_f32(x, block, sum_f32);
    for (unsigned e = 0; e < block; e++) {
      WANT(float, 0)[e] = x[block - 1];
      WANT(float, 1)[e] = last;
      WANT(float, 2)[e] = e ? x[e - 1] : 0;
    }
    const int way = WAYS == 1 || (block + (unsigned)(b - builds)) % 2 ? 0 : block % 3 ? 5 : 6;
    launch(b, kernel, way, 1, block, &(language_args){ .a = a + 1024 - block, .n = block });
    compare(b, kernel, way, block);
    area_count -= 2; /* the outputs */
    for (int k = 0; k < 2; k++)
      munmap(areas[area_count + (unsigned)k].map, areas[area_count + (unsigned)k].bytes);
  }
  release();
}
END_TEST

static uint64_t digest(const void *data, size_t bytes)
{
  uint64_t d = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; i++)
    d = (d ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  return d;
}

/* The digest of a block size is the same in all builds and ways: it is that of the scalar definition. */
START_TEST(mean_normalisation)
{
  static const unsigned sizes[] = { 1, 31, 100, 1000 };
  const int kernel = LANGUAGE_normalise;
  EACH_BUILD(b) for (int s = 0; s < 4; s++) for (int data = FINITE; data <= MIXED; data++) {
    const unsigned block = sizes[s];
    const size_t grid = block < 31 ? 40 : 7, n = grid * block;
    float *const a = guarded(n * sizeof *a, 0), *const x = guarded(n * sizeof *x, 0);
    values_f32(a, n, data);
    outputs(1, n, 0);
    memcpy(x, a, n * sizeof *x);
    for (size_t i = 0; i < grid; i++) {
      tree_f32(x + i * block, block, sum_f32);
      const float mean = x[i * block + block - 1] / (float)block;
      for (size_t e = i * block; e < (i + 1) * block; e++)
        put_f32(WANT(float, 0) + e, a[e] - mean);
    }
    const uint64_t want = digest(out.want, out.bytes);
    for (int way = 0; way < WAYS; way++) {
      launch(b, kernel, way, grid, block, &(language_args){ .a = a, .n = n });
      const uint64_t got = digest(out.got, out.bytes);
      ck_assert_msg(got == want, HOW_FORMAT ": digest %016llx, not %016llx", HOW(b), (unsigned long long)got,
                    (unsigned long long)want);
    }
    release();
  }
}
END_TEST

#ifndef LANGUAGE_DEVICE
/* A team has as many threads as were asked for, and no thread mode has one. */
START_TEST(team)
{
  const build *const b = builds;
  const int kernel = LANGUAGE_phases;
  uint32_t *const index = random_words(100);
  outputs(4, 100, 0);
  for (int way = 0; way < WAYS; way++) {
    iw_context_info info = { .size = sizeof info };
    launch(b, kernel, way, 1, 100, &(language_args){ .index = index, .n = 100 });
    ck_assert(iw_context_get_info(contexts[way], &info) == IW_OK);
    if (ways[way].blocks != IW_BLOCKS_TEAM || ways[way].threads == 1)
      ck_assert_uint_eq(info.team, 1);
#ifdef _OPENMP
    else
      ck_assert_msg(info.team >= 2 && info.team <= ways[way].threads, "a team of %u for %u threads", info.team,
                    ways[way].threads);
#endif
  }
  release();
}
END_TEST

/* Whatever the caller rounds and flushes, kernels do not; and the caller finds it as it was. */
START_TEST(environment)
{
  const int kernel = LANGUAGE_numbers_f32;
  const unsigned block = 100;
  const size_t n = elements_for(block), grid = blocks_for(n, block);
  static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
  float *const a = guarded(n * sizeof *a, 0), *const c = guarded(n * sizeof *c, 0);
  uint32_t *const chosen = random_words(n);
  values_f32(a, n, SPECIAL);
  values_f32(c, n, MIXED);
  for (size_t e = 0; e < n; e++) { /* subnormal operands and results too */
    if (e % 3 == 0)
      a[e] = ldexpf((float)(int32_t)(random_bits() >> 40), -149);
    if (e % 6 == 0)
      c[e] = ldexpf(1.5f, -(int)(random_bits() % 30));
  }
  outputs(10, n, 0);
  want_numbers_f32(a, c, chosen, n);
  EACH_BUILD(b) for (int way = 0; way < WAYS; way++)
    for (int m = 0; m < 3; m++) {
      language_args args = { .a = a, .b = c, .chosen = chosen, .n = n, .out = out.got, .stride = out.stride };
      memset(out.got, CANARY, out.bytes);
      fesetround(modes[m]);
#ifdef __SSE__
      _mm_setcsr(_mm_getcsr() | 0x8040); /* flush results, and operands, to zero */
      const unsigned before = _mm_getcsr() & ~0x3fu;
#endif
      const iw_status status = iw_launch(contexts[way], b->kernels[kernel], grid, block, &args, sizeof args);
      const int mode = fegetround();
#ifdef __SSE__
      const unsigned after = _mm_getcsr() & ~0x3fu;
#endif
      fesetenv(FE_DFL_ENV);
#ifdef __SSE__
      ck_assert_uint_eq(after, before);
#endif
      ck_assert_int_eq(mode, modes[m]);
      ck_assert_int_eq(status, IW_OK);
      compare(b, kernel, way, block);
    }
  release();
}
END_TEST

#endif

/* ---- The suite ---- */

#ifdef LANGUAGE_CUDA
/* In a process of its own: once CUDA has begun it does not work in a process's children, which the tests
 * are. */
static void skip_without_device(void)
{
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA };
    iw_context *context;
    if (iw_context_open(&context, &options) != IW_OK) {
      printf("1..0 # SKIP %s\n", iw_message());
      fflush(stdout);
      _exit(77);
    }
    iw_context_close(context);
    _exit(0);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 77)
      || !WIFEXITED(status)) {
    printf("Bail out! asking for a CUDA device failed\n");
    exit(1);
  }
  if (WEXITSTATUS(status) == 77)
    exit(0);
}
#endif

#define ADD(name) tcase_add_test(tests, name);
#define ADD_TYPED(t) ADD(numbers_##t) ADD(conversions_##t) ADD(memory_##t) ADD(far_##t) ADD(warp_##t) ADD(shuffle_##t) \
  ADD(block_##t) ADD(chain_##t) ADD(rows_of_slots_##t) ADD(rows_##t) ADD(segments_##t) ADD(scalars_##t) ADD(uniform_##t)
#define ADD_INT(t) ADD(integers_##t) ADD(atomics_##t) ADD(match_##t)

int main(void)
{
  const char *const text = getenv("ISOWARP_TEST_SEED");
  const char *const brief = getenv("ISOWARP_TEST_BRIEF");
  sparse = brief && *brief && *brief != '0' ? 93 : backend == IW_BACKEND_SIM ? 31 : 1;
  seed = text && *text ? strtoull(text, NULL, 0) : (uint64_t)getpid() * 2654435761u ^ (uint64_t)(uintptr_t)&seed;
  printf("# ISOWARP_TEST_SEED=%llu\n", (unsigned long long)seed);
  fflush(stdout);
#ifdef LANGUAGE_CUDA
  skip_without_device();
#endif
  for (size_t i = 0; i < sizeof all_builds / sizeof all_builds[0]; i++)
    if (backend != IW_BACKEND_CPU || iw_isa_available(all_builds[i].isa))
      builds[build_count++] = all_builds[i];

#ifdef LANGUAGE_SIM /* tests use lanes that are no threads of the block, and say what is in them */
  setenv("ISOWARP_SIM_CHECKS", "bounds,undefined,race,slots,barrier,ownership,phase,overflow", 0);
#endif
  Suite *const suite = suite_create("language");
  TCase *const tests = tcase_create("language");
  tcase_set_timeout(tests, 600);
  tcase_add_checked_fixture(tests, setup, teardown);
  ADD_TYPED(f32) ADD_TYPED(f64) ADD_TYPED(i32) ADD_TYPED(u32) ADD_TYPED(i64) ADD_TYPED(u64)
  ADD_INT(i32) ADD_INT(u32) ADD_INT(i64) ADD_INT(u64)
  ADD(floats_f32) ADD(floats_f64) ADD(floor_f32) ADD(floor_f64) ADD(guesses_f32) ADD(guesses_f64)
  ADD(abs_i32) ADD(abs_i64) ADD(bits_u32) ADD(bits_u64)
  ADD(predicates) ADD(votes) ADD(spans) ADD(narrow) ADD(narrow_memory) ADD(rows_from) ADD(rows_narrow) ADD(operators) ADD(counters) ADD(private_counters) ADD(piles) ADD(phases) ADD(handover)
  ADD(any_block_size) ADD(mean_normalisation)
#ifndef LANGUAGE_DEVICE /* of the CPU's threads */
  ADD(team) ADD(environment)
#endif
  suite_add_tcase(suite, tests);
  TCase *const compact = tcase_create("compact");
  tcase_set_timeout(compact, 600);
  tcase_add_checked_fixture(compact, setup_compact, teardown);
  tcase_add_test(compact, compact_u32);
  tcase_add_test(compact, compact_u64);
  suite_add_tcase(suite, compact);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
