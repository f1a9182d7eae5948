/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of N-D and weighted histograms, for their build unit. They work on bin
 * indices; only the weights have a type. Kernel templates; knows no schedule and no target.
 */
#include "algorithms/histogram/project_cells.h"
#include "algorithms/histogram/ravel_bins.h"

/* Channels of samples of 1, 2, 4 and 8 bytes. */
#define TEMPLATE "algorithms/histogram/deinterleave.h"
#define T u32
#include TEMPLATE
#undef T
#define T u64
#include TEMPLATE
#undef T
#define NARROW
#define T u8
#include TEMPLATE
#undef T
#define T u16
#include TEMPLATE
#undef T
#undef NARROW
#undef TEMPLATE

/* Sums of weights of i32, which are sign-extended, and of the types of for_each_sum_type.h. */
#define TEMPLATE "algorithms/histogram/accumulate_weights.h"
#define T i32
#include TEMPLATE
#undef T
#include "algorithms/common/for_each_sum_type.h"
#undef TEMPLATE
#include "algorithms/histogram/write_sums.h"
