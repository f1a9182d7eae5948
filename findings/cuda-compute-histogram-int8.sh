#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# cuda.compute of cuda-cccl 1.2.1: histogram_even of int8 samples with levels of int8.
#
# Expected: bins of equal width between the levels, or the error that 32-bit levels get whose difference
# overflows.
# Seen: if the difference of the levels does not fit int8, all samples are counted in bin 0 without an error.
# Levels of int32 for the same samples are right.
#
# Output: int8 4 0 0 0 0 int32 1 0 2 0 1
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
  v/bin/pip -q install cuda-cccl[cu13]==1.2.1 cupy-cuda13x[ctk]==14.2.0 numpy==2.4.6
fi
cat > finding.py << 'END'
import cupy, numpy as np
from cuda.compute import histogram_even

samples = cupy.asarray(np.array([-128, -1, 0, 126], "i1"))
for level in np.int8, np.int32:
    counts = cupy.zeros(5, "i4")
    histogram_even(d_samples=samples, d_histogram=counts, num_output_levels=6, lower_level=level(-128),
                   upper_level=level(127), num_samples=samples.size)
    print(level.__name__, *counts.tolist(), end=" ")
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'int8 4 0 0 0 0 int32 1 0 2 0 1'
