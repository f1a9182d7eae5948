/* SPDX-License-Identifier: Apache-2.0
 *
 * What each access of a kernel on the simulated GPU has to satisfy: bounds, definedness, and the order of
 * doc/memory-model.md. Races are found by what was accessed in which interval between barriers, not by the
 * order in which the simulator happens to run the warps. Backend layer; knows no algorithm.
 *
 * Stamps. The accesses of one warp in one interval have a number of their own, their stamp; stamps ascend in
 * the context, so a stamp below the first one of the launch (in shared memory: of the block's interval) is
 * old: its accesses are ordered before every access now. A table of the launch has the block, interval and
 * warp of its stamps. A release is in the middle of an interval, so the warp takes a new stamp after it.
 *
 * Cells. bits[0] has the last write and which bytes are defined, bits[1] the last read:
 *
 *   63 … 32  stamp 31 … 18 site 17 … 12 lane 11 … 8 the word's bytes that were accessed
 *   bits[0]:  7 … 4  the bytes that are defined    2 … 0  the kind of write, or EXPANDED
 *   bits[1]:  3 … 0  STORED, MANY, SEVERAL, POLLED
 *
 * One record for four bytes is exact while accesses agree about which bytes they touch. If they do not, the
 * cell is expanded: bits[1] is then the index of a record with a cell for each byte. Readers: warps of one
 * block and interval are one reader with the mark MANY; unordered readers of several blocks are in a record
 * (SEVERAL) of at most 7, so the eighth may displace one. Nothing that is lost makes a false alarm.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells ------------------------------------------------------------------------------------------- */

enum { PLAIN, ROW, ATOMIC_32, ATOMIC_64, ATOMICS_32, ATOMICS_64, PUBLISHED, EXPANDED }; /* ATOMICS: of several lanes */
enum { KIND = 7, MANY = 1, SEVERAL = 2, POLLED = 4, FLAGS = 7 };
enum { STORED = 8 }; /* not with SEVERAL: a store of the warp or block that went on by atomics, whose record is in bits[0] */
enum { MASK_AT = 8, LANE_AT = 12, SITE_AT = 18, STAMP_AT = 32 };
#define WHOLE ((uint64_t)15 << MASK_AT)

static inline uint32_t stamp_in(uint64_t record) { return (uint32_t)(record >> STAMP_AT); }
static inline unsigned mask_in(uint64_t record) { return (unsigned)(record >> MASK_AT) & 15; }
static inline unsigned lane_in(uint64_t record) { return (unsigned)(record >> LANE_AT) & 63; }
static inline unsigned kind_in(uint64_t record) { return (unsigned)record & KIND; }
static inline const iw_site *site_in(uint64_t record) { return iw_sim_site_at((uint32_t)(record >> SITE_AT) & 0x3fff); }
static inline int is_atomic(unsigned kind) { return kind >= ATOMIC_32 && kind <= ATOMICS_64; }
static inline int is_wide(unsigned kind) { return kind == ATOMIC_64 || kind == ATOMICS_64; }
static inline uint64_t with_mask(uint64_t record, unsigned mask) { return (record & ~WHOLE) | (uint64_t)mask << MASK_AT; }

/* Of bits[1] with SEVERAL: the index of the record instead of site and lane. */
static inline uint32_t readers_in(uint64_t record) { return ((uint32_t)record >> LANE_AT) << 5 | ((uint32_t)record >> 3 & 31); }
static inline uint64_t with_readers(uint32_t stamp, unsigned mask, uint32_t index)
{
  return (uint64_t)stamp << STAMP_AT | (uint64_t)mask << MASK_AT | (uint64_t)(index >> 5) << LANE_AT |
         (uint64_t)(index & 31) << 3 | SEVERAL;
}

typedef union side_record {
  sim_cell bytes[4];
  struct { uint32_t count, next; uint64_t of[7]; } readers;
} side_record;

/* ---- Order ------------------------------------------------------------------------------------------- */

typedef struct stamped { uint32_t block, interval, releases, warp; } stamped;

enum { CHUNK = 1 << 12, MAX_CHUNKS = 1 << 13 };

/* Of one launch. */
struct sim_order {
  uint32_t first;             /* stamp */
  stamped *stamps;
  size_t stamp_count, stamp_capacity;
  sim_syncs syncs;
  side_record *chunks[MAX_CHUNKS];
  uint32_t records;
  sim_block *blocks;          /* that run */
};

static side_record *record_at(const struct sim_order *order, uint32_t index)
{
  return &order->chunks[index / CHUNK][index % CHUNK];
}

/* 0: there is no memory for another one. The first has the index 1. */
static uint32_t new_record(struct sim_order *order)
{
  const uint32_t index = order->records + 1;
  if (index / CHUNK >= MAX_CHUNKS)
    return 0;
  if (!order->chunks[index / CHUNK] && !(order->chunks[index / CHUNK] = calloc(CHUNK, sizeof(side_record))))
    return 0;
  order->records = index;
  return index;
}

static uint64_t hash(uint64_t x)
{
  x *= 0x9e3779b97f4a7c15u;
  return x ^ x >> 32;
}

static sim_sync *sync_at(struct sim_order *order, const void *address, int make)
{
  return order ? iw_sim_sync_at(&order->syncs, (uintptr_t)address, 0, make) : NULL;
}

void iw_sim_check_release(sim_warp *warp, const void *address)
{
  sim_block *const block = warp->block;
  sim_sync *const s = sync_at(block->launch->order, address, 1);
  if (!s)
    return;
  sim_clock *own = iw_sim_clock_new(2);
  iw_sim_clock_add(own, block->index, warp->index, sim_time(block->interval, warp->releases));
  iw_sim_clock_add(own, block->index, SIM_WHOLE_BLOCK, sim_time(block->interval, 0));
  iw_sim_clock_join(&own, block->clock);
  iw_sim_clock_join(&own, warp->acquired);
  iw_sim_clock_join(&s->released, own);
  iw_sim_clock_drop(&own);
  if (s->is_slot) {
    s->publishes[s->publish_count % 4].flag = s->flag;
    iw_sim_clock_set(&s->publishes[s->publish_count++ % 4].released, iw_sim_clock_retain(s->released));
  }
  warp->releases++;
  warp->stamp = 0;
}

void iw_sim_check_acquire(sim_warp *warp, const void *address)
{
  const sim_sync *const s = sync_at(warp->block->launch->order, address, 0);
  if (!s)
    return;
  if (!s->is_slot) {
    iw_sim_clock_join(&warp->acquired, s->released);
    return;
  }
  const uint32_t flag = (uint32_t)(*(const uint64_t *)address >> 32); /* a publish may be held back */
  for (unsigned i = 0; i < s->publish_count && i < 4; i++)
    if (s->publishes[i].flag == flag)
      iw_sim_clock_join(&warp->acquired, s->publishes[i].released);
}

void iw_sim_check_barrier(sim_block *block)
{
  for (unsigned w = 0; w < block->warps; w++) {
    sim_warp *const warp = &block->warp[w];
    iw_sim_clock_join(&block->clock, warp->acquired);
    iw_sim_clock_drop(&warp->acquired);
    warp->stamp = warp->releases = 0;
    warp->unsynchronized = 0;
  }
  block->first_stamp = block->launch->state->stamps + 1;
}

/* The stamp of the warp's accesses from now on; 0: no memory. */
static uint32_t stamp_of(sim_warp *warp)
{
  sim_launch *const launch = warp->block->launch;
  struct sim_order *const order = launch->order;
  if (warp->stamp)
    return warp->stamp;
  if (order->stamp_count == order->stamp_capacity) {
    const size_t capacity = order->stamp_capacity ? 2 * order->stamp_capacity : 1024;
    stamped *const more = realloc(order->stamps, capacity * sizeof *more);
    if (!more)
      return 0;
    order->stamps = more;
    order->stamp_capacity = capacity;
  }
  order->stamps[order->stamp_count++] =
    (stamped){ (uint32_t)warp->block->index, warp->block->interval, warp->releases, warp->index };
  return warp->stamp = ++launch->state->stamps;
}

/* ---- Launches and blocks ----------------------------------------------------------------------------- */

void iw_sim_check_launch_begin(sim_launch *launch)
{
  sim_state *const state = launch->state;
  if (state->stamps > UINT32_MAX / 2) {
    iw_sim_memory_forget(state);
    state->stamps = 0;
  }
  launch->order = calloc(1, sizeof *launch->order);
  if (launch->order)
    launch->order->first = state->stamps + 1;
}

void iw_sim_check_launch_end(sim_launch *launch)
{
  struct sim_order *const order = launch->order;
  if (!order)
    return;
  iw_sim_syncs_forget(&order->syncs, 0);
  for (unsigned i = 0; i < MAX_CHUNKS && order->chunks[i]; i++)
    free(order->chunks[i]);
  free(order->stamps);
  free(order);
  launch->order = NULL;
}

int iw_sim_check_block_begin(sim_block *block)
{
  struct sim_order *const order = block->launch->order;
  block->shared_cells = calloc(block->shared_bytes / 4 + 1, sizeof *block->shared_cells);
  block->first_stamp = block->launch->state->stamps + 1;
  if (!order || !block->shared_cells)
    return 0;
  block->next = order->blocks;
  order->blocks = block;
  return 1;
}

void iw_sim_check_block_end(sim_block *block)
{
  struct sim_order *const order = block->launch->order; /* NULL: the launch was stopped, and has ended */
  sim_block **link = order ? &order->blocks : NULL;
  while (link && *link && *link != block)
    link = &(*link)->next;
  if (link && *link)
    *link = block->next;
  for (unsigned w = 0; w < block->warps; w++)
    iw_sim_clock_drop(&block->warp[w].acquired);
  iw_sim_clock_drop(&block->clock);
  free(block->shared_cells);
}

/* ---- An access --------------------------------------------------------------------------------------- */

typedef enum space { NOWHERE, SHARED, GLOBAL, ARGUMENTS, TABLES } space;

/* Memory that a kernel may access, around an address. */
typedef struct place {
  space space;
  uintptr_t begin;
  size_t bytes;
  sim_cell *cells;            /* NULL: always defined, and only read */
} place;

typedef struct access {
  const iw_sim_access *of;
  const iw_site *site;        /* for messages */
  sim_warp *warp;
  sim_block *block;
  sim_launch *launch;
  sim_state *state;
  unsigned checks;
  unsigned kind;              /* of a write: PLAIN … ATOMIC_64 */
  int is_load;
  uint32_t stamp, old;        /* stamps below `old` are ordered before */
  uint32_t ordered[2];        /* a stamp of a write and of a read that were found to be ordered before; often more are */
  uint64_t record;            /* the access as bits of a cell, without lane, mask and kind */
  uintptr_t address;          /* of the lane that is checked */
  place place;
} access;

typedef enum relation { ORDERED, SAME_WARP, SAME_BLOCK, UNORDERED } relation;

/* How an earlier access is related to this one. */
static relation relation_to(const access *x, uint32_t stamp)
{
  if (stamp < x->old)
    return ORDERED;
  if (stamp == x->stamp)
    return SAME_WARP;
  const stamped *const of = &x->launch->order->stamps[stamp - x->launch->order->first];
  if (of->block == x->block->index)
    return of->interval < x->block->interval ? ORDERED : of->warp == x->warp->index ? SAME_WARP : SAME_BLOCK;
  const uint64_t time = sim_time(of->interval, of->releases);
  return iw_sim_clock_covers(x->warp->acquired, of->block, of->warp, time) ||
         iw_sim_clock_covers(x->block->clock, of->block, of->warp, time) ? ORDERED : UNORDERED;
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

/* The first argument of a place in the source: up to a comma outside of all brackets. */
static int first_argument(const char *arguments)
{
  int depth = 0, n = 0;
  for (; arguments[n]; n++) {
    const char c = arguments[n];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c == ',' && depth == 0)
      break;
  }
  return n;
}

typedef struct text { char of[320]; } text;

/* "shared->bins[41] (4 bytes at offset 164)" */
static __attribute__((noinline)) text name_of(const iw_site *site, const void *base, uintptr_t address, unsigned size, unsigned bytes)
{
  text t;
  const long long offset = (long long)(address - (uintptr_t)base);
  const long long index = offset / (long long)size;
  const char *name = site->arguments;
  int n = first_argument(name);
  const int within = offset % (long long)size == 0;
  const int is_uniform = strncmp(site->operation, "iw_get", 6) == 0 || strncmp(site->operation, "iw_set", 6) == 0;
  while (*name == ' ')
    name++, n--;
  int simple = 1;
  for (int i = *name == '&'; i < n; i++)
    simple &= strchr("+*/%?&|<", name[i]) == NULL;
  if (n <= 0)
    snprintf(t.of, sizeof t.of, "memory at %+lld bytes", offset);
  else if (is_uniform && *name == '&' && simple)
    snprintf(t.of, sizeof t.of, "%.*s (%u bytes)", n - 1 > 160 ? 160 : n - 1, name + 1, bytes);
  else
    snprintf(t.of, sizeof t.of, simple && *name != '&' ? "%.*s[%lld] (%u bytes at offset %lld%s)" : "(%.*s)[%lld] (%u bytes at offset %lld%s)",
             n > 160 ? 160 : n, name, index, bytes, offset, within ? "" : ", misaligned");
  return t;
}

static int is_plain_c(const iw_site *site)
{
  return site && site->operation == iw_sim_plain_operation;
}

static text where_is(const access *, uintptr_t at);

/* Plain C has no expression that could be named. */
static text name_here(const access *x)
{
  if (is_plain_c(x->site))
    return where_is(x, x->address);
  return name_of(x->site, x->of->base, x->address, x->of->size, x->of->size);
}

static const char *verb(const access *x)
{
  return x->is_load ? "reads" : is_atomic(x->kind) ? "changes by an atomic" : "writes";
}

static const char *ordinal(unsigned n)
{
  return n % 100 >= 11 && n % 100 <= 13 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* earlier: the record of the earlier access, a write or a read. */
static __attribute__((noinline, cold)) void found_race(const access *x, uint64_t earlier, int was_write, unsigned lane,
                                                       relation how, int unknown)
{
  const iw_site *const other = unknown ? NULL : site_in(earlier);
  if (!(x->checks & SIM_CHECK_RACE) || iw_sim_finding_again(x->state, SIM_RACE, x->site, other, 0))
    return;
  const text name = name_here(x);
  const stamped *const of = &x->launch->order->stamps[stamp_in(earlier) - x->launch->order->first];
  const char *const did = !was_write ? (earlier & STORED ? "wrote it" : "read it") : is_atomic(kind_in(earlier)) ? "changed it by an atomic" : "wrote it";
  const size_t block = x->block->index;
  const unsigned warp = x->warp->index, interval = x->block->interval;
  const char *const file = other ? iw_sim_short_name(other->file) : "";
  const int line = other ? other->line : 0;
  if (unknown)
    iw_sim_found(x->state, SIM_RACE, x->site, other,
                "block %zu warp %u lane %u %s %s; other warps of the block %s in the same interval (the %u%s of block %zu); "
                "no barrier in between", block, warp, lane, verb(x), name.of,
                !was_write ? "read it" : "changed it by atomics", interval, ordinal(interval), block);
  else if (how == SAME_WARP && was_write && !is_atomic(kind_in(earlier)))
    iw_sim_found(x->state, SIM_RACE, x->site, other,
                "block %zu warp %u lane %u %s %s; lane %u wrote it at %s:%d as part of a row, which does not synchronise the "
                "warp: other lanes see it after the phase", block, warp, lane, verb(x), name.of, lane_in(earlier), file, line);
  else if (how == SAME_WARP)
    iw_sim_found(x->state, SIM_RACE, x->site, other,
                "block %zu warp %u lane %u %s %s; %s %s at %s:%d in the same phase, and an atomic does not "
                "synchronise the warp", block, warp, lane, verb(x), name.of,
                kind_in(earlier) >= ATOMICS_32 && was_write ? "other lanes" : "another lane", did, file, line);
  else if (how == SAME_BLOCK)
    iw_sim_found(x->state, SIM_RACE, x->site, other,
                "block %zu warp %u lane %u %s %s; block %zu warp %u lane %u %s at %s:%d in the same interval (the %u%s of "
                "block %zu); no barrier in between", block, warp, lane, verb(x), name.of, block, of->warp, lane_in(earlier), did,
                file, line, interval, ordinal(interval), block);
  else
    iw_sim_found(x->state, SIM_RACE, x->site, other,
                "block %zu warp %u lane %u %s %s; block %u warp %u lane %u %s at %s:%d in the same launch; nothing orders the "
                "two blocks: no acquire of a release in between", block, warp, lane, verb(x), name.of, of->block, of->warp,
                lane_in(earlier), did, file, line);
}

static __attribute__((noinline, cold)) void found_slot(const access *x, uint64_t earlier, int was_slot, unsigned lane)
{
  const iw_site *const other = site_in(earlier);
  if (!(x->checks & SIM_CHECK_SLOTS) || iw_sim_finding_again(x->state, SIM_SLOTS, x->site, other, 0))
    return;
  const text name = name_here(x);
  iw_sim_found(x->state, SIM_SLOTS, x->site, other,
              "block %zu warp %u lane %u %s %s, which was %s at %s:%d in the same launch: a slot is written by publishes and "
              "read by polls only", x->block->index, x->warp->index, lane, verb(x), name.of,
              was_slot ? "published or polled" : "accessed otherwise", iw_sim_short_name(other->file), other->line);
}

/* ---- Races ------------------------------------------------------------------------------------------- */

static int is_slot_record(const access *x, const sim_cell *cell, uint64_t *record)
{
  const uint64_t w = cell->bits[0], r = cell->bits[1];
  if (stamp_in(w) >= x->launch->order->first && kind_in(w) == PUBLISHED)
    return *record = w, 1;
  if (stamp_in(r) >= x->launch->order->first && kind_in(w) != EXPANDED && r & POLLED)
    return *record = r, 1;
  return 0;
}

static void check_write(const access *x, uint64_t earlier, unsigned mask, unsigned lane)
{
  if (stamp_in(earlier) < x->old || !(mask_in(earlier) & mask))
    return;
  const unsigned kind = kind_in(earlier);
  const int both_atomic = !x->is_load && is_atomic(kind) && is_atomic(x->kind) && is_wide(kind) == is_wide(x->kind);
  if (both_atomic)
    return;
  const relation how = relation_to(x, stamp_in(earlier));
  if (how == ORDERED)
    return;
  if (how == SAME_WARP) {
    const int several = kind == ATOMICS_32 || kind == ATOMICS_64;
    const int loose = is_atomic(kind) || (kind == ROW && stamp_in(earlier) == x->stamp);
    if (!loose || (lane_in(earlier) == lane && !several))
      return;
  }
  found_race(x, earlier, 1, lane, how, 0);
}

static void check_reads(const access *x, uint64_t earlier, unsigned mask, unsigned lane)
{
  if (stamp_in(earlier) < x->old || !(mask_in(earlier) & mask))
    return;
  if (earlier & SEVERAL) {
    const side_record *const all = record_at(x->launch->order, readers_in(earlier));
    for (unsigned i = 0; i < all->readers.count; i++)
      check_reads(x, with_mask(all->readers.of[i], mask), mask, lane);
    return;
  }
  const relation how = relation_to(x, stamp_in(earlier));
  if (how == ORDERED)
    return;
  if (how != SAME_WARP)
    found_race(x, earlier, 0, lane, how, 0);
  else if (earlier & MANY)
    found_race(x, earlier, 0, lane, SAME_BLOCK, 1);
  else if (is_atomic(x->kind) && lane_in(earlier) != lane && !(earlier & STORED))
    found_race(x, earlier, 0, lane, SAME_WARP, 0);
}

/* Whether one record can take in both an earlier access and this one. */
static int fits(const access *x, uint64_t earlier, unsigned mask, unsigned lane, int is_write)
{
  if (stamp_in(earlier) < x->old || mask_in(earlier) == mask)
    return 1;
  const int flags = is_write ? kind_in(earlier) != PLAIN || x->kind != PLAIN : (int)(earlier & FLAGS);
  if (stamp_in(earlier) == x->stamp)
    return is_write ? !flags || (kind_in(earlier) == x->kind && lane_in(earlier) == lane) : !flags;
  return !(mask_in(earlier) & ~mask) && !flags && relation_to(x, stamp_in(earlier)) == ORDERED;
}

static void add_reader(const access *x, sim_cell *cell, unsigned mask, uint64_t mine)
{
  struct sim_order *const order = x->launch->order;
  const uint64_t earlier = cell->bits[1];
  uint32_t index = earlier & SEVERAL ? readers_in(earlier) : 0;
  if (!index) {
    index = new_record(order);
    if (!index)
      return;
    side_record *const all = record_at(order, index);
    all->readers.count = 1;
    all->readers.next = 0;
    all->readers.of[0] = earlier;
  }
  side_record *const all = record_at(order, index);
  unsigned at = all->readers.count;
  for (unsigned i = 0; i < all->readers.count; i++) {
    const uint64_t r = all->readers.of[i];
    const relation how = relation_to(x, stamp_in(r));
    if (how == ORDERED || (how == SAME_WARP && !(r & MANY))) {
      at = i;
      break;
    }
    if (how == SAME_WARP || how == SAME_BLOCK) {
      mine |= MANY;
      at = i;
      break;
    }
  }
  if (at == 7) {
    at = 4 + all->readers.next % 3; /* four stay */
    all->readers.next++;
  } else if (at == all->readers.count)
    all->readers.count++;
  all->readers.of[at] = mine;
  cell->bits[1] = with_readers(x->stamp, mask, index);
}

static void record_load(const access *x, sim_cell *cell, unsigned mask, unsigned lane)
{
  const uint64_t earlier = cell->bits[1];
  const uint64_t mine = with_mask(x->record | (uint64_t)lane << LANE_AT, mask);
  if (stamp_in(earlier) < x->old) {
    cell->bits[1] = mine;
    return;
  }
  if (earlier & SEVERAL) {
    add_reader(x, cell, mask, mine);
    return;
  }
  switch (relation_to(x, stamp_in(earlier))) {
    case ORDERED: cell->bits[1] = mine; break;
    case SAME_WARP:
      if (!(earlier & MANY)) /* else the other warps' record stays, if it is one */
        cell->bits[1] = mine | (stamp_in(earlier) == x->stamp ? earlier & WHOLE : 0);
      break;
    case SAME_BLOCK: cell->bits[1] = mine | MANY; break;
    case UNORDERED: add_reader(x, cell, mask, mine); break;
  }
}

/* Whether a store of this stamp is of the same warp and interval or, in global memory, of the same block. */
static int stores_by(const access *x, uint32_t stamp)
{
  const relation how = relation_to(x, stamp);
  const stamped *const of = &x->launch->order->stamps[stamp - x->launch->order->first];
  return how == SAME_WARP || (how == ORDERED && x->place.space == GLOBAL && of->block == x->block->index);
}

static void record_store(const access *x, sim_cell *cell, unsigned mask, unsigned lane)
{
  const uint64_t earlier = cell->bits[0], reads = cell->bits[1];
  unsigned kind = x->kind, both = mask;
  /* An atomic of the warp, or in global memory of the block, that stored here: the store's record stays
   * too, as it is in a race with atomics of others. */
  uint64_t store = 0;
  if (is_atomic(kind) && stamp_in(earlier) >= x->old && mask_in(earlier) == mask && kind_in(earlier) <= ROW &&
      stores_by(x, stamp_in(earlier)))
    store = (earlier & ~(uint64_t)0xff) | STORED;
  else if (is_atomic(kind) && stamp_in(reads) >= x->old && (reads & (SEVERAL | STORED)) == STORED && stores_by(x, stamp_in(reads)))
    store = reads;
  if (stamp_in(earlier) >= x->old && mask_in(earlier) & mask && is_atomic(kind) && is_atomic(kind_in(earlier)) &&
      relation_to(x, stamp_in(earlier)) != ORDERED &&
      (stamp_in(earlier) != x->stamp || lane_in(earlier) != lane || kind_in(earlier) >= ATOMICS_32))
    kind += ATOMICS_32 - ATOMIC_32;
  if (stamp_in(earlier) == x->stamp)
    both |= mask_in(earlier);
  cell->bits[0] = with_mask(x->record | (uint64_t)lane << LANE_AT, both) | (earlier & SIM_DEFINED) | kind;
  if (stamp_in(reads) < x->old || !(mask_in(reads) & ~mask))
    cell->bits[1] = store;
  else
    cell->bits[1] = with_mask(reads, mask_in(reads) & ~mask);
}

/* Gives each byte a cell of its own. 0: no memory. */
static int expand(const access *x, sim_cell *cell)
{
  const uint32_t index = new_record(x->launch->order);
  if (!index)
    return 0;
  side_record *const bytes = record_at(x->launch->order, index);
  for (unsigned k = 0; k < 4; k++)
    for (unsigned i = 0; i < 2; i++) {
      const uint64_t record = cell->bits[i];
      const unsigned mask = mask_in(record) & 1u << k;
      bytes->bytes[k].bits[i] = stamp_in(record) >= x->old && mask ? with_mask(record, mask) : 0;
    }
  for (unsigned k = 0; k < 4; k++) { /* a record of readers belongs to one cell */
    const uint64_t record = bytes->bytes[k].bits[1];
    const uint32_t copy = record & SEVERAL ? new_record(x->launch->order) : 0;
    if (copy) {
      *record_at(x->launch->order, copy) = *record_at(x->launch->order, readers_in(record));
      bytes->bytes[k].bits[1] = with_readers(stamp_in(record), mask_in(record), copy);
    }
  }
  cell->bits[0] = (uint64_t)x->stamp << STAMP_AT | (cell->bits[0] & ((uint64_t)0x3fff << SITE_AT | SIM_DEFINED)) | EXPANDED;
  cell->bits[1] = index;
  return 1;
}

/* Checks and records an access of the bytes `mask` of a word. */
static __attribute__((noinline)) void check_word(const access *x, sim_cell *cell, unsigned mask, unsigned lane)
{
  uint64_t slot;
  if (is_slot_record(x, cell, &slot)) {
    found_slot(x, slot, 1, lane);
    return;
  }
  if (kind_in(cell->bits[0]) == EXPANDED) {
    if (stamp_in(cell->bits[0]) < x->old)
      cell->bits[0] &= (uint64_t)0x3fff << SITE_AT | SIM_DEFINED;
    else {
      side_record *const bytes = record_at(x->launch->order, (uint32_t)cell->bits[1]);
      cell->bits[0] = (cell->bits[0] & 0xffffffff) | (uint64_t)x->stamp << STAMP_AT;
      for (unsigned k = 0; k < 4; k++)
        if (mask >> k & 1)
          check_word(x, &bytes->bytes[k], 1u << k, lane);
      return;
    }
  }
  if (!fits(x, cell->bits[x->is_load], mask, lane, !x->is_load) && expand(x, cell)) {
    check_word(x, cell, mask, lane);
    return;
  }
  check_write(x, cell->bits[0], mask, lane);
  if (x->is_load)
    record_load(x, cell, mask, lane);
  else {
    check_reads(x, cell->bits[1], mask, lane);
    record_store(x, cell, mask, lane);
  }
}

/* Nothing but old accesses, and all bytes are defined. */
static inline int is_untouched(const access *x, sim_cell cell)
{
  return (cell.bits[0] & SIM_DEFINED) == SIM_DEFINED && stamp_in(cell.bits[0]) < x->old && stamp_in(cell.bits[1]) < x->old;
}

/* The cases that need no look at the table of stamps. */
static inline void access_word(access *x, sim_cell *cell, unsigned mask, unsigned lane)
{
  const uint64_t w = cell->bits[0], r = cell->bits[1];
  const uint32_t ws = stamp_in(w), rs = stamp_in(r);
  const int write_is_clear = ws < x->old ||
                             (ws == x->ordered[0] && (w & KIND) <= ATOMICS_64 && ((w & KIND) > ROW || x->kind <= ROW)) ||
                             (ws == x->stamp && (w & (WHOLE | KIND)) == (WHOLE | PLAIN) && x->kind == PLAIN);
  if (mask == 15 && write_is_clear) {
    const uint64_t mine = x->record | (uint64_t)lane << LANE_AT | WHOLE;
    if (x->is_load) {
      if (rs < x->old || (rs == x->ordered[1] && (r & (WHOLE | FLAGS)) == WHOLE) || (rs == x->stamp && (r & (WHOLE | FLAGS)) == WHOLE)) {
        cell->bits[1] = mine;
        return;
      }
    } else if (rs < x->old || (rs == x->ordered[1] && !(r & (SEVERAL | POLLED | STORED))) || (rs == x->stamp && !(r & FLAGS) && x->kind == PLAIN)) {
      cell->bits[0] = mine | (w & SIM_DEFINED) | x->kind;
      cell->bits[1] = 0;
      return;
    }
  }
  check_word(x, cell, mask, lane);
  if (ws >= x->old && (w & KIND) <= ATOMICS_64 && relation_to(x, ws) == ORDERED)
    x->ordered[0] = ws;
  if (rs >= x->old && !(r & (SEVERAL | POLLED)) && (w & KIND) <= ATOMICS_64 && relation_to(x, rs) == ORDERED)
    x->ordered[1] = rs;
}

/* ---- Bounds ------------------------------------------------------------------------------------------ */

static int place_of(const access *x, uintptr_t at, place *p)
{
  sim_block *const block = x->block;
  const sim_launch *const launch = x->launch;
  if (at - (uintptr_t)block->shared < block->shared_bytes) {
    *p = (place){ SHARED, (uintptr_t)block->shared, block->shared_bytes, block->shared_cells };
    return 1;
  }
  sim_region *const region = iw_sim_memory_find(x->state, (const void *)at);
  if (region && at - (uintptr_t)region->base < region->bytes) {
    const size_t offset = at - (uintptr_t)region->base;
    const sim_array *const array = region->array_count ? iw_sim_memory_array(region, offset) : NULL;
    if (sim_in_array(array, offset)) {
      *p = (place){ GLOBAL, (uintptr_t)region->base + array->at, array->bytes, region->cells + array->at / 4 };
      return 1;
    }
    *p = (place){ GLOBAL, (uintptr_t)region->base, region->bytes, region->cells };
    if (region->array_count)
      p->space = NOWHERE;
    return !region->array_count;
  }
  if (launch->args && at - (uintptr_t)launch->args < launch->kernel->args) {
    *p = (place){ ARGUMENTS, (uintptr_t)launch->args, launch->kernel->args, NULL };
    return 1;
  }
  if (at - (uintptr_t)launch->tables < (uintptr_t)launch->tables_end - (uintptr_t)launch->tables) {
    *p = (place){ TABLES, (uintptr_t)launch->tables, (uintptr_t)launch->tables_end - (uintptr_t)launch->tables, NULL };
    return 1;
  }
  *p = (place){ NOWHERE, 0, 0, NULL };
  return 0;
}

/* An address in memory that has a layout. 0: it is in no array of it, nor behind one. */
static int where_in_layout(sim_region *region, uintptr_t at, text *t)
{
  const size_t offset = at - (uintptr_t)region->base;
  if (!region->array_count || (uintptr_t)region->base > at)
    return 0;
  const sim_array *const array = iw_sim_memory_array(region, offset);
  if (!array)
    return 0;
  if (sim_in_array(array, offset))
    snprintf(t->of, sizeof t->of, "byte %zu of the array \"%s\" of %zu bytes", offset - array->at, array->name, array->bytes);
  else
    snprintf(t->of, sizeof t->of, "%zu bytes behind the end of the array \"%s\" of %zu bytes", offset - array->at - array->bytes,
             array->name, array->bytes);
  return 1;
}

static text where_is(const access *x, uintptr_t at)
{
  text t;
  place p;
  sim_region *const region = iw_sim_memory_find(x->state, (const void *)at);
  const struct sim_order *const order = x->launch->order;
  if (region && where_in_layout(region, at, &t))
    return t;
  if (place_of(x, at, &p)) {
    static const char *const names[] = {
      "", "the block's shared memory", "an allocation", "the kernel's arguments", "the kernel's tables",
    };
    const size_t offset = (size_t)(at - p.begin);
    if (p.space == SHARED && offset >= SIM_SHARED_AT)
      snprintf(t.of, sizeof t.of, "byte %zu of the kernel's %zu bytes of shared memory", offset - SIM_SHARED_AT,
               p.bytes - SIM_SHARED_AT);
    else
      snprintf(t.of, sizeof t.of, "byte %zu of %s of %zu bytes", offset, names[p.space], p.bytes);
    return t;
  }
  if (region) {
    if (at < (uintptr_t)region->base)
      snprintf(t.of, sizeof t.of, "%zu bytes in front of an allocation of %zu bytes", (size_t)((uintptr_t)region->base - at),
               region->bytes);
    else
      snprintf(t.of, sizeof t.of, "%zu bytes behind the end of an allocation of %zu bytes",
               (size_t)(at - (uintptr_t)region->base) - region->bytes, region->bytes);
    return t;
  }
  enum { NEAR = 1 << 20 };
  const sim_region *const in_front = iw_sim_memory_in_front(x->state, (const void *)at);
  const uintptr_t shared = (uintptr_t)x->block->shared;
  for (const sim_block *b = order->blocks; b; b = b->next)
    if (at - (uintptr_t)b->shared < b->shared_bytes) {
      snprintf(t.of, sizeof t.of, "the shared memory of block %zu, which no other block can access", b->index);
      return t;
    }
  const size_t bytes = x->block->shared_bytes - SIM_SHARED_AT;
  if (at < 4096)
    snprintf(t.of, sizeof t.of, "a null pointer");
  else if (shared - at <= SIM_SHARED_FRONT)
    snprintf(t.of, sizeof t.of, "in front of the kernel's %zu bytes of shared memory", bytes);
  else if (at - shared < SIM_SHARED - SIM_SHARED_FRONT)
    snprintf(t.of, sizeof t.of, "%zu bytes behind the end of the kernel's %zu bytes of shared memory",
             (size_t)(at - shared) - x->block->shared_bytes, bytes);
  else if ((uintptr_t)x->of->base - shared < x->block->shared_bytes)
    snprintf(t.of, sizeof t.of, "outside of the block's shared memory of %zu bytes", bytes);
  else {
    const sim_region *const near = iw_sim_memory_find(x->state, x->of->base);
    if (near)
      snprintf(t.of, sizeof t.of, "%lld bytes from the beginning of an allocation of %zu bytes",
               (long long)(at - (uintptr_t)near->base), near->bytes);
    else if (in_front && at - (uintptr_t)in_front->base < in_front->bytes + NEAR)
      snprintf(t.of, sizeof t.of,
               "%zu bytes behind the end of an allocation of %zu bytes, the nearest one in front",
               (size_t)(at - (uintptr_t)in_front->base) - in_front->bytes, in_front->bytes);
    else
      snprintf(t.of, sizeof t.of, "host memory: a kernel on a GPU cannot access it");
  }
  return t;
}

static __attribute__((noinline, cold)) void found_bounds(const access *x, unsigned lane, const char *why)
{
  if (!(x->checks & SIM_CHECK_BOUNDS) || iw_sim_finding_again(x->state, SIM_BOUNDS, x->site, NULL, 0))
    return;
  text name;
  if (is_plain_c(x->site))
    snprintf(name.of, sizeof name.of, "%u bytes", x->of->size);
  else
    name = name_here(x);
  iw_sim_found(x->state, SIM_BOUNDS, x->site, NULL, "block %zu warp %u lane %u %s %s: %s", x->block->index, x->warp->index, lane,
              verb(x), name.of, why);
}

/* Whether a pointer is to an element of a nested array, or to a member of an array's element, and leads on:
 * "&tile[0][0] + i", "&items[0].x + i". What the compiler knows is then the end of the row or member, and not
 * of the array that is meant. */
static int is_flattened(const char *arguments)
{
  const int length = first_argument(arguments);
  int depth = 0, indices = 0, is_within = 0, at = 0;
  while (at < length && strchr(" (", arguments[at]))
    at++;
  if (at == length || arguments[at++] != '&')
    return 0;
  for (; at < length; at++) {
    const char c = arguments[at];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (depth == 0 && c == ']')
      indices++;
    is_within |= depth == 0 && indices > 0 && c == '.';
    if (depth <= 0 && (c == '+' || (c == '-' && arguments[at + 1] != '>')))
      return indices > 1 || is_within;
  }
  return 0;
}

/* Whether a lane may access its bytes, one by one; x->place is then around them. */
static int check_lane_bounds(access *x, unsigned lane)
{
  const iw_sim_access *const of = x->of;
  char why[520];
  if (x->address % of->size) {
    snprintf(why, sizeof why, "the address is not a multiple of %u", of->size);
    found_bounds(x, lane, why);
    return 0;
  }
  const uintptr_t last = x->address + of->size - 1;
  if (!place_of(x, x->address, &x->place) || last - x->place.begin >= x->place.bytes) {
    const int begins = x->place.space != NOWHERE;
    const text where = where_is(x, begins ? x->place.begin + x->place.bytes : x->address);
    found_bounds(x, lane, where.of);
    return 0;
  }
  if (!x->place.cells && !x->is_load) {
    const text where = where_is(x, x->address);
    snprintf(why, sizeof why, "%s, which a kernel may only read", where.of);
    found_bounds(x, lane, why);
    return 0;
  }
  if (of->kind & IW_SIM_SHARED && x->place.space != SHARED) {
    const text where = where_is(x, x->address);
    snprintf(why, sizeof why, "%s, which is not shared memory: the atomic is one of the block only", where.of);
    found_bounds(x, lane, why);
    return 0;
  }
  if (x->place.space == GLOBAL && (uintptr_t)of->base - x->place.begin > x->place.bytes) {
    sim_region *const begins = iw_sim_memory_find(x->state, of->base);
    const size_t at = begins ? (uintptr_t)of->base - (uintptr_t)begins->base : 0;
    const sim_array *const array = begins && at < begins->bytes ? iw_sim_memory_array(begins, at) : NULL;
    if (begins && at < begins->bytes && (!begins->array_count || sim_in_array(array, at))) {
      const text where = where_is(x, x->address);
      if (array)
        snprintf(why, sizeof why, "%s; the pointer is one into another array, \"%s\" of %zu bytes", where.of, array->name,
                 array->bytes);
      else
        snprintf(why, sizeof why, "%s; the pointer is one into another allocation, of %zu bytes", where.of, begins->bytes);
      found_bounds(x, lane, why);
      return 0;
    }
  }
  const uintptr_t offset = x->address - (uintptr_t)of->base;
  if (of->extent != SIZE_MAX && (intptr_t)offset >= 0 && offset + of->size > of->extent &&
      !is_flattened(x->site->arguments)) {
    snprintf(why, sizeof why, "past the end of the array or member, of which %zu bytes begin here", of->extent);
    found_bounds(x, lane, why);
    return 0;
  }
  return 1;
}

/* ---- The access of a warp ---------------------------------------------------------------------------- */

static int keeps_undefined(const iw_site *site)
{
  return !strstr(site->operation, "exchange") || strstr(site->operation, "compare");
}

/* The finding is where the value is used; this says where it comes from. */
static __attribute__((noinline, cold)) void note_undefined_atomic(const access *x, unsigned lane)
{
  if (!(x->checks & SIM_CHECK_UNDEFINED) || iw_sim_finding_again(x->state, SIM_UNDEFINED, x->site, NULL, 1))
    return;
  const text name = name_here(x);
  iw_sim_note(x->state, SIM_UNDEFINED, x->site, NULL,
              "block %zu warp %u lane %u %s %s, which nothing has written", x->block->index,
              x->warp->index, lane, verb(x), name.of);
}

/* Reads or sets which of the bytes are defined. first: of the lane's bytes, the offset of the word's first.
 * Returns the lane's bit if it reads an undefined byte. */
static uint64_t define(const access *x, sim_cell *cell, unsigned mask, unsigned lane, unsigned first)
{
  const iw_sim_access *const of = x->of;
  const uint64_t bit = (uint64_t)1 << lane;
  const unsigned defined = sim_cell_defined(cell);
  if (x->is_load) {
    const unsigned missing = mask & ~defined;
    if (!missing)
      return 0;
    if (of->element_undefined)
      for (unsigned k = 0; k < 4; k++)
        if (missing >> k & 1)
          of->element_undefined[(first + k) / of->element_size] |= bit;
    return bit;
  }
  unsigned now = mask;
  if (of->element_undefined) {
    for (unsigned k = 0; k < 4; k++)
      if (mask >> k & 1 && of->element_undefined[(first + k) / of->element_size] & bit)
        now &= ~(1u << k);
  } else if (of->values_undefined & bit)
    now = 0;
  uint64_t got = 0;
  if (is_atomic(x->kind) && mask & ~defined) {
    got = bit;
    if (!(of->kind & IW_SIM_SLOT) && keeps_undefined(of->site)) {
      now &= defined;
      note_undefined_atomic(x, lane);
    }
  }
  cell->bits[0] = (cell->bits[0] & ~((uint64_t)mask << SIM_DEFINED_AT)) | (uint64_t)now << SIM_DEFINED_AT;
  return got;
}

/* Returns the lane's bit if it gets undefined bytes. */
static inline uint64_t access_lane(access *x, unsigned lane)
{
  const unsigned size = x->of->size;
  const uintptr_t offset = x->address - x->place.begin;
  sim_cell *cell = x->place.cells + offset / 4;
  if (size < 4) {
    const unsigned shift = offset & 3, mask = ((1u << size) - 1) << shift;
    if (x->stamp)
      access_word(x, cell, mask, lane);
    return define(x, cell, mask, lane, 0u - shift);
  }
  uint64_t undefined = 0;
  for (unsigned first = 0; first < size; first += 4, cell++) {
    if (x->stamp)
      access_word(x, cell, 15, lane);
    if (x->is_load ? sim_cell_defined(cell) != 15 : x->of->values_undefined != 0 || sim_cell_defined(cell) != 15)
      undefined |= define(x, cell, 15, lane, first);
  }
  return undefined;
}

/* Two lanes of one store at one address. */
/* Whether the lanes of a store update the place: the warp has read it in this interval, the store changes
 * it, and the values are not the same constant in all lanes, as those of a flag are. */
static int is_update(const access *x, const char *value)
{
  place here;
  if (!(x->of->kind & IW_SIM_OF_LANES) || !x->stamp || !place_of(x, x->address, &here) || !here.cells ||
      memcmp((const void *)x->address, value, x->of->size) == 0)
    return 0;
  const sim_cell *cell = here.cells + (x->address - here.begin) / 4;
  if (kind_in(cell->bits[0]) == EXPANDED && stamp_in(cell->bits[0]) >= x->old)
    cell = &record_at(x->launch->order, (uint32_t)cell->bits[1])->bytes[x->address & 3];
  const uint64_t read = cell->bits[1];
  return stamp_in(read) >= x->old && !(read & (SEVERAL | STORED | POLLED)) && relation_to(x, stamp_in(read)) == SAME_WARP;
}

static void check_same_place(access *x, uint64_t lanes, const uintptr_t *at)
{
  enum { PLACES = 128 };
  uint8_t table[PLACES] = { 0 };
  const char *const values = x->of->values;
  const unsigned size = x->of->size;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    unsigned i = (unsigned)(hash(at[l]) % PLACES);
    while (table[i] && at[table[i] - 1] != at[l])
      i = (i + 1) % PLACES;
    if (!table[i]) {
      table[i] = (uint8_t)(l + 1);
      continue;
    }
    const unsigned other = table[i] - 1u;
    const int equal = memcmp(values + other * size, values + l * size, size) == 0;
    x->address = at[l];
    const int updates = equal && is_update(x, values + l * size);
    if (!(x->checks & SIM_CHECK_RACE) || iw_sim_finding_again(x->state, SIM_RACE, x->site, x->site, equal && !updates))
      continue;
    const text name = name_here(x);
    if (updates)
      iw_sim_found(x->state, SIM_RACE, x->site, x->site,
                  "block %zu warp %u: lanes %u and %u of one store update %s, which they have read before: all updates but one are "
                  "lost; an atomic keeps them", x->block->index, x->warp->index, other, l, name.of);
    else if (equal)
      iw_sim_note(x->state, SIM_RACE, x->site, x->site, "block %zu warp %u: lanes %u and %u write equal values to %s",
               x->block->index, x->warp->index, other, l, name.of);
    else
      iw_sim_found(x->state, SIM_RACE, x->site, x->site,
                  "block %zu warp %u: lanes %u and %u of one store write different values to %s; it is unspecified whose stays",
                  x->block->index, x->warp->index, other, l, name.of);
  }
}

static __attribute__((noinline, cold)) void found_undefined(const access *x, uint64_t lanes, const char *what)
{
  if (!(x->checks & SIM_CHECK_UNDEFINED) || iw_sim_finding_again(x->state, SIM_UNDEFINED, x->site, NULL, 0))
    return;
  const char *const in = x->site->arguments;
  iw_sim_found(x->state, SIM_UNDEFINED, x->site, NULL, "block %zu warp %u lane %u: %s is undefined%s%.*s%s",
              x->block->index, x->warp->index, (unsigned)__builtin_ctzll(lanes), what,
              *in ? ", in (" : "", (int)strnlen(in, 200), in, *in ? ")" : "");
}

/* Bit 31: lanes that were never set are among the operands; they are undefined, and of no warp. */
static void check_owner(sim_warp *warp, const iw_site *site, uint32_t owner, const char *what)
{
  if (owner == UINT32_MAX) /* of no warp: never assigned (iw_sim_variable()) */
    return;
  sim_launch *const launch = warp->block->launch;
  if (owner >> 31 || !(warp->self.checks & SIM_CHECK_OWNERSHIP) || iw_sim_finding_again(launch->state, SIM_OWNERSHIP, site, NULL, 0))
    return;
  const unsigned warps = warp->block->warps;
  const uint32_t first = warp->self.owner - warp->index;
  if (owner >= first && owner < first + warps)
    iw_sim_found(launch->state, SIM_OWNERSHIP, site, NULL, "block %zu warp %u uses %s of warp %u: a lane value belongs to its warp",
                warp->block->index, warp->index, what, owner - first);
  else
    iw_sim_found(launch->state, SIM_OWNERSHIP, site, NULL,
                "block %zu warp %u uses %s that are not all of its own: a lane value belongs to its warp", warp->block->index,
                warp->index, what);
}

static void begin(access *x, sim_warp *warp, const iw_site *site)
{
  x->warp = warp;
  x->block = warp->block;
  x->launch = warp->block->launch;
  x->state = x->launch->state;
  x->checks = warp->self.checks;
  x->site = warp->self.collective ? iw_sim_site(site) : site;
}

uint64_t iw_sim_access_memory(const iw_sim_access *of, uint64_t *undefined)
{
  access x;
  uintptr_t at[64], low = UINTPTR_MAX, high = 0;
  uint64_t lanes = of->lanes, got = 0;
  sim_warp *const self = sim_self();
  *undefined = 0;
  if (self->self.checks & IW_SIM_COUNTS) {
    iw_sim_count_access(self, of);
    if (!(self->self.checks & SIM_CHECK_ALL))
      return of->lanes;
  }
  begin(&x, self, of->site);
  x.warp->last = x.site;
  x.of = of;
  x.is_load = (of->kind & (IW_SIM_LOAD | IW_SIM_STORE | IW_SIM_ATOMIC)) == IW_SIM_LOAD;
  x.kind = of->kind & IW_SIM_ATOMIC ? (of->size == 8 ? ATOMIC_64 : ATOMIC_32) : of->kind & IW_SIM_NO_SYNC ? ROW : PLAIN;
  if (of->owner && of->owner != x.warp->self.owner)
    check_owner(x.warp, of->site, of->owner, "lanes");
  if (of->undefined)
    found_undefined(&x, of->undefined, "a predicate or an index");
  if (!x.is_load && !x.warp->self.in_phase && !(of->kind & (IW_SIM_SLOT | IW_SIM_INTERNAL)) && lanes &&
      x.checks & SIM_CHECK_PHASE && !iw_sim_finding_again(x.state, SIM_PHASE, x.site, NULL, 0))
    iw_sim_found(x.state, SIM_PHASE, x.site, NULL,
                 "block %zu warp %u: a kernel writes memory in phases only, and this stands between them", x.block->index,
                 x.warp->index);
  if (!lanes) {
    if (x.state->trace)
      iw_sim_trace_access(x.warp, of, 0, 0);
    return 0;
  }

  /* Where each lane goes. */
  const uintptr_t base = (uintptr_t)of->base;
  const unsigned size = of->size;
  const int is_row = !of->index_32 && !of->index_64 && of->stride == 1;
  if (is_row) {
    low = base + (uintptr_t)(of->first + __builtin_ctzll(lanes)) * size;
    high = base + (uintptr_t)(of->first + 63 - __builtin_clzll(lanes)) * size;
  } else for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    const uintptr_t index = of->index_32 ? of->index_32[l] : of->index_64 ? (uintptr_t)of->index_64[l] :
                            (uintptr_t)(of->first + of->stride * (int64_t)l);
    at[l] = base + index * size;
    low = at[l] < low ? at[l] : low;
    high = at[l] > high ? at[l] : high;
  }
  /* Elements are a multiple of their size from the base, so one is aligned if all are. IW_COMPACT on other
   * targets may write behind the last element (documented slack); here it writes what it says. */
  const int within = base % size == 0 && place_of(&x, low, &x.place) && high + size - 1 - x.place.begin < x.place.bytes &&
                     high >= low && (x.place.cells || x.is_load) &&
                     (x.place.space == SHARED ||
                      (!(of->kind & IW_SIM_SHARED) && base - x.place.begin <= x.place.bytes)) &&
                     (of->extent == SIZE_MAX || (low >= base && high - base + size <= of->extent));
  if (is_row && !(within && size == 4))
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      const unsigned l = (unsigned)__builtin_ctzll(rest);
      at[l] = base + (uintptr_t)(of->first + (int64_t)l) * size;
    }
  if (!within) {
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      const unsigned l = (unsigned)__builtin_ctzll(rest);
      x.address = at[l];
      if (!check_lane_bounds(&x, l))
        lanes &= ~((uint64_t)1 << l);
    }
    if (!lanes)
      return 0;
  }
  /* A store that synchronises the warp shows the rows that it stored before to its other lanes. */
  if (x.warp->unsynchronized && of->kind & IW_SIM_STORE && x.kind == PLAIN) {
    x.warp->unsynchronized = 0;
    x.warp->stamp = 0;
  }
  if (x.kind == ROW && !x.is_load)
    x.warp->unsynchronized = 1;
  x.stamp = x.checks & (SIM_CHECK_RACE | SIM_CHECK_SLOTS) ? stamp_of(x.warp) : 0;
  x.ordered[0] = x.warp->ordered[0];
  x.ordered[1] = x.warp->ordered[1];
  x.record = (uint64_t)x.stamp << STAMP_AT | (uint64_t)iw_sim_site_index(x.site) << SITE_AT;
  const uint32_t shared_old = x.block->first_stamp, global_old = x.launch->order->first;
  x.old = within && x.place.space == SHARED ? shared_old : global_old;
  if (of->kind & IW_SIM_STORE && of->values && (lanes & (lanes - 1)) && (of->index_32 || of->index_64 || of->stride == 0))
    check_same_place(&x, lanes, at);
  if (within && !x.place.cells) {
    if (x.state->trace)
      iw_sim_trace_access(x.warp, of, lanes, 0);
    return lanes;
  }
  if (is_row && within && size == 4) {
    sim_cell *const cells = x.place.cells + (intptr_t)(base + (uintptr_t)of->first * size - x.place.begin) / 4;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      const unsigned l = (unsigned)__builtin_ctzll(rest);
      if (x.stamp && x.kind == PLAIN && !of->values_undefined && is_untouched(&x, cells[l])) { /* most accesses */
        cells[l].bits[x.is_load] = x.record | (uint64_t)l << LANE_AT | WHOLE | (x.is_load ? 0 : SIM_DEFINED);
        continue;
      }
      x.address = base + (uintptr_t)(of->first + (int64_t)l) * size;
      if (x.stamp)
        access_word(&x, cells + l, 15, l);
      if (x.is_load ? sim_cell_defined(cells + l) != 15 : of->values_undefined != 0 || sim_cell_defined(cells + l) != 15)
        got |= define(&x, cells + l, 15, l, 0);
    }
  }
  else for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    x.address = at[l];
    if (!within) {
      place_of(&x, at[l], &x.place);
      x.old = x.place.space == SHARED ? shared_old : global_old;
      if (!x.place.cells)
        continue;
    }
    got |= access_lane(&x, l);
  }
  x.warp->ordered[0] = x.ordered[0];
  x.warp->ordered[1] = x.ordered[1];
  if (got && of->kind & IW_SIM_SLOT) {
    found_undefined(&x, got, "the word of tickets or of a counter");
    got = 0;
  }
  *undefined = got;
  if (x.state->trace)
    iw_sim_trace_access(x.warp, of, lanes, x.is_load ? got : of->values_undefined);
  return lanes;
}

void iw_sim_use(const iw_site *site, uint64_t undefined, uint32_t owner, const char *what)
{
  access x;
  begin(&x, sim_self(), site);
  if (owner && owner != x.warp->self.owner)
    check_owner(x.warp, site, owner, "lanes");
  if (undefined)
    found_undefined(&x, undefined, what);
}

void iw_sim_absent_lane(const iw_site *site, unsigned lane)
{
  sim_warp *const warp = sim_self();
  const sim_launch *const launch = warp->block->launch;
  const iw_site *const by = warp->self.collective;
  if (!(warp->self.checks & SIM_CHECK_DIVERGENCE))
    return;
  if (site == by && lane >= launch->threads) /* of a collective of the block */
    iw_sim_found(launch->state, SIM_DIVERGENCE, iw_sim_site(site), NULL,
                 "block %zu warp %u: the value of thread %u is wanted, but the block has %u threads", warp->block->index, warp->index,
                 lane, launch->threads);
  else if (lane >= launch->warp_size || lane == 0 || warp->self.lanes >> lane & 1)
    iw_sim_found(launch->state, SIM_DIVERGENCE, iw_sim_site(site), NULL,
                 "block %zu warp %u: a lane or a width of %u; the warp has %u lanes, and a width is a power of two",
                 warp->block->index, warp->index, lane, launch->warp_size);
  else if (iw_sim_site(site) == site || (by && !strncmp(by->operation, "iw_broadcast", 12))) /* else the language's own, which knows */
    iw_sim_found(launch->state, SIM_DIVERGENCE, iw_sim_site(site), NULL,
                 "block %zu warp %u: lane %u takes part, but is no thread of the block, which has %u",
                 warp->block->index, warp->index, lane, launch->threads);
}

/* All lanes of the warp update a place: some may read it when others have written. */
static void check_update(const access *x, unsigned bytes)
{
  place here;
  const uint64_t lanes = x->warp->self.lanes;
  if (!x->warp->stamp || !(lanes & (lanes - 1)) || !place_of(x, x->address, &here) || !here.cells)
    return;
  const sim_cell *const cell = here.cells + (x->address - here.begin) / 4;
  const uint64_t read = cell->bits[1];
  if (kind_in(cell->bits[0]) == EXPANDED || stamp_in(read) != x->warp->stamp || read & (FLAGS | STORED))
    return;
  const iw_site *const other = site_in(read);
  if (!is_plain_c(other) || !(x->checks & SIM_CHECK_RACE) ||
      iw_sim_finding_again(x->state, SIM_RACE, x->site, other, 0))
    return;
  const text where = where_is(x, x->address);
  iw_sim_found(x->state, SIM_RACE, x->site, other,
               "block %zu warp %u: each lane of the warp writes %u bytes, %s, which it has read at %s:%d: on "
               "a GPU other lanes may read them only then", x->block->index, x->warp->index, bytes, where.of,
               iw_sim_short_name(other->file), other->line);
}

int iw_sim_check_plain(sim_warp *warp, const iw_site *site, uintptr_t at, unsigned bytes, unsigned kind,
                       int is_part)
{
  const iw_sim_access of = { .site = site, .extent = SIZE_MAX, .base = (const void *)at, .size = bytes,
                             .element_size = bytes, .kind = kind | IW_SIM_NOT_COUNTED, .lanes = 1 };
  access x = { .of = &of, .address = at };
  uint64_t undefined;
  begin(&x, warp, site);
  if (kind == IW_SIM_STORE)
    check_update(&x, bytes);
  if (!iw_sim_access_memory(&of, &undefined) && kind != IW_SIM_LOAD) {
    /* It is overwritten all the same. */
    sim_region *const region = iw_sim_memory_find(x.state, (const void *)at);
    if (region)
      region->is_overrun = 1;
  }
  if (undefined && !is_part) {
    char what[400];
    const text where = where_is(&x, at);
    snprintf(what, sizeof what, "what plain C reads, %s,", where.of);
    found_undefined(&x, 1, what);
  }
  return !undefined;
}

/* ---- Slots ------------------------------------------------------------------------------------------- */

static void found_publish(const access *x, const iw_site *other, const char *why, uint32_t flag)
{
  if (!(x->checks & SIM_CHECK_SLOTS) || iw_sim_finding_again(x->state, SIM_SLOTS, x->site, other, 0))
    return;
  const text name = name_of(x->site, x->of->base, x->address, 8, 8);
  iw_sim_found(x->state, SIM_SLOTS, x->site, other, "block %zu warp %u publishes the flag %u in %s: %s", x->block->index,
              x->warp->index, flag, name.of, why);
}

/* Whether plain accesses or atomics of this launch have touched the word. */
static void check_slot_word(const access *x, const sim_cell *cell, unsigned lane)
{
  for (unsigned i = 0; i < 2; i++) {
    const uint64_t record = cell->bits[i];
    const int is_slot = i == 0 ? kind_in(record) == PUBLISHED : (record & POLLED) != 0;
    if (stamp_in(record) < x->old || is_slot || (i == 1 && kind_in(cell->bits[0]) == EXPANDED))
      continue;
    found_slot(x, i == 1 && record & SEVERAL ? record_at(x->launch->order, readers_in(record))->readers.of[0] : record, 0, lane);
  }
}

/* One access for each word of a slot. */
static void count_slots(sim_warp *warp, const iw_sim_access *of, int64_t first, unsigned words, uint64_t lanes)
{
  iw_sim_access word = *of;
  word.stride = words;
  word.lanes = lanes;
  for (unsigned k = 0; k < words; k++) {
    word.first = first + k;
    iw_sim_count_access(warp, &word);
  }
}

static const char UNDEFINED_STATE[] = "a tile state that was neither cleared nor published";

void iw_sim_check_undefined_slot(sim_warp *warp, const iw_site *site, unsigned lane)
{
  access x;
  begin(&x, warp, site);
  found_undefined(&x, (uint64_t)1 << lane, UNDEFINED_STATE);
}

uint64_t iw_sim_check_slots(sim_warp *warp, const iw_site *site, unsigned kind, const uint64_t *slots, int64_t first, unsigned words,
                         uint64_t lanes, const uint64_t *values)
{
  iw_sim_access of = { .site = site, .extent = SIZE_MAX, .base = slots, .size = 8, .kind = kind | IW_SIM_SLOT };
  access x;
  begin(&x, warp, site);
  if (x.checks & IW_SIM_COUNTS)
    count_slots(warp, &of, first, words, lanes);
  if (!(x.checks & SIM_CHECK_ALL) || !x.launch->order)
    return lanes;
  x.of = &of;
  x.is_load = kind == IW_SIM_LOAD;
  x.kind = PUBLISHED;
  x.stamp = stamp_of(warp);
  x.old = x.launch->order->first;
  x.record = (uint64_t)x.stamp << STAMP_AT | (uint64_t)iw_sim_site_index(x.site) << SITE_AT | WHOLE;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctzll(rest);
    const uintptr_t slot = (uintptr_t)slots + (uintptr_t)(first + (int64_t)(l * words)) * 8;
    int good = 1;
    for (unsigned k = 0; k < words && good; k++) {
      x.address = slot + k * 8;
      good = check_lane_bounds(&x, l);
      if (good && x.place.space != GLOBAL) {
        found_bounds(&x, l, "tile states are in global memory");
        good = 0;
      }
    }
    if (!good) {
      lanes &= ~((uint64_t)1 << l);
      continue;
    }
    sim_cell *const cell = x.place.cells + (slot - x.place.begin) / 4;
    x.address = slot;
    for (unsigned k = 0; k < 2 * words; k++)
      check_slot_word(&x, cell + k, l);
    for (unsigned k = 0; k < 2 * words && x.is_load; k++)
      if (sim_cell_defined(cell + k) != 15)
        found_undefined(&x, (uint64_t)1 << l, UNDEFINED_STATE);
    if (x.is_load) {
      for (unsigned k = 0; k < 2 * words; k++)
        if (stamp_in(cell[k].bits[0]) < x.old || kind_in(cell[k].bits[0]) != EXPANDED)
          cell[k].bits[1] = x.record | (uint64_t)l << LANE_AT | POLLED;
      continue;
    }
    const uint64_t *const value = values + (size_t)l * words;
    const uint32_t flag = (uint32_t)(value[0] >> 32);
    sim_sync *const s = sync_at(x.launch->order, (const void *)slot, 1);
    if (!flag)
      found_publish(&x, NULL, "0 is the flag of a slot that was not published", flag);
    else if (flag < 4)
      found_publish(&x, NULL, "a flag is epoch * 4 + 1, 2 or 3: this one would be taken for one of every later launch", flag);
    else if (stamp_in(cell->bits[0]) >= x.old && kind_in(cell->bits[0]) == PUBLISHED) {
      const stamped *const by = &x.launch->order->stamps[stamp_in(cell->bits[0]) - x.launch->order->first];
      char why[200];
      if (by->block != x.block->index) {
        snprintf(why, sizeof why, "block %u published it before in this launch, at %.100s:%d; a slot has one publisher", by->block,
                 iw_sim_short_name(site_in(cell->bits[0])->file), site_in(cell->bits[0])->line);
        found_publish(&x, site_in(cell->bits[0]), why, flag);
      } else if (s && (s->flag > flag || (s->flag == flag && memcmp(s->words, value, words * 8) != 0))) {
        snprintf(why, sizeof why, "it had the flag %u %s, by %.100s:%d; flags ascend in a launch", s->flag,
                 s->flag == flag ? "with another value" : "before", iw_sim_short_name(site_in(cell->bits[0])->file), site_in(cell->bits[0])->line);
        found_publish(&x, site_in(cell->bits[0]), why, flag);
      }
    }
    if (s) {
      s->is_slot = 1;
      s->flag = flag;
      memcpy(s->words, value, words * 8);
    }
    for (unsigned k = 0; k < 2 * words; k++) {
      cell[k].bits[0] = x.record | (uint64_t)l << LANE_AT | (uint64_t)SIM_DEFINED | PUBLISHED;
      cell[k].bits[1] = 0;
    }
  }
  return lanes;
}
