#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# GNU datamash 1.7 (Debian 12's package 1.7-2): the bin of a negative number at an edge.
#
# Expected: bin:10 gives the lower end of [10 k, 10 (k + 1)): 10 for 10 and -10 for -10.
# Seen: -10 goes to -20. The bins are closed below for numbers from 0 on and closed above for negative
# ones, so that the bin of 0 is [0, 10), the one below is (-10, 0), and a count of -10 and -11 is 2 in bin
# -20 while 10 and 11 are in bin 10.
#
# Output: 10 10 0 0 -1 -10 -10 -20 -11 -20
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq download datamash=1.7-2 2> /dev/null
dpkg -x datamash_*.deb .
seen=$(printf '%s\n' 10 0 -1 -10 -11 | usr/bin/datamash --full -t ' ' bin:10 1 | paste -sd' ')
echo "$seen"
test "$seen" = '10 10 0 0 -1 -10 -10 -20 -11 -20'
