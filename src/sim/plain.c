/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain C of kernels that the compiler has instrumented (-DIW_SIM_HOOKS,
 * include/isowarp/language/sim/hooks.h). The warp performs it as a whole, so it counts as an access of its
 * first lane; what is in registers, on the stack and of the host is none of the device's. Backend layer.
 */
#include "sim/sim.h"
#include "sim/fiber.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sites --------------------------------------------------------------------------------------------- */

/* Sites are for ever, as shadow cells and findings name them. */
typedef struct plain_site { uintptr_t key; iw_site site; struct plain_site *next; } plain_site;
enum { BUCKETS = 1024 };
static plain_site *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The site of an instruction, or of the compiler's description of an index (is_index). */
static const iw_site *site_of(uintptr_t key, int is_index, uintptr_t index)
{
  plain_site **const bucket = &buckets[(uint32_t)((key >> 2) * 2654435761u) >> 22];
  plain_site *s = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
  while (s && s->key != key)
    s = s->next;
  if (s)
    return &s->site;
  s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->key = key;
  s->site.operation = iw_sim_plain_operation;
  s->site.arguments = "";
  if (is_index) {
    const sim_index i = iw_sim_index((const void *)key, index);
    s->site.file = i.file;
    s->site.line = i.line;
  } else {
    const sim_line *const line = iw_sim_line(key);
    s->site.file = line->file;
    s->site.line = line->line;
  }
  pthread_mutex_lock(&lock); /* another thread's site of the same place would do as well */
  s->next = *bucket;
  __atomic_store_n(bucket, s, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return &s->site;
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

/* Whether an access is to memory that the checks know; arguments may be read. */
static int is_of_device(const sim_warp *warp, uintptr_t at, unsigned kind)
{
  const sim_block *const block = warp->block;
  const sim_launch *const launch = block->launch;
  if (iw_sim_fiber_has(warp->fiber, at)) /* as most are */
    return 0;
  if (launch->args && at - (uintptr_t)launch->args < launch->kernel->args)
    return kind != IW_SIM_LOAD;
  return at - (uintptr_t)block->shared < block->shared_bytes ||
         iw_sim_memory_find(launch->state, (const void *)at) != NULL;
}

void iw_sim_plain(const void *memory, size_t bytes, unsigned kind, int is_range, const void *pc)
{
  enum { NULL_PAGE = 4096 };
  sim_warp *const self = sim_self();
  const uintptr_t at = (uintptr_t)memory;
  if (!self || !(self->self.checks & SIM_CHECK_ALL) || !bytes ||
      (at >= NULL_PAGE && !is_of_device(self, at, kind)))
    return;
  const iw_site *const site = site_of((uintptr_t)pc - 1, 0, 0);
  if (!site)
    return;
  if (at < NULL_PAGE) {
    self->last = site; /* for the finding about the signal that follows */
    return;
  }
  if (bytes <= 8 && !is_range) {
    iw_sim_check_plain(self, site, at, (unsigned)bytes, kind, 0);
    return;
  }
  for (size_t done = 0; done < bytes; ) { /* in aligned pieces */
    unsigned piece = 8;
    while ((at + done) % piece || done + piece > bytes)
      piece /= 2;
    iw_sim_check_plain(self, site, at + done, piece, kind, 1);
    done += piece;
  }
}

void iw_sim_wrong_index(const void *about, uintptr_t index)
{
  sim_warp *const self = sim_self();
  if (!self || !(self->self.checks & SIM_CHECK_BOUNDS))
    return;
  sim_state *const state = self->block->launch->state;
  const iw_site *const site = site_of((uintptr_t)about, 1, index);
  if (!site || iw_sim_finding_again(state, SIM_BOUNDS, site, NULL, 0))
    return;
  const sim_index i = iw_sim_index(about, index);
  iw_sim_found(state, SIM_BOUNDS, site, NULL, "block %zu warp %u uses the index %s of %s", self->block->index,
               self->index, i.number, i.array);
}
