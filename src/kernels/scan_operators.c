/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/scan/more_operators.h"
