/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/histogram/nd_weighted_kernels.h"
