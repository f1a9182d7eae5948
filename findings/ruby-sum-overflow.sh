#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Ruby 3.1.2 (Debian 12's package 3.1.7+really3.1.2-0+deb12u1): Array#sum of floats, a sum that overflows.
#
# Expected: sum keeps what each addition loses (Kahan and Babuska), so it is at least as good as a loop: of
# 1e308, 1e308, -1e308 it is 1e308, or infinity, as a loop gives.
# Seen: NaN, though no element is NaN or infinite. Behind the overflow the correction is infinity minus
# infinity. 1e308, 1e308 alone has the sum NaN, too, where a loop gives infinity.
#
# Output: sum NaN NaN loop Infinity Infinity
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s ruby3.1 2> /dev/null | grep -qF 'Version: 3.1.7+really3.1.2-0+deb12u1' ||
  apt-get -qq install -y --no-install-recommends ruby3.1=3.1.7+really3.1.2-0+deb12u1 > /dev/null
seen=$(ruby3.1 -e '
x, y = [1e308, 1e308, -1e308], [1e308, 1e308]
puts ["sum", x.sum, y.sum, "loop", x.inject(:+), y.inject(:+)].join(" ")')
echo "$seen"
test "$seen" = 'sum NaN NaN loop Infinity Infinity'
