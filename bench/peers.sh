#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/peers.sh [THREADS [LOG2_N...]]
#
# Measures calls on this machine's CPU beside peers from packages (bench/peers.cc): Debian's libtbb-dev,
# libboost-dev and libhwy-dev, and NumPy, whose sort is x86-simd-sort from version 2.0 on; what is not
# installed is left out. `make bench-peers` runs it. Environment: MARCH the processor that peers are compiled
# for (default: native; isowarp uses the set of its build, so compare avx2 with haswell); BUILD the folder of
# a build (default: build); CXX; PYTHON (default: python3); X86_SIMD_SORT a checkout of it, which then runs
# with all threads; ROWS a part of the names of the rows that are wanted.
set -eu
cd "$(dirname "$0")/.."
build_folder=${BUILD:-build}
library=$build_folder/.libs/libisowarp.so
[ -e "$library" ] || { echo "peers.sh: $build_folder has no shared library; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags='' libraries='' include=${X86_SIMD_SORT:+-I$X86_SIMD_SORT/src}
# try NAME HEADER MACRO LIBRARIES
try() {
  # shellcheck disable=SC2086
  if echo "#include <$2>" | ${CXX:-c++} -std=c++17 -march="${MARCH:-native}" $include -fsyntax-only -x c++ - 2> "$out/errors"; then
    flags="$flags -D$3" libraries="$libraries $4"
    echo "with $1"
  else
    echo "without $1, as <$2> is not installed"
  fi
}
try oneTBB tbb/parallel_sort.h BENCH_TBB -ltbb
try Boost.Sort boost/sort/sort.hpp BENCH_BOOST ''
try "Highway's vqsort" hwy/contrib/sort/vqsort.h BENCH_VQSORT '-lhwy_contrib -lhwy'
try x86-simd-sort x86simdsort-static-incl.h BENCH_XSS ''
# shellcheck disable=SC2086
${CXX:-c++} -O3 -march="${MARCH:-native}" -ffast-math -std=c++17 -Iinclude $include $flags -o "$out/peers" bench/peers.cc "$library" $libraries \
  -lm -lpthread -fopenmp
numpy=
if ${PYTHON:-python3} bench/peers_numpy.py "$@" > "$out/numpy" 2> "$out/errors"; then
  numpy=--numpy=$out/numpy
  echo "with $(head -n 1 "$out/numpy")"
  sed -i 1d "$out/numpy"
else
  echo "without NumPy, which ${PYTHON:-python3} does not have"
fi
export LD_LIBRARY_PATH="$build_folder/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# shellcheck disable=SC2086
"$out/peers" $numpy "$@"
