/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT "binning.h"
#include "../kernels/for_each_type.h"
#undef TEXT
#define TEXT "multisplit.h"
#include "../kernels/for_each_type.h"
