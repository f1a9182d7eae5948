/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT <isowarp/text/scan.h>
#include "../kernels/for_each_op.h"
#include "../kernels/for_each_mixed.h"
