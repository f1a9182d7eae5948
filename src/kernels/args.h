/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front hands to the kernels: argument structs and the binning rule. Plain data, the same on every target. Pointers
 * are to memory where the kernel runs.
 */
#ifndef IW_KERNELS_ARGS_H
#define IW_KERNELS_ARGS_H

#include <stddef.h>
#include <stdint.h>

/* One element of any type, as bits. */
typedef union iw_word {
  uint8_t u8; uint16_t u16; int32_t i32; uint32_t u32; int64_t i64; uint64_t u64; float f32; double f64;
} iw_word;

/* Which bin a sample is in, ready for a kernel. bottom and top are the smallest and the largest sample that is in a bin, so
 * that closed tops and ranges one bit wider than the type need no case of their own. Bin numbers past the last mean:
 * bins: below, bins + 1: above (for a map: no bin), bins + 2: NaN. */
enum { IW_BINNING_GUESS, IW_BINNING_SEARCH, IW_BINNING_MAP };
typedef struct iw_binning {
  uint32_t mode;            /* IW_BINNING_… */
  uint32_t bins;
  uint32_t steps;           /* SEARCH: halvings that find one edge among bins */
  uint32_t clamp;           /* policy CLAMP: below is bin 0, above is the last bin */
  iw_word bottom, top;      /* of the sample type */
  double scale, offset, tau;/* GUESS: floor(x*scale + offset), right where that is farther than tau from an integer; in
                               f32 for f32 samples (the numbers are floats then), else in f64; proven on the host for all
                               edges, tau < 1/4 */
  const void *edges;        /* e(0) … e(bins-1) of the sample type (u16 samples: as i32) */
  const uint32_t *map;      /* MAP: 256 bin numbers, bins + 1 for none */
} iw_binning;

#endif
