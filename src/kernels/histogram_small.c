/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/binning/bin_index.h"
#include "algorithms/common/for_each_sample.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/binning/bin_indices.h"
#include "algorithms/common/for_each_sample.h"
#undef TEMPLATE
#define TEMPLATE "algorithms/histogram/small_n.h"
#include "algorithms/common/for_each_sample.h"
#undef TEMPLATE
#include "algorithms/histogram/textbook_strategies.h"
