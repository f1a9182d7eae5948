/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of calls on sorted arrays: checks and launches. Layer: public entry; it must not know a backend or a schedule.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/sort/sort.h"
#include "algorithms/sorted/args.h"
#include "runtime/launch.h"
#include "runtime/staging.h"

#include <isowarp/sorted.h>

/* Fills in and launches the kernel for staged arrays. */
static iw_status launch_bounds(iw_context *context, iw_bounds_args *args, const iw_array *arrays)
{
  args->sorted = arrays[0].kernel_ptr;
  args->values = arrays[1].kernel_ptr;
  args->indices = arrays[2].kernel_ptr;
  while (args->n >> args->steps)
    args->steps++;
  return iw_launch_by_id(context, IW_K_bounds, iw_ceil_div(args->count, IW_BOUNDS_CHUNK * 8), 256, args);
}

static iw_status find_bounds(iw_context *context, iw_type type, const void *sorted, size_t n, const void *values, size_t count,
                             iw_type index_type, void *indices, const iw_sort_options *options, int upper)
{
  iw_sort_rule rule;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_apply_sort_options(type, options, &rule));
  IW_TRY(iw_check_named_type("index_type", index_type, IW_SET_OF(IW_U32) | IW_SET_OF(IW_U64)));
  const size_t size = iw_type_size(type), width = iw_type_size(index_type);
  IW_TRY(iw_check_array("sorted", sorted, n, size));
  IW_TRY(iw_check_array("values", values, count, size));
  IW_TRY(iw_check_array("indices", indices, count, width));
  if (width == 4 && n > UINT32_MAX)
    return iw_fail(IW_ERROR_OVERFLOW, "index_type is u32 and n is %zu: a bound may be n, and at most 4294967295 fits", n);
  IW_TRY(iw_check_no_overlap("sorted", sorted, n * size, "indices", indices, count * width));
  IW_TRY(iw_check_no_overlap("values", values, count * size, "indices", indices, count * width));
  if (!count)
    return IW_OK;
  iw_array arrays[] = {
    { "sorted", sorted, n * size, IW_READ, NULL }, { "values", values, count * size, IW_READ, NULL },
    { "indices", indices, count * width, IW_WRITE, NULL },
  };
  iw_bounds_args args = { .key_bytes = size, .n = n, .count = count, .upper = (uint64_t)upper, .order = rule.order,
                          .mask = iw_deciding_bits(&rule), .index_bytes = width };
  IW_TRY(iw_stage(&context, arrays, 3));
  return iw_unstage(context, arrays, 3, launch_bounds(context, &args, arrays));
}

iw_status iw_lower_bound(iw_context *context, iw_type type, const void *sorted, size_t n, const void *values, size_t count,
                         iw_type index_type, void *indices, const iw_sort_options *options)
{
  return find_bounds(context, type, sorted, n, values, count, index_type, indices, options, 0);
}

iw_status iw_upper_bound(iw_context *context, iw_type type, const void *sorted, size_t n, const void *values, size_t count,
                         iw_type index_type, void *indices, const iw_sort_options *options)
{
  return find_bounds(context, type, sorted, n, values, count, index_type, indices, options, 1);
}
