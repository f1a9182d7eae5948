#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the CUDA backend with a CUDA runtime that fails (tests/scripts/cuda_faults.c), which needs CUDA's
# headers but no GPU, and runs it.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

nvcc=${NVCC:-nvcc}
nvcc=$(command -v "${nvcc%% *}" 2> /dev/null || echo /usr/local/cuda/bin/nvcc)
include=$(dirname "$(dirname "$nvcc")")/include
[ -f "$include/cuda_runtime_api.h" ] || { echo "no headers of CUDA in $include"; exit 77; }
[ -n "$CHECK_LIBS" ] || { echo "no Check"; exit 77; }

# backend.c defines what the library's own, or its stub, does: these stay in the archive.
# shellcheck disable=SC2086
$CC -std=gnu11 $CFLAGS $OPENMP_CFLAGS $CHECK_CFLAGS -I. -Iinclude -I"$srcdir/include" -I"$srcdir/src" -I"$srcdir/tests/suites" \
  -I"$include" -DIW_CUDA_ARCHES='"90"' "$srcdir/tests/scripts/cuda_faults.c" "$srcdir/src/cuda/backend.c" .libs/libwhole.a \
  -o "$work/cuda_faults" $CHECK_LIBS -lm -lpthread || exit 1
"$work/cuda_faults"
