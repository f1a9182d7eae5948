/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits of distributed arrays piece by piece (pieces.h): the first piece is split and the rest of the part
 * is counted, and the lengths of all sides are gathered; then each piece is sent, and the next one split. A
 * message has elements of one side only. They are consecutive in the piece and in the output, so each message
 * goes to its place at once. If the peers exchange device memory in stream
 * order, the next piece is split while one is sent. The first pieces are smaller than the others, as nothing
 * is sent while the first one is split. Algorithms layer.
 */
#include "algorithms/distributed/pieces.h"

/* Pieces grow by the first one's length until they have RAMP times as many elements. */
enum { RAMP = 4 };

/* In place of the number of elements of the first side: the rank could not split its piece. */
#define NOT_SPLIT UINT64_MAX

/* The most bytes of a piece's buffers on this rank. Smaller pieces would need more collectives, and on a
 * device more launches. */
static size_t most_bytes(const iw_distributed *d)
{
  enum { HOST_BYTES = 1 << 25, DEVICE_BYTES = 1 << 28, PIECES_OF_DEVICE = 128 };
  const size_t memory = d->exchange_device ? d->exchange_device->device.memory_bytes : 0;
  return memory ? iw_max(memory / PIECES_OF_DEVICE, DEVICE_BYTES) : HOST_BYTES;
}

iw_status iw_pieces_reserve(iw_step *step, size_t sides, size_t spread, unsigned splits, iw_moves *m, iw_pieces *p)
{
  enum { ALIGNMENT = 64 };
  size_t width = 0;
  for (size_t i = 0; i < m->count; i++)
    width += m->of[i].width;
  *p = (iw_pieces){ .moves = m, .sides = sides, .spread = spread, .buffers = step->handle->exchange_device ? 2 : 1 };
  p->n = iw_max(most_bytes(step->handle) / (width * p->buffers * spread), 1);
  step->record.own[IW_OWN_PIECE] = p->n;
  const size_t n = iw_min(m->n, p->n);
  p->room = iw_ceil_div(n, ALIGNMENT) * ALIGNMENT;
  p->buffers = n < m->n ? p->buffers : 1;
  IW_TRY(iw_moves_reserve(step, p->room * spread * p->buffers, p->room, splits, m));
  for (size_t i = 0; i < m->count; i++) {
    iw_moved *const a = &m->of[i];
    a->exchange = (iw_exchange){ .send = a->part, .receive = a->out, .send_bytes = a->out ? p->room * spread * p->buffers * a->width : 0,
                                 .receive_bytes = a->out ? m->n * a->width : 0, .beside = 1 };
    IW_TRY(iw_exchange_reserve(step, &a->exchange));
  }
  return IW_OK;
}

/* The elements in front of a rank's piece, if the part has that many. */
static uint64_t begin_of(const iw_pieces *p, size_t round)
{
  const uint64_t steps = iw_min(round, (size_t)(p->n / p->first));
  return steps * (steps + 1) / 2 * p->first + (round - steps) * (uint64_t)p->n;
}

/* The elements of a rank's piece, of n elements in all. */
static uint64_t piece_of(const iw_pieces *p, uint64_t n, size_t round)
{
  return iw_min(n, begin_of(p, round + 1)) - iw_min(n, begin_of(p, round));
}

void iw_pieces_plan(iw_step *step, iw_pieces *p)
{
  const iw_distributed *const d = step->handle;
  uint64_t most = 0;
  for (unsigned r = 0; r < d->peers.count; r++) {
    p->n = iw_min(p->n, (size_t)d->records[r].own[IW_OWN_PIECE]);
    most = iw_max(most, d->records[r].own[0]);
  }
  p->first = most > p->n ? iw_max(p->n / RAMP, 1) : p->n;
  for (p->rounds = 1; begin_of(p, p->rounds) < most;)
    p->rounds++;
}

/* Whether this rank's piece has a side that stays here, and the output has room behind its place for all of
 * the piece: the split writes the side's elements only, but checks that there is this room. */
static int stays(const iw_distributed *d, const iw_pieces *p, size_t side, size_t here)
{
  const iw_range *const mine = &d->to[d->peers.rank];
  const uint64_t begin = p->next[d->peers.rank * p->sides + side];
  return begin >= mine->begin && begin - mine->begin + here <= mine->n;
}

/* Decides which sides of a piece are split to their place: elements that stay need not be copied then. The
 * first piece is split before any place is known. If the rooms of both sides overlap, which the split's
 * checks refuse, it is the side that the part has more of. */
static void choose_places(const iw_distributed *d, iw_pieces *p, size_t round, size_t here)
{
  p->in_place[0] = p->in_place[1] = 0;
  if (round == 0 || p->spread == 1)
    return;
  for (size_t i = 0; i < p->moves->count; i++)
    if (p->moves->of[i].exchange.stages_send || p->moves->of[i].exchange.stages_receive)
      return;
  const uint64_t *const next = p->next + d->peers.rank * p->sides;
  for (size_t k = 0; k < 2; k++)
    p->in_place[k] = stays(d, p, k, here);
  if (p->in_place[0] && p->in_place[1] && next[0] + here > next[1])
    p->in_place[p->part[0] > p->part[1]] = 0;
}

/* Where a side of an array goes: to its place, or to the buffer. */
static void *output_of(const iw_distributed *d, const iw_pieces *p, const iw_moved *a, size_t side)
{
  const uint64_t place = p->next[d->peers.rank * p->sides + side] - d->to[d->peers.rank].begin;
  return p->in_place[side] ? (char *)a->out + (size_t)place * a->width : (char *)(uintptr_t)a->exchange.send + side * p->room * a->width;
}

/* Splits a piece of this rank into the buffer of its round. A rank that fails takes part with none of it. */
static void split_piece(iw_step *step, const iw_splitter *by, iw_pieces *p, size_t round)
{
  const iw_distributed *const d = step->handle;
  iw_moves *const m = p->moves;
  const size_t here = (size_t)piece_of(p, m->n, round), first = (size_t)begin_of(p, round);
  const size_t at = round % p->buffers * p->spread * p->room; /* of the buffer */
  iw_local_moves local;
  const iw_move_options *options;
  memset(p->own, 0, p->sides * sizeof *p->own);
  choose_places(d, p, round, here);
  if (!here)
    return;
  for (size_t i = 0; i < m->count; i++)
    m->of[i].exchange.send = (char *)m->of[i].part + at * m->of[i].width;
  IW_STEP(step, iw_payloads_of(step, m, first, here, 0, &local, &options));
  for (size_t i = 1; i < m->count; i++) {
    local.payloads[i - 1].out = output_of(d, p, &m->of[i], 0);
    local.payloads[i - 1].rest = p->spread > 1 ? output_of(d, p, &m->of[i], 1) : NULL;
  }
  local.options.rest = p->spread > 1 && m->has_elements ? output_of(d, p, &m->of[0], 1) : NULL;
  IW_STEP(step, by->split(step, by->job, first, here, m->has_elements ? output_of(d, p, &m->of[0], 0) : NULL, p->room,
                          p->spread > 1 ? &local.options : options, p->own, p->offsets));
  if (step->status != IW_OK)
    p->own[0] = NOT_SPLIT;
}

/* Reserves memory of the host. */
static iw_status reserve_counts(iw_step *step, iw_pieces *p)
{
  const size_t ranks = step->handle->peers.count, sides = p->sides, words = (ranks + 4) * sides + 1 + 2 * ranks;
  void *memory;
  IW_TRY(iw_slot_memory(step, IW_SLOT_PLACES, NULL, words * sizeof *p->own, &memory));
  p->part = memset(memory, 0, 2 * sides * sizeof *p->part);
  p->own = p->part + sides;
  p->offsets = p->own + sides;
  p->begins = p->offsets + sides;
  p->next = p->begins + sides + 1;
  p->sent = (size_t *)(void *)(p->next + ranks * sides);
  p->received = p->sent + ranks;
  IW_TRY(iw_slot_memory(step, IW_SLOT_GATHERED, NULL, ranks * sides * sizeof *p->all, &memory));
  p->all = memory;
  return iw_gather_reserve(step, sides * sizeof *p->own, ranks * sides * sizeof *p->all);
}

/* Counts this rank's elements of each side: the first piece was split, the rest is only read. */
static iw_status count_part(iw_step *step, const iw_splitter *by, const iw_pieces *p)
{
  const size_t n = p->moves->n, most = step->handle->exchange_device ? by->counted * p->n : p->n;
  memcpy(p->part, p->own, p->sides * sizeof *p->part);
  for (size_t here, first = (size_t)piece_of(p, n, 0); first < n; first += here) {
    here = iw_min(n - first, most);
    IW_TRY(by->count(step, by->job, first, here, p->begins)); /* not set yet */
    for (size_t k = 0; k < p->sides; k++)
      p->part[k] += p->begins[k];
  }
  return IW_OK;
}

/* The elements that a rank has not in the last side were gathered; makes room for the last one. A rank that
 * could not split its piece has none. */
static void add_last_side(const iw_distributed *d, const iw_pieces *p, int of_parts, size_t round)
{
  const size_t gathered = p->sides - 1;
  for (unsigned r = d->peers.count; r-- > 0;) {
    uint64_t left = of_parts ? d->records[r].own[0] : piece_of(p, d->records[r].own[0], round);
    uint64_t *const to = p->all + r * p->sides;
    memmove(to, p->all + r * gathered, gathered * sizeof *to);
    if (to[0] == NOT_SPLIT) {
      memset(to, 0, p->sides * sizeof *to);
      continue;
    }
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

/* The elements of a side of a rank's piece that go to a part, and where these begin: places in the whole
 * output. */
static uint64_t moved(const iw_pieces *p, unsigned rank, size_t side, const iw_range *part, uint64_t *begin)
{
  if (side >= p->sides)
    return 0;
  const size_t which = rank * p->sides + side;
  return iw_range_overlap(&(iw_range){ p->next[which], p->all[which] }, part, begin);
}

/* The first side from `side` on of which a rank's piece has elements for a part; p->sides: there is none. */
static size_t next_side(const iw_pieces *p, unsigned rank, const iw_range *part, size_t side)
{
  uint64_t begin;
  while (side < p->sides && !moved(p, rank, side, part, &begin))
    side++;
  return side;
}

/* The messages that this round needs: the most sides of which one rank has elements for one other. messages:
 * room for a number of each rank. */
static size_t messages_of(const iw_distributed *d, const iw_pieces *p, size_t *messages)
{
  const unsigned ranks = d->peers.count;
  size_t most = 0;
  for (unsigned from = 0; from < ranks; from++) {
    memset(messages, 0, ranks * sizeof *messages);
    for (size_t k = 0, to = 0; k < p->sides; k++) {
      uint64_t at = p->next[from * p->sides + k], left = p->all[from * p->sides + k];
      while (left) {
        while (to < ranks && at >= d->to[to].begin + d->to[to].n)
          to++;
        if (to == ranks) /* a predicate that does not answer always alike has selected more than before */
          break;
        const uint64_t room = d->to[to].begin + d->to[to].n - at, here = left < room ? left : room;
        messages[to] += to != from;
        most = iw_max(most, messages[to]);
        at += here;
        left -= here;
      }
    }
  }
  return most;
}

/* Sets the handle's sizes of message `message`, in elements, and goes on to the sides of the next one. */
static void plan_message(iw_distributed *d, const iw_pieces *p, unsigned message)
{
  const unsigned me = d->peers.rank;
  for (unsigned r = 0; r < d->peers.count; r++) {
    const size_t at = (size_t)message * d->peers.count + r, k = p->sent[r];
    uint64_t begin = 0;
    d->send_bytes[at] = d->send_offsets[at] = d->receive_bytes[at] = d->receive_offsets[at] = 0;
    if (r == me)
      continue;
    d->send_bytes[at] = (size_t)moved(p, me, k, &d->to[r], &begin);
    if (d->send_bytes[at])
      d->send_offsets[at] = (size_t)(p->offsets[k] + begin - p->next[me * p->sides + k]);
    d->receive_bytes[at] = (size_t)moved(p, r, p->received[r], &d->to[me], &begin);
    if (d->receive_bytes[at])
      d->receive_offsets[at] = (size_t)(begin - d->to[me].begin);
    p->sent[r] = next_side(p, me, &d->to[r], k + 1);
    p->received[r] = next_side(p, r, &d->to[me], p->received[r] + 1);
  }
}

/* Multiplies the handle's sizes by `by`, and divides them by what they were multiplied by before. */
static void scale_sizes(iw_distributed *d, unsigned messages, size_t before, size_t by)
{
  for (size_t k = 0; k < (size_t)messages * d->peers.count; k++) {
    d->send_bytes[k] = d->send_bytes[k] / before * by;
    d->send_offsets[k] = d->send_offsets[k] / before * by;
    d->receive_bytes[k] = d->receive_bytes[k] / before * by;
    d->receive_offsets[k] = d->receive_offsets[k] / before * by;
  }
}

/* Sends the planned messages of each array. */
static iw_status send_messages(iw_step *step, const iw_pieces *p, unsigned messages)
{
  size_t width = 1;
  for (size_t i = !p->moves->has_elements; i < p->moves->count; i++) {
    scale_sizes(step->handle, messages, width, p->moves->of[i].width);
    width = p->moves->of[i].width;
    IW_TRY(iw_exchange_run(step, &p->moves->of[i].exchange, messages));
  }
  return IW_OK;
}

/* Copies the values of an array that stay on this rank and are not in their place. */
static iw_status copy_own(iw_step *step, const iw_pieces *p, const iw_moved *a)
{
  const iw_distributed *const d = step->handle;
  const unsigned me = d->peers.rank;
  const iw_range *const mine = &d->to[me];
  uint64_t begin;
  for (size_t k = next_side(p, me, mine, 0); k < p->sides; k = next_side(p, me, mine, k + 1)) {
    const uint64_t n = moved(p, me, k, mine, &begin);
    const char *const from = (const char *)a->exchange.send + (size_t)(p->offsets[k] + begin - p->next[me * p->sides + k]) * a->width;
    if (k >= 2 || !p->in_place[k])
      IW_TRY(step->context->ops->copy(step->context, (char *)a->out + (size_t)(begin - mine->begin) * a->width, from, (size_t)n * a->width));
  }
  return IW_OK;
}

/* Moves a piece of each rank. What stays is copied beside the exchanges. */
static iw_status move_piece(iw_step *step, const iw_pieces *p)
{
  iw_distributed *const d = step->handle;
  const unsigned ranks = d->peers.count, me = d->peers.rank;
  unsigned here;
  size_t left = messages_of(d, p, p->sent);
  for (unsigned r = 0; r < ranks; r++) {
    p->sent[r] = next_side(p, me, &d->to[r], 0);
    p->received[r] = next_side(p, r, &d->to[me], 0);
  }
  for (; left; left -= here) {
    here = (unsigned)iw_min(left, IW_MOST_MESSAGES);
    for (unsigned m = 0; m < here; m++)
      plan_message(d, p, m);
    IW_TRY(send_messages(step, p, here));
  }
  for (size_t i = !p->moves->has_elements; i < p->moves->count; i++)
    IW_STEP(step, copy_own(step, p, &p->moves->of[i]));
  for (size_t i = 0; i < ranks * p->sides; i++)
    p->next[i] += p->all[i];
  return IW_OK;
}

/* Gathers what each rank has of its piece of this round. */
static iw_status gather_piece(iw_step *step, const iw_pieces *p, size_t round)
{
  iw_distributed *const d = step->handle;
  for (unsigned r = 0; r < d->peers.count; r++)
    d->receive_bytes[r] = (p->sides - 1) * sizeof *p->own;
  IW_TRY(iw_gather(step, p->own, p->all));
  add_last_side(d, p, 0, round);
  return IW_OK;
}

/* Splits the pieces and moves them: the next one is split beside the exchanges of this one, into the buffer
 * that the piece before has left. */
static iw_status move_pieces(iw_step *step, const iw_splitter *by, iw_pieces *p)
{
  for (size_t round = 0; round < p->rounds; round++) {
    if (p->rounds > 1)
      IW_TRY(gather_piece(step, p, round));
    iw_exchange_join(step);
    IW_TRY(move_piece(step, p));
    if (p->buffers == 1)
      iw_exchange_join(step);
    if (round + 1 < p->rounds)
      split_piece(step, by, p, round + 1);
  }
  return IW_OK;
}

iw_status iw_pieces_run(iw_step *step, const iw_splitter *by, iw_pieces *p)
{
  iw_distributed *const d = step->handle;
  IW_STEP(step, reserve_counts(step, p));
  if (step->status == IW_OK) {
    split_piece(step, by, p, 0);
    IW_STEP(step, count_part(step, by, p));
  }
  for (unsigned r = 0; r < d->peers.count; r++)
    d->gather_bytes[r] = (p->sides - 1) * sizeof *p->part;
  IW_TRY(iw_agree_and_gather(step, p->part, p->all));
  add_last_side(d, p, 1, 0);
  find_places(d, p);
  (void)iw_ranges_of(step, 0, d->to);
  const iw_status status = move_pieces(step, by, p);
  iw_exchange_join(step);
  return status;
}
