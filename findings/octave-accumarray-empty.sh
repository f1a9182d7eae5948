#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Octave 7.3.0 (Debian 12's package 7.3.0-2): accumarray with max and min, and an index that does not
# occur.
#
# Expected: its result is 0, accumarray's fill value.
# Seen: it is 0 or NaN, by the signs of the values of other indices: NaN for max if one of them is
# negative, and for min if all are positive.
#
# Output: max 5 0 3 max -5 NaN -3 min 5 NaN 3 min -5 0 -3
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s octave 2> /dev/null | grep -q '^Version: 7.3.0-2$' || apt-get -qq install -y --no-install-recommends octave=7.3.0-2 > /dev/null
cat > finding.m << 'END'
for f = {@max, @min}
  for x = {[5; 3], [-5; -3]}
    printf("%s %g %g %g ", func2str(f{1}), accumarray([1; 3], x{1}, [3 1], f{1}));
  end
end
END
seen=$(octave-cli --no-gui -q finding.m 2> /dev/null)
echo "$seen"
test "$seen" = 'max 5 0 3 max -5 NaN -3 min 5 NaN 3 min -5 0 -3 '
