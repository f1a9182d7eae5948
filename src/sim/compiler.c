/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler knows of code that it has instrumented: lines of instructions, which the program
 * addr2line reads from the debugging information (ADDR2LINE names another one), and indices that are out of
 * range.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "sim/sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <link.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

static const sim_line unknown = { "?", 0 };

/* ---- A process of addr2line for each program or shared object ------------------------------------------ */

#ifdef __linux__
typedef struct object {
  uintptr_t base;
  char name[512];             /* empty: of the program */
  int questions;
  FILE *answers;              /* NULL: there is no addr2line */
  struct object *next;
} object;
static object *objects;

typedef struct search { uintptr_t pc; object found; } search;

static int look(struct dl_phdr_info *info, size_t size, void *user)
{
  search *const s = user;
  (void)size;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && s->pc - (info->dlpi_addr + p->p_vaddr) < p->p_memsz) {
      s->found.base = info->dlpi_addr;
      snprintf(s->found.name, sizeof s->found.name, "%s", info->dlpi_name);
      return 1;
    }
  }
  return 0;
}

static void start_addr2line(object *o)
{
  int ends[2];
  char file[600];
  const char *const name = getenv("ADDR2LINE");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  if (*o->name)
    snprintf(file, sizeof file, "%s", o->name);
  else
    snprintf(file, sizeof file, "/proc/%d/exe", (int)getpid());
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 0);
    dup2(ends[1], 1);
    if (!freopen("/dev/null", "w", stderr))
      _exit(127);
    execlp(name ? name : "addr2line", "addr2line", "-e", file, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  o->questions = ends[0];
  o->answers = child < 0 ? NULL : fdopen(ends[0], "r");
}

static object *object_of(uintptr_t pc)
{
  search s = { .pc = pc };
  if (!dl_iterate_phdr(look, &s))
    return NULL;
  object *o = objects;
  while (o && (o->base != s.found.base || strcmp(o->name, s.found.name) != 0))
    o = o->next;
  if (!o && (o = malloc(sizeof *o)) != NULL) {
    *o = s.found;
    o->next = objects;
    objects = o;
    start_addr2line(o);
  }
  return o;
}

static void ask(uintptr_t pc, sim_line *line)
{
  char text[sizeof line->file + 64];
  object *const o = object_of(pc);
  if (!o || !o->answers)
    return;
  const int length = snprintf(text, sizeof text, "0x%llx\n", (unsigned long long)(pc - o->base));
  if (send(o->questions, text, (size_t)length, MSG_NOSIGNAL) != length ||
      !fgets(text, sizeof text, o->answers))
    return;
  char *const colon = strrchr(text, ':');
  if (!colon)
    return;
  line->line = atoi(colon + 1);
  *colon = '\0';
  snprintf(line->file, sizeof line->file, "%.*s", (int)sizeof line->file - 1, text);
}
#else
static void ask(uintptr_t pc, sim_line *line)
{
  (void)pc, (void)line;
}
#endif

/* ---- Lines --------------------------------------------------------------------------------------------- */

typedef struct entry { uintptr_t pc; sim_line line; struct entry *next; } entry;
enum { BUCKETS = 4096 };
static entry *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const sim_line *iw_sim_line(uintptr_t pc)
{
  pthread_mutex_lock(&lock);
  entry **const bucket = &buckets[(uint32_t)(pc * 2654435761u) >> 20];
  entry *e = *bucket;
  while (e && e->pc != pc)
    e = e->next;
  if (!e && (e = malloc(sizeof *e)) != NULL) {
    *e = (entry){ pc, unknown, *bucket };
    ask(pc, &e->line);
    *bucket = e;
  }
  pthread_mutex_unlock(&lock);
  return e ? &e->line : &unknown;
}

/* ---- Sites --------------------------------------------------------------------------------------------- */

const iw_site *iw_sim_make_site(uintptr_t key, const char *operation, const sim_index *index)
{
  typedef struct made { uintptr_t key; iw_site site; struct made *next; } made;
  enum { SITES = 1024 };
  static made *sites[SITES];
  made **const bucket = &sites[(uint32_t)((key >> 2) * 2654435761u) >> 22];
  made *s = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
  while (s && (s->key != key || s->site.operation != operation))
    s = s->next;
  if (s || (s = malloc(sizeof *s)) == NULL)
    return s ? &s->site : NULL;
  const sim_line *const line = index ? &unknown : iw_sim_line(key);
  *s = (made){ key, { .file = index ? index->file : line->file, .operation = operation, .arguments = "",
                      .line = index ? index->line : line->line }, NULL };
  pthread_mutex_lock(&lock); /* another thread's site of the same place would do as well */
  s->next = *bucket;
  __atomic_store_n(bucket, s, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return &s->site;
}

/* ---- -fsanitize=bounds,alignment --------------------------------------------------------------------- */

typedef struct type_descriptor { uint16_t kind, info; char name[]; } type_descriptor;
typedef struct out_of_bounds {
  const char *file;
  uint32_t line, column;
  const type_descriptor *array, *index;
} out_of_bounds;
typedef struct type_mismatch {
  const char *file;
  uint32_t line, column;
  const type_descriptor *type;
  unsigned char log_alignment, kind;
} type_mismatch;

sim_mismatch iw_sim_mismatch(const void *about)
{
  const type_mismatch *const d = about;
  return (sim_mismatch){ .type = d->type->name, .alignment = (size_t)1 << d->log_alignment };
}

sim_index iw_sim_index(const void *about, uintptr_t index)
{
  const out_of_bounds *const d = about;
  sim_index i = { .file = d->file, .line = (int)d->line, .array = d->array->name };
  const int is_signed = d->index->info & 1, is_short = (d->index->info >> 1) <= 5;
  if (is_signed)
    snprintf(i.number, sizeof i.number, "%lld", is_short ? (long long)(int32_t)index : (long long)index);
  else
    snprintf(i.number, sizeof i.number, "%llu", (unsigned long long)index);
  return i;
}
