/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of <isowarp/math.h> for `isowarp verify`: runs a kernel of one where a context runs. */
#include <config.h>
#include "commands.h"
#include "../kernels/math_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef IW_HAVE_CUDA
static const math_build math_build_cuda = {
  "cuda", { FOR_MATH_FUNCTIONS(MATH_CUDA_ADDRESS) FOR_MATH_OPERATIONS(MATH_CUDA_ADDRESS) },
};
#endif
#define BUILD_ADDRESS(name) &math_build_##name,
static const math_build *const builds[] = {
  IW_FOR_ISAS(BUILD_ADDRESS) &math_build_sim,
#ifdef IW_HAVE_CUDA
  &math_build_cuda,
#endif
};

#define FORM(name, t, operands) { #name, #t, operands },
static const struct { const char *name, *type; int operands; } forms[] = {
  FOR_MATH_FUNCTIONS(FORM) FOR_MATH_OPERATIONS(FORM)
};

/* The index of a function of one or two operands among the forms, or -1. */
static int find_form(const char *name, iw_type type)
{
  for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(forms[i].name, name) == 0 && strcmp(forms[i].type, iw_type_name(type)) == 0 &&
        forms[i].operands <= 2)
      return (int)i;
  return -1;
}

/* The second operands: the first ones from their end, every second one rounded to an integer. */
static void second_operands(iw_type type, const void *first, size_t n, void *second)
{
  for (size_t i = 0; i < n; i++)
    if (type == IW_F32) {
      const float y = ((const float *)first)[n - 1 - i];
      ((float *)second)[i] = i & 1 ? rintf(y) : y;
    } else {
      const double y = ((const double *)first)[n - 1 - i];
      ((double *)second)[i] = i & 1 ? rint(y) : y;
    }
}

int run_math_function(iw_context *context, const char *name, const array *in, void *out)
{
  enum { BLOCK = 256 };
  const int form = find_form(name, in->type);
  const size_t bytes = in->n * iw_type_size(in->type);
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  const math_build *build = NULL;
  for (unsigned i = 0; i < sizeof builds / sizeof *builds; i++)
    if (strcmp(builds[i]->isa, info.isa) == 0)
      build = builds[i];
  if (form < 0 || build == NULL)
    return -1;
  void *there;
  iw_status status = iw_memory_allocate(context, 3 * bytes, &there);
  if (status != IW_OK)
    return status;
  void *const second = need(in->n, iw_type_size(in->type));
  second_operands(in->type, in->data, in->n, second);
  const math_args args = {
    .a = there, .b = (char *)there + bytes, .out = (char *)there + 2 * bytes, .n = in->n
  };
  status = iw_memory_copy(context, there, in->data, bytes);
  if (status == IW_OK)
    status = iw_memory_copy(context, (char *)there + bytes, second, bytes);
  if (status == IW_OK)
    status = iw_launch(context, build->kernels[form], (unsigned)((in->n + BLOCK - 1) / BLOCK), BLOCK, &args,
                       sizeof args);
  if (status == IW_OK)
    status = iw_memory_copy(context, out, args.out, bytes);
  const iw_status freed = iw_memory_free(context, there);
  free(second);
  return status == IW_OK ? freed : status;
}
