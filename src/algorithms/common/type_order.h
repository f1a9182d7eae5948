/* SPDX-License-Identifier: Apache-2.0
 *
 * The total order (total_order.h) of a type. For the host; knows no kernels.
 */
#ifndef IW_ALGORITHMS_TYPE_ORDER_H
#define IW_ALGORITHMS_TYPE_ORDER_H

#include "algorithms/common/total_order.h"
#include "runtime/type_facts.h"

/* The order of a type, ascending or descending. */
static inline iw_total_order iw_total_order_of(iw_type type, int descending)
{
  const iw_type_facts facts = iw_facts_of(type);
  const uint64_t infinity = facts.of.infinity, sign = iw_sign_bit(type), all = 2 * sign - 1, inverted = descending ? all : 0;
  const uint64_t flip = (facts.is_signed ? sign : 0) ^ inverted;
  return (iw_total_order){ flip, infinity ? all ^ inverted : flip, infinity, sign, all ^ inverted };
}

#endif
