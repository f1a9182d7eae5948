#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# OpenCV 5.0.0 (opencv-python-headless on PyPI), x86-64: NaN in calcHist.
#
# Expected: a sample that is in no bin is not counted: NaN as little as infinities and numbers outside of
# the range.
# Seen: infinities are not counted, and NaN is in the first bin, whatever the range is.
#
# Output: nan 1 0 inf 0 0 range of 5 to 6 1 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install opencv-python-headless==5.0.0.93 numpy==2.4.6
cat > finding.py << 'END'
import cv2
import numpy as np


def counts(x, lo, hi):
    return cv2.calcHist([np.array([x], np.float32)], [0], None, [2], [lo, hi]).ravel().astype(int)


nan = float("nan")
print("nan", *counts(nan, 0, 1), "inf", *counts(float("inf"), 0, 1), "range of 5 to 6", *counts(nan, 5, 6))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'nan 1 0 inf 0 0 range of 5 to 6 1 0'
