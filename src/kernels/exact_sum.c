/* SPDX-License-Identifier: Apache-2.0 */
#define TEMPLATE "algorithms/exact_sum/exact_sum_kernel.h"
#define T f32
#include TEMPLATE
#define FROM f16
#include TEMPLATE
#define FROM bf16
#include TEMPLATE
#define DOT
#include TEMPLATE
#define FROM f16
#include TEMPLATE
#define FROM bf16
#include TEMPLATE
#undef DOT
#undef T
#define T f64
#include TEMPLATE
#undef T
#undef TEMPLATE
