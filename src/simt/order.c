/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses of a launch are ordered, after the PTX memory model (doc/cuda.md). An access is known by
 * the interval of its block between two barriers, its thread, and the thread's clock within its warp:
 *
 *   in one block       an earlier interval is ordered before a later one
 *   in one warp        a lane knows what another lane did before the last operation at which both met
 *                      (simt_warp)
 *   everywhere else    a thread knows what a clock says that it has acquired: a fence publishes what its
 *                      thread knows by the thread's later strong writes, and acquires what its earlier
 *                      strong reads have seen
 */
#include "simt/simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clocks are sim/order.h's: a part is a thread, a time an interval and the thread's clock within its warp. */
static int covers(const sim_clock *c, simt_record r)
{
  return iw_sim_clock_covers(c, iw_simt_block_of_seg[r.seg], simt_record_thread(r), sim_time(r.seg, simt_record_clock(r)));
}

/* ---- Intervals --------------------------------------------------------------------------------------- */

uint32_t *iw_simt_block_of_seg;
static uint32_t last_seg;

uint32_t iw_simt_new_seg(const simt_block *block)
{
  if (!iw_simt_block_of_seg)
    iw_simt_block_of_seg = iw_simt_reserve(sizeof *iw_simt_block_of_seg << (SIMT_GLOBAL_BITS - 4));
  if ((uint64_t)++last_seg << (68 - SIMT_GLOBAL_BITS) == 0) /* the table is full */
    iw_simt_trap("more than 2^32 intervals between barriers in one program", NULL);
  iw_simt_block_of_seg[last_seg] = (uint32_t)block->index;
  return last_seg;
}

/* ---- Synchronising addresses ------------------------------------------------------------------------- */

/* What strong writes have published at an address: to the device, or within a block. */
static sim_syncs syncs;

/* is_local: within the running block, which also owns its shared memory. */
static sim_sync *sync_at(uintptr_t at, int is_local, int make)
{
  const int is_shared = at - iw_simt_now.global.base >= iw_simt_now.global.bytes &&
                        at - iw_simt_now.data.base >= iw_simt_now.data.bytes;
  const uint64_t owner = is_shared || is_local ? 2 * (iw_simt_now.block->index + 1) + (uint64_t)is_local : 0;
  return iw_sim_sync_at(&syncs, at, owner, make);
}

/* A write replaces what was published there; an atomic that reads and writes continues it. */
static void publish(sim_clock **to, sim_clock *fenced, int is_rmw)
{
  if (is_rmw)
    iw_sim_clock_join(to, fenced);
  else if (*to != fenced)
    iw_sim_clock_set(to, iw_sim_clock_retain(fenced));
}

void iw_simt_order_strong(simt_cell *cell, uintptr_t at, int reads, int writes, int is_rmw, int scope)
{
  simt_thread *const t = iw_simt_now.thread;
  const int has_fenced = writes && (t->fenced[0] || t->fenced[1]);
  if (!(cell->flags & SIMT_SYNCHRONIZES) && !has_fenced)
    return;
  sim_sync *const o = sync_at(at, 0, has_fenced);
  if (!o)
    return;
  cell->flags |= SIMT_SYNCHRONIZES;
  if (reads) {
    const sim_sync *const local = sync_at(at, 1, 0);
    if (scope > 0)
      iw_sim_clock_join(&t->pending[1], o->released);
    if (local)
      iw_sim_clock_join(&t->pending[0], local->released);
    t->block->clocks_moved = 1;
  }
  if (!writes)
    return;
  if (scope > 0)
    publish(&o->released, t->fenced[1], is_rmw);
  sim_sync *const local = sync_at(at, 1, t->fenced[0] != NULL);
  if (local)
    publish(&local->released, t->fenced[0], is_rmw);
}

/* ---- Events ------------------------------------------------------------------------------------------ */

void iw_simt_order_launch(void)
{
  iw_simt_now.first_seg = last_seg + 1;
  iw_sim_syncs_forget(&syncs, 1);
}

static unsigned clock_of(const simt_block *block, unsigned thread)
{
  return block->who[thread] >> SIMT_CLOCK_AT & (SIMT_CLOCKS - 1);
}

/* Clocks stay at the last one there is; then accesses count as ordered. */
static void set_clock(simt_block *block, unsigned thread, unsigned clock)
{
  block->who[thread] = thread << SIMT_THREAD_AT | (clock < SIMT_CLOCKS ? clock : SIMT_CLOCKS - 1)
                                                    << SIMT_CLOCK_AT;
  block->clocks_moved = 1;
}

static void begin_interval(simt_block *block)
{
  block->seg = iw_simt_new_seg(block);
  if (!block->clocks_moved)
    return;
  for (unsigned i = 0; i < block->count; i++)
    set_clock(block, i, 1);
  for (unsigned w = 0; w <= (block->count - 1) / SIMT_LANES; w++) {
    block->warp[w].base = 0;
    block->warp[w].last = 1;
    free(block->warp[w].known);
    block->warp[w].known = NULL;
  }
  block->clocks_moved = 0;
}

/* What a thread has acquired its block has from now on, and a fence in front of the barrier covers what the
 * threads fenced. */
void iw_simt_order_barrier(simt_block *block)
{
  sim_clock *fenced[2] = { NULL, NULL };
  for (unsigned i = 0; block->clocks_moved && i < block->count; i++) {
    simt_thread *const t = &block->thread[i];
    iw_sim_clock_join(&block->acquired, t->acquired);
    iw_sim_clock_drop(&t->acquired);
    for (int k = 0; k < 2; k++) {
      iw_sim_clock_join(&fenced[k], t->fenced[k]);
      iw_sim_clock_join(&block->pending[k], t->pending[k]);
    }
  }
  for (unsigned i = 0; (fenced[0] || fenced[1]) && i < block->count; i++)
    for (int k = 0; k < 2 && block->thread[i].state != SIMT_ENDED; k++)
      iw_sim_clock_set(&block->thread[i].fenced[k], iw_sim_clock_retain(fenced[k]));
  iw_sim_clock_drop(&fenced[0]);
  iw_sim_clock_drop(&fenced[1]);
  begin_interval(block);
}

void iw_simt_order_grid(void)
{
  iw_simt_now.first_seg = last_seg + 1;
  for (simt_block *b = iw_simt_blocks(); b; b = b->next)
    begin_interval(b);
}

/* What a lane knows of another one of its warp. */
static unsigned known_of(const simt_warp *warp, unsigned lane, unsigned of)
{
  return warp->known ? warp->known[lane][of] : warp->base;
}

void iw_simt_order_warp(simt_block *block, unsigned w, uint32_t lanes)
{
  simt_warp *const warp = &block->warp[w];
  const unsigned first = w * SIMT_LANES;
  sim_clock *all = NULL, *pending[2] = { NULL, NULL };
  for (uint32_t m = lanes; m; m &= m - 1) {
    const simt_thread *const t = &block->thread[first + (unsigned)__builtin_ctz(m)];
    iw_sim_clock_join(&all, t->acquired);
    iw_sim_clock_join(&pending[0], t->pending[0]);
    iw_sim_clock_join(&pending[1], t->pending[1]);
  }
  for (uint32_t m = lanes; (all || pending[0] || pending[1]) && m; m &= m - 1) {
    simt_thread *const t = &block->thread[first + (unsigned)__builtin_ctz(m)];
    iw_sim_clock_set(&t->acquired, iw_sim_clock_retain(all));
    iw_sim_clock_set(&t->pending[0], iw_sim_clock_retain(pending[0]));
    iw_sim_clock_set(&t->pending[1], iw_sim_clock_retain(pending[1]));
  }
  iw_sim_clock_drop(&all);
  iw_sim_clock_drop(&pending[0]);
  iw_sim_clock_drop(&pending[1]);
  if (lanes == warp->alive) {
    free(warp->known);
    warp->known = NULL;
    warp->base = warp->last;
    if (warp->last < SIMT_CLOCKS - 1)
      warp->last++;
    for (uint32_t m = lanes; m; m &= m - 1)
      set_clock(block, first + (unsigned)__builtin_ctz(m), warp->last);
    return;
  }
  if (!warp->known) {
    warp->known = iw_simt_must(malloc(SIMT_LANES * sizeof *warp->known), "the clocks of a warp");
    for (unsigned i = 0; i < SIMT_LANES; i++)
      for (unsigned k = 0; k < SIMT_LANES; k++)
        warp->known[i][k] = warp->base;
  }
  uint16_t most[SIMT_LANES] = { 0 };
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(m), clock = clock_of(block, first + lane);
    warp->known[lane][lane] = (uint16_t)clock;
    for (unsigned k = 0; k < SIMT_LANES; k++)
      most[k] = warp->known[lane][k] > most[k] ? warp->known[lane][k] : most[k];
    set_clock(block, first + lane, clock + 1);
    if (warp->last < clock + 1 && clock + 1 < SIMT_CLOCKS)
      warp->last = (uint16_t)(clock + 1);
  }
  for (uint32_t m = lanes; m; m &= m - 1)
    memcpy(warp->known[__builtin_ctz(m)], most, sizeof most);
}

void iw_simt_fence(int scope)
{
  simt_thread *const t = iw_simt_now.thread;
  if (!t)
    return;
  simt_block *const block = t->block;
  const unsigned lane = t->index % SIMT_LANES, first = t->index - lane;
  simt_warp *const warp = &block->warp[t->index / SIMT_LANES];
  for (int k = 0; k <= (scope > 0); k++) {
    iw_sim_clock_join(&t->acquired, t->pending[k]);
    iw_sim_clock_join(&t->acquired, block->pending[k]);
    iw_sim_clock_drop(&t->pending[k]);
  }
  sim_clock *own = iw_simt_must(iw_sim_clock_new(SIMT_LANES + 1), "the clocks of fences");
  for (unsigned i = 0; i < SIMT_LANES; i++) {
    const unsigned clock = i == lane ? clock_of(block, t->index) : known_of(warp, lane, i);
    if (clock > 0)
      iw_sim_clock_add(own, block->index, first + i, sim_time(block->seg, clock));
  }
  iw_sim_clock_add(own, block->index, SIM_WHOLE_BLOCK, sim_time(block->seg, 0));
  iw_sim_clock_join(&own, t->acquired);
  iw_sim_clock_join(&own, block->acquired);
  for (int k = 0; k <= (scope > 0); k++)
    iw_sim_clock_set(&t->fenced[k], iw_sim_clock_retain(own));
  iw_sim_clock_drop(&own);
  set_clock(block, t->index, clock_of(block, t->index) + 1);
  if (warp->last < clock_of(block, t->index))
    warp->last = (uint16_t)clock_of(block, t->index);
  iw_simt_now.who = block->who[t->index];
}

void iw_simt_order_end(simt_thread *t)
{
  for (int k = 0; k < 2; k++) {
    iw_sim_clock_drop(&t->fenced[k]);
    iw_sim_clock_drop(&t->pending[k]);
  }
  if (t->acquired) { /* a barrier of the others still passes it on */
    iw_sim_clock_join(&t->block->acquired, t->acquired);
    iw_sim_clock_drop(&t->acquired);
  }
}

void iw_simt_order_end_block(simt_block *block)
{
  iw_sim_clock_drop(&block->acquired);
  iw_sim_clock_drop(&block->pending[0]);
  iw_sim_clock_drop(&block->pending[1]);
  for (unsigned w = 0; w < SIMT_THREADS / SIMT_LANES; w++) {
    free(block->warp[w].known);
    block->warp[w].known = NULL;
  }
}

/* ---- Conflicts --------------------------------------------------------------------------------------- */

static int is_same_thread(simt_record r)
{
  return r.seg == iw_simt_now.seg && (r.who ^ iw_simt_now.who) >> SIMT_THREAD_AT == 0;
}

static int is_same_block(simt_record r)
{
  return iw_simt_block_of_seg[r.seg] == iw_simt_now.block->index;
}

/* Whether an access of this launch is ordered before the running thread. */
static int is_ordered(simt_record r)
{
  const simt_thread *const t = iw_simt_now.thread;
  if (simt_is_before(r.seg))
    return 1;
  if (r.seg == iw_simt_now.seg && (r.who ^ iw_simt_now.who) >> SIMT_THREAD_AT < SIMT_LANES) {
    const unsigned lane = simt_record_thread(r) % SIMT_LANES;
    if (lane == t->index % SIMT_LANES ||
        simt_record_clock(r) <=
          known_of(&t->block->warp[t->index / SIMT_LANES], t->index % SIMT_LANES, lane))
      return 1;
  }
  return covers(t->acquired, r) || covers(t->block->acquired, r);
}

/* The plain store that a conflict was found at has not happened yet: whether it writes what is there is
 * seen later. */
static struct {
  int is_set;
  uintptr_t at;
  unsigned bytes;
  unsigned char before[16];
  uint32_t pc, other_pc;
  int64_t countdown;
  char text[640];
} deferred;

void iw_simt_judge_deferred(void)
{
  if (!deferred.is_set)
    return;
  deferred.is_set = 0;
  iw_simt_now.countdown += deferred.countdown;
  const int is_note = memcmp((const void *)deferred.at, deferred.before, deferred.bytes) == 0;
  SIMT_FOUND(SIM_RACE, is_note, deferred.pc, deferred.other_pc, "%s%s", deferred.text,
             is_note ? "; both write the same value" : "");
}

/* A plain read of a place that others change by atomics does no harm if its thread compares the value by an
 * atomic that changes nothing else: `old = *p; do …; while (atomicCAS(p, …) != old)`. */
enum { MOST_HELD = 64 };
static struct { uint32_t pc, other_pc, read_pc; char text[640]; } held[MOST_HELD];
static uint32_t compared[MOST_HELD]; /* where such reads are */
static unsigned held_count, compared_count;

static int is_compared(uint32_t pc)
{
  unsigned i = 0;
  while (i < compared_count && compared[i] != pc)
    i++;
  return i < compared_count;
}

void iw_simt_judge_held(void)
{
  for (unsigned i = 0; i < held_count; i++) {
    const int is_note = is_compared(held[i].read_pc);
    SIMT_FOUND(SIM_RACE, is_note, held[i].pc, held[i].other_pc, "%s%s", held[i].text,
               is_note ? "; an atomic of its thread compares the value, so that an old one does no harm" : "");
  }
  held_count = 0;
}

/* Returns whether it is held. */
static int hold(uint32_t pc, uint32_t other_pc, uint32_t read_pc, const char *text)
{
  for (unsigned i = 0; i < held_count; i++)
    if (held[i].pc == pc && held[i].other_pc == other_pc)
      return 1;
  if (held_count == MOST_HELD)
    return 0;
  held[held_count].pc = pc;
  held[held_count].other_pc = other_pc;
  held[held_count].read_pc = read_pc;
  memcpy(held[held_count++].text, text, sizeof held->text);
  return 1;
}

static const char *verb(unsigned what, unsigned attributes, int is_past)
{
  if (attributes & SIMT_ATOMIC)
    return is_past ? "accessed it atomically" : "accesses atomically";
  if (what & SIMT_WRITE)
    return is_past ? "wrote it" : "writes";
  return is_past ? "read it" : "reads";
}

/* Why nothing orders two accesses. */
static const char *reason(simt_record r, unsigned attributes)
{
  if ((r.who & SIMT_ATOMIC) && (attributes & SIMT_ATOMIC))
    return "the scope of one of the atomics is its block, and the blocks are different";
  if (!is_same_block(r))
    return "nothing orders the two blocks";
  if (r.seg == iw_simt_now.seg && (r.who ^ iw_simt_now.who) >> SIMT_THREAD_AT < SIMT_LANES)
    return "neither __syncthreads() nor __syncwarp() in between";
  return "no __syncthreads() in between";
}

/* Whether a volatile access and a volatile or atomic one are of a flag: strong accesses of the memory
 * model, which do not race. Most volatile accesses of programs are of data, so that only a place counts
 * that a fence was written in front of, or where one side is atomic and the other one reads. */
static int is_flag(uintptr_t at, unsigned other, unsigned past, unsigned attributes, unsigned what)
{
  const unsigned strong = SIMT_ATOMIC | SIMT_VOLATILE;
  if (!(other & strong) || !(attributes & strong) || other & attributes & SIMT_ATOMIC)
    return 0;
  const int has_atomic = (other | attributes) & SIMT_ATOMIC;
  if (has_atomic && (past == SIMT_READ || what == SIMT_READ))
    return 1;
  const simt_thread *const t = iw_simt_now.thread;
  return (has_atomic || past == SIMT_READ || what == SIMT_READ) &&
         (sync_at(at, 0, 0) != NULL || (what == SIMT_WRITE && (t->fenced[0] || t->fenced[1])));
}

static void conflict(simt_record r, unsigned past, uintptr_t at, unsigned bytes, unsigned what,
                     unsigned attributes, uint32_t pc)
{
  simt_thread *const t = iw_simt_now.thread;
  const unsigned other = r.who & SIMT_ATTRIBUTES;
  char text[640];
  sim_kind kind = SIM_RACE;
  int is_note = 0;
  const char *why = reason(r, attributes);
  if (!(iw_simt_now.checks & SIM_CHECK_RACE))
    return;
  const int is_in_warp =
    r.seg == iw_simt_now.seg && (r.who ^ iw_simt_now.who) >> SIMT_THREAD_AT < SIMT_LANES;
  if (covers(t->pending[0], r) || covers(t->pending[1], r) || covers(t->block->pending[0], r) ||
      covers(t->block->pending[1], r)) {
    kind = SIM_FENCE;
    is_note = 1;
    why = "the thread has read that the other is done, but no fence stands behind that read";
  } else if (!is_in_warp && is_flag(at, other, past, attributes, what)) {
    is_note = 1;
    why = "which is no race, as both are volatile or atomic";
  }
  if (!iw_simt_is_new(kind, is_note, pc, r.pc))
    return;
  snprintf(text, sizeof text, "%s %s %s; %s %s at %%s, %s", iw_simt_me(), verb(what, attributes, 0), iw_simt_place(at),
           iw_simt_who(iw_simt_block_of_seg[r.seg], simt_record_thread(r)), verb(past, other, 1), why);
  if (kind == SIM_RACE && !is_note && what == SIMT_WRITE && past == SIMT_WRITE && !attributes && !other &&
      bytes <= 16 && !deferred.is_set) {
    deferred.is_set = 1;
    deferred.at = at;
    deferred.bytes = bytes;
    deferred.pc = pc;
    deferred.other_pc = r.pc;
    memcpy(deferred.before, (const void *)at, bytes);
    deferred.countdown = iw_simt_now.countdown;
    iw_simt_now.countdown = 0;
    memcpy(deferred.text, text, sizeof text);
    return;
  }
  if (kind == SIM_RACE && !is_note && ((past == SIMT_READ && !other && attributes & SIMT_ATOMIC) ||
                                       (what == SIMT_READ && !attributes && other & SIMT_ATOMIC)) &&
      hold(pc, r.pc, what == SIMT_READ ? pc : r.pc, text))
    return;
  iw_simt_found(kind, is_note, pc, r.pc, "%s", text);
}

/* Whether two atomics may meet: their scopes include both threads. */
static int may_meet(simt_record r, unsigned attributes)
{
  return (r.who & attributes & SIMT_ATOMIC) && (!((r.who | attributes) & SIMT_OF_BLOCK) || is_same_block(r));
}

static void against(simt_record r, unsigned past, uintptr_t at, unsigned bytes, unsigned what,
                    unsigned attributes, uint32_t pc)
{
  if (r.seg >= iw_simt_now.first_seg && !is_same_thread(r) && !may_meet(r, attributes) &&
      !is_ordered(r))
    conflict(r, past, at, bytes, what, attributes, pc);
}

/* How far an access is from the running thread; 0: it is ordered before it. */
static int distance(simt_record r)
{
  if (r.seg < iw_simt_now.first_seg)
    return 0;
  if (r.seg == iw_simt_now.seg)
    return (r.who ^ iw_simt_now.who) >> SIMT_THREAD_AT >= SIMT_LANES ? 2 : is_ordered(r) ? 0 : 1;
  return is_ordered(r) ? 0 : 3;
}

/* An atomic write is about to replace the last write. */
static void keep_earlier(simt_cell *cell)
{
  const simt_record r = cell->write, earlier = cell->earlier;
  if (r.seg < iw_simt_now.first_seg)
    return;
  if (!(r.who & SIMT_ATOMIC))
    cell->earlier = r;
  else if (is_same_thread(r))
    return;
  else if (earlier.seg < iw_simt_now.first_seg ||
           (earlier.who & SIMT_ATOMIC && (r.seg != iw_simt_now.seg || distance(earlier) < 2))) {
    if (distance(r) > 0)
      cell->earlier = r;
  }
}

void iw_simt_check_cell(simt_cell *cell, uintptr_t at, unsigned bytes, unsigned what, unsigned attributes,
                        uint32_t pc)
{
  const simt_record me = { iw_simt_now.seg, iw_simt_now.who | attributes, pc };
  against(cell->write, SIMT_WRITE, at, bytes, what, attributes, pc);
  /* Who resets a counter behind an atomic, its own or one that its block did in front of a barrier, comes
   * behind those that this one has counted. */
  if (what != SIMT_WRITE || !(cell->write.who & cell->earlier.who & SIMT_ATOMIC) || !is_ordered(cell->write))
    against(cell->earlier, SIMT_WRITE, at, bytes, what, attributes, pc);
  if (attributes & SIMT_COMPARES && is_same_thread(cell->read) && !(cell->read.who & SIMT_ATTRIBUTES) &&
      compared_count < MOST_HELD && !is_compared(cell->read.pc))
    compared[compared_count++] = cell->read.pc;
  if (what & SIMT_WRITE) {
    against(cell->read, SIMT_READ, at, bytes, what, attributes, pc);
    against(cell->other, SIMT_READ, at, bytes, what, attributes, pc);
    if (attributes & SIMT_ATOMIC) { /* plain accesses stay: later atomics conflict with them */
      keep_earlier(cell);
    } else
      cell->read.seg = cell->other.seg = cell->earlier.seg = 0;
    cell->write = me;
    return;
  }
  if (!is_same_thread(cell->read)) {
    const int from_read = distance(cell->read);
    if (from_read > 0 && from_read >= distance(cell->other))
      cell->other = cell->read;
  }
  cell->read = me;
}
