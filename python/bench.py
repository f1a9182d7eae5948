#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times isowarp beside NumPy, fast-histogram and boost-histogram, and prints the tables that bench/README.md quotes.

    python bench.py [--smallest 10] [--largest 26] [--threads N] [--processor-time]

Each figure is the least of many calls, in ns per element (of processor time: where other programs run, it is not disturbed by waiting for
a processor, but by what they do to caches and memory); the overhead is that of a call of 8 elements, less
the time of the call of the C library in a loop of C (python/overhead.c, compiled by this script if there is
a compiler). Peers that are not installed are left out: pip install "isowarp[bench]".
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
import timeit

import numpy as np

import isowarp as iw
from isowarp._installed import LIBDIR


timer = timeit.default_timer


def least(call, seconds=0.2):
    """Seconds of the fastest call."""
    once = timeit.timeit(call, number=1, timer=timer)
    number = max(1, int(1e-4 / max(once, 1e-9)))  # short slices, of which some are not disturbed
    repeats = max(3, min(2000, int(seconds / max(once * number, 1e-9))))
    return min(timeit.repeat(call, number=number, repeat=repeats, timer=timer)) / number


def peers(x, bins):
    """Histograms of the same samples over [0, 1)."""
    calls = {
        "isowarp": lambda: iw.histogram(x, bins, (0, 1)),
        "NumPy": lambda: np.histogram(x, bins, (0, 1)),
    }
    try:
        from fast_histogram import histogram1d

        calls["fast-histogram"] = lambda: histogram1d(x, bins, (0, 1))
    except ImportError:
        pass
    try:
        import boost_histogram as bh

        axis = bh.axis.Regular(bins, 0, 1)
        calls["boost-histogram"] = lambda: bh.Histogram(axis).fill(x)
    except ImportError:
        pass
    return calls


def table(title, sizes, calls_of):
    names, rows = [], []
    for n in sizes:
        calls = calls_of(n)
        names = list(calls)
        rows.append((n, [least(call) / n * 1e9 for call in calls.values()]))
    print(f"\n{title}, ns per element\n\n| n | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for n, figures in rows:
        print(f"| 2^{n.bit_length() - 1} | {' | '.join(f'{f:.3f}' for f in figures)} |", flush=True)


def c_times():
    """The time of the C calls, by name; {} if they cannot be compiled."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overhead.c")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "overhead")
        try:
            os.environ.setdefault("PKG_CONFIG_PATH", os.path.join(LIBDIR, "pkgconfig"))
            flags = subprocess.run(
                ["pkg-config", "--cflags", "--libs", "isowarp"], check=True, capture_output=True, text=True
            )
            libdir = subprocess.run(
                ["pkg-config", "--variable=libdir", "isowarp"], check=True, capture_output=True, text=True
            )
            subprocess.run(
                [
                    "cc",
                    "-O2",
                    source,
                    *flags.stdout.split(),
                    "-Wl,-rpath," + libdir.stdout.strip(),
                    "-o",
                    program,
                ],
                check=True,
            )
            lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"the C calls are not timed: {error}", file=sys.stderr)
            return {}
    return {name: float(ns) for name, ns in (line.split() for line in lines)}


def overhead():
    x = np.arange(8.0)
    calls = {
        "cumulative_sum": (lambda: iw.cumulative_sum(x), lambda: np.cumsum(x)),
        "sum": (lambda: iw.sum(x), lambda: np.sum(x)),
        "sum_exact": (lambda: iw.sum(x, exact=True), None),
        "min": (lambda: iw.min(x), lambda: np.min(x)),
        "argmin": (lambda: iw.argmin(x), lambda: np.argmin(x)),
        "histogram": (lambda: iw.histogram(x, 10, (0, 8)), lambda: np.histogram(x, 10, (0, 8))),
        "histogram_of_data": (lambda: iw.histogram(x), lambda: np.histogram(x)),
        "select": (lambda: iw.select(x, "<", 3.0), lambda: x[x < 3.0]),
        "partition": (lambda: iw.partition(x, "<", 3.0), None),
        "topk": (lambda: iw.topk(x, 3), None),
    }
    in_c = c_times()
    print(
        "\nA call with 8 elements, us\n\n| call | isowarp | the C call | overhead | NumPy |\n|---|---|---|---|---|"
    )
    for name, (ours, numpys) in calls.items():
        own, c = least(ours) * 1e6, in_c.get(name)
        shown = [
            f"{own:.2f}",
            "" if c is None else f"{c / 1e3:.2f}",
            "" if c is None else f"{own - c / 1e3:.2f}",
            "" if numpys is None else f"{least(numpys) * 1e6:.2f}",
        ]
        print(f"| {name} | {' | '.join(shown)} |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--smallest", type=int, default=10)
    options.add_argument("--largest", type=int, default=26)
    options.add_argument("--step", type=int, default=4)
    options.add_argument(
        "--threads", type=int, default=1, help="0: as many as there are; the peers have one"
    )
    options.add_argument("--processor-time", action="store_true", help="of the process, instead of the time that passes")
    o = options.parse_args()
    if o.processor_time:
        global timer
        timer = time.process_time
    sizes = [1 << i for i in range(o.smallest, o.largest + 1, o.step)]
    rng = np.random.default_rng(1)
    x = rng.random(sizes[-1])
    with iw.Context("cpu", threads=o.threads) as context:
        print(
            f"isowarp {iw.library_version()} ({context.isa}, {context.threads} threads), NumPy {np.__version__}, "
            f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
        )
        overhead() if o.smallest <= 10 else None
        for dtype in ("f8", "f4"):
            y = x.astype(dtype)
            for bins in (100, 10000):
                table(f"Histogram of {dtype} in [0, 1), {bins} bins", sizes, lambda n: peers(y[:n], bins))
        table(
            "Running sum of f4",
            sizes,
            lambda n: {"isowarp": lambda: iw.cumulative_sum(y[:n]), "NumPy": lambda: np.cumsum(y[:n])},
        )
        table(
            "Sum of f4",
            sizes,
            lambda n: {
                "isowarp": lambda: iw.sum(y[:n]),
                "isowarp, exact": lambda: iw.sum(y[:n], exact=True),
                "NumPy": lambda: np.sum(y[:n]),
            },
        )
        table(
            "Elements below 0.5 of f4",
            sizes,
            lambda n: {"isowarp": lambda: iw.select(y[:n], "<", 0.5), "NumPy": lambda: y[:n][y[:n] < 0.5]},
        )


if __name__ == "__main__":
    main()
