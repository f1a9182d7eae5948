/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms of whole rows of 8-byte types by private SIMD counters. One unit for each element
 * size, as the long functions that count a row depend on the size alone and are compiled once for it. */
/* Further ahead than other kernels: bins are found as fast as memory delivers samples, and a thread's span
 * is long. */
#define IW_PREFETCH_DISTANCE 8192
#define T i64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T u64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T f64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
