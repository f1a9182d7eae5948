#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# blosc2 4.14.1: argmax and argmin of an array with a NaN are 0.
#
# Expected: as in NumPy, the index of the NaN, since max and min are NaN; or else that of the greatest number.
# Seen: 0, whatever stands there, wherever the NaN is, also along an axis.
#
# Output: max nan argmax 0 argmin 0 numpy 3 axis [0, 0] numpy [1, 0]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install blosc2==4.14.1 numpy==2.4.6
cat > finding.py << 'END'
import blosc2
import numpy as np

a = np.array([1.0, 5.0, 2.0, np.nan, 0.0])
b = np.array([[1.0, 5.0], [np.nan, 2.0]])
x, y = blosc2.asarray(a), blosc2.asarray(b)
print("max", blosc2.max(x), "argmax", blosc2.argmax(x), "argmin", blosc2.argmin(x), "numpy", np.argmax(a),
      "axis", blosc2.argmax(y, axis=0)[:].tolist(), "numpy", np.argmax(b, axis=0).tolist())
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'max nan argmax 0 argmin 0 numpy 3 axis [0, 0] numpy [1, 0]'
