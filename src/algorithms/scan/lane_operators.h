/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators that the kernel language does not have, made as a user's are (operators.h). A part of
 * kernel units.
 */
#ifndef ISOWARP_LANE_OPERATORS_H
#define ISOWARP_LANE_OPERATORS_H

#include <isowarp/operators.h>
#include "algorithms/common/operations.h"

#define DEFINE(op, t, identity, result) \
  IW_FN iw_##t iw_##op##_##t(iw_##t a, iw_##t b) { return result; } IW_OPERATOR(op, t, identity)
IW_FOR_LANE_OPERATORS(DEFINE)
#undef DEFINE

#endif
