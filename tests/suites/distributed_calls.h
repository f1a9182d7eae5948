/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed calls whose results are compared, bit by bit, with those of the same context for the whole
 * array. For programs whose ranks communicate by MPI or NCCL; tests/suites/check_distributed.c has more, with
 * threads. */
#ifndef TESTS_DISTRIBUTED_CALLS_H
#define TESTS_DISTRIBUTED_CALLS_H

#include <isowarp/peers.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How an array is cut. */
enum { CUT_EVEN, CUT_GROUPS, CUT_RANDOM, CUT_LAST, CUT_ONES, CUTS };
static const char *const cut_names[] = { "even", "at multiples of 2^17", "random", "all on the last rank",
                                         "one element each" };

/* One rank, and its part of an array. */
typedef struct rank {
  iw_distributed *ranks;
  iw_context *context;
  unsigned number, count;
  size_t n, begin, part;
  int wrong; /* differences so far */
} rank;

/* A hash of an index: the same on all ranks. */
static inline uint32_t mix(uint64_t x)
{
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)(x >> 32);
}

/* Where the part of rank r begins, of n elements. */
static inline size_t cut_at(int cut, unsigned r, unsigned count, size_t n, uint64_t seed)
{
  const size_t group = (size_t)1 << 17;
  if (r == 0 || r >= count)
    return r == 0 ? 0 : n;
  switch (cut) {
  case CUT_EVEN: return (size_t)((double)n / count * r);
  case CUT_GROUPS: return n / group * r / count * group;
  case CUT_LAST: return 0;
  case CUT_ONES: return r < n ? r : n;
  default: { /* the r-th smallest of count - 1 places */
    size_t places[64];
    for (unsigned i = 1; i < count; i++) {
      const size_t place = mix(seed * 1000 + i) % (n + 1);
      unsigned k = i - 1;
      for (; k > 0 && places[k - 1] > place; k--)
        places[k] = places[k - 1];
      places[k] = place;
    }
    return places[r - 1];
  }
  }
}

static inline void fatal(const rank *k, const char *call)
{
  fprintf(stderr, "rank %u of %u, %zu elements from %zu of %zu: %s: %s\n", k->number, k->count, k->part,
          k->begin, k->n, call, iw_message());
  exit(1);
}

#define CALL(k, call) ((call) == IW_OK ? (void)0 : fatal(k, #call))

/* Memory of the context, with `bytes` bytes of host memory; without, not initialised. */
static inline void *place(rank *k, const void *host, size_t bytes)
{
  void *memory;
  CALL(k, iw_memory_allocate(k->context, bytes + 1, &memory));
  if (host != NULL && bytes > 0)
    CALL(k, iw_memory_copy(k->context, memory, host, bytes));
  return memory;
}

/* Compares arrays of the context with one another. */
static inline void compare(rank *k, const char *what, const void *got, const void *expected, size_t bytes)
{
  char *const a = (char *)malloc(bytes + 1), *const b = (char *)malloc(bytes + 1);
  if (bytes > 0) {
    CALL(k, iw_memory_copy(k->context, a, got, bytes));
    CALL(k, iw_memory_copy(k->context, b, expected, bytes));
  }
  if (memcmp(a, b, bytes) != 0) {
    size_t i = 0;
    while (a[i] == b[i])
      i++;
    fprintf(stderr, "rank %u of %u, %zu elements from %zu of %zu: %s differs at byte %zu of %zu\n",
            k->number, k->count, k->part, k->begin, k->n, what, i, bytes);
    k->wrong++;
  }
  free(a);
  free(b);
}

static inline void compare_numbers(rank *k, const char *what, uint64_t got, uint64_t expected)
{
  if (got == expected)
    return;
  fprintf(stderr, "rank %u of %u, %zu elements from %zu of %zu: %s is %llu, not %llu\n", k->number, k->count,
          k->part, k->begin, k->n, what, (unsigned long long)got, (unsigned long long)expected);
  k->wrong++;
}

/* Scans and reductions of 4-byte elements. */
static inline void check_scans(rank *k, iw_op op, iw_type type, const void *whole, const void *init,
                               const char *name)
{
  char what[64];
  void *const expected = place(k, NULL, 4 * k->n), *const got = place(k, NULL, 4 * k->part);
  const char *const x = (const char *)whole + 4 * k->begin;
  uint32_t one, other;
  iw_scan_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.init = init;
  for (int exclusive = 0; exclusive < 2; exclusive++) {
    snprintf(what, sizeof what, "%s %s scan", exclusive ? "exclusive" : "inclusive", name);
    CALL(k, (exclusive ? iw_exclusive_scan : iw_inclusive_scan)(k->context, op, type, whole, k->n, expected,
                                                                &options));
    CALL(k, (exclusive ? iw_distributed_exclusive_scan
                       : iw_distributed_inclusive_scan)(k->ranks, op, type, x, k->part, got, &options));
    compare(k, what, got, (const char *)expected + 4 * k->begin, 4 * k->part);
  }
  CALL(k, iw_reduce(k->context, op, type, whole, k->n, &one, &options));
  CALL(k, iw_distributed_reduce(k->ranks, op, type, x, k->part, &other, &options));
  CALL(k, iw_context_synchronize(k->context));
  snprintf(what, sizeof what, "%s", name);
  compare_numbers(k, what, other, one);
  CALL(k, iw_memory_free(k->context, expected));
  CALL(k, iw_memory_free(k->context, got));
}

/* The first maxima of runs by flags: those of a run are on the rank where it begins. */
static inline void check_runs(rank *k, const void *whole)
{
  char *const flags = (char *)malloc(k->n + 1);
  for (size_t i = 0; i < k->n; i++)
    flags[i] = mix(i) % 900 == 0;
  void *const heads = place(k, flags, k->n);
  char *const expected = (char *)place(k, NULL, 12 * k->n), *const got = (char *)place(k, NULL, 12 * k->part);
  size_t runs, own_runs;
  uint64_t first, all_runs;
  iw_segments segments;
  iw_scan_options options;
  memset(&segments, 0, sizeof segments);
  segments.size = sizeof segments;
  segments.kind = IW_SEGMENTS_FLAGS;
  segments.flags = (const uint8_t *)heads;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.segments = &segments;
  options.run_count = &runs;
  CALL(k, iw_argmax(k->context, IW_F32, whole, k->n, (size_t *)(void *)expected, expected + 8 * k->n, &options));
  CALL(k, iw_context_synchronize(k->context));
  segments.flags += k->begin;
  options.run_count = &own_runs;
  CALL(k, iw_distributed_argmax(k->ranks, IW_F32, (const char *)whole + 4 * k->begin, k->part, (uint64_t *)(void *)got,
                                got + 8 * k->part, &options));
  CALL(k, iw_distributed_extent(k->ranks, own_runs, &first, &all_runs));
  compare_numbers(k, "the number of runs", all_runs, runs);
  compare(k, "the indices of maxima", got, expected + 8 * first, 8 * own_runs);
  compare(k, "maxima of runs", got + 8 * k->part, expected + 8 * k->n + 4 * first, 4 * own_runs);
  CALL(k, iw_memory_free(k->context, heads));
  CALL(k, iw_memory_free(k->context, expected));
  CALL(k, iw_memory_free(k->context, got));
  free(flags);
}

static inline void check_histograms(rank *k, const void *whole)
{
  enum { BINS = 1000 };
  static const float lo = -1, hi = 1;
  const iw_histogram_spec spec = { sizeof spec, IW_F32, IW_HISTOGRAM_EVEN, BINS, &lo, &hi, NULL, NULL, IW_POLICY_COUNT, 0, 0, NULL };
  void *const expected = place(k, NULL, 8 * (BINS + 2)), *const got = place(k, NULL, 8 * (BINS + 2));
  CALL(k, iw_histogram(k->context, &spec, whole, k->n, expected, NULL));
  CALL(k, iw_distributed_histogram(k->ranks, &spec, (const char *)whole + 4 * k->begin, k->part, got, NULL));
  compare(k, "histogram", got, expected, 8 * (BINS + 2));
  CALL(k, iw_memory_free(k->context, expected));
  CALL(k, iw_memory_free(k->context, got));
}

static inline void check_moves(rank *k, const void *whole)
{
  static const float pivot = 0.125f;
  const char *const x = (const char *)whole + 4 * k->begin;
  void *const expected = place(k, NULL, 4 * k->n), *const got = place(k, NULL, 4 * k->part);
  iw_test test;
  iw_buckets buckets;
  size_t count, kept, offsets[257];
  uint64_t all, begin, places[257];
  memset(&test, 0, sizeof test);
  test.size = sizeof test;
  test.type = IW_F32;
  test.compare = IW_LESS;
  test.constant = &pivot;
  CALL(k, iw_partition(k->context, &test, whole, k->n, expected, &count, NULL));
  CALL(k, iw_distributed_partition(k->ranks, &test, x, k->part, got, &all, NULL));
  compare(k, "partition", got, (const char *)expected + 4 * k->begin, 4 * k->part);
  compare_numbers(k, "the count of a partition", all, count);
  CALL(k, iw_select_if(k->context, &test, whole, k->n, expected, &kept, NULL));
  CALL(k, iw_distributed_select_if(k->ranks, &test, x, k->part, got, &count, NULL));
  CALL(k, iw_distributed_extent(k->ranks, count, &begin, &all));
  compare_numbers(k, "the count of a selection", all, kept);
  CALL(k, iw_select_if(k->context, &test, x, k->part, expected, &kept, NULL));
  compare_numbers(k, "the count of a rank's selection", count, kept);
  compare(k, "selection", got, expected, 4 * kept);
  memset(&buckets, 0, sizeof buckets);
  buckets.size = sizeof buckets;
  buckets.type = IW_F32;
  buckets.bit = 9;
  buckets.bits = 8;
  CALL(k, iw_multisplit(k->context, &buckets, whole, k->n, expected, offsets, NULL));
  CALL(k, iw_distributed_multisplit(k->ranks, &buckets, x, k->part, got, places, NULL));
  CALL(k, iw_context_synchronize(k->context));
  compare(k, "multisplit", got, (const char *)expected + 4 * k->begin, 4 * k->part);
  for (int i = 0; i < 257; i++)
    compare_numbers(k, "an offset of a multisplit", places[i], offsets[i]);
  CALL(k, iw_sort(k->context, IW_F32, whole, k->n, expected, NULL));
  CALL(k, iw_distributed_sort(k->ranks, IW_F32, x, k->part, got, NULL));
  compare(k, "sort", got, (const char *)expected + 4 * k->begin, 4 * k->part);
  CALL(k, iw_memory_free(k->context, expected));
  CALL(k, iw_memory_free(k->context, got));
}

/* Elements move with payloads: values of 2 bytes, and the permutation. Without an out the elements are not
 * wanted. */
static inline void check_payloads(rank *k, const void *whole)
{
  char *const expected = (char *)place(k, NULL, 14 * k->n), *const got = (char *)place(k, NULL, 14 * k->part);
  const char *const x = (const char *)whole + 4 * k->begin;
  iw_payload all[2], own[2];
  iw_move_options options, parts;
  iw_buckets buckets;
  size_t offsets[9];
  uint64_t places[9];
  memset(all, 0, sizeof all);
  all[0].size = all[1].size = sizeof *all;
  all[0].width = 8;
  all[1].width = 2;
  memcpy(own, all, sizeof own);
  all[1].in = whole; /* any bytes */
  own[1].in = (const char *)whole + 2 * k->begin;
  all[0].out = expected;
  all[1].out = expected + 12 * k->n;
  own[0].out = got;
  own[1].out = got + 12 * k->part;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.payload_count = 2;
  parts = options;
  options.payloads = all;
  parts.payloads = own;
  memset(&buckets, 0, sizeof buckets);
  buckets.size = sizeof buckets;
  buckets.type = IW_F32;
  buckets.bit = 12;
  buckets.bits = 3;
  for (int moves = 0; moves < 2; moves++) {
    CALL(k, iw_multisplit(k->context, &buckets, whole, k->n, moves ? expected + 8 * k->n : NULL, offsets, &options));
    CALL(k, iw_distributed_multisplit(k->ranks, &buckets, x, k->part, moves ? got + 8 * k->part : NULL, places, &parts));
    CALL(k, iw_context_synchronize(k->context));
    compare(k, "a permutation", got, expected + 8 * k->begin, 8 * k->part);
    compare(k, "a payload", own[1].out, expected + 12 * k->n + 2 * k->begin, 2 * k->part);
    if (moves)
      compare(k, "elements with payloads", got + 8 * k->part, expected + 8 * k->n + 4 * k->begin, 4 * k->part);
  }
  CALL(k, iw_memory_free(k->context, expected));
  CALL(k, iw_memory_free(k->context, got));
}

/* All calls, for n elements in one cut. */
static inline void check_cut(rank *k, size_t n, int cut, uint64_t seed)
{
  static const float init = 0.3f;
  static const uint32_t first = 7;
  float *const host = (float *)malloc(4 * n + 4);
  for (size_t i = 0; i < n; i++)
    host[i] = (float)(int32_t)mix(i + seed) / 2147483648.0f;
  k->n = n;
  k->begin = cut_at(cut, k->number, k->count, n, seed);
  k->part = cut_at(cut, k->number + 1, k->count, n, seed) - k->begin;
  void *const whole = place(k, host, 4 * n);
  const int before = k->wrong;
  check_scans(k, IW_SUM, IW_F32, whole, NULL, "sum of f32");
  check_scans(k, IW_SUM, IW_F32, whole, &init, "sum of f32 with init");
  check_scans(k, IW_MAX, IW_F32, whole, NULL, "maximum of f32");
  check_scans(k, IW_SUM, IW_U32, whole, &first, "sum of u32");
  check_runs(k, whole);
  check_histograms(k, whole);
  check_moves(k, whole);
  check_payloads(k, whole);
  if (k->wrong != before)
    fprintf(stderr, "rank %u of %u: wrong if %zu elements are cut %s\n", k->number, k->count, n,
            cut_names[cut]);
  CALL(k, iw_memory_free(k->context, whole));
  free(host);
}

#endif
