#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# PyOpenCL 2026.1.4 with PoCL 3.0 (pocl-binary-distribution): RadixSort of signed integers.
#
# Expected: an array of int whose key is the element is sorted: -5 -1 2 3.
# Seen: negative keys are last, as unsigned integers: 2 3 -5 -1. Neither the class nor its documentation
# asks for unsigned keys.
#
# Output: 2 3 -5 -1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install pyopencl==2026.1.4 pocl-binary-distribution==3.0 mako numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
import pyopencl as cl
from pyopencl import algorithm, array

context = cl.create_some_context(interactive=False)
x = array.to_device(cl.CommandQueue(context), np.array([3, -1, 2, -5], np.int32))
sort = algorithm.RadixSort(context, "int *x", key_expr="x[i]", sort_arg_names=["x"])
print(*sort(x)[0][0].get())
END
seen=$(v/bin/python -W ignore finding.py 2> /dev/null)
echo "$seen"
test "$seen" = '2 3 -5 -1'
