/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE <isowarp/algorithms/reduce_segments/reduce_segments_kernel.h>
#include "algorithms/scan/more_operators.h"
