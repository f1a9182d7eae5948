#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# nvcc 13.0.88: the largest architecture number is not the one with the most instructions: a maximum of
# three.
#
# Expected: fmaxf(fmaxf(a, b), c) is one FMNMX3 from sm_100 on, thus for sm_120 too; and the maximum of a
# warp's integers is the same instruction there.
# Seen: sm_100 has FMNMX3, and CREDUX for minimum and maximum; sm_120 has two FMNMX and REDUX, as sm_90
# has. A count of instructions of a reduction by maximum that was taken on one Blackwell does not hold for
# the other.
#
# Output: sm_90 FMNMX FMNMX REDUX; sm_100 CREDUX FMNMX3; sm_120 FMNMX FMNMX REDUX;
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
extern "C" __global__ void k(float *p, int *q)
{
  unsigned i = threadIdx.x;
  p[i] = fmaxf(fmaxf(p[i], p[i + 32]), p[i + 64]);
  q[i] = __reduce_max_sync(~0u, q[i]);
}
END
seen=$(for arch in sm_90 sm_100 sm_120; do
  nvcc -arch=$arch -cubin -o k.cubin k.cu
  found=$(cuobjdump -sass k.cubin | grep -oE '\b(FMNMX3?|C?REDUX)\b' | sort | tr '\n' ' ')
  echo "$arch ${found% };"
done)
echo $seen
test "$(echo $seen)" = 'sm_90 FMNMX FMNMX REDUX; sm_100 CREDUX FMNMX3; sm_120 FMNMX FMNMX REDUX;'
