#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# R 4.2.2 (Debian 12's package 4.2.2.20221110-2): in which bin hist() counts a sample.
#
# Expected: with the bins [1, 2] and (2, 3] the sample 2 + 1e-8 is in the second one, whatever the other
# samples are.
# Seen: alone it is. With 1.5 beside it, both are in the first bin: hist() moves the edges by a fuzz that
# depends on the samples. cut() with the same edges does not.
#
# Output: alone 0 1 with 1.5 2 0 cut 1 1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg -s r-base-core 2> /dev/null | grep -q '^Version: 4.2.2.20221110-2$' ||
  apt-get -qq install -y --no-install-recommends r-base-core=4.2.2.20221110-2 > /dev/null
cat > finding.R << 'END'
bins <- function(x) hist(x, breaks = c(1, 2, 3), plot = FALSE)$counts
x <- 2 + 1e-8
cat("alone", bins(x), "with 1.5", bins(c(1.5, x)), "cut", table(cut(c(1.5, x), c(1, 2, 3))), "\n")
END
seen=$(Rscript finding.R)
echo "$seen"
test "$seen" = 'alone 0 1 with 1.5 2 0 cut 1 1 '
