/* SPDX-License-Identifier: Apache-2.0
 *
 * Run-length encoding, last part: where runs begin becomes how long they are, in place. A warp takes a chunk from its beginning
 * on, and what stands behind the chunk, which another warp overwrites, was kept by a launch before.
 */
#define TEXT "algorithms/partition/run_lengths_kernel.h"
#define T u32
#include TEXT
#undef T
#define T u64
#include TEXT
#undef T
#undef TEXT
