# SPDX-License-Identifier: Apache-2.0
"""Reads random CSV by the program and by the definition in doc/input.md, and random tables that Python's csv module
has written; the sums of each key have to be the same, or both refuse the file.

cli_reading.py PROGRAM SEED"""
import csv
import io
import random
import subprocess
import sys

PROGRAM, SEED = sys.argv[1:3]
BLANKS = " \t\v\f"
MISSING = {"", "na", "n/a", "null", "none"}
DRAW = random.Random(int(SEED))


class Refused(Exception):
    """The file is wrong."""


class Reader:
    """The dialect, from its definition."""

    def __init__(self, text, delimiter, quote, comment):
        self.text, self.delimiter, self.quote, self.comment, self.at = text, delimiter, quote, comment, 0

    def now(self):
        return self.text[self.at:self.at + 1]

    def at_end(self):
        return self.now() in ("", "\n", "\r")

    def is_delimiter(self):
        return self.now() != "" and self.now() in (BLANKS if self.delimiter == "blanks" else self.delimiter)

    def skip_blanks(self):
        while self.now() != "" and self.now() in BLANKS and (self.delimiter == "blanks" or not self.is_delimiter()):
            self.at += 1

    def end_line(self):
        self.at += 2 if self.text[self.at:self.at + 2] == "\r\n" else 1

    def quoted(self):
        field = ""
        while True:
            self.at += 1
            if self.now() == "":
                raise Refused
            if self.now() == self.quote:
                self.at += 1
                if self.now() != self.quote:
                    return field
            field += self.now()

    def field(self):
        self.skip_blanks()
        if self.quote and self.now() == self.quote:
            field = self.quoted()
            start = self.at
            self.skip_blanks()
            separated = self.delimiter == "blanks" and self.at > start
            if not self.at_end() and not self.is_delimiter() and not separated:
                raise Refused
            return field
        start = self.at
        while not self.at_end() and not self.is_delimiter():
            self.at += 1
        return self.text[start:self.at].rstrip(BLANKS)

    def rows(self):
        while True:
            start = self.at
            self.skip_blanks()
            if self.now() == "":
                return
            if self.comment and self.now() == self.comment:
                while not self.at_end():
                    self.at += 1
            elif not self.at_end():
                self.at = start
                yield self.row()
            if self.now() != "":
                self.end_line()

    def row(self):
        fields = []
        while True:
            fields.append(self.field())
            if self.delimiter == "blanks":
                self.skip_blanks()
            if self.at_end():
                return fields
            if self.delimiter != "blanks":
                self.at += 1


def filled(row):
    return max((i + 1 for i, field in enumerate(row) if field), default=0)


def sums_of(rows, skips, ragged):
    """The sum of the second fields by the first, or Refused."""
    sums = {}
    rows = list(rows)
    for row in rows:
        if not ragged and (len(row) < filled(rows[0]) or filled(row) > len(rows[0])):
            raise Refused
        if len(row) < 2 and not (ragged and skips):
            raise Refused
        key, text = (row + ["", ""])[:2]
        text = text.strip(BLANKS)
        if skips and (key.lower() in MISSING or len(row) < 1):
            if text.lower() not in MISSING:
                number(text)
            continue
        if skips and text.lower() in MISSING:
            sums.setdefault(key, 0)
            continue
        sums[key] = sums.get(key, 0) + number(text)
    return sums


def number(text):
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not digits.isascii() or not digits.isdigit():
        raise Refused
    return int(text)


def program_sums(text, *options):
    with open("random.csv", "w", newline="", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PROGRAM, "reduce", "--csv", "--group-by", "1", "--column", "2", "--type", "i64", *options,
                           "random.csv"], capture_output=True)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        sys.exit(f"{text!r} {options}: status {done.returncode}")
    rows = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    return {row[0]: int(row[1]) for row in rows[1:]}


def compare(text, expected, *options):
    got = program_sums(text, *options)
    if got != expected:
        sys.exit(f"{text!r} {options}: {got} is not {expected}")


def random_bytes():
    """Few kinds of characters, so that each meets each."""
    delimiter = DRAW.choice([",", ";", "\t", " ", "blanks"])
    quote, comment = DRAW.choice(['"', "'", ""]), DRAW.choice(["#", ""])
    between = " " if delimiter == "blanks" else delimiter
    pieces = [between] * 6 + ["\n"] * 4 + ["\r", "\r\n", " ", "\t", '"', '""', "'", "#", "NA", "-", "a"] + list("1234567")
    rows = [f"{DRAW.choice('ab1')}{between}{DRAW.randint(-9, 99)}" for _ in range(DRAW.randint(0, 5))]
    text = "\n".join(rows)
    for _ in range(DRAW.randint(0, 6)):
        place = DRAW.randint(0, len(text))
        text = text[:place] + DRAW.choice(pieces) + text[place:]
    skips, ragged = DRAW.random() < 0.5, DRAW.random() < 0.5
    options = ["--delimiter", delimiter, "--quote", quote or "none", "--comment", comment or "none", "--header", "no"]
    options += ["--skip-missing"] * skips + ["--ragged"] * ragged
    try:
        expected = sums_of(Reader(text, delimiter, quote, comment).rows(), skips, ragged)
    except Refused:
        expected = None
    compare(DRAW.choice(["", "\ufeff"]) + text, expected, *options)
    return expected is not None


def random_table():
    delimiter, quote = DRAW.choice(",;|\t"), DRAW.choice("\"'")
    words = ["a", "b c", f"x{delimiter}y", quote, "l\nm", "r\rs", "t\r\nu", "\xe4", "0", "#1"]
    rows = [[DRAW.choice(words), str(DRAW.randint(-99, 99))] for _ in range(DRAW.randint(1, 30))]
    text = io.StringIO(newline="")
    # Without QUOTE_ALL the module leaves line ends of another kind than its own without quotes.
    quoting = csv.QUOTE_ALL if any(set(key) & set("\r\n") for key, _ in rows) else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, quotechar=quote, lineterminator=DRAW.choice(["\n", "\r\n", "\r"]),
               quoting=quoting).writerows([["k", "v"]] + rows)
    sums = {}
    for key, value in rows:
        sums[key] = sums.get(key, 0) + int(value)
    compare(text.getvalue(), sums, "--delimiter", delimiter, "--quote", quote, "--comment", "none")


accepted = sum(random_bytes() for _ in range(200))
for _ in range(20):
    random_table()
print(f"220 random files of CSV, {accepted + 20} of them right ones")
