#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# scipp 26.8.0: cumsum of a data array with a mask.
#
# Expected: masked elements count as 0, as in sum, mean, hist and groupby, and as in the cumsum of numpy.ma,
# so that the last prefix is the sum.
# Seen: masked elements are added, and only their own prefixes are masked: all prefixes behind them, which
# are not masked, contain what the mask excludes, in both modes and with a NaN under the mask, too.
#
# Output: sum 13.0 cumsum [1.0, 3.0, 7.0, 15.0] mask [False, True, False, False] exclusive [0.0, 1.0, 3.0,
# 7.0] hist 13.0 with NaN 13.0 nan numpy.ma [1.0, None, 5.0, 13.0]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install scipp==26.8.0 numpy==2.4.6
cat > finding.py << 'END'
import numpy as np, scipp as sc


def samples(second):
    return sc.DataArray(sc.array(dims=["x"], values=[1.0, second, 4.0, 8.0]),
                        coords={"x": sc.array(dims=["x"], values=[0.0, 1.0, 2.0, 3.0])},
                        masks={"m": sc.array(dims=["x"], values=[False, True, False, False])})


a, b = samples(2.0), samples(np.nan)
prefixes = sc.cumsum(a)
print("sum", a.sum().value, "cumsum", prefixes.values.tolist(), "mask", prefixes.masks["m"].values.tolist(),
      "exclusive", sc.cumsum(a, mode="exclusive").values.tolist(), "hist", a.hist(x=2).sum().value,
      "with NaN", b.sum().value, sc.cumsum(b).values[-1],
      "numpy.ma", np.ma.array([1.0, 2.0, 4.0, 8.0], mask=[0, 1, 0, 0]).cumsum().tolist())
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'sum 13.0 cumsum [1.0, 3.0, 7.0, 15.0] mask [False, True, False, False] exclusive [0.0, 1.0, 3.0, 7.0] hist 13.0 with NaN 13.0 nan numpy.ma [1.0, None, 5.0, 13.0]'
