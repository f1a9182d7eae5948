/* SPDX-License-Identifier: Apache-2.0
 *
 * What the simulated GPU counts: instructions, requests, sectors, shared-memory wavefronts, rounds of
 * atomics, for each kernel, source line and phase. counters.def has the metrics and the rules by which
 * operations become instructions; doc/counters.md explains them. Counting changes no result. Backend layer;
 * knows no algorithm.
 *
 * A kernel has a table of counts by the pair of site and phase, which lines, phases and the kernel are sums
 * of.
 */
#include "sim/sim.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#define SIM_CLASS(id, opcodes, metric) id,
#include "sim/counters.def"
  CLASSES,
  BEFORE_METRICS = CLASSES - 1,
#define SIM_METRIC(id, name) id,
#include "sim/counters.def"
  METRICS
};

/* Behind the metrics an entry has two counts of each bank: words that it served, and those of them that
 * conflicted. A word served by each of the banks is counted once in ALL_BANKS instead, as most accesses are
 * rows. */
enum { BANKS = IW_SIM_BANKS, BANK_WORDS = METRICS, BANK_CONFLICTS = BANK_WORDS + BANKS,
       ALL_BANKS = BANK_CONFLICTS + BANKS, TOTALS };

static const char *const metric_names[METRICS] = {
#define SIM_CLASS(id, opcodes, metric) [id] = metric,
#include "sim/counters.def"
#define SIM_METRIC(id, name) [id] = name,
#include "sim/counters.def"
};

typedef enum rule { SIM_UNKNOWN, SIM_PLAIN, SIM_UNIFORM, SIM_VOLATILE_LD, SIM_VOLATILE_ST, SIM_UNUSED, SIM_ONES, SIM_BY_USE } rule;
static const struct { const char *prefix; rule how; } rules[] = {
#define SIM_RULE(prefix, how, source) { prefix, how },
#include "sim/counters.def"
};

enum { SECTOR = 32, LINE = 128, MAX_LANES = 64 };

/* ---- Tables of counts -------------------------------------------------------------------------------- */

typedef struct entry {
  uint32_t site, phase;       /* indices of sites; 0: none */
  char *file, *operation, *phase_file; /* copies: a kernel's object may be unloaded before the report. NULL: none */
  int line, phase_line;
  uint64_t counts[TOTALS];
} entry;

typedef struct kernel_counts {
  char *name;
  uint64_t launches, blocks, warps;
  size_t grid;                /* of the last launch */
  unsigned threads;
  size_t shared;
  uint64_t hottest, hottest_now; /* atomics to the sector that got most, of ended launches and of the last one */
  entry *entries;
  uint32_t count, capacity;
  uint32_t *places;           /* hash table of indices + 1 of entries; twice `capacity` */
} kernel_counts;

typedef struct sim_counters {
  int on;
  int failed;                 /* there was no memory for all counts */
  kernel_counts *kernels;
  size_t count, capacity;
  kernel_counts *running;
  uint32_t last_site, last_phase; /* of `last`, an index of the running kernel's entries */
  uint32_t last;
  uint32_t *stamps;           /* by a word of shared memory: the last instruction that accessed it */
  uint32_t stamp;             /* the largest one */
} sim_counters;

/* More words than a block's shared memory has: words that are there have different places. */
enum { STAMPS = 1 << 16 };

/* Where an instruction is counted. */
typedef struct tally { uint64_t *counts; sim_counters *of; } tally;

static char *copy_text(const char *text)
{
  char *const memory = text ? malloc(strlen(text) + 1) : NULL;
  return memory ? strcpy(memory, text) : NULL;
}

static uint32_t hash_of(uint32_t site, uint32_t phase)
{
  return (uint32_t)(((uint64_t)site << 14 ^ phase) * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t *entry_place(const kernel_counts *k, uint32_t site, uint32_t phase)
{
  const uint32_t mask = 2 * k->capacity - 1;
  uint32_t i = hash_of(site, phase) & mask;
  while (k->places[i] && (k->entries[k->places[i] - 1].site != site || k->entries[k->places[i] - 1].phase != phase))
    i = (i + 1) & mask;
  return &k->places[i];
}

static int grow(kernel_counts *k)
{
  const uint32_t capacity = k->capacity ? 2 * k->capacity : 32;
  entry *const entries = realloc(k->entries, capacity * sizeof *entries);
  uint32_t *const places = calloc(2 * (size_t)capacity, sizeof *places);
  if (entries)
    k->entries = entries;
  if (!entries || !places) {
    free(places);
    return 0;
  }
  free(k->places);
  k->places = places;
  k->capacity = capacity;
  for (uint32_t i = 0; i < k->count; i++)
    *entry_place(k, k->entries[i].site, k->entries[i].phase) = i + 1;
  return 1;
}

/* The counts of a site in the warp's phase. site: NULL, the place is the phase. */
static uint64_t *counts_of(sim_warp *warp, const iw_site *site)
{
  sim_counters *const c = warp->block->launch->state->counters;
  kernel_counts *const k = c->running;
  const iw_site *const phase = warp->phase;
  const uint32_t s = site ? iw_sim_site_index(site) : 0, p = phase ? iw_sim_site_index(phase) : 0;
  static uint64_t lost[TOTALS]; /* where there is no memory: never read */
  if (k && k->count && c->last_site == s && c->last_phase == p)
    return k->entries[c->last].counts;
  if (!k || ((!k->capacity || k->count == k->capacity) && !grow(k))) {
    c->failed = 1;
    return lost;
  }
  uint32_t *const place = entry_place(k, s, p);
  if (!*place) {
    entry *const e = &k->entries[k->count];
    memset(e, 0, sizeof *e);
    e->site = s;
    e->phase = p;
    e->file = copy_text(site ? site->file : phase ? phase->file : NULL);
    e->operation = copy_text(site ? site->operation : "(between lanes)");
    e->line = site ? site->line : phase ? phase->line : 0;
    e->phase_file = copy_text(phase ? phase->file : NULL);
    e->phase_line = phase ? phase->line : 0;
    *place = ++k->count;
  }
  c->last_site = s;
  c->last_phase = p;
  c->last = *place - 1;
  return k->entries[c->last].counts;
}

/* ---- Rules ------------------------------------------------------------------------------------------- */

/* The name without the type: "iw_shared_add" of "iw_shared_add_u32". Returns its length. */
static size_t stem_of(const char *operation)
{
  const size_t n = strlen(operation);
  return n > 4 && operation[n - 4] == '_' && strchr("fiu", operation[n - 3]) ? n - 4 : n;
}

static int ends_a_statement(char c)
{
  return strchr(";{})", c) != NULL;
}

/* Opens a site's file. A compiler names it relative to the folder where it ran: also tried without the
 * leading "../". */
static FILE *open_source(const char *name)
{
  FILE *file = fopen(name, "r");
  while (!file && strncmp(name, "../", 3) == 0) {
    name += 3;
    file = fopen(name, "r");
  }
  return file;
}

static _Atomic unsigned sources_missing; /* of atomics whose result may be dropped */

/* Whether the source drops the operation's result: a statement begins with its name. If the file is not
 * there, it is taken to be used. */
static int drops_result(const iw_site *site)
{
  enum { ABOVE = 3 };         /* lines that an operation's arguments may have taken */
  char text[512], stem[64], last = ';', before = ';';
  int found = 0, at = 1;
  FILE *const file = open_source(site->file);
  snprintf(stem, sizeof stem, "%.*s", (int)stem_of(site->operation), site->operation);
  for (; file && at <= site->line && fgets(text, sizeof text, file); at++) {
    const char *const name = strstr(text, stem);
    const char *end = text + strlen(text);
    if (name && at >= site->line - ABOVE) {
      const char *front = name;
      while (front > text && isspace((unsigned char)front[-1]))
        front--;
      before = front > text ? front[-1] : last;
      found = ends_a_statement(before) || (front >= text + 4 && !strncmp(front - 4, "else", 4));
    }
    while (end > text && isspace((unsigned char)end[-1]))
      end--;
    if (end > text)
      last = end[-1] == '/' ? ';' : end[-1]; /* the end of a comment */
  }
  if (file)
    fclose(file);
  else
    atomic_fetch_add(&sources_missing, 1);
  return found;
}

/* Whether the third argument is the constant 1. */
static int adds_one(const iw_site *site)
{
  const char *at = site->arguments;
  char value[64];
  size_t n = 0;
  int depth = 0, argument = 0;
  for (; *at && argument < 3; at++) {
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    if (*at == ',' && depth == 0)
      argument++;
    else if (argument == 2 && n < sizeof value - 1 && *at != ' ')
      value[n++] = *at;
  }
  value[n] = 0;
  const char *v = value;
  if (!strncmp(v, "iw_splat", 8) && (v = strchr(v, '(')) == NULL)
    return 0;
  if (*v == '(')
    v++;
  return *v == '1' && strspn(v + 1, "uUlL)") == strlen(v + 1);
}

static rule rule_by_name(const iw_site *site)
{
  unsigned i = 0;
  while (strncmp(site->operation, rules[i].prefix, strlen(rules[i].prefix)))
    i++;
  if (rules[i].how != SIM_BY_USE)
    return rules[i].how;
  return !drops_result(site) ? SIM_PLAIN : strstr(site->operation, "add") && adds_one(site) ? SIM_ONES : SIM_UNUSED;
}

/* What is known of a site: its rule, and whether it is in the language's own headers. */
enum { IN_LANGUAGE = 16 };

static unsigned known_of(const iw_site *site)
{
  static _Atomic unsigned char known[SIM_SITES];
  const uint32_t index = iw_sim_site_index(site);
  unsigned k = atomic_load_explicit(&known[index], memory_order_relaxed);
  if (k && index < SIM_SITES - 1)
    return k;
  k = rule_by_name(site) | (strstr(site->file, "isowarp/language/") ? IN_LANGUAGE : 0);
  atomic_store_explicit(&known[index], (unsigned char)k, memory_order_relaxed);
  return k;
}

/* ---- What one instruction costs ---------------------------------------------------------------------- */

/* An instruction of a warp on memory: lane l of `lanes` accesses `size` bytes at at[l]. */
typedef struct instruction {
  uint64_t lanes;
  unsigned size;
  int is_row;                 /* neighbouring lanes have neighbouring elements */
  uintptr_t at[MAX_LANES];
  uint8_t multiplicity[MAX_LANES]; /* of atomics: how many lanes up to this one have its address */
} instruction;

static unsigned lanes_in(uint64_t lanes) { return (unsigned)__builtin_popcountll(lanes); }
static unsigned lowest(uint64_t lanes) { return (unsigned)__builtin_ctzll(lanes); }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Lines of 128 bytes that lanes touch, and which of a line's sectors. */
typedef struct lines { unsigned count; uintptr_t line[MAX_LANES]; uint8_t sectors[MAX_LANES]; } lines;

static void find_lines(const instruction *i, lines *found)
{
  enum { PLACES = 128 };
  uint8_t table[PLACES] = { 0 };
  uintptr_t recent = 0;       /* the line of the lane before, and its place */
  unsigned place = 0;
  found->count = 0;
  const unsigned lane = lowest(i->lanes), last = 63 - (unsigned)__builtin_clzll(i->lanes);
  if (i->is_row && i->size <= 16 && i->lanes >> lane == ~(uint64_t)0 >> (63 - (last - lane))) { /* without a gap */
    const uintptr_t end = i->at[last] + i->size - 1;
    for (uintptr_t sector = i->at[lane] / SECTOR; sector <= end / SECTOR; sector++) {
      if (!found->count || found->line[found->count - 1] != sector * SECTOR / LINE) {
        found->line[found->count] = sector * SECTOR / LINE;
        found->sectors[found->count++] = 0;
      }
      found->sectors[found->count - 1] |= (uint8_t)(1 << sector % (LINE / SECTOR));
    }
    return;
  }
  for (uint64_t rest = i->lanes; rest; rest &= rest - 1) {
    const uintptr_t at = i->at[lowest(rest)], line = at / LINE;
    if (!found->count || line != recent) {
      unsigned t = (unsigned)(line * 0x9e3779b1u >> 7) % PLACES;
      while (table[t] && found->line[table[t] - 1] != line)
        t = (t + 1) % PLACES;
      if (!table[t]) {
        found->line[found->count] = line;
        found->sectors[found->count] = 0;
        table[t] = (uint8_t)++found->count;
      }
      place = table[t] - 1u;
      recent = line;
    }
    found->sectors[place] |= (uint8_t)(1 << at % LINE / SECTOR);
  }
}

/* Sectors that memory has to move at least: each once for a launch. */
static void touch(sim_state *state, uint64_t *counts, const lines *found, int reads, int writes)
{
  enum { READ = 1, WRITTEN = 2 };
  sim_region *region = NULL;
  for (unsigned n = 0; n < found->count; n++) {
    const uintptr_t line = found->line[n] * LINE;
    for (unsigned rest = found->sectors[n]; rest; rest &= rest - 1) {
      const uintptr_t at = line + (unsigned)__builtin_ctz(rest) * SECTOR;
      if (!region || at - (uintptr_t)region->base >= region->bytes) {
        region = iw_sim_memory_find(state, (const void *)at);
        if (region && !region->touched)
          region->touched = calloc(region->bytes / SECTOR + 1, 1);
      }
      if (!region || !region->touched || at - (uintptr_t)region->base >= region->bytes)
        continue;             /* a table of the kernel; or beyond the allocation, which is a finding */
      uint8_t *const t = &region->touched[(at - (uintptr_t)region->base) / SECTOR];
      if (reads && !*t) {
        counts[BYTES_READ] += SECTOR;
        *t |= READ;
      }
      if (writes && !(*t & WRITTEN)) {
        counts[BYTES_WRITTEN] += SECTOR;
        *t |= WRITTEN;
      }
    }
  }
}

/* Notes atomics to these sectors: one after the other each. */
static void add_atomics(sim_state *state, const lines *found)
{
  kernel_counts *const k = state->counters->running;
  for (unsigned n = 0; n < found->count; n++)
    for (unsigned rest = found->sectors[n]; rest && k; rest &= rest - 1) {
      const uintptr_t at = found->line[n] * LINE + (unsigned)__builtin_ctz(rest) * SECTOR;
      sim_region *const region = iw_sim_memory_find(state, (const void *)at);
      if (region && !region->atomics)
        region->atomics = calloc(region->bytes / SECTOR + 1, sizeof *region->atomics);
      if (!region || !region->atomics || at - (uintptr_t)region->base >= region->bytes)
        continue;
      const uint32_t now = ++region->atomics[(at - (uintptr_t)region->base) / SECTOR];
      k->hottest_now = now > k->hottest_now ? now : k->hottest_now;
    }
}

/* Returns the first of `count` stamps that no word has; words have smaller ones. */
static uint32_t next_stamps(sim_counters *c, uint32_t count)
{
  if (c->stamp > UINT32_MAX - count) {
    memset(c->stamps, 0, STAMPS * sizeof *c->stamps);
    c->stamp = 0;
  }
  c->stamp += count;
  return c->stamp - count + 1;
}

/* Sets multiplicity in shared memory; returns the largest one. */
static unsigned find_shared_multiplicity(sim_counters *c, instruction *i)
{
  const uint32_t first = next_stamps(c, MAX_LANES);
  unsigned most = 0;
  for (uint64_t rest = i->lanes; rest; rest &= rest - 1) {
    const unsigned l = lowest(rest);
    uint32_t *const stamp = &c->stamps[i->at[l] / 4 % STAMPS];
    const uint32_t now = *stamp >= first ? *stamp + 1 : first; /* counts the lanes of this instruction */
    *stamp = now;
    i->multiplicity[l] = (uint8_t)(now - first + 1);
    most = now - first + 1 > most ? now - first + 1 : most;
  }
  return most;
}

/* Sets multiplicity; returns the largest one. */
static unsigned find_multiplicity(instruction *i)
{
  enum { PLACES = 128 };
  uint8_t table[PLACES] = { 0 };
  unsigned most = 0;
  for (uint64_t rest = i->lanes; rest; rest &= rest - 1) {
    const unsigned l = lowest(rest);
    unsigned t = (unsigned)(i->at[l] / 4 * 0x9e3779b1u >> 7) % PLACES;
    while (table[t] && i->at[table[t] - 1u] != i->at[l])
      t = (t + 1) % PLACES;
    i->multiplicity[l] = (uint8_t)(table[t] ? i->multiplicity[table[t] - 1u] + 1 : 1);
    table[t] = (uint8_t)(l + 1);
    most = i->multiplicity[l] > most ? i->multiplicity[l] : most;
  }
  return most;
}

/* The lanes whose address `round` lanes up to them have. */
static uint64_t lanes_of_round(const instruction *i, unsigned round)
{
  uint64_t lanes = 0;
  for (uint64_t rest = i->lanes; rest; rest &= rest - 1)
    lanes |= (uint64_t)(i->multiplicity[lowest(rest)] == round) << lowest(rest);
  return lanes;
}

/* These banks have served a word each, `times`. */
static void add_banks(uint64_t *counts, uint32_t banks, unsigned times)
{
  if (banks == UINT32_MAX)
    counts[ALL_BANKS] += times;
  else
    for (; banks; banks &= banks - 1)
      counts[BANK_WORDS + (unsigned)__builtin_ctz(banks)] += times;
}

/* The most words of 4 bytes in one bank. Equal words count once if they are merged. Counts the banks' words
 * `times`. Banks are as good as random, so there is no branch in the loop. */
static unsigned most_in_a_bank(tally *t, const instruction *i, uint64_t lanes, int merged, unsigned times)
{
  const unsigned each = i->size > 4 ? i->size / 4 : 1, lane = lowest(lanes);
  uint8_t count[BANKS] = { 0 };
  unsigned most = 0;
  if (i->is_row && i->size == 4 && lanes >> lane <= UINT32_MAX) {
    const uint32_t row = (uint32_t)(lanes >> lane), bank = i->at[lane] / 4 % BANKS;
    add_banks(t->counts, row << bank | row >> (BANKS - bank) % BANKS, times);
    return 1;
  }
  const uint32_t stamp = next_stamps(t->of, 1);
  uint32_t *const stamps = t->of->stamps;
  for (unsigned w = 0; w < each; w++)
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      const uintptr_t word = i->at[lowest(rest)] / 4 + w;
      count[word % BANKS] += (uint8_t)(!merged | (stamps[word % STAMPS] != stamp));
      stamps[word % STAMPS] = stamp;
    }
  for (unsigned b = 0; b < BANKS; b++) {
    most = count[b] > most ? count[b] : most;
    t->counts[BANK_WORDS + b] += times * count[b];
    t->counts[BANK_CONFLICTS + b] += times * (count[b] - (count[b] > 0));
  }
  return most;
}

/* Whether lanes whose numbers differ in this bit have one address, where both take part. */
static int pairs_agree(const instruction *i, uint64_t lanes, unsigned bit)
{
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = lowest(rest);
    if (lanes >> (l ^ bit) & 1 && i->at[l ^ bit] != i->at[l])
      return 0;
  }
  return 1;
}

/* A warp's access of 8 bytes a lane is two of half warps, and one of 16 bytes four of quarter warps: half
 * as many if neighbouring lanes, or those after the next, agree in pairs. */
static unsigned wavefronts(tally *t, const instruction *i, uint64_t lanes, unsigned times)
{
  unsigned group = i->size <= 4 ? MAX_LANES : 128 / i->size, sum = 0;
  if (group < MAX_LANES && (pairs_agree(i, lanes, 1) || pairs_agree(i, lanes, 2)))
    group *= 2;
  for (unsigned first = 0; first < MAX_LANES; first += group) {
    const uint64_t here = group == MAX_LANES ? lanes : lanes & (((uint64_t)1 << group) - 1) << first;
    if (here)
      sum += most_in_a_bank(t, i, here, 1, times);
  }
  return sum;
}

static uint64_t ideal(const instruction *i, unsigned unit)
{
  return ((uint64_t)lanes_in(i->lanes) * i->size + unit - 1) / unit;
}

static void count_global(sim_state *state, uint64_t *counts, int class, instruction *i)
{
  static const int requests[] = { [GLOBAL_LD] = REQUESTS_LD, [GLOBAL_ST] = REQUESTS_ST, [GLOBAL_ATOM] = REQUESTS_ATOM,
                                  [GLOBAL_RED] = REQUESTS_RED };
  static const int sectors[] = { [GLOBAL_LD] = SECTORS_LD, [GLOBAL_ST] = SECTORS_ST, [GLOBAL_ATOM] = SECTORS_ATOM,
                                 [GLOBAL_RED] = SECTORS_RED };
  lines found;
  uint64_t distinct = 0;
  if (!i->lanes)
    return;
  find_lines(i, &found);
  for (unsigned n = 0; n < found.count; n++)
    distinct += lanes_in(found.sectors[n]);
  counts[requests[class]]++;
  counts[TAG_REQUESTS] += found.count;
  counts[SECTORS] += distinct;
  counts[SECTORS_IDEAL] += least(distinct, ideal(i, SECTOR));
  touch(state, counts, &found, class != GLOBAL_ST, class != GLOBAL_LD);
  if (class == GLOBAL_LD || class == GLOBAL_ST) {
    counts[sectors[class]] += distinct;
    return;
  }
  const unsigned rounds = find_multiplicity(i);
  counts[ROUNDS_GLOBAL] += rounds;
  const uint64_t lanes = i->lanes;
  for (unsigned r = 1; r <= rounds; r++) { /* each round has the sectors of its lanes */
    i->lanes = r == 1 && rounds == 1 ? lanes : lanes_of_round(i, r);
    find_lines(i, &found);
    add_atomics(state, &found);
    for (unsigned n = 0; n < found.count; n++)
      counts[sectors[class]] += lanes_in(found.sectors[n]);
    i->lanes = lanes;
  }
}

/* A 64-bit addition: each round loads the words of the lanes that are left and compares and swaps them,
 * which takes twice as long as the load; of lanes with one address the lowest succeeds. */
static void count_loop(tally *t, const instruction *i, unsigned rounds)
{
  uint64_t left = i->lanes, *const counts = t->counts;
  for (unsigned r = 1; r <= rounds; r++) {
    const unsigned load = wavefronts(t, i, left, 3);
    counts[WAVEFRONTS] += 3 * load;
    counts[WAVEFRONTS_IDEAL] += 3 * load;
    counts[SHARED_LD]++;
    counts[SHARED_ATOM] += r > 1;
    counts[THREADS] += lanes_in(left) * (r > 1 ? 2u : 1u);
    counts[THREADS_TRUE] += lanes_in(left) * (r > 1 ? 2u : 1u);
    left &= ~lanes_of_round(i, r);
  }
}

static void count_shared(tally *t, int class, instruction *i, int merges, int is_loop)
{
  uint64_t *const counts = t->counts;
  if (!i->lanes)
    return;
  if (class == SHARED_ATOM) {
    const unsigned rounds = find_shared_multiplicity(t->of, i);
    counts[ROUNDS_SHARED] += merges ? 1 : rounds;
    if (is_loop) {
      count_loop(t, i, rounds);
      return;
    }
  }
  const unsigned all = class == SHARED_ATOM && !merges ? most_in_a_bank(t, i, i->lanes, 0, 1) :
                       wavefronts(t, i, i->lanes, 1);
  counts[WAVEFRONTS] += all;
  counts[WAVEFRONTS_IDEAL] += least(all, ideal(i, BANKS * 4));
}

/* ---- Operations become instructions ------------------------------------------------------------------ */

/* Sets the addresses of all lanes of a warp; only those of i->lanes mean anything. */
static inline __attribute__((always_inline)) void place_lanes(const iw_sim_access *of, unsigned all, instruction *i)
{
  const uintptr_t base = (uintptr_t)of->base;
  const unsigned shift = (unsigned)__builtin_ctz(of->size); /* sizes are powers of 2 */
  i->size = of->size;
  i->is_row = !of->index_32 && !of->index_64 && of->stride == 1;
  if (of->index_32)
    for (unsigned l = 0; l < all; l++)
      i->at[l] = base + ((uintptr_t)of->index_32[l] << shift);
  else if (of->index_64)
    for (unsigned l = 0; l < all; l++)
      i->at[l] = base + ((uintptr_t)of->index_64[l] << shift);
  else
    for (unsigned l = 0; l < all; l++)
      i->at[l] = base + ((uintptr_t)(of->first + of->stride * (int64_t)l) << shift);
}

static int class_of(unsigned kind, rule how, int is_shared)
{
  if (how == SIM_VOLATILE_LD || (kind & IW_SIM_LOAD && !(kind & IW_SIM_ATOMIC)))
    return is_shared ? SHARED_LD : GLOBAL_LD;
  if (how == SIM_VOLATILE_ST || kind & IW_SIM_STORE)
    return is_shared ? SHARED_ST : GLOBAL_ST;
  return is_shared ? SHARED_ATOM : how == SIM_UNUSED || how == SIM_ONES ? GLOBAL_RED : GLOBAL_ATOM;
}

/* is_uniform: one lane stands for all lanes of the warp. */
static void count_access(sim_warp *warp, const iw_sim_access *of, int is_uniform)
{
  const sim_block *const block = warp->block;
  const sim_launch *const launch = block->launch;
  const unsigned known = known_of(of->site);
  const rule how = (rule)(known & (IN_LANGUAGE - 1));
  const iw_site *const site = known & IN_LANGUAGE && warp->self.collective ? warp->self.collective : of->site;
  const unsigned all = launch->warp_size < 64 ? launch->warp_size : 64;
  const uint64_t threads = all == 64 ? ~(uint64_t)0 : ((uint64_t)1 << all) - 1;
  instruction i;
  if (of->kind & IW_SIM_NOT_COUNTED || (of->kind & IW_SIM_ATOMIC && !of->lanes)) /* a branch leaves out the atomic */
    return;
  i.lanes = of->lanes;
  if (all == 32) /* a constant makes vectors of the loops */
    place_lanes(of, 32, &i);
  else
    place_lanes(of, all, &i);
  const uintptr_t at = i.lanes ? i.at[lowest(i.lanes)] : (uintptr_t)of->base;
  if (at - (uintptr_t)launch->args < launch->kernel->args)
    return;                   /* the arguments are in the constant bank */
  const uint64_t on = of->lanes && (how == SIM_UNIFORM || is_uniform) ? threads : of->lanes;
  const int is_shared = at - (uintptr_t)block->shared < block->shared_bytes;
  const int class = class_of(of->kind, how, is_shared);
  uint64_t *const counts = counts_of(warp, site);
  counts[class]++;
  counts[THREADS] += all;
  counts[THREADS_TRUE] += lanes_in(on);
  if (is_shared) {
    const int is_loop = of->size == 8 && class == SHARED_ATOM && !strstr(of->site->operation, "exchange");
    count_shared(&(tally){ counts, launch->state->counters }, class, &i, how == SIM_ONES && of->size == 4, is_loop);
  } else
    count_global(launch->state, counts, class, &i);
}

/* The block's collectives receive a word by all lanes. */
void iw_sim_count_access(sim_warp *warp, const iw_sim_access *of)
{
  count_access(warp, of, (of->kind & (IW_SIM_INTERNAL | IW_SIM_LOAD)) == (IW_SIM_INTERNAL | IW_SIM_LOAD));
}

void iw_sim_count_memory(const iw_sim_access *access) { count_access(sim_self(), access, 0); }

void iw_sim_count_instruction(const iw_site *site, iw_sim_instruction instruction, unsigned count)
{
  static const int classes[] = { [IW_SIM_SHUFFLE] = SHUFFLE, [IW_SIM_VOTE] = VOTE, [IW_SIM_MATCH] = MATCH, [IW_SIM_REDUCE] = REDUX };
  sim_warp *const warp = sim_self();
  if (site && known_of(site) & IN_LANGUAGE && warp->self.collective)
    site = warp->self.collective;
  counts_of(warp, site)[classes[instruction]] += count;
}

void iw_sim_count_barrier(sim_warp *warp, const iw_site *site) { counts_of(warp, site)[BARRIER]++; }

/* ---- Launches ---------------------------------------------------------------------------------------- */

void iw_sim_count_launch(sim_launch *launch, size_t shared)
{
  sim_counters *const c = launch->state->counters;
  size_t k = 0;
  for (size_t r = 0; r < launch->state->region_count; r++) {
    const sim_region *const region = launch->state->regions[r];
    if (region->touched)
      memset(region->touched, 0, region->bytes / SECTOR + 1);
    if (region->atomics)
      memset(region->atomics, 0, (region->bytes / SECTOR + 1) * sizeof *region->atomics);
  }
  while (k < c->count && strcmp(c->kernels[k].name, launch->kernel->name))
    k++;
  c->running = NULL;
  if (k == c->count) {
    if (c->count == c->capacity) {
      const size_t capacity = c->capacity ? 2 * c->capacity : 8;
      kernel_counts *const more = realloc(c->kernels, capacity * sizeof *more);
      if (!more) {
        c->failed = 1;
        return;
      }
      c->kernels = more;
      c->capacity = capacity;
    }
    char *const name = copy_text(launch->kernel->name);
    if (!name) {
      c->failed = 1;
      return;
    }
    c->kernels[c->count++] = (kernel_counts){ .name = name };
  }
  kernel_counts *const running = c->running = &c->kernels[k];
  running->hottest += running->hottest_now;
  running->hottest_now = 0;
  running->launches++;
  running->blocks += launch->grid;
  running->warps += launch->grid * ((launch->threads + launch->warp_size - 1) / launch->warp_size);
  running->grid = launch->grid;
  running->threads = launch->threads;
  running->shared = shared;
  c->last_site = c->last_phase = UINT32_MAX;
}

static void forget_all(sim_counters *c)
{
  for (size_t k = 0; k < c->count; k++) {
    kernel_counts *const kernel = &c->kernels[k];
    for (uint32_t i = 0; i < kernel->count; i++) {
      free(kernel->entries[i].file);
      free(kernel->entries[i].operation);
      free(kernel->entries[i].phase_file);
    }
    free(kernel->entries);
    free(kernel->places);
    free(kernel->name);
  }
  free(c->kernels);
  *c = (sim_counters){ .on = c->on, .stamps = c->stamps, .stamp = c->stamp };
}

iw_status iw_sim_counters_open(sim_state *state)
{
  const char *const name = getenv("ISOWARP_SIM_COUNT");
  state->counters = calloc(1, sizeof *state->counters);
  uint32_t *const stamps = state->counters ? calloc(STAMPS, sizeof *stamps) : NULL;
  if (!stamps) {
    free(state->counters);
    state->counters = NULL;
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes of host memory", STAMPS * sizeof *stamps);
  }
  state->counters->stamps = stamps;
  state->counting = state->counters->on = name && *name;
  return IW_OK;
}

/* ---- What the caller gets ---------------------------------------------------------------------------- */

/* Entries in the order of their places. */
static int by_place(const entry *a, const entry *b, iw_sim_level level)
{
  const char *const f = level == IW_SIM_PHASES ? a->phase_file : a->file, *const g = level == IW_SIM_PHASES ? b->phase_file : b->file;
  const int l = level == IW_SIM_PHASES ? a->phase_line : a->line, m = level == IW_SIM_PHASES ? b->phase_line : b->line;
  if (level == IW_SIM_KERNELS)
    return 0;
  if (!f || !g)
    return (f != NULL) - (g != NULL);
  const int files = strcmp(f, g);
  if (files || l != m)
    return files ? files : l < m ? -1 : 1;
  return level == IW_SIM_LINES && a->operation && b->operation ? strcmp(a->operation, b->operation) : 0;
}
static int by_line(const void *a, const void *b) { return by_place(*(entry *const *)a, *(entry *const *)b, IW_SIM_LINES); }
static int by_phase(const void *a, const void *b) { return by_place(*(entry *const *)a, *(entry *const *)b, IW_SIM_PHASES); }

/* hottest: atomics to one sector, 0 if it is not known. An H200 takes two clocks for each
 * (doc/counters.md). */
static double estimate(const sim_profile *p, const uint64_t *v, uint64_t hottest, const char **limit)
{
  const double clocks = (double)p->processors * p->clock;
  const struct { const char *name; double seconds; } limits[] = {
    { "memory", p->memory_bandwidth ? (double)(v[BYTES_READ] + v[BYTES_WRITTEN]) / p->memory_bandwidth : 0 },
    { "L2", p->l2_bandwidth ? (double)(v[SECTORS_LD] + v[SECTORS_ST]) * SECTOR / p->l2_bandwidth : 0 },
    { "L1 tags", (double)v[TAG_REQUESTS] / clocks },
    { "shared memory", (double)v[WAVEFRONTS] / clocks },
    { "atomics", (double)(v[SECTORS_ATOM] + v[SECTORS_RED]) / clocks },
    { "atomics to one sector", 2 * (double)hottest / p->clock },
  };
  double most = 0;
  *limit = "none";
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
    if (limits[k].seconds > most) {
      most = limits[k].seconds;
      *limit = limits[k].name;
    }
  return most;
}

static iw_status visit_kernel(const sim_state *state, const kernel_counts *k, iw_sim_level level,
                              void (*use)(void *, const iw_sim_count *), void *user)
{
  entry **const sorted = malloc((k->count ? k->count : 1) * sizeof *sorted);
  if (!sorted)
    return iw_fail(IW_ERROR_MEMORY, "cannot allocate host memory for %u counts", (unsigned)k->count);
  for (uint32_t i = 0; i < k->count; i++)
    sorted[i] = &k->entries[i];
  if (level != IW_SIM_KERNELS)
    qsort(sorted, k->count, sizeof *sorted, level == IW_SIM_LINES ? by_line : by_phase);
  for (uint32_t i = 0, end; i < k->count || (i == 0 && level == IW_SIM_KERNELS); i = end) {
    uint64_t sums[TOTALS] = { 0 };
    for (end = i; end < k->count && by_place(sorted[i], sorted[end], level) == 0; end++)
      for (unsigned m = 0; m < TOTALS; m++)
        sums[m] += sorted[end]->counts[m];
    for (unsigned b = 0; b < BANKS; b++)
      sums[BANK_WORDS + b] += sums[ALL_BANKS];
    iw_sim_count count = { .size = sizeof count, .kernel = k->name, .launches = k->launches, .blocks = k->blocks,
                           .warps = k->warps, .grid = k->grid, .threads = k->threads, .metrics = METRICS, .values = sums,
                           .bank_words = sums + BANK_WORDS, .bank_conflicts = sums + BANK_CONFLICTS };
    if (level == IW_SIM_LINES) {
      count.file = sorted[i]->file;
      count.line = sorted[i]->line;
      count.operation = sorted[i]->operation;
    } else if (level == IW_SIM_PHASES) {
      count.file = sorted[i]->phase_file;
      count.line = sorted[i]->phase_line;
    }
    count.seconds = estimate(&state->profile, sums, level == IW_SIM_KERNELS ? k->hottest + k->hottest_now : 0, &count.limit);
    use(user, &count);
    if (!k->count)
      break;
  }
  free(sorted);
  return IW_OK;
}

static iw_status check_context(const iw_context *context)
{
  if (!context)
    return iw_fail(IW_ERROR_INVALID, "context is NULL");
  if (strcmp(context->ops->name, "sim") != 0)
    return iw_fail(IW_ERROR_INVALID, "the context's backend is %s; only the simulated GPU (IW_BACKEND_SIM) counts",
                   context->ops->name);
  return IW_OK;
}

const char *iw_sim_metric_name(size_t metric) { return metric < METRICS ? metric_names[metric] : NULL; }

iw_status iw_sim_set_counting(iw_context *context, int on)
{
  IW_TRY(check_context(context));
  sim_state *const state = context->state;
  if (on)
    forget_all(state->counters);
  state->counting = state->counters->on = on != 0;
  return IW_OK;
}

iw_status iw_sim_for_each_count(iw_context *context, iw_sim_level level, void (*use)(void *, const iw_sim_count *), void *user)
{
  IW_TRY(check_context(context));
  const sim_state *const state = context->state;
  const sim_counters *const c = state->counters;
  if ((unsigned)level > IW_SIM_PHASES)
    return iw_fail(IW_ERROR_INVALID, "level is %d; valid are 0 to %d", (int)level, (int)IW_SIM_PHASES);
  if (!use)
    return iw_fail(IW_ERROR_INVALID, "use is NULL");
  if (c->failed)
    return iw_fail(IW_ERROR_MEMORY, "there was no host memory for all counts");
  for (size_t k = 0; k < c->count; k++)
    IW_TRY(visit_kernel(state, &c->kernels[k], level, use, user));
  return IW_OK;
}

/* ---- Report files ------------------------------------------------------------------------------------ */

typedef struct report { FILE *file; iw_sim_level level; int rows; } report;
static const char *const level_names[] = { "kernel", "line", "phase" };

static void write_csv_text(FILE *file, const char *text)
{
  putc('"', file);
  for (; text && *text; text++) {
    if (*text == '"')
      putc('"', file);
    putc(*text, file);
  }
  putc('"', file);
}

static void csv_row(void *user, const iw_sim_count *c)
{
  report *const r = user;
  fprintf(r->file, "%s,", level_names[r->level]);
  write_csv_text(r->file, c->kernel);
  putc(',', r->file);
  write_csv_text(r->file, c->file ? iw_sim_short_name(c->file) : "");
  fprintf(r->file, ",%d,", c->line);
  write_csv_text(r->file, c->operation);
  fprintf(r->file, ",%llu,%llu,%u,%.4g,%s", (unsigned long long)c->launches, (unsigned long long)c->blocks, c->threads,
          c->seconds * 1e6, c->limit);
  for (size_t m = 0; m < c->metrics; m++)
    fprintf(r->file, ",%llu", (unsigned long long)c->values[m]);
  putc('\n', r->file);
}

static void write_json_text(FILE *file, const char *text)
{
  putc('"', file);
  for (; text && *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      fprintf(file, "\\u%04x", (unsigned)*text);
    else
      putc(*text, file);
  putc('"', file);
}

/* An array of counts of banks, unless all are 0. */
static void json_banks(FILE *file, const char *name, const uint64_t *counts)
{
  uint64_t any = 0;
  for (unsigned b = 0; b < BANKS; b++)
    any |= counts[b];
  if (!any)
    return;
  fprintf(file, ", \"%s\": [", name);
  for (unsigned b = 0; b < BANKS; b++)
    fprintf(file, b ? ", %llu" : "%llu", (unsigned long long)counts[b]);
  putc(']', file);
}

static void json_row(void *user, const iw_sim_count *c)
{
  report *const r = user;
  fprintf(r->file, "%s\n  { \"level\": \"%s\", \"kernel\": ", r->rows++ ? "," : "", level_names[r->level]);
  write_json_text(r->file, c->kernel);
  if (c->file) {
    fputs(", \"file\": ", r->file);
    write_json_text(r->file, iw_sim_short_name(c->file));
    fprintf(r->file, ", \"line\": %d", c->line);
  }
  if (c->operation) {
    fputs(", \"operation\": ", r->file);
    write_json_text(r->file, c->operation);
  }
  fprintf(r->file, ", \"launches\": %llu, \"blocks\": %llu, \"threads\": %u, \"estimate_us\": %.4g, \"limit\": \"%s\"",
          (unsigned long long)c->launches, (unsigned long long)c->blocks, c->threads, c->seconds * 1e6, c->limit);
  for (size_t m = 0; m < c->metrics; m++)
    if (c->values[m])
      fprintf(r->file, ", \"%s\": %llu", metric_names[m], (unsigned long long)c->values[m]);
  json_banks(r->file, "bank_words", c->bank_words);
  json_banks(r->file, "bank_conflicts", c->bank_conflicts);
  fputs(" }", r->file);
}

static double per(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

/* A table's row: what an engineer looks at first. */
static void text_row(FILE *file, const uint64_t *v)
{
  uint64_t memory = 0;
  for (unsigned c = GLOBAL_LD; c <= SHARED_ATOM; c++)
    memory += v[c];
  fprintf(file, "%10llu %5.1f %10llu %10llu %10llu %10llu %10llu %8llu %8llu %8llu\n", (unsigned long long)memory,
          per(v[THREADS_TRUE], memory), (unsigned long long)(v[REQUESTS_LD] + v[REQUESTS_ST] + v[REQUESTS_ATOM] + v[REQUESTS_RED]),
          (unsigned long long)v[SECTORS], (unsigned long long)v[SECTORS_IDEAL], (unsigned long long)v[WAVEFRONTS],
          (unsigned long long)v[WAVEFRONTS_IDEAL], (unsigned long long)(v[ROUNDS_GLOBAL] + v[ROUNDS_SHARED]),
          (unsigned long long)v[BARRIER], (unsigned long long)(v[SHUFFLE] + v[VOTE] + v[MATCH] + v[REDUX]));
}

static void text_line(void *user, const iw_sim_count *c)
{
  report *const r = user;
  char place[128];
  if (r->level == IW_SIM_PHASES)
    snprintf(place, sizeof place, c->file ? "%.70s:%d" : "%.70s", c->file ? iw_sim_short_name(c->file) : "between phases", c->line);
  else
    snprintf(place, sizeof place, "%.60s:%d %.30s", c->file ? iw_sim_short_name(c->file) : "", c->line, c->operation);
  fprintf(r->file, "  %-56s ", place);
  text_row(r->file, c->values);
}

static iw_status write_text(FILE *file, const sim_state *state)
{
  const sim_counters *const c = state->counters;
  const unsigned missing = atomic_load(&sources_missing);
  if (missing)
    fprintf(file, "The source of %u atomics was not found from the working folder: their results count as used.\n\n", missing);
  for (size_t k = 0; k < c->count; k++) {
    const kernel_counts *const kernel = &c->kernels[k];
    uint64_t sums[METRICS] = { 0 };
    const char *limit;
    for (uint32_t i = 0; i < kernel->count; i++)
      for (unsigned m = 0; m < METRICS; m++)
        sums[m] += kernel->entries[i].counts[m];
    const double seconds = estimate(&state->profile, sums, kernel->hottest + kernel->hottest_now, &limit);
    fprintf(file, "%s%s: %llu launch%s, the last with %zu blocks of %u threads\n", k ? "\n" : "", kernel->name,
            (unsigned long long)kernel->launches, kernel->launches == 1 ? "" : "es", kernel->grid, kernel->threads);
    fprintf(file, "%s: at least %.2f us, limited by %s (%llu bytes read, %llu written)\n", state->profile.title, seconds * 1e6,
            limit, (unsigned long long)sums[BYTES_READ], (unsigned long long)sums[BYTES_WRITTEN]);
    for (unsigned m = 0; m < METRICS; m++)
      if (sums[m])
        fprintf(file, "  %-56s %12llu\n", metric_names[m], (unsigned long long)sums[m]);
    fprintf(file, "  %-56s %12llu\n  %-56s %12llu\n", "derived__memory_l2_theoretical_sectors_global_excessive",
            (unsigned long long)(sums[SECTORS] - sums[SECTORS_IDEAL]), "derived__memory_l1_wavefronts_shared_excessive",
            (unsigned long long)(sums[WAVEFRONTS] - sums[WAVEFRONTS_IDEAL]));
    for (iw_sim_level level = IW_SIM_LINES; level <= IW_SIM_PHASES; level++) {
      report r = { .file = file, .level = level };
      fprintf(file, "  %-56s %10s %5s %10s %10s %10s %10s %10s %8s %8s %8s\n", level == IW_SIM_LINES ? "line" : "phase", "memory", "lanes",
              "requests", "sectors", "ideal", "wavefronts", "ideal", "rounds", "barriers", "between");
      IW_TRY(visit_kernel(state, kernel, level, text_line, &r));
    }
  }
  return IW_OK;
}

static int has_suffix(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static iw_status write_rows(FILE *file, iw_context *context, void (*row)(void *, const iw_sim_count *))
{
  report r = { .file = file };
  for (r.level = IW_SIM_KERNELS; r.level <= IW_SIM_PHASES; r.level++)
    IW_TRY(iw_sim_for_each_count(context, r.level, row, &r));
  return IW_OK;
}

iw_status iw_sim_write_counts(iw_context *context, const char *name)
{
  iw_status status;
  IW_TRY(check_context(context));
  if (!name || !*name)
    return iw_fail(IW_ERROR_INVALID, "path is %s", name ? "empty" : "NULL");
  FILE *const file = fopen(name, "w");
  if (!file)
    return iw_fail(IW_ERROR_INVALID, "cannot write \"%.200s\"", name);
  if (has_suffix(name, ".csv")) {
    fputs("level,kernel,file,line,operation,launches,blocks,threads,estimate_us,limit", file);
    for (unsigned m = 0; m < METRICS; m++)
      fprintf(file, ",%s", metric_names[m]);
    putc('\n', file);
    status = write_rows(file, context, csv_row);
  } else if (has_suffix(name, ".json")) {
    putc('[', file);
    status = write_rows(file, context, json_row);
    fputs("\n]\n", file);
  } else
    status = write_text(file, context->state);
  const int failed = ferror(file);
  if ((fclose(file) != 0 || failed) && status == IW_OK)
    return iw_fail(IW_ERROR_INVALID, "cannot write \"%.200s\"", name);
  return status;
}

void iw_sim_counters_close(sim_state *state)
{
  static _Atomic unsigned written;
  const char *const name = getenv("ISOWARP_SIM_COUNT");
  if (!state->counters)
    return;
  if (name && *name && state->counters->on && state->counters->count) {
    const unsigned number = atomic_fetch_add(&written, 1) + 1;
    const char *const dot = strrchr(name, '.'), *const slash = strrchr(name, '/');
    const int stem = dot && (!slash || dot > slash) ? (int)(dot - name) : (int)strlen(name);
    char numbered[4096];
    const int n = number == 1 ? snprintf(numbered, sizeof numbered, "%s", name) :
                                snprintf(numbered, sizeof numbered, "%.*s-%u%s", stem, name, number, name + stem);
    if ((size_t)n < sizeof numbered)
      (void)iw_sim_write_counts(state->context, numbered); /* a close has no status */
  }
  state->counting = 0;
  forget_all(state->counters);
  free(state->counters->stamps);
  free(state->counters);
  state->counters = NULL;
}
