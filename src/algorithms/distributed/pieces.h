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
  size_t n, first, sides;   /* the most elements of a piece, those of the first one, and sides */
  size_t spread, buffers;   /* a piece is split into `spread` times its memory, and into this buffer or the other one */
  size_t room;              /* elements of each of the `spread` parts of a buffer */
  size_t rounds;            /* pieces of the rank that has most */
  int in_place[2];          /* whether these sides of the piece were split to their place in the output */
  uint64_t *part, *own;     /* for each side: elements of this rank's part, and of its piece */
  uint64_t *offsets;        /* for each side: where the piece's elements begin in the buffer */
  uint64_t *begins;         /* sides + 1: where each side begins in the whole output */
  uint64_t *next;           /* for each rank and side: where its next element goes */
  uint64_t *all;            /* for each rank and side: elements of the piece, and before of the part */
  size_t *sent, *received;  /* for each rank: the side of which this rank sends to it, and receives from it */
} iw_pieces;

/* How n elements of this rank's part, from element `first` on, at least one, are split. Both set
 * counts[side] for all sides. count: of at most `counted` pieces. split: to `out` (NULL: not wanted) and
 * the payloads of options; with a spread of 2 the second side goes to options->rest and the payloads' rest.
 * It sets offsets[side] to where a side begins, counted from where the piece begins in its buffer, in which
 * the second of two sides begins at element `room`. */
typedef struct iw_splitter {
  void *job;
  unsigned counted;
  iw_status (*count)(iw_step *step, void *job, size_t first, size_t n, uint64_t *counts);
  iw_status (*split)(iw_step *step, void *job, size_t first, size_t n, void *out, size_t room, const iw_move_options *options,
                     uint64_t *counts, uint64_t *offsets);
} iw_splitter;

/* Reserves what a split of checked arrays needs, to be agreed on, as is the length of pieces. splits: as for
 * iw_moves_reserve. */
iw_status iw_pieces_reserve(iw_step *step, size_t sides, size_t spread, unsigned splits, iw_moves *moves, iw_pieces *pieces);
/* After that agreement: pieces have as many elements as all ranks have room for. Sets pieces->rounds. */
void iw_pieces_plan(iw_step *step, iw_pieces *pieces);
/* Splits the whole array. Has an agreement; an error of a later piece is noted in the step. pieces->begins
 * is set. */
iw_status iw_pieces_run(iw_step *step, const iw_splitter *splitter, iw_pieces *pieces);

#endif
