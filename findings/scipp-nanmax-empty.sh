#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# scipp 26.8.0: nanmax and nanmin of NaN alone are numbers, and sums of int32 wrap.
#
# Expected: NaN, as nanmean of the same gives, and sums of int32 in int64, as in NumPy; sums of booleans are int64.
# Seen: nanmax is the least double, nanmin the greatest one; the sum of three int32 2147483647 is 2147483645.
#
# Output: nanmax -1.7976931348623157e+308 nanmin 1.7976931348623157e+308 nanmean nan sum 2147483645 int32 booleans int64
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install scipp==26.8.0 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
import scipp as sc

nothing = sc.array(dims=["x"], values=[np.nan, np.nan])
wide = sc.sum(sc.array(dims=["x"], values=np.full(3, 2**31 - 1, "i4")))
print("nanmax", sc.nanmax(nothing).value, "nanmin", sc.nanmin(nothing).value, "nanmean", sc.nanmean(nothing).value,
      "sum", wide.value, wide.dtype, "booleans", sc.sum(sc.array(dims=["x"], values=[True, True])).dtype)
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'nanmax -1.7976931348623157e+308 nanmin 1.7976931348623157e+308 nanmean nan sum 2147483645 int32 booleans int64'
