/* SPDX-License-Identifier: Apache-2.0 */
#include "../kernels/heads.h"
#define SEGMENTED
#define TEXT "scan.h"
#include "../kernels/for_each_op.h"
