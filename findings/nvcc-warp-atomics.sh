#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# nvcc 13.0.88: atomics of a warp on one address are combined by the compiler, by type and architecture.
#
# Expected: atomicAdd(p, 1) of the whole warp becomes one atomic with a population count; any other
# operand, and atomicMax, is one atomic of each lane, so that a kernel has to reduce by itself first.
# Seen: 32-bit integers with a different value in each lane are reduced too: with REDUX from sm_80 on, with
# a loop of shuffles for sm_75. 64-bit integers are combined only if all lanes add the same constant, and
# f32 and f64 never, where the order of additions would change the bits. atomicAdd(&shared[k], 1) with k of
# the lane is ATOMS.POPC.INC.32 from sm_80 on, but a plain ATOMS.ADD for sm_75, and so is an increment by 2
# everywhere.
#
# Output, instructions of sm_75 and of sm_90: add_i32 VOTE.ANY RED RED | REDUX.SUM RED; max_i32 VOTE.ANY
# RED RED | REDUX.MAX RED; add_u64 RED | RED; add_f32 RED | RED; bins_1 ATOMS.ADD | ATOMS.POPC.INC; bins_2
# ATOMS.ADD | ATOMS.ADD
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 \
  nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-cuobjdump==13.2.51 \
  nvidia-cuda-nvdisasm==13.5.37
PATH=$(echo "$work"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH
cat > k.cu << 'END'
#define KERNEL(NAME, T, CALL) extern "C" __global__ void NAME(T *p, const T *q) { CALL(p, q[threadIdx.x]); }
KERNEL(add_i32, int, atomicAdd)
KERNEL(max_i32, int, atomicMax)
KERNEL(add_u64, unsigned long long, atomicAdd)
KERNEL(add_f32, float, atomicAdd)
template <int STEP> __device__ void bins(int *p, const int *q)
{
  __shared__ int count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&count[q[threadIdx.x]], STEP);
  __syncthreads();
  p[threadIdx.x] = count[threadIdx.x];
}
extern "C" __global__ void bins_1(int *p, const int *q) { bins<1>(p, q); }
extern "C" __global__ void bins_2(int *p, const int *q) { bins<2>(p, q); }
END
instructions() # KERNEL ARCHITECTURE
{
  cuobjdump -sass -fun "$1" "$2.cubin" |
    grep -oE '\b(VOTE\.ANY|REDUX\.(SUM|MAX)|REDG?\.E|ATOMS\.(ADD|POPC\.INC))' |
    sed 's/REDG*\.E/RED/' | tr '\n' ' '
}
for arch in sm_75 sm_90; do nvcc -arch=$arch -cubin -o $arch.cubin k.cu; done
seen=$(for k in add_i32 max_i32 add_u64 add_f32 bins_1 bins_2; do
  echo "$k $(instructions $k sm_75)| $(instructions $k sm_90);"
done)
echo "$seen"
test "$(echo $seen)" = "$(echo 'add_i32 VOTE.ANY RED RED | REDUX.SUM RED ;
  max_i32 VOTE.ANY RED RED | REDUX.MAX RED ;
  add_u64 RED | RED ; add_f32 RED | RED ;
  bins_1 ATOMS.ADD | ATOMS.POPC.INC ; bins_2 ATOMS.ADD | ATOMS.ADD ;' | xargs)"
