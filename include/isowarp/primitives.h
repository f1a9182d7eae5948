/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISOWARP_PRIMITIVES_H
#define ISOWARP_PRIMITIVES_H

#include <isowarp/kernel.h>
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#endif
#if defined(__CUDACC__)
#if __has_include(<isowarp/language/cuda/primitives.h>)
#include <isowarp/language/cuda/primitives.h>
#endif
#elif __has_include(<isowarp/language/cpu/primitives.h>)
#include <isowarp/language/cpu/primitives.h>
#endif
#include <isowarp/language/untyped_primitives.h>
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

#endif
