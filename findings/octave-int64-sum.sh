#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Octave 7.3.0 (Debian 12's package 7.3.0-2): sum and cumsum of int64.
#
# Expected: integers of 64 bits are added as such, as max, sort and the operator + take them: the sum of
# 2^53 + 1 and 0 is 2^53 + 1.
# Seen: sum and cumsum give a double, 2^53, though each element and the sum are integers of 64 bits.
# sum(x, "native") is exact.
#
# Output: sum 9007199254740992 double cumsum 9007199254740992 native 9007199254740993 plus
# 9007199254740993
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s octave 2> /dev/null | grep -q '^Version: 7.3.0-2$' || apt-get -qq install -y --no-install-recommends octave=7.3.0-2 > /dev/null
cat > finding.m << 'END'
x = [int64(9007199254740992) + int64(1), int64(0)];
printf("sum %d %s cumsum %d native %d plus %d\n", sum(x), class(sum(x)), cumsum(x)(end), sum(x, "native"), x(1) + x(2));
END
seen=$(octave-cli --no-gui -q finding.m 2> /dev/null)
echo "$seen"
test "$seen" = 'sum 9007199254740992 double cumsum 9007199254740992 native 9007199254740993 plus 9007199254740993'
