# SPDX-License-Identifier: Apache-2.0
"""Prints what the simulated GPU counted beside what Nsight Compute did.

usage: ncu_counters.py SIM_CSV RAW_CSV [--markdown] [--all]

SIM_CSV: of `count_probes sim`. RAW_CSV: of `ncu --csv --page raw` for `count_probes cuda`, whose launches are the same ones
in the same order. By default rows whose numbers differ are printed, and a summary for each metric; --all prints all rows,
--markdown the table of doc/counters.md. Exit status 1: the launches do not fit.
"""
import collections
import csv
import re
import sys

csv.field_size_limit(1 << 30)  # instances of a metric stand in one field
MEMORY = {"LDG", "LD", "STG", "ST", "ATOMG", "ATOM", "REDG", "RED", "LDS", "STS", "ATOMS"}
PER_OPCODE = {"BAR": ["BAR"], "SHFL": ["SHFL"], "VOTE": ["VOTE", "VOTEU"], "MATCH": ["MATCH"],
              "ATOMG": ["ATOMG", "ATOM"], "REDUX": ["REDUX"]}
SHORT = {  # columns of the table
    "sectors ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "sectors st": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "tags": "memory_l1_tag_requests_global",
    "L2 sectors": "memory_l2_theoretical_sectors_global",
    "ideal": "memory_l2_theoretical_sectors_global_ideal",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal ": "memory_l1_wavefronts_shared_ideal",
    "LDS": "smsp__inst_executed_op_shared_ld.sum",
    "STS": "smsp__inst_executed_op_shared_st.sum",
    "ATOMS": "smsp__inst_executed_op_shared_atom.sum",
    "ATOMG": "sass__inst_executed_per_opcode.ATOMG",
    "RED": "smsp__inst_executed_op_global_red.sum",
}


def number(text):
    found = re.match(r"\s*([\d,]*\.?\d+(?:[eE][-+]?\d+)?)", text or "")
    return float(found.group(1).replace(",", "")) if found else None


def instances(text):
    """The numbers for each opcode of a metric that is printed with its instances."""
    found = collections.Counter()
    for name, value in re.findall(r"([A-Z][A-Z0-9]{1,})[A-Z0-9_.]*\s*[:=]\s*([\d,]+)", text or ""):
        found[name] += float(value.replace(",", ""))
    return found


def read_sim(path):
    """Cases in their order: for each, the kernels in the order of their first launches with their metrics."""
    cases = {}
    for case, kernel, metric, value in csv.reader(open(path, encoding="utf-8")):
        cases.setdefault(case, {}).setdefault(kernel, {})[metric] = float(value)
    return cases


def read_ncu(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
    rows = [r for r in csv.DictReader(lines[first:]) if (r.get("ID") or "").strip().isdigit()]
    return rows


def measured(row):
    """A launch's metrics by the names of the simulated GPU."""
    of = {}
    for name, text in row.items():
        value = number(text)
        if name and value is not None:
            of[name] = value
    executed = instances(row.get("sass__inst_executed_per_opcode"))
    true = instances(row.get("sass__thread_inst_executed_true_per_opcode"))
    if executed:
        for short, names in PER_OPCODE.items():
            of["sass__inst_executed_per_opcode." + short] = sum(executed[n] for n in names)
    of.pop("thread_inst_executed", None)  # of all instructions, not only those on memory
    of.pop("thread_inst_executed_true", None)
    if true:
        of["thread_inst_executed_true"] = sum(true[n] for n in MEMORY)
    return of


def match(cases, rows):
    """Takes the launches of each case, in their order."""
    at, pairs = 0, []
    for case, kernels in cases.items():
        sums = {kernel: collections.Counter() for kernel in kernels}
        for _ in range(int(sum(k["launches"] for k in kernels.values()))):
            while at < len(rows):
                name = rows[at]["Kernel Name"]
                mine = [k for k in kernels if name.startswith(k + "_grid_") or ("::" + k + "_grid_") in name or name == k + "_grid_"]
                at += 1
                if mine:
                    sums[mine[0]].update(measured(rows[at - 1]))
                    break
                print(f"unexpected launch {name} in case {case}")
            else:
                print(f"no launch is left for case {case}")
                return pairs, False
        pairs += [(case, kernel, kernels[kernel], sums[kernel]) for kernel in kernels]
    return pairs, at == len(rows)


def text_of(value):
    return "-" if value is None else f"{value:g}" if value != int(value) else f"{int(value)}"


def markdown(pairs):
    print("| case, kernel | " + " | ".join(SHORT) + " |")
    print("|---|" + "---|" * len(SHORT))
    for case, kernel, sim, ncu in pairs:
        cells = []
        for metric in SHORT.values():
            a, b = sim.get(metric, 0), ncu.get(metric)
            cells.append("" if not a and not b else text_of(a) if a == b else f"{text_of(a)} / {text_of(b)}")
        print(f"| {case if case.startswith(kernel) else case + ', ' + kernel} | " + " | ".join(cells) + " |")


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    sim_path, ncu_path = [a for a in sys.argv[1:] if not a.startswith("--")]
    pairs, fits = match(read_sim(sim_path), read_ncu(ncu_path))
    if "--markdown" in options:
        markdown(pairs)
        sys.exit(not fits)
    summary = collections.defaultdict(lambda: [0, 0, 0, 0])
    print(f"{'case':24} {'kernel':24} {'metric':56} {'simulated':>12} {'measured':>12} {'difference':>10}")
    for case, kernel, sim, ncu in pairs:
        for metric, a in sim.items():
            b = ncu.get(metric)
            if metric in ("launches", "estimate_ns") or metric.startswith("isowarp__"):
                continue
            off = 0 if a == b else None if b is None else abs(a - b) / max(a, b)
            summary[metric][3 if off is None else 0 if off == 0 else 1 if off <= 0.01 else 2] += 1
            if "--all" in options and (a or b) or off:
                print(f"{case:24} {kernel:24} {metric:56} {text_of(a):>12} {text_of(b):>12} {'' if not off else f'{100 * off:.2f}%':>10}")
    print(f"\n{'metric':56} {'equal':>8} {'1%':>8} {'more':>8} {'unknown':>8}")
    for metric, (equal, near, far, unknown) in summary.items():
        print(f"{metric:56} {equal:8} {near:8} {far:8} {unknown:8}")
    print("\nroofline: the estimate beside the time measured, and the bytes")
    for case, kernel, sim, ncu in pairs:
        time = ncu.get("gpu__time_duration.sum")
        if time and sim["launches"]:
            print(f"{case:24} {kernel:24} {sim['estimate_ns'] / 1000:10.3f} us {time / 1000:10.3f} us   read "
                  f"{text_of(sim['isowarp__bytes_read'])} {text_of(ncu.get('dram__bytes_read.sum'))}   written "
                  f"{text_of(sim['isowarp__bytes_written'])} {text_of(ncu.get('dram__bytes_write.sum'))}")
    sys.exit(not fits)


main()
