#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables, CSV and plots from the JSON of isowarp_bench.

usage: report.py [--out PREFIX] [--into FILE.md NAME] FILE.json...

Each FILE.json was written by the program, or by this script with --out; several are merged, such as runs on
two machines. Prints the goals beside the measured values, and all ratios, as Markdown. With --into its brief
form replaces what is between the lines "<!-- NAME -->" and "<!-- /NAME -->" of FILE.md: one table for each
family, of the best instruction set, the most threads and the cells of BRIEF_CELLS. With --out it writes
PREFIX.json (all runs), PREFIX.csv and, if matplotlib is installed, PREFIX-FAMILY.png and .svg. Exit status
1: a result was wrong, or the results of a case differ.
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
PEERS = SERIAL_PEERS + ("std-par", "std-par_unseq", "tbb", "openmp")
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
    """One run of the program: its context and the median seconds of (what, type, who, threads, n)."""

    def __init__(self, document):
        self.document = document
        self.context = document["context"]
        self.seconds, self.spread, self.labels, self.errors = {}, {}, {}, []
        single = {}
        for entry in document["benchmarks"]:
            what, kind, who, threads, n = entry["run_name"].split("/")[:5]
            key = (what, kind, who, int(threads), int(n))
            if "label" in entry:  # the result's digest
                self.labels[key] = entry["label"]
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

    def least(self, what, kind, threads, n, names=None):
        """The shortest time of those in names, or of all."""
        times = [s for (w, k, who, t, m), s in self.seconds.items()
                 if (w, k, t, m) == (what, kind, threads, n) and (names is None or who in names)]
        return min(times, default=None)

    def limit(self, what, kind, threads, n):
        return self.least(what, f"{SIZES[kind]}B", threads, n)

    def peers(self, what, kind, threads, n):
        """The shortest time of the peers on that number of threads, serial peers included."""
        return least(self.least(what, kind, threads, n, PEERS),
                     self.least(what, kind, 1, n, SERIAL_PEERS))

    def share(self, limit, what, kind, who, threads, n):
        """The speed as a share of the copy limit's or the read limit's, by bytes moved."""
        of, ours = self.limit(limit, kind, threads, n), self.get(what, kind, who, threads, n)
        return over(of and of * moved(what, kind), ours and ours * moved(limit, kind))

    def speed(self, what, kind, who, threads, n):
        """GB/s of the bytes moved."""
        return over(1e-9 * moved(what, kind) * n, self.get(what, kind, who, threads, n))

    def cases(self, family, **fixed):
        """The parameters of the cases of a family: "256-uniform"."""
        return [
            what.partition("-")[2]
            for what in self.values("what", **fixed)
            if what.partition("-")[0] == family
        ]

    def ours(self):
        """(name, threads, [titles in a table]) of the library's own times."""
        return [("isowarp-" + isa, threads, [SETS[isa], str(threads)])
                for isa in [name for name in self.sets() if name != "generic"] or self.sets()
                for threads in self.values("threads", who="isowarp-" + isa)]

    def beside_scan(self, what, kind, who, threads, n):
        """The speed of a scan of segments as a share of the plain scan's, by bytes moved."""
        scan = self.get("scan", kind, who, threads, n)
        segments = self.get(what, kind, who, threads, n)
        return over(scan and scan * moved(what, kind), segments and segments * moved("scan", kind))

    def values(self, index, **fixed):
        """The distinct values of one part of the keys, sorted, among the keys whose other parts are as
        given."""
        names = ("what", "kind", "who", "threads", "n")
        return sorted({key[names.index(index)] for key in self.seconds
                       if all(key[names.index(name)] == value for name, value in fixed.items())})

    def sets(self):
        """The instruction sets measured, best first."""
        there = [
            who[len("isowarp-"):] for who in self.values("who") if who.startswith("isowarp-")
        ]
        return [name for name in SETS if name in there]

    def machine(self):
        c = self.context
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

    every = run.values("threads", what="scan")
    for threads in [t for t in every if t > 1]:
        for isa, goal in (("avx512", 0.88), ("avx2", 0.85)):
            at_least(
                f"CPU, {SETS[isa]}, {threads} threads, 2^26, f32",
                "scan against the streaming copy, same threads",
                over(run.get("copy", "4B", "streaming", threads, 2**26),
                     run.get("scan", "f32", "isowarp-" + isa, threads, 2**26)), goal)
        for log, goal in ((20, 2.0), (26, 2.5)):
            for isa in run.sets()[:1]:
                at_least(
                    f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32",
                    "scan against the best of the peers, same threads",
                    over(run.peers("scan", "f32", threads, 2**log),
                         run.get("scan", "f32", "isowarp-" + isa, threads, 2**log)), goal)
    for isa in ("avx512", "avx2"):
        for threads in every:
            for log in (20, 26):
                at_least(f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32",
                         "segmented scan against the scan, by bytes moved",
                         run.beside_scan("segmented", "f32", "isowarp-" + isa, threads, 2**log), 0.8)
    for isa, goal in (("avx512", 35), ("avx2", 25)):
        at_least(f"CPU, {SETS[isa]}, one core, 2^16, f32", "scan, GB/s read and written",
                 over(8e-9 * 2**16, run.get("scan", "f32", "isowarp-" + isa, 1, 2**16)), goal)
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
        for (what, kind, who, _, n), seconds in run.seconds.items():
            loop = run.get(small, kind, "plain", 1, n)
            if (what, who) == (small, "isowarp-" + isa) and loop:
                above[n] = 1e9 * (seconds - loop)
    return above


def histogram_goals(run, at_least, least_of):
    def cases(kind, n, bins, spreads=SPREADS):
        return [(f"histogram-{b}-{spread}", f"{b} bins, {spread}") for b in bins for spread in spreads
                if run.values("n", what=f"histogram-{b}-{spread}", kind=kind, n=n)]

    def read_shares(who, threads, kind, n, bins, spreads=SPREADS):
        return [(run.share("read", what, kind, who, threads, n), case)
                for what, case in cases(kind, n, bins, spreads)]

    def times(peer, who, threads, kind, n, bins, spreads=SPREADS):
        peer_threads = 1 if peer == "plain" else threads
        return [(over(run.get(what, kind, peer, peer_threads, n),
                      run.get(what, kind, who, threads, n)), case)
                for what, case in cases(kind, n, bins, spreads)]

    def beside_uniform(who, threads, kind, n, bins, spreads=SPREADS[1:]):
        return [(over(run.get(f"histogram-{b}-uniform", kind, who, threads, n),
                      run.get(f"histogram-{b}-{spread}", kind, who, threads, n)),
                 f"{b} bins, {spread}")
                for b in bins for spread in spreads]

    n, low = 2**26, (2, 8, 16, 32)
    for who, threads, (name, _) in run.ours():
        if threads < 2 or who not in ("isowarp-avx512", "isowarp-avx2"):
            continue
        here = f"CPU, {name}, {threads} threads, 2^26, "
        mine, wide = (who, threads), who == "isowarp-avx512"
        if threads > 2:
            two = run.speed("histogram-256-uniform", "f32", who, 2, n)
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
    def shares(family, who, threads, n):
        return [(run.share("copy", f"{family}-{part}", "f32", who, threads, n), part)
                for part in PARTS]

    n = 2**26
    for who, threads, (name, _) in run.ours():
        if threads < 2 or who not in ("isowarp-avx512", "isowarp-avx2"):
            continue
        here, wide = f"CPU, {name}, {threads} threads, 2^26, ", who == "isowarp-avx512"
        if threads > 2:
            least_of(here + "f32", "two outputs against the streaming copy",
                     shares("partition_two", who, threads, n), 0.8)
            continue
        for family, goal in (("partition_two", 0.9), ("select", 0.9), ("partition", 0.64)):
            if wide:
                least_of(here + "f32", f"{PARTITIONS[family]} against the streaming copy",
                         shares(family, who, threads, n), goal)
            else:
                least_of(here + "f32", f"{PARTITIONS[family]} against AVX-512's",
                         [(over(run.get(f"{family}-{part}", "f32", "isowarp-avx512", threads, n),
                                run.get(f"{family}-{part}", "f32", who, threads, n)), part)
                          for part in PARTS], 0.85)
        for spread, goal in (("uniform", 0.27), ("ninety", 0.24)):
            at_least(here + "u32", f"multisplit into 256, {spread}, against the streaming copy",
                     run.share("copy", f"multisplit-256-{spread}", "u32", who, threads, n), goal)


# ---- All ratios ----------------------------------------------------------------------------------------

def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def cpu_tables(run):
    sizes, every = run.values("n", what="scan"), run.values("threads", what="scan")
    kinds = [k for k in SIZES if k in run.values("kind", what="scan")]
    for what, limit in (("scan", "copy"), ("reduce", "read")):
        if not run.values("n", what=what):
            continue
        rows = []
        for isa in [name for name in run.sets() if name != "generic"] or run.sets():
            for threads in every:
                for kind in kinds:
                    cells = []
                    for n in sizes:
                        ours = run.get(what, kind, "isowarp-" + isa, threads, n)
                        cells.append(ours and f"{moved(what, kind) * n / ours / 1e9:.1f} / "
                                     f"{number(over(run.limit(limit, kind, threads, n), ours))} / "
                                     f"{number(over(run.peers(what, kind, threads, n), ours))}" or "")
                    if any(cells):
                        rows.append([SETS[isa], str(threads), kind] + cells)
        print(f"{what.capitalize()} on the CPU: GB/s / share of the {limit} limit / times the best of "
              "the peers, all with the same threads\n")
        table(["", "threads", "type"] + [power(n) for n in sizes], rows)
    segments_table(run)
    rows = []
    for isa in run.sets():
        for threads in every:
            cells = []
            for n in sizes:
                shares = [
                    over(run.get(what, "f32", "isowarp-" + isa, threads, n),
                         run.get("user_" + what, "f32", "isowarp-" + isa, threads, n))
                    for what in ("scan", "reduce")
                ]
                cells.append(" / ".join(number(share) for share in shares) if any(shares) else "")
            if any(cells):
                rows.append([SETS[isa], str(threads)] + cells)
    if rows:
        print("By a user's operator + on the CPU, f32: scan / reduce, share of the built-in sum's speed\n")
        table(["", "threads"] + [power(n) for n in sizes], rows)


def segments_table(run):
    """The table of segmented scans by flags and by key."""
    sizes, rows = run.values("n", what="segmented"), []
    for who in reversed(run.values("who", what="segmented")):
        for threads in run.values("threads", what="segmented", who=who):
            there = run.values("kind", what="segmented", who=who, threads=threads)
            for kind in [k for k in SIZES if k in there]:
                cells = []
                for n in sizes:
                    shares = [
                        run.beside_scan(what, kind, who, threads, n)
                        for what in ("segmented", "by_key")
                    ]
                    seconds = run.get("segmented", kind, who, threads, n)
                    speed = seconds and f"{moved('segmented', kind) * n / seconds / 1e9:.1f}"
                    cells.append(" / ".join([speed] + [number(share) for share in shares]) if speed else "")
                rows.append([SETS[who[len("isowarp-"):]], str(threads), kind] + cells)
    if rows:
        print("Scan of segments on the CPU: GB/s by flags / share of the scan's speed, by flags / by key\n")
        table(["", "threads", "type"] + [power(n) for n in sizes], rows)


def cell(run, limit, what, kind, who, threads, n):
    """The text of a cell: GB/s / share of the limit / times the best peer."""
    ours = run.get(what, kind, who, threads, n)
    if not ours:
        return ""
    shares = [run.share(limit, what, kind, who, threads, n), over(run.peers(what, kind, threads, n), ours)]
    return " / ".join([f"{run.speed(what, kind, who, threads, n):.1f}"]
                      + [number(share) for share in shares if share is not None])


def grid(run, caption, head, limit, rows, columns):
    """Prints a table of cells. A row is (titles, type, function from a column to (the benchmark's first
    part, n))."""
    full = []
    for who, threads, name in run.ours():
        for titles, kind, case in rows:
            cells = [cell(run, limit, case(column)[0], kind, who, threads, case(column)[1]) for column in columns]
            if any(cells):
                full.append((name + titles, cells))
    if not full:
        return
    print(f"{caption}: GB/s / share of the {limit} limit / times the best of the peers\n")
    named = [power(c) if isinstance(c, int) else c.replace("-", "%, ") if "-" in c else c for c in columns]
    there = [k for k in range(len(columns)) if any(cells[k] for _, cells in full)]
    table(["", "threads"] + head + [named[k] for k in there],
          [titles + [cells[k] for k in there] for titles, cells in full])


def histogram_tables(run):
    there = [(what, kind, n) for what, kind, _, _, n in run.seconds if what.startswith("histogram-")]
    if not there:
        return
    counted = sorted({(kind, int(what.split("-")[1])) for what, kind, _ in there})
    sizes = sorted({n for _, _, n in there})
    named = {7: "letters"}
    rows = [([kind, named.get(bins, str(bins)) if kind == "u8" else str(bins)], kind, bins)
            for kind, bins in counted]
    grid(run, "Histogram on the CPU, " + power(sizes[-1]), ["type", "bins"], "read",
         [(titles, kind, lambda spread, bins=bins: (f"histogram-{bins}-{spread}", sizes[-1]))
          for titles, kind, bins in rows], SPREADS)
    grid(run, "Histogram on the CPU, uniform, by n", ["type", "bins"], "read",
         [(titles, kind, lambda n, bins=bins: (f"histogram-{bins}-uniform", n))
          for titles, kind, bins in rows], sizes[:-1])


def partition_tables(run):
    there = [family for family in PARTITIONS if run.cases(family)]
    splits = [(family, case)
              for family in SPLITS
              for case in sorted(run.cases(family), key=lambda c: (c.split("-")[1], int(c.split("-")[0])))]
    sizes = sorted({n for what, *_, n in run.seconds if what.split("-")[0] in there + list(SPLITS)})
    if not sizes:
        return
    rows = [([PARTITIONS[family], kind], kind, family) for family in there for kind in ("f32", "u64")]
    grid(run, "Partition and select on the CPU, " + power(sizes[-1]) + ", by share selected",
         ["", "type"], "copy", [(titles, kind, lambda part, family=family: (f"{family}-{part}", sizes[-1]))
                                for titles, kind, family in rows], PARTS)
    grid(run, "Partition and select on the CPU, half of random elements, by n", ["", "type"], "copy",
         [(titles, kind, lambda n, family=family: (f"{family}-50-random", n))
          for titles, kind, family in rows], sizes[:-1])
    grid(run, "Multisplit of u32 on the CPU", ["", "buckets", ""], "copy",
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


def save(figure, pyplot, runs, prefix):
    figure.suptitle("; ".join(dict.fromkeys(run.machine() for run in runs)), fontsize=9)
    figure.savefig(prefix + ".png", dpi=110)
    figure.savefig(prefix + ".svg")
    pyplot.close(figure)


def lines(axis, run, n, cases, position, threads):
    """Draws, for each case (label, type, benchmarks' first parts, dashes), a line of the library with its
    best instruction set and a line of each peer, over position(first part)."""
    mine = "isowarp-" + run.sets()[0]
    for label, kind, whats, dashes in cases:
        for who in [mine] + [peer for peer in PEERS
                             if any(run.values("who", what=what, kind=kind, who=peer) for what in whats)]:
            mine_threads = 1 if who in SERIAL_PEERS else threads
            points = [(position(what), run.speed(what, kind, who, mine_threads, n)) for what in whats]
            points = [point for point in points if point[1]]
            if points:
                axis.plot(*zip(*points),
                          marker=".",
                          color=color(who),
                          linestyle=dashes,
                          label=f"{who}, {label}")


def lines_over_n(axis, run, what, threads, label, dashes):
    """Draws a line for the library and for each peer that has the case in f32."""
    for who in run.values("who", what=what, kind="f32"):
        mine = 1 if who in SERIAL_PEERS else threads
        points = [(n, run.speed(what, "f32", who, mine, n)) for n in run.values("n", what=what)]
        points = [point for point in points if point[1]]
        if points:
            axis.plot(*zip(*points), marker=".", color=color(who), linestyle=dashes, label=who + label)
    axis.set_xscale("log", base=2)
    axis.set_xlabel("n")


def amount(what):
    """The number in a benchmark's first part: bins, buckets, or the percentage that is selected."""
    return int(what.split("-")[1])


def plot_family(pyplot, runs, prefix, family, columns, width, draw):
    """Makes a row of axes for each run that has the family; draw(row, run, threads, n, where) fills it."""
    panels = [run for run in runs if run.cases(family)]
    if not panels:
        return
    figure, axes = pyplot.subplots(len(panels),
                                   columns,
                                   squeeze=False,
                                   layout="constrained",
                                   figsize=(width, 4 * len(panels)))
    for row, run in zip(axes, panels):
        threads, n = run.values("threads")[-1], max(run.values("n"))
        draw(row, run, threads, n, f"{power(n)}, {threads} threads")
        for axis in row:
            axis.set_ylabel("GB/s")
            axis.set_ylim(bottom=0)
            axis.grid(alpha=0.3)
            if axis.lines:
                axis.legend(fontsize=6)
    save(figure, pyplot, panels, prefix)


def limit_line(axis, run, what, threads, n):
    """Draws the read limit or the copy limit of n floats."""
    limit = run.limit(what, "f32", threads, n)
    if limit:
        axis.axhline(1e-9 * moved(what, "f32") * n / limit,
                     color="#000000",
                     linestyle=":",
                     label=f"{what} limit")


def draw_histograms(row, run, threads, n, where):
    bins = sorted({int(case.split("-")[0]) for case in run.cases("histogram", kind="f32")})
    dashes = {"uniform": "-", "ninety": "--", "same": ":", "zipf": "-.", "edges": (0, (1, 3))}
    for axis, spreads in zip(row, (SPREADS[:1] + SPREADS[4:], SPREADS[1:4])):
        lines(axis, run, n, [(spread, "f32", [f"histogram-{b}-{spread}" for b in bins], dashes[spread])
                                    for spread in spreads], amount, threads)
        limit_line(axis, run, "read", threads, n)
        axis.set_xscale("log", base=2)
        axis.set_xlabel("bins")
        axis.set_title(f"histogram f32, {where}", fontsize=10)
    lines_over_n(row[2], run, "histogram-256-uniform", threads, "", "-")
    row[2].set_title("histogram f32, 256 bins, uniform", fontsize=10)


def draw_partitions(row, run, threads, n, where):
    for axis, family in zip(row, ("partition_two", "partition", "select")):
        lines(axis, run, n,
              [("random", "f32", [f"{family}-{p}-random" for p in (1, 10, 50, 90, 99)], "-")], amount,
              threads)
        axis.set_xlabel("% selected")
        axis.set_title(f"{PARTITIONS[family]}, f32, {where}", fontsize=10)
    lines(row[3], run, n, [(spread, "u32", [f"multisplit-{b}-{spread}" for b in (2, 8, 256)], dashes)
                           for spread, dashes in (("uniform", "-"), ("ninety", "--"))], amount, threads)
    row[3].set_xscale("log", base=2)
    row[3].set_xlabel("buckets")
    row[3].set_title(f"multisplit, u32, {power(n)}", fontsize=10)
    for axis in row[:4]:
        limit_line(axis, run, "copy", threads, n)
    for family, dashes in (("partition_two", "-"), ("select", "--")):
        lines_over_n(row[4], run, f"{family}-50-random", threads, ", " + PARTITIONS[family], dashes)
    row[4].set_title("half of random elements, f32", fontsize=10)


def plot_scans(pyplot, runs, prefix):
    # (run, what): one row of plots with a column for each type
    panels = [(run, what) for run in runs for what in ("scan", "reduce") if run.values("kind", what=what)]
    small = [run for run in runs if run.values("n", what="small")]
    if not panels and not small:
        return
    kinds = {kind for run, what in panels for kind in run.values("kind", what=what)}
    kinds = [kind for kind in SIZES if kind in kinds] or [""]
    figure, axes = pyplot.subplots(len(panels) + len(small), len(kinds), squeeze=False, layout="constrained",
                                   figsize=(max(4.2 * len(kinds), 7), 3.4 * (len(panels) + len(small))))
    for row, (run, what) in zip(axes, panels):
        threads = run.values("threads", what=what)[-1]
        for axis, kind in zip(row, kinds):
            if kind not in run.values("kind", what=what):
                axis.set_axis_off()
                continue
            limit = "copy" if what == "scan" else "read"
            for name, of in ((what, kind), (limit, f"{SIZES[kind]}B")):
                for who in run.values("who", what=name, kind=of):
                    mine = 1 if who == "plain" else threads
                    points = [(key[-1], moved(what, kind) * key[-1] / seconds / 1e9)
                              for key, seconds in sorted(run.seconds.items())
                              if key[:-1] == (name, of, who, mine)]
                    style = dict(color=color(who), linestyle="-") if name == what else dict(
                        color="#000000", linestyle=":" if who in ("memcpy", "read") else "--")
                    label = who if name == what else f"{limit}: {who}"
                    axis.plot([n for n, _ in points], [g for _, g in points],
                              marker=".",
                              label=label,
                              **style)
            axis.set_xscale("log", base=2)
            axis.set_title(f"{what} {kind}, {threads} threads", fontsize=10)
            axis.set_ylabel("GB/s")
            axis.set_ylim(bottom=0)
            axis.grid(alpha=0.3)
        row[0].legend(fontsize=7)
    for row, run in zip(axes[len(panels):], small):
        for who in run.values("who", what="small"):
            points = [(n, 1e9 * s)
                      for (w, _, o, _, n), s in sorted(run.seconds.items())
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
    save(figure, pyplot, [run for run, _ in panels], prefix)


# ---- Files ---------------------------------------------------------------------------------------------

def write_csv(runs, path):
    with open(path, "w", newline="") as to:
        rows = csv.writer(to, lineterminator="\n")
        rows.writerow([
            "date", "machine", "what", "case", "type", "who", "threads", "n", "seconds", "bytes",
            "GB/s", "spread"
        ])
        for run in runs:
            for key, seconds in sorted(run.seconds.items()):
                what, kind, who, threads, n = key
                bytes = round(n * moved(what, kind))
                family, _, case = what.partition("-")
                rows.writerow([
                    run.context["date"], run.context["cpu"], family, case, kind, who, threads, n,
                    f"{seconds:.6g}", bytes, f"{bytes / seconds / 1e9:.4g}",
                    f"{run.spread.get(key, math.nan):.3g}"
                ])


def differences(runs):
    """Messages about the cases whose benchmarks have different digests."""
    digests = {}
    for run in runs:
        for (what, kind, who, threads, n), label in run.labels.items():
            digests.setdefault((what, kind, n), {}).setdefault(label, []).append(f"{who}/{threads}")
    return [f"{what}/{kind}/{n}: results differ: " + " and ".join(" ".join(names) for names in of.values())
            for (what, kind, n), of in digests.items() if len(of) > 1]


def print_report(runs):
    for run in runs:
        print(f"{run.machine()}, {run.context['date'][:10]}\n")
        rows = goals(run)
        if rows:
            print("The goals, bold where they are reached\n")
            table(["where", "what", "measured", "goal"], [list(row) for row in rows])
        cpu_tables(run)
        histogram_tables(run)
        partition_tables(run)
        small_table(run)


# The brief form: which tables of a report it has, by the beginning of their captions, and which rows of them.
BRIEF = re.compile(r"(Scan|Reduce) on |(Histogram|Partition and select) on the CPU, 2|Multisplit ")
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
