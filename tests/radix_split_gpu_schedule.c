/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel template of the radix split with the tuning numbers of a GPU: blocks of many warps, ranked tiles.
 */
#define MULTISPLIT_WRITE_BUFFERS 0
#define MULTISPLIT_WARPS 16
#define MULTISPLIT_COUNT_WARPS 4
#define MULTISPLIT_COUNT_ROWS 2
#define MULTISPLIT_STORE_BATCH 4
#include "../src/algorithms/multisplit/radix_split_kernel.h"
