#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# NumPy 2.4.6 and randomgen 2.5.1: how far Philox.advance goes.
#
# Expected: advance(delta) is delta draws further, as the documentation of both says: after one draw and
# advance(1) the next number is number 2 of the sequence. The first numbers are the block of counter 0.
# Seen: NumPy's advance(1) skips to a next block of four numbers: to number 4 from a fresh generator, and to
# number 8 after one draw. randomgen's Philox, which has the same numbers, goes to number 1 and to number 2,
# and so does NumPy's PCG64. So a worker that is set to its part of a serial sequence by the number of draws
# has other numbers than the serial run. In both packages the block of counter 0, which is among Random123's
# known answers, is the last one of the sequence: the counter has to be 2^256 - 1.
#
# Output: NumPy 4 8 randomgen 1 2 PCG64 1 2 first block at counter 0 False at 2^256 - 1 True randomgen True
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install numpy==2.4.6 randomgen==2.5.1
cat > finding.py << 'END'
import numpy as np, randomgen
from numpy.random import PCG64, Philox


def positions(make):
    sequence, places = make().random_raw(100).tolist(), []
    for drawn in 0, 1:
        generator = make()
        generator.random_raw(drawn)
        generator.advance(1)
        places.append(sequence.index(int(generator.random_raw())))
    return places


def same_as_numpy():
    return randomgen.Philox(key=0, number=4, width=64)


known = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
at_0, at_end = (Philox(key=0, counter=counter).random_raw(4).tolist() == known for counter in (0, 2**256 - 1))
equal = (same_as_numpy().random_raw(100) == Philox(key=0).random_raw(100)).all()
print("NumPy", *positions(lambda: Philox(key=0)), "randomgen", *positions(same_as_numpy),
      "PCG64", *positions(lambda: PCG64(0)), "first block at counter 0", at_0, "at 2^256 - 1", at_end, "randomgen", equal)
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'NumPy 4 8 randomgen 1 2 PCG64 1 2 first block at counter 0 False at 2^256 - 1 True randomgen True'
