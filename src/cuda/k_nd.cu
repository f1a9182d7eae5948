/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: N-D and weighted histograms, over bin indices. */
#include "algorithms/histogram/ravel_bins.h"
#define T u32
#include "algorithms/histogram/deinterleave.h"
#undef T
#define T u64
#include "algorithms/histogram/deinterleave.h"
#undef T
#define T u8
#include "algorithms/histogram/deinterleave_narrow.h"
#undef T
#define T u16
#include "algorithms/histogram/deinterleave_narrow.h"
#undef T
#define T i32
#include "algorithms/histogram/accumulate_weights.h"
#undef T
#define T u32
#include "algorithms/histogram/accumulate_weights.h"
#undef T
#define T u64
#include "algorithms/histogram/accumulate_weights.h"
#undef T
#define T f32
#include "algorithms/histogram/accumulate_weights.h"
#undef T
#define T f64
#include "algorithms/histogram/accumulate_weights.h"
#undef T
#include "algorithms/histogram/write_sums.h"
