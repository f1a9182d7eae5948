/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a distributed call on this rank: its record for the next agreement, and its first failure.
 * Algorithms layer.
 */
#include "algorithms/distributed/distributed.h"

#include <stdio.h>

static uint64_t hash_bytes(const void *bytes, size_t count)
{
  const unsigned char *const at = bytes;
  uint64_t hash = 0xcbf29ce484222325u ^ count; /* FNV-1a */
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

void iw_step_init(iw_step *step, iw_distributed *handle, const char *name)
{
  *step = (iw_step){ .handle = handle, .context = handle->context, .name = name };
  step->record.call = hash_bytes(name, strlen(name)) << 8; /* the low byte counts the call's agreements */
}

iw_status iw_step_begin(iw_step *step, iw_distributed *handle, const char *name)
{
  IW_TRY(iw_check_pointer("handle", handle));
  if (handle->failed)
    return iw_fail(IW_ERROR_PEER, "%s: the peers have failed in an earlier call: open a new handle", name);
  iw_step_init(step, handle, name);
  return IW_OK;
}

int iw_step_note(iw_step *step, iw_status status)
{
  if (status != IW_OK && step->status == IW_OK) {
    step->status = status;
    snprintf(step->message, sizeof step->message, "%s", iw_message());
  }
  return step->status == IW_OK;
}

void iw_step_word(iw_step *step, const char *name, iw_word_form form, uint64_t value)
{
  if (step->words == IW_AGREED_WORDS)
    iw_step_note(step, iw_fail(IW_ERROR_INVALID, "%s has more than %d arguments to agree on", step->name,
                               (int)IW_AGREED_WORDS));
  else {
    step->names[step->words] = name;
    step->forms[step->words] = form;
    step->record.agreed[step->words++] = value;
  }
}

void iw_step_value(iw_step *step, const char *name, iw_type type, const void *value)
{
  uint64_t bits = 0;
  if (value)
    memcpy(&bits, value, iw_type_size(type));
  iw_step_word(step, name, IW_WORD_HEX, bits);
}

void iw_step_hash(iw_step *step, const char *name, const void *bytes, size_t count)
{
  iw_step_word(step, name, IW_WORD_HASH, bytes ? hash_bytes(bytes, count) : 0);
}
