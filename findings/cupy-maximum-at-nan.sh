#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CuPy 14.2.0: maximum.at and minimum.at with NaN.
#
# Expected: NaN wins, as in cupy.maximum, cupy.max and NumPy's maximum.at.
# Seen: a NaN among the values is skipped, and one in the array is replaced by a number.
#
# Output: CuPy 1.0 1.0 1.0 1.0 NumPy nan nan nan nan cupy.maximum nan
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


def at(xp, name):
    x = xp.asarray(np.array([1, np.nan], "f4"))
    getattr(xp, name).at(x, xp.asarray([0, 1]), xp.asarray(np.array([np.nan, 1], "f4")))
    return x.tolist()


print("CuPy", *at(cupy, "maximum"), *at(cupy, "minimum"), "NumPy", *at(np, "maximum"), *at(np, "minimum"),
      "cupy.maximum", float(cupy.maximum(cupy.float32(1), cupy.float32("nan"))))
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'CuPy 1.0 1.0 1.0 1.0 NumPy nan nan nan nan cupy.maximum nan'
