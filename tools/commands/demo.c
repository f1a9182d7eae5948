/* SPDX-License-Identifier: Apache-2.0
 *
 * isowarp demo. The kernels and the expected values are in examples/. */
#include "commands.h"
#include "../../examples/demo.h"

#include <stdio.h>
#include <string.h>

int run_demo(const settings *s)
{
  if (s->operand_count > 1)
    fail("'demo' takes one NAME, but there is also '%s'", s->operands[1]);
  const char *name = s->operand_count ? s->operands[0] : NULL;
  iw_context *context = open_context(s);
  iw_context_info info = { .size = sizeof info };
  must(iw_context_get_info(context, &info));
  if (info.backend == IW_BACKEND_CUDA && s->warp_size && s->warp_size != 32)
    fail("--warp-size: a warp of CUDA has 32 lanes, not %u", s->warp_size);
  int result = isowarp_demo_run(context, name, s->warp_size, stdout);
  iw_context_close(context);
  if (result == 2) {
    char list[400] = "";
    for (unsigned i = 0; isowarp_demo_name(i) != NULL; i++)
      if (strlen(list) + strlen(isowarp_demo_name(i)) + 3 < sizeof list)
        strcat(strcat(list, i ? ", " : ""), isowarp_demo_name(i));
    fail("unknown demo '%s'; there are: %s", name, list);
  }
  return result == 0 ? STATUS_GOOD : STATUS_CHECK_FAILED;
}
