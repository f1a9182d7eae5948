#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/distributed.sh [LOG2_N [RANDOM]]   with the folder of a build for CUDA as the current one
#
# Builds bench/distributed_cuda.cu and runs it on 1, 2, 4, … GPUs of this machine: 2^LOG2_N elements in all (30
# unless given), after RANDOM calls of random lengths and cuts (300 unless given); and with 2^28 elements for
# each GPU. NCCL is looked for where the dynamic linker, the environment variable NCCL and Python's
# packages have it.
set -eu
gpus=$(nvidia-smi --list-gpus 2> /dev/null | wc -l)
[ "$gpus" -gt 0 ] || { echo "distributed.sh: nvidia-smi lists no GPU; run this where NVIDIA GPUs are" >&2; exit 77; }
log2_n=${1:-30} random=${2:-300}
case $log2_n in [1-9] | [123][0-9]) ;; *) echo "distributed.sh: LOG2_N is $log2_n; valid are 1 to 39" >&2; exit 1 ;; esac
case $random in *[!0-9]*) echo "distributed.sh: RANDOM is $random; valid are whole numbers" >&2; exit 1 ;; esac
source=$(cd "$(dirname "$0")/.." && pwd)
nvcc=${NVCC:-$(PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc)}
program=$PWD/bench/distributed_cuda
mkdir -p bench
"$nvcc" -std=c++17 -O2 --fmad=false -arch=native -I"$source/include" "$source/bench/distributed_cuda.cu" -o "$program" \
  -L"$PWD/.libs" -lisowarp -Xlinker -rpath -Xlinker "$PWD/.libs"
nccl=${NCCL-}
[ -n "$nccl" ] || nccl=$(ldconfig -p | sed -n 's/.*=> \(.*libnccl\.so\.2\)$/\1/p' | head -n 1)
[ -n "$nccl" ] || nccl=$(python3 -c 'import nvidia.nccl as p; print(list(p.__path__)[0])' 2> /dev/null)/lib/libnccl.so.2
ranks=1 log2_each=28
while [ $ranks -le "$gpus" ]; do
  echo "---- 2^$log2_n elements on $ranks of $gpus GPUs"
  "$program" "$log2_n" "$nccl" "$random" $ranks
  echo "---- 2^28 elements for each of $ranks GPUs"
  "$program" $log2_each "$nccl" 0 $ranks
  ranks=$((2 * ranks)) log2_each=$((log2_each + 1))
done
