#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# DataFusion 55.0.0: -0 and 0 are one value for =, GROUP BY, DISTINCT and joins, and two for rank().
#
# Expected: one rule for both. Arrow's kernels compare by the total order, by which -0 is less than 0, so groups by bits
# and -0 = 0 false were expected; rows of one group have one rank.
# Seen: one group, one distinct value and nine joined pairs of three zeros, but two ranks; ORDER BY puts -0 first. Two NaN of
# different bits are two groups, two distinct values and two ranks, and are not joined.
#
# Output: groups 1 distinct 1 joined 9 below 0 ranks [1, 1, 3] NaN groups 2 distinct 2 joined 2 ranks [1, 2]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install datafusion==55.0.0 pyarrow==26.0.1 numpy==2.4.6
cat > finding.py << 'END'
import datafusion
import numpy as np
import pyarrow as pa

context = datafusion.SessionContext()


def ask(query):
    return [next(iter(row.values())) for row in context.sql(query).to_pylist()]


def answers(x):
    context.register_record_batches("t", [[pa.record_batch({"x": pa.array(x)})]])
    found = ("groups", len(ask("select x from t group by x")), "distinct", ask("select count(distinct x) from t")[0],
             "joined", ask("select count(*) from t a join t b on a.x = b.x")[0])
    ranks = sorted(ask("select rank() over (order by x) from t"))
    below = ask("select count(*) from t where x < 0.0")[0]
    context.deregister_table("t")
    return found, ranks, below


found, ranks, below = answers(np.array([-0.0, 0.0, -0.0]))
print(*found, "below", below, "ranks", ranks, end=" ")
found, ranks, _ = answers(np.array([0x7FF8000000000000, 0xFFF8000000000001], "u8").view("f8"))
print("NaN", *found, "ranks", ranks)
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'groups 1 distinct 1 joined 9 below 0 ranks [1, 1, 3] NaN groups 2 distinct 2 joined 2 ranks [1, 2]'
