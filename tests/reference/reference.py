#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The reference of `isowarp verify`: makes the table of digests from the definitions alone (doc/verify.md,
# doc/order1.md and isowarp.h, whose list of operators is read), with NumPy and Python integers, and shares
# no code with the library.
#
#   reference.py                  the table as C initialisers: what is kept as tools/commands/verify_table.inc
#   reference.py --text [PART…]   lines "name digest", as `isowarp verify --print` prints them; only names with a PART
#   reference.py --names          what each kind of names means

import bisect
import math
import re
import sys
from decimal import Decimal, ROUND_FLOOR, getcontext
from pathlib import Path
from types import SimpleNamespace
import numpy as np
import math_functions

GOLDEN = 0x9E3779B97F4A7C15
M64 = (1 << 64) - 1
NONE = 0xFFFF   # a map's "no bin"

# Order 1, in elements.
ROW = 128
TILE = 32 * ROW
GROUP = 32 * TILE

TYPES = {name: np.dtype(code) for name, code in [
    ('u8', '<u1'), ('u16', '<u2'), ('i32', '<i4'), ('u32', '<u4'), ('i64', '<i8'), ('u64', '<u8'), ('f32', '<f4'),
    ('f64', '<f8'), ('i8', '<i1'), ('i16', '<i2'), ('bool', '<u1'), ('f16', '<f2'),
    ('bf16', '<u2')]}   # a bool is a byte 0 or 1; a bf16 its bits, as NumPy has no such type: reals() gives its value
SIX = ['i32', 'u32', 'i64', 'u64', 'f32', 'f64']
EIGHT = ['u8', 'u16'] + SIX
NARROW = ['i8', 'i16', 'bool', 'f16', 'bf16']   # beside u8 and u16

# The seeds of the generator: one per use.
DATA, FLAGS, SPECIAL, INIT, EDGES, MAP, COUNTS, WEIGHTS, PAYLOADS = 1, 2, 3, 4, 5, 6, 7, 8, 9


def bits_of(dtype):
    """The unsigned type of the same width."""
    return np.dtype('<u%d' % dtype.itemsize)


# ---- Generator and digest ------------------------------------------------------------------------------

def mix(z):
    """SplitMix64's finaliser, on an array of uint64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mix1(z):
    return int(mix(np.array([z & M64], '<u8'))[0])


def draw(seed, index):
    """Words number `index` (an array) of the stream `seed`."""
    return mix(np.uint64(seed) + (index + np.uint64(1)) * np.uint64(GOLDEN))


def digest(*arrays):
    """One number over the little-endian bytes of all arrays, in turn."""
    total = 0
    for array in arrays:
        data = np.ascontiguousarray(array).tobytes()
        words = np.frombuffer(data + b'\0' * (-len(data) % 8), '<u8')
        place = (np.arange(len(words), dtype='<u8') + np.uint64(1)) * np.uint64(GOLDEN)
        one = mix1(int(mix(words + place).sum(dtype='<u8')) + len(data))
        total = mix1(total + one)
    return total


# ---- Inputs --------------------------------------------------------------------------------------------

FLOATS = {'f32': (23, 127), 'f64': (52, 1023), 'f16': (10, 15), 'bf16': (7, 127)}   # bits of the mantissa, bias
WIDE_FLOATS = ['f32', 'f64']


def reals(name, values):
    """Values of a type as an array that NumPy compares as numbers."""
    return (values.astype('<u4') << np.uint32(16)).view('<f4') if name == 'bf16' else values


def of_reals(name, numbers):
    """An array of a type, of numbers that it can represent."""
    if name == 'bf16':
        return (np.asarray(numbers, '<f4').view('<u4') >> np.uint32(16)).astype('<u2')
    return np.asarray(numbers).astype(TYPES[name])


def operands(name, values):
    """Values of a type as an array in which they are combined: of 2-byte floats f32."""
    return reals(name, values).astype('<f4') if name in ('f16', 'bf16') else values


def combined(name, values, result):
    """Values of a type in that in which results of type `result` are computed."""
    values = operands(name, values)
    return values if result in ('f16', 'bf16') else values.astype(TYPES[result])


def rounded(name, results):
    """What was combined as an array of the type, rounded to nearest even, with one NaN."""
    if name == 'f16':
        return canonical(results.astype('<f2'))
    if name == 'bf16':
        bits = results.view('<u4').astype('<u8')
        up = (bits + np.uint64(0x7FFF) + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)
        return np.where(np.isnan(results), np.uint64(0x7FC0), up).astype('<u2')
    return results


def init_of(name, op):
    """An init without one: bool has the identities of bool, not those of a byte."""
    is_one = op == 'min' or (op in BITWISE and identity(op, np.dtype('<u1'))[0])
    return np.ones(1, '<u1') if name == 'bool' and is_one else None


def float_bits(name, word, exponent):
    """Sign from bit 63, mantissa from the low bits, the exponent field as given."""
    mantissa, _ = FLOATS[name]
    width = 8 * TYPES[name].itemsize
    bits = (word >> np.uint64(63) << np.uint64(width - 1)) | (exponent << np.uint64(mantissa)) | \
        (word & np.uint64((1 << mantissa) - 1))
    return bits.astype(bits_of(TYPES[name])).view(TYPES[name])


def wide(name, word):
    """Floats over 2^-40 ... 2^41 (f16: all normal numbers) of both signs; integers over the whole type; bools."""
    if name == 'bool':
        return (word & np.uint64(1)).astype('<u1')
    if name not in FLOATS:
        dtype = TYPES[name]
        return (word & np.uint64((1 << 8 * dtype.itemsize) - 1)).astype(bits_of(dtype)).view(dtype)
    _, bias = FLOATS[name]
    place = (word >> np.uint64(52)) & np.uint64(0x7FF)
    if name == 'f16':
        return float_bits(name, word, np.uint64(1) + place % np.uint64(29))
    return float_bits(name, word, np.uint64(bias - 40) + place % np.uint64(81))


def make_input(name, kind, n, edges=None):
    dtype = TYPES[name]
    index = np.arange(n, dtype='<u8')
    if kind == 'runs':
        index, kind = index >> np.uint64(4), 'unit' if name in FLOATS else 'wide'
    word = draw(DATA, index)
    if kind == 'wide' or (name == 'bool' and kind != 'near'):
        return wide(name, word)
    if kind == 'any':     # all bit patterns of a float
        return (word & np.uint64((1 << 8 * dtype.itemsize) - 1)).astype(bits_of(dtype)).view(dtype)
    if kind == 'small':   # integers near 0
        value = ((word >> np.uint64(32)) % np.uint64(201)).astype('<i8')
        return (value - (100 if dtype.kind == 'i' else 0)).astype(dtype)
    if kind == 'unit':    # floats of [-0.5, 1.5), evenly
        if name in ('f16', 'bf16'):
            mantissa, _ = FLOATS[name]
            return of_reals(name, (word >> np.uint64(63 - mantissa)).astype('<f4') * np.float32(2.0**-mantissa) - np.float32(0.5))
        if name == 'f32':
            return (word >> np.uint64(40)).astype('<f4') * np.float32(2.0**-23) - np.float32(0.5)
        return (word >> np.uint64(11)).astype('<f8') * 2.0**-52 - 0.5
    if kind == 'tiny':    # zeros of both signs, subnormals, and the smallest normal numbers
        pick = draw(SPECIAL, index) % np.uint64(4)
        mantissa, _ = FLOATS[name]
        keep = word & np.uint64(1 << 63 | (1 << mantissa) - 1)
        keep = np.where(pick == 0, np.uint64(1 << 63), np.where(pick == 1, np.uint64(0), keep))
        return float_bits(name, keep, (pick == 3).astype('<u8'))
    if kind == 'nan':     # wide, with NaNs (quiet and signalling) and infinities among them
        pick = draw(SPECIAL, index) % np.uint64(512)
        mantissa, bias = FLOATS[name]
        bits = wide(name, word).view(bits_of(dtype)).astype('<u8')
        top, sign = (2 * bias + 1) << mantissa, 1 << 8 * dtype.itemsize - 1
        specials = [sign | top | 1 << mantissa - 1 | 0x12345 & (1 << mantissa) - 1, top | 1, top, sign | top]
        for number, special in enumerate(specials):
            bits = np.where(pick == number, np.uint64(special), bits)
        return bits.astype(bits_of(dtype)).view(dtype)
    if kind == 'near':    # edges, and the values just beside them
        raw = edges.view(bits_of(dtype)).astype('<u8')
        bits = raw[(word % np.uint64(len(raw))).astype('<i8')] + (word >> np.uint64(32)) % np.uint64(3) - np.uint64(1)
        return (bits & np.uint64((1 << 8 * dtype.itemsize) - 1)).astype(bits_of(dtype)).view(dtype)
    raise ValueError('input ' + kind)


def make_flags(kind, n):
    word = draw(FLAGS, np.arange(n, dtype='<u8'))
    some = (word & (word >> np.uint64(8)) & np.uint64(0x11)).astype('<u1')
    rare = (word % np.uint64(1021) == 0).astype('<u1')
    return {'some': some, 'rare': rare, 'none': np.zeros(n, '<u1'), 'all': some | np.uint8(0x80)}[kind]


def make_heads(how, n):
    """Which elements begin a segment: by flags, or by keys:TYPE."""
    kind, _, detail = how.partition(':')
    if kind == 'keys':
        keys = wide(detail, draw(FLAGS, draw(FLAGS, np.arange(n, dtype='<u8') >> np.uint64(6)) % np.uint64(2)))
        keys = keys.view(bits_of(keys.dtype))
        heads = np.concatenate([[False], keys[1:] != keys[:-1]])[:n]
    else:
        heads = make_flags(how, n) != 0
    heads[:1] = True
    return heads


# ---- Scan and reduce -----------------------------------------------------------------------------------

def canonical(values):
    """Every NaN in its one pattern."""
    if values.dtype.kind != 'f':
        return values
    bits = values.view(bits_of(values.dtype)).copy()
    bits[np.isnan(values)] = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}[values.dtype.itemsize]
    return bits.view(values.dtype)


# Order 1, of sums and products. An absent element is -0.0 or 1.

ABSENT = {np.add: -0.0, np.multiply: 1.0}


def trees(x, size, combine=np.add):
    """In place, of each `size` elements: at each level the right half of a block gets the last element of the left half."""
    half = 1
    while half < size:
        blocks = x.reshape(-1, 2, half)
        blocks[:, 1, :] = combine(blocks[:, 0, -1:], blocks[:, 1, :])
        half *= 2


def tree(values, combine=np.add, size=ROW):
    """A row."""
    x = np.full(size, ABSENT[combine], values.dtype)
    x[:len(values)] = values
    trees(x, size, combine)
    return x[:len(values)]


def fold(part, size, values, before, combine):
    """A left fold over the totals of parts of the given size, each scanned by part()."""
    out = np.empty_like(values)
    for start in range(0, len(values), size):
        out[start:start + size] = combine(before, part(values[start:start + size]))
        before = out[min(start + size, len(values)) - 1]
    return out


def order1(values, init, combine=np.add):
    absent = values.dtype.type(ABSENT[combine])
    row = lambda values: tree(values, combine)
    tile = lambda values: fold(row, ROW, values, absent, combine)
    group = lambda values: fold(tile, TILE, values, absent, combine)
    return fold(group, GROUP, values, absent if init is None else init[0], combine)


def sum_scan(values, init):
    dtype = values.dtype
    if dtype.kind != 'f':   # wraps
        bits = bits_of(dtype)
        start = np.zeros(1, bits) if init is None else init.view(bits)
        return (np.cumsum(values.view(bits), dtype=bits) + start).astype(bits).view(dtype)
    return canonical(order1(values, init))


def built_in_operators():
    """The list of isowarp/scans.h: {name: (the types that it takes, its result of a and b)}."""
    text = (Path(__file__).parent / '../../include/isowarp/scans.h').read_text()
    rows = text[text.index('#define IW_BUILTIN_OPERATORS(X)'):].split('\n\n')[0]
    found = re.findall(r'X\(\w+, (\w+), ([A-Z |]+), ((?:[^()]|\([^()]*\))*)\)', rows.replace('\\\n', ''))
    return {name: (set(takes.split(' | ')), result) for name, takes, result in found}


OPERATORS = built_in_operators()
BITWISE = {name: eval('lambda a, b: ' + result) for name, (takes, result) in OPERATORS.items() if 'FLOATS' not in takes}


def other_scan(op, values, init):
    """product and bitwise operators."""
    if values.dtype.kind == 'f':
        return canonical(order1(values, init, np.multiply))
    bits = bits_of(values.dtype)
    both = (values if init is None else np.concatenate([init, values])).view(bits)
    if op in BITWISE:   # associative: each round combines twice as many
        out, count = both.copy(), 1
        while count < len(out):
            out[count:] = BITWISE[op](out[:-count], out[count:])
            count *= 2
    else:
        out = np.multiply.accumulate(both, dtype=bits)
    out = out.view(values.dtype)
    return out if init is None else out[1:]


def extreme_scan(op, values, init):
    """min and max as a total order: floats go through integers in which -0 < +0, NaN is sticky."""
    dtype = values.dtype
    both = values if init is None else np.concatenate([init, values])
    accumulate = (np.minimum if op == 'min' else np.maximum).accumulate
    if dtype.kind != 'f':
        out = accumulate(both)
    else:
        raw = both.view('<i%d' % dtype.itemsize)
        lowest = np.iinfo(raw.dtype).min
        key = np.where(raw < 0, ~raw ^ lowest, raw)
        nan = np.logical_or.accumulate(np.isnan(both))
        best = accumulate(np.where(np.isnan(both), 0, key).astype(raw.dtype))
        out = np.where(best < 0, ~(best ^ lowest), best).astype(raw.dtype).view(dtype).copy()
        out[nan] = np.nan
        out = canonical(out)
    return out if init is None else out[1:]


def identity(op, dtype):
    zero, one = np.zeros(1, dtype), np.ones(1, dtype)
    if op == 'sum' or (op in BITWISE and BITWISE[op](zero, one) == one):
        return zero
    if op in BITWISE:
        return ~zero
    if op == 'product':
        return one
    if dtype.kind == 'f':
        return np.array([np.inf if op == 'min' else -np.inf], dtype)
    info = np.iinfo(dtype)
    return np.array([info.max if op == 'min' else info.min], dtype)


def inclusive(op, values, init):
    if len(values) == 0:
        return values.copy()
    if op in ('min', 'max'):
        return extreme_scan(op, values, init)
    return sum_scan(values, init) if op == 'sum' else other_scan(op, values, init)


def exclusive(op, values, init):
    first = identity(op, values.dtype) if init is None else init
    return np.concatenate([first, inclusive(op, values, init)])[:len(values)]


def reduce(op, values, init):
    if len(values) == 0:
        return identity(op, values.dtype) if init is None else init
    return inclusive(op, values, init)[-1:]


# Scans of segments, in order 1: of pairs (whether a head is in it, number).

def total_order(values):
    """Integers in the order of min and max, but for NaN."""
    if values.dtype.kind != 'f':
        return values
    raw = values.view('<i%d' % values.dtype.itemsize)
    return np.where(raw < 0, ~raw ^ np.iinfo(raw.dtype).min, raw)


def join(op, a, b):
    if op == 'sum':
        return a + b   # integers wrap
    left = total_order(a) <= total_order(b) if op == 'min' else total_order(a) >= total_order(b)
    out = np.where(left, a, b)
    return np.where((a != a) | (b != b), np.nan, out).astype(a.dtype) if a.dtype.kind == 'f' else out


def plus(op, a, b):
    return a[0] | b[0], np.where(b[0], b[1], join(op, a[1], b[1]))


def folds(op, totals):
    """Of totals along the last axis: what is in front of each, from the left, and all."""
    before = [np.empty_like(part) for part in totals]
    so_far = tuple(np.broadcast_to(part, totals[0].shape[:-1]) for part in absent_pair(op, totals[1].dtype))
    for k in range(totals[0].shape[-1]):
        before[0][..., k], before[1][..., k] = so_far
        so_far = plus(op, so_far, (totals[0][..., k], totals[1][..., k]))
    return tuple(before), so_far


def absent_pair(op, dtype):
    number = identity(op, dtype)[0]
    return np.False_, -number if op == 'sum' and dtype.kind == 'f' else number


def segments(op, values, heads, init):
    """The inclusive scan."""
    dtype, n = values.dtype, len(values)
    head, number = absent_pair(op, dtype)
    groups, tiles = (-(-n // GROUP), GROUP // TILE) if n > GROUP else (1, -(-n // TILE))
    h = np.full(groups * tiles * TILE, head)
    x = np.full(groups * tiles * TILE, number, dtype)
    h[:n] = heads
    x[:n] = values if init is None else np.where(heads, join(op, np.broadcast_to(init, n), values), values)
    half = 1
    while half < ROW:
        shape = (-1, 2, half)
        hb, xb = h.reshape(shape), x.reshape(shape)
        hb[:, 1, :], xb[:, 1, :] = plus(op, (hb[:, 0, -1:], xb[:, 0, -1:]), (hb[:, 1, :], xb[:, 1, :]))
        half *= 2
    h, x = (part.reshape(groups, tiles, TILE // ROW, ROW) for part in (h, x))
    e, of_tiles = folds(op, (h[..., -1], x[..., -1]))
    f, of_groups = folds(op, of_tiles)
    p, _ = folds(op, of_groups)
    out = plus(op, (e[0][..., None], e[1][..., None]), (h, x))
    out = plus(op, (f[0][..., None, None], f[1][..., None, None]), out)
    out = plus(op, (p[0][..., None, None, None], p[1][..., None, None, None]), out)
    return canonical(out[1].reshape(-1)[:n])


def segments_exclusive(op, values, heads, init):
    first = identity(op, values.dtype) if init is None else init
    shifted = np.concatenate([first, segments(op, values, heads, init)])[:len(values)]
    return np.where(heads, first, shifted)


def scan_rows(op, values, columns, init):
    """The inclusive scan of each row of a matrix alone. Of short rows of floats all trees at once."""
    rows = values.reshape(-1, columns)
    if columns > ROW or op != 'sum' or values.dtype.kind != 'f':
        parts = [inclusive(op, row, init) for row in rows]
        return np.concatenate(parts) if parts else values
    size = 1
    while size < columns:
        size *= 2
    x = np.full((len(rows), size), ABSENT[np.add], values.dtype)
    x[:, :columns] = rows
    trees(x, size)
    return canonical((x if init is None else init[0] + x)[:, :columns].reshape(-1))


def scan_rows_exclusive(op, values, columns, init):
    out = np.empty_like(values).reshape(-1, columns)
    out[:, :1] = identity(op, values.dtype) if init is None else init
    out[:, 1:] = scan_rows(op, values, columns, init).reshape(-1, columns)[:, :-1]
    return out.reshape(-1)


def first_extreme(op, values):
    """The index of the first minimum or maximum, NaN before all numbers, and the value; of nothing n and the identity."""
    if len(values) == 0:
        return 0, identity(op, values.dtype)
    nan = np.flatnonzero(values != values)
    key = total_order(values)
    at = int(nan[0] if len(nan) else np.argmin(key) if op == 'min' else np.argmax(key))
    return at, canonical(values[at:at + 1])


# ---- Bins ----------------------------------------------------------------------------------------------

COMPARES = {'less': np.less, 'less-equal': np.less_equal, 'equal': np.equal, 'not-equal': np.not_equal,
            'greater': np.greater, 'greater-equal': np.greater_equal}


def literal(name, text):
    """A number that the type can represent, as reals() has them."""
    if name == 'bf16':
        bits = of_reals(name, np.array([float(text)], '<f4'))
        assert float(text) != float(text) or reals(name, bits)[0] == float(text)
        return reals(name, bits)
    return np.array([float(text) if name in FLOATS else int(text)], TYPES[name])


class Bins:
    """The field BINS of a name: kind:bins:…"""

    def __init__(self, name, text, values=None):
        self.name, dtype = name, TYPES[name]   # edges are as reals() has values
        part = text.split(':')
        self.kind, self.count = part[0], int(part[1])
        self.top_included = False   # is x == top in the last bin?
        if self.kind in ('even', 'span'):
            lo, hi = literal(name, part[2]), literal(name, part[3])
            self.top_included = self.kind == 'span'
            self.set_even(lo, hi, self.kind == 'span')
        elif self.kind == 'auto':
            self.top_included = True
            if len(values) == 0:
                lo, hi = literal(name, '0'), literal(name, '1')
            else:
                numbers = reals(name, values)
                lo, hi = numbers.min().reshape(1), numbers.max().reshape(1)
            if lo[0] == hi[0] and name == 'bf16':
                v = lo.astype('<f8')
                lo, hi = (self.nearest(v + by) for by in (-0.5, 0.5))
                if lo[0] == hi[0]:
                    lo, hi = (self.nearest(v + by) for by in (-abs(v) / 2, abs(v) / 2))
                assert np.isfinite(lo[0]) and np.isfinite(hi[0])
            elif lo[0] == hi[0] and name in FLOATS:
                by = dtype.type(0.5)
                if lo[0] - by == lo[0] + by:
                    by = abs(lo[0]) / 2
                most = np.finfo(dtype).max
                with np.errstate(over='ignore'):
                    lo, hi = np.maximum(lo - by, -most), np.minimum(hi + by, most)
            elif lo[0] == hi[0]:
                if hi[0] == self.largest(hi[0]):
                    lo = lo - dtype.type(1)
                else:
                    hi = hi + dtype.type(1)
            self.set_even(lo, hi, False)
        elif self.kind == 'edges':
            base, gap = {'u8': (10, 2), 'u16': (100, 5), 'i32': (0xC0000000, 20), 'u32': (0x40000000, 20),
                         'i64': (0xC000000000000000, 51), 'u64': (0x4000000000000000, 51),
                         'f32': (0x30000000, 18), 'f64': (0x3800000000000000, 47), 'i8': (0x90, 2), 'i16': (0x9000, 5),
                         'bool': (10, 2), 'f16': (0x0800, 4), 'bf16': (0x3000, 4)}[name]
            steps = np.uint64(1) + draw(EDGES, np.arange(self.count + 1, dtype='<u8')) % np.uint64(1 << gap)
            place = np.uint64(base) + np.cumsum(steps, dtype='<u8')
            place &= np.uint64((1 << 8 * dtype.itemsize) - 1)
            self.edges = reals(name, place.astype(bits_of(dtype)).view(dtype))
            assert np.all(self.edges[:-1] < self.edges[1:])
        elif self.kind == 'map':
            table = draw(MAP, np.arange(256, dtype='<u8')) % np.uint64(self.count + 1)
            self.map = np.where(table == self.count, NONE, table).astype('<u2')
        elif self.kind == 'letters':
            self.map = np.full(256, NONE, '<u2')
            for letter in range(26):
                self.map[ord('a') + letter] = letter // (4 if self.count == 7 else 1)
        else:
            raise ValueError('bins ' + text)

    def nearest(self, numbers):
        """Doubles rounded to nearest even in the type, as reals() has them."""
        if self.name != 'bf16':
            return numbers.astype(TYPES[self.name])
        unit = np.maximum(np.frexp(numbers)[1], -125) - 8   # of the last of 8 bits, as a power of 2
        return np.ldexp(np.rint(np.ldexp(numbers, -unit)), unit).astype('<f4')

    def largest(self, value):
        """The type's largest value; of bool 1, but bytes above it are as of u8."""
        return 1 if self.name == 'bool' and value <= 1 else int(np.iinfo(TYPES[self.name]).max)

    def set_even(self, lo, hi, hi_included):
        n, dtype = self.count, TYPES[self.name]
        if self.name in FLOATS:
            low, high = float(lo[0]), float(hi[0])
            step = (high - low) / n
            edges = self.nearest(np.arange(n + 1, dtype='<f8') * step + low)
            edges[0], edges[n] = lo[0], hi[0]
        else:
            low, high = int(lo[0]), int(hi[0]) + hi_included
            places = [low + -(-k * (high - low) // n) for k in range(n + 1)]
            places[n] = min(places[n], int(np.iinfo(dtype).max))
            edges = np.array(places, dtype)
            if hi_included:
                edges[n] = hi[0]   # as it is compared: x <= hi; where it can be stored, the edge is hi + 1
                self.stored_top = min(int(hi[0]) + 1, self.largest(hi[0]))
        self.edges = edges
        low_edges = edges[:-1]
        assert np.all(low_edges[:-1] < low_edges[1:])

    def stored_edges(self):
        """As iw_histogram_edges gives them."""
        edges = of_reals(self.name, self.edges).copy()
        if hasattr(self, 'stored_top'):
            edges[-1] = self.stored_top
        return edges

    def number(self, values, closed):
        """A bin for each value: -1 below, count above (map: no bin), -2 NaN."""
        if self.kind in ('map', 'letters'):
            table = np.where(self.map == NONE, self.count, self.map).astype('<i8')
            return table[values]
        values = reals(self.name, values)
        k = np.searchsorted(self.edges[:-1], values, side='right').astype('<i8') - 1
        top = self.edges[-1]
        k[values > top if closed or self.top_included else values >= top] = self.count
        if self.name in FLOATS:
            k[np.isnan(values)] = -2
        return k


def clamp(k, bins, policy):
    if policy == 'clamp':
        k = np.where(k == -1, 0, np.where(k == bins.count, bins.count - 1, k))
    return k


# ---- Edges by a transform, and ranges that grow ----------------------------------------------------------

getcontext().prec = 300      # digits


def exactly(kind, numbers):
    return Decimal(int(numbers[0])) if kind not in FLOATS else Decimal(float(numbers[0]))


def nearest_value(kind, x):
    """The value of a type that is nearest to a positive Decimal, ties to even."""
    unit = 0
    if kind in FLOATS:
        mantissa, bias = FLOATS[kind]
        exponent = int((x.ln() / Decimal(2).ln()).to_integral_value(ROUND_FLOOR))
        exponent += 1 if Decimal(2)**(exponent + 1) <= x else -1 if Decimal(2)**exponent > x else 0
        unit = max(exponent, 1 - bias) - mantissa
    units = x / Decimal(2)**unit
    whole = int(units.to_integral_value(ROUND_FLOOR))
    rest = units - whole - Decimal('0.5')
    whole += whole & 1 if abs(rest) < Decimal(10)**-100 else rest > 0
    return math.ldexp(whole, unit) if kind in FLOATS else whole


def transformed_edges(kind, lo, hi, count, power):
    low, high = literal(kind, lo), literal(kind, hi)
    a, b = exactly(kind, low), exactly(kind, high)
    if power is None:
        edges = [(a.ln() + (b.ln() - a.ln()) * k / count).exp() for k in range(1, count)]
    else:
        p = Decimal(float(power))
        start, end = a**p if a else Decimal(0), b**p
        edges = [((start + (end - start) * k / count).ln() / p).exp() for k in range(1, count)]
    values = [low[0]] + [nearest_value(kind, e) for e in edges] + [high[0]]
    assert all(x < y for x, y in zip(values, values[1:]))
    return of_reals(kind, np.array(values, low.dtype))


def growing(kind, values, how):
    """Edges and counts of a range that has all finite values, and the numbers of the others."""
    count, origin, width = int(how[0]), literal(kind, how[1]), literal(kind, how[2])
    floats = kind in FLOATS
    numbers = reals(kind, values)
    finite = numbers[np.isfinite(numbers)] if floats else numbers
    others = [np.count_nonzero(numbers == -np.inf), np.count_nonzero(numbers == np.inf), np.count_nonzero(numbers != numbers)]
    others = [np.array([x if floats else 0], '<u8') for x in others]
    if not len(finite):
        return digest(*others)
    if floats:
        most = math.ldexp(255, 120) if kind == 'bf16' else float(np.finfo(TYPES[kind]).max)
    else:
        most = int(np.iinfo(TYPES[kind]).max)
    least = -most if floats else int(np.iinfo(TYPES[kind]).min)
    lattice = SimpleNamespace(name=kind)

    def edge(k):
        if not floats:
            return int(origin[0]) + k * int(width[0])
        e = float(k) * float(width[0]) + float(origin[0])
        if abs(e) > most:
            return np.copysign(np.inf, e)
        return float(Bins.nearest(lattice, np.array([e], '<f8'))[0])

    def index(x):
        low, high = -(1 << 60), 1 << 60
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if edge(middle) <= x else (low, middle)
        return low

    number = float if floats else int
    first, last = index(number(finite.min())), index(number(finite.max()))
    level = 0
    while (last // (count // 2 << level)) - (first // (count // 2 << level)) > 1:
        level += 1
    begin = first // (count // 2 << level) * (count // 2 << level)
    edges = [edge(begin + (k << level)) for k in range(count + 1)]
    counts = np.zeros(count, '<u8')
    for x in finite.tolist():
        counts[bisect.bisect_right(edges, x) - 1] += np.uint64(1)
    stored = of_reals(kind, np.array([min(max(e, least), most) for e in edges], numbers.dtype))
    return digest(stored, counts, *others)


# ---- Exact sums ----------------------------------------------------------------------------------------

SUMS = {'i32': 'i64', 'u32': 'u64'}   # other weights are added up in their own type


def exact_parts(values):
    """The sum of the finite values in units of 2^-1074, and which others there are: NaN, +inf, -inf."""
    finite = values[np.isfinite(values)]
    total = sum(int(m * 2**53) << int(e + 1074 - 53) if e >= 53 - 1074 else int(m * 2**53) >> int(53 - 1074 - e)
                for m, e in zip(*np.frexp(finite.astype('<f8'))))
    return total, [bool(np.isnan(values).any()), bool((values == np.inf).any()), bool((values == -np.inf).any())]


def exact_accumulator(values):
    """The bytes of an iw_exact_sum (isowarp/exact.h)."""
    total, others = exact_parts(values)
    number = (total % 2**2176).to_bytes(272, 'little')
    return np.frombuffer(b'\1\0\0\0' + bytes([sum(1 << k for k in range(3) if others[k]), 0, 0, 0]) + number, '<u8')


def rounded_sum(kind, values):
    """The float of a type nearest to the sum, ties to even; +0 if it is 0."""
    total, (nan, plus, minus) = exact_parts(values)
    dtype, (mantissa, _) = TYPES[kind], FLOATS[kind]
    if nan or (plus and minus):
        return np.array([0x7FC0], '<u2') if kind == 'bf16' else canonical(np.array([np.nan], dtype))
    if plus or minus:
        return of_reals(kind, np.array([np.inf if plus else -np.inf]))
    unit = {'f16': 1074 - 24, 'bf16': 1074 - 133, 'f32': 1074 - 149, 'f64': 0}[kind]   # bits below the smallest subnormal
    cut = max(abs(total).bit_length() - (mantissa + 1), unit)
    kept, rest = divmod(abs(total), 1 << cut)
    kept += (2 * rest > 1 << cut) or (2 * rest == 1 << cut and kept & 1)
    field = (cut - unit << mantissa) + kept       # the leading bit adds 1 to the exponent
    infinity = of_reals(kind, np.array([np.inf])).view(bits_of(dtype))[0]
    sign = 1 << 8 * dtype.itemsize - 1 if total < 0 and field else 0
    return np.array([min(field, int(infinity)) | sign], '<u8').astype(bits_of(dtype)).view(dtype)


def weighted_sums(weight, values, place, outputs, add):
    total = SUMS.get(weight, weight)
    old = wide(total, draw(COUNTS, np.arange(outputs, dtype='<u8')))
    sums = []
    for k in range(outputs):
        here = values[place == k]
        if weight in FLOATS:
            sums.append(rounded_sum(weight, np.concatenate([here, old[k:k + 1] if add else here[:0]])))
        else:
            all_of = sum(int(x) for x in here) + (int(old[k]) if add else 0)
            sums.append(np.array([all_of & M64], '<u8').view(TYPES[total]))
    return np.concatenate(sums)


# ---- Multisplit ----------------------------------------------------------------------------------------

def ranks(kind, values):
    """u64 numbers that ascend in the total order: -0 before +0, all NaNs equal and last."""
    if kind not in FLOATS:
        low = 0 if kind == 'bool' else np.iinfo(values.dtype).min
        return (values.astype('<i8').view('<u8') - np.array(low, '<i8').view('<u8')) if low else values.astype('<u8')
    size = 8 * values.dtype.itemsize
    mantissa, bias = FLOATS[kind]
    words = values.view(bits_of(values.dtype)).astype('<u8')
    sign = np.uint64(1 << (size - 1))
    magnitude = words & (sign - np.uint64(1))
    infinity = np.uint64((2 * bias + 1) << mantissa)
    rank = np.where(words & sign, sign - np.uint64(1) - magnitude, sign + magnitude)
    return np.where(magnitude > infinity, np.uint64((1 << size) - 1), rank)


def split(values, bucket, count, options):
    """Elements, with move=W payloads of W bytes and where all came from, and the offsets; bucket `count` is none."""
    order = np.argsort(bucket, kind='stable')
    offsets = np.concatenate([[0], np.cumsum(np.bincount(bucket[bucket < count], minlength=count))]).astype('<u8')
    moved = []
    for width in (int(o[len('move='):]) for o in options if o.startswith('move=')):
        words = draw(PAYLOADS, np.arange(2 * len(values), dtype='<u8'))
        payload = words.view('u1').reshape(len(values), 16)[:, :width]
        moved = [np.ascontiguousarray(payload[order]).reshape(-1), order.astype('<u8')]
    return digest(values.view(bits_of(values.dtype))[order], *moved, offsets)


# ---- The calls: a name says all ------------------------------------------------------------------------

CALLS = {}


def call(*names):
    """Registers the function of names that begin so. It is given the first field, then the others; its docstring
    says what the digest is of."""
    def keep(function):
        CALLS.update(dict.fromkeys(names, function))
        return function
    return keep


def run(name):
    fields = name.split('/')
    return CALLS[fields[0]](*fields)


def init_by(with_init, kind, op):
    """INIT: none, init."""
    if with_init == 'init':
        return operands(kind, wide(kind, draw(INIT, np.arange(1, dtype='<u8'))))
    return init_of(kind, op)


def raw_of(values):
    return values.view(bits_of(values.dtype))


def count_of(number):
    return np.array([number], '<u8')


@call('inclusive', 'exclusive', 'reduce')
def scan_of(what, op, kind, form, n, with_init):
    """OP/TYPE/INPUT/N/INIT: the scan; the result of the reduction"""
    scan = {'inclusive': inclusive, 'exclusive': exclusive, 'reduce': reduce}[what]
    values = operands(kind, make_input(kind, form, int(n)))
    return digest(rounded(kind, scan(op, values, init_by(with_init, kind, op))))


@call('inclusive-segments', 'exclusive-segments')
def scan_of_segments(what, op, kind, form, n, how):
    """OP/TYPE/INPUT/N/INIT,HEADS: the segmented scan; HEADS may be `rows:COLUMNS`, or `offsets:LIMIT` as in SEGMENTS"""
    is_inclusive, n = what == 'inclusive-segments', int(n)
    with_init, how = how.split(',')
    init = init_by(with_init, kind, op)
    if how.startswith('rows:'):   # whole ones
        columns = int(how[len('rows:'):])
        scan = scan_rows if is_inclusive else scan_rows_exclusive
        return digest(rounded(kind, scan(op, operands(kind, make_input(kind, form, n - n % columns)), columns, init)))
    values = operands(kind, make_input(kind, form, n))
    if how.startswith('offsets:'):
        scan = inclusive if is_inclusive else exclusive
        places = make_offsets(how, n)
        parts = [scan(op, values[a:b], init) for a, b in zip(places, places[1:]) if b > a]
        return digest(rounded(kind, np.concatenate(parts) if parts else values))
    scan = segments if is_inclusive else segments_exclusive
    return digest(rounded(kind, scan(op, values, make_heads(how, n), init)))


def by_shape(kind, form, n, how):
    """The elements of segments, one behind the other, and where each begins."""
    shape, limit = how.split(':')
    n = int(n)
    if shape != 'offsets':   # whole ones
        n -= n % int(limit)
    values = make_input(kind, form, n)
    if shape == 'columns':   # the rows of the transposed matrix
        rows = n // int(limit)
        return values.reshape(rows, int(limit)).T.ravel(), [rows * k for k in range(int(limit) + 1)]
    return values, make_offsets(how, n)


@call('reduce-segments')
def reduction_of_segments(_what, op, kind, form, n, how):
    """OP/TYPE/INPUT/N/INIT,SEGMENTS: the results of the segments; with `,in=SUM` behind it, sums of the elements in
    type SUM"""
    with_init, how, *wider = how.split(',')
    result = wider[0][len('in='):] if wider else kind
    values, places = by_shape(kind, form, n, how)
    return digest(rounded(result, reduce_segments(op, combined(kind, values, result), places,
                                                  init_by(with_init, result, op))))


@call('reduce-by-key')
def reduction_by_key(_what, op, kind, form, n, how):
    """OP/TYPE/INPUT/N/INIT,KEY:LIMIT: the results of the runs; their keys; their number, u64. Run r has 1 + draw(2, r)
    mod LIMIT elements, but no more than are left, and the low bits of r as its key of type KEY; with `,in=SUM` as
    above"""
    with_init, how, *wider = how.split(',')
    result = wider[0][len('in='):] if wider else kind
    key_type, limit = how.split(':')
    places, keys, runs = make_runs(key_type, int(limit), int(n))
    values = combined(kind, make_input(kind, form, int(n)), result)
    return digest(rounded(result, reduce_segments(op, values, places, init_by(with_init, result, op))), keys,
                  count_of(len(runs)))


@call('argmin', 'argmax')
def extreme_of(what, kind, form, n):
    """TYPE/INPUT/N: the index; the value, a NaN as the canonical NaN"""
    values = operands(kind, make_input(kind, form, int(n)))
    at, value = first_extreme(what[3:], values)
    if len(values) == 0 and kind == 'bool':
        value = np.array([what == 'argmin'], '<u1')
    return digest(count_of(at), rounded(kind, value))


def extremes(which, kind, values, places):
    """Indices in the segments; their values."""
    found = [first_extreme(which, values[a:b]) for a, b in zip(places, places[1:])]
    if kind == 'bool':   # of nothing
        found = [(at, value) if b > a else (0, np.array([which == 'min'], '<u1'))
                 for (at, value), a, b in zip(found, places, places[1:])]
    return (np.array([at for at, _ in found], '<u8'),
            rounded(kind, np.concatenate([value for _, value in found]) if found else values[:0]))


@call('argmin-segments', 'argmax-segments')
def extremes_of_segments(what, kind, form, n, how):
    """TYPE/INPUT/N/SEGMENTS: u64 indices in the segments; their values"""
    values, places = by_shape(kind, form, n, how)
    return digest(*extremes(what[3:6], kind, operands(kind, values), places))


@call('argmin-by-key', 'argmax-by-key')
def extremes_by_key(what, kind, form, n, how):
    """TYPE/INPUT/N/KEY:LIMIT: u64 indices in the runs; their values; the runs' keys; their number, u64. Runs are those
    of `reduce-by-key`"""
    key_type, limit = how.split(':')
    places, keys, runs = make_runs(key_type, int(limit), int(n))
    values = operands(kind, make_input(kind, form, int(n)))
    return digest(*extremes(what[3:6], kind, values, places), keys, count_of(len(runs)))


@call('math')
def function_of(_what, function, kind, form, n):
    """FUNCTION/TYPE/INPUT/N: FUNCTION of each element, with the canonical NaN; of pow, y of element i is element N - 1
    - i, rounded to the nearest integer, ties to even, if i is odd"""
    values = math_functions.operands(function, make_input(kind, form, int(n)))
    return digest(canonical(math_functions.FUNCTIONS[kind][function](*values)))


@call('exact', 'exact-dot')
def exact_sum_of(what, kind, form, n, to):
    """TYPE/INPUT/N/TO: the 280 bytes of the `iw_exact_sum`; the sum rounded to TO. Dot: of products of element i and
    element N - 1 - i"""
    values = operands(kind, make_input(kind, form, int(n)))
    if what == 'exact-dot':   # products of two f32 are exact in f64
        values = values.astype('<f8') * values[::-1].astype('<f8')
    return digest(exact_accumulator(values), rounded_sum(to, values))


@call('edges')
def edges_of(_what, kind, bins):
    """TYPE/BINS: the edges as `iw_histogram_edges` gives them"""
    return digest(Bins(kind, bins).stored_edges())


@call('log-edges', 'power-edges')
def transformed_edges_of(_what, kind, how, power=None):
    """TYPE/LO:HI:COUNT, for power-edges with /POWER: the COUNT + 1 edges"""
    lo, hi, count = how.split(':')
    return digest(transformed_edges(kind, lo, hi, int(count), power))


@call('range')
def range_of(_what, kind, form, n):
    """TYPE/INPUT/N: the least and the greatest edge of an automatic range"""
    edges = Bins(kind, 'auto:1', make_input(kind, form, int(n))).stored_edges()
    return digest(edges[:1], edges[1:])


@call('ranged-rows')
def ranged_rows_of(_what, kind, form, n, how):
    """TYPE/INPUT/N/COUNT:COLUMNS: the least, then the greatest values of the automatic ranges of rows; u64 counts, row
    by row"""
    count, columns = (int(x) for x in how.split(':'))
    values = make_input(kind, form, int(n))
    rows = [values[r * columns:(r + 1) * columns] for r in range(len(values) // columns)]
    bins = [Bins(kind, 'auto:%d' % count, row) for row in rows]
    counts = [np.bincount(b.number(row, False), minlength=count) for b, row in zip(bins, rows)]
    ends = [np.concatenate([b.stored_edges()[at:][:1] for b in bins] + [values[:0]]) for at in (0, -1)]
    return digest(*ends, np.concatenate(counts + [np.array([], '<i8')]).astype('<u8'))


@call('growing')
def growing_of(_what, kind, form, n, how):
    """TYPE/INPUT/N/COUNT:ORIGIN:WIDTH: of a growing range (`IW_GROW_RANGE`) the edges and u64 counts, unless it has no
    finite sample; the numbers of -infinity, +infinity and NaN, three u64"""
    return growing(kind, make_input(kind, form, int(n)), how.split(':'))


@call('partition', 'flags', 'select', 'sides')
def partition_of(what, kind, form, n, test):
    """TYPE/INPUT/N/TEST (partition: PIVOT): the n elements (select: count elements; sides: the count selected ones,
    then the others); the count"""
    values = make_input(kind, form, int(n))
    raw = raw_of(values)
    values = reals(kind, values)
    if what == 'partition':
        left = values < literal(kind, test)[0]
    elif ':' in test:
        compare, number = test.split(':')
        left = COMPARES[compare](values, literal(kind, number)[0])
    else:
        left = make_flags(test, int(n)) != 0
    count = count_of(np.count_nonzero(left))
    if what == 'sides':
        return digest(raw[left], raw[~left], count)
    return digest(raw[left] if what == 'select' else np.concatenate([raw[left], raw[~left]]), count)


@call('three')
def three_ways_of(_what, kind, form, n, pivot):
    """TYPE/INPUT/N/PIVOT: the n elements in three ways; 3 offsets"""
    values, pivot = make_input(kind, form, int(n)), literal(kind, pivot)[0]
    numbers = reals(kind, values)
    side = np.where(numbers < pivot, 0, np.where(numbers == pivot, 1, 2))
    offsets = np.array([0, np.count_nonzero(side < 1), np.count_nonzero(side < 2)], '<u8')
    return digest(raw_of(values)[np.argsort(side, kind='stable')], offsets)


@call('payloads', 'chosen')
def moves_along(what, kind, form, n, flags, width=None):
    """payloads: TYPE/INPUT/N/FLAGS/W: the n elements; their n values of W bytes, which are consecutive bytes of the
    little-endian words draw(8, j); u64 indices; the count. chosen: TYPE/INPUT/N/FLAGS: count elements; u32 indices of
    them; the count"""
    n = int(n)
    values = raw_of(make_input(kind, form, n))
    marked = make_flags(flags, n) != 0
    order = np.flatnonzero(marked)
    count = count_of(len(order))
    if what == 'chosen':
        return digest(values[order], order.astype('<u4'), count)
    order = np.concatenate([order, np.flatnonzero(~marked)])
    width = int(width)
    words = draw(WEIGHTS, np.arange((n * width + 7) // 8, dtype='<u8')).astype('<u8')
    moved = words.view(np.uint8)[:n * width].reshape(n, width)
    return digest(values[order], np.ascontiguousarray(moved[order]).reshape(-1), order.astype('<u8'), count)


@call('unique', 'run-lengths')
def runs_of(what, kind, form, n):
    """TYPE/INPUT/N: the first element of each run of equal neighbours; (run-lengths) u64 lengths; the count"""
    n = int(n)
    values = raw_of(make_input(kind, form, n))
    first = np.flatnonzero(np.concatenate([np.ones(min(n, 1), bool), values[1:] != values[:-1]]))
    if what == 'unique':
        return digest(values[first], count_of(len(first)))
    return digest(values[first], np.diff(np.append(first, n)).astype('<u8'), count_of(len(first)))


@call('by-value')
def keys_of(_what, kind, form, n):
    """TYPE/INPUT/N: the elements, of floats with +0 for -0 and the canonical NaN"""
    values = make_input(kind, form, int(n))
    if kind not in FLOATS:
        return digest(values)
    numbers = reals(kind, values)
    canonical_nan = np.uint64({'f16': 0x7E00, 'bf16': 0x7FC0, 'f32': 0x7FC00000, 'f64': 0x7FF8000000000000}[kind])
    bits = np.where(numbers == 0, 0, raw_of(values).astype('<u8')).astype('<u8')
    return digest(np.where(np.isnan(numbers), canonical_nan, bits).astype(bits_of(values.dtype)))


@call('decode')
def decoded(_what, kind, form, n, how):
    """TYPE/INPUT/N/LIMIT:W: element i of the input draw(2, i) mod LIMIT times, for each i; the lengths have W bytes"""
    lengths = draw(FLAGS, np.arange(int(n), dtype='<u8')) % np.uint64(int(how.split(':')[0]))
    return digest(np.repeat(raw_of(make_input(kind, form, int(n))), lengths.astype('<i8')))


@call('sort', 'sort-segments')
def sorted_of(what, kind, form, n, way, how=None):
    """TYPE/INPUT/N/WAY, for sort-segments with /SEGMENTS, `rows` or `offsets`: the n elements; their payloads as of a
    multisplit, if `move=W` is given; the original index of each element, u64. With `argsort` only the indices"""
    n = int(n)
    words = dict((word.split('=') + [''])[:2] for word in way.split(','))
    if what == 'sort-segments' and how.startswith('rows:'):
        n -= n % int(how.split(':')[1])
    values = make_input(kind, form, n)
    places = make_offsets(how, n) if what == 'sort-segments' else [0, n]
    keys = ranks(kind, values)
    if 'bits' in words:
        first, end = (int(number) for number in words['bits'].split(':'))
        keys = keys >> np.uint64(first) & np.uint64((1 << (end - first)) - 1)
    if 'down' in words:
        keys = ~keys
    order = np.concatenate([a + np.argsort(keys[a:b], kind='stable') for a, b in zip(places, places[1:])]
                           or [[]]).astype('<u8')
    if 'argsort' in words:
        return digest(order)
    width = int(words.get('move', 0))
    payload = draw(PAYLOADS, np.arange(2 * n, dtype='<u8')).view('u1').reshape(n, 16)[:, :width]
    return digest(raw_of(values)[order], np.ascontiguousarray(payload[order]).reshape(-1), order)


@call('bounds')
def bounds_of(_what, kind, form, n, way):
    """TYPE/INPUT/N/up or down: the lower bounds, then the upper bounds, u64, of the n elements in the sorted first n/2
    of them"""
    keys = ranks(kind, make_input(kind, form, int(n)))
    if way == 'down':
        keys = ~keys
    ascending = np.sort(keys[:int(n) // 2])
    return digest(*(np.searchsorted(ascending, keys, side=side).astype('<u8') for side in ('left', 'right')))


@call('merge')
def merged(_what, kind, form, n, way):
    """TYPE/INPUT/N/up or down: the sorted first N/3 elements and the sorted others, merged; the index of each in both,
    u64; the index of the first element of the input that comes before its predecessor, or N, u64"""
    n = int(n)
    values = make_input(kind, form, n)
    keys = ~ranks(kind, values) if way == 'down' else ranks(kind, values)
    first = np.argsort(keys[:n // 3], kind='stable')
    second = n // 3 + np.argsort(keys[n // 3:], kind='stable')
    both = np.concatenate([first, second])
    merged = np.argsort(keys[both], kind='stable')
    descents = np.flatnonzero(keys[1:] < keys[:-1])
    until = int(descents[0]) + 1 if len(descents) else n
    return digest(raw_of(values)[both[merged]], merged.astype('<u8'), count_of(until))


@call('top-k')
def top_k_of(_what, kind, form, n, how):
    """TYPE/INPUT/N/largest:K:ROWS or smallest:K:ROWS: the K largest or smallest elements of each of ROWS rows, as many
    whole columns as N elements have; their indices in their rows, u64"""
    values = make_input(kind, form, int(n))
    extreme, k, rows = how.split(':')
    columns = int(n) // int(rows)
    keys = ranks(kind, values)
    keys = (~keys if extreme == 'largest' else keys)[:int(rows) * columns].reshape(int(rows), columns)
    wanted = np.argsort(keys, axis=1, kind='stable')[:, :int(k)]
    places = (wanted + columns * np.arange(int(rows)).reshape(-1, 1)).reshape(-1)
    return digest(raw_of(values)[places], wanted.reshape(-1).astype('<u8'))


@call('nth')
def nth_of(_what, kind, form, n, k):
    """TYPE/INPUT/N/K: the element that an ascending sort moves to K; its index, u64"""
    values = make_input(kind, form, int(n))
    wanted = np.argsort(ranks(kind, values), kind='stable')[int(k):][:1]
    return digest(raw_of(values)[wanted], wanted.astype('<u8'))


class Binned:
    """The samples of a case in its bins. number: the bin of each, -1 below, bins.count above, -2 for NaN; place: the
    counter of each by the policy, `outputs` for none."""

    def __init__(self, kind, form, n, text, options):
        self.options = options.split(',')
        self.words = dict(o.split('=') for o in self.options if '=' in o)
        self.policy = next((o for o in self.options if o in ('drop', 'clamp', 'count')), 'drop')
        self.closed = 'closed' in self.options
        if form == 'near':
            self.bins = Bins(kind, text)
            self.values = make_input(kind, form, int(n), self.bins.stored_edges())
        else:
            self.values = make_input(kind, form, int(n))
            self.bins = Bins(kind, text, self.values)
        self.number = self.bins.number(self.values, self.closed)
        self.bin = clamp(self.number, self.bins, self.policy)
        count = self.bins.count
        self.inside = (self.bin >= 0) & (self.bin < count)
        self.outputs = count + 2 * (self.policy == 'count')
        place = np.where(self.bin == -1, count, np.where(self.bin == count, count + 1, self.outputs))
        self.place = np.minimum(np.where(self.inside, self.bin, place), self.outputs)

    def counted(self, counts):
        """Counters after a call that begins with those of `add`, of 64 or 32 bits."""
        counts = counts.astype('<u8')
        if 'add' in self.options:
            counts += draw(COUNTS, np.arange(len(counts), dtype='<u8')) % np.uint64(1 << 20)
        return counts.astype('<u4') if '32' in self.options else counts

    def summed(self, place, outputs):
        """Sums of the weights of these places."""
        weights = wide(self.words['by'], draw(WEIGHTS, np.arange(len(place), dtype='<u8')))
        return weighted_sums(self.words['by'], weights, place, outputs, 'add' in self.options)


@call('histogram')
def histogram_of(_what, kind, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS: counts; then underflow, overflow and NaN of the report, three u64"""
    b = Binned(kind, *fields)
    bins, exact = b.bins, b.number
    if bins.kind not in ('map', 'letters') and (b.closed or bins.top_included):
        counted = exact[(exact >= 0) & (exact < bins.count)]   # as NumPy's own has it, on the same edges
        assert np.array_equal(np.bincount(counted, minlength=bins.count),
                              np.histogram(reals(kind, b.values), bins.edges)[0]), fields
    below, above, nan = (np.count_nonzero(exact == v) for v in (-1, bins.count, -2))
    counts = np.bincount(b.bin[b.inside], minlength=bins.count)
    if b.policy == 'count':
        counts = np.concatenate([counts, [below, above]])
    return digest(b.counted(counts), np.array([below, above, nan], '<u8'))


@call('weighted')
def weighted_of(_what, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS,by=WEIGHT: the sum of the weights of each bin; the weights are the `wide` values of
    draw(8, i)"""
    b = Binned(*fields)
    return digest(b.summed(b.place, b.outputs))


@call('pairs')
def pairs_of(_what, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS: counts: x is the first half of the input, y the second half, both with these bins"""
    b = Binned(*fields)
    half, outputs = len(b.place) // 2, b.outputs
    x, y = b.place[:half], b.place[half:]
    joint = (x * outputs + y)[(x < outputs) & (y < outputs)]
    return digest(b.counted(np.bincount(joint, minlength=outputs**2)))


@call('rows', 'channels')
def rows_of(what, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS,columns=C (channels: channels=C): counts of the N / C rows, row by row; of the C
    channels, channel by channel"""
    b = Binned(*fields)
    index = np.arange(len(b.place))
    if what == 'rows':
        group, groups = index // int(b.words['columns']), len(index) // int(b.words['columns'])
    else:
        group, groups = index % int(b.words['channels']), int(b.words['channels'])
    joint = (group * b.outputs + b.place)[b.place < b.outputs]
    return digest(b.counted(np.bincount(joint, minlength=groups * b.outputs)))


@call('digitize')
def bin_indices_of(_what, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS: the u32 bin index of each sample"""
    return digest(Binned(*fields).place.astype('<u4'))


@call('table', 'weighted-table')
def table_of(what, *fields):
    """TYPE/INPUT/N/BINS/OPTIONS: counts of a table of three axes, the thirds of the input, all with these bins; its
    sums over the second axis. weighted-table, OPTIONS,by=WEIGHT: the same of sums of weights as of `weighted`"""
    b = Binned(*fields)
    outputs, n = b.outputs, len(b.place)
    third = b.place[:n // 3 * 3].reshape(3, n // 3)
    total = outputs**3
    joint = np.where((third < outputs).all(axis=0), (third[0] * outputs + third[1]) * outputs + third[2], total)
    shape = (outputs, outputs, outputs)
    if what == 'table':
        counts = b.counted(np.bincount(joint[joint < total], minlength=total))
        return digest(counts, counts.reshape(shape).sum(axis=1, dtype=counts.dtype).reshape(-1))
    sums = b.summed(joint, total)
    if b.words['by'] in FLOATS:
        plane = [rounded_sum(b.words['by'], sums.reshape(shape)[x, :, z]) for x in range(outputs) for z in range(outputs)]
        return digest(sums, np.concatenate(plane))
    return digest(sums, sums.view('<u8').reshape(shape).sum(axis=1, dtype='<u8').reshape(-1))


@call('extract')
def bin_of(_what, kind, form, n, bins, how):
    """TYPE/INPUT/N/BINS/K,OPTIONS: the elements of bin K; their count"""
    k, options = how.split(',', 1)
    b = Binned(kind, form, n, bins, options)
    chosen = raw_of(b.values)[b.bin == int(k)]
    return digest(chosen, count_of(len(chosen)))


@call('multisplit')
def multisplit_of(_what, kind, form, n, by, how):
    """TYPE/INPUT/N/BINS/OPTIONS: the n elements; bins + 1 offsets. With `move=W` in OPTIONS: the elements; their
    payloads of W bytes, for element i the first W bytes of draw(9, 2i) and draw(9, 2i + 1); the original index of each
    element, u64; the offsets. In place of BINS `bits:FIRST:COUNT`: by COUNT bits of the element from bit FIRST on"""
    if by.startswith('bits:'):
        values = make_input(kind, form, int(n))
        first, count = (int(number) for number in by.split(':')[1:])
        k = (raw_of(values).astype('<u8') >> np.uint64(first) & np.uint64((1 << count) - 1)).astype('<i8')
        return split(values, k, 1 << count, how.split(','))
    b = Binned(kind, form, n, by, how)
    return split(b.values, np.where(b.inside, b.bin, b.bins.count), b.bins.count, b.options)


# ---- Cases --------------------------------------------------------------------------------------------

SMALL = [0, 1, 31, 32, 33, 1000, 8191, 8192, 8193]
TILED = [TILE - 1, TILE, TILE + 1]
LARGE = [GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 1, 1000003]


def limits(kind):
    info = np.iinfo(TYPES[kind])
    return '%d:%d' % (info.min, info.max)


def scan_cases():
    for op in ('sum', 'min', 'max'):
        for kind in SIX:
            floats = kind in FLOATS
            for n in sorted(SMALL + TILED):
                for form in ('wide', 'tiny', 'nan') if floats else ('wide',):
                    if form != 'wide' and n not in (1, 33, 1000, 8193):
                        continue
                    for what in ('inclusive', 'exclusive', 'reduce'):
                        for init in ('none', 'init'):
                            yield '%s/%s/%s/%s/%d/%s' % (what, op, kind, form, n, init)
            for n in LARGE if floats and op == 'sum' else [262145, 1000003] if op == 'sum' else [262145]:
                yield 'inclusive/%s/%s/wide/%d/none' % (op, kind, n)
                yield 'exclusive/%s/%s/wide/%d/init' % (op, kind, n)
                yield 'reduce/%s/%s/wide/%d/init' % (op, kind, n)
    for kind in WIDE_FLOATS:
        yield 'inclusive/sum/%s/tiny/262145/none' % kind
        yield 'inclusive/sum/%s/unit/1000003/init' % kind


def segment_cases():
    ways = ('some', 'rare', 'none', 'keys:i32', 'keys:u64', 'rows:1', 'rows:7', 'rows:1000')
    for op in ('sum', 'min', 'max'):
        for kind in SIX:
            floats = kind in FLOATS
            for n in (0, 1, 33, 1000, TILE - 1, TILE, TILE + 1, 8193):
                for how in ways if n in (1000, 8193) else ways[:2]:
                    yield 'inclusive-segments/%s/%s/wide/%d/none,%s' % (op, kind, n, how)
                    yield 'exclusive-segments/%s/%s/wide/%d/init,%s' % (op, kind, n, how)
            for how in ways[1:] if floats and op == 'sum' else ways[1:2]:
                yield 'inclusive-segments/%s/%s/wide/%d/init,%s' % (op, kind, 2 * GROUP + 1, how)
                yield 'exclusive-segments/%s/%s/wide/%d/none,%s' % (op, kind, GROUP + 1, how)
            for columns in (16, 100, 129, TILE, 5000, GROUP + TILE + 1) if op == 'sum' else (5000,):
                yield 'inclusive-segments/%s/%s/wide/%d/none,rows:%d' % (op, kind, 2 * (GROUP + TILE + 1), columns)
                yield 'exclusive-segments/%s/%s/wide/%d/init,rows:%d' % (op, kind, 2 * (GROUP + TILE + 1), columns)
            for n, limits in ((0, (9,)), (1000, (9, 200)), (8193, (5, 40, 5000)), (2 * GROUP + 2, (20000, 300000))):
                for limit in limits:
                    yield 'inclusive-segments/%s/%s/wide/%d/%s,offsets:%d' % (op, kind, n, 'init' if n % 2 else 'none', limit)
                    yield 'exclusive-segments/%s/%s/wide/%d/%s,offsets:%d' % (op, kind, n, 'none' if n % 2 else 'init', limit)
            for form in ('tiny', 'nan') if floats else ():
                for how in ('rare', 'rows:7', 'offsets:200'):
                    yield 'inclusive-segments/%s/%s/%s/8193/none,%s' % (op, kind, form, how)
                    yield 'exclusive-segments/%s/%s/%s/8193/init,%s' % (op, kind, form, how)


def make_offsets(how, n):
    """Where segments begin, and n: rows:COLUMNS, of which n is a multiple, or offsets:LIMIT."""
    kind, _, detail = how.partition(':')
    if kind == 'rows':
        return list(range(0, n + 1, int(detail)))
    places = [0]
    while len(places) == 1 or places[-1] < n:
        length = int(draw(FLAGS, np.array([len(places) - 1], '<u8'))[0]) % int(detail)
        places.append(min(n, places[-1] + length))
    return places


def make_runs(key_type, limit, n):
    """Where runs of up to `limit` elements begin, and n; their keys, which are the low bits of their indices; the indices."""
    places = [0]
    while places[-1] < n:
        length = 1 + int(draw(FLAGS, np.array([len(places) - 1], '<u8'))[0]) % limit
        places.append(min(n, places[-1] + length))
    runs = np.arange(len(places) - 1, dtype='<u8')
    return places, runs.astype(bits_of(np.dtype(TYPES[key_type]))), runs


def reduce_segments(op, values, places, init):
    parts = [reduce(op, values[a:b], init) for a, b in zip(places, places[1:])]
    return np.concatenate(parts) if parts else values[:0]


def reduction_cases():
    for op in ('sum', 'min', 'max'):
        for kind in SIX:
            floats = kind in FLOATS
            for n in (0, 1, 129, 1000, 8193):
                for how in ('rows:1', 'rows:7', 'offsets:9', 'offsets:40', 'offsets:200', 'offsets:5000'):
                    if n > 1 or how in ('rows:1', 'offsets:9'):
                        yield 'reduce-segments/%s/%s/wide/%d/%s,%s' % (op, kind, n, 'none' if n % 2 else 'init', how)
            for how in ('rows:%d' % TILE, 'rows:5000', 'rows:%d' % (GROUP + 1), 'offsets:100000', 'offsets:20000'):
                yield 'reduce-segments/%s/%s/wide/%d/%s,%s' % (op, kind, 2 * GROUP + 2, 'none' if 'r' in how else 'init', how)
            for form in ('tiny', 'nan') if floats else ():
                for how in ('offsets:200', 'rows:7'):
                    yield 'reduce-segments/%s/%s/%s/8193/none,%s' % (op, kind, form, how)
                    yield 'reduce-segments/%s/%s/%s/8193/init,%s' % (op, kind, form, how)
    for kind, wider in (('u8', 'u32'), ('u8', 'u64'), ('i32', 'i64'), ('u32', 'u64'), ('f32', 'f64')):
        for how in ('rows:7', 'rows:5000', 'offsets:40', 'offsets:200', 'offsets:5000'):
            yield 'reduce-segments/sum/%s/wide/10007/none,%s,in=%s' % (kind, how, wider)
            yield 'reduce-segments/sum/%s/wide/10007/init,%s,in=%s' % (kind, how, wider)


def column_cases():
    for op in ('sum', 'min', 'max'):
        for kind in SIX:
            for n, columns in ((0, 3), (31, 31), (1000, 7), (8193, 1), (8193, 33), (2 * GROUP + 2, 11), (2 * GROUP + 2, 100)):
                yield 'reduce-segments/%s/%s/wide/%d/%s,columns:%d' % (op, kind, n, 'none' if n % 2 else 'init', columns)
            for form in ('tiny', 'nan') if kind in FLOATS else ():
                yield 'reduce-segments/%s/%s/%s/8193/none,columns:9' % (op, kind, form)
    for kind, wider in (('u8', 'u32'), ('u8', 'u64'), ('i32', 'i64'), ('u32', 'u64'), ('f32', 'f64')):
        for columns in (3, 64):
            yield 'reduce-segments/sum/%s/wide/10007/init,columns:%d,in=%s' % (kind, columns, wider)


def by_key_cases():
    for op in ('sum', 'min', 'max'):
        for kind in SIX:
            for n, how in ((0, 'u32:1'), (1, 'u8:1'), (129, 'u64:3'), (1000, 'u16:40'), (8193, 'u8:1'), (8193, 'f32:9'),
                           (8193, 'i64:9000'), (2 * GROUP + 2, 'u32:20000')):
                yield 'reduce-by-key/%s/%s/wide/%d/%s,%s' % (op, kind, n, 'init' if n % 2 else 'none', how)
            for form in ('tiny', 'nan') if kind in FLOATS else ():
                yield 'reduce-by-key/%s/%s/%s/8193/none,i32:40' % (op, kind, form)
    for kind, wider in (('u8', 'u32'), ('u8', 'u64'), ('i32', 'i64'), ('u32', 'u64'), ('f32', 'f64')):
        for how in ('u16:200', 'f64:5000'):
            yield 'reduce-by-key/sum/%s/wide/10007/init,%s,in=%s' % (kind, how, wider)


def extreme_cases():
    for op in ('argmin', 'argmax'):
        for kind in SIX:
            for form in ('wide', 'runs', 'tiny', 'nan') if kind in FLOATS else ('wide', 'runs', 'small'):
                for n in sorted(SMALL + TILED) if form == 'wide' else (33, 8193):
                    yield '%s/%s/%s/%d' % (op, kind, form, n)
            yield '%s/%s/wide/%d' % (op, kind, 2 * GROUP + 1)
            yield '%s/%s/runs/1000003' % (op, kind)


def segment_extreme_cases():
    for op in ('argmin', 'argmax'):
        for kind in EIGHT + NARROW:
            for form in ('wide', 'runs', 'tiny', 'nan') if kind in FLOATS else ('wide', 'small'):
                for n, how in ((0, 'columns:3'), (1, 'rows:1'), (1000, 'offsets:9'), (8193, 'rows:7'), (8193, 'offsets:200'),
                               (8193, 'columns:9'), (GROUP + 2, 'offsets:20000'), (GROUP + 2, 'columns:11')):
                    if form == 'wide' or n == 8193:
                        yield '%s-segments/%s/%s/%d/%s' % (op, kind, form, n, how)
                for n, how in ((0, 'u32:1'), (1000, 'u8:9'), (8193, 'f32:40'), (GROUP + 2, 'u64:20000')):
                    if form == 'wide' or n == 8193:
                        yield '%s-by-key/%s/%s/%d/%s' % (op, kind, form, n, how)


def bins_of(kind):
    """Bins over ranges of the type that leave samples out, and over all of it."""
    if kind == 'u8':
        return ['even:%d:5:250' % b for b in (1, 7, 10, 245)] + ['span:%d:0:255' % b for b in (1, 10, 256)]
    if kind == 'u16':
        return ['even:%d:100:60000' % b for b in (1, 7, 10, 256, 2048)] + ['span:%d:0:65535' % b for b in (10, 65536)]
    if kind in FLOATS:
        return ['even:%d:0:1' % b for b in (1, 7, 10, 256, 2048, 65536)] + \
            ['even:65:0:0.7', 'even:300:-0.3:1.1', 'even:10:-1000000:1234567.875']
    lo, hi = map(int, limits(kind).split(':'))
    mid = '%d:%d' % (lo // 2 + hi // 8, hi // 3 * 2 + 1)
    return ['even:%d:%s' % (b, mid) for b in (1, 7, 10, 256, 2048, 65536)] + \
        ['span:%d:%s' % (b, limits(kind)) for b in (1, 10, 65537)] + ['even:50:0:150', 'even:9:17:37']


def form_of(kind, bins):
    if kind in FLOATS:
        return 'nan' if '1000000' in bins else 'unit'
    return 'small' if bins in ('even:50:0:150', 'even:9:17:37') else 'wide'


def histogram_cases():
    for kind in EIGHT:
        for bins in bins_of(kind):
            yield 'edges/%s/%s' % (kind, bins)
    for kind in EIGHT:
        form = 'unit' if kind in FLOATS else 'wide'
        for bins in bins_of(kind):
            for n, options in ((1000, 'drop'), (10007, 'count')):
                yield 'histogram/%s/%s/%d/%s/%s' % (kind, form_of(kind, bins), n, bins, options)
            for options in ('drop,closed', 'clamp,32', 'count,closed,add'):
                yield 'histogram/%s/near/3000/%s/%s' % (kind, bins, options)
        bins = bins_of(kind)[2]
        for n in (0, 1, 33, 8193):
            yield 'histogram/%s/%s/%d/%s/count' % (kind, form, n, bins)
            yield 'histogram/%s/%s/%d/auto:1/drop' % (kind, form, n)
        for count in (7, 100):
            yield 'histogram/%s/%s/5000/auto:%d/count' % (kind, form, count)
        for n in (0, 1, 33, 8193, 262145):
            yield 'range/%s/%s/%d' % (kind, form, n)
        for count in (1, 50) if kind == 'u8' else (1, 2, 300, 1000):
            edges = 'edges:%d' % count
            for options in ('drop', 'clamp,closed', 'count,32', 'count,closed,add,32'):
                yield 'histogram/%s/near/4001/%s/%s' % (kind, edges, options)
            yield 'histogram/%s/wide/4001/%s/count' % (kind, edges)
        for options in ('drop', 'clamp', 'count,closed'):
            yield 'histogram/%s/runs/10007/%s/%s' % (kind, bins, options)
    for bins in ('letters:7', 'letters:26', 'map:1', 'map:5', 'map:256', 'map:1000', 'map:65535'):
        for n, options in ((0, 'drop'), (33, 'count'), (10007, 'drop'), (10007, 'count,add'), (10007, 'count,32')):
            yield 'histogram/u8/wide/%d/%s/%s' % (n, bins, options)
    for case in ('u8/wide/1000003/span:256:0:255/drop', 'u8/runs/1000003/even:10:5:250/count',
                 'u16/wide/262145/span:65536:0:65535/drop', 'i32/wide/1000003/span:256:%s/count' % limits('i32'),
                 'f32/unit/1000003/even:10:0:1/count', 'f32/unit/1000003/even:2048:0:1/drop,closed',
                 'f32/near/1000003/even:65:0:0.7/clamp', 'f64/unit/1000003/even:65536:0:1/drop',
                 'u64/wide/262145/edges:1000/count', 'f64/runs/262145/edges:300/count'):
        yield 'histogram/' + case


def move_cases():
    for kind in SIX:
        floats = kind in FLOATS
        forms = ('wide', 'nan') if floats else ('wide', 'small')
        middle = {'i': '-5', 'u': '%d' % (np.iinfo(TYPES[kind]).max // 3) if not floats else '', 'f': '0'}
        pivots = [middle[TYPES[kind].kind], '50'] + (['nan', '-1.5', 'inf', '-inf'] if floats else [])
        for n in SMALL + [1000003]:
            forms_here = forms if n <= 10000 else forms[:1]
            for form in forms_here:
                for pivot in pivots if n in (1000, 8193) else pivots[:1]:
                    yield 'partition/%s/%s/%d/%s' % (kind, form, n, pivot)
                for flags in ('some', 'none', 'all') if n in (33, 8193) else ('some',):
                    yield 'flags/%s/%s/%d/%s' % (kind, form, n, flags)
                    yield 'select/%s/%s/%d/%s' % (kind, form, n, flags)
                    yield 'sides/%s/%s/%d/%s' % (kind, form, n, flags)
                yield 'three/%s/%s/%d/%s' % (kind, form, n, pivots[1])
        for compare in COMPARES: # most that are compared here are near, or equal
            for what in ('flags', 'select', 'sides'):
                yield '%s/%s/%s/8193/%s:%s' % (what, kind, 'tiny' if floats else 'small', compare, '0' if floats else '50')
                yield '%s/%s/%s/1000/%s:%s' % (what, kind, forms[1], compare, pivots[-1])
        for pivot in pivots:
            yield 'three/%s/%s/1000/%s' % (kind, forms[1], pivot) if pivot != pivots[1] else \
                'three/%s/%s/8193/0' % (kind, 'tiny' if floats else 'small')
    for kind in SIX:
        floats = kind in FLOATS
        for bins in bins_of(kind) + ['edges:300']:
            count = int(bins.split(':')[1])
            form = form_of(kind, bins)
            for k in sorted({0, count // 2, count - 1}):
                for options in ('%d,drop' % k, '%d,clamp' % k, '%d,count,closed' % k):
                    yield 'extract/%s/near/1000/%s/%s' % (kind, bins, options)
            yield 'extract/%s/%s/8193/%s/%d,drop' % (kind, form, bins, count // 3)
        for n in (0, 1, 33, 262145):
            yield 'extract/%s/%s/%d/%s/1,clamp' % (kind, form_of(kind, bins_of(kind)[1]), n, bins_of(kind)[1])
    for kind in SIX:
        floats = kind in FLOATS
        for count in (2, 7, 256, 300, 70000):
            bins = 'even:%d:0:1' % count if floats else 'span:%d:%s' % (count, limits(kind))
            narrow = 'even:%d:0.25:1' % count
            if not floats:
                narrow = 'even:%d:100:%d' % (count, np.iinfo(TYPES[kind]).max // 2)
            form = 'unit' if floats else 'wide'
            for n in (0, 1, 33, 1000, 8193):
                yield 'multisplit/%s/%s/%d/%s/drop' % (kind, form, n, bins)
            yield 'multisplit/%s/%s/8193/%s/count' % (kind, form, narrow)
            yield 'multisplit/%s/%s/8193/%s/clamp' % (kind, form, narrow)
            yield 'multisplit/%s/near/5000/%s/drop,closed' % (kind, narrow)
        yield 'multisplit/%s/near/8193/edges:300/drop' % kind
        if floats:
            yield 'multisplit/%s/nan/8193/even:10:-1000000:1234567.875/clamp' % kind
        yield 'multisplit/%s/%s/262145/%s/drop' % (
            kind, form, 'even:256:0:1' if floats else 'span:256:' + limits(kind))
    for case in ('f32/unit/1000003/even:300:0:1/clamp', 'u32/wide/1000003/span:7:%s/drop' % limits('u32'),
                 'i64/wide/262145/span:70000:%s/drop' % limits('i64')):
        yield 'multisplit/' + case
    for turn, kind in enumerate(EIGHT):   # by bits, with payloads
        size = 8 * TYPES[kind].itemsize
        form = 'nan' if kind in FLOATS else 'wide'
        ranges = [(0, 1), (size - 4, 4), (0, 8), (size // 2 - 3, 7), (size - 1, 1), (size // 8, min(size - size // 8, 16))]
        for at, (first, count) in enumerate(ranges):
            for n in (0, 1, 33, 1000, 8193):
                yield 'multisplit/%s/%s/%d/bits:%d:%d/move=%d' % (kind, form, n, first, count, 1 << (turn + at) % 5)
        yield 'multisplit/%s/%s/262145/bits:%d:8/move=%d' % (kind, form, size - 8, 1 << turn % 5)
    for turn, kind in enumerate(SIX):
        for at, (bins, options) in enumerate([('even:7:0.25:1' if kind in FLOATS else 'even:7:100:1000000', 'drop'),
                                              ('even:256:0:1' if kind in FLOATS else 'span:256:' + limits(kind), 'clamp'),
                                              ('edges:300', 'drop,closed')]):
            for n in (33, 8193):
                form = 'near' if bins == 'edges:300' else 'unit' if kind in FLOATS else 'wide'
                yield 'multisplit/%s/%s/%d/%s/%s,move=%d' % (kind, form, n, bins, options, 1 << (turn + at) % 5)


def joint_cases():
    """Weights, pairs, rows and channels, by plans."""
    for kind in EIGHT:
        form = 'unit' if kind in FLOATS else 'wide'
        few, many = bins_of(kind)[1], 'edges:%d' % (50 if kind == 'u8' else 300)
        for n in (0, 1, 33, 1000, 20001):
            for weight in SIX:
                yield 'weighted/%s/%s/%d/%s/drop,by=%s' % (kind, form, n, few, weight)
        for weight in SIX:
            yield 'weighted/%s/near/5000/%s/clamp,closed,by=%s' % (kind, many, weight)
            yield 'weighted/%s/near/5000/%s/count,add,by=%s' % (kind, many, weight)
        for n in (0, 2, 66, 2000, 20002):
            yield 'pairs/%s/%s/%d/%s/drop' % (kind, form, n, few)
        yield 'pairs/%s/near/6000/%s/count,closed,add' % (kind, many)
        yield 'pairs/%s/near/6000/%s/clamp,32' % (kind, many)
        for n, columns in ((0, 1), (1, 1), (33, 1), (33, 33), (20000, 40), (20000, 5000)):
            yield 'rows/%s/%s/%d/%s/count,columns=%d' % (kind, form, n, few, columns)
        yield 'rows/%s/near/6000/%s/clamp,add,columns=1500' % (kind, many)
        yield 'rows/%s/near/6000/%s/drop,closed,32,columns=20' % (kind, many)
        for n, channels in ((0, 4), (4, 4), (99, 3), (20000, 4), (20000, 1)):
            yield 'channels/%s/%s/%d/%s/count,channels=%d' % (kind, form, n, few, channels)
        yield 'channels/%s/near/6000/%s/clamp,add,channels=3' % (kind, many)
        yield 'channels/%s/near/6000/%s/drop,closed,32,channels=2' % (kind, many)


def exact_cases():
    """Exact sums of both types, rounded to both."""
    for kind in WIDE_FLOATS:
        for to in WIDE_FLOATS:
            for form in ('unit', 'wide', 'tiny', 'nan', 'runs'):
                for n in (0, 1, 31, 33, 1000, 8193) if form in ('unit', 'wide') else (33, 1000, 20001):
                    yield 'exact/%s/%s/%d/%s' % (kind, form, n, to)
                    if kind == 'f32':
                        yield 'exact-dot/%s/%s/%d/%s' % (kind, form, n, to)


def narrow_exact_cases():
    """Exact sums of f16 and bf16, and sums rounded to them."""
    for kind in ('f16', 'bf16', 'f32', 'f64'):
        for to in ('f16', 'bf16', 'f32', 'f64') if kind in ('f16', 'bf16') else ('f16', 'bf16'):
            for form in ('unit', 'wide', 'tiny', 'nan', 'runs'):
                for n in (1, 33, 8193) if form in ('unit', 'wide') else (33, 1000):
                    yield 'exact/%s/%s/%d/%s' % (kind, form, n, to)
                    if kind != 'f64':
                        yield 'exact-dot/%s/%s/%d/%s' % (kind, form, n, to)


def along_cases():
    """What moves with elements; runs."""
    for kind in EIGHT:
        for n in SMALL + [100003]:
            for width in (1, 2, 4, 8, 16) if n in (33, 8193) else (1, 2, 4, 8, 16)[n % 5:][:1]:
                yield 'payloads/%s/wide/%d/some/%d' % (kind, n, width)
            yield 'chosen/%s/wide/%d/some' % (kind, n)
            for form in ('wide', 'runs') + (('nan', 'tiny') if kind in FLOATS else ('small',)):
                yield 'unique/%s/%s/%d' % (kind, form, n)
                yield 'run-lengths/%s/%s/%d' % (kind, form, n)


WIDER = [('u16', 'u32'), ('u16', 'u64'), ('i8', 'i32'), ('i8', 'i64'), ('i16', 'i32'), ('i16', 'i64'), ('bool', 'u32'),
         ('bool', 'u64'), ('f16', 'f32'), ('bf16', 'f32')]


def has_operation(op, kind):
    return ('FLOATS' if kind in FLOATS else 'BOOLS' if kind == 'bool' else 'INTEGERS') in OPERATORS[op][0]


def narrow_sum_cases():
    """Scans and reductions of types of 1 and 2 bytes; product and bitwise operators of all types."""
    for turn, op in enumerate(OPERATORS):
        for kind in (['u8', 'u16'] if turn < 3 else EIGHT) + NARROW:
            if not has_operation(op, kind):
                continue
            forms = ('wide', 'unit', 'tiny', 'nan') if kind in FLOATS else ('wide',)
            for n in (0, 1, 33, 129, 1000, TILE + 1, 8193, GROUP + 1):
                for form in forms if n in (33, 8193) else forms[:1] if n < 2 else forms[:2]:
                    yield 'inclusive/%s/%s/%s/%d/%s' % (op, kind, form, n, 'init' if n % 2 else 'none')
                    yield 'exclusive/%s/%s/%s/%d/%s' % (op, kind, form, n, 'none' if n % 2 else 'init')
                    yield 'reduce/%s/%s/%s/%d/%s' % (op, kind, form, n, 'init' if n % 3 else 'none')
            for form in forms if turn < 3 else forms[:1]:
                for n, how in ((1, 'some'), (1000, 'rare'), (8193, 'rows:7'), (8193, 'keys:i16'), (8193, 'offsets:200')) if turn < 3 else ():
                    yield 'inclusive-segments/%s/%s/%s/%d/none,%s' % (op, kind, form, n, how)
                    yield 'exclusive-segments/%s/%s/%s/%d/init,%s' % (op, kind, form, n, how)
                for n, how in ((129, 'rows:1'), (8193, 'rows:7'), (GROUP + 2, 'rows:5000'), (8193, 'offsets:200'), (GROUP + 2, 'offsets:20000')
                               ) if turn > 2 else ():
                    yield 'inclusive-segments/%s/%s/%s/%d/none,%s' % (op, kind, form, n, how)
                    yield 'exclusive-segments/%s/%s/%s/%d/init,%s' % (op, kind, form, n, how)
                for n, how in ((129, 'rows:1'), (8193, 'rows:7'), (GROUP + 2, 'rows:5000'), (8193, 'offsets:40'), (GROUP + 2, 'offsets:20000'),
                               (1000, 'columns:7'), (GROUP + 2, 'columns:40')):
                    yield 'reduce-segments/%s/%s/%s/%d/%s,%s' % (op, kind, form, n, 'none' if n % 2 else 'init', how)
                for n, how in ((129, 'u32:3'), (8193, 'i8:40'), (GROUP + 2, 'u32:20000')):
                    yield 'reduce-by-key/%s/%s/%s/%d/%s,%s' % (op, kind, form, n, 'init' if n % 2 else 'none', how)
    for kind, wider in WIDER:
        form = 'unit' if kind in FLOATS else 'wide'
        for how in ('rows:7', 'rows:5000', 'offsets:40', 'offsets:5000', 'columns:3', 'columns:64'):
            yield 'reduce-segments/sum/%s/%s/10007/init,%s,in=%s' % (kind, form, how, wider)
        yield 'reduce-by-key/sum/%s/%s/10007/init,u16:200,in=%s' % (kind, form, wider)
    for what in ('argmin', 'argmax'):
        for kind in ['u8', 'u16'] + NARROW:
            for form in ('wide', 'unit', 'tiny', 'nan') if kind in FLOATS else ('wide', 'small'):
                for n in (0, 1, 33, 1000, 8193, GROUP + 1):
                    yield '%s/%s/%s/%d' % (what, kind, form, n)


def narrow_move_cases():
    """Moves of i8 i16 bool f16 bf16, and three ways of u8 and u16; keys of all types."""
    for kind in ['u8', 'u16'] + NARROW:
        floats = kind in FLOATS
        pivots = {'u8': ['77', '0'], 'u16': ['40000', '65535'], 'i8': ['-5', '127'], 'i16': ['-5', '-32768'], 'bool': ['0', '1']}
        for pivot in pivots.get(kind, ['0', '50', 'nan', '-1.5', 'inf', '-inf']):
            for form in ('nan', 'tiny', 'unit') if floats else ('wide', 'small'):
                for n in (0, 33, 8193):
                    yield 'three/%s/%s/%d/%s' % (kind, form, n, pivot)
                if kind in NARROW:
                    yield 'partition/%s/%s/1000/%s' % (kind, form, pivot)
                    for compare in COMPARES:
                        yield 'sides/%s/%s/1000/%s:%s' % (kind, form, compare, pivot)
    for turn, kind in enumerate(NARROW):
        size = 8 * TYPES[kind].itemsize
        form = 'nan' if kind in FLOATS else 'wide'
        for n in (0, 1, 33, 8193, 100003):
            for flags in ('some', 'rare') if n == 8193 else ('some',):
                yield 'flags/%s/%s/%d/%s' % (kind, form, n, flags)
                yield 'select/%s/%s/%d/%s' % (kind, form, n, flags)
            yield 'payloads/%s/%s/%d/some/%d' % (kind, form, n, (1, 2, 4, 8, 16)[(n + turn) % 5])
            yield 'chosen/%s/%s/%d/some' % (kind, form, n)
            for runs in ('wide', 'runs') + (('nan', 'tiny') if kind in FLOATS else ('small',)):
                yield 'unique/%s/%s/%d' % (kind, runs, n)
                yield 'run-lengths/%s/%s/%d' % (kind, runs, n)
            for first, count in ((0, 1), (size // 2 - 3, 7), (size - 1, 1)):
                yield 'multisplit/%s/%s/%d/bits:%d:%d/move=%d' % (kind, form, n, first, min(count, size - first), 1 << (turn + first) % 5)
    for kind in ['u8', 'u16', 'f32', 'f64'] + NARROW:
        for n in (33, 8193, 100003):
            yield 'inclusive-segments/sum/f32/unit/%d/none,keys:%s' % (n, kind)
            yield 'exclusive-segments/sum/i64/wide/%d/init,keys:%s' % (n, kind)
            if kind in NARROW:
                yield 'reduce-by-key/sum/f32/unit/%d/none,%s:%d' % (n, kind, 5 if n < 9000 else 3000)


def sort_cases():
    kinds = ['i32', 'u32', 'i64', 'u64', 'f32', 'f64', 'u8', 'u16'] + NARROW
    for turn, kind in enumerate(kinds):
        size = 8 * TYPES[kind].itemsize
        forms = ('wide', 'nan', 'tiny') if kind in FLOATS else ('wide', 'small', 'runs')
        for at, n in enumerate((0, 1, 33, 1000, 8193, 40003)):
            width, way = 1 << (turn + at) % 5, ('up', 'down')[(turn + at) % 2]
            for form in forms if n < 8193 else (forms[(turn + at) % 3],):
                for direction in ('up', 'down') if n < 8193 else (way,):
                    yield 'sort/%s/%s/%d/%s,move=%d' % (kind, form, n, direction, width)
            if n in (33, 8193):
                yield 'sort/%s/%s/%d/%s,argsort' % (kind, forms[at % 3], n, way)
                for shape in ('rows:33', 'rows:1000', 'offsets:7', 'offsets:3000') if n == 33 else ('rows:1000', 'offsets:7'):
                    yield 'sort-segments/%s/%s/%d/%s,move=%d/%s' % (kind, forms[at % 3], n, way, width, shape)
            if kind not in FLOATS and n == 1000:
                for first, end in ((0, size - 3), (size // 2, size), (1, 2)):
                    yield 'sort/%s/%s/%d/%s,bits=%d:%d' % (kind, forms[0], n, way, first, end)
    for turn, kind in enumerate(('u8', 'u32', 'f32', 'u64', 'f64')): # one block, or not; and segments of all classes
        for at, n in enumerate((224, 512, 513, 896, 1792, 3584, 3585)):
            yield 'sort/%s/%s/%d/%s,move=8' % (kind, ('wide', 'runs')[(turn + at) % 2], n, ('up', 'down')[at % 2])
        for shape in ('rows:224', 'rows:1793', 'offsets:25', 'offsets:400'):
            yield 'sort-segments/%s/wide/17930/up,move=4/%s' % (kind, shape)


def bounds_cases():
    for turn, kind in enumerate(['i32', 'u32', 'i64', 'u64', 'f32', 'f64', 'u8', 'u16'] + NARROW):
        forms = ('wide', 'nan', 'tiny') if kind in FLOATS else ('wide', 'small', 'runs')
        for at, n in enumerate((0, 1, 33, 1000, 8193)):
            yield 'bounds/%s/%s/%d/%s' % (kind, forms[(turn + at) % 3], n, ('up', 'down')[(turn + at) % 2])


def shape_cases():
    """Bin indices, tables of three axes, edges by a transform, rows with ranges of their own, growing ranges."""
    ends = {'u8': (1, 255), 'u16': (1, 65535), 'i32': (2, 2**31 - 1), 'u32': (1, 2**32 - 1), 'i64': (3, 2**63 - 1),
            'u64': (1, 2**64 - 1), 'f32': ('0.125', '98304'), 'f64': ('0.0009765625', '1e300'), 'i8': (1, 127), 'i16': (1, 32767),
            'f16': ('0.0625', '60000'), 'bf16': ('0.125', '65536')}
    lattices = {'f32': '64:0:0.125', 'f64': '64:-3:0.1', 'f16': '64:0:0.5', 'bf16': '10:1:0.5'}
    for turn, kind in enumerate(EIGHT + NARROW):
        floats = kind in FLOATS
        form = 'unit' if floats else 'wide'
        bins = bins_of(kind) if kind in EIGHT else narrow_bins(kind)
        few = 'edges:%d' % (4 if kind == 'bool' else 5)
        many = 'edges:%d' % (50 if TYPES[kind].itemsize == 1 else 300)
        for n in (0, 1, 33, 10007):
            yield 'digitize/%s/%s/%d/%s/%s' % (kind, form, n, bins[turn % len(bins)], ('drop', 'clamp', 'count')[(turn + n) % 3])
        for options in ('drop', 'clamp,closed', 'count'):
            yield 'digitize/%s/near/4001/%s/%s' % (kind, many, options)
            yield 'table/%s/near/3000/%s/%s' % (kind, few, options)
        yield 'table/%s/near/9000/%s/count,32,add' % (kind, few)
        for weight in (SIX[turn % 4], WIDE_FLOATS[turn % 2]):
            yield 'weighted-table/%s/near/3001/%s/%s,by=%s' % (kind, few, ('drop', 'count,add')[turn % 2], weight)
            yield 'weighted-table/%s/near/90/%s/clamp,add,by=%s' % (kind, few, weight)
        lo, hi = ends.get(kind, (0, 1))
        for count in () if kind == 'bool' else (1, 4) if TYPES[kind].itemsize == 1 else (1, 4, 9):
            yield 'log-edges/%s/%s:%s:%d' % (kind, lo, hi, count)
            for power in ('0.5', '-1', '0.3') if floats else ('2', '0.3'):
                yield 'power-edges/%s/%s:%s:%d/%s' % (kind, lo, hi, count, power)
        yield 'power-edges/%s/0:%s:%d/0.5' % (kind, hi, 1 if kind == 'bool' else 5)
        if kind in WIDE_FLOATS:
            yield 'log-edges/%s/1:1024:1000' % kind
            yield 'power-edges/%s/0:1:1000/3' % kind
        for n, columns in ((0, 1), (40, 20), (6000, 1500)):
            yield 'ranged-rows/%s/%s/%d/%d:%d' % (kind, form, n, 7 if form == 'unit' and kind in WIDE_FLOATS else 1, columns)
        for n in (0, 1, 1000, 5000):
            origin = 0 if kind == 'bool' else 5 if kind in ('u8', 'u16', 'u32', 'u64') else -7
            width = 1 if kind == 'bool' else 1000003 if TYPES[kind].itemsize == 8 else 3 + turn % 5
            how = lattices.get(kind, '16:%d:%d' % (origin, width))
            yield 'growing/%s/%s/%d/%s' % (kind, form if kind in NARROW or n < 2 else 'wide', n, how)
        if floats:
            yield 'growing/%s/nan/3000/%s' % (kind, lattices[kind])


def top_k_cases():
    for turn, kind in enumerate(['i32', 'u32', 'i64', 'u64', 'f32', 'f64', 'u8', 'u16'] + NARROW):
        forms = ('wide', 'nan', 'tiny') if kind in FLOATS else ('wide', 'small', 'runs')
        for at, (n, k, rows) in enumerate(((1, 1, 1), (1000, 1000, 1), (8193, 100, 1), (40003, 7, 1), (300, 2, 37), (12303, 9, 3))):
            yield 'top-k/%s/%s/%d/%s:%d:%d' % (kind, forms[(turn + at) % 3], n, ('smallest', 'largest')[(turn + at) % 2], k, rows)
        for at, (n, nth) in enumerate(((1, 0), (8193, 555), (40003, 20001))):
            yield 'nth/%s/%s/%d/%d' % (kind, forms[(turn + at) % 3], n, nth)
        for at, n in enumerate((0, 1, 100, 5000)):
            yield 'merge/%s/%s/%d/%s' % (kind, forms[(turn + at) % 3], n, ('up', 'down')[(turn + at) % 2])


def narrow_bins(kind):
    """The same of i8 i16 bool f16 bf16."""
    return {'i8': ['even:7:-100:120', 'even:200:-100:120', 'span:10:-128:127', 'span:256:-128:127'],
            'i16': ['even:7:-20000:30000', 'even:2048:-20000:30000', 'span:65536:-32768:32767'],
            'bool': ['span:2:0:1', 'even:1:0:1'],
            'f16': ['even:10:0:1', 'even:256:0:1', 'even:1000:0:1', 'even:65:-0.5:1.25', 'even:300:-1000:1024'],
            'bf16': ['even:10:0:1', 'even:128:0:1', 'even:200:0:1', 'even:65:-0.5:1.25', 'even:300:-1000:1024']}[kind]


def narrow_histogram_cases():
    """Histograms of i8 i16 bool f16 bf16, and moves by bins of all types of 1 and 2 bytes."""
    for kind in NARROW:
        floats = kind in FLOATS
        form = 'unit' if floats else 'wide'
        for bins in narrow_bins(kind):
            yield 'edges/%s/%s' % (kind, bins)
            yield 'histogram/%s/%s/1000/%s/drop' % (kind, form, bins)
            yield 'histogram/%s/%s/10007/%s/count' % (kind, 'nan' if floats else 'wide', bins)
            for options in ('drop,closed', 'clamp,32', 'count,closed,add'):
                yield 'histogram/%s/near/3000/%s/%s' % (kind, bins, options)
        bins = narrow_bins(kind)[1]
        edges = 'edges:%d' % (300 if TYPES[kind].itemsize == 2 else 50)
        for n in (0, 1, 33, 8193, 262145):
            yield 'histogram/%s/%s/%d/%s/count' % (kind, form, n, bins)
            yield 'histogram/%s/%s/%d/auto:1/drop' % (kind, form, n)
            yield 'range/%s/%s/%d' % (kind, form, n)
            yield 'range/%s/wide/%d' % (kind, n) if floats else 'histogram/%s/runs/%d/%s/clamp' % (kind, n, bins)
        for options in ('drop', 'clamp,closed', 'count,closed,add,32'):
            yield 'histogram/%s/near/4001/%s/%s' % (kind, edges, options)
        for weight in ('u32', 'i64', 'f32', 'f64'):
            yield 'weighted/%s/near/5000/%s/count,by=%s' % (kind, edges, weight)
        yield 'pairs/%s/near/6000/%s/count,closed,add' % (kind, edges)
        yield 'rows/%s/near/6000/%s/clamp,add,columns=1500' % (kind, edges)
        yield 'channels/%s/near/6000/%s/count,channels=3' % (kind, edges)
        yield 'channels/%s/%s/20000/%s/drop,channels=4' % (kind, form, bins)
    for turn, kind in enumerate(['u8', 'u16'] + NARROW):
        form = 'unit' if kind in FLOATS else 'wide'
        edges = 'edges:%d' % (300 if TYPES[kind].itemsize == 2 else 50)
        for bins in (narrow_bins(kind) if kind in NARROW else bins_of(kind)[1:]) + [edges]:
            count = int(bins.split(':')[1])
            for k, policy in sorted({(0, 'drop'), (0, 'clamp'), (count - 1, 'clamp'), (count // 2, 'count,closed')}):
                yield 'extract/%s/near/1000/%s/%d,%s' % (kind, bins, k, policy)
            yield 'extract/%s/%s/8193/%s/%d,drop' % (kind, form, bins, count // 3)
            for at, policy in enumerate(('drop', 'clamp', 'count,closed')):
                yield 'multisplit/%s/near/5000/%s/%s' % (kind, bins, policy)
                yield 'multisplit/%s/%s/8193/%s/%s,move=%d' % (kind, form, bins, policy, 1 << (turn + at) % 5)
    for bins in ('map:5', 'map:256', 'letters:26'):
        yield 'multisplit/u8/wide/8193/%s/drop' % bins
        yield 'multisplit/u8/wide/1000/%s/count,move=4' % bins


def decode_cases():
    """Runs to elements: lengths of 4 and 8 bytes, of which many, few or none are 0."""
    for turn, kind in enumerate(EIGHT + NARROW):
        form = 'nan' if kind in FLOATS else 'wide'
        for at, (n, limit) in enumerate(((0, 1), (1, 50), (33, 3), (1000, 2), (1000, 300), (20011, 5), (3, 90001))):
            yield 'decode/%s/%s/%d/%d:%d' % (kind, form, n, limit, (4, 8)[(turn + at) % 2])


def key_cases():
    for kind in EIGHT + NARROW:
        for form in ('nan', 'tiny') if kind in FLOATS else ('wide',):
            for n in (0, 33, 8193):
                yield 'by-value/%s/%s/%d' % (kind, form, n)


def math_cases():
    for kind in WIDE_FLOATS:
        for function in math_functions.FUNCTIONS[kind]:
            for form, n in (('nan', 10007), ('unit', 5003), ('any', 5003), ('tiny', 1001)):
                yield 'math/%s/%s/%s/%d' % (function, kind, form, n)


def cases():
    yield from scan_cases()
    yield from segment_cases()
    yield from reduction_cases()
    yield from column_cases()
    yield from by_key_cases()
    yield from extreme_cases()
    yield from segment_extreme_cases()
    yield from histogram_cases()
    yield from move_cases()
    yield from joint_cases()
    yield from along_cases()
    yield from exact_cases()
    yield from narrow_move_cases()
    yield from narrow_sum_cases()
    yield from narrow_exact_cases()
    yield from narrow_histogram_cases()
    yield from math_cases()
    yield from sort_cases()
    yield from bounds_cases()
    yield from top_k_cases()
    yield from shape_cases()
    yield from decode_cases()
    yield from key_cases()


def main(args):
    np.seterr(all='ignore')
    text = args[:1] == ['--text']
    parts = args[1:] if text else []
    if args == ['--names']:
        for function in dict.fromkeys(CALLS.values()):
            names = ', '.join(name for name in CALLS if CALLS[name] is function)
            print('%s/%s' % (names, re.sub(r'\s+', ' ', function.__doc__)))
        return
    if args and not text:
        sys.exit('usage: reference.py [--text [PART...] | --names]')
    names = list(cases())
    assert len(names) == len(set(names)), 'a name stands twice'
    if not text:
        print('/* SPDX-License-Identifier: Apache-2.0 */')
        print('/* Made by tests/reference/reference.py: the digests that every backend must give. Do not edit. */')
    for name in names:
        if not parts or any(part in name for part in parts):
            print(('%s %016x' if text else '{"%s", 0x%016xull},') % (name, run(name)))


if __name__ == '__main__':
    main(sys.argv[1:])
