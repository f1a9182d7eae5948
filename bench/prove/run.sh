#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The proof of the kernel language, as far as this machine can: on the CPU with AVX-512 and AVX2 where it has them, on a GPU
# where there is nvcc and a device. Equal "digest" lines are equal bits. Wants a library built in $1 (default: build).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build}
cc=${CC:-cc}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
avx2='-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt'
for set in "$avx2" "$avx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd"; do
  case $set in *avx512f*) flag=avx512dq;; *) flag=avx2;; esac
  grep -qw "$flag" /proc/cpuinfo || { echo "no $flag here: skipped"; continue; }
  # shellcheck disable=SC2086
  $cc -std=gnu11 -O3 -fopenmp -ffp-contract=off $set -Iinclude bench/prove/prove.c "$build/.libs/libisowarp.a" \
    $(sed -n "s/^Libs.private: //p" "$build/isowarp.pc") -o "$out/prove"
  OMP_WAIT_POLICY=passive "$out/prove" | tee "$out/cpu.$flag"
done
if command -v nvcc > /dev/null && [ -e /dev/nvidiactl ]; then
  nvcc -O3 -std=c++17 -arch=native --fmad=false -Iinclude -o "$out/prove" bench/prove/prove.cu
  "$out/prove" | tee "$out/gpu"
  grep ^digest "$out/gpu" > "$out/gpu.digests"
  for cpu in "$out"/cpu.*; do
    grep ^digest "$cpu" | cmp - "$out/gpu.digests" && echo "equal bits: GPU and $(head -1 "$cpu")"
  done
else
  echo "no nvcc or no GPU here: the GPU's side skipped"
fi
