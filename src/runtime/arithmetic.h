/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes: element sizes, divisions, extrema. Runtime layer; knows nothing of contexts and backends.
 */
#ifndef IW_RUNTIME_ARITHMETIC_H
#define IW_RUNTIME_ARITHMETIC_H

#include "runtime/type_facts.h"

/* iw_type_size(), inline because calls with small n need it several times. Returns 0 if type is not an
 * iw_type. The constant has one hexadecimal digit for each type. */
static inline size_t iw_size_of(iw_type type)
{
#define IW_SIZE_DIGIT(NAME, name, C, kind) | (uint64_t)sizeof(C) << 4 * (IW_##NAME - IW_U8)
  return (unsigned)type - IW_U8 >= IW_TYPE_COUNT ? 0 : (0 IW_ELEMENT_TYPES(IW_SIZE_DIGIT)) >> 4 * ((unsigned)type - IW_U8) & 15;
#undef IW_SIZE_DIGIT
}
_Static_assert(IW_U8 == 1 && (int)IW_LAST_TYPE <= (int)IW_TYPE_COUNT && IW_TYPE_COUNT <= 16, "iw_size_of has a digit for each iw_type");
#define iw_type_size(type) iw_size_of(type)

static inline size_t iw_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }
/* bytes / size, where size is a power of two. A shift, because a division is a large part of a call with
 * small n. */
static inline size_t iw_element_count(size_t bytes, size_t size) { return bytes >> __builtin_ctzll(size); }
static inline size_t iw_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t iw_max(size_t a, size_t b) { return a > b ? a : b; }

#endif
