/* SPDX-License-Identifier: Apache-2.0
 *
 * How many threads the machine and the program's use of OpenMP suggest, in builds with and without OpenMP.
 * Runtime layer.
 */
#ifndef IW_RUNTIME_PROCESSORS_H
#define IW_RUNTIME_PROCESSORS_H

#ifdef _OPENMP
#include "runtime/fp_environment.h"

#include <omp.h>

enum { IW_HAS_OPENMP = 1 };
/* LLVM's runtime of OpenMP starts at its first call, and computes with doubles then. The caller may have
 * enabled traps, which must not fire. */
static inline unsigned iw_ask_openmp(int (*question)(void))
{
  iw_fp_env caller;
  iw_fp_env_set_default(&caller);
  const int answer = question();
  iw_fp_env_restore(&caller);
  return (unsigned)answer;
}

/* Processors that the process may use. */
static inline unsigned iw_processors(void) { return iw_ask_openmp(omp_get_num_procs); }
static inline unsigned iw_default_threads(void) { return iw_ask_openmp(omp_get_max_threads); }
static inline int iw_in_parallel_region(void) { return omp_in_parallel(); }
#else
#include <sched.h>
#include <unistd.h>

enum { IW_HAS_OPENMP = 0 };
static inline unsigned iw_processors(void)
{
#ifdef CPU_COUNT
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return (unsigned)CPU_COUNT(&allowed);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* also for machines of more processors than a cpu_set_t has */
  return online > 0 ? (unsigned)online : 1;
}
static inline unsigned iw_default_threads(void) { return iw_processors(); }
static inline int iw_in_parallel_region(void) { return 0; }
#endif

#endif
