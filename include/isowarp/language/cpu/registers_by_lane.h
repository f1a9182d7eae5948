/* SPDX-License-Identifier: Apache-2.0
 *
 * Register operations one lane at a time, by the scalar functions iws_*: all of registers_generic.h, and
 * what the other instruction sets lack. A register iwv_T has IW_VL_T lanes; a set of its lanes is the low
 * bits of an unsigned. Needs iwv_load_T and iwv_store_T.
 */
#ifndef ISOWARP_LANGUAGE_REGISTERS_BY_LANE_H
#define ISOWARP_LANGUAGE_REGISTERS_BY_LANE_H

#define IWV_BY_LANE1(op, t) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a) \
{ iws_##t x[IW_VL_##t]; iwv_store_##t(x, a); for (int l = 0; l < IW_VL_##t; l++) { \
    x[l] = iws_##op##_##t(x[l]); } \
  return iwv_load_##t(x); }

#define IWV_BY_LANE2(op, t) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a, iwv_##t b) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t]; iwv_store_##t(x, a); iwv_store_##t(y, b); \
  for (int l = 0; l < IW_VL_##t; l++) { x[l] = iws_##op##_##t(x[l], y[l]); } return iwv_load_##t(x); }

#define IWV_BY_LANE3(op, t) IW_FN iwv_##t iwv_##op##_##t(iwv_##t a, iwv_##t b, iwv_##t c) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t], z[IW_VL_##t]; iwv_store_##t(x, a); iwv_store_##t(y, b); iwv_store_##t(z, c); \
  for (int l = 0; l < IW_VL_##t; l++) { x[l] = iws_##op##_##t(x[l], y[l], z[l]); } return iwv_load_##t(x); }

#define IWV_BY_LANE_COMPARE(op, t) IW_FN unsigned iwv_##op##_##t(iwv_##t a, iwv_##t b) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t]; unsigned bits = 0; iwv_store_##t(x, a); iwv_store_##t(y, b); \
  for (int l = 0; l < IW_VL_##t; l++) { bits |= (unsigned)iws_##op##_##t(x[l], y[l]) << l; } return bits; }

/* The lanes of the set access memory; the others give 0 and access nothing. set: the type of a set, which
 * bits_of converts to bits. */
#define IWV_BY_LANE_MASKED(t, set, bits_of) \
IW_FN iwv_##t iwv_load_masked_##t(const iws_##t *p, set some) \
{ iws_##t x[IW_VL_##t]; const unsigned bits = bits_of(some); \
  for (int l = 0; l < IW_VL_##t; l++) { x[l] = bits >> l & 1 ? p[l] : 0; } return iwv_load_##t(x); } \
IW_FN void iwv_store_masked_##t(iws_##t *p, set some, iwv_##t a) \
{ iws_##t x[IW_VL_##t]; const unsigned bits = bits_of(some); iwv_store_##t(x, a); \
  for (int l = 0; l < IW_VL_##t; l++) { if (bits >> l & 1) p[l] = x[l]; } }

/* The lanes of the set, in order, in the first lanes of the result; its other lanes are unspecified. */
#define IWV_BY_LANE_COMPRESS(t) IW_FN iwv_##t iwv_compress_##t(unsigned bits, iwv_##t a) \
{ iws_##t x[IW_VL_##t], y[IW_VL_##t + 1] = { 0 }; unsigned k = 0; iwv_store_##t(x, a); \
  for (int l = 0; l < IW_VL_##t; l++) { y[k] = x[l]; k += bits >> l & 1; } return iwv_load_##t(y); }

#endif
