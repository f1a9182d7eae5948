/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEXT once for each operator and type.
 */
#define OP sum
#include "algorithms/common/for_each_type.h"
#undef OP
#define OP min
#include "algorithms/common/for_each_type.h"
#undef OP
#define OP max
#include "algorithms/common/for_each_type.h"
#undef OP
