#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table, the CSV and the plots of what isowarp_bench measured.

usage: report.py [--out PREFIX] FILE.json...

The files are the program's JSON, or what this script wrote before; several are merged, such as one of a CPU and one of a
GPU. With --out it writes PREFIX.json (all runs in one), PREFIX.csv, and where there is matplotlib PREFIX.png and PREFIX.svg.
Prints the goals of scan and reduce with what was measured, and all ratios, as Markdown. Exit status 1: a result was wrong.
"""
import argparse
import csv
import json
import math
import statistics
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
SIZES = {"f32": 4, "i32": 4, "u32": 4, "u64": 8, "i64": 8, "f64": 8, "4B": 4, "8B": 8}
PEERS = ("plain", "std-par", "std-par_unseq", "tbb", "openmp")
SETS = {"avx512": "AVX-512", "avx2": "AVX2", "sse4": "SSE4", "neon": "NEON", "generic": "generic"}


class Run:
    """One run of the program: its context and the median seconds of (what, type, place, who, threads, n)."""

    def __init__(self, document):
        self.document = document
        self.context = document["context"]
        self.seconds, self.spread, self.errors = {}, {}, []
        single = {}
        for entry in document["benchmarks"]:
            what, kind, place, who, threads, n = entry["run_name"].split("/")[:6]
            key = (what, kind, place, who, int(threads), int(n))
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
        """The shortest time of several, by name or all."""
        times = [s for (w, k, p, who, t, m), s in self.seconds.items()
                 if (w, k, p, t, m) == (what, kind, place, threads, n) and (names is None or who in names)]
        return min(times, default=None)

    def limit(self, what, kind, place, threads, n):
        return self.least(what, f"{SIZES[kind]}B", place, threads, n)

    def peers(self, what, kind, threads, n):
        """The best of the peers on as many threads; a loop on one may be it."""
        return least(self.least(what, kind, "cpu", threads, n, PEERS), self.get(what, kind, "cpu", "plain", 1, n))

    def beside_scan(self, what, kind, place, who, threads, n):
        """The speed of a scan of segments as a share of the plain scan's, by bytes moved."""
        scan, segments = self.get("scan", kind, place, who, threads, n), self.get(what, kind, place, who, threads, n)
        return over(scan and scan * moved(what, kind), segments and segments * moved("scan", kind))

    def values(self, index, **fixed):
        """The different values of a part of the keys, in order, of those keys that have the parts named."""
        names = ("what", "kind", "place", "who", "threads", "n")
        return sorted({key[names.index(index)] for key in self.seconds
                       if all(key[names.index(name)] == value for name, value in fixed.items())})

    def sets(self, place="cpu"):
        """The instruction sets measured, best first."""
        there = [who[len("isowarp-"):] for who in self.values("who", place=place) if who.startswith("isowarp-")]
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
    """Bytes an element: read, written, and what says where segments are, a flag or a key."""
    return SIZES[kind] * (1 if what in ("reduce", "read", "user_reduce") else 2) + {"segmented": 1, "by_key": 4}.get(what, 0)


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


# ---- The goals -------------------------------------------------------------------------------------------------------

def goals(run):
    """Rows of (where, what, measured, goal, whether it is reached), of those that this run can say something about."""
    rows = []

    def at_least(where, what, value, goal):
        if value is not None:
            rows.append((where, what, f"{value:.2f}", f"at least {goal:g}", value >= goal))

    for kind, goal in (("f32", 0.93), ("i32", 0.93), ("u64", 0.92), ("f64", 0.92)):
        at_least(f"GPU, 2^28, {kind}", "scan against the copy", over(run.limit("copy", kind, "cuda", 0, 2**28),
                 run.get("scan", kind, "cuda", "isowarp", 0, 2**28)), goal)
    for log, goal in ((24, 1.3), (20, 1.5), (16, 1.45)):
        at_least(f"GPU, 2^{log}, f32", "scan against CUB's", over(run.get("scan", "f32", "cuda", "cub", 0, 2**log),
                 run.get("scan", "f32", "cuda", "isowarp", 0, 2**log)), goal)
    slowest = min(((over(run.get("scan", kind, "cuda", "cub", 0, n), s), kind, n)
                   for (what, kind, place, who, _, n), s in run.seconds.items()
                   if (what, place, who) == ("scan", "cuda", "isowarp")
                   and run.get("scan", kind, "cuda", "cub", 0, n)), default=None)
    if slowest:
        at_least("GPU, every type and size", f"scan against CUB's, the least ({slowest[1]}, {power(slowest[2])})",
                 slowest[0], 1.0)
    for kind in ("f32", "i32", "u64", "f64"):
        at_least(f"GPU, 2^28, {kind}", "reduce against the read limit", over(run.limit("read", kind, "cuda", 0, 2**28),
                 run.get("reduce", kind, "cuda", "isowarp", 0, 2**28)), 0.97)
    at_least("GPU, 2^28, f32", "segmented scan against the scan, by bytes moved",
             run.beside_scan("segmented", "f32", "cuda", "isowarp", 0, 2**28), 0.8)

    every = run.values("threads", what="scan", place="cpu")
    for threads in [t for t in every if t > 1]:
        for isa, goal in (("avx512", 0.88), ("avx2", 0.85)):
            at_least(f"CPU, {SETS[isa]}, {threads} threads, 2^26, f32", "scan against the streaming copy, same threads",
                     over(run.get("copy", "4B", "cpu", "streaming", threads, 2**26),
                          run.get("scan", "f32", "cpu", "isowarp-" + isa, threads, 2**26)), goal)
        for log, goal in ((20, 2.0), (26, 2.5)):
            for isa in run.sets()[:1]:
                at_least(f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32", "scan against the best of the peers, same threads",
                         over(run.peers("scan", "f32", threads, 2**log),
                              run.get("scan", "f32", "cpu", "isowarp-" + isa, threads, 2**log)), goal)
    for isa in ("avx512", "avx2"):
        for threads in every:
            for log in (20, 26):
                at_least(f"CPU, {SETS[isa]}, {threads} threads, 2^{log}, f32", "segmented scan against the scan, by bytes moved",
                         run.beside_scan("segmented", "f32", "cpu", "isowarp-" + isa, threads, 2**log), 0.8)
    for isa, goal in (("avx512", 35), ("avx2", 25)):
        at_least(f"CPU, {SETS[isa]}, one core, 2^16, f32", "scan, GB/s read and written",
                 over(8e-9 * 2**16, run.get("scan", "f32", "cpu", "isowarp-" + isa, 1, 2**16)), goal)
    for isa in run.sets()[:1]:
        above = [(1e9 * (s - run.get("small", "f32", "cpu", "plain", 1, n)), n)
                 for (what, _, _, who, _, n), s in run.seconds.items()
                 if (what, who) == ("small", "isowarp-" + isa) and run.get("small", "f32", "cpu", "plain", 1, n)]
        if above:
            worst, n = max(above)
            rows.append((f"CPU, {SETS[isa]}, n of 1 to {power(max(n for _, n in above))}, f32",
                         f"scan, ns more than the plain loop, the most (n = {n})", f"{worst:.0f}", "at most 150",
                         worst <= 150))
    return rows


# ---- All ratios ------------------------------------------------------------------------------------------------------

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
        print(f"{what.capitalize()} on the CPU: GB/s / share of the {limit} limit / times the best of the peers, each by as "
              "many threads\n")
        table(["", "threads", "type"] + [power(n) for n in sizes], rows)
    segments_table(run, "CPU", "cpu", "")
    rows = []
    for isa in run.sets():
        for threads in every:
            cells = []
            for n in sizes:
                shares = [over(run.get(what, "f32", "cpu", "isowarp-" + isa, threads, n),
                               run.get("user_" + what, "f32", "cpu", "isowarp-" + isa, threads, n)) for what in ("scan", "reduce")]
                cells.append(" / ".join(number(share) for share in shares) if any(shares) else "")
            if any(cells):
                rows.append([SETS[isa], str(threads)] + cells)
    if rows:
        print("By a user's operator + on the CPU, f32: scan / reduce, share of the built-in sum's speed\n")
        table(["", "threads"] + [power(n) for n in sizes], rows)


def segments_table(run, device, place, beside):
    """Of scans of segments: by flags and by key, the latter beside a peer that has it."""
    sizes, rows = run.values("n", what="segmented", place=place), []
    for who in reversed(run.values("who", what="segmented", place=place)):
        for threads in run.values("threads", what="segmented", place=place, who=who):
            for kind in [k for k in SIZES if k in run.values("kind", what="segmented", place=place, who=who, threads=threads)]:
                cells = []
                for n in sizes:
                    shares = [run.beside_scan(what, kind, place, who, threads, n) for what in ("segmented", "by_key")]
                    if beside:
                        shares.append(over(run.get("by_key", kind, place, beside, threads, n),
                                           run.get("by_key", kind, place, who, threads, n)))
                    seconds = run.get("segmented", kind, place, who, threads, n)
                    cells.append(seconds and " / ".join([f"{moved('segmented', kind) * n / seconds / 1e9:.{1 - bool(beside)}f}"]
                                                        + [number(share) for share in shares]) or "")
                rows.append(([SETS[who[len("isowarp-"):]], str(threads)] if place == "cpu" else []) + [kind] + cells)
    if rows:
        print(f"Scan of segments on the {device}: GB/s by flags / share of the scan's speed, by flags / by key"
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


# ---- Plots -----------------------------------------------------------------------------------------------------------

def color(who):
    fixed = {"isowarp": "#c02020", "isowarp-avx512": "#c02020", "isowarp-avx2": "#e07030", "isowarp-sse4": "#e0a060",
             "isowarp-neon": "#c02020", "isowarp-generic": "#d8c090", "plain": "#606060", "std-par": "#2060c0",
             "std-par_unseq": "#60a0e0", "tbb": "#208040", "openmp": "#80b040", "cub": "#2060c0"}
    return fixed.get(who, "#000000")


def plot(runs, prefix):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("report.py: the plots are left out: no matplotlib here (Debian: python3-matplotlib)", file=sys.stderr)
        return
    panels = []  # (run, what, place): a row; a column for each type
    for run in runs:
        for place in ("cpu", "cuda"):
            panels += [(run, what, place) for what in ("scan", "reduce") if run.values("kind", what=what, place=place)]
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
                              for key, seconds in sorted(run.seconds.items()) if key[:-1] == (name, of, place, who, mine)]
                    style = dict(color=color(who), linestyle="-") if name == what else dict(
                        color="#000000", linestyle=":" if who in ("memcpy", "read") else "--")
                    label = who if name == what else f"{limit}: {who}"
                    axis.plot([n for n, _ in points], [g for _, g in points], marker=".", label=label, **style)
            axis.set_xscale("log", base=2)
            where = f"{threads} threads" if place == "cpu" else run.context.get("gpu")
            axis.set_title(f"{what} {kind}, {where}", fontsize=10)
            axis.set_ylabel("GB/s")
            axis.set_ylim(bottom=0)
            axis.grid(alpha=0.3)
        row[0].legend(fontsize=7)
    for row, run in zip(axes[len(panels):], small):
        for who in run.values("who", what="small"):
            points = [(n, 1e9 * s) for (w, _, _, o, _, n), s in sorted(run.seconds.items()) if (w, o) == ("small", who)]
            row[0].plot([n for n, _ in points], [t for _, t in points], marker=".", color=color(who), label=who)
        row[0].set_xscale("log", base=2)
        row[0].set_yscale("log")
        row[0].set_title("scan f32, small n", fontsize=10)
        row[0].set_ylabel("ns a call")
        row[0].grid(alpha=0.3)
        row[0].legend(fontsize=7)
        for axis in row[1:]:
            axis.set_axis_off()
    figure.suptitle("; ".join(dict.fromkeys(run.machine(place) for run, _, place in panels)), fontsize=9)
    figure.savefig(prefix + ".png", dpi=110)
    figure.savefig(prefix + ".svg")


# ---- Files -----------------------------------------------------------------------------------------------------------

def write_csv(runs, path):
    with open(path, "w", newline="") as to:
        rows = csv.writer(to, lineterminator="\n")
        rows.writerow(["date", "machine", "what", "type", "place", "who", "threads", "n", "seconds", "bytes", "GB/s",
                       "spread"])
        for run in runs:
            for key, seconds in sorted(run.seconds.items()):
                what, kind, place, who, threads, n = key
                bytes = n * moved(what, kind)
                machine = run.context.get("gpu") if place == "cuda" else run.context["cpu"]
                rows.writerow([run.context["date"], machine, what, kind, place, who, threads, n, f"{seconds:.6g}", bytes,
                               f"{bytes / seconds / 1e9:.4g}", f"{run.spread.get(key, math.nan):.3g}"])


def main():
    options = argparse.ArgumentParser(usage="report.py [--out PREFIX] FILE.json...", description=__doc__.split("\n\n")[0])
    options.add_argument("--out", metavar="PREFIX", help="write PREFIX.json, PREFIX.csv, PREFIX.png and PREFIX.svg")
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

    for run in runs:
        places = [place for place in ("cpu", "cuda") if run.values("n", place=place)]
        print(f"{', '.join(run.machine(place) for place in places)}, {run.context['date'][:10]}\n")
        rows = goals(run)
        if rows:
            table(["where", "what", "measured", "goal", ""],
                  [list(row[:4]) + ["" if row[4] else "**missed**"] for row in rows])
        if "cpu" in places:
            cpu_tables(run)
        if "cuda" in places:
            cuda_tables(run)
    errors = [error for run in runs for error in run.errors]
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
