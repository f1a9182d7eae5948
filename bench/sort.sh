#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/sort.sh [THREADS [N...]]
#
# Measures sorts on this machine's CPU beside std::stable_sort, std::sort(par), TBB and, where Debian's
# libhwy-dev is installed, Highway's vqsort (bench/sort.cc). Environment: BUILD the folder of a build (default:
# build).
set -eu
cd "$(dirname "$0")/.."
build_folder=${BUILD:-build}
library=$build_folder/.libs/libisowarp.a
[ -e "$library" ] || library=$build_folder/.libs/libisowarp.so
[ -e "$library" ] || { echo "sort.sh: $build_folder has no library; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
vqsort=
if echo '#include <hwy/contrib/sort/vqsort.h>' | ${CXX:-c++} -std=c++17 -fsyntax-only -x c++ - 2> "$out/errors"; then
  vqsort='-DBENCH_VQSORT -lhwy_contrib -lhwy'
else
  echo "sort.sh: without Highway's vqsort, as libhwy-dev is not installed"
fi
# shellcheck disable=SC2086
${CXX:-c++} -O3 -march=native -std=c++17 -Iinclude -o "$out/sort" bench/sort.cc "$library" $vqsort -ltbb -lm -lpthread -fopenmp
export LD_LIBRARY_PATH="$build_folder/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$out/sort" "$@"
