#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# netCDF4 1.7.5.1.post1 and xarray 2026.9.0: bytes of a netCDF file in which nothing says that any value is
# missing.
#
# Expected: all values are read. Larger types have a default fill value in the format, which netCDF4 masks;
# for types of one byte it is not applied, as all their values are in use.
# Seen: netCDF4 masks 255 of uint8 and -127 of int8, so that white pixels are missing, and the sum leaves them
# out. xarray, which reads the file by netCDF4, has all values, of larger types too.
#
# Output: netCDF4 uint8 [1, None, 3] sum 4 int8 [1, None, 3] int16 [1, None, 3] xarray [1, 255, 3] [1, -127, 3]
# [1, -32767, 3]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install netCDF4==1.7.5.1.post1 xarray==2026.9.0 numpy==2.4.6
cat > finding.py << 'FILE'
import netCDF4, numpy as np, xarray

values = {"u1": [1, 255, 3], "i1": [1, -127, 3], "i2": [1, -32767, 3]}
with netCDF4.Dataset("x.nc", "w") as file:
    file.createDimension("n", 3)
    for kind, numbers in values.items():
        file.createVariable(kind, kind, ("n",))[:] = np.array(numbers, kind)
with netCDF4.Dataset("x.nc") as file:
    u1, i1, i2 = (file[kind][:] for kind in values)
with xarray.open_dataset("x.nc") as file:
    by_xarray = [file[kind].values.tolist() for kind in values]
print("netCDF4 uint8", u1.tolist(), "sum", u1.sum(), "int8", i1.tolist(), "int16", i2.tolist(), "xarray", *by_xarray)
FILE
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'netCDF4 uint8 [1, None, 3] sum 4 int8 [1, None, 3] int16 [1, None, 3] xarray [1, 255, 3] [1, -127, 3] [1, -32767, 3]'
