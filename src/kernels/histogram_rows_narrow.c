/* SPDX-License-Identifier: Apache-2.0 */
#define IW_TYPE_SET (IW_SET_u8 | IW_SET_u16 | IW_SET_i16 | IW_SET_f16 | IW_SET_bf16)
#define IW_TEMPLATE "algorithms/histogram/rows_kernel.h"
#include <isowarp/language/for_each_type.h>
