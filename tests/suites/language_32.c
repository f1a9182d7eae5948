/* SPDX-License-Identifier: Apache-2.0 */
#define IW_WARP_SIZE 32
#include "language_kernels.h"
