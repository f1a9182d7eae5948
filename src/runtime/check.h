/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of arguments that several calls share. Checks are inline, and the messages of failures are in
 * check.c, because instructions bound the time of calls with small n. Runtime layer.
 */
#ifndef IW_RUNTIME_CHECK_H
#define IW_RUNTIME_CHECK_H

#include "runtime/arithmetic.h"
#include "runtime/error.h"

#include <string.h>

static inline iw_status iw_check_pointer(const char *name, const void *pointer)
{
  return pointer ? IW_OK : iw_fail(IW_ERROR_INVALID, "%s is NULL", name);
}
static inline iw_status iw_check_context(const iw_context *context)
{
  return iw_check_pointer("context", context);
}

/* A set of types, a bit each: those that a call accepts. */
#define IW_SET_OF(type) (1u << (type))
typedef enum iw_type_set {
  IW_SIX_TYPES = IW_SET_OF(IW_I32) | IW_SET_OF(IW_U32) | IW_SET_OF(IW_I64) | IW_SET_OF(IW_U64)
    | IW_SET_OF(IW_F32) | IW_SET_OF(IW_F64),
  IW_ALL_TYPES = IW_SET_OF(IW_LAST_TYPE + 1) - IW_SET_OF(IW_U8),
  IW_SCANNED_TYPES = IW_SET_OF(IW_TYPE_COUNT + 1) - IW_SET_OF(IW_U8),
  IW_FLOAT_TYPES = IW_SET_OF(IW_F16) | IW_SET_OF(IW_BF16) | IW_SET_OF(IW_F32) | IW_SET_OF(IW_F64)
} iw_type_set;
/* Whether a set has a type; 0 for a value that is not a type. */
static inline int iw_is_one_of(iw_type type, iw_type_set set)
{
  return (unsigned)type <= IW_TYPE_COUNT && set >> type & 1;
}
iw_status iw_fail_type(const char *name, iw_type type, iw_type_set set);
static inline iw_status iw_check_named_type(const char *name, iw_type type, iw_type_set set)
{
  return iw_is_one_of(type, set) ? IW_OK : iw_fail_type(name, type, set);
}
static inline iw_status iw_check_type(iw_type type, iw_type_set set)
{
  return iw_check_named_type("type", type, set);
}

/* Checks a value of an enumeration that begins at 0. */
iw_status iw_fail_enum(const char *name, int value, const char *type_name, int last);
static inline iw_status iw_check_enum(const char *name, int value, const char *type_name, int last)
{
  return (unsigned)value <= (unsigned)last ? IW_OK : iw_fail_enum(name, value, type_name, last);
}

/* Checks a pointer to one value or result of `size` bytes, a power of two. */
iw_status iw_fail_single(const char *name, const void *value, size_t size);
static inline iw_status iw_check_single(const char *name, const void *value, size_t size)
{
  return value && !((uintptr_t)value & (size - 1)) ? IW_OK : iw_fail_single(name, value, size);
}

/* Structs that begin with their size; this library knows their first `known` bytes (doc/abi.md). A struct
 * that the library reads may be larger if the other bytes are 0; in a struct that it writes the other bytes
 * become 0. name: the name of the member `size`, for messages. */
iw_status iw_check_struct_size(const char *name, size_t size, const char *type_name, size_t known);
iw_status iw_check_larger_struct(const char *name, const void *object, size_t size, const char *type_name,
                                 size_t known);
static inline iw_status iw_check_struct(const char *name, const void *object, const char *type_name,
                                        size_t known)
{
  const size_t size = *(const size_t *)object;
  return size == known ? IW_OK : iw_check_larger_struct(name, object, size, type_name, known);
}
static inline void iw_clear_unknown(void *object, size_t known)
{
  const size_t size = *(const size_t *)object;
  if (size > known)
    memset((char *)object + known, 0, size - known);
}
iw_status iw_fail_indices(const char *name, iw_indices indices, const char *of, size_t n);
/* Checks the width of an array of indices up to `largest`, which `of` names with its value: "n is 5". */
static inline iw_status iw_check_indices(const char *name, iw_indices indices, uint64_t largest, const char *of, size_t n)
{
  return indices.width == 8 || (indices.width == 4 && largest <= UINT32_MAX) ? IW_OK : iw_fail_indices(name, indices, of, n);
}
/* Checks a list of payloads, whose elements have payloads[0].size bytes, and copies what the library knows
 * of them. */
iw_status iw_copy_payloads(const iw_payload *payloads, size_t count, iw_payload copies[IW_MAX_PAYLOADS]);

/* Checks an array of n elements of `size` bytes, a power of two: it may be NULL only if n is 0, must fit
 * the address space, and must be aligned to size. */
iw_status iw_fail_array(const char *name, const void *array, size_t n, size_t size);
static inline iw_status iw_check_array(const char *name, const void *array, size_t n, size_t size)
{
  size_t bytes;
  const int fits = !__builtin_mul_overflow(n, size, &bytes) && bytes <= PTRDIFF_MAX; /* without a division */
  const int usable = !n || (array && !((uintptr_t)array & (size - 1)));
  return fits && usable ? IW_OK : iw_fail_array(name, array, n, size);
}

/* Whether two arrays share a byte. */
static inline int iw_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
  return (second - first < a_bytes || first - second < b_bytes) && a_bytes && b_bytes;
}
iw_status iw_fail_overlap(const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                          const void *b, size_t b_bytes);
static inline iw_status iw_check_no_overlap(const char *a_name, const void *a, size_t a_bytes,
                                            const char *b_name, const void *b, size_t b_bytes)
{
  return iw_overlap(a, a_bytes, b, b_bytes) ? iw_fail_overlap(a_name, a, a_bytes, b_name, b, b_bytes)
    : IW_OK;
}
/* iw_check_no_overlap() for calls that may work in place: equal pointers are allowed. */
iw_status iw_check_no_partial_overlap(const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                                      const void *b, size_t b_bytes);
/* For calls that work in place through a copy: in == out only if iw_context_reserve() was given `bytes` or
 * more. */
iw_status iw_check_in_place(const iw_context *context, const char *in_name, const void *in, const char *out_name, const void *out, size_t bytes);

/* ---- The arrays of a call ----------------------------------------------------------------------------- */

/* What a call does to an array, and what it allows. */
enum {
  IW_READ = 1,
  IW_WRITE = 2,
  IW_OPTIONAL = 4, /* NULL stands for no array, of whatever count */
  IW_SINGLE = 8,   /* one value or result */
  IW_IN_PLACE = 16, /* an output that may be equal to the array listed before it */
  IW_READ_FIRST = 32 /* an input that outputs may overlap: the call has read it before it writes */
};

enum { IW_MAX_ARRAYS = 30 }; /* per call */

/* One of the caller's arrays, which a call describes once: this is checked here, and selects the context
 * and is staged in staging.h. size: of an element, a power of two, to which the array is aligned.
 * iw_stage() sets kernel_ptr, the address that kernels use. */
typedef struct iw_array {
  const char *name;
  const void *at;
  size_t count, size;
  unsigned access;
  void *kernel_ptr;
} iw_array;

static inline size_t iw_bytes_of(const iw_array *array)
{
  return array->at ? array->count * array->size : 0;
}

/* Whether an array is usable by itself. Sets *bytes to what it has. */
static inline int iw_is_usable(const iw_array *a, size_t *bytes)
{
  *bytes = 0;
  if (!a->at)
    return !a->count || a->access & IW_OPTIONAL;
  return !__builtin_mul_overflow(a->count, a->size, bytes) && *bytes <= PTRDIFF_MAX
    && (!*bytes || !((uintptr_t)a->at & (a->size - 1)));
}

/* Whether a call may have array b, and before it a. */
static inline int iw_may_follow(const iw_array *a, const iw_array *b)
{
  return !((a->access | b->access) & IW_WRITE) || (a->access | b->access) & IW_READ_FIRST
    || !iw_overlap(a->at, iw_bytes_of(a), b->at, iw_bytes_of(b))
    || (b->access & IW_IN_PLACE && a + 1 == b && a->at == b->at);
}
/* Whether it may have all of a list. */
static inline int iw_are_compatible(const iw_array *arrays, unsigned count)
{
  for (unsigned b = 1; b < count; b++)
    for (unsigned a = 0; a < b; a++)
      if (!iw_may_follow(&arrays[a], &arrays[b]))
        return 0;
  return 1;
}

/* Whether iw_check_arrays() finds nothing. Most arrays are apart, whatever they are for, and that is looked
 * at first. */
static inline int iw_are_usable(const iw_array *arrays, unsigned count)
{
  uintptr_t begin[IW_MAX_ARRAYS], end[IW_MAX_ARRAYS]; /* of those that are not empty */
  unsigned used = 0, apart = 1;
  for (const iw_array *b = arrays; b < arrays + count; b++) {
    size_t bytes;
    if (!iw_is_usable(b, &bytes))
      return 0;
    if (!bytes)
      continue;
    begin[used] = (uintptr_t)b->at;
    end[used] = begin[used] + bytes;
    for (unsigned a = 0; a < used; a++)
      apart &= (end[a] <= begin[used]) | (end[used] <= begin[a]);
    used++;
  }
  return apart || iw_are_compatible(arrays, count);
}

/* Whether each array of a short list is usable by itself, and no output shares a byte with another array, as
 * in most small calls. A list of a constant number that is made for this stays in registers. */
static inline IW_INLINED int iw_are_apart(const iw_array *arrays, unsigned count)
{
  uintptr_t begin[IW_MAX_ARRAYS], end[IW_MAX_ARRAYS]; /* of an empty array 0 */
  int apart = 1;
#pragma GCC unroll 5
  for (unsigned b = 0; b < count; b++) {
    size_t bytes;
    if (!iw_is_usable(&arrays[b], &bytes))
      return 0;
    begin[b] = bytes ? (uintptr_t)arrays[b].at : 0;
    end[b] = begin[b] + bytes;
#pragma GCC unroll 4
    for (unsigned a = 0; a < b; a++)
      if ((arrays[a].access | arrays[b].access) & IW_WRITE)
        apart &= (end[a] <= begin[b]) | (end[b] <= begin[a]);
  }
  return apart;
}

/* Checks all that the descriptions say: first each array by itself, in the order of the list, then that no
 * output, in this order, overlaps an input or an output listed before it. */
iw_status iw_fail_arrays(const iw_array *arrays, unsigned count);
static inline iw_status iw_check_arrays(const iw_array *arrays, unsigned count)
{
  return iw_are_usable(arrays, count) ? IW_OK : iw_fail_arrays(arrays, count);
}
/* iw_check_arrays() of the first `first` arrays, then of one more at a time. */
iw_status iw_fail_arrays_in_turn(const iw_array *arrays, unsigned first, unsigned count);
static inline iw_status iw_check_arrays_in_turn(const iw_array *arrays, unsigned first, unsigned count)
{
  return iw_are_usable(arrays, count) ? IW_OK : iw_fail_arrays_in_turn(arrays, first, count);
}
/* The same of two, for calls that have an order of their own. */
static inline iw_status iw_check_pair(const iw_array *a, const iw_array *b)
{
  return iw_may_follow(a, b) ? IW_OK : iw_fail_overlap(a->name, a->at, iw_bytes_of(a), b->name, b->at, iw_bytes_of(b));
}
/* The first half of iw_check_arrays(), for calls that check something else before overlaps. */
iw_status iw_check_each_array(const iw_array *arrays, unsigned count);

#endif
