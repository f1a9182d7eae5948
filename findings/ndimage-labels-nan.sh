#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# SciPy 1.17.1, scipy.ndimage: minimum, maximum and median of labelled samples with NaN.
#
# Expected: a NaN among the samples of a label is the label's minimum and its maximum, as with
# numpy.minimum.
# Seen: the samples are sorted, NaN last. So the maximum is NaN and the minimum is a number; the median of
# 1, NaN, 2 is 2, one place too high. A label that no sample has gets 0 from minimum and maximum, although
# NaN from mean.
#
# Output: minimum 1.0 maximum nan median 2.0 of no samples 0.0 0.0 nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install scipy==1.17.1 numpy==2.4.6
cat > finding.py << 'END'
import warnings

import numpy as np
from scipy import ndimage

warnings.simplefilter("ignore")
samples, labels = np.array([1.0, np.nan, 2.0]), np.array([7, 7, 7])
of = lambda call, label: float(call(samples, labels, index=[label])[0])
print("minimum", of(ndimage.minimum, 7), "maximum", of(ndimage.maximum, 7), "median", of(ndimage.median, 7),
      "of no samples", of(ndimage.minimum, 8), of(ndimage.maximum, 8), of(ndimage.mean, 8))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'minimum 1.0 maximum nan median 2.0 of no samples 0.0 0.0 nan'
