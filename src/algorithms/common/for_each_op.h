/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each built-in operator OP and each type T whose kernel is not another type's.
 */
#define OP sum
#include "algorithms/common/for_each_sum_type.h"
#undef OP
#define OP min
#include "algorithms/common/for_each_type.h"
#undef OP
#define OP max
#include "algorithms/common/for_each_type.h"
#undef OP
