#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ONNX Runtime 1.32.0 (CPU): Range of floats, the operator that gives start, start + delta, ...
#
# Expected: element i is start + i * delta, as the operator's definition and its reference implementation
# say, so that one rounding or two are in it, however many elements there are.
# Seen: each element is the one before plus delta: the result is a running sum of equal numbers with its
# rounding errors. Of a million elements with delta 0.1 the last is 100958.24 and not 99999.9. The limit
# decides the number of elements by a division, so that the last ones are beyond it. float64 is added up in
# the same way.
#
# Output: float32 9999 999.8029 999.9 last 100958.24 99999.9 beyond the limit 9436 float64 False
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np, onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

names = "start", "limit", "delta"


def ranges(dtype, limit):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph([helper.make_node("Range", names, ["y"])], "g",
                              [helper.make_tensor_value_info(name, kind, []) for name in names],
                              [helper.make_tensor_value_info("y", kind, [None])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    feeds = dict(zip(names, (np.array(value, dtype) for value in (0, limit, 0.1))))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0], ReferenceEvaluator(model).run(None, feeds)[0]


short, reference = ranges("f4", 1000)
long, reference_of_long = ranges("f4", 100000)
double, reference_of_double = ranges("f8", 100000)
print("float32", len(short) - 1, short[-1], reference[-1], "last", long[-1], reference_of_long[-1],
      "beyond the limit", int((long >= 100000).sum()), "float64", bool((double == reference_of_double).all()))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'float32 9999 999.8029 999.9 last 100958.24 99999.9 beyond the limit 9436 float64 False'
