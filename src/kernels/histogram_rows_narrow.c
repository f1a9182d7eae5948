/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/histogram/rows_kernel.h"
#define T u8
#include TEMPLATE
#undef T
#define T u16
#include TEMPLATE
#undef T
#define T i16
#include TEMPLATE
#undef T
#define T f16
#include TEMPLATE
#undef T
#define T bf16
#include TEMPLATE
#undef T
