/* SPDX-License-Identifier: Apache-2.0 */
#define IW_WARP_SIZE 64
#define IW_USE_VBMI 0 /* as on processors that cannot sort bytes */
#include "language_kernels.h"
