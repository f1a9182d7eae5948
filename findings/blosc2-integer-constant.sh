#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# blosc2 4.14.1: a 64-bit integer array beside an integer constant is compared, and computed with, in float64.
#
# Expected: as in NumPy, in int64: an element equals itself, x - c is exact, and float32 0.1 == 0.1 is true, as the
# constant takes the array's type.
# Seen: the constant is rounded to float64 first. 2^53 + 1 is not found where it stands, and 2^53 is found as it. The
# difference to the constant is wrong by one. The same constant as an array gives the right results. float32 0.1 is not 0.1.
#
# Output: equal [True, False] difference [0, 1] array [False, True] float32 [False]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install blosc2==4.14.1 numpy==2.4.6
cat > finding.py << 'END'
import blosc2
import numpy as np

number = 2**53 + 1
x = blosc2.asarray(np.array([number - 1, number]))
numbers = blosc2.asarray(np.full(2, number))
print("equal", (x == number)[:].tolist(), "difference", (x - number)[:].tolist(), "array", (x == numbers)[:].tolist(),
      "float32", (blosc2.asarray(np.array([0.1], "f4")) == 0.1)[:].tolist())
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'equal [True, False] difference [0, 1] array [False, True] float32 [False]'
