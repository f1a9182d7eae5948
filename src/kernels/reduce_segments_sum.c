/* SPDX-License-Identifier: Apache-2.0 */
#define FOLD_SETS IW_PLAIN_SUMS
#define TEMPLATE <isowarp/algorithms/reduce_segments/reduce_segments_kernel.h>
#include "algorithms/common/operations.h"
