/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithms/multisplit/multisplit_kernel.h"
