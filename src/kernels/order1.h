/* SPDX-License-Identifier: Apache-2.0
 *
 * Order 1, as far as scan and reduce share it: a group of 2^18 elements is 32 tiles, a tile is its warps' chunks, a chunk is
 * rows. Compiled once per T and OP.
 */
#include "typed.h"
#include "tuning.h"

#ifndef IW_KERNELS_ORDER1_H
#define IW_KERNELS_ORDER1_H
enum { GROUP_TILES = 32, TILE = (1 << 18) / GROUP_TILES, CHUNK = TILE / SCAN_WARPS, WARP_LEVELS = 5, ROW_LEVELS = 7 };
#endif

#define ROWS (CHUNK / IW_ROW(T))
#define AHEAD (SCAN_AHEAD < ROWS ? SCAN_AHEAD : ROWS)

/* The tree inside a chunk, row by row, with a carry a level; what(k, row) takes each row as it is done, and may change it.
 * Returns the total. */
#define OVER_CHUNK(total, in, valid, what) do { \
    const int64_t chunk_valid_ = (valid); const SCALAR *const chunk_ = (in); \
    SCALAR carry_[ROW_LEVELS]; \
    IW_UNROLL_ROWS for (int first_ = 0; first_ < ROWS; first_ += AHEAD) { \
      IW_PASTE(IW_PASTE(iw_row_, T), _coming) coming_[AHEAD]; \
      if (chunk_valid_ >= CHUNK) \
        IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) \
          coming_[r_] = OF_T(iw_row_fetch)(chunk_ + (first_ + r_) * IW_ROW(T), IW_ROW(T), OF_OP(iws_identity)()); \
      else \
        IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) \
          coming_[r_] = OF_T(iw_row_fetch)(chunk_ + (first_ + r_) * IW_ROW(T), chunk_valid_ - (first_ + r_) * IW_ROW(T), \
                                           OF_OP(iws_identity)()); \
      IW_UNROLL for (int r_ = 0; r_ < AHEAD; r_++) { \
        const int k = first_ + r_; \
        IW_PASTE(iw_row_, T) x_ = OF_OP(iw_row_tree)(OF_T(iw_row_arrive)(coming_[r_])); \
        IW_UNROLL for (int b = 0; 1 << b < ROWS; b++) { \
          if (k >> b & 1) x_ = OF_OP(iw_row)(carry_[b], x_); \
          else if ((k & ((1 << b) - 1)) == (1 << b) - 1) carry_[b] = OF_T(iw_row_last)(x_); \
        } \
        if (k == ROWS - 1) total = OF_T(iw_row_last)(x_); \
        what(k, x_); \
      } \
    } \
  } while (0)
