/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of failed argument checks. Runtime layer.
 */
#include "runtime/check.h"
#include "runtime/context.h"

#include <string.h>

iw_status iw_fail_type(const char *name, iw_type type, iw_type_set set)
{
  char list[64] = "";
  if (!iw_type_size(type))
    return iw_fail(IW_ERROR_INVALID, "%s is %d, which is not an iw_type; these are %d (u8) to %d (%s)", name,
                   (int)type, (int)IW_U8, (int)IW_TYPE_COUNT, iw_type_name((iw_type)IW_TYPE_COUNT));
  for (int t = IW_U8; t <= (int)IW_TYPE_COUNT; t++)
    if (set >> t & 1)
      strcat(strcat(list, " "), iw_type_name((iw_type)t));
  return iw_fail(IW_ERROR_INVALID, "%s is %s, but this call takes%s", name, iw_type_name(type), list);
}

iw_status iw_fail_single(const char *name, const void *value, size_t size)
{
  return value ? iw_fail(IW_ERROR_INVALID, "%s is at %p, which is not aligned to its %zu bytes", name, value, size)
               : iw_fail(IW_ERROR_INVALID, "%s is NULL", name);
}

iw_status iw_fail_enum(const char *name, int value, const char *type_name, int last)
{
  return iw_fail(IW_ERROR_INVALID, "%s is %d, which is not an %s; valid are 0 to %d", name, value, type_name, last);
}

/* Bytes that a struct of a later version may have. The limit bounds the loop over a struct whose `size` the
 * caller has not set. */
enum { MAX_STRUCT = 4096 };

iw_status iw_check_struct_size(const char *name, size_t size, const char *type_name, size_t known)
{
  return size >= known && size <= MAX_STRUCT ? IW_OK
    : iw_fail(IW_ERROR_INVALID, "%s is %zu: set it to sizeof(%s); valid are %zu to %d", name, size, type_name, known, (int)MAX_STRUCT);
}

iw_status iw_check_larger_struct(const char *name, const void *object, size_t size, const char *type_name,
                                 size_t known)
{
  IW_TRY(iw_check_struct_size(name, size, type_name, known));
  for (size_t i = known; i < size; i++)
    if (((const unsigned char *)object)[i])
      return iw_fail(IW_ERROR_INVALID,
                     "%s is %zu, and byte %zu is %u, but this library's %s has %zu bytes: those past it have to be 0",
                     name, size, i, (unsigned)((const unsigned char *)object)[i], type_name, known);
  return IW_OK;
}

iw_status iw_fail_indices(const char *name, iw_indices indices, const char *of, size_t n)
{
  return indices.width == 4
    ? iw_fail(IW_ERROR_OVERFLOW, "%s.width is 4 and %s is %zu: 32 bits hold at most 4294967295", name, of, n)
    : iw_fail(IW_ERROR_INVALID, "%s.width is %u; valid are 4 and 8", name, indices.width);
}

iw_status iw_copy_payloads(const iw_payload *payloads, size_t count, iw_payload copies[IW_MAX_PAYLOADS])
{
  char name[32];
  IW_TRY(iw_check_pointer("options->payloads", payloads));
  const size_t size = payloads->size;
  for (size_t i = 0; i < count; i++) {
    const char *const payload = (const char *)payloads + i * size;
    size_t own;
    memcpy(&own, payload, sizeof own);
    if (own != sizeof *payloads) {
      iw_format(name, sizeof name, "payloads[%zu].size", i);
      IW_TRY(iw_check_larger_struct(name, payload, own, "iw_payload", sizeof *payloads));
    }
    if (own != size)
      return iw_fail(IW_ERROR_INVALID, "payloads[%zu].size is %zu, but payloads[0].size is %zu: all have to be equal",
                     i, own, size);
    memcpy(&copies[i], payload, sizeof copies[i]);
    copies[i].size = sizeof copies[i];
  }
  return IW_OK;
}

iw_status iw_fail_array(const char *name, const void *array, size_t n, size_t size)
{
  if (n > PTRDIFF_MAX / size)
    return iw_fail(IW_ERROR_INVALID, "%s cannot have %zu elements of %zu bytes: at most %zu", name, n, size,
                   (size_t)PTRDIFF_MAX / size);
  if (!array)
    return iw_fail(IW_ERROR_INVALID, "%s is NULL, but has %zu elements", name, n);
  return iw_fail(IW_ERROR_INVALID, "%s is at %p, which is not aligned to its elements of %zu bytes", name,
                 array, size);
}

iw_status iw_fail_overlap(const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                          const void *b, size_t b_bytes)
{
  return iw_fail(IW_ERROR_OVERLAP, "%s (%zu bytes at %p) and %s (%zu bytes at %p) overlap",
                 a_name, a_bytes, a, b_name, b_bytes, b);
}

iw_status iw_check_no_partial_overlap(const char *a_name, const void *a, size_t a_bytes,
                                      const char *b_name, const void *b, size_t b_bytes)
{
  return a == b ? IW_OK : iw_check_no_overlap(a_name, a, a_bytes, b_name, b, b_bytes);
}

iw_status iw_check_each_array(const iw_array *arrays, unsigned count)
{
  size_t bytes;
  for (const iw_array *a = arrays; a < arrays + count; a++)
    if (!iw_is_usable(a, &bytes))
      return a->access & IW_SINGLE ? iw_fail_single(a->name, a->at, a->size) : iw_fail_array(a->name, a->at, a->count, a->size);
  return IW_OK;
}

iw_status iw_fail_arrays(const iw_array *arrays, unsigned count)
{
  IW_TRY(iw_check_each_array(arrays, count));
  for (const iw_array *b = arrays; b < arrays + count; b++)
    for (const iw_array *a = arrays; b->access & IW_WRITE && a < arrays + count; a++)
      if (a < b || !(a->access & IW_WRITE))
        IW_TRY(iw_check_pair(a, b));
  return IW_OK;
}

iw_status iw_fail_arrays_in_turn(const iw_array *arrays, unsigned first, unsigned count)
{
  for (unsigned k = first; k <= count; k++)
    IW_TRY(iw_fail_arrays(arrays, k));
  return IW_OK;
}

iw_status iw_check_in_place(const iw_context *context, const char *in_name, const void *in, const char *out_name, const void *out, size_t bytes)
{
  if (in == out && bytes > context->reserved)
    return iw_fail(IW_ERROR_OVERLAP,
                   "%s and %s are the same array of %zu bytes, but iw_context_reserve() has reserved %zu: "
                   "reserve the size of the array, or use two arrays", in_name, out_name, bytes, context->reserved);
  return iw_check_no_partial_overlap(in_name, in, bytes, out_name, out, bytes);
}
