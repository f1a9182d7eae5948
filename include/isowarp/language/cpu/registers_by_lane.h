/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector operations one lane at a time, through iws_*: all of the generic VM, and what a SIMD VM has no instruction for.
 * A vector iwv_T has IW_VL_T lanes; a set of its lanes is the low bits of an unsigned. Needs iwv_load_T and iwv_store_T.
 */
#ifndef ISOWARP_LANGUAGE_REGISTERS_BY_LANE_H
#define ISOWARP_LANGUAGE_REGISTERS_BY_LANE_H

#define IWV_BY_LANE1(op, t) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a) \
{ iws_##t x[IW_VL_##t]; iwv_store_##t(x, a); for (int l = 0; l < IW_VL_##t; l++) { x[l] = iws_##op##_##t(x[l]); } \
  return iwv_load_##t(x); }

#define IWV_BY_LANE2(op, t) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a, iwv_##t b) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t]; iwv_store_##t(x, a); iwv_store_##t(y, b); \
  for (int l = 0; l < IW_VL_##t; l++) { x[l] = iws_##op##_##t(x[l], y[l]); } return iwv_load_##t(x); }

#define IWV_BY_LANE_COMPARE(op, t) IW_FN unsigned iwv_##op##_##t(iwv_##t a, iwv_##t b) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t]; unsigned bits = 0; iwv_store_##t(x, a); iwv_store_##t(y, b); \
  for (int l = 0; l < IW_VL_##t; l++) { bits |= (unsigned)iws_##op##_##t(x[l], y[l]) << l; } return bits; }

/* Lanes of the set read or write memory; the others read 0 and touch nothing. some: the set as the VM has it. */
#define IWV_BY_LANE_MASKED(t, set, bits_of) \
IW_FN iwv_##t iwv_load_masked_##t(const iws_##t *p, set some) \
{ iws_##t x[IW_VL_##t]; const unsigned bits = bits_of(some); \
  for (int l = 0; l < IW_VL_##t; l++) { x[l] = bits >> l & 1 ? p[l] : 0; } return iwv_load_##t(x); } \
IW_FN void iwv_store_masked_##t(iws_##t *p, set some, iwv_##t a) \
{ iws_##t x[IW_VL_##t]; const unsigned bits = bits_of(some); iwv_store_##t(x, a); \
  for (int l = 0; l < IW_VL_##t; l++) { if (bits >> l & 1) p[l] = x[l]; } }

/* The lanes of the set moved down to the first ones, in order; what the others hold is open. */
#define IWV_BY_LANE_COMPRESS(t) IW_FN iwv_##t iwv_compress_##t(unsigned bits, iwv_##t a) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t + 1] = { 0 }; unsigned k = 0; iwv_store_##t(x, a); \
  for (int l = 0; l < IW_VL_##t; l++) { y[k] = x[l]; k += bits >> l & 1; } return iwv_load_##t(y); }

#endif
