/* SPDX-License-Identifier: Apache-2.0 */
/* Other kernels of bucket ids are with the histogram or with a user's rule. */
#include "algorithms/multisplit/radix_split_kernel.h"
#include "algorithms/multisplit/pivot_ids.h"
