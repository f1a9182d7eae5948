#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gcc 12.2.0 (Debian's packages 12.2.0-14+deb12u1), OpenMP's scan directive in a simd loop.
#
# Expected: an inclusive scan of floats by `omp simd reduction(inscan, +: s)` adds in the order of the
# loop, since each prefix is stored, and gcc does not reassociate floats without -ffast-math.
# Seen: the directive is the permission. Each vector is scanned by a tree, whose width is that of the
# target: -mavx2 and -mavx512f give other bits than SSE2 does, already at -O1. Without -fopenmp-simd, or at
# -O0, the sums are those of the plain loop.
#
# Output, last prefix: plain 4bbcbf39 sse2 4bbcbf3f avx2 4bbcbf4e avx512 4bbcbf5f (the last one only where
# the processor has it)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=12.2.0-14+deb12u1
apt-get -qq download gcc-12=$version cpp-12=$version libgcc-12-dev=$version 2> /dev/null
for package in *.deb; do dpkg -x "$package" gcc; done
cat > scan.c << 'END'
#include <stdio.h>
#include <string.h>
enum { n = 1 << 16 };
static float x[n], y[n];
int main(void)
{
  unsigned random = 1, bits;
  for (int i = 0; i < n; i++) {
    random = random * 1664525u + 1013904223u;
    x[i] = (int)(random >> 8) * 1e-3f - 8000;
  }
  float s = 0;
  #pragma omp simd reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i];
    #pragma omp scan inclusive(s)
    y[i] = s;
  }
  memcpy(&bits, &y[n - 1], sizeof bits);
  printf("%08x\n", bits);
}
END
last_prefix() { gcc/usr/bin/gcc-12 -O2 "$@" -o scan scan.c && ./scan; }
seen="plain $(last_prefix) sse2 $(last_prefix -fopenmp-simd)"
wanted='plain 4bbcbf39 sse2 4bbcbf3f'
if grep -qw avx2 /proc/cpuinfo; then
  seen+=" avx2 $(last_prefix -fopenmp-simd -mavx2)"
  wanted+=' avx2 4bbcbf4e'
fi
if grep -qw avx512f /proc/cpuinfo; then
  seen+=" avx512 $(last_prefix -fopenmp-simd -mavx512f)"
  wanted+=' avx512 4bbcbf5f'
fi
echo "$seen"
test "$seen" = "$wanted"
