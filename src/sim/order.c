/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks, and the addresses that synchronise. Backend layer; knows nothing of kernels.
 */
#include "sim/order.h"

#include <stdlib.h>
#include <string.h>

/* ---- Clocks ------------------------------------------------------------------------------------------ */

/* By ascending keys, which are block * SIM_PARTS + part. */
typedef struct known { uint64_t key, time; } known;
struct sim_clock {
  unsigned references, count;
  known all[];
};

sim_clock *iw_sim_clock_new(size_t capacity)
{
  sim_clock *const c = malloc(sizeof *c + capacity * sizeof *c->all);
  if (c) {
    c->references = 1;
    c->count = 0;
  }
  return c;
}

void iw_sim_clock_add(sim_clock *c, uint64_t block, unsigned part, uint64_t time)
{
  if (c)
    c->all[c->count++] = (known){ block * SIM_PARTS + part, time };
}

sim_clock *iw_sim_clock_retain(sim_clock *c)
{
  if (c)
    c->references++;
  return c;
}

void iw_sim_clock_drop(sim_clock **c)
{
  if (*c && --(*c)->references == 0)
    free(*c);
  *c = NULL;
}

void iw_sim_clock_set(sim_clock **to, sim_clock *value)
{
  sim_clock *old = *to;
  *to = value;
  iw_sim_clock_drop(&old);
}

/* Whether a knows all that b does. */
static int knows(const sim_clock *a, const sim_clock *b)
{
  unsigned i = 0;
  for (unsigned k = 0; k < b->count; k++, i++) {
    if (b->count - k > a->count - i)
      return 0;
    while (i < a->count && a->all[i].key < b->all[k].key)
      i++;
    if (i == a->count || a->all[i].key != b->all[k].key || a->all[i].time < b->all[k].time)
      return 0;
  }
  return 1;
}

/* A thread that polls reads the same clock again and again: no new one. */
void iw_sim_clock_join(sim_clock **to, sim_clock *from)
{
  const sim_clock *const a = *to, *const b = from;
  if (!b || a == b || (a && knows(a, b)))
    return;
  if (!a || knows(b, a)) {
    iw_sim_clock_set(to, iw_sim_clock_retain(from));
    return;
  }
  sim_clock *const c = iw_sim_clock_new((size_t)a->count + b->count);
  if (!c)
    return;
  unsigned i = 0, k = 0;
  while (i < a->count || k < b->count) {
    if (k == b->count || (i < a->count && a->all[i].key < b->all[k].key))
      c->all[c->count++] = a->all[i++];
    else if (i == a->count || b->all[k].key < a->all[i].key)
      c->all[c->count++] = b->all[k++];
    else {
      c->all[c->count] = a->all[i].time > b->all[k].time ? a->all[i] : b->all[k];
      c->count++, i++, k++;
    }
  }
  iw_sim_clock_set(to, c);
}

/* 0: nothing is known, as no time is 0. */
static uint64_t find(const sim_clock *c, uint64_t key)
{
  unsigned low = 0, high = c->count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (c->all[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->count && c->all[low].key == key ? c->all[low].time : 0;
}

int iw_sim_clock_covers(const sim_clock *c, uint64_t block, unsigned part, uint64_t time)
{
  return c && (find(c, block * SIM_PARTS + SIM_WHOLE_BLOCK) > time || find(c, block * SIM_PARTS + part) >= time);
}

/* ---- Addresses --------------------------------------------------------------------------------------- */

static sim_sync *place_of(const sim_syncs *table, uintptr_t at, uint64_t owner)
{
  size_t k = (size_t)((at >> 1 ^ owner << 20) * 0x9e3779b97f4a7c15u >> 20) & (table->capacity - 1);
  while (table->all[k].at && (table->all[k].at != at || table->all[k].owner != owner))
    k = (k + 1) & (table->capacity - 1);
  return &table->all[k];
}

sim_sync *iw_sim_sync_at(sim_syncs *table, uintptr_t at, uint64_t owner, int make)
{
  sim_sync *here = table->capacity ? place_of(table, at, owner) : NULL;
  if ((here && here->at) || !make)
    return here && here->at ? here : NULL;
  if (2 * (table->count + 1) > table->capacity) {
    const sim_syncs old = *table;
    const size_t capacity = old.capacity ? 2 * old.capacity : 64;
    sim_sync *const more = calloc(capacity, sizeof *more);
    if (!more)
      return NULL;
    *table = (sim_syncs){ more, old.count, capacity };
    for (size_t i = 0; i < old.capacity; i++)
      if (old.all[i].at)
        *place_of(table, old.all[i].at, old.all[i].owner) = old.all[i];
    free(old.all);
    here = place_of(table, at, owner);
  }
  table->count++;
  here->at = at;
  here->owner = owner;
  return here;
}

void iw_sim_syncs_forget(sim_syncs *table, int is_kept)
{
  for (size_t i = 0; i < table->capacity; i++) {
    iw_sim_clock_drop(&table->all[i].released);
    for (unsigned k = 0; k < 4; k++)
      iw_sim_clock_drop(&table->all[i].publishes[k].released);
  }
  table->count = 0;
  if (is_kept && table->capacity)
    memset(table->all, 0, table->capacity * sizeof *table->all);
  else {
    free(table->all);
    *table = (sim_syncs){ NULL, 0, 0 };
  }
}
