#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# MPICH 5.0.2, MPI_Allreduce with MPI_MAXLOC where the greatest value is -0 on one rank and 0 on others.
#
# Expected: all ranks get one pair, which some rank has sent: the first of the equal ones.
# Seen: the value is kept from one rank and the index is the least of all whose values are equal, so that
# the result can be a pair that no rank has sent; and the ranks get different bits, as each keeps the zero
# that it met first. Of five ranks that send (-0, 0) (0, 1) (0, 2) (0, 3) (-0, 4), four get (0, 0).
# MPI_MINLOC does the same. The standard compares with =, so that it allows the pair. There is no NaN in
# this.
#
# Output, by rank: 0.0 0 0.0 0 0.0 0 0.0 0 -0.0 0
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
pair = np.dtype([("value", "f8"), ("index", "i4")], align=True)
sent = np.array([(-0.0 if world.rank in (0, 4) else 0.0, world.rank)], pair)
received = np.zeros(1, pair)
world.Allreduce([sent, 1, MPI.DOUBLE_INT], [received, 1, MPI.DOUBLE_INT], MPI.MAXLOC)
everyones = world.gather(received[0].tolist(), 0)
if world.rank == 0:
    print(*(x for got in everyones for x in got))
END
seen=$(v/bin/mpiexec -n 5 v/bin/python finding.py)
echo "$seen"
test "$seen" = '0.0 0 0.0 0 0.0 0 0.0 0 -0.0 0'
