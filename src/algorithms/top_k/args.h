/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the kernels of top-k, filled in by top_k.c. Plain data of the same layout on every target. It
 * must not know the kernel language or the host's runtime.
 */
#ifndef IW_TOP_K_ARGS_H
#define IW_TOP_K_ARGS_H

#include "algorithms/common/total_order.h"

enum {
  IW_TOP_K_WARPS = 8,                /* of a block, of all three kernels */
  IW_TOP_K_CHUNK_BYTES = 4096,       /* of keys that have counts of their own */
  IW_TOP_K_MOST_CHUNKS = 32,         /* of a group, which a warp processes: a chunk for each lane */
  IW_TOP_K_GATHER_CHUNK = 256,       /* elements that a warp gathers */
  IW_TOP_K_RANK_WARPS = 16,          /* of a block of top_k_rank, and the items that it ranks at a time */
  IW_TOP_K_RANK_ITEMS = 32,
  IW_TOP_K_MOST_BUCKETS = 256,       /* of the candidates of a row; a multiple of 32 */
  IW_TOP_K_SHORT_SAMPLE = 2048,      /* keys of a sample that each block of top_k_short sorts, at most */
  IW_TOP_K_SHORT_CHUNK = 8192,       /* keys that it reads at a time, at most */
  IW_TOP_K_PADDING = 64,             /* places behind those for a chunk's items in top_k_near, which may be overwritten */
  IW_TOP_K_SORTED_AT_ONCE = 24       /* items that insertion sorts in top_k_near and top_k_least */
};

/* Gathers `count` elements of each row: element i of row r is in[r * stride + offsets[r] + place(i)]. If
 * spread is 0, place(i) is i. Else it is a pseudo-random place in the i-th of 2^spread_bits equal parts of
 * `spread` elements, so that neither periods of the data nor their order matter. */
typedef struct iw_top_k_gather_args {
  const void *in;
  void *out;
  uint64_t bytes;           /* of an element */
  uint64_t rows, stride;
  uint64_t count;
  uint64_t spread, spread_bits; /* spread: less than 2^40 */
  const uint64_t *offsets;  /* one for each row; NULL: 0 */
  uint64_t subtracted;      /* from elements of 4 and 8 bytes of row r, r times: indices in the matrix become those in the row */
} iw_top_k_gather_args;

/* The numbers of keys that are counted for each chunk: those whose rank is less than a bound, and at most
 * the bound. */
enum { IW_BELOW_HI, IW_UP_TO_HI, IW_BELOW_LO, IW_UP_TO_LO };

/* The keys of a matrix and two bounds for each row, which are keys of its sorted sample. Both kernels that
 * read the matrix take this. */
typedef struct iw_top_k_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t rows, columns;
  uint64_t chunk, row_chunks;        /* keys of a chunk, and chunks of a row */
  uint64_t group, row_groups;        /* chunks of a row that a warp processes, at most 32, and such groups of a row */
  iw_total_order order;
  const void *sample;                /* sorted, sample_count keys of each row */
  uint64_t sample_count;
  uint64_t hi_at, lo_at;             /* indices of the bounds in a row of the sample; hi_at == sample_count: the greatest rank */
  uint64_t bounds;                   /* 2; 1: there is no bound lo */
  uint64_t *counts;                  /* [2 * bounds][rows * row_chunks], and a word; their exclusive prefix sums for the selection */
  /* The rest is for the selection. Wanted are the elements that a sort of the row moves to first … end -
   * 1. */
  uint64_t first, end;
  uint64_t capacity;                 /* places in a row of candidates */
  void *candidates;                  /* keys, in the order of their indices; behind them `filler` */
  uint64_t filler;                   /* the bits of a key of the greatest rank */
  void *indices;                     /* of the candidates in their row; NULL: not wanted */
  uint64_t index_bytes;              /* 4 or 8 */
  uint64_t *failed;                  /* for each row, 1: wanted elements are outside of the bounds, or candidates are too many */
  uint64_t *offsets;                 /* for each row: the place of the first wanted element in the sorted candidates */
} iw_top_k_args;

/* An item is a key with an index that tells equal keys apart. In 64 bits, which ascend with the items: of
 * keys of up to 4 bytes the rank, and behind it the index; of keys of 8 bytes the rank, and the index is in
 * an array of its own. The kernels of the path that ranks few candidates take this: top_k_sample,
 * top_k_rank for the sample, top_k_collect, top_k_group twice if there are buckets, and top_k_rank for the
 * candidates, in this order. The sample's items are its keys, or where these are many the least ones of
 * groups: item g of `items` is the least of keys g, g + items, … of the sample. */
typedef struct iw_top_k_few_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t rows, columns;            /* columns: at most 2^32 */
  uint64_t chunk, row_chunks;        /* as in iw_top_k_args */
  iw_total_order order;              /* of integers: with an `infinity` of all ones */
  uint64_t log2_sample;              /* keys of a row's sample; its places are those of iw_top_k_gather_args */
  uint64_t items;                    /* of a row's sample */
  uint64_t group_lanes, lane_keys;   /* a group is the keys of 1 or 32 lanes, each of which has so many */
  uint64_t *sample;                  /* items of each row, and their indices */
  uint32_t *sample_indices;
  uint64_t hi_at, lo_at, bounds;     /* as in iw_top_k_args: of the sorted items */
  uint64_t *bound_items;             /* hi and lo of each row */
  uint64_t of_sample;                /* top_k_rank: 1: finds the bounds; 0: ranks the candidates */
  uint64_t first, end;               /* the wanted elements, as in iw_top_k_args */
  uint64_t capacity;                 /* places in a row of candidates, which are all keys from lo to hi, in any order */
  uint64_t *candidates;
  uint32_t *indices;                 /* of keys of 8 bytes; else NULL */
  uint64_t *counts, *below;          /* of each row: candidates, which may exceed the capacity, and keys below lo */
  uint64_t *failed;                  /* as in iw_top_k_args */
  void *values, *out_indices;        /* end - first for each row; or NULL */
  uint64_t index_bytes;              /* 4 or 8 */
  /* Many candidates are grouped by buckets, so that each is compared with those of its bucket only. Bucket
   * b has the ranks from the b-th splitter on: splitters are the sorted sample's items first_splitter + b *
   * stride, b from 1 on. buckets: 1: there are none. */
  uint64_t buckets, first_splitter, stride;
  uint64_t counts_buckets;           /* top_k_group: 1: counts, 0: groups */
  uint64_t is_grouped;               /* top_k_rank: 1: the candidates are grouped */
  uint64_t *splitters;               /* buckets for each row; the first one is not read */
  uint32_t *bucket_counts;           /* likewise: candidates of each bucket, */
  uint32_t *bucket_grouped;          /* how many of them have been grouped, */
  uint32_t *bucket_begins;           /* and the place of the first one */
  uint64_t *grouped;                 /* the candidates, bucket by bucket, and their indices */
  uint32_t *grouped_indices;
  /* The rest is for top_k_short and top_k_rank_short, which have the sample's items and the bounds in shared
   * memory. The first splitter is lo, or without a bound lo the least item of the sample. Bucket b has the
   * places from b * capacity on, if all is well; counts has a word for each of at most IW_TOP_K_MOST_BUCKETS
   * buckets and one for the keys below lo, all 0 before and after a launch of top_k_short. bucket_begins has
   * one element more. */
  uint32_t *bucket_tiles;            /* of each bucket, the number of its first 32 candidates; and of all of them */
  uint32_t *wanted;                  /* indices of the wanted elements, in any order, if the bounds were wrong */
  uint32_t *blocks_done;             /* the counter of iw_is_last_block */
} iw_top_k_few_args;

/* What is known of a chunk: its items, which exceed the capacity if there was no room; between two bounds
 * also the keys below lo, those equal to lo and to hi, which are no items, and the ranks of both. */
enum { IW_NEAR_ITEMS, IW_NEAR_BELOW, IW_NEAR_AT_LO, IW_NEAR_AT_HI, IW_NEAR_LO, IW_NEAR_HI, IW_TOP_K_NEAR_COUNTS };

/* The kernels of CPUs take this, in this order: top_k_near; top_k_least, if a row has several chunks; and, if
 * there are several or more than IW_TOP_K_SORTED_AT_ONCE elements of a row are wanted, top_k_take after a
 * sort of the latter; but a sort of keys (unsorted) is the end. An item is a key's rank, and behind it its
 * index in its row; of keys of 8 bytes the index is in an array of its own. Wanted are the first elements of
 * a row, or one at any place. */
typedef struct iw_top_k_near_args {
  const void *keys;
  uint64_t key_bytes;
  uint64_t rows, columns;            /* columns: at most 2^32 */
  uint64_t chunk, row_chunks;        /* keys of a chunk, which a block of top_k_near has, and chunks of a row */
  iw_total_order order;
  uint64_t log2_sample, hi_at, lo_at; /* as in iw_top_k_few_args: the bounds are keys of the sample */
  uint64_t bounds;                   /* as in iw_top_k_args; 0: all keys are candidates */
  uint64_t first, end;               /* the wanted elements, as in iw_top_k_args */
  uint64_t capacity;                 /* items of a chunk: at least those of a sample, and with one bound more than `end` by 128 */
  uint64_t *items, *other;           /* capacity + IW_TOP_K_PADDING for each chunk */
  uint32_t *index, *other_index;     /* the same, of keys of 8 bytes; else NULL */
  uint64_t *counts;                  /* of each chunk, IW_TOP_K_NEAR_COUNTS */
  uint64_t *least;                   /* of each row the wanted items, in any order if a sort follows, and indices of keys of 8 bytes */
  uint32_t *least_index;
  void *unsorted;                    /* of each row the wanted keys, in any order but that of equal ones; NULL: `least` is sorted */
  const uint64_t *sorted;            /* the same as least, sorted */
  const uint32_t *sorted_index;
  uint64_t *failed;                  /* for each row, 1: the bounds or the places did not suffice */
  void *values, *indices;            /* end - first for each row; or NULL */
  uint64_t index_bytes;              /* 4 or 8 */
} iw_top_k_near_args;

#endif
