/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches the library's own kernels by id. Runtime layer: an id is a number here, and
 * src/algorithms/common/kernel_ids.h names it.
 */
#ifndef IW_RUNTIME_LAUNCH_H
#define IW_RUNTIME_LAUNCH_H

#include "runtime/context.h"

/* Checks a kernel that a user has built: the version of its descriptor, whether this machine has its
 * instruction set, and that it was compiled without floating-point contraction. The library's own kernels
 * need no check. */
iw_status iw_check_kernel(const iw_kernel *kernel);

iw_status iw_fail_no_kernel(iw_context *context);
static inline iw_status iw_find_kernel(iw_context *context, unsigned id, const iw_kernel **kernel)
{
  *kernel = context->ops->kernel(context, id);
  return *kernel ? IW_OK : iw_fail_no_kernel(context);
}

/* Launches `grid` blocks of `block` threads; block = 0: the size that the kernel was built for. grid = 0
 * does nothing. */
iw_status iw_launch_by_id(iw_context *context, unsigned id, size_t grid, unsigned block, const void *args);
/* iw_launch_by_id() for a launch that needs only the first `shared` bytes of the kernel's shared memory. */
iw_status iw_launch_by_id_shared(iw_context *context, unsigned id, size_t grid, unsigned block, size_t shared,
                                 const void *args);
/* The number of blocks of this kernel that the device runs at a time: a wave. */
size_t iw_blocks_per_wave(iw_context *context, unsigned id);

#endif
