/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on the simulated GPU that reach what the cases of `isowarp verify` and random calls do not. Each
 * returns NULL, or what is wrong. tests/suites/check_sim_random.c and tests/scripts/mutations.py run them.
 */
#ifndef SIM_CALLS_H
#define SIM_CALLS_H

#include <isowarp.h>
#include "calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIM_CALLS_OPTIONS /* tests/scripts/mutations.py makes the calls on a CPU, too */
#define SIM_CALLS_OPTIONS .backend = IW_BACKEND_SIM
#endif

static const char *sim_call_error(void)
{
  static char text[1600];
  snprintf(text, sizeof text, "error: %s", iw_message());
  return text;
}

/* A histogram of u32 bins on the simulated GPU, compared with counts in a loop. */
static const char *histogram_on_sim(const uint32_t *samples, size_t n, uint32_t bins)
{
  const uint32_t lo = 0;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = bins, .lo = &lo, .hi = &bins };
  const iw_context_options options = { .size = sizeof options, SIM_CALLS_OPTIONS };
  uint64_t *const counts = calloc(2 * (size_t)bins, sizeof *counts), *const expected = counts + bins;
  iw_context *context = NULL;
  const char *wrong = NULL;
  if (!counts)
    return "error: no memory";
  for (size_t i = 0; i < n; i++)
    if (samples[i] < bins)
      expected[samples[i]]++;
  if (iw_context_open(&context, &options) || histogram_of(context, IW_U32, &spec, samples, n, counts, NULL))
    wrong = sim_call_error();
  else if (memcmp(counts, expected, bins * sizeof *counts))
    wrong = "differs from counts in a loop";
  iw_context_close(context);
  free(counts);
  return wrong;
}

/* Counters of 16 bits become so large in two blocks that both add them to the counters in global memory
 * before they have counted all of their samples (spill_counters_16). So that no bin is a heavy hitter,
 * which is counted in registers, lane 0 has a bin of its own: vector v of a row has element v in lane 0. */
static inline const char *spill_in_two_blocks(void)
{
  enum { N = 1130000, BINS = 70000, FREQUENT = 2, ROW = 128, VECTORS = 4 };
  uint32_t *const samples = malloc(N * sizeof *samples);
  if (!samples)
    return "error: no memory";
  for (uint32_t i = 0; i < N; i++)
    samples[i] = i % ROW < VECTORS ? 100 + i % 60000 : i % FREQUENT;
  setenv("ISOWARP_SIM_PROCESSORS", "2", 1); /* one block on each, as the counters take most of its shared memory */
  const char *const wrong = histogram_on_sim(samples, N, BINS);
  unsetenv("ISOWARP_SIM_PROCESSORS");
  free(samples);
  return wrong;
}

/* Bins of more than 32 ranges, and more samples than a bin partition takes at least. */
static inline const char *bin_partition_of_many(void)
{
  enum { N = (1 << 22) + 4321, BINS = 33 * 32768 - 5 };
  uint32_t *const samples = malloc(N * sizeof *samples);
  if (!samples)
    return "error: no memory";
  for (size_t i = 0; i < N; i++)
    samples[i] = i % 3 ? (uint32_t)(i * 2654435761u) % (BINS + 99) : (uint32_t)(i >> 4) % 70000;
  const char *const wrong = histogram_on_sim(samples, N, BINS);
  free(samples);
  return wrong;
}

/* As many runs as whole chunks of the kernel that makes lengths of begins (IW_RUN_LENGTHS_CHUNK), and as
 * many elements: nothing is behind the last chunk. */
static inline const char *run_lengths_of_whole_chunks(void)
{
  enum { CHUNK = 1024, N = 3 * CHUNK };
  static uint32_t in[N], values[N], lengths[N];
  const iw_context_options options = { .size = sizeof options, SIM_CALLS_OPTIONS };
  const iw_type types[] = { IW_U32, IW_U64 };
  static uint64_t wide[N];
  for (uint32_t i = 0; i < N; i++)
    in[i] = 7 * i;
  for (unsigned t = 0; t < 2; t++) {
    iw_context *context = NULL;
    size_t count = 0;
    const iw_status status = iw_context_open(&context, &options);
    if (status != IW_OK || iw_run_lengths(context, IW_U32, in, N, values,
                                          (iw_indices){ t ? (void *)wide : lengths, (unsigned)iw_type_size(types[t]) },
                                          &count)) {
      iw_context_close(context);
      return sim_call_error();
    }
    iw_context_close(context);
    if (count != N || memcmp(in, values, sizeof in))
      return "differs from the elements";
    for (uint32_t i = 0; i < N; i++)
      if ((t ? wide[i] : lengths[i]) != 1)
        return "differs from runs of one element";
  }
  return NULL;
}

/* More bins than a block has counters for, and few samples: blocks claim counters, for which bins compete. */
static inline const char *claimed_counters(void)
{
  enum { N = 12345, BINS = 200000, CLAIMABLE = 16384 };
  static uint32_t samples[N];
  for (uint32_t i = 0; i < N; i++)
    samples[i] = i % 50 * 7 + (i * 2654435761u >> 28) % 4 * CLAIMABLE * 3;
  setenv("ISOWARP_SIM_PROCESSORS", "2", 1);
  const char *const wrong = histogram_on_sim(samples, N, BINS);
  unsetenv("ISOWARP_SIM_PROCESSORS");
  return wrong;
}

/* ---- Calls with arrays in device memory ---- */

static iw_context *sim_call_context;

static iw_status open_sim_call(void)
{
  const iw_context_options options = { .size = sizeof options, SIM_CALLS_OPTIONS };
  return iw_context_open(&sim_call_context, &options);
}

/* A copy in an allocation that ends with it and begins `front` bytes in front of it. from NULL: nothing is
 * copied. */
static void *device_copy(const void *from, size_t bytes, size_t front)
{
  char *memory = NULL;
  if (iw_memory_allocate(sim_call_context, front + bytes, (void **)&memory) != IW_OK)
    return NULL;
  return from && iw_memory_copy(sim_call_context, memory + front, from, bytes) != IW_OK ? NULL : memory + front;
}

/* Whether the array is equal to the first `bytes` bytes at `at`. */
static int same_on_sim(const void *expected, const void *at, size_t bytes)
{
  void *const got = malloc(bytes);
  const int same = got && iw_memory_copy(sim_call_context, got, at, bytes) == IW_OK && !memcmp(expected, got, bytes);
  free(got);
  return same;
}

/* Ends a call: its memory goes with the context. status: of the call. */
static const char *end_sim_call(iw_status status, const char *wrong)
{
  const char *const text = status != IW_OK ? sim_call_error() : wrong;
  iw_context_close(sim_call_context);
  return text;
}

/* Arrays that begin 4 bytes behind an address that rows could be loaded from and stored to. */
static inline const char *unaligned_arrays(void)
{
  enum { N = 2 * 4096 + 1234, BINS = 256 };
  static uint32_t x[N], sums[N], selected[N];
  static uint64_t counts[BINS];
  const uint32_t lo = 0, hi = BINS, half = BINS / 2;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = BINS, .lo = &lo, .hi = &hi };
  const iw_test less = { .size = sizeof less, .compare = IW_LESS, .constant = &half };
  size_t count = 0, got = 0;
  memset(counts, 0, sizeof counts);
  for (uint32_t i = 0; i < N; i++) {
    x[i] = i * 2654435761u >> 24;
    sums[i] = x[i] + (i ? sums[i - 1] : 0);
    counts[x[i]]++;
    if (x[i] < half)
      selected[count++] = x[i];
  }
  iw_status status = open_sim_call();
  for (unsigned at = 0; at < 2 && status == IW_OK; at++) { /* only the input, then only the output */
    const size_t in_front = at ? 16 : 4, out_front = at ? 4 : 16;
    const uint32_t *const in = device_copy(x, sizeof x, in_front);
    uint32_t *const scanned = device_copy(NULL, sizeof x, out_front), *const front = device_copy(x, sizeof x, out_front);
    uint64_t *const counted = device_copy(NULL, sizeof counts, 8);
    status = iw_inclusive_scan(sim_call_context, IW_SUM, IW_U32, in, N, scanned, NULL);
    if (status == IW_OK)
      status = select_of(sim_call_context, IW_U32, &less, in, N, front, &got);
    if (status == IW_OK)
      status = histogram_of(sim_call_context, IW_U32, &spec, in, N, counted, NULL);
    if (status == IW_OK && (!same_on_sim(sums, scanned, sizeof sums) || got != count ||
                            !same_on_sim(selected, front, count * sizeof *selected) ||
                            !same_on_sim(counts, counted, sizeof counts)))
      return end_sim_call(IW_OK, "differs from plain C");
  }
  return end_sim_call(status, NULL);
}

/* Three channels, of which several warps move several chunks. */
static inline const char *channels_of_several_chunks(void)
{
  enum { N = 2500, CHANNELS = 3, BINS = 16 };
  static uint32_t x[N * CHANNELS];
  static uint64_t expected[CHANNELS][BINS];
  const uint32_t lo = 0, hi = BINS;
  const iw_histogram_spec spec = { .size = sizeof spec, .bins = BINS, .lo = &lo, .hi = &hi };
  iw_histogram_plan *plan = NULL;
  void *counts[CHANNELS] = { NULL };
  memset(expected, 0, sizeof expected);
  for (uint32_t i = 0; i < N * CHANNELS; i++) {
    x[i] = (i * 2654435761u >> 27) % BINS;
    expected[i % CHANNELS][x[i]]++;
  }
  iw_status status = open_sim_call();
  if (status == IW_OK)
    status = plan_of(sim_call_context, IW_U32, &spec, NULL, 0, &plan);
  if (status == IW_OK) {
    const iw_histogram_spec planned = iw_spec_of_plan(plan), *const specs[CHANNELS] = { &planned, &planned, &planned };
    for (unsigned c = 0; c < CHANNELS; c++)
      counts[c] = device_copy(NULL, sizeof *expected, 0);
    status = iw_histogram_channels(sim_call_context, specs, CHANNELS, device_copy(x, sizeof x, 0), N, counts);
  }
  int same = 1;
  for (unsigned c = 0; c < CHANNELS && status == IW_OK; c++)
    same &= same_on_sim(expected[c], counts[c], sizeof *expected);
  const char *const wrong = end_sim_call(status, same ? NULL : "differs from plain C");
  iw_histogram_plan_free(plan);
  return wrong;
}

/* Multisplit by bits of the elements: 4 bytes alone in one pass, and 8 bytes in two passes. The last tile
 * is not full. */
static inline const char *split_by_bits(void)
{
  enum { N = 5000, BITS_32 = 5, BITS_64 = 12, BIT = 3 };
  static uint32_t x[N], out[N];
  static uint64_t y[N], wide[N];
  static size_t offsets[(1 << BITS_64) + 1];
  const iw_buckets narrow = { .size = sizeof narrow, .bit = BIT, .bits = BITS_32 };
  const iw_buckets many = { .size = sizeof many, .bit = BIT, .bits = BITS_64 };
  size_t at = 0;
  for (uint32_t i = 0; i < N; i++) {
    x[i] = i * 2654435761u;
    y[i] = i * 0x9e3779b97f4a7c15u;
  }
  iw_status status = open_sim_call();
  if (status == IW_OK)
    status = multisplit_of(sim_call_context, IW_U32, &narrow, x, N, out, offsets);
  for (uint32_t b = 0; b < 1u << BITS_32 && status == IW_OK; b++) {
    if (offsets[b] != at)
      return end_sim_call(IW_OK, "differs in offsets");
    for (uint32_t i = 0; i < N; i++)
      if ((x[i] >> BIT) % (1 << BITS_32) == b && out[at++] != x[i])
        return end_sim_call(IW_OK, "differs from plain C");
  }
  if (status == IW_OK)
    status = multisplit_of(sim_call_context, IW_U64, &many, y, N, wide, offsets);
  for (uint32_t i = 0; i < N && status == IW_OK; i++) {
    const size_t bucket = (size_t)(wide[i] >> BIT) % (1 << BITS_64);
    if (i < offsets[bucket] || i >= offsets[bucket + 1])
      return end_sim_call(IW_OK, "differs from plain C: an element is in another bucket");
  }
  return end_sim_call(status, NULL);
}

/* Elements of 1 and 2 bytes, whose flag bits have a kernel of their own. */
static inline const char *narrow_elements(void)
{
  enum { N = 5001 };
  static uint8_t x[N], selected[N], out[N];
  static uint16_t y[N], wide_selected[N], wide_out[N];
  const uint8_t half = 128;
  const uint16_t wide_half = 30000;
  const iw_test less = { .size = sizeof less, .compare = IW_LESS, .constant = &half };
  const iw_test greater = { .size = sizeof greater, .compare = IW_GREATER, .constant = &wide_half };
  size_t count = 0, wide_count = 0, got = 0, wide_got = 0;
  for (uint32_t i = 0; i < N; i++) {
    x[i] = (uint8_t)(i * 2654435761u >> 24);
    y[i] = (uint16_t)(i * 2654435761u >> 16);
    if (x[i] < half)
      selected[count++] = x[i];
    if (y[i] > wide_half)
      wide_selected[wide_count++] = y[i];
  }
  iw_status status = open_sim_call();
  if (status == IW_OK)
    status = select_of(sim_call_context, IW_U8, &less, x, N, out, &got);
  if (status == IW_OK)
    status = select_of(sim_call_context, IW_U16, &greater, y, N, wide_out, &wide_got);
  const int same = got == count && wide_got == wide_count && !memcmp(out, selected, count) && !memcmp(wide_out, wide_selected, 2 * wide_count);
  return end_sim_call(status, same ? NULL : "differs from plain C");
}

static const struct { const char *name; const char *(*call)(void); } sim_calls[] = {
  { "spill", spill_in_two_blocks }, { "lengths", run_lengths_of_whole_chunks }, { "claimed", claimed_counters },
  { "unaligned", unaligned_arrays }, { "channels", channels_of_several_chunks }, { "bits", split_by_bits },
  { "narrow", narrow_elements },
  { "bins", bin_partition_of_many },
};
enum { SIM_CALLS = sizeof sim_calls / sizeof *sim_calls, SHORT_SIM_CALLS = SIM_CALLS - 1 }; /* "bins" takes long */

#endif
