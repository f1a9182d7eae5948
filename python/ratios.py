#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how many times as long NumPy takes as isowarp for the same calls: the table of ratios of README.md.

    ISOWARP_THREADS=2 python ratios.py [--numbers 10,1000,1000000] [--processor-time] [WORD ...]

The calls of both are timed in turns, in five groups of rounds or, of long calls, in three. A figure is the median of the
groups' quotients of the least times, so that other programs disturb it little. Words select the functions whose names contain one of them.
"""

import argparse
import os
import platform
import statistics
import time
import timeit

import numpy as np

import isowarp as iw

timer, seconds = timeit.default_timer, 1.0


def ratio(ours, theirs):
    """NumPy's time divided by isowarp's: the median of groups of rounds."""
    calls, quotients, number = (ours, theirs), [], [1, 1]
    for i, call in enumerate(calls):
        once = timeit.timeit(call, number=1, timer=timer)
        if once < 0.01:  # the first call may have waited for memory
            once = min(timeit.repeat(call, number=3, repeat=3, timer=timer)) / 3
        number[i] = max(1, int(2e-4 / max(once, 1e-9)))
    begin = time.monotonic()
    while len(quotients) < 3 or (time.monotonic() < begin + 2 * seconds and len(quotients) < 5):
        least, end = [float("inf")] * 2, time.monotonic() + seconds / 5
        while least[0] == float("inf") or time.monotonic() < end:
            for i, call in enumerate(calls):
                least[i] = min(least[i], timeit.timeit(call, number=number[i], timer=timer) / number[i])
        quotients.append(least[1] / max(least[0], 1e-9))
    return statistics.median(quotients)


def calls_of(n):
    """(name, isowarp's call, NumPy's call) of arrays of n elements."""
    random = np.random.default_rng(n)
    f8 = random.random(n)
    f4, i8 = f8.astype("f4"), random.integers(0, n, n)
    many = random.integers(0, 60000, n)
    keys = np.sort(f8)
    made = [("sort f8", lambda: iw.sort(f8), lambda: np.sort(f8))]

    def add(name, ours, theirs):
        made.append((name, ours, theirs))

    add("sort f4", lambda: iw.sort(f4), lambda: np.sort(f4))
    add("sort i8", lambda: iw.sort(i8), lambda: np.sort(i8))
    add("argsort f8", lambda: iw.argsort(f8), lambda: np.argsort(f8, kind="stable"))
    add("searchsorted f8", lambda: iw.searchsorted(keys, f8), lambda: np.searchsorted(keys, f8))
    add("median f8", lambda: iw.median(f8), lambda: np.median(f8))
    for dtype, x in (("f8", f8), ("f4", f4), ("i8", i8)):
        add(f"sum {dtype}", lambda x=x: iw.sum(x), lambda x=x: np.sum(x))
        add(f"min {dtype}", lambda x=x: iw.min(x), lambda x=x: np.min(x))
        add(f"argmax {dtype}", lambda x=x: iw.argmax(x), lambda x=x: np.argmax(x))
        add(f"cumsum {dtype}", lambda x=x: iw.cumsum(x), lambda x=x: np.cumsum(x))
    add("prod f8", lambda: iw.prod(f8), lambda: np.prod(f8))
    add("cumprod f8", lambda: iw.cumprod(f8), lambda: np.cumprod(f8))
    add("histogram f8", lambda: iw.histogram(f8, 100, (0, 1)), lambda: np.histogram(f8, 100, (0, 1)))
    add("compress f8", lambda: iw.compress(f8 < 0.5, f8), lambda: np.compress(f8 < 0.5, f8))
    add("bincount", lambda: iw.bincount(i8), lambda: np.bincount(i8))
    add("bincount, weights", lambda: iw.bincount(i8, f8), lambda: np.bincount(i8, f8))
    add("bincount of 8, weights", lambda: iw.bincount(i8 & 7, f8), lambda: np.bincount(i8 & 7, f8))
    add("bincount to 60000", lambda: iw.bincount(many), lambda: np.bincount(many))
    add("mean f8", lambda: iw.mean(f8), lambda: np.mean(f8))
    add("var f8", lambda: iw.var(f8), lambda: np.var(f8))
    add("quantile f8", lambda: iw.quantile(f8, 0.3), lambda: np.quantile(f8, 0.3))
    add("any", lambda: iw.any(f8 < 0), lambda: np.any(f8 < 0))
    add("nonzero i8", lambda: iw.nonzero(i8 & 1), lambda: np.nonzero(i8 & 1))
    add("argpartition f8", lambda: iw.argpartition(f8, n // 2), lambda: np.argpartition(f8, n // 2))
    add("lexsort", lambda: iw.lexsort((f8, many)), lambda: np.lexsort((f8, many)))
    add(
        "unique i8, counts",
        lambda: iw.unique(many, return_counts=True),
        lambda: np.unique(many, return_counts=True),
    )
    add(
        "unique i8, inverse",
        lambda: iw.unique(many, return_inverse=True),
        lambda: np.unique(many, return_inverse=True),
    )
    dates = i8.view("M8[s]")
    ordered = np.sort(dates)
    add("sort dates", lambda: iw.sort(dates), lambda: np.sort(dates))
    add("argsort dates", lambda: iw.argsort(dates), lambda: np.argsort(dates, kind="stable"))
    add("argpartition dates", lambda: iw.argpartition(dates, n // 2), lambda: np.argpartition(dates, n // 2))
    add("lexsort dates", lambda: iw.lexsort((dates, f8)), lambda: np.lexsort((dates, f8)))
    add("searchsorted dates", lambda: iw.searchsorted(ordered, dates), lambda: np.searchsorted(ordered, dates))
    add("min dates", lambda: iw.min(dates), lambda: np.min(dates))
    add("argmax dates", lambda: iw.argmax(dates), lambda: np.argmax(dates))
    add("unique dates", lambda: iw.unique(dates), lambda: np.unique(dates))
    add("compress dates", lambda: iw.compress(f8 < 0.5, dates), lambda: np.compress(f8 < 0.5, dates))
    for count in (11, 1001, 100001):
        edges = np.linspace(0, 1, count)
        add(
            f"digitize f8, {count} edges",
            lambda e=edges: iw.digitize(f8, e),
            lambda e=edges: np.digitize(f8, e),
        )
    return made


def row_calls(n, columns):
    """The same for matrices of n elements; "down" is along axis 0 of the transposed matrix."""
    a = np.random.default_rng(n).random((n // columns, columns))
    made = []
    for name, b, axis in (("along", a, 1), ("down", np.ascontiguousarray(a.T), 0)):
        k = min(2, columns)

        def add(what, ours, theirs):
            made.append((f"{what} {name} rows of {columns}", ours, theirs))

        add("sort", lambda b=b, x=axis: iw.sort(b, x), lambda b=b, x=axis: np.sort(b, x))
        add(
            "argsort",
            lambda b=b, x=axis: iw.argsort(b, x),
            lambda b=b, x=axis: np.argsort(b, x, kind="stable"),
        )
        place = columns // 2
        add(
            "argpartition",
            lambda b=b, x=axis: iw.argpartition(b, place, x),
            lambda b=b, x=axis: np.argpartition(b, place, x),
        )
        add("sum", lambda b=b, x=axis: iw.sum(b, x), lambda b=b, x=axis: np.sum(b, x))
        add("max", lambda b=b, x=axis: iw.max(b, x), lambda b=b, x=axis: np.max(b, x))
        add("prod", lambda b=b, x=axis: iw.prod(b, x), lambda b=b, x=axis: np.prod(b, x))
        add("cumsum", lambda b=b, x=axis: iw.cumsum(b, x), lambda b=b, x=axis: np.cumsum(b, x))
        add("cumprod", lambda b=b, x=axis: iw.cumprod(b, x), lambda b=b, x=axis: np.cumprod(b, x))
        add("median", lambda b=b, x=axis: iw.median(b, x), lambda b=b, x=axis: np.median(b, x))
        add("mean", lambda b=b, x=axis: iw.mean(b, x, exact=False), lambda b=b, x=axis: np.mean(b, x))
        add("topk", lambda b=b, x=axis: iw.topk(b, k, x), lambda b=b, x=axis: top_k(b, k, x))
    return made


def top_k(a, k, axis):
    """What NumPy's functions take for the k largest elements and their indices."""
    index = np.take(
        np.argpartition(a, a.shape[axis] - k, axis), range(a.shape[axis] - k, a.shape[axis]), axis
    )
    return np.take_along_axis(a, index, axis), index


def processor():
    """Its name, and the widest instructions that NumPy and isowarp's kernels may use."""
    try:
        with open("/proc/cpuinfo") as file:
            about = dict(line.split(":", 1) for line in file if ":" in line)
    except OSError:
        return platform.processor()
    names = {key.strip(): value for key, value in about.items()}
    flags = names.get("flags", "").split()
    sets = [name for name in ("avx512f", "avx2") if name in flags]
    return f"{names.get('model name', '').strip()} ({sets[0] if sets else platform.machine()})"


def table(sizes, calls_of, words, heading):
    print(f"\n| {heading} | {' | '.join(str(n) for n in sizes)} |\n|---|{'---|' * len(sizes)}", flush=True)
    for calls in zip(*map(calls_of, sizes)):
        name = calls[0][0]
        if not words or any(word in name for word in words):
            print(f"| {name} | {' | '.join(f'{ratio(*call[1:]):.2g}' for call in calls)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--numbers", default="10,1000,1000000")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--processor-time", action="store_true", help="of all threads: other programs disturb it less")
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    global timer, seconds
    timer, seconds = time.process_time if given.processor_time else timer, given.seconds
    sizes = [int(n) for n in given.numbers.split(",")]
    print(
        f"isowarp {iw.library_version()}, NumPy {np.__version__}, Python {platform.python_version()}, {processor()}, "
        f"{os.environ.get('ISOWARP_THREADS', 'as many')} threads, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    table(sizes, calls_of, given.words, "elements")
    for columns in (3, 100, 1000):
        table(
            [n for n in sizes if n >= 100 * columns],
            lambda n: row_calls(n, columns),
            given.words,
            "elements in rows",
        )


if __name__ == "__main__":
    main()
