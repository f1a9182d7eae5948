#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Thrust 3.6 (cuda-cccl 1.2.1), sequential backend: stable_sort of floats by less. (The same source, compiled
# for a device, was run on an H100.)
#
# Expected: -0 and 0, of which neither is less, keep their order, as with std::stable_sort, and on a device;
# NaN of both signs are at one end.
# Seen: -0 is put in front of 0, so that half of alternating zeros move. On the device none moves. A NaN
# with a sign comes first and one without comes last, on both.
#
# Output: 8 zeros 4 moved 1000 zeros 500 moved -nan 1 2 3 nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q download --no-deps cuda-cccl==1.2.1
python3 -m zipfile -e cuda_cccl-1.2.1*.whl .
cat > finding.cc << 'END'
#include <thrust/sort.h>
#include <cmath>
#include <cstdio>
#include <vector>

int main()
{
  for (int n : { 8, 1000 }) {
    std::vector<float> v(n);
    for (int i = 0; i < n; i++)
      v[i] = i % 2 ? -0.0f : 0.0f;
    thrust::stable_sort(v.begin(), v.end());
    int moved = 0;
    for (int i = 0; i < n; i++)
      moved += std::signbit(v[i]) != (i % 2 != 0);
    std::printf("%d zeros %d moved ", n, moved);
  }
  std::vector<float> w = { 3, NAN, 1, -NAN, 2 };
  thrust::stable_sort(w.begin(), w.end());
  for (float x : w)
    std::printf("%g ", static_cast<double>(x));
}
END
g++ -std=c++17 -O2 -w -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -Icuda/cccl/headers/include finding.cc -o finding
seen=$(./finding | xargs)
echo "$seen"
test "$seen" = '8 zeros 4 moved 1000 zeros 500 moved -nan 1 2 3 nan'
