#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# nvcc 13.0.88: ballots of the bits of a word, which a radix sort takes to find lanes with equal digits.
#
# Expected: `__ballot_sync(~0u, word & 4)` becomes a logic operation that sets a predicate, and a VOTE; tests of several bits of one word
# become one R2P, which moves bits to predicates. Inline PTX that says the same makes no difference.
# Seen: for sm_90 each test in C++ is a shift (but for bit 0), an AND with 1 and a comparison, and there is no R2P: 23 instructions for 8
# bits. With and.b32 and setp.ne in inline PTX, one statement for each bit, they are one R2P for seven bits and one logic operation.
#
# Output: C++: 8 AND 8 ISETP 7 SHF 8 VOTE ; PTX: 1 LOP3-to-predicate 1 R2P 8 VOTE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 \
  nvidia-cuda-cccl==13.0.85 nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.5.37
PATH=$(echo "$work"/v/lib/python3*/site-packages/nvidia/cu13/bin):$PATH
cat > k.cu << 'END'
__device__ unsigned by_cpp(unsigned word, unsigned bit) { return __ballot_sync(~0u, word & bit); }
__device__ unsigned by_ptx(unsigned word, unsigned bit)
{
  unsigned lanes;
  asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, -1; }"
               : "=r"(lanes) : "r"(word), "r"(bit));
  return lanes;
}
#define KERNEL(NAME) extern "C" __global__ void k_##NAME(unsigned *out, const unsigned *in) \
{ unsigned word = in[threadIdx.x]; _Pragma("unroll") for (int b = 0; b < 8; b++) out[32 * b + threadIdx.x] = NAME(word, 1u << b); }
KERNEL(by_cpp) KERNEL(by_ptx)
END
nvcc -arch=sm_90 -cubin -o k.cubin k.cu
instructions() { # KERNEL: how many there are of each kind, but addresses and loads
  cuobjdump -sass -fun "$1" k.cubin | grep -oE '\b(VOTE\.ANY|R2P|SHF\.R|LOP3\.LUT P[0-9]|LOP3\.LUT R[0-9]+, R[0-9]+, 0x1,|ISETP\.(NE|EQ))' |
    sed -E 's/LOP3.LUT P.*/LOP3-to-predicate/; s/LOP3.LUT R.*/AND/; s/\..*//' | sort | uniq -c | awk '{printf "%s %s ", $1, $2}'
}
seen="C++: $(instructions k_by_cpp); PTX: $(instructions k_by_ptx)"
echo "$seen"
[ "$seen" = 'C++: 8 AND 8 ISETP 7 SHF 8 VOTE ; PTX: 1 LOP3-to-predicate 1 R2P 8 VOTE ' ]
