#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch 2.11.0 on a GPU: torch.cumsum along the rows of a matrix of float32.
#
# Expected: the prefixes of a row depend on the row. (Those of a single long row are known to differ from run
# to run; these do not.)
# Seen: they depend on the number of rows: the last prefix of the same 1000 numbers has four different values
# in matrices of 1, 2, 16 and 1000 rows. So a batch of another size changes results, while torch.sum of the
# rows does not change. On the CPU all are equal.
#
# Output: 1 4b0359c2 2 4e0359c2 16 4f0359c2 1000 4c0359c2
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
  v/bin/pip -q install torch==2.11.0 numpy==2.4.6
fi
cat > finding.py << 'END'
import numpy as np, torch

row = torch.tensor(np.random.default_rng(1).standard_normal(1000).astype("f4")).cuda()
for rows in 1, 2, 16, 1000:
    last = row.repeat(rows, 1).cumsum(1)[0, -1:]
    print(rows, last.cpu().numpy().tobytes().hex(), end=" ")
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = '1 4b0359c2 2 4e0359c2 16 4f0359c2 1000 4c0359c2'
