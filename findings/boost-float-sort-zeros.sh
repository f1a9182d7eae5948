#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Boost 1.74 (spreadsort): float_sort of zeros of both signs.
#
# Expected: -0 and 0 come out by the same rule, whatever the length: either -0 first, by bits, or in any
# order, as of std::sort.
# Seen: from 2000 elements on -0 is in front of 0. In an array of 100 elements the zeros are mixed.
#
# Output: 100 mixed 2000 in order 20000 in order
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
apt-get -qq download libboost1.74-dev=1.74.0+ds1-21 2> log
dpkg -x libboost1.74-dev_*.deb .
cat > finding.cc << 'END'
#include <boost/sort/spreadsort/float_sort.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

int main()
{
  for (int n : { 100, 2000, 20000 }) {
    std::vector<float> v(n);
    for (int i = 0; i < n; i++)
      v[i] = i == 0 ? 1.0f : i == 1 ? -1.0f : i % 2 ? -0.0f : 0.0f;
    boost::sort::spreadsort::float_sort(v.begin(), v.end());
    bool zero = false, mixed = false;
    for (int i = 1; i < n - 1; i++) {
      mixed = mixed || (zero && std::signbit(v[i]));
      zero = zero || !std::signbit(v[i]);
    }
    std::printf("%d %s\n", n, mixed ? "mixed" : "in order");
  }
}
END
g++ -O2 -w -Iusr/include finding.cc -o finding
seen=$(./finding | xargs)
echo "$seen"
test "$seen" = '100 mixed 2000 in order 20000 in order'
