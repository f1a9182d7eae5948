/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of a warp: the lanes of a mask meet, and the last one to come gives all of them their results.
 */
#include "simt/simt.h"

#include <stdio.h>
#include <string.h>

/* The first shuffle of a trial's launch that took a value which is not specified; pc 0: none did. */
static struct { uint32_t pc; char text[256]; } taken;

static void take_unspecified(uint32_t pc, unsigned from, const char *why)
{
  if (!iw_simt_trial.is_on)
    SIMT_FOUND(SIM_DIVERGENCE, 1, pc, 0,
               "%s takes a value from lane %u, which %s: the value is not specified; where it is used, the result is wrong",
               iw_simt_me(), from, why);
  else if (!taken.pc) {
    taken.pc = pc;
    snprintf(taken.text, sizeof taken.text, "%s takes a value from lane %u, which %s, and what the kernel leaves in memory "
             "depends on this value, which is not specified", iw_simt_me(), from, why);
  }
}

void iw_simt_warp_end_launch(void)
{
  if (taken.pc)
    iw_simt_left(taken.pc, iw_simt_hash_of_memory(), taken.text);
  taken.pc = 0;
}

static void complete(simt_block *b, unsigned w, unsigned k)
{
  simt_warp *const warp = &b->warp[w];
  const simt_group group = warp->group[k];
  simt_thread *const lane = &b->thread[w * SIMT_LANES];
  uint32_t votes = 0;
  warp->group[k] = warp->group[--warp->group_count];
  if (group.kind == IW_SIMT_SYNC)
    iw_simt_order_warp(b, w, group.arrived);
  for (uint32_t m = group.arrived; group.kind == IW_SIMT_BALLOT && m; m &= m - 1)
    votes |= (uint32_t)(*(const int *)lane[__builtin_ctz(m)].value != 0) << __builtin_ctz(m);
  for (uint32_t m = group.arrived; m; m &= m - 1) {
    simt_thread *const t = &lane[__builtin_ctz(m)];
    t->mask = group.arrived;
    if (group.kind == IW_SIMT_SHUFFLE) {
      const simt_thread *const from = group.arrived >> t->from & 1 ? &lane[t->from] : t;
      memcpy(t->result, from->value, t->bytes);
      if (from == t && t->from != (unsigned)__builtin_ctz(m) && iw_simt_trial.value)
        memset(t->result, iw_simt_trial.value, t->bytes);
    } else if (group.kind == IW_SIMT_BALLOT)
      *(uint32_t *)t->result = votes;
    else if (group.kind == IW_SIMT_EXCHANGE)
      for (uint32_t o = group.arrived; o; o &= o - 1)
        memcpy((char *)t->result + (size_t)__builtin_ctz(o) * t->bytes, lane[__builtin_ctz(o)].value,
               t->bytes);
  }
  if (SIMT_UNLIKELY(iw_simt_counting & SIMT_TRACE) && group.kind == IW_SIMT_SHUFFLE)
    iw_simt_trace_shuffle(b, w, group.arrived);
  for (uint32_t m = group.arrived; m; m &= m - 1)
    iw_simt_make_ready(&lane[__builtin_ctz(m)]);
}

void iw_simt_warp_left(simt_block *b, unsigned w)
{
  simt_warp *const warp = &b->warp[w];
  for (unsigned k = 0; k < warp->group_count; )
    if ((warp->group[k].mask & warp->alive) == warp->group[k].arrived)
      complete(b, w, k);
    else
      k++;
}

/* The lanes of a mask meet; returns those that did. */
static uint32_t meet(iw_simt_warp_kind kind, uint32_t mask, uint32_t pc)
{
  simt_thread *const t = iw_simt_now.thread;
  simt_block *const b = t->block;
  const unsigned w = t->index / SIMT_LANES;
  const uint32_t me = 1u << t->index % SIMT_LANES;
  simt_warp *const warp = &b->warp[w];
  if (SIMT_UNLIKELY(!(mask & me))) {
    SIMT_FOUND(SIM_DIVERGENCE, 0, pc, 0, "%s is not in the mask 0x%x that it passes", iw_simt_me(), mask);
    mask = me; /* it goes on by itself */
  }
  unsigned k = 0;
  while (k < warp->group_count &&
         (warp->group[k].mask != mask || warp->group[k].kind != kind || warp->group[k].arrived & me))
    k++;
  if (k == warp->group_count)
    warp->group[warp->group_count++] = (simt_group){ .mask = mask, .kind = (uint8_t)kind };
  warp->group[k].arrived |= me;
  if ((mask & warp->alive) != warp->group[k].arrived) {
    iw_simt_wait(SIMT_AT_WARP, pc);
    return t->mask;
  }
  t->state = SIMT_AT_WARP;
  t->pc = pc;
  iw_simt_clear_ready(t);
  if (iw_simt_counting)
    iw_simt_count_meeting(b, w, kind, pc);
  complete(b, w, k);
  b->barren = 0;
  iw_simt_run_next();
  return t->mask;
}

uint32_t iw_simt_warp(iw_simt_warp_kind kind, uint32_t mask, const void *value, size_t bytes, unsigned from, void *result,
                      void *return_address)
{
  simt_thread *const t = iw_simt_now.thread;
  const uint32_t pc = simt_pc(return_address);
  if (!t) { /* the host has one lane */
    if (kind == IW_SIMT_BALLOT)
      *(uint32_t *)result = *(const int *)value != 0;
    else if (bytes)
      memcpy(result, value, bytes);
    return 1;
  }
  t->value = value;
  t->result = result;
  t->bytes = (uint32_t)bytes;
  t->from = from;
  const uint32_t present = meet(kind, mask, pc);
  if (SIMT_UNLIKELY(!(present >> from & 1)) && kind == IW_SIMT_SHUFFLE && mask >> t->index % SIMT_LANES & 1)
    take_unspecified(pc, from, mask >> from & 1 ? "has ended" : "is not in the mask");
  return present;
}

/* Lanes that wait for each other at one place are active together once nobody else can run. */
void iw_simt_resolve_active(simt_block *b)
{
  for (unsigned i = 0; i < b->count; i++) {
    simt_thread *const t = &b->thread[i];
    if (t->state != SIMT_AT_ACTIVE)
      continue;
    simt_thread *const lane = &b->thread[i / SIMT_LANES * SIMT_LANES];
    uint32_t lanes = 0;
    for (unsigned k = i % SIMT_LANES; k < SIMT_LANES && i / SIMT_LANES * SIMT_LANES + k < b->count; k++)
      if (lane[k].state == SIMT_AT_ACTIVE && lane[k].pc == t->pc)
        lanes |= 1u << k;
    for (uint32_t m = lanes; m; m &= m - 1) {
      lane[__builtin_ctz(m)].mask = lanes;
      iw_simt_make_ready(&lane[__builtin_ctz(m)]);
    }
  }
  b->barren = 0;
}

uint32_t iw_simt_active_mask(void *pc)
{
  simt_thread *const t = iw_simt_now.thread;
  if (!t)
    return 1;
  iw_simt_wait(SIMT_AT_ACTIVE, simt_pc(pc));
  return t->mask;
}

unsigned iw_simt_lane(void)
{
  return iw_simt_now.thread ? iw_simt_now.thread->index % SIMT_LANES : 0;
}
