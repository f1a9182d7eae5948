#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ONNX Runtime 1.32.0 (CPU): overflow of integers in ReduceSum, ReduceMean, ReduceProd and CumSum.
#
# Expected: integers wrap in all four, as in NumPy and in ONNX's reference implementation.
# Seen: ReduceSum of int32 and ReduceProd of int64 stop at the greatest integer, ReduceMean of int32 does not
# overflow at all, and CumSum wraps. So the last prefix is not the sum.
#
# Output: ReduceSum 2147483647 ReduceMean 1073741824 CumSum -2147483648 ReduceProd 9223372036854775807
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


x = np.array([2**31 - 1, 1], "i4")
print("ReduceSum", *run("ReduceSum", [x], keepdims=0)[0],
      "ReduceMean", *run("ReduceMean", [x], keepdims=0)[0],
      "CumSum", run("CumSum", [x, np.array(0)])[0][-1],
      "ReduceProd", *run("ReduceProd", [np.array([2**31 - 1, 2**31 - 1, 3])], keepdims=0)[0])
END
seen=$(v/bin/python finding.py 2> log)
echo "$seen"
test "$seen" = 'ReduceSum 2147483647 ReduceMean 1073741824 CumSum -2147483648 ReduceProd 9223372036854775807'
