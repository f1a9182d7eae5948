/* SPDX-License-Identifier: Apache-2.0
 *
 * Template over T, any of the six types: how registers in plain C move lanes. Included by
 * registers_generic.h.
 */
IW_FN REGISTER VFN(select)(unsigned set, REGISTER a, REGISTER b)
{ for (int l = 0; l < VL; l++) { a.e[l] = set >> l & 1 ? a.e[l] : b.e[l]; } return a; }

/* The lanes whose index has bit `level` set from a, the others from b. */
IW_FN REGISTER VFN(blend_level)(int level, REGISTER a, REGISTER b)
{ for (int l = 0; l < VL; l++) { a.e[l] = l >> level & 1 ? a.e[l] : b.e[l]; } return a; }

/* In each of these lanes, the last lane of its left sibling block of 2^level lanes; the others are
 * unspecified. */
IW_FN REGISTER VFN(left_sibling)(int level, REGISTER a)
{
  REGISTER b;
  for (int l = 0; l < VL; l++) b.e[l] = a.e[iws_left_sibling_last((unsigned)l, (unsigned)level) & (VL - 1)];
  return b;
}

IW_FN REGISTER VFN(broadcast_last)(REGISTER a) { return VFN(set1)(a.e[VL - 1]); }

/* All lanes moved up by one, the last lane of `left` in front. */
IW_FN REGISTER VFN(shift_in)(REGISTER left, REGISTER a)
{
  REGISTER b;
  b.e[0] = left.e[VL - 1];
  for (int l = 1; l < VL; l++) { b.e[l] = a.e[l - 1]; }
  return b;
}

/* The even lanes (odds: the odd ones) of a, then of b. Other instruction sets may deviate from this
 * order, as long as it is right again after log2(lanes) calls in a row; step counts the calls that these
 * lanes have been through. */
IW_FN REGISTER VFN(evens)(int step, REGISTER a, REGISTER b)
{
  REGISTER c;
  (void)step;
  for (int l = 0; l < VL; l++) { c.e[l] = (2 * l < VL ? a : b).e[2 * l % VL]; }
  return c;
}
IW_FN REGISTER VFN(odds)(int step, REGISTER a, REGISTER b)
{
  REGISTER c;
  (void)step;
  for (int l = 0; l < VL; l++) { c.e[l] = (2 * l < VL ? a : b).e[2 * l % VL + 1]; }
  return c;
}

/* The bits at … of a word as a set of lanes, and a selection by it. */
IW_FN unsigned VFN(mask_from_word)(uint64_t bits, int at) { return (unsigned)(bits >> at); }
IW_FN REGISTER VFN(blend)(unsigned set, REGISTER a, REGISTER b) { return VFN(select)(set, a, b); }
