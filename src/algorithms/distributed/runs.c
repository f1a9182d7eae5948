/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduction of runs of keys that may extend over several ranks. A rank has the results of the runs that
 * begin on it. It has at most one piece of a run that enters from the rank before, and one of a run that
 * leaves to the next rank. The pieces of such a run are a distributed array of their own, whose first
 * element is the run's. Sums of floats reduce the groups of this array (groups.h); other operations have one
 * aggregate for each rank. Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"
#include "algorithms/distributed/groups.h"
#include "algorithms/distributed/labels.h"
#include "algorithms/distributed/segments.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"

/* Own words of a rank's record. INDEX: of the first minimum of the elements that AGGREGATE is of. */
enum { LENGTH, FIRST_KEY, LAST_KEY, ENTERS = FIRST_KEY, LEAVES = LAST_KEY, AGGREGATE, COUNT, INDEX };

/* A call. */
typedef struct runs_job {
  iw_scan_spec spec;      /* its init is NULL, its segments are `segments` */
  iw_segments segments;
  iw_operation operation;
  const void *in, *keys;  /* keys or flags */
  size_t n, in_size, size, key_size;
  int is_flags, restores_order, has_init;
  iw_scalar_bits init;
  void *unique_keys, *results;
  int finds;              /* the first minima are wanted, and results may be NULL */
  uint64_t *indices;
  size_t enters, leaves;  /* elements of the run that enters, and of the run that leaves to the next rank */
  size_t count;           /* runs that begin here */
} runs_job;

/* ---- Checks ----------------------------------------------------------------------------------------- */

static iw_status check_outputs(const runs_job *j)
{
  const unsigned optional = j->finds ? IW_OPTIONAL : 0, absent = j->finds ? 0 : IW_OPTIONAL;
  const iw_array arrays[] = {
    { "in", j->in, j->n, j->in_size, IW_READ, NULL },
    { j->is_flags ? "segments->flags" : "segments->keys", j->keys, j->n, j->key_size, IW_READ, NULL },
    { j->finds ? "values" : "results", j->results, j->n, j->size, IW_WRITE | optional, NULL },
    { "indices", j->indices, j->n, sizeof *j->indices, IW_WRITE | absent, NULL },
    { "options->run_keys", j->unique_keys, j->n, j->key_size, IW_WRITE | IW_OPTIONAL, NULL },
  };
  return iw_check_arrays(arrays, sizeof arrays / sizeof *arrays);
}

/* This rank's runs, from some element on. */
static iw_status reduce_runs(iw_step *step, const runs_job *j, const iw_scan_spec *spec, const void *in, size_t n, size_t *count)
{
  return j->finds ? iw_find_in_runs_by_spec(step->context, spec, in, n, j->unique_keys, (size_t *)(void *)j->indices, j->results, count)
                  : iw_reduce_runs_by_spec(step->context, spec, in, n, j->unique_keys, j->results, count);
}

/* Checks the arguments, the spec by a call without elements. */
static iw_status begin(iw_step *step, runs_job *j, const iw_scan_spec *spec, const size_t *count)
{
  size_t none;
  iw_builtin_op op;
  if (spec->segments->kind != IW_SEGMENTS_FLAGS && spec->segments->kind != IW_SEGMENTS_KEYS)
    return iw_fail(IW_ERROR_INVALID,
                   "segments->kind is %d; of distributed arrays IW_SEGMENTS_FLAGS (0) and IW_SEGMENTS_KEYS (1) are "
                   "reduced", (int)spec->segments->kind);
  IW_TRY(reduce_runs(step, j, spec, NULL, 0, &none));
  if (!iw_is_builtin(spec->op, &op))
    return iw_fail(IW_ERROR_INVALID,
                   "op is operator %s, but distributed arrays take built-in operators only", spec->op->name);
  j->spec = *spec;
  j->segments = *spec->segments;
  j->segments.size = sizeof j->segments;
  j->spec.segments = &j->segments;
  j->operation = iw_operation_of(op, spec->in_type, spec->type);
  const iw_type wide = j->operation.wide;
  j->restores_order = (op == IW_BUILTIN_SUM || op == IW_BUILTIN_PRODUCT) && (wide == IW_F32 || wide == IW_F64);
  j->in_size = iw_type_size(spec->in_type);
  j->size = iw_type_size(spec->type);
  j->is_flags = j->segments.kind == IW_SEGMENTS_FLAGS;
  j->keys = j->is_flags ? j->segments.flags : j->segments.keys;
  j->key_size = j->is_flags ? 1 : iw_type_size(j->segments.key_type);
  IW_TRY(check_outputs(j));
  IW_TRY(iw_check_single("options->run_count", count, sizeof *count));
  iw_step_word(step, "whether there are segments", IW_WORD_NUMBER, 1);
  iw_step_word(step, "op", IW_WORD_NUMBER, (uint64_t)(uintptr_t)spec->op);
  iw_step_word(step, "in_type", IW_WORD_TYPE, spec->in_type);
  iw_step_word(step, "type", IW_WORD_TYPE, spec->type);
  iw_step_word(step, "whether runs are by flags", IW_WORD_NUMBER, (uint64_t)j->is_flags);
  iw_step_word(step, "key_type", IW_WORD_TYPE, j->is_flags ? IW_U8 : j->segments.key_type);
  return IW_OK;
}

/* Reads init, and the first and the last key. */
static iw_status read_values(iw_step *step, runs_job *j)
{
  iw_context *const c = step->handle->context;
  iw_scalar_bits bits = { .u64 = 0 };
  j->has_init = j->spec.init != NULL;
  if (j->has_init)
    IW_TRY(iw_memory_copy(c, &bits, j->spec.init, j->size));
  j->init = iw_load_scalar_bits(j->spec.type, &bits);
  j->spec.init = NULL;
  iw_step_word(step, "whether there is an init", IW_WORD_NUMBER, (uint64_t)j->has_init);
  iw_step_word(step, "init", IW_WORD_HEX, j->init.u64);
  step->record.own[LENGTH] = j->n;
  const iw_labels labels = { j->keys, j->key_size, j->segments.key_type, j->is_flags };
  return iw_read_labels(step, &labels, j->n, FIRST_KEY, LAST_KEY);
}

/* ---- Pieces ----------------------------------------------------------------------------------------- */

/* Finds where the first run that begins here begins, and the last one. */
static iw_status find_pieces(iw_step *step, runs_job *j)
{
  iw_heads heads;
  const iw_labels labels = { j->keys, j->key_size, j->segments.key_type, j->is_flags };
  IW_TRY(iw_find_heads(step, &labels, j->n, iw_begins_segment(step, &labels, FIRST_KEY, LAST_KEY), &heads));
  j->enters = heads.first;
  j->leaves = j->n - heads.last;
  step->record.own[ENTERS] = j->enters;
  step->record.own[LEAVES] = j->leaves;
  step->record.own[AGGREGATE] = 0;
  if (j->restores_order || !j->enters)
    return IW_OK;
  iw_scan_spec whole = j->spec;
  whole.segments = NULL;
  iw_scalar_bits aggregate = { .u64 = 0 };
  size_t index = 0;
  IW_TRY(j->finds ? iw_find_extremum(step->context, j->operation.op, j->spec.type, j->in, j->enters, &index, &aggregate)
                  : iw_reduce_array(step->context, &whole, j->in, j->enters, &aggregate));
  step->record.own[AGGREGATE] = aggregate.u64;
  step->record.own[INDEX] = index;
  return IW_OK;
}

/* Reduces the runs that begin on this rank, as far as their elements are here. */
static iw_status reduce_own(iw_step *step, runs_job *j)
{
  iw_scan_spec spec = j->spec;
  iw_segments segments = j->segments;
  const size_t n = j->n - j->enters;
  spec.init = j->has_init ? &j->init : NULL;
  spec.segments = &segments;
  if (j->is_flags)
    segments.flags = j->n ? segments.flags + j->enters : NULL;
  else
    segments.keys = j->n ? (const char *)segments.keys + j->enters * j->key_size : NULL;
  const char *const in = j->in ? (const char *)j->in + j->enters * j->in_size : NULL;
  IW_TRY(reduce_runs(step, j, &spec, in, n, &j->count));
  step->record.own[COUNT] = j->count;
  return IW_OK;
}

/* The last rank of the run that leaves `rank`, or `rank` if it does not cross. */
static unsigned end_of_run(const iw_distributed *d, unsigned rank)
{
  unsigned end = rank;
  for (unsigned r = rank + 1; r < d->peers.count && d->records[rank].own[LEAVES]; r++) {
    const uint64_t *const own = d->records[r].own;
    if (!own[LENGTH])
      continue;
    if (own[ENTERS])
      end = r;
    if (own[ENTERS] < own[LENGTH])
      break;
  }
  return end;
}

/* ---- Runs that cross ranks -------------------------------------------------------------------------- */

static char *last_result(const runs_job *j) { return (char *)j->results + (j->count - 1) * j->size; }

/* The first minimum of the run that leaves this rank, from those of its pieces up to rank `end`. */
static iw_status join_minima(iw_step *step, const runs_job *j, unsigned end)
{
  iw_distributed *const d = step->handle;
  const unsigned me = d->peers.rank;
  const size_t here = (size_t)d->records[me].own[LEAVES];
  iw_scalar_bits value = { .u64 = 0 };
  uint64_t index, begin = here;
  size_t k = 1, found = 0;
  char *const values = (char *)d->values;
  IW_TRY(iw_memory_copy(d->context, &index, j->indices + j->count - 1, sizeof index));
  IW_TRY(iw_memory_copy(d->context, values, (const char *)j->in + (j->n - here + (size_t)index) * j->size, j->size));
  for (unsigned r = me + 1; r <= end; r++)
    if (d->records[r].own[ENTERS])
      memcpy(values + k++ * j->size, &d->records[r].own[AGGREGATE], j->size);
  IW_TRY(iw_find_extremum(step->context, j->operation.op, j->spec.type, values, k, &found, &value));
  for (unsigned r = me + 1, which = 1; r <= end; begin += d->records[r++].own[ENTERS])
    if (d->records[r].own[ENTERS] && which++ == found)
      index = begin + d->records[r].own[INDEX];
  IW_TRY(iw_memory_copy(d->context, j->indices + j->count - 1, &index, sizeof index));
  return j->results ? iw_memory_copy(d->context, last_result(j), &value, j->size) : IW_OK;
}

/* Adds the aggregates of the other ranks to the result of the run that leaves this rank. */
static iw_status join_associative(iw_step *step, const runs_job *j)
{
  iw_distributed *const d = step->handle;
  const unsigned me = d->peers.rank, end = end_of_run(d, me);
  iw_scalar_bits result = { .u64 = 0 };
  char *const values = (char *)d->values;
  size_t k = 1;
  if (end == me)
    return IW_OK;
  if (j->finds)
    return join_minima(step, j, end);
  IW_TRY(iw_memory_copy(d->context, values, last_result(j), j->size));
  for (unsigned r = me + 1; r <= end; r++)
    if (d->records[r].own[ENTERS])
      memcpy(values + k++ * j->size, &d->records[r].own[AGGREGATE], j->size);
  IW_TRY(iw_reduce_by_op(step->context, j->spec.op, j->spec.type, values, k, &result));
  return iw_memory_copy(d->context, last_result(j), &result, j->size);
}

/* Lays out every other run that crosses ranks, each from a multiple of 2^17 on: handle->from has the
 * pieces. A rank has pieces of at most two such runs, one behind the other, so of one of them only. Returns
 * whether there are any. *at: where this rank's piece begins; *leaves: whether it is of the run that leaves
 * this rank. */
static int lay_out_runs(iw_distributed *d, unsigned parity, size_t *at, int *leaves)
{
  uint64_t begin = 0;
  unsigned runs = 0;
  int any = 0;
  *at = 0;
  *leaves = 0;
  for (unsigned r = 0; r < d->peers.count; r++)
    d->from[r] = (iw_range){ 0, 0 };
  for (unsigned r = 0; r < d->peers.count; r++) {
    const unsigned end = end_of_run(d, r);
    if (end == r || runs++ % 2 != parity)
      continue;
    for (unsigned k = r; k <= end; k++) {
      const uint64_t n = d->records[k].own[k == r ? LEAVES : ENTERS];
      d->from[k] = (iw_range){ begin, n };
      begin += n;
      if (k == r && r == d->peers.rank) {
        *at = (size_t)(d->records[k].own[LENGTH] - n);
        *leaves = 1;
      }
    }
    begin = (begin + IW_SCAN_GROUP - 1) / IW_SCAN_GROUP * IW_SCAN_GROUP;
    any = 1;
  }
  return any;
}

/* The result of the run that leaves this rank, from the aggregates of its groups. */
static iw_status join_ordered(iw_step *step, const runs_job *j, const iw_groups *g)
{
  iw_distributed *const d = step->handle;
  const unsigned me = d->peers.rank, end = end_of_run(d, me);
  const iw_operation *const o = &j->operation;
  uint64_t groups = 0;
  for (unsigned r = me; r <= end; r++)
    groups += iw_groups_of(&d->from[r]);
  const iw_scalar_bits init = !j->has_init ? iw_identity_of(o->op, o->wide)
    : iw_is_narrow(o) ? iw_widen_scalar_bits(j->spec.type, j->init) : j->init;
  iw_scalar_bits result = iw_fold_groups(g, o->op, init, g->first, groups);
  if (iw_is_narrow(o))
    result = iw_narrow_scalar_bits(j->spec.type, result);
  result = iw_load_scalar_bits(j->spec.type, &result);
  return iw_memory_copy(d->context, last_result(j), &result, j->size);
}

static iw_status reduce_crossing_runs(iw_step *step, const runs_job *j, iw_groups *g)
{
  iw_scan_spec whole = j->spec;
  whole.segments = NULL;
  for (unsigned parity = 0; parity < 2; parity++) {
    size_t at;
    int leaves;
    if (!lay_out_runs(step->handle, parity, &at, &leaves))
      continue;
    IW_TRY(iw_groups_reduce(step, &whole, j->in ? (const char *)j->in + at * j->in_size : NULL, g));
    if (leaves)
      IW_STEP(step, join_ordered(step, j, g));
  }
  return IW_OK;
}

/* ---- The call --------------------------------------------------------------------------------------- */

iw_status iw_reduce_distributed_runs(iw_step *step, const iw_scan_spec *spec, const void *in, size_t n, void *results, int finds,
                                     uint64_t *indices, const iw_scan_options *options)
{
  iw_groups g = { .own = 0 };
  runs_job j = { .in = in, .n = n, .unique_keys = options->run_keys, .results = results, .finds = finds, .indices = indices };
  IW_STEP(step, begin(step, &j, spec, options->run_count));
  IW_STEP(step, iw_step_select(step, in, n * j.in_size, results, n * j.size));
  IW_STEP(step, read_values(step, &j));
  if (j.restores_order)
    IW_STEP(step, iw_groups_reserve(step, &j.spec, &j.operation, in, NULL, n, &g));
  IW_TRY(iw_agree(step));
  IW_STEP(step, find_pieces(step, &j));
  IW_STEP(step, reduce_own(step, &j));
  IW_TRY(iw_agree(step));
  if (j.restores_order)
    IW_TRY(reduce_crossing_runs(step, &j, &g));
  else
    IW_STEP(step, join_associative(step, &j));
  IW_TRY(iw_finish(step));
  *options->run_count = j.count;
  return IW_OK;
}
