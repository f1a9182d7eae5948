/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each built-in operator OP and type T that has a scan kernel of its own.
 */
#define OP sum
#include "algorithms/common/for_each_sum_type.h"
#undef OP
#include "algorithms/common/for_each_scan_minimum.h"
