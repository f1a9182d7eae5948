/* SPDX-License-Identifier: Apache-2.0 */
/* Build unit: histograms of whole rows of types of 1 and 2 bytes by shared-memory atomics. */
#include "algorithms/histogram/tuning_cuda.h"
#define T u8
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T u16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T i16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T f16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
#define T bf16
#include "algorithms/histogram/bin_index.h"
#include "algorithms/histogram/shared_atomics.h"
#undef T
