#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Octave 7.3.0 (Debian 12's package 7.3.0-2): the median of an even number of integers.
#
# Expected: the mean of the two middle elements, rounded as Octave rounds integers: 101 of the int8 100
# and 101.
# Seen: 64, which is less than both. The two are added in int8, which stops at 127, and 127 is halved.
# int32 has the same fault from 2^30 on. mean() of the same elements is right.
#
# Output: int8 64 uint8 128 int32 1073741824 mean 100.5
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s octave 2> /dev/null | grep -q '^Version: 7.3.0-2$' || apt-get -qq install -y --no-install-recommends octave=7.3.0-2 > /dev/null
cat > finding.m << 'END'
printf("int8 %d uint8 %d int32 %d mean %g\n", median(int8([100 101])), median(uint8([200 201])), ...
       median(int32([2147483647 2147483645])), mean(int8([100 101])));
END
seen=$(octave-cli --no-gui -q finding.m 2> /dev/null)
echo "$seen"
test "$seen" = 'int8 64 uint8 128 int32 1073741824 mean 100.5'
