/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/binning/sample_types.h"
#define IW_TYPE_SET SET_OF_SAMPLES
#define IW_TEMPLATE "algorithms/binning/bin_index.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET SET_OF_SAMPLES
#define IW_TEMPLATE "algorithms/binning/bin_indices.h"
#include <isowarp/language/for_each_type.h>
#define IW_TYPE_SET SET_OF_SAMPLES
#define IW_TEMPLATE "algorithms/histogram/small_n.h"
#include <isowarp/language/for_each_type.h>
#include "algorithms/histogram/clear_and_write_kernels.h"
