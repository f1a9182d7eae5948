#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The scan's tuning numbers on this machine's GPU: each line is one choice, in GB/s (read + written; reductions: read). Lines
# of one type must have the same digest. Usage: bench/tune.sh [CHOICE...], a choice being
# "T[,reduce] tiles warps trail early blocks [MORE]".
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- \
  "f32 1 4 1 0 6" "f32 2 8 1 0 3" "f32 4 8 1 0 2" "f64 1 8 1 0 3" "f64 2 8 1 0 2" "f32,reduce 2 8 1 0 3" "f64,reduce 1 8 1 0 3"
printf '%s\n' "$@" > "$out/choices"
build() {
  reduce=
  case $1 in *,reduce) reduce=-DREDUCE;; esac
  nvcc -O3 -std=c++17 -arch="${ARCH:-native}" --fmad=false -diag-suppress=177 -Iinclude -DT="${1%,*}" $reduce \
    "-DSCAN_TILES(size)=$2" "-DREDUCE_TILES(size)=$2" "-DSCAN_WARPS(size)=$3" "-DREDUCE_WARPS(size)=$3" -DSCAN_TRAIL="$4" -DSCAN_PARK_EARLY="$5" "-DSCAN_BLOCKS(size)=$6" "-DREDUCE_BLOCKS(size)=$6" \
    ${7:+"$7"} -o "$out/$(echo "$*" | tr ' ,' '__')" bench/tune.cu
}
jobs=0
while read -r choice; do
  # shellcheck disable=SC2086
  build $choice &
  jobs=$((jobs + 1))
  [ $((jobs % $(nproc))) -gt 0 ] || wait
done < "$out/choices"
wait
while read -r choice; do
  printf '%-11s ' "${choice%% *}"
  "$out/$(echo "$choice" | tr ' ,' '__')" || echo "failed: $choice"
done < "$out/choices"
