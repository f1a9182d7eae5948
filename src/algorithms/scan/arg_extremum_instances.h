/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of argmin and argmax, for the build unit reduce.c.
 */
#define TEMPLATE "algorithms/scan/arg_extremum_kernel.h"
#include "algorithms/common/for_each_type.h"
#define INTEGER i32
#include "algorithms/common/for_each_narrow_type.h"
#undef TEMPLATE
