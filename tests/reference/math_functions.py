# SPDX-License-Identifier: Apache-2.0
#
# The functions of <isowarp/math.h> by their definition (doc/math.md), for reference.py: the operations, one
# after the other, on NumPy's arrays, each of which rounds to nearest once. Whole words are Python's
# integers where the library has carries and halves of products. Only the constants are read from the
# library, which computes them with math_coefficients.py.

import os
import re
import numpy as np

COEFFICIENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include', 'isowarp', 'language',
                            'math', 'coefficients.h')
NUMBER = re.compile(r'-?0x1\.[0-9a-f]+p[+-]\d+')


def read_constants():
    """Two dictionaries, name: number and name: the polynomial's coefficients; and the words of 2 / pi."""
    with open(COEFFICIENTS, encoding='ascii') as file:
        text = file.read().replace('\\\n', ' ')
    numbers, polynomials, words = {}, {}, []
    for name, rest in re.findall(r'#define IW_(\w+)(.*)', text):
        found = [float.fromhex(number) for number in NUMBER.findall(rest)]
        if name.startswith('POLYNOMIAL_'):
            polynomials[name[len('POLYNOMIAL_'):]] = found
        elif name == 'TWO_OVER_PI_WORDS':
            words = [int(word, 0) for word in re.findall(r'W\((\w+)\)', rest)]
        elif found:
            numbers[name] = found[0]
    return numbers, polynomials, words


C, POLYNOMIALS, TWO_OVER_PI = read_constants()
SHIFT = 1.5 * 2.0**52                # the last bit of a sum with it is worth 1
SIGN = np.uint64(1 << 63)
ONE, ROOT_HALF = 0x3FF0000000000000, 0x3FE6A09E667F3BCD   # the bits of 1 and sqrt(1/2)


def polynomial(name, x):
    """By Horner's rule, in the type of x."""
    first, *others = [x.dtype.type(c) for c in POLYNOMIALS[name]]
    total = first
    for c in others:
        total = total * x + c
    return total


def bits(x):
    return np.ascontiguousarray(x).view('<u8')


def number(words):
    return np.ascontiguousarray(words).view('<f8')


def clamp(x, limit):
    x = np.where(limit < x, limit, x)
    return np.where(x < -limit, -limit, x)


def with_sign_of(a, x):
    return number(bits(a) ^ (bits(x) & SIGN))


def two_sum(a, b):
    """a + b and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


# ---- Functions of f32 that f64 computes ------------------------------------------------------------------

def power_of_2(total):
    """2^n of total = n + SHIFT."""
    return number(bits(total) + np.uint64(1023) << np.uint64(52))


def expm1_reduced(r):
    return r + r * r * polynomial('EXP_SHORT', r)


def exp_parts(x):
    total = x * C['LOG2_E'] + SHIFT
    n = total - SHIFT
    return power_of_2(total), expm1_reduced(x - n * C['LN2_1'] - n * C['LN2_2'])


def exp_short(x):
    scale, rest = exp_parts(clamp(x, 200.0))
    return scale + scale * rest


def exp2_short(x):
    y = clamp(x, 300.0)
    total = y + SHIFT
    scale, rest = power_of_2(total), expm1_reduced((y - (total - SHIFT)) * C['LN2'])
    return scale + scale * rest


def expm1_clamped(x):
    scale, rest = exp_parts(x)
    return scale * rest + (scale - 1.0)


def expm1_short(x):
    return np.where(x == 0, x, expm1_clamped(clamp(x, 200.0)))


def tanh_short(x):
    t = expm1_clamped(clamp(2.0 * np.abs(x), 40.0))
    return with_sign_of(t / (t + 2.0), x)


def erf_short(x):
    a = clamp(np.abs(x), 4.0)
    return with_sign_of(np.abs(expm1_clamped(0.0 - a * polynomial('ERF', a))), x)


def log_parts(a):
    """k and f of a = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2)."""
    k = (bits(a) + np.uint64(ONE - ROOT_HALF)) >> np.uint64(52)   # k + 1023
    f = number(bits(a) - (k - np.uint64(1023) << np.uint64(52))) - 1.0
    return k.astype('<f8') - 1023.0, f


def log1p_reduced(f):
    s = f / (2.0 + f)
    z = s * s
    return s * (2.0 + z * polynomial('LOG_SHORT', z))


def log_special(a, r):
    r = np.where(a == np.inf, np.inf, r)
    return np.where(a > 0, r, np.where(a == 0, -np.inf, np.nan))


def log_short(x):
    k, f = log_parts(x)
    return log_special(x, k * C['LN2'] + log1p_reduced(f))


def log2_positive(x):
    k, f = log_parts(x)
    return k + log1p_reduced(f) * C['LOG2_E']


def log2_short(x):
    return log_special(x, log2_positive(x))


def log1p_short(x):
    a = 1.0 + x
    k, f = log_parts(a)
    f = np.where(k == 0, x, f)
    return np.where(x == 0, x, log_special(a, k * C['LN2'] + log1p_reduced(f)))


def pow_short(x, y):
    a = np.abs(x)
    l = np.where(a == 0, -np.inf, np.where(a == np.inf, np.inf, log2_positive(a)))
    r = exp2_short(np.where(a == 1, 0.0, y * l))
    integral, half = np.rint(y) == y, y * 0.5
    odd = integral & (np.rint(half) != half)
    r = np.where(odd, with_sign_of(r, x), with_sign_of(r, np.zeros(len(x))))
    r = np.where(~integral & (x < 0) & (a < np.inf), np.nan, r)
    r = np.where(np.isnan(x), x, np.where(np.isnan(y), y, r))
    return np.where((x == 1) | (y == 0), 1.0, r)


# ---- sin and cos -------------------------------------------------------------------------------------------

def large_turns(x):
    """For 2^20 <= |x| < infinity: the two words of |x| 2 / pi, in units of 2^-126, without quadrants; quadrants; signs."""
    fraction = sum(word << 64 * (len(TWO_OVER_PI) - 1 - i) for i, word in enumerate(TWO_OVER_PI))
    high, low, quadrants, negatives = [], [], [], []
    for value in bits(x).tolist():
        magnitude = value & (1 << 63) - 1
        place, m = (magnitude >> 52) - 1013, magnitude & (1 << 52) - 1 | 1 << 52
        window = fraction >> 64 * len(TWO_OVER_PI) - 192 - place & (1 << 192) - 1   # 192 bits from `place` on
        product = window * m >> 64
        first = product >> 64 & (1 << 64) - 1
        quadrant = first + (1 << 61) >> 62 & 3
        first = first - (quadrant << 62) & (1 << 64) - 1
        negative = first >> 63
        flip = (1 << 64) - 1 if negative else 0
        high.append(first ^ flip)
        low.append((product & (1 << 64) - 1) ^ flip)
        quadrants.append(-quadrant & 3 if value >> 63 else quadrant)
        negatives.append((value >> 63) ^ negative)
    return [np.array(words, '<u8') for words in (high, low, quadrants, negatives)]


def reduce_large(x):
    """r, what r lacks, and the quadrant."""
    high, low, quadrant, negative = large_turns(x)
    half = np.uint64(0xFFFFFFFF)
    p1 = (high >> np.uint64(32)).astype('<f8') * 2.0**-30
    p2 = (high & half).astype('<f8') * 2.0**-62
    p3 = (low >> np.uint64(32)).astype('<f8') * 2.0**-94
    p4 = (low & half).astype('<f8') * 2.0**-126
    turns, error1 = two_sum(p1, p2)
    turns, error2 = two_sum(turns, p3)
    less = error1 + error2 + p4
    top = number(bits(turns) & np.uint64(~0x7FFFFFF & (1 << 64) - 1))
    rest = turns - top
    c1, c2, c3 = (C['HALF_PI_PRODUCT_%d' % i] for i in (1, 2, 3))
    product, error1 = two_sum(top * c1, top * c2 + rest * c1)
    small = (error1 + rest * c2) + (turns * c3 + less * (c1 + c2))
    r = product + small
    lack = product - r + small
    signs = negative << np.uint64(63)
    return number(bits(r) ^ signs), number(bits(lack) ^ signs), quadrant


def reduce_turns(x, parts):
    """r, what r lacks, and the quadrant, with pi / 2 in so many parts."""
    total = x * C['TWO_OVER_PI'] + SHIFT
    turns = total - SHIFT
    rest = np.zeros(len(x))
    if parts == 3:
        r = x - turns * C['HALF_PI_1'] - turns * C['HALF_PI_2'] - turns * C['HALF_PI_3']
    else:
        r, error1 = two_sum(x - turns * C['HALF_PI_1'], turns * -C['HALF_PI_2'])
        r, error2 = two_sum(r, turns * -C['HALF_PI_3'])
        small = error1 + error2 - turns * C['HALF_PI_4']
        r, rest = r + small, r - (r + small) + small
    n = bits(total) & np.uint64(3)
    large = np.isfinite(x) & (np.abs(x) >= 2.0**20)
    r[large], rest[large], n[large] = reduce_large(x[large])
    return r, rest, n


def choose(x, sine, cosine, n):
    r = np.where(n & np.uint64(1), cosine, sine)
    return np.where(np.isfinite(x), np.where(n & np.uint64(2), -r, r), np.nan)


def trig_short(x, advance):
    r, _, n = reduce_turns(x, 3)
    z = r * r
    sine = r + r * z * polynomial('SIN_SHORT', z)
    cosine = 1.0 - 0.5 * z + z * z * polynomial('COS_SHORT', z)
    return choose(x, sine, cosine, n + np.uint64(advance))


def trig_long(x, advance):
    r, rest, n = reduce_turns(x, 4)
    z = r * r
    half = 0.5 * z
    sine = r + (r * z * polynomial('SIN', z) + (rest - rest * half))
    most = 1.0 - half
    cosine = most + ((1.0 - most - half) + (z * z * polynomial('COS', z) - r * rest))
    return choose(x, sine, cosine, n + np.uint64(advance))


# ---- exp of f32; exp and log of f64 ---------------------------------------------------------------------

def exp_f32(x):
    shift = np.float32(1.5 * 2**23)
    total = x * np.float32(C['LOG2_E']) + shift
    n = total - shift
    upper, lower = x - n * np.float32(C['LN2_F32_1']), n * np.float32(C['LN2_F32_2'])
    r = upper - lower
    p = np.float32(1) + (upper + (r * r * polynomial('EXP_F32', r) - lower))
    y = (p.view('<u4') + (total.view('<u4') << np.uint32(23))).view('<f4')
    return np.where(np.abs(x) < np.float32(87), y, exp_short(x.astype('<f8')).astype('<f4'))


def exp_reduced(x):
    total = x * C['LOG2_E'] + SHIFT
    n = total - SHIFT
    upper, lower = x - n * C['LN2_1'], n * C['LN2_2']
    r = upper - lower
    most = 1.0 + upper
    return most + ((1.0 - most + upper) + (r * r * polynomial('EXP', r) - lower)), total


def exp_f64(x):
    p, total = exp_reduced(x)
    y = number(bits(p) + (bits(total) << np.uint64(52)))
    p, total = exp_reduced(clamp(x, 800.0))
    biased = bits(total) + np.uint64(2046) & np.uint64(0xFFF)
    half = biased >> np.uint64(1)
    extreme = p * number(half << np.uint64(52)) * number(biased - half << np.uint64(52))
    return np.where(np.abs(x) < 708, y, extreme)


def log_f64(x):
    subnormal = x < 2.0**-1022
    k, f = log_parts(np.where(subnormal, x * 2.0**54, x))
    k = k - np.where(subnormal, 54.0, 0.0)
    s = f / (2.0 + f)
    z = s * s
    half = 0.5 * f * f
    upper = k * C['LN2_1']
    most = upper + f
    lost = upper - most + f
    small = s * (half + z * polynomial('LOG', z)) + k * C['LN2_2']
    return log_special(x, most + (lost + (small - half)))


# ---- All -------------------------------------------------------------------------------------------------

def by_f64(function):
    return lambda *operands: function(*(x.astype('<f8') for x in operands)).astype('<f4')


ROUNDED = {'sqrt': np.sqrt, 'rint': np.rint, 'trunc': np.trunc, 'ceil': np.ceil, 'floor': np.floor}   # correctly
FUNCTIONS = {
    'f32': {
        **ROUNDED,
        'exp': exp_f32, 'exp2': by_f64(exp2_short), 'expm1': by_f64(expm1_short), 'log': by_f64(log_short),
        'log2': by_f64(log2_short), 'log1p': by_f64(log1p_short),
        'sin': by_f64(lambda x: np.where(x == 0, x, trig_short(x, 0))), 'cos': by_f64(lambda x: trig_short(x, 1)),
        'tanh': by_f64(tanh_short), 'erf': by_f64(erf_short), 'pow': by_f64(pow_short),
    },
    'f64': {
        **ROUNDED,
        'exp': exp_f64, 'log': log_f64, 'sin': lambda x: np.where(x == 0, x, trig_long(x, 0)),
        'cos': lambda x: trig_long(x, 1),
    },
}


def operands(name, x):
    """x, and for pow the same from its end, every second number of it an integer."""
    if name != 'pow':
        return [x]
    y = x[::-1].copy()
    y[1::2] = np.rint(y[1::2])
    return [x, y]
