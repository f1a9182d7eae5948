#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# imagecodecs 2026.3.6, LERC of float32 with the level 0, which is without loss.
#
# Expected: the array that was encoded, NaN included: LERC has a mask of invalid elements, and keeps -0,
# infinities and subnormals. The package's JPEG XL and SZ3 give NaN back.
# Seen: a NaN is read as 0, without an error, also with another level. The mask is in the data, but decoding
# returns the numbers alone unless masks=True asks for it, and 0 stands where nothing is valid.
#
# Output: level 0 1.0 0.0 -0.0 -inf level 0.5 1.0 0.0 2.0 jpegxl nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install imagecodecs==2026.3.6 numpy==2.4.6
cat > finding.py << 'FILE'
import numpy as np
from imagecodecs import jpegxl_decode, jpegxl_encode, lerc_decode, lerc_encode

x = np.array([[1, np.nan], [-0.0, -np.inf]], "f4")
y = np.array([[1, np.nan], [2, 3]], "f4")
z = np.full((8, 8), np.nan, "f4")
print("level 0", *lerc_decode(lerc_encode(x, level=0)).ravel(),
      "level 0.5", *lerc_decode(lerc_encode(y, level=0.5)).ravel()[:3],
      "jpegxl", jpegxl_decode(jpegxl_encode(z, lossless=True))[0, 0])
FILE
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'level 0 1.0 0.0 -0.0 -inf level 0.5 1.0 0.0 2.0 jpegxl nan'
