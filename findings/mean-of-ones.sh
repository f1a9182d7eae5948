#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# MLX 0.32.4 on a CPU, Numba 0.68.1, SciPy 1.17.1: the mean of float32 ones.
#
# Expected: MLX adds many float32 in lanes or pairs, so that the error is small; Numba's mean is a float64.
# (SciPy's was tried after these two.)
# Seen: mlx.core.sum stops at 2^24, where adding 1 no longer changes a float32, and the mean is 0.5.
# Numba's numpy.mean adds in float32 and converts the stopped sum. SciPy's mean of a sparse row along axis
# 1 is 0.5, while the sum along that axis and the mean of the whole array are right.
#
# Output: MLX sum 16777216 mean 0.5; Numba 0.5 float64; SciPy mean(axis=1) 0.5 sum(axis=1) 33554432 mean()
# 1.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install mlx==0.32.4 mlx-cpu==0.32.4 numba==0.68.1 scipy==1.17.1 numpy==2.4.6
cat > finding.py << 'END'
import mlx.core as mx, numba, numpy as np, scipy.sparse

n = 1 << 25
ones = np.ones(n, "f4")
by_numba = numba.njit(lambda a: np.mean(a))(ones)
row = scipy.sparse.csr_array(ones[None, :])
print(f"MLX sum {mx.sum(mx.ones(n)).item():.0f} mean {mx.mean(mx.ones(n)).item()}; Numba {by_numba} "
      f"{numba.typeof(by_numba)}; SciPy mean(axis=1) {row.mean(axis=1)[0]} "
      f"sum(axis=1) {row.sum(axis=1)[0]:.0f} mean() {row.mean()}")
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = "MLX sum 16777216 mean 0.5; Numba 0.5 float64; \
SciPy mean(axis=1) 0.5 sum(axis=1) 33554432 mean() 1.0"
