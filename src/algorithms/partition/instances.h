/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels of partition: elements of 4 and 8 bytes by ranges and by flags, anything by marks.
 */
#include "algorithms/partition/range_test.h"
#define TEXT <isowarp/algorithms/partition/partition_kernel.h>
#define T u32
#define BY u32
#include TEXT
#undef BY
#define BY f32
#include TEXT
#undef BY
#define FLAGS
#define BY flags_32
#include TEXT
#undef BY
#undef FLAGS
#undef T
#define T u64
#define BY u64
#include TEXT
#undef BY
#define BY f64
#include TEXT
#undef BY
#define FLAGS
#define BY flags_64
#include TEXT
#undef BY
#undef FLAGS
#undef T

/* What moves with them: any width of 1 to 16 bytes, 16 of them as two elements. */
#define MARKED 1
#define T u8
#define BY marked_8
#include TEXT
#undef BY
#undef T
#define T u16
#define BY marked_16
#include TEXT
#undef BY
#undef T
#define NUMBERS
#define T u32
#define BY marked_32
#include TEXT
#undef BY
#undef T
#define T u64
#define BY marked_64
#include TEXT
#undef BY
#undef NUMBERS
#undef MARKED
#define MARKED 2
#define BY marked_128
#include TEXT
#undef BY
#undef T
#undef MARKED
#undef TEXT

#include "algorithms/partition/flags.h"
#include "algorithms/partition/run_lengths.h"
