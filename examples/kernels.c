/* SPDX-License-Identifier: Apache-2.0
 *
 * All example kernels as one unit, which `isowarp demo` has for each warp size. Each of them compiles alone too.
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
