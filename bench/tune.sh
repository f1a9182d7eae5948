#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/tune.sh [CHOICE...]
#
# Measures choices of the scan's tuning numbers on this machine's GPU. Prints one line per choice: the speed
# in GB/s at four sizes (bytes read and written; reductions: read) and a digest, which has to be equal on
# all lines of one type. CHOICE is "T[,reduce|,segmented] TILES WARPS DEPTH STAGE_AT_LOAD BLOCKS [OPTION]",
# the numbers of src/algorithms/scan/tuning_cuda.h in this order, and one more option of the compiler.
# Environment: BUILD a build folder that configure has made (default: build); ARCH nvcc's -arch (default:
# native).
set -eu
cd "$(dirname "$0")/.."
build_folder=${BUILD:-build}
[ -e "$build_folder/include/isowarp/algorithms" ] ||
  { echo "tune.sh: $build_folder is not a build folder; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- \
  "f32 1 4 2 0 5" "f32 2 8 2 0 3" "f32 2 8 1 0 3 -DSCAN_EARLY_TICKET=0" \
  "f64 1 8 2 0 2" "f64 1 8 1 0 3 -DSCAN_EARLY_TICKET=0" \
  "f32,segmented 1 4 2 0 6" "f32,reduce 1 16 2 0 2" "f64,reduce 1 16 2 0 2" \
  "f32,reduce 1 8 2 0 4" "f64,reduce 1 8 2 0 4"
printf '%s\n' "$@" > "$out/choices"

compile() { # T TILES WARPS DEPTH STAGE_AT_LOAD BLOCKS [OPTION]
  kernel=""
  numbers=""
  case $1 in
    *,reduce)    kernel=-DREDUCE;;
    *,segmented) kernel=-DSEGMENTED;;
  esac
  for prefix in SCAN SEGMENTED; do numbers="$numbers -D${prefix}_TILES(size)=$2"; done # a reduction has 1
  for prefix in SCAN REDUCE SEGMENTED; do
    numbers="$numbers -D${prefix}_WARPS(size)=$3 -D${prefix}_BLOCKS(size)=$6"
  done
  # shellcheck disable=SC2086
  nvcc -O3 -std=c++17 -arch="${ARCH:-native}" --fmad=false -diag-suppress=177 \
    -I"$build_folder/include" -Iinclude -DT="${1%,*}" $kernel $numbers \
    -DSCAN_PIPELINE_DEPTH="$4" -DSCAN_STAGE_AT_LOAD="$5" ${7:+"$7"} \
    -o "$out/$(echo "$*" | tr ' ,' '__')" bench/tune.cu
}

jobs=0
while read -r choice; do
  # shellcheck disable=SC2086
  compile $choice &
  jobs=$((jobs + 1))
  [ $((jobs % $(nproc))) -gt 0 ] || wait
done < "$out/choices"
wait
while read -r choice; do
  printf '%-13s ' "${choice%% *}"
  "$out/$(echo "$choice" | tr ' ,' '__')" || echo "failed: $choice"
done < "$out/choices"
