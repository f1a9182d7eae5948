/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the functions of <isowarp/math.h>. MATH_ISA is the instruction set of this build.
 */
#include <config.h>
#include <isowarp/math.h>
#include "math_kernels.h"

typedef struct { int unused; } nothing;

#define OPERAND(t, p) iw_load((const iws_##t *)(p) + here.first, here.valid)
#define APPLY_1(name, t) iw_##name(OPERAND(t, args->a))
#define APPLY_2(name, t) iw_##name(OPERAND(t, args->a), OPERAND(t, args->b))
#define APPLY_3(name, t) iw_##name(OPERAND(t, args->a), OPERAND(t, args->b), OPERAND(t, args->c))
#define KERNEL(name, t, operands) IW_KERNEL(math_##name##_##t, nothing, math_args) \
{ \
  IW_PHASE(warp) { \
    const iw_span here = iw_elements(warp, args->n); \
    iw_store((iws_##t *)args->out + here.first, APPLY_##operands(name, t), here.valid); \
  } \
}
FOR_MATH_FUNCTIONS(KERNEL)
FOR_MATH_OPERATIONS(KERNEL)

#ifndef __CUDACC__
#define ADDRESS(name, t, operands) &IW_KERNEL_NAME(math_##name##_##t),
extern const math_build IW_PASTE(math_build_, MATH_ISA);
#define MATH_STRING_(isa) #isa
#define MATH_STRING(isa) MATH_STRING_(isa)
const math_build IW_PASTE(math_build_, MATH_ISA) = {
  MATH_STRING(MATH_ISA), { FOR_MATH_FUNCTIONS(ADDRESS) FOR_MATH_OPERATIONS(ADDRESS) },
};
#endif
