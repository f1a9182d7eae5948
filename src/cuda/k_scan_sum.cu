/* SPDX-License-Identifier: Apache-2.0 */
#define OP sum
#define TEXT <isowarp/text/scan.h>
#include "../kernels/for_each_type.h"
