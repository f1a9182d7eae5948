/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: what the histograms run besides counting whole rows: few samples, bin indices, the textbook
 * strategies, results. */
#define TEXT "algorithms/histogram/bin_index.h"
#include "algorithms/common/for_each_sample.h"
#undef TEXT
#define TEXT "algorithms/histogram/bin_indices.h"
#include "algorithms/common/for_each_sample.h"
#undef TEXT
#define TEXT "algorithms/histogram/small_n.h"
#include "algorithms/common/for_each_sample.h"
#undef TEXT
#include "algorithms/histogram/textbook_strategies.h"
