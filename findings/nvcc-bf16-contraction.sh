#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# nvcc 13.0.88, operators of __nv_bfloat16 and __half: whether a * b + c rounds once or twice depends on
# the type and on the architecture.
#
# Expected: x * y + c of bfloat16 is one fused instruction from sm_80 on, which is the first architecture
# with bfloat16 arithmetic, as it is for __half.
# Seen: for sm_75 (emulated in f32) and sm_80 the product is rounded to bfloat16 and then added: sm_80's
# product is an HFMA2 that adds -0, and a second one adds c. From sm_90 on, one HFMA2 does both. So the
# same source gives other bits on an A100 than on an H100, in bfloat16 only: __half is fused everywhere.
# -fmad=false rounds twice for both types on every architecture, and so do the functions with _rn.
#
# Output, for sm_75, sm_80, sm_90 and sm_120: bf16: 2 2 1 1 f16: 1 1 1 1 bf16 with -fmad=false: 2 2 2 2
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
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T> __device__ void multiply_add(T *p)
{
  unsigned i = threadIdx.x;
  p[i] = p[i] * p[i + 32] + p[i + 64];
}
extern "C" __global__ void bf16(__nv_bfloat16 *p) { multiply_add(p); }
extern "C" __global__ void f16(__half *p) { multiply_add(p); }
END
# TYPE ARCHITECTURE [OPTION]: counts the kernel's arithmetic; an HFMA2 with RZ operands only makes a constant.
roundings()
{
  nvcc -arch="$2" ${3:-} -cubin -o k.cubin k.cu
  cuobjdump -sass -fun "$1" k.cubin |
    grep -E '\b(HFMA2|HMUL2|HADD2|FFMA|FMUL|FADD)[.A-Z0-9_]* R' | grep -vc 'RZ, RZ'
}
row() { for arch in sm_75 sm_80 sm_90 sm_120; do roundings "$1" $arch ${2:-}; done | tr '\n' ' '; }
seen="bf16: $(row bf16)f16: $(row f16)bf16 with -fmad=false: $(row bf16 -fmad=false)"
echo "$seen"
test "$seen" = 'bf16: 2 2 1 1 f16: 1 1 1 1 bf16 with -fmad=false: 2 2 2 2 '
