/* SPDX-License-Identifier: Apache-2.0 */
#define OP max
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/for_each_type.h"
