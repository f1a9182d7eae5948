/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted bugs for the simulated GPU. Each kernel of tests/sim_bugs/ has one bug, and compiled with -DFIXED it
 * is its twin without it:
 *
 *   BUG(wrong, right)       stands for `wrong`, and in the twin for `right`
 *   PHASE_BOUNDARY          ends the phase and begins the next one
 *   (comment) BUG: name     marks the lines that a finding may name. tests/suites/check_sim_bugs.c reads them
 *
 * The kernels' prefix is bug_ or fixed_. tests/sim_bugs/cases.h says how they are launched, what they compute and
 * what the simulator has to find. All of them compile for the simulator, the CPU and CUDA.
 */
#ifndef TESTS_SIM_BUGS_BUG_H
#define TESTS_SIM_BUGS_BUG_H

#ifdef FIXED
#define IW_KERNEL_PREFIX fixed_
#define BUG(wrong, right) right
#else
#define IW_KERNEL_PREFIX bug_
#define BUG(wrong, right) wrong
#endif
#ifdef WITH_PRIMITIVES
#include <isowarp/primitives.h>
#else
#include <isowarp/kernel.h>
#endif
#include "args.h"

#define PHASE_BOUNDARY } IW_PHASE(warp) {

typedef struct { int unused; } nothing;

/* Polls a slot until its flag is `wanted`. Declared in front of it: iw_polled_u32 got. */
#define AWAIT(got, poll, slot, wanted) \
  for (unsigned spins = 0; got = poll(args->slots, slot, 0, 1), iw_at(got.flag, 0) != (wanted);) iw_pause(&spins)

/* Eight bins for values of 0 ... 31. */
enum { BINS = 8 };
IW_FN iw_u32 bin_of(iw_u32 x) { return iw_div(x, 4); }
IW_FN iw_pred one_lane(void) { return iw_lanes_below(1); }
IW_FN iw_pred bin_lanes(void) { return iw_lanes_below(BINS); }

#endif
