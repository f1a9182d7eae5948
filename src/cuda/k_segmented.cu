/* SPDX-License-Identifier: Apache-2.0 */
#include "../kernels/heads.h"
#define SEGMENTED
#define TEXT <isowarp/text/scan.h>
#include "../kernels/for_each_op.h"
