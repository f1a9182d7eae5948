/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/reduce_segments/reduce_segments_kernel.h"
#include "algorithms/common/for_each_mixed.h"
