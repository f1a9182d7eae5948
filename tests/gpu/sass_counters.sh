#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The instructions that the simulated GPU counts are those that nvcc makes (src/sim/counters.def): kernels
# with one operation each are disassembled, and the numbers of loads, stores, atomics, barriers, shuffles
# and votes compared. Nothing runs on a GPU. Environment: NVCC, empty in a build without CUDA; CUOBJDUMP the
# program, which calls nvdisasm; COUNT_PROBES. Skipped where one of them or Python is missing.
set -u
srcdir=${srcdir:-.}
nvcc=${NVCC-}
python=${PYTHON-python3}
probes=${COUNT_PROBES-tests/gpu/count_probes}
[ -n "$nvcc" ] || { echo "skipped: this build has no CUDA"; exit 77; }
cuobjdump=${CUOBJDUMP-$(dirname "$(command -v "${nvcc%% *}")")/cuobjdump}
command -v "$cuobjdump" > /dev/null || { echo "skipped: there is no $cuobjdump"; exit 77; }
command -v "${python:-python3}" > /dev/null || { echo "skipped: there is no Python"; exit 77; }
[ -x "$probes" ] || { echo "skipped: there is no $probes"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$nvcc -std=c++17 -O3 --fmad=false -arch=sm_90 -cubin -diag-suppress=177 -I"$srcdir/include" -Iinclude -I"$srcdir/src" \
  -I"$srcdir/tests" -x cu -o "$work/kernels.cubin" "$srcdir/tests/counters/kernels.c" || exit 1
PATH=$(dirname "$cuobjdump"):$PATH "$cuobjdump" -sass "$work/kernels.cubin" > "$work/sass" || exit 1
"$probes" sim > "$work/counts" || exit 1
"${python:-python3}" "$srcdir/tests/gpu/sass_counters.py" "$srcdir/src/sim/counters.def" "$work/sass" "$work/counts" \
  "$srcdir/tests/counters/cases.h"
