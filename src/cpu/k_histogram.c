/* SPDX-License-Identifier: Apache-2.0 */
/* Reads further ahead than others: bins are found as fast as memory gives samples, and parts of an array are long. */
#define IW_AHEAD 8192
#define TEXT "binning.h"
#include "../kernels/for_each_type.h"
#undef TEXT
#include "../kernels/strategies.h"
#define TEXT "histogram.h"
#include "../kernels/for_each_sample.h"
#undef TEXT
#define TEXT "order.h"
#include "../kernels/for_each_type.h"
#include "../kernels/ranges.h"
