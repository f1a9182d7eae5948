/* SPDX-License-Identifier: Apache-2.0
 *
 * A user's operator for the bench program, compiled once for each instruction set. It is a sum, so that its
 * speed can be compared with that of IW_SUM.
 */
#include <isowarp/operators.h>

IW_FN iw_f32 iw_plus_f32(iw_f32 a, iw_f32 b) { return iw_add(a, b); }
IW_OPERATOR(plus, f32, -0.0f)
#define IW_SCAN_OPERATOR plus
#define IW_SCAN_TYPE f32
#include <isowarp/make_operator.h>
