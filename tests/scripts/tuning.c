/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel templates of scan, of reductions of segments and of partition give the same bits with other
 * tuning numbers. tests/scripts/tuning.sh compiles them once a choice, and lists the choices in choices.h,
 * lists.h and sides.h: CHOICE(suffix of its kernels, its name, 1 if scans are by the pipelined agent).
 */
#include <isowarp.h>
#include <isowarp/descriptor.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../src/algorithms/common/args.h"

#define T float
#define NAME order1_f32
#include "../suites/order1.h"
#define T double
#define NAME order1_f64
#include "../suites/order1.h"
#define T float
#define NAME order1_segments_f32
#include "../suites/order1_segments.h"
_Static_assert((int)TILE == IW_SCAN_TILE && (int)GROUP == IW_SCAN_GROUP, "the reference has the tile and group sizes of the template");

#define CHOICE(suffix, name, pipelines) \
  extern const iw_kernel scan_sum_f32##suffix, scan_sum_f64##suffix, reduce_sum_f32##suffix, reduce_sum_f64##suffix, \
    segmented_sum_f32##suffix;
#include "choices.h"
#undef CHOICE
#define CHOICE(suffix, name, pipelines) \
  { name, pipelines, { &scan_sum_f32##suffix, &scan_sum_f64##suffix }, { &reduce_sum_f32##suffix, &reduce_sum_f64##suffix }, \
    &segmented_sum_f32##suffix },
static const struct choice { const char *name; int pipelines; const iw_kernel *scan[2], *reduce[2], *segmented; } choices[] = {
#include "choices.h"
};

#undef CHOICE
#define CHOICE(suffix, name, pipelines) extern const iw_predicate is_odd_predicate##suffix, is_odd_too_predicate##suffix;
#include "sides.h"
#undef CHOICE
#define CHOICE(suffix, name, pipelines) { name, { &is_odd_predicate##suffix, &is_odd_too_predicate##suffix } },
static const struct side { const char *name; const iw_predicate *odd[2]; } sides[] = {
#include "sides.h"
};

#undef CHOICE
#define CHOICE(suffix, name, pipelines) extern const iw_operator sum_f32##suffix, sum_f64##suffix;
#include "lists.h"
#undef CHOICE
#define CHOICE(suffix, name, pipelines) { name, { &sum_f32##suffix, &sum_f64##suffix } },
static const struct list { const char *name; const iw_operator *sum[2]; } lists[] = {
#include "lists.h"
};

static const struct way { unsigned threads; iw_blocks blocks; } ways[] = {
  { 1, IW_BLOCKS_THREAD }, { 2, IW_BLOCKS_THREAD }, { 3, IW_BLOCKS_THREAD },
  { 2, IW_BLOCKS_TEAM }, { 3, IW_BLOCKS_TEAM },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Around rows, tiles, groups, and what one look at the groups before takes. Teams are slow, and the last is
 * large. */
enum { MOST = 34 * GROUP + 5 * TILE + 131, MOST_IN_TEAM = GROUP };
static const size_t sizes[] = {
  1, ROW - 1, ROW, ROW + 1, TILE - 1, TILE, TILE + 1, 2 * TILE + ROW, 9 * TILE + 77,
  GROUP, GROUP + 1, 2 * GROUP + 3 * TILE + 5, MOST,
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* One type: its input, what has to come out (element 0: in front of all), and what does. */
typedef struct data { const char *type; size_t size; char *in, *right, *out; iw_scalar_bits init; } data;

/* Segments: where they begin, a byte and a bit each, and what comes out of the f32. */
static unsigned char *flags;
static uint32_t *heads;
static float *in_segments;

static char now[256];
static int failures;

static void stuck(int signal)
{
  (void)signal;
  static const char words[] = " does not end\n";
  if (write(2, now, strlen(now)) < 0 || write(2, words, sizeof words - 1) < 0) _exit(2);
  _exit(1);
}

static void must(int good, const char *what)
{
  if (good) return;
  fprintf(stderr, "%s: %s\n", what, iw_message());
  exit(1);
}

static void *memory(size_t bytes)
{
  void *const p = aligned_alloc(64, (bytes + 127) / 64 * 64);
  must(p != NULL, "memory");
  memset(p, 0, (bytes + 127) / 64 * 64);
  return p;
}

static void compare(const data *d, const char *what, const char *out, const char *right, size_t n)
{
  if (!memcmp(out, right, n * d->size)) return;
  size_t i = 0;
  while (!memcmp(out + i * d->size, right + i * d->size, d->size)) i++;
  if (failures++ < 10) fprintf(stderr, "%s: %s differs first at %zu\n", now, what, i);
}

/* The words and tickets of scans, as scan/scan.c hands them over: zeroed once for all. */
static iw_scan_args scan_args(const data *d, size_t n)
{
  static uint64_t *words, *tickets;
  if (!words) words = memory((MOST / TILE + 2) * 4 * sizeof *words), tickets = memory(64);
  const uint64_t tiles = (n + TILE - 1) / TILE;
  return (iw_scan_args){
    .in = d->in, .out = d->out, .n = n, .tiles = tiles, .tile_states = words,
    .group_states = words + tiles * (d->size / 4), .tickets = (void *)tickets, .init = d->init, .first_out = d->init,
    .stream = n & 1,
  };
}

/* Inclusive, exclusive, and the total alone, from an init that is handed over or that kernels read. */
static void check(iw_context *context, const struct choice *choice, int type, const data *d, size_t n, size_t grid)
{
  char total[8] = { 0 };
  iw_scan_args args = scan_args(d, n);
  args.result = total;
  if (grid & 1) args.init_ptr = &d->init, args.init.u64 = args.first_out.u64 = 0x5555555555555555;
  for (; args.exclusive < 2; args.exclusive++) {
    memset(d->out, 0x55, (n + 1) * d->size);
    must(iw_launch(context, choice->scan[type], grid, choice->scan[type]->block, &args, sizeof args) == IW_OK, now);
    compare(d, args.exclusive ? "the exclusive scan" : "the inclusive scan", d->out,
            d->right + !args.exclusive * d->size, n);
    compare(d, "the scan's total", total, d->right + n * d->size, 1);
    if (d->out[n * d->size] != 0x55 && failures++ < 10) fprintf(stderr, "%s: writes past the end\n", now);
  }
  memset(total, 0x55, sizeof total);
  must(iw_launch(context, choice->reduce[type], grid, choice->reduce[type]->block, &args, sizeof args) == IW_OK, now);
  compare(d, "the reduction", total, d->right + n * d->size, 1);
}

/* The same array in segments. Bits past its end are 0. */
static void check_segments(iw_context *context, const struct choice *choice, const data *d, size_t n, size_t grid)
{
  static uint32_t *here;
  static float *before;
  if (!here) here = memory((MOST / TILE + 1) * TILE / 8), before = memory(MOST * sizeof *before);
  const size_t words = (n + TILE - 1) / TILE * TILE / 32;
  memcpy(here, heads, n / 32 * 4);
  memset(here + n / 32, 0, (words - n / 32) * 4);
  if (n % 32) here[n / 32] = heads[n / 32] & (((uint32_t)1 << n % 32) - 1);
  iw_scan_args args = scan_args(d, n);
  if (choice->pipelines)
    args.keys = flags;
  else
    args.heads = here;
  for (; args.exclusive < 2; args.exclusive++) {
    memset(d->out, 0x55, (n + 1) * d->size);
    must(iw_launch(context, choice->segmented, grid, choice->segmented->block, &args, sizeof args) == IW_OK, now);
    for (size_t i = 0; i < n && args.exclusive; i++) before[i] = flags[i] ? d->init.f32 : in_segments[i - 1];
    compare(d, args.exclusive ? "the exclusive scan of segments" : "the inclusive scan of segments", d->out,
            (const char *)(args.exclusive ? before : in_segments), n);
    if (d->out[n * d->size] != 0x55 && failures++ < 10) fprintf(stderr, "%s: segments write past the end\n", now);
  }
}

/* Odd words to the front: with the others behind them, with these elsewhere, and without them. The scans'
 * data will do. */
static void check_sides(iw_context *context, const struct side *side, int type, data *d, size_t n)
{
  static char *right, *rest;
  if (!right) right = memory((MOST + 1) * 8), rest = memory((MOST + 1) * 8);
  const iw_type as = type ? IW_U64 : IW_U32;
  const iw_test test = { .size = sizeof test, .type = as, .predicate = side->odd[type] };
  size_t odd = 0, even = 0, count;
  for (size_t i = 0; i < n; i++) odd += d->in[i * d->size] & 1;
  for (size_t i = 0, k = 0; i < n; i++)
    memcpy(right + (d->in[i * d->size] & 1 ? k++ : odd + even++) * d->size, d->in + i * d->size, d->size);
  for (int way = 0; way < 3; way++) {
    static const char *const names[] = { "the partition", "the front", "the selection" };
    const size_t written = way == 0 ? n : odd;
    memset(d->out, 0x55, (n + 1) * d->size);
    memset(rest, 0x55, (n + 1) * d->size);
    must((way < 2 ? iw_partition(context, &test, d->in, n, d->out, &count, IW_OPTIONS(iw_move_options, .rest = way ? rest : NULL))
                  : iw_select_if(context, &test, d->in, n, d->out, &count, NULL)) == IW_OK, now);
    if (count != odd && failures++ < 10) fprintf(stderr, "%s: %s counts %zu, not %zu\n", now, names[way], count, odd);
    compare(d, names[way], d->out, right, written);
    if (way == 1) compare(d, "the rest", rest, right + odd * d->size, n - odd);
    if ((d->out[written * d->size] != 0x55 || rest[(way == 1 ? n - odd : 0) * d->size] != 0x55) && failures++ < 10)
      fprintf(stderr, "%s: %s writes past the end\n", now, names[way]);
  }
}

/* The k-th of many lengths of segments: mostly short ones, some empty, some of several tiles. */
static size_t length_of(size_t k)
{
  const size_t random = (uint32_t)(k * 2654435761u) >> 8;
  return random % 16 == 0 ? random % (3 * TILE) : random % 16 == 1 ? random % 2000 : random % 70;
}

/* The sum of `length` elements, `stride` apart. */
static void sum_of(const data *d, int type, const char *in, size_t length, size_t stride, char *result)
{
  static char *elements, *scanned;
  if (!elements) elements = memory(MOST * 8), scanned = memory((MOST + 1) * 8);
  for (size_t i = 0; i < length; i++) memcpy(elements + i * d->size, in + i * stride * d->size, d->size);
  memcpy(scanned, &d->init, d->size);
  if (type) order1_f64((double *)(void *)elements, (double *)(void *)scanned + 1, length, d->init.f64);
  else order1_f32((float *)(void *)elements, (float *)(void *)scanned + 1, length, d->init.f32);
  memcpy(result, scanned + length * d->size, d->size);
}

/* Sums of segments by offsets, of rows and of columns. */
static void check_lists(iw_context *context, const struct list *list, int type, const data *d, size_t n)
{
  static uint64_t *offsets;
  static char *right;
  if (!offsets) offsets = memory((MOST + 2) * 8), right = memory((MOST + 1) * 8);
  for (int shape = 0; shape < 5; shape++) {
    static const size_t all_columns[] = { 0, 100, 5000, 37, 1000 };
    static const char *const names[] = { "segments", "rows of 100", "rows of 5000", "37 columns", "1000 columns" };
    const size_t columns = all_columns[shape], in = columns ? n / columns * columns : n, rows = columns ? n / columns : 0;
    const iw_type as = type ? IW_F64 : IW_F32;
    size_t count = shape < 3 ? rows : columns;
    if (shape == 0)
      for (offsets[0] = 0; offsets[count] < n && count < n; count++) {
        const size_t length = length_of(count + n), left = n - offsets[count];
        offsets[count + 1] = offsets[count] + (length < left ? length : left);
      }
    for (size_t k = 0; k < count; k++) {
      const size_t begin = shape == 0 ? offsets[k] : shape < 3 ? k * columns : k;
      const size_t length = shape == 0 ? offsets[k + 1] - begin : shape < 3 ? columns : rows;
      sum_of(d, type, d->in + begin * d->size, length, shape < 3 ? 1 : columns, right + k * d->size);
    }
    const iw_segments segments = {
      .size = sizeof segments, .columns = columns, .offsets = offsets, .offset_type = IW_U64, .count = count,
      .kind = shape == 0 ? IW_SEGMENTS_OFFSETS : shape < 3 ? IW_SEGMENTS_ROWS : IW_SEGMENTS_COLUMNS,
    };
    memset(d->out, 0x55, (count + 1) * d->size);
    must(iw_reduce(context, list->sum[type], as, d->in, in, d->out,
                   IW_OPTIONS(iw_scan_options, .init = &d->init, .segments = &segments)) == IW_OK, now);
    compare(d, names[shape], d->out, right, count);
    if (d->out[count * d->size] != 0x55 && failures++ < 10) fprintf(stderr, "%s: writes past the %s\n", now, names[shape]);
  }
}

int main(void)
{
  data all[2] = { { "f32", 4, NULL, NULL, NULL, { .f32 = 0.7f } }, { "f64", 8, NULL, NULL, NULL, { .f64 = 0.7 } } };
  for (int type = 0; type < 2; type++) {
    data *const d = &all[type];
    d->in = memory(MOST * d->size);
    d->right = memory((MOST + 1) * d->size);
    d->out = memory((MOST + 1) * d->size);
    uint64_t x = 88172645463325252u; /* magnitudes far apart, init among them: another order gives other bits */
    for (size_t i = 0; i < MOST; i++) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const double v = (double)(int64_t)x * 0x1p-63 * (double)(1u << (x & 15));
      if (type) ((double *)d->in)[i] = v;
      else ((float *)d->in)[i] = (float)v;
    }
    memcpy(d->right, &d->init, d->size);
    if (type) order1_f64((double *)d->in, (double *)d->right + 1, MOST, d->init.f64);
    else order1_f32((float *)d->in, (float *)d->right + 1, MOST, d->init.f32);
  }
  /* Tiles without heads, with few, with many, and between two groups without any. */
  flags = memory(MOST);
  heads = memory((MOST / TILE + 1) * TILE / 8);
  in_segments = memory(MOST * sizeof *in_segments);
  for (size_t i = 0; i < MOST; i++) {
    static const uint32_t apart[] = { 3, 50, 1000, 5000 };
    flags[i] = i == 0 || (i / GROUP % 3 == 0 && i / TILE % 5 < 4 && (uint32_t)(i * 2654435761u) % apart[i / TILE % 5] == 0);
    heads[i / 32] |= (uint32_t)flags[i] << i % 32;
  }
  order1_segments_f32((float *)all[0].in, flags, in_segments, MOST, all[0].init.f32);
  signal(SIGALRM, stuck);
  for (int w = 0; w < WAYS; w++) {
    const iw_context_options options = {
      .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = ways[w].threads, .blocks = ways[w].blocks,
    };
    const int team = ways[w].blocks == IW_BLOCKS_TEAM;
    iw_context *context;
    must(iw_context_open(&context, &options) == IW_OK, "a context");
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++)
      for (int type = 0; type < 2; type++)
        for (int s = 0; s < SIZES; s++) {
          const size_t n = sizes[s], wave = ways[w].threads * choices[c].scan[type]->blocks_per_processor;
          const size_t grids[] = { 1, wave, n / TILE + 2 };
          if (team ? n > MOST_IN_TEAM : n == MOST && w != 1) continue;
          for (int g = n == MOST; g < (n == MOST ? 2 : 3); g++) {
            snprintf(now, sizeof now, "%s: %s, %zu elements, %zu blocks, %u threads%s", choices[c].name,
                     all[type].type, n, grids[g], ways[w].threads, team ? " in a team" : "");
            alarm(120);
            check(context, &choices[c], type, &all[type], n, grids[g]);
            if (type == 0) check_segments(context, &choices[c], &all[type], n, grids[g]);
          }
        }
    for (size_t c = 0; c < sizeof lists / sizeof *lists; c++)
      for (int type = 0; type < 2; type++)
        for (int s = 0; s < SIZES; s++) {
          if (sizes[s] > MOST_IN_TEAM && (team || w != 1)) continue;
          snprintf(now, sizeof now, "%s: %s, %zu elements, %u threads%s", lists[c].name, all[type].type, sizes[s],
                   ways[w].threads, team ? " in a team" : "");
          alarm(120);
          check_lists(context, &lists[c], type, &all[type], sizes[s]);
        }
    for (size_t c = 0; c < sizeof sides / sizeof *sides; c++)
      for (int type = 0; type < 2; type++)
        for (int s = 0; s < SIZES; s++) {
          if (team ? sizes[s] > MOST_IN_TEAM : sizes[s] == MOST && w != 1) continue;
          snprintf(now, sizeof now, "%s: %zu-byte elements, %zu of them, %u threads%s", sides[c].name, all[type].size, sizes[s],
                   ways[w].threads, team ? " in a team" : "");
          alarm(120);
          check_sides(context, &sides[c], type, &all[type], sizes[s]);
        }
    iw_context_info info = { .size = sizeof info };
    must(iw_context_get_info(context, &info) == IW_OK && info.team == (team ? ways[w].threads : 1), "the team");
    iw_context_close(context);
  }
  for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) printf("%s\n", choices[c].name);
  for (size_t c = 0; c < sizeof lists / sizeof *lists; c++) printf("%s\n", lists[c].name);
  for (size_t c = 0; c < sizeof sides / sizeof *sides; c++) printf("%s\n", sides[c].name);
  printf("%s\n", failures ? "NOT the right bits" : "the right bits, all of them");
  return failures != 0;
}
