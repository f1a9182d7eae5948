/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a sample type on the host: reading, storing, and formatting them for messages. Algorithms layer;
 * not installed. Knows no bins.
 */
#ifndef IW_BINNING_SAMPLE_VALUES_H
#define IW_BINNING_SAMPLE_VALUES_H

#include "algorithms/common/half.h"
#include "runtime/check.h"
#include "runtime/type_facts.h"

#include <string.h>

/* holds any integer type's values, and their products with a bin index */
__extension__ typedef __int128 int128;

static inline int is_float(iw_type type) { return iw_is_one_of(type, IW_FLOAT_TYPES); }

/* values[k] of an integer type. */
static inline int128 integer_at(iw_type type, const void *values, size_t k)
{
  switch (type) {
#define IW_INTEGER_AT(NAME, name, C, kind) case IW_##NAME: return iw_facts_of(IW_##NAME).is_float ? 0 : (int128)((const C *)values)[k];
  IW_ELEMENT_TYPES(IW_INTEGER_AT)
#undef IW_INTEGER_AT
  }
  return 0;
}

/* values[k] of a float type. */
static inline double real_at(iw_type type, const void *values, size_t k)
{
  return type == IW_F32 ? (double)((const float *)values)[k] : type == IW_F64 ? ((const double *)values)[k]
    : iw_half_value(type, ((const uint16_t *)values)[k]);
}

/* An integer in words, for messages. */
typedef struct number_text { char s[48]; } number_text;

static inline number_text format_integer(int128 value)
{
  number_text t;
  char *p = t.s + sizeof t.s - 1;
  int128 rest = value < 0 ? -value : value;
  *p = 0;
  do *--p = (char)('0' + (int)(rest % 10)); while (rest /= 10);
  if (value < 0)
    *--p = '-';
  memmove(t.s, p, strlen(p) + 1);
  return t;
}

/* Stores x, which is in the precision of a float type, as values[k]. */
static inline void store_real(iw_type type, void *values, size_t k, double x)
{
  if (type == IW_F32)
    ((float *)values)[k] = (float)x;
  else if (type == IW_F64)
    ((double *)values)[k] = x;
  else
    ((uint16_t *)values)[k] = iw_half_of(type, x);
}

#endif
