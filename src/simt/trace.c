/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lanes of kernels in CUDA C++ held, and when their warps waited, as events of the simulator's trace
 * (<isowarp/sim.h>) in the file that ISOWARP_SIMT_TRACE or ISOWARP_SIMT_TIMELINE names, for the pictures of
 * `isowarp run --trace` and `--timeline`. count.c puts the accesses of a warp together.
 */
#include "simt/simt.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 20001, MOST_SLICES = 1 << 18 }; /* events: one more than the pictures have */
struct simt_traced { iw_sim_event event; const simt_warp *warp; uintptr_t base; char name[100]; };

static FILE *out;
static size_t written, slices;
static simt_traced **waiting;  /* of all warps, by time */
static size_t waiting_count, waiting_capacity;
static struct { uint64_t *value; uintptr_t at; size_t bytes; } stored; /* a store that is not performed yet; value NULL: none */

static void write_event(void *user, const iw_sim_event *e)
{
  const int is_access = e->kind != IW_SIM_EVENT_LAUNCH && e->kind < IW_SIM_EVENT_BEGIN;
  (void)user;
  if (is_access && written == MOST_EVENTS)
    return;
  written += (size_t)is_access;
  fwrite(e, offsetof(iw_sim_event, values), 1, out);
  fwrite(&e->slice, sizeof *e - offsetof(iw_sim_event, slice), 1, out);
  if (is_access)
    fwrite(e->values, offsetof(iw_sim_event, slice) - offsetof(iw_sim_event, values), 1, out);
  const char *const texts[] = { e->kernel, e->file, e->operation, e->arguments };
  for (int i = 0; i < 4; i++)
    iw_simt_write_text(out, texts[i]);
}

int iw_simt_trace_open(sim_state *state)
{
  const char *const trace = getenv("ISOWARP_SIMT_TRACE"), *const timeline = getenv("ISOWARP_SIMT_TIMELINE");
  const char *const name = trace ? trace : timeline; /* one file if both are there */
  out = name && *name ? fopen(name, "w") : NULL;
  state->trace = out ? write_event : NULL;
  return !out ? 0 : (trace ? SIMT_TRACE : 0) | (timeline ? SIMT_TIMELINE : 0);
}

void iw_simt_trace_close(void)
{
  if (out)
    fclose(out);
  out = NULL;
}

void iw_simt_write_text(FILE *to, const char *text)
{
  const size_t length = strlen(text ? text : "") + 1;
  fwrite(&length, sizeof length, 1, to);
  fwrite(text ? text : "", 1, length, to);
}

void iw_simt_trace_clock(sim_state *state)
{
  static uint64_t seen;
  state->steps += iw_simt_now.hooks - seen;
  seen = iw_simt_now.hooks;
}

/* The warp of a thread as the simulator's trace sees it, now. */
static sim_warp *now_of(const simt_thread *t)
{
  sim_warp *const warp = iw_simt_as_warp(t->block, t->index / SIMT_LANES);
  iw_simt_trace_clock(warp->block->launch->state);
  return warp;
}

/* ---- Slices of a warp's time ------------------------------------------------------------------------- */

static void write_slice(const simt_thread *t, iw_sim_slice slice, int is_begin)
{
  if (slices == MOST_SLICES)
    return;
  iw_sim_trace_slice(now_of(t), is_begin ? IW_SIM_EVENT_BEGIN : IW_SIM_EVENT_END, slice, iw_sim_make_site(t->pc, "", NULL));
  slices++;
}

static simt_warp *warp_of(const simt_thread *t) { return &t->block->warp[t->index / SIMT_LANES]; }

void iw_simt_trace_begins(const simt_thread *t)
{
  if (warp_of(t)->begun++ == 0)
    write_slice(t, IW_SIM_SLICE_KERNEL, 1);
}

void iw_simt_trace_ends(const simt_thread *t)
{
  if (warp_of(t)->alive == 0)
    write_slice(t, IW_SIM_SLICE_KERNEL, 0);
}

void iw_simt_trace_waits(const simt_thread *t)
{
  if (++warp_of(t)->waiting == __builtin_popcount(warp_of(t)->alive))
    write_slice(t, IW_SIM_SLICE_BARRIER, 1);
}

void iw_simt_trace_goes_on(const simt_thread *t)
{
  if (warp_of(t)->waiting == __builtin_popcount(warp_of(t)->alive))
    write_slice(t, IW_SIM_SLICE_BARRIER, 0);
  warp_of(t)->waiting = 0;
}

void iw_simt_trace_polls(const simt_thread *t, int is_begin)
{
  if (is_begin ? warp_of(t)->polling++ == 0 : --warp_of(t)->polling == 0)
    write_slice(t, IW_SIM_SLICE_POLL, is_begin);
}

/* ---- Accesses ---------------------------------------------------------------------------------------- */

void iw_simt_trace_stored(void)
{
  if (stored.value)
    memcpy(stored.value, (const void *)stored.at, stored.bytes);
  stored.value = NULL;
}

static simt_traced *traced_new(iw_sim_event_kind kind, uintptr_t at, size_t bytes, uint32_t pc)
{
  static const char *const operations[] = {
    [IW_SIM_EVENT_LOAD] = "load", [IW_SIM_EVENT_STORE] = "store", [IW_SIM_EVENT_ATOMIC] = "atomic"
  };
  const simt_thread *const t = iw_simt_now.thread;
  simt_traced *const made = waiting_count + written < MOST_EVENTS ? calloc(1, sizeof *made) : NULL;
  if (!made)
    return NULL;
  if (waiting_count == waiting_capacity)
    waiting = iw_simt_more(waiting, &waiting_capacity, sizeof *waiting, "a trace");
  waiting[waiting_count++] = made;
  made->warp = warp_of(t);
  made->base = iw_simt_object(at, made->name, sizeof made->name);
  const sim_warp *const warp = now_of(t);
  iw_sim_trace_begin(&made->event, kind, warp->block->launch, warp, iw_sim_make_site(pc, operations[kind], NULL));
  made->event.arguments = made->name;
  made->event.element_size = (unsigned)bytes;
  if (at - iw_simt_now.global.base < iw_simt_now.global.bytes)
    made->event.array = (const void *)made->base;
  return made;
}

void iw_simt_trace_access(simt_traced **traced, uintptr_t at, size_t bytes, int is_write, int is_atomic, uint32_t pc)
{
  const unsigned lane = iw_simt_now.thread->index % SIMT_LANES;
  const iw_sim_event_kind kind = is_atomic ? IW_SIM_EVENT_ATOMIC : is_write ? IW_SIM_EVENT_STORE : IW_SIM_EVENT_LOAD;
  size_t offset;
  iw_simt_trace_stored();
  if (bytes > 8 || (!*traced && !(*traced = traced_new(kind, at, bytes, pc))))
    return;
  iw_sim_event *const e = &(*traced)->event;
  e->lanes |= (uint64_t)1 << lane;
  e->offsets[lane] = at - (*traced)->base;
  if (kind != IW_SIM_EVENT_LOAD) {
    stored.value = &e->values[lane];
    stored.at = at;
    stored.bytes = bytes;
    return;
  }
  simt_area *const area = iw_simt_area(at, &offset);
  memcpy(&e->values[lane], (const void *)at, bytes); /* all targets are little-endian */
  if (area && area->defined && !iw_simt_is_defined(area, at, bytes))
    e->undefined |= (uint64_t)1 << lane;
}

void iw_simt_trace_flush(const simt_warp *warp)
{
  size_t kept = 0;
  iw_simt_trace_stored();
  for (size_t i = 0; i < waiting_count; i++)
    if (waiting[i]->warp == warp) {
      write_event(NULL, &waiting[i]->event);
      free(waiting[i]);
    } else
      waiting[kept++] = waiting[i];
  waiting_count = kept;
}

void iw_simt_trace_shuffle(const simt_block *b, unsigned warp, uint32_t lanes)
{
  const simt_thread *const lane = &b->thread[warp * SIMT_LANES];
  const simt_thread *const first = &lane[__builtin_ctz(lanes)];
  const sim_warp *const now = now_of(first);
  iw_sim_event e;
  if (first->bytes > 8)
    return;
  iw_sim_trace_begin(&e, IW_SIM_EVENT_SHUFFLE, now->block->launch, now, iw_sim_make_site(first->pc, "shuffle", NULL));
  e.lanes = lanes;
  e.element_size = first->bytes;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned l = (unsigned)__builtin_ctz(m);
    memcpy(&e.values[l], lane[l].result, lane[l].bytes);
    e.sources[l] = (unsigned char)lane[l].from;
    e.undefined |= (uint64_t)!(lanes >> lane[l].from & 1) << l;
  }
  write_event(NULL, &e);
}
