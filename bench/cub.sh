#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/cub.sh [OUT.csv [SIZES [PART OF A NAME]]]
#
# Measures calls on this machine's GPU beside the newest CUB (bench/cub.cu, bench/cub_rows.cu), plain and in
# CUDA graphs, and compares the results. SIZES: log2 of n, 28,24,20,16 unless given. Environment: CCCL the
# folder of CCCL's headers, which has cub/, cuda/ and thrust/; BUILD the folder of a build that has CUDA
# (default: build beside bench); ARCH nvcc's -arch (default: native); JOBS how many files compile at a time
# (default: 4); OBJECTS a folder for the objects: if they are there, nothing is compiled. With ARCH=sm_90
# they can be made on a machine without a GPU, where the program then fails.
set -eu
top=$(dirname "$0")/..
build_folder=${BUILD:-$top/build}
if ! [ -e "${CCCL:-}/cub/version.cuh" ]; then
  cat >&2 << 'END'
cub.sh: set CCCL to the folder of the headers of CCCL 3.6 or later, which has cub/, cuda/ and thrust/. A
  package of PyPI has them, in cccl/cuda/cccl/headers/include after
  pip download --no-deps cuda-cccl==1.2.1 && python3 -m zipfile -e cuda_cccl-1.2.1-*.whl cccl
END
  exit 1
fi
library=$build_folder/.libs/libisowarp.a
[ -e "$library" ] || library=$build_folder/.libs/libisowarp.so
[ -e "$library" ] || { echo "cub.sh: $build_folder has no library; set BUILD" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
objects=${OBJECTS:-$out}
mkdir -p "$objects"
# The folder of CCCL comes before the toolkit's, which has an older one.
compile="nvcc -std=c++17 -O3 -arch=${ARCH:-native} -diag-suppress=177 -I$top/include -I$CCCL -c"
if ! [ -e "$objects/cub.o" ]; then
  # shellcheck disable=SC2086
  seq 7 | xargs -P "${JOBS:-4}" -I {} $compile -DPART={} "$top/bench/cub_rows.cu" -o "$objects/rows{}.o"
  # shellcheck disable=SC2086
  $compile "$top/bench/cub.cu" -o "$objects/cub.o"
fi
nvcc -arch="${ARCH:-native}" -o "$out/cub" "$objects"/cub.o "$objects"/rows[1-7].o "$library" -lm -lpthread \
  -Xcompiler -fopenmp
export LD_LIBRARY_PATH="$build_folder/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$out/cub" "$@"
