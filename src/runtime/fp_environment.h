/* SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point environment of a call: rounding to nearest and subnormals kept, whatever the caller has
 * set.
 *
 * Put code between iw_fp_env_set_default() and iw_fp_env_restore() into a function that is not inlined:
 * compilers move floating-point operations across these calls. Runtime layer.
 */
#ifndef IW_RUNTIME_FP_ENVIRONMENT_H
#define IW_RUNTIME_FP_ENVIRONMENT_H

#if defined(__x86_64__)
#include <xmmintrin.h>

/* On x86-64 the library computes with SSE and later sets only, so it sets only MXCSR. fesetenv() would also
 * set the x87 unit, which is slow (doc/design/cpu.md#small-calls). */
typedef unsigned iw_fp_env;
enum {
  IW_DEFAULT_MXCSR = 0x1f80,
  IW_MXCSR_EXCEPTION_FLAGS = 0x3f /* sticky exception flags; they change no result */
};

static inline void iw_fp_env_set_default(iw_fp_env *caller)
{
  *caller = _mm_getcsr();
  /* Writing MXCSR is slow, so it is written only if it differs. */
  if ((*caller & ~(unsigned)IW_MXCSR_EXCEPTION_FLAGS) != IW_DEFAULT_MXCSR)
    _mm_setcsr(IW_DEFAULT_MXCSR);
}

static inline void iw_fp_env_restore(const iw_fp_env *caller)
{
  if (_mm_getcsr() != *caller)
    _mm_setcsr(*caller);
}

/* Orders non-temporal stores before all later stores. Ordinary stores are ordered on x86-64 anyway. */
static inline void iw_store_fence(void) { _mm_sfence(); }
#else
#include <fenv.h>

typedef fenv_t iw_fp_env;

static inline void iw_fp_env_set_default(iw_fp_env *caller)
{
  fegetenv(caller);
  fesetenv(FE_DFL_ENV);
}

static inline void iw_fp_env_restore(const iw_fp_env *caller) { fesetenv(caller); }

static inline void iw_store_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

#endif
