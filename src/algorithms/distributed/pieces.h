/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits of distributed arrays piece by piece, so that a call needs the memory of a piece beyond its arrays:
 * each rank splits a piece of its part into sides, which the output has one behind the other, and sends each
 * side's elements, and the values of payloads, to their places. Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_PIECES_H
#define IW_ALGORITHMS_DISTRIBUTED_PIECES_H

#include "algorithms/distributed/moves.h"

/* Own word of the agreement: the most elements that a piece may have on this rank. */
enum { IW_OWN_PIECE = 5 };

typedef struct iw_pieces {
  iw_moves *moves;
  size_t n, sides;          /* elements of a piece, and sides */
  size_t rounds;            /* pieces of the rank that has most */
  uint64_t *own, *offsets;  /* for each side: this rank's elements, and where they begin in the piece */
  uint64_t *begins;         /* sides + 1: where each side begins in the whole output */
  uint64_t *next;           /* for each rank and side: where its next element goes */
  uint64_t *all;            /* for each rank and side: elements of the piece, and before of the part */
  size_t *side, *first_side; /* for each rank: the side that it receives elements of, and the first one */
} iw_pieces;

/* Splits n elements of this rank's part, from element `first` on, at least one, to `out` (NULL: not wanted),
 * and sets counts[side] for all sides. options: payloads. */
typedef iw_status (*iw_split_piece)(iw_step *step, void *job, size_t first, size_t n, void *out, const iw_move_options *options,
                                    uint64_t *counts);

/* Reserves what a split of checked arrays needs, to be agreed on, as is the length of pieces. splits: as for
 * iw_moves_reserve. */
iw_status iw_pieces_reserve(iw_step *step, size_t sides, unsigned splits, iw_moves *moves, iw_pieces *pieces);
/* After that agreement: pieces have as many elements as all ranks have room for. Sets pieces->rounds. */
void iw_pieces_plan(iw_step *step, iw_pieces *pieces);
/* Splits the whole array. Has an agreement; an error of a later piece is noted in the step. pieces->begins
 * is set. */
iw_status iw_pieces_run(iw_step *step, iw_split_piece split, void *job, iw_pieces *pieces);

#endif
