/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of isowarp verify, with the calls that there are for distributed arrays made by ranks: the
 * digests have to be those of the table. The cut changes from call to call.
 *
 * usage: verify_distributed [WORD …]
 *          the cases with one of the words in their names; ranks are threads, whose number changes from
 *          call to call
 *        mpiexec -n RANKS verify_distributed --mpi MODULE EVERY FIRST
 *          one of EVERY cases that have distributed calls, from case FIRST on; MODULE: what
 *          tools/io/mpi_module.c was built to. Each rank has all inputs, and compares all digests.
 *        verify_distributed --nccl RANKS LIBRARY [WORD …]
 *          the cases that have distributed calls, made by ranks that have a GPU each and NCCL, which
 *          LIBRARY is; each rank is a thread
 */
#define _GNU_SOURCE 1 /* as tools/tool.h */
#include <config.h>

#include <isowarp.h>
#include <isowarp/nccl.h>
#include <isowarp/threads.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan_arguments.h"

enum { MOST_RANKS = 16 };

/* ---- Ranks ------------------------------------------------------------------------------------------- */

/* A call of verify.c: which, and its arguments. */
typedef struct job {
  int what;
  size_t begins[MOST_RANKS + 1];
  scan_arguments scan;
  iw_type type, other_type;
  const char *in, *other;
  char *out, *keys;
  size_t n;
  const iw_test *test;
  const iw_buckets *buckets;
  const iw_histogram_spec *spec;
  /* Of rank 0, or of each rank. */
  uint64_t *words;
  size_t word_count;
  void *result;
  size_t result_bytes;
  size_t counts[MOST_RANKS];  /* what each rank keeps */
  iw_histogram_report report;
  const iw_sort_options *order;
  const iw_payload *payloads;
  size_t payload_count;
  char *sums[MOST_RANKS];
} job;
enum {
  CALL_SCAN, CALL_REDUCE, CALL_BY_KEY, CALL_ARGMIN, CALL_ARGMAX, CALL_MULTISPLIT, CALL_SELECT, CALL_PARTITION, CALL_SUM_EXACT,
  CALL_DOT_EXACT, CALL_RANGE, CALL_WEIGHTED, CALL_HISTOGRAM, CALL_SORT
};

static size_t calls;

/* The ranks of MPI, which all calls have; count 0: ranks are threads. */
static iw_peers world;
static iw_distributed *world_handle;

/* The ranks of NCCL, threads that stay for all calls. count 0: there are none. */
static struct {
  unsigned count;
  const char *library;
  char **words;              /* of cases */
  int word_count;
  pthread_barrier_t meeting; /* before and after each job */
  job *job;                  /* NULL: the end */
  iw_distributed *handles[MOST_RANKS];
  iw_status status[MOST_RANKS];
  int wrong;
} gpus;

static size_t size_of(iw_type type) { return iw_type_size(type); }

/* This rank's part of the payloads. */
static iw_payload *own_payloads(const job *j, size_t begin, iw_payload own[IW_MAX_PAYLOADS])
{
  for (size_t i = 0; i < j->payload_count; i++) {
    const iw_payload *const p = &j->payloads[i];
    own[i] = *p;
    own[i].in = p->in ? (const char *)p->in + begin * p->width : NULL;
    own[i].out = (char *)p->out + begin * p->width;
  }
  return own;
}
static iw_status sort_part(const job *j, iw_distributed *d, const void *in, void *out, size_t begin, size_t n)
{
  iw_payload own[IW_MAX_PAYLOADS];
  iw_sort_options all = *j->order;
  all.payloads = own_payloads(j, begin, own);
  return iw_distributed_sort(d, j->type, in, n, out, &all);
}

/* This rank's part of the call; what all ranks get, each rank of MPI keeps, and rank 0 of threads. */
static iw_status run_part(job *j, iw_distributed *d, unsigned rank)
{
  const int keeps = rank == 0 || world.count;
  const size_t begin = j->begins[rank], n = j->begins[rank + 1] - begin, size = size_of(j->type);
  const char *const in = j->in ? j->in + begin * size : NULL;
  char *const out = j->out ? j->out + begin * size : NULL, room[64];
  void *const result = keeps ? j->result : room;
  scan_arguments scan = j->scan;
  iw_segments segments = scan.segments ? *scan.segments : (iw_segments){ .size = 0 };
  iw_test test = j->test ? *j->test : (iw_test){ .size = 0 };
  uint64_t total, *const words = keeps || !j->word_count ? j->words : malloc(j->word_count * sizeof *words);
  iw_histogram_report report = { .size = sizeof report };
  const size_t to_size = size_of(scan.type);
  iw_payload own[IW_MAX_PAYLOADS];
  const iw_move_options payloads = { .size = sizeof payloads, .payloads = own_payloads(j, begin, own), .payload_count = j->payload_count };
  const iw_move_options *const moves = j->payload_count ? &payloads : NULL;
  iw_status status = IW_OK;
  test.flags = test.flags ? test.flags + begin : NULL;
  if (segments.flags)
    segments.flags += begin;
  if (segments.keys)
    segments.keys = (const char *)segments.keys + begin * size_of(segments.key_type);
  scan.segments = scan.segments ? &segments : NULL;
  switch (j->what) {
  case CALL_SCAN: status = distributed_scan_with(d, &scan, in, n, j->out + begin * to_size); break;
  case CALL_REDUCE: status = distributed_reduce_with(d, &scan, in, n, result); break;
  case CALL_BY_KEY: /* each rank's runs at the places of its elements; they are moved together afterwards */
    status = distributed_reduce_by_key(d, &scan, in, n, j->keys ? j->keys + begin * size_of(segments.key_type) : NULL,
                                          j->out + begin * to_size, &j->counts[rank], &total);
    break;
  case CALL_ARGMIN: status = iw_distributed_argmin(d, j->type, in, n, words, result, NULL); break;
  case CALL_ARGMAX: status = iw_distributed_argmax(d, j->type, in, n, words, result, NULL); break;
  case CALL_MULTISPLIT: status = iw_distributed_multisplit(d, j->buckets, in, n, out, words, moves); break;
  case CALL_SELECT: status = iw_distributed_select_if(d, &test, in, n, out, &j->counts[rank], moves); break;
  case CALL_PARTITION: status = iw_distributed_partition(d, &test, in, n, out, words, moves); break;
  case CALL_SUM_EXACT: status = iw_distributed_sum_exact(d, j->type, in, n, j->other_type, result); break;
  case CALL_DOT_EXACT: status = iw_distributed_dot_exact(d, j->type, in, j->other + begin * size, n, j->other_type, result); break;
  case CALL_RANGE: status = iw_distributed_histogram_range(d, j->type, in, n, result, (char *)result + 8); break;
  case CALL_WEIGHTED:
    status = iw_distributed_histogram(d, j->spec, in, n, j->sums[rank],
                                      IW_OPTIONS(iw_histogram_options, .weight_type = j->other_type,
                                                 .weights = j->other + begin * size_of(j->other_type)));
    break;
  case CALL_SORT: status = sort_part(j, d, in, out, begin, n); break;
  default:
    status = iw_distributed_histogram(d, j->spec, in, n, j->sums[rank], IW_OPTIONS(iw_histogram_options, .report = &report));
    if (keeps)
      j->report = report;
  }
  if (words != j->words)
    free(words);
  return status;
}

static iw_status rank_main(const iw_peers *peers, void *of)
{
  iw_context *context;
  iw_distributed *handle = NULL;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 1 };
  iw_status status = iw_context_open(&context, &options);
  if (status != IW_OK)
    return status;
  status = iw_distributed_open(context, peers, &handle);
  if (status == IW_OK)
    status = run_part(of, handle, peers->rank);
  iw_distributed_close(handle);
  iw_context_close(context);
  return status;
}

/* Gathers the parts of an array of which each rank of MPI has written its own. */
static iw_status gather_parts(const job *j, char *whole, size_t size)
{
  size_t bytes[MOST_RANKS];
  char *const gathered = malloc(j->n * size + 1);
  for (unsigned r = 0; r < world.count; r++)
    bytes[r] = (j->begins[r + 1] - j->begins[r]) * size;
  const iw_status status = world.all_gather(world.self, whole + j->begins[world.rank] * size, gathered, bytes, NULL);
  if (status == IW_OK)
    memcpy(whole, gathered, j->n * size);
  free(gathered);
  return status;
}

/* The same call by the ranks of MPI, after which each of them has all outputs. */
static iw_status run_in_world(job *j)
{
  size_t counts[MOST_RANKS], bytes[MOST_RANKS];
  const size_t size = size_of(j->what == CALL_SCAN || j->what == CALL_BY_KEY ? j->scan.type : j->type);
  iw_status status = run_part(j, world_handle, world.rank);
  for (unsigned r = 0; r < world.count; r++)
    bytes[r] = sizeof *counts;
  if (status == IW_OK)
    status = world.all_gather(world.self, &j->counts[world.rank], counts, bytes, NULL);
  memcpy(j->counts, counts, world.count * sizeof *counts);
  if (status == IW_OK && j->out)
    status = gather_parts(j, j->out, size);
  for (size_t i = 0; i < j->payload_count && status == IW_OK; i++)
    status = gather_parts(j, j->payloads[i].out, j->payloads[i].width);
  return status == IW_OK && j->keys ? gather_parts(j, j->keys, size_of(j->scan.segments->key_type)) : status;
}

/* The same call by the ranks of NCCL. Rank 0 is this thread. */
static iw_status run_on_gpus(job *j)
{
  gpus.job = j;
  pthread_barrier_wait(&gpus.meeting);
  gpus.status[0] = run_part(j, gpus.handles[0], 0);
  pthread_barrier_wait(&gpus.meeting);
  for (unsigned r = 1; r < gpus.count && gpus.status[0] == IW_OK; r++)
    gpus.status[0] = gpus.status[r];
  return gpus.status[0];
}

/* Makes the call with another cut than the last one, and with threads another number of ranks: parts of
 * equal length, of any length, of none, and borders at multiples of 2^17. */
static iw_status run_ranks(job *j)
{
  static const unsigned ranks[] = { 2, 3, 1, 5, 8, 3, 16, 2 };
  static uint64_t state = 1;
  const unsigned count = world.count ? world.count : gpus.count ? gpus.count : ranks[calls % 8];
  calls++;
  for (unsigned r = 1; r < count; r++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (size_t)(state >> 33) % (j->n + 1);
    size_t border = calls % 4 == 0 ? j->n * r / count : calls % 4 == 1 && j->n > 131072 ? at / 131072 * 131072 : r % 3 == 2 ? 0 : at;
    border = border > j->begins[r - 1] ? border : j->begins[r - 1];
    j->begins[r] = border;
  }
  j->begins[count] = j->n;
  return world.count ? run_in_world(j) : gpus.count ? run_on_gpus(j) : iw_threads_run(count, rank_main, j);
}

/* Moves the first counts[r] elements of each rank's part together. */
static size_t move_together(const job *j, char *at, size_t size)
{
  size_t all = 0;
  for (unsigned r = 0; r < MOST_RANKS && j->counts[r] + all <= j->n; r++) {
    if (at)
      memmove(at + all * size, at + j->begins[r] * size, j->counts[r] * size);
    all += j->counts[r];
  }
  return all;
}

/* ---- In place of the library's calls ----------------------------------------------------------------- */

static scan_arguments arguments_of(iw_op op, iw_type type, int exclusive, const iw_scan_options *o)
{
  const iw_scan_options none = { .size = 0 };
  o = o ? o : &none;
  return (scan_arguments){ .op = op, .in_type = type, .type = (int)o->out_type ? o->out_type : type, .exclusive = exclusive,
                           .init = o->init, .segments = o->segments };
}
static int are_runs(const iw_segments *segments)
{
  return segments && (segments->kind == IW_SEGMENTS_FLAGS || segments->kind == IW_SEGMENTS_KEYS);
}
static iw_status scan_by_ranks(iw_context *c, iw_op op, iw_type type, int exclusive, const void *in, size_t n, void *out,
                               const iw_scan_options *options)
{
  job j = { .what = CALL_SCAN, .scan = arguments_of(op, type, exclusive, options), .type = type, .in = in, .out = out, .n = n };
  return j.scan.segments && !are_runs(j.scan.segments) ? scan_by(c, exclusive, op, type, in, n, out, options) : run_ranks(&j);
}
static iw_status reduce_runs_by_ranks(const scan_arguments *scan, const void *in, size_t n, void *out, const iw_scan_options *options)
{
  job j = { .what = CALL_BY_KEY, .scan = *scan, .type = scan->in_type, .in = in, .n = n };
  const size_t key_size = size_of(scan->segments->key_type), size = size_of(scan->type);
  char *const keys = options->run_keys;
  j.out = calloc(n + 1, 8);
  j.keys = keys ? calloc(n + 1, 8) : NULL;
  const iw_status status = run_ranks(&j);
  const size_t count = move_together(&j, j.out, size);
  *options->run_count = count;
  memcpy(out, j.out, count * size);
  if (keys) {
    move_together(&j, j.keys, key_size);
    memcpy(keys, j.keys, count * key_size);
  }
  free(j.out);
  free(j.keys);
  return status;
}
static iw_status reduce_by_ranks(iw_context *c, iw_op op, iw_type type, const void *in, size_t n, void *result,
                                 const iw_scan_options *options)
{
  job j = { .what = CALL_REDUCE, .scan = arguments_of(op, type, 0, options), .type = type, .in = in, .n = n, .result = result };
  if (are_runs(j.scan.segments))
    return reduce_runs_by_ranks(&j.scan, in, n, result, options);
  return j.scan.segments ? iw_reduce(c, op, type, in, n, result, options) : run_ranks(&j);
}
static iw_status arg_by_ranks(iw_context *c, int what, iw_type type, const void *in, size_t n, size_t *index, void *value,
                              const iw_scan_options *options)
{
  uint64_t word = 0;
  if (options->segments)
    return (what == CALL_ARGMIN ? iw_argmin : iw_argmax)(c, type, in, n, index, value, options);
  job j = { .what = what, .type = type, .in = in, .n = n, .words = &word, .word_count = 1, .result = value };
  const iw_status status = run_ranks(&j);
  *index = (size_t)word;
  return status;
}
static iw_status multisplit_by_ranks(const void *in, size_t n, const iw_buckets *buckets, void *out, size_t *offsets,
                                     const iw_move_options *options)
{
  const size_t most = buckets->bins ? 1 << 20 : 65537;
  job j = { .what = CALL_MULTISPLIT, .type = buckets->type, .in = in, .n = n, .buckets = buckets, .out = out, .words = (uint64_t *)offsets,
            .word_count = most, .payloads = options ? options->payloads : NULL, .payload_count = options ? options->payload_count : 0 };
  return run_ranks(&j);
}
/* A select or partition by ranks, whose outputs go to arrays of n values, and from there to the call's: of a
 * select the selected ones of each rank, which are moved together. */
typedef struct moved { void *out, *rest; size_t width; char *all; } moved;
static iw_status move_by_ranks(int what, const void *in, size_t n, const iw_test *test, void *out, size_t *count,
                               const iw_move_options *options)
{
  const size_t payload_count = options ? options->payload_count : 0;
  moved of[1 + IW_MAX_PAYLOADS] = { { out, options ? options->rest : NULL, size_of(test->type), NULL } };
  iw_payload payloads[IW_MAX_PAYLOADS];
  uint64_t word = 0;
  for (size_t i = 0; i < payload_count; i++) {
    const iw_payload *const p = &options->payloads[i];
    of[i + 1] = (moved){ p->out, p->rest, p->width, calloc(n + 1, p->width) };
    payloads[i] = (iw_payload){ .size = sizeof *payloads, .in = p->in, .out = of[i + 1].all, .width = p->width };
  }
  of[0].all = out || !payload_count ? calloc(n + 1, 8) : NULL;
  job j = { .what = what, .type = test->type, .in = in, .n = n, .test = test, .out = of[0].all, .words = &word, .word_count = 1,
            .payloads = payloads, .payload_count = payload_count };
  const iw_status status = run_ranks(&j);
  size_t selected = (size_t)word;
  for (size_t i = 0; i <= payload_count && what == CALL_SELECT; i++)
    selected = move_together(&j, of[i].all, of[i].width);
  for (size_t i = 0; i <= payload_count; i++) {
    const moved *const m = &of[i];
    if (m->out && m->all)
      memcpy(m->out, m->all, (what == CALL_SELECT || m->rest ? selected : n) * m->width);
    if (m->rest && m->all)
      memcpy(m->rest, m->all + selected * m->width, (n - selected) * m->width);
    free(m->all);
  }
  *count = selected;
  return status;
}
static iw_status distributed_sort(iw_type type, const void *in, void *out, size_t n, const iw_sort_options *order)
{
  job j = { .what = CALL_SORT, .type = type, .in = in, .out = out, .n = n, .payloads = order->payloads,
            .payload_count = order->payload_count, .order = order };
  return run_ranks(&j);
}
static iw_status distributed_argsort(iw_type type, const void *in, size_t n, iw_indices indices, const iw_sort_options *order)
{
  const iw_payload payload = { .size = sizeof payload, .out = indices.at, .width = indices.width };
  iw_sort_options all = *order;
  all.payloads = &payload;
  all.payload_count = 1;
  return distributed_sort(type, in, NULL, n, &all);
}
static iw_status distributed_exact(iw_type type, const void *in, const void *other, size_t n, iw_type to, void *result)
{
  job j = { .what = other ? CALL_DOT_EXACT : CALL_SUM_EXACT, .type = type, .other_type = to, .in = in, .other = other, .n = n, .result = result };
  return run_ranks(&j);
}
static iw_status distributed_range(iw_type type, const void *in, size_t n, void *lo, void *hi)
{
  char both[16] = "";
  job j = { .what = CALL_RANGE, .type = type, .in = in, .n = n, .result = both };
  const iw_status status = run_ranks(&j);
  memcpy(lo, both, size_of(type));
  memcpy(hi, both + 8, size_of(type));
  return status;
}
/* Each rank has a copy of the counters or sums, as they may be added to; all have to be equal afterwards. */
static iw_status run_with_sums(job *j, void *sums, size_t bytes)
{
  if (world.count) {
    j->sums[world.rank] = sums;
    return run_ranks(j);
  }
  for (unsigned r = 0; r < MOST_RANKS; r++)
    j->sums[r] = r ? memcpy(malloc(bytes + 1), sums, bytes) : sums;
  iw_status status = run_ranks(j);
  for (unsigned r = 1; r < MOST_RANKS; r++) {
    if (status == IW_OK && j->begins[r] && j->begins[r + 1] && memcmp(sums, j->sums[r], bytes))
      status = IW_ERROR_MISMATCH;
    free(j->sums[r]);
  }
  return status;
}
static iw_status weighted_by_ranks(const iw_histogram_spec *spec, const void *in, iw_type by, const void *weights, size_t n, void *sums)
{
  iw_histogram_plan_info info = { .size = sizeof info };
  iw_context *context;
  iw_status status = iw_context_open(&context, NULL);
  if (status == IW_OK)
    status = iw_histogram_plan_get_info(context, spec->plan, n, &info);
  iw_context_close(context);
  job j = { .what = CALL_WEIGHTED, .type = info.type, .other_type = by, .in = in, .other = weights, .n = n, .spec = spec };
  return status == IW_OK ? run_with_sums(&j, sums, info.outputs * (by == IW_F32 ? 4 : 8)) : status;
}
static iw_status histogram_by_ranks(const void *in, size_t n, const iw_histogram_spec *spec, void *counts, const iw_histogram_options *options)
{
  if ((int)options->weight_type)
    return weighted_by_ranks(spec, in, options->weight_type, options->weights, n, counts);
  job j = { .what = CALL_HISTOGRAM, .type = spec->type, .in = in, .n = n, .spec = spec };
  const size_t outputs = spec->bins + (spec->policy == IW_POLICY_COUNT ? 2 : 0);
  const iw_status status = run_with_sums(&j, counts, outputs * (spec->counter_width ? spec->counter_width : 8));
  options->report->underflow = j.report.underflow;
  options->report->overflow = j.report.overflow;
  options->report->nan = j.report.nan;
  return status;
}

#define iw_inclusive_scan(c, op, type, in, n, out, options) scan_by_ranks(c, op, type, 0, in, n, out, options)
#define iw_exclusive_scan(c, op, type, in, n, out, options) scan_by_ranks(c, op, type, 1, in, n, out, options)
#define iw_reduce(c, op, type, in, n, result, options) reduce_by_ranks(c, op, type, in, n, result, options)
#define iw_argmin(c, type, in, n, index, value, options) arg_by_ranks(c, CALL_ARGMIN, type, in, n, index, value, options)
#define iw_argmax(c, type, in, n, index, value, options) arg_by_ranks(c, CALL_ARGMAX, type, in, n, index, value, options)
#define iw_multisplit(c, buckets, in, n, out, offsets, options) ((void)(c), multisplit_by_ranks(in, n, buckets, out, offsets, options))
#define iw_select_if(c, test, in, n, out, count, options) ((void)(c), move_by_ranks(CALL_SELECT, in, n, test, out, count, options))
#define iw_partition(c, test, in, n, out, count, options) ((void)(c), move_by_ranks(CALL_PARTITION, in, n, test, out, count, options))
#define iw_sort(c, type, in, n, out, options) \
  ((options)->payload_count && !(options)->segments ? distributed_sort(type, in, out, n, options) : (iw_sort)(c, type, in, n, out, options))
#define iw_argsort(c, type, in, n, indices, options) ((void)(c), distributed_argsort(type, in, n, indices, options))
#define iw_sum_exact(c, type, in, n, to, result) ((void)(c), distributed_exact(type, in, NULL, n, to, result))
#define iw_dot_exact(c, type, a, b, n, to, result) ((void)(c), distributed_exact(type, a, b, n, to, result))
#define iw_histogram_range(c, type, in, rows, n, lo, hi) \
  ((rows) == 1 ? distributed_range(type, in, n, lo, hi) : (iw_histogram_range)(c, type, in, rows, n, lo, hi))
#define iw_histogram(c, spec, in, n, counts, options) ((void)(c), histogram_by_ranks(in, n, spec, counts, options))

#include "../../tools/io/mpi_module.h"
#include "../../tools/commands/verify.c"

/* ---- What verify.c needs of the program -------------------------------------------------------------- */

void fail(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(2);
}
void must(iw_status status)
{
  if (status != IW_OK)
    fail("%s", iw_message());
}
void *need(size_t count, size_t size)
{
  void *const made = calloc(count + 1, size);
  if (!made)
    fail("no memory");
  return made;
}
void *need_more(void *memory, size_t count, size_t size)
{
  void *const more = realloc(memory, count * size + 1);
  if (!more)
    fail("no memory");
  return more;
}
iw_context *open_context(const settings *s)
{
  iw_context *context;
  (void)s;
  if (iw_context_open(&context, NULL) != IW_OK)
    fail("%s", iw_message());
  return context;
}
void progress(const char *what, const char *unit, size_t done, size_t total) { (void)what, (void)unit, (void)done, (void)total; }

/* ---- Ranks of MPI ------------------------------------------------------------------------------------ */

/* Whether all or some cases of this name's operation make distributed calls. The others would be the same
 * on all ranks. */
static int is_distributed(const char *name)
{
  static const char *const operations[] = {
    "inclusive", "exclusive", "inclusive-segments", "exclusive-segments", "reduce", "reduce-by-key", "argmin", "argmax", "exact",
    "exact-dot", "range", "histogram", "edges", "weighted", "multisplit", "partition", "three", "select", "extract", "flags", "sides",
    "sort",
  };
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (strncmp(name, operations[i], strlen(operations[i])) == 0 && name[strlen(operations[i])] == '/')
      return 1;
  return 0;
}

/* Runs the case; prints what differs. Returns whether it made distributed calls; 0 too if not. */
static int verify_case(iw_context *context, size_t i, int *wrong)
{
  uint64_t result = 0;
  const size_t before = calls;
  const int status = run_case(context, table[i].name, &result);
  if (status == IW_OK && result == table[i].digest)
    return calls != before;
  printf("rank %u of %u: %s %s\n", world.rank, world.count, table[i].name, status == IW_OK ? "differs" : iw_message());
  ++*wrong;
  return 1;
}

static int run_world(const char *path, size_t every, size_t first)
{
  mpi_module module;
  mpi_module_open *open_it = NULL;
  size_t ran = 0, seen = 0;
  int wrong = 0;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CPU, .threads = 1 };
  iw_context *context;
  void *const object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (object != NULL)
    *(void **)&open_it = dlsym(object, MPI_MODULE_OPEN);
  const char *const reason = open_it == NULL ? dlerror() : open_it(&module);
  if (reason != NULL)
    fail("%s", reason);
  if (module.peers.count > MOST_RANKS)
    fail("there are %u ranks; valid are 1 to %d", module.peers.count, MOST_RANKS);
  world = module.peers;
  must(iw_context_open(&context, &options));
  must(iw_distributed_open(context, &world, &world_handle));
  for (size_t i = 0; i < CASES; i++)
    if (is_distributed(table[i].name) && seen++ % every == first % every)
      ran += (size_t)verify_case(context, i, &wrong);
  uint64_t all_wrong = (uint64_t)wrong;
  must(world.all_reduce_u64(world.self, &all_wrong, 1, NULL));
  if (world.rank == 0)
    printf("%zu cases, %zu calls by %u ranks of MPI, %llu digests differ\n", ran, calls, world.count, (unsigned long long)all_wrong);
  iw_distributed_close(world_handle);
  iw_context_close(context);
  module.close();
  return all_wrong > 0 || ran == 0;
}

/* ---- Ranks of NCCL ----------------------------------------------------------------------------------- */

/* What rank 0 does: the cases. */
static void verify_on_gpus(iw_context *context)
{
  const settings s = { .operands = gpus.words, .operand_count = gpus.word_count };
  size_t ran = 0;
  for (size_t i = 0; i < CASES; i++)
    if (is_distributed(table[i].name) && is_wanted(&s, table[i].name))
      ran += (size_t)verify_case(context, i, &gpus.wrong);
  gpus.wrong += ran == 0;
  printf("%zu cases, %zu calls by %u ranks of NCCL, %d digests differ\n", ran, calls, gpus.count, gpus.wrong);
}

static iw_status gpu_main(const iw_peers *threads, void *unused)
{
  const unsigned rank = threads->rank;
  const iw_context_options options = { .size = sizeof options, .backend = IW_BACKEND_CUDA, .device = (int)rank };
  iw_nccl nccl;
  iw_peers peers;
  iw_context *context;
  (void)unused;
  if (iw_nccl_open(&nccl, threads, (int)rank, gpus.library, &peers) != IW_OK)
    fail("rank %u: %s", rank, nccl.message);
  must(iw_context_open(&context, &options));
  must(iw_distributed_open(context, &peers, &gpus.handles[rank]));
  if (rank == 0) {
    verify_on_gpus(context);
    gpus.job = NULL;
    pthread_barrier_wait(&gpus.meeting);
  } else
    while (pthread_barrier_wait(&gpus.meeting), gpus.job != NULL) {
      gpus.status[rank] = run_part(gpus.job, gpus.handles[rank], rank);
      pthread_barrier_wait(&gpus.meeting);
    }
  iw_distributed_close(gpus.handles[rank]);
  iw_context_close(context);
  iw_nccl_close(&nccl);
  return IW_OK;
}

static int run_gpus(unsigned count, const char *library, int word_count, char **words)
{
  if (count < 1 || count > MOST_RANKS)
    fail("there are %u ranks; valid are 1 to %d", count, MOST_RANKS);
  gpus.count = count;
  gpus.library = library;
  gpus.words = words;
  gpus.word_count = word_count;
  pthread_barrier_init(&gpus.meeting, NULL, count);
  must(iw_threads_run(count, gpu_main, NULL));
  return gpus.wrong > 0;
}

int main(int argc, char **argv)
{
  if (argc >= 4 && strcmp(argv[1], "--nccl") == 0)
    return run_gpus((unsigned)strtoul(argv[2], NULL, 10), argv[3], argc - 4, argv + 4);
  if (argc == 5 && strcmp(argv[1], "--mpi") == 0)
    return run_world(argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
  const settings s = { .operands = argv + 1, .operand_count = argc - 1 };
  const int status = run_verify(&s);
  printf("%zu calls by ranks\n", calls);
  return status;
}
