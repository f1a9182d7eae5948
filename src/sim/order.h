/* SPDX-License-Identifier: Apache-2.0
 *
 * The order that releases and acquires make: clocks, and the addresses that synchronise. It serves kernels of
 * the kernel language (check.c) and CUDA C++ (src/simt), and knows neither.
 */
#ifndef IW_SIM_ORDER_H
#define IW_SIM_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* What is known to have happened: of each part of a block (a thread, or a warp) up to which of its times, and
 * of a whole block all times in front of one. Clocks are immutable, shared and counted; NULL knows nothing.
 * Where there is no memory for a new one, the old one stays. */
typedef struct sim_clock sim_clock;
enum { SIM_PARTS = 2048, SIM_WHOLE_BLOCK = SIM_PARTS - 1 };

/* A time: an interval between two barriers, from 1 on, and a count within it. */
static inline uint64_t sim_time(uint32_t interval, uint32_t count) { return (uint64_t)interval << 32 | count; }

/* With room for `capacity` entries, which are added by ascending parts of one block. */
sim_clock *iw_sim_clock_new(size_t capacity);
void iw_sim_clock_add(sim_clock *, uint64_t block, unsigned part, uint64_t time);
sim_clock *iw_sim_clock_retain(sim_clock *);
void iw_sim_clock_drop(sim_clock **);
/* *to becomes a clock that its caller has retained. */
void iw_sim_clock_set(sim_clock **to, sim_clock *);
/* *to becomes what either knows. */
void iw_sim_clock_join(sim_clock **to, sim_clock *from);
int iw_sim_clock_covers(const sim_clock *, uint64_t block, unsigned part, uint64_t time);

/* An address that synchronises, within what `owner` says. Of the kernel language also a slot: the flag that
 * was published last with its value, and what the latest flags have released. */
typedef struct sim_sync {
  uintptr_t at;
  uint64_t owner;
  sim_clock *released;
  int is_slot;
  uint32_t flag;
  uint64_t words[2];
  struct { uint32_t flag; sim_clock *released; } publishes[4];
  unsigned publish_count;
} sim_sync;
typedef struct sim_syncs { sim_sync *all; size_t count, capacity; } sim_syncs; /* a hash table */

/* Valid until the next one is made. NULL: there is none, or no memory for it. */
sim_sync *iw_sim_sync_at(sim_syncs *, uintptr_t at, uint64_t owner, int make);
/* Empties the table, and frees it unless is_kept. */
void iw_sim_syncs_forget(sim_syncs *, int is_kept);

#endif
