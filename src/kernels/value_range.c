/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/binning/value_range.h"
#include "algorithms/common/for_each_sample.h"
#define T i8
#include TEMPLATE
#undef T
