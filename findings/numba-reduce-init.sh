#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# numba-cuda 0.30.4, simulator: cuda.reduce without an initial value. (Compiled, on an H100, the same.)
#
# Expected: the reduction of the elements alone, as functools.reduce and CUB give it without an initial
# value, or an error.
# Seen: the initial value is 0 for every operator: the maximum of [-5, -3] is 0, the minimum of [5, 3] is 0,
# and a product is 0.
#
# Output: max 0.0 min 0.0 product 0.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numba-cuda==0.30.4 numba==0.68.1 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
from numba import cuda

print("max", float(cuda.reduce(lambda a, b: max(a, b))(np.array([-5.0, -3]))),
      "min", float(cuda.reduce(lambda a, b: min(a, b))(np.array([5.0, 3]))),
      "product", float(cuda.reduce(lambda a, b: a * b)(np.array([2.0, 3]))))
END
seen=$(NUMBA_ENABLE_CUDASIM=1 v/bin/python finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'max 0.0 min 0.0 product 0.0'
