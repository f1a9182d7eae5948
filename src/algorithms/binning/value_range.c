/* SPDX-License-Identifier: Apache-2.0
 *
 * The range of the data, for histograms that are not given one: the least and the greatest sample, and the
 * range [lo, hi] that is made of them. Host side; the kernel is value_range.h. Algorithm layer; the backend
 * is not asked.
 */
#include "algorithms/binning/binning.h"
#include "algorithms/binning/sample_values.h"
#include "algorithms/scan/scan.h"
#include "runtime/check.h"
#include "runtime/fp_environment.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Tuning. None of these numbers can change a result. */
enum {
  LAUNCH_SAMPLES = 1 << 24,     /* samples of one launch, at most */
  BLOCK_THREADS = 256,
  BLOCKS_PER_PROCESSOR_GPU = 8, /* blocks on each multiprocessor of a GPU: all of its threads */
  MIN_SAMPLES_PER_BLOCK = 1 << 15
};

/* ---- The least and the greatest sample ---- */

/* The launches of one call. least and greatest: an entry for each warp. */
typedef struct value_range_job {
  iw_context *context;
  iw_type type;
  size_t blocks;
  void *least, *greatest;
} value_range_job;

static iw_status find_piece_range(void *argument, const void *samples, size_t at, size_t bytes)
{
  const value_range_job *const job = argument;
  return iw_launch_by_id(job->context, IW_K_value_range + job->type, job->blocks, BLOCK_THREADS,
                         &(iw_value_range_args){
    .samples = samples, .n = bytes / iw_type_size(job->type), .least = job->least, .greatest = job->greatest,
    .accumulate = at > 0,
  });
}

/* The type of the lanes that hold samples: IW_LANES_FOR_T of the kernels. */
static iw_type lane_type(iw_type type)
{
  return iw_type_size(type) >= 4 ? type : is_float(type) ? IW_F32 : iw_facts_of(type).is_signed ? IW_I32 : IW_U32;
}

/* A value of a lane as one of the sample's type. */
static iw_scalar_bits sample_of_lane(iw_type type, iw_scalar_bits lane)
{
  return iw_type_size(type) >= 4 ? lane : is_float(type) ? (iw_scalar_bits){ .u16 = iw_half_of(type, (double)lane.f32) }
    : iw_type_size(type) == 1 ? (iw_scalar_bits){ .u8 = (uint8_t)lane.u32 } : (iw_scalar_bits){ .u16 = (uint16_t)lane.u32 };
}

static size_t block_count(const iw_device *device, size_t n)
{
  const size_t per_processor = device->prefers_global_atomics ? BLOCKS_PER_PROCESSOR_GPU : 1;
  return iw_min(device->processors * per_processor, iw_ceil_div(n, MIN_SAMPLES_PER_BLOCK));
}

/* One pass over the samples, then two reductions of the results of its warps. */
iw_status iw_find_value_range(iw_context *context, iw_type type, const void *samples, size_t n, iw_scalar_bits *least,
                              iw_scalar_bits *greatest)
{
  const iw_type lane = lane_type(type);
  const size_t size = iw_type_size(type), lane_size = iw_type_size(lane);
  const iw_array array = { "samples", samples, n, size, IW_READ, NULL };
  IW_TRY(iw_select_context(&context, &array, 1));
  value_range_job job = { .context = context, .type = type, .blocks = block_count(&context->device, n) };
  const size_t warps = job.blocks * (BLOCK_THREADS / 32);
  iw_layout layout;
  void *scratch;
  iw_layout_begin(&layout, context);
  const size_t at_least = iw_layout_add(&layout, "least", warps, lane_size);
  const size_t at_greatest = iw_layout_add(&layout, "greatest", warps, lane_size);
  const size_t at_range = iw_layout_add(&layout, "the range", 2, lane_size);
  IW_TRY(iw_scratch(context, &layout, &scratch));
  char *const range = (char *)scratch + at_range;
  job.least = (char *)scratch + at_least;
  job.greatest = (char *)scratch + at_greatest;
  IW_TRY(iw_for_each_piece(context, &array, (size_t)LAUNCH_SAMPLES * size, find_piece_range, &job));
  IW_TRY(iw_reduce_by_op(context, IW_MIN, lane, job.least, warps, range));
  IW_TRY(iw_reduce_by_op(context, IW_MAX, lane, job.greatest, warps, range + lane_size));
  unsigned char found[2 * sizeof(iw_scalar_bits)];
  IW_TRY(context->ops->copy(context, found, range, 2 * lane_size));
  iw_scalar_bits low = { 0 }, high = { 0 };
  memcpy(&low, found, lane_size);
  memcpy(&high, found + lane_size, lane_size);
  *least = sample_of_lane(type, low);
  *greatest = sample_of_lane(type, high);
  return IW_OK;
}

/* ---- A range that has a width ---- */

static iw_status check_finite(double least, double greatest)
{
  if (isfinite(least) && isfinite(greatest))
    return IW_OK;
  return iw_fail(IW_ERROR_INVALID,
                 "samples has a NaN or an infinity, so its range is not known (min %g, max %g): give lo and hi", least,
                 greatest);
}

/* f16 and bf16: both ends are computed in double, and rounded. */
static void widen_half(iw_type type, iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  const double largest = iw_half_value(type, (uint16_t)(iw_facts_of(type).of.infinity - 1));
  const double v = iw_half_value(type, lo->u16), half = fabs(v) / 2;
  const double by = iw_half_of(type, v - 0.5) == iw_half_of(type, v + 0.5) ? half : 0.5;
  lo->u16 = iw_half_of(type, fmax(v - by, -largest));
  hi->u16 = iw_half_of(type, fmin(v + by, largest));
}

static void widen_f32(iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  const float v = lo->f32, half = v < 0 ? -v / 2 : v / 2, by = v - 0.5f == v + 0.5f ? half : 0.5f;
  lo->f32 = -FLT_MAX + by > v ? -FLT_MAX : v - by;
  hi->f32 = FLT_MAX - by < v ? FLT_MAX : v + by;
}

static void widen_f64(iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  const double v = lo->f64, half = v < 0 ? -v / 2 : v / 2, by = v - 0.5 == v + 0.5 ? half : 0.5;
  lo->f64 = -DBL_MAX + by > v ? -DBL_MAX : v - by;
  hi->f64 = DBL_MAX - by < v ? DBL_MAX : v + by;
}

/* Widens a range of one value (doc/design/histogram.md#automatic-ranges), and fails if an end is not finite.
 * Needs the default floating-point environment. */
static IW_NOINLINE iw_status widen_degenerate_range(iw_type type, iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  if (is_float(type)) {
    const double least = real_at(type, lo, 0), greatest = real_at(type, hi, 0);
    IW_TRY(check_finite(least, greatest));
    if (least != greatest)
      return IW_OK;
  }
  switch (type) {
  case IW_F32: widen_f32(lo, hi); break;
  case IW_F64: widen_f64(lo, hi); break;
  default: widen_half(type, lo, hi); break;
/* Signed integers of 1 and 2 bytes are widened as unsigned ones of the same bits: only the step beyond
 * `last` would be wrong. */
#define IW_WIDEN(member, last) \
    if (lo->member == hi->member) { \
      if (hi->member == (last)) \
        lo->member--; \
      else \
        hi->member++; \
    } \
    break
  case IW_BOOL: /* 1 is the largest of bool; other bytes are as of u8 */
    if (hi->u8 == 1 && lo->u8 == 1)
      lo->u8 = 0;
    IW_WIDEN(u8, UINT8_MAX);
  case IW_U8: IW_WIDEN(u8, UINT8_MAX);
  case IW_I8: IW_WIDEN(u8, INT8_MAX);
  case IW_U16: IW_WIDEN(u16, UINT16_MAX);
  case IW_I16: IW_WIDEN(u16, INT16_MAX);
  case IW_I32: IW_WIDEN(i32, INT32_MAX);
  case IW_U32: IW_WIDEN(u32, UINT32_MAX);
  case IW_I64: IW_WIDEN(i64, INT64_MAX);
  case IW_U64: IW_WIDEN(u64, UINT64_MAX);
#undef IW_WIDEN
  }
  return IW_OK;
}

/* [0, 1], the range of no data. */
static void unit_range(iw_type type, iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  *lo = *hi = (iw_scalar_bits){ .u64 = 0 };
  hi->u64 = is_float(type) ? iw_facts_of(type).of.one : 1;
}

iw_status iw_automatic_range(iw_type type, size_t n, iw_scalar_bits *lo, iw_scalar_bits *hi)
{
  iw_fp_env callers;
  if (n == 0) {
    unit_range(type, lo, hi);
    return IW_OK;
  }
  iw_fp_env_set_default(&callers);
  const iw_status status = widen_degenerate_range(type, lo, hi);
  iw_fp_env_restore(&callers);
  return status;
}

iw_status iw_find_automatic_range(iw_context *context, iw_type type, const void *samples, size_t n, iw_scalar_bits *lo,
                                  iw_scalar_bits *hi)
{
  if (n)
    IW_TRY(iw_find_value_range(context, type, samples, n, lo, hi));
  return iw_automatic_range(type, n, lo, hi);
}
