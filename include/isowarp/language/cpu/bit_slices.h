/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced counters: a counter per bit position of a register, with bit l of all the counters in register
 * plane[l]. Registers of bits are added by carry-save adders (Harley and Seal's population count), at the
 * same cost whatever the bits are. Part of private_histogram.h; knows nothing of indices or bytes.
 */
#ifndef ISOWARP_LANGUAGE_CPU_BIT_SLICES_H
#define ISOWARP_LANGUAGE_CPU_BIT_SLICES_H

/* carry_pending[l]: a register of bits of weight 2^l that waits for a second one, so that rows are added
 * like digits of a binary number: one full adder per row on average. */
enum { IW_PLANES = 20, IW_BIT_SLICED_ROWS = 4096 };
typedef struct iw_bit_slices { iwv_u32 plane[IW_PLANES], carry_pending[IW_PLANES]; } iw_bit_slices;

/* Adds `count` registers of bits, a power of two, from plane `level` on. Returns the carry, whose bits
 * have `count` times their weight. */
IW_FN iwv_u32 iw_bit_slices_csa_tree(iwv_u32 *planes, int level, iwv_u32 *bits, const int count)
{
  IW_UNROLL for (int k = count; k > 1; k /= 2, level++) {
    iwv_u32 plane = planes[level];
    IW_UNROLL for (int i = 0; i < k / 2; i++) bits[i] = iwv_full_add(&plane, bits[2 * i], bits[2 * i + 1]);
    planes[level] = plane;
  }
  return bits[0];
}

/* Adds the carry of one row; `row` rows were added before. */
IW_FN void iw_bit_slices_carry(iwv_u32 *planes, iwv_u32 *carry_pending, int level, unsigned row,
                               iwv_u32 carry)
{
  for (; row & 1; row >>= 1, level++) carry = iwv_full_add(&planes[level], carry_pending[level], carry);
  carry_pending[level] = carry;
}

/* Adds one row of `count` registers, the same power of two in every row; `row` rows were added before. */
IW_FN void iw_bit_slices_add(iwv_u32 *planes, iwv_u32 *carry_pending, unsigned row, iwv_u32 *bits,
                             const int count)
{
  int level = 0;
  IW_UNROLL for (int k = count; k > 1; k /= 2) level++;
  iw_bit_slices_carry(planes, carry_pending, level, row, iw_bit_slices_csa_tree(planes, 0, bits, count));
}

/* Adds to counts[b] the counters of bit b of every lane, for b < most; or of bit b of every byte, for b <
 * 8, if `bytes`. Clears the planes. */
IW_NOINLINE_FN void iw_bit_slices_extract(iwv_u32 *planes, const iwv_u32 *carry_pending, unsigned rows,
                                          int count, int bytes,
                                          unsigned most, uint32_t *counts)
{
  const iwv_u32 none = iwv_set1_u32(0);
  iwv_u32 carry = none;
  int first = 0;
  while (1 << first < count) first++;
  for (int l = 0; l < first || rows >> (l - first); l++) {
    if (l >= first) carry = iwv_full_add(&planes[l], rows >> (l - first) & 1 ? carry_pending[l] : none,
                                         carry);
    const iwv_u32 plane = planes[l];
    if (bytes) IW_UNROLL for (unsigned b = 0; b < 8; b++) counts[b] += iwv_popcount_bit_of_bytes(plane,
        b) << l;
    else for (unsigned b = 0; b < most; b++) counts[b] += iwv_popcount_bit_of_lanes(plane, b) << l;
    planes[l] = none;
  }
}

#endif
