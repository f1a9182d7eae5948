/* SPDX-License-Identifier: Apache-2.0
 *
 * The heads of segments on one rank (labels.h): unique and select give their indices. Algorithms layer.
 */
#include "algorithms/distributed/labels.h"

iw_status iw_read_labels(iw_step *step, const iw_labels *labels, size_t n, unsigned first, unsigned last)
{
  iw_context *const c = step->handle->context;
  step->record.own[first] = step->record.own[last] = 0;
  if (!n)
    return IW_OK;
  IW_TRY(iw_memory_copy(c, &step->record.own[first], labels->at, labels->size));
  return iw_memory_copy(c, &step->record.own[last], (const char *)labels->at + (n - 1) * labels->size,
                        labels->size);
}

int iw_begins_segment(const iw_step *step, const iw_labels *labels, unsigned first, unsigned last)
{
  const iw_record *const records = step->handle->records, *const mine = &records[step->handle->peers.rank];
  const iw_record *before = mine;
  while (before != records && !(--before)->own[0]) {} /* the last rank before that has elements */
  const int is_first = before == mine || !before->own[0];
  return is_first || (labels->is_flags ? mine->own[first] != 0 : mine->own[first] != before->own[last]);
}

static iw_status read_index(iw_context *c, const char *indices, size_t k, size_t width, size_t *index)
{
  uint64_t found = 0;
  IW_TRY(iw_memory_copy(c, &found, indices + k * width, width));
  *index = (size_t)found;
  return IW_OK;
}

iw_status iw_find_heads(iw_step *step, const iw_labels *labels, size_t n, int is_head, iw_heads *heads)
{
  iw_context *const c = step->context;
  const size_t width = n <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
  size_t count = 0;
  void *indices;
  *heads = (iw_heads){ n, n };
  if (!n)
    return IW_OK;
  IW_TRY(iw_slot_memory(step, IW_SLOT_PARTS, c, n * width, &indices));
  const iw_payload payload = { .size = sizeof payload, .out = indices, .width = width };
  const iw_move_options moves = { .size = sizeof moves, .payloads = &payload, .payload_count = 1 };
  const iw_test flags = { .size = sizeof flags, .type = IW_U8, .flags = labels->at };
  IW_TRY(labels->is_flags ? iw_select_if(c, &flags, NULL, n, NULL, &count, &moves)
                          : iw_unique(c, labels->key_type, labels->at, n, NULL, &count, &moves));
  const size_t skipped = !labels->is_flags; /* keys: the first index is 0 always */
  if (count > skipped) {
    IW_TRY(read_index(c, indices, skipped, width, &heads->first));
    IW_TRY(read_index(c, indices, count - 1, width, &heads->last));
  }
  if (is_head) {
    heads->first = 0;
    heads->last = heads->last == n ? 0 : heads->last;
  }
  return IW_OK;
}
