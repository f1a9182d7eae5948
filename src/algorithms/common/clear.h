/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting memory of kernels to zero, for the host side of algorithms. Algorithms layer; not installed.
 */
#ifndef IW_ALGORITHMS_CLEAR_H
#define IW_ALGORITHMS_CLEAR_H

#include <isowarp.h>

/* Sets n 64-bit words to zero by a kernel, which overlaps with the launches around it. */
iw_status iw_clear(iw_context *context, void *words, size_t n);
/* The same, and n_halves words of 32 bits from `halves` on. */
iw_status iw_clear_both(iw_context *context, void *words, size_t n, void *halves, size_t n_halves);

#endif
