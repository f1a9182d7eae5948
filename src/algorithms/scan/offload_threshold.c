/* SPDX-License-Identifier: Apache-2.0
 *
 * From how many bytes on host data is better sent to the device: measured, since it depends on the machine's
 * CPU and bus.
 */
#include "algorithms/scan/scan.h"
#include "runtime/check.h"
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALLEST = 1 << 16, LARGEST = 1 << 28, STEP = 4, TIMES = 3 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of a reduction, in seconds. The first one warms up. */
static iw_status least_time(iw_context *context, const float *data, size_t n, double *least)
{
  *least = 0;
  for (int i = 0; i <= TIMES; i++) {
    float sum;
    const double start = now();
    IW_TRY(iw_reduce_by_op(context, IW_SUM, IW_F32, data, n, &sum));
    const double time = now() - start;
    if (i == 1 || (i > 1 && time < *least))
      *least = time;
  }
  return IW_OK;
}

static iw_status measure(iw_context *context, const float *data, size_t *bytes)
{
  iw_context *device;
  IW_TRY(iw_device_context(context, &device));
  *bytes = SIZE_MAX;
  for (size_t size = LARGEST; size >= SMALLEST; size /= STEP) {
    double here, there;
    IW_TRY(least_time(context, data, size / sizeof *data, &here));
    IW_TRY(least_time(device, data, size / sizeof *data, &there));
    if (there >= here)
      break;
    *bytes = size;
  }
  return IW_OK;
}

iw_status iw_context_measure_offload_threshold(iw_context *context, size_t *bytes)
{
  IW_TRY(iw_check_context(context));
  IW_TRY(iw_check_single("bytes", bytes, sizeof *bytes));
  size_t found = SIZE_MAX;
  context->offload_threshold = SIZE_MAX;
  if (context->device_ops) {
    float *const data = malloc(LARGEST);
    if (!data)
      return iw_fail(IW_ERROR_MEMORY, "%d bytes of host memory could not be had", LARGEST);
    memset(data, 0, LARGEST);
    const iw_status status = measure(context, data, &found);
    free(data);
    IW_TRY(status);
  }
  *bytes = context->offload_threshold = found;
  return IW_OK;
}
