/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of scans of segments, for all types. init and the outputs are as in reference_scan().
 */
#ifndef TESTS_REFERENCE_SEGMENTS_H
#define TESTS_REFERENCE_SEGMENTS_H

#include "reference.h"

#define T float
#define NAME segments_f32
#include "order1_segments.h"
#define T double
#define NAME segments_f64
#include "order1_segments.h"

/* Integers, and min and max, have one result in any order. */
#define REFERENCE_SEGMENTS(name, T, type, R) \
  static inline void serial_##name(iw_op op, const T *in, const uint8_t *heads, T *out, size_t n, const T *init) \
  { \
    T all = in[0]; \
    for (size_t i = 0; i < n; i++) { \
      if (i == 0 || heads[i]) all = init ? apply_##name(op, *init, in[i]) : in[i]; \
      else all = apply_##name(op, all, in[i]); \
      out[i] = all; \
    } \
  }
FOR_6_TYPES(REFERENCE_SEGMENTS)
FOR_SMALL_INTEGERS(REFERENCE_SEGMENTS)

/* Floats of 1 and 2 bytes are combined as f32, and each output is rounded. */
static inline void serial_halves(iw_op op, iw_type type, const void *in, const uint8_t *heads, void *out, size_t n,
                                 const void *init)
{
  float *const wide_in = malloc((n + 1) * sizeof *wide_in), *const wide_out = malloc((n + 1) * sizeof *wide_out);
  const float first = init ? (float)real_of(type, init, 0) : 0;
  ck_assert(wide_in && wide_out);
  for (size_t i = 0; i < n; i++)
    wide_in[i] = (float)real_of(type, in, i);
  if (op == IW_SUM)
    segments_f32(wide_in, heads, wide_out, n, init ? first : -0.0f);
  else
    serial_f32(op, wide_in, heads, wide_out, n, init ? &first : NULL);
  for (size_t i = 0; i < n; i++)
    put(type, out, i, (word){ .u16 = half_of(type, (double)wide_out[i]) });
  free(wide_in);
  free(wide_out);
}

static inline void reference_segments(iw_op op, iw_type type, const void *in, const uint8_t *heads, size_t n,
                                      const void *init, void *inclusive, void *exclusive)
{
  const size_t size = iw_type_size(type);
  word first = identity_of(op, type);
  if (n == 0)
    return;
  if (init)
    memcpy(&first, init, size);
  if (op == IW_SUM && type == IW_F32)
    segments_f32(in, heads, inclusive, n, init ? first.f32 : -0.0f);
  else if (op == IW_SUM && type == IW_F64)
    segments_f64(in, heads, inclusive, n, init ? first.f64 : -0.0);
  else switch (type) {
#define X(name, T, type, R) case type: serial_##name(op, in, heads, inclusive, n, init); break;
  FOR_6_TYPES(X)
  FOR_SMALL_INTEGERS(X)
#undef X
  default: serial_halves(op, type, in, heads, inclusive, n, init); break;
  }
  for (size_t i = 0; i < n && is_float(type); i++) {
    word w = { .u64 = 0 };
    memcpy(&w, (const char *)inclusive + i * size, size);
    put(type, inclusive, i, one_nan(type, w));
  }
  first = one_nan(type, first);
  for (size_t i = 0; i < n; i++)
    memcpy((char *)exclusive + i * size,
           i == 0 || heads[i] ? (const char *)&first : (const char *)inclusive + (i - 1) * size, size);
}

/* Of the rows of a matrix: each row is an array of its own. */
static inline void reference_rows(iw_op op, iw_type type, const void *in, size_t n, size_t columns, const void *init,
                                  void *inclusive, void *exclusive)
{
  const size_t row = columns * iw_type_size(type);
  for (size_t k = 0; k < n / columns; k++)
    reference_scan(op, type, (const char *)in + k * row, columns, init, (char *)inclusive + k * row,
                   (char *)exclusive + k * row, NULL);
}

#endif
