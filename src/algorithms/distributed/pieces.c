/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits of distributed arrays piece by piece (pieces.h): the pieces are counted first, and their sides'
 * lengths are gathered; then each piece is split again and sent. In an exchange a rank receives elements of
 * one side only. They are consecutive in the sender's piece and in the output, so each message goes to its
 * place at once. Algorithms layer.
 */
#include "algorithms/distributed/pieces.h"

/* The most bytes of a piece on this rank. Smaller pieces would need more collectives, and a device waits for
 * the host in each. */
static size_t most_bytes(const iw_distributed *d)
{
  enum { HOST_BYTES = 1 << 25, DEVICE_BYTES = 1 << 28, PIECES_OF_DEVICE = 64 };
  return !d->exchange_device ? HOST_BYTES : iw_max(d->exchange_device->device.memory_bytes / PIECES_OF_DEVICE, DEVICE_BYTES);
}

iw_status iw_pieces_reserve(iw_step *step, size_t sides, unsigned splits, iw_moves *m, iw_pieces *p)
{
  size_t width = 0;
  for (size_t i = 0; i < m->count; i++)
    width += m->of[i].width;
  *p = (iw_pieces){ .moves = m, .n = most_bytes(step->handle) / width, .sides = sides };
  step->record.own[IW_OWN_PIECE] = p->n;
  const size_t n = iw_min(m->n, p->n);
  IW_TRY(iw_moves_reserve(step, n, splits, m));
  for (size_t i = 0; i < m->count; i++) {
    iw_moved *const a = &m->of[i];
    a->exchange = (iw_exchange){ .send = a->part, .receive = a->out, .send_bytes = a->out ? n * a->width : 0,
                                 .receive_bytes = a->out ? m->n * a->width : 0 };
    IW_TRY(iw_exchange_reserve(step, &a->exchange));
  }
  return IW_OK;
}

void iw_pieces_plan(iw_step *step, iw_pieces *p)
{
  const iw_distributed *const d = step->handle;
  p->rounds = 1;
  for (unsigned r = 0; r < d->peers.count; r++)
    p->n = iw_min(p->n, (size_t)d->records[r].own[IW_OWN_PIECE]);
  for (unsigned r = 0; r < d->peers.count; r++)
    p->rounds = iw_max(p->rounds, (size_t)iw_ceil_div(d->records[r].own[0], p->n));
}

/* The elements of a rank's piece, of n elements in all. */
static uint64_t piece_of(const iw_pieces *p, uint64_t n, size_t round)
{
  return n / p->n > round ? p->n : n / p->n == round ? n % p->n : 0;
}

static iw_status split_piece(iw_step *step, iw_split_piece split, void *job, const iw_pieces *p, size_t round, uint64_t *counts)
{
  const iw_moves *const m = p->moves;
  const size_t here = (size_t)piece_of(p, m->n, round), first = round * p->n;
  iw_local_moves local;
  const iw_move_options *options;
  memset(counts, 0, p->sides * sizeof *counts);
  if (!here)
    return IW_OK;
  IW_TRY(iw_payloads_of(step, m, first, here, 0, &local, &options));
  return split(step, job, first, here, m->has_elements ? m->of[0].part : NULL, options, counts);
}

/* Reserves memory of the host, and counts this rank's elements of each side. The last piece stays split. */
static iw_status count_pieces(iw_step *step, iw_split_piece split, void *job, iw_pieces *p)
{
  const size_t ranks = step->handle->peers.count, sides = p->sides, words = (ranks + 3) * sides + 1 + 2 * ranks;
  void *memory;
  IW_TRY(iw_slot_memory(step, IW_SLOT_PLACES, NULL, words * sizeof *p->own, &memory));
  p->own = memory;
  p->offsets = p->own + sides;
  p->begins = p->offsets + sides;
  p->next = p->begins + sides + 1;
  p->side = (size_t *)(void *)(p->next + ranks * sides);
  p->first_side = p->side + ranks;
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, ranks * sides * sizeof *p->all, &memory));
  p->all = memory;
  IW_TRY(iw_gather_reserve(step, sides * sizeof *p->own, ranks * sides * sizeof *p->all));
  for (size_t round = 0; round < p->rounds; round++) {
    uint64_t *const counts = round ? p->offsets : p->own;
    IW_TRY(split_piece(step, split, job, p, round, counts));
    for (size_t k = 0; k < sides && round; k++)
      p->own[k] += counts[k];
  }
  return IW_OK;
}

/* The elements that a rank has not in the last side were gathered; makes room for the last one. */
static void add_last_side(const iw_distributed *d, const iw_pieces *p, int of_parts, size_t round)
{
  const size_t gathered = p->sides - 1;
  for (unsigned r = d->peers.count; r-- > 0;) {
    uint64_t left = of_parts ? d->records[r].own[0] : piece_of(p, d->records[r].own[0], round);
    uint64_t *const to = p->all + r * p->sides;
    memmove(to, p->all + r * gathered, gathered * sizeof *to);
    for (size_t k = 0; k < gathered; k++)
      left -= to[k];
    to[gathered] = left;
  }
}

/* After the counts of all parts were gathered. */
static void find_places(const iw_distributed *d, const iw_pieces *p)
{
  uint64_t place = 0;
  for (size_t k = 0; k < p->sides; k++) {
    p->begins[k] = place;
    for (unsigned r = 0; r < d->peers.count; r++) {
      p->next[r * p->sides + k] = place;
      place += p->all[r * p->sides + k];
    }
  }
  p->begins[p->sides] = place;
}

/* The first side from `side` on that has elements in a part of the output; p->sides if there is none. */
static size_t next_side(const iw_pieces *p, const iw_range *part, size_t side)
{
  while (side < p->sides && (p->begins[side + 1] <= part->begin || p->begins[side + 1] == p->begins[side]))
    side++;
  return side < p->sides && part->n && p->begins[side] < part->begin + part->n ? side : p->sides;
}

/* The side that has most of a part; p->sides if the part is empty. Ranks receive it first: so the first
 * ranks receive the selected elements of a partition while the last ones receive the others, and links are
 * used both ways at a time. */
static size_t largest_side(const iw_pieces *p, const iw_range *part)
{
  uint64_t most = 0, begin;
  size_t largest = p->sides;
  for (size_t k = next_side(p, part, 0); k < p->sides; k = next_side(p, part, k + 1)) {
    const uint64_t n = iw_range_overlap(&(iw_range){ p->begins[k], p->begins[k + 1] - p->begins[k] }, part, &begin);
    if (n > most)
      largest = k;
    most = iw_max(most, n);
  }
  return largest;
}

/* The side that a rank receives after side[rank]: sides ascend from its first one, and go on with those
 * before it. p->sides: there is none. */
static size_t side_after(const iw_distributed *d, const iw_pieces *p, unsigned rank)
{
  size_t side = next_side(p, &d->to[rank], p->side[rank] + 1);
  if (side == p->sides)
    side = next_side(p, &d->to[rank], 0);
  return side == p->first_side[rank] ? p->sides : side;
}

/* The elements of a side of a rank's piece that go to a part, and where these begin: places in the whole
 * output. */
static uint64_t moved(const iw_pieces *p, unsigned rank, size_t side, const iw_range *part, uint64_t *begin)
{
  if (side == p->sides)
    return 0;
  const size_t which = rank * p->sides + side;
  return iw_range_overlap(&(iw_range){ p->next[which], p->all[which] }, part, begin);
}

/* Sets the handle's sizes, of values of `width` bytes: rank r receives those of side[r]. */
static void plan_exchange(iw_distributed *d, const iw_pieces *p, size_t width)
{
  const unsigned me = d->peers.rank;
  for (unsigned r = 0; r < d->peers.count; r++) {
    const size_t k = p->side[r];
    uint64_t begin = 0;
    const uint64_t sent = moved(p, me, k, &d->to[r], &begin);
    d->send_bytes[r] = (size_t)sent * width;
    d->send_offsets[r] = sent ? (size_t)(p->offsets[k] + begin - p->next[me * p->sides + k]) * width : 0;
    const uint64_t received = moved(p, r, p->side[me], &d->to[me], &begin);
    d->receive_bytes[r] = (size_t)received * width;
    d->receive_offsets[r] = received ? (size_t)(begin - d->to[me].begin) * width : 0;
  }
}

/* Moves a piece of each rank, in as many exchanges as there are sides in the part of a rank that has most. */
static iw_status move_piece(iw_step *step, const iw_pieces *p)
{
  iw_distributed *const d = step->handle;
  const unsigned ranks = d->peers.count;
  const uint64_t *const mine = p->all + d->peers.rank * p->sides;
  p->offsets[0] = 0;
  for (size_t k = 1; k < p->sides; k++)
    p->offsets[k] = p->offsets[k - 1] + mine[k - 1];
  for (unsigned r = 0; r < ranks; r++)
    p->side[r] = p->first_side[r];
  for (;;) {
    int any = 0;
    for (unsigned r = 0; r < ranks; r++)
      any |= p->side[r] < p->sides;
    if (!any)
      break;
    for (size_t i = !p->moves->has_elements; i < p->moves->count; i++) {
      plan_exchange(d, p, p->moves->of[i].width);
      IW_TRY(iw_exchange_run(step, &p->moves->of[i].exchange));
    }
    for (unsigned r = 0; r < ranks; r++)
      if (p->side[r] < p->sides)
        p->side[r] = side_after(d, p, r);
  }
  for (size_t i = 0; i < ranks * p->sides; i++)
    p->next[i] += p->all[i];
  return IW_OK;
}

/* Splits a piece again and gathers what each rank has of it. A rank that fails takes part with what it
 * has. */
static iw_status split_again(iw_step *step, iw_split_piece split, void *job, const iw_pieces *p, size_t round)
{
  iw_distributed *const d = step->handle;
  IW_STEP(step, split_piece(step, split, job, p, round, p->own));
  if (step->status != IW_OK)
    memset(p->own, 0, p->sides * sizeof *p->own);
  for (unsigned r = 0; r < d->peers.count; r++)
    d->receive_bytes[r] = (p->sides - 1) * sizeof *p->own;
  IW_TRY(iw_gather(step, p->own, p->all));
  add_last_side(d, p, 0, round);
  return IW_OK;
}

iw_status iw_pieces_run(iw_step *step, iw_split_piece split, void *job, iw_pieces *p)
{
  iw_distributed *const d = step->handle;
  IW_STEP(step, count_pieces(step, split, job, p));
  for (unsigned r = 0; r < d->peers.count; r++)
    d->gather_bytes[r] = (p->sides - 1) * sizeof *p->own;
  IW_TRY(iw_agree_and_gather(step, p->own, p->all));
  add_last_side(d, p, 1, 0);
  find_places(d, p);
  (void)iw_ranges_of(step, 0, d->to);
  for (unsigned r = 0; r < d->peers.count; r++)
    p->first_side[r] = largest_side(p, &d->to[r]);
  for (size_t round = 0; round < p->rounds; round++) {
    if (p->rounds > 1)
      IW_TRY(split_again(step, split, job, p, round));
    IW_TRY(move_piece(step, p));
  }
  return IW_OK;
}
