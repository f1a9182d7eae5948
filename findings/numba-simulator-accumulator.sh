#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# numba-cuda 0.30.4's simulator and Numba 0.68.1: the type of a kernel's accumulator.
#
# Expected: the simulator runs a kernel with at least the precision of the compiled one: `s = 0.0` followed
# by `s += a[i]` of float32 is a Python float, thus float64, in both.
# Seen: in the simulator the first addition makes s a numpy.float32, since NumPy 2 takes a Python float for
# a weak scalar, and every addition rounds to float32. Numba's type inference, which compiled kernels and
# @njit share, gives s the type float64. So a reduction that is tested in the simulator has other bits than
# the kernel.
#
# Output: simulator 99.9990463256836 compiled 100.00000149011612
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numba-cuda==0.30.4 numba==0.68.1 numpy==2.4.6
cat > finding.py << 'END'
import numba, numpy as np
from numba import cuda


def accumulate(a, out):
    s = 0.0
    for i in range(a.size):
        s += a[i]
    out[0] = s


a, simulated, compiled = np.full(1000, 0.1, "f4"), np.zeros(1), np.zeros(1)
cuda.jit(accumulate)[1, 1](a, simulated)
numba.njit(accumulate)(a, compiled)
print("simulator", simulated[0], "compiled", compiled[0])
END
seen=$(NUMBA_ENABLE_CUDASIM=1 v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'simulator 99.9990463256836 compiled 100.00000149011612'
