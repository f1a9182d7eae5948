/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own kernels of partition: elements of 4 and 8 bytes by ranges and by flags.
 */
#include "range.h"
#define TEXT <isowarp/text/partition.h>
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
#undef TEXT
