/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of failed argument checks. Runtime layer.
 */
#include "runtime/check.h"
#include "runtime/context.h"

iw_status iw_fail_type(iw_type type)
{
  return iw_type_size(type)
    ? iw_fail(IW_ERROR_INVALID, "type is %s, but this call takes i32 u32 i64 u64 f32 f64", iw_type_name(type))
    : iw_fail(IW_ERROR_INVALID, "type is %d, which is not an iw_type", (int)type);
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

iw_status iw_check_in_place(const iw_context *context, const void *in, const void *out, size_t bytes)
{
  if (in == out && bytes > context->reserved)
    return iw_fail(IW_ERROR_OVERLAP,
                   "in and out are the same array of %zu bytes, but iw_context_reserve() has reserved %zu: "
                   "reserve the size of the array, or use two arrays", bytes, context->reserved);
  return iw_check_no_partial_overlap("in", in, bytes, "out", out, bytes);
}
