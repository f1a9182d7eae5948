#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CuPy 14.2.0: histogram of int8 over its own range.
#
# Expected: as NumPy's: 100 bins of -128 to 127 hold all samples, since the range is taken from the samples.
# Seen: samples are lost without an error, since the width of the range does not fit int8.
#
# Output: CuPy 0 0 1 2 NumPy 1 0 1 2
# Needs an NVIDIA GPU (exits with 77 without one; seen on an H100). FINDING_PYTHON may name a Python that has
# the packages.
set -euo pipefail
nvidia-smi > /dev/null 2>&1 || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=${FINDING_PYTHON:-v/bin/python}
if test ! "${FINDING_PYTHON:-}"; then
  python3 -m venv v
  v/bin/pip -q install cupy-cuda13x[ctk]==14.2.0 numpy==2.4.6
fi
cat > finding.py << 'END'
import cupy, numpy as np

samples = np.array([0, 100, 127, -128], "i1")
print("CuPy", *cupy.histogram(cupy.asarray(samples), 4)[0].tolist(),
      "NumPy", *np.histogram(samples, 4)[0].tolist())
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'CuPy 0 0 1 2 NumPy 1 0 1 2'
