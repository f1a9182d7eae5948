/* SPDX-License-Identifier: Apache-2.0
 *
 * Partition, select and multisplit of distributed arrays: each rank splits its part, an all-gather of counts
 * says where the elements go, and all-to-alls move them there: piece by piece (pieces.h), or in a multisplit
 * by many buckets in one. Then a rank that has received elements of several buckets splits them once more,
 * which puts them in order because a multisplit is stable. Algorithms layer.
 */
#include "algorithms/distributed/pieces.h"
#include "algorithms/binning/binning.h"
#include "algorithms/partition/partition.h"

/* ---- Tests ------------------------------------------------------------------------------------------ */

/* A call by a test, and the test with the range of the whole array. */
typedef struct test_job {
  iw_type type;
  const void *in;
  size_t n, size;
  iw_test test;
  iw_moves moves;
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
  IW_TRY(iw_fail_named(iw_check_spec(type, bins), "test->bins"));
  *automatic = !bins->plan && iw_spec_is_automatic(bins);
  return IW_OK;
}

/* Checks the test by a call without elements, and the arrays. */
static iw_status check_test(iw_step *step, test_job *j, const iw_test *test, void *out, const iw_move_options *options, int is_in_place,
                            iw_array count)
{
  size_t found;
  int automatic;
  IW_TRY(iw_check_pointer("test", test));
  IW_TRY(iw_check_struct("test->size", test, "iw_test", sizeof *test));
  IW_TRY(check_bins(j->type, test->bins, &automatic));
  if (!automatic)
    IW_TRY(iw_select_if(step->context, test, NULL, 0, NULL, &found, NULL));
  j->test = *test;
  j->test.size = sizeof j->test;
  const iw_array others[] = { { "test->flags", test->flags, j->n, 1, IW_READ | IW_OPTIONAL, NULL }, count };
  return iw_check_moves(step, j->type, j->in, j->n, out, options, is_in_place, !test->flags, others, 2, &j->moves);
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
               test->constant ? 1 : test->bins ? 4 : name ? 3 : 2); /* without elements flags may be NULL */
  iw_step_word(step, "compare", IW_WORD_NUMBER, (uint64_t)test->compare);
  if (test->bins) {
    iw_step_word(step, "bin", IW_WORD_NUMBER, test->bin);
    iw_step_spec(step, j->type, test->bins);
  } else if (name)
    iw_step_hash(step, "predicate", name, strlen(name));
  else
    iw_step_value(step, "constant", j->type, test->constant);
  iw_step_moves(step, &j->moves);
}

/* After the agreement. */
static iw_status range_test(iw_step *step, test_job *j)
{
  IW_TRY(iw_agreed_moves(step, &j->moves));
  if (!j->test.bins)
    return IW_OK;
  IW_TRY(iw_range_spec(step, j->type, j->test.bins, &j->ranged, &j->lo, &j->hi));
  j->test.bins = &j->ranged;
  return IW_OK;
}

/* ---- Partition -------------------------------------------------------------------------------------- */

/* The test of the elements from `first` on. */
static iw_test test_from(const test_job *j, size_t first)
{
  iw_test test = j->test;
  if (test.flags)
    test.flags += first;
  return test;
}

static const void *elements_from(const test_job *j, size_t first)
{
  return j->in ? (const char *)j->in + first * j->size : NULL;
}

/* The most pieces that are counted at once. A count needs at most a bit of memory for each element, but one
 * by the ids of buckets a byte. */
enum { COUNTED_PIECES = 8 };

static iw_status count_selected(iw_step *step, void *job, size_t first, size_t n, uint64_t *counts)
{
  const test_job *const j = job;
  const iw_test test = test_from(j, first);
  size_t selected;
  IW_TRY(iw_count_selected(step->context, &test, elements_from(j, first), n, &selected));
  counts[0] = selected;
  counts[1] = n - selected;
  return IW_OK;
}

/* The two sides go to arrays of their own, as one array would have to be counted first. */
static iw_status partition_piece(iw_step *step, void *job, size_t first, size_t n, void *out, size_t room, const iw_move_options *options,
                                 uint64_t *counts, uint64_t *offsets)
{
  const test_job *const j = job;
  const iw_test test = test_from(j, first);
  size_t selected;
  IW_TRY(iw_partition(step->context, &test, elements_from(j, first), n, out, &selected, options));
  counts[0] = selected;
  counts[1] = n - selected;
  offsets[0] = 0;
  offsets[1] = room;
  return IW_OK;
}

iw_status iw_distributed_partition(iw_distributed *handle, const iw_test *test, const void *in, size_t n, void *out, uint64_t *count,
                                   const iw_move_options *options)
{
  const iw_type type = test && test->size >= sizeof *test ? test->type : (iw_type)0;
  enum { SIDES = 2 }; /* selected elements and others */
  iw_step step;
  iw_pieces pieces = { .n = 0 };
  test_job j = { .type = type, .in = in, .n = n, .size = iw_type_size(type) };
  const iw_array result = { "count", count, 1, sizeof *count, IW_WRITE | IW_SINGLE, NULL };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_partition"));
  IW_STEP(&step, check_test(&step, &j, test, out, options, 0, result));
  if (step.status == IW_OK && j.test.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.test.bins));
  IW_STEP(&step, iw_pieces_reserve(&step, SIDES, SIDES, 1, &j.moves, &pieces));
  add_test(&step, &j);
  IW_TRY(iw_agree(&step));
  iw_pieces_plan(&step, &pieces);
  IW_STEP(&step, range_test(&step, &j));
  IW_TRY(iw_pieces_run(&step, &(iw_splitter){ &j, COUNTED_PIECES, count_selected, partition_piece }, &pieces));
  IW_TRY(iw_finish(&step));
  *count = pieces.begins[1];
  return IW_OK;
}

/* ---- Select ----------------------------------------------------------------------------------------- */

/* Selects this rank's elements. The permutation has global indices, which are payloads with values then. */
static iw_status select_own(iw_step *step, const test_job *j, size_t *selected)
{
  iw_local_moves local;
  const iw_move_options *options;
  if (!j->n)
    return IW_OK;
  IW_TRY(iw_payloads_of(step, &j->moves, 0, j->n, 1, &local, &options));
  return iw_select_if(step->context, &j->test, j->in, j->n, j->moves.of[0].out, selected, options);
}

iw_status iw_distributed_select_if(iw_distributed *handle, const iw_test *test, const void *in, size_t n, void *out, size_t *count,
                                   const iw_move_options *options)
{
  const iw_type type = test && test->size >= sizeof *test ? test->type : (iw_type)0;
  iw_step step;
  size_t selected = 0;
  test_job j = { .type = type, .in = in, .n = n, .size = iw_type_size(type) };
  const iw_array result = { "count", count, 1, sizeof *count, IW_WRITE | IW_SINGLE, NULL };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_select_if"));
  IW_STEP(&step, check_test(&step, &j, test, out, options, 1, result));
  if (step.status == IW_OK && j.test.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.test.bins));
  IW_STEP(&step, iw_moves_reserve(&step, n, n, 0, &j.moves));
  add_test(&step, &j);
  IW_TRY(iw_agree(&step));
  IW_STEP(&step, range_test(&step, &j));
  IW_STEP(&step, select_own(&step, &j, &selected));
  IW_TRY(iw_finish(&step));
  *count = selected;
  return IW_OK;
}

/* ---- Multisplit ------------------------------------------------------------------------------------- */

/* A call: what is split by which buckets, with the range of the whole array, and the buckets' counts. */
typedef struct split_job {
  iw_type type;
  size_t n;
  iw_buckets buckets;
  iw_moves moves;
  iw_exchange at_once[1 + IW_MAX_PAYLOADS]; /* of all elements: from out, or more, to part */
  iw_histogram_spec ranged;
  iw_scalar_bits lo, hi;
  size_t count;          /* buckets; the elements in no bin are one more */
  size_t *local;         /* count + 1: the offsets of this rank's own multisplit */
  uint64_t *own, *begins; /* count + 1 each: counts of this rank, and where the elements of a bucket begin */
  uint64_t *all;         /* count + 1 of each rank */
} split_job;

/* The number of buckets, which may be wrong if iw_multisplit refuses them. */
static iw_status number_of_buckets(const iw_buckets *b, iw_type type, size_t *count)
{
  enum { MAX_KEY_BITS = 16, MAX_BUCKETS = 0x7fffffff };
  IW_TRY(iw_check_pointer("buckets", b));
  IW_TRY(iw_check_struct("buckets->size", b, "iw_buckets", sizeof *b));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  if (b->bins)
    IW_TRY(iw_fail_named(iw_check_spec(type, b->bins), "buckets->bins"));
  *count = b->bins ? iw_spec_of(b->bins)->bins
    : b->pivot ? 3
    : b->bits && b->bits <= MAX_KEY_BITS ? (size_t)1 << b->bits
    : b->rule && b->count <= MAX_BUCKETS ? b->count : 0;
  return IW_OK;
}

/* Checks the arguments, the buckets by a call without elements. Reserves the counts of this rank. */
static iw_status check_split(iw_step *step, split_job *j, const iw_buckets *buckets, const void *in, void *out, const uint64_t *offsets,
                             const iw_move_options *options)
{
  void *memory;
  int automatic;
  IW_TRY(number_of_buckets(buckets, j->type, &j->count));
  const size_t words = j->count + 1;
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, 3 * words * sizeof *j->own, &memory));
  j->own = memory;
  j->begins = j->own + words;
  j->local = (size_t *)(void *)(j->begins + words);
  IW_TRY(check_bins(j->type, buckets->bins, &automatic));
  if (!automatic)
    IW_TRY(iw_multisplit(step->context, buckets, NULL, 0, NULL, j->local, NULL));
  j->buckets = *buckets;
  j->buckets.size = sizeof j->buckets;
  const iw_array result = { "offsets", offsets, words, sizeof *offsets, IW_WRITE, NULL };
  return iw_check_moves(step, j->type, in, j->n, out, options, 0, 1, &result, 1, &j->moves);
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
  iw_step_moves(step, &j->moves);
}

/* After the first agreement. */
static iw_status range_buckets(iw_step *step, split_job *j)
{
  IW_TRY(iw_agreed_moves(step, &j->moves));
  if (!j->buckets.bins)
    return IW_OK;
  IW_TRY(iw_range_spec(step, j->type, j->buckets.bins, &j->ranged, &j->lo, &j->hi));
  j->buckets.bins = &j->ranged;
  return IW_OK;
}

/* Where this rank's elements are between its two splits. */
static void *split_of(const iw_moved *a) { return a->out ? a->out : a->more; }

/* The counts of n elements by the offsets of this rank's own multisplit. */
static void set_counts(const split_job *j, size_t n, uint64_t *counts)
{
  for (size_t k = 0; k <= j->count; k++)
    counts[k] = (k < j->count ? j->local[k + 1] : n) - j->local[k];
}

/* Splits this rank's part, and reserves the counts of all ranks. */
static iw_status split_own(iw_step *step, split_job *j)
{
  void *memory;
  iw_local_moves local;
  const iw_move_options *options;
  const size_t words = j->count + 1, bytes = words * sizeof *j->all;
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, step->handle->peers.count * bytes, &memory));
  j->all = memory;
  IW_TRY(iw_gather_reserve(step, bytes, step->handle->peers.count * bytes));
  IW_TRY(iw_payloads_of(step, &j->moves, 0, j->n, 1, &local, &options));
  IW_TRY(iw_multisplit(step->context, &j->buckets, j->moves.of[0].in, j->n, split_of(&j->moves.of[0]), j->local, options));
  set_counts(j, j->n, j->own);
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

/* Sets the handle's sizes, of values of `width` bytes: those that two ranks exchange are neighbours in the
 * sender's split part. */
static void plan_split(iw_step *step, const split_job *j, size_t width)
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
        send_piece(d, width, j->begins[k], n, j->local[k], &to);
      j->begins[k] += n; /* where the next rank's elements begin */
    }
    d->receive_bytes[r] = here * width;
    d->receive_offsets[r] = received * width;
    received += here;
  }
}

/* Splits what was received: it may be of several buckets. */
static iw_status split_received(iw_step *step, const split_job *j)
{
  iw_moves received = j->moves;
  iw_local_moves local;
  const iw_move_options *options;
  for (size_t i = 0; i < received.count; i++)
    received.of[i].in = received.of[i].part;
  IW_TRY(iw_payloads_of(step, &received, 0, j->n, 1, &local, &options));
  return iw_multisplit(step->context, &j->buckets, received.of[0].in, j->n, received.of[0].out, j->local, options);
}

/* All elements at once. */
static iw_status split_at_once(iw_step *step, split_job *j)
{
  iw_distributed *const d = step->handle;
  IW_STEP(step, split_own(step, j));
  for (unsigned r = 0; r < d->peers.count; r++)
    d->gather_bytes[r] = (j->count + 1) * sizeof *j->own;
  IW_TRY(iw_agree_and_gather(step, j->own, j->all));
  for (size_t i = 0; i < j->moves.count; i++) {
    plan_split(step, j, j->moves.of[i].width);
    IW_TRY(iw_exchange_run(step, &j->at_once[i], 1));
  }
  IW_STEP(step, split_received(step, j));
  find_begins(j, d->peers.count);
  return IW_OK;
}

static const void *piece_from(const split_job *j, size_t first)
{
  return (const char *)j->moves.of[0].in + first * j->moves.of[0].width;
}

/* Whether a histogram counts the buckets: it only reads the elements. */
static int has_histogram(const split_job *j)
{
  return j->buckets.bins && !j->buckets.bins->plan && j->buckets.bins->policy != IW_POLICY_COUNT;
}

static iw_status count_bins(iw_step *step, void *job, size_t first, size_t n, uint64_t *counts)
{
  const split_job *const j = job;
  iw_histogram_spec spec = *j->buckets.bins;
  spec.flags &= ~(unsigned)IW_HIST_ACCUMULATE;
  spec.counter_width = 0;
  IW_TRY(iw_histogram(step->context, &spec, piece_from(j, first), n, counts, NULL));
  counts[j->count] = n;
  for (size_t k = 0; k < j->count; k++)
    counts[j->count] -= counts[k];
  return IW_OK;
}

static iw_status count_buckets(iw_step *step, void *job, size_t first, size_t n, uint64_t *counts)
{
  const split_job *const j = job;
  const iw_move_options nothing = { .size = sizeof nothing };
  IW_TRY(iw_multisplit(step->context, &j->buckets, piece_from(j, first), n, NULL, j->local, &nothing));
  set_counts(j, n, counts);
  return IW_OK;
}

static iw_status multisplit_piece(iw_step *step, void *job, size_t first, size_t n, void *out, size_t room, const iw_move_options *options,
                                  uint64_t *counts, uint64_t *offsets)
{
  const split_job *const j = job;
  (void)room;
  IW_TRY(iw_multisplit(step->context, &j->buckets, piece_from(j, first), n, out, j->local, options));
  set_counts(j, n, counts);
  for (size_t k = 0; k <= j->count; k++)
    offsets[k] = j->local[k];
  return IW_OK;
}

/* Whether a split goes piece by piece if a part has more than one: a rank receives the elements of its
 * buckets of a piece in as many messages from each rank, about `count` divided by the ranks. */
static int goes_by_pieces(const iw_distributed *d, size_t count)
{
  enum { MOST_PER_RANK = 32 };
  return count <= (size_t)MOST_PER_RANK * d->peers.count;
}

/* Reserves what the arrays need, in either way. */
static iw_status reserve_split(iw_step *step, split_job *j, int by_pieces, iw_pieces *pieces)
{
  iw_moves *const m = &j->moves;
  if (by_pieces)
    IW_TRY(iw_pieces_reserve(step, j->count + 1, 1, 2, m, pieces));
  else
    IW_TRY(iw_moves_reserve(step, j->n, j->n, 2, m));
  const size_t n = by_pieces ? iw_min(j->n, pieces->n) : j->n; /* at once only if there is no more on any rank */
  for (size_t i = 0; i < m->count; i++) {
    const size_t bytes = n * m->of[i].width;
    j->at_once[i] = (iw_exchange){ .send = split_of(&m->of[i]), .receive = m->of[i].part, .send_bytes = bytes, .receive_bytes = bytes };
    IW_TRY(iw_exchange_reserve(step, &j->at_once[i]));
  }
  return IW_OK;
}

iw_status iw_distributed_multisplit(iw_distributed *handle, const iw_buckets *buckets, const void *in, size_t n,
                                    void *out, uint64_t *offsets, const iw_move_options *options)
{
  const iw_type type = buckets && buckets->size >= sizeof *buckets ? buckets->type : (iw_type)0;
  iw_step step;
  iw_pieces pieces = { .rounds = 1 };
  split_job j = { .type = type, .n = n };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_multisplit"));
  IW_STEP(&step, check_split(&step, &j, buckets, in, out, offsets, options));
  if (step.status == IW_OK && j.buckets.bins)
    IW_STEP(&step, iw_find_extremes(&step, type, in, n, j.buckets.bins));
  const int by_pieces = goes_by_pieces(handle, j.count);
  IW_STEP(&step, reserve_split(&step, &j, by_pieces, &pieces));
  add_buckets(&step, &j);
  IW_TRY(iw_agree(&step));
  if (by_pieces)
    iw_pieces_plan(&step, &pieces);
  IW_STEP(&step, range_buckets(&step, &j));
  if (pieces.rounds == 1)
    IW_TRY(split_at_once(&step, &j));
  else
    IW_TRY(iw_pieces_run(&step, &(iw_splitter){ &j, j.buckets.bits || has_histogram(&j) ? COUNTED_PIECES : 1,
                                                has_histogram(&j) ? count_bins : count_buckets, multisplit_piece }, &pieces));
  IW_TRY(iw_finish(&step));
  memcpy(offsets, pieces.rounds == 1 ? j.begins : pieces.begins, (j.count + 1) * sizeof *offsets);
  return IW_OK;
}
