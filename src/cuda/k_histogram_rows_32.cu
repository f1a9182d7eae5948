/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms of whole rows of 4-byte types by shared-memory atomics. */
#include "algorithms/histogram/tuning_cuda.h"
#define T i32
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T u32
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T f32
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
