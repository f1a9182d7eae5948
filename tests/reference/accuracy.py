#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Measures the errors of float sums in order 1 and in other orders, and prints the table of doc/order1.md.
# The inputs are multiples of 2^-24 below 1, so that integer sums are exact.
#
#   accuracy.py [BITS…]   scans of 2^BITS elements (20 24)

import sys
import numpy as np
import reference

UNIT = 2.0**-24    # the unit roundoff of f32
SEEDS = 8


def one_tree(values):
    """The binary tree over 2^18 elements at a time, and a left fold over these."""
    return reference.fold(lambda part: reference.tree(part, 1 << 18), 1 << 18, values, np.float32(-0.0))


def pairwise(values):
    """The sum by halves, down to NumPy's own blocks of 128."""
    part = values.reshape(-1, 128).sum(axis=1)
    while len(part) > 1:
        part = part[0::2] + part[1::2]
    return part[0]


SCANS = [('a plain loop', np.cumsum), ('order 1', lambda values: reference.order1(values, None)),
         ('trees of 2^18', one_tree)]
SUMS = [('pairwise sum', pairwise), ("NumPy's sum", np.sum)]


def draw(seed, n, signed):
    whole = (reference.draw(seed, np.arange(n, dtype='<u8')) >> np.uint64(40)).astype('<i8')
    sign = 1 - 2 * (reference.draw(seed + 1000, np.arange(n, dtype='<u8')) & np.uint64(1)).astype('<i8')
    return whole * sign if signed else whole


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


def main(args):
    print('| n | values in | order | largest error | all outputs, rms | last output, rms |')
    print('|---|---|---|---|---|---|')
    for bits in [int(arg) for arg in args] or [20, 24]:
        for signed in (False, True):
            found = {}
            for seed in range(1, SEEDS + 1):
                whole = draw(seed, 1 << bits, signed)
                values = (whole * UNIT).astype('<f4')
                exact = np.cumsum(whole) * UNIT                  # below 2^53: exact in doubles, too
                scale = np.cumsum(np.abs(whole)) * UNIT * UNIT   # what one addition of all can be off
                scale[0] = max(scale[0], UNIT * UNIT)
                for name, scan in SCANS:
                    error = (scan(values).astype('<f8') - exact) / scale
                    found.setdefault(name, []).append((np.abs(error).max(), rms(error), error[-1]))
                for name, total in SUMS:
                    error = (float(total(values)) - exact[-1]) / scale[-1]
                    found.setdefault(name, []).append((np.nan, np.nan, error))
            for name, errors in found.items():
                largest, every, total = np.array(errors).T
                text = ['%.3g' % value if value == value else '' for value in (largest.max(), rms(every), rms(total))]
                print('| 2^%d | %s | %s | %s |' % (bits, '(-1, 1)' if signed else '[0, 1)', name, ' | '.join(text)))


if __name__ == '__main__':
    main(sys.argv[1:])
