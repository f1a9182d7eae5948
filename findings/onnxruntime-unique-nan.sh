#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ONNX Runtime 1.32.0 (CPU): Unique with NaN.
#
# Expected: each NaN is a value of its own, or all are one, as in ONNX's reference implementation; no number is
# lost.
# Seen: numbers are lost. The unique values of [nan, nan, 1] are [nan], with a count of 3; those of
# [2, 1, 2, nan] are [1, 2] with counts 2, 2, so that the NaN is counted as another number.
#
# Output: values nan inverse 0 0 0 counts 3 values 1.0 2.0 inverse 1 0 1 0 counts 2 2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np, onnxruntime
from onnx import helper


def run(operator, inputs, outputs=1, **attributes):
    """The outputs of a model of one operator."""
    inputs = {f"i{n}": np.asarray(x) for n, x in enumerate(inputs)}
    names = [f"o{n}" for n in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(operator, list(inputs), names, **attributes)], "one",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
         for n, x in inputs.items()],
        [helper.make_empty_tensor_value_info(n) for n in names])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [x.reshape(-1).tolist() for x in session.run(None, inputs)]


for x in [np.nan, np.nan, 1], [2, 1, 2, np.nan]:
    values, _, inverse, counts = run("Unique", [np.array(x, "f4")], 4)
    print("values", *values, "inverse", *inverse, "counts", *counts, end=" " if len(x) == 3 else "\n")
END
seen=$(v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'values nan inverse 0 0 0 counts 3 values 1.0 2.0 inverse 1 0 1 0 counts 2 2'
