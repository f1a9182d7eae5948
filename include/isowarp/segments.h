/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans and reductions by a description: of segments, rows, columns and runs of keys, and sums in a wider type. The
 * rules of isowarp.h hold.
 */
#ifndef ISOWARP_SEGMENTS_H
#define ISOWARP_SEGMENTS_H

#include <isowarp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A description of segments, which are contiguous ranges of an array or the columns of a matrix. Calls accept these kinds:
 *                 FLAGS  KEYS  ROWS  OFFSETS  COLUMNS
 *   scan          yes    yes   yes   yes      no
 *   reduce        no     no    yes   yes      yes
 *   argmin        no     no    yes   yes      yes
 *   reduce_by_key yes    yes   no    no       no
 *   argmin_by_key yes    yes   no    no       no
 * Each segment is an array of its own: its first element, the head, is combined with init only. In reductions, and in
 * scans of rows and by offsets, summation order 1 begins anew with each segment, so the bits depend on the segment and init alone.
 * Float sums of a scan by flags or keys keep the parentheses that order 1 puts in the whole array: their last bits depend
 * on the index at which a segment begins too, since beginning anew would make them slower (doc/order1.md). */
typedef enum iw_segments_kind {
  IW_SEGMENTS_FLAGS,   /* element 0 is a head, and each element whose flag is not 0 */
  IW_SEGMENTS_KEYS,    /* element 0 is a head, and each element whose key differs from the key before */
  IW_SEGMENTS_ROWS,    /* the rows of a row-major matrix, without padding */
  IW_SEGMENTS_OFFSETS, /* segment k is in[offsets[k]] … in[offsets[k+1] - 1], or empty */
  IW_SEGMENTS_COLUMNS  /* segment k is column k of a matrix as above */
} iw_segments_kind;
typedef struct iw_segments {
  size_t size;          /* sizeof(iw_segments) */
  iw_segments_kind kind;
  const uint8_t *flags; /* FLAGS: n bytes */
  const void *keys;     /* KEYS: n elements of key_type, any type; equal if their bits are (iw_keys_by_value makes them equal if
                           their values are); may be in */
  iw_type key_type;
  size_t columns;       /* ROWS, COLUMNS: elements of a row; n is a multiple of it. 0 only if n is 0 */
  const void *offsets;  /* OFFSETS: count + 1 positions of offset_type (u32 u64), ascending, at most n */
  iw_type offset_type;
  size_t count;         /* OFFSETS: segments; their elements need not be all of in */
} iw_segments;
typedef struct iw_scan_spec {
  size_t size;                 /* sizeof(iw_scan_spec) */
  iw_op op;
  iw_type in_type;             /* of in */
  iw_type type;                /* of out, init and result */
  int exclusive;               /* 0: inclusive scan, 1: exclusive scan; reductions ignore it */
  const void *init;            /* one element, or NULL, as in iw_inclusive_scan */
  const iw_segments *segments; /* NULL: the whole array is one segment */
} iw_scan_spec;

/* Keys that are equal by value: out = in, but -0 as +0 and each NaN as the canonical one. What compares keys by their bits,
 * iw_reduce_by_key and all other calls of keys, iw_unique and iw_run_lengths, then takes -0 and +0 as equal, and NaNs of any
 * sign and payload. in and out have n elements of any type; out may equal in. Integers and bool are copied. One pass. */
IW_API iw_status iw_keys_by_value(iw_context *context, iw_type type, const void *in, size_t n, void *out);

/* Scan by a description: iw_inclusive_scan or iw_exclusive_scan, with two more abilities.
 * Sums in a wider type: IW_SUM of in_type u8, u16 or bool and type u32 or u64, i8 or i16 and i32 or i64, i32 and i64, u32
 *   and u64, f16 or bf16 and f32, f32 and f64 gives the bits of a scan of the converted elements. in and out do not overlap
 *   then.
 * Segments: with in_type == type; of flags and keys by IW_SUM, IW_MIN and IW_MAX, of rows and offsets by every operator. A
 *   user's operator scans rows and segments by offsets, also by a load transform, if IW_SCAN_SEGMENTS was defined where it was
 *   made (<isowarp/make_operator.h>), else IW_ERROR_INVALID. A row of a matrix has the bits that iw_inclusive_scan or
 *   iw_exclusive_scan of this row alone gives with the same init: they do not depend on its place or on other rows. One
 *   pass; scratch: none for up to 4096 columns, else at most 48 bytes per tile of 4096 elements, of which each row has
 *   its own. Flags and keys take one more pass over them, and one more bit of scratch per element; the call waits if init
 *   is in device memory.
 * Offsets: the outputs of a segment are those of a scan of this segment alone, as of a row. An element that is in no segment
 *   leaves its output as it is, so out in host memory is also copied to the device if there are such elements, or if offsets
 *   are in device or managed memory. out does not overlap offsets. Offsets are checked as by iw_reduce_with. One pass over
 *   in; scratch: 112 bytes per 4096 elements if n > 4096. */
IW_API iw_status iw_scan_with(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
    void *out);

/* Reduction by a description: iw_reduce, or a sum in a wider type; of the whole array or of segments. A user's operator
 * reduces segments if IW_SCAN_SEGMENTS was defined where it was made (<isowarp/make_operator.h>), else IW_ERROR_INVALID.
 * result is an array of one element per segment: the bits that iw_reduce of the segment's elements alone, converted to
 * type, gives with the same init. They do not depend on where the segment lies or on what else is in the call. An
 * empty segment gives init, or the initial value. result overlaps no other array and not init. Host memory is
 * staged whole on CUDA.
 * Offsets in host memory are checked: IW_ERROR_INVALID if one is less than the one before it or more than n. Offsets in
 *   device or managed memory are not: if they are invalid, results are unspecified, but nothing outside of the arrays
 *   is accessed.
 * One pass over in. Scratch: at most 48 bytes per 4096 elements; for columns, if there are more than 4096 rows, one
 *   element of type per column and begun 4096 rows. */
IW_API iw_status iw_reduce_with(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
    void *result);

/* Finds the first minimum (maximum) of each segment. segments: kind ROWS, OFFSETS or COLUMNS; type: any.
 * indices, values: arrays of one element per segment, what iw_argmin (iw_argmax) of the segment's elements alone gives. So an
 * index counts from the segment's first element on: it is a column of a row, and a row of a column. An empty segment gives 0
 * and the initial value of IW_MIN (IW_MAX). values: NULL if not wanted. They overlap no other array.
 * Offsets, staging and scratch are as of iw_reduce_with. One pass over in; a segment of up to 4096 elements is searched for its
 * minimum behind that, mostly in caches, and of a longer one the 4096 elements that have it. */
IW_API iw_status iw_argmin_segments(iw_context *context, iw_type type, const iw_segments *segments, const void *in,
    size_t n, size_t *indices, void *values);
IW_API iw_status iw_argmax_segments(iw_context *context, iw_type type, const iw_segments *segments, const void *in,
    size_t n, size_t *indices, void *values);

/* Reduces each run of consecutive elements. spec->segments: kind KEYS: a run is a longest sequence of elements
 * whose keys have equal bits; kind FLAGS: a run begins at each element whose flag is not 0. Element 0 begins one.
 * unique_keys: receives the key of each run; NULL if not wanted, and always with FLAGS. results: receives for each run
 *   what iw_reduce_with gives for that segment; operators and types are those of iw_reduce_with. Both have room for
 *   *count elements, or for n if count is in device or managed memory, and overlap no other array. Host memory is
 *   staged whole on CUDA.
 * Result: *count, the number of runs, 0 if n is 0, in host or device memory. On CUDA one pass over in and keys, unless
 *   outputs for n runs would overlap another array; else, one more over keys for unique_keys. Scratch: 4 bytes (8 if n >= 2^32)
 *   per element, if that is more than 256 MiB on a CPU per run, 1 bit per element, 48 bytes per 4096; for one pass under 1 byte. */
IW_API iw_status iw_reduce_by_key(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n,
    void *unique_keys, void *results, size_t *count);

/* Finds the first minimum (maximum) of each run. segments: kind KEYS or FLAGS, which make runs as in iw_reduce_by_key;
 * type: any.
 * indices, values: receive for each run what iw_argmin (iw_argmax) of the run's elements alone gives, so an index counts
 *   from the run's first element on. values: NULL if not wanted. unique_keys and *count, the room of outputs, overlap and
 *   staging are as in iw_reduce_by_key.
 * One pass over in, and two over keys; a run is searched as a segment of iw_argmin_segments. Scratch: as of iw_reduce_by_key
 *   without that one pass. */
IW_API iw_status iw_argmin_by_key(iw_context *context, iw_type type, const iw_segments *segments, const void *in, size_t n,
    void *unique_keys, size_t *indices, void *values, size_t *count);
IW_API iw_status iw_argmax_by_key(iw_context *context, iw_type type, const iw_segments *segments, const void *in, size_t n,
    void *unique_keys, size_t *indices, void *values, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
