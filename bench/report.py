#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables, CSV and plots from the JSON of isowarp_bench.

usage: report.py [--out PREFIX] [--into FILE.md NAME] FILE.json...

Each FILE.json was written by the program, or by this script with --out; several are merged, such as a run
on a CPU and one on a GPU. Prints the goals beside the measured values, and all ratios, as Markdown. With
--into its brief form replaces what is between the lines "<!-- NAME -->" and "<!-- /NAME -->" of FILE.md: one
table for each family and place, of the best instruction set, the most threads and the cells of BRIEF_CELLS.
With --out it writes PREFIX.json (all runs), PREFIX.csv and, if matplotlib is installed, PREFIX-FAMILY.png
and .svg. Exit status 1: a result was wrong, or the results of a case differ.
"""
import argparse
import contextlib
import csv
import io
import json
import math
import re
import statistics
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
SIZES = {"f32": 4, "i32": 4, "u32": 4, "u64": 8, "i64": 8, "f64": 8, "u8": 1, "4B": 4, "8B": 8, "1B": 1}
SERIAL_PEERS = ("plain", "std", "numpy")
PEERS = SERIAL_PEERS + ("std-par", "std-par_unseq", "tbb", "openmp", "cub", "thrust")
SPREADS = ("uniform", "ninety", "same", "zipf", "edges")
PARTITIONS = {
    "partition_two": "two outputs",
    "partition": "one array",
    "select": "select",
    "select_flags": "select by flags"
}
SPLITS = {"multisplit": "keys", "multisplit_pairs": "pairs", "multisplit_bins": "keys, by bins"}
PARTS = ("1-random", "10-random", "50-random", "90-random", "99-random", "50-sorted", "50-clustered")
SETS = {"avx512": "AVX-512", "avx2": "AVX2", "sse4": "SSE4", "neon": "NEON", "generic": "generic"}


class Run:
    """One run of the program: its context and the median seconds of (what, type, place, who, threads, n)."""

    def __init__(self, document):
        self.document = document
        self.context = document["context"]
        self.seconds, self.spread, self.labels, self.misplaced, self.errors = {}, {}, {}, {}, []
        single = {}
        for entry in document["benchmarks"]:
            what, kind, place, who, threads, n = entry["run_name"].split("/")[:6]
            key = (what, kind, place, who, int(threads), int(n))
            if "label" in entry:  # the result's digest
                self.labels[key] = entry["label"]
            # The number of samples that the peer puts in another bin than the edges say.
            if entry.get("misplaced") and entry.get("aggregate_name", "median") == "median":
                self.misplaced[key] = entry["misplaced"]
            if entry.get("error_occurred"):
                self.errors.append(entry["run_name"] + ": " + entry["error_message"])
            elif entry["run_type"] == "iteration":
                single.setdefault(key, []).append(entry["real_time"] * UNITS[entry["time_unit"]])
            elif entry["aggregate_name"] == "median":
                self.seconds[key] = entry["real_time"] * UNITS[entry["time_unit"]]
            elif entry["aggregate_name"] == "cv":
                self.spread[key] = entry["real_time"]
        for key, times in single.items():
            self.seconds.setdefault(key, statistics.median(times))

    def get(self, *key):
        return self.seconds.get(key)

    def least(self, what, kind, place, threads, n, names=None):
        """The shortest time of those in names, or of all."""
        times = [s for (w, k, p, who, t, m), s in self.seconds.items()
                 if (w, k, p, t, m) == (what, kind, place, threads, n) and (names is None or who in names)]
        return min(times, default=None)

    def limit(self, what, kind, place, threads, n):
        return self.least(what, f"{SIZES[kind]}B", place, threads, n)

    def peers(self, what, kind, threads, n):
        """The shortest time of the CPU's peers on that number of threads, serial peers included."""
        return least(self.least(what, kind, "cpu", threads, n, PEERS),
                     self.least(what, kind, "cpu", 1, n, SERIAL_PEERS))

    def best_peer(self, what, kind, place, threads, n):
        return self.peers(what, kind, threads, n) if place == "cpu" else self.least(
            what, kind, place, threads, n, PEERS)

    def share(self, limit, what, kind, place, who, threads, n):
        """The speed as a share of the copy limit's or the read limit's, by bytes moved."""
        of, ours = self.limit(limit, kind, place, threads, n), self.get(what, kind, place, who, threads, n)
        return over(of and of * moved(what, kind), ours and ours * moved(limit, kind))

    def speed(self, what, kind, place, who, threads, n):
        """GB/s of the bytes moved."""
        return over(1e-9 * moved(what, kind) * n, self.get(what, kind, place, who, threads, n))

    def cases(self, family, **fixed):
        """The parameters of the cases of a family: "256-uniform"."""
        return [
            what.partition("-")[2]
            for what in self.values("what", **fixed)
            if what.partition("-")[0] == family
        ]

    def ours(self, place):
        """(name, threads, [titles in a table]) of the library's own times."""
        if place == "cuda":
            return [("isowarp", 0, [])]
        return [("isowarp-" + isa, threads, [SETS[isa], str(threads)])
                for isa in [name for name in self.sets() if name != "generic"] or self.sets()
                for threads in self.values("threads", place=place, who="isowarp-" + isa)]

    def beside_scan(self, what, kind, place, who, threads, n):
        """The speed of a scan of segments as a share of the plain scan's, by bytes moved."""
        scan = self.get("scan", kind, place, who, threads, n)
        segments = self.get(what, kind, place, who, threads, n)
        return over(scan and scan * moved(what, kind), segments and segments * moved("scan", kind))

    def values(self, index, **fixed):
        """The distinct values of one part of the keys, sorted, among the keys whose other parts are as
        given."""
        names = ("what", "kind", "place", "who", "threads", "n")
        return sorted({key[names.index(index)] for key in self.seconds
                       if all(key[names.index(name)] == value for name, value in fixed.items())})

    def sets(self, place="cpu"):
        """The instruction sets measured, best first."""
        there = [
            who[len("isowarp-"):] for who in self.values("who", place=place) if who.startswith("isowarp-")
        ]
        return [name for name in SETS if name in there]

    def machine(self, place):
        c = self.context
        if place == "cuda":
            return f"{c.get('gpu')} (CUDA {c.get('cuda')}, driver {c.get('cuda_driver')}, CUB {c.get('cub')})"
        return f"{c['cpu']}, {c['threads']} threads, gcc {c['compiler']}, TBB {c['tbb']}"


def least(*times):
    return min((t for t in times if t is not None), default=None)


def over(a, b):
    return a / b if a and b else None


def power(n):
    return f"2^{n.bit_length() - 1}"


def moved(what, kind):
    """Bytes per element that a call reads and writes, the flags and keys of segments and selections
    included."""
    family, _, case = what.removeprefix("small_").partition("-")
    size = SIZES[kind]
    if family in ("reduce", "read", "user_reduce", "histogram"):
        return size
    if family.startswith("select"):
        return size * (1 + int(case.split("-")[0] if case else 50) / 100) + (family == "select_flags")
    if family == "multisplit_pairs":
        return 2 * (size + 4)
    return 2 * size + {"segmented": 1, "by_key": 4}.get(family, 0)


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


# ---- The goals -----------------------------------------------------------------------------------------

def goals(run):
    """Rows of (where, what, measured, goal) for the goals that this run has measured; bold: the goal is
    reached."""
    rows = []

    def at_least(where, what, value, goal):
        if value is not None:
            text = f"{value:.2f}" if value < 100 else f"{value:.0f}"
            rows.append((where, what, f"**{text}**" if value >= goal else text, f"at least {goal:g}"))

    def least_of(where, what, values, goal):
        """The least of (value, case) pairs."""
        there = [pair for pair in values if pair[0] is not None]
        if there:
            value, case = min(there)
            at_least(where, what + (f", the least ({case})" if len(there) > 1 else ""), value, goal)

    for kind, goal in (("f32", 0.93), ("i32", 0.93), ("u64", 0.92), ("f64", 0.92)):
        at_least(
            f"GPU, 2^28, {kind}", "scan against the copy",
            over(run.limit("copy", kind, "cuda", 0, 2**28),
                 run.get("scan", kind, "cuda", "isowarp", 0, 2**28)), goal)
    for log, goal in ((24, 1.3), (20, 1.5), (16, 1.45)):
        at_least(
            f"GPU, 2^{log}, f32", "scan against CUB's",
            over(run.get("scan", "f32", "cuda", "cub", 0, 2**log),
                 run.get("scan", "f32", "cuda", "isowarp", 0, 2**log)), goal)
    slowest = min(((over(run.get("scan", kind, "cuda", "cub", 0, n), s), kind, n)
                   for (what, kind, place, who, _, n), s in run.seconds.items()
                   if (what, place, who) == ("scan", "cuda", "isowarp")
                   and run.get("scan", kind, "cuda", "cub", 0, n)), default=None)
    if slowest:
        at_least("GPU, every type and size",
                 f"scan against CUB's, the least ({slowest[1]}, {power(slowest[2])})", slowest[0], 1.0)
    for kind in ("f32", "i32", "u64", "f64"):
        at_least(
            f"GPU, 2^28, {kind}", "reduce against the read limit",
            over(run.limit("read", kind, "cuda", 0, 2**28),
                 run.get("reduce", kind, "cuda", "isowarp", 0, 2**28)), 0.97)
    at_least("GPU, 2^28, f32", "segmented scan against the scan, by bytes moved",
             run.beside_scan("segmented", "f32", "cuda", "isowarp", 0, 2**28), 0.8)

    every = run.values("threads", what="scan", place="cpu")
    for threads in [t for t in every if t > 1]:
        for isa, goal in (("avx512", 0.88), ("avx2", 0.85)):
            at_least(
                f"CPU, {SETS[isa]}, {threads} threads, 2^26, f32",
                "scan against the streaming copy, same threads",
                over(run.get("copy", "4B", "cpu", "streaming", threads, 2**26),
                     run.get("scan", "f32", "cpu", "isowarp-" + isa, threads, 2**26)), goal)
        for log, goal in ((20, 2.0), (26, 2.5)):
            for isa in run.sets()[:1]:
                at_least(
                    f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32",
                    "scan against the best of the peers, same threads",
                    over(run.peers("scan", "f32", threads, 2**log),
                         run.get("scan", "f32", "cpu", "isowarp-" + isa, threads, 2**log)), goal)
    for isa in ("avx512", "avx2"):
        for threads in every:
            for log in (20, 26):
                at_least(f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32",
                         "segmented scan against the scan, by bytes moved",
                         run.beside_scan("segmented", "f32", "cpu", "isowarp-" + isa, threads, 2**log), 0.8)
    for isa, goal in (("avx512", 35), ("avx2", 25)):
        at_least(f"CPU, {SETS[isa]}, one core, 2^16, f32", "scan, GB/s read and written",
                 over(8e-9 * 2**16, run.get("scan", "f32", "cpu", "isowarp-" + isa, 1, 2**16)), goal)
    for isa in run.sets()[:1]:
        for small, name in SMALL.items():
            above = above_loop(run, small)
            if above:
                worst, n = max((ns, n) for n, ns in above.items())
                rows.append((f"CPU, {SETS[isa]}, n of 1 to {power(max(above))}, f32",
                             f"{name}, ns more than the plain loop, the most (n = {n})",
                             f"**{worst:.0f}**" if worst <= 150 else f"{worst:.0f}", "at most 150"))
    histogram_goals(run, at_least, least_of)
    partition_goals(run, at_least, least_of)
    return rows


SMALL = {
    "small": "scan",
    "small_histogram": "histogram on a plan",
    "small_partition_two": "partition, two outputs",
    "small_partition": "partition, one array",
    "small_select": "select",
    "small_multisplit-256-uniform": "multisplit of u32 into 256"
}


def above_loop(run, small):
    """By n, the ns that a call with the best instruction set takes more than the plain loop."""
    above = {}
    for isa in run.sets()[:1]:
        for (what, kind, place, who, _, n), seconds in run.seconds.items():
            loop = run.get(small, kind, place, "plain", 1, n)
            if (what, who) == (small, "isowarp-" + isa) and loop:
                above[n] = 1e9 * (seconds - loop)
    return above


def histogram_goals(run, at_least, least_of):
    def cases(place, kind, n, bins, spreads=SPREADS):
        return [(f"histogram-{b}-{spread}", f"{b} bins, {spread}") for b in bins for spread in spreads
                if run.values("n", what=f"histogram-{b}-{spread}", kind=kind, place=place, n=n)]

    def read_shares(place, who, threads, kind, n, bins, spreads=SPREADS):
        return [(run.share("read", what, kind, place, who, threads, n), case)
                for what, case in cases(place, kind, n, bins, spreads)]

    def times(peer, place, who, threads, kind, n, bins, spreads=SPREADS):
        peer_threads = 0 if place == "cuda" else 1 if peer == "plain" else threads
        return [(over(run.get(what, kind, place, peer, peer_threads, n),
                      run.get(what, kind, place, who, threads, n)), case)
                for what, case in cases(place, kind, n, bins, spreads)]

    def beside_uniform(place, who, threads, kind, n, bins, spreads=SPREADS[1:]):
        return [(over(run.get(f"histogram-{b}-uniform", kind, place, who, threads, n),
                      run.get(f"histogram-{b}-{spread}", kind, place, who, threads, n)),
                 f"{b} bins, {spread}")
                for b in bins for spread in spreads]

    for log in (28, 26):
        n, gpu = 2**log, ("cuda", "isowarp", 0)
        if not run.cases("histogram", place="cuda", n=n):
            continue
        small = (2, 8, 16, 32, 256, 2048, 16384)
        where = f"GPU, 2^{log}, "
        least_of(where + "f32", "histogram, 2 to 16384 bins, against the read limit",
                 read_shares(*gpu, "f32", n, small, SPREADS[:4]), 0.94)
        least_of(where + "f32", "the same, on edges, to 2048 bins",
                 read_shares(*gpu, "f32", n, small[:6], ["edges"]), 0.72)
        least_of(where + "f32", "the same, on edges, 16384 bins",
                 read_shares(*gpu, "f32", n, [16384], ["edges"]), 0.58)
        for bins, goal in ((49152, 3300), (65536, 1900), (2**20, 500)):
            at_least(where + "f32", f"histogram, {bins} bins, GB/s",
                     run.speed(f"histogram-{bins}-uniform", "f32", *gpu, n), goal)
        least_of(where + "f32", "histogram, 49152 bins and more, against uniform",
                 beside_uniform(*gpu, "f32", n, (49152, 65536, 2**20)), 0.5)
        least_of(where + "u8", "histogram, 256 bins, against the read limit",
                 read_shares(*gpu, "u8", n, [256]), 0.95)
        break
    for log, goal in ((20, 1.3), (24, 1.15)):
        least_of(f"GPU, 2^{log}, f32", "histogram, 256 bins, against CUB's",
                 times("cub", "cuda", "isowarp", 0, "f32", 2**log, [256]), goal)
    n, low = 2**26, (2, 8, 16, 32)
    for who, threads, (name, _) in run.ours("cpu"):
        if threads < 2 or who not in ("isowarp-avx512", "isowarp-avx2"):
            continue
        here = f"CPU, {name}, {threads} threads, 2^26, "
        mine, wide = ("cpu", who, threads), who == "isowarp-avx512"
        if threads > 2:
            two = run.speed("histogram-256-uniform", "f32", "cpu", who, 2, n)
            at_least(here + "f32", f"histogram, 256 bins, against {threads / 2:g} times two threads' speed",
                     over(run.speed("histogram-256-uniform", "f32", *mine, n), two and two * threads / 2),
                     0.8)
            continue
        least_of(
            here + "u8", "histogram, letters and 16 bins, against the read limit"
            if wide else "histogram, letters, against the read limit",
            read_shares(*mine, "u8", n, (7, 16) if wide else [7]), 0.92 if wide else 0.72)
        least_of(here + "f32", "histogram, to 32 bins, against the read limit",
                 read_shares(*mine, "f32", n, low), 0.92 if wide else 0.6)
        if wide:
            least_of(here + "u8", "histogram, 256 bins, against the read limit",
                     read_shares(*mine, "u8", n, [256]), 0.22)
            least_of(here + "f32", "histogram, 256 bins, against the read limit",
                     read_shares(*mine, "f32", n, [256]), 0.58)
            for bins, goal in ((2048, 2), (65536, 1.6)):
                least_of(here + "f32", f"histogram, {bins} bins, against OpenMP's array reduction",
                         times("openmp", *mine, "f32", n, [bins], ["uniform"]), goal)
            least_of(here + "f32", "histogram, 2048 and 65536 bins, skewed against uniform",
                     beside_uniform(*mine, "f32", n, (2048, 65536), SPREADS[1:4]), 1)
        least_of(here + "u8", "histogram, 256 bins, against the plain loop",
                 times("plain", *mine, "u8", n, [256]), 4 if wide else 2.5)
        if not wide:
            least_of(here + "f32", "histogram, 256 bins, against the plain loop",
                     times("plain", *mine, "f32", n, [256]), 2.5)


def partition_goals(run, at_least, least_of):
    def shares(family, place, who, threads, n):
        return [(run.share("copy", f"{family}-{part}", "f32", place, who, threads, n), part)
                for part in PARTS]

    def times(family, n, parts=PARTS):
        return [(over(run.get(f"{family}-{part}", "f32", "cuda", "cub", 0, n),
                      run.get(f"{family}-{part}", "f32", "cuda", "isowarp", 0, n)), f"{part}, {power(n)}")
                for part in parts]

    gpu, n = ("cuda", "isowarp", 0), 2**28
    least_of("GPU, 2^28, f32", "two outputs against the copy", shares("partition_two", *gpu, n), 0.9)
    least_of("GPU, 2^28, f32", "one array against the copy", shares("partition", *gpu, n), 0.62)
    sizes = [m for m in run.values("n", place="cuda") if m >= 2**20]
    least_of("GPU, 2^20 and more, f32", "one array against CUB's, which is not stable",
             [pair for m in sizes for pair in times("partition", m)], 1)
    least_of("GPU, 2^28, f32", "select against CUB's", times("select", n) + times("select_flags", n), 1.4)
    for log in (24, 20):
        for family in ("partition_two", "select"):
            least_of(f"GPU, 2^{log}, f32", f"{PARTITIONS[family]} against CUB's", times(family, 2**log), 1.4)
    for family, name in (("multisplit", "keys"), ("multisplit_pairs", "pairs")):
        least_of("GPU, 2^28, u32", f"multisplit, {name}, against a radix pass of CUB's",
                 [(over(run.get(f"{family}-{case}", "u32", "cuda", "cub", 0, n),
                        run.get(f"{family}-{case}", "u32", *gpu, n)), case)
                  for case in run.cases(family, place="cuda", n=n)], 1.1)
    n = 2**26
    for who, threads, (name, _) in run.ours("cpu"):
        if threads < 2 or who not in ("isowarp-avx512", "isowarp-avx2"):
            continue
        here, wide = f"CPU, {name}, {threads} threads, 2^26, ", who == "isowarp-avx512"
        if threads > 2:
            least_of(here + "f32", "two outputs against the streaming copy",
                     shares("partition_two", "cpu", who, threads, n), 0.8)
            continue
        for family, goal in (("partition_two", 0.9), ("select", 0.9), ("partition", 0.64)):
            if wide:
                least_of(here + "f32", f"{PARTITIONS[family]} against the streaming copy",
                         shares(family, "cpu", who, threads, n), goal)
            else:
                least_of(here + "f32", f"{PARTITIONS[family]} against AVX-512's",
                         [(over(run.get(f"{family}-{part}", "f32", "cpu", "isowarp-avx512", threads, n),
                                run.get(f"{family}-{part}", "f32", "cpu", who, threads, n)), part)
                          for part in PARTS], 0.85)
        for spread, goal in (("uniform", 0.27), ("ninety", 0.24)):
            at_least(here + "u32", f"multisplit into 256, {spread}, against the streaming copy",
                     run.share("copy", f"multisplit-256-{spread}", "u32", "cpu", who, threads, n), goal)


# ---- All ratios ----------------------------------------------------------------------------------------

def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def cpu_tables(run):
    sizes, every = run.values("n", what="scan", place="cpu"), run.values("threads", what="scan", place="cpu")
    kinds = [k for k in SIZES if k in run.values("kind", what="scan", place="cpu")]
    for what, limit in (("scan", "copy"), ("reduce", "read")):
        if not run.values("n", what=what, place="cpu"):
            continue
        rows = []
        for isa in [name for name in run.sets() if name != "generic"] or run.sets():
            for threads in every:
                for kind in kinds:
                    cells = []
                    for n in sizes:
                        ours = run.get(what, kind, "cpu", "isowarp-" + isa, threads, n)
                        cells.append(ours and f"{moved(what, kind) * n / ours / 1e9:.1f} / "
                                     f"{number(over(run.limit(limit, kind, 'cpu', threads, n), ours))} / "
                                     f"{number(over(run.peers(what, kind, threads, n), ours))}" or "")
                    if any(cells):
                        rows.append([SETS[isa], str(threads), kind] + cells)
        print(f"{what.capitalize()} on the CPU: GB/s / share of the {limit} limit / times the best of "
              "the peers, all with the same threads\n")
        table(["", "threads", "type"] + [power(n) for n in sizes], rows)
    segments_table(run, "CPU", "cpu", "")
    rows = []
    for isa in run.sets():
        for threads in every:
            cells = []
            for n in sizes:
                shares = [
                    over(run.get(what, "f32", "cpu", "isowarp-" + isa, threads, n),
                         run.get("user_" + what, "f32", "cpu", "isowarp-" + isa, threads, n))
                    for what in ("scan", "reduce")
                ]
                cells.append(" / ".join(number(share) for share in shares) if any(shares) else "")
            if any(cells):
                rows.append([SETS[isa], str(threads)] + cells)
    if rows:
        print("By a user's operator + on the CPU, f32: scan / reduce, share of the built-in sum's speed\n")
        table(["", "threads"] + [power(n) for n in sizes], rows)


def segments_table(run, device, place, beside):
    """The table of segmented scans by flags and by key; beside: the peer that has a scan by key, or ""."""
    sizes, rows = run.values("n", what="segmented", place=place), []
    for who in reversed(run.values("who", what="segmented", place=place)):
        for threads in run.values("threads", what="segmented", place=place, who=who):
            for kind in [
                    k for k in SIZES
                    if k in run.values("kind", what="segmented", place=place, who=who, threads=threads)
            ]:
                cells = []
                for n in sizes:
                    shares = [
                        run.beside_scan(what, kind, place, who, threads, n)
                        for what in ("segmented", "by_key")
                    ]
                    if beside:
                        shares.append(over(run.get("by_key", kind, place, beside, threads, n),
                                           run.get("by_key", kind, place, who, threads, n)))
                    seconds = run.get("segmented", kind, place, who, threads, n)
                    cells.append(seconds and " / ".join(
                        [f"{moved('segmented', kind) * n / seconds / 1e9:.{1 - bool(beside)}f}"] +
                        [number(share) for share in shares]) or "")
                rows.append(([SETS[who[len("isowarp-"):]], str(threads)] if place == "cpu" else []) +
                            [kind] + cells)
    if rows:
        print(
            f"Scan of segments on the {device}: GB/s by flags / share of the scan's speed, by flags / by key"
            + f" / by key, times {beside.upper()}" * bool(beside) + "\n")
        table((["", "threads"] if place == "cpu" else []) + ["type"] + [power(n) for n in sizes], rows)


def cuda_tables(run):
    sizes = run.values("n", what="scan", place="cuda")
    kinds = [k for k in SIZES if k in run.values("kind", what="scan", place="cuda")]
    for what, limit in (("scan", "copy"), ("reduce", "read")):
        if not run.values("n", what=what, place="cuda"):
            continue
        rows = []
        for kind in kinds:
            cells = []
            for n in sizes:
                ours = run.get(what, kind, "cuda", "isowarp", 0, n)
                cells.append(ours and f"{moved(what, kind) * n / ours / 1e9:.0f} / "
                             f"{number(over(run.limit(limit, kind, 'cuda', 0, n), ours))} / "
                             f"{number(over(run.get(what, kind, 'cuda', 'cub', 0, n), ours))}" or "")
            rows.append([kind] + cells)
        print(f"{what.capitalize()} on the GPU: GB/s / share of the {limit} limit / times CUB\n")
        table(["type"] + [power(n) for n in sizes], rows)
    segments_table(run, "GPU", "cuda", "cub")


def cell(run, limit, what, kind, place, who, threads, n):
    """The text of a cell: GB/s / share of the limit / times the best peer."""
    ours = run.get(what, kind, place, who, threads, n)
    if not ours:
        return ""
    shares = [run.share(limit, what, kind, place, who, threads, n),
              over(run.best_peer(what, kind, place, threads, n), ours)]
    return " / ".join([f"{run.speed(what, kind, place, who, threads, n):.{0 if place == 'cuda' else 1}f}"]
                      + [number(share) for share in shares if share is not None])


def grid(run, place, caption, head, limit, rows, columns):
    """Prints a table of cells. A row is (titles, type, function from a column to (the benchmark's first
    part, n))."""
    full = []
    for who, threads, name in run.ours(place):
        for titles, kind, case in rows:
            cells = [
                cell(run, limit,
                     case(column)[0], kind, place, who, threads,
                     case(column)[1]) for column in columns
            ]
            if any(cells):
                full.append((name + titles, cells))
    if not full:
        return
    device, beside = ("the CPU", "the best of the peers") if place == "cpu" else (
        "the GPU", "CUB" if limit == "read" else "the better of CUB and Thrust")
    print(f"{caption.format(device)}: GB/s / share of the {limit} limit / times {beside}\n")
    named = [power(c) if isinstance(c, int) else c.replace("-", "%, ") if "-" in c else c for c in columns]
    there = [k for k in range(len(columns)) if any(cells[k] for _, cells in full)]
    table((["", "threads"] if place == "cpu" else []) + head + [named[k] for k in there],
          [titles + [cells[k] for k in there] for titles, cells in full])


def histogram_tables(run, place):
    counted = sorted({(kind, int(what.split("-")[1])) for what, kind, where, *_ in run.seconds
                      if where == place and what.startswith("histogram-")})
    if not counted:
        return
    sizes = sorted(
        {n
         for what, _, where, _, _, n in run.seconds
         if where == place and what.startswith("histogram-")})
    named = {7: "letters"}
    rows = [([kind, named.get(bins, str(bins)) if kind == "u8" else str(bins)], kind, bins)
            for kind, bins in counted]
    grid(run, place, "Histogram on {}, " + power(sizes[-1]), ["type", "bins"], "read",
         [(titles, kind, lambda spread, bins=bins: (f"histogram-{bins}-{spread}", sizes[-1]))
          for titles, kind, bins in rows], SPREADS)
    others = {}
    for (what, kind, where, who, _, n), count in run.misplaced.items():
        if where == place and n == sizes[-1]:
            _, bins, spread = what.split("-")
            others.setdefault(who, []).append(
                (int(bins), SPREADS.index(spread), f"{bins} {spread} {100 * count / n:.2g}%"))
    for who, cases in others.items():
        shares = ", ".join(case for *_, case in sorted(cases))
        print(f"{who.upper()} computes bins by a formula. "
              f"The share of samples that it puts in another bin: {shares}.\n")
    grid(run, place, "Histogram on {}, uniform, by n", ["type", "bins"], "read",
         [(titles, kind, lambda n, bins=bins: (f"histogram-{bins}-uniform", n))
          for titles, kind, bins in rows], sizes[:-1])
    for n in sizes:
        rows = []
        for who in run.values("who", place=place, n=n, kind="f32"):
            speeds = [
                run.least(f"histogram-256-{spread}", "f32", place,
                          run.values("threads", place=place)[-1], n, [who])
                for spread in ("uniform", "same")
            ]
            if ":" in who and any(speeds):
                rows.append([who.split(":")[1]] + [number(over(4e-9 * n, s), 1) for s in speeds])
        if rows:
            device = "CPU" if place == "cpu" else "GPU"
            print(f"The strategies on the {device}, f32, 256 bins, {power(n)}: GB/s\n")
            table(["", "uniform", "all the same"], rows)


def partition_tables(run, place):
    there = [family for family in PARTITIONS if run.cases(family, place=place)]
    splits = [(family, case)
              for family in SPLITS
              for case in sorted(run.cases(family, place=place),
                                 key=lambda c: (c.split("-")[1], int(c.split("-")[0])))]
    sizes = sorted({n for what, _, where, _, _, n in run.seconds
                    if where == place and what.split("-")[0] in there + list(SPLITS)})
    if not sizes:
        return
    rows = [([PARTITIONS[family], kind], kind, family) for family in there for kind in ("f32", "u64")]
    grid(run, place, "Partition and select on {}, " + power(sizes[-1]) + ", by share selected",
         ["", "type"], "copy", [(titles, kind, lambda part, family=family: (f"{family}-{part}", sizes[-1]))
                                for titles, kind, family in rows], PARTS)
    grid(run, place, "Partition and select on {}, half of random elements, by n", ["", "type"], "copy",
         [(titles, kind, lambda n, family=family: (f"{family}-50-random", n))
          for titles, kind, family in rows], sizes[:-1])
    grid(run, place, "Multisplit of u32 on {}", ["", "buckets", ""], "copy",
         [([SPLITS[family]] + case.split("-"), "u32",
           lambda n, family=family, case=case: (f"{family}-{case}", n)) for family, case in splits], sizes)


def small_table(run):
    columns = [1, 2, 8, 17, 32, 64, 256, 1024, 4096, 65536]
    rows = []
    for small, name in SMALL.items():
        above = above_loop(run, small)
        if above:
            rows.append([name] + [f"{above[n]:.0f}" if n in above else "" for n in columns])
    if rows:
        print(f"A call of {SETS[run.sets()[0]]}, f32: ns more than the plain loop, by n\n")
        table([""] + [str(n) for n in columns], rows)


# ---- Plots ---------------------------------------------------------------------------------------------

def color(who):
    fixed = {
        "isowarp": "#c02020",
        "isowarp-avx512": "#c02020",
        "isowarp-avx2": "#e07030",
        "isowarp-sse4": "#e0a060",
        "isowarp-neon": "#c02020",
        "isowarp-generic": "#d8c090",
        "plain": "#606060",
        "std-par": "#2060c0",
        "std-par_unseq": "#60a0e0",
        "tbb": "#208040",
        "openmp": "#80b040",
        "cub": "#2060c0",
        "thrust": "#208040",
        "std": "#909090",
        "numpy": "#a040a0"
    }
    return fixed.get(who, "#000000")


def plot(runs, prefix):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("report.py: no plots, because matplotlib is not installed (Debian: python3-matplotlib)",
              file=sys.stderr)
        return
    plot_scans(pyplot, runs, prefix + "-scan")
    plot_family(pyplot, runs, prefix + "-histogram", "histogram", 3, 17, draw_histograms)
    plot_family(pyplot, runs, prefix + "-partition", "partition_two", 5, 26, draw_partitions)


def save(figure, pyplot, runs, place_of, prefix):
    figure.suptitle("; ".join(dict.fromkeys(run.machine(place) for run, place in place_of)), fontsize=9)
    figure.savefig(prefix + ".png", dpi=110)
    figure.savefig(prefix + ".svg")
    pyplot.close(figure)


def lines(axis, run, place, n, cases, position, threads):
    """Draws, for each case (label, type, benchmarks' first parts, dashes), a line of the library with its
    best instruction set and a line of each peer, over position(first part)."""
    mine = "isowarp" if place == "cuda" else "isowarp-" + run.sets()[0]
    for label, kind, whats, dashes in cases:
        for who in [mine] + [
                peer for peer in PEERS if any(
                    run.values("who", what=what, kind=kind, place=place, who=peer) for what in whats)
        ]:
            mine_threads = 1 if who in SERIAL_PEERS else threads
            points = [(position(what), run.speed(what, kind, place, who, mine_threads, n)) for what in whats]
            points = [point for point in points if point[1]]
            if points:
                axis.plot(*zip(*points),
                          marker=".",
                          color=color(who),
                          linestyle=dashes,
                          label=f"{who}, {label}")


def lines_over_n(axis, run, place, what, threads, label, dashes):
    """Draws a line for the library and for each peer that has the case in f32."""
    for who in run.values("who", what=what, kind="f32", place=place):
        mine = 1 if who in SERIAL_PEERS else threads
        points = [(n, run.speed(what, "f32", place, who, mine, n))
                  for n in run.values("n", what=what, place=place)]
        points = [point for point in points if point[1]]
        if points and ":" not in who:
            axis.plot(*zip(*points), marker=".", color=color(who), linestyle=dashes, label=who + label)
    axis.set_xscale("log", base=2)
    axis.set_xlabel("n")


def amount(what):
    """The number in a benchmark's first part: bins, buckets, or the percentage that is selected."""
    return int(what.split("-")[1])


def plot_family(pyplot, runs, prefix, family, columns, width, draw):
    """Makes a row of axes for each run and place that has the family; draw(row, run, place, threads, n,
    where) fills it."""
    panels = [(run, place) for run in runs for place in ("cpu", "cuda") if run.cases(family, place=place)]
    if not panels:
        return
    figure, axes = pyplot.subplots(len(panels),
                                   columns,
                                   squeeze=False,
                                   layout="constrained",
                                   figsize=(width, 4 * len(panels)))
    for row, (run, place) in zip(axes, panels):
        threads, n = run.values("threads", place=place)[-1], max(run.values("n", place=place))
        draw(row, run, place, threads, n,
             f"{power(n)}, " + (f"{threads} threads" if place == "cpu" else run.context.get("gpu")))
        for axis in row:
            axis.set_ylabel("GB/s")
            axis.set_ylim(bottom=0)
            axis.grid(alpha=0.3)
            if axis.lines:
                axis.legend(fontsize=6)
    save(figure, pyplot, runs, panels, prefix)


def limit_line(axis, run, what, place, threads, n):
    """Draws the read limit or the copy limit of n floats."""
    limit = run.limit(what, "f32", place, threads, n)
    if limit:
        axis.axhline(1e-9 * moved(what, "f32") * n / limit,
                     color="#000000",
                     linestyle=":",
                     label=f"{what} limit")


def draw_histograms(row, run, place, threads, n, where):
    bins = sorted({int(case.split("-")[0]) for case in run.cases("histogram", place=place, kind="f32")})
    dashes = {"uniform": "-", "ninety": "--", "same": ":", "zipf": "-.", "edges": (0, (1, 3))}
    for axis, spreads in zip(row, (SPREADS[:1] + SPREADS[4:], SPREADS[1:4])):
        lines(axis, run, place, n, [(spread, "f32", [f"histogram-{b}-{spread}" for b in bins], dashes[spread])
                                    for spread in spreads], amount, threads)
        limit_line(axis, run, "read", place, threads, n)
        axis.set_xscale("log", base=2)
        axis.set_xlabel("bins")
        axis.set_title(f"histogram f32, {where}", fontsize=10)
    lines_over_n(row[2], run, place, "histogram-256-uniform", threads, "", "-")
    row[2].set_title("histogram f32, 256 bins, uniform", fontsize=10)


def draw_partitions(row, run, place, threads, n, where):
    for axis, family in zip(row, ("partition_two", "partition", "select")):
        lines(axis, run, place, n,
              [("random", "f32", [f"{family}-{p}-random" for p in (1, 10, 50, 90, 99)], "-")], amount,
              threads)
        axis.set_xlabel("% selected")
        axis.set_title(f"{PARTITIONS[family]}, f32, {where}", fontsize=10)
    lines(row[3], run, place, n, [(spread, "u32", [f"multisplit-{b}-{spread}"
                                                   for b in (2, 8, 256)], dashes)
                                  for spread, dashes in (("uniform", "-"), ("ninety", "--"))], amount,
          threads)
    row[3].set_xscale("log", base=2)
    row[3].set_xlabel("buckets")
    row[3].set_title(f"multisplit, u32, {power(n)}", fontsize=10)
    for axis in row[:4]:
        limit_line(axis, run, "copy", place, threads, n)
    for family, dashes in (("partition_two", "-"), ("select", "--")):
        lines_over_n(row[4], run, place, f"{family}-50-random", threads, ", " + PARTITIONS[family], dashes)
    row[4].set_title("half of random elements, f32", fontsize=10)


def plot_scans(pyplot, runs, prefix):
    panels = []  # (run, what, place): one row of plots with a column for each type
    for run in runs:
        for place in ("cpu", "cuda"):
            panels += [(run, what, place)
                       for what in ("scan", "reduce")
                       if run.values("kind", what=what, place=place)]
    small = [run for run in runs if run.values("n", what="small")]
    if not panels and not small:
        return
    kinds = {kind for run, what, place in panels for kind in run.values("kind", what=what, place=place)}
    kinds = [kind for kind in SIZES if kind in kinds] or [""]
    figure, axes = pyplot.subplots(len(panels) + len(small), len(kinds), squeeze=False, layout="constrained",
                                   figsize=(max(4.2 * len(kinds), 7), 3.4 * (len(panels) + len(small))))
    for row, (run, what, place) in zip(axes, panels):
        threads = run.values("threads", what=what, place=place)[-1]
        for axis, kind in zip(row, kinds):
            if kind not in run.values("kind", what=what, place=place):
                axis.set_axis_off()
                continue
            limit = "copy" if what == "scan" else "read"
            for name, of in ((what, kind), (limit, f"{SIZES[kind]}B")):
                for who in run.values("who", what=name, kind=of, place=place):
                    mine = 1 if who == "plain" else threads
                    points = [(key[-1], moved(what, kind) * key[-1] / seconds / 1e9)
                              for key, seconds in sorted(run.seconds.items())
                              if key[:-1] == (name, of, place, who, mine)]
                    style = dict(color=color(who), linestyle="-") if name == what else dict(
                        color="#000000", linestyle=":" if who in ("memcpy", "read") else "--")
                    label = who if name == what else f"{limit}: {who}"
                    axis.plot([n for n, _ in points], [g for _, g in points],
                              marker=".",
                              label=label,
                              **style)
            axis.set_xscale("log", base=2)
            where = f"{threads} threads" if place == "cpu" else run.context.get("gpu")
            axis.set_title(f"{what} {kind}, {where}", fontsize=10)
            axis.set_ylabel("GB/s")
            axis.set_ylim(bottom=0)
            axis.grid(alpha=0.3)
        row[0].legend(fontsize=7)
    for row, run in zip(axes[len(panels):], small):
        for who in run.values("who", what="small"):
            points = [(n, 1e9 * s)
                      for (w, _, _, o, _, n), s in sorted(run.seconds.items())
                      if (w, o) == ("small", who)]
            row[0].plot([n for n, _ in points], [t for _, t in points],
                        marker=".",
                        color=color(who),
                        label=who)
        row[0].set_xscale("log", base=2)
        row[0].set_yscale("log")
        row[0].set_title("scan f32, small n", fontsize=10)
        row[0].set_ylabel("ns a call")
        row[0].grid(alpha=0.3)
        row[0].legend(fontsize=7)
        for axis in row[1:]:
            axis.set_axis_off()
    save(figure, pyplot, runs, [(run, place) for run, _, place in panels], prefix)


# ---- Files ---------------------------------------------------------------------------------------------

def write_csv(runs, path):
    with open(path, "w", newline="") as to:
        rows = csv.writer(to, lineterminator="\n")
        rows.writerow([
            "date", "machine", "what", "case", "type", "place", "who", "threads", "n", "seconds", "bytes",
            "GB/s", "spread"
        ])
        for run in runs:
            for key, seconds in sorted(run.seconds.items()):
                what, kind, place, who, threads, n = key
                bytes = round(n * moved(what, kind))
                machine = run.context.get("gpu") if place == "cuda" else run.context["cpu"]
                family, _, case = what.partition("-")
                rows.writerow([
                    run.context["date"], machine, family, case, kind, place, who, threads, n,
                    f"{seconds:.6g}", bytes, f"{bytes / seconds / 1e9:.4g}",
                    f"{run.spread.get(key, math.nan):.3g}"
                ])


def differences(runs):
    """Messages about the cases whose benchmarks have different digests."""
    digests = {}
    for run in runs:
        for (what, kind, place, who, threads, n), label in run.labels.items():
            digests.setdefault((what, kind, n), {}).setdefault(label, []).append(f"{place}/{who}/{threads}")
    return [f"{what}/{kind}/{n}: results differ: " + " and ".join(" ".join(names) for names in of.values())
            for (what, kind, n), of in digests.items() if len(of) > 1]


def print_report(runs):
    for run in runs:
        places = [place for place in ("cpu", "cuda") if run.values("n", place=place)]
        print(f"{', '.join(run.machine(place) for place in places)}, {run.context['date'][:10]}\n")
        rows = goals(run)
        if rows:
            print("The goals, bold where they are reached\n")
            table(["where", "what", "measured", "goal"], [list(row) for row in rows])
        if "cpu" in places:
            cpu_tables(run)
        if "cuda" in places:
            cuda_tables(run)
        for place in places:
            histogram_tables(run, place)
            partition_tables(run, place)
        small_table(run)


# The brief form: which tables of a report it has, by the beginning of their captions, and which rows of them.
BRIEF = re.compile(r"(Scan|Reduce) on |Scan of segments on the [^C]|(Histogram|Partition and select) on the \w+, 2|Multisplit ")
BRIEF_CELLS = {
    "type": ("f32", "u8"),
    "bins": ("letters", "8", "16", "256", "2048", "65536", "1048576"),
    "buckets": ("256",)
}


def brief_table(table):
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    head, rows = cells[0], cells[2:]
    if "threads" in head:
        threads = head.index("threads")
        most = str(max(int(row[threads]) for row in rows))
        rows = [row for row in rows if row[0] == rows[0][0] and row[threads] == most]
    for name, kept in BRIEF_CELLS.items():
        if name in head:
            rows = [row for row in rows if row[head.index(name)] in kept and "ninety" not in row]
    return table[:2] + [f"| {' | '.join(row)} |" for row in rows]


def brief(text):
    """A report without its goals, and with the rows of BRIEF_CELLS of its tables only."""
    made, last = [], ""
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        if not lines[0].startswith("|"):
            last = block
            if BRIEF.match(block) or re.search(r", \d{4}-\d\d-\d\d$", block):
                made.append(block)
        elif BRIEF.match(last):
            made.append("\n".join(brief_table(lines)))
    return "\n\n".join(made) + "\n\n"


def replace_section(path, name, text):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    page, found = re.subn(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
                          lambda m: m[1] + text + m[2],
                          page,
                          flags=re.S)
    if not found:
        sys.exit(f'report.py: {path} has no lines "<!-- {name} -->" and "<!-- /{name} -->"')
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    options = argparse.ArgumentParser(usage="report.py [--out PREFIX] [--into FILE.md NAME] FILE.json...",
                                      description=__doc__.split("\n\n")[0])
    options.add_argument("--out",
                         metavar="PREFIX",
                         help="write PREFIX.json, PREFIX.csv, PREFIX-FAMILY.png and .svg")
    options.add_argument("--into",
                         nargs=2,
                         metavar=("FILE.md", "NAME"),
                         help="replace the text between <!-- NAME --> and <!-- /NAME --> of FILE.md by the brief form")
    options.add_argument("files", nargs="+", metavar="FILE.json")
    options = options.parse_args()
    documents = []
    for name in options.files:
        with open(name) as file:
            document = json.load(file)
        documents += document.get("runs", [document])
    runs = [Run(document) for document in documents]
    if options.out:
        with open(options.out + ".json", "w") as to:
            json.dump({"runs": documents}, to, indent=1)
        write_csv(runs, options.out + ".csv")
        plot(runs, options.out)

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print_report(runs)
    print(text.getvalue(), end="")
    if options.into:
        replace_section(*options.into, brief(text.getvalue()))
    errors = [error for run in runs for error in run.errors] + differences(runs)
    for error in dict.fromkeys(errors):
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
