#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# NumPy 2.4.6 histograms of bfloat16 with ml_dtypes 0.6.0 and 0.7.0.
#
# Expected: the same array has the same edges and counts with both, since NumPy makes the edges.
# Seen: others. A bfloat16 and a Python number make a float32 with ml_dtypes 0.6.0, and a bfloat16 with 0.7.0,
# as with NumPy's own float types. So numpy.linspace computes in bfloat16 with 0.7.0: of 10 bins from 0 to 1 the
# last edge but one is 0.8984375 with 0.6.0 and 0.90234375 with 0.7.0, which is not the bfloat16 nearest to 0.9.
# Edges of equal samples are float32 with 0.6.0 and bfloat16 with 0.7.0.
#
# Output: 0.6.0 0.8984375 10 10 float32
#         0.7.0 0.90234375 11 9 bfloat16
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > finding.py << 'END'
import ml_dtypes
import numpy as np

bfloat16 = ml_dtypes.bfloat16
a = (np.arange(100) / 100).astype(bfloat16)
counts, edges = np.histogram(a, 10, (bfloat16(0), bfloat16(1)))
equal = np.histogram(np.array([5, 5], bfloat16), 2)[1]
print(ml_dtypes.__version__, edges[-2].astype(float), counts[-2], counts[-1], equal.dtype)
END
python3 -m venv v
for version in 0.6.0 0.7.0; do
  v/bin/pip -q install ml_dtypes==$version numpy==2.4.6
  v/bin/python finding.py
done | tee seen
test "$(cat seen)" = '0.6.0 0.8984375 10 10 float32
0.7.0 0.90234375 11 9 bfloat16'
