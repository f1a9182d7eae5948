/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: counting bits of integer lanes. Mirrors language/cpu/bits.h. Needs lanes.h only.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_BITS_H
#define ISOWARP_LANGUAGE_CUDA_BITS_H

#include <isowarp/language/cuda/lanes.h>

#endif
