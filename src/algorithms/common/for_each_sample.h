/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE once for each type T of samples that kernels of histograms know; i8 and bool are as u8
 * to them.
 */
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
#include "algorithms/common/for_each_type.h"
