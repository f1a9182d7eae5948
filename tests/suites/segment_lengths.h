/* SPDX-License-Identifier: Apache-2.0
 *
 * Lengths of segments, in patterns, and offsets that are made of them.
 */
#ifndef TESTS_SEGMENT_LENGTHS_H
#define TESTS_SEGMENT_LENGTHS_H

#include "reference.h"

/* Lengths of segments. */
enum { EMPTY, ONES, TO_32, TO_64, TO_ROW, ROWS, HUNDRED, THOUSAND, TILES, SOME_LONG, ANY, SKEWED, PATTERNS };
/* More for runs: boundaries of tiles of 4 and 8 bytes, and of rows, among runs that are short on average
 * and not. */
enum { TILE_EDGES = PATTERNS, SHORT_AND_TILE_EDGES, SHORT_AND_ROWS, FOUR, ONE_RUN, RUN_PATTERNS };

static inline size_t next_length(int pattern, size_t k, size_t n)
{
  switch (pattern) {
  case EMPTY: return 0;
  case ONES: return 1;
  case TO_32: return random_below(33);
  case TO_64: return random_below(65);
  case TO_ROW: return random_below(ROW + 1);
  case ROWS: return ROW * (1 + random_below(4)) - 1 + random_below(3);
  case HUNDRED: return (size_t)(-100 * log(1 - random_unit()));
  case THOUSAND: return (size_t)(-1000 * log(1 - random_unit()));
  case TILES: return TILE * random_below(4) + random_below(3);
  case SOME_LONG: return random_below(8) ? random_below(50) : TILE + random_below(3 * TILE);
  case ANY: return random_size(4 * TILE);
  case TILE_EDGES: return k % 2 ? TILE / 2 - 1 : 1 + 2 * random_below(2);
  case SHORT_AND_TILE_EDGES: return k % 40 ? 1 : k / 40 % 2 ? TILE / 2 - 39 : random_below(3 * TILE);
  case SHORT_AND_ROWS: return random_below(30) ? 1 + random_below(9) : ROW - 2 + random_below(4);
  case FOUR: return 1 + (size_t)(-3 * log(1 - random_unit()));
  case ONE_RUN: return n;
  default: return k == 3 ? n / 2 : random_below(200); /* one has half of all */
  }
}

/* Offsets of segments that fill n elements, or fewer; not all elements in front of the first and behind
 * the last belong to one. Returns their number. */
static inline size_t make_offsets(int pattern, size_t n, uint64_t *offsets, size_t most)
{
  size_t count = 0, at = n > 10 ? random_below(10) : 0;
  offsets[0] = at;
  while (count < most) {
    const size_t length = next_length(pattern, count, n);
    if (length > n - at || (at == n && count && random_below(4) == 0))
      break;
    offsets[++count] = at += length;
  }
  return count;
}

#endif
