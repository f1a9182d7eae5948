/* SPDX-License-Identifier: Apache-2.0
 *
 * The predicates with the tuning numbers of a GPU: its partition schedule, which stages tiles in shared memory, is tested on a CPU.
 */
#define PARTITION_WARPS 8
#define PARTITION_REREAD 0
#define PARTITION_PIPELINE_DEPTH 2
#include "predicates.h"
