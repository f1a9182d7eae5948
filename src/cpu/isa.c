/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction sets that this library was built with, and which of them this machine has. Backend layer;
 * compiled with the baseline instruction set.
 */
#include <config.h>
#include "runtime/backend.h"

#include <string.h>

/* has_NAME says whether this machine has the set. Each set of the build needs one, and a build may lack
 * sets. */
#define HAS(name) __attribute__((unused)) static int has_##name(void)

HAS(generic) { return 1; }

/* __builtin_cpu_supports() also checks that the operating system saves the registers. */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

HAS(sse4)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0;
}

HAS(avx2)
{
  static int known = -1; /* cached, because every launch calls this, and cpuid is slow in virtual machines */
  int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (has < 0) {
    unsigned a, b, c = 0, d;
    /* lzcnt and f16c are tested by cpuid, because gcc and clang have no common builtin names for them. */
    has = __get_cpuid(0x80000001, &a, &b, &c, &d) && c >> 5 & 1;
    has = has && __get_cpuid(1, &a, &b, &c, &d) && c >> 29 & 1;
    __builtin_cpu_init();
    has = has && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
          && __builtin_cpu_supports("popcnt");
    __atomic_store_n(&known, has, __ATOMIC_RELAXED);
  }
  return has;
}

HAS(avx512)
{
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
         && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
         && __builtin_cpu_supports("avx512cd");
}
#endif

/* From Skylake to Rocket Lake, microcode against an attack slows gathers down
 * (https://docs.kernel.org/admin-guide/hw-vuln/gather_data_sampling.html). No processor with AVX-VNNI needs it. */
int iw_isa_gathers_at_once(void)
{
#if defined(__x86_64__) || defined(__i386__)
  static int known = -1;
  int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (has < 0) {
    unsigned a = 0, b, c, d;
    has = has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 4 & 1;
    __atomic_store_n(&known, has, __ATOMIC_RELAXED);
  }
  return has;
#else
  return 0;
#endif
}

/* Instructions that prefetch slow an AMD down that reads an array or scatters one, and speed an Intel up
 * (doc/design/cpu.md#prefetch-distance). */
int iw_isa_prefetches(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  return !__builtin_cpu_is("amd");
#else
  return 1;
#endif
}

HAS(neon) { return 1; } /* part of the baseline of arm64 */

/* Slowest first. */
#define ENTRY(name) { #name, has_##name },
static const iw_isa isas[] = { IW_FOR_ISAS(ENTRY) };
enum { ISAS = sizeof isas / sizeof *isas };

unsigned iw_isa_count(void)
{
  return ISAS;
}

const iw_isa *iw_isa_at(unsigned index)
{
  return &isas[index];
}

const char *iw_isa_name(unsigned index)
{
  return index < ISAS ? isas[index].name : NULL;
}

int iw_isa_available(const char *name)
{
  for (unsigned i = 0; name && i < ISAS; i++)
    if (!strcmp(name, isas[i].name))
      return isas[i].available();
  return 0;
}
