#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints include/isowarp/language/math/coefficients.h: the polynomials of <isowarp/math.h>.

Each polynomial is the minimax approximation of a function on an interval, by Remez's exchange in 60 digits. Its
coefficients are rounded one after the other, the lowest power first, and the others are fitted again. Needs mpmath.
"""
import mpmath as mp

mp.mp.dps = 60


def remez(f, weight, low, high, degree, fixed):
    """Coefficients of degree len(fixed) and more of the polynomial that is nearest to f, those before being fixed."""
    free = range(len(fixed), degree + 1)
    count = len(free)

    def rest(x):
        return f(x) - sum(c * x**i for i, c in enumerate(fixed))

    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / 400) for i in range(401)]
    heaviest = max(weight(x) for x in grid)
    grid = [x for x in grid if weight(x) * mp.mpf('1e8') > heaviest]  # where the weight is 0, nothing is asked of the polynomial
    values = [(rest(x), weight(x)) for x in grid]
    nodes = [grid[(len(grid) - 1) * i // count] for i in range(count + 1)]
    for _ in range(30):
        a = mp.matrix(count + 1, count + 1)
        b = mp.matrix(count + 1, 1)
        for row, x in enumerate(nodes):
            for column, i in enumerate(free):
                a[row, column] = x**i
            a[row, count] = (-1)**row / weight(x)
            b[row] = rest(x)
        solution = mp.lu_solve(a, b)
        c = [solution[i] for i in range(count)]
        errors = [w * (v - sum(k * x**i for k, i in zip(c, free))) for x, (v, w) in zip(grid, values)]
        # The largest error of each run of one sign.
        peaks = []
        for j, e in enumerate(errors):
            if peaks and (errors[peaks[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[peaks[-1]]):
                    peaks[-1] = j
            else:
                peaks.append(j)
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        worst = max(abs(e) for e in errors)
        if len(peaks) < count + 1 or worst < abs(solution[count]) * mp.mpf('1.001'):
            break
        nodes = [grid[j] for j in peaks]
    return c, worst


def rounded(x, bits):
    """x to nearest with that many bits."""
    if x == 0:
        return mp.mpf(0)
    exponent = mp.floor(mp.log(abs(x), 2)) - bits + 1
    return mp.nint(mp.ldexp(x, -int(exponent))) * mp.ldexp(1, int(exponent))


def c_literal(x, suffix=''):
    return float(x).hex() + suffix


def polynomial(name, comment, f, weight, low, high, degree, bits=53):
    low, high = mp.mpf(low), mp.mpf(high)
    fixed = []
    for power in range(degree + 1):
        c, worst = remez(f, weight, low, high, degree, fixed)
        fixed.append(rounded(c[0], bits))
    suffix = 'f' if bits == 24 else ''
    steps = [f'FIRST({c_literal(fixed[-1], suffix)})'] + [f'STEP({c_literal(c, suffix)})' for c in fixed[-2::-1]]
    x = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / 1000) for i in range(1001)]
    error = max(abs(weight(v) * (f(v) - mp.polyval(fixed[::-1], v))) for v in x if v != 0)
    print(f'/* {comment}. Error: 2^{float(mp.log(error, 2)):.1f}. */')
    print(f'#define IW_POLYNOMIAL_{name}(FIRST, STEP) \\')
    lines, line = [], ' '
    for step in steps:
        if len(line) + len(step) > 100:
            lines.append(line)
            line = ' '
        line += ' ' + step
    print(' \\\n'.join(lines + [line]) + '\n')


def parts(name, comment, x, *bits):
    """x as a sum of floats of that many bits each."""
    print(f'/* {comment} */')
    for i, b in enumerate(bits):
        part = rounded(x, b)
        suffix = 'f' if name.endswith('F32') else ''
        print(f'#define IW_{name}{f"_{i + 1}" if bits[1:] else ""} {c_literal(part, suffix)}')
        x -= part
    print()


def series(f, *terms):
    """f(x), or near 0 its series, of which terms are the coefficients."""
    return lambda x: f(x) if abs(x) > mp.mpf('1e-15') else sum(c * x**i for i, c in enumerate(terms))


LN2 = mp.log(2)
HALF = LN2 / 2 * mp.mpf('1.0001')
exp_tail = series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2, mp.mpf(1) / 6)
# log(1 + f) = 2 atanh(s) with s = f / (2 + f): atanh(s) / s in z = s^2, from (sqrt(2) - 1)^2 / (sqrt(2) +
# 1)^2 down.
atanh_tail = series(lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) * 2 / z, mp.mpf(2) / 3, mp.mpf(2) / 5)
Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1))**2 * mp.mpf('1.0001')
QUARTER = (mp.pi / 4 * mp.mpf('1.0001'))**2
sin_tail = series(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, -mp.mpf(1) / 6, mp.mpf(1) / 120)
cos_tail = series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24, -mp.mpf(1) / 720)
erf_log = series(lambda x: -mp.log(mp.erfc(x)) / x, 2 / mp.sqrt(mp.pi), 2 / mp.pi)

print('''/* SPDX-License-Identifier: Apache-2.0
 *
 * Polynomials and constants of <isowarp/math.h>, the highest power first. Errors are relative to the function's result.
 * Made by tests/reference/math_coefficients.py; do not edit.
 */
#ifndef ISOWARP_LANGUAGE_MATH_COEFFICIENTS_H
#define ISOWARP_LANGUAGE_MATH_COEFFICIENTS_H
''')
parts('LN2_F32', 'ln 2. A product of the first part and an integer below 2^8 is exact.', LN2, 15, 24)
parts('LN2', 'ln 2. A product of the first part and an integer below 2^11 is exact.', LN2, 42, 53)
parts('HALF_PI', 'pi / 2. Products of the first three parts and an integer below 2^20 are exact.', mp.pi / 2, 33, 33, 33, 53)
parts('HALF_PI_PRODUCT', 'pi / 2 in parts of which products with 27 bits are exact.', mp.pi / 2, 26, 27, 53)
parts('LN2', 'ln 2', LN2, 53)
parts('LOG2_E', '1 / ln 2', 1 / LN2, 53)
parts('TWO_OVER_PI', '2 / pi', 2 / mp.pi, 53)
for name, degree, bits in ('EXP_F32', 4, 24), ('EXP_SHORT', 5, 53), ('EXP', 10, 53):
    polynomial(name, '(e^r - 1 - r) / r^2 for |r| <= ln(2) / 2', exp_tail, lambda r: r**2 / mp.exp(r), -HALF, HALF, degree, bits)
for name, degree in ('LOG_SHORT', 4), ('LOG', 6):
    polynomial(name, '(log(1 + f) / s - 2) / s^2 in z = s^2 for s = f / (2 + f), 1 + f from sqrt(1/2) to sqrt(2)', atanh_tail,
               lambda z: z / 2, 0, Z, degree)
for name, degree in ('SIN_SHORT', 3), ('SIN', 6):
    polynomial(name, '(sin(r) / r - 1) / r^2 in r^2 for |r| <= pi / 4', sin_tail, lambda z: z, 0, QUARTER, degree)
for name, degree in ('COS_SHORT', 3), ('COS', 6):
    polynomial(name, '(cos(r) - 1 + r^2 / 2) / r^4 in r^2 for |r| <= pi / 4', cos_tail, lambda z: z**2, 0, QUARTER, degree)
polynomial('ERF', '-log(1 - erf(x)) / x for 0 <= x <= 4', erf_log,
           lambda x: x * mp.erfc(x) / mp.erf(x) if x > mp.mpf('1e-15') else mp.sqrt(mp.pi) / 2, 0, 4, 11)

print('/* 2 / pi as a fraction: a word of 0, and its first words of 64 bits. */')
mp.mp.dps = 500
words = ['W(0)'] + [f'W({int(mp.floor(mp.ldexp(2 / mp.pi, 64 * (i + 1)))) & (2**64 - 1):#x})' for i in range(19)]
print('#define IW_TWO_OVER_PI_WORDS(W) \\')
print(', \\\n'.join('  ' + ', '.join(words[i:i + 4]) for i in range(0, len(words), 4)) + '\n')
print('#endif')
