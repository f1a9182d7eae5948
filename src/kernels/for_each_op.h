/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEXT once for each operator and type.
 */
#define OP sum
#include "for_each_type.h"
#undef OP
#define OP min
#include "for_each_type.h"
#undef OP
#define OP max
#include "for_each_type.h"
#undef OP
