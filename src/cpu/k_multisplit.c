/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/multisplit/radix_split_kernel.h"
