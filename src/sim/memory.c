/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the simulated device: allocations with red zones on both sides, and a shadow cell for each word.
 * An allocation is a mapping of its own, and so are its cells: pages that nothing touches take no memory.
 * The cell of a touched word takes 16 bytes, four times the word. Backend layer; knows nothing of launches.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "sim/sim.h"
#include "runtime/arithmetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 256, RED_ZONE = 256, PAGE = 4096, PATTERN = 0xee, POISON = 0xa5,
       LARGE_PAGE = 1 << 16, POISONED = 1 << 20, REPOISONED = 1 << 16, MANY_PAGES = 16 };

static void *map(size_t bytes)
{
  void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* The number of regions that begin at or in front of an address. */
static size_t regions_up_to(const sim_state *state, const char *at)
{
  size_t low = 0, high = state->region_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((const char *)state->regions[middle]->mapping <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int in_mapping(const sim_region *region, const char *at)
{
  return (size_t)((uintptr_t)at - (uintptr_t)region->mapping) < region->mapped;
}

sim_region *iw_sim_memory_find(sim_state *state, const void *address)
{
  const char *const at = address;
  if (state->last_region && in_mapping(state->last_region, at))
    return state->last_region;
  const size_t k = regions_up_to(state, at);
  if (k == 0 || !in_mapping(state->regions[k - 1], at))
    return NULL;
  return state->last_region = state->regions[k - 1];
}

sim_region *iw_sim_memory_in_front(const sim_state *state, const void *at)
{
  const size_t k = regions_up_to(state, at);
  return k ? state->regions[k - 1] : NULL;
}

static size_t cells_of(const sim_region *region)
{
  return iw_ceil_div(region->bytes, 4);
}

static int insert(sim_state *state, sim_region *region)
{
  if (state->region_count == state->region_capacity) {
    const size_t capacity = state->region_capacity ? 2 * state->region_capacity : 64;
    sim_region **const more = realloc(state->regions, capacity * sizeof *more);
    if (!more)
      return 0;
    state->regions = more;
    state->region_capacity = capacity;
  }
  const size_t k = regions_up_to(state, region->mapping);
  memmove(state->regions + k + 1, state->regions + k, (state->region_count - k) * sizeof *state->regions);
  state->regions[k] = region;
  state->region_count++;
  return 1;
}

static void unmap(sim_region *region)
{
  if (region->mapping)
    munmap(region->mapping, region->mapped);
  if (region->cells)
    munmap(region->cells, iw_max(cells_of(region), 1) * sizeof *region->cells);
  free(region->arrays);
  free(region->touched);
  free(region->atomics);
  free(region);
}

iw_status iw_sim_memory_allocate(sim_state *state, size_t bytes, sim_use use, void **memory)
{
  sim_region *const region = calloc(1, sizeof *region);
  *memory = NULL;
  if (region && bytes < SIZE_MAX / 8) {
    region->bytes = bytes;
    region->use = use;
    region->mapped = (RED_ZONE + bytes + RED_ZONE + PAGE - 1) / PAGE * PAGE;
    region->mapping = map(region->mapped);
    region->cells = map(iw_max(cells_of(region), 1) * sizeof *region->cells);
    if (region->mapping && region->cells) {
      region->base = (char *)region->mapping + RED_ZONE;
      memset(region->mapping, PATTERN, RED_ZONE);
      memset(region->base + bytes, PATTERN, region->mapped - RED_ZONE - bytes);
      memset(region->base, POISON, iw_min(bytes, POISONED)); /* all of it would take memory that nobody touches */
      if (insert(state, region)) {
        *memory = region->base;
        return IW_OK;
      }
    }
  }
  if (region)
    unmap(region);
  return iw_fail(IW_ERROR_MEMORY, "cannot allocate %zu bytes for the simulated device, and as much four times for its checks",
                 bytes);
}

char *iw_sim_shared_new(sim_state *state)
{
  void *mapping = state->free_shared;
  if (mapping)
    state->free_shared = *(void **)mapping;
  else if ((mapping = map(SIM_SHARED)) != NULL)
    (void)mprotect((char *)mapping + SIM_SHARED - LARGE_PAGE, LARGE_PAGE, PROT_NONE);
  return mapping;
}

void iw_sim_shared_free(sim_state *state, char *mapping)
{
  *(void **)(void *)mapping = state->free_shared;
  state->free_shared = mapping;
}

/* Operations of kernels do not write to red zones, so the library, the host or unseen plain C did. */
static void check_red_zones(sim_state *state, const sim_region *region)
{
  const unsigned char *const from = region->mapping;
  const size_t front = (size_t)((const unsigned char *)region->base - from);
  for (size_t i = 0; i < region->mapped && !region->is_overrun; i++) {
    if (i == front)
      i += region->bytes;
    if (i < region->mapped && from[i] != PATTERN) {
      if (i < front)
        iw_sim_finding_of_host(state, SIM_BOUNDS, 0, "freed memory", NULL,
                            "the host wrote %zu bytes in front of an allocation of %zu bytes",
                            front - i, region->bytes);
      else
        iw_sim_finding_of_host(state, SIM_BOUNDS, 0, "freed memory", NULL,
                            "the host wrote %zu bytes behind an allocation of %zu bytes",
                            i - front - region->bytes, region->bytes);
      return;
    }
  }
}

void iw_sim_memory_release(sim_state *state, void *memory)
{
  const size_t k = regions_up_to(state, memory);
  if (k == 0 || state->regions[k - 1]->base != (char *)memory)
    return;
  sim_region *const region = state->regions[k - 1];
  check_red_zones(state, region);
  memmove(state->regions + k - 1, state->regions + k, (state->region_count - k) * sizeof *state->regions);
  state->region_count--;
  state->last_region = NULL;
  unmap(region);
}

void iw_sim_memory_release_all(sim_state *state)
{
  for (void *shared; (shared = state->free_shared) != NULL; munmap(shared, SIM_SHARED))
    state->free_shared = *(void **)shared;
  for (size_t i = 0; i < state->region_count; i++)
    unmap(state->regions[i]);
  free(state->regions);
  state->regions = NULL;
  state->last_region = NULL;
  state->region_count = state->region_capacity = 0;
}

/* ---- Arrays within an allocation --------------------------------------------------------------------- */

/* The number of arrays that begin at or in front of an offset. */
static size_t arrays_up_to(const sim_region *region, size_t offset)
{
  size_t low = 0, high = region->array_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (region->arrays[middle].at <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const sim_array *iw_sim_memory_array(sim_region *region, size_t offset)
{
  if (region->last_array < region->array_count && sim_in_array(&region->arrays[region->last_array], offset))
    return &region->arrays[region->last_array];
  const size_t k = arrays_up_to(region, offset);
  if (k == 0)
    return NULL;
  region->last_array = k - 1;
  return &region->arrays[k - 1];
}

/* Gives pages back and returns 1 if they are clear when they are touched again, which Linux alone
 * promises. */
static int give_back(void *pages, size_t bytes)
{
#ifdef __linux__
  return madvise(pages, bytes, MADV_DONTNEED) == 0;
#else
  (void)pages, (void)bytes;
  return 0;
#endif
}

/* Contents and shadow become those of a new allocation: undefined and never accessed. Whole pages of shadow
 * cells are given back, which clears them. */
static void clear(sim_region *region, size_t from, size_t bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t end = iw_min(from + bytes, region->bytes);
  if (end <= from)
    return;
  memset(region->base + from, POISON, iw_min(end - from, REPOISONED));
  char *const first = (char *)&region->cells[from / 4], *const last = (char *)&region->cells[iw_ceil_div(end, 4)];
  char *const pages = first + (page - (uintptr_t)first % page) % page;
  const size_t whole = last > pages ? (size_t)(last - pages) / page * page : 0;
  if (whole < MANY_PAGES * page || !give_back(pages, whole)) {
    memset(first, 0, (size_t)(last - first));
    return;
  }
  memset(first, 0, (size_t)(pages - first));
  memset(pages + whole, 0, (size_t)(last - pages - whole));
}

void iw_sim_memory_lay_out(sim_state *state, void *memory, const iw_layout *layout, int contents)
{
  sim_region *const region = iw_sim_memory_find(state, memory);
  if (!region)
    return;
  const size_t from = (size_t)((char *)memory - region->base);
  const size_t end = from ? from + layout->used : SIZE_MAX; /* nothing stays of the last layout of all of the region */
  if (region->array_count + layout->count > region->array_capacity) {
    const size_t capacity = 2 * (region->array_count + layout->count);
    sim_array *const more = realloc(region->arrays, capacity * sizeof *more);
    if (!more)
      return;
    region->arrays = more;
    region->array_capacity = capacity;
  }
  size_t k = 0, gone = 0;
  while (k < region->array_count && region->arrays[k].at < from)
    k++;
  while (k + gone < region->array_count && region->arrays[k + gone].at < end)
    gone++;
  memmove(region->arrays + k + layout->count, region->arrays + k + gone,
          (region->array_count - k - gone) * sizeof *region->arrays);
  region->array_count = region->array_count - gone + layout->count;
  for (unsigned i = 0; i < layout->count; i++) {
    sim_array *const array = &region->arrays[k + i];
    array->at = from + layout->array[i].at;
    array->bytes = layout->array[i].bytes;
    snprintf(array->name, sizeof array->name, "%s", layout->array[i].name);
  }
  if (!contents && state->checks)
    clear(region, from, layout->used);
}

/* ---- What is defined --------------------------------------------------------------------------------- */

/* The part of [at, at + bytes) that is in the region, as offsets. */
static int clip(const sim_region *region, const void *at, size_t bytes, size_t *first, size_t *end)
{
  const size_t from = (size_t)((const char *)at - region->base);
  if ((const char *)at < region->base || from >= region->bytes || bytes == 0)
    return 0;
  *first = from;
  *end = from + iw_min(bytes, region->bytes - from);
  return 1;
}

/* The bytes of the word w that are in [first, end). */
static unsigned bytes_within(size_t w, size_t first, size_t end)
{
  unsigned mask = 15;
  if (first > 4 * w)
    mask &= 15u << (first - 4 * w);
  if (end < 4 * w + 4)
    mask &= (1u << (end - 4 * w)) - 1;
  return mask;
}

static void set_defined(sim_state *state, const void *at, size_t bytes, unsigned value)
{
  sim_region *const region = iw_sim_memory_find(state, at);
  size_t first, end;
  if (!region || !state->checks || !clip(region, at, bytes, &first, &end))
    return;
  for (size_t w = first / 4; 4 * w < end; w++) {
    const unsigned mask = bytes_within(w, first, end);
    if (mask == 15 || !value)
      sim_cell_set(&region->cells[w], value ? 15 : sim_cell_defined(&region->cells[w]) & ~mask);
    else
      region->cells[w].bits[0] |= (uint64_t)mask << SIM_DEFINED_AT;
  }
}

void iw_sim_memory_define(sim_state *state, void *at, size_t bytes)
{
  set_defined(state, at, bytes, 15);
}

void iw_sim_memory_undefine(sim_state *state, void *at, size_t bytes)
{
  set_defined(state, at, bytes, 0);
}

void iw_sim_memory_copy(sim_state *state, void *to, const void *from, size_t bytes)
{
  sim_region *const there = iw_sim_memory_find(state, to), *const here = iw_sim_memory_find(state, from);
  size_t t, t_end, h, h_end;
  if (!there || !here || !state->checks || !clip(there, to, bytes, &t, &t_end) || !clip(here, from, bytes, &h, &h_end))
    return;
  const size_t n = iw_min(t_end - t, h_end - h);
  if (t % 4 == 0 && h % 4 == 0 && n % 4 == 0) {
    const int down = there == here && t > h; /* overlapping, from the end */
    for (size_t i = 0; i < n / 4; i++) {
      const size_t k = down ? n / 4 - 1 - i : i;
      there->cells[t / 4 + k].bits[0] = here->cells[h / 4 + k].bits[0] & ((uint64_t)0x3fff << 18 | SIM_DEFINED);
      there->cells[t / 4 + k].bits[1] = 0;
    }
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const size_t k = there == here && t > h ? n - 1 - i : i;
    const uint64_t one = (uint64_t)1 << (SIM_DEFINED_AT + (t + k) % 4);
    uint64_t *const bits = &there->cells[(t + k) / 4].bits[0];
    *bits = sim_cell_defined(&here->cells[(h + k) / 4]) >> (h + k) % 4 & 1 ? *bits | one : *bits & ~one;
  }
}

void iw_sim_memory_forget(sim_state *state)
{
  for (size_t i = 0; i < state->region_count; i++) {
    sim_region *const region = state->regions[i];
    for (size_t w = 0; w < cells_of(region); w++)
      if (region->cells[w].bits[0] | region->cells[w].bits[1])
        sim_cell_set(&region->cells[w], sim_cell_defined(&region->cells[w]));
  }
}

int iw_sim_memory_is_defined(sim_state *state, const void *at, size_t bytes)
{
  const sim_region *const region = iw_sim_memory_find(state, at);
  size_t first, end;
  if (!region || !clip(region, at, bytes, &first, &end))
    return 1;
  for (size_t w = first / 4; 4 * w < end; w++)
    if (bytes_within(w, first, end) & ~sim_cell_defined(&region->cells[w]))
      return 0;
  return 1;
}

void iw_sim_memory_read_by_host(sim_state *state, const void *at, size_t bytes, const char *what)
{
  sim_region *const region = iw_sim_memory_find(state, at);
  size_t first, end, undefined = 0, where = 0;
  uint32_t site = 0;
  if (!region || !(state->checks & SIM_CHECK_UNDEFINED) || !clip(region, at, bytes, &first, &end))
    return;
  for (size_t w = first / 4; 4 * w < end; w++) {
    const unsigned mask = bytes_within(w, first, end) & ~sim_cell_defined(&region->cells[w]);
    if (!mask)
      continue;
    if (!undefined) {
      where = 4 * w + (unsigned)__builtin_ctz(mask);
      site = (uint32_t)(region->cells[w].bits[0] >> 18) & 0x3fff; /* that wrote it last, see check.c */
    }
    undefined += (unsigned)__builtin_popcount(mask);
  }
  const int is_new = region->use == SIM_USER && !region->was_read_undefined; /* each array is a finding */
  if (undefined) {
    region->was_read_undefined = 1;
    iw_sim_finding_of_host(state, SIM_UNDEFINED, is_new, what, site ? iw_sim_site_at(site) : NULL,
                        "reads %zu undefined bytes, the first at byte %zu of an allocation of %zu bytes%s", undefined, where,
                        region->bytes, site ? "; a kernel wrote it" : ", which nothing has written");
  }
}
