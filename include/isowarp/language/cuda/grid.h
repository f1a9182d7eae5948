/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: what blocks of one launch say to each other: tickets, the last block, and tile
 * states by publish and poll. Mirrors language/cpu/grid.h. What orders what is in doc/memory-model.md.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_GRID_H
#define ISOWARP_LANGUAGE_CUDA_GRID_H

#include <isowarp/language/cuda/block.h>

/* ---- Words that blocks share ---- */

/* Relaxed: indivisible, and orders nothing else. */
IW_FN uint32_t iw_fetch_add_relaxed_(const iw_block *, uint32_t *p, uint32_t v) { return atomicAdd(p, v); }
IW_FN void iw_store_relaxed_(uint32_t *p, uint32_t v) { *(volatile uint32_t *)p = v; }
IW_FN uint32_t iw_load_relaxed_(const uint32_t *p) { return *(const volatile uint32_t *)p; }

/* Acquire and release. One thread of the block calls it, before a barrier: what the block did in the
 * phases that have ended is then ordered before what a block does after it has received a later count. */
IW_FN uint32_t iw_increment_acq_rel_(const iw_block *, uint32_t *p)
{
  uint32_t was;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0,[%1],1;" : "=r"(was) : "l"(p) : "memory");
  return was;
}

/* Lane 0 takes the ticket; the other lanes return 0, and what they return is not used. Relaxed. */
IW_FN uint32_t iw_ticket_request_in(uint32_t *p) { return iw_lane_() == 0 ? atomicAdd(p, 1u) : 0; }

IW_FN void iw_pause(unsigned *) {}

/* ---- Tile states ---- */

#define IW_POLLED(t) typedef struct { iw_u32 flag; iw_##t value; } iw_polled_##t;
IW_TYPES(IW_POLLED)

/* IW_PUBLISH_ORDERED: 0, iw_publish and iw_poll are relaxed; 1, they are iw_publish_release and
 * iw_poll_acquire. For measurements; the language's contract is 0. */
#ifndef IW_PUBLISH_ORDERED
#define IW_PUBLISH_ORDERED 0
#endif

IW_FN void iw_tile_state_store_(uint64_t *p, uint64_t w)
{ asm volatile("st.relaxed.gpu.global.u64 [%0],%1;" :: "l"(p), "l"(w) : "memory"); }
IW_FN uint64_t iw_tile_state_load_(const uint64_t *p)
{ uint64_t w; asm volatile("ld.relaxed.gpu.global.u64 %0,[%1];" : "=l"(w) : "l"(p) : "memory"); return w; }
IW_FN void iw_fence_device_(void) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/* A slot is one word, flag and value, for 4-byte types, and two words for 8-byte types, each with the
 * flag and half of the value: a reader takes a value only if both flags agree, so words may arrive in
 * any order. */
template <class S> IW_FN void iw_slot_store_(uint64_t *slots, size_t i, uint32_t flag, S v)
{
  if (sizeof v == 4) {
    uint32_t u;
    memcpy(&u, &v, 4);
    iw_tile_state_store_(slots + i, (uint64_t)flag << 32 | u);
  } else {
    uint64_t u;
    memcpy(&u, &v, sizeof v);
    iw_tile_state_store_(slots + 2 * i, (uint64_t)flag << 32 | (uint32_t)u);
    iw_tile_state_store_(slots + 2 * i + 1, (uint64_t)flag << 32 | u >> 32);
  }
}

/* Lane 0 publishes. */
template <class S> IW_FN void iw_publish_(uint64_t *slots, size_t i, uint32_t flag, S v, bool release)
{
  if (release) __syncwarp();              /* lane 0's fence covers what the other lanes wrote */
  if (iw_lane_() == 0) {
    if (release) iw_fence_device_();
    iw_slot_store_(slots, i, flag, v);
  }
}

/* Lane l of first … end - 1 reads slot base + l; the others get 0. */
template <class S>
IW_FN uint32_t iw_poll_(const uint64_t *slots, int64_t base, int first, int end, S *value, bool acquire)
{
  const int l = (int)iw_lane_();
  uint32_t flag;
  if (sizeof *value == 4) {
    uint64_t w = 0;
    if (l >= first && l < end) w = iw_tile_state_load_(slots + (base + l));
    const uint32_t u = (uint32_t)w;
    memcpy(value, &u, 4);
    flag = (uint32_t)(w >> 32);
  } else {
    uint64_t low = 0, high = 0;
    if (l >= first && l < end) {
      low = iw_tile_state_load_(slots + 2 * (base + l));
      high = iw_tile_state_load_(slots + 2 * (base + l) + 1);
    }
    const uint64_t u = high << 32 | (uint32_t)low;
    memcpy(value, &u, sizeof *value);
    flag = high >> 32 == low >> 32 ? (uint32_t)(high >> 32) : 0;
  }
  if (acquire) {
    iw_fence_device_();
    __syncwarp();                         /* a lane may read what another lane's flag announced */
  }
  return flag;
}

#define IW_POLL_(name, t, acquire) \
  IW_FN iw_polled_##t name##_##t(const uint64_t *slots, int64_t base, int first, int end) \
  { \
    iws_##t value; \
    const uint32_t flag = iw_poll_<iws_##t>(slots, base, first, end, &value, acquire); \
    const iw_polled_##t r = { IW_LANE_(u32, flag), IW_LANE_(t, value) }; \
    return r; \
  }
#define IW_PUBLISH_(name, t, release) \
  IW_FN void name##_##t(uint64_t *slots, size_t i, uint32_t flag, iws_##t v) \
  { iw_publish_<iws_##t>(slots, i, flag, v, release); }
#define IW_PUBLISH_LANES_(t) \
  IW_FN void iw_publish_lanes_##t(uint64_t *slots, int64_t base, int count, uint32_t flag, iw_##t v) \
  { \
    if (IW_PUBLISH_ORDERED) { __syncwarp(); iw_fence_device_(); } \
    if ((int)iw_lane_() < count) iw_slot_store_<iws_##t>(slots, (size_t)(base + iw_lane_()), flag, iw_value_(v)); \
  }
/* iw_publish, iw_publish_lanes and iw_poll are relaxed: the value arrives whole, and nothing else is ordered.
 * iw_publish_release and iw_poll_acquire hand over memory: a warp whose poll_acquire finds the flag sees
 * all that the publishing warp wrote before, and all that its block wrote in phases that had ended. They
 * cost a fence each. */
#define IW_TILE_STATES(t) \
  IW_PUBLISH_(iw_publish, t, IW_PUBLISH_ORDERED) IW_PUBLISH_(iw_publish_release, t, true) IW_PUBLISH_LANES_(t) \
  IW_POLL_(iw_poll, t, IW_PUBLISH_ORDERED) IW_POLL_(iw_poll_acquire, t, true)
IW_TYPES(IW_TILE_STATES)

#endif
