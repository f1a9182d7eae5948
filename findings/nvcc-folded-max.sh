#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# nvcc 13.0.88: fmaxf and fminf of constants are computed by the compiler, by another rule than the
# instruction's.
#
# Expected: what the compiler computes is what the instruction gives. PTX says of max and min that +0.0 >
# -0.0 and that a NaN result is the canonical one, 0x7fffffff.
# Seen: with constant arguments, of two zeros the first one is the maximum and the minimum in both orders,
# and of two NaN the second one stays with its sign and payload. An addition is left to ptxas, which gives
# the canonical NaN. So a maximum whose arguments become known through inlining or unrolling (a padded lane,
# an identity) has other bits than the same line on data.
#
# Output: fmaxf(+0, -0) +0, fmaxf(-0, +0) -0, fminf(+0, -0) +0, fminf(-0, +0) -0, NaN 0xffc12345, NaN + 1
# 0x7fffffff
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
#define KERNEL(NAME, VALUE) extern "C" __global__ void NAME(float *p) { *p = VALUE; }
__device__ constexpr unsigned negative_nan = 0xffc12345;
KERNEL(max_positive_first, fmaxf(0.f, -0.f))
KERNEL(max_negative_first, fmaxf(-0.f, 0.f))
KERNEL(min_positive_first, fminf(0.f, -0.f))
KERNEL(min_negative_first, fminf(-0.f, 0.f))
KERNEL(max_of_nan, fmaxf(__int_as_float(negative_nan), __int_as_float(negative_nan)))
KERNEL(nan_plus_one, __fadd_rn(__int_as_float(negative_nan), 1.f))
END
nvcc -arch=sm_90 -ptx -o k.ptx k.cu
nvcc -arch=sm_90 -cubin -o k.cubin k.cu
stored() # KERNEL: the bits that the PTX text stores, if it has no arithmetic
{
  awk -v "name=$1" '
    $0 ~ "entry " name {on = 1}
    on && /mov.u32/ {sub(";", "", $NF); print $NF} on && /^}/ {exit}' \
    k.ptx |
    while read -r bits; do printf '0x%08x' $((bits & 0xffffffff)); done
}
by_ptxas() { cuobjdump -sass -fun "$1" k.cubin | grep -o 'MOV R[0-9]*, 0x[0-9a-f]*' | grep -o '0x.*'; }
seen=$(for k in max_positive_first max_negative_first min_positive_first min_negative_first max_of_nan; do
  stored $k
  echo
done)
seen="$seen $(by_ptxas nan_plus_one)"
echo $seen
test "$(echo $seen)" = '0x00000000 0x80000000 0x00000000 0x80000000 0xffc12345 0x7fffffff'
