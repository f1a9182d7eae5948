#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch 2.11.0 on a GPU: where torch.sort puts a NaN with a sign bit.
#
# Expected: a sorted array has its NaN at the end, as the documentation of sort and topk treats NaN as the
# greatest, whatever the length and the options.
# Seen: from some length on, the NaN with a sign bit is the first element:
# short arrays are sorted by comparison, long ones by a radix sort of the bits. stable=True takes the second
# way for short arrays, too. On the CPU all NaN are last. inf - inf makes such a NaN on x86, so that
# they are not rare in data that was computed on a host.
#
# Output: 8 default last 8 stable first 1000 default first 1000 stable first
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
import torch

negative_nan = torch.tensor([-0x400000], dtype=torch.int32).view(torch.float32)
for n, stable in (8, False), (8, True), (1000, False), (1000, True):
    x = torch.cat([torch.ones(n - 1), negative_nan]).cuda()
    s = torch.sort(x, stable=stable)[0]
    place = "first" if s[0].isnan() else "last" if s[-1].isnan() else "lost"
    print(n, "stable" if stable else "default", place, end=" ")
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = '8 default last 8 stable first 1000 default first 1000 stable first'
