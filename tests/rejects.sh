#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel language forbids does not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

compiles() { # STATEMENTS
  cat > "$work/snippet.c" << END
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
  for vm in -DIW_LANES_GENERIC ''; do
    $CC -std=c11 -Wno-psabi -ffp-contract=off -I"$srcdir/include" $vm -fsyntax-only "$work/snippet.c" || return 1
  done
}

takes() {
  if compiles "$1"; then echo "compiles: $1"; else echo "DOES NOT COMPILE, and should: $1"; status=1; fi
}
rejects() {
  if compiles "$1" 2> /dev/null; then echo "COMPILES, and should not: $1"; status=1; else echo "rejected: $1"; fi
}

takes 'a = iw_add(a, b);'
takes 'if (args->n > 1) a = b;'
takes 'if (iw_any(p)) a = iw_select(p, a, b);'
rejects 'a = a + b;'                            # operators are C's, and the CPU's lanes are structs
rejects 'i = i << 1;'
rejects 'if (p) a = b;'                         # lanes do not branch
rejects 'a = p ? a : b;'
rejects 'while (p) a = b;'
rejects 'p = p && p;'
rejects 'if (iw_lt(a, b)) a = b;'
rejects 'a = iw_add(a, i);'                     # types do not mix
rejects 'a = iw_add(a, 1.0f);'
rejects 'i = iw_shl(a, i);'                     # integers only
rejects 'i = iw_floor(i);'                      # floats only
rejects 'a = iw_load(args->i, p);'              # memory has the type of the lanes
rejects 'iw_global_add(args->x, i, a, p);'      # atomics are for integers
rejects 'a = iw_select(a, a, b);'               # a predicate chooses
rejects 'a = kept;'                             # a variable of all warps is none of this warp
exit $status
