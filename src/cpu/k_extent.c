/* SPDX-License-Identifier: Apache-2.0 */
#define TEXT "extent.h"
#include "../kernels/for_each_sample.h"
