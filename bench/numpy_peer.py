#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds NumPy's times to a run of isowarp_bench on a CPU.

usage: numpy_peer.py FILE.json

For each uniform histogram in FILE.json that the plain loop has counted, counts the same samples with NumPy
and adds a benchmark with the same name scheme and the digest of the counts.
"""
import json
import sys
import time

import numpy as np

LO, HI = np.float32(0.1), np.float32(0.9)
BINS = {"f32": (8, 256, 65536), "u8": (256,)}  # few, because np.histogram is slow


def bench_mix(i):
    z = (i + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    return (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)


def samples(kind, n):
    """n uniform samples: bench_sample() of bench.h."""
    x = np.empty(n, {"f32": np.float32, "u8": np.uint8}[kind])
    for first in range(0, n, 2**20):
        draw = bench_mix(np.arange(first, min(first + 2**20, n), dtype=np.uint64)) >> np.uint64(41)
        if kind == "f32":
            x[first:first + 2**20] = draw.astype(np.float32) * (np.float32(0.8) / np.float32(2**23)) + LO
        else:
            x[first:first + 2**20] = draw >> np.uint64(15)
    return x


def digest(counts):
    place = np.arange(len(counts), dtype=np.uint64)
    terms = (counts.astype(np.uint64) + np.uint64(1)) * (bench_mix(place) | np.uint64(1))
    return int(terms.sum(dtype=np.uint64))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: numpy_peer.py FILE.json")
    with open(sys.argv[1]) as file:
        document = json.load(file)
    cases = set()
    for benchmark in document["benchmarks"]:
        what, kind, who, _, n = benchmark["run_name"].split("/")[:5]
        family, _, case = what.partition("-")
        bins, _, spread = case.partition("-")
        if (family, who, spread) == ("histogram", "plain", "uniform") and int(bins) in BINS[kind]:
            cases.add((kind, int(n), int(bins)))
    for kind, n, bins in sorted(cases):
        x = samples(kind, n)
        for repetition in range(-1, 7 if n <= 2**20 else 2):
            start = time.perf_counter()
            if kind == "f32":
                counts = np.histogram(x, bins=bins, range=(float(LO), float(HI)))[0]
            else:
                counts = np.bincount(x, minlength=bins)
            took = time.perf_counter() - start
            name = f"histogram-{bins}-uniform/{kind}/numpy/1/{n}/real_time"
            if repetition >= 0:
                document["benchmarks"].append({
                    "name": name, "run_name": name, "run_type": "iteration",
                    "repetition_index": repetition, "iterations": 1, "real_time": 1e9 * took,
                    "cpu_time": 1e9 * took, "time_unit": "ns", "label": f"{digest(counts):016x}"})
    document["context"]["numpy"] = np.__version__
    with open(sys.argv[1], "w") as file:
        json.dump(document, file, indent=1)


if __name__ == "__main__":
    main()
