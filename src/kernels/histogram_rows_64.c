/* SPDX-License-Identifier: Apache-2.0 */
#define IW_TYPE_SET (IW_SET_i64 | IW_SET_u64 | IW_SET_f64)
#define IW_TEMPLATE "algorithms/histogram/rows_kernel.h"
#include <isowarp/language/for_each_type.h>
