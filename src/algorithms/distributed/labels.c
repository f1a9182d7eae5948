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

/* Windows in which heads are looked for, each twice as long as the one before: most runs are short. The
 * longest one bounds the memory. */
enum { FIRST_WINDOW = 1 << 14, LONGEST_WINDOW = (1 << 24) - 1 };

static iw_status read_index(iw_context *c, const uint32_t *indices, size_t k, size_t before, size_t *head)
{
  uint32_t found = 0;
  IW_TRY(iw_memory_copy(c, &found, indices + k, sizeof found));
  *head = before + found;
  return IW_OK;
}

/* Finds the first and the last head of n elements from `begin` on, at least one; leaves both if there is
 * none. Element 0 of keys is none. */
static iw_status search_window(iw_context *c, const iw_labels *labels, size_t begin, size_t n, uint32_t *indices, iw_heads *heads)
{
  const size_t before = labels->is_flags || !begin ? begin : begin - 1; /* the key that the first one is compared with */
  const char *const at = (const char *)labels->at + before * labels->size;
  const iw_payload payload = { .size = sizeof payload, .out = indices, .width = sizeof *indices };
  const iw_move_options moves = { .size = sizeof moves, .payloads = &payload, .payload_count = 1 };
  const iw_test flags = { .size = sizeof flags, .type = IW_U8, .flags = (const uint8_t *)at };
  const size_t skipped = !labels->is_flags; /* keys: the first index is 0 always */
  size_t count = 0;
  n += begin - before;
  IW_TRY(labels->is_flags ? iw_select_if(c, &flags, NULL, n, NULL, &count, &moves)
                          : iw_unique(c, labels->key_type, at, n, NULL, &count, &moves));
  if (count <= skipped)
    return IW_OK;
  IW_TRY(read_index(c, indices, skipped, before, &heads->first));
  return read_index(c, indices, count - 1, before, &heads->last);
}

iw_status iw_find_heads(iw_step *step, const iw_labels *labels, size_t n, int is_head, iw_heads *heads)
{
  iw_context *const c = step->context;
  void *indices;
  *heads = (iw_heads){ n, n };
  if (!n)
    return IW_OK;
  IW_TRY(iw_slot_memory(step, IW_SLOT_PARTS, c, (iw_min(n, LONGEST_WINDOW) + 1) * sizeof(uint32_t), &indices));
  size_t window = FIRST_WINDOW, done = 0;
  for (size_t here; done < n && heads->first == n; done += here, window = iw_min(2 * window, LONGEST_WINDOW)) {
    here = iw_min(window, n - done);
    IW_TRY(search_window(c, labels, done, here, indices, heads));
  }
  iw_heads behind = { n, n };
  window = FIRST_WINDOW;
  for (size_t end = n, here; end > done && behind.first == n; end -= here, window = iw_min(2 * window, LONGEST_WINDOW)) {
    here = iw_min(window, end - done);
    IW_TRY(search_window(c, labels, end - here, here, indices, &behind));
  }
  if (behind.first < n)
    heads->last = behind.last;
  if (is_head) {
    heads->first = 0;
    heads->last = heads->last == n ? 0 : heads->last;
  }
  return IW_OK;
}
