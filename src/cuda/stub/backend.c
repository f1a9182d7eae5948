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

int iw_cuda_device_of(const void *memory)
{
  (void)memory;
  return -1;
}
