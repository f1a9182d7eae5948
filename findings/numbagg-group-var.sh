#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# numbagg 0.9.6: the variance of a group is another one than that of the same numbers, and may be wrong in all digits.
#
# Expected: nanvar, group_nanvar and a window of move_var agree to some bits: two passes, or Welford's update.
# Seen: nanvar of 1e8 + (0, 1, 2, 3, 4) is 2.5, that of the same numbers as one group is 4. The windows of
# move_mean and move_var stay wrong after a large number has left them: the mean of 1 and 1 is 0.5.
#
# Output: nanvar 2.5 group [4.0] mean of 1 and 1 0.5 variance of 1 and 1 0.5
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numbagg==0.9.6 numba==0.68.1 numpy==2.4.6
cat > finding.py << 'END'
import numbagg
import numpy as np

a = 1e8 + np.arange(5.0)
after = np.array([1e16, 1.0, 1.0, 1.0])
print("nanvar", numbagg.nanvar(a), "group", numbagg.group_nanvar(a, np.zeros(5, int)).tolist(),
      "mean of 1 and 1", numbagg.move_mean(after, window=2)[-1], "variance of 1 and 1", numbagg.move_var(after, window=2)[-1])
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'nanvar 2.5 group [4.0] mean of 1 and 1 0.5 variance of 1 and 1 0.5'
