# SPDX-License-Identifier: Apache-2.0
#
# For rejects.sh and cuda_lanes.sh, which read this file with `.`: a kernel around a few statements.

# write_snippet FILE IN_PHASE [AFTER_PHASE]: writes a kernel that has the statements in a phase and after it.
write_snippet() {
  cat > "$1" << END
#include <isowarp/kernel.h>
typedef struct { int unused; } snippet_shared;
typedef struct { float *x; uint32_t *i; size_t n; } snippet_args;
IW_KERNEL(snippet, snippet_shared, snippet_args)
{
  IW_VAR(iw_f32, saved);
  IW_PHASE(warp) {
    iw_pred p = iw_active(warp);
    iw_f32 a = iw_load(args->x, p), b = iw_splat(1.0f);
    iw_u32 i = iw_load(args->i, p);
    IW_MY(saved) = a;
    $2
    iw_store(args->x, iw_add(a, b), p);
    iw_store(args->i, i, p);
  }
  ${3-}
}
END
}
