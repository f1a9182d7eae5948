/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT "binning.h"
#include "../kernels/for_each_type.h"
#undef TEXT
#define TEXT "mark.h"
#include "../kernels/for_each_type.h"
#undef TEXT
#define T u32
#include "../kernels/place.h"
#undef T
#define T u64
#include "../kernels/place.h"
