/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: arithmetic, comparisons and selection of lanes. Included by
 * lanes.h.
 */
IW_FN LANES FN(splat)(SCALAR v)
{ LANES a; IW_EACH_LANE_(l) a.e[l] = v; a.undefined = 0; a.owner = 0; return a; }

/* The value of one lane, as a uniform value. */
IW_FN SCALAR FN(at)(const iw_site *site, LANES a, unsigned lane)
{
  if (lane >= IW_WARP_SIZE) { iw_sim_absent_lane(site, lane); lane %= IW_WARP_SIZE; }
  else if (a.owner && iw_sim_self->checks && !(iw_sim_self->lanes >> lane & 1)) iw_sim_absent_lane(site, lane);
  iw_use_(site, a.undefined & (uint64_t)1 << lane, a.owner, "the lane's value");
  iw_count_(site, IW_SIM_SHUFFLE, sizeof(SCALAR) / 4);
  return a.e[lane];
}

/* The same within a collective of the block, whose lanes hold values of more than the warp's own threads. */
IW_FN SCALAR FN(at_any)(LANES a, unsigned lane)
{
  iw_use_(iw_sim_self->collective, a.undefined & (uint64_t)1 << lane, a.owner, "the lane's value");
  iw_count_(iw_sim_self->collective, IW_SIM_SHUFFLE, sizeof(SCALAR) / 4);
  return a.e[lane];
}

#define UNARY(op) IW_FN LANES FN(op)(LANES a) { IW_EACH_LANE_(l) a.e[l] = SFN(op)(a.e[l]); return a; }
#define BINARY(op) IW_FN LANES FN(op)(LANES a, LANES b) \
{ IW_EACH_LANE_(l) a.e[l] = SFN(op)(a.e[l], b.e[l]); a.undefined |= b.undefined; a.owner |= b.owner; return a; }
#define COMPARE(op, sign) IW_FN iw_pred FN(op)(LANES a, LANES b) \
{ uint64_t m = 0; IW_EACH_LANE_(l) m |= (uint64_t)(a.e[l] sign b.e[l]) << l; \
  return iw_pred_(m, a.undefined | b.undefined, a.owner | b.owner); }
UNARY(neg)
UNARY(canonical)
BINARY(sum)
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(min)
BINARY(max)
BINARY(flip_bits)
COMPARE(eq, ==)
COMPARE(ne, !=)
COMPARE(lt, <)
COMPARE(le, <=)
COMPARE(gt, >)
COMPARE(ge, >=)

/* A lane is as defined as the operand that it is taken from. */
IW_FN LANES FN(select)(iw_pred p, LANES a, LANES b)
{
  IW_EACH_LANE_(l) a.e[l] = p.m >> l & 1 ? a.e[l] : b.e[l];
  a.undefined = p.undefined | (p.m & a.undefined) | (~p.m & b.undefined);
  a.owner |= b.owner | p.owner;
  return a;
}
#undef UNARY
#undef BINARY
#undef COMPARE
