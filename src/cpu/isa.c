/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction sets that this library was built with, and which of them this machine has. Backend layer;
 * compiled with the baseline instruction set.
 */
#include <config.h>
#include "runtime/backend.h"

#include <string.h>

extern const iw_kernel *const iw_kernels_generic[];

static int always(void)
{
  return 1;
}

/* __builtin_cpu_supports() also checks that the operating system saves the registers. */
#ifdef IW_HAVE_ISA_SSE4
extern const iw_kernel *const iw_kernels_sse4[];

static int has_sse4(void)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0;
}
#endif

#if defined(IW_HAVE_ISA_AVX2) || defined(IW_HAVE_ISA_AVX512)
#include <cpuid.h>

static int has_avx2(void)
{
  static int known = -1; /* cached, because every launch calls this, and cpuid is slow in virtual machines */
  int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (has < 0) {
    unsigned a, b, c = 0, d;
    /* lzcnt is tested by cpuid, because gcc and clang have no common builtin name for it. */
    has = __get_cpuid(0x80000001, &a, &b, &c, &d) && c >> 5 & 1;
    __builtin_cpu_init();
    has = has && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
          && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    __atomic_store_n(&known, has, __ATOMIC_RELAXED);
  }
  return has;
}
#endif

#ifdef IW_HAVE_ISA_AVX2
extern const iw_kernel *const iw_kernels_avx2[];
#endif

#ifdef IW_HAVE_ISA_AVX512
extern const iw_kernel *const iw_kernels_avx512[];

static int has_avx512(void)
{
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
         && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
         && __builtin_cpu_supports("avx512cd");
}
#endif

#ifdef IW_HAVE_ISA_NEON
extern const iw_kernel *const iw_kernels_neon[]; /* part of the baseline of arm64 */
#endif

/* Slowest first. */
static const iw_isa isas[] = {
  { "generic", always, iw_kernels_generic },
#ifdef IW_HAVE_ISA_SSE4
  { "sse4", has_sse4, iw_kernels_sse4 },
#endif
#ifdef IW_HAVE_ISA_AVX2
  { "avx2", has_avx2, iw_kernels_avx2 },
#endif
#ifdef IW_HAVE_ISA_AVX512
  { "avx512", has_avx512, iw_kernels_avx512 },
#endif
#ifdef IW_HAVE_ISA_NEON
  { "neon", always, iw_kernels_neon },
#endif
};
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
