#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The scan's tuning numbers on this machine's GPU: each line is one choice, in GB/s (read + written; reductions: read). Lines
# of one type must have the same digest. Usage: bench/tune.sh [CHOICE...], a choice being
# "T[,reduce|,segmented] tiles warps trail early blocks [MORE]".
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- \
  "f32 1 4 2 0 5" "f32 2 8 2 0 3" "f32 2 8 1 0 3 -DSCAN_EARLY_TICKET=0" "f64 1 8 2 0 2" "f64 1 8 1 0 3 -DSCAN_EARLY_TICKET=0" \
  "f32,segmented 1 4 2 0 6" "f32,reduce 2 8 1 0 3" "f64,reduce 1 8 1 0 3"
printf '%s\n' "$@" > "$out/choices"
build() {
  reduce= numbers=
  case $1 in *,reduce) reduce=-DREDUCE;; *,segmented) reduce=-DSEGMENTED;; esac
  for of in SCAN REDUCE SEGMENTED; do
    numbers="$numbers -D${of}_TILES(size)=$2 -D${of}_WARPS(size)=$3 -D${of}_BLOCKS(size)=$6"
  done
  # shellcheck disable=SC2086
  nvcc -O3 -std=c++17 -arch="${ARCH:-native}" --fmad=false -diag-suppress=177 -Iinclude -DT="${1%,*}" $reduce $numbers \
    -DSCAN_PIPELINE_DEPTH="$4" -DSCAN_STAGE_AT_LOAD="$5" ${7:+"$7"} -o "$out/$(echo "$*" | tr ' ,' '__')" bench/tune.cu
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
