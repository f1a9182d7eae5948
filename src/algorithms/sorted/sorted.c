/* SPDX-License-Identifier: Apache-2.0
 *
 * Public entries of calls on sorted arrays: checks and launches. Layer: public entry; it must not know a
 * backend or a schedule.
 *
 *   bounds_kernel.h         lower and upper bounds: each lane bisects for one value, on CPUs for a few in turn
 *   sort/merge_kernel.h     merges
 *
 * Why: doc/design/sort.md#merges.
 */
#include "algorithms/common/kernel_ids.h"
#include "algorithms/scan/scan.h"
#include "algorithms/sort/args.h"
#include "algorithms/sort/sort.h"
#include "algorithms/sorted/args.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/sorts.h>

/* How many elements bisections can have that take no more steps than those of n elements. */
static uint64_t most_of_steps(uint64_t n)
{
  uint64_t most = 0;
  while (most < n)
    most = 2 * most + 1;
  return most;
}

/* On a CPU each step goes over half of the elements that are left, but over fewer if half of them had nearly
 * a multiple of a page: the elements that the first steps look at would then share few sets of the caches. If
 * it takes no further step, elements behind a step begin a line (doc/design/sort.md#bounds). */
static void set_steps_of_cpu(iw_bounds_args *args)
{
  enum { PAGE = 4096, NEAR = 192, FEWER = 1536, LEAST = 4 * PAGE, LINE = 128 }; /* bytes */
  const uint64_t key_bytes = args->key_bytes;
  uint64_t place_in_line = (uintptr_t)args->sorted % LINE; /* of the elements from which steps are counted */
  uint64_t most = most_of_steps(args->n);                   /* that may be left behind a step */
  for (uint64_t left = args->n, step; left; left -= step) {
    step = left - left / 2;
    const uint64_t bytes = step * key_bytes;
    if (bytes >= LEAST && (bytes + NEAR) % PAGE < 2 * NEAR)
      step -= FEWER / key_bytes;
    most = left - step > most / 2 ? most : most / 2;
    const uint64_t beyond = (place_in_line + step * key_bytes) % LINE / key_bytes;
    if (beyond < step && left - step + beyond <= most) {
      step -= beyond;
      place_in_line = 0;
    }
    args->steps[args->step_count++] = step;
  }
}

/* On a GPU the first step goes over as few elements as the number of steps allows, so that all lanes load one
 * element; each of the others goes over half of those left. The first ends where a sector of memory does,
 * unless the array is too large for the second-level cache of an H200 (doc/design/sort.md#bounds). */
static void set_steps_of_gpu(iw_bounds_args *args)
{
  enum { SECTOR = 32, LARGE = 32 << 20 }; /* bytes */
  const uint64_t n = args->n, few = n - most_of_steps(n) / 2;
  const uint64_t end = (uintptr_t)args->sorted + few * args->key_bytes;
  const uint64_t to_sector = (SECTOR - end % SECTOR) % SECTOR / args->key_bytes;
  const int ends_sector = few + to_sector <= n / 2 && n <= LARGE / args->key_bytes;
  for (uint64_t left = n, step = ends_sector ? few + to_sector : few; left; step = left - left / 2) {
    args->steps[args->step_count++] = step;
    left -= step;
  }
}

/* Fills in and launches the kernel for staged arrays. Values that are fewer than the lanes that run at a
 * time have a lane each. */
static iw_status launch_bounds(iw_context *context, iw_bounds_args *args, const iw_array *arrays)
{
  enum { WARPS_OF_PROCESSOR = 64, BLOCK_WARPS = 8 };
  const size_t least = context->device.reads_host_memory ? IW_BOUNDS_LEAST_HOST_CHUNK : 32;
  const size_t for_each = args->count / (WARPS_OF_PROCESSOR * (size_t)context->device.processors);
  args->chunk = for_each < 32 ? least : IW_BOUNDS_MOST_CHUNK;
  args->gathers = context->device.gathers_at_once && args->n <= INT32_MAX;
  args->sorted = arrays[0].kernel_ptr;
  if (context->device.reads_host_memory)
    set_steps_of_cpu(args);
  else
    set_steps_of_gpu(args);
  args->values = arrays[1].kernel_ptr;
  args->indices = arrays[2].kernel_ptr;
  return iw_launch_by_id(context, IW_K_bounds, iw_ceil_div(args->count, args->chunk * BLOCK_WARPS), 32 * BLOCK_WARPS, args);
}

/* Checks the arguments of a call that compares elements by themselves, but for its arrays. */
static iw_status begin(const iw_context *context, iw_type type, const iw_sort_options *options, iw_sort_rule *rule)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  IW_TRY(iw_check_sort_takes(options, IW_TAKES_NOTHING, "elements are compared by themselves, in the whole array"));
  return iw_apply_sort_options(type, options, rule);
}

iw_status iw_bounds(iw_context *context, iw_bound bound, iw_type type, iw_elements sorted, iw_elements values,
                    iw_indices indices, const iw_sort_options *options)
{
  iw_sort_rule rule;
  IW_TRY(begin(context, type, options, &rule));
  IW_TRY(iw_check_enum("bound", (int)bound, "iw_bound", IW_UPPER_BOUND));
  IW_TRY(iw_check_indices("indices", indices, sorted.n, "sorted.n", sorted.n));
  const size_t size = iw_type_size(type), n = sorted.n, count = values.n;
  iw_array arrays[] = {
    { "sorted", sorted.at, n, size, IW_READ, NULL }, { "values", values.at, count, size, IW_READ, NULL },
    { "indices", indices.at, count, indices.width, IW_WRITE, NULL },
  };
  IW_TRY(iw_check_arrays(arrays, 3));
  if (!count)
    return IW_OK;
  iw_bounds_args args = { .key_bytes = size, .n = n, .count = count, .upper = bound == IW_UPPER_BOUND, .order = rule.order,
                          .mask = iw_deciding_bits(&rule), .index_bytes = indices.width };
  IW_TRY(iw_stage(&context, arrays, 3));
  return iw_unstage(context, arrays, 3, launch_bounds(context, &args, arrays));
}

/* ---- Is it sorted? ----------------------------------------------------------------------------------- */

/* Looks for the first descent in parts of the staged array, of which each is as large as all before it.
 * args->found: scratch. */
static iw_status find_descent(iw_context *context, iw_descents_args *args, size_t n, size_t *until)
{
  enum { FIRST_PART = 1 << 16 };
  uint64_t least = n;
  IW_TRY(context->ops->upload(context, args->found, &least, sizeof least));
  for (size_t at = 1, part = FIRST_PART; at < n && least == n; at = args->end, part = args->end) {
    args->first = at;
    args->end = part < n - at ? at + part : n;
    const size_t chunks = iw_ceil_div(args->end - at, IW_DESCENTS_CHUNK);
    IW_TRY(iw_launch_by_id(context, IW_K_descents, iw_ceil_div(chunks, IW_DESCENTS_WARPS), 0, args));
    IW_TRY(context->ops->copy(context, &least, args->found, sizeof least));
  }
  return context->ops->copy(context, until, &least, sizeof least);
}

iw_status iw_is_sorted_until(iw_context *context, iw_type type, const void *in, size_t n, size_t *until,
                             const iw_sort_options *options)
{
  iw_sort_rule rule;
  IW_TRY(begin(context, type, options, &rule));
  const size_t size = iw_type_size(type);
  iw_array arrays[] = { { "in", in, n, size, IW_READ, NULL }, { "until", until, 1, sizeof *until, IW_WRITE | IW_SINGLE, NULL } };
  IW_TRY(iw_check_arrays(arrays, 2));
  IW_TRY(iw_stage(&context, arrays, 2));
  void *found;
  iw_status status = iw_scratch_array(context, "the first descent", 1, sizeof(uint64_t), &found);
  iw_descents_args args = { .keys = arrays[0].kernel_ptr, .key_bytes = size, .order = rule.order, .mask = iw_deciding_bits(&rule),
                            .found = status == IW_OK ? found : NULL };
  if (status == IW_OK)
    status = find_descent(context, &args, n, arrays[1].kernel_ptr);
  return iw_unstage(context, arrays, 2, status);
}

/* ---- Merge ------------------------------------------------------------------------------------------- */

static iw_status launch_merge(iw_context *context, iw_merge_args *args, const iw_array *arrays)
{
  args->a = args->a_count ? arrays[0].kernel_ptr : arrays[1].kernel_ptr;
  args->b = args->b_count ? arrays[1].kernel_ptr : args->a; /* not NULL: the kernel adds offsets */
  args->out = arrays[2].kernel_ptr;
  args->indices = arrays[3].kernel_ptr;
  return iw_launch_merge(context, args);
}

iw_status iw_merge(iw_context *context, iw_type type, iw_elements a, iw_elements b, void *out, iw_indices indices,
                   const iw_sort_options *options)
{
  iw_sort_rule rule;
  IW_TRY(begin(context, type, options, &rule));
  const size_t size = iw_type_size(type), n = a.n + b.n;
  iw_array arrays[] = {
    { "a", a.at, a.n, size, IW_READ, NULL }, { "b", b.at, b.n, size, IW_READ, NULL }, { "out", out, n, size, IW_WRITE | IW_OPTIONAL, NULL },
    { "indices", indices.at, n, sizeof(uint64_t), IW_WRITE | IW_OPTIONAL, NULL },
  };
  IW_TRY(iw_check_each_array(arrays, 3));
  if (!indices.at)
    indices.width = sizeof(uint64_t);
  IW_TRY(iw_check_indices("indices", indices, n ? n - 1 : 0, "a.n + b.n", n));
  arrays[3].size = indices.width;
  IW_TRY(iw_check_each_array(arrays, 4));
  if (!out && !indices.at && n)
    return iw_fail(IW_ERROR_INVALID, "out and indices are NULL; at least one of them is needed");
  IW_TRY(iw_check_arrays(arrays, 4));
  if (!n)
    return IW_OK;
  iw_merge_args args = { .key_bytes = size, .a_count = a.n, .b_count = b.n, .order = rule.order, .mask = iw_deciding_bits(&rule),
                         .index_bytes = indices.width };
  IW_TRY(iw_stage(&context, arrays, 4));
  return iw_unstage(context, arrays, 4, launch_merge(context, &args, arrays));
}

/* ---- Run lengths ------------------------------------------------------------------------------------- */

/* Whether the ends of runs grow: else the sum of their lengths, which an end has modulo 2^64, is larger. */
static iw_status check_ends(iw_context *context, const uint64_t *ends, size_t runs, uint64_t *found)
{
  iw_sort_rule rule;
  size_t until;
  IW_TRY(iw_apply_sort_options(IW_U64, NULL, &rule));
  iw_descents_args args = { .keys = ends, .key_bytes = sizeof *ends, .order = rule.order, .mask = iw_deciding_bits(&rule), .found = found };
  IW_TRY(find_descent(context, &args, runs, &until));
  return until == runs ? IW_OK : iw_fail(IW_ERROR_INVALID, "the lengths up to lengths[%zu] add up to 2^64 or more; valid is n", until);
}

/* The arrays are staged. */
static iw_status decode(iw_context *context, const iw_array arrays[3], size_t width)
{
  const size_t runs = arrays[0].count, n = arrays[2].count;
  uint64_t sum;
  void *memory;
  IW_TRY(iw_scratch_array(context, "ends of runs", runs + 1, sizeof sum, &memory));
  uint64_t *const ends = memory;
  IW_TRY(iw_ends(context, arrays[1].kernel_ptr, width, runs, ends));
  if (width == sizeof sum)
    IW_TRY(check_ends(context, ends, runs, ends + runs));
  IW_TRY(context->ops->copy(context, &sum, ends + runs - 1, sizeof sum));
  if (sum != n)
    return iw_fail(IW_ERROR_INVALID, "n is %zu, but the lengths add up to %llu", n, (unsigned long long)sum);
  if (!n)
    return IW_OK;
  return iw_launch_by_id(context, IW_K_decode_runs, iw_ceil_div(n, IW_DECODE_CHUNK * IW_DECODE_WARPS), 32 * IW_DECODE_WARPS,
                         &(iw_decode_args){
    .values = arrays[0].kernel_ptr, .width = arrays[0].size, .ends = ends, .runs = runs, .n = n, .out = arrays[2].kernel_ptr,
  });
}

iw_status iw_run_lengths_decode(iw_context *context, iw_type type, iw_elements values, const void *lengths, unsigned length_width,
                                void *out, size_t n)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  if (length_width != sizeof(uint32_t) && length_width != sizeof(uint64_t))
    return iw_fail(IW_ERROR_INVALID, "length_width is %u; valid are 4 and 8", length_width);
  iw_array arrays[] = {
    { "values", values.at, values.n, iw_type_size(type), IW_READ, NULL }, { "lengths", lengths, values.n, length_width, IW_READ, NULL },
    { "out", out, n, iw_type_size(type), IW_WRITE, NULL },
  };
  IW_TRY(iw_check_arrays_in_turn(arrays, 3, 3));
  if (!values.n)
    return n ? iw_fail(IW_ERROR_INVALID, "n is %zu, but there are no runs", n) : IW_OK;
  IW_TRY(iw_stage(&context, arrays, 3));
  return iw_unstage(context, arrays, 3, decode(context, arrays, length_width));
}
