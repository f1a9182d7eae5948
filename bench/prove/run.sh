#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/prove/run.sh [BUILD]
#
# Measures what the kernel language costs: kernels beside hand-written twins, on the CPU with AVX2 and AVX-512
# if it has them, and on a GPU if there are nvcc and a device. Checks that the GPU's digests are equal to the
# CPU's. BUILD is a build folder with the static library (default: build).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build}
cc=${CC:-cc}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
[ -e "$build/.libs/libisowarp.a" ] ||
  { echo "run.sh: no $build/.libs/libisowarp.a: build with --enable-static" >&2; exit 1; }
libraries=$(sed -n "s/^Libs.private: //p" "$build/isowarp.pc")
include="-I$build/include -Iinclude -Isrc"
avx2='-mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt'
avx512="$avx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd"

for flags in "$avx2" "$avx512"; do
  case $flags in
    *avx512f*) isa=avx512dq;;
    *)         isa=avx2;;
  esac
  grep -qw "$isa" /proc/cpuinfo || { echo "skipped: this CPU does not have $isa"; continue; }
  # shellcheck disable=SC2086
  $cc -std=gnu11 -O3 -fopenmp -ffp-contract=off $flags $include bench/prove/prove.c \
    "$build/.libs/libisowarp.a" $libraries -o "$out/prove"
  OMP_WAIT_POLICY=passive "$out/prove" | tee "$out/cpu.$isa"
done

if command -v nvcc > /dev/null && [ -e /dev/nvidiactl ]; then
  # shellcheck disable=SC2086
  nvcc -O3 -std=c++17 -arch=native --fmad=false $include -o "$out/prove" bench/prove/prove.cu
  "$out/prove" | tee "$out/gpu"
  grep ^digest "$out/gpu" > "$out/gpu.digests"
  for cpu in "$out"/cpu.*; do
    grep ^digest "$cpu" | cmp - "$out/gpu.digests" && echo "equal bits: GPU and $(head -n 1 "$cpu")"
  done
else
  echo "skipped: nvcc or a GPU is missing"
fi
