# SPDX-License-Identifier: Apache-2.0
"""Compares instructions of the disassembly with what the simulated GPU counts.

usage: sass_counters.py COUNTERS_DEF DISASSEMBLY COUNTS CASES

DISASSEMBLY: of tests/counters/kernels.c by `cuobjdump -sass`. COUNTS: of `count_probes sim`. Where a kernel has no branches
and no loops, one warp executes each instruction once, so that both numbers are equal for each class of counters.def.
Exit status 1: one differs.
"""
import collections
import re
import sys

# Kernels with two paths or a loop, which the disassembly alone does not count: opcodes and their numbers of
# instructions. The partial row has a path for whole rows, the 64-bit addition repeats a load and a
# compare-and-swap, and the compiler drops the last level of the warps' aggregates, which nobody reads.
OTHERWISE = {
    "row_copy_partial": {"GLOBAL_LD": (4, 5), "GLOBAL_ST": (4, 5)},
    "block_prefix": {"SHUFFLE": (16, 15)},
    "shared_add_u64": {"SHARED_ATOM": (None, 1), "SHARED_LD": (None, 2)},
}
SKIPPED = {"transpose": "loops"}


def classes_of(path):
    """The opcodes and the metric of each class."""
    text = open(path, encoding="utf-8").read()
    rows = re.findall(r'^SIM_CLASS\((\w+),\s*"([^"]*)",\s*"([^"]*)"\)', text, re.M)
    return {name: (opcodes.split(), metric) for name, opcodes, metric in rows}


def disassembled(path):
    """The number of instructions of each opcode for each kernel."""
    kernels, kernel = {}, None
    for line in open(path, encoding="utf-8"):
        found = re.search(r"Function : (\S+)", line)
        if found:
            name = re.search(r"(?:_Z\w*?\d+)?([a-z]\w*?)_grid_", re.sub(r"^_ZN?\d+", "", found.group(1)))
            kernel = kernels.setdefault(name.group(1) if name else found.group(1), collections.Counter())
        found = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", line)
        if found and kernel is not None:
            kernel[found.group(1)] += 1
    return kernels


def counted(path, cases):
    """The counts of each kernel, from the first case that runs it with one warp."""
    counts, of = collections.defaultdict(dict), {}
    for line in open(path, encoding="utf-8"):
        case, kernel, metric, value = line.rstrip("\n").split(",")
        if case in cases and of.setdefault(kernel, case) == case:
            counts[kernel][metric] = float(value)
    return counts


def one_warp_cases(path):
    text = open(path, encoding="utf-8").read()
    rows = re.findall(r"X\((\w+), \w+, \w+, \d+, \d+, [^,]+, \d+, (\d+), (\d+),", text)
    return {name for name, grid, threads in rows if grid == "1" and threads == "32"} | {"bad_stride", "block_sum_64", "block_prefix_64"}


def main():
    definitions, disassembly, counts, cases = sys.argv[1:]
    classes = classes_of(definitions)
    code = disassembled(disassembly)
    sim = counted(counts, one_warp_cases(cases))
    warps = {"strided_loads": 64 * 4, "block_sum": 2, "block_prefix": 2}
    wrong = compared = 0
    for kernel in sorted(set(code) & set(sim)):
        if kernel in SKIPPED:
            continue
        for name, (opcodes, metric) in classes.items():
            in_code = sum(code[kernel][opcode] for opcode in opcodes)
            in_sim = sim[kernel][metric] / warps.get(kernel, 1)
            expected = OTHERWISE.get(kernel, {}).get(name)
            compared += 1
            if expected:
                equal = in_code == expected[1] and expected[0] in (None, in_sim)
            else:
                equal = in_code == in_sim
            if not equal:
                wrong += 1
                print(f"{kernel}: {'/'.join(opcodes)}: {in_code} in the disassembly, {in_sim:g} counted")
    missing = sorted(set(sim) - set(code) - set(SKIPPED))
    if missing:
        print("not in the disassembly:", ", ".join(missing))
    print(f"{len(set(code) & set(sim))} kernels, {compared} numbers compared, {wrong} differ")
    sys.exit(bool(wrong or missing or compared < 300))


main()
