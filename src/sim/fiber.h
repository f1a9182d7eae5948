/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts of execution with stacks of their own, which one thread switches between. Backend layer; knows
 * nothing of warps.
 */
#ifndef IW_SIM_FIBER_H
#define IW_SIM_FIBER_H

#include <stddef.h>
#include <stdint.h>

typedef struct sim_fiber sim_fiber;

/* NULL: no memory for its stack of SIM_STACK bytes. */
sim_fiber *iw_sim_fiber_new(void);
void iw_sim_fiber_free(sim_fiber *);
/* A list of fibers that are not in use. */
void iw_sim_fiber_push(sim_fiber **list, sim_fiber *);
sim_fiber *iw_sim_fiber_pop(sim_fiber **list);
/* The next iw_sim_fiber_run() calls function(argument) on the fiber's stack. Whatever ran on it before is
 * forgotten. */
void iw_sim_fiber_start(sim_fiber *, void (*function)(void *argument), void *argument);
/* Runs the fiber until it yields or its function returns. */
void iw_sim_fiber_run(sim_fiber *);
/* Called on a fiber: returns from the iw_sim_fiber_run() that runs it. */
void iw_sim_fiber_yield(sim_fiber *);
/* Whether the fiber's stack has this address. */
int iw_sim_fiber_has(const sim_fiber *, uintptr_t at);

enum { SIM_STACK = 1 << 20 };

#endif
