/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels in CUDA C++ cost, by the rules of the simulator's counters (src/sim/counters.c,
 * doc/counters.md): sectors, wavefronts, rounds of atomics. Threads run one after the other, so the accesses
 * of a warp are put together here: the n-th time that a lane is at an instruction since the last barrier or
 * operation of the warp belongs to the n-th time of the other lanes. Counts only in the process of the first
 * schedule.
 */
#include "sim/profiles.h"
#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>

int iw_simt_counting;

/* ---- What counters.c and trace.c of the simulator look at ---------------------------------------------- */

enum { SHARED_BASE = 1 << 20 }; /* stands for the block's shared memory, of which two parts lie elsewhere */

static sim_state *state;
static iw_kernel kernel;
static sim_launch launch = { .kernel = &kernel, .warp_size = SIMT_LANES };
static sim_block block = { .launch = &launch, .shared = (char *)(uintptr_t)SHARED_BASE };
static sim_warp warp = { .block = &block };
static sim_region regions[2]; /* global memory up to the last allocation, and the program's variables */

sim_region *iw_sim_memory_find(sim_state *of, const void *address)
{
  (void)of;
  for (unsigned i = 0; i < 2; i++)
    if ((uintptr_t)address - (uintptr_t)regions[i].base < regions[i].bytes)
      return &regions[i];
  return NULL;
}

sim_warp *iw_simt_as_warp(const simt_block *b, unsigned w)
{
  block.index = b->index;
  block.interval = b->interval + 1;
  warp.index = w;
  return &warp;
}

static void cover(sim_region *region, uintptr_t base, size_t bytes)
{
  if (region->bytes != bytes || (uintptr_t)region->base != base) {
    free(region->touched);
    free(region->atomics);
    *region = (sim_region){ .base = (char *)base, .bytes = bytes };
  }
}

void iw_simt_count_open(sim_state *of)
{
  const char *const name = getenv("ISOWARP_SIM_COUNT");
  static sim_region *all[2] = { &regions[0], &regions[1] };
  state = launch.state = of;
  iw_simt_counting = iw_simt_trace_open(of);
  if (!((name && *name) || getenv("ISOWARP_SIMT_COUNTS")) || iw_sim_counters_open(of) != IW_OK ||
      iw_sim_set_counting(of->context, 1) != IW_OK)
    return;
  state->profile = profiles[0];
  state->regions = all;
  state->region_count = 2;
  iw_simt_counting |= SIMT_COUNTS;
}

static void write_count(void *user, const iw_sim_count *c)
{
  FILE *const out = user;
  const char *const texts[] = { c->kernel, c->file, c->operation, c->limit };
  fwrite(c, sizeof *c, 1, out);
  fwrite(c->values, sizeof *c->values, c->metrics, out);
  fwrite(c->bank_words, sizeof *c->bank_words, IW_SIM_BANKS, out);
  fwrite(c->bank_conflicts, sizeof *c->bank_conflicts, IW_SIM_BANKS, out);
  for (int i = 0; i < 4; i++)
    iw_simt_write_text(out, texts[i]);
}

/* The first process has the findings, and this one the counts. */
void iw_simt_count_close(void)
{
  const char *const name = getenv("ISOWARP_SIMT_COUNTS");
  FILE *const out = iw_simt_counting & SIMT_COUNTS && name ? fopen(name, "w") : NULL;
  if (out) {
    iw_simt_write_text(out, state->profile.title);
    for (iw_sim_level level = IW_SIM_KERNELS; level <= IW_SIM_LINES; level++)
      (void)iw_sim_for_each_count(state->context, level, write_count, out);
    fclose(out);
  }
  if (iw_simt_counting & SIMT_COUNTS)
    iw_sim_counters_close(state);
  iw_simt_trace_close();
  iw_simt_counting = 0;
}

static void trace_launch(int is_end)
{
  if (!state || !state->trace)
    return;
  iw_simt_trace_clock(state);
  iw_sim_trace_launch(&launch, is_end);
}

void iw_simt_count_launch(const char *name, size_t grid, unsigned threads, size_t shared)
{
  const simt_now *const now = &iw_simt_now;
  kernel.name = name;
  launch.grid = grid;
  launch.threads = threads;
  block.shared_bytes = shared;
  trace_launch(0);
  if (!(iw_simt_counting & SIMT_COUNTS))
    return;
  cover(&regions[0], now->global.base, iw_simt_used());
  cover(&regions[1], now->data.base, now->data.bytes);
  iw_sim_count_launch(&launch, shared);
}

void iw_simt_count_end_launch(void)
{
  trace_launch(1);
}

typedef enum use { LOAD, STORE, ATOMIC, MEETING, USES } use;

static const iw_site *site_of(uint32_t pc, use how)
{
  static const char *const names[USES] = { "load", "store", "atomic", "warp" };
  return iw_sim_make_site(pc, names[how], NULL);
}

/* ---- The accesses of a warp ---------------------------------------------------------------------------- */

typedef struct instruction { simt_traced *traced; uint32_t lanes; uint64_t at[SIMT_LANES]; } instruction;

/* One place in the code, each time that the lanes were there. */
typedef struct place {
  uint32_t pc, bytes;
  use how;
  uint32_t rounds[SIMT_LANES];
  uint32_t count;
  size_t capacity;
  instruction *times;
} place;

struct simt_count { place *places; size_t capacity; uint32_t count, last, pending; };
enum { MOST_PENDING = 1 << 18 }; /* of a warp: 70 MB */

static place *place_of(simt_count *c, uint32_t pc, use how, uint32_t bytes)
{
  for (uint32_t n = 0; n < c->count; n++) {
    place *const p = &c->places[(c->last + n) % c->count];
    if (p->pc == pc && p->how == how && p->bytes == bytes) {
      c->last = (uint32_t)(p - c->places);
      return p;
    }
  }
  if (c->count == c->capacity)
    c->places = iw_simt_more(c->places, &c->capacity, sizeof *c->places, "counts");
  c->places[c->count] = (place){ .pc = pc, .bytes = bytes, .how = how };
  return &c->places[c->count++];
}

void iw_simt_count_flush(simt_block *b, unsigned w)
{
  static const unsigned kinds[] = { [LOAD] = IW_SIM_LOAD, [STORE] = IW_SIM_STORE, [ATOMIC] = IW_SIM_ATOMIC };
  simt_count *const c = b->warp[w].counted;
  for (uint32_t k = 0; c && k < c->count; k++) {
    place *const p = &c->places[k];
    const iw_site *const site = p->count && iw_simt_counting & SIMT_COUNTS ? site_of(p->pc, p->how) : NULL;
    for (uint32_t n = 0; site && n < p->count; n++) {
      const iw_sim_access of = { .site = site, .extent = SIZE_MAX, .index_64 = p->times[n].at,
                                 .size = p->bytes, .kind = kinds[p->how], .lanes = p->times[n].lanes };
      for (unsigned l = 0; l < SIMT_LANES; l++) /* counters.c multiplies by the size */
        p->times[n].at[l] /= p->bytes;
      iw_sim_count_access(&warp, &of);
    }
    p->count = 0;
    memset(p->rounds, 0, sizeof p->rounds);
  }
  if (c)
    c->pending = 0;
  if (iw_simt_counting & SIMT_TRACE)
    iw_simt_trace_flush(&b->warp[w]);
}

void iw_simt_count_access(uintptr_t at, size_t bytes, int is_write, int is_atomic, uint32_t pc)
{
  const simt_now *const now = &iw_simt_now;
  const simt_thread *const t = now->thread;
  simt_count **const counted = &now->block->warp[t->index / SIMT_LANES].counted;
  const unsigned lane = t->index % SIMT_LANES;
  const uintptr_t address = at;
  size_t offset;
  if (bytes == 0 || bytes > 16 || bytes & (bytes - 1) || at & (bytes - 1) ||
      at - now->stacks < now->stacks_bytes || iw_simt_counting == SIMT_TIMELINE)
    return;
  if (at - now->global.base >= now->global.bytes) {
    const simt_area *const area = iw_simt_area(at, &offset);
    if (!area || iw_simt_is_index(at, bytes)) /* threadIdx and kin are registers of a GPU */
      return;
    at = area == &now->shared ? SHARED_BASE + offset : at;
  }
  if (!*counted)
    *counted = iw_simt_must(calloc(1, sizeof **counted), "counts");
  if ((*counted)->pending == MOST_PENDING)
    iw_simt_count_flush(now->block, t->index / SIMT_LANES);
  place *const p = place_of(*counted, pc, is_atomic ? ATOMIC : is_write ? STORE : LOAD, (uint32_t)bytes);
  const uint32_t round = p->rounds[lane]++;
  if (round >= p->count) {
    if (p->count == p->capacity)
      p->times = iw_simt_more(p->times, &p->capacity, sizeof *p->times, "counts");
    memset(&p->times[p->count++], 0, sizeof *p->times);
    (*counted)->pending++;
  }
  p->times[round].lanes |= 1u << lane;
  p->times[round].at[lane] = at;
  if (iw_simt_counting & SIMT_TRACE)
    iw_simt_trace_access(&p->times[round].traced, address, bytes, is_write, is_atomic, pc);
}

/* ---- Barriers and operations of warps ------------------------------------------------------------------ */

void iw_simt_count_barrier(simt_block *b)
{
  const iw_site *const site = site_of(b->barrier_pc, MEETING);
  for (unsigned w = 0; w * SIMT_LANES < b->count; w++) {
    iw_simt_count_flush(b, w);
    if (site && b->warp[w].alive && iw_simt_counting & SIMT_COUNTS)
      iw_sim_count_barrier(&warp, site);
  }
}

void iw_simt_count_meeting(simt_block *b, unsigned w, iw_simt_warp_kind kind, uint32_t pc)
{
  const iw_site *const site = site_of(pc, MEETING);
  iw_simt_count_flush(b, w);
  if (!site || (kind != IW_SIMT_SHUFFLE && kind != IW_SIMT_BALLOT) || !(iw_simt_counting & SIMT_COUNTS))
    return;
  iw_sim_self = &warp.self;
  iw_sim_count_instruction(site, kind == IW_SIMT_SHUFFLE ? IW_SIM_SHUFFLE : IW_SIM_VOTE, 1);
  iw_sim_self = NULL;
}

void iw_simt_count_end_block(simt_block *b)
{
  for (unsigned w = 0; w * SIMT_LANES < b->count; w++) {
    simt_count *const c = b->warp[w].counted;
    iw_simt_count_flush(b, w);
    for (uint32_t k = 0; c && k < c->count; k++)
      free(c->places[k].times);
    if (c)
      free(c->places);
    free(c);
    b->warp[w].counted = NULL;
  }
}
