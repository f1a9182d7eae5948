#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ml_dtypes 0.6.0 beside NumPy 2.4.6: float64 to bfloat16 and float8.
#
# Expected: astype rounds once, as NumPy's float16 does: 1 + 2^-8 + 2^-40 is nearer to the bfloat16 1 +
# 2^-7 than to 1.
# Seen: it rounds to float32 first, where 2^-40 is lost, and then to even: 1. float8_e4m3fn has the same
# fault, and so has bfloat16() of a Python float.
#
# Output: bfloat16 1.0 float8 1.0 float16 1.0009765625 scalar 1.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install ml_dtypes==0.6.0 numpy==2.4.6
cat > finding.py << 'END'
import ml_dtypes
import numpy as np


def above_the_middle(bits, dtype):
    return float(np.array([1 + 2.0**-bits + 2.0**-40]).astype(dtype)[0])


print("bfloat16", above_the_middle(8, ml_dtypes.bfloat16), "float8", above_the_middle(4, ml_dtypes.float8_e4m3fn),
      "float16", above_the_middle(11, np.float16), "scalar", float(ml_dtypes.bfloat16(1 + 2.0**-8 + 2.0**-40)))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'bfloat16 1.0 float8 1.0 float16 1.0009765625 scalar 1.0'
