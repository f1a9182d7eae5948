/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and multisplit of distributed arrays: each rank splits its part, an all-gather of
 * counts says where the pieces go, and an all-to-all moves them there. A partition does so piece by piece. In a multisplit a rank that receives pieces of
 * several buckets splits them once more, which puts them in order because a multisplit is stable.
 * Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"
#include "algorithms/histogram/histogram.h"

/* ---- Tests ------------------------------------------------------------------------------------------ */

/* A call by a test, and the test with the range of the whole array. */
typedef struct test_job {
  iw_type type;
  const void *in;
  size_t n, size;
  iw_test test;
  iw_histogram_spec ranged;
  iw_scalar_bits lo, hi;
} test_job;

/* Checks a spec of a call by bins, and sets *automatic to whether only the whole array says where the bins
 * are: the call itself checks what depends on that. */
static iw_status check_bins(iw_type type, const iw_histogram_spec *bins, int *automatic)
{
  *automatic = 0;
  if (!bins)
    return IW_OK;
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_spec(type, bins));
  *automatic = !bins->plan && iw_spec_is_automatic(bins);
  return IW_OK;
}

/* Checks the arguments by a call without elements, which writes to `found` only. */
static iw_status check_test(iw_step *step, test_job *j, const iw_test *test, const void *out,
                            const uint64_t *count)
{
  size_t found;
  int automatic;
  IW_TRY(iw_check_pointer("test", test));
  IW_TRY(iw_check_struct("test->size", test, "iw_test", sizeof *test));
  IW_TRY(check_bins(j->type, test->bins, &automatic));
  if (!automatic)
    IW_TRY(iw_select_if(step->context, j->type, NULL, 0, test, NULL, &found));
  j->test = *test;
  j->test.size = sizeof j->test;
  IW_TRY(iw_check_array("in", j->in, j->n, j->size));
  IW_TRY(iw_check_array("out", out, j->n, j->size));
  if (test->flags) {
    IW_TRY(iw_check_no_overlap("flags", test->flags, j->n, "out", out, j->n * j->size));
    IW_TRY(iw_check_no_overlap("flags", test->flags, j->n, "count", count, sizeof *count));
  }
  IW_TRY(iw_check_single("count", count, sizeof *count));
  IW_TRY(iw_check_no_overlap("in", j->in, j->n * j->size, "count", count, sizeof *count));
  return iw_check_no_overlap("out", out, j->n * j->size, "count", count, sizeof *count);
}

/* Adds a checked test to the agreement. */
static void add_test(iw_step *step, const test_job *j)
{
  const iw_test *const test = &j->test;
  iw_step_word(step, "type", IW_WORD_TYPE, j->type);
  if (step->status != IW_OK)
    return;
  const char *const name = test->predicate ? test->predicate->name : NULL;
  iw_step_word(step, "the kind of test (1 constant, 2 flags, 3 predicate, 4 bins)", IW_WORD_NUMBER,
               test->constant ? 1 : test->flags ? 2 : name ? 3 : 4);
  iw_step_word(step, "compare", IW_WORD_NUMBER, (uint64_t)test->compare);
  if (test->bins) {
    iw_step_word(step, "bin", IW_WORD_NUMBER, test->bin);
    iw_step_spec(step, j->type, test->bins);
  } else if (name)
    iw_step_hash(step, "predicate", name, strlen(name));
  else
    iw_step_value(step, "constant", j->type, test->constant);
}

/* After the agreement. */
static iw_status range_test(iw_step *step, test_job *j)
{
  if (!j->test.bins)
    return IW_OK;
  IW_TRY(iw_range_spec(step, j->type, j->test.bins, &j->ranged, &j->lo, &j->hi));
  j->test.bins = &j->ranged;
  return IW_OK;
}

/* ---- Partition -------------------------------------------------------------------------------------- */

/* Elements are partitioned and sent in pieces, so that the call needs this memory beyond the arrays, and 16 bytes for each piece of a
 * rank. Smaller pieces would need more collectives. */
enum { PIECE_BYTES = 1 << 25 };

typedef struct pieces {
  size_t n, rounds;      /* elements of a piece; the pieces of the rank that has most */
  void *parts;           /* a piece, partitioned */
  uint64_t *own, *all;   /* selected elements of each piece: of this rank, and of all ranks one behind the other */
  uint64_t *next[2];     /* for each rank: where its next selected element and its next other one go */
  iw_exchange exchange;
} pieces;

/* The elements of a rank's piece. */
static uint64_t piece_of(const pieces *p, uint64_t n, size_t round)
{
  return n / p->n > round ? p->n : n / p->n == round ? n % p->n : 0;
}

static iw_status partition_piece(iw_step *step, const test_job *j, const pieces *p, size_t round, uint64_t *selected)
{
  iw_test test = j->test;
  const size_t here = (size_t)piece_of(p, j->n, round), first = here ? round * p->n : 0;
  size_t count;
  if (test.flags)
    test.flags += first;
  IW_TRY(iw_partition(step->context, j->type, here ? (const char *)j->in + first * j->size : NULL, here, &test, p->parts, NULL, &count));
  *selected = count;
  return IW_OK;
}

/* Counts the selected elements of each piece; the last one stays partitioned. */
static iw_status count_pieces(iw_step *step, test_job *j, pieces *p)
{
  const unsigned ranks = step->handle->peers.count;
  void *memory;
  IW_TRY(range_test(step, j));
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, (p->rounds + 2 * (size_t)ranks) * sizeof *p->own, &memory));
  p->next[0] = memory;
  p->next[1] = p->next[0] + ranks;
  p->own = p->next[1] + ranks;
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, ranks * p->rounds * sizeof *p->all, &memory));
  p->all = memory;
  IW_TRY(iw_gather_reserve(step, p->rounds * sizeof *p->own, ranks * p->rounds * sizeof *p->all));
  for (size_t round = 0; round < p->rounds; round++)
    IW_TRY(partition_piece(step, j, p, round, &p->own[round]));
  return IW_OK;
}

/* After all counts were gathered. Returns the selected elements of the whole array. */
static uint64_t find_places(const iw_distributed *d, pieces *p)
{
  uint64_t selected = 0, others;
  for (unsigned r = 0; r < d->peers.count; r++) {
    p->next[0][r] = selected;
    for (size_t round = 0; round < p->rounds; round++)
      selected += p->all[r * p->rounds + round];
  }
  others = selected;
  for (unsigned r = 0; r < d->peers.count; r++) {
    const uint64_t end = r + 1 < d->peers.count ? p->next[0][r + 1] : selected;
    p->next[1][r] = others;
    others += d->records[r].own[0] - (end - p->next[0][r]);
  }
  return selected;
}

/* Moves a piece of each rank: the selected elements, which the whole output begins with, then the others. */
static iw_status move_piece(iw_step *step, const test_job *j, pieces *p, size_t round)
{
  iw_distributed *const d = step->handle;
  const size_t mine = (size_t)p->all[d->peers.rank * p->rounds + round];
  for (unsigned side = 0; side < 2; side++) {
    for (unsigned r = 0; r < d->peers.count; r++) {
      const uint64_t selected = p->all[r * p->rounds + round], n = piece_of(p, d->records[r].own[0], round);
      d->from[r] = (iw_range){ p->next[side][r], side ? n - selected : selected };
      p->next[side][r] += d->from[r].n;
    }
    iw_plan_moves(d, j->size, side ? mine * j->size : 0);
    IW_TRY(iw_exchange_run(step, &p->exchange));
  }
  return IW_OK;
}

/* After the first agreement, which the lengths of all parts are known by. */
static iw_status partition_pieces(iw_step *step, test_job *j, pieces *p, uint64_t *selected)
{
  iw_distributed *const d = step->handle;
  p->rounds = 1;
  for (unsigned r = 0; r < d->peers.count; r++)
    p->rounds = iw_max(p->rounds, (size_t)iw_ceil_div(d->records[r].own[0], p->n));
  IW_STEP(step, count_pieces(step, j, p));
  for (unsigned r = 0; r < d->peers.count; r++)
    d->gather_bytes[r] = p->rounds * sizeof *p->own;
  IW_TRY(iw_agree_and_gather(step, p->own, p->all));
  *selected = find_places(d, p);
  (void)iw_ranges_of(step, 0, d->to);
  for (size_t round = 0; round < p->rounds; round++) {
    uint64_t again;
    if (p->rounds > 1)
      IW_STEP(step, partition_piece(step, j, p, round, &again));
    IW_TRY(move_piece(step, j, p, round));
  }
  return iw_agree(step);
}

iw_status iw_distributed_partition(iw_distributed *handle, iw_type type, const void *in, size_t n,
                                   const iw_test *test, void *out,
                                   uint64_t *count)
{
  iw_step step;
  uint64_t selected = 0;
  test_job j = { .type = type, .in = in, .n = n, .size = iw_type_size(type) };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_partition"));
  const size_t bytes = n * j.size, sent = iw_min(bytes, PIECE_BYTES);
  pieces p = { .n = PIECE_BYTES / iw_max(j.size, 1) };
  IW_STEP(&step, check_test(&step, &j, test, out, count));
  IW_STEP(&step, iw_check_no_overlap("in", in, bytes, "out", out, bytes));
  IW_STEP(&step, iw_step_select(&step, in, bytes, out, bytes));
  if (step.status == IW_OK && j.test.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.test.bins));
  IW_STEP(&step, iw_slot_memory(&step, IW_SLOT_PARTS, step.context, sent, &p.parts));
  p.exchange = (iw_exchange){ .send = p.parts, .receive = out, .send_bytes = sent, .receive_bytes = bytes };
  IW_STEP(&step, iw_exchange_reserve(&step, &p.exchange));
  add_test(&step, &j);
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  IW_TRY(partition_pieces(&step, &j, &p, &selected));
  *count = selected;
  return IW_OK;
}

/* ---- Select ----------------------------------------------------------------------------------------- */

static iw_status check_select(iw_step *step, test_job *j, const iw_test *test, const void *out,
                              const size_t *kept,
                              const uint64_t *count)
{
  IW_TRY(check_test(step, j, test, out, count));
  IW_TRY(iw_check_single("kept", kept, sizeof *kept));
  IW_TRY(iw_check_no_overlap("in", j->in, j->n * j->size, "kept", kept, sizeof *kept));
  IW_TRY(iw_check_no_overlap("out", out, j->n * j->size, "kept", kept, sizeof *kept));
  if (test->flags)
    IW_TRY(iw_check_no_overlap("flags", test->flags, j->n, "kept", kept, sizeof *kept));
  IW_TRY(iw_check_no_overlap("kept", kept, sizeof *kept, "count", count, sizeof *count));
  return iw_check_in_place(step->context, j->in, out, j->n * j->size);
}

iw_status iw_distributed_select_if(iw_distributed *handle, iw_type type, const void *in, size_t n,
                                   const iw_test *test, void *out,
                                   size_t *kept, uint64_t *count)
{
  iw_step step;
  size_t selected = 0;
  test_job j = { .type = type, .in = in, .n = n, .size = iw_type_size(type) };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_select_if"));
  IW_STEP(&step, iw_step_select(&step, in, n * j.size, out, n * j.size));
  IW_STEP(&step, check_select(&step, &j, test, out, kept, count));
  if (step.status == IW_OK && j.test.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.test.bins));
  add_test(&step, &j);
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  IW_STEP(&step, range_test(&step, &j));
  IW_STEP(&step, iw_select_if(step.context, type, in, n, &j.test, out, &selected));
  step.record.own[3] = selected;
  IW_TRY(iw_agree(&step));
  *kept = selected;
  *count = iw_ranges_of(&step, 3, handle->from);
  return IW_OK;
}

/* ---- Multisplit ------------------------------------------------------------------------------------- */

/* A call: what is split by which buckets, with the range of the whole array, and the buckets' counts. */
typedef struct split_job {
  iw_type type;
  const void *in;
  void *out;
  size_t n, size;
  iw_buckets buckets;
  iw_histogram_spec ranged;
  iw_scalar_bits lo, hi;
  size_t count;          /* buckets; the elements in no bin are one more */
  size_t *local;         /* count + 1: the offsets of this rank's own multisplit */
  uint64_t *own, *begins; /* count + 1 each: counts of this rank, and where the elements of a bucket begin */
  uint64_t *all;         /* count + 1 of each rank */
} split_job;

/* The number of buckets, which may be wrong if iw_multisplit refuses them. */
static iw_status count_buckets(const iw_buckets *b, iw_type type, size_t *count)
{
  enum { MAX_KEY_BITS = 16, MAX_BUCKETS = 0x7fffffff };
  IW_TRY(iw_check_pointer("buckets", b));
  IW_TRY(iw_check_struct("buckets->size", b, "iw_buckets", sizeof *b));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  if (b->bins)
    IW_TRY(iw_check_spec(type, b->bins));
  *count = b->bins ? iw_spec_of(b->bins)->bins
    : b->pivot ? 3
    : b->bits && b->bits <= MAX_KEY_BITS ? (size_t)1 << b->bits
    : b->rule && b->count <= MAX_BUCKETS ? b->count : 0;
  return IW_OK;
}

/* Checks the arguments, the buckets by a call without elements. Reserves the counts of this rank. */
static iw_status check_split(iw_step *step, split_job *j, const iw_buckets *buckets, const uint64_t *offsets)
{
  void *memory;
  int automatic;
  const size_t bytes = j->n * j->size;
  IW_TRY(count_buckets(buckets, j->type, &j->count));
  const size_t words = j->count + 1;
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, 3 * words * sizeof *j->own, &memory));
  j->own = memory;
  j->begins = j->own + words;
  j->local = (size_t *)(void *)(j->begins + words);
  IW_TRY(check_bins(j->type, buckets->bins, &automatic));
  if (!automatic)
    IW_TRY(iw_multisplit(step->context, j->type, NULL, 0, buckets, NULL, j->local));
  j->buckets = *buckets;
  j->buckets.size = sizeof j->buckets;
  IW_TRY(iw_check_array("in", j->in, j->n, j->size));
  IW_TRY(iw_check_array("out", j->out, j->n, j->size));
  IW_TRY(iw_check_array("offsets", offsets, words, sizeof *offsets));
  IW_TRY(iw_check_no_overlap("in", j->in, bytes, "out", j->out, bytes));
  IW_TRY(iw_check_no_overlap("in", j->in, bytes, "offsets", offsets, words * sizeof *offsets));
  return iw_check_no_overlap("out", j->out, bytes, "offsets", offsets, words * sizeof *offsets);
}

/* Adds checked buckets to the agreement. */
static void add_buckets(iw_step *step, const split_job *j)
{
  const iw_buckets *const b = &j->buckets;
  iw_step_word(step, "type", IW_WORD_TYPE, j->type);
  if (step->status != IW_OK)
    return;
  iw_step_word(step, "the kind of buckets (1 bins, 2 pivot, 3 bits, 4 rule)", IW_WORD_NUMBER,
               b->bins ? 1 : b->pivot ? 2 : b->bits ? 3 : 4);
  iw_step_word(step, "buckets", IW_WORD_NUMBER, j->count);
  if (b->bins)
    iw_step_spec(step, j->type, b->bins);
  else if (b->rule)
    iw_step_hash(step, "rule", b->rule->name, strlen(b->rule->name));
  else {
    iw_step_word(step, "bit", IW_WORD_NUMBER, b->bit);
    iw_step_value(step, "pivot", j->type, b->pivot);
  }
}

/* Splits this rank's part into out, and reserves the counts of all ranks. */
static iw_status split_own(iw_step *step, split_job *j)
{
  void *memory;
  const size_t words = j->count + 1, bytes = words * sizeof *j->all;
  if (j->buckets.bins) {
    IW_TRY(iw_range_spec(step, j->type, j->buckets.bins, &j->ranged, &j->lo, &j->hi));
    j->buckets.bins = &j->ranged;
  }
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, step->handle->peers.count * bytes, &memory));
  j->all = memory;
  IW_TRY(iw_gather_reserve(step, bytes, step->handle->peers.count * bytes));
  IW_TRY(iw_multisplit(step->context, j->type, j->in, j->n, &j->buckets, j->out, j->local));
  for (size_t k = 0; k <= j->count; k++)
    j->own[k] = (k < j->count ? j->local[k + 1] : j->n) - j->local[k];
  return IW_OK;
}

/* Sets begins[k] to where bucket k begins in the whole output. */
static void find_begins(const split_job *j, unsigned ranks)
{
  uint64_t begin = 0;
  for (size_t k = 0; k <= j->count; k++) {
    j->begins[k] = begin;
    for (unsigned r = 0; r < ranks; r++)
      begin += j->all[r * (j->count + 1) + k];
  }
}

/* Adds a piece of this rank's split part, which begins at local index `at`, to what is sent. *to: the rank
 * that has its first element or a rank before; pieces come in ascending order. */
static void send_piece(iw_distributed *d, size_t size, uint64_t begin, uint64_t n, size_t at, unsigned *to)
{
  while (n) {
    const iw_range *const range = &d->to[*to];
    if (begin >= range->begin + range->n) {
      ++*to;
      continue;
    }
    const uint64_t room = range->begin + range->n - begin, sent = n < room ? n : room;
    if (!d->send_bytes[*to])
      d->send_offsets[*to] = at * size;
    d->send_bytes[*to] += (size_t)sent * size;
    begin += sent;
    at += (size_t)sent;
    n -= sent;
  }
}

/* The elements of a piece that this rank receives. */
static size_t received_of(const iw_range *mine, uint64_t begin, uint64_t n)
{
  const uint64_t first = begin > mine->begin ? begin : mine->begin;
  const uint64_t end = begin + n < mine->begin + mine->n ? begin + n : mine->begin + mine->n;
  return end > first ? (size_t)(end - first) : 0;
}

/* Sets the handle's sizes: the elements that two ranks exchange are neighbours in the sender's split part. */
static void plan_split(iw_step *step, const split_job *j)
{
  iw_distributed *const d = step->handle;
  const unsigned me = d->peers.rank;
  size_t received = 0;
  (void)iw_ranges_of(step, 0, d->to);
  find_begins(j, d->peers.count);
  for (unsigned r = 0; r < d->peers.count; r++)
    d->send_bytes[r] = d->send_offsets[r] = 0;
  for (unsigned r = 0, to = 0; r < d->peers.count; r++) {
    size_t here = 0;
    for (size_t k = 0; k <= j->count; k++) {
      const uint64_t n = j->all[r * (j->count + 1) + k];
      here += received_of(&d->to[me], j->begins[k], n);
      if (r == me)
        send_piece(d, j->size, j->begins[k], n, j->local[k], &to);
      j->begins[k] += n; /* where the next rank's elements begin */
    }
    d->receive_bytes[r] = here * j->size;
    d->receive_offsets[r] = received * j->size;
    received += here;
  }
}

iw_status iw_distributed_multisplit(iw_distributed *handle, iw_type type, const void *in, size_t n,
                                    const iw_buckets *buckets,
                                    void *out, uint64_t *offsets)
{
  iw_step step;
  void *parts = NULL;
  split_job j = { .type = type, .in = in, .out = out, .n = n, .size = iw_type_size(type) };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_multisplit"));
  const size_t bytes = n * j.size;
  IW_STEP(&step, iw_step_select(&step, in, bytes, out, bytes));
  IW_STEP(&step, check_split(&step, &j, buckets, offsets));
  if (step.status == IW_OK && j.buckets.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.buckets.bins));
  IW_STEP(&step, iw_slot_memory(&step, IW_SLOT_PARTS, step.context, bytes, &parts));
  iw_exchange exchange = { .send = out, .receive = parts, .send_bytes = bytes, .receive_bytes = bytes };
  IW_STEP(&step, iw_exchange_reserve(&step, &exchange));
  add_buckets(&step, &j);
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  IW_STEP(&step, split_own(&step, &j));
  for (unsigned r = 0; r < handle->peers.count; r++)
    handle->gather_bytes[r] = (j.count + 1) * sizeof *j.own;
  IW_TRY(iw_agree_and_gather(&step, j.own, j.all));
  plan_split(&step, &j);
  IW_TRY(iw_exchange_run(&step, &exchange));
  IW_STEP(&step, iw_multisplit(step.context, type, parts, n, &j.buckets, out, j.local));
  IW_TRY(iw_agree(&step));
  find_begins(&j, handle->peers.count);
  memcpy(offsets, j.begins, (j.count + 1) * sizeof *offsets);
  return IW_OK;
}
