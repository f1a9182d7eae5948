/* SPDX-License-Identifier: Apache-2.0
 *
 * What only the library's own kernel templates use on the CPU, kept out of cpu.h so that a
 * user's kernel compiles faster. Included by <isowarp/primitives.h>; may change in any release.
 */
#ifndef ISOWARP_LANGUAGE_CPU_PRIMITIVES_H
#define ISOWARP_LANGUAGE_CPU_PRIMITIVES_H

#include <isowarp/language/cpu/diagnostics.h>
#include <isowarp/language/cpu/names.h>
#include <isowarp/language/cpu/rows.h>
#include <isowarp/language/cpu/floors.h>
#include <isowarp/language/cpu/row_operators.h>
#include <isowarp/language/cpu/row_segments.h>
#include <isowarp/language/cpu/row_flags.h>
#include <isowarp/language/cpu/scatter.h>
#include <isowarp/language/cpu/private_histogram.h>
#include <isowarp/language/cpu/names_end.h>
#include <isowarp/language/cpu/diagnostics_end.h>

#endif
