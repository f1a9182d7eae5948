/* SPDX-License-Identifier: Apache-2.0
 *
 * Polynomials and constants of <isowarp/math.h>, the highest power first. Errors are relative to the
 * function's result. Made by tests/reference/math_coefficients.py; do not edit.
 */
#ifndef ISOWARP_LANGUAGE_MATH_COEFFICIENTS_H
#define ISOWARP_LANGUAGE_MATH_COEFFICIENTS_H

/* ln 2. A product of the first part and an integer below 2^8 is exact. */
#define IW_LN2_F32_1 0x1.62e4000000000p-1f
#define IW_LN2_F32_2 0x1.7f7d1c0000000p-20f

/* ln 2. A product of the first part and an integer below 2^11 is exact. */
#define IW_LN2_1 0x1.62e42fefa3800p-1
#define IW_LN2_2 0x1.ef35793c76730p-45

/* pi / 2. Products of the first three parts and an integer below 2^20 are exact. */
#define IW_HALF_PI_1 0x1.921fb54400000p+0
#define IW_HALF_PI_2 0x1.0b4611a600000p-34
#define IW_HALF_PI_3 0x1.3198a2e000000p-69
#define IW_HALF_PI_4 0x1.b839a252049c1p-104

/* pi / 2 in parts of which products with 27 bits are exact. */
#define IW_HALF_PI_PRODUCT_1 0x1.921fb58000000p+0
#define IW_HALF_PI_PRODUCT_2 -0x1.dde973c000000p-27
#define IW_HALF_PI_PRODUCT_3 -0x1.cb3b399d747f2p-55

/* ln 2 */
#define IW_LN2 0x1.62e42fefa39efp-1

/* 1 / ln 2 */
#define IW_LOG2_E 0x1.71547652b82fep+0

/* 2 / pi */
#define IW_TWO_OVER_PI 0x1.45f306dc9c883p-1

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2. Error: 2^-28.2. */
#define IW_POLYNOMIAL_EXP_F32(FIRST, STEP) \
  FIRST(0x1.6ac7780000000p-10f) STEP(0x1.123de20000000p-7f) STEP(0x1.5558580000000p-5f) \
  STEP(0x1.55548c0000000p-3f) STEP(0x1.fffffc0000000p-2f)

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2. Error: 2^-33.5. */
#define IW_POLYNOMIAL_EXP_SHORT(FIRST, STEP) \
  FIRST(0x1.98c8b14c97d50p-13) STEP(0x1.6d92bb801dd79p-10) STEP(0x1.1116c16cb8e38p-7) \
  STEP(0x1.55548941fe34ep-5) STEP(0x1.5555518567c47p-3) STEP(0x1.0000003a22d3ep-1)

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2. Error: 2^-59.0. */
#define IW_POLYNOMIAL_EXP(FIRST, STEP) \
  FIRST(0x1.1fb5d641679d6p-29) STEP(0x1.af76089b1b235p-26) STEP(0x1.27e478928e65dp-22) \
  STEP(0x1.71ddeac4e58b6p-19) STEP(0x1.a01a01e52990bp-16) STEP(0x1.a01a01b5d1973p-13) \
  STEP(0x1.6c16c16c0a4d6p-10) STEP(0x1.111111110e54ep-7) STEP(0x1.555555555556cp-5) \
  STEP(0x1.555555555555dp-3) STEP(0x1.0000000000000p-1)

/* (log(1 + f) / s - 2) / s^2 in z = s^2 for s = f / (2 + f), 1 + f from sqrt(1/2) to sqrt(2). Error:
 * 2^-44.9. */
#define IW_POLYNOMIAL_LOG_SHORT(FIRST, STEP) \
  FIRST(0x1.9115b720171e7p-3) STEP(0x1.c62b126fd42adp-3) STEP(0x1.249411f318d3ap-2) \
  STEP(0x1.999996a9427b5p-2) STEP(0x1.555555561e45cp-1)

/* (log(1 + f) / s - 2) / s^2 in z = s^2 for s = f / (2 + f), 1 + f from sqrt(1/2) to sqrt(2). Error:
 * 2^-59.5. */
#define IW_POLYNOMIAL_LOG(FIRST, STEP) \
  FIRST(0x1.2f04473a08330p-3) STEP(0x1.39a1dc327c5ecp-3) STEP(0x1.74663d5adb8f6p-3) \
  STEP(0x1.c71c521291978p-3) STEP(0x1.24924941e2fccp-2) STEP(0x1.999999997ff07p-2) \
  STEP(0x1.5555555555592p-1)

/* (sin(r) / r - 1) / r^2 in r^2 for |r| <= pi / 4. Error: 2^-37.6. */
#define IW_POLYNOMIAL_SIN_SHORT(FIRST, STEP) \
  FIRST(0x1.6cd8368b6d7d1p-19) STEP(-0x1.a00f9d1989891p-13) STEP(0x1.111108959e3d0p-7) \
  STEP(-0x1.5555554cb8ffep-3)

/* (sin(r) / r - 1) / r^2 in r^2 for |r| <= pi / 4. Error: 2^-63.3. */
#define IW_POLYNOMIAL_SIN(FIRST, STEP) \
  FIRST(-0x1.9f71185039a25p-41) STEP(0x1.6108b3fa8713cp-33) STEP(-0x1.ae642ad644513p-26) \
  STEP(0x1.71de3a32a96d6p-19) STEP(-0x1.a01a019ffdba3p-13) STEP(0x1.1111111111067p-7) \
  STEP(-0x1.5555555555555p-3)

/* (cos(r) - 1 + r^2 / 2) / r^4 in r^2 for |r| <= pi / 4. Error: 2^-43.2. */
#define IW_POLYNOMIAL_COS_SHORT(FIRST, STEP) \
  FIRST(-0x1.242abe2f9d603p-22) STEP(0x1.a0111fb5ccaa5p-16) STEP(-0x1.6c16b89822de8p-10) \
  STEP(0x1.5555554f4dadap-5)

/* (cos(r) - 1 + r^2 / 2) / r^4 in r^2 for |r| <= pi / 4. Error: 2^-69.1. */
#define IW_POLYNOMIAL_COS(FIRST, STEP) \
  FIRST(0x1.9c3467aceef2dp-45) STEP(-0x1.93713e424a597p-37) STEP(0x1.1eed6d05f18f6p-29) \
  STEP(-0x1.27e4fb5838659p-22) STEP(0x1.a01a019ffb553p-16) STEP(-0x1.6c16c16c16b2ap-10) \
  STEP(0x1.5555555555555p-5)

/* -log(1 - erf(x)) / x for 0 <= x <= 4. Error: 2^-33.3. */
#define IW_POLYNOMIAL_ERF(FIRST, STEP) \
  FIRST(-0x1.c65439322dfdap-24) STEP(0x1.955e798db6f77p-20) STEP(-0x1.07e25f4911cfap-17) \
  STEP(0x1.1d9c87a74174ap-17) STEP(0x1.c5104fb3ab290p-14) STEP(-0x1.5d96c1f93b7d4p-11) \
  STEP(0x1.c8ae24913eb78p-10) STEP(-0x1.da784cf13f29fp-13) STEP(-0x1.39572ca4f5db9p-6) \
  STEP(0x1.a4f47835e87bdp-4) STEP(0x1.45f3076978580p-1) STEP(0x1.20dd7503b1bc4p+0)

/* 2 / pi as a fraction: a word of 0, and its first words of 64 bits. */
#define IW_TWO_OVER_PI_WORDS(W) \
  W(0), W(0xa2f9836e4e441529), W(0xfc2757d1f534ddc0), W(0xdb6295993c439041), \
  W(0xfe5163abdebbc561), W(0xb7246e3a424dd2e0), W(0x6492eea09d1921c), W(0xfe1deb1cb129a73e), \
  W(0xe88235f52ebb4484), W(0xe99c7026b45f7e41), W(0x3991d639835339f4), W(0x9c845f8bbdf9283b), \
  W(0x1ff897ffde05980f), W(0xef2f118b5a0a6d1f), W(0x6d367ecf27cb09b7), W(0x4f463f669e5fea2d), \
  W(0x7527bac7ebe5f17b), W(0x3d0739f78a5292ea), W(0x6bfb5fb11f8d5d08), W(0x56033046fc7b6bab)

#endif
