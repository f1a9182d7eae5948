/* SPDX-License-Identifier: Apache-2.0
 *
 * The groups of order 1 of a distributed array: which rank has which group, the exchange of heads, and the
 * groups' aggregates (groups.h). Algorithms layer.
 */
#include "algorithms/distributed/groups.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "algorithms/scan/scan.h"
#include "runtime/fp_environment.h"

/* Groups that one call of iw_reduce takes if the array is staged, whole. */
enum { GROUPS_PER_CALL = 512 };
#define GROUP ((uint64_t)IW_SCAN_GROUP)

/* The number of groups that begin in front of an index. */
static uint64_t groups_before(uint64_t index) { return index / GROUP + (index % GROUP != 0); }

uint64_t iw_groups_of(const iw_range *part)
{
  return groups_before(part->begin + part->n) - groups_before(part->begin);
}

static size_t head_of(const iw_range *part)
{
  const uint64_t to_border = groups_before(part->begin) * GROUP - part->begin;
  return (size_t)(part->n < to_border ? part->n : to_border);
}

/* Cuts this rank's part, and sets the handle's sizes for the exchange of heads. The owner of a head is the
 * last rank before that has a group. */
static void cut(iw_distributed *d, size_t size, iw_groups *g)
{
  const unsigned me = d->peers.rank, count = d->peers.count;
  const iw_range *const mine = &d->from[me];
  const uint64_t end = mine->begin + mine->n;
  g->own = iw_groups_of(mine);
  g->head = head_of(mine);
  g->tail = g->own ? (size_t)(end - (groups_before(end) - 1) * GROUP) : 0;
  g->received = 0;
  g->first = g->all = 0;
  for (unsigned r = 0, owner = 0; r < count; r++) {
    const iw_range *const part = &d->from[r];
    const size_t head = head_of(part);
    d->send_bytes[r] = d->send_offsets[r] = d->receive_bytes[r] = d->receive_offsets[r] = 0;
    if (head && r == me)
      d->send_bytes[owner] = head * size;
    if (head && owner == me) {
      d->receive_bytes[r] = head * size;
      d->receive_offsets[r] = (g->tail + g->received) * size;
      g->received += head;
    }
    if (iw_groups_of(part))
      owner = r;
    g->first += r < me ? iw_groups_of(part) : 0;
    g->all += iw_groups_of(part);
  }
  if (!g->received)
    g->tail = 0;
  g->body = (size_t)mine->n - g->head - g->tail;
}

/* Whether any rank has a head: all ranks agree on that, so they exchange heads or not. */
static int has_heads(const iw_distributed *d)
{
  for (unsigned r = 0; r < d->peers.count; r++)
    if (head_of(&d->from[r]))
      return 1;
  return 0;
}

/* Reduces the groups of an array that begins with one. A sum takes one call for many groups, as rows of a
 * matrix. */
iw_status iw_reduce_groups(iw_context *context, const iw_scan_spec *spec, iw_type wide, const char *in,
                           size_t n, char *results)
{
  const size_t in_size = iw_type_size(spec->in_type), size = iw_type_size(wide);
  const int by_rows = spec->op == IW_SUM;
  int in_place = context->device.reads_host_memory;
  const iw_array array = { "in", in, n, in_size, IW_READ, NULL };
  if (!in_place)
    IW_TRY(iw_is_on_device(context, &array, &in_place));
  const size_t most = in_place ? SIZE_MAX : GROUPS_PER_CALL; /* each call waits */
  while (n) {
    const size_t groups = n < IW_SCAN_GROUP ? 1 : by_rows ? iw_min(n / IW_SCAN_GROUP, most) : 1;
    const size_t elements = iw_min(n, groups * IW_SCAN_GROUP);
    iw_scan_spec part = *spec;
    iw_segments rows = { .size = sizeof rows, .kind = IW_SEGMENTS_ROWS, .columns = elements / groups };
    if (by_rows) {
      part.type = wide;
      part.segments = &rows;
      IW_TRY(iw_reduce_segments_by_spec(context, &part, in, elements, results));
    } else
      IW_TRY(iw_reduce_part(context, &part, in, elements, results));
    in += elements * in_size;
    results += groups * size;
    n -= elements;
  }
  return IW_OK;
}

iw_status iw_groups_reserve(iw_step *step, const iw_scan_spec *spec, const iw_operation *operation,
                            const void *in, void *out,
                            size_t n, iw_groups *g)
{
  const size_t in_size = iw_type_size(spec->in_type), size = iw_type_size(spec->type),
      head = iw_min(n, IW_SCAN_GROUP);
  iw_context *const c = step->context;
  *g = (iw_groups){ .wide = operation->wide };
  IW_TRY(iw_slot_memory(step, IW_SLOT_TAIL_IN, c, IW_SCAN_GROUP * in_size, &g->tail_in));
  g->forth = (iw_exchange){ .send = in, .receive = g->tail_in, .send_bytes = head * in_size,
                            .receive_bytes = IW_SCAN_GROUP * in_size };
  IW_TRY(iw_exchange_reserve(step, &g->forth));
  if (!out)
    return IW_OK;
  IW_TRY(iw_slot_memory(step, IW_SLOT_TAIL_OUT, c, IW_SCAN_GROUP * size, &g->tail_out));
  g->back = (iw_exchange){ .send = g->tail_out, .receive = out, .send_bytes = IW_SCAN_GROUP * size,
                           .receive_bytes = head * size };
  return iw_exchange_reserve(step, &g->back);
}

iw_status iw_groups_send(iw_step *step, const void *in, size_t size, iw_exchange *forth, iw_groups *g)
{
  iw_distributed *const d = step->handle;
  cut(d, size, g);
  forth->send = in;
  if (has_heads(d))
    IW_TRY(iw_exchange_run(step, forth, 1));
  if (g->received)
    IW_STEP(step, iw_memory_copy(step->context, forth->receive,
                                 (const char *)in + (g->head + g->body) * size, g->tail * size));
  return IW_OK;
}

iw_status iw_groups_memory(iw_step *step, iw_groups *g, void **own)
{
  void *all;
  const size_t size = iw_type_size(g->wide);
  IW_TRY(iw_slot_memory(step, IW_SLOT_WORDS, NULL, (size_t)g->own * size, own));
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, (size_t)g->all * size, &all));
  g->aggregates = all;
  return iw_gather_reserve(step, (size_t)g->own * size, (size_t)g->all * size);
}

iw_status iw_groups_gather(iw_step *step, const void *own, iw_groups *g)
{
  iw_distributed *const d = step->handle;
  for (unsigned r = 0; r < d->peers.count; r++)
    d->gather_bytes[r] = (size_t)iw_groups_of(&d->from[r]) * iw_type_size(g->wide);
  return iw_agree_and_gather(step, own, d->slots[IW_SLOT_GATHERED].memory);
}

/* Reduces this rank's groups into memory that it reserves. */
static iw_status reduce_own(iw_step *step, const iw_scan_spec *spec, const char *in, iw_groups *g,
                            void **own)
{
  IW_TRY(iw_groups_memory(step, g, own));
  const char *const body = in ? in + g->head * iw_type_size(spec->in_type) : NULL;
  IW_TRY(iw_reduce_groups(step->context, spec, g->wide, body, g->body, *own));
  return !g->received ? IW_OK
    : iw_reduce_groups(step->context, spec, g->wide, g->tail_in, g->tail + g->received,
                       (char *)*own + (g->own - 1) * iw_type_size(g->wide));
}

iw_status iw_groups_reduce(iw_step *step, const iw_scan_spec *spec, const void *in, iw_groups *g)
{
  void *own = NULL;
  IW_TRY(iw_groups_send(step, in, iw_type_size(spec->in_type), &g->forth, g));
  IW_STEP(step, reduce_own(step, spec, in, g, &own));
  return iw_groups_gather(step, own, g);
}

/* Not inlined: compilers move floating-point operations out of the default environment (fp_environment.h). */
static IW_NOINLINE iw_scalar_bits fold(const char *aggregates, iw_type wide, iw_builtin_op op,
                                       iw_scalar_bits init, uint64_t count)
{
  const int is_sum = op == IW_BUILTIN_SUM;
  if (wide == IW_F32) {
    const float *const x = (const float *)(const void *)aggregates;
    for (uint64_t k = 0; k < count; k++)
      init.f32 = is_sum ? init.f32 + x[k] : init.f32 * x[k];
  } else {
    const double *const x = (const double *)(const void *)aggregates;
    for (uint64_t k = 0; k < count; k++)
      init.f64 = is_sum ? init.f64 + x[k] : init.f64 * x[k];
  }
  return init;
}

iw_scalar_bits iw_fold_groups(const iw_groups *g, iw_builtin_op op, iw_scalar_bits init, uint64_t first,
                              uint64_t count)
{
  iw_fp_env callers;
  iw_fp_env_set_default(&callers);
  const iw_scalar_bits bits = fold(g->aggregates + first * iw_type_size(g->wide), g->wide, op, init, count);
  iw_fp_env_restore(&callers);
  return iw_load_scalar_bits(g->wide, &bits);
}

iw_status iw_groups_send_back(iw_step *step, size_t size, const iw_groups *g)
{
  iw_distributed *const d = step->handle;
  iw_groups same;
  if (!has_heads(d))
    return IW_OK;
  cut(d, size, &same);
  for (unsigned r = 0; r < d->peers.count; r++) { /* what was received is sent, from where it was put */
    const size_t bytes = d->send_bytes[r], offset = d->send_offsets[r];
    d->send_bytes[r] = d->receive_bytes[r];
    d->send_offsets[r] = d->receive_offsets[r];
    d->receive_bytes[r] = bytes;
    d->receive_offsets[r] = offset;
  }
  return iw_exchange_run(step, &g->back, 1);
}
