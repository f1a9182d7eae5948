#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/sort.sh cpu [THREADS [N...]] | gpu [top-k | merge] [LOG2_N...]
#
# Measures sorts on this machine: on the CPU beside std::stable_sort, std::sort(par), TBB and, where
# Debian's libhwy-dev is installed, Highway's vqsort (bench/sort.cc); on the GPU beside CUB (bench/sort.cu).
# Environment: BUILD the folder of a build (default: build), for the GPU one that has CUDA; ARCH nvcc's
# -arch (default: native).
set -eu
cd "$(dirname "$0")/.."
build_folder=${BUILD:-build}
library=$build_folder/.libs/libisowarp.a
[ -e "$library" ] || library=$build_folder/.libs/libisowarp.so
[ -e "$library" ] || { echo "sort.sh: $build_folder has no library; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
where=${1:-}
[ $# -eq 0 ] || shift
export LD_LIBRARY_PATH="$build_folder/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
case $where in
  cpu)
    vqsort=
    if echo '#include <hwy/contrib/sort/vqsort.h>' | ${CXX:-c++} -std=c++17 -fsyntax-only -x c++ - 2> "$out/errors"; then
      vqsort='-DBENCH_VQSORT -lhwy_contrib -lhwy'
    else
      echo "sort.sh: without Highway's vqsort, as libhwy-dev is not installed"
    fi
    # shellcheck disable=SC2086
    ${CXX:-c++} -O3 -march=native -std=c++17 -Iinclude -o "$out/sort" bench/sort.cc "$library" $vqsort -ltbb -lm -lpthread -fopenmp
    ;;
  gpu)
    nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -Iinclude -o "$out/sort" bench/sort.cu "$library" -lm -lpthread -Xcompiler -fopenmp
    ;;
  *) echo "usage: bench/sort.sh cpu [THREADS [N...]] | gpu [top-k | merge] [LOG2_N...]" >&2; exit 1 ;;
esac
"$out/sort" "$@"
