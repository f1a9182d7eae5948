#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/segments.sh [LOG2_N [PART]]
#
# Measures reductions of rows, of segments and by key on this machine's GPU beside CUB: builds
# bench/segments.cu with the library of a build folder that has CUDA, and runs it. Environment: BUILD the
# folder (default: build); ARCH nvcc's -arch (default: native).
set -eu
cd "$(dirname "$0")/.."
build_folder=${BUILD:-build}
[ -e "$build_folder/.libs/libisowarp.a" ] ||
  { echo "segments.sh: $build_folder has no library; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -Iinclude -o "$out/segments" bench/segments.cu \
  "$build_folder/.libs/libisowarp.a" -lm -lpthread -Xcompiler -fopenmp
"$out/segments" "$@"
