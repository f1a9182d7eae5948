#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CuPy 14.2.0: sort of an array and of a matrix that has it as its row.
#
# Expected: equal results: NaN is last, or a NaN with a sign bit is first, in both.
# Seen: in one dimension the NaN with a sign bit is first, as a sort of the bits gives it; in a row of a
# matrix all NaN are last.
#
# Output: argsort 1 0 2 3 of a row 0 2 1 3 sort NaN True False False True of a row False False True True
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

x = cupy.asarray(np.array([0x3f800000, 0xffc00000, 0x40000000, 0x7fc00000], "u4").view("f4"))
rows = cupy.stack([x, x])
print("argsort", *cupy.argsort(x).tolist(), "of a row", *cupy.argsort(rows, axis=1)[0].tolist(), "sort NaN",
      *cupy.isnan(cupy.sort(x)).tolist(), "of a row", *cupy.isnan(cupy.sort(rows, axis=1)[0]).tolist())
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
wanted='argsort 1 0 2 3 of a row 0 2 1 3'
wanted+=' sort NaN True False False True of a row False False True True'
test "$seen" = "$wanted"
