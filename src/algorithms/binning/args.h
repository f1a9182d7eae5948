/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule that decides a sample's bin, and what the host hands to the kernels of bin indices and of the
 * range of the data. Plain data, the same on every target; pointers are to memory where the kernel runs. Not
 * installed.
 */
#ifndef IW_BINNING_ARGS_H
#define IW_BINNING_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include "algorithms/common/args.h"

/* The rule by which bin_index.h decides a bin; binning_plan.c makes it. bottom and top are the smallest and
 * the largest sample that is in a bin, so that closed tops and an upper end past the type's last value need
 * no special case. */
enum { IW_BINNING_GUESS, IW_BINNING_SEARCH, IW_BINNING_MAP };
typedef struct iw_binning {
  uint32_t mode;              /* IW_BINNING_… */
  uint32_t bins;
  uint32_t steps;             /* SEARCH: steps of the bisection among all edges */
  /* SEARCH: cells of the table of edges, a power of two; 0: there is no table. The cell of x is the floor
   * of x*scale + offset, or with cell_shift not 0 its leading bits less cell_base, shifted right by
   * cell_shift - 1 */
  uint32_t cells, cell_shift, cell_base;
  uint32_t clamp;             /* 1: samples below the bins are in bin 0, samples above in the last bin */
  iw_scalar_bits bottom, top; /* of the KEY type (sample_types.h) */
  /* GUESS: the guess is x*scale + offset, and its floor is the bin if it is farther than tau from an
   * integer. The host has proven this for all edges. tau < 1/4; -1: the floor of every guess is the bin.
   * Values of the GUESS type */
  double scale, offset, tau;
  /* floats: 1: edge(k), k < bins, is k*step + first in f64, rounded to the type; 2: edge(bins) is too; else
   * 0 */
  uint32_t even;
  double step, first;
  const void *edges;          /* edge(0) … edge(bins-1) of the KEY type */
  /* MAP: bin indices of the bytes 0 … 255; past the last bin as in bin_index.h. SEARCH: of each cell the
   * last edge in front of it << 5, plus the steps of the bisection among the edges in it; NULL if cells is
   * 0 */
  const uint32_t *map;
} iw_binning;

/* Kernel bucket_ids: the bin index of each sample. */
typedef struct iw_bin_index_args {
  iw_bucket_ids_args to;
  iw_binning binning;
} iw_bin_index_args;

/* The least and the greatest sample of each warp, of the type of lanes that hold samples: u32 for u8. */
typedef struct iw_value_range_args {
  const void *samples;      /* n of them, one or more */
  uint64_t n;
  void *least, *greatest;
  uint32_t accumulate;      /* 1: includes what a warp found in an earlier launch */
} iw_value_range_args;

#endif
