/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace: what warps do, for pictures. A store is reported when the next event of its launch is, as it is
 * performed after the simulator has checked it. Backend layer; knows nothing of pictures.
 */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* A store that is not reported yet, and where its lanes write. */
typedef struct sim_pending {
  iw_sim_event event;
  const char *at[IW_SIM_EVENT_LANES];
  int is_waiting;
} sim_pending;

void iw_sim_trace_stored(sim_state *state)
{
  sim_pending *const p = state->pending;
  if (!p || !p->is_waiting)
    return;
  p->is_waiting = 0;
  for (uint64_t rest = p->event.lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    memcpy(&p->event.values[l], p->at[l], p->event.element_size); /* all targets are little-endian */
  }
  state->trace(state->trace_user, &p->event);
}

void iw_sim_trace_begin(iw_sim_event *e, iw_sim_event_kind kind, const sim_launch *launch, const sim_warp *warp,
                        const iw_site *site)
{
  iw_sim_trace_stored(launch->state);
  memset(e, 0, sizeof *e);
  e->size = sizeof *e;
  e->kind = kind;
  e->kernel = launch->kernel->name;
  e->grid = launch->grid;
  e->threads = launch->threads;
  e->warp_size = launch->warp_size;
  e->step = launch->state->steps;
  if (warp) {
    e->block = warp->block->index;
    e->warp = warp->index;
    e->interval = warp->block->interval;
  }
  if (site) {
    e->file = site->file;
    e->line = site->line;
    e->operation = site->operation;
    e->arguments = site->arguments;
  }
}

/* Whether the language does it, for an operation that the kernel's source has in one word. */
static int is_internal(const iw_site *site)
{
  return !site || strstr(site->file, "isowarp/language/") != NULL;
}

void iw_sim_trace_launch(const sim_launch *launch, int is_end)
{
  iw_sim_event e;
  launch->state->steps++;
  iw_sim_trace_begin(&e, is_end ? IW_SIM_EVENT_LAUNCH_END : IW_SIM_EVENT_LAUNCH, launch, NULL, NULL);
  launch->state->trace(launch->state->trace_user, &e);
}

void iw_sim_trace_slice(const sim_warp *warp, iw_sim_event_kind kind, iw_sim_slice slice, const iw_site *site)
{
  const sim_launch *const launch = warp->block->launch;
  iw_sim_event e;
  launch->state->steps++;
  iw_sim_trace_begin(&e, kind, launch, warp, site);
  e.slice = slice;
  launch->state->trace(launch->state->trace_user, &e);
}

void iw_sim_trace_access(const sim_warp *warp, const iw_sim_access *of, uint64_t lanes, uint64_t undefined)
{
  const sim_block *const block = warp->block;
  sim_state *const state = block->launch->state;
  const int is_load = (of->kind & (IW_SIM_LOAD | IW_SIM_STORE | IW_SIM_ATOMIC)) == IW_SIM_LOAD;
  state->steps++;
  iw_sim_trace_stored(state);
  if (is_internal(of->site) || of->size > 8 || of->kind & (IW_SIM_INTERNAL | IW_SIM_NOT_COUNTED))
    return;
  if (!state->pending && !(state->pending = calloc(1, sizeof *state->pending)))
    return;
  sim_pending *const p = state->pending;
  iw_sim_event *const e = &p->event;
  iw_sim_trace_begin(e, is_load ? IW_SIM_EVENT_LOAD : of->kind & IW_SIM_ATOMIC ? IW_SIM_EVENT_ATOMIC : IW_SIM_EVENT_STORE,
                     block->launch, warp, of->site);
  e->lanes = lanes;
  e->undefined = undefined & lanes;
  e->element_size = of->size;
  const char *begin = block->shared + SIM_SHARED_AT;
  const size_t into = (size_t)((const char *)of->base - block->shared);
  if (into >= block->shared_bytes) {
    const sim_region *const region = iw_sim_memory_find(state, of->base);
    e->array = begin = region ? region->base : (const char *)of->base;
  }
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    const uintptr_t index = of->index_32 ? of->index_32[l] : of->index_64 ? (uintptr_t)of->index_64[l] :
                            (uintptr_t)(of->first + of->stride * (int64_t)l);
    p->at[l] = (const char *)of->base + index * of->size;
    e->offsets[l] = (uint64_t)(p->at[l] - begin);
  }
  p->is_waiting = 1;
  if (is_load)
    iw_sim_trace_stored(state);
}

void iw_sim_trace_slots(const sim_warp *warp, const iw_site *site, int is_publish, uint64_t lanes, int64_t first,
                        unsigned count, const uint64_t *words)
{
  const sim_launch *const launch = warp->block->launch;
  iw_sim_event e;
  if (is_internal(site))
    return;
  iw_sim_trace_begin(&e, is_publish ? IW_SIM_EVENT_PUBLISH : IW_SIM_EVENT_POLL, launch, warp, site);
  e.lanes = lanes;
  e.element_size = 4 * count;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    const uint64_t *const word = words + (size_t)l * count;
    e.offsets[l] = (uint64_t)(first / count) + l;
    e.flags[l] = (uint32_t)(word[0] >> 32);
    for (unsigned k = 0; k < count; k++) {
      e.values[l] |= (uint64_t)(uint32_t)word[k] << 32 * k;
      if (word[k] >> 32 != e.flags[l])
        e.flags[l] = 0; /* half written */
    }
  }
  launch->state->trace(launch->state->trace_user, &e);
}

void iw_sim_trace_variable(const sim_block *block, const iw_site *site, size_t bytes, const char *storage)
{
  const unsigned lanes = block->launch->warp_size;
  for (unsigned w = 0; w < block->warps; w++, storage += bytes) {
    iw_sim_event e;
    iw_sim_trace_begin(&e, IW_SIM_EVENT_VARIABLE, block->launch, &block->warp[w], site);
    e.lanes = block->warp[w].self.lanes & (~(uint64_t)0 >> (64 - lanes));
    if (bytes >= lanes * 8 + 12 && bytes < lanes * 16) /* lanes of 8 or of 4 bytes, then the mask of those that are undefined */
      e.element_size = 8;
    else if (bytes >= lanes * 4 + 12 && bytes < lanes * 8)
      e.element_size = 4;
    else if (bytes == 24 && site->arguments && strstr(site->arguments, "iw_pred")) { /* the mask, then what is undefined */
      uint64_t mask;
      e.element_size = 1;
      memcpy(&mask, storage, sizeof mask);
      memcpy(&e.undefined, storage + sizeof mask, sizeof e.undefined);
      for (unsigned l = 0; l < lanes; l++)
        e.values[l] = mask >> l & 1;
    } else
      continue; /* an array, or no lanes */
    if (e.element_size > 1) {
      for (unsigned l = 0; l < lanes; l++)
        memcpy(&e.values[l], storage + (size_t)l * e.element_size, e.element_size);
      memcpy(&e.undefined, storage + (size_t)lanes * e.element_size, sizeof e.undefined);
    }
    e.undefined &= e.lanes;
    block->launch->state->trace(block->launch->state->trace_user, &e);
  }
}

void iw_sim_trace_shuffle(const iw_site *site, unsigned size, const void *values, uint64_t undefined,
                          const unsigned char *sources)
{
  const sim_warp *const warp = sim_self();
  const sim_launch *const launch = warp->block->launch;
  iw_sim_event e;
  launch->state->steps++;
  if (is_internal(site) || !launch->state->trace)
    return;
  iw_sim_trace_begin(&e, IW_SIM_EVENT_SHUFFLE, launch, warp, site);
  e.lanes = warp->self.lanes & (~(uint64_t)0 >> (64 - launch->warp_size));
  e.undefined = undefined & e.lanes;
  e.element_size = size;
  for (unsigned l = 0; l < launch->warp_size; l++)
    memcpy(&e.values[l], (const char *)values + (size_t)l * size, size);
  memcpy(e.sources, sources, launch->warp_size);
  launch->state->trace(launch->state->trace_user, &e);
}

iw_status iw_sim_set_trace(iw_context *context, void (*trace)(void *, const iw_sim_event *), void *user)
{
  if (!context)
    return iw_fail(IW_ERROR_INVALID, "context is NULL");
  if (strcmp(context->ops->name, "sim") != 0)
    return iw_fail(IW_ERROR_INVALID, "the context's backend is %s; only the simulated GPU (IW_BACKEND_SIM) has a trace",
                   context->ops->name);
  sim_state *const state = context->state;
  iw_sim_trace_stored(state);
  state->trace = trace;
  state->trace_user = user;
  return IW_OK;
}
