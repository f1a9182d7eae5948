/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT "reduce.h"
#include "../kernels/for_each_op.h"
