/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable sort of distributed arrays. Each rank sorts its part. Splitters are exact: the rank of the element
 * with which a part of the output begins is found by bisection, four bits of it in each all-reduce of how
 * many elements come before. An all-to-all moves each rank's pieces, which are contiguous. What a rank has
 * received are sorted runs, in the order of the ranks they came from, which it merges by pairs, or sorts if
 * that takes less time. Algorithms layer.
 */
#include "algorithms/common/payloads.h"
#include "algorithms/distributed/moves.h"
#include "algorithms/sort/sort.h"

#include <isowarp/sorts.h>

/* DIGIT: bits of splitters that are found at a time, with POINTS candidates each beside the one that is all
 * zeros. */
enum { DIGIT = 4, POINTS = (1 << DIGIT) - 1, MOVED = IW_MAX_PAYLOADS + 1 };

/* An array that moves. */
typedef struct moved {
  const void *in;       /* NULL: global indices, which are written to `received` first */
  void *out;            /* NULL: keys that are not wanted */
  void *sorted;         /* this rank's part after its own sort */
  void *received;       /* what other ranks have sent */
  size_t width;
  iw_exchange exchange;
} moved;

typedef struct sort_job {
  iw_type type;
  size_t n;
  iw_sort_rule rule;
  iw_sort_options options;
  iw_payload payloads[IW_MAX_PAYLOADS];
  unsigned count;       /* arrays that move: the keys, then payloads */
  moved of[MOVED];
  /* In host memory. There is a splitter between two ranks. */
  uint64_t *splitters;  /* the bits of its element's rank that decide */
  char *queries;        /* POINTS elements for each splitter */
  uint64_t *bounds;     /* 2 for each splitter, at least POINTS */
  uint64_t *all;        /* `bounds` of each rank */
} sort_job;

/* ---- Arguments --------------------------------------------------------------------------------------- */

static iw_status check_sort(iw_step *step, sort_job *j, const void *in, void *out, const iw_sort_options *options)
{
  iw_array given[2 * MOVED];
  IW_TRY(iw_check_type(j->type, IW_ALL_TYPES));
  IW_TRY(iw_check_sort_takes(options, IW_TAKES_PAYLOADS, "iw_sort takes one of an array that is not distributed"));
  IW_TRY(iw_apply_sort_options(j->type, options, &j->rule));
  j->options.size = sizeof j->options;
  if (options)
    j->options = (iw_sort_options){ .size = sizeof j->options, .descending = options->descending, .begin_bit = options->begin_bit,
                                    .end_bit = options->end_bit };
  const size_t payload_count = options ? options->payload_count : 0;
  if (payload_count > IW_MAX_PAYLOADS)
    return iw_fail(IW_ERROR_INVALID, "options->payload_count is %zu; valid are 0 to %d", payload_count, (int)IW_MAX_PAYLOADS);
  if (payload_count)
    IW_TRY(iw_copy_payloads(options->payloads, payload_count, j->payloads));
  j->count = (unsigned)payload_count + 1;
  const unsigned count = iw_list_moved(j->type, in, out, j->n, j->payloads, payload_count, given);
  if (!payload_count)
    given[1].access &= ~(unsigned)IW_OPTIONAL;
  IW_TRY(iw_check_each_array(given, 2));
  IW_TRY(iw_check_payloads(j->payloads, payload_count, j->n, given));
  IW_TRY(iw_check_arrays(given, count));
  j->of[0] = (moved){ .in = in, .out = out, .width = iw_type_size(j->type) };
  for (size_t i = 0; i < payload_count; i++)
    j->of[i + 1] = (moved){ .in = j->payloads[i].in, .out = j->payloads[i].out, .width = j->payloads[i].width };
  return iw_select_context(&step->context, given, count);
}

/* Adds the checked arguments to the agreement. Own word 0 is n. */
static void add_words(iw_step *step, const sort_job *j)
{
  iw_step_word(step, "type", IW_WORD_TYPE, j->type);
  iw_step_word(step, "options->descending", IW_WORD_NUMBER, j->options.descending != 0);
  iw_step_word(step, "options->begin_bit", IW_WORD_NUMBER, j->rule.begin_bit);
  iw_step_word(step, "options->end_bit", IW_WORD_NUMBER, j->rule.end_bit);
  iw_step_payloads(step, j->n, j->payloads, j->count ? j->count - 1 : 0);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Where arrays are after this rank's sort, and what it receives; and the memory of splitters. */
static iw_status reserve(iw_step *step, sort_job *j)
{
  const size_t ranks = step->handle->peers.count, splitters = ranks - 1;
  size_t bytes = j->of[0].out ? 0 : iw_padded(j->n * j->of[0].width);
  void *memory;
  for (unsigned m = 0; m < j->count; m++)
    bytes += iw_padded(j->n * j->of[m].width);
  IW_TRY(iw_slot_memory(step, IW_SLOT_PARTS, step->context, bytes, &memory));
  char *at = memory;
  for (unsigned m = 0; m < j->count; m++) {
    moved *const a = &j->of[m];
    const size_t own = j->n * a->width;
    a->received = at;
    at += iw_padded(own);
    a->sorted = a->out ? a->out : at; /* the keys that are not wanted come first, and what they take is in `bytes` */
    at += a->out ? 0 : iw_padded(own);
    a->exchange = (iw_exchange){ .send = a->sorted, .receive = a->received, .send_bytes = own, .receive_bytes = own };
    IW_TRY(iw_exchange_reserve(step, &a->exchange));
  }
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, splitters * (8 + 2 * POINTS * 8), &memory));
  j->splitters = memory;
  j->bounds = j->splitters + splitters;
  j->queries = (char *)(j->bounds + splitters * POINTS);
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, ranks * splitters * 2 * sizeof *j->all, &memory));
  j->all = memory;
  IW_TRY(iw_all_reduce_reserve(step, splitters * POINTS));
  return iw_gather_reserve(step, splitters * 2 * sizeof *j->all, ranks * splitters * 2 * sizeof *j->all);
}

/* ---- This rank's sorts ------------------------------------------------------------------------------- */

/* Lists the runs that were received, as they begin in the array: begins[runs] is its end. Returns the
 * number of runs. */
static size_t list_runs(const iw_distributed *d, size_t width, uint64_t *begins)
{
  size_t runs = 0;
  begins[0] = 0;
  for (unsigned r = 0; r < d->peers.count; r++)
    if (d->receive_bytes[r]) {
      begins[runs + 1] = begins[runs] + d->receive_bytes[r] / width;
      runs++;
    }
  return runs;
}

/* Merges the runs that were received, by pairs: from the memory in which they were received to `out`, and
 * back. */
static iw_status merge_received(iw_step *step, const sort_job *j, uint64_t *begins, size_t runs)
{
  const moved *const keys = &j->of[0];
  char *from = keys->received, *to = keys->out;
  while (runs > 1 || (runs == 1 && from != keys->out)) {
    for (size_t r = 0; r < runs; r += 2) {
      const uint64_t first = begins[r], second = begins[r + 1], end = r + 1 < runs ? begins[r + 2] : second;
      IW_TRY(iw_merge(step->context, j->type, (iw_elements){ from + first * keys->width, (size_t)(second - first) },
                      (iw_elements){ from + second * keys->width, (size_t)(end - second) }, to + first * keys->width,
                      (iw_indices){ NULL, 0 }, &j->options));
      begins[r / 2 + 1] = end;
    }
    runs = (runs + 1) / 2;
    char *const filled = to;
    to = from;
    from = filled;
  }
  return IW_OK;
}

/* Sorts this rank's part, or what it has received. What an array is received in serves between passes,
 * before and after. */
static iw_status sort_own(iw_step *step, const sort_job *j, int is_first)
{
  iw_payload payloads[IW_MAX_PAYLOADS];
  iw_sort_memory memory[MOVED];
  for (unsigned m = 0; m < j->count; m++)
    memory[m] = (iw_sort_memory){ { j->of[m].received, NULL } };
  if (!is_first && !j->of[0].out)
    memory[0] = (iw_sort_memory){ { j->of[0].sorted, j->of[0].received } };
  for (unsigned i = 1; i < j->count; i++) {
    const moved *const a = &j->of[i];
    payloads[i - 1] = (iw_payload){
      .size = sizeof *payloads, .in = is_first && a->in ? a->in : a->received, .out = is_first ? a->sorted : a->out, .width = a->width,
    };
    if (is_first && !a->in)
      IW_TRY(iw_write_indices(step->context, step->handle->from[step->handle->peers.rank].begin, j->n, a->width, a->received));
  }
  const moved *const keys = &j->of[0];
  return iw_sort_within(step->context, j->type, is_first ? keys->in : keys->received, is_first ? keys->sorted : keys->out, j->n,
                        payloads, j->count - 1, &j->options, memory);
}

/* Sorts what was received: a merge of keys takes as long as some passes of their sort, of which each byte
 * is one. */
static iw_status sort_received(iw_step *step, const sort_job *j)
{
  uint64_t *const begins = j->bounds; /* there is room for as many words as ranks and one */
  const size_t runs = list_runs(step->handle, j->of[0].width, begins);
  unsigned merges = 0;
  while ((size_t)1 << merges < runs)
    merges++;
  const size_t passes = (j->rule.end_bit - j->rule.begin_bit + 7) / 8;
  return j->count == 1 && merges * step->context->device.passes_per_merge <= passes ? merge_received(step, j, begins, runs)
                                                                                   : sort_own(step, j, 0);
}

/* ---- Splitters --------------------------------------------------------------------------------------- */

/* Writes an element that has the rank. Of floats, ranks beyond -inf are those of no element, and so are
 * most beyond +inf: they give -inf and NaN, so that elements ascend with ranks. */
static void write_element(const sort_job *j, uint64_t rank, void *to)
{
  const iw_total_order *const o = &j->rule.order;
  uint64_t bits = (rank << j->rule.begin_bit) ^ o->flip;
  if (o->infinity) {
    if (bits & o->sign)
      bits = rank ^ o->negative_flip;
    if ((bits & (o->sign - 1)) > o->infinity)
      bits = o->infinity | (bits & o->sign ? o->sign : 1);
  }
  memcpy(to, &bits, iw_type_size(j->type)); /* of a little-endian machine, as all that the library runs on */
}

/* Sets bounds[i] to how many of this rank's elements come before element i of the queries; or do not come
 * after it. */
static iw_status find_bounds(iw_step *step, const sort_job *j, size_t count, int upper, uint64_t *bounds)
{
  memset(bounds, 0, count * sizeof *bounds);
  if (!j->n)
    return IW_OK;
  IW_TRY(iw_bounds(step->context, upper ? IW_UPPER_BOUND : IW_LOWER_BOUND, j->type, (iw_elements){ j->of[0].sorted, j->n },
                   (iw_elements){ j->queries, count }, iw_indices_u64(bounds), &j->options));
  return iw_context_synchronize(step->context);
}

/* Finds the splitters, one more digit of all of them in each round: the largest ones that have no more
 * elements of all ranks before them than the output has. */
static iw_status find_splitters(iw_step *step, sort_job *j)
{
  const iw_range *const parts = step->handle->from;
  const size_t splitters = step->handle->peers.count - 1, size = iw_type_size(j->type);
  const unsigned bits = j->rule.end_bit - j->rule.begin_bit;
  memset(j->splitters, 0, splitters * sizeof *j->splitters);
  for (unsigned shift = !splitters ? 0 : (bits + DIGIT - 1) / DIGIT * DIGIT; shift > 0;) {
    shift -= DIGIT;
    /* The first digit may have fewer bits. */
    const unsigned points = bits - shift < DIGIT ? (1u << (bits - shift)) - 1 : POINTS;
    for (size_t s = 0; s < splitters; s++)
      for (unsigned p = 0; p < points; p++)
        write_element(j, j->splitters[s] + ((uint64_t)(p + 1) << shift), j->queries + (s * points + p) * size);
    IW_STEP(step, find_bounds(step, j, splitters * points, 0, j->bounds));
    IW_TRY(iw_all_reduce(step, j->bounds, splitters * points));
    for (size_t s = 0; s < splitters; s++) {
      unsigned digit = 0;
      while (digit < points && j->bounds[s * points + digit] <= parts[s + 1].begin)
        digit++;
      j->splitters[s] += (uint64_t)digit << shift;
    }
  }
  return IW_OK;
}

/* Sets bounds[2 s] to how many of this rank's elements come before splitter s, and bounds[2 s + 1] to how
 * many are equal to it. */
static iw_status count_equals(iw_step *step, sort_job *j)
{
  const size_t splitters = step->handle->peers.count - 1, size = iw_type_size(j->type);
  uint64_t *const lower = j->all; /* there is room for these, as they are gathered behind */
  for (size_t s = 0; s < splitters; s++)
    write_element(j, j->splitters[s], j->queries + s * size);
  IW_TRY(find_bounds(step, j, splitters, 0, lower));
  IW_TRY(find_bounds(step, j, splitters, 1, lower + splitters));
  for (size_t s = 0; s < splitters; s++) {
    j->bounds[2 * s] = lower[s];
    j->bounds[2 * s + 1] = lower[splitters + s] - lower[s];
  }
  return IW_OK;
}

/* ---- Moves ------------------------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* How many elements of a rank are in front of part `part` of the output: all that come before its splitter,
 * and of those that are equal to it the first ones, in the order of ranks. */
static size_t cut_of(const iw_distributed *d, const sort_job *j, unsigned part, unsigned rank)
{
  const unsigned ranks = d->peers.count;
  if (part == 0 || part == ranks)
    return part ? (size_t)d->records[rank].own[0] : 0;
  const uint64_t *const of_part = j->all + 2 * (size_t)(part - 1);
  const size_t stride = 2 * (size_t)(ranks - 1);
  uint64_t left = d->from[part].begin;
  for (unsigned r = 0; r < ranks; r++)
    left -= of_part[r * stride];
  for (unsigned r = 0; r < rank; r++)
    left -= least(left, of_part[r * stride + 1]);
  return (size_t)(of_part[rank * stride] + least(left, of_part[rank * stride + 1]));
}

/* Sets the handle's sizes for elements of `width` bytes. */
static void plan_pieces(const iw_distributed *d, const sort_job *j, size_t width)
{
  const unsigned me = d->peers.rank;
  size_t received = 0;
  for (unsigned r = 0; r < d->peers.count; r++) {
    const size_t sent = cut_of(d, j, r, me), first = cut_of(d, j, me, r), here = cut_of(d, j, me + 1, r) - first;
    d->send_bytes[r] = (cut_of(d, j, r + 1, me) - sent) * width;
    d->send_offsets[r] = sent * width;
    d->receive_bytes[r] = here * width;
    d->receive_offsets[r] = received * width;
    received += here;
  }
}

static iw_status move_all(iw_step *step, const sort_job *j)
{
  for (unsigned m = 0; m < j->count; m++) {
    plan_pieces(step->handle, j, j->of[m].width);
    IW_TRY(iw_exchange_run(step, &j->of[m].exchange, 1));
  }
  return IW_OK;
}

/* ---- The calls --------------------------------------------------------------------------------------- */

iw_status iw_distributed_sort(iw_distributed *handle, iw_type type, const void *in, size_t n, void *out,
                              const iw_sort_options *options)
{
  iw_step step;
  sort_job j = { .type = type, .n = n };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_sort"));
  IW_STEP(&step, check_sort(&step, &j, in, out, options));
  IW_STEP(&step, reserve(&step, &j));
  add_words(&step, &j);
  IW_TRY(iw_agree(&step));
  uint64_t absent;
  IW_STEP(&step, iw_agreed_payloads(&step, j.payloads, j.count - 1, iw_ranges_of(&step, 0, handle->from), &absent));
  IW_STEP(&step, sort_own(&step, &j, 1));
  IW_TRY(iw_agree(&step));
  IW_TRY(find_splitters(&step, &j));
  IW_STEP(&step, count_equals(&step, &j));
  for (unsigned r = 0; r < handle->peers.count; r++)
    handle->gather_bytes[r] = 2 * (handle->peers.count - 1) * sizeof *j.all;
  IW_TRY(iw_agree_and_gather(&step, j.bounds, j.all));
  IW_TRY(move_all(&step, &j));
  IW_STEP(&step, sort_received(&step, &j));
  return iw_finish(&step);
}

