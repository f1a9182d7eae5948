/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_TEMPLATE once with each built-in operator of the language as OP. Part of
 * for_each_operator.h.
 */
#define OP sum
#include IW_TEMPLATE
#undef OP
#define OP min
#include IW_TEMPLATE
#undef OP
#define OP max
#include IW_TEMPLATE
#undef OP
