/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of 4 and 8 bytes by a range of values, by bytes, or as run heads, in one launch, on GPUs with the
 * lengths of the runs. */
#include "algorithms/partition/in_range.h"
#define PARTITION <isowarp/algorithms/partition/partition_kernel.h>
#define T u32
#define BY u32
#include PARTITION
#define BY f32
#include PARTITION
#define BYTE_FLAGS
#define BY flags_32
#include PARTITION
#define HEADS
#define BY heads_32
#include PARTITION
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#define HEADS
#define RUN_LENGTHS
#define BY runs_32
#include PARTITION
#endif
#undef T
#define T u64
#define BY u64
#include PARTITION
#define BY f64
#include PARTITION
#define BYTE_FLAGS
#define BY flags_64
#include PARTITION
#define HEADS
#define BY heads_64
#include PARTITION
#ifdef IW_GPU_SCHEDULES
#define HEADS
#define RUN_LENGTHS
#define BY runs_64
#include PARTITION
#endif
#undef T

/* Values of 1 to 16 bytes by flag bits: payloads, and elements whose flags are made by another kernel. */
#define T u8
#define BIT_FLAGS 1
#define BY bit_flags_8
#include PARTITION
#undef T
#define T u16
#define BIT_FLAGS 1
#define BY bit_flags_16
#include PARTITION
#undef T
#define T u32
#define BIT_FLAGS 1
#define INDEX_INPUT
#define BY bit_flags_32
#include PARTITION
#undef T
#define T u64
#define BIT_FLAGS 1
#define INDEX_INPUT
#define BY bit_flags_64
#include PARTITION
#define BIT_FLAGS 2
#define BY bit_flags_128
#include PARTITION
#undef T
#undef PARTITION

/* Flag bits: of bytes and 16-bit words by a range of values, and of those that differ from the one before;
 * those of wider keys are in scan's segment_heads.h. */
#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16)
#define IW_TEMPLATE "algorithms/partition/range_flags_kernel.h"
#include <isowarp/language/for_each_type.h>
DEFINE_KEY_HEADS(8, u8)
DEFINE_KEY_HEADS(16, u16)

/* Run lengths from run begins. */
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/partition/run_lengths_kernel.h"
#include <isowarp/language/for_each_type.h>
