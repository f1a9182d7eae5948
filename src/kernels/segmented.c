/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/scan/segment_heads.h"
#define SEGMENTED
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES))
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/operations.h"
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#define SHORT
#define FOLD_SETS (IW_ALL_FOLDS & ~(IW_WIDENING_SUMS | IW_BY_LANES))
#define TEMPLATE <isowarp/algorithms/scan/scan_kernel.h>
#include "algorithms/common/operations.h"
#endif
