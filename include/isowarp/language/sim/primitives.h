/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on the simulated GPU: what only the library's own templates use, all topics. The
 * counterpart of language/cuda/primitives.h: lanes have the same elements of a row as there, and memory is
 * accessed by the same operations. Included by <isowarp/primitives.h>, behind sites.h: here the name of an
 * operation of the core in parentheses is the function, which takes its site first.
 */
#ifndef ISOWARP_LANGUAGE_SIM_PRIMITIVES_H
#define ISOWARP_LANGUAGE_SIM_PRIMITIVES_H

#ifdef IW_SIM_HOOKS
#undef IW_UNHOOKED_
#define IW_UNHOOKED_ __attribute__((no_sanitize_thread))
#endif
#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/language/cpu/names.h>
#include <isowarp/language/sim/floors.h>
#include <isowarp/language/sim/rows.h>
#include <isowarp/language/sim/row_segments.h>
#include <isowarp/language/sim/row_flags.h>
#include <isowarp/language/sim/scatter.h>
#include <isowarp/language/sim/private_histogram.h>
#include <isowarp/language/cpu/names_end.h>
#include <isowarp/language/cpu/diagnostics_end.h>
#include <isowarp/language/sim/sites_of_primitives.h>
#ifdef IW_SIM_HOOKS
#undef IW_UNHOOKED_
#define IW_UNHOOKED_
#endif

#endif
