/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA backend of a build without CUDA.
 */
#include "runtime/backend.h"

const iw_backend_ops *iw_backend_cuda(const char **why)
{
  *why = "this build has no CUDA backend";
  return NULL;
}

iw_status iw_cuda_device_of(const void *memory, int *device)
{
  (void)memory;
  *device = -1;
  return IW_OK;
}
