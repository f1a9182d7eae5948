/* SPDX-License-Identifier: Apache-2.0
 *
 * What exact sums offer to the host side of other algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_EXACT_SUM_H
#define IW_ALGORITHMS_EXACT_SUM_H

#include <isowarp/exact.h>

/* Checks a sum that a call adds to; the names are for messages. */
iw_status iw_check_exact_sum(const char *name, const char *format_name, const char *nonfinite_name,
                             const iw_exact_sum *sum);
/* Adds the words of a kernel's sum (common/exact_number.h) to *sum: `digits` digits and the counts behind
 * them, `stride` apart. unit: the place of their lowest bit above 2^-1074. */
void iw_add_exact_words(iw_exact_sum *sum, const uint64_t *words, size_t stride, unsigned digits, unsigned unit);

#endif
