/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms of whole rows of 8-byte types by shared-memory atomics. */
#include "algorithms/histogram/tuning_cuda.h"
#define T i64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T u64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T f64
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
