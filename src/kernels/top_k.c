/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/top_k/gather_kernel.h"
#include "algorithms/top_k/count_kernel.h"
#include "algorithms/top_k/near_kernel.h"
#ifdef IW_GPU_SCHEDULES /* kernel.h */
#include "algorithms/top_k/few_kernel.h"
#endif
