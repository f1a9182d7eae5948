/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms of whole rows of types of 1 and 2 bytes by private SIMD counters. There is one unit per
 * element size, because the long functions that count a row depend only on the size and are compiled once
 * per unit. */
/* These kernels prefetch further ahead than others: they find bins as fast as memory delivers samples, and a
 * thread's span is long (decision 026). */
#define IW_PREFETCH_DISTANCE 8192
#define T u8
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T u16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T i16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T f16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
#define T bf16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/private_counters.h"
#undef T
