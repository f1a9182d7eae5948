#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pyarrow 26.0.1: the running minimum of a column that begins with NaN.
#
# Expected: cumulative_min and cumulative_max skip NaN as min_max does, and where there was nothing else
# yet the result is NaN, which is what min_max says of a column of NaN only.
# Seen: until the first number the prefix is inf for the minimum and -inf for the maximum: a value that no
# row has, and that cannot be told from a real infinity. The last prefix of such a column is not its
# minimum.
#
# Output: cumulative_min [inf, inf, 2.0] cumulative_max [-inf, -inf, 2.0], of NaN only: last prefix inf,
# min nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install pyarrow==26.0.1
cat > finding.py << 'END'
import pyarrow as pa, pyarrow.compute as pc

nan = float("nan")
column, empty = pa.array([nan, nan, 2.0]), pa.array([nan, nan])
print("cumulative_min", pc.cumulative_min(column).to_pylist(),
      "cumulative_max", pc.cumulative_max(column).to_pylist(), "last",
      pc.cumulative_min(empty)[-1], "min", pc.min(empty))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'cumulative_min [inf, inf, 2.0] cumulative_max [-inf, -inf, 2.0] last inf min nan'
