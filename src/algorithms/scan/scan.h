/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scan offers to the host side of other algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_SCAN_H
#define IW_ALGORITHMS_SCAN_H

#include "algorithms/common/args.h"
#include "algorithms/scan/operation.h"

/* Replaces n words, in memory that kernels can access, by their exclusive prefix sums. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n);
/* Allocates what that takes, so that it needs no memory later. */
iw_status iw_reserve_offsets(iw_context *context, size_t n);

/* Writes the inclusive prefix sums of n lengths of 4 or 8 bytes, in memory that kernels can access: where
 * each of them ends. */
iw_status iw_ends(iw_context *context, const void *lengths, size_t width, size_t n, uint64_t *ends);
/* A scan by a checked spec, of the whole array or of segments. */
iw_status iw_scan_by_spec(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *out);
/* A reduction of the whole array by a checked spec without segments. */
iw_status iw_reduce_array(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result);
/* The same by a built-in operator that has one type, which is known to be right. */
iw_status iw_reduce_by_op(iw_context *context, iw_op op, iw_type type, const void *in, size_t n, void *result);
/* Whether the rows of a matrix should have a block each. */
int iw_rows_have_blocks(const iw_context *context, const iw_operation *o, size_t rows, size_t columns);
/* Reduces such rows. All arrays are memory that kernels can access. */
iw_status iw_reduce_rows_by_blocks(iw_context *context, const iw_operation *o, const iw_init_value *init, const void *in, size_t rows,
                                   size_t columns, void *results);
/* The first extremum of the whole array. */
iw_status iw_find_extremum(iw_context *context, iw_builtin_op op, iw_type type, const void *in, size_t n, size_t *index, void *value);

/* For a part of an array, by a checked spec with a built-in operator and without segments; spec->init is
 * not read. Elements of f16 and bf16 are combined as f32, so a part's prefix and aggregate are values of
 * the type in which the operation combines (iw_operation.wide). */
/* Scans a part that begins at a multiple of 2^17. prefix: the fold of what is in front of it; NULL: nothing
 * is. */
iw_status iw_scan_part(iw_context *context, const iw_scan_spec *spec, const void *in, void *out, size_t n,
                       const iw_scalar_bits *prefix);
/* Reduces a part without init. result: in host memory. */
iw_status iw_reduce_part(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result);

#endif
