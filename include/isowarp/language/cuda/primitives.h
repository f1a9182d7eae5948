/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: what only the library's own templates use, all topics. Included by
 * <isowarp/primitives.h>.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_PRIMITIVES_H
#define ISOWARP_LANGUAGE_CUDA_PRIMITIVES_H

#include <isowarp/language/cuda/floors.h>
#include <isowarp/language/cuda/rows.h>
#include <isowarp/language/cuda/row_segments.h>
#include <isowarp/language/cuda/row_flags.h>
#include <isowarp/language/cuda/scatter.h>
#include <isowarp/language/cuda/private_histogram.h>

#endif
