/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel exact_round: the float nearest to an exact sum (common/exact_number.h), by one warp; all values are
 * uniform. Kernel template without a type parameter; knows no elements.
 */
#ifndef IW_EXACT_SUM_EXACT_ROUND_KERNEL_H
#define IW_EXACT_SUM_EXACT_ROUND_KERNEL_H

#include <isowarp/primitives.h>
#include "algorithms/common/exact_number.h"
#include "algorithms/common/args.h"
#include "algorithms/exact_sum/args.h"

IW_KERNEL_SIZED(exact_round, iw_no_shared, iw_exact_round_args, 32, 1)
{
  IW_PHASE(warp) {
    uint64_t words[IW_EXACT_WORDS];
    for (unsigned w = 0; w < IW_EXACT_WORDS; w++) words[w] = iw_get(args->words + w);
    const uint64_t bits = round_sum(IW_DIGITS_F64, args->format, words);
    if (args->format.bits == 16) iw_store_u16((uint16_t *)args->result, iw_splat((uint32_t)bits), iw_lanes_below(1));
    else if (args->format.bits == 32) iw_set((uint32_t *)args->result, (uint32_t)bits);
    else iw_set((uint64_t *)args->result, bits);
  }
}

#endif
