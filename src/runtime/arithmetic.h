/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes: element sizes, divisions, extrema. Runtime layer; knows nothing of contexts and backends.
 */
#ifndef IW_RUNTIME_ARITHMETIC_H
#define IW_RUNTIME_ARITHMETIC_H

#include <isowarp.h>

/* iw_type_size(), inline because calls with small n need it several times. Returns 0 if type is not an iw_type.
 * The constant has one hexadecimal digit for each type. */
static inline size_t iw_size_of(iw_type type)
{
#define IW_SIZE_DIGIT(type, size) ((uint64_t)(size) << 4 * ((type) - IW_U8))
  return (unsigned)type - IW_U8 > IW_BF16 - IW_U8 ? 0 : (IW_SIZE_DIGIT(IW_U8, 1) | IW_SIZE_DIGIT(IW_U16, 2) | IW_SIZE_DIGIT(IW_I32, 4) |
    IW_SIZE_DIGIT(IW_U32, 4) | IW_SIZE_DIGIT(IW_I64, 8) | IW_SIZE_DIGIT(IW_U64, 8) | IW_SIZE_DIGIT(IW_F32, 4) |
    IW_SIZE_DIGIT(IW_F64, 8) | IW_SIZE_DIGIT(IW_I8, 1) | IW_SIZE_DIGIT(IW_I16, 2) | IW_SIZE_DIGIT(IW_BOOL, 1) |
    IW_SIZE_DIGIT(IW_F16, 2) | IW_SIZE_DIGIT(IW_BF16, 2)) >> 4 * ((unsigned)type - IW_U8) & 15;
#undef IW_SIZE_DIGIT
}
_Static_assert(IW_U8 == 1 && IW_BF16 == 13,
               "iw_size_of has one digit for each iw_type: add one for a new type");
#define iw_type_size(type) iw_size_of(type)

static inline size_t iw_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }
/* bytes / size, where size is a power of two. A shift, because a division is a large part of a call with
 * small n. */
static inline size_t iw_element_count(size_t bytes, size_t size) { return bytes >> __builtin_ctzll(size); }
static inline size_t iw_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t iw_max(size_t a, size_t b) { return a > b ? a : b; }

#endif
