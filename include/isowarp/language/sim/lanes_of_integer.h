/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the four integer types: what only integers have. Included by lanes.h.
 */
#define BINARY(op) IW_FN LANES FN(op)(LANES a, LANES b) \
{ IW_EACH_LANE_(l) a.e[l] = SFN(op)(a.e[l], b.e[l]); a.undefined |= b.undefined; a.owner |= b.owner; return a; }
BINARY(rem)
BINARY(and)
BINARY(or)
BINARY(xor)
BINARY(shl)
BINARY(shr)
#undef BINARY
IW_FN LANES FN(not)(LANES a) { IW_EACH_LANE_(l) a.e[l] = SFN(not)(a.e[l]); return a; }
