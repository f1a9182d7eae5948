#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# awkward 2.14.0: where sort and argmax have NaN.
#
# Expected: NaN last, as in numpy.sort, and first if descending; argmax the index of the NaN, as
# numpy.argmax.
# Seen: NaN is first in both directions, so that the reversed ascending sort is not the descending one.
# argmax is the index of the NaN only if that comes first.
#
# Output: ascending nan 0.0 1.0 descending nan 1.0 0.0 argmax 0 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install awkward==2.14.0 numpy==2.4.6
cat > finding.py << 'END'
import awkward as ak

nan = float("nan")
x = ak.Array([1.0, nan, 0.0])
print("ascending", *ak.sort(x).tolist(), "descending", *ak.sort(x, ascending=False).tolist(),
      "argmax", ak.argmax([nan, 1.0]), ak.argmax([1.0, nan]))
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'ascending nan 0.0 1.0 descending nan 1.0 0.0 argmax 0 0'
