/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of argmin and argmax, for the build units k_reduce of all targets.
 */
#define TEMPLATE "algorithms/scan/arg_extremum_kernel.h"
#include "algorithms/common/for_each_type.h"
#define T i32
#define FROM u8
#include TEMPLATE
#undef FROM
#define FROM u16
#include TEMPLATE
#undef FROM
#undef T
#define T f32
#define FROM f16
#include TEMPLATE
#undef FROM
#define FROM bf16
#include TEMPLATE
#undef FROM
#undef T
#undef TEMPLATE
