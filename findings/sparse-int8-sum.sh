#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sparse 0.19.3 (PyData): an array of int8 with more than 127 elements along an axis has no sum, product or mean.
#
# Expected: 128, of type int64, as the sum of 127 ones is 127 of int64; as in NumPy.
# Seen: an OverflowError. The number of elements is converted to the element type, whatever the type of the
# result is, and also with dtype="i8". uint8 ends at 255 elements, int16 at 32767; the maximum has no such end.
#
# Output: sums [127, 'OverflowError'] with dtype OverflowError max 1 mean OverflowError uint8 [255, 'OverflowError']
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install sparse==0.19.3 numpy==2.2.6 numba==0.68.1
cat > finding.py << 'END'
import numpy as np
import sparse


def ones(n, dtype="i1"):
    return sparse.COO(np.ones(n, dtype))


def result(call):
    try:
        return call().todense().tolist()
    except OverflowError as error:
        return type(error).__name__


print("sums", [result(ones(127).sum), result(ones(128).sum)], "with dtype", result(lambda: ones(128).sum(dtype="i8")),
      "max", result(ones(128).max), "mean", result(ones(128).mean),
      "uint8", [result(ones(255, "u1").sum), result(ones(256, "u1").sum)])
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = "sums [127, 'OverflowError'] with dtype OverflowError max 1 mean OverflowError uint8 [255, 'OverflowError']"
