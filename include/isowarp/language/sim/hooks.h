/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain C of kernels on the simulated GPU. With -fsanitize=thread as instrumentation only (-DIW_SIM_HOOKS,
 * and without that option where objects are linked) the compiler calls these functions at each access that
 * the kernel itself performs; operations of the language report themselves. Included by kernel.h. The
 * functions are weak: one copy serves all objects of a program.
 */
#ifndef ISOWARP_LANGUAGE_SIM_HOOKS_H
#define ISOWARP_LANGUAGE_SIM_HOOKS_H

#include <isowarp/language/sim/runtime.h>

#define IW_HOOK __attribute__((weak, visibility("hidden"), no_sanitize_thread))
#define IW_HOOK_ACCESS(at, bytes, is_write, how) \
  iw_sim_plain(at, bytes, (is_write) ? IW_SIM_STORE : IW_SIM_LOAD, (how) == IW_HOOK_RANGE, \
               __builtin_return_address(0))
#define IW_HOOK_ATOMIC(at, bytes, reads, writes, order) \
  ((void)(order), \
   iw_sim_plain(at, bytes, (writes) ? IW_SIM_ATOMIC : IW_SIM_LOAD, 0, __builtin_return_address(0)))
#define IW_HOOK_ATOMIC_END(reads, writes, order, changed) ((void)(changed))
#define IW_HOOK_FENCE(order) ((void)(order))
#include <isowarp/language/sim/thread_hooks.h>

/* Of -fsanitize=bounds: an index of an array whose size the compiler knows. */
IW_HOOK void __ubsan_handle_out_of_bounds(void *about, void *index)
{
  iw_sim_wrong_index(about, (uintptr_t)index);
}

#endif
