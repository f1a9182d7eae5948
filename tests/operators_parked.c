/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicates on a GPU's schedule: tiles that are packed and wait for their place.
 */
#define PARTITION_WARPS 8
#define PARTITION_DIRECT 0
#define PARTITION_TRAIL 2
#include "predicates.h"
