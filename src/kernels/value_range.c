/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/binning/sample_types.h"
#define IW_TYPE_SET (SET_OF_SAMPLES | IW_SET_i8)
#define IW_TEMPLATE "algorithms/binning/value_range.h"
#include <isowarp/language/for_each_type.h>
