#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# numcodecs 0.16.6, BitRound (also in zarr): NaN with a payload.
#
# Expected: rounding to fewer bits keeps NaN, as it keeps infinities.
# Seen: the number's bits are rounded as an integer. A NaN whose payload rounds up becomes a zero of the
# other sign: 7fffffff is -0 and ffffffff is 0. 7f800001 becomes infinity. The NaN that arithmetic makes,
# 7fc00000, stays.
#
# Output: 7fc00000 7fc00000 7fffffff 80000000 ffffffff 00000000 7f800001 7f800000
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numcodecs==0.16.6 numpy==2.4.6
cat > finding.py << 'END'
import numcodecs
import numpy as np

for bits in (0x7FC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001):
    rounded = np.asarray(numcodecs.BitRound(keepbits=10).encode(np.array([bits], np.uint32).view(np.float32)))
    print(f"{bits:08x} {np.frombuffer(rounded.tobytes(), np.uint32)[0]:08x}")
END
seen=$(v/bin/python finding.py | paste -sd' ')
echo "$seen"
test "$seen" = '7fc00000 7fc00000 7fffffff 80000000 ffffffff 00000000 7f800001 7f800000'
