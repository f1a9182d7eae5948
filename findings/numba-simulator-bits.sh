#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# numba-cuda 0.30.4, simulator: popc, clz and brev of negative and of 64-bit integers.
#
# Expected: the instructions' results, which are about the bits of the argument's type: popc(-1) of int32 is
# 32, clz of the int64 1 is 63, and brev of the uint64 1 is 2^63. (CUDA defines __popc, __popcll and so on
# like this.)
# Seen: the simulator counts the digits of Python's text of the number. popc(-1) is 1, so that the rank of a
# lane in a ballot in which all lanes are set is wrong; -2^31, which has one bit, is right, and so are all
# positive numbers. clz and brev take 64-bit numbers for 32-bit ones, and clz of 2^40 is 0, the result for a
# negative number.
#
# Output: popc [1, 1, 2] clz [31, 31, 0] brev [2147483648, 2147483648]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numba-cuda==0.30.4 numba==0.68.1 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
from numba import cuda


@cuda.jit
def popc(out, x):
    out[0] = cuda.popc(x[0])


@cuda.jit
def clz(out, x):
    out[0] = cuda.clz(x[0])


@cuda.jit
def brev(out, x):
    out[0] = cuda.brev(x[0])


def run(kernel, *values):
    out = np.zeros(1, "u8")
    results = []
    for value in values:
        kernel[1, 1](out, np.array([value]))
        results.append(int(out[0]))
    return results


print("popc", run(popc, np.int32(-1), np.int32(-2**31), np.int32(-3)),
      "clz", run(clz, np.int32(1), np.int64(1), np.int64(2**40)), "brev", run(brev, np.uint32(1), np.uint64(1)))
END
seen=$(NUMBA_ENABLE_CUDASIM=1 v/bin/python finding.py)
echo "$seen"
test "$seen" = 'popc [1, 1, 2] clz [31, 31, 0] brev [2147483648, 2147483648]'
