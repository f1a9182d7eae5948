/* SPDX-License-Identifier: Apache-2.0
 *
 * Build unit: histograms of whole rows of 4-byte types. There is one unit per element size, because the long functions
 * that count a row on CPUs depend only on the size and are compiled once per unit.
 */
/* These kernels prefetch further ahead than others: they find bins as fast as memory delivers samples, and a
 * thread's span is long (decision 026). */
#define IW_PREFETCH_DISTANCE 8192
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
