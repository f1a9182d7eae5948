#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# R 4.2.2 (Debian 12's package 4.2.2.20221110-2), x86-64: the second pass of mean().
#
# Expected: mean() adds the differences from the first mean in a second pass, so it is at least as near to
# the true mean as the sum divided by the number of elements.
# Seen: of 1e16, 1 and -1e16 sum(x) / 3 is right and mean(x) is 0.1% too large: the differences are
# rounded to 80 bits, and what they lose is added.
#
# Output: sum / 3 0.3333333333333333 mean 0.3336588541666667
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s r-base-core 2> /dev/null | grep -q '^Version: 4.2.2.20221110-2$' ||
  apt-get -qq install -y --no-install-recommends r-base-core=4.2.2.20221110-2 > /dev/null
seen=$(Rscript -e 'x <- c(1e16, 1, -1e16); cat("sum / 3", format(sum(x) / 3, digits = 16), "mean", format(mean(x), digits = 16))')
echo "$seen"
test "$seen" = 'sum / 3 0.3333333333333333 mean 0.3336588541666667'
