/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel language on the CPU, one file per topic. The files of language/cuda/ have the same names and
 * define the same functions. Included by <isowarp/kernel.h>; what only the library's own templates use is in
 * primitives.h. Knows nothing of the library behind descriptor.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_H
#define ISOWARP_LANGUAGE_CPU_H

#include <sys/select.h>
#include <isowarp/descriptor.h>
#include <isowarp/language/cpu/diagnostics.h>

#include <isowarp/language/cpu/names.h>
#if defined(IW_LANES_GENERIC)
#include <isowarp/language/cpu/registers_generic.h>
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <isowarp/language/cpu/registers_512.h>
#elif defined(__AVX2__) || defined(__SSE4_1__) || defined(__aarch64__)
#include <isowarp/language/cpu/registers_256.h>
#else
#include <isowarp/language/cpu/registers_generic.h>
#endif

#include <isowarp/language/cpu/lanes.h>
#include <isowarp/language/cpu/bits.h>
#include <isowarp/language/cpu/conversions.h>
#include <isowarp/language/cpu/shuffles.h>
#include <isowarp/language/cpu/memory.h>
#include <isowarp/language/cpu/atomics.h>
#include <isowarp/language/cpu/block.h>
#include <isowarp/language/cpu/grid.h>
#include <isowarp/language/cpu/kernel.h>
#include <isowarp/language/cpu/names_end.h>

#include <isowarp/language/cpu/diagnostics_end.h>
#endif
