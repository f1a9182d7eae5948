/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/histogram/rows_kernel.h"
#define T i32
#include TEMPLATE
#undef T
#define T u32
#include TEMPLATE
#undef T
#define T f32
#include TEMPLATE
#undef T
