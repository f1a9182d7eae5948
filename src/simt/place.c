/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the simulated device, and the names of places: allocations, shared arrays and variables by the
 * program's symbols, lines of code by the program addr2line, which comes with the compiler.
 */
#include "simt/simt.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Addresses are not used twice until all of them have been: freed memory is known as that. */
enum { GRANULE = 256, POISON = 0xa5, POISONED = 1 << 20 };
static const size_t GLOBAL_BYTES = (size_t)1 << SIMT_GLOBAL_BITS, DEVICE_BYTES = GLOBAL_BYTES / 2;

simt_region *iw_simt_regions;
uint32_t *iw_simt_region_of;
static size_t region_count = 1, region_capacity, used, allocated;

char iw_simt_dynamic[(227 << 10) + 1024] __attribute__((aligned(1024)));

void *iw_simt_reserve(size_t bytes)
{
  void *const at =
    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    fprintf(stderr,
            "isowarp: cannot reserve %zu bytes of address space for the simulated GPU; raise the limit of "
            "virtual memory (ulimit -v)\n",
            bytes);
    _exit(2);
  }
  return at;
}

void *iw_simt_must(void *memory, const char *what)
{
  char text[80];
  if (SIMT_LIKELY(memory != NULL))
    return memory;
  snprintf(text, sizeof text, "no memory for %s", what);
  iw_simt_trap(text, NULL);
}

void *iw_simt_more(void *memory, size_t *capacity, size_t element_bytes, const char *what)
{
  *capacity = 2 * *capacity + 4;
  return iw_simt_must(realloc(memory, *capacity * element_bytes), what);
}

simt_area iw_simt_area_of(uintptr_t base, size_t bytes)
{
  return (simt_area){ base, bytes, iw_simt_reserve((bytes / 4 + 1) * sizeof(simt_cell)),
                      iw_simt_reserve((bytes + 4) * sizeof(simt_cell)), iw_simt_reserve(bytes / 8 + 8) };
}

/* ---- The program's symbols --------------------------------------------------------------------------- */

typedef struct symbol { uintptr_t at; size_t bytes; const char *name; int is_shared; } symbol;
static symbol *symbols;
static size_t symbol_count;

static void read_symbols(void)
{
  struct stat about;
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0)
    return;
  const char *const image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (image == MAP_FAILED)
    return;
  const ElfW(Ehdr) *const header = (const void *)image;
  const ElfW(Shdr) *const sections = (const void *)(image + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const ElfW(Sym) *const all = (const void *)(image + sections[i].sh_offset);
    const char *const names = image + sections[sections[i].sh_link].sh_offset;
    const size_t count = sections[i].sh_size / sizeof *all;
    symbols = malloc(count * sizeof *symbols);
    for (size_t k = 0; symbols && k < count; k++) {
      const int type = ELF64_ST_TYPE(all[k].st_info);
      if ((type == STT_TLS || type == STT_OBJECT) && all[k].st_size > 0 && all[k].st_shndx != SHN_UNDEF &&
          !(type == STT_TLS && strcmp(names + all[k].st_name, "iw_sim_self") == 0)) /* the runtime's own */
        symbols[symbol_count++] =
          (symbol){ all[k].st_value + (type == STT_TLS ? iw_simt_now.shared.base : 0), all[k].st_size,
                    names + all[k].st_name, type == STT_TLS };
    }
  }
}

/* Shared variables of classes have a guard, which says that they have been constructed: the first block's
 * thread would do so, and the classes of CUDA need nothing of it. */
void iw_simt_begin_shared(void)
{
  static symbol guards[64];
  static int guard_count = -1;
  if (guard_count < 0) {
    guard_count = 0;
    for (size_t i = 0; i < symbol_count; i++)
      if (symbols[i].is_shared && strncmp(symbols[i].name, "_ZGV", 4) == 0 && guard_count < 64)
        guards[guard_count++] = symbols[i];
  }
  for (int i = 0; i < guard_count; i++) {
    memset((void *)guards[i].at, 1, guards[i].bytes);
    iw_simt_set_defined(&iw_simt_now.shared, guards[i].at, guards[i].bytes, 1);
  }
}

static const symbol *symbol_at(uintptr_t at, int is_shared)
{
  for (size_t i = 0; i < symbol_count; i++)
    if (symbols[i].is_shared == is_shared && at - symbols[i].at < symbols[i].bytes)
      return &symbols[i];
  return NULL;
}

static int look(struct dl_phdr_info *info, size_t size, void *user)
{
  (void)size, (void)user;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
    if (p->p_type == PT_TLS) {
      iw_simt_now.static_bytes = p->p_memsz;
      iw_simt_now.shared.base = (uintptr_t)info->dlpi_tls_data;
    } else if (p->p_type == PT_LOAD && p->p_flags & PF_W)
      iw_simt_now.data = iw_simt_area_of(info->dlpi_addr + p->p_vaddr, p->p_memsz);
  }
  return 1; /* the program is the first */
}

void iw_simt_places_open(void)
{
  iw_simt_now.global = iw_simt_area_of((uintptr_t)iw_simt_reserve(GLOBAL_BYTES), GLOBAL_BYTES);
  iw_simt_region_of = iw_simt_reserve(GLOBAL_BYTES / GRANULE * sizeof *iw_simt_region_of);
  iw_simt_regions = iw_simt_more(NULL, &region_capacity, sizeof *iw_simt_regions, "the list of allocations");
  iw_simt_regions[0] = (simt_region){ .base = iw_simt_now.global.base };
  used = GRANULE;
  dl_iterate_phdr(look, NULL);
  iw_simt_now.data.defined = NULL;
  iw_simt_now.host = pthread_self();
  if (iw_simt_now.static_bytes == 0)
    iw_simt_now.shared.base = 0;
  iw_simt_now.dynamic = (uintptr_t)iw_simt_dynamic;
  read_symbols();
}

simt_area *iw_simt_area(uintptr_t at, size_t *offset)
{
  simt_now *const now = &iw_simt_now;
  if ((*offset = at - now->global.base) < now->global.bytes)
    return &now->global;
  if ((*offset = at - now->shared.base) < now->static_bytes)
    return &now->shared;
  /* Behind dynamic shared memory there is other memory of shared memory's: what leads there is out of
   * bounds. */
  if ((*offset = at - now->dynamic) < sizeof iw_simt_dynamic) {
    *offset += now->static_bytes;
    return &now->shared;
  }
  if ((*offset = at - now->data.base) < now->data.bytes)
    return &now->data;
  return NULL;
}

extern char __bss_start[];

/* Whether some of the bytes are behind the program's variables by `distance` or more. */
static int is_behind(uintptr_t at, size_t bytes, size_t distance)
{
  const uintptr_t data = (uintptr_t)iw_simt_edge_data + distance, bss = (uintptr_t)iw_simt_edge_bss + distance;
  const int is_behind_data = at < (uintptr_t)__bss_start && at + bytes > data;
  return is_behind_data || (at < iw_simt_now.data.base + iw_simt_now.data.bytes && at + bytes > bss);
}

static uint64_t hash(uint64_t h, uintptr_t at, size_t bytes)
{
  uint64_t word = 0;
  for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
    memcpy(&word, (const void *)at, sizeof word);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  for (; bytes > 0; at++, bytes--)
    h = (h ^ *(const unsigned char *)at) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

uint64_t iw_simt_hash_of_memory(void)
{
  const uintptr_t data = iw_simt_now.data.base, bss = (uintptr_t)__bss_start;
  uint64_t h = hash(0, data, (uintptr_t)iw_simt_edge_data - data);
  h = hash(h, bss, (uintptr_t)iw_simt_edge_bss - bss);
  for (size_t i = 1; i < region_count; i++)
    if (!iw_simt_regions[i].is_free)
      h = hash(h, iw_simt_regions[i].base, iw_simt_regions[i].bytes);
  return h;
}

int iw_simt_is_index(uintptr_t at, size_t bytes)
{
  const iw_simt_dim *const all[] = { &iw_simt_thread_index, &iw_simt_block_index, &iw_simt_block_dim, &iw_simt_grid_dim };
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (at - (uintptr_t)all[i] < sizeof *all[i] && bytes <= sizeof *all[i] - (at - (uintptr_t)all[i]))
      return 1;
  return 0;
}

int iw_simt_is_harmful(uintptr_t at, size_t bytes)
{
  size_t offset;
  const simt_area *const area = iw_simt_area(at, &offset);
  return !area || area != iw_simt_area(at + bytes - 1, &offset) ||
         (area == &iw_simt_now.data && is_behind(at, bytes, SIMT_EDGE));
}

int iw_simt_in_object(uintptr_t at, size_t bytes)
{
  if (at - iw_simt_now.dynamic < sizeof iw_simt_dynamic) /* among the runtime's variables; its size is the area's */
    return 1;
  if (at - iw_simt_now.data.base < iw_simt_now.data.bytes)
    return !is_behind(at, bytes, 0) || iw_simt_is_index(at, bytes);
  if (at - iw_simt_now.shared.base >= iw_simt_now.static_bytes || symbol_count == 0)
    return 1;
  const symbol *const s = symbol_at(at, 1);
  return s && bytes <= s->bytes - (at - s->at);
}

/* ---- Allocations ------------------------------------------------------------------------------------- */

/* Room for bytes behind all others, or where freed memory was. 0: none. */
static uintptr_t find_room(size_t bytes)
{
  const size_t rounded = (bytes + 2 * GRANULE - 1) / GRANULE * GRANULE;
  if (rounded <= GLOBAL_BYTES - used) {
    const uintptr_t at = iw_simt_now.global.base + used;
    used += rounded;
    return at;
  }
  for (size_t i = 1; i < region_count; i++)
    if (iw_simt_regions[i].is_free && iw_simt_regions[i].bytes >= bytes) {
      iw_simt_regions[i].bytes = 0;
      return iw_simt_regions[i].base;
    }
  return 0;
}

void *iw_simt_malloc(size_t bytes, int is_managed, void *return_address)
{
  if (bytes > GLOBAL_BYTES / 2)
    return NULL;
  const uintptr_t at = find_room(bytes);
  if (!at)
    return NULL;
  if (region_count == region_capacity)
    iw_simt_regions = iw_simt_more(iw_simt_regions, &region_capacity, sizeof *iw_simt_regions, "the list of allocations");
  iw_simt_regions[region_count] =
    (simt_region){ .base = at, .bytes = bytes, .is_managed = is_managed, .pc = simt_pc(return_address) };
  const size_t first = (at - iw_simt_now.global.base) / GRANULE,
               granules = (bytes + 2 * GRANULE - 1) / GRANULE;
  for (size_t i = 0; i < granules; i++)
    iw_simt_region_of[first + i] = (uint32_t)region_count;
  memset((void *)at, POISON, bytes < POISONED ? bytes : POISONED);
  iw_simt_set_defined(&iw_simt_now.global, at, bytes, 0);
  region_count++;
  allocated += bytes;
  return (void *)at;
}

int iw_simt_free(void *memory, void *return_address)
{
  enum { INVALID_VALUE = 1 };
  const uint32_t pc = simt_pc(return_address);
  const uintptr_t at = (uintptr_t)memory;
  if (at - iw_simt_now.global.base >= GLOBAL_BYTES)
    return memory ? INVALID_VALUE : 0;
  simt_region *const r = simt_region_at(at);
  if (r->base != at || r->is_free || r == iw_simt_regions) {
    SIMT_FOUND(SIM_BOUNDS, 0, pc, 0, "%s frees %s, which is no allocation%s", iw_simt_me(), iw_simt_place(at),
               r->is_free ? " any more" : "");
    return INVALID_VALUE;
  }
  r->is_free = 1;
  r->free_pc = pc;
  allocated -= r->bytes;
  return 0;
}

size_t iw_simt_free_memory(void) { return DEVICE_BYTES - allocated; }
size_t iw_simt_used(void) { return used; }

static size_t offset_in(const simt_area *area, uintptr_t at)
{
  const int is_dynamic = area == &iw_simt_now.shared && at - iw_simt_now.dynamic < sizeof iw_simt_dynamic;
  return is_dynamic ? at - iw_simt_now.dynamic + iw_simt_now.static_bytes : at - area->base;
}

void iw_simt_set_defined(simt_area *area, uintptr_t at, size_t bytes, int value)
{
  size_t o = offset_in(area, at);
  const size_t end = o + bytes;
  if (!area->defined)
    return;
  while (o < end) {
    if ((o & 7) == 0 && end - o >= 8) {
      const size_t whole = (end - o) / 8;
      memset(area->defined + o / 8, value ? 0xff : 0, whole);
      o += whole * 8;
      continue;
    }
    const uint8_t bit = (uint8_t)(1 << (o & 7));
    area->defined[o / 8] = (uint8_t)(value ? area->defined[o / 8] | bit : area->defined[o / 8] & ~bit);
    o++;
  }
}

int iw_simt_is_defined(const simt_area *area, uintptr_t at, size_t bytes)
{
  const size_t first = offset_in(area, at);
  for (size_t o = first; area->defined && o < first + bytes; o++)
    if (!(area->defined[o / 8] >> (o & 7) & 1))
      return 0;
  return 1;
}

/* ---- Names ------------------------------------------------------------------------------------------- */

char *__cxa_demangle(const char *mangled, char *text, size_t *capacity, int *status) __attribute__((weak));

static void put_name(const symbol *s, char *text, size_t capacity)
{
  int status = -1;
  /* A variable d is no mangled type, double. */
  const int is_mangled = strncmp(s->name, "_Z", 2) == 0;
  char *const plain = is_mangled && __cxa_demangle ? __cxa_demangle(s->name, NULL, NULL, &status) : NULL;
  const char *name = status == 0 ? plain : s->name;
  /* A static variable of a function is "function(…)::name". */
  for (const char *c = name; status == 0 && (c = strstr(c, "::")) != NULL; c += 2)
    if (c > name && c[-1] == ')')
      name = c + 2;
  snprintf(text, capacity, "%.100s", name);
  free(plain);
}

static void put_symbol(const symbol *s, uintptr_t at, const char *what, char *text, size_t capacity)
{
  char name[128];
  put_name(s, name, sizeof name);
  snprintf(text, capacity, "byte %zu of %s%s (%zu bytes)", (size_t)(at - s->at), what, name, s->bytes);
}

uintptr_t iw_simt_object(uintptr_t at, char *name, size_t capacity)
{
  const simt_now *const now = &iw_simt_now;
  const symbol *s;
  snprintf(name, capacity, "memory");
  if (at - now->global.base < now->global.bytes) {
    const simt_region *const r = simt_region_at(at);
    if (r->name)
      snprintf(name, capacity, "%s", r->name);
    else if (r->pc)
      snprintf(name, capacity, "memory of line %d", iw_sim_line(r->pc)->line);
    return r->base;
  }
  if (at - now->dynamic < sizeof iw_simt_dynamic) {
    snprintf(name, capacity, "dynamic shared memory");
    return now->dynamic;
  }
  if (!(s = symbol_at(at, at - now->shared.base < now->static_bytes)))
    return at;
  put_name(s, name, capacity);
  return s->at;
}

/* How far an address is from an allocation; all are nearer than the first region, which is none. */
static size_t distance(const simt_region *r, uintptr_t at)
{
  return r == iw_simt_regions ? SIZE_MAX : at < r->base ? r->base - at : at - r->base < r->bytes ? 0 : at - r->base - r->bytes;
}

static const simt_region *nearest_region(uintptr_t at)
{
  const simt_region *r = simt_region_at(at);
  for (size_t i = 0; at - r->base >= r->bytes && i < region_count; i++)
    if (distance(&iw_simt_regions[i], at) < distance(r, at))
      r = &iw_simt_regions[i];
  return r;
}

size_t iw_simt_in_front(uintptr_t at)
{
  const simt_region *const r = at - iw_simt_now.global.base < used ? nearest_region(at) : iw_simt_regions;
  return at < r->base && r->base - at <= POISONED ? r->base - at : 0;
}

/* Of an address in no object: how far it is from the nearest variable or dynamic shared memory. */
static void put_nearest(uintptr_t at, char *text, size_t capacity)
{
  const simt_now *const now = &iw_simt_now;
  const symbol dynamic = { now->dynamic, now->dynamic_bytes, "dynamic shared memory", 0 }, *nearest = NULL;
  size_t least = SIZE_MAX;
  char name[128];
  for (size_t i = 0; i <= symbol_count; i++) {
    const symbol *const s = i < symbol_count ? &symbols[i] : &dynamic;
    const size_t far = at < s->at ? s->at - at : at - s->at - s->bytes;
    if (s == &dynamic ? s->bytes == 0 || now->block == NULL :
        s->is_shared || s->at - now->data.base >= now->data.bytes || is_behind(s->at, s->bytes, 0))
      continue;
    if (far < least) {
      least = far;
      nearest = s;
    }
  }
  if (!nearest) {
    snprintf(text, capacity, "the address %p, where the program has no variable", (void *)at);
    return;
  }
  put_name(nearest, name, sizeof name);
  snprintf(text, capacity, "%zu bytes %s %s (%zu bytes)", least, at < nearest->at ? "in front of" : "behind the end of", name,
           nearest->bytes);
}

const char *iw_simt_place(uintptr_t at)
{
  enum { capacity = 256 };
  static char text[capacity];
  const simt_now *const now = &iw_simt_now;
  const symbol *s;
  if (at - now->global.base < now->global.bytes) {
    const simt_region *const r = nearest_region(at);
    const size_t offset = at - r->base;
    if (r == iw_simt_regions) {
      snprintf(text, capacity, "the address %p, where no memory is allocated", (void *)at);
      return text;
    }
    int n;
    const char *const kind = r->is_managed ? "managed memory" : "global memory";
    if (at < r->base)
      n = snprintf(text, capacity, "%zu bytes in front of ", r->base - at);
    else
      n = snprintf(text, capacity, offset < r->bytes ? "byte %zu of " : "%zu bytes behind the end of ",
                   offset < r->bytes ? offset : offset - r->bytes);
    if (r->name)
      n += snprintf(text + n, capacity - (size_t)n, "%.60s (%zu bytes)", r->name, r->bytes);
    else {
      const sim_line *const line = iw_sim_line(r->pc);
      n += snprintf(text + n, capacity - (size_t)n, "%zu bytes of %s (allocated at %.80s:%d)", r->bytes,
                    kind, iw_sim_short_name(line->file), line->line);
    }
    if (r->is_free) {
      const sim_line *const line = iw_sim_line(r->free_pc);
      snprintf(text + n, capacity - (size_t)n, ", freed at %.80s:%d", iw_sim_short_name(line->file),
               line->line);
    }
  } else if (at - now->shared.base < now->static_bytes) {
    if ((s = symbol_at(at, 1)))
      put_symbol(s, at, "shared ", text, capacity);
    else
      snprintf(text, capacity, "a place between arrays of shared memory");
  } else if (at - now->dynamic < sizeof iw_simt_dynamic)
    snprintf(text, capacity, "byte %zu of dynamic shared memory (%zu bytes)", (size_t)(at - now->dynamic),
             (size_t)now->dynamic_bytes);
  else if (at - now->stacks < now->stacks_bytes)
    snprintf(text, capacity, "a local variable of another thread");
  else if (at - now->data.base < now->data.bytes && !iw_simt_in_object(at, 1))
    put_nearest(at, text, capacity);
  else if (at - now->data.base < now->data.bytes && (s = symbol_at(at, 0)))
    put_symbol(s, at, "", text, capacity);
  else if (at < 4096)
    snprintf(text, capacity, "the address %p: a null pointer", (void *)at);
  else
    snprintf(text, capacity, "the address %p, which is no memory of the device", (void *)at);
  return text;
}


int iw_simt_same_line(uint32_t a, uint32_t b)
{
  const sim_line *const x = iw_sim_line(a), *const y = iw_sim_line(b);
  return x->line == y->line && x->line > 0 && strcmp(x->file, y->file) == 0;
}
