/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks and scratch of the arrays that distributed calls move (moves.h). Algorithms layer.
 */
#include <stdio.h>

#include "algorithms/distributed/moves.h"
#include "algorithms/common/payloads.h"

enum { INDEX_CHUNK = 512 }; /* of 12 bytes on the stack, of which a call has 32 KiB */

/* ---- Arguments --------------------------------------------------------------------------------------- */

static iw_status read_options(const iw_move_options *options, iw_moves *m)
{
  if (!options)
    return IW_OK;
  IW_TRY(iw_read_payloads(options, m->payloads));
  if (options->rest)
    return iw_fail(IW_ERROR_INVALID, "options->rest is %p; valid is NULL, as a distributed call has one output of each array",
                   options->rest);
  m->count += options->payload_count;
  return IW_OK;
}

iw_status iw_check_moves(iw_step *step, iw_type type, const void *in, size_t n, void *out, const iw_move_options *options,
                         int is_in_place, int reads, const iw_array *results, unsigned result_count, iw_moves *m)
{
  iw_array arrays[IW_MAX_ARRAYS];
  *m = (iw_moves){ .n = n, .count = 1 };
  IW_TRY(read_options(options, m));
  m->of[0] = (iw_moved){ .in = in, .out = out, .width = iw_type_size(type) };
  for (size_t i = 1; i < m->count; i++)
    m->of[i] = (iw_moved){ .in = m->payloads[i - 1].in, .out = m->payloads[i - 1].out, .width = m->payloads[i - 1].width };
  const unsigned moved = iw_list_moved(type, in, out, n, m->payloads, m->count - 1, arrays);
  if (m->count == 1)
    arrays[1].access &= ~(unsigned)IW_OPTIONAL;
  else if (!out && !reads) {
    arrays[0].access |= IW_OPTIONAL;
    arrays[0].at = NULL; /* an output may be there */
  }
  for (unsigned k = 1; k < moved && !is_in_place; k += 2)
    arrays[k].access &= ~(unsigned)IW_IN_PLACE;
  IW_TRY(iw_check_each_array(arrays, 2));
  IW_TRY(iw_check_payloads(m->payloads, m->count - 1, n, arrays));
  memcpy(&arrays[moved], results, result_count * sizeof *results);
  IW_TRY(iw_check_arrays(arrays, moved + result_count));
  IW_TRY(iw_select_context(&step->context, arrays, moved));
  for (unsigned k = 0; k < moved; k += 2)
    if (arrays[k].at)
      IW_TRY(iw_check_in_place(step->context, arrays[k].name, arrays[k].at, arrays[k + 1].name, arrays[k + 1].at,
                               iw_bytes_of(&arrays[k + 1])));
  return IW_OK;
}

void iw_step_payloads(iw_step *step, size_t n, const iw_payload *payloads, size_t count)
{
  uint64_t widths[IW_MAX_PAYLOADS] = { 0 };
  step->record.own[0] = n;
  step->record.own[IW_OWN_ABSENT] = 0;
  for (size_t i = 0; i < count; i++) {
    widths[i] = payloads[i].width;
    step->record.own[IW_OWN_ABSENT] |= (uint64_t)!payloads[i].in << i;
  }
  iw_step_hash(step, "the number and widths of payloads", widths, sizeof widths);
}

iw_status iw_agreed_payloads(iw_step *step, const iw_payload *payloads, size_t count, uint64_t total, uint64_t *absent)
{
  const iw_record *const records = step->handle->records;
  const unsigned ranks = step->handle->peers.count;
  unsigned first = 0;
  while (first + 1 < ranks && !records[first].own[0])
    first++;
  *absent = records[first].own[0] ? records[first].own[IW_OWN_ABSENT] : 0;
  for (unsigned r = first + 1; r < ranks; r++) {
    const uint64_t other = records[r].own[0] ? *absent ^ records[r].own[IW_OWN_ABSENT] : 0;
    char name[32] = "out";
    if (!other)
      continue;
    const int bit = __builtin_ctzll(other), is_here = *absent >> bit & 1;
    if (bit < IW_MAX_PAYLOADS)
      snprintf(name, sizeof name, "payloads[%d].in", bit);
    return iw_fail(IW_ERROR_MISMATCH, "%s: %s is NULL on rank %u and not on rank %u; it is NULL on all ranks with elements, or on none",
                   step->name, name, is_here ? first : r, is_here ? r : first);
  }
  for (size_t i = 0; i < count; i++)
    if (*absent >> i & 1 && payloads[i].width == 4 && total > (uint64_t)UINT32_MAX + 1)
      return iw_fail(IW_ERROR_OVERFLOW, "payloads[%zu].width is 4 and the whole array has %llu elements: indices of 32 bits number at "
                     "most 4294967296 elements", i, (unsigned long long)total);
  return IW_OK;
}

void iw_step_moves(iw_step *step, const iw_moves *m)
{
  iw_step_payloads(step, m->n, m->payloads, m->count ? m->count - 1 : 0);
  step->record.own[IW_OWN_ABSENT] |= (uint64_t)!m->of[0].out << IW_MAX_PAYLOADS;
}

iw_status iw_agreed_moves(iw_step *step, iw_moves *m)
{
  const iw_distributed *const d = step->handle;
  const uint64_t total = iw_ranges_of(step, 0, d->to);
  uint64_t absent;
  m->begin = d->to[d->peers.rank].begin;
  IW_TRY(iw_agreed_payloads(step, m->payloads, m->count - 1, total, &absent));
  m->has_elements = !(absent >> IW_MAX_PAYLOADS & 1);
  return IW_OK;
}

/* ---- Scratch ----------------------------------------------------------------------------------------- */

iw_status iw_moves_reserve(iw_step *step, size_t part_n, size_t n, unsigned splits, iw_moves *m)
{
  size_t bytes = 0, sizes[1 + IW_MAX_PAYLOADS], more[1 + IW_MAX_PAYLOADS];
  void *memory;
  for (size_t i = 0; i < m->count; i++) {
    const int is_absent = i ? !m->of[i].in : !m->of[i].out;
    sizes[i] = splits == 2 || (splits == 1 && m->of[i].out) ? iw_padded(part_n * m->of[i].width) : 0;
    more[i] = is_absent && (i || splits == 2) ? iw_padded(n * m->of[i].width) : 0;
    bytes += sizes[i] + more[i];
  }
  IW_TRY(iw_slot_memory(step, IW_SLOT_PARTS, step->context, bytes, &memory));
  char *at = memory;
  for (size_t i = 0; i < m->count; at += sizes[i] + more[i], i++) {
    m->of[i].part = at;
    m->of[i].more = at + sizes[i];
  }
  return IW_OK;
}

iw_status iw_write_indices(iw_context *context, uint64_t begin, size_t n, size_t width, void *to)
{
  uint64_t wide[INDEX_CHUNK];
  uint32_t narrow[INDEX_CHUNK];
  for (size_t done = 0, here; done < n; done += here) {
    here = iw_min(n - done, INDEX_CHUNK);
    for (size_t i = 0; i < here; i++) {
      wide[i] = begin + done + i;
      narrow[i] = (uint32_t)wide[i];
    }
    IW_TRY(context->ops->copy(context, (char *)to + done * width, width == 8 ? (void *)wide : (void *)narrow, here * width));
  }
  return IW_OK;
}

iw_status iw_payloads_of(iw_step *step, const iw_moves *m, size_t first, size_t n, int to_out, iw_local_moves *local,
                         const iw_move_options **options)
{
  local->options = (iw_move_options){ .size = sizeof local->options, .payloads = local->payloads, .payload_count = m->count - 1 };
  *options = m->count > 1 ? &local->options : NULL;
  for (size_t i = 1; i < m->count; i++) {
    const iw_moved *const a = &m->of[i];
    if (!a->in)
      IW_TRY(iw_write_indices(step->context, m->begin + first, n, a->width, a->more));
    local->payloads[i - 1] = (iw_payload){
      .size = sizeof *local->payloads, .in = a->in ? (const char *)a->in + first * a->width : a->more,
      .out = to_out ? a->out : a->part, .width = a->width,
    };
  }
  return IW_OK;
}
