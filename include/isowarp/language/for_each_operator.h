/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template IW_OPERATOR_TEMPLATE once with each of the six types of lanes as T and each built-in
 * operator of the language as OP, and undefines it. This header includes itself by for_each_type.h.
 */
#ifndef T
#define IW_TEMPLATE <isowarp/language/for_each_operator.h>
#include <isowarp/language/for_each_type.h>
#undef IW_OPERATOR_TEMPLATE
#else
#define OP sum
#include IW_OPERATOR_TEMPLATE
#undef OP
#define OP min
#include IW_OPERATOR_TEMPLATE
#undef OP
#define OP max
#include IW_OPERATOR_TEMPLATE
#undef OP
#endif
