/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator as a user writes it, for the bench program, once for each instruction set: the sum again, so that it can be compared.
 */
#include <isowarp/operators.h>

IW_FN iw_f32 iw_plus_f32(iw_f32 a, iw_f32 b) { return iw_add(a, b); }
IW_OPERATOR(plus, f32, -0.0f)
#define IW_SCAN_OPERATOR plus
#define IW_SCAN_TYPE f32
#include <isowarp/scan.h>
