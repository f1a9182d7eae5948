#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clang 14.0.6 (Debian 12's package 1:14.0.6-12), OpenMP's scan directive in a parallel loop: what the
# variable holds before the loop and behind it.
#
# Expected: as with gcc, and as in a loop that nobody divides: the scan goes on from the variable's value,
# and the variable is the last prefix behind the loop.
# Seen: clang's parallel loop leaves the initial value out of all prefixes, and the variable keeps the value
# that it had before the loop. Its simd loop is right, so the same scan has other results if `simd` becomes
# `parallel for`. With an initial value of 0 only the variable behind the loop is wrong.
#
# Output: gcc first 11 last 18 variable 18, clang first 1 last 8 variable 10, clang simd first 11 last 18
# variable 18
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in clang-14=1:14.0.6-12 libomp-14-dev=1:14.0.6-12; do
  dpkg -s "${package%%=*}" 2> /dev/null | grep -qF "Version: ${package#*=}" ||
    apt-get -qq install -y --no-install-recommends "$package" > /dev/null
done
cat > scan.c << 'FILE'
#include <stdio.h>
int main(void)
{
  int prefix[8], sum = 10;
  #pragma omp LOOP reduction(inscan, + : sum)
  for (int i = 0; i < 8; i++) {
    sum += 1;
    #pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  printf("first %d last %d variable %d", prefix[0], prefix[7], sum);
}
FILE
run() { "$@" -O2 -fopenmp scan.c -o scan 2> /dev/null && OMP_NUM_THREADS=2 ./scan; }
seen="gcc $(run gcc '-DLOOP=parallel for'), clang $(run clang-14 '-DLOOP=parallel for'), clang simd $(run clang-14 -DLOOP=simd)"
echo "$seen"
test "$seen" = 'gcc first 11 last 18 variable 18, clang first 1 last 8 variable 10, clang simd first 11 last 18 variable 18'
