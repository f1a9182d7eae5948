/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel language on CUDA: the core, all topics. The counterpart of language/cpu/cpu.h: the same names,
 * topic by topic, in files of the same names. Included by <isowarp/kernel.h> only; what the library's
 * templates use besides is in primitives.h.
 *
 * Each file writes code once as a C++ template over the scalar type S, and the operator op where there is
 * one; short macros then give it the language's names, one per lane type (iw_row_issue_f32 and so on). They
 * are macros because a user's IW_OPERATOR makes the same names for an operator of his own.
 */
#ifndef ISOWARP_LANGUAGE_CUDA_H
#define ISOWARP_LANGUAGE_CUDA_H

#include <isowarp/language/cuda/lanes.h>
#include <isowarp/language/cuda/bits.h>
#include <isowarp/language/cuda/conversions.h>
#include <isowarp/language/cuda/shuffles.h>
#include <isowarp/language/cuda/memory.h>
#include <isowarp/language/cuda/atomics.h>
#include <isowarp/language/cuda/block.h>
#include <isowarp/language/cuda/grid.h>
#include <isowarp/language/cuda/kernel.h>

#endif
