/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/reduce_segments/reduce_segments_kernel.h"
#define OP sum
#include "algorithms/common/for_each_sum_type.h"
#undef OP
