/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts, calls on sorted arrays, and the largest or smallest elements. The rules of isowarp.h hold.
 *
 * The order is total. Integers are sorted by value; floats from -inf to +inf, with -0 before +0, and then
 * NaN, last whatever its sign and payload. All NaNs are equal. bool is sorted as u8. Descending order is
 * the reverse, so that NaN comes first. Equal elements keep their input order, in descending order too,
 * and elements move bit by bit: there is one result.
 */
#ifndef ISOWARP_SORTS_H
#define ISOWARP_SORTS_H

#include <isowarp/moves.h>
#include <isowarp/scans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key function of yours: made by <isowarp/make_sort_key.h>. */
typedef struct iw_sort_key {
  size_t size;               /* of this struct */
  const char *name;
  const iw_kernel *kernel;
  iw_type type, key_type;    /* of elements, and of keys */
} iw_sort_key;

/* How elements are compared, and what moves with them. NULL in a call: all members 0, ascending by all
 * bits. Each call says which of the last four members it takes; the others are NULL and 0. */
typedef struct iw_sort_options {
  size_t size;         /* sizeof(iw_sort_options) */
  int descending;      /* 0: ascending; else descending */
  /* Integers and bool: elements are compared by bits begin_bit … end_bit - 1 of their rank, which is the
   * value minus the type's lowest value; others are ignored. Both 0: all bits, as always with floats. */
  unsigned begin_bit, end_bit;
  /* Elements are compared by the keys which this function computes from them; the members above are about
   * the keys. The keys, n of 4 or 8 bytes, are made once, in scratch, and move too. IW_ERROR_MISMATCH if it
   * was built with other headers or for another target. NULL: by themselves. */
  const iw_sort_key *key;
  const iw_segments *segments;
  /* 0 … IW_MAX_PAYLOADS: value i of each goes where element i of in goes. in of a payload may equal its
   * out, its rest is NULL. out of a payload without in becomes the permutation: out[i] = the index in in of
   * the element that moves to i. */
  const iw_payload *payloads;
  size_t payload_count; /* 0: there are none, and payloads is not looked at */
} iw_sort_options;

/* ---- Sorts -------------------------------------------------------------------------------------------- */

/* Sorts in, n elements of any type, into out, which may equal in. out: NULL: only payloads are wanted.
 * options: key, segments and payloads too.
 * segments: each one is sorted by itself. kind ROWS, or OFFSETS that begin with 0 and end with n.
 *   Permutations have indices in in, not in the segment. Offsets in host memory are checked; with invalid
 *   ones in device or managed memory results are unspecified, but nothing outside of the arrays is
 *   accessed. A block sorts each segment if none has more than 3584 elements (on a CPU 2048; rows of keys
 *   alone, compared by all bits and without NaNs, 32768 of 8 bytes or 65536 narrower ones); else passes over
 *   the index of each element's segment follow those over its key.
 * One block merges up to 3584 elements (on a CPU 512). A GPU sorts up to 2^19 keys of 8 bytes that move
 * alone, and of which more than 32 bits decide, in such parts and merges these. More are sorted least
 * significant digit first, by stable passes of at most 8 bits (Merrill and Grimshaw 2011). There, if the
 * CPU runs the call or it uses host memory, passes whose digit is equal in all keys are left out, and
 * sorted keys are only copied; else pairs of neighbouring passes are left out, but not the first pass. A CPU
 * sorts otherwise if keys have 4 or 8 bytes and are compared by all bits. Up to 32 KiB of them that move
 * alone and have no NaNs take a network (Batcher 1968), if more than half of the passes remain. From 4096
 * keys that move alone on, or 1024 others, and below 2^32, keys are split by their upper bits, their values
 * or the logarithms of differences until parts fit caches, where networks sort these, and payloads follow
 * by indices, unless few passes remain.
 * Enough scratch for each call of this header: twice the bytes of all that it moves, keys included, 20
 * per element and 1 MiB; in place it needs no more. */
IW_API iw_status iw_sort(iw_context *context, iw_type type, const void *in, size_t n, void *out, const iw_sort_options *options);
/* Argsort: indices[i] = the index in in of the element that a sort moves to i. options: as of iw_sort,
 * with at most IW_MAX_PAYLOADS - 1 payloads. Records of more than 16 bytes follow by their indices. */
IW_API iw_status iw_argsort(iw_context *context, iw_type type, const void *in, size_t n, iw_indices indices,
    const iw_sort_options *options);

/* ---- Sorted arrays ------------------------------------------------------------------------------------ */
/* These calls take no key, segments and payloads. A sorted array is one that iw_sort() with the same
 * options gives. */

typedef enum iw_bound {
  IW_LOWER_BOUND, /* the number of elements that come before a value, the index of the first one that does not */
  IW_UPPER_BOUND  /* the number of elements that do not come after it */
} iw_bound;
/* Binary search: indices[i] = the bound of values[i] in sorted. If sorted is not sorted, indices are
 * unspecified numbers up to sorted.n. values: elements in any order. indices: values.n, overlapping neither
 * array; 4 bytes need sorted.n < 2^32. Each value takes log2(sorted.n) reads of sorted; no scratch. */
IW_API iw_status iw_bounds(iw_context *context, iw_bound bound, iw_type type, iw_elements sorted, iw_elements values,
    iw_indices indices, const iw_sort_options *options);
/* Writes to *until the index of the first element of in that comes before the one in front of it, or n:
 * in is sorted if and only if *until is n. The call waits. It reads in in parts that become larger, up to
 * the one that has this element; no scratch but 64 KiB. */
IW_API iw_status iw_is_sorted_until(iw_context *context, iw_type type, const void *in, size_t n, size_t *until,
    const iw_sort_options *options);
/* Merges a and b, which are sorted, into out, a.n + b.n elements: the stable sort of the elements of a
 * and then those of b, so that of equal elements those of a come first. If a or b is not sorted, outputs
 * are unspecified, but nothing outside of the arrays is accessed. out: NULL: not wanted. indices: element
 * i of the output is indices[i] of a, or indices[i] - a.n of b; at NULL: not wanted, then the width is
 * not read. At least one of out and indices is given, unless both arrays are empty. By merge path (Odeh
 * and others 2012): a.n + b.n comparisons, and two bisections for each some hundred elements; no scratch. */
IW_API iw_status iw_merge(iw_context *context, iw_type type, iw_elements a, iw_elements b, void *out, iw_indices indices,
    const iw_sort_options *options);

/* ---- Largest and smallest elements --------------------------------------------------------------------- */

/* Top-k: the first k elements that iw_sort() with these options gives: the k smallest ones in ascending
 * order, or with `descending` the k largest ones in descending order. Of equal elements those of smaller
 * index come first. k: 0 … n. values: k elements; NULL: not wanted. options: segments of kind ROWS: k
 * elements of each row, row after row, with k up to its columns; at most one payload, without in: the
 * indices, which count from the row's first element; no key and no bits. At least one of values and a
 * payload is given, unless k is 0. The call waits, but not on a device for an array without segments in its
 * memory if n is 4096 … 2^20 and k at most n / 16: then it can be captured, too. It reads in once, and the
 * parts of it again that have candidates: keys of a sample bound what about k elements are up to (Floyd and
 * Rivest 1975; Ribizel and Anzt 2020). A CPU has quickselect for the rest (Hoare 1961), and for short rows
 * as a whole. If a row has less than 4096 elements, on a CPU 40, if k is a large part of it, or if the
 * sample misleads, it sorts.
 * Enough scratch: that of iw_sort with the indices as a payload, of at most 256 rows and 2^22 elements at a
 * time, but of a row at least; a small part of it for a small k. */
IW_API iw_status iw_top_k(iw_context *context, iw_type type, const void *in, size_t n, size_t k, void *values,
    const iw_sort_options *options);
/* Writes to *value the element that an ascending stable sort of in moves to index nth, 0 … n - 1, and its
 * index in in to *index (NULL: not wanted). Both are in host or device memory. nth = (n - 1) / 2 gives the
 * median, of an even number of elements the lower one; medians of segments are the elements at those places
 * of the sorted segments (iw_sort). The call waits. It reads in as iw_top_k does, between two bounds. */
IW_API iw_status iw_nth_element(iw_context *context, iw_type type, const void *in, size_t n, size_t nth,
    void *value, size_t *index);

#ifdef __cplusplus
}
#endif

#endif
