/* SPDX-License-Identifier: Apache-2.0
 *
 * Scan and reduce of distributed arrays, argmin and argmax. Sums and products of floats follow summation
 * order 1 over global indices: each rank reduces the groups of 2^17 elements that begin on it, the groups'
 * aggregates are all-gathered, and each rank folds those in front of its own. Elements in front of a rank's
 * first group go to the rank where their group begins, and their outputs come back. Other operations are
 * associative: each rank has one aggregate. Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"
#include "algorithms/distributed/groups.h"
#include "algorithms/distributed/segments.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "algorithms/scan/operation.h"
#include "algorithms/scan/scan.h"

/* A call: what is scanned or reduced. */
typedef struct scan_job {
  iw_scan_spec spec;       /* its init is NULL */
  iw_operation operation;
  const void *in;
  void *out;               /* NULL: a reduction */
  size_t n, in_size, size;
  int has_init;
  iw_scalar_bits init;     /* of spec.type */
  int restores_order;      /* order 1 matters */
} scan_job;

/* ---- Checks ----------------------------------------------------------------------------------------- */

/* Checks a spec without segments, whose operator has to be built in. */
static iw_status check_spec(const iw_scan_spec *spec, iw_builtin_op *op)
{
  if (!iw_is_builtin(spec->op, op))
    return iw_fail(IW_ERROR_INVALID,
                   "op is operator %s, but distributed arrays take built-in operators only",
                   spec->op->name);
  return iw_check_operation(*op, spec->in_type, spec->type);
}

static iw_status check_scan(const scan_job *j)
{
  const size_t in_bytes = j->n * j->in_size, bytes = j->n * j->size;
  IW_TRY(iw_check_array("in", j->in, j->n, j->in_size));
  IW_TRY(iw_check_array("out", j->out, j->n, j->size));
  if (j->spec.in_type == j->spec.type)
    IW_TRY(iw_check_no_partial_overlap("in", j->in, in_bytes, "out", j->out, bytes));
  else
    IW_TRY(iw_check_no_overlap("in", j->in, in_bytes, "out", j->out, bytes));
  return iw_check_init_of_scan(j->spec.init, j->size, j->out, bytes);
}

static iw_status check_reduce(const scan_job *j, const void *result)
{
  IW_TRY(iw_check_array("in", j->in, j->n, j->in_size));
  IW_TRY(iw_check_init(j->spec.init, j->size));
  IW_TRY(iw_check_single("results", result, j->size));
  return iw_check_no_overlap("in", j->in, j->n * j->in_size, "results", result, j->size);
}

/* Checks the spec, reads init, and adds both to the agreement. */
static iw_status begin(iw_step *step, scan_job *j, const iw_scan_spec *spec, const void *in, void *out,
                       size_t n)
{
  iw_builtin_op op;
  IW_TRY(check_spec(spec, &op));
  *j = (scan_job){ .spec = *spec, .in = in, .out = out, .n = n };
  j->operation = iw_operation_of(op, spec->in_type, spec->type);
  j->in_size = iw_type_size(spec->in_type);
  j->size = iw_type_size(spec->type);
  const iw_type wide = j->operation.wide;
  j->restores_order = (wide == IW_F32 || wide == IW_F64)
      && (op == IW_BUILTIN_SUM || op == IW_BUILTIN_PRODUCT);
  iw_step_word(step, "whether there are segments", IW_WORD_NUMBER, 0);
  iw_step_word(step, "op", IW_WORD_NUMBER, (uint64_t)(uintptr_t)spec->op);
  iw_step_word(step, "in_type", IW_WORD_TYPE, spec->in_type);
  iw_step_word(step, "type", IW_WORD_TYPE, spec->type);
  return IW_OK;
}

/* After the checks of arrays. */
static iw_status read_init(iw_step *step, scan_job *j)
{
  iw_scalar_bits bits = { .u64 = 0 };
  j->has_init = j->spec.init != NULL;
  if (j->has_init)
    IW_TRY(iw_memory_copy(step->handle->context, &bits, j->spec.init, j->size));
  j->init = iw_load_scalar_bits(j->spec.type, &bits);
  j->spec.init = NULL;
  iw_step_word(step, "exclusive", IW_WORD_NUMBER, j->out && j->spec.exclusive);
  iw_step_word(step, "whether there is an init", IW_WORD_NUMBER, (uint64_t)j->has_init);
  iw_step_word(step, "init", IW_WORD_HEX, j->init.u64);
  return IW_OK;
}

/* ---- Associative operations ------------------------------------------------------------------------- */

/* Reduces the values of the first `count` ranks that have elements, with init. *any: whether there is
 * anything. */
static iw_status fold_ranks(iw_step *step, const scan_job *j, unsigned count, iw_scalar_bits *fold, int *any)
{
  iw_distributed *const d = step->handle;
  char *const values = (char *)d->values;
  size_t k = 0;
  for (unsigned r = 0; r < count; r++)
    if (d->records[r].own[0])
      memcpy(values + k++ * j->size, &d->records[r].own[1], j->size);
  *any = k || j->has_init;
  fold->u64 = 0;
  const iw_type type = j->spec.type;
  const iw_scan_spec spec = { .op = j->spec.op, .in_type = type, .type = type, .init = j->has_init ? &j->init : NULL };
  return *any ? iw_reduce_array(step->context, &spec, values, k, fold) : IW_OK;
}

/* The aggregate of this rank's part, for the agreement. */
static iw_status reduce_own(iw_step *step, const scan_job *j)
{
  iw_scalar_bits aggregate = { .u64 = 0 };
  if (j->n)
    IW_TRY(iw_reduce_array(step->context, &j->spec, j->in, j->n, &aggregate));
  step->record.own[1] = aggregate.u64;
  return IW_OK;
}

static iw_status associative_scan(iw_step *step, scan_job *j)
{
  int any = 0;
  iw_scalar_bits prefix;
  IW_STEP(step, reduce_own(step, j));
  IW_TRY(iw_agree(step));
  IW_STEP(step, fold_ranks(step, j, step->handle->peers.rank, &prefix, &any));
  j->spec.init = any ? &prefix : NULL;
  IW_STEP(step, iw_scan_by_spec(step->context, &j->spec, j->in, j->n, j->out));
  return iw_finish(step);
}

/* Writes a result to host or device memory. */
static iw_status store_result(iw_step *step, const scan_job *j, const iw_scalar_bits *value, void *result)
{
  return iw_memory_copy(step->handle->context, result, value, j->size);
}

/* The result of no elements. */
static iw_status store_empty(iw_step *step, const scan_job *j, void *result)
{
  iw_scan_spec spec = j->spec;
  spec.init = j->has_init ? &j->init : NULL;
  return iw_reduce_array(step->context, &spec, NULL, 0, result);
}

static iw_status associative_reduce(iw_step *step, scan_job *j, void *result)
{
  int any = 0;
  iw_scalar_bits fold;
  IW_STEP(step, reduce_own(step, j));
  IW_TRY(iw_agree(step));
  IW_STEP(step, fold_ranks(step, j, step->handle->peers.count, &fold, &any));
  IW_STEP(step, any ? store_result(step, j, &fold, result) : store_empty(step, j, result));
  return iw_finish(step);
}

/* ---- Order 1 ---------------------------------------------------------------------------------------- */

/* The prefix in front of a group, if there is anything. */
static const iw_scalar_bits *prefix_of(const scan_job *j, const iw_groups *g, uint64_t group,
                                       iw_scalar_bits *prefix)
{
  const iw_type wide = j->operation.wide;
  const int is_narrow = iw_is_narrow(&j->operation);
  const iw_scalar_bits init = !j->has_init ? iw_identity_of(j->operation.op, wide)
    : is_narrow ? iw_widen_scalar_bits(j->spec.type, j->init) : j->init;
  *prefix = iw_fold_groups(g, j->operation.op, init, 0, group);
  return group || j->has_init ? prefix : NULL;
}

/* Scans this rank's groups, the last of which may be in the tail buffer. */
static iw_status scan_groups(iw_step *step, const scan_job *j, const iw_groups *g)
{
  iw_context *const c = step->context;
  iw_scalar_bits prefix;
  const char *const in = j->in;
  char *const out = j->out;
  if (g->body)
    IW_TRY(iw_scan_part(c, &j->spec, in + g->head * j->in_size, out + g->head * j->size, g->body,
                        prefix_of(j, g, g->first, &prefix)));
  if (!g->received)
    return IW_OK;
  IW_TRY(iw_scan_part(c, &j->spec, g->tail_in, g->tail_out, g->tail + g->received,
                      prefix_of(j, g, g->first + g->own - 1, &prefix)));
  return iw_memory_copy(c, out + (j->n - g->tail) * j->size, g->tail_out, g->tail * j->size);
}

static iw_status ordered_scan(iw_step *step, scan_job *j)
{
  iw_groups g = { .own = 0 };
  IW_STEP(step, iw_groups_reserve(step, &j->spec, &j->operation, j->in, j->out, j->n, &g));
  IW_TRY(iw_agree(step));
  (void)iw_ranges_of(step, 0, step->handle->from);
  IW_TRY(iw_groups_reduce(step, &j->spec, j->in, &g));
  IW_STEP(step, scan_groups(step, j, &g));
  IW_TRY(iw_groups_send_back(step, j->size, &g));
  return iw_finish(step);
}

static iw_status ordered_reduce(iw_step *step, scan_job *j, void *result)
{
  iw_groups g = { .own = 0 };
  iw_scalar_bits fold;
  IW_STEP(step, iw_groups_reserve(step, &j->spec, &j->operation, j->in, NULL, j->n, &g));
  IW_TRY(iw_agree(step));
  (void)iw_ranges_of(step, 0, step->handle->from);
  IW_TRY(iw_groups_reduce(step, &j->spec, j->in, &g));
  if (g.all) {
    (void)prefix_of(j, &g, g.all, &fold);
    if (iw_is_narrow(&j->operation))
      fold = iw_narrow_scalar_bits(j->spec.type, fold);
    fold = iw_load_scalar_bits(j->spec.type, &fold);
    IW_STEP(step, store_result(step, j, &fold, result));
  } else
    IW_STEP(step, store_empty(step, j, result));
  return iw_finish(step);
}

/* ---- Public calls ----------------------------------------------------------------------------------- */

static iw_status scan(iw_distributed *handle, const char *name, iw_op op, iw_type type, int exclusive, const void *in, size_t n,
                      void *out, const iw_scan_options *options)
{
  iw_step step;
  iw_scan_spec spec = { .op = op };
  scan_job j = { .n = 0 };
  IW_TRY(iw_step_begin(&step, handle, name));
  IW_STEP(&step, iw_make_scan_spec(op, type, exclusive, options, &spec));
  IW_STEP(&step, iw_check_no_runs(options, "scans"));
  if (step.status == IW_OK && spec.segments)
    return iw_scan_distributed_segments(&step, &spec, in, out, n);
  IW_STEP(&step, begin(&step, &j, &spec, in, out, n));
  IW_STEP(&step, check_scan(&j));
  IW_STEP(&step, iw_step_select(&step, in, n * j.in_size, out, n * j.size));
  IW_STEP(&step, read_init(&step, &j));
  step.record.own[0] = n;
  if (step.status != IW_OK)
    return iw_agree(&step);
  return j.restores_order ? ordered_scan(&step, &j) : associative_scan(&step, &j);
}

iw_status iw_distributed_inclusive_scan(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n, void *out,
                                        const iw_scan_options *options)
{
  return scan(handle, "iw_distributed_inclusive_scan", op, type, 0, in, n, out, options);
}

iw_status iw_distributed_exclusive_scan(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n, void *out,
                                        const iw_scan_options *options)
{
  return scan(handle, "iw_distributed_exclusive_scan", op, type, 1, in, n, out, options);
}

iw_status iw_distributed_reduce(iw_distributed *handle, iw_op op, iw_type type, const void *in, size_t n, void *results,
                                const iw_scan_options *options)
{
  iw_step step;
  iw_scan_spec spec = { .op = op };
  scan_job j = { .n = 0 };
  IW_TRY(iw_step_begin(&step, handle, "iw_distributed_reduce"));
  IW_STEP(&step, iw_make_scan_spec(op, type, 0, options, &spec));
  if (step.status == IW_OK && spec.segments)
    return iw_reduce_distributed_runs(&step, &spec, in, n, results, 0, NULL, options);
  IW_STEP(&step, iw_check_no_runs(options, "calls without segments"));
  IW_STEP(&step, begin(&step, &j, &spec, in, NULL, n));
  IW_STEP(&step, check_reduce(&j, results));
  IW_STEP(&step, iw_step_select(&step, in, n * j.in_size, NULL, 0));
  IW_STEP(&step, read_init(&step, &j));
  step.record.own[0] = n;
  if (step.status != IW_OK)
    return iw_agree(&step);
  return j.restores_order ? ordered_reduce(&step, &j, results) : associative_reduce(&step, &j, results);
}

/* ---- Argmin and argmax ------------------------------------------------------------------------------ */

static iw_status check_arg(iw_type type, const void *in, size_t n, const uint64_t *index, const void *value)
{
  const iw_array arrays[] = {
    { "in", in, n, iw_type_size(type), IW_READ, NULL }, { "indices", index, 1, sizeof *index, IW_WRITE | IW_SINGLE, NULL },
    { "values", value, 1, iw_type_size(type), IW_WRITE | IW_SINGLE | IW_OPTIONAL, NULL },
  };
  return iw_check_arrays(arrays, sizeof arrays / sizeof *arrays);
}

/* The first extremum of this rank's elements, for the agreement. */
static iw_status find_own(iw_step *step, iw_builtin_op op, iw_type type, const void *in, size_t n)
{
  size_t index = 0;
  iw_scalar_bits value = { .u64 = 0 };
  if (n)
    IW_TRY(iw_find_extremum(step->context, op, type, in, n, &index, &value));
  step->record.own[1] = value.u64;
  step->record.own[2] = index;
  return IW_OK;
}

/* The extremum of the ranks' extrema: the first rank that has it has its first index. */
static iw_status find_among_ranks(iw_step *step, iw_builtin_op op, iw_type type, uint64_t *index, void *value)
{
  iw_distributed *const d = step->handle;
  const size_t size = iw_type_size(type);
  size_t k = 0, found = 0;
  iw_scalar_bits extremum = { .u64 = 0 };
  for (unsigned r = 0; r < d->peers.count; r++)
    if (d->records[r].own[0])
      memcpy((char *)d->values + k++ * size, &d->records[r].own[1], size);
  IW_TRY(iw_find_extremum(step->context, op, type, d->values, k, &found, &extremum));
  uint64_t begin = 0;
  *index = 0;
  for (unsigned r = 0, which = 0; r < d->peers.count; begin += d->records[r++].own[0])
    if (d->records[r].own[0] && which++ == found)
      *index = begin + d->records[r].own[2];
  return value ? iw_memory_copy(d->context, value, &extremum, size) : IW_OK;
}

static iw_status arg_extremum(iw_distributed *handle, const char *name, iw_op op, iw_type type, const void *in, size_t n,
                              uint64_t *indices, void *values, const iw_scan_options *options)
{
  iw_step step;
  iw_scan_spec spec = { .op = op };
  iw_builtin_op builtin;
  IW_TRY(iw_step_begin(&step, handle, name));
  IW_STEP(&step, iw_make_find_spec(op, type, options, &spec));
  if (step.status == IW_OK && spec.segments)
    return iw_reduce_distributed_runs(&step, &spec, in, n, values, 1, indices, options);
  (void)iw_is_builtin(op, &builtin);
  IW_STEP(&step, iw_check_no_runs(options, "calls without segments"));
  IW_STEP(&step, check_arg(type, in, n, indices, values));
  IW_STEP(&step, iw_step_select(&step, in, n * iw_type_size(type), NULL, 0));
  IW_STEP(&step, find_own(&step, builtin, type, in, n));
  iw_step_word(&step, "whether there are segments", IW_WORD_NUMBER, 0);
  iw_step_word(&step, "type", IW_WORD_TYPE, type);
  step.record.own[0] = n;
  IW_TRY(iw_agree(&step));
  IW_STEP(&step, find_among_ranks(&step, builtin, type, indices, values));
  return iw_finish(&step);
}

iw_status iw_distributed_argmin(iw_distributed *handle, iw_type type, const void *in, size_t n, uint64_t *indices, void *values,
                                const iw_scan_options *options)
{
  return arg_extremum(handle, "iw_distributed_argmin", IW_MIN, type, in, n, indices, values, options);
}

iw_status iw_distributed_argmax(iw_distributed *handle, iw_type type, const void *in, size_t n, uint64_t *indices, void *values,
                                const iw_scan_options *options)
{
  return arg_extremum(handle, "iw_distributed_argmax", IW_MAX, type, in, n, indices, values, options);
}
