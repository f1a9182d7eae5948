#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Miller 6.6.0 (Debian 12's package 6.6.0-2+b3): infinities and NaN in a column.
#
# Expected: -inf is a number: of -inf and 1 the maximum is 1, the minimum -inf, and the sum -inf.
# Seen: it is text, which is greater than all numbers: the maximum is -inf and the minimum 1, the sum and
# the mean leave it out, and the count has it. NaN and Inf are text, too.
#
# Output: max -inf min 1 sum 1 mean 1 count 2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq download miller=6.6.0-2+b3 2> /dev/null
dpkg -x miller_*.deb .
seen=$(printf 'x\n-inf\n1\n' | usr/bin/mlr --icsv --ojson stats1 -a max,min,sum,mean,count -f x | sed -n 's/[",]//g; s/^ *x_\([a-z]*\): /\1 /p' | paste -sd' ')
echo "$seen"
test "$seen" = 'max -inf min 1 sum 1 mean 1 count 2'
