/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of several axes: their checks, and bin indices a chunk at a time (bin_indices.h), so that a chunk
 * stays in a cache. Algorithm layer; what a device can do is read from context->device.
 */
#include "algorithms/histogram/nd_tables.h"
#include "runtime/check.h"
#include "runtime/launch.h"

#include <string.h>

/* Tuning. None of these numbers can change a result. */
enum {
  CHUNK_PER_CORE = 1 << 18, /* bin indices of a chunk for each core of a CPU: they stay in its cache */
  CHUNK_GPU = 1 << 23       /* bin indices of a chunk on a GPU: enough that launches cost little */
};

size_t iw_chunk_size(const iw_context *context)
{
  return context->device.prefers_global_atomics ? CHUNK_GPU
      : CHUNK_PER_CORE * iw_min(context->device.processors, 16);
}

iw_status iw_find_bin_indices(iw_context *context, const iw_histogram_plan *plan, const void *samples, size_t n,
                              uint32_t *bin_indices)
{
  iw_binning binning;
  IW_TRY(iw_binning_upload(context, plan, NULL, &binning));
  binning.clamp = 0;
  return iw_compute_bin_indices(context, plan->type, &binning, samples, n, bin_indices, sizeof *bin_indices,
                                UINT32_MAX, NULL);
}

#define NAMES(axis) { axis ".size", axis ".spec", axis ".samples" }
static const iw_axis_names names[IW_MAX_HISTOGRAM_AXES] = { NAMES("axes[0]"), NAMES("axes[1]"), NAMES("axes[2]"), NAMES("axes[3]") };
#undef NAMES

iw_status iw_find_table_indices(iw_context *context, const iw_nd_axes *axes, size_t at, size_t n, uint32_t *indices,
                                uint32_t *other)
{
  const iw_nd_axis *const first = &axes->of[0];
  iw_axis before = iw_axis_of(first->plan);
  IW_TRY(iw_find_bin_indices(context, first->plan, iw_element_at(first->plan->type, first->samples, at), n, indices));
  for (unsigned d = 1; d < axes->dimensions || d == 1; d++) {
    const iw_nd_axis *const axis = d < axes->dimensions ? &axes->of[d] : NULL;
    const iw_axis y = axis ? iw_axis_of(axis->plan) : (iw_axis){ 0, 0, 1 };
    const uint32_t cells = before.outputs * y.outputs;
    if (axis)
      IW_TRY(iw_find_bin_indices(context, axis->plan, iw_element_at(axis->plan->type, axis->samples, at), n, other));
    IW_TRY(iw_launch_by_id(context, IW_K_ravel_bins, iw_ceil_div(n, IW_RAVEL_BLOCK_COLUMNS), 256, &(iw_ravel_args){
      .x = indices, .y = axis ? other : NULL, .out = indices, .columns = n,
      .parts = iw_ceil_div(n, IW_RAVEL_BLOCK_COLUMNS), .none = cells, .x_axis = before, .y_axis = y,
    }));
    before = (iw_axis){ cells, IW_POLICY_DROP, cells };
  }
  return IW_OK;
}

/* Copies axis d of a call after its checks. */
static iw_status copy_axis(iw_nd_axis *to, const iw_axis_names *name, const iw_histogram_axis *axis, size_t n)
{
  IW_TRY(iw_check_struct(name->size, axis, "iw_histogram_axis", sizeof *axis));
  IW_TRY(iw_call_plan_make(name->spec, axis->spec, &to->call));
  to->plan = to->call.plan;
  to->samples = axis->samples;
  return iw_check_array(name->samples, axis->samples, n, iw_type_size(to->plan->type));
}

iw_status iw_copy_axes(iw_nd_axes *to, const iw_histogram_axis *axes, unsigned dimensions, size_t n)
{
  *to = (iw_nd_axes){ .dimensions = 0 };
  IW_TRY(iw_check_pointer("axes", axes));
  if (dimensions < 1 || dimensions > IW_MAX_HISTOGRAM_AXES)
    return iw_fail(IW_ERROR_INVALID, "dimensions is %u; valid are 1 to %d", dimensions, (int)IW_MAX_HISTOGRAM_AXES);
  const size_t size = axes->size;
  to->dimensions = dimensions;
  for (unsigned d = 0; d < dimensions; d++) {
    const iw_histogram_axis *const axis = (const void *)((const char *)axes + d * size);
    IW_TRY(copy_axis(&to->of[d], &names[d], axis, n));
    if (axis->size != size)
      return iw_fail(IW_ERROR_INVALID, "axes[%u].size is %zu, but axes[0].size is %zu: all have to be equal", d,
                     axis->size, size);
  }
  return IW_OK;
}

void iw_release_axes(iw_nd_axes *axes)
{
  for (unsigned d = 0; d < axes->dimensions; d++)
    iw_call_plan_release(&axes->of[d].call);
}

iw_status iw_check_table(iw_nd_axes *axes)
{
  const iw_histogram_spec *const first = &axes->of[0].plan->spec;
  axes->total = 1;
  for (unsigned d = 0; d < axes->dimensions; d++) {
    const iw_histogram_spec *const spec = &axes->of[d].plan->spec;
    const size_t outputs = iw_outputs(spec);
    if ((spec->flags ^ first->flags) & IW_HIST_ACCUMULATE || iw_counter_size(spec) != iw_counter_size(first))
      return iw_fail(IW_ERROR_INVALID, "%s and %s disagree about the counters: flags 0x%x and 0x%x, of which IW_HIST_ACCUMULATE "
                     "counts, and counters of %zu and %zu bytes", names[0].spec, names[d].spec, first->flags, spec->flags,
                     iw_counter_size(first), iw_counter_size(spec));
    if (axes->total > IW_MAX_TABLE / outputs)
      return iw_fail(IW_ERROR_INVALID, "%s has %zu counters, times %zu of the axes before: at most %d can be "
                     "counted together", names[d].spec, outputs, axes->total, (int)IW_MAX_TABLE);
    axes->total *= outputs;
  }
  return IW_OK;
}

void iw_list_axis_samples(const iw_nd_axes *axes, size_t n, iw_array *arrays)
{
  for (unsigned d = 0; d < axes->dimensions; d++)
    arrays[d] = (iw_array){ names[d].samples, axes->of[d].samples, n, iw_type_size(axes->of[d].plan->type), IW_READ, NULL };
}

void iw_use_staged_axis_samples(iw_nd_axes *axes, const iw_array *arrays)
{
  for (unsigned d = 0; d < axes->dimensions; d++)
    axes->of[d].samples = arrays[d].kernel_ptr;
}
