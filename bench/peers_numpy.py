#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times NumPy's sort, on one thread, for bench/peers.sh.

usage: peers_numpy.py [THREADS [LOG2_N...]]

Prints NumPy's version, then lines ROW,LOG2_N,SECONDS with the median of at least five sorts.
"""
import statistics
import sys
import time

import numpy as np

TYPES = {"u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


def values(kind, n):
    words = np.random.default_rng(1).integers(0, 2**64, n, dtype=np.uint64)
    if kind in ("u32", "u64"):
        return words.astype(TYPES[kind])
    return ((words >> np.uint64(40)).astype(np.float64) * 2.0**-24).astype(TYPES[kind])


def seconds(x):
    times = []
    while len(times) < 5 or (sum(times) < 0.05 and len(times) < 100):
        copy = x.copy()
        begin = time.perf_counter()
        copy.sort()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


print("NumPy", np.__version__)
for log2_n in [int(size) for size in sys.argv[2:]] or [16, 20, 24]:
    for kind in TYPES:
        print(f"sort {kind},{log2_n},{seconds(values(kind, 1 << log2_n))}")
