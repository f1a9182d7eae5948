/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel sort_survey: which bits of the keys' ranks vary, and whether the keys are sorted, so that a sort
 * leaves out passes whose digit is constant. It reads all keys only if it may find fewer passes: random keys
 * end it after a few thousand. Kernel template without parameters; it must not know the host's runtime.
 */
#include <isowarp/algorithms/common/names.h>
#include "algorithms/common/total_order_lanes.h"
#include "algorithms/sort/args.h"

enum {
  SORT_SURVEY_STEPS = 64,              /* warps of keys between two looks whether all has been found */
  SORT_SURVEY_BATCH = 4                /* loads in flight */
};

/* For each width of keys: sort_survey_T. */
#define IW_TYPE_SET IW_SET_OF_WIDTHS
#define IW_TEMPLATE "algorithms/sort/survey_keys.h"
#include <isowarp/language/for_each_type.h>

IW_KERNEL(sort_survey, iw_no_shared, iw_sort_survey_args)
{
  IW_PHASE(warp) {
    const uint64_t at = 1 + (uint64_t)block->index * args->chunk;
    const uint64_t end = args->chunk < args->n - at ? at + args->chunk : args->n;
    iw_sort_found found;
    switch (args->key_bytes) {
    case 1: sort_survey_u8(args, at, end, &found); break;
    case 2: sort_survey_u16(args, at, end, &found); break;
    case 4: sort_survey_u32(args, at, end, &found); break;
    default: sort_survey_u64(args, at, end, &found); break;
    }
    iw_set_u64(&args->found[block->index].varying, found.varying);
    iw_set_u64(&args->found[block->index].descents, found.descents);
  }
}
