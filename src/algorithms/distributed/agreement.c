/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles, and agreements: in each all ranks learn whether one of them has failed, and whether they were
 * given the same arguments. Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Agreements ------------------------------------------------------------------------------------- */

/* Sends the message of one rank to all, and fails with it on the others. */
static iw_status fail_with_peer(iw_step *step, unsigned failed)
{
  iw_distributed *const d = step->handle;
  char text[IW_MESSAGE_BYTES] = "";
  for (unsigned r = 0; r < d->peers.count; r++)
    d->receive_bytes[r] = r == failed ? sizeof text : 0;
  const iw_status theirs = (iw_status)d->records[failed].status;
  IW_TRY(iw_gather(step, step->message, text));
  text[sizeof text - 1] = 0;
  if (step->record.status != IW_OK)
    return iw_fail((iw_status)step->record.status, "%s", step->message);
  return iw_fail(IW_ERROR_PEER, "%s: rank %u: %s: %s", step->name, failed, iw_status_name(theirs), text);
}

static void write_word(char *text, size_t size, iw_word_form form, uint64_t word)
{
  if (form == IW_WORD_TYPE)
    iw_format(text, size, "%s", iw_type_name((iw_type)word));
  else
    iw_format(text, size, form == IW_WORD_NUMBER ? "%" PRIu64 : "0x%" PRIx64, word);
}

static iw_status fail_mismatch(const iw_step *step, unsigned word, unsigned rank)
{
  char first[24], other[24];
  if (step->forms[word] == IW_WORD_HASH)
    return iw_fail(IW_ERROR_MISMATCH, "%s: %s of rank 0 and of rank %u differ", step->name,
                   step->names[word], rank);
  write_word(first, sizeof first, step->forms[word], step->handle->records[0].agreed[word]);
  write_word(other, sizeof other, step->forms[word], step->handle->records[rank].agreed[word]);
  return iw_fail(IW_ERROR_MISMATCH, "%s: %s is %s on rank 0 and %s on rank %u", step->name,
                 step->names[word], first, other,
                 rank);
}

/* Completes this rank's record for an agreement. */
static void begin_agreement(iw_step *step)
{
  step->record.call++;
  step->record.status = (uint64_t)step->status;
}

/* Draws the conclusion of all records. */
static iw_status conclude(iw_step *step)
{
  iw_distributed *const d = step->handle;
  const iw_record *const records = d->records;
  const unsigned count = d->peers.count;
  step->record.status = (uint64_t)step->status; /* the all-gather itself may have failed on this rank */
  for (unsigned r = 1; r < count; r++)
    if (records[r].call != records[0].call)
      return iw_fail(IW_ERROR_MISMATCH, "rank 0 and rank %u make different calls; rank %u makes %s", r,
                     d->peers.rank, step->name);
  for (unsigned r = 0; r < count; r++)
    if (records[r].status != IW_OK)
      return fail_with_peer(step, r);
  for (unsigned word = 0; word < step->words; word++)
    for (unsigned r = 1; r < count; r++)
      if (records[r].agreed[word] != records[0].agreed[word])
        return fail_mismatch(step, word, r);
  return IW_OK;
}

iw_status iw_agree(iw_step *step)
{
  iw_distributed *const d = step->handle;
  begin_agreement(step);
  for (unsigned r = 0; r < d->peers.count; r++)
    d->receive_bytes[r] = sizeof *d->records;
  IW_TRY(iw_gather(step, &step->record, d->records));
  return conclude(step);
}

iw_status iw_finish(iw_step *step)
{
  (void)iw_step_note(step, iw_context_synchronize(step->context)); /* also after a failure */
  return iw_agree(step);
}

/* Copies what the records in d->messages carry to `receive`. */
static void unpack_carried(const iw_distributed *d, char *receive)
{
  const char *at = d->messages;
  for (unsigned r = 0; r < d->peers.count; r++) {
    const size_t bytes = d->gather_bytes[r];
    at += sizeof(iw_record);
    if (bytes)
      memcpy(receive, at, bytes);
    receive += bytes;
    at += bytes;
  }
}

/* The agreement and the all-gather of a small array: each record is followed by its rank's bytes. */
static iw_status agree_and_carry(iw_step *step, const void *send, void *receive)
{
  iw_distributed *const d = step->handle;
  const size_t own = d->gather_bytes[d->peers.rank];
  const char *at = d->messages;
  begin_agreement(step);
  memcpy(d->own_message, &step->record, sizeof step->record);
  if (own && step->status == IW_OK)
    memcpy(d->own_message + sizeof step->record, send, own);
  for (unsigned r = 0; r < d->peers.count; r++)
    d->receive_bytes[r] = sizeof *d->records + d->gather_bytes[r];
  IW_TRY(iw_gather(step, d->own_message, d->messages));
  for (unsigned r = 0; r < d->peers.count; r++) {
    memcpy(&d->records[r], at, sizeof *d->records);
    at += sizeof *d->records + d->gather_bytes[r];
  }
  IW_TRY(conclude(step));
  unpack_carried(d, receive);
  return IW_OK;
}

iw_status iw_agree_and_gather(iw_step *step, const void *send, void *receive)
{
  iw_distributed *const d = step->handle;
  size_t all = 0;
  for (unsigned r = 0; r < d->peers.count; r++)
    all += d->gather_bytes[r];
  if (all <= IW_CARRIED_BYTES)
    return agree_and_carry(step, send, receive);
  IW_TRY(iw_agree(step));
  memcpy(d->receive_bytes, d->gather_bytes, d->peers.count * sizeof *d->gather_bytes);
  return iw_gather(step, send, receive);
}

uint64_t iw_ranges_of(const iw_step *step, unsigned word, iw_range *ranges)
{
  uint64_t begin = 0;
  for (unsigned r = 0; r < step->handle->peers.count; r++) {
    ranges[r] = (iw_range){ begin, step->handle->records[r].own[word] };
    begin += ranges[r].n;
  }
  return begin;
}

/* ---- Handles ---------------------------------------------------------------------------------------- */

static iw_status check_peers(const iw_peers *peers)
{
  enum { KNOWN = IW_PEERS_HOST | IW_PEERS_DEVICE | IW_PEERS_STREAM };
  if (peers->rank >= peers->count)
    return iw_fail(IW_ERROR_INVALID,
                   "peers->rank is %u and peers->count %u; valid ranks are less than the count", peers->rank,
                   peers->count);
  if (peers->flags & ~(unsigned)KNOWN || !(peers->flags & (IW_PEERS_HOST | IW_PEERS_DEVICE)))
    return iw_fail(IW_ERROR_INVALID,
                   "peers->flags is 0x%x; valid are bits of 0x%x with IW_PEERS_HOST, IW_PEERS_DEVICE or both",
                   peers->flags, (unsigned)KNOWN);
  return IW_OK;
}

/* Makes the handle of this rank, or NULL. */
static iw_distributed *make(iw_context *context, const iw_peers *peers)
{
  enum { EXCHANGES = 4 };
  const size_t count = peers->count, sizes = IW_MOST_MESSAGES * count;
  iw_distributed *const d = calloc(1, sizeof *d);
  if (!d)
    return NULL;
  d->context = context;
  d->peers = *peers;
  d->peers.size = sizeof d->peers;
  d->records = calloc(count, sizeof *d->records);
  d->from = calloc(2 * count, sizeof *d->from);
  d->send_bytes = calloc(EXCHANGES * sizes + count, sizeof *d->send_bytes);
  d->values = calloc(2 * count, sizeof *d->values);
  d->own_message = calloc(1, sizeof *d->records + IW_CARRIED_BYTES);
  d->messages = calloc(1, count * sizeof *d->records + IW_CARRIED_BYTES);
  if (!d->records || !d->from || !d->send_bytes || !d->values || !d->own_message || !d->messages) {
    iw_distributed_close(d);
    return NULL;
  }
  d->to = d->from + count;
  d->send_offsets = d->send_bytes + sizes;
  d->receive_bytes = d->send_offsets + sizes;
  d->receive_offsets = d->receive_bytes + sizes;
  d->gather_bytes = d->receive_offsets + sizes;
  return d;
}

/* Checks what a rank needs to take part in the opening at all. Without host memory that is a context with a
 * device. */
static iw_status check_open(iw_distributed **handle, iw_context *context, const iw_peers *peers,
                            iw_context **device)
{
  *device = NULL;
  IW_TRY(iw_check_pointer("handle", handle));
  *handle = NULL;
  IW_TRY(iw_check_pointer("peers", peers));
  IW_TRY(iw_check_struct("peers->size", peers, "iw_peers", sizeof *peers));
  if (!peers->all_gather || !peers->all_reduce_u64 || !peers->all_to_all)
    return iw_fail(IW_ERROR_INVALID, "peers->%s is NULL", !peers->all_gather ? "all_gather"
                   : !peers->all_reduce_u64 ? "all_reduce_u64" : "all_to_all");
  IW_TRY(check_peers(peers));
  if (peers->flags & IW_PEERS_HOST)
    return IW_OK;
  IW_TRY(iw_check_context(context));
  if (context->device_ops)
    IW_TRY(iw_device_context(context, &context));
  if (context->device.reads_host_memory)
    return iw_fail(IW_ERROR_INVALID,
                   "peers->flags is 0x%x, without IW_PEERS_HOST, but the context has no device",
                   peers->flags);
  *device = context;
  return IW_OK;
}

/* Whether this rank can exchange arrays in device memory. An AUTO context has arrays in host memory too. */
static int exchanges_in_device_memory(const iw_distributed *d)
{
  const iw_context *const c = d->context;
  return d->device != NULL || (d->peers.flags & IW_PEERS_DEVICE && !c->device_ops && !c->device.reads_host_memory);
}

/* After the agreement: all ranks exchange in device memory if all can. */
static void choose_exchange_device(iw_distributed *d)
{
  uint64_t all = 1;
  for (unsigned r = 0; r < d->peers.count; r++)
    all &= d->records[r].own[0];
  d->exchange_device = !all ? NULL : d->device ? d->device : d->context;
}

/* Makes this rank's handle, with memory for its first agreement. *made: NULL if there is no host memory for
 * it. */
static iw_status make_and_reserve(iw_distributed **made, iw_context *context, iw_context *device, const iw_peers *peers)
{
  *made = make(context, peers);
  if (!*made)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for a handle of %u ranks", peers->count);
  (*made)->device = device;
  IW_TRY(iw_check_context(context));
  iw_step step;
  iw_step_init(&step, *made, "iw_distributed_open");
  return iw_gather_reserve(&step, sizeof(iw_record) + IW_CARRIED_BYTES,
                           peers->count * sizeof(iw_record) + IW_CARRIED_BYTES);
}

/* Adds up over all ranks how many have no handle. An error on all ranks if any has none. */
static iw_status agree_on_handles(iw_step *step)
{
  const iw_status own = step->status;
  uint64_t failed = own != IW_OK;
  IW_TRY(iw_all_reduce(step, &failed, 1));
  if (own != IW_OK)
    return iw_fail(own, "%s", step->message);
  return !failed ? IW_OK
    : iw_fail(IW_ERROR_PEER, "iw_distributed_open: %" PRIu64 " of %u ranks could not make a handle", failed,
              step->handle->peers.count);
}

/* The first agreement, by the rank's own handle. */
static iw_status agree_on_peers(iw_step *step, iw_distributed *d)
{
  step->handle = d;
  step->record.own[0] = exchanges_in_device_memory(d);
  iw_step_word(step, "peers->count", IW_WORD_NUMBER, d->peers.count);
  IW_TRY(iw_agree(step));
  choose_exchange_device(d);
  return IW_OK;
}

static void release_slots(iw_distributed *d)
{
  for (unsigned k = 0; k < IW_SLOTS; k++)
    if (d->slots[k].context)
      d->slots[k].context->ops->release(d->slots[k].context, d->slots[k].memory);
    else
      free(d->slots[k].memory);
}

iw_status iw_distributed_open(iw_context *context, const iw_peers *peers, iw_distributed **handle)
{
  iw_context *device;
  iw_distributed *d = NULL;
  IW_TRY(check_open(handle, context, peers, &device));
  /* The first collective uses a handle without arrays, so that a rank without memory for its own takes
   * part. */
  iw_distributed without_arrays = { .context = context, .device = device, .peers = *peers };
  iw_step step;
  iw_step_init(&step, &without_arrays, "iw_distributed_open");
  IW_TRY(iw_all_reduce_reserve(&step, 1));
  IW_STEP(&step, make_and_reserve(&d, context, device, peers));
  iw_status status = agree_on_handles(&step);
  release_slots(&without_arrays);
  if (status == IW_OK)
    status = agree_on_peers(&step, d);
  if (status == IW_OK)
    *handle = d;
  else
    iw_distributed_close(d);
  return status;
}

void iw_distributed_close(iw_distributed *handle)
{
  if (!handle)
    return;
  release_slots(handle);
  free(handle->records);
  free(handle->from);
  free(handle->send_bytes);
  free(handle->values);
  free(handle->own_message);
  free(handle->messages);
  free(handle);
}
