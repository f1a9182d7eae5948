#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Triton 3.9.0: tl.sort of zeros with signs, tl.sort and tl.topk with NaN. (Run here in the interpreter. A
# kernel of 3.6.0 on an H100 gave the same zeros and the same topk, and lost NaN in a sort of other values.)
#
# Expected: a sort permutes its elements, so that as many -0 come out as went in, and topk gives two of the
# greatest.
# Seen: one of two elements that compare as equal, or as neither less nor greater, takes the place of both:
# [0, -0, 1, -0] has no -0 in ascending and three in descending order. [nan, 3, 1, 2] becomes four NaN in
# ascending order and 2, 1, 2, 1 in descending order, and its topk of two is 2, 1, without the 3.
#
# Output: up 0.0 0.0 0.0 1.0 down 1.0 -0.0 -0.0 -0.0 top 1.0 -0.0 up nan nan nan nan down 2.0 1.0 2.0 1.0 top
# 2.0 1.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install triton==3.9.0 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np, triton, triton.language as tl


class Array:
    """What Triton's interpreter asks of a tensor, over memory of NumPy."""

    def __init__(self, a, dtype="float32"):
        self.a, self.dtype = a, dtype
        self.data_ptr = lambda: a.ctypes.data
        self.untyped_storage = self.cpu = lambda: self
        self.new_empty = lambda *shape, device: self
        self.set_ = self.copy_ = self.storage_offset = self.size = self.stride = lambda *ignored: None


@triton.jit
def sort(x, y, z, k, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.sort(tl.load(x + i)))
    tl.store(z + i, tl.sort(tl.load(x + i), descending=True))
    tl.store(k + tl.arange(0, 2), tl.topk(tl.load(x + i), 2))


for x in [0.0, -0.0, 1.0, -0.0], [float("nan"), 3.0, 1.0, 2.0]:
    up, down, top = np.zeros(4, "f4"), np.zeros(4, "f4"), np.zeros(2, "f4")
    sort[(1,)](Array(np.array(x, "f4")), Array(up), Array(down), Array(top), 4)
    print("up", *up.tolist(), "down", *down.tolist(), "top", *top.tolist(), end=" ")
END
seen=$(TRITON_INTERPRET=1 v/bin/python finding.py 2> log | xargs)
echo "$seen"
wanted='up 0.0 0.0 0.0 1.0 down 1.0 -0.0 -0.0 -0.0 top 1.0 -0.0'
wanted+=' up nan nan nan nan down 2.0 1.0 2.0 1.0 top 2.0 1.0'
test "$seen" = "$wanted"
