#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws bench/speed.svg, the chart of README.md, of the tables of bench/README.md.

usage: chart.py [--check]   (--check: fails if bench/speed.svg is not that chart)

Each bar is how many times as fast a call is as its peer in the same run: CUB on a GPU, and on a CPU the
fastest of the peers that the bench program has. Lengths are logarithms. Bars to the left of the line are
slower than the peer.
"""
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
GPU = [  # label, caption of the table, beginning of the row, column
    ("scan f32, 2^28", "Scan on the H200", "f32", "2^28"),
    ("scan f32, 2^20", "Scan on the H200", "f32", "2^20"),
    ("reduce f32, 2^28", "Reduce on the H200", "f32", "2^28"),
    ("histogram f32, 256 bins", "Histogram on the GPU", "f32 | 256", "uniform"),
    ("select f32", "Partition and select on the GPU", "select | f32", "50%, random"),
    ("partition f32, two outputs", "Partition and select on the GPU", "two outputs | f32", "50%, random"),
    ("multisplit u32, 256 buckets", "Multisplit of u32 on the GPU", "keys | 256", "2^28"),
    ("sort u32, 2^28 (H100)", "`bench/sort.sh gpu`", "u32", "2^28"),
]
CPU = [
    ("scan f32", "Scan on the CPU", "AVX-512 | 16 | f32", "2^26"),
    ("reduce f32", "Reduce on the CPU", "AVX-512 | 16 | f32", "2^26"),
    ("histogram f32, 256 bins", "Histogram on the CPU", "AVX-512 | 16 | f32 | 256", "uniform"),
    ("select f32", "Partition and select on the CPU", "AVX-512 | 16 | select | f32", "50%, random"),
    ("partition f32, two outputs", "Partition and select on the CPU", "AVX-512 | 16 | two outputs | f32",
     "50%, random"),
    ("multisplit u32, 256 buckets", "Multisplit of u32 on the CPU", "AVX-512 | 16 | keys | 256", "2^26"),
]
LABEL, BAR, ROW, TOP = 165, 170, 17, 44


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def times(page, caption, row, column):
    """The last figure of a cell such as "3712 / 0.89 / 1.21"."""
    table = page[page.index("\n" + caption):].split("\n\n")[1].split("\n")
    line = next(line for line in table[2:] if line.startswith(f"| {row} |"))
    return float(cells(line)[cells(table[0]).index(column)].split("/")[-1])


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


def chart(page):
    version = re.search(r"CUB (\d+\.\d+\.\d+)", page)[1]
    gpu = [(label, times(page, *where)) for label, *where in GPU]
    cpu = [(label, times(page, *where)) for label, *where in CPU]
    height = TOP + ROW * len(GPU) + 20
    style = ("text{font:11px sans-serif;fill:#222}.t{font-weight:bold}.c{text-anchor:middle;fill:#666}"
             ".fast{fill:#2c7fb8}.slow{fill:#d95f0e}.tick{stroke:#ddd}.one{stroke:#444}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="780" height="{height}" viewBox="0 0 780 {height}">',
        f"<style>{style}</style>", '<rect width="100%" height="100%" fill="#fff"/>',
        *panel(10, f"H200, times CUB {version}", gpu, (1, 1.5, 2)),
        *panel(395, "Xeon, 16 threads, times the best peer", cpu, (1, 2, 5, 10, 20, 50)), "</svg>", ""
    ])


def main():
    made = chart((HERE / "README.md").read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--check"]:
        if (HERE / "speed.svg").read_text(encoding="utf-8") != made:
            sys.exit("bench/speed.svg is not the chart of bench/README.md: bench/chart.py makes it")
    else:
        (HERE / "speed.svg").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
