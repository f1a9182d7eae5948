#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws bench/speed.svg, the chart of README.md, of tables beside the newest peers.

usage: chart.py [--check]   (--check: fails if bench/speed.svg is not that chart)

Each bar is how many times as fast a call is as its peer in the same run: CUB on a GPU, and on a CPU the
fastest of the peers that the bench program has. Lengths are logarithms. Bars to the left of the line are
slower than the peer.
"""
import math
import pathlib
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
# Pages and the captions of their tables, whose cells are: isowarp, the peer's time divided by it.
CUB = ("bench/README.md", "`CCCL=… bench/cub.sh out.csv 28,24,20,16`")
PEERS = ("bench/README.md", "`MARCH=haswell X86_SIMD_SORT=")
GPU = [(f"{label}, {column}", CUB, label, column) for label, column in (
    ("scan f32", "2^28"), ("scan f32", "2^16"), ("reduce f32", "2^28"), ("select f32, half", "2^28"),
    ("histogram f32 256", "2^28"), ("unique, runs of 10", "2^28"), ("run lengths, runs of 10", "2^28"),
    ("sort u32", "2^28"), ("sort u64", "2^16"), ("merge u32", "2^28"), ("by key, mean 10", "2^20"), ("argmin f32", "2^20"),
)]
CPU = [(label, PEERS, row, "2^20") for label, row in (
    ("scan f32", "scan f32"), ("reduce f32", "reduce f32"), ("argmin f32", "argmin f32"),
    ("histogram f32, 256 bins", "histogram f32 256"), ("select f32", "select half f32"),
    ("unique, runs of 10", "unique u32, runs of 10"), ("multisplit u32, 256 buckets", "multisplit u32 256"),
    ("sort u32", "sort u32"), ("sort u64", "sort u64"), ("merge f32", "merge f32"),
    ("lower bound f32", "lower bound f32"), ("top 100 f32", "top 100 f32"),
)]
LABEL, BAR, ROW, TOP = 165, 170, 17, 44


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def times(table, row, column):
    page, caption = (TREE / table[0]).read_text(encoding="utf-8"), table[1]
    lines = page[page.index("\n" + caption):].split("\n\n")[1].split("\n")
    line = next(line for line in lines[2:] if line.startswith(f"| {row} |"))
    figures = [float(figure) for figure in cells(line)[cells(lines[0]).index(column)].split(",")]
    return figures[1]


def panel(left, title, bars, ticks):
    least, most = min(0.8, *(value for _, value in bars)), ticks[-1]

    def x(value):
        return left + LABEL + BAR * math.log(value / least) / math.log(most / least)

    out = [f'<text class="t" x="{left}" y="30">{title}</text>']
    bottom = TOP + ROW * len(bars)
    for tick in ticks:
        out.append(f'<path class="{"one" if tick == 1 else "tick"}" d="M{x(tick):.1f} {TOP - 4}V{bottom}"/>'
                   f'<text class="c" x="{x(tick):.1f}" y="{bottom + 12}">{tick}</text>')
    for i, (label, value) in enumerate(bars):
        y = TOP + ROW * i
        begin, end = sorted((x(1), x(value)))
        side = "fast" if value >= 1 else "slow"
        out.append(f'<text x="{left}" y="{y + 10}">{label}</text>'
                   f'<rect class="{side}" x="{begin:.1f}" y="{y}" width="{end - begin:.1f}" height="12"/>'
                   f'<text x="{max(end, x(1)) + 4:.1f}" y="{y + 10}">{value:g}</text>')
    return out


def chart():
    gpu = [(label, times(*where)) for label, *where in GPU]
    cpu = [(label, times(*where)) for label, *where in CPU]
    height = TOP + ROW * len(GPU) + 20
    style = ("text{font:11px sans-serif;fill:#222}.t{font-weight:bold}.c{text-anchor:middle;fill:#666}"
             ".fast{fill:#2c7fb8}.slow{fill:#d95f0e}.tick{stroke:#ddd}.one{stroke:#444}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="780" height="{height}" viewBox="0 0 780 {height}">',
        f"<style>{style}</style>", '<rect width="100%" height="100%" fill="#fff"/>',
        *panel(10, "H200, times CUB 3.6.0", gpu, (0.5, 1, 2)),
        *panel(395, "2^20, AVX2, two threads, times the best peer", cpu, (0.5, 1, 2, 4)), "</svg>", ""
    ])


def main():
    made = chart()
    if sys.argv[1:] == ["--check"]:
        if (TREE / "bench/speed.svg").read_text(encoding="utf-8") != made:
            sys.exit("bench/speed.svg is not the chart of those tables: bench/chart.py makes it")
    else:
        (TREE / "bench/speed.svg").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
