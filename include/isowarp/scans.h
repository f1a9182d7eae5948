/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans, reductions, and the first minimum or maximum: of a whole array, of segments, rows and columns,
 * and of runs of equal keys. The rules of isowarp.h hold.
 */
#ifndef ISOWARP_SCANS_H
#define ISOWARP_SCANS_H

#include <isowarp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Operators ----------------------------------------------------------------------------------------- */

/* An operator of scan and reduce is a handle: a constant below, or the address of an iw_operator that
 * <isowarp/make_operator.h> makes from a function of yours.
 * IW_SUM, IW_PRODUCT: not of bool. Integers wrap (two's complement). Floats are combined in summation
 *   order 1 (doc/order1.md), which fixes every parenthesis: a binary tree in each row of 128 elements,
 *   then left folds over rows, tiles of 32 rows, and groups of 32 tiles, beginning with init. A scan may
 *   therefore be split at multiples of 2^17 elements: each part, with init = the last output of the part
 *   before it, gives the same bits. f16 and bf16 are combined as f32 and each output is rounded once, to
 *   nearest even: a scan of them cannot be split. A sum can if its outputs are f32 (out_type of
 *   iw_scan_options). A sum of elements that are all -0 is -0; one of none and an exact sum
 *   (isowarp/exact.h) that is 0 are +0.
 * IW_MIN, IW_MAX: -0 is less than +0. If an element is NaN, the result is the canonical NaN.
 * IW_AND, IW_OR, IW_XOR: bit by bit, of integers and bool. */
typedef struct iw_operator iw_operator;
typedef const iw_operator *iw_op;
#define IW_SUM ((iw_op)1) /* values, not addresses, as SIG_DFL of <signal.h> */
#define IW_MIN ((iw_op)2)
#define IW_MAX ((iw_op)3)
#define IW_PRODUCT ((iw_op)4)
#define IW_AND ((iw_op)5)
#define IW_OR ((iw_op)6)
#define IW_XOR ((iw_op)7)
/* The operators as a list, in the order of their values: X(NAME, name, takes, result). IW_NAME is the
 * constant. takes: the types of its elements, a sum of INTEGERS, BOOLS and FLOATS. result: of integers a
 * and b. */
#define IW_BUILTIN_OPERATORS(X) \
  X(SUM, sum, INTEGERS | FLOATS, a + b) X(MIN, min, INTEGERS | BOOLS | FLOATS, b < a ? b : a) \
  X(MAX, max, INTEGERS | BOOLS | FLOATS, b > a ? b : a) X(PRODUCT, product, INTEGERS | FLOATS, a * b) \
  X(AND, and, INTEGERS | BOOLS, a & b) X(OR, or, INTEGERS | BOOLS, a | b) X(XOR, xor, INTEGERS | BOOLS, a ^ b)

/* ---- Segments and options ------------------------------------------------------------------------------ */

/* Segments are contiguous ranges of an array, or the columns of a matrix. Calls accept these kinds:
 *            FLAGS  KEYS  ROWS  OFFSETS  COLUMNS
 *   scan     yes    yes   yes   yes      no
 *   reduce   yes    yes   yes   yes      yes
 *   argmin   yes    yes   yes   yes      yes
 *   sort     no     no    yes   yes      no
 *   top_k    no     no    yes   no       no
 * Each segment is an array of its own: its first element, the head, is combined with init only. In
 * reductions, and in scans of rows and by offsets, summation order 1 begins anew with each segment, so
 * the bits depend on the segment and init alone. Float sums of a scan by flags or keys keep the
 * parentheses that order 1 puts in the whole array: their last bits depend on the index at which a
 * segment begins too, since beginning anew would make them slower (doc/order1.md). */
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
  const void *keys;     /* KEYS: n elements of key_type, any type; equal if their bits are (iw_keys_by_value
                           makes them equal if their values are); may be in */
  iw_type key_type;
  size_t columns;       /* ROWS, COLUMNS: elements of a row; n is a multiple of it. 0 only if n is 0 */
  const void *offsets;  /* OFFSETS: count + 1 positions of offset_type (u32 u64), ascending, at most n */
  iw_type offset_type;
  size_t count;         /* OFFSETS: segments, of some elements or all. 0: offsets are not read, may be NULL */
} iw_segments;

/* What a scan, a reduction or an argmin may be told. NULL in a call: all members 0. */
typedef struct iw_scan_options {
  size_t size;                 /* sizeof(iw_scan_options) */
  /* One element of the type of outputs, with which each scan or reduction begins; NULL: none. In host
   * memory it is read during the call. In device or managed memory the kernel reads it in stream order, so
   * it may be the output of an earlier call; for one of 1 or 2 bytes the call waits, and for a scan of
   * segments by flags and keys. A NaN counts as the canonical one. */
  const void *init;
  /* Of outputs, results and init; 0: the type of in. Another one is for IW_SUM: u8, u16 or bool in u32 or
   * u64, i8 or i16 in i32 or i64, i32 in i64, u32 in u64, f16 or bf16 in f32, f32 in f64, which gives the
   * bits of the call for the converted elements. A user's operator always has its own type. */
  iw_type out_type;
  const iw_segments *segments; /* NULL: the whole array is one segment */
  /* Reductions and argmin of segments by keys and flags, whose segments are called runs: *run_count, in
   * host or device memory, is their number; run_keys: the key of each run, NULL if not wanted, and always
   * with FLAGS. Else NULL. */
  void *run_keys;
  size_t *run_count;
} iw_scan_options;

/* ---- Scan and reduce (all types) ----------------------------------------------------------------------- */

/* Inclusive scan: out[i] = init (op) in[0] (op) … (op) in[i].
 * in and out have n elements, in of type; out may equal in if their elements have the same size and, of a
 *   built-in operator, the same type. init does not lie in out.
 * A user's operator: type is that of the elements in memory. It need not commute: operands keep their
 *   order. An operator that nvcc built runs on the device, also from an AUTO context, and accepts host
 *   memory; one that was built for CPUs accepts no device memory. IW_ERROR_MISMATCH if its kernels do not
 *   run on the context.
 * Segments: without another out_type; by flags and keys of IW_SUM, IW_MIN and IW_MAX, by rows and offsets
 *   of every operator. A user's operator scans rows and segments by offsets if IW_SCAN_SEGMENTS was
 *   defined where it was made (<isowarp/make_operator.h>), else IW_ERROR_INVALID. A row, or a segment by
 *   offsets, has the bits that a scan of it alone gives with the same init: they do not depend on its
 *   place or on other segments.
 * Offsets: an element that is in no segment leaves its output as it is, so out in host memory is also
 *   copied to the device if there are such elements, or if offsets are in device or managed memory. out
 *   does not overlap offsets. Offsets are checked as by iw_reduce.
 * One pass with decoupled look-back (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with
 *   Decoupled Look-back"); flags and keys take one more pass over them on CPUs. Scratch: 8 or 16 bytes per
 *   4096 elements; by flags and keys a bit per element more on CPUs; of rows none for up to 4096 columns, else at most
 *   48 bytes per 4096 elements, of which each row has its own; by offsets 112 bytes per 4096 elements if
 *   n > 4096. */
IW_API iw_status iw_inclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *out,
    const iw_scan_options *options);
/* Exclusive scan: out[0] = init, out[i] = the inclusive scan's out[i-1], with the same bits. Without init
 * out[0] is the initial value: +0 for IW_SUM, 1 for IW_PRODUCT, the type's largest value (bool: 1) or
 * +inf for IW_MIN, its lowest or -inf for IW_MAX, all bits set (bool: 1) for IW_AND, 0 for IW_OR and
 * IW_XOR, the identity of a user's operator. Else as iw_inclusive_scan. */
IW_API iw_status iw_exclusive_scan(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *out,
    const iw_scan_options *options);
/* Reduction of the whole array or of each segment: the inclusive scan's last output, with the same bits;
 * of no elements init or the initial value. results: one element, in host or device memory, which may be
 * init; or an array of one element per segment, which overlaps no other array and not init. What a
 * segment gives does not depend on where it lies, or on what else is in the call. A user's operator
 * reduces segments if IW_SCAN_SEGMENTS was defined where it was made. On CUDA host memory is staged whole
 * if there are segments.
 * Offsets in host memory are checked: IW_ERROR_INVALID if one is less than the one before it or more than
 *   n. Offsets in device or managed memory are not: if they are invalid, results are unspecified, but
 *   nothing outside of the arrays is accessed.
 * Runs, which are segments by keys or flags: results and run_keys have room for *run_count elements, or
 *   for n if run_count is in device or managed memory, and overlap no other array. A key has a run wherever
 *   it begins anew: for one result of each key, sort the keys first, with in as a payload (iw_sort).
 *   iw_run_lengths of the sorted keys has the elements of each run, by which a sum becomes a mean.
 * One pass over in. Scratch: at most 48 bytes per 4096 elements; for columns, if there are more than 4096
 *   rows, one element of the output's type per column and begun 4096 rows. For runs, on CUDA one pass
 *   over in and keys, unless outputs for n runs would overlap another array; else one more over keys for
 *   run_keys; scratch: 4 bytes (8 if n >= 2^32) per element, if that is more than 256 MiB on a CPU per
 *   run, 1 bit per element, 48 bytes per 4096; for one pass over flags, keys of 1 and 2 bytes or more than
 *   2^22 elements under 1 byte per element. */
IW_API iw_status iw_reduce(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *results,
    const iw_scan_options *options);

/* Finds the first minimum (maximum) of the whole array or of each segment, by the order of IW_MIN
 * (IW_MAX): the first NaN if there is one; -0 comes before +0. indices, values: in host or device memory,
 * one element, or one per segment as the results of iw_reduce. An index counts from the segment's first
 * element on: it is a column of a row, and a row of a column. values: NULL if not wanted; a NaN is
 * written as the canonical one. Of no elements the index is 0, and the value the initial value of IW_MIN
 * (IW_MAX). options: without init; out_type is 0 or type.
 * One pass over in. If the whole array's type has 1 or 2 bytes and its value is wanted, the call waits. A
 *   segment of up to 4096 elements is searched for its minimum behind that pass, mostly in caches, and of
 *   a longer one the 4096 elements that have it. Offsets, runs, staging and scratch are as of iw_reduce;
 *   runs take two passes over keys, on CUDA one over keys of 4 and 8 bytes. */
IW_API iw_status iw_argmin(iw_context *context, iw_type type, const void *in, size_t n, size_t *indices, void *values,
    const iw_scan_options *options);
IW_API iw_status iw_argmax(iw_context *context, iw_type type, const void *in, size_t n, size_t *indices, void *values,
    const iw_scan_options *options);

/* Keys that are equal by value: out = in, but -0 as +0 and each NaN as the canonical one. What compares
 * keys by their bits, all calls of keys, iw_unique and iw_run_lengths, then takes -0 and +0 as equal, and
 * NaNs of any sign and payload. in and out have n elements of any type; out may equal in. Integers and
 * bool are copied. One pass. */
IW_API iw_status iw_keys_by_value(iw_context *context, iw_type type, const void *in, size_t n, void *out);

#ifdef __cplusplus
}
#endif

#endif
