/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of payloads that calls move stably to one output each: multisplit and sort. Algorithms layer; knows no algorithm and no
 * kernel.
 */
#ifndef IW_ALGORITHMS_PAYLOADS_H
#define IW_ALGORITHMS_PAYLOADS_H

#include "runtime/check.h"
#include "runtime/staging.h"

/* "in", "out", "payloads[0].in", "payloads[0].out", … */
enum { IW_MOVED_NAMES = 2 * (IW_MAX_PAYLOADS + 1) };
extern const char *const iw_moved_names[IW_MOVED_NAMES];

/* Checks the widths of payloads of n values, that they have no rest, and their arrays. */
iw_status iw_check_payloads(const iw_payload *payloads, size_t count, size_t n);
/* Checks that no output overlaps another array. The array behind an input is its output, which may be equal to it: *in_place
 * is the bytes of all such outputs. */
iw_status iw_check_moved_overlaps(const iw_array *arrays, unsigned count, size_t *in_place);

#endif
