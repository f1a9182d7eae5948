/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sort offers to the host side of other algorithms: the meaning of its options. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_SORT_H
#define IW_ALGORITHMS_SORT_H

#include "algorithms/common/total_order.h"
#include "runtime/check.h"

#include <isowarp/sort.h>

/* How a call compares elements: by bits begin_bit … end_bit - 1 of their ranks in an order. */
typedef struct iw_sort_rule {
  iw_total_order order;
  unsigned begin_bit, end_bit;
} iw_sort_rule;

/* Checks the options of a call, which may be NULL, and sets *rule. */
iw_status iw_apply_sort_options(iw_type type, const iw_sort_options *options, iw_sort_rule *rule);
/* The bits of ranks that decide. */
static inline uint64_t iw_deciding_bits(const iw_sort_rule *rule)
{
  return ~(uint64_t)0 >> (64 - rule->end_bit) & ~(uint64_t)0 << rule->begin_bit;
}

#endif
