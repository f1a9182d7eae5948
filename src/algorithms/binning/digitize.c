/* SPDX-License-Identifier: Apache-2.0
 *
 * Bin indices of samples, by the kernel bin_indices.h, and digitize, their public entry. Algorithm layer;
 * the backend is not asked.
 */
#include "algorithms/binning/binning.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/histograms.h>

iw_status iw_compute_bin_indices(iw_context *context, iw_type type, const iw_binning *binning, const void *samples,
                                 size_t n, void *bin_indices, size_t bytes, uint32_t last, uint32_t *clamped)
{
  const iw_bin_index_args args = {
    .to = { .in = samples, .n = n, .ids = bin_indices, .id_bytes = (uint32_t)bytes, .max_id = last,
            .clamped = clamped },
    .binning = *binning,
  };
  return iw_launch_by_id(context, IW_K_bucket_ids + type, iw_ceil_div(n, IW_BUCKET_IDS_CHUNK * 8), 256,
                         &args);
}

/* The index of samples that are counted nowhere, which is the largest one: policy COUNT counts all but
 * NaN. */
static size_t last_index(const iw_histogram_spec *spec)
{
  return iw_outputs(spec);
}

static iw_status find_indices(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                              size_t bytes, void *indices)
{
  const size_t tables = iw_binning_scratch_bytes(context, plan);
  iw_binning binning;
  void *memory = NULL;
  if (tables) {
    iw_layout layout;
    iw_layout_begin(&layout, context);
    iw_layout_add(&layout, "tables", tables, 1);
    IW_TRY(iw_scratch(context, &layout, &memory));
  }
  IW_TRY(iw_binning_upload(context, plan, memory, &binning));
  return iw_compute_bin_indices(context, plan->type, &binning, samples, n, indices, bytes,
                                (uint32_t)last_index(&plan->spec), NULL);
}

iw_status iw_digitize(iw_context *context, const iw_histogram_spec *bins, const void *samples, size_t n, iw_indices indices)
{
  iw_type type;
  const size_t width = indices.width;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_spec_of_call(bins, &type));
  if (width != 1 && width != 2 && width != 4)
    return iw_fail(IW_ERROR_INVALID, "indices.width is %zu; valid are 1, 2 and 4", width);
  iw_array arrays[] = {
    { "samples", samples, n, iw_type_size(type), IW_READ, NULL }, { "indices", indices.at, n, width, IW_WRITE, NULL },
  };
  const iw_histogram_spec *const spec = iw_spec_of(bins);
  IW_TRY(iw_check_arrays(arrays, 2));
  if (last_index(spec) >> 8 * width)
    return iw_fail(IW_ERROR_OVERFLOW, "indices.width is %zu, but an index may be %zu: at most %lu fits",
                   width, last_index(spec), (1ul << 8 * width) - 1);
  IW_TRY(iw_select_context(&context, arrays, 2));
  iw_histogram_plan own;
  if (!bins->plan)
    IW_TRY(iw_plan_resolve(context, type, samples, n, spec, &own));
  iw_status status = iw_stage_on(context, arrays, 2);
  if (status == IW_OK)
    status = find_indices(context, bins->plan ? bins->plan : &own, arrays[0].kernel_ptr, n, width,
                          arrays[1].kernel_ptr);
  if (!bins->plan)
    iw_plan_release(&own);
  return iw_unstage(context, arrays, 2, status);
}
