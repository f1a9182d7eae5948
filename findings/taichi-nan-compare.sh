#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Taichi 1.7.4 on CPU: a NaN equals itself, although isnan() finds it, and sums are associated again.
#
# Expected: IEEE comparisons; fast_math, which is on by default, was expected to change functions such as sin, and divisions.
# Seen: x != x is false and x == x true for the NaN that isnan() finds; (x + y) - x is y, also where x + y rounds y away;
# x / 3 is x times the nearest number to 1 / 3. With fast_math=False sums and divisions are as expected, and a NaN is
# neither equal to itself nor different: x != x is still false.
#
# Output: fast isnan 1 differs 0 equals 1 sum 1.0 thirds 332 | exact isnan 1 differs 0 equals 0 sum 0.0 thirds 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install taichi==1.7.4 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np
import taichi as ti


def seen(fast):
    ti.init(arch=ti.cpu, log_level=ti.ERROR, fast_math=fast)

    @ti.kernel
    def tests(x: ti.f32) -> ti.types.vector(3, ti.i32):
        return ti.Vector([int(ti.math.isnan(x)), int(x != x), int(x == x)])

    @ti.kernel
    def back(x: ti.f32, y: ti.f32) -> ti.f32:
        return (x + y) - x

    @ti.kernel
    def third(x: ti.f32) -> ti.f32:
        return x / 3.0

    is_nan, differs, equals = tests(float("nan"))
    thirds = sum(third(i) != np.float32(i) / np.float32(3) for i in range(1000))
    return f"isnan {is_nan} differs {differs} equals {equals} sum {back(1e8, 1.0)} thirds {thirds}"


print("fast", seen(True), "| exact", seen(False))
END
seen=$(v/bin/python finding.py | grep -v '^\[Taichi\]')
echo "$seen"
test "$seen" = 'fast isnan 1 differs 0 equals 1 sum 1.0 thirds 332 | exact isnan 1 differs 0 equals 0 sum 0.0 thirds 0'
