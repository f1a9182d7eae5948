/* SPDX-License-Identifier: Apache-2.0
 *
 * What the environment chooses of a run on the simulated GPU, for kernels of our language and for CUDA C++,
 * and the line that repeats a run. Backend layer; knows no device.
 */
#include "sim/sim.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void iw_sim_list_name(char *list, size_t size, const char *name)
{
  const size_t length = strlen(list);
  snprintf(list + length, size - length, "%s%s", length ? ", " : "", name);
}

/* Those that CUDA C++ has, too, are the first. */
const char *const iw_sim_policy_names[SIM_POLICIES] = {
  "ascending", "descending", "random", "round-robin", "priority", "adversarial",
};

iw_status iw_sim_choose_policy(unsigned count, unsigned *policy)
{
  const char *const name = getenv("ISOWARP_SIM_SCHEDULE");
  char valid[128] = "";
  *policy = SIM_ASCENDING;
  for (unsigned i = 0; name && i < count; i++) {
    if (!strcmp(name, iw_sim_policy_names[i])) {
      *policy = i;
      return IW_OK;
    }
    iw_sim_list_name(valid, sizeof valid, iw_sim_policy_names[i]);
  }
  return name ? iw_fail(IW_ERROR_UNAVAILABLE, "ISOWARP_SIM_SCHEDULE is \"%.64s\"; valid are %s", name, valid) : IW_OK;
}

iw_status iw_sim_choose_number(const char *variable, unsigned long long least, unsigned long long most,
                               unsigned long long otherwise, unsigned long long *number)
{
  const char *const text = getenv(variable);
  char *end;
  *number = otherwise;
  if (!text)
    return IW_OK;
  if (*text >= '0' && *text <= '9') {
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (!*end && !errno && *number >= least && *number <= most)
      return IW_OK;
  }
  return iw_fail(IW_ERROR_INVALID, "%s is \"%.64s\"; valid are the numbers %llu to %llu", variable, text, least, most);
}

static int is_name(const char *at, size_t length, const char *name)
{
  return strlen(name) == length && !strncmp(at, name, length);
}

iw_status iw_sim_choose_checks(unsigned kinds, unsigned *checks)
{
  const char *at = getenv("ISOWARP_SIM_CHECKS");
  char valid[192] = "all, none";
  *checks = SIM_CHECK_ALL;
  if (!at)
    return IW_OK;
  for (unsigned i = 0; i < SIM_KINDS; i++)
    if (kinds >> i & 1)
      iw_sim_list_name(valid, sizeof valid, iw_sim_kind_names[i]);
  unsigned chosen = 0;
  for (const char *const text = at;; at++) {
    const size_t length = strcspn(at, ",");
    int known = is_name(at, length, "all") || is_name(at, length, "none");
    unsigned here = is_name(at, length, "all") ? SIM_CHECK_ALL : 0;
    for (unsigned i = 0; i < SIM_KINDS && !known; i++)
      if (kinds >> i & 1 && is_name(at, length, iw_sim_kind_names[i])) {
        here = 1u << i;
        known = 1;
      }
    if (!known)
      return iw_fail(IW_ERROR_INVALID, "ISOWARP_SIM_CHECKS is \"%.64s\"; valid are %s, and several with commas in between",
                     text, valid);
    chosen |= here;
    at += length;
    if (!*at)
      break;
  }
  *checks = chosen;
  return IW_OK;
}

void iw_sim_write_replay(sim_state *state, int is_one_of_many)
{
  const int schedule = is_one_of_many || state->policy != SIM_ASCENDING;
  const int n = snprintf(state->replay, sizeof state->replay, "ISOWARP_SIM_SEED=%llu%s%s", (unsigned long long)state->seed,
                         schedule ? " ISOWARP_SIM_SCHEDULE=" : "", schedule ? iw_sim_policy_names[state->policy] : "");
  if (state->resident)
    snprintf(state->replay + n, sizeof state->replay - (size_t)n, " ISOWARP_SIM_RESIDENT=%zu", state->resident);
}
