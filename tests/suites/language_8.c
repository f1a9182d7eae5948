/* SPDX-License-Identifier: Apache-2.0 */
#define IW_WARP_SIZE 8
#include "language_kernels.h"
