/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of the sort, filled in by sort.c; its passes are those of the radix split
 * (multisplit/radix_args.h). Plain data of the same layout on every target. It must not know the kernel
 * language or the host's runtime.
 */
#ifndef IW_SORT_ARGS_H
#define IW_SORT_ARGS_H

#include <isowarp/algorithms/common/installed_args.h>
#include "algorithms/common/total_order.h"
#include "algorithms/multisplit/radix_args.h"

/* What a block has found in its chunk of the keys. If a block stops early, it has found all that it could
 * find. */
typedef struct iw_sort_found {
  uint64_t varying;         /* the bits in which ranks differ from the first key's */
  uint64_t descents;        /* not 0: a key's rank is less than that of the key before it */
} iw_sort_found;

/* Finds which bits of the ranks vary, and whether the keys are sorted. A block is a warp. */
typedef struct iw_sort_survey_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t n, chunk;        /* block b has keys 1 + b * chunk and the following */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  iw_sort_found *found;     /* one for each block */
} iw_sort_survey_args;

/* Writes the index of the segment of each element. Blocks of any size. */
enum { IW_SEGMENT_IDS_CHUNK = 1024 };
typedef struct iw_segment_ids_args {
  const void *offsets;      /* count + 1; NULL: rows */
  uint64_t wide_offsets;    /* 1: offsets have 8 bytes, 0: 4 */
  uint64_t columns;         /* rows: elements of a row */
  uint64_t n, count;
  uint64_t steps;           /* of the binary search: 2^steps > count */
  void *ids;
  uint64_t id_bytes;        /* 4 or 8 */
  const uint32_t *needed;   /* NULL, or 0: nothing is written */
} iw_segment_ids_args;

/* What a block sorts in its shared memory. An item needs the bytes of its rank, or of half a value of 16
 * bytes, and of its index, 2; in a kernel for blocks of one size twice that, behind a line of
 * IW_BLOCK_SORT_LINE_BYTES. In one for blocks of any size, up to so many warps, a thread has an odd number
 * of items, at most IW_BLOCK_SORT_ITEMS; a block of one warp runs kernel warp_sort. */
enum { IW_BLOCK_SORT_ITEMS = 7, IW_BLOCK_SORT_MOST_WARPS = 16, IW_BLOCK_SORT_ITEM_BYTES = 8 + 2 };
/* Rows of keys alone are sorted by lanes (rows_by_lanes.h). */
enum {
  IW_BLOCK_SORT_LINE_BYTES = 64, /* of a line, which has a rank of each run */
  IW_BLOCK_SORT_BY_LANES = 7,    /* most memory of lines, as a multiple of that of other items */
  IW_BLOCK_SORT_MEMORY = 12,     /* the same of all memory, for buckets of 2^16 keys of 4 bytes and what rows are packed into */
  IW_LEAST_LANES_OF_ROWS = 4,    /* with fewer runs rows take less time one after the other */
  IW_BLOCK_SORT_FRONT_LINES = 3, /* lines in front of those of items: what a block has of its group of rows */
  IW_LEAST_RUN = 33              /* whose lines are a multiple of eight, as those of a run of a row have to be */
};

/* The lines of a lane of so many elements, of a row of several lanes: 5 to 8 times a power of two. */
static inline uint64_t iw_lines_of_run(uint64_t elements)
{
  unsigned shift = 0;
  while (elements > (uint64_t)8 << shift)
    shift++;
  return (elements + ((uint64_t)1 << shift) - 1) >> shift << shift;
}

/* A sort of keys of 8 bytes by passes over their upper bits alone, of which few keys have equal ones. A tile
 * has a block, which then sorts the runs of equal upper bits that begin in it: its keys, and less than
 * IW_UNSORTED_REST behind them. Runs may be as long. */
enum { IW_UPPER_SAMPLE = 1024, IW_UNSORTED_REST = 128, IW_UNSORTED_WARPS = 4,
       IW_UNSORTED_TILE = IW_UNSORTED_WARPS * 32 * IW_BLOCK_SORT_ITEMS - IW_UNSORTED_REST };
/* The words: whether passes over the upper bits run, whether those over all bits run, and how many tiles are
 * listed. */
enum { IW_BY_UPPER_BITS, IW_BY_ALL_BITS, IW_LISTED_TILES, IW_UPPER_BITS_WORDS };
typedef struct iw_upper_bits_args {
  const uint64_t *keys;
  uint64_t n, sampled;      /* sampled: of n keys, at most IW_UPPER_SAMPLE */
  iw_total_order order;
  uint64_t mask, upper;     /* the bits of ranks that decide, and the upper ones of them */
  uint32_t *words;
  uint64_t *ranges;         /* of each listed tile where its runs begin and end */
} iw_upper_bits_args;

/* Sorts segments, each by one block, whose items have to be at least the elements of any of these segments;
 * of a longer one it sorts only the first elements. */
typedef struct iw_block_sort_args {
  const void *keys;
  uint32_t key_bytes;
  uint32_t stage_bytes;     /* 4 or 8: bytes of an item in shared memory, beside its index; at least those of a rank and of arrays */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  const void *offsets;      /* as of iw_segment_ids_args */
  uint64_t wide_offsets, columns, n, count;
  /* run not 0: rows of keys alone are sorted by lanes (rows_by_lanes.h). A row is `runs` runs of `run`
   * elements; runs is a power of two, and the last runs may be shorter or empty. */
  uint64_t run, runs;
  uint32_t *unsorted;       /* rows by lanes: NULL, or becomes 1 if rows with NaNs are left as they are. tile_sort: becomes 1 if a
                             * tile with a long run is left as it is */
  /* tile_sort: where each of the tiles of a list begins and ends.
   * Else not NULL: keys that are in order by their upper bits, or by a division, are sorted; all their bits
   * decide (buckets_by_lanes.h). Block b has the chunk begins[b] … begins[b + 1]-1; chunks differ in upper
   * bits or digits. spare: n keys. `keys` may be spare or the first array's out. */
  const uint64_t *begins;
  uint64_t upper;
  const uint64_t *offsets_of_buckets; /* NULL, or of a division: where the keys of each digit begin, and n */
  void *spare;
  /* NULL, or n indices each: the keys, which are the first array, have others that are put in their order;
   * the out of each of these is not its in. A width of 0 says that sorted keys are not wanted. */
  uint32_t *indices[2];
  iw_division *division;    /* not NULL: only *division is set, by the keys, which are a sorted sample */
  uint64_t row;             /* 0, or each segment has rows of so many elements, which are sorted */
  const uint32_t *list;     /* the segments to sort; NULL: all */
  const uint32_t *listed;   /* their number */
  uint64_t list_capacity;
  const uint32_t *longer;   /* NULL, or the number of segments that are too long: if there are any, none is sorted */
  uint32_t alone;           /* 1: the only array is the keys, all of whose bits decide */
  uint32_t array_count;
  iw_move_array arrays[IW_MAX_RADIX_ARRAYS]; /* out of each may be its in */
} iw_block_sort_args;

/* Merges two sorted arrays, or each two neighbours of many. A block merges up to IW_MERGE_BLOCK_TILES
 * consecutive tiles of an output. Blocks of several warps have short tiles if the device holds them all at a
 * time. */
enum { IW_MERGE_TILE = 5888, IW_MERGE_TILE_OF_8_BYTES = 2816, IW_MERGE_SHORT_TILE = 1280, IW_MERGE_BLOCK_TILES = 13 };
typedef struct iw_merge_args {
  const void *a, *b;
  uint64_t key_bytes;
  uint64_t a_count, b_count;
  uint64_t run;             /* not 0: a has sorted runs of so many elements, of which neighbours are merged; b is not used */
  iw_total_order order;
  uint64_t mask;            /* the bits of ranks that decide */
  void *out, *indices;      /* NULL: not wanted */
  uint64_t index_bytes;     /* 4 or 8 */
  uint64_t tile;            /* its elements: those of a tile of that width, or IW_MERGE_SHORT_TILE */
  uint64_t block_tiles;     /* tiles of a block; the first longer_blocks of two runs have one more */
  uint64_t longer_blocks;
  uint64_t pair_blocks;     /* blocks of two runs */
} iw_merge_args;

/* Lists segments by length: class c has those of at most most[c] elements that no class before has; empty
 * ones have none, and those too long for all classes are only counted. Order in a list is unspecified.
 * Blocks of any size. */
enum { IW_SEGMENT_CLASSES = 4, IW_SEGMENT_LISTS_CHUNK = 256 };
typedef struct iw_segment_lists_args {
  const void *offsets;
  uint64_t wide_offsets, n, count;
  uint32_t *counters;       /* of each class, and of longer segments; 0 before */
  uint32_t *lists[IW_SEGMENT_CLASSES];
  uint64_t most[IW_SEGMENT_CLASSES], capacity[IW_SEGMENT_CLASSES];
} iw_segment_lists_args;

#endif
