#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# h5py 3.16.0 (HDF5 2.0.0) and zarr 3.1.6: numbers outside the type of an array.
#
# Expected: a[:] = [300, -5] of an array of uint8 gives what NumPy's astype gives, 44 and 251, in both;
# and h5py's dataset.astype("i4")[:] of floats gives what NumPy's astype gives.
# Seen: zarr wraps, and HDF5 stops at the ends of the type, when it writes and when it reads: 255 and 0,
# and 2147483647 for 3e9. A NaN is read as the least integer. The same program has other data by the
# library that it stores them with.
#
# Output: h5py 255 0 zarr 44 251 read 2147483647 -2147483648 -2147483648
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install h5py==3.16.0 zarr==3.1.6 numpy==2.4.6
cat > finding.py << 'END'
import h5py
import numpy as np
import zarr

given = np.array([300, -5])
file = h5py.File("x.h5", "w")
stored = file.create_dataset("a", (2,), "u1")
other = zarr.create_array(zarr.storage.MemoryStore({}), shape=(2,), chunks=(2,), dtype="u1")
stored[:] = other[:] = given
floats = file.create_dataset("b", data=np.array([3e9, -3e9, np.nan]))
print("h5py", *stored[:], "zarr", *other[:], "read", *floats.astype("i4")[:])
END
seen=$(v/bin/python -W ignore finding.py)
echo "$seen"
test "$seen" = 'h5py 255 0 zarr 44 251 read 2147483647 -2147483648 -2147483648'
