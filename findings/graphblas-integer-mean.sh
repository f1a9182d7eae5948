#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python-graphblas 2025.2.0 (suitesparse-graphblas 9.4.5.0): mean and variances of small integers.
#
# Expected: a sum of int8 wraps in int8, as GraphBLAS defines. A mean, which is float64, is made of numbers
# that do not wrap, and the sample's variance is 3/2 of the population's for three numbers.
# Seen: the sum inside the mean wraps, too: the mean of 100, 101, 102 is 15.67. Of int16 the mean and the
# population's variance are right, and the sample's variance, which squares in int16, is 10923.67 in place of
# 1. Of int32 both are right for these numbers; with 10^9, 10^9 + 1, 10^9 + 2 the population's is 8 x 10^17.
#
# Output: int8 mean 15.67 varp 9956.22 int16 mean 101.0 varp 0.67 vars 10923.67 int32 varp 8.1e+17
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install python-graphblas==2025.2.0 suitesparse-graphblas==9.4.5.0 numpy==2.4.6 numba==0.68.1
cat > finding.py << 'FILE'
from graphblas import Vector, agg


def of(kind, first, *names):
    v = Vector.from_coo([0, 1, 2], [first, first + 1, first + 2], dtype=kind.upper())
    values = [(name, v.reduce(getattr(agg, name)).new().value) for name in names]
    return " ".join([kind] + [f"{name} {round(value, 2) if value < 1e6 else format(value, '.2g')}" for name, value in values])


print(of("int8", 100, "mean", "varp"), of("int16", 100, "mean", "varp", "vars"), of("int32", 10**9, "varp"))
FILE
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'int8 mean 15.67 varp 9956.22 int16 mean 101.0 varp 0.67 vars 10923.67 int32 varp 8.1e+17'
