#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# MPICH 5.0.2, MPI_Reduce_scatter_block of f32 sums: blocks of equal columns.
#
# Expected: each rank contributes one number to all elements, so that all elements of the result are one
# sum, which may be another than MPI_Allreduce's, for short and for long messages.
# Seen: with 3 elements for each of 5 ranks all blocks are equal, and equal to MPI_Allreduce's. With 70000
# elements one block in five has other bits. So the order of additions depends on the rank that gets the
# element, and a matrix whose columns are equal has column
# sums that are not.
#
# Output: 3 elements: 1; 70000 elements: 2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install mpich==5.0.2 mpi4py==4.1.2 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
numbers = np.array([0.12301534, 0.029874554, -0.0027413785, -890.59186, -0.004546708], "f4")
text = []
for length in 3, 70000:
    block = np.zeros(length, "f4")
    world.Reduce_scatter_block(np.full(length * world.size, numbers[world.rank]), block)
    results = world.gather(set(block.tobytes()[i:i + 4] for i in range(0, block.nbytes, 4)), 0)
    if world.rank == 0:
        text.append(f"{length} elements: {len(set().union(*results))}")
if world.rank == 0:
    print("; ".join(text))
END
seen=$(v/bin/mpiexec -n 5 v/bin/python finding.py)
echo "$seen"
test "$seen" = '3 elements: 1; 70000 elements: 2'
