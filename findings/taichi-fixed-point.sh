#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Taichi 1.7.4 on CPU: the greatest number of a fixed-point type, quant.fixed(bits=8, max_value=1.0).
#
# Expected: max_value is the maximum of the type, as its documentation says, so that 1 is read as 1, or as
# the greatest multiple of the type's unit.
# Seen: 1 is read as -1, and so is 0.999: it is rounded to 128 units, and the lowest 8 bits of that are
# stored. 0.99 is the greatest of these that keeps its sign. Unsigned, 1 and 0.999 are read as 0. With 16
# bits and a max_value of 100, 100 is read as -100. quant.float does not stop at its ends either: 1e9 in 5
# bits of exponent is read as 0.233.
#
# Output: signed -1.0 -1.0 0.9921875 unsigned 0.0 0.0 0.98828125 16 bits -100.0 float 0.2333984375
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install taichi==1.7.4 numpy==2.4.6
cat > finding.py << 'END'
import taichi as ti

ti.init(arch=ti.cpu, log_level=ti.ERROR)
quant = ti.types.quant
types = (quant.fixed(bits=8, max_value=1.0), quant.fixed(bits=8, signed=False, max_value=1.0),
         quant.fixed(bits=16, max_value=100.0), quant.float(exp=5, frac=8))
signed, unsigned, wide, floating = fields = [ti.field(kind) for kind in types]
packed = ti.BitpackedFields(max_num_bits=64)
packed.place(*fields)
ti.root.dense(ti.i, 3).place(packed)


@ti.kernel
def store(i: ti.i32, x: ti.f32, y: ti.f32, z: ti.f32):
    signed[i] = x
    unsigned[i] = x
    wide[i] = y
    floating[i] = z


for i, x in enumerate((1.0, 0.999, 0.99)):
    store(i, x, 100.0, 1e9)
print("signed", *(signed[i] for i in range(3)), "unsigned", *(unsigned[i] for i in range(3)),
      "16 bits", wide[0], "float", floating[0])
END
seen=$(v/bin/python finding.py | grep -v '^\[Taichi\]')
echo "$seen"
test "$seen" = 'signed -1.0 -1.0 0.9921875 unsigned 0.0 0.0 0.98828125 16 bits -100.0 float 0.2333984375'
