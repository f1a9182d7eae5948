/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in operators (sum, min, max) on rows, by register operations. Part of cpu/primitives.h, for the
 * library's kernel templates; uses rows.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ROW_OPERATORS_H
#define ISOWARP_LANGUAGE_CPU_ROW_OPERATORS_H

#define IW_TEMPLATE <isowarp/language/cpu/rows_of_operator.h>
#include <isowarp/language/cpu/for_each_operator.h>

#endif
