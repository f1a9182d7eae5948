/* SPDX-License-Identifier: Apache-2.0
 *
 * Collectives of host and device memory over peers that reach only one of them, the memory that a handle
 * keeps, and the plan of moves between ranks. Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"
#include "runtime/staging.h"

#include <stdlib.h>

/* ---- Memory ----------------------------------------------------------------------------------------- */

static void release(iw_slot *slot)
{
  if (slot->memory && slot->context)
    slot->context->ops->release(slot->context, slot->memory);
  else
    free(slot->memory);
  slot->memory = NULL;
}

iw_status iw_slot_memory(iw_step *step, iw_slot_name slot, iw_context *context, size_t bytes, void **memory)
{
  iw_slot *const s = &step->handle->slots[slot];
  *memory = s->memory;
  if (s->memory && s->context == context && s->bytes >= bytes)
    return IW_OK;
  /* The next agreement needs the memory of records, also if there is no more. Other slots may be large, so
   * they are freed first. */
  iw_slot old = *s;
  if (slot != IW_SLOT_RECORDS)
    release(&old);
  *s = slot == IW_SLOT_RECORDS ? old : (iw_slot){ NULL, 0, context };
  *memory = NULL;
  bytes = iw_max(bytes, 64);
  void *made = NULL;
  if (context)
    IW_TRY(context->ops->allocate(context, bytes, &made));
  else if (!(made = bytes <= PTRDIFF_MAX ? malloc(bytes) : NULL))
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
  release(&old);
  *s = (iw_slot){ made, bytes, context };
  *memory = made;
  return IW_OK;
}

iw_status iw_step_select(iw_step *step, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  const iw_array arrays[] = { { "in", a, a_bytes, 1, IW_READ, NULL }, { "out", b, b_bytes, 1, IW_WRITE, NULL } };
  return iw_select_context(&step->context, arrays, 2);
}

/* ---- Calls of the peers ----------------------------------------------------------------------------- */

/* A function of the peers has failed: the ranks may be out of step, so the handle is not used again. What
 * this rank's device still does with the caller's arrays is waited for. */
static iw_status fail_collective(iw_step *step, const char *function, iw_status status)
{
  const iw_peers *const peers = &step->handle->peers;
  step->handle->failed = 1;
  iw_exchange_join(step);
  (void)iw_step_note(step, iw_context_synchronize(step->context));
  return iw_fail(status, "%s: %s of the peers has failed: %s", step->name, function,
                 peers->describe ? peers->describe(peers->self) : "no reason is known");
}

/* The stream for a collective of device memory: NULL after it was synchronized, for peers that do not use
 * it. */
static void *stream_for_peers(iw_step *step, iw_context *context)
{
  if (step->handle->peers.flags & IW_PEERS_STREAM)
    return context->ops->stream ? context->ops->stream(context) : NULL;
  iw_step_note(step, context->ops->synchronize(context));
  return NULL;
}

/* The same for an exchange. */
static void *stream_of_exchange(iw_step *step, const iw_exchange *x)
{
  iw_context *const device = step->handle->exchange_device;
  const int forks = step->status == IW_OK && x->beside && !x->stages_send && !x->stages_receive && device->ops->fork && step->handle->peers.flags & IW_PEERS_STREAM;
  void *stream;
  if (forks && iw_step_note(step, device->ops->fork(device, &stream)))
    return stream;
  return stream_for_peers(step, device);
}

void iw_exchange_join(iw_step *step)
{
  iw_context *const device = step->handle->exchange_device;
  if (device && device->ops->join)
    (void)iw_step_note(step, device->ops->join(device));
}

static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

iw_status iw_gather_reserve(iw_step *step, size_t own_bytes, size_t all_bytes)
{
  void *memory;
  iw_context *const device = step->handle->device;
  return device ? iw_slot_memory(step, IW_SLOT_RECORDS, device, rounded(own_bytes) + all_bytes, &memory)
      : IW_OK;
}

iw_status iw_gather(iw_step *step, const void *send, void *receive)
{
  iw_distributed *const d = step->handle;
  const iw_peers *const peers = &d->peers;
  iw_context *const device = d->device;
  size_t all = 0;
  for (unsigned r = 0; r < peers->count; r++)
    all += d->receive_bytes[r];
  if (!device) {
    const iw_status status = peers->all_gather(peers->self, send, receive, d->receive_bytes, NULL);
    return status == IW_OK ? IW_OK : fail_collective(step, "all_gather", status);
  }
  const size_t own = d->receive_bytes[peers->rank];
  char *const staged = d->slots[IW_SLOT_RECORDS].memory, *const gathered = staged + rounded(own);
  if (own)
    iw_step_note(step, device->ops->copy(device, staged, send, own));
  const iw_status status = peers->all_gather(peers->self, staged, gathered, d->receive_bytes,
                                             stream_for_peers(step, device));
  if (status != IW_OK)
    return fail_collective(step, "all_gather", status);
  const iw_status copied = all ? device->ops->copy(device, receive, gathered, all) : IW_OK;
  /* Without the records a rank does not know what the others do next. */
  return copied == IW_OK ? IW_OK : fail_collective(step, "the copy behind all_gather", copied);
}

iw_status iw_all_reduce_reserve(iw_step *step, size_t n)
{
  return iw_gather_reserve(step, 0, n * sizeof(uint64_t));
}

iw_status iw_all_reduce(iw_step *step, uint64_t *values, size_t n)
{
  iw_distributed *const d = step->handle;
  iw_context *const device = d->device;
  uint64_t *const used = device ? d->slots[IW_SLOT_RECORDS].memory : values;
  if (device && n)
    iw_step_note(step, device->ops->copy(device, used, values, n * sizeof *values));
  void *const stream = device ? stream_for_peers(step, device) : NULL;
  const iw_status status = d->peers.all_reduce_u64(d->peers.self, used, n, stream);
  if (status != IW_OK)
    return fail_collective(step, "all_reduce_u64", status);
  if (device && n)
    iw_step_note(step, device->ops->copy(device, values, used, n * sizeof *values));
  return IW_OK;
}

/* ---- All-to-all of arrays --------------------------------------------------------------------------- */

static iw_status is_on_device(iw_step *step, const char *name, const void *at, size_t bytes, int *there)
{
  const iw_array array = { name, at, bytes, 1, IW_READ, NULL };
  return iw_is_on_device(step->context, &array, there);
}

/* The peers get device memory, or host memory, on all ranks, wherever a rank's arrays are: peers may send
 * the two by different ways, which would not meet. */
iw_status iw_exchange_reserve(iw_step *step, iw_exchange *x)
{
  iw_distributed *const d = step->handle;
  int sends_device, receives_device;
  void *memory;
  IW_TRY(is_on_device(step, "in", x->send, x->send_bytes, &sends_device));
  IW_TRY(is_on_device(step, "out", x->receive, x->receive_bytes, &receives_device));
  x->on_device = d->exchange_device != NULL;
  x->stages_send = x->send_bytes && sends_device != x->on_device;
  x->stages_receive = x->receive_bytes && receives_device != x->on_device;
  if (x->stages_send)
    IW_TRY(iw_slot_memory(step, IW_SLOT_STAGED_SEND, d->exchange_device, x->send_bytes, &memory));
  return x->stages_receive ? iw_slot_memory(step, IW_SLOT_STAGED_RECEIVE, d->exchange_device, x->receive_bytes,
                                            &memory) : IW_OK;
}

iw_status iw_exchange_run(iw_step *step, const iw_exchange *x, unsigned messages)
{
  iw_distributed *const d = step->handle;
  iw_context *const c = step->context;
  const size_t all = (size_t)messages * d->peers.count;
  const void *const send = x->stages_send ? d->slots[IW_SLOT_STAGED_SEND].memory : x->send;
  void *const receive = x->stages_receive ? d->slots[IW_SLOT_STAGED_RECEIVE].memory : x->receive;
  for (size_t k = 0; k < all && x->stages_send; k++)
    if (d->send_bytes[k])
      iw_step_note(step, c->ops->copy(c, (char *)(uintptr_t)send + d->send_offsets[k],
                                      (const char *)x->send + d->send_offsets[k], d->send_bytes[k]));
  void *const stream = x->on_device ? stream_of_exchange(step, x) : NULL;
  const iw_all_to_all moved = { .messages = messages, .send = send, .send_bytes = d->send_bytes, .send_offsets = d->send_offsets,
                                .receive = receive, .receive_bytes = d->receive_bytes, .receive_offsets = d->receive_offsets };
  const iw_status status = d->peers.all_to_all(d->peers.self, &moved, stream);
  if (status != IW_OK)
    return fail_collective(step, "all_to_all", status);
  for (size_t k = 0; k < all && x->stages_receive; k++)
    if (d->receive_bytes[k])
      iw_step_note(step, c->ops->copy(c, (char *)x->receive + d->receive_offsets[k],
                                      (const char *)receive + d->receive_offsets[k], d->receive_bytes[k]));
  return IW_OK;
}

uint64_t iw_range_overlap(const iw_range *a, const iw_range *b, uint64_t *begin)
{
  const uint64_t first = a->begin > b->begin ? a->begin : b->begin;
  const uint64_t a_end = a->begin + a->n, b_end = b->begin + b->n, end = a_end < b_end ? a_end : b_end;
  *begin = first;
  return end > first ? end - first : 0;
}

void iw_plan_moves(iw_distributed *d, size_t size, size_t send_offset)
{
  const iw_range *const mine = &d->from[d->peers.rank], *const wanted = &d->to[d->peers.rank];
  for (unsigned r = 0; r < d->peers.count; r++) {
    uint64_t begin;
    const uint64_t sent = iw_range_overlap(mine, &d->to[r], &begin);
    d->send_bytes[r] = (size_t)sent * size;
    d->send_offsets[r] = sent ? send_offset + (size_t)(begin - mine->begin) * size : 0;
    const uint64_t received = iw_range_overlap(&d->from[r], wanted, &begin);
    d->receive_bytes[r] = (size_t)received * size;
    d->receive_offsets[r] = received ? (size_t)(begin - wanted->begin) * size : 0;
  }
}
