#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pyarrow 26.0.1: whether -0 and 0, and two NaN, are one value depends on the function.
#
# Expected: grouping goes by bits, but is_in and index_in compare as == does, so that -0 is found in {0};
# NaN of any payload are one value, as for numpy.unique.
# Seen: unique, group_by, is_in and index_in all go by bits: -0 is not in {0}, and there is a group for
# each payload of NaN. index and rank, of the same module, find -0 at a 0 and give both the same rank, and
# all NaN one rank.
#
# Output: unique 2 NaN 2 groups 2 is_in False index_in None index 0 rank [1, 1, 2, 2]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install pyarrow==26.0.1 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np, pyarrow as pa, pyarrow.compute as pc

zeros = pa.array([-0.0, 0.0])
nans = np.array([0x7FF8000000000000, 0xFFF8000000000001], "u8").view("f8")
groups = pa.table({"key": nans, "value": [1, 2]}).group_by("key").aggregate([("value", "sum")])
minus_zero, zero = pa.array([-0.0]), pa.array([0.0])
print("unique", len(pc.unique(zeros)), "NaN", len(pc.unique(pa.array(nans))), "groups", len(groups),
      "is_in", pc.is_in(minus_zero, zero)[0], "index_in", pc.index_in(minus_zero, zero)[0],
      "index", pc.index(zero, -0.0), "rank",
      pc.rank(pa.array([0.0, -0.0, *nans]), tiebreaker="dense").to_pylist())
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'unique 2 NaN 2 groups 2 is_in False index_in None index 0 rank [1, 1, 2, 2]'
