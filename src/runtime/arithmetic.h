/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes: element sizes, divisions, extrema. Runtime layer; knows nothing of contexts and backends.
 */
#ifndef IW_RUNTIME_ARITHMETIC_H
#define IW_RUNTIME_ARITHMETIC_H

#include <isowarp.h>

/* iw_type_size(), inline because calls with small n need it several times. The constant has one hexadecimal
 * digit per type, IW_U8 in the lowest. Returns 0 if type is not an iw_type. */
static inline size_t iw_size_of(iw_type type)
{
  return (unsigned)type <= IW_F64 ? 0x84884421u >> 4 * (unsigned)type & 15 : 0;
}
_Static_assert(IW_U8 == 0 && IW_F64 == 7,
               "iw_size_of has one digit for each iw_type: add one for a new type");
#define iw_type_size(type) iw_size_of(type)

static inline size_t iw_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }
/* bytes / size, where size is a power of two. A shift, because a division is a large part of a call with
 * small n. */
static inline size_t iw_element_count(size_t bytes, size_t size) { return bytes >> __builtin_ctzll(size); }
static inline size_t iw_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t iw_max(size_t a, size_t b) { return a > b ? a : b; }

#endif
