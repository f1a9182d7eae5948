# SPDX-License-Identifier: Apache-2.0
"""Compares `isowarp describe` with exact arithmetic: usage: cli_numbers.py PROGRAM. The right values are fractions of the
elements, rounded once; quantiles are by linear interpolation (type 7 of Hyndman and Fan 1996)."""

import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal, localcontext
from fractions import Fraction

PROGRAM = sys.argv[1]
CODES = {"f64": "d", "f32": "f", "f16": "e", "i64": "q", "u64": "Q", "i32": "i", "u8": "B", "i16": "h"}
QUANTILES = [0, 1e-9, 0.1, 0.25, 0.3, 0.5, 0.5000001, 0.75, 0.9, 0.999999, 1]
random.seed(40)
failures = 0


def describe(elements, kind):
    """The results as JSON, numbers as their texts."""
    data = b"".join(struct.pack("<" + CODES[kind], e) for e in elements) if kind != "bf16" else b"".join(
        struct.pack("<f", e)[2:] for e in elements)
    done = subprocess.run([PROGRAM, "describe", "--json", "--format", "raw", "--type", kind, "--quantiles",
                           ",".join(map(repr, QUANTILES)), "-"], input=data, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout, parse_int=str, parse_float=str)


def nearest(number):
    """The double nearest to a fraction; infinities beyond the range."""
    try:
        return float(number)  # true division of integers is rounded once
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def root(number):
    with localcontext() as context:
        context.prec = 60
        return nearest(Fraction((Decimal(number.numerator) / Decimal(number.denominator)).sqrt()))


def is_number(got, right):
    return float(got) == right or (math.isnan(float(got)) and math.isnan(right))


def check(what, good, *about):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what, *about)


def expected_quantile(ordered, q):
    at = q * (len(ordered) - 1)
    k = math.floor(at)
    low, high, part = ordered[k], ordered[min(k + 1, len(ordered) - 1)], at - k
    if part == 0 or low == high:
        return low
    if math.isinf(low) and math.isinf(high):
        return math.copysign(math.inf, part - 0.5) if part != 0.5 else 0.0
    if math.isinf(low) or math.isinf(high):
        return low if math.isinf(low) else high
    return Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(part)


def compare_texts(elements, kind):
    """What people are shown has fewer digits, and in each form no quantile is below the least element or falls."""
    data = b"".join(struct.pack("<" + CODES[kind], e) for e in elements)
    found = []
    for form in ([], ["--csv"], ["--json"]):
        done = subprocess.run([PROGRAM, "describe", "--format", "raw", "--type", kind, "--quantiles", "0,1e-9,0.5,0.999999999,1", "-"]
                              + form, input=data, stdout=subprocess.PIPE, check=True)
        text = done.stdout.decode()
        if form == ["--json"]:
            rows = json.loads(text)
            rows = {**rows, **{"q" + q: number for q, number in rows["quantiles"].items()}}
        else:
            rows = dict(zip(*(line.split(",") for line in text.split()))) if form else dict(line.split() for line in text.splitlines())
        numbers = [float(rows[name]) for name in ("min", "q0", "q1e-09", "q0.5", "q0.999999999", "q1", "max")]
        check("order of what is shown", numbers == sorted(numbers) and numbers[0] == numbers[1] and numbers[5] == numbers[6], kind, form,
              elements, numbers)
        found.append(numbers)
    close = {"f16": 1e-4, "f32": 1e-6, "f64": 1e-14}[kind]
    for shown, exact in zip(found[0], found[2]):
        check("what is shown", math.isclose(shown, exact, rel_tol=close), kind, elements, shown, exact)
    check("CSV and JSON", found[1] == found[2], kind, elements, found)


def compare(elements, kind):
    if kind == "bf16":
        elements = [struct.unpack("<f", b"\0\0" + struct.pack("<f", e)[2:])[0] for e in elements]
    elif kind in ("f32", "f16"):
        elements = [struct.unpack("<" + CODES[kind], struct.pack("<" + CODES[kind], e))[0] for e in elements]
    got = describe(elements, kind)
    shown = elements[:8]
    numbers = sorted(e for e in elements if e == e)
    n, is_wide = len(numbers), kind in ("i64", "u64")
    check("count", got["count"] == str(n) and got["nan"] == str(len(elements) - n), kind, shown, got)
    if any(math.isinf(e) for e in numbers):
        total = sum(e for e in numbers if math.isinf(e))
        check("sum of infinities", is_number(got["sum"], total) and is_number(got["mean"], total), kind, shown, got)
        check("variance of infinities", got["variance"] == got["deviation"] == "nan", kind, shown, got)
    elif n > 0:
        total = sum(map(Fraction, numbers))
        mean = total / n
        if isinstance(numbers[0], int):
            check("sum", got["sum"] == str(int(total)), kind, shown, got["sum"], total)
        else:
            check("sum", is_number(got["sum"], nearest(total)), kind, shown, got["sum"], nearest(total))
        check("mean", is_number(got["mean"], nearest(mean)), kind, shown, got["mean"], nearest(mean))
        check("mean is between", numbers[0] <= (Fraction if is_wide else float)(got["mean"]) <= numbers[-1], kind, shown, got["mean"])
        if n > 1:
            variance = sum((Fraction(e) - mean)**2 for e in numbers) / (n - 1)
            check("variance", is_number(got["variance"], nearest(variance)), kind, shown, got["variance"],
                  nearest(variance))
            deviation, right = float(got["deviation"]), root(variance)
            check("deviation", deviation == right or abs(deviation - right) <= math.ulp(right), kind, shown,
                  deviation, right)
    if n == 0 or n == 1:
        check("variance of one", got["variance"] == got["deviation"] == "nan", kind, shown, got)
    before = None
    for q, text in zip(QUANTILES, got["quantiles"].values()):
        if n == 0:
            check("quantile of none", text == "nan", kind, text)
            continue
        right = expected_quantile(numbers, q)
        if isinstance(right, float):
            check("quantile", float(text) == right, kind, shown, q, text, right)
            continue
        if is_wide and (isinstance(right, int) or abs(right) > 2**53):
            distance = abs(Fraction(text) - right)
            check("quantile", distance <= (0 if isinstance(right, int) else Fraction(1, 10**15)),
                  kind, shown, q, text, right)
            value = Fraction(text)
        else:
            check("quantile", float(text) == nearest(right), kind, shown, q, text, nearest(right))
            value = float(text)
        check("between", numbers[0] <= value <= numbers[-1], kind, shown, q, text)
        check("ascending", before is None or before <= value, kind, shown, q, text, before)
        before = value


# ---- Bins of integers, and output for other programs ----

LIMITS = {"u8": (0, 255), "i8": (-128, 127), "bool": (0, 1), "u16": (0, 2**16 - 1), "i16": (-2**15, 2**15 - 1),
          "i32": (-2**31, 2**31 - 1), "u32": (0, 2**32 - 1), "i64": (-2**63, 2**63 - 1), "u64": (0, 2**64 - 1)}


def run(arguments, text):
    """Runs the program; "-" is a file, so that two columns of it can be read."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        arguments = [file.name if a == "-" else a for a in arguments]
        return subprocess.run([PROGRAM] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def output(arguments, elements):
    done = run(arguments + ["-"], "\n".join(map(str, elements)).encode())
    check("status", done.returncode == 0, arguments, elements[:8], done.stderr)
    return done.stdout.decode()


def compare_bins(elements, kind, options, low, high, bins, closed=True, behind=False):
    """The bins of [low, high] (closed), or else [low, high), are those of the definition, in all commands. behind: the range
    was given by the integer behind high."""
    values = high - low + closed
    bins = bins if bins else min(10, values)
    end = high + 1 if behind or closed and values == bins else high  # each value has a bin
    edges = [low - (-k * (end - low) // bins) for k in range(bins + 1)]
    expected = [[e for e in elements if edges[k] <= e < edges[k + 1] or (k + 1 == bins and closed and e == high)]
                for k in range(bins)]
    about = (kind, options, elements[:8], edges[:4])
    found = json.loads(output(["histogram", "--json", "--type", kind] + options, elements))
    shown = edges[:bins] + [min(edges[bins], LIMITS[kind][1])]
    check("edges", found["edges"] == shown, *about, found["edges"], shown)
    check("counts", found["counts"] == list(map(len, expected)), *about, found["counts"])
    check("closed_top", found["closed_top"] == (closed and shown[-1] == high), *about, found["closed_top"])
    numbers = [next((k for k in range(bins) if e in expected[k]), bins) for e in elements]
    check("digitize", output(["digitize", "--type", kind] + options, elements).split() == list(map(str, numbers)), *about)
    rest = [e for e, number in zip(elements, numbers) if number == bins]
    split = output(["multisplit", "--type", kind] + options, elements).split()
    check("multisplit", split == [str(e) for part in expected + [rest] for e in part], *about, split[:8])
    part = output(["extract", "-k", str(bins - 1), "--type", kind] + options, elements).split()
    check("extract", part == list(map(str, expected[-1])), *about, part)
    chart = output(["histogram", "--type", kind] + options, elements)
    label = chart.splitlines()[bins].split("  ")[0]
    check("label", label == f"[{shown[-2]}, {shown[-1]}" + ("]" if found["closed_top"] else ")"), *about, label)


def npy(code, data, n):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({n},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data


def compare_edges(elements, kind, edges):
    """Edges that end behind the type's largest value, as a list and as files."""
    most = LIMITS[kind][1]
    every = edges + [most + 1]
    expected = [sum(a <= e < b for e in elements) for a, b in zip(every, every[1:])]
    files = []
    if most < 2**63 - 1:
        files = [" ".join(map(str, every)).encode(), npy("<i8", struct.pack("<%dq" % len(every), *every), len(every))]
    with tempfile.NamedTemporaryFile() as file:
        for content in [None] + files:
            file.seek(0)
            file.truncate()
            file.write(content or b"")
            file.flush()
            options = ["--type", kind, "--edges", "@" + file.name if content else ",".join(map(str, every))]
            found = json.loads(output(["histogram", "--json"] + options, elements))
            check("counts of edges", found["counts"] == expected, kind, every[:4], content, found["counts"], expected)
            check("the last edge", found["edges"] == edges + [most] and found["closed_top"], kind, every[:4], found)
            numbers = [next((k for k in range(len(edges)) if every[k] <= e < every[k + 1]), len(edges)) for e in elements]
            check("digitize by edges", output(["digitize"] + options, elements).split() == list(map(str, numbers)), kind, every[:4])


def check_texts():
    for kind in ("f16", "f32", "f64"):
        for elements in ([0.1, 0.2, 0.7], [0.7, 0.3], [13.28, 3.06], [1025, 1026], [0.1] * 3, [1e-3, 65504], [-0.1, 1 / 3]):
            compare_texts(elements, kind)
    text = output(["describe", "--quantiles", "0.5"], [13.28, 3.06, 0.1])
    check("digits for people", text.split() == ("count 3 nan 0 sum 16.44 mean 5.48 variance 47.8204 deviation 6.91522956958046 "
                                                "min 0.1 max 13.28 q0.5 3.06").split(), text)
    text = output(["describe", "--type", "f32", "--quantiles", "0.5"], [13.28, 3.06, 0.1])
    check("digits of f32", text.split()[-6:] == "min 0.1 max 13.28 q0.5 3.06".split(), text)


def check_bins():
    for kind, (least, most) in LIMITS.items():
        both = [least, most] if kind == "bool" else [most - 1, most]
        for elements in ([least], [most] * 3, both, list(range(max(least, -3), min(5, most + 1))),
                         [random.randint(max(least, most - 6), most) for _ in range(20)]):
            low, high = min(elements), max(elements)
            if low == high:
                low, high = (low - 1, low) if low == most else (low, low + 1)
            compare_bins(elements, kind, [], low, high, 0)
            compare_bins(elements, kind, ["--bins", str(high - low)], low, high, high - low)
            compare_bins(elements, kind, ["--range", f"{low}:{most + 1}"] + (["--bins", "2"] if most - low > 10 else []),
                         low, most, 2 if most - low > 10 else 0, behind=True)
            more = high - low + 4  # bins than values: the range is extended upwards, then downwards
            if more <= most - least + 1:
                compare_bins(elements, kind, ["--bins", str(more)], min(low, most + 1 - more), min(low, most + 1 - more) + more - 1,
                             more)
        span = [most - 4, most] if most > 1 else [0, 1]
        compare_bins([most], kind, ["--range", f"{span[0]}:{span[1]}"], *span, 0, False)
        compare_bins([most], kind, ["--range", f"{span[0]}:{span[1]}", "--closed-top"], *span, 0)
        compare_edges([least, most - 1, most, most], kind, [least, most - 2] if most > 1 else [0])
    compare_edges(list(range(256)), "u8", list(range(256)))
    compare_bins(list(range(256)), "u8", ["--bins", "256"], 0, 255, 256)
    compare_bins(list(range(256)), "u8", ["--bins", "64", "--range", "0:256"], 0, 255, 64, behind=True)
    compare_bins(list(range(-128, 128)), "i8", ["--bins", "256", "--range", "-128:128"], -128, 127, 256)
    for options, words in ((["--bins", "6", "--range", "3:8"], b"--bins is 6, but each bin of integers needs a value of its own"),
                           (["--bins", "257"], b"--bins is 257, but u8 has fewer values"),
                           (["--edges", "0,255,256"], b"255 has a bin of its own only if all bins have one value")):
        wrong = run(["histogram", "--type", "u8"] + options + ["-"], b"3 4 5 7")
        check("wrong bins", wrong.returncode == 2 and words in wrong.stderr, options, wrong.stderr)


def check_bool():
    """A byte of bool that is not 0 is 1, in .npy and raw files, mapped or from a pipe."""
    elements = [2, 3, 0, 1] * 5 + [255]
    ones = sum(e != 0 for e in elements)
    for options, data in ((["--type", "bool", "--format", "raw"], bytes(elements)),
                          ([], npy("|b1", bytes(elements), len(elements)))):
        for arguments, right in ((["reduce"], str(ones)), (["reduce", "--op", "argmax"], "0"), (["reduce", "--op", "max"], "1"),
                                 (["sort"], "0 " * 5 + "1 " * ones), (["scan", "--op", "xor"], None),
                                 (["top-k", "-k", "2", "--argsort"], "0 1"), (["unique"], "1 0 " * 5 + "1"),
                                 (["select", "--equal", "1", "--count"], str(ones)),
                                 (["histogram", "--csv"], f"lo,hi,count 0,1,5 1,1,{ones}"),
                                 (["histogram", "--csv", "--grow", "1"], f"lo,hi,count 0,1,5 1,1,{ones}")):
            if right is None:
                right = " ".join(str(sum(e != 0 for e in elements[:i + 1]) % 2) for i in range(len(elements)))
            for piped in (False, True):
                done = subprocess.run([PROGRAM] + arguments + options + ["-"], input=data, stdout=subprocess.PIPE) if piped \
                    else run(arguments + options + ["-"], data)
                check("bool", done.stdout.decode().split() == right.split(), arguments, options, piped, done.stdout)


def check_keys():
    """Numbers as keys are equal by value: one group of NaN and one of zeros, of each float type."""
    codes = {"<f8": [0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0, 1 << 63, 1, 0x3ff0000000000000],
             "<f4": [0x7fc00000, 0xffc00000, 0x7f800001, 0, 1 << 31, 1, 0x3f800000],
             "<f2": [0x7e00, 0xfe00, 0x7c01, 0, 1 << 15, 1, 0x3c00]}
    order = list(range(7)) * 2 + [4, 0]
    for code, words in codes.items():
        with tempfile.NamedTemporaryFile() as keys:
            keys.write(npy(code, b"".join(words[k].to_bytes(int(code[2]), "little") for k in order), len(order)))
            keys.flush()
            numbers = b"1 " * len(order)
            done = run(["reduce", "--csv", "--group-by", keys.name, "-"], numbers)
            rows = [line.split(",") for line in done.stdout.decode().splitlines()[1:]]
            check("groups by value", [float(r[1]) for r in rows] == [5, 2, 2, 7], code, rows, done.stderr)
            check("keys", rows and (rows[0][0], rows[2][0], rows[3][0]) == ("0", "1", "nan"), code, rows)
            found = run(["histogram", "--json", "--bins", "1", "--group-by", keys.name, "-"], numbers)
            counts = [group["counts"] for group in json.loads(found.stdout)["groups"]]
            check("groups of a histogram", counts == [[5], [2], [2], [7]], code, counts)
            bits, value = (run(["unique", "--count"] + more + [keys.name], b"").stdout.strip() for more in ([], ["--by-value"]))
            check("unique", (bits, value) == (b"16", b"10"), code, bits, value)
            lengths = [line.split()[1] for line in run(["run-lengths", "--by-value", keys.name], b"").stdout.decode().splitlines()]
            check("run lengths", lengths == "3 2 1 1 3 2 1 1 1 1".split(), code, lengths)
            sums = run(["scan", "--keys", keys.name, "--by-value", "-"], numbers).stdout.decode().split()
            check("keys of a scan", sums == "1 2 3 1 2 1 1 1 2 3 1 2 1 1 1 1".split(), code, sums)


def check_exact_keys():
    """Integers that f64 rounds are keys of their own, in the order of their values."""
    big = 2**53 + 1
    for keys in ([big, big - 1, big, 5], [-big, 1 - big, -big, 0], [-2**63, -2**63 + 1, 2**63 - 1, 7], [2**64 - 1, 2**64 - 2, big, 0]):
        counts = {key: keys.count(key) for key in sorted(keys)}
        with tempfile.NamedTemporaryFile() as file:
            file.write("\n".join(map(str, keys)).encode())
            file.flush()
            for arguments in (["reduce", "--csv"], ["histogram", "--csv", "--bins", "1"]):
                found = output(arguments + ["--group-by", file.name], [1] * len(keys)).split()[1:]
                check("groups of long integers", [(row.split(",")[0], row.split(",")[-1]) for row in found] == [
                    (str(key), str(count)) for key, count in counts.items()], arguments, keys, found)
            found = output(["sort", "--argsort", "--by", file.name], [1] * len(keys)).split()
            check("sort by long integers", found == [str(i) for i in sorted(range(len(keys)), key=keys.__getitem__)], keys, found)
            found = output(["scan", "--keys", file.name], [1] * len(keys)).split()
            check("segments of long integers", found == ["1"] * len(keys), keys, found)
    texts = ["-9007199254740993", "-9007199254740992", "1e3", "9007199254740992.5", "9007199254740993", "09007199254740993.0001",
             "9.007199254740994e15", "36893488147419103232", "36893488147419103233", "+36893488147419103234"]
    for _ in range(10):
        shuffled = random.sample(texts, len(texts))
        found = output(["reduce", "--csv", "--column", "x", "--group-by", "k"], ["k,x"] + [k + ",1" for k in shuffled]).split()
        check("order of columns of long numbers", [row.split(",")[0] for row in found[1:]] == texts, shuffled, found)
    for options, keys in ((["--decimal", ",", "--delimiter", ";"], ["-10,5", "-9,5", "9,5", "10,5"]), (["--thousands", "_"], ["-1_000", "9", "10", "1_000"])):
        rows = [f"{k};1" if ";" in options else f"{k},1" for k in reversed(keys)]
        found = json.loads(output(["reduce", "--json", "--column", "x", "--group-by", "k"] + options, ["k;x" if ";" in options else "k,x"] + rows))
        check("order of numbers of a dialect", [row["k"] for row in found["groups"]] == keys, keys, found)


COMPARISONS = {"less": lambda a, b: a < b, "less-equal": lambda a, b: a <= b, "equal": lambda a, b: a == b,
               "not-equal": lambda a, b: a != b, "greater": lambda a, b: a > b, "greater-equal": lambda a, b: a >= b}


def check_comparisons():
    """Elements are compared with any number, also with one that their type does not have."""
    cases = {kind: [str(e) for e in sorted({least, least + 1, 0, 1, 2**53, most - 1, most}) if least <= e <= most]
             for kind, (least, most) in LIMITS.items()}
    cases.update(f16=["-inf", "-65500", "0", "65500", "inf", "nan"], f32=["-inf", "-3.4028235e+38", "1", "3.4028235e+38", "inf", "nan"],
                 f64=["-inf", "-1", "1.7976931348623157e+308", "inf", "nan"])
    for kind, elements in cases.items():
        value, texts = float, ["inf", "-inf", "nan", "1e4000", "-1e4000", "1"]
        if kind in LIMITS:
            value, (least, most) = int, LIMITS[kind]
            texts += [str(most + 1), str(least - 1), "-0.5", "0.5", "1e0", "1.5", f"{most}.25", f"{least}.75", f"{most - 1}.5"]
        for text in texts:
            number = float(text) if text[-1] in "fn" else Fraction(text)
            for name in random.sample(sorted(COMPARISONS), 3):
                found = output(["select", "--type", kind, f"--{name}={text}"], elements).split()
                right = [e for e in elements if COMPARISONS[name](value(e), number)]
                check("comparison", found == right, kind, name, text, found, right)


def check_any_edges():
    """Bins between any numbers have the samples that are between them."""
    for kind, (least, most) in LIMITS.items():
        elements = [e for e in (least, least + 1, 0, 1, 2, 3, most - 1, most) if least <= e <= most]
        for texts in (["-inf", "1", "inf"], [str(least - 7), "0.5", str(most + 9)], ["-0.5", "1"], ["0.25", "1.5"], ["0", "2.5", "1e400"],
                      ["-1e99", "1e0", "2.5"]):
            for closed in (False, True):
                edges = [float(t) if t[-1] == "f" else Fraction(t) for t in texts]
                cuts = [least if e <= least else math.inf if e > most else math.ceil(e) for e in edges]
                if closed and least <= edges[-1] <= most:
                    cuts[-1] = math.floor(edges[-1])
                if any(a >= b or a > most for a, b in zip(cuts, cuts[1:])) or cuts[-2] == most:
                    continue  # a bin without a number of the type
                expected = [sum(a <= e < b for e in elements) for a, b in zip(edges, edges[1:])]
                expected[-1] += sum(closed and e == edges[-1] for e in elements)
                options = ["--type", kind, "--edges=" + ",".join(texts)] + closed * ["--closed-top"]
                found = json.loads(output(["histogram", "--json"] + options, elements))
                check("any edges of integers", found["counts"] == expected, options, found, expected)
                with tempfile.NamedTemporaryFile() as file:
                    file.write("\n".join(texts).encode().replace(b"1e400", b"1e300"))
                    file.flush()
                    found = json.loads(output(["histogram", "--json", "--type", kind, "--edges", "@" + file.name] + closed * ["--closed-top"],
                                              elements))
                    check("any edges of a file", found["counts"] == expected, options, found, expected)
    for kind in ("f16", "bf16", "f32", "f64"):
        for low, high in (("-inf", "inf"), ("-1e999", "1e999")):
            shown = run(["histogram", "--json", "--type", kind, f"--edges={low},1,{high}", "-"], b"-inf -9 0 1 60000 inf nan")
            found = json.loads(shown.stdout)
            check("infinite edges", found["counts"] == [2, 2] and (found["below"], found["above"], found["nan"]) == (1, 1, 1)
                  and b"infinite samples are in no bin" in shown.stderr, kind, low, found, shown.stderr)


def members_once(pairs):
    check("members come once", len({name for name, _ in pairs}) == len(pairs), pairs)
    return dict(pairs)


def check_weights():
    """Weights that are integers keep their digits, if their sum can have them; else a note says that they are rounded."""
    big = 2**53 + 1
    for weights, total in (([big, 2], big + 2), ([-big, -2], -big - 2), ([2**64 - 3, 2], 2**64 - 1), ([big] * 3, 3 * big), ([f"+{big}", 2], big + 2),
                           ([2**64 - 1, 0], 2**64 - 1), ([2**63 - 2, 1], 2**63 - 1), ([big, "1e3"], big + 1000),
                           ([2**63 - 1, 2**63 - 1, 5], None), ([-2**63 - 1, 1], None), ([big, -2**63], None), ([big, 0.5], None), ([big, 1e30], None),
                           ([big, "nan"], None), ([big - 2, 3], big + 1), ([10**25, 1], 1e25 + 1)):
        table = "x,w\n" + "".join(f"1,{w}\n" for w in weights)
        options = ["--bins", "1", "--range", "0:2", "--csv"]
        lines = ["histogram", "--column", "x", "--weights", "w"] + options
        groups = ["histogram", "--column", "x", "--weights", "w", "--group-by", "x"] + options
        for arguments in (lines, lines + ["--type", "i64"], lines + ["--type", "f64"], groups, groups + ["--type", "u8"]):
            shown = run(arguments + ["-"], table.encode())
            found = shown.stdout.decode().split(",")[-1].strip()
            is_noted = b"too long for f64 and rounded" in shown.stderr
            right = found == f"{total}" if isinstance(total, int) else total is None or float(found) == total
            check("sum of integers", right and is_noted == (total is None), arguments, weights, found, shown.stderr)
        with tempfile.NamedTemporaryFile() as file:
            file.write("\n".join(map(str, weights)).encode())
            file.flush()
            shown = run(["histogram", "--weights", file.name] + options + ["-"], b"1\n" * len(weights))
            found = shown.stdout.decode().split(",")[-1].strip()
            check("sum of a file", (total is None) == (b"too long" in shown.stderr) and (isinstance(total, int) or total is None or float(found) == total), weights,
                  found, shown.stderr)
            check("digits of a file", not isinstance(total, int) or found == str(total), weights, found)
    parted = run(["histogram", "--column", "x", "--weights", "w", "--bins", "1", "--range", "0:2", "--csv", "--thousands", "_", "-"],
                 f"x,w\n1,{big:_}\n1,{big}\n1,1_000\n".encode())
    check("weights with separators", parted.stdout.endswith(f",{2 * big + 1000}\n".encode()), parted.stdout, parted.stderr)
    skipped = run(["histogram", "--column", "x", "--weights", "w", "--bins", "1", "--range", "0:2", "--csv", "--skip-missing", "-"],
                  f"x,w\n1,\n,{big}\n1,{big}\n1,NA\n1,{big}\n".encode())
    check("weights of rows that are skipped", skipped.stdout.endswith(f",{2 * big}\n".encode()), skipped.stdout, skipped.stderr)


def check_alike():
    """JSON and CSV have the same digits of an element, which are those of its value as f64."""
    for kind, number in (("f16", 65504.0), ("f32", 0.1), ("f16", 0.1), ("bf16", 0.1), ("bf16", 3.3895313892515355e38), ("f64", 0.1)):
        text = repr(number).encode()
        exact = number if kind == "f64" else struct.unpack("<" + CODES[kind], struct.pack("<" + CODES[kind], number))[0] if kind in CODES else (
            struct.unpack("<f", struct.pack("<I", (struct.unpack("<I", struct.pack("<f", number))[0] + 0x8000) >> 16 << 16))[0])
        most = json.loads(run(["describe", "--json", "--type", kind, "-"], text).stdout)["max"]
        others = [json.loads(run(["reduce", "--op", "max", "--json", "--type", kind, "-"], text).stdout)["result"]]
        edges = ["histogram", "--type", kind, "--range", f"0:{number!r}", "--bins", "1"]
        others.append(json.loads(run(edges + ["--json", "-"], text).stdout)["edges"][1])
        others.append(float(run(edges + ["--csv", "-"], text).stdout.split(b"\n")[1].split(b",")[1]))
        others.append(float(run(["reduce", "--op", "max", "--type", kind, "--csv", "--column", "x", "-"], b"x\n" + text).stdout.split(b",")[-1]))
        check("one form of a number", all(x == most == exact for x in others), kind, number, most, others, exact)
    for arguments in (["describe", "--json", "-"], ["describe", "--json", "--type", "i32", "-"]):
        found = json.loads(run(arguments, b"").stdout)
        check("no least element", found["min"] is None and found["max"] is None and list(found)[-1] == "quantiles", found)


def check_tables():
    """A key with the name of a result, and one that is not UTF-8: JSON and CSV can be read by other programs."""
    for name in ("count", "sum", "min", "lo", "hi", "column", "q0.5", "max(x)", "nan", "x"):
        data = f"{name},x,y\nä,1,5\nb,2,6\n".encode("latin-1")
        for command in (["describe", "--column", "x"], ["describe", "--columns", "x,y"], ["reduce", "--op", "max", "--columns", "x,y"],
                        ["reduce", "--op", "max", "--columns", "x,x"], ["histogram", "--bins", "2", "--column", "x"],
                        ["histogram", "--bins", "2", "--column", "x", "--weights", "y"]):
            if name == "x":
                continue
            shown = run(command + ["--group-by", name, "--json", "-"], data)
            check("status", shown.returncode == 0, command, name, shown.stderr)
            found = json.loads(shown.stdout.decode("utf-8") or '{"groups": []}', object_pairs_hook=members_once)
            check("a key of Latin-1", any("ä" in row.values() for row in found["groups"]), command, name, found)
            header = run(command + ["--group-by", name, "--csv", "-"], data).stdout.split(b"\n")[0].split(b",")
            check("columns come once", len(set(header)) == len(header), command, name, header)
    for options in ([], ["--group-by", "k", "--column", "x"], ["--y", "x", "--column", "x"]):
        shown = run(["histogram", "--csv", "--range", "1:3"] + (options or ["--column", "x"]) + ["-"], b"k,x\na,0\na,2\nb,7\n")
        check("dropped samples are counted", b"2 of 3 samples are in no bin" in shown.stderr, options, shown.stderr)
    for kind, options, words in (("bf16", ["--edges", "0,0.7,1"], b"1 of 3 edges are rounded to bf16, the first from 0.7 to 0.69921875"),
                                 ("f16", ["--range", "0:1", "--bins", "10"], b"8 of 11 edges are rounded to f16, the first from 0.1 to "),
                                 ("f16", ["--range", "0:1", "--bins", "8"], b""), ("f32", ["--edges", "0,0.7,1"], b"")):
        shown = run(["digitize", "--type", kind] + options + ["-"], b"0.25 0.5")
        check("edges of 2 bytes", words in shown.stderr and (words or b"rounded" not in shown.stderr), kind, options, shown.stderr)
    for kind, option, words in (("f16", "2.0001", b"--less 2.0001 is rounded to 2, as f16"), ("bf16", "0.7", b"rounded to 0.69921875"),
                                ("f16", "2.5", b""), ("bf16", "nan", b""), ("f32", "0.1", b"")):
        shown = run(["select", "--type", kind, "--less", option, "-"], b"0.25 2")
        check("numbers beside 2 bytes", words in shown.stderr and (words or b"rounded" not in shown.stderr), kind, option, shown.stderr)
    for arguments in (["reduce", "--group-by", "k", "--column", "x"], ["histogram", "--column", "x", "--weights", "x", "--bins", "1"]):
        shown, exact = (run(arguments + more + ["-"], b"k,x\na,0.1\na,0.2\n").stdout.decode().split() for more in ([], ["--csv"]))
        check("digits for people, and all of them", "0.3" in shown and exact[-1].endswith("0.30000000000000004"), shown, exact)
    with tempfile.TemporaryDirectory() as folder:
        shapes = []
        for key in ("\xe4", "b"):
            drawn = run(["histogram", "--bins", "2", "--column", "x", "--group-by", "k", "--plot", folder + "/x.svg", "-"],
                        f"k,x\n{key},1\nc,2\n".encode("latin-1"))
            if b"draws no pictures" not in drawn.stderr and drawn.returncode == 0:
                with open(folder + "/x.svg", "rb") as picture:
                    shapes.append(picture.read().count(b"<path"))
        check("a picture with a key of Latin-1 is whole", len(shapes) in (0, 2) and (not shapes or shapes[0] > 0.8 * shapes[1]), shapes)
    for arguments, text in ((["histogram", "--edges", "1,2,3.00000001"], b"3"), (["histogram", "--edges", "0,1.00001,2"], b"1"),
                            (["histogram", "--edges", "0,10000.4,20000"], b"10000"), (["histogram", "--range", "0.123456:2", "--bins", "1"], b"1"),
                            (["histogram", "--edges", "0,1.00001,2", "--weights", "-"], b"1"),
                            (["histogram", "--type", "f32", "--edges", "0,1.00001,2"], b"1"),
                            (["histogram", "--range", "0:9", "--y", "-", "--y-edges", "0,1.00001,2"], b"1")):
        shown = run(arguments + ["-"], text)
        option = next(o for o in ("--y-edges", "--edges", "--range") if o in arguments)
        given = arguments[arguments.index(option) + 1].replace(":", ",").split(",")
        check("typed edges have their digits", all(f"[{a}, {b}".encode() in shown.stdout for a, b in zip(given, given[1:])), arguments,
              shown.stdout, shown.stderr)
    check_weights()
    check_alike()
    repeated = run(["describe", "--json", "--quantiles", "0.5,0.25,0.50", "-"], b"1 2")
    json.loads(repeated.stdout, object_pairs_hook=members_once)
    table = run(["histogram", "--bins", "5", "--range", "1.02:6.12", "--y", "y", "--y-range", "0:16.6", "--column", "x", "-"],
                b"x,y\n1.5,13\n")
    check("edges are rounded", b"[3.06, 4.08)" in table.stdout and b"[13.28, 16.6)" in table.stdout, table.stdout)


def main():
    inf, nan = math.inf, math.nan
    compare([-1.7e308, 1.7e308], "f64")
    compare([1e308, 1e308, 1.5e308], "f64")
    compare([1.7976931348623157e308] * 5, "f64")
    compare([1e308, -1e308, 5e-324], "f64")
    compare([1e200, 1.0000000001e200, 3e200], "f64")
    compare([5e-324, 1e-323, 5e-323, 0.0], "f64")
    compare([3e-162, 1e-162, -2.5e-162], "f64")  # the variance is subnormal
    compare([1e-200, 2e-200, 4e-200], "f64")
    compare([1e16, 1e16 + 2, 1e16 + 4, 1e16], "f64")
    compare([-1.0, 1.0 + 3 * 2**-52], "f64")  # high - low is rounded up
    compare([3.0, nan, 7.0, 1.0, 8.0, 2.0, nan], "f64")
    for kind in ("f64", "f32", "f16", "bf16"):
        for elements in ([], [1.5], [nan, nan], [inf], [-inf, inf], [-inf, 1.0, 2.0, inf], [-0.0, 0.0], [inf, inf, 1.0],
                         [-inf, -inf], [0.1, 0.2, 0.7]):
            compare(elements, kind)
    compare([65504.0, 65504.0, -65504.0, 6e-8], "f16")
    compare([3.4028234663852886e38, -3.4028234663852886e38, 1e-45], "f32")
    compare([1700000000000000000 + i for i in range(5)], "i64")
    compare([2**53 + 1] * 2, "i64")
    compare([2**53 + 1, 2**53 + 2], "i64")
    compare([-2**53 - 2, -2**53 - 1, -2**53 - 1], "i64")
    compare([2**63 - 1] * 3 + [-2**63], "i64")
    compare([-2**63, 2**63 - 1], "i64")
    compare([2**64 - 1, 2**64 - 2, 2**64 - 1], "u64")
    compare([0, 2**64 - 1], "u64")
    compare([2**64 - 1], "u64")
    compare([1, 2, 4], "i64")
    for kind, low, high in (("u8", 0, 255), ("i16", -2**15, 2**15 - 1), ("i32", -2**31, 2**31 - 1)):
        compare([low, high, high, 7], kind)
        compare([random.randint(low, high) for _ in range(1000)], kind)
    for _ in range(40):
        n = random.randint(2, 30)
        scale = 2.0**random.randint(-1074, 1023)
        compare([random.uniform(-1, 1) * scale for _ in range(n)], "f64")
        compare([math.ldexp(random.uniform(-1, 1), random.randint(-60, 60)) for _ in range(n)], "f64")
        center = random.uniform(-1, 1) * scale
        compare([center + random.randint(-3, 3) * math.ulp(center) for _ in range(n)], "f64")
        compare([random.choice([-1, 1]) * random.getrandbits(random.randint(1, 63)) for _ in range(n)], "i64")
        base = random.getrandbits(64)
        compare([min(max(base + random.randint(-9, 9), 0), 2**64 - 1) for _ in range(n)], "u64")
    check_bins()
    check_texts()
    check_tables()
    check_bool()
    check_keys()
    check_exact_keys()
    check_comparisons()
    check_any_edges()
    print("cli_numbers.py:", failures, "failures")
    return failures > 0


sys.exit(main())
