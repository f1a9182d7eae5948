#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# MLX 0.32.4: the .npy files that mlx.core.save writes.
#
# Expected: a transposed array is copied to C order, and bfloat16, for which the format has no name, is an
# error.
# Seen: every array of one dimension is said to be in Fortran order, and a transposed matrix keeps its
# memory and is. bfloat16 is '<V2', as NumPy writes it for ml_dtypes. The header ends at byte 70 or 76
# where the format asks for a multiple of 64, so that float32 of a mapped file may lie at odd multiples of
# 2.
#
# Output: vector Fortran at 70 aligned False; matrix Fortran at 76 aligned True; bf16 |V2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install mlx==0.32.4 mlx-cpu==0.32.4 numpy==2.4.6
cat > finding.py << 'END'
import mlx.core as mx, numpy as np

arrays = {"vector": mx.array([1.0, 2.0]), "matrix": mx.ones((2, 3)).T,
          "bf16": mx.array([1.0, 2.0]).astype(mx.bfloat16)}
text = []
for name, array in arrays.items():
    mx.save(name + ".npy", array)
    with open(name + ".npy", "rb") as file:
        np.lib.format.read_magic(file)
        _, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        order, start = "Fortran" if fortran else "C", file.tell()
    aligned = np.load(name + ".npy", mmap_mode="r").flags.aligned
    text.append(f"bf16 {dtype.str}" if name == "bf16" else f"{name} {order} at {start} aligned {aligned}")
print("; ".join(text))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'vector Fortran at 70 aligned False; matrix Fortran at 76 aligned True; bf16 |V2'
