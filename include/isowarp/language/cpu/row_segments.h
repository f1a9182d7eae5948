/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in segments on the CPU: scans and reductions that restart at segment heads. Part of cpu/primitives.h,
 * for the library's kernel templates; uses row_operators.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ROW_SEGMENTS_H
#define ISOWARP_LANGUAGE_CPU_ROW_SEGMENTS_H

/* Heads of segments are a bit per element: element e of a row is bit e % 64 of word e / 64. */
#define IW_TEMPLATE <isowarp/language/cpu/row_segments_of_type.h>
#include <isowarp/language/for_each_type.h>
#define IW_OPERATOR_TEMPLATE <isowarp/language/cpu/row_segments_of_operator.h>
#include <isowarp/language/for_each_operator.h>

#endif
