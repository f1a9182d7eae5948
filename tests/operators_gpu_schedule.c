/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicates on a GPU's schedule: tiles that are packed and wait for their place.
 */
#define PARTITION_WARPS 8
#define PARTITION_REREAD 0
#define PARTITION_PIPELINE_DEPTH 2
#include "predicates.h"
