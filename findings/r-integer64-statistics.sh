#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bit64 4.0.5 in R 4.2.2 (Debian 12's packages 4.0.5-1 and 4.2.2.20221110-2): statistics of 64-bit integers,
# as data.table and arrow read them.
#
# Expected: it is known that sapply() and for() lose the class and show the bits as subnormal doubles. A
# function that takes the vector whole converts it, or refuses it: var() is the square of sd().
# Seen: of 1, 2, 3 sd() is 1 and var() is 0, since var() reads the bits as doubles. Sums by group are right by
# aggregate() and subnormal by rowsum() and tapply(). cut() puts 1, 2, 3 into one bin at 1.5, findInterval()
# into two. -7 %/% 2 is -3 where R's integers give -4. There is no error and no warning.
#
# Output: sd 1 var 0 aggregate 3 3 rowsum 1.48e-323 1.48e-323 cut 1 1 1 findInterval 1 2 2 quotients -3 -4
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in r-base-core=4.2.2.20221110-2 r-cran-bit64=4.0.5-1; do
  dpkg -s "${package%%=*}" 2> /dev/null | grep -qF "Version: ${package#*=}" ||
    apt-get -qq install -y --no-install-recommends "$package" > /dev/null
done
cat > finding.R << 'FILE'
suppressMessages(library(bit64))
x <- as.integer64(1:3)
groups <- c(1, 1, 2)
sums <- aggregate(x ~ groups, data.frame(x, groups), sum)$x
edges <- c(0, 1.5, 4)
cat("sd", sd(x), "var", var(x), "aggregate", format(sums), "rowsum", format(rowsum(x, groups), digits = 3),
    "cut", as.integer(cut(x, edges)), "findInterval", findInterval(x, edges), "quotients",
    format(as.integer64(-7) %/% as.integer64(2)), -7L %/% 2L)
FILE
seen=$(Rscript finding.R)
echo "$seen"
test "$seen" = 'sd 1 var 0 aggregate 3 3 rowsum 1.48e-323 1.48e-323 cut 1 1 1 findInterval 1 2 2 quotients -3 -4'
