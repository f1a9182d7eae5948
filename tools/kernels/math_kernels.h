/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the functions of <isowarp/math.h>, and of the language's operations beside them:
 * tools/kernels/math_kernels.c has them for each instruction set, for the simulated GPU and by nvcc. Needs
 * config.h in front. */
#ifndef TESTS_MATH_KERNELS_H
#define TESTS_MATH_KERNELS_H

#include <isowarp/descriptor.h>

/* out[i] = f(a[i]), or f(a[i], b[i]), or f(a[i], b[i], c[i]). */
typedef struct math_args { const void *a, *b, *c; void *out; size_t n; } math_args;

/* X(name, type, number of operands) */
#define FOR_MATH_FUNCTIONS(X) \
  X(exp, f32, 1) X(exp2, f32, 1) X(expm1, f32, 1) X(log, f32, 1) X(log2, f32, 1) X(log1p, f32, 1) \
  X(sin, f32, 1) X(cos, f32, 1) X(tanh, f32, 1) X(erf, f32, 1) X(pow, f32, 2) \
  X(exp, f64, 1) X(log, f64, 1) X(sin, f64, 1) X(cos, f64, 1)
#define FOR_MATH_OPERATIONS(X) \
  X(sqrt, f32, 1) X(rint, f32, 1) X(trunc, f32, 1) X(ceil, f32, 1) X(floor, f32, 1) X(fma, f32, 3) \
  X(sqrt, f64, 1) X(rint, f64, 1) X(trunc, f64, 1) X(ceil, f64, 1) X(floor, f64, 1) X(fma, f64, 3)

#define MATH_ENUM(name, t, operands) MATH_##name##_##t,
enum { FOR_MATH_FUNCTIONS(MATH_ENUM) MATH_FUNCTIONS };
enum { FOR_MATH_OPERATIONS(MATH_ENUM) MATH_OPERATIONS };

/* The kernels of a build: the functions, then the operations. */
typedef struct math_build {
  const char *isa;
  const iw_kernel *kernels[MATH_FUNCTIONS + MATH_OPERATIONS];
} math_build;
#define MATH_DECLARE_BUILD(isa) extern const math_build math_build_##isa;
IW_FOR_ISAS(MATH_DECLARE_BUILD)
MATH_DECLARE_BUILD(sim)
#ifdef IW_HAVE_CUDA
/* nvcc's object has the kernels only. */
#define MATH_CUDA_DECLARE(name, t, operands) extern const iw_kernel math_##name##_##t##_cuda;
#define MATH_CUDA_ADDRESS(name, t, operands) &math_##name##_##t##_cuda,
#ifdef __cplusplus
extern "C" {
#endif
FOR_MATH_FUNCTIONS(MATH_CUDA_DECLARE) FOR_MATH_OPERATIONS(MATH_CUDA_DECLARE)
#ifdef __cplusplus
}
#endif
#endif

#endif
