/* SPDX-License-Identifier: Apache-2.0
 *
 * Projecting, rebinning and merging tables: a weighted histogram whose weights are the cells of a table, and
 * whose bin indices project_cells.h computes. Public entry and host side; the backend is not asked.
 */
#include "algorithms/histogram/weighted_sums.h"
#include "runtime/check.h"
#include "runtime/launch.h"
#include "runtime/staging.h"

#include <isowarp/histograms.h>

_Static_assert((int)IW_PROJECT_AXES == (int)IW_MAX_HISTOGRAM_AXES, "a kernel takes all axes");

/* A checked call: cells of both tables, and the kernel's axes. */
typedef struct projection { size_t cells, outputs; iw_project_args args; } projection;

static iw_project_axis kernel_axis(const iw_table_axis *axis)
{
  const size_t cells = axis->bins + (axis->outliers ? 2 : 0), factor = axis->factor ? axis->factor : cells;
  return (iw_project_axis){
    .cells = (uint32_t)cells, .bins = (uint32_t)(axis->factor ? axis->bins : cells),
    .merged = (uint32_t)(axis->factor ? axis->bins / factor : 1),
    .reciprocal_of_cells = 1 / (double)cells, .reciprocal_of_factor = 1 / (double)factor,
  };
}

static iw_status check_axis(const iw_table_axis *axis, unsigned d, size_t size)
{
  char name[24];
  iw_format(name, sizeof name, "axes[%u].size", d);
  IW_TRY(iw_check_struct(name, axis, "iw_table_axis", sizeof *axis));
  if (axis->size != size)
    return iw_fail(IW_ERROR_INVALID, "axes[%u].size is %zu, but axes[0].size is %zu: all have to be equal", d, axis->size,
                   size);
  if (axis->bins < 1 || axis->bins > IW_MAX_TABLE)
    return iw_fail(IW_ERROR_INVALID, "axes[%u].bins is %zu; valid are 1 to %d", d, axis->bins, (int)IW_MAX_TABLE);
  if (axis->outliers != 0 && axis->outliers != 1)
    return iw_fail(IW_ERROR_INVALID, "axes[%u].outliers is %d; valid are 0 and 1", d, axis->outliers);
  if (axis->factor && axis->bins % axis->factor)
    return iw_fail(IW_ERROR_INVALID, "axes[%u].factor is %zu; valid are divisors of the %zu bins, and 0", d, axis->factor,
                   axis->bins);
  return IW_OK;
}

static iw_status check_axes(const iw_table_axis *axes, unsigned dimensions, projection *p)
{
  IW_TRY(iw_check_pointer("axes", axes));
  if (dimensions < 1 || dimensions > IW_MAX_HISTOGRAM_AXES)
    return iw_fail(IW_ERROR_INVALID, "dimensions is %u; valid are 1 to %d", dimensions, (int)IW_MAX_HISTOGRAM_AXES);
  const size_t size = axes->size;
  p->cells = p->outputs = 1;
  p->args.dimensions = dimensions;
  for (unsigned d = 0; d < dimensions; d++) {
    const iw_table_axis *const axis = (const void *)((const char *)axes + d * size);
    IW_TRY(check_axis(axis, d, size));
    p->args.axes[d] = kernel_axis(axis);
    if (p->cells > IW_MAX_TABLE / p->args.axes[d].cells)
      return iw_fail(IW_ERROR_INVALID, "axes[%u] has %lu cells, times %zu of the axes before: a table has at most %d", d,
                     (unsigned long)p->args.axes[d].cells, p->cells, (int)IW_MAX_TABLE);
    p->cells *= p->args.axes[d].cells;
  }
  for (unsigned d = dimensions; d-- > 0;) { /* the last axis of a table has neighbours */
    const iw_table_axis *const axis = (const void *)((const char *)axes + d * size);
    if (!axis->factor)
      continue;
    p->args.axes[d].stride = (uint32_t)p->outputs;
    p->outputs *= p->args.axes[d].merged + (axis->outliers ? 2 : 0);
  }
  return IW_OK;
}

/* The caller's 32-bit counters, from sums of 64 bits. */
static iw_status write_narrow(iw_context *context, const projection *p, const iw_weighted_sums *from, int accumulate,
                              void *out)
{
  return iw_launch_by_id(context, IW_K_histogram_write_counts, iw_ceil_div(p->outputs, 256), 256, &(iw_write_counts_args){
    .counts = from->sums, .bins = (uint32_t)p->outputs, .entries = (uint32_t)p->outputs,
    .outputs = (uint32_t)p->outputs, .accumulate = (uint32_t)accumulate, .counters_32 = 1, .out = out,
  });
}

static iw_status project(iw_context *context, iw_type type, projection *p, const void *in, int accumulate, void *out)
{
  const iw_sum_format how = iw_sum_format_of(type);
  const size_t size = iw_type_size(type);
  iw_weighted_chunks c;
  IW_TRY(iw_begin_weighted(context, &how, p->outputs + 3, p->cells, 0, type == IW_U32, &c));
  p->args.out = c.bin_indices;
  for (size_t at = 0; at < p->cells; at += c.chunk) {
    p->args.first = at;
    p->args.n = iw_min(p->cells - at, c.chunk);
    IW_TRY(iw_launch_by_id(context, IW_K_project_cells, iw_ceil_div(p->args.n, IW_PROJECT_CHUNK * 8), 256, &p->args));
    IW_TRY(iw_add_weights(context, &how, &c, (const char *)in + at * size, p->args.n));
  }
  return type == IW_U32 ? write_narrow(context, p, &c.sums, accumulate, out)
    : iw_write_weighted(context, &how, &c.sums, p->outputs, p->outputs, 0, accumulate, out);
}

iw_status iw_histogram_project(iw_context *context, iw_type type, const iw_table_axis *axes, unsigned dimensions,
                               const void *in, void *out, unsigned flags)
{
  enum { COUNTERS = IW_SET_OF(IW_U32) | IW_SET_OF(IW_U64) | IW_SET_OF(IW_I64) | IW_SET_OF(IW_F32) | IW_SET_OF(IW_F64) };
  projection p = { 0 };
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, (iw_type_set)COUNTERS));
  IW_TRY(check_axes(axes, dimensions, &p));
  if (flags & ~(unsigned)IW_HIST_ACCUMULATE)
    return iw_fail(IW_ERROR_INVALID, "flags is 0x%x; valid are 0 and IW_HIST_ACCUMULATE, 0x%x", flags,
                   (unsigned)IW_HIST_ACCUMULATE);
  const size_t size = iw_type_size(type);
  iw_array arrays[] = {
    { "in", in, p.cells, size, IW_READ, NULL },
    { "out", out, p.outputs, size, IW_WRITE | (flags ? IW_READ : 0), NULL },
  };
  IW_TRY(iw_check_arrays(arrays, 2));
  IW_TRY(iw_check_sums("out", p.outputs, "cells", type, p.cells));
  IW_TRY(iw_stage(&context, arrays, 2));
  return iw_unstage(context, arrays, 2,
                    project(context, type, &p, arrays[0].kernel_ptr, flags != 0, arrays[1].kernel_ptr));
}
