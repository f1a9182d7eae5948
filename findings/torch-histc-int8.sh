#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch 2.11.0 on a GPU: torch.histc of integers.
#
# Expected: counts are 64 bits wide or float32, or the call is refused, as on the CPU.
# Seen: the counts have the type of the samples and wrap: 300 zeros of int8 give 44, 65536 zeros of
# int16 give 0. There is no error.
#
# Output: int8 44 0 int16 0 0 float32 65536 0
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

for n, dtype in (300, torch.int8), (65536, torch.int16), (65536, torch.float32):
    counts = torch.histc(torch.zeros(n, dtype=dtype, device="cuda"), 2, 0, 1)
    print(str(counts.dtype).split(".")[1], *map(int, counts), end=" ")
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
test "$seen" = 'int8 44 0 int16 0 0 float32 65536 0'
