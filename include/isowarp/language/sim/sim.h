/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: the core, all topics. The counterpart of language/cuda/cuda.h: the
 * same names, topic by topic, in files of the same names. Included by <isowarp/kernel.h> only; what the
 * library's templates use besides is in primitives.h.
 *
 * Operations that access memory or make a uniform value of lanes have one parameter more than their names
 * say: their place in the source (iw_site). Macros of the same names, in sites.h, fill it in. Code in front
 * of sites.h passes it by hand.
 */
#ifndef ISOWARP_LANGUAGE_SIM_H
#define ISOWARP_LANGUAGE_SIM_H

#ifdef __cplusplus
#error "kernels for the simulated GPU are compiled as C"
#endif

#include <isowarp/descriptor.h>
#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/language/cpu/names.h>
#include <isowarp/language/sim/lanes.h>
#include <isowarp/language/sim/bits.h>
#include <isowarp/language/sim/conversions.h>
#include <isowarp/language/sim/shuffles.h>
#include <isowarp/language/sim/memory.h>
#include <isowarp/language/sim/atomics.h>
#include <isowarp/language/sim/block.h>
#include <isowarp/language/sim/grid.h>
#include <isowarp/language/sim/kernel.h>
#include <isowarp/language/cpu/names_end.h>
#include <isowarp/language/cpu/diagnostics_end.h>
#include <isowarp/language/sim/sites.h>

#endif
