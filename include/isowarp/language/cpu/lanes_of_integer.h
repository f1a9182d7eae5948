/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the four integer types: remainder, bitwise operations and shifts. Included by
 * lanes.h.
 */
#define BINARY(op) IW_FN LANES FN(op)(LANES a, LANES b) \
{ EACH(i) a.r[i] = VFN(op)(a.r[i], b.r[i]); return a; }
BINARY(rem)
BINARY(and)
BINARY(or)
BINARY(xor)
BINARY(shl)
BINARY(shr)
#undef BINARY
IW_FN LANES FN(not)(LANES a) { EACH(i) a.r[i] = VFN(not)(a.r[i]); return a; }
