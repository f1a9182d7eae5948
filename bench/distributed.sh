#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/distributed.sh [LOG2_N [RANDOM]]   with the folder of a build for CUDA as the current one
#
# Builds bench/distributed_cuda.cu and runs it on 1, 2, 4, … GPUs of this machine: 2^LOG2_N elements in all (30
# unless given), after RANDOM calls of random lengths and cuts (300 unless given); and on all GPUs with 2^28
# elements for each. NCCL is looked for where the dynamic linker, the environment variable NCCL and Python's
# packages have it.
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
gpus=$(nvidia-smi --list-gpus | wc -l)
ranks=1 log2_each=28
while [ $ranks -le "$gpus" ]; do
  echo "---- 2^${1:-30} elements on $ranks of $gpus GPUs"
  "$program" "${1:-30}" "$nccl" "${2:-300}" $ranks
  echo "---- 2^28 elements for each of $ranks GPUs"
  "$program" $log2_each "$nccl" 0 $ranks
  ranks=$((2 * ranks)) log2_each=$((log2_each + 1))
done
