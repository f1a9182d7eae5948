/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of each element type, as data: its bits, kind and special values. Code that only translates
 * such facts reads them here, so that it has a new type of IW_ELEMENT_TYPES at once. A new float has a row in
 * IW_FLOAT_FORMATS. Runtime layer; knows no arithmetic of elements.
 */
#ifndef IW_RUNTIME_TYPE_FACTS_H
#define IW_RUNTIME_TYPE_FACTS_H

#include <isowarp.h>

enum {
#define IW_COUNTED(NAME, name, C, kind) + 1
  IW_TYPE_COUNT = 0 IW_ELEMENT_TYPES(IW_COUNTED),
#undef IW_COUNTED
  IW_LAST_TYPE = IW_BF16 /* all calls take the types up to this one; later types are for scans and reductions only */
};

/* X(NAME, fraction, smallest, infinity, nan, one): the bits of the fraction, log2 of the smallest positive
 * number, and the bits of the greatest value (infinity, if the format has one), of the canonical NaN and of
 * 1. Greater magnitudes than `infinity` are NaN. */
#define IW_FLOAT_FORMATS(X) \
  X(F16, 10, -24, 0x7c00, 0x7e00, 0x3c00) X(BF16, 7, -133, 0x7f80, 0x7fc0, 0x3f80) \
  X(F32, 23, -149, 0x7f800000, 0x7fc00000, 0x3f800000) \
  X(F64, 52, -1074, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000)

typedef struct iw_float_facts {
  int16_t fraction, smallest;
  uint64_t infinity, nan, one;
} iw_float_facts;
typedef struct iw_type_facts {
  uint8_t bits, is_float, is_signed; /* is_signed: there are negative values */
  iw_float_facts of;                 /* of floats */
} iw_type_facts;

/* For IW_TYPE_COUNT + 1, which is no type, all facts are 0. Inline, so that facts of a constant type are
 * constants. */
static inline __attribute__((always_inline)) iw_type_facts iw_facts_of(iw_type type)
{
  enum { UNSIGNED, BOOL, SIGNED, FLOAT };
#define IW_FLOAT_FACTS(NAME, fraction, smallest, infinity, nan, one) [IW_##NAME] = { fraction, smallest, infinity, nan, one },
  static const iw_float_facts floats[IW_TYPE_COUNT + 2] = { IW_FLOAT_FORMATS(IW_FLOAT_FACTS) };
#undef IW_FLOAT_FACTS
#define IW_FACTS(NAME, name, C, kind) [IW_##NAME] = { 8 * sizeof(C), kind == FLOAT, kind >= SIGNED },
  static const struct { uint8_t bits, is_float, is_signed; } types[IW_TYPE_COUNT + 2] = { IW_ELEMENT_TYPES(IW_FACTS) };
#undef IW_FACTS
  return (iw_type_facts){ types[type].bits, types[type].is_float, types[type].is_signed, floats[type] };
}

static inline uint64_t iw_sign_bit(iw_type type) { return (uint64_t)1 << (iw_facts_of(type).bits - 1); }

/* Each float has a row. */
enum {
  IW_UNSIGNED_ = 0, IW_SIGNED_ = 0, IW_BOOL_ = 0, IW_FLOAT_ = 1,
#define IW_COUNTED(NAME, fraction, smallest, infinity, nan, one) + 1
  IW_FLOATS_ = 0 IW_FLOAT_FORMATS(IW_COUNTED)
#undef IW_COUNTED
};
#define IW_COUNTED(NAME, name, C, kind) + IW_##kind##_
_Static_assert(0 IW_ELEMENT_TYPES(IW_COUNTED) == IW_FLOATS_, "IW_FLOAT_FORMATS has all floats");
#undef IW_COUNTED

#endif
