#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Taichi 1.7.4 on CPU: round(2.5) is 2 if 2.5 is written in the kernel, and 3 if it is a value.
#
# Expected: halves away from zero for both, as C's round() does.
# Seen: Python rounds constants, when the kernel is compiled, halves to even; at run time they go away from zero.
#
# Output: constants [0.0, 2.0, 2.0] values [1.0, 2.0, 3.0]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install taichi==1.7.4 numpy==2.4.6
cat > finding.py << 'END'
import taichi as ti

ti.init(arch=ti.cpu, log_level=ti.ERROR)


@ti.kernel
def constants() -> ti.types.vector(3, ti.f64):
    return ti.Vector([ti.round(0.5), ti.round(1.5), ti.round(2.5)], dt=ti.f64)


@ti.kernel
def value(x: ti.f64) -> ti.f64:
    return ti.round(x)


print("constants", [float(x) for x in constants()], "values", [value(x) for x in (0.5, 1.5, 2.5)])
END
seen=$(v/bin/python finding.py | grep -v '^\[Taichi\]')
echo "$seen"
test "$seen" = 'constants [0.0, 2.0, 2.0] values [1.0, 2.0, 3.0]'
