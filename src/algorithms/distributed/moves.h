/* SPDX-License-Identifier: Apache-2.0
 *
 * The arrays that distributed calls move: elements, and payloads that go where their elements go.
 * Algorithms layer.
 */
#ifndef IW_ALGORITHMS_DISTRIBUTED_MOVES_H
#define IW_ALGORITHMS_DISTRIBUTED_MOVES_H

#include "algorithms/distributed/distributed.h"

/* An array that moves. */
typedef struct iw_moved {
  const void *in;       /* NULL: the global indices */
  void *out;            /* NULL: elements that are not wanted */
  size_t width;
  void *part, *more;    /* scratch: buffers of pieces; and of an array without in its indices, without out another piece */
  iw_exchange exchange;
} iw_moved;

/* The arrays of a partition, a select or a multisplit: the elements, then payloads. */
typedef struct iw_moves {
  size_t n, count;
  iw_payload payloads[IW_MAX_PAYLOADS];
  iw_moved of[1 + IW_MAX_PAYLOADS];
  /* After the agreement: */
  uint64_t begin;       /* the global index of this rank's first element */
  int has_elements;     /* whether elements are wanted */
} iw_moves;

/* What the local call gets to move a part of a rank's arrays. */
typedef struct iw_local_moves { iw_payload payloads[IW_MAX_PAYLOADS]; iw_move_options options; } iw_local_moves;

/* Checks the arrays, and selects the context. is_in_place: whether an out may equal its in. reads: whether in
 * is read if out is NULL. results: other arrays of the call, none of which an output may overlap. */
iw_status iw_check_moves(iw_step *step, iw_type type, const void *in, size_t n, void *out, const iw_move_options *options,
                         int is_in_place, int reads, const iw_array *results, unsigned result_count, iw_moves *moves);
/* Adds what has to be equal on all ranks to the agreement. */
void iw_step_moves(iw_step *step, const iw_moves *moves);
/* After that agreement: sets begin and has_elements. An error is the same on all ranks. */
iw_status iw_agreed_moves(iw_step *step, iw_moves *moves);
/* Reserves scratch of each array: `part` of part_n elements, `more` of n. splits: how often a rank splits an
 * element until it has its place, 0 to 2. */
iw_status iw_moves_reserve(iw_step *step, size_t part_n, size_t n, unsigned splits, iw_moves *moves);
/* The payloads of n elements from local element `first` on, of which this writes the indices: from in to
 * `part`, or if to_out to out. Returns NULL as options if there are none. */
iw_status iw_payloads_of(iw_step *step, const iw_moves *moves, size_t first, size_t n, int to_out, iw_local_moves *local,
                         const iw_move_options **options);

/* For a sort, too. Adds the widths of payloads to the agreement, and sets own word 0, the number of elements,
 * and own word IW_OWN_ABSENT: bit i says that payload i has no in, and bit IW_MAX_PAYLOADS that out is
 * NULL. */
enum { IW_OWN_ABSENT = 4 };
void iw_step_payloads(iw_step *step, size_t n, const iw_payload *payloads, size_t count);
/* After that agreement, for a whole array of `total` elements: *absent, that word, which is equal on all
 * ranks with elements. Checks that indices fit the payloads that become the permutation. An error is the
 * same on all ranks. */
iw_status iw_agreed_payloads(iw_step *step, const iw_payload *payloads, size_t count, uint64_t total, uint64_t *absent);
/* Writes begin, begin + 1, … to memory of the context. */
iw_status iw_write_indices(iw_context *context, uint64_t begin, size_t n, size_t width, void *to);

#endif
