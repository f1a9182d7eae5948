/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans of segments that extend over ranks. In front of a rank's first head its outputs are those of a
 * plain scan, whose init is the carry: the sum of the segment's elements on ranks before. Outputs from the
 * first head on do not depend on the elements before it. Sums of floats follow order 1 over global indices
 * (groups.h): the aggregate of a group with a head is the last output of a scan of it, and a fold of
 * aggregates begins anew there. Algorithms layer.
 */
#include "algorithms/distributed/segments.h"
#include "algorithms/distributed/groups.h"
#include "algorithms/distributed/labels.h"
#include "algorithms/scan/operation.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "algorithms/scan/scan.h"

/* Own words of a rank's record. LAST_HEAD: the number of the rank's last group with a head, from 1; 0:
 * there is none. */
enum { LENGTH, FIRST_LABEL, LAST_LABEL, AGGREGATE, LAST_HEAD, HAS_HEAD = LAST_HEAD };

typedef struct segment_job {
  iw_scan_spec spec;      /* its init is NULL, its segments are `segments` */
  iw_segments segments;
  iw_operation operation;
  iw_labels labels;
  const char *in;
  char *out;
  size_t n, size;
  int restores_order, has_init;
  iw_scalar_bits init;
} segment_job;

/* A piece that is scanned: it begins with a group if order 1 matters. */
typedef struct piece { const char *in, *labels; char *out; size_t n; iw_heads heads; } piece;

/* ---- Arguments -------------------------------------------------------------------------------------- */

/* Checks the spec by a call without elements, and the arrays. */
static iw_status begin(iw_step *step, segment_job *j, const iw_scan_spec *spec, const void *in, void *out,
                       size_t n)
{
  iw_builtin_op op;
  if (spec->segments->kind != IW_SEGMENTS_FLAGS && spec->segments->kind != IW_SEGMENTS_KEYS)
    return iw_fail(IW_ERROR_INVALID,
                   "segments->kind is %d; of distributed arrays IW_SEGMENTS_FLAGS (0) and IW_SEGMENTS_KEYS (1) are "
                   "scanned", (int)spec->segments->kind);
  IW_TRY(iw_scan_by_spec(step->context, spec, NULL, 0, NULL));
  IW_TRY(iw_check_operator_of_scanned_heads(spec->op, &op));
  *j = (segment_job){ .spec = *spec, .segments = *spec->segments, .in = in, .out = out, .n = n };
  j->size = iw_type_size(spec->type);
  j->operation = iw_operation_of(op, spec->type, spec->type);
  j->restores_order = op == IW_BUILTIN_SUM && (j->operation.wide == IW_F32 || j->operation.wide == IW_F64);
  const int is_flags = j->segments.kind == IW_SEGMENTS_FLAGS;
  j->labels = (iw_labels){ is_flags ? j->segments.flags : j->segments.keys, is_flags ? 1
                           : iw_type_size(j->segments.key_type),
                           is_flags ? IW_U8 : j->segments.key_type, is_flags };
  const size_t bytes = n * j->size, label_bytes = n * j->labels.size;
  IW_TRY(iw_check_array("in", in, n, j->size));
  IW_TRY(iw_check_array("out", out, n, j->size));
  IW_TRY(iw_check_array(is_flags ? "segments->flags" : "segments->keys", j->labels.at, n, j->labels.size));
  IW_TRY(iw_check_no_partial_overlap("in", in, bytes, "out", out, bytes));
  IW_TRY(iw_check_no_overlap(is_flags ? "segments->flags" : "segments->keys", j->labels.at, label_bytes, "out", out, bytes));
  IW_TRY(iw_check_init_of_scan(spec->init, j->size, out, bytes));
  iw_step_word(step, "whether there are segments", IW_WORD_NUMBER, 1);
  iw_step_word(step, "op", IW_WORD_NUMBER, (uint64_t)(uintptr_t)spec->op);
  iw_step_word(step, "type", IW_WORD_TYPE, spec->type);
  iw_step_word(step, "exclusive", IW_WORD_NUMBER, spec->exclusive != 0);
  iw_step_word(step, "whether segments are by flags", IW_WORD_NUMBER, (uint64_t)is_flags);
  iw_step_word(step, "key_type", IW_WORD_TYPE, j->labels.key_type);
  return IW_OK;
}

static iw_status read_init(iw_step *step, segment_job *j)
{
  iw_scalar_bits bits = { .u64 = 0 };
  j->has_init = j->spec.init != NULL;
  if (j->has_init)
    IW_TRY(iw_memory_copy(step->handle->context, &bits, j->spec.init, j->size));
  j->init = iw_load_scalar_bits(j->spec.type, &bits);
  j->spec.init = NULL;
  iw_step_word(step, "whether there is an init", IW_WORD_NUMBER, (uint64_t)j->has_init);
  iw_step_word(step, "init", IW_WORD_HEX, j->init.u64);
  step->record.own[LENGTH] = j->n;
  return iw_read_labels(step, &j->labels, j->n, FIRST_LABEL, LAST_LABEL);
}

/* ---- Pieces ----------------------------------------------------------------------------------------- */

/* Scans segments of this type; the first element is a head. */
static iw_status scan_segments(iw_step *step, const segment_job *j, iw_type type, const void *in,
                               const char *labels, void *out, size_t n,
                               int exclusive, const iw_scalar_bits *init)
{
  iw_segments segments = j->segments;
  if (j->labels.is_flags)
    segments.flags = (const uint8_t *)labels;
  else
    segments.keys = labels;
  segments.size = sizeof segments;
  const iw_scan_spec spec = { .op = j->spec.op, .in_type = type, .type = type,
                              .exclusive = exclusive,
                              .init = j->has_init ? init : NULL, .segments = &segments };
  return iw_scan_by_spec(step->context, &spec, in, n, out);
}

/* Scans what is in front of the first head. carry: of spec.type, or if order 1 matters of the type that is
 * combined in. */
static iw_status scan_front(iw_step *step, const segment_job *j, const piece *p, const iw_scalar_bits *carry)
{
  iw_scan_spec spec = j->spec;
  spec.segments = NULL;
  if (j->restores_order)
    return iw_scan_part(step->context, &spec, p->in, p->out, p->heads.first, carry);
  spec.init = carry;
  return iw_scan_by_spec(step->context, &spec, p->in, p->heads.first, p->out);
}

/* Scans a piece. The segments are scanned from the group on that has the first head; the outputs of a plain
 * scan in that group are saved, as this overwrites them. */
static iw_status scan_piece(iw_step *step, const segment_job *j, const piece *p, const iw_scalar_bits *carry)
{
  const size_t first = p->heads.first, from = first / IW_SCAN_GROUP * IW_SCAN_GROUP,
      saved_bytes = (first - from) * j->size;
  void *saved = NULL;
  if (first)
    IW_TRY(scan_front(step, j, p, carry));
  if (first == p->n)
    return IW_OK;
  if (saved_bytes) {
    IW_TRY(iw_slot_memory(step, IW_SLOT_GROUP, step->context, saved_bytes, &saved));
    IW_TRY(iw_memory_copy(step->context, saved, p->out + from * j->size, saved_bytes));
  }
  IW_TRY(scan_segments(step, j, j->spec.type, p->in + from * j->size, p->labels + from * j->labels.size,
                       p->out + from * j->size,
                       p->n - from, j->spec.exclusive, &j->init));
  return saved_bytes ? iw_memory_copy(step->context, p->out + from * j->size, saved, saved_bytes) : IW_OK;
}

/* ---- Associative operations ------------------------------------------------------------------------- */

/* The fold of the elements from the last head on, or of all if there is none, for the agreement. */
static iw_status reduce_own(iw_step *step, const segment_job *j, piece *p)
{
  iw_scalar_bits aggregate = { .u64 = 0 };
  IW_TRY(iw_find_heads(step, &j->labels, j->n, iw_begins_segment(step, &j->labels, FIRST_LABEL, LAST_LABEL),
                       &p->heads));
  const int has_head = p->heads.last < j->n;
  const size_t from = has_head ? p->heads.last : 0;
  if (j->n)
    IW_TRY(iw_reduce_array(step->context, &(iw_scan_spec){
      .op = j->spec.op, .in_type = j->spec.type, .type = j->spec.type, .init = has_head && j->has_init ? &j->init : NULL,
    }, j->in + from * j->size, j->n - from, &aggregate));
  step->record.own[AGGREGATE] = aggregate.u64;
  step->record.own[HAS_HEAD] = (uint64_t)has_head;
  return IW_OK;
}

static iw_status fold_carry(iw_step *step, const segment_job *j, iw_scalar_bits *carry)
{
  iw_distributed *const d = step->handle;
  char *const values = (char *)d->values;
  size_t k = 0;
  for (unsigned r = 0; r < d->peers.rank; r++) {
    const uint64_t *const own = d->records[r].own;
    if (own[HAS_HEAD])
      k = 0;
    if (own[LENGTH])
      memcpy(values + k++ * j->size, &own[AGGREGATE], j->size);
  }
  carry->u64 = 0;
  return k ? iw_reduce_by_op(step->context, j->spec.op, j->spec.type, values, k, carry) : IW_OK;
}

static iw_status scan_associative(iw_step *step, const segment_job *j)
{
  piece p = { j->in, j->labels.at, j->out, j->n, { 0, 0 } };
  iw_scalar_bits carry;
  IW_TRY(iw_agree(step));
  IW_STEP(step, reduce_own(step, j, &p));
  IW_TRY(iw_agree(step));
  IW_STEP(step, fold_carry(step, j, &carry));
  IW_STEP(step, scan_piece(step, j, &p, &carry));
  return iw_finish(step);
}

/* ---- Order 1 ---------------------------------------------------------------------------------------- */

/* The aggregate of a group with a head, of the type that is combined in: the last output of a scan of it.
 * The group's first element may be taken for a head, as the last one does not depend on it. */
static iw_status reduce_group_with_head(iw_step *step, const segment_job *j, const char *in,
                                        const char *labels, size_t n, char *result)
{
  const iw_type wide = j->operation.wide;
  const size_t size = iw_type_size(wide);
  const int is_narrow = iw_is_narrow(&j->operation);
  void *memory;
  IW_TRY(iw_slot_memory(step, IW_SLOT_GROUP, step->context, 2 * IW_SCAN_GROUP * size, &memory));
  char *const converted = memory, *const out = converted + IW_SCAN_GROUP * size;
  if (is_narrow) { /* sums of one element each are the elements in the wider type */
    const iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = 1 };
    const iw_scan_spec convert = { .op = IW_SUM, .in_type = j->spec.type,
                                   .type = wide, .segments = &rows };
    IW_TRY(iw_reduce_segments_by_spec(step->context, &convert, in, n, converted));
    in = converted;
  }
  const iw_scalar_bits init = is_narrow ? iw_widen_scalar_bits(j->spec.type, j->init) : j->init;
  IW_TRY(scan_segments(step, j, wide, in, labels, out, n, 0, &init));
  return iw_memory_copy(step->context, result, out + (n - 1) * size, size);
}

/* Whether element i of this rank is a head. */
static iw_status is_head(iw_step *step, const segment_job *j, size_t i, int *head)
{
  const iw_labels *const l = &j->labels;
  const char *const at = (const char *)l->at + i * l->size;
  uint64_t here = 0, before = 0;
  *head = 1;
  if (i == 0) {
    *head = iw_begins_segment(step, l, FIRST_LABEL, LAST_LABEL);
    return IW_OK;
  }
  IW_TRY(iw_memory_copy(step->handle->context, &here, at, l->size));
  if (!l->is_flags)
    IW_TRY(iw_memory_copy(step->handle->context, &before, at - l->size, l->size));
  *head = here != before;
  return IW_OK;
}

/* Finds the heads of a piece, which begins with element i of this rank. */
static iw_status find_heads(iw_step *step, const segment_job *j, size_t i, piece *p)
{
  iw_labels labels = j->labels;
  int head;
  if (!p->n)
    return IW_OK;
  labels.at = p->labels;
  IW_TRY(is_head(step, j, i, &head));
  return iw_find_heads(step, &labels, p->n, head, &p->heads);
}

/* Reduces the groups of the body from the last one with a head on; those in front of it are not used. */
static iw_status reduce_body(iw_step *step, const segment_job *j, const piece *p, char *own)
{
  const iw_type wide = j->operation.wide;
  const size_t size = iw_type_size(wide);
  size_t from = 0;
  iw_scan_spec whole = j->spec;
  whole.segments = NULL;
  if (p->heads.last < p->n) {
    const size_t group = p->heads.last / IW_SCAN_GROUP;
    from = group * IW_SCAN_GROUP;
    memset(own, 0, group * size);
    const size_t n = iw_min(p->n - from, IW_SCAN_GROUP);
    IW_TRY(reduce_group_with_head(step, j, p->in + from * j->size, p->labels + from * j->labels.size, n,
                                  own + group * size));
    from += n;
    step->record.own[LAST_HEAD] = group + 1;
  }
  return iw_reduce_groups(step->context, &whole, wide, p->in + from * j->size, p->n - from,
                          own + iw_ceil_div(from, IW_SCAN_GROUP) * size);
}

static iw_status reduce_tail(iw_step *step, const segment_job *j, const iw_groups *g, const piece *p,
                             char *own)
{
  iw_scan_spec whole = j->spec;
  char *const last = own + (g->own - 1) * iw_type_size(g->wide);
  whole.segments = NULL;
  if (p->heads.last == p->n)
    return iw_reduce_groups(step->context, &whole, g->wide, p->in, p->n, last);
  step->record.own[LAST_HEAD] = g->own;
  return reduce_group_with_head(step, j, p->in, p->labels, p->n, last);
}

/* Finds the heads of body and tail, and reduces this rank's groups. */
static iw_status reduce_groups(iw_step *step, const segment_job *j, iw_groups *g, piece *body, piece *tail,
                               void **own)
{
  IW_TRY(iw_groups_memory(step, g, own));
  step->record.own[LAST_HEAD] = 0;
  IW_TRY(find_heads(step, j, g->head, body));
  IW_TRY(find_heads(step, j, j->n - g->tail, tail));
  if (body->n)
    IW_TRY(reduce_body(step, j, body, *own));
  return tail->n ? reduce_tail(step, j, g, tail, *own) : IW_OK;
}

/* The carry in front of this rank's group `group`: the fold of the aggregates from the last group with a
 * head on. last_head: that of this rank's groups in front of it, as LAST_HEAD. */
static iw_scalar_bits carry_of(const iw_step *step, const iw_groups *g, uint64_t group, uint64_t last_head)
{
  const iw_distributed *const d = step->handle;
  const uint64_t end = g->first + group;
  uint64_t first = 0, begin = 0;
  for (unsigned r = 0; r <= d->peers.rank; begin += iw_groups_of(&d->from[r++])) {
    const uint64_t last = r < d->peers.rank ? d->records[r].own[LAST_HEAD] : last_head;
    if (last)
      first = begin + last - 1;
  }
  return iw_fold_groups(g, IW_BUILTIN_SUM, iw_identity_of(IW_BUILTIN_SUM, g->wide), first, end - first);
}

static iw_status scan_groups(iw_step *step, const segment_job *j, const iw_groups *g, const piece *body,
                             const piece *tail)
{
  iw_scalar_bits carry = carry_of(step, g, 0, 0);
  if (body->n)
    IW_TRY(scan_piece(step, j, body, &carry));
  if (!tail->n)
    return IW_OK;
  const uint64_t last_head = body->n && body->heads.last < body->n ? body->heads.last / IW_SCAN_GROUP + 1
      : 0;
  carry = carry_of(step, g, g->own - 1, last_head);
  IW_TRY(scan_piece(step, j, tail, &carry));
  return iw_memory_copy(step->context, j->out + (j->n - g->tail) * j->size, tail->out, g->tail * j->size);
}

/* Reserves memory for the labels of a group that is on several ranks. */
static iw_status reserve_labels(iw_step *step, const segment_job *j, iw_exchange *forth)
{
  void *memory;
  const size_t size = j->labels.size;
  IW_TRY(iw_slot_memory(step, IW_SLOT_TAIL_LABELS, step->context, IW_SCAN_GROUP * size, &memory));
  *forth = (iw_exchange){ .send = j->labels.at, .receive = memory,
                          .send_bytes = iw_min(j->n, IW_SCAN_GROUP) * size,
                          .receive_bytes = IW_SCAN_GROUP * size };
  return iw_exchange_reserve(step, forth);
}

static iw_status scan_ordered(iw_step *step, const segment_job *j)
{
  iw_groups g = { .own = 0 };
  iw_exchange labels = { .send = NULL };
  void *own = NULL;
  IW_STEP(step, iw_groups_reserve(step, &j->spec, &j->operation, j->in, j->out, j->n, &g));
  IW_STEP(step, reserve_labels(step, j, &labels));
  IW_TRY(iw_agree(step));
  (void)iw_ranges_of(step, LENGTH, step->handle->from);
  IW_TRY(iw_groups_send(step, j->labels.at, j->labels.size, &labels, &g));
  IW_TRY(iw_groups_send(step, j->in, j->size, &g.forth, &g));
  const char *const label = j->labels.at;
  piece body = { NULL, NULL, NULL, g.body, { 0, 0 } };
  if (g.body)
    body = (piece){ j->in + g.head * j->size, label + g.head * j->labels.size, j->out + g.head * j->size,
                    g.body, { 0, 0 } };
  piece tail = { g.tail_in, labels.receive, g.tail_out, g.received ? g.tail + g.received : 0, { 0, 0 } };
  IW_STEP(step, reduce_groups(step, j, &g, &body, &tail, &own));
  IW_TRY(iw_groups_gather(step, own, &g));
  IW_STEP(step, scan_groups(step, j, &g, &body, &tail));
  IW_TRY(iw_groups_send_back(step, j->size, &g));
  return iw_finish(step);
}

iw_status iw_scan_distributed_segments(iw_step *step, const iw_scan_spec *spec, const void *in, void *out,
                                       size_t n)
{
  segment_job j = { .n = 0 };
  IW_STEP(step, begin(step, &j, spec, in, out, n));
  j.spec.segments = NULL;
  IW_STEP(step, iw_step_select(step, in, n * j.size, out, n * j.size));
  IW_STEP(step, read_init(step, &j));
  if (step->status != IW_OK)
    return iw_agree(step);
  return j.restores_order ? scan_ordered(step, &j) : scan_associative(step, &j);
}
