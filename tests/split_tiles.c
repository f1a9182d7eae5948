/* SPDX-License-Identifier: Apache-2.0
 *
 * A split's text with a GPU's numbers: blocks of many warps that store tiles.
 */
#define SPLIT_PILES 0
#define SPLIT_WARPS 16
#define SPLIT_COUNT_WARPS 4
#define SPLIT_ROWS 2
#define SPLIT_STORES 4
#include "../src/algorithms/multisplit/multisplit_kernel.h"
