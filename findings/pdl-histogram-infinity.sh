#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# PDL 2.081 (Debian 12's package 1:2.081-2): the bin of an infinity and of a NaN.
#
# Expected: a sample beyond the bins is counted in the nearest one, as the documentation says, so that 7 and
# infinity are both in the last of three bins; a NaN is in none.
# Seen: 7 is in the last bin, and infinity in the first one, beside -infinity and NaN. So a larger sample may
# be in a lower bin. (Other libraries are known to put a NaN in the first bin.)
#
# Output: 7 0 0 1 inf 1 0 0 nan 1 0 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s pdl 2> /dev/null | grep -q '^Version: 1:2.081-2$' ||
  apt-get -qq install -y --no-install-recommends pdl=1:2.081-2 > /dev/null
cat > finding.pl << 'FILE'
use PDL;
print join(' ', map { my $x = $_; ($x, histogram(pdl($x), 1, 0, 3)->list) } 7, 'inf', 'nan'), "\n";
FILE
seen=$(perl finding.pl)
echo "$seen"
test "$seen" = '7 0 0 1 inf 1 0 0 nan 1 0 0'
