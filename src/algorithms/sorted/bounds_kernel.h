/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel bounds: lower and upper bounds of values in a sorted array. Each lane bisects for one value. Kernel
 * template without parameters; it must not know the host's runtime.
 */
#include <assert.h>
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sorted/args.h"

#ifndef IW_GPU_SCHEDULES
enum {
  /* Registers of 64 bytes are loaded from narrower stores, which takes longer: more chains hide it. */
  BOUNDS_VECTORS = sizeof(iwv_u32) < 64 ? 2 : 4,
  BOUNDS_TOP_STEPS = 5,      /* the first steps of all bisections: a warp's lanes have the keys that they look at, … */
  BOUNDS_LEAST_WITH_TOP = 64 /* … in arrays of so many elements */
};
static_assert(IW_BOUNDS_LEAST_HOST_CHUNK % (BOUNDS_VECTORS * IW_WARP_SIZE) == 0, "a chunk is whole rounds");
#endif

/* For each width of keys: bounds_find_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sorted/bounds_of_keys.h"
#include <isowarp/language/for_each_type.h>

IW_FN iw_u64 bounds_at(const iw_bounds_args *args, uint64_t at, iw_pred some)
{
  switch (args->key_bytes) {
  case 1: return bounds_find_u8(args, at, some);
  case 2: return bounds_find_u16(args, at, some);
  case 4: return bounds_find_u32(args, at, some);
  default: return bounds_find_u64(args, at, some);
  }
}

#ifndef IW_GPU_SCHEDULES
/* Writes the bounds of the values from `at` to `end`, among fewer than 2^32 elements. */
IW_FN void bounds_chunk(const iw_bounds_args *args, uint64_t at, uint64_t end)
{
  switch (args->key_bytes) {
  case 1: bounds_find_chunk_u8(args, at, end); break;
  case 2: bounds_find_chunk_u16(args, at, end); break;
  case 4: bounds_find_chunk_u32(args, at, end); break;
  default: bounds_find_chunk_u64(args, at, end); break;
  }
}
#endif

/* With a uniform index lanes have 32 registers in place of 36, so that more warps run at a time, whose keys
 * the first-level cache does not hold: 2^24 values in as many f32 take 9% longer (nvcc 13.0, an H200). */
#undef IW_UNIFORM_WARP
#define IW_UNIFORM_WARP 0
IW_KERNEL(bounds, iw_no_shared, iw_bounds_args)
{
  IW_PHASE(warp) {
    const uint64_t first = ((uint64_t)block->index * block->warps + warp) * args->chunk;
    const uint64_t end = first + args->chunk < args->count ? first + args->chunk : args->count;
#ifndef IW_GPU_SCHEDULES
    if (args->n < UINT32_MAX && args->count > IW_WARP_SIZE) {
      if (first < end) bounds_chunk(args, first, end);
      continue;
    }
#endif
    for (uint64_t at = first; at < end; at += IW_WARP_SIZE) {
      const iw_pred some = iw_lanes_below((int64_t)(end - at));
      const iw_u64 found = bounds_at(args, at, some);
      if (args->index_bytes == 8) iw_store((uint64_t *)args->indices + at, found, some);
      else iw_store((uint32_t *)args->indices + at, iw_to_u32(found), some);
    }
  }
}
#undef IW_UNIFORM_WARP
#define IW_UNIFORM_WARP 1
