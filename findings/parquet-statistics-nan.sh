#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pyarrow 26.0.1 and DuckDB 2.0.1: reading a Parquet file of floats with NaN, whose statistics leave NaN
# out.
#
# Expected: pyarrow's filter finds in a file what it finds in the table that was written. The format allows
# minimum and maximum without NaN, so that readers cannot conclude from them that a row group has no NaN.
# DuckDB was expected to leave out rows, too.
# Seen: pyarrow writes [1, NaN] with minimum 1 and maximum 1, and its own reader takes these for all
# values: with the filters is_nan(x), x != 1 and not (x <= 5) it returns no row, where the table has one.
# DuckDB, in whose order NaN is the greatest number, finds no x > 5 in the file and says that the maximum
# is 1; of the same values in memory both are NaN. So rows with NaN vanish before a histogram or a count of
# missing samples can see them.
#
# Output: pyarrow table [nan] [nan] [nan], file [] [] []; DuckDB memory nan [nan], file 1.0 []
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install pyarrow==26.0.1 duckdb==2.0.1
cat > finding.py << 'END'
import duckdb, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq

table = pa.table({"x": [1.0, float("nan")]})
pq.write_table(table, "x.parquet")
x = pc.field("x")
filters = pc.is_nan(x), x != 1, ~(x <= 5)
in_table = [table.filter(f)["x"].to_pylist() for f in filters]
in_file = [pq.read_table("x.parquet", filters=f)["x"].to_pylist() for f in filters]


def by_duckdb(source):
    greatest = duckdb.sql(f"select max(x) from {source}").fetchall()[0][0]
    return greatest, [row[0] for row in duckdb.sql(f"select x from {source} where x > 5").fetchall()]


print("pyarrow table", *in_table, "file", *in_file)
print("DuckDB memory", *by_duckdb("(select unnest([1, 'nan'::double]) x)"), "file", *by_duckdb("'x.parquet'"))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$(echo $seen)" = 'pyarrow table [nan] [nan] [nan] file [] [] [] DuckDB memory nan [nan] file 1.0 []'
