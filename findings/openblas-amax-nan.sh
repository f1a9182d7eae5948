#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# OpenBLAS 0.3.30 (of SciPy 1.17.1): isamax and idamax, the index of the largest magnitude, with a NaN.
#
# Expected: what the reference BLAS gives, in which nothing is greater than a NaN and a NaN is greater than
# nothing: in [0, nan, 2] the 2, and a NaN in front has index 0; the same for float32 and float64.
# Seen: of [0, nan, 2] isamax gives 0, the least, and idamax 1, the NaN. Of eight numbers with a NaN both
# give the NaN, and of 64 with a NaN in front the largest number. The kernels of Nehalem, Haswell and
# SkylakeX agree.
#
# Output: isamax [0, 0, 4, 63] idamax [1, 0, 4, 63]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install scipy==1.17.1 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
from scipy.linalg import blas

nan = np.nan
arrays = [0, nan, 2], [nan, 1, 2], [0, 1, 2, 3, nan, 5, 6, 7], [nan, *range(1, 64)]
for name, dtype in ("isamax", np.float32), ("idamax", np.float64):
    print(name, [int(getattr(blas, name)(np.array(a, dtype))) for a in arrays])
END
seen=$(OPENBLAS_CORETYPE=Nehalem v/bin/python finding.py | xargs)
echo "$seen"
test "$seen" = 'isamax [0, 0, 4, 63] idamax [1, 0, 4, 63]'
