/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: math_exhaustive [--isa NAME] [--threads N] [--samples N] [--floats N] [--digests] [FUNCTION...]
 *
 * Computes functions of <isowarp/math.h> of all 2^32 floats (--floats: of the first N bit patterns), and of
 * N (default 10^9) samples for f64 and pow, and prints a line for each: its largest error in ulp with its
 * argument, and a digest of all results. NAME is an instruction set, "sim" or "cuda" (default: the best one
 * here); the digests have to be equal for all of them. --digests leaves the errors out, which take most of
 * the time: a minute for each function on one CPU. Exit status 1: an error above 1 ulp.
 */
#include <config.h>
#include "math_reference.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 18, BLOCK = 256 };

static iw_backend backend = IW_BACKEND_CPU;
static const math_build *build;
static int digests_only;

#ifdef IW_HAVE_CUDA
static const math_build math_build_cuda = {
  "cuda", { FOR_MATH_FUNCTIONS(MATH_CUDA_ADDRESS) FOR_MATH_OPERATIONS(MATH_CUDA_ADDRESS) },
};
#endif
static const math_build *find_build(const char *isa)
{
#define ADDRESS(name) &math_build_##name,
  static const math_build *const builds[] = {
    IW_FOR_ISAS(ADDRESS) &math_build_sim,
#ifdef IW_HAVE_CUDA
    &math_build_cuda,
#endif
  };
  for (unsigned i = 0; i < sizeof builds / sizeof *builds; i++)
    if (!strcmp(builds[i]->isa, isa))
      return builds[i];
  fprintf(stderr, "math_exhaustive: no kernels for %s\n", isa);
  exit(2);
}

/* What the threads share: the function, how far they are, and what they found. */
static struct {
  pthread_mutex_t lock;
  unsigned which;
  uint64_t next, samples, digest, worst_x, worst_y, worst_found;
  double worst;
} work = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void must(iw_status status)
{
  if (status == IW_OK) return;
  fprintf(stderr, "math_exhaustive: %s\n", iw_message());
  exit(2);
}

/* Element i of an array of `size` bytes for each, as bits. */
static uint64_t element(const char *array, size_t i, size_t size)
{
  uint64_t wide;
  uint32_t narrow;
  if (size == 8) { memcpy(&wide, array + 8 * i, 8); return wide; }
  memcpy(&narrow, array + 4 * i, 4);
  return narrow;
}
static void set_element(char *array, size_t i, size_t size, uint64_t v)
{
  const uint32_t narrow = (uint32_t)v;
  if (size == 8) memcpy(array + 8 * i, &v, 8);
  else memcpy(array + 4 * i, &narrow, 4);
}

static void one_chunk(iw_context *context, uint64_t first, size_t n, char *there, char *here)
{
  const unsigned which = work.which;
  const math_function *const f = &math_functions[which];
  const size_t size = f->is_f64 ? 8 : 4, bytes = size * CHUNK;
  char *const xs = here, *const ys = here + bytes, *const results = here + 2 * bytes;
  uint64_t digest = 0, y;
  for (size_t i = 0; i < n; i++) {
    set_element(xs, i, size, math_sample(f->is_f64, f->operands, first + i, &y));
    if (f->operands == 2) set_element(ys, i, size, y);
  }
  must(iw_memory_copy(context, there, here, bytes * 2));
  const math_args args = { there, there + bytes, NULL, there + 2 * bytes, n };
  must(iw_launch(context, build->kernels[which], (n + BLOCK - 1) / BLOCK, BLOCK, &args, sizeof args));
  must(iw_memory_copy(context, results, there + 2 * bytes, n * size));
  for (size_t i = 0; i < n; i++)
    digest += math_digest(first + i, element(results, i, size));
  pthread_mutex_lock(&work.lock);
  work.digest += digest;
  double worst = work.worst;
  pthread_mutex_unlock(&work.lock);
  for (size_t i = 0; i < n && !digests_only; i++) {
    const uint64_t x = element(xs, i, size), found = element(results, i, size);
    y = f->operands == 2 ? element(ys, i, size) : 0;
    double error = math_error(which, x, y, found);
    if (error > 0.99) error = math_error_exactly(which, x, y, found);
    if (error <= worst) continue;
    worst = error;
    pthread_mutex_lock(&work.lock);
    if (error > work.worst) {
      work.worst = error;
      work.worst_x = x;
      work.worst_y = y;
      work.worst_found = found;
    }
    pthread_mutex_unlock(&work.lock);
  }
}

static void *run(void *isa)
{
  const iw_context_options options = { .size = sizeof options, .backend = backend, .threads = 1,
                                       .isa = backend == IW_BACKEND_CPU ? isa : NULL };
  iw_context *context;
  void *there, *const here = malloc(3 * 8 * CHUNK);
  must(iw_context_open(&context, &options));
  must(iw_memory_allocate(context, 3 * 8 * CHUNK, &there));
  for (;;) {
    pthread_mutex_lock(&work.lock);
    const uint64_t first = work.next;
    work.next += CHUNK;
    pthread_mutex_unlock(&work.lock);
    if (first >= work.samples) break;
    one_chunk(context, first, work.samples - first < CHUNK ? (size_t)(work.samples - first) : CHUNK, there, here);
  }
  must(iw_memory_free(context, there));
  iw_context_close(context);
  free(here);
  return NULL;
}

int main(int count, char **words)
{
  const char *isa = NULL, *names[MATH_FUNCTIONS];
  unsigned threads = 1, named = 0;
  uint64_t samples = 1000000000, floats = (uint64_t)1 << 32;
  int status = 0;
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--isa") && i + 1 < count) isa = words[++i];
    else if (!strcmp(words[i], "--threads") && i + 1 < count) threads = (unsigned)atoi(words[++i]);
    else if (!strcmp(words[i], "--samples") && i + 1 < count) samples = strtoull(words[++i], NULL, 10);
    else if (!strcmp(words[i], "--floats") && i + 1 < count) floats = strtoull(words[++i], NULL, 10);
    else if (!strcmp(words[i], "--digests")) digests_only = 1;
    else if (words[i][0] != '-' && named < MATH_FUNCTIONS) names[named++] = words[i];
    else { fprintf(stderr, "usage: math_exhaustive [--isa NAME] [--threads N] [--samples N] [--floats N] [--digests] [FUNCTION...]\n"); return 2; }
  }
  for (unsigned i = 0; !isa && iw_isa_name(i); i++)
    if (!iw_isa_name(i + 1) || !iw_isa_available(iw_isa_name(i + 1))) isa = iw_isa_name(i);
  backend = !strcmp(isa, "cuda") ? IW_BACKEND_CUDA : !strcmp(isa, "sim") ? IW_BACKEND_SIM : IW_BACKEND_CPU;
  build = find_build(isa);
  threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
  for (unsigned which = 0; which < MATH_FUNCTIONS; which++) {
    const math_function *const f = &math_functions[which];
    int wanted = !named;
    for (unsigned i = 0; i < named; i++)
      wanted |= !strcmp(names[i], f->name);
    if (!wanted) continue;
    pthread_t others[64];
    work.which = which;
    work.next = work.digest = work.worst_x = work.worst_y = work.worst_found = 0;
    work.worst = -1;
    work.samples = f->is_f64 || f->operands == 2 ? samples : floats;
    for (unsigned i = 1; i < threads; i++)
      if (pthread_create(&others[i], NULL, run, (void *)(uintptr_t)isa)) return 2;
    run((void *)(uintptr_t)isa);
    for (unsigned i = 1; i < threads; i++)
      pthread_join(others[i], NULL);
    printf("%-10s %-8s %11llu samples, digest %016llx", f->name, isa, (unsigned long long)work.samples, (unsigned long long)work.digest);
    if (!digests_only) {
      const double exact = math_error_exactly(which, work.worst_x, work.worst_y, work.worst_found);
      if (f->is_f64) printf(", %.4f ulp at %a", exact, math_f64(work.worst_x));
      else printf(", %.4f ulp at %a", exact, (double)math_f32(work.worst_x));
      if (f->operands == 2) printf(", %a", (double)math_f32(work.worst_y));
      status |= work.worst > 1;
    }
    printf("\n");
    fflush(stdout);
  }
  return status;
}
