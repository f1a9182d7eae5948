/* SPDX-License-Identifier: Apache-2.0
 *
 * The intrinsics of AVX2. <immintrin.h> declares those of AVX-512 too, whatever the instruction set, and gcc
 * and clang take longer for them than for all of kernel.h. The headers of one set insist on being included
 * by <immintrin.h>, whose guard is therefore defined around them; a later #include <immintrin.h> declares
 * the rest. Included by registers_256.h.
 */
#ifndef ISOWARP_LANGUAGE_CPU_INTRINSICS_H
#define ISOWARP_LANGUAGE_CPU_INTRINSICS_H

#if defined(__has_include) && !defined(__AVX512F__) && !defined(__INTEL_LLVM_COMPILER)
#if __has_include(<avx2intrin.h>) && defined(__clang__) && !defined(__IMMINTRIN_H)
#define IW_IMMINTRIN_GUARD_ 1
#define __IMMINTRIN_H
#elif __has_include(<avx2intrin.h>) && !defined(__clang__) && !defined(_IMMINTRIN_H_INCLUDED)
#define IW_IMMINTRIN_GUARD_ 2
#define _IMMINTRIN_H_INCLUDED
#endif
#endif

#ifdef IW_IMMINTRIN_GUARD_
#include <smmintrin.h>
#include <avxintrin.h>
#include <avx2intrin.h>
#include <fmaintrin.h>
#include <f16cintrin.h>
#if IW_IMMINTRIN_GUARD_ == 1
#undef __IMMINTRIN_H
#else
#undef _IMMINTRIN_H_INCLUDED
#endif
#undef IW_IMMINTRIN_GUARD_
#else
#include <immintrin.h>
#endif

#endif
