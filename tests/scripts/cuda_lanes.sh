#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nvcc with -DIW_CHECK_LANES rejects what the kernel language forbids, as a C compiler does for CPUs
# (rejects.sh), and accepts the examples and the library's kernel templates. Nothing runs, so no GPU is
# needed. Environment: NVCC, empty in a build without CUDA, where this is skipped.
set -u
srcdir=${srcdir:-.}
nvcc=${NVCC-}
[ -n "$nvcc" ] || { echo "skipped: this build has no CUDA"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
flags="-x cu -std=c++17 --fmad=false -arch=sm_90 -diag-suppress=177 -DIW_CHECK_LANES"
flags="$flags -I$srcdir/include -Iinclude -I$srcdir/src -I$srcdir"
. "$srcdir/tests/scripts/snippet.sh"

# Reports a failure, with nvcc's messages.
failed() { # MESSAGE
  echo "$1"
  cat "$work/log"
  status=1
}

# nvcc's front end checks types. ptxas, which --cubin runs too, finds phases that are left early.
compiles() { # STATEMENTS
  write_snippet "$work/snippet.cu" "$1"
  $nvcc $flags --cubin -o "$work/out" "$work/snippet.cu" > "$work/log" 2>&1
}
accepts() { # STATEMENTS
  if compiles "$1"; then echo "compiles: $1"; else failed "DOES NOT COMPILE, and should: $1"; fi
}
rejects() { # STATEMENTS [a part of the message]
  if compiles "$1"; then failed "COMPILES, and should not: $1"
  elif ! grep -q "error\|fatal" "$work/log" || ! grep -q -- "${2:-snippet.cu}" "$work/log"; then
    failed "REJECTED WITHOUT A CLEAR MESSAGE: $1"
  else echo "rejected: $1"; fi
}

accepts 'a = iw_add(a, b);'
accepts 'enum { TWO = 2 }; i = iw_mul(i, TWO); a = iw_select(p, a, TWO); iw_store(args->i, TWO, p);'
accepts 'if (args->n > 1) a = b;'
accepts 'if (iw_any(p)) a = iw_select(p, a, b);'
accepts 'if (iw_wanted(p)) iw_store(args->x, a, p);'
accepts 'for (unsigned k = 0; k < args->n; k++) { if (k == 7) break; a = iw_add(a, b); }'
accepts 'if (args->n == 1) continue;'
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
rejects 'a = iw_fma(a, i, a);'
rejects 'a = iw_load(args->i, p);'
rejects 'iw_global_add(args->x, i, a, p);'
rejects 'a = iw_select(a, a, b);'
rejects 'if (args->n == 1) return;' 'leaves_the_phase_of_line_7'
rejects 'if (args->n == 1) break;' 'leaves_the_phase_of_line_7'

# These are large, and take a third of the time so. With less optimisation phases count as left early.
case $($nvcc --help) in *--Ofast-compile*) fast=--Ofast-compile=mid ;; *) fast= ;; esac
accepts_file() { # FILE
  if $nvcc $flags $fast --ptx -o "$work/out" "$1" > "$work/log" 2>&1; then echo "compiles: ${1#"$srcdir"/}"
  else failed "DOES NOT COMPILE, and should: $1"; fi
}
for file in "$srcdir"/examples/*.c; do
  if grep -q 'isowarp/kernel.h' "$file"; then accepts_file "$file"; fi
done
# The others have the same templates for other operators and types.
for unit in scan_sum segmented scan_rows scan_long_rows reduce_segments_sum histogram_small histogram_rows_32 \
  histogram_partition partition multisplit sort sorted top_k exact_sum nd value_range; do
  accepts_file "src/kernels/$unit.c"
done
exit $status
