#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# zfpy 1.0.1 (zfp 1.0.1), fixed accuracy: elements beside a large one, beside an infinity and beside a NaN.
#
# Expected: with tolerance 1e-3 each finite element is read within 1e-3. A NaN spoils the elements of its
# block; finite elements do not.
# Seen: it is the other way round. Beside a NaN 1, 2 and 3 are right, and the NaN itself is read as -8. Beside
# 1e30 they are read as 0, and beside an infinity as -2, without an error: the block has one exponent, and
# about 30 bits of it are kept. Without a tolerance zfp keeps all bits of all of them.
#
# Output: nan 1.0 2.0 -8.0 3.0 1e+30 0.0 0.0 1e+30 0.0 inf 1.0 -2.0 -2.0 -2.0 lossless True
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install zfpy==1.0.1 numpy==2.4.6
cat > finding.py << 'FILE'
import numpy as np, zfpy

parts, lossless = [], True
for third in float("nan"), 1e30, float("inf"):
    x = np.array([1, 2, third, 3] + [4] * 12, "f4")
    back = zfpy.decompress_numpy(zfpy.compress_numpy(x, tolerance=1e-3))
    parts += [third, *map(float, (f"{value:.3g}" for value in back[:4]))]
    lossless &= zfpy.decompress_numpy(zfpy.compress_numpy(x)).tobytes() == x.tobytes()
print(*parts, "lossless", lossless)
FILE
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'nan 1.0 2.0 -8.0 3.0 1e+30 0.0 0.0 1e+30 0.0 inf 1.0 -2.0 -2.0 -2.0 lossless True'
