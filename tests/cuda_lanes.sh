#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nvcc with -DIW_CHECK_LANES rejects what the kernel language forbids, as a C compiler does for the CPU (rejects.sh), and
# accepts the examples and the library's own kernel templates. Nothing runs, so no GPU is needed. Skipped without nvcc.
# Environment: NVCC; ISOWARP_TEST_BRIEF=1 leaves out the library's templates, which take a minute.
set -u
srcdir=${srcdir:-.}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "cuda_lanes.sh: skipped, there is no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
flags="-x cu -std=c++17 --fmad=false -arch=sm_90 -diag-suppress=177 -DIW_CHECK_LANES -I$srcdir/include -Iinclude -I$srcdir/src -I$srcdir"

snippet() { # STATEMENTS
  cat > "$work/snippet.cu" << END
#include <isowarp/kernel.h>
typedef struct { int unused; } snippet_shared;
typedef struct { float *x; uint32_t *i; size_t n; } snippet_args;
IW_KERNEL(snippet, snippet_shared, snippet_args)
{
  IW_VAR(iw_f32, kept);
  IW_PHASE(warp) {
    iw_pred p = iw_active(warp);
    iw_f32 a = iw_load(args->x, p), b = iw_splat(1.0f);
    iw_u32 i = iw_load(args->i, p);
    IW_MY(kept) = a;
    $1
    iw_store(args->x, iw_add(a, b), p);
    iw_store(args->i, i, p);
  }
}
END
}
# Types are checked by nvcc's front end; phases that are left early by ptxas, which --cubin runs too.
compiles() { snippet "$1"; $nvcc $flags --cubin -o "$work/out" "$work/snippet.cu" > "$work/log" 2>&1; }
takes() {
  if compiles "$1"; then echo "compiles: $1"; else echo "DOES NOT COMPILE, and should: $1"; cat "$work/log"; status=1; fi
}
rejects() { # STATEMENTS [what the message has to contain]
  if compiles "$1"; then echo "COMPILES, and should not: $1"; status=1
  elif ! grep -q "error\|fatal" "$work/log" || ! grep -q -- "${2:-snippet.cu}" "$work/log"; then
    echo "REJECTED WITHOUT A CLEAR MESSAGE: $1"; cat "$work/log"; status=1
  else echo "rejected: $1"; fi
}

takes 'a = iw_add(a, b);'
takes 'if (args->n > 1) a = b;'
takes 'if (iw_any(p)) a = iw_select(p, a, b);'
takes 'if (iw_wanted(p)) iw_store(args->x, a, p);'
takes 'for (unsigned k = 0; k < args->n; k++) { if (k == 7) break; a = iw_add(a, b); }'
takes 'if (args->n == 1) continue;'
rejects 'a = a + b;'
rejects 'i = i << 1;'
rejects 'if (p) a = b;'
rejects 'a = p ? a : b;'
rejects 'while (p) a = b;'
rejects 'p = p && p;'
rejects 'if (iw_lt(a, b)) a = b;'
rejects 'a = iw_add(a, i);'
rejects 'i = iw_shl(a, i);'
rejects 'i = iw_floor(i);'
rejects 'a = iw_load(args->i, p);'
rejects 'iw_global_add(args->x, i, a, p);'
rejects 'a = iw_select(a, a, b);'
rejects 'if (args->n == 1) return;' 'leaves_the_phase_of_line_7'
rejects 'if (args->n == 1) break;' 'leaves_the_phase_of_line_7'

accepted() { # FILE
  if $nvcc $flags --ptx -o "$work/out" "$1" > "$work/log" 2>&1; then echo "compiles: ${1#"$srcdir"/}"
  else echo "DOES NOT COMPILE, and should: $1"; cat "$work/log"; status=1; fi
}
for file in "$srcdir"/examples/*.c; do
  if grep -q 'isowarp/kernel.h' "$file"; then accepted "$file"; fi
done
if [ "${ISOWARP_TEST_BRIEF:-0}" = 0 ]; then
  for file in "$srcdir"/src/cuda/k_*.cu; do accepted "$file"; done
fi
exit $status
