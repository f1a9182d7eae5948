/* SPDX-License-Identifier: Apache-2.0 */
/* N-D and weighted histograms work on bin indices; only the weights have a type. */
#include "algorithms/histogram/project_cells.h"
#include "algorithms/histogram/ravel_bins.h"

/* Channels of samples of 1, 2, 4 and 8 bytes. */
#define IW_TYPE_SET (IW_SET_u32 | IW_SET_u64)
#define IW_TEMPLATE "algorithms/histogram/deinterleave.h"
#include <isowarp/language/for_each_type.h>
#define NARROW
#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16)
#define IW_TEMPLATE "algorithms/histogram/deinterleave.h"
#include <isowarp/language/for_each_type.h>
#undef NARROW

/* Sums of weights. Those of i32 are sign-extended; i64 wraps as u64 does. */
#define IW_TYPE_SET (IW_SET_i32 | IW_SET_u32 | IW_SET_u64 | IW_SET_OF_FLOATS)
#define IW_TEMPLATE "algorithms/histogram/accumulate_weights.h"
#include <isowarp/language/for_each_type.h>
#include "algorithms/histogram/write_sums.h"
#include "algorithms/histogram/pair_sums.h"
