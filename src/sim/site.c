/* SPDX-License-Identifier: Apache-2.0
 *
 * The warp that runs, and the sites of its operations: places in the source, with numbers that fit a shadow
 * cell. Backend layer; knows no other part of the simulator.
 */
#include "sim/sim.h"

#include <stdatomic.h>
#include <string.h>

__thread iw_sim_warp *iw_sim_self;
const char iw_sim_plain_operation[] = "plain C";

enum { SITES = SIM_SITES };
static _Atomic(const iw_site *) sites[SITES];
static _Atomic uint32_t sites_used; /* may pass SITES */
static const iw_site other_sites = { "another place", "", "", 0, SITES - 1 };

uint32_t iw_sim_site_index(const iw_site *site)
{
  uint32_t *const index = (uint32_t *)(uintptr_t)&site->index; /* sites are variables */
  const uint32_t known = __atomic_load_n(index, __ATOMIC_RELAXED);
  if (known)
    return known;
  uint32_t mine = atomic_load(&sites_used) < SITES ? atomic_fetch_add(&sites_used, 1) + 1 : SITES;
  if (mine < SITES - 1)
    atomic_store(&sites[mine], site);
  else
    mine = SITES - 1;
  __atomic_store_n(index, mine, __ATOMIC_RELAXED); /* another thread's number would do as well */
  return mine;
}

const iw_site *iw_sim_site_at(uint32_t index)
{
  const iw_site *const site = index < SITES - 1 ? atomic_load(&sites[index]) : NULL;
  return site ? site : &other_sites;
}

const iw_site *iw_sim_site(const iw_site *site)
{
  if (!site || !iw_sim_self || !iw_sim_self->collective)
    return site;
  return strstr(site->file, "isowarp/language/") ? iw_sim_self->collective : site;
}

const char *iw_sim_short_name(const char *file)
{
  static const char *const folders[] = { "/src/", "/include/" };
  const char *from = NULL;
  for (unsigned i = 0; i < 2; i++)
    for (const char *at = file; (at = strstr(at, folders[i])) != NULL; at++)
      if (!from || at + strlen(folders[i]) > from)
        from = at + strlen(folders[i]);
  if (!from && strncmp(file, "src/", 4) == 0)
    from = file + 4;
  if (!from) {
    const char *const slash = strrchr(file, '/');
    from = slash ? slash + 1 : file;
  }
  return from;
}
