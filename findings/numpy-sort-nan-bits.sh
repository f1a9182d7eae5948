#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# NumPy 2.4.6: the bits of NaN after np.sort, on an x86-64 processor with AVX2.
#
# Expected: a sort permutes its elements, so that the NaN that come out have the signs and payloads of those
# that went in, with every set of instructions.
# Seen: the default sort, which uses vectors, makes each NaN 0x7ff8000000000000. The same call without
# AVX2, and kind="stable" with it, keep the signs and payloads.
#
# Output: default 3ff0 7ff8 7ff8 7ff8 low 0 0 0 0; stable 3ff0 7ff8 fff8 7ff8 low 0 1 2 3; default without
# AVX2 3ff0 7ff8 fff8 7ff8 low 0 1 2 3
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grep -q -w avx2 /proc/cpuinfo || { echo 'this needs a processor with AVX2'; exit 77; }
python3 -m venv v
v/bin/pip -q install numpy==2.4.6
cat > finding.py << 'END'
import sys
import numpy as np

bits = np.array([0x7FF8000000000001, 0xFFF8000000000002, 0x3FF0000000000000, 0x7FF8000000000003], np.uint64)
for kind in sys.argv[1:]:
    out = np.sort(bits.view(np.float64), kind=None if kind == "default" else kind).view(np.uint64)
    print(kind, *(f"{int(x) >> 48:04x}" for x in out), "low", *(int(x) & 0xFFFF for x in out))
END
seen="$(v/bin/python finding.py default stable | paste -sd';')"
seen="$seen;$(NPY_DISABLE_CPU_FEATURES='X86_V3 X86_V4 AVX512_ICL AVX512_SPR' v/bin/python -W ignore finding.py default)"
echo "$seen"
test "$seen" = 'default 3ff0 7ff8 7ff8 7ff8 low 0 0 0 0;stable 3ff0 7ff8 fff8 7ff8 low 0 1 2 3;default 3ff0 7ff8 fff8 7ff8 low 0 1 2 3'
