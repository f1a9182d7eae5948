/* SPDX-License-Identifier: Apache-2.0
 *
 * All example kernels as one unit, which `isowarp demo` has for each warp size. Each of them compiles alone
 * too.
 */
#include "warp_scan.c"
#include "warp_partition.c"
#include "butterfly_sum.c"
#include "block_scan.c"
#include "two_phase_scan.c"
#include "bin_extraction.c"
#include "letters.c"
#include "mean_normalisation.c"
#include "normalise_rows.c"
#include "softmax_rows.c"
/* Operators for the library's scan and reduce, and a key for its sort, whose warps have 32 lanes. */
#if IW_WARP_SIZE == 32
#include "prefix_hash.c"
#include "log_sum_exp.c"
#include "by_distance.c"
#endif
