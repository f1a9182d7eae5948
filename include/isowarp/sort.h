/* SPDX-License-Identifier: Apache-2.0
 *
 * Stable sorts: of elements, with payloads, of indices (argsort), and of segments. The rules of isowarp.h
 * hold.
 *
 * The order is total. Integers are sorted by value; floats from -inf to +inf, with -0 before +0, and then
 * NaN, last whatever its sign and payload. All NaNs are equal. bool is sorted as u8. Descending order is
 * the reverse, so that NaN comes first. Equal elements keep their input order, in descending order too,
 * and elements move bit by bit: there is one result.
 */
#ifndef ISOWARP_SORT_H
#define ISOWARP_SORT_H

#include <isowarp/segments.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How elements are compared. NULL in a call: all members 0, ascending by all bits. */
typedef struct iw_sort_options {
  size_t size;         /* sizeof(iw_sort_options) */
  int descending;      /* 0: ascending; else descending */
  /* Integers and bool: elements are compared by bits begin_bit … end_bit - 1 of their rank, which is the value
   * minus the type's lowest value; others are ignored. Both 0: all bits, as always with floats. */
  unsigned begin_bit, end_bit;
} iw_sort_options;

/* Sorts in, n elements of any type, into out, which may equal in. One block merges up to 3584 elements (on
 * a CPU 512); more are sorted least significant digit first, by stable passes of at most 8 bits (Merrill and
 * Grimshaw 2011). If the CPU runs the call or it uses host memory, passes whose digit is equal in all keys
 * are left out, and sorted keys are only copied; else pairs of neighbouring passes are left out, but not the
 * first pass. Enough scratch for each call of this header: twice the bytes of all that it moves, keys
 * included, 20 per element and 1 MiB; in place it needs no more. */
IW_API iw_status iw_sort(iw_context *context, iw_type type, const void *in, size_t n, void *out,
    const iw_sort_options *options);
/* The same, and value i of each payload goes where in[i] goes. out: NULL: the sorted elements are not
 * wanted. 0 … IW_MAX_PAYLOADS payloads; in of a payload may equal its out, its rest is NULL. out of a
 * payload without in becomes the permutation: out[i] = the index of the element that moves to i. */
IW_API iw_status iw_sort_payloads(iw_context *context, iw_type type, const void *in, size_t n, void *out,
    const iw_payload *payloads, size_t payload_count, const iw_sort_options *options);
/* Argsort: indices[i] = the index in in of the element that a sort moves to i. index_type: u32 (n <= 2^32,
 * else IW_ERROR_OVERFLOW) or u64. */
IW_API iw_status iw_argsort(iw_context *context, iw_type type, const void *in, size_t n, iw_type index_type,
    void *indices, const iw_sort_options *options);
/* iw_sort_payloads of each segment by itself. segments: kind ROWS or OFFSETS; these begin with 0 and end
 * with n. Permutations have indices in in, not in the segment. Offsets in host memory are checked; with
 * invalid ones in device or managed memory results are unspecified, but nothing outside of the arrays is
 * accessed. A block sorts each segment if none has more than 3584 elements (on a CPU 2048); else passes
 * over the index of each element's segment follow those over its key. */
IW_API iw_status iw_sort_segments(iw_context *context, iw_type type, const iw_segments *segments, const void *in,
    size_t n, void *out, const iw_payload *payloads, size_t payload_count, const iw_sort_options *options);

/* A key function of yours: made by <isowarp/make_sort_key.h>. */
typedef struct iw_sort_key {
  size_t size;               /* of this struct */
  const char *name;
  const iw_kernel *kernel;
  iw_type type, key_type;    /* of elements, and of keys */
} iw_sort_key;

/* iw_sort_payloads, or where segments is not NULL iw_sort_segments, of elements that are compared by the keys
 * which a function of yours computes from them. type: the elements'. options are those of the keys' type.
 * Elements of equal keys keep their input order. The keys, n of 4 or 8 bytes, are made once, in scratch, and
 * move too. Errors: a key made for another type; one of other headers or another target: IW_ERROR_MISMATCH. */
IW_API iw_status iw_sort_by(iw_context *context, iw_type type, const iw_sort_key *key, const iw_segments *segments,
    const void *in, size_t n, void *out, const iw_payload *payloads, size_t payload_count,
    const iw_sort_options *options);

#ifdef __cplusplus
}
#endif

#endif
