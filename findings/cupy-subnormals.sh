#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CuPy 14.2.0: subnormal float32 in element-wise functions, sums and sort.
#
# Expected: kept, as NumPy, PyTorch and JAX keep them on the same GPU.
# Seen: element-wise functions flush them: abs and the product with 1 are 0, and x == 0 is true. max, sum,
# cumsum and sort keep them, so that the parts of one expression disagree about what is 0.
#
# Output: abs 0.0 0.0 times one -0.0 0.0 equals zero True True kept by max True sum True cumsum True sort
# -1.0 1.0
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
  v/bin/pip -q install cupy-cuda13x[ctk]==14.2.0 numpy==2.4.6
fi
cat > finding.py << 'END'
import cupy, numpy as np

x = cupy.asarray(np.array([-1e-40, 1e-40], "f4"))
print("abs", *cupy.abs(x).tolist(), "times one", *(x * 1).tolist(), "equals zero", *(x == 0).tolist(),
      "kept by max", float(cupy.max(x)) > 0, "sum", float(cupy.sum(x[1:])) > 0, "cumsum",
      float(cupy.cumsum(x[1:])[0]) > 0, "sort",
      *np.sign(cupy.asnumpy(cupy.sort(x[::-1])).astype("f8")).tolist())
END
seen=$("$python" finding.py 2> log | xargs)
echo "$seen"
wanted='abs 0.0 0.0 times one -0.0 0.0 equals zero True True'
wanted+=' kept by max True sum True cumsum True sort -1.0 1.0'
test "$seen" = "$wanted"
