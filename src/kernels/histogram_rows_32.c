/* SPDX-License-Identifier: Apache-2.0 */
#define IW_TYPE_SET (IW_SET_i32 | IW_SET_u32 | IW_SET_f32)
#define IW_TEMPLATE "algorithms/histogram/rows_kernel.h"
#include <isowarp/language/for_each_type.h>
