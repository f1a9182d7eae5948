/* SPDX-License-Identifier: Apache-2.0 */
#define OP sum
#define TEXT "scan.h"
#include "../kernels/for_each_type.h"
