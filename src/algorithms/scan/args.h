/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of scan, reduction and segmented scan, filled in by scan.c. Plain data of the
 * same layout on every target, with pointers to memory that the kernel can reach. Installed: kernels made of
 * a user's operator take iw_scan_args too. This header must not know the kernel language or the host's
 * runtime.
 */
#ifndef ISOWARP_SCAN_ARGS_H
#define ISOWARP_SCAN_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <isowarp/algorithms/common/installed_args.h>

/* Summation order 1 (doc/order1.md): rows of 128 elements, tiles of 32 rows, groups of 32 tiles. Another
 * number of rows, for measurements, is another order of additions. */
#ifndef IW_SCAN_ROWS
#define IW_SCAN_ROWS 32
#endif
enum {
  IW_SCAN_TILE = IW_SCAN_ROWS * 128,
  IW_SCAN_GROUP_TILES = 32,
  IW_SCAN_GROUP = IW_SCAN_TILE * IW_SCAN_GROUP_TILES,
  IW_REDUCE_SHORT_TILES = 1024, IW_REDUCE_WAITED_TILES = 4096, IW_SCAN_WAITED_TILES = 256
};

/* The 64-bit words of one tile state: a flag and 32 bits of the value in each. */
#define IW_TILE_STATE_WORDS(value_bytes) ((size_t)(value_bytes) / 4)

struct iw_tickets;
typedef struct iw_scan_args {
  const void *in;                       /* n elements */
  /* n elements; may be `in` if both have one type. Unused by a reduction */
  void *out;
  size_t n;
  uint64_t tiles;                       /* ceil(n / IW_SCAN_TILE), at least 1 */
  /* Tile states (common/look_back.h), IW_TILE_STATE_WORDS for each tile and each group; and the tickets.
   * Zeroed when they are allocated and used by scans and partitions only, so that no older word has a flag
   * of this launch (doc/design/scan.md#tile-states). Those that wait have other words in place of groups'
   * (agent_waiting.h). Reductions on GPUs have a state for each tile or, of many, for each group; behind
   * them from group_states on a word for the place of each block, and the states of sections
   * (agent_reduce.h). */
  uint64_t *tile_states, *group_states;
  struct iw_tickets *tickets;
  /* what is combined with the first element (segmented: with each head), and what an exclusive scan stores
   * there */
  iw_scalar_bits init, first_out;
  union {
    /* scan, reduction: one element in device memory that is both of them, or NULL */
    const void *init_ptr;
    /* segmented, agent_single_warp.h: bit i is set if element i is a head; 0 up to the end of the last
     * tile */
    const uint32_t *heads;
    /* segmented, agent_pipelined.h: n keys of key_bytes bytes, which differ from the key before at heads;
     * or n flags, which are not 0 there */
    const void *keys;
  };
  /* Bits that are inverted in each element after it is widened, and again before it is narrowed: the
   * minimum of i32 then gives that of u32, and the maxima of both. init and first_out are given inverted. 0
   * for a kernel without TWIDDLE_BITS. */
  iw_scalar_bits twiddle;
  void *result;                         /* one element: the last inclusive prefix, or NULL */
  uint32_t exclusive;                   /* 1: exclusive scan */
  union {
    uint32_t stream;                    /* scan: 1: outputs are larger than the caches and are stored past them */
    uint32_t prefetches;                /* reduction: 1: on CPUs, what follows is prefetched */
  };
  uint32_t narrow;                      /* 1: out and result are of the elements' type FROM, not of T (NARROW) */
  /* On GPUs, scans of at most IW_SCAN_WAITED_TILES tiles and reductions of at most IW_REDUCE_WAITED_TILES:
   * the tiles of each block: 1, of a reduction also 2 of elements of 4 bytes, or one for each warp. 0:
   * look-back, or a reduction whose blocks have a group each. */
  uint32_t waits;
  /* reduction: 0, or on GPUs the elements of a row of a matrix, at most a tile: each row has a block.
   * scan_long_rows: elements of a row of the matrix, more than a tile; or if that is 0 the listed segments.
   * Tile k of their tiles has three words, places[k], places[k + tiles] and places[k + 2 * tiles]: where
   * its segment begins and ends, and the segment's first tile. *listed: how many tiles there are; if they
   * are more than `tiles`, none is scanned. */
  uint64_t columns;
  const uint64_t *places, *listed;
  /* reduction by a minimum on GPUs: receives begin + the index of the first element that equals
   * the result, unless the result equals *init_ptr, which an earlier piece of the array has then; or NULL.
   * Then result may be init_ptr. */
  uint64_t *first_index;
  union {
    uint64_t begin;
    uint64_t key_bytes;                 /* segmented, agent_pipelined.h: 1, 2, 4 or 8; 0: keys are flags */
  };
} iw_scan_args;

/* Scans of the rows of a matrix, or of segments given by offsets, that a warp scans alone
 * (scan_rows_kernel.h). */
typedef struct iw_scan_rows_args {
  const void *in;                       /* rows * columns elements, or n */
  void *out;                            /* as many of the same type; may be `in` */
  uint64_t rows, columns;               /* of the matrix; columns: 1 ... IW_SCAN_GROUP. rows: or segments */
  uint64_t batch;                       /* rows that a warp takes at a time: of the matrix fewer than 2^31 elements */
  iw_scalar_bits init, first_out;       /* as in iw_scan_args, twiddled */
  const void *init_ptr;                 /* NULL, or one element in device memory that is both */
  iw_scalar_bits twiddle;               /* as in iw_scan_args */
  uint32_t levels;                      /* a block has 2^levels slots: at least `columns`, or 128 */
  uint32_t exclusive, stream;           /* as in iw_scan_args */
  /* scan_segments only. Segments of more than `longest` elements, which is at least IW_SCAN_TILE, are
   * listed: *listed is 0 before and receives the number of their tiles, `places` as in iw_scan_args as many
   * of these as fit. */
  uint64_t n, longest, tile_capacity;
  const void *offsets;                  /* rows + 1, of u32 or u64 */
  uint64_t *places, *listed;
  uint32_t wide_offsets;                /* 1: offsets are u64, 0: u32 */
} iw_scan_rows_args;

/* The index of a minimum or maximum, found after the reduction that gave its value; piece by piece if the
 * input is staged. */
typedef struct iw_arg_extremum { uint64_t index; iw_scalar_bits value; } iw_arg_extremum;
typedef struct iw_arg_extremum_args {
  const void *in;                             /* n elements: this piece */
  size_t n;
  const uint64_t *tile_states, *group_states; /* as the reduction of this piece left them */
  const void *result;                         /* one element: the reduction of all pieces up to this one */
  iw_arg_extremum *found;                     /* of the pieces before; updated */
  uint64_t piece_begin;                       /* index of the piece's first element in the whole array */
  iw_scalar_bits twiddle;                     /* of that reduction; the result is as it is without */
} iw_arg_extremum_args;

#endif
