#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tinygrad 0.14.0 on its CPU device: argmax of [nan, 1] is 2, the number of elements, and maxima depend on the order.
#
# Expected: a maximum without the NaN, since max is a compare and a select, and the index of the number that max gives.
# Seen: max is nan if the NaN comes first, else the number; argmax, which looks for an element that equals the maximum, finds none then
# and gives n, which is no index. A sort with a NaN loses it and has another element twice.
#
# Output: max nan 1.0 argmax 2 1 sort [1.0, 2.0, 3.0, 3.0]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install tinygrad==0.14.0 numpy==2.4.6
cat > finding.py << 'END'
from tinygrad import Tensor

nan = float("nan")
first, last = [nan, 1.0], [1.0, nan, 0.5]
print("max", Tensor(first).max().item(), Tensor(last).max().item(),
      "argmax", Tensor(first).argmax().item(), Tensor(last).argmax().item() + 1,
      "sort", Tensor([3.0, nan, 1.0, 2.0]).sort()[0].tolist())
END
seen=$(DEV=CPU v/bin/python finding.py)
echo "$seen"
test "$seen" = 'max nan 1.0 argmax 2 1 sort [1.0, 2.0, 3.0, 3.0]'
