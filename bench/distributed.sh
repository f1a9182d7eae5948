#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/distributed.sh [LOG2_N]   with the folder of a build for CUDA as the current one
#
# Builds bench/distributed_cuda.cu and runs it on all GPUs of this machine. NCCL is looked for where the
# dynamic linker, the environment variable NCCL and Python's packages have it.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
nvcc=${NVCC:-$(PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc)}
program=$PWD/bench/distributed_cuda
mkdir -p bench
"$nvcc" -std=c++17 -O2 --fmad=false -arch=native -I"$source/include" "$source/bench/distributed_cuda.cu" -o "$program" \
  -L"$PWD/.libs" -lisowarp -Xlinker -rpath -Xlinker "$PWD/.libs"
nccl=${NCCL-}
[ -n "$nccl" ] || nccl=$(ldconfig -p | sed -n 's/.*=> \(.*libnccl\.so\.2\)$/\1/p' | head -n 1)
[ -n "$nccl" ] || nccl=$(python3 -c 'import nvidia.nccl as p; print(list(p.__path__)[0])' 2> /dev/null)/lib/libnccl.so.2
exec "$program" "${1:-30}" "$nccl"
