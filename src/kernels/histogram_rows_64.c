/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/histogram/rows_kernel.h"
#define T i64
#include TEMPLATE
#undef T
#define T u64
#include TEMPLATE
#undef T
#define T f64
#include TEMPLATE
#undef T
