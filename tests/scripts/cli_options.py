# SPDX-License-Identifier: Apache-2.0
"""Tries each pair of options of each subcommand. A pair is refused by a message that names both options, or
both have an effect: what is printed and written with the pair differs from what each of the two alone gives.
The options come from the program's own table, by its completion; an option that this file does not know is
an error.

cli_options.py PROGRAM FOLDER"""
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

PROGRAM, FOLDER = sys.argv[1:3]

# Where and how the program computes, which changes no result.
PLACES = {"--backend": "cpu", "--isa": "generic", "--threads": "2", "--blocks": "team"}
# These change no result of the files below. That they are read is tested elsewhere.
DIALECT = {"--delimiter": ",", "--header": "no", "--quote": "'", "--ragged": None, "--comment": "%",
           "--decimal": ".", "--thousands": "_", "--skip-lines": "0", "--skip-missing": None}
QUIET = {**DIALECT, "--stats": None, "--type": "f32", "--format": "text",
         "--measure": None, "--warp-size": "8"}
FILES = {**PLACES, **DIALECT, "--stats": None, "--type": "f32", "--format": "text",
         "--column": "2", "--array": "x", "--field": "x"}
OF_CSV = {"--delimiter", "--header", "--quote", "--ragged"}  # options that need CSV
BINS = {"--bins": "4", "--range": "5:40", "--edges": "1,17,50", "--log": None, "--power": "3",
        "--policy": "clamp", "--closed-top": None}
COMPARE = {"--less": "12", "--less-equal": "15", "--equal": "7", "--not-equal": "8", "--greater": "20",
           "--greater-equal": "28", "--flags": "flags"}
OUTPUT = {"--output": "out.npy"}

# What a subcommand is called with, a value for each of its options, and what it is called with to read CSV.
CASES = {
    "histogram": (["numbers"], {
        **FILES, **BINS, **OUTPUT, "--weights": "weights", "--y": "weights", "--y-bins": "5",
        "--y-range": "1:60", "--y-edges": "0,9,70", "--y-log": None, "--y-power": "2", "--grow": "4",
        "--group-by": "keys",
        "--letters": None, "--extract": "1", "--json": None, "--csv": None, "--plot": "out.svg"}),
    "scan": (["numbers"], {
        **FILES, **OUTPUT, "--op": "max", "--exclusive": None, "--init": "9", "--keep-type": None,
        "--flags": "flags", "--keys": "keys", "--row-length": "4", "--offsets": "offsets",
        "--plot": "out.svg"}),
    "reduce": (["numbers"], {
        **FILES, **OUTPUT, "--op": "max", "--init": "90", "--keep-type": None, "--columns": "2,3",
        "--group-by": "keys", "--json": None, "--csv": None}),
    "describe": (["numbers"], {
        **FILES, "--columns": "2,3", "--group-by": "keys", "--quantiles": "0.5", "--json": None,
        "--csv": None}),
    "partition": (["numbers"], {**FILES, **OUTPUT, **COMPARE, "--pivot": "10", "--count": None}),
    "select": (["numbers"], {**FILES, **OUTPUT, **COMPARE, "--count": None}),
    "unique": (["numbers"], {**FILES, **OUTPUT, "--count": None}),
    "run-lengths": (["numbers"], {**FILES, **OUTPUT}),
    "extract": (["numbers"], {**FILES, **OUTPUT, **BINS, "--bin": "1", "--count": None}),
    "multisplit": (["numbers"], {
        **FILES, **OUTPUT, **BINS, "--bits": "0:1", "--offsets": None, "--order": None}),
    "digitize": (["numbers"], {**FILES, **OUTPUT, **BINS}),
    "sort": (["numbers"], {
        **FILES, **OUTPUT, "--row-length": "4", "--descending": None, "--argsort": None, "--by": "flags"}),
    "merge": (["ones", "twos"], {**FILES, **OUTPUT, "--descending": None}, ["ones.csv", "twos.csv"]),
    "top-k": (["numbers"], {
        **FILES, **OUTPUT, "--number": "3", "--row-length": "8", "--argsort": None, "--smallest": None}),
    "nth": (["numbers"], {**FILES, **OUTPUT, "--index": "9", "--json": None}),
    "median": (["numbers"], {**FILES, **OUTPUT, "--json": None}),
    "verify": (["reduce/sum/f32/wide/33"], {**PLACES, "--print": None}),
    "info": ([], {**PLACES, "--measure": None}),
    "demo": (["warp-scan"], {**PLACES, "--warp-size": "8"}),
}
# run, cuda and compile call a compiler each time: tests/scripts/check_run.sh, tests/scripts/cuda_bugs.sh.
# Ranks need an MPI: tests/scripts/mpi.sh.
OTHERS = {"run", "cuda", "compile"}
SKIPPED = {"--help", "--mpi", "--by-value"}  # the last one changes floats only: tests/scripts/cli_numbers.py

# What an option needs, or what shows its effect; "": of every subcommand.
NEEDS = {
    **{("", option): ["--format", "csv"] for option in OF_CSV},
    ("", "--policy"): ["--range", "5:40"],
    ("", "--closed-top"): ["--range", "5:40"],
    ("", "--keep-type"): ["--type", "i8"],
    ("multisplit", "--bits"): ["--type", "u32"],
    ("partition", ""): ["--less", "3"],
    ("select", ""): ["--less", "3"],
    ("extract", ""): ["--bin", "0"],
    ("top-k", ""): ["--number", "2"],
    ("nth", ""): ["--index", "1"],
    **{("", "--y" + name): ["--y", "weights"] for name in ("-bins", "-range", "-edges", "-log", "-power")},
}

# Pairs of which the first has no effect with the second, and why.
NO_EFFECT = {
    ("", "--keep-type", "--type"),     # floats have no wider type
    ("", "--keep-type", "--op"),       # nor has a maximum
    ("extract", "--closed-top", ""),   # the bin is the first
    ("extract", "--policy", "--bin"),  # or not at an end
    ("", "--closed-top", "--policy"),  # clamping does the same for a sample at the last edge
}


def make_files():
    """Integers, which each type can have. Neighbours are often equal, for runs; 5 and 40 are among them."""
    count = 64
    draw = random.Random(3)
    columns = {
        "numbers": [5, 40, 2] + [draw.choice([3, 7, 8, 8, 8, 13, 28, 39, 47]) for _ in range(count - 3)],
        "weights": [60, 39, 40, 2, 2] + [draw.choice([3, 4, 4, 4, 5, 9, 31, 64]) for _ in range(count - 5)],
        "keys": sorted(draw.choice([1, 1, 2, 6]) for _ in range(count)),
        "flags": [draw.choice([0, 0, 1]) for _ in range(count)],
    }
    for name, numbers in columns.items():
        with open(os.path.join(FOLDER, name), "w") as file:
            file.writelines(f"{number:g}\n" for number in numbers)
    for name, number in ("ones", 1), ("twos", 2):  # which are sorted in both orders
        with open(os.path.join(FOLDER, name), "w") as file:
            file.write(f"{number}\n" * 3)
        with open(os.path.join(FOLDER, name + ".csv"), "w") as file:
            file.write(f"{number + 3},{number + 5}\n" * 3)
    with open(os.path.join(FOLDER, "offsets"), "w") as file:
        file.write("0 3 3 17 61\n")
    with open(os.path.join(FOLDER, "table.csv"), "w") as file:
        for row in zip(*(columns[name] for name in ("numbers", "weights", "keys"))):
            file.write(",".join(f"{number:g}" for number in row) + "\n")


def program_options():
    """The options of each subcommand, from its completion."""
    done = subprocess.run([PROGRAM, "completion", "bash"], stdout=subprocess.PIPE, text=True, check=True)
    rows = re.findall(r"^    (\S+)\) options='([^']*)'", done.stdout, re.M)
    return {name: options.split() for name, options in rows}


def arguments_of(command, options, more=()):
    """The command line with these options and what they need, and what `more` options need."""
    operands, values, *csv = CASES[command]
    by_column = "--column" in options or "--columns" in options
    line = {}
    for option in ["", *options, *more]:
        needed = needed_by(command, option)
        line.update({needed[i]: needed[i + 1] for i in range(0, len(needed), 2)})
    if {"--less", "--bin"} & set(line) and set(options) & (set(COMPARE) | {"--pivot"}):
        line.pop("--less", None)
    line.update({option: values[option] for option in options})
    if "--format" in options and (by_column or OF_CSV & set(options)):
        line["--format"] = "csv"
    arguments = []
    for option, value in line.items():
        if by_column and option in ("--weights", "--y", "--group-by"):
            value = "3"
        arguments += [option] if value is None else [option, value]
    if by_column or line.get("--format") == "csv":
        operands = csv[0] if csv else ["table.csv"]
    return [command, *operands, *arguments]


def is_of_interest(command, pair):
    quiet = [option in QUIET or option in PLACES for option in pair]
    return not all(quiet) and ("--column" not in CASES[command][1] or not set(pair) & set(PLACES))


def outcome(command, options, more=()):
    """The exit status, all that was printed and written, and the messages."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for name in os.listdir(FOLDER):
            if os.path.isfile(os.path.join(FOLDER, name)):
                os.symlink(os.path.join(FOLDER, name), os.path.join(folder, name))
        arguments = arguments_of(command, options, more)
        done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        written = []
        for name in ("out.npy", "out.svg"):
            path = os.path.join(folder, name)
            written.append(open(path, "rb").read() if os.path.exists(path) else None)
    messages = done.stderr.decode()
    return {"status": done.returncode, "printed": (done.stdout, written), "messages": messages,
            "stats": "GB/s of input" in messages, "line": " ".join(arguments)}


def needed_by(command, option):
    return NEEDS.get((command, option), NEEDS.get(("", option), []))


def is_named(command, option, messages):
    """Whether messages name an option, or one that it needs."""
    names = [option, *needed_by(command, option)]
    return any(re.search(re.escape(name) + r"(?![\w-])", messages) for name in names)


def find_wrong(command, pair, alone, without, both):
    """What is wrong with a pair of options, or None."""
    if both["status"] > 2 or both["status"] < 0:
        return f"ends with status {both['status']}"
    if both["status"] == 2:
        if any(one["status"] == 2 and one["messages"] == both["messages"] for one in alone.values()):
            return None
        missing = [option for option in pair if not is_named(command, option, both["messages"])]
        return f"is refused without naming {', '.join(missing)}: {both['messages']}" if missing else None
    for option, other in (pair, pair[::-1]):
        if option == "--stats" and not both["stats"]:
            return "has no statistics"
        if option in needed_by(command, other):
            continue
        has_effect = both["printed"] != without[option]["printed"]
        cases = itertools.product((command, ""), (option,), (other, ""))
        is_quiet = option in QUIET or option in PLACES or not NO_EFFECT.isdisjoint(cases)
        if not has_effect and not is_quiet:
            return f"ignores {option}"
    return None


def main():
    make_files()
    table = program_options()
    failures = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {}
        for command, options in table.items():
            if command in OTHERS:
                continue
            if command not in CASES:
                failures.append(f"{command}: this test does not know the subcommand")
                continue
            known = [option for option in options if option not in SKIPPED]
            unknown = [option for option in known if option not in CASES[command][1]]
            failures += [f"{command}: this test has no value for {option}" for option in unknown]
            known = [option for option in known if option not in unknown]
            pairs = [pair for pair in itertools.combinations(known, 2) if is_of_interest(command, pair)]
            for chosen in [(option,) for option in known] + pairs:
                jobs[command, chosen, ()] = pool.submit(outcome, command, chosen)
            for option, other in [chosen for pair in pairs for chosen in (pair, pair[::-1])]:
                if needed_by(command, option):
                    jobs[command, (other,), (option,)] = pool.submit(outcome, command, (other,), (option,))
        results = {key: job.result() for key, job in jobs.items()}
    for (command, chosen, _), both in results.items():
        if len(chosen) == 2:
            alone = {option: results[command, (option,), ()] for option in chosen}
            without = {option: results.get((command, (other,), (option,)), alone[other])
                       for option, other in (chosen, chosen[::-1])}
            wrong = find_wrong(command, chosen, alone, without, both)
            failures += [f"isowarp {both['line']}: {wrong}"] if wrong else []
    for failure in failures:
        print("FAILED:", failure.strip())
    print(f"{len(results)} command lines of one or two options; {len(failures)} are wrong")
    return 1 if failures else 0


sys.exit(main())
