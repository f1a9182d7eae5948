/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in operators (sum, min, max) on rows, by register operations. Part of cpu/primitives.h, for the
 * library's kernel templates; uses rows.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_ROW_OPERATORS_H
#define ISOWARP_LANGUAGE_CPU_ROW_OPERATORS_H

#define IW_OPERATOR_TEMPLATE <isowarp/language/cpu/rows_of_operator.h>
#include <isowarp/language/for_each_operator.h>

/* 1 for an operator that has row_scan, 0 for others. */
#define IW_HAS_ROW_SCAN(op) IW_SECOND_OF_(IW_PASTE(IW_ROW_SCAN_, op), 0, 0)
#define IW_SECOND_OF_(...) IW_SECOND_OF_THREE_(__VA_ARGS__)
#define IW_SECOND_OF_THREE_(a, b, ...) b
#define IW_ROW_SCAN_sum 0, 1
#define IW_ROW_SCAN_min 0, 1
#define IW_ROW_SCAN_max 0, 1

#endif
