#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Triton 3.6.0 on a GPU: tl.argmax and tl.max(return_indices=True) with a NaN.
#
# Expected: NaN is skipped, as tl.max does, so that the index is that of the maximum; or the index is that of
# the NaN.
# Seen: it depends on the position: with NaN at index 0, 1 or 2 of 4 it is skipped, at index 3 it is the
# result. tl.max of the same values skips it everywhere, so that x[argmax(x)] is not max(x).
#
# Output: 0 3.0 3 1 3.0 3 2 3.0 3 3 2.0 3
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
  v/bin/pip -q install triton==3.6.0 torch==2.11.0 numpy==2.4.6
fi
cat > finding.py << 'END'
import torch, triton, triton.language as tl


@triton.jit
def kernel(x, y, i, n: tl.constexpr):
    v = tl.load(x + tl.arange(0, n))
    tl.store(y, tl.max(v, 0))
    tl.store(i, tl.argmax(v, 0))


for position in range(4):
    x = torch.tensor([0.0, 1, 2, 3], device="cuda")
    x[position] = float("nan")
    y, i = torch.zeros(1, device="cuda"), torch.zeros(1, dtype=torch.int32, device="cuda")
    kernel[(1,)](x, y, i, 4)
    print(position, float(y), int(i), end=" ")
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = '0 3.0 3 1 3.0 3 2 3.0 3 3 2.0 3'
