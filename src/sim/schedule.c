/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch on the simulated GPU: blocks become resident, each warp runs the kernel in a context of its own,
 * and a policy chooses which warp runs when one has to wait. A warp waits at a barrier until all warps of
 * its block are there, and between two polls until somebody has written. If every warp of every resident
 * block waits, and no block can be made resident, the launch can never end: that is a finding, not a
 * timeout. Backend layer; knows no algorithm.
 *
 * A policy is deterministic: with the same seed a run is the same.
 */
#include "sim/fiber.h"
#include "sim/sim.h"
#include "runtime/arithmetic.h"
#include "runtime/fp_environment.h"
#include "runtime/memory.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A variable of each warp (IW_VAR). */
typedef struct sim_variables {
  struct sim_variables *next;
  const iw_site *site;
  size_t bytes;               /* of one warp's */
  _Alignas(64) char storage[];
} sim_variables;

/* A publish that a policy holds back. */
typedef struct held_publish {
  struct held_publish *next;
  sim_block *block;
  uint64_t *slots;
  unsigned words;
  int undefined;              /* the slots were, before it */
  uint64_t value[2];
} held_publish;

/* A counter of iw_is_last_block, which has to be 0 again when the launch has ended. */
enum { MAX_COUNTERS = 8 };

typedef struct sim_schedule {
  sim_launch *launch;
  size_t shared;              /* bytes of the kernel's struct */
  sim_block **active;         /* in the order in which they became resident */
  size_t active_count, resident, started;
  size_t at;                  /* the place in `active` of the block that ran last */
  size_t ready;               /* warps */
  size_t none_ready;          /* blocks at the beginning of `active` that have no ready warp */
  uint64_t in_vain;           /* looks at what has not changed, since the last write or end of a warp */
  uint64_t vain_writes;       /* sim_launch.writes then */
  int gives_up;               /* a warp went on though nobody had written */
  size_t woken;               /* warps that looked again before the next block began */
  sim_warp *running, *skipped;/* skipped: not to be chosen next, if there is another */
  uint64_t random, tickets;
  unsigned switches;          /* since the running warp began to run */
  unsigned polls;             /* the same one in succession, without a write */
  held_publish *held, **held_end;
  struct { const uint32_t *at; const iw_site *site; } counters[MAX_COUNTERS];
  unsigned counter_count;
} sim_schedule;

/* ---- Random numbers (splitmix64) --------------------------------------------------------------------- */

static uint64_t next_random(sim_schedule *s)
{
  uint64_t z = s->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* ---- Blocks ------------------------------------------------------------------------------------------ */

size_t iw_sim_occupancy(const sim_profile *profile, unsigned threads, size_t shared)
{
  enum { RESERVED = 1 << 10 }; /* of a block's shared memory, by the system */
  const size_t by_threads = profile->threads_per_processor / (iw_ceil_div(threads, 32) * 32);
  const size_t by_shared = profile->shared_per_processor / (shared + SIM_SHARED_AT + RESERVED);
  const size_t blocks = iw_min(iw_min(by_threads, by_shared), profile->blocks_per_processor);
  return iw_max(blocks, 1) * profile->processors;
}

/* The k-th of the blocks in an order that the seed and the launch choose: a bijection of the numbers below
 * a power of two, which is applied again to what is no block. */
static size_t shuffled_block(const sim_schedule *s, size_t k)
{
  enum { ROUNDS = 4 };
  const size_t grid = s->launch->grid;
  unsigned bits = 1;
  while ((grid - 1) >> bits)
    bits++;
  const size_t mask = ((size_t)1 << bits) - 1;
  do {
    sim_schedule keys = { .random = s->launch->state->seed ^ (uint64_t)s->launch->number << 32 };
    for (int i = 0; i < ROUNDS; i++) {
      k = (k * (next_random(&keys) | 1) + (next_random(&keys) >> 32)) & mask;
      k ^= k >> (bits + 1) / 2;
    }
  } while (k >= grid);
  return k;
}

/* The order in which blocks become resident. */
static size_t block_to_start(const sim_schedule *s)
{
  const size_t k = s->started, grid = s->launch->grid;
  switch (s->launch->state->policy) {
    case SIM_DESCENDING:
    case SIM_ADVERSARIAL: return grid - 1 - k;
    case SIM_RANDOM:
    case SIM_PRIORITY: return shuffled_block(s, k);
    default: return k;
  }
}

/* What the variables of a block are at the end of an interval. */
static void trace_variables(const sim_block *block)
{
  if (!block->launch->state->trace)
    return;
  iw_sim_trace_stored(block->launch->state);
  for (const sim_variables *v = block->variables; v; v = v->next)
    iw_sim_trace_variable(block, v->site, v->bytes, v->storage);
}

static void free_block(sim_block *block)
{
  sim_state *const state = block->launch->state;
  iw_sim_check_block_end(block);
  for (unsigned w = 0; w < block->warps; w++)
    if (block->warp[w].fiber)
      iw_sim_fiber_push(&state->fibers, block->warp[w].fiber);
  while (block->variables) {
    sim_variables *const next = block->variables->next;
    free(block->variables);
    block->variables = next;
  }
  iw_sim_shared_free(state, block->shared_mapping);
  free(block);
}

static void run_warp(void *argument)
{
  sim_warp *const warp = argument;
  sim_block *const block = warp->block;
  block->launch->kernel->run_warp(&warp->view, block->shared + SIM_SHARED_AT, block->launch->args);
  warp->state = SIM_DONE;
}

/* Makes the next block resident. 0: there is none, no place, or no memory for it. */
static int start_block(sim_schedule *s)
{
  sim_launch *const launch = s->launch;
  const unsigned warps = (launch->threads + launch->warp_size - 1) / launch->warp_size;
  if (s->started == launch->grid || s->active_count == s->resident)
    return 0;
  sim_block *const block = calloc(1, sizeof *block + warps * sizeof *block->warp);
  if (!block)
    return 0;
  block->launch = launch;
  block->index = block_to_start(s);
  block->warps = block->ready = warps;
  block->interval = 1;
  block->shared_bytes = SIM_SHARED_AT + s->shared;
  block->shared_mapping = iw_sim_shared_new(launch->state);
  if (!block->shared_mapping) {
    free(block);
    return 0;
  }
  block->shared = block->shared_mapping + SIM_SHARED_FRONT;
  memset(block->shared, 0xa5, block->shared_bytes);
  if (!iw_sim_check_block_begin(block)) {
    iw_sim_shared_free(launch->state, block->shared_mapping);
    free(block);
    return 0;
  }
  for (unsigned w = 0; w < warps; w++) {
    sim_warp *const warp = &block->warp[w];
    warp->self.owner = (uint32_t)(s->started * warps + w) % 0x7fffffff + 1;
    warp->self.checks = launch->state->checks | (launch->state->counting ? IW_SIM_COUNTS : 0) |
                        (launch->state->trace ? IW_SIM_TRACES : 0);
    warp->block = block;
    warp->index = w;
    warp->state = SIM_READY;
    warp->priority = next_random(s);
    const unsigned threads = launch->threads - w * launch->warp_size;
    warp->self.lanes = threads >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << threads) - 1;
    warp->self.writes = &launch->writes;
    warp->view = (iw_block){
      .index = block->index, .blocks = launch->grid, .threads = launch->threads, .warps = warps, .first_warp = w,
      .warp_stride = warps, .is_team = 1, .memory = (iw_block_memory *)block->shared, .team = block,
    };
  }
  s->started++;
  s->ready += warps;
  s->none_ready = iw_min(s->none_ready, s->active_count);
  s->active[s->active_count++] = block;
  return 1;
}

static void end_block(sim_schedule *s, sim_block *block)
{
  size_t at = 0;
  while (s->active[at] != block)
    at++;
  memmove(s->active + at, s->active + at + 1, (s->active_count - at - 1) * sizeof *s->active);
  s->active_count--;
  if (s->at > at)
    s->at--;
  if (s->none_ready > at)
    s->none_ready--;
  trace_variables(block);
  if (block->tickets)
    iw_sim_found(s->launch->state, SIM_PROGRESS, block->tickets_site, NULL,
                "block %zu took tickets here and ends without iw_tickets_close()", block->index);
  free_block(block);
}

/* ---- Waiting ----------------------------------------------------------------------------------------- */

static void begin_slice(const sim_warp *warp, iw_sim_slice slice, const iw_site *site)
{
  if (warp->block->launch->state->trace)
    iw_sim_trace_slice(warp, IW_SIM_EVENT_BEGIN, slice, site);
}

static void end_slice(const sim_warp *warp, iw_sim_slice slice, const iw_site *site)
{
  if (warp->block->launch->state->trace)
    iw_sim_trace_slice(warp, IW_SIM_EVENT_END, slice, site);
}

/* The phase that the warp is in ends. */
static void end_phase(sim_warp *warp)
{
  if (warp->self.in_phase)
    end_slice(warp, IW_SIM_SLICE_PHASE, warp->phase);
  warp->self.in_phase = 0;
}

static void leave(sim_warp *warp)
{
  iw_sim_fiber_yield(warp->fiber);
}

static void set_ready(sim_warp *warp)
{
  warp->state = SIM_READY;
  warp->block->ready++;
  warp->block->launch->schedule->ready++;
}

static void set_not_ready(sim_warp *warp)
{
  warp->block->ready--;
  warp->block->launch->schedule->ready--;
}

static void stop(sim_warp *warp)
{
  warp->block->launch->stop = 1;
  leave(warp); /* and is never run again */
}

static void report_trap(const sim_warp *warp)
{
  sim_state *const state = warp->block->launch->state;
  const int is_division = warp->trapped == SIGFPE;
  const char *const trap = is_division ? "plain C divides an integer by 0, or the quotient is not an integer of its type"
                           : warp->trapped == SIGSEGV || warp->trapped == SIGBUS ? "plain C accesses memory that is not there"
                           : "a check that the compiler inserted in plain C has failed (-fsanitize)";
  const iw_site *const phase = warp->phase;
  if (warp->last)
    iw_sim_found(state, is_division ? SIM_UNDEFINED : SIM_BOUNDS, warp->last, phase, "block %zu warp %u: %s, after this",
                 warp->block->index, warp->index, trap);
  else
    iw_sim_found(state, is_division ? SIM_UNDEFINED : SIM_BOUNDS, phase, NULL, "block %zu warp %u: %s", warp->block->index,
                 warp->index, trap);
}

void iw_sim_phase_begin(iw_block *view, const iw_site *site)
{
  sim_warp *const warp = sim_self();
  (void)view;
  if (warp->self.in_phase)
    iw_sim_found(warp->block->launch->state, SIM_PHASE, warp->phase, site,
                "the phase was left by break, return or goto: the next one begins in it");
  end_phase(warp);
  warp->self.in_phase = 1;
  warp->phase = site;
  begin_slice(warp, IW_SIM_SLICE_PHASE, site);
}

void iw_sim_phase_end(iw_block *view)
{
  (void)view;
  end_phase(sim_self());
}

/* The place that a barrier is told by: within the language's headers the collective. */
static const iw_site *barrier_site(const sim_warp *warp, const iw_site *site)
{
  (void)warp;
  return iw_sim_site(site);
}

/* All warps that have not ended wait at a barrier. */
static void meet(sim_block *block)
{
  sim_state *const state = block->launch->state;
  const sim_warp *first = NULL;
  for (unsigned w = 0; w < block->warps; w++) {
    const sim_warp *const warp = &block->warp[w];
    if (!first)
      first = warp;
    const int differs = warp->state != first->state || warp->site != first->site;
    if (differs && state->checks & SIM_CHECK_BARRIER) {
      const sim_warp *const here = warp->state == SIM_AT_BARRIER ? warp : first;
      const sim_warp *const other = here == warp ? first : warp;
      if (other->state == SIM_DONE)
        iw_sim_found(state, SIM_BARRIER, here->site, NULL,
                    "block %zu: warp %u waits here for all warps of the block, but warp %u has left the kernel", block->index,
                    here->index, other->index);
      else
        iw_sim_found(state, SIM_BARRIER, here->site, other->site,
                    "block %zu: warp %u waits here for all warps of the block, and warp %u at another barrier", block->index,
                    here->index, other->index);
      break;
    }
  }
  for (unsigned w = 0; w < block->warps; w++)
    if (block->warp[w].state == SIM_AT_BARRIER) {
      set_ready(&block->warp[w]);
      end_slice(&block->warp[w], IW_SIM_SLICE_BARRIER, block->warp[w].site);
    }
  trace_variables(block);
  sim_schedule *const s = block->launch->schedule;
  s->none_ready = iw_min(s->none_ready, s->at); /* the block is the one that runs */
  block->waiting = 0;
  block->interval++;
  block->uniform_site = NULL;
  iw_sim_check_barrier(block);
}

void iw_sim_barrier(const iw_block *view, const iw_site *site)
{
  sim_warp *const warp = sim_self();
  sim_block *const block = warp->block;
  (void)view;
  if (warp->self.in_phase) {
    iw_sim_found(block->launch->state, SIM_PHASE, warp->phase, iw_sim_site(site),
                "the phase was left by break, return or goto before its end");
    end_phase(warp);
  }
  warp->site = barrier_site(warp, site);
  if (warp->self.checks & IW_SIM_COUNTS)
    iw_sim_count_barrier(warp, warp->site);
  begin_slice(warp, IW_SIM_SLICE_BARRIER, warp->site);
  warp->state = SIM_AT_BARRIER;
  set_not_ready(warp);
  block->waiting++;
  const int all = block->waiting + block->done == block->warps;
  if (all)
    meet(block);
  if (!all || block->launch->state->policy != SIM_ASCENDING)
    leave(warp);
}

static unsigned policy_of(const sim_warp *warp)
{
  return warp->block->launch->state->policy;
}

/* Nothing that this warp reads has changed since `seen`: waits until something does. */
static void wait_for_writes(sim_warp *warp, const iw_site *site)
{
  warp->site = iw_sim_site(site);
  warp->seen_writes = warp->block->launch->writes;
  begin_slice(warp, IW_SIM_SLICE_POLL, warp->site);
  warp->state = SIM_WAITING;
  set_not_ready(warp);
  leave(warp);
}

void iw_sim_switch(const iw_site *site)
{
  enum { MANY = 1024 };
  sim_warp *const warp = sim_self();
  sim_launch *const launch = warp->block->launch;
  sim_schedule *const s = launch->schedule;
  int leaves = 0;
  (void)site;
  switch (policy_of(warp)) {
    case SIM_ASCENDING:
    case SIM_DESCENDING: leaves = ++s->switches % MANY == 0; break;
    case SIM_ROUND_ROBIN:
    case SIM_ADVERSARIAL: leaves = 1; break;
    case SIM_RANDOM: leaves = next_random(s) % 4 == 0; break;
    default:
      leaves = next_random(s) % 16 == 0;
      if (leaves)
        warp->priority = next_random(s) >> 8;
      break;
  }
  /* Atomics that change nothing, without end, wait as polls do. */
  warp->idle = launch->writes == warp->idle_writes ? warp->idle + 1 : 0;
  warp->idle_writes = launch->writes;
  if (warp->idle >= MANY) {
    warp->idle = 0;
    s->in_vain += MANY;
    wait_for_writes(warp, site);
  } else if (leaves) {
    s->skipped = warp;
    leave(warp);
  }
}

void iw_sim_wait(const iw_site *site)
{
  sim_warp *const warp = sim_self();
  sim_launch *const launch = warp->block->launch;
  warp->site = iw_sim_site(site);
  warp->idle = 0; /* atomics with a pause in between are no loop without one */
  if (launch->writes == warp->seen_writes) { /* nothing has changed since it began to look */
    wait_for_writes(warp, site);
    return;
  }
  launch->schedule->skipped = warp;
  begin_slice(warp, IW_SIM_SLICE_POLL, warp->site);
  leave(warp);
  end_slice(warp, IW_SIM_SLICE_POLL, warp->site);
}

/* ---- Slots, tickets and the last block --------------------------------------------------------------- */

static void write_words(sim_launch *launch, uint64_t *slots, const uint64_t *value, unsigned words)
{
  memcpy(slots, value, words * sizeof *value);
  launch->writes++;
}

/* Performs publishes that were held back: of one block, or if that is NULL of all. */
static int release_held(sim_schedule *s, const sim_block *block)
{
  int any = 0;
  for (held_publish **link = &s->held; *link;) {
    held_publish *const held = *link;
    if (block && held->block != block) {
      link = &held->next;
      continue;
    }
    write_words(s->launch, held->slots, held->value, held->words);
    *link = held->next;
    free(held);
    any = 1;
  }
  s->held_end = &s->held;
  while (*s->held_end)
    s->held_end = &(*s->held_end)->next;
  return any;
}

/* Writes the words of a slot, unless the policy holds them back. undefined: the slot was, before. */
static void write_or_hold(const sim_warp *warp, uint64_t *slot, const uint64_t *value, unsigned words, int undefined)
{
  sim_launch *const launch = warp->block->launch;
  sim_schedule *const s = launch->schedule;
  held_publish *const held = policy_of(warp) == SIM_ADVERSARIAL ? malloc(sizeof *held) : NULL;
  if (!held) {
    write_words(launch, slot, value, words);
    return;
  }
  *held = (held_publish){ .block = warp->block, .slots = slot, .words = words, .undefined = undefined };
  memcpy(held->value, value, words * sizeof *value);
  *s->held_end = held;
  s->held_end = &held->next;
}

/* Each of the lanes l publishes `words` words, the first of which is slots[first + l * words]. */
static void publish(const iw_site *site, uint64_t *slots, int64_t first, unsigned words, uint64_t lanes, const uint64_t *values,
                    int release)
{
  sim_warp *const warp = sim_self();
  sim_launch *const launch = warp->block->launch;
  uint64_t undefined = 0;
  if (policy_of(warp) == SIM_ADVERSARIAL && launch->state->checks)
    for (unsigned l = 0; l < 64; l++)
      if (lanes >> l & 1 && !iw_sim_memory_is_defined(launch->state, slots + first + l * words, words * sizeof *slots))
        undefined |= (uint64_t)1 << l;
  if (launch->state->trace)
    launch->state->steps++;
  lanes = iw_sim_check_slots(warp, site, IW_SIM_STORE, slots, first, words, lanes, values);
  if (!lanes)
    return;
  if (release)
    iw_sim_check_release(warp, slots + first);
  if (launch->state->trace)
    iw_sim_trace_slots(warp, site, 1, lanes, first, words, values);
  for (unsigned l = 0; l < 64; l++)
    if (lanes >> l & 1)
      write_or_hold(warp, slots + first + l * words, values + l * words, words, undefined >> l & 1);
}

void iw_sim_publish(const iw_site *site, uint64_t *slots, size_t first, unsigned words, const uint64_t *value, int release)
{
  publish(site, slots, (int64_t)first, words, 1, value, release);
}

void iw_sim_publish_lanes(const iw_site *site, uint64_t *slots, int64_t first, unsigned words, uint64_t lanes, const uint64_t *values)
{
  publish(site, slots, first, words, lanes, values, 0);
}

void iw_sim_poll(const iw_site *site, const uint64_t *slots, int64_t first, unsigned words, uint64_t lanes, uint64_t *values,
                 int acquire)
{
  enum { MANY = 1024 };
  sim_warp *const warp = sim_self();
  sim_schedule *const s = warp->block->launch->schedule;
  if (s->launch->state->trace)
    s->launch->state->steps++;
  if (s->held)
    release_held(s, warp->block);
  const int again = warp->polled == slots + first && warp->block->launch->writes == warp->seen_writes;
  s->polls = again ? s->polls + 1 : 0;
  warp->polled = slots + first;
  if (s->polls == MANY) { /* a loop without iw_pause() */
    s->polls = 0;
    s->in_vain += MANY;
    iw_sim_wait(site);
  }
  lanes = iw_sim_check_slots(warp, site, IW_SIM_LOAD, slots, first, words, lanes, NULL);
  for (unsigned l = 0; l < 64; l++)
    if (lanes >> l & 1) {
      const uint64_t *const slot = slots + first + l * words;
      memcpy(values + l * words, slot, words * sizeof *slot);
      for (const held_publish *held = s->held; held; held = held->next)
        if (held->slots == slot && held->undefined)
          iw_sim_check_undefined_slot(warp, site, l);
      if (acquire && *slot >> 32)
        iw_sim_check_acquire(warp, slot);
    }
  if (warp->block->launch->state->trace)
    iw_sim_trace_slots(warp, site, 0, lanes, first, words, values);
}

/* Whether a word of tickets may be accessed. */
static int word_is_there(const iw_site *site, const uint32_t *word)
{
  const iw_sim_access access = {
    .site = site, .extent = SIZE_MAX, .base = word, .stride = 1, .size = sizeof *word, .kind = IW_SIM_ATOMIC | IW_SIM_SLOT,
    .lanes = 1,
  };
  uint64_t undefined;
  return iw_sim_access_memory(&access, &undefined) != 0;
}

uint32_t iw_sim_fetch_add(const iw_site *site, uint32_t *word, uint32_t v)
{
  sim_warp *const warp = sim_self();
  sim_block *const block = warp->block;
  sim_schedule *const s = block->launch->schedule;
  iw_sim_switch(site);
  if (!word_is_there(site, word))
    return 0;
  if (block->tickets && word == block->tickets + 1)
    block->tickets = NULL;
  else
    block->last_ticket = ++s->tickets;
  *word += v;
  block->launch->writes++;
  return *word - v;
}

/* iw_tickets_open and iw_tickets_epoch begin by loading the epoch. */
uint32_t iw_sim_load_word(const iw_site *site, const uint32_t *word)
{
  sim_block *const block = sim_self()->block;
  if (!word_is_there(site, word))
    return 0;
  if (!block->tickets) {
    block->tickets = word - offsetof(iw_tickets, epoch) / sizeof *word;
    block->tickets_site = iw_sim_site(site);
  }
  return *word;
}

/* The last block to close sets the next epoch. */
void iw_sim_store_word(const iw_site *site, uint32_t *word, uint32_t v)
{
  sim_block *const block = sim_self()->block;
  if (!word_is_there(site, word))
    return;
  if (block->tickets && word == block->tickets + offsetof(iw_tickets, epoch) / sizeof *word)
    block->tickets = NULL;
  *word = v;
  block->launch->writes++;
}

uint32_t iw_sim_increment_acq_rel(const iw_site *site, uint32_t *word)
{
  sim_warp *const warp = sim_self();
  sim_schedule *const s = warp->block->launch->schedule;
  unsigned k = 0;
  iw_sim_switch(site);
  if (!word_is_there(site, word))
    return 0;
  while (k < s->counter_count && s->counters[k].at != word)
    k++;
  if (k == s->counter_count && k < MAX_COUNTERS) {
    s->counters[k].at = word;
    s->counters[k].site = iw_sim_site(site);
    s->counter_count++;
  }
  iw_sim_check_release(warp, word);
  const uint32_t was = (*word)++;
  s->launch->writes++;
  if ((uint64_t)was + 1 == warp->block->launch->grid)
    iw_sim_check_acquire(warp, word);
  return was;
}

/* ---- Variables, uniform values ----------------------------------------------------------------------- */

void *iw_sim_variable(iw_block *view, const iw_site *site, size_t bytes)
{
  sim_warp *const warp = sim_self();
  sim_block *const block = warp->block;
  sim_variables *v = block->variables;
  (void)view;
  while (v && (v->site != site || v->bytes != bytes))
    v = v->next;
  if (!v) {
    if (posix_memalign((void **)&v, _Alignof(sim_variables), sizeof *v + block->warps * bytes) != 0)
      v = NULL;
    if (!v) {
      iw_sim_found(block->launch->state, SIM_PROGRESS, site, NULL, "no host memory for %zu bytes of a variable", bytes);
      stop(warp);
    }
    v->site = site;
    v->bytes = bytes;
    v->next = block->variables;
    block->variables = v;
  }
  memset(v->storage + warp->index * bytes, 0xff, bytes);
  return v->storage;
}

void iw_sim_uniform(const iw_block *view, const iw_site *site, uint64_t value)
{
  sim_warp *const warp = sim_self();
  sim_block *const block = warp->block;
  (void)view;
  if (block->uniform_site == site && block->uniform != value && block->launch->state->checks & SIM_CHECK_BARRIER)
    iw_sim_found(block->launch->state, SIM_BARRIER, iw_sim_site(site), NULL,
                "block %zu: warp %u has the value %#llx here and another warp %#llx, but it has to be the same in all warps",
                block->index, warp->index, (unsigned long long)value, (unsigned long long)block->uniform);
  block->uniform_site = site;
  block->uniform = value;
}

void iw_sim_overflow(const iw_site *site, unsigned lane, unsigned bits)
{
  const sim_warp *const warp = sim_self();
  if (warp->self.checks & SIM_CHECK_OVERFLOW)
    iw_sim_found(warp->block->launch->state, SIM_OVERFLOW, iw_sim_site(site), NULL,
                 "block %zu warp %u lane %u: a counter of %u bits passes its range", warp->block->index, warp->index, lane, bits);
}

void iw_sim_tables(const void *begin, const void *end)
{
  sim_launch *const launch = sim_self()->block->launch;
  launch->tables = begin;
  launch->tables_end = end;
}

/* ---- Policies ---------------------------------------------------------------------------------------- */

static sim_warp *ready_warp(const sim_schedule *s, sim_block *block, unsigned from, int down)
{
  for (unsigned k = 0; block->ready && k < block->warps; k++) {
    sim_warp *const warp = &block->warp[(from + (down ? block->warps - k : k)) % block->warps];
    if (warp->state == SIM_READY && warp != s->skipped)
      return warp;
  }
  return NULL;
}

/* The first ready warp of the blocks from place `from` on, which wraps around. */
static sim_warp *ready_from(sim_schedule *s, size_t from, int down, unsigned first_warp)
{
  if (!s->ready)
    return NULL;
  for (size_t k = 0; k < s->active_count; k++) {
    const size_t at = (from + (down ? s->active_count - k : k)) % s->active_count;
    sim_warp *const warp = ready_warp(s, s->active[at], first_warp, down);
    if (warp) {
      s->at = at;
      return warp;
    }
  }
  return NULL;
}

/* The ready warp with the greatest `key` of its block and itself. */
static sim_warp *ready_best(sim_schedule *s, int by_ticket)
{
  sim_warp *best = NULL;
  uint64_t best_key = 0;
  size_t left = s->ready;
  for (size_t at = 0; left && at < s->active_count; left -= s->active[at]->ready, at++)
    for (unsigned w = 0; s->active[at]->ready && w < s->active[at]->warps; w++) {
      sim_warp *const warp = &s->active[at]->warp[w];
      const uint64_t key = by_ticket ? s->active[at]->last_ticket : warp->priority;
      if (warp->state == SIM_READY && warp != s->skipped && (!best || key >= best_key)) {
        best = warp;
        best_key = key;
        s->at = at;
      }
    }
  return best;
}

static sim_warp *choose(sim_schedule *s)
{
  if (!s->active_count)
    return NULL;
  switch (s->launch->state->policy) {
    case SIM_ASCENDING: {
      sim_warp *const warp = s->at < s->active_count ? ready_warp(s, s->active[s->at], 0, 0) : NULL;
      while (s->none_ready < s->active_count && !s->active[s->none_ready]->ready)
        s->none_ready++;
      return warp ? warp : ready_from(s, s->none_ready, 0, 0);
    }
    case SIM_DESCENDING: return ready_from(s, s->active_count - 1, 1, s->active[0]->warps - 1);
    case SIM_ROUND_ROBIN: return ready_from(s, s->at + 1, 0, s->running ? s->running->index + 1 : 0);
    case SIM_RANDOM: return ready_from(s, next_random(s) % s->active_count, 0, (unsigned)(next_random(s) % 64));
    case SIM_PRIORITY: return ready_best(s, 0);
    default: return ready_best(s, 1);
  }
}

static void look_again(sim_schedule *s, sim_warp *warp, size_t at)
{
  set_ready(warp);
  s->none_ready = iw_min(s->none_ready, at);
  end_slice(warp, IW_SIM_SLICE_POLL, warp->site);
}

/* Warps that wait look again if somebody has written since they looked. Returns their number. */
static size_t wake(sim_schedule *s)
{
  size_t woken = 0;
  for (size_t at = 0; at < s->active_count; at++)
    for (unsigned w = 0; w < s->active[at]->warps; w++) {
      sim_warp *const warp = &s->active[at]->warp[w];
      if (warp->state == SIM_WAITING && warp->seen_writes != s->launch->writes) {
        look_again(s, warp, at);
        woken++;
      }
    }
  return woken;
}

/* Lets something run when all warps have to wait. Those that somebody has written for look again before the
 * next block begins. If they have often done so, all blocks begin first: each of them may write, and would
 * wake all others. */
static int resume(sim_schedule *s)
{
  enum { OFTEN = 1024 };
  const size_t woken = s->woken < OFTEN ? wake(s) : 0;
  s->woken += woken;
  return woken || start_block(s) || wake(s);
}

/* Waits that give up after some attempts end by themselves, though nobody writes. So of each place where
 * warps wait, the first ones look again, thousands of times; all do once one has given up. */
static int wait_out(sim_schedule *s)
{
  enum { ATTEMPTS = 1 << 16, EACH = 1 << 11, PLACES = 16, OF_EACH = 4 };
  struct { const iw_site *site; unsigned warps; } places[PLACES];
  unsigned count = 0, woken = 0;
  if (s->vain_writes != s->launch->writes || s->in_vain == 0) {
    s->gives_up |= s->in_vain > 0;
    s->in_vain = 0;
  }
  s->vain_writes = s->launch->writes;
  const uint64_t attempts = s->gives_up ? iw_max((uint64_t)ATTEMPTS, (uint64_t)EACH * s->active_count) : ATTEMPTS;
  for (size_t at = 0; s->in_vain < attempts && at < s->active_count; at++)
    for (unsigned w = 0; w < s->active[at]->warps; w++) {
      sim_warp *const warp = &s->active[at]->warp[w];
      unsigned k = 0;
      if (warp->state != SIM_WAITING)
        continue;
      while (k < count && places[k].site != warp->site)
        k++;
      if (!s->gives_up && (k == PLACES || (k < count && places[k].warps == OF_EACH)))
        continue;
      if (k == count && k < PLACES) {
        places[count].site = warp->site;
        places[count++].warps = 0;
      }
      if (k < PLACES)
        places[k].warps++;
      look_again(s, warp, at);
      woken++;
    }
  s->in_vain += woken;
  return woken != 0;
}

static void find_deadlock(sim_schedule *s)
{
  const sim_warp *waiting = NULL;
  size_t warps = 0;
  for (size_t at = 0; at < s->active_count; at++)
    for (unsigned w = 0; w < s->active[at]->warps; w++)
      if (s->active[at]->warp[w].state == SIM_WAITING) {
        waiting = waiting ? waiting : &s->active[at]->warp[w];
        warps++;
      }
  if (waiting)
    iw_sim_found(s->launch->state, SIM_PROGRESS, waiting->site, NULL,
                "block %zu warp %u waits here for what nobody can write any more: all warps of the %zu resident block%s wait "
                "(%zu of them as this one), and %zu of %zu blocks have not begun", waiting->block->index, waiting->index,
                s->active_count, s->active_count == 1 ? "" : "s", warps, s->launch->grid - s->started, s->launch->grid);
  else
    iw_sim_found(s->launch->state, SIM_PROGRESS, NULL, NULL, "no host memory for a block of %u threads", s->launch->threads);
  s->launch->stop = 1;
}

/* ---- The launch -------------------------------------------------------------------------------------- */

static int run_on_fiber(sim_schedule *s, sim_warp *warp)
{
  sim_state *const state = s->launch->state;
  sim_block *const block = warp->block;
  if (!warp->fiber) {
    warp->fiber = iw_sim_fiber_pop(&state->fibers);
    if (!warp->fiber)
      warp->fiber = iw_sim_fiber_new();
    if (!warp->fiber)
      return 0;
    iw_sim_fiber_start(warp->fiber, run_warp, warp);
    begin_slice(warp, IW_SIM_SLICE_KERNEL, NULL);
  }
  s->running = warp;
  s->skipped = NULL;
  s->switches = 0;
  s->polls = 0;
  warp->seen_writes = s->launch->writes;
  iw_sim_self = &warp->self;
  iw_sim_fiber_run(warp->fiber);
  iw_sim_self = NULL;
  if (warp->trapped)
    report_trap(warp);
  if (warp->state != SIM_DONE || s->launch->stop)
    return 1;
  if (warp->self.in_phase)
    iw_sim_found(state, SIM_PHASE, warp->phase, NULL, "the phase was left by return: the kernel ends in it");
  end_phase(warp);
  end_slice(warp, IW_SIM_SLICE_KERNEL, NULL);
  iw_sim_fiber_push(&state->fibers, warp->fiber);
  warp->fiber = NULL;
  set_not_ready(warp);
  s->in_vain = 0;
  if (++block->done == block->warps) {
    s->running = NULL;
    end_block(s, block);
  } else if (block->waiting && block->waiting + block->done == block->warps)
    meet(block);
  return 1;
}

static void run_to_end(sim_schedule *s)
{
  sim_launch *const launch = s->launch;
  const int one_by_one = launch->state->policy == SIM_ASCENDING;
  while (!launch->stop) {
    if (!one_by_one)
      while (start_block(s)) {}
    sim_warp *warp = choose(s);
    if (!warp && s->skipped) {
      if (one_by_one && resume(s))
        continue;
      s->skipped = NULL;
      warp = choose(s);
    }
    if (warp) {
      if (!run_on_fiber(s, warp))
        find_deadlock(s);
    } else if (!resume(s) && !release_held(s, NULL)) {
      if (!s->active_count && s->started == launch->grid)
        break;
      if (!wait_out(s))
        find_deadlock(s);
    }
  }
}

/* What a launch has to leave behind. */
static void check_counters(const sim_schedule *s)
{
  for (unsigned k = 0; k < s->counter_count; k++)
    if (*s->counters[k].at)
      iw_sim_found(s->launch->state, SIM_PROGRESS, s->counters[k].site, NULL,
                  "the counter is %u after the launch of %zu blocks: not every block has called iw_is_last_block() once",
                  *s->counters[k].at, s->launch->grid);
}

/* After a launch that stopped: what the context's later calls need to be zero. */
static void reset_counters(iw_context *context)
{
  enum { TICKETS = 64 };
  if (context->tickets)
    memset(context->tickets, 0, TICKETS + context->tile_state_capacity * sizeof(uint64_t));
  if (context->zeroed_counters)
    memset(context->zeroed_counters, 0, TICKETS + IW_ZEROED_COUNTERS * sizeof(uint64_t));
}

iw_status iw_sim_run(sim_state *state, const iw_kernel *kernel, size_t grid, unsigned threads, size_t shared, const void *args)
{
  enum { FEW = 32 }; /* blocks that are resident at a time, unless one after the other is tried */
  const size_t room = iw_sim_occupancy(&state->profile, threads, shared);
  size_t resident = state->resident ? state->resident : state->policy == SIM_ASCENDING ? room : iw_min(room, FEW);
  resident = iw_min(resident, grid);
  sim_schedule s = { .shared = shared, .resident = resident, .random = state->seed };
  sim_launch launch = {
    .state = state, .kernel = kernel, .grid = grid, .threads = threads, .warp_size = kernel->warp_size,
    .number = ++state->launches, .writes = 1, .schedule = &s,
  };
  void *const copy = malloc(kernel->args ? kernel->args : 1);
  s.launch = &launch;
  s.held_end = &s.held;
  s.active = malloc(resident * sizeof *s.active);
  if (!copy || !s.active) {
    free(copy);
    free(s.active);
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for a launch of %zu blocks", grid);
  }
  memcpy(copy, args, kernel->args);
  launch.args = copy;
  state->launch = &launch;
  iw_sim_warp *const outer = iw_sim_self;
  iw_fp_env caller;
  iw_fp_env_set_default(&caller);
  iw_sim_check_launch_begin(&launch);
  if (state->counting)
    iw_sim_count_launch(&launch, shared);
  if (state->trace)
    iw_sim_trace_launch(&launch, 0);
  iw_sim_traps_begin();
  run_to_end(&s);
  iw_sim_traps_end();
  if (state->trace)
    iw_sim_trace_launch(&launch, 1);
  if (!launch.stop)
    check_counters(&s);
  iw_sim_check_launch_end(&launch);
  iw_fp_env_restore(&caller);
  iw_sim_self = outer;
  while (s.active_count)
    free_block(s.active[--s.active_count]);
  while (s.held) {
    held_publish *const next = s.held->next;
    free(s.held);
    s.held = next;
  }
  if (launch.stop)
    reset_counters(state->context);
  state->launch = NULL;
  free(s.active);
  free(copy);
  return iw_sim_findings_status(state);
}
