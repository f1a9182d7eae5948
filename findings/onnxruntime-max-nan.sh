#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ONNX Runtime 1.32.0 (CPU): NaN in ReduceMax, ArgMax, Max and TopK.
#
# Expected: NaN propagates, as in ONNX's reference implementation (NumPy).
# Seen: Max and TopK do that. ReduceMax and ArgMax skip NaN, unless it is the first element.
#
# Output: ReduceMax 2.0 ArgMax 2 TopK 1 ReduceMax nan ArgMax 0 TopK 0 Max nan nan
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


for x in [1, np.nan, 2], [np.nan, 1, 2]:
    x = np.array(x, "f4")
    print("ReduceMax", *run("ReduceMax", [x], keepdims=0)[0], "ArgMax", *run("ArgMax", [x], keepdims=0)[0],
          "TopK", *run("TopK", [x, np.array([1])], 2)[1], end=" ")
print("Max", *run("Max", [np.array([1, np.nan], "f4"), np.array([np.nan, 1], "f4")])[0])
END
seen=$(v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'ReduceMax 2.0 ArgMax 2 TopK 1 ReduceMax nan ArgMax 0 TopK 0 Max nan nan'
