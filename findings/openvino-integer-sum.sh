#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# OpenVINO 2026.4.1 on its CPU device, x86-64: reductions of int32 and uint32.
#
# Expected: ReduceSum of int32 adds integers: 16777217 + 1 is 16777218; ReduceMax of uint32 compares as
# unsigned integers.
# Seen: the sum is made in float32, 16777216, and the model says int32. Add of the same numbers is right.
# The maximum of the uint32 3000000000 and 1 is 1.
#
# Output: sum 16777216 int32 add 16777218 max 1 uint32
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install openvino==2026.4.1 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
import openvino as ov
import openvino.opset15 as op


def run(build, *arrays):
    inputs = [op.parameter(list(a.shape), a.dtype) for a in arrays]
    return np.array(ov.Core().compile_model(ov.Model([build(*inputs)], inputs), "CPU")(list(arrays))[0])


axis = np.array([0])
total = run(lambda a: op.reduce_sum(a, axis), np.array([2**24 + 1, 1], np.int32))
added = run(op.add, np.array([2**24 + 1], np.int32), np.array([1], np.int32))
most = run(lambda a: op.reduce_max(a, axis), np.array([3000000000, 1], np.uint32))
print("sum", total, total.dtype, "add", *added, "max", most, most.dtype)
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'sum 16777216 int32 add 16777218 max 1 uint32'
