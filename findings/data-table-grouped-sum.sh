#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# data.table 1.14.8 in R 4.2.2 (Debian 12's packages), x86-64: sum() and mean() by group.
#
# Expected: d[, sum(v), by = g] with one group gives the bits of sum(d$v).
# Seen: data.table replaces sum and mean of groups by its own, which add in double where R's own add in 80
# bits: of 1e16, 1 and -1e16 the sum is 0 and not 1. In an expression that is not replaced, sum(v) + 0, it
# is 1.
#
# Output: by group 0 0 alone 1 expression 1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages='r-base-core=4.2.2.20221110-2 r-cran-data.table=1.14.8+dfsg-1'
# shellcheck disable=SC2086
dpkg -s r-cran-data.table 2> /dev/null | grep -q '^Version: 1.14.8+dfsg-1$' || apt-get -qq install -y --no-install-recommends $packages > /dev/null
cat > finding.R << 'END'
library(data.table)
d <- data.table(g = 1, v = c(1e16, 1, -1e16))
cat("by group", d[, sum(v), by = g]$V1, d[, mean(v), by = g]$V1, "alone", sum(d$v), "expression", d[, sum(v) + 0, by = g]$V1)
END
seen=$(Rscript finding.R)
echo "$seen"
test "$seen" = 'by group 0 0 alone 1 expression 1'
