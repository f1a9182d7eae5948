/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the kernels of tests/scripts/random_kernels.py on the CPU, on the simulated GPU and on a CUDA
 * device, and compares all that they have written, bit for bit. Built with
 * -DRANDOM_KERNELS_FILE='"FILE.c"', the file that the script has made, and linked with its builds:
 * _generic, _w8 and _w64 (generic, with 8 and 64 lanes), _native, _sim, and with -DRANDOM_CUDA _cuda.
 *
 * usage: random_kernels [SEED [LAUNCHES [BACKEND...]]]
 *
 * Each kernel is launched LAUNCHES times (2) with random sizes, and for each size on each backend (cpu sim
 * cuda; default: cpu and sim), which is on the simulated GPU under a schedule that is chosen at random.
 * Environment: RANDOM_KERNEL=17 runs this one alone. Exit status: 0 all are equal and nothing was found, 1
 * not so, 77 a backend that was named does not exist.
 */
#define RANDOM_LIST
#include RANDOM_KERNELS_FILE
#include <isowarp.h>
#include <isowarp/sim.h>
#include "random_kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RANDOM_CUDA
#define CUDA_OF(name) &name##_cuda
#define CUDA_EXTERN(name) , name##_cuda
#else
#define CUDA_OF(name) NULL
#define CUDA_EXTERN(name)
#endif
#define DECLARE(name, outs, lanes, threads) \
  extern const iw_kernel name##_generic, name##_w8, name##_w64, name##_native, name##_sim CUDA_EXTERN(name);
RANDOM_KERNELS(DECLARE)

enum { GENERIC, W8, W64, NATIVE, SIM, CUDA, BUILDS };
typedef struct row {
  const char *name, *outs;
  int needs_32_lanes;
  unsigned threads;
  const iw_kernel *build[BUILDS];
} row;
#define ROW(name, outs, lanes, threads) \
  { #name, outs, lanes, threads, { &name##_generic, &name##_w8, &name##_w64, &name##_native, &name##_sim, CUDA_OF(name) } },
static const row rows[] = { RANDOM_KERNELS(ROW) };
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Random values ---- */

static uint64_t state;

static uint64_t random_bits(void) /* splitmix64 */
{
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static size_t below(size_t n) { return (size_t)(random_bits() % n); }

/* A float of any kind: most are of moderate size. */
static uint64_t random_float(unsigned mantissa, unsigned bias)
{
  const uint64_t sign = (random_bits() & 1) << (mantissa == 23 ? 31 : 63), fraction = random_bits() & (((uint64_t)1 << mantissa) - 1);
  switch (below(24)) {
    case 0: return sign;
    case 1: return sign | fraction;                                                      /* subnormal */
    case 2: return sign | (uint64_t)(2 * bias + 1) << mantissa;                          /* infinite */
    case 3: return sign | (uint64_t)(2 * bias + 1) << mantissa | (fraction | 1);         /* NaN */
    case 4: return (sign | (uint64_t)(1 + below(2 * bias)) << mantissa) | fraction;
    default: return sign | (uint64_t)(bias - 10 + below(21)) << mantissa | fraction;
  }
}

static void fill(char letter, void *to, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const uint64_t bits = below(3) ? random_bits() : below(50);
    const uint32_t word = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    const uint64_t f64 = random_float(52, 1023);
    const uint32_t f32 = (uint32_t)random_float(23, 127);
    switch (letter) {
      case 'b': ((uint8_t *)to)[i] = (uint8_t)bits; break;
      case 'h': memcpy((char *)to + 2 * i, &half, 2); break;
      case 'u': case 'i': memcpy((char *)to + 4 * i, &word, 4); break;
      case 'f': memcpy((char *)to + 4 * i, &f32, 4); break;
      case 'd': memcpy((char *)to + 8 * i, &f64, 8); break;
      default: memcpy((char *)to + 8 * i, &bits, 8);
    }
  }
}

static size_t size_of(char letter)
{
  return letter == 'b' ? 1 : letter == 'h' ? 2 : strchr("uif", letter) ? 4 : 8;
}

/* ---- One size of a kernel ---- */

enum { INPUTS = 8, RESULTS = RANDOM_OUTS + 5 };
typedef struct array { size_t bytes; void *host, *expected, *device; } array;
typedef struct problem {
  const row *row;
  size_t n, m, grid, block;
  array in[INPUTS], out[RESULTS], other[RANDOM_SLOTS + 5];
} problem;
static const char inputs[] = "uiUIfdbh";

static void array_new(array *a, size_t bytes)
{
  a->bytes = bytes;
  a->host = calloc(1, bytes + 1);
  a->expected = calloc(1, bytes + 1);
  if (!a->host || !a->expected)
    abort();
}

static void array_free(array *a)
{
  free(a->host);
  free(a->expected);
  *a = (array){ 0 };
}

static void problem_new(problem *p, const row *row, size_t most)
{
  static const size_t around[] = { 31, 32, 33, 64, 65, 255, 256, 257, 1024, 1025 };
  memset(p, 0, sizeof *p);
  p->row = row;
  p->n = below(20) == 0 ? below(2) : below(4) == 0 ? around[below(10)] : 1 + below(below(3) ? most : 300);
  p->block = row->threads ? row->threads : row->needs_32_lanes ? 32 * (1 + below(below(4) ? 8 : 32)) : 1 + below(below(4) ? 300 : 1024);
  p->grid = (p->n + p->block - 1) / p->block + (below(3) == 0 ? below(4) : 0);
  if (p->grid == 0)
    p->grid = 1;
  if (p->grid > 300 && !row->threads) { /* tiny blocks would be many */
    p->block = 64;
    p->grid = (p->n + 63) / 64;
  }
  p->m = p->n < 3 * p->block ? p->n : below(3 * p->block);
  const size_t warps = p->grid * ((p->block + 7) / 8); /* of 8 lanes, the most */
  for (unsigned i = 0; i < INPUTS; i++) {
    array_new(&p->in[i], p->n * size_of(inputs[i]));
    fill(inputs[i], p->in[i].host, p->n);
  }
  for (unsigned i = 0; row->outs[i]; i++)
    array_new(&p->out[i], p->n * size_of(row->outs[i]));
  array_new(&p->out[RANDOM_OUTS], RANDOM_BINS * 4);
  array_new(&p->out[RANDOM_OUTS + 1], RANDOM_BINS * 8);
  array_new(&p->out[RANDOM_OUTS + 2], p->n * 4);
  array_new(&p->out[RANDOM_OUTS + 3], p->n * 8);
  array_new(&p->out[RANDOM_OUTS + 4], RANDOM_WORDS * p->grid * 8);
  const size_t others[] = { RANDOM_WARP_ROOM * warps * 4, RANDOM_WARP_ROOM * warps * 8, p->grid * p->block * 4,
                            p->grid * 16, p->grid * 16, p->grid * 16, sizeof(iw_tickets), 4 };
  for (unsigned i = 0; i < RANDOM_SLOTS + 5; i++)
    array_new(&p->other[i], others[i]);
}

static void problem_free(problem *p)
{
  for (unsigned i = 0; i < INPUTS; i++)
    array_free(&p->in[i]);
  for (unsigned i = 0; i < RESULTS; i++)
    array_free(&p->out[i]);
  for (unsigned i = 0; i < RANDOM_SLOTS + 5; i++)
    array_free(&p->other[i]);
}

static const char *failed;
#define TRY(call) do { if (!failed && (call) != IW_OK) { static char text_[900]; \
  snprintf(text_, sizeof text_, "%s", iw_message()); failed = text_; } } while (0)

static void to_device(iw_context *context, array *a)
{
  a->device = NULL;
  TRY(iw_memory_allocate(context, a->bytes, &a->device));
  if (a->bytes)
    TRY(iw_memory_copy(context, a->device, a->host, a->bytes));
}

static void from_device(iw_context *context, array *a, int is_first, const char *what, size_t size)
{
  char *const got = calloc(1, a->bytes + 1);
  if (a->bytes)
    TRY(iw_memory_copy(context, got, a->device, a->bytes));
  if (!failed && is_first)
    memcpy(a->expected, got, a->bytes);
  for (size_t i = 0; !failed && i < a->bytes; i += size)
    if (memcmp(got + i, (char *)a->expected + i, size)) {
      static char text[200];
      uint64_t is = 0, has_to_be = 0;
      memcpy(&is, got + i, size);
      memcpy(&has_to_be, (char *)a->expected + i, size);
      snprintf(text, sizeof text, "%s[%zu] is 0x%llx, and was 0x%llx in the first run", what, i / size, (unsigned long long)is,
               (unsigned long long)has_to_be);
      failed = text;
    }
  free(got);
}

/* Runs the kernel twice on the same memory. The first run of all gives what the others have to give. */
static void run(problem *p, iw_context *context, const iw_kernel *kernel, int is_first)
{
  random_args args = { .n = p->n, .m = p->m };
  failed = NULL;
  for (unsigned i = 0; i < INPUTS; i++)
    to_device(context, &p->in[i]);
  for (unsigned i = 0; i < RESULTS; i++)
    if (i >= RANDOM_OUTS || p->out[i].host)
      to_device(context, &p->out[i]);
  for (unsigned i = 0; i < RANDOM_SLOTS + 5; i++)
    to_device(context, &p->other[i]);
  args.u32 = p->in[0].device, args.i32 = p->in[1].device, args.u64 = p->in[2].device, args.i64 = p->in[3].device;
  args.f32 = p->in[4].device, args.f64 = p->in[5].device, args.u8 = p->in[6].device, args.u16 = p->in[7].device;
  for (unsigned i = 0; i < RANDOM_OUTS; i++)
    args.out[i] = p->out[i].device;
  args.bins32 = p->out[RANDOM_OUTS].device, args.bins64 = p->out[RANDOM_OUTS + 1].device;
  args.owned32 = p->out[RANDOM_OUTS + 2].device, args.owned64 = p->out[RANDOM_OUTS + 3].device;
  args.words = p->out[RANDOM_OUTS + 4].device;
  args.room32 = p->other[0].device, args.room64 = p->other[1].device, args.hand = p->other[2].device;
  for (unsigned i = 0; i < RANDOM_SLOTS; i++)
    args.slots[i] = p->other[3 + i].device;
  args.tickets = p->other[3 + RANDOM_SLOTS].device, args.counter = p->other[4 + RANDOM_SLOTS].device;
  for (int k = 0; k < 2 && !failed; k++)
    TRY(iw_launch(context, kernel, p->grid, (unsigned)p->block, &args, sizeof args));
  TRY(iw_context_synchronize(context));
  for (unsigned i = 0; i < RESULTS; i++)
    if (p->out[i].device) {
      static const char *const names[] = { "bins32", "bins64", "owned32", "owned64", "words" };
      static const size_t sizes[] = { 4, 8, 4, 8, 8 };
      char name[32];
      snprintf(name, sizeof name, "out[%u]", i);
      from_device(context, &p->out[i], is_first, i < RANDOM_OUTS ? name : names[i - RANDOM_OUTS],
                  i < RANDOM_OUTS ? size_of(p->row->outs[i]) : sizes[i - RANDOM_OUTS]);
    }
  for (unsigned i = 0; i < INPUTS; i++)
    iw_memory_free(context, p->in[i].device);
  for (unsigned i = 0; i < RESULTS; i++)
    iw_memory_free(context, p->out[i].device);
  for (unsigned i = 0; i < RANDOM_SLOTS + 5; i++)
    iw_memory_free(context, p->other[i].device);
}

/* ---- Contexts ---- */

static unsigned long long seed = 1;
static unsigned failures, runs;

static iw_context *open(iw_backend backend, iw_blocks blocks, unsigned threads, const char *isa)
{
  iw_context *context;
  const iw_context_options options = { .size = sizeof options, .backend = backend, .blocks = blocks, .threads = threads, .isa = isa };
  return iw_context_open(&context, &options) == IW_OK ? context : NULL;
}

static void judge(const problem *p, const char *where)
{
  runs++;
  if (!failed)
    return;
  failures++;
  printf("FAILED: %s on %s, n = %zu, m = %zu, grid %zu, block %zu (seed %llu): %s\n", p->row->name, where, p->n, p->m, p->grid, p->block, seed, failed);
}

static void run_on_cpu(problem *p)
{
  iw_context *const thread = open(IW_BACKEND_CPU, IW_BLOCKS_THREAD, 3, NULL), *const team = open(IW_BACKEND_CPU, IW_BLOCKS_TEAM, 3, NULL);
  if (!thread || !team) {
    failed = iw_message();
    judge(p, "the CPU");
    return;
  }
  run(p, thread, p->row->build[GENERIC], 1);
  judge(p, "the CPU");
  if (below(2)) {
    run(p, team, p->row->build[GENERIC], 0);
    judge(p, "a team of the CPU");
  }
  run(p, below(2) ? thread : team, p->row->build[NATIVE], 0);
  judge(p, "the CPU, native");
  if (!p->row->needs_32_lanes) {
    run(p, below(2) ? thread : team, p->row->build[W8], 0);
    judge(p, "the CPU, 8 lanes");
    run(p, below(2) ? thread : team, p->row->build[W64], 0);
    judge(p, "the CPU, 64 lanes");
  }
  iw_context_close(thread);
  iw_context_close(team);
}

/* Finding: the first error, or the first note with its text. */
static void count_note(void *user, const iw_sim_finding *f)
{
  if (f->severity == IW_SIM_NOTE)
    printf("note: %s\n", f->message), ++*(unsigned *)user;
}

static void run_on_sim(problem *p, unsigned *notes)
{
  static const char *const schedules[] = { "ascending", "descending", "round-robin", "random", "priority", "adversarial" };
  static const char *const devices[] = { "h200", "a100", "l4", "t4" };
  static const char *const resident[] = { "1", "2", "7" };
  char number[24], where[100];
  const char *const schedule = schedules[below(6)], *const device = devices[below(4)], *const most = below(2) ? resident[below(3)] : NULL;
  snprintf(number, sizeof number, "%u", (unsigned)below(1000000));
  setenv("ISOWARP_SIM_SCHEDULE", schedule, 1);
  setenv("ISOWARP_SIM_DEVICE", device, 1);
  setenv("ISOWARP_SIM_SEED", number, 1);
  if (most)
    setenv("ISOWARP_SIM_RESIDENT", most, 1);
  else
    unsetenv("ISOWARP_SIM_RESIDENT");
  snprintf(where, sizeof where, "sim (%s, %s, %s, resident %s)", device, schedule, number, most ? most : "all");
  iw_context *const context = open(IW_BACKEND_SIM, IW_BLOCKS_AUTO, 0, NULL);
  if (!context) {
    failed = iw_message();
    judge(p, where);
    return;
  }
  iw_sim_set_report(context, count_note, notes);
  run(p, context, p->row->build[SIM], 0);
  judge(p, where);
  iw_context_close(context);
}

int main(int count, char **words)
{
  const unsigned launches = count > 2 ? (unsigned)strtoul(words[2], NULL, 0) : 2;
  const char *const only = getenv("RANDOM_KERNEL");
  int on_cpu = count <= 3, on_sim = count <= 3, on_cuda = 0;
  unsigned notes = 0;
  iw_context *cuda = NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count > 1)
    seed = strtoull(words[1], NULL, 0);
  for (int i = 3; i < count; i++) {
    on_cpu |= !strcmp(words[i], "cpu");
    on_sim |= !strcmp(words[i], "sim");
    on_cuda |= !strcmp(words[i], "cuda");
  }
  if (on_cuda) {
    cuda = open(IW_BACKEND_CUDA, IW_BLOCKS_AUTO, 0, NULL);
    if (!cuda || !rows[0].build[CUDA]) {
      printf("skipped: %s\n", cuda ? "built without CUDA" : iw_message());
      return 77;
    }
  }
  (void)on_cpu; /* the CPU's results are what the others are compared with */
  for (unsigned k = 0; k < ROWS; k++)
    for (unsigned l = 0; l < launches && (!only || strtoul(only, NULL, 0) == k); l++) {
      problem p;
      state = (seed << 20) + k * 1000 + l;
      problem_new(&p, &rows[k], on_cuda && !on_sim && l % 2 ? 60000 : 3000);
      run_on_cpu(&p);
      if (on_sim)
        run_on_sim(&p, &notes);
      if (on_cuda) {
        run(&p, cuda, rows[k].build[CUDA], 0);
        judge(&p, "CUDA");
      }
      problem_free(&p);
    }
  iw_context_close(cuda);
  printf("%u kernels, %u sizes each, seed %llu, on the CPU%s%s: %u runs, %u failed, %u notes of the simulator\n", (unsigned)ROWS, launches, seed,
         on_sim ? " and a simulated GPU" : "", on_cuda ? " and CUDA" : "", runs, failures, notes);
  return failures > 0;
}
