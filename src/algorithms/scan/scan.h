/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scan offers to the host side of other algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_SCAN_H
#define IW_ALGORITHMS_SCAN_H

#include <isowarp/segments.h>

#include "algorithms/common/args.h"

/* Replaces n words, in memory that kernels can access, by their exclusive prefix sums. */
iw_status iw_offsets(iw_context *context, uint64_t *words, size_t n);

/* A reduction of the whole array by a checked spec without segments. */
iw_status iw_reduce_array(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result);

/* For a part of an array, by a checked spec with a built-in operator and without segments; spec->init is not read. Elements
 * of f16 and bf16 are combined as f32, so a part's prefix and aggregate are values of the type in which the operation combines
 * (iw_operation.wide). */
/* Scans a part that begins at a multiple of 2^17. prefix: the fold of what is in front of it; NULL: nothing is. */
iw_status iw_scan_part(iw_context *context, const iw_scan_spec *spec, const void *in, void *out, size_t n,
                       const iw_scalar_bits *prefix);
/* Reduces a part without init. result: in host memory. */
iw_status iw_reduce_part(iw_context *context, const iw_scan_spec *spec, const void *in, size_t n, void *result);

#endif
