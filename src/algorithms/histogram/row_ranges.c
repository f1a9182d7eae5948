/* SPDX-License-Identifier: Apache-2.0
 *
 * Automatic ranges, and histograms of the rows of a matrix, each with a range of its own: the ranges by two
 * reductions of rows, then a plan and a histogram for each row. Public entry and host side; the backend is
 * not asked.
 */
#include "algorithms/histogram/histogram.h"
#include "algorithms/reduce_segments/reduce_segments.h"
#include "runtime/check.h"
#include "runtime/memory.h"
#include "runtime/staging.h"

#include <isowarp/histograms.h>
#include <stdlib.h>

/* ---- Ranges ---- */

/* Fails as a check of one row did, with the row in front of the message. */
static iw_status fail_row(iw_status status, size_t row)
{
  char message[256];
  iw_format(message, sizeof message, "%s", iw_message());
  return iw_fail(status, "row %zu: %s", row, message);
}

/* Writes the ranges of checked rows. After a failure lo and hi are unspecified. */
static iw_status find_ranges(iw_context *context, iw_type type, const void *samples, size_t rows, size_t columns,
                             char *lo, char *hi)
{
  const size_t size = iw_type_size(type);
  const iw_segments of_rows = { .size = sizeof of_rows, .kind = IW_SEGMENTS_ROWS, .columns = columns };
  iw_scan_spec spec = { .op = IW_MIN, .in_type = type, .type = type, .segments = &of_rows };
  if (columns) {
    IW_TRY(iw_reduce_segments_by_spec(context, &spec, samples, rows * columns, lo));
    spec.op = IW_MAX;
    IW_TRY(iw_reduce_segments_by_spec(context, &spec, samples, rows * columns, hi));
  }
  for (size_t r = 0; r < rows; r++) {
    iw_scalar_bits least = { 0 }, greatest = { 0 };
    memcpy(&least, lo + r * size, columns ? size : 0);
    memcpy(&greatest, hi + r * size, columns ? size : 0);
    const iw_status status = iw_automatic_range(type, columns, &least, &greatest);
    if (status != IW_OK)
      return fail_row(status, r);
    memcpy(lo + r * size, &least, size);
    memcpy(hi + r * size, &greatest, size);
  }
  return IW_OK;
}

/* The range of one row, in one pass. A failure leaves lo and hi as they are. */
static iw_status write_range(iw_context *context, iw_type type, const void *samples, size_t n, void *lo, void *hi)
{
  iw_scalar_bits least = { 0 }, greatest = { 0 };
  IW_TRY(iw_find_automatic_range(context, type, samples, n, &least, &greatest));
  memcpy(lo, &least, iw_type_size(type));
  memcpy(hi, &greatest, iw_type_size(type));
  return IW_OK;
}

/* Memory for the lower and the upper ends of all rows. The caller frees it. */
static iw_status new_ranges(iw_type type, size_t rows, char **ranges)
{
  const size_t bytes = iw_max(1, 2 * rows * iw_type_size(type));
  *ranges = malloc(bytes);
  return *ranges ? IW_OK : iw_fail(IW_ERROR_MEMORY, "no memory for %zu bytes of the ranges of %zu rows", bytes, rows);
}

iw_status iw_histogram_range(iw_context *context, iw_type type, const void *samples, size_t rows, size_t columns, void *lo,
                             void *hi)
{
  char *ranges;
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_type(type, IW_ALL_TYPES));
  const size_t size = iw_type_size(type), half = rows * size, bytes = rows * columns * size;
  IW_TRY(iw_check_array("lo", lo, rows, size));
  IW_TRY(iw_check_array("hi", hi, rows, size));
  IW_TRY(iw_check_matrix(type, samples, rows, columns));
  IW_TRY(iw_check_no_overlap("samples", samples, bytes, "lo", lo, half));
  IW_TRY(iw_check_no_overlap("samples", samples, bytes, "hi", hi, half));
  IW_TRY(iw_check_no_overlap("lo", lo, half, "hi", hi, half));
  if (rows == 1)
    return write_range(context, type, samples, columns, lo, hi);
  IW_TRY(new_ranges(type, rows, &ranges)); /* as a failure leaves lo and hi as they are */
  const iw_status status = find_ranges(context, type, samples, rows, columns, ranges, ranges + half);
  if (status == IW_OK && rows) {
    memcpy(lo, ranges, half);
    memcpy(hi, ranges + half, half);
  }
  free(ranges);
  return status;
}

/* ---- Histograms ---- */

/* The spec of one row. */
static iw_histogram_spec spec_of_row(const iw_histogram_spec *spec, iw_type type, const char *ranges, size_t rows,
                                     size_t row)
{
  iw_histogram_spec own;
  memcpy(&own, spec, sizeof own);
  own.size = sizeof own;
  own.lo = ranges + row * iw_type_size(type);
  own.hi = ranges + (rows + row) * iw_type_size(type);
  return own;
}

static iw_status count_rows(iw_context *context, iw_type type, const char *samples, size_t rows, size_t columns,
                            const iw_histogram_spec *spec, const char *ranges, char *counts)
{
  const size_t row_bytes = columns * iw_type_size(type);
  const size_t counts_bytes = iw_outputs(spec) * iw_counter_size(spec);
  for (size_t r = 0; r < rows; r++) {
    iw_histogram_plan plan;
    const iw_histogram_spec own = spec_of_row(spec, type, ranges, rows, r);
    IW_TRY(iw_plan_make(context, type, &own, columns, &plan));
    const char *const row = columns ? samples + r * row_bytes : NULL;
    const iw_status status = iw_histogram_run_plan(context, &plan, row, columns, counts + r * counts_bytes);
    iw_plan_release(&plan);
    IW_TRY(status);
  }
  return IW_OK;
}

/* Copies or finds the ranges, and checks each with the spec. */
static iw_status resolve_ranges(iw_context *context, iw_type type, const void *samples, size_t rows, size_t columns,
                                iw_histogram_spec *spec, const void *lo, const void *hi, char *ranges)
{
  const size_t half = rows * iw_type_size(type);
  if (lo && rows) {
    memcpy(ranges, lo, half);
    memcpy(ranges + half, hi, half);
  }
  else if (!lo) {
    IW_TRY(find_ranges(context, type, samples, rows, columns, ranges, ranges + half));
    spec->flags |= IW_HIST_CLOSED_TOP;
  }
  for (size_t r = 0; r < rows; r++) {
    const iw_histogram_spec own = spec_of_row(spec, type, ranges, rows, r);
    const iw_status status = iw_check_spec(type, &own);
    if (status != IW_OK)
      return iw_fail_named(fail_row(status, r), lo ? "ranges" : "spec");
  }
  return IW_OK;
}

static iw_status check_ranged(iw_type type, const void *samples, size_t rows, size_t columns,
                              const iw_histogram_spec *spec, const void *lo, const void *hi, const void *counts,
                              iw_array arrays[2])
{
  IW_TRY(iw_check_matrix(type, samples, rows, columns));
  if (spec->plan || !iw_spec_is_automatic(spec))
    return iw_fail(IW_ERROR_INVALID, "spec->kind is %d, lo %p, hi %p, plan %p: valid are even bins without lo, hi and "
                   "plan, as each row has a range of its own", (int)spec->kind, spec->lo, spec->hi,
                   (const void *)spec->plan);
  if (!lo != !hi)
    return iw_fail(IW_ERROR_INVALID, "ranges->%s is NULL, but ranges->%s is not", lo ? "hi" : "lo", lo ? "lo" : "hi");
  IW_TRY(iw_check_row_counters(spec, rows));
  if (lo) {
    IW_TRY(iw_check_array("ranges->lo", lo, rows, iw_type_size(type)));
    IW_TRY(iw_check_array("ranges->hi", hi, rows, iw_type_size(type)));
  }
  arrays[0] = (iw_array){ "samples", samples, rows * columns, iw_type_size(type), IW_READ, NULL };
  arrays[1] = iw_counters("counts", spec, counts, rows * iw_outputs(spec));
  return iw_check_counters(spec, &arrays[1], &arrays[0], "columns", columns);
}

iw_status iw_histogram_ranged_rows(iw_context *context, iw_type type, const iw_histogram_spec *spec, const void *samples, size_t rows,
                                   size_t columns, void *counts, const iw_histogram_ranges *ranges_of_rows)
{
  iw_array arrays[2];
  iw_histogram_spec own;
  char *ranges;
  const void *lo = NULL, *hi = NULL;
  if (ranges_of_rows) {
    IW_TRY(iw_check_struct("ranges->size", ranges_of_rows, "iw_histogram_ranges", sizeof *ranges_of_rows));
    lo = ranges_of_rows->lo;
    hi = ranges_of_rows->hi;
    if (!lo && !hi && rows)
      return iw_fail(IW_ERROR_INVALID, "ranges->lo and ranges->hi are NULL; ranges NULL gives each row its automatic range");
  }
  IW_TRY(check_ranged(type, samples, rows, columns, spec, lo, hi, counts, arrays));
  memcpy(&own, spec, sizeof own);
  IW_TRY(new_ranges(type, rows, &ranges));
  iw_status status = iw_select_context(&context, arrays, 2);
  if (status == IW_OK)
    status = resolve_ranges(context, type, samples, rows, columns, &own, lo, hi, ranges);
  if (status == IW_OK)
    status = iw_stage_on(context, arrays, 2);
  if (status == IW_OK)
    status = iw_unstage(context, arrays, 2, count_rows(context, type, arrays[0].kernel_ptr, rows, columns, &own, ranges,
                                                       arrays[1].kernel_ptr));
  free(ranges);
  return status;
}
