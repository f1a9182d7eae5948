/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels of partition: elements of 4 and 8 bytes by ranges and by flags, anything by marks.
 */
#include "algorithms/partition/in_range.h"
#define TEXT <isowarp/algorithms/partition/partition_kernel.h>
#define T u32
#define BY u32
#include TEXT
#undef BY
#define BY f32
#include TEXT
#undef BY
#define BYTE_FLAGS
#define BY flags_32
#include TEXT
#undef BY
#undef BYTE_FLAGS
#undef T
#define T u64
#define BY u64
#include TEXT
#undef BY
#define BY f64
#include TEXT
#undef BY
#define BYTE_FLAGS
#define BY flags_64
#include TEXT
#undef BY
#undef BYTE_FLAGS
#undef T

/* What moves with them: any width of 1 to 16 bytes, 16 of them as two elements. */
#define BIT_FLAGS 1
#define T u8
#define BY bit_flags_8
#include TEXT
#undef BY
#undef T
#define T u16
#define BY bit_flags_16
#include TEXT
#undef BY
#undef T
#define INDEX_INPUT
#define T u32
#define BY bit_flags_32
#include TEXT
#undef BY
#undef T
#define T u64
#define BY bit_flags_64
#include TEXT
#undef BY
#undef INDEX_INPUT
#undef BIT_FLAGS
#define BIT_FLAGS 2
#define BY bit_flags_128
#include TEXT
#undef BY
#undef T
#undef BIT_FLAGS
#undef TEXT

#include "algorithms/partition/range_flags.h"
#include "algorithms/partition/run_lengths_instances.h"
