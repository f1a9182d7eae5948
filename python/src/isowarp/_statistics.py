# SPDX-License-Identifier: Apache-2.0
"""Means, variances, quantiles, and whether any or all elements are true. Means and variances are quotients of
exact sums, rounded once: no intermediate result overflows, cancels or depends on an order."""

from fractions import Fraction as _Fraction
from math import isqrt as _isqrt, prod as _product
import operator as _operator
from warnings import warn as _warn

import numpy as np

from . import _core
from ._arrays import Output, array_in, is_on_device
from ._move import _at_places
from ._reduce import _axes, _kept, _scalar, max as _greatest, min as _least, sum as _total

_F64, _INT64, _BOOL = np.dtype("float64"), np.dtype("int64"), np.dtype("bool")
_POINT = 1074  # bits of an exact sum's fraction (iw_exact_sum)
_NAN, _UP, _DOWN = 1, 2, 4  # iw_exact_sum.nonfinite
_CHUNK = 1 << 16  # elements whose temporary arrays stay in a cache


# ---- Exact sums as integers -------------------------------------------------------------------------------


def _new_state():
    """An empty iw_exact_sum."""
    state = np.zeros(35, np.uint64)
    state[0] = 1  # IW_EXACT_SUM_FORMAT
    return state


def _add(state, x, y=None):
    """Adds floats in C order or, of types of at most 32 bits, the products of two arrays."""
    _core.exact_add(state, x.dtype, x.size, x, y)


def _value(state):
    """An exact sum times 2^1074, an integer, and which values that are not finite were added."""
    return int.from_bytes(state[1:].tobytes(), "little", signed=True), int(state[0]) >> 32


def _integer_sum(x):
    """The exact sum of integers."""
    if x.dtype.itemsize < 8:
        return int(_total(x))
    low = x & x.dtype.type(0xFFFFFFFF)
    return (int(_total(x >> x.dtype.type(32))) << 32) + int(_total(low))


def _integer_squares(x):
    """The exact sum of the squares of integers: of pieces of 22 bits, whose products can be added up in 64
    bits."""
    total = 0
    for at in range(0, x.size, _CHUNK):
        part = x[at : at + _CHUNK]
        part = part if part.dtype.itemsize == 8 else part.astype(_INT64)
        if x.dtype.itemsize <= 2:
            total += int(np.dot(part, part))
            continue
        shift, mask = part.dtype.type(22), part.dtype.type((1 << 22) - 1)
        low, rest = (part & mask).astype(_INT64), part >> shift
        middle, high = (rest & mask).astype(_INT64), (rest >> shift).astype(_INT64)
        pieces = (low, middle, high)
        for i, a in enumerate(pieces):
            for j, b in enumerate(pieces[: i + 1]):
                total += int(np.dot(a, b)) << 22 * (i + j) + (i != j)
    return total


def _float_squares(x):
    """The exact sum of the squares of finite floats, a fraction. A float64 is the sum of two of 26 bits (Veltkamp's
    split), whose products are exact; very large and very small ones are scaled before."""
    states = {exponent: _new_state() for exponent in (0, -680, 680)}
    for at in range(0, x.size, _CHUNK):
        part = x[at : at + _CHUNK]
        if x.dtype != _F64:
            _add(states[0], part, part)
            continue
        size = np.abs(part)
        is_large, is_small = size >= 2.0**340, (size < 2.0**-340) & (size > 0)
        if is_large.any() or is_small.any():
            _add_squares(states[-680], np.ldexp(part[is_large], -680))
            _add_squares(states[680], np.ldexp(part[is_small], 680))
            part = part[~(is_large | is_small)]
        _add_squares(states[0], part)
    values = ((_value(state)[0], _POINT + 2 * exponent) for exponent, state in states.items())
    return sum(_Fraction(value << max(0, -bits), 1 << max(0, bits)) for value, bits in values)


def _add_squares(state, x):
    t = x * (2.0**27 + 1)
    high = t - (t - x)
    low = x - high
    for product in (high * high, 2 * high * low, low * low):
        _add(state, product)


def _mean_of(x):
    """The exact mean of a row, a fraction, or a float if it has none."""
    if x.size == 0:
        return float("nan")
    if x.dtype.kind in "iu":
        return _Fraction(_integer_sum(x), x.size)
    state = _new_state()
    _add(state, x)
    total, nonfinite = _value(state)
    if nonfinite:
        return float("inf") if nonfinite == _UP else float("-inf") if nonfinite == _DOWN else float("nan")
    return _Fraction(total, x.size << _POINT)


def _mean_with_warning(x):
    if x.size == 0:
        _warn("Mean of empty slice", RuntimeWarning, stacklevel=4)
    return _mean_of(x)


def _variance_of(x, ddof):
    mean = _mean_of(x)
    if x.size <= ddof:
        _warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
    if isinstance(mean, float) or x.size <= ddof:
        return float("nan")
    squares = _integer_squares(x) if x.dtype.kind in "iu" else _float_squares(x)
    return (squares - x.size * mean * mean) / _Fraction(x.size - ddof)


# ---- Rounding ---------------------------------------------------------------------------------------------


def _root(x):
    """A fraction that rounds like the square root of one: 128 bits or more, and a last bit for the rest."""
    if isinstance(x, float) or x == 0:
        return x
    shift = 2 * (128 - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    scaled = _Fraction(2) ** shift * x
    whole = scaled.numerator // scaled.denominator
    root = _isqrt(whole)
    inexact = root * root != whole or scaled.denominator != 1
    return _Fraction(2 * root + inexact) / _Fraction(2) ** (shift // 2 + 1)


def _nearest(x, dtype):
    """The element of a float type nearest to a fraction."""
    if isinstance(x, float):
        return dtype.type(x)
    try:
        near = x.numerator / x.denominator  # Python rounds quotients of integers once
    except OverflowError:
        return dtype.type(np.inf if x > 0 else -np.inf)
    if dtype == _F64 or near == 0 or _Fraction(near) == x:
        with np.errstate(over="ignore"):
            return dtype.type(near)
    toward_zero = near if abs(_Fraction(near)) < abs(x) else np.nextafter(near, 0.0)
    odd = np.array(toward_zero).view(np.uint64) | np.uint64(1)  # rounds like x in a narrower type
    with np.errstate(over="ignore"):
        return dtype.type(odd.view(_F64)[()])


def _float_type(a, dtype):
    if dtype is None:
        return a.dtype if a.dtype.kind in "fV" else _F64
    dtype = np.dtype(dtype)
    if dtype.kind != "f" and dtype.name != "bfloat16" or dtype.itemsize > 8:
        raise TypeError(f"dtype: a float of at most 64 bits is needed, not {dtype}")
    return dtype


def _host_array(a):
    a = array_in(a, "a")
    if is_on_device(a):
        raise ValueError("a: has to be in host memory; its to_host() is")
    return a


def _of_rows(a, axis, dtype, out, keepdims, where, statistic):
    """A statistic of each row along some axes; it makes a fraction or a float of an array of one dimension."""
    a = _host_array(a)
    dtype = _float_type(a, dtype)
    a = a.view(np.uint8) if a.dtype.kind == "b" else a
    matrix, axes, shape = _rows_along(a, axis)
    made = np.empty(matrix.shape[0], dtype)
    chosen = None if where is True else _rows_along(_flags_of(where, a), axis)[0]
    for i, row in enumerate(matrix):
        made[i] = _nearest(statistic(row if chosen is None else row[chosen[i]]), dtype)
    return _given_out(made, a, shape, axes, out, keepdims)


def _flags_of(where, a):
    where = _host_array(where)
    if where.dtype.kind != "b":
        raise TypeError(f"where: booleans are needed, not {where.dtype}")
    return np.broadcast_to(where, a.shape)


def _rows_along(a, axis):
    """A matrix whose rows lie along the axes, the axes, and the shape without them."""
    axes = list(range(a.ndim)) if axis is None else _axes(axis, a.ndim)
    rest = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(a.shape[i] for i in rest)
    columns = _product(a.shape[i] for i in axes)
    matrix = np.ascontiguousarray(np.transpose(a, rest + sorted(axes))).reshape(_product(shape), columns)
    return matrix, axes, shape


def _given_out(made, a, shape, axes, out, keepdims):
    shape = _kept(shape, axes, a.ndim) if keepdims else shape
    target = Output(out, a, shape, made.dtype)
    target.made[...] = made.reshape(shape)
    return _scalar(target.result(), out)


# ---- Means and variances ----------------------------------------------------------------------------------


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True, exact=True):
    """numpy.mean: the float nearest to the true mean, as if it were computed with unlimited precision.

    a: an array of any shape and real type. axis: None (all elements), an axis, or a tuple of axes. The result
    has the shape of a without these axes (with keepdims, of length 1), and the type `dtype`: by default that of
    a float array, else float64. where: the elements to look at. Of no elements, with NumPy's warning, of NaN, and of
    infinities of both signs the mean is NaN.

    exact=False: the sum in summation order 1 in float64, divided. It is the same on every machine, too, and
    takes less time for many short rows: an exact mean takes a microsecond or more for each row. Errors:
    TypeError for types that are not real numbers, AxisError for an axis that the array does not have.

    >>> iw.mean([1e308, 1e308, 1.5e308])
    np.float64(1.1666666666666667e+308)
    >>> iw.mean(np.array([[1, 2], [3, 5]]), axis=0)
    array([2. , 3.5])
    """
    if exact:
        return _of_rows(a, axis, dtype, out, keepdims, where, _mean_with_warning)
    a = _host_array(a)
    dtype = _float_type(a, dtype)
    axes = list(range(a.ndim)) if axis is None else _axes(axis, a.ndim)
    count = _product(a.shape[i] for i in axes) if where is True else _total(_flags_of(where, a), axis, _INT64)
    wide = a.astype(np.float32) if a.dtype.itemsize == 2 and a.dtype.kind in "fV" else a
    total = _total(wide, axis, _F64, where=where)
    with np.errstate(all="ignore"):
        made = (np.asarray(total) / np.asarray(count, _F64)).astype(dtype)
    return _given_out(made, a, made.shape, axes, out, keepdims)


def _checked_ddof(ddof, correction):
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof, correction: ddof and correction can't be provided simultaneously")
        ddof = correction
    return _Fraction(ddof) if isinstance(ddof, float) else _operator.index(ddof)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None, mean=None):
    """numpy.var: the float nearest to the true variance, the sum of the squared differences from the true mean
    divided by n - ddof. Nothing is rounded before the end, so that it is right where the mean is large.

    Shapes, types and errors are those of mean(). Of at most ddof elements, and of any that is not finite, it
    is NaN.
    correction: another name of ddof (the Array API's). mean: NumPy's argument; the true mean is used, whatever it is.

    >>> iw.var(1_700_000_000_000_000_000 + np.arange(5), ddof=1)
    np.float64(2.5)
    >>> iw.var([[1.0, 3.0], [2.0, 2.0]], axis=1)
    array([1., 0.])
    """
    ddof = _checked_ddof(ddof, correction)
    return _of_rows(a, axis, dtype, out, keepdims, where, lambda x: _variance_of(x, ddof))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None, mean=None):
    """numpy.std: the float nearest to the square root of the true variance; see var().

    >>> iw.std([1, 2, 3, 4], ddof=1)
    np.float64(1.2909944487358056)
    """
    ddof = _checked_ddof(ddof, correction)
    return _of_rows(a, axis, dtype, out, keepdims, where, lambda x: _root(_variance_of(x, ddof)))


# ---- Quantiles --------------------------------------------------------------------------------------------

# alpha and beta of the methods of Hyndman and Fan (1996) that interpolate, at the place
# n * q + alpha + q * (1 - alpha - beta) - 1.
_INTERPOLATING = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "linear": (1, 1),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_METHODS = tuple(_INTERPOLATING) + (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest"
)  # fmt: skip
_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")  # that do not interpolate


def _between(low, high, weight):
    """low + (high - low) * weight in float64, between them for every weight and rising with it. Infinities are at
    the other ends of their intervals; of two, the nearer one, and 0 in the middle."""
    half = np.float64(0.5)
    with np.errstate(all="ignore"):
        made = low + (high - low) * weight
        halved = 2 * (low * half + (high * half - low * half) * weight)  # where the difference overflows
    made = np.where(np.isfinite(made), made, halved)
    made = np.clip(made, low, high)
    is_low, is_high = np.isneginf(low), np.isposinf(high)
    made = np.where(is_low & ~is_high, low, np.where(is_high & ~is_low, high, made))
    both = np.where(weight < 0.5, low, np.where(weight > 0.5, high, 0.0))
    made = np.where(is_low & is_high, both, made)
    return np.where((weight == 0) | (low == high), low, made)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """numpy.quantile: for each probability q what lies at the place h = (n - 1) * q of the n sorted elements,
    from 0 on.

    method: NumPy's, for h between two places. "linear": lower + (higher - lower) * (h - floor(h)) in float64,
    clipped to its two neighbours. So a quantile never leaves them, does not fall as q grows, and may be
    infinite; between -inf and inf it is the nearer one, or 0 in the middle. "lower", "higher", "nearest" (of
    two the even place) and "midpoint"; "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" and "normal_unbiased" have other places.
    h is computed in float64.

    a: any shape and real type. q: numbers from 0 to 1, of any shape. The result has the shape of q, followed by
    that of a without the axes, and the type of float elements, or of q if this is an array of a wider type; of
    integers float64 or, by methods that choose one of the elements, their own type. A NaN among the elements
    makes NaN. The input stays as it is, whatever overwrite_input is. Errors: ValueError if q is not in 0 ... 1,
    for other methods, and for no elements.

    >>> iw.quantile([-1.7e308, 1.7e308], [0.25, 0.5])
    array([-8.5e+307,  0.0e+000])
    >>> iw.quantile(np.array([[4, 1], [3, 2], [9, 9]]), 0.5, axis=0, method="lower")
    array([4, 2])
    """
    if method not in _METHODS:
        raise ValueError(f"method: {method!r} is not one of {', '.join(_METHODS)}")
    a = _host_array(a)
    a = a.view(np.uint8) if a.dtype.kind == "b" else a
    places = np.asarray(q)
    good = (places >= 0) & (places <= 1)
    if not good.all():
        raise ValueError(f"q: Quantiles must be in the range [0, 1], and one is {places[~good][0]}")
    matrix, axes, shape = _rows_along(a, axis)
    if matrix.shape[1] == 0:
        raise ValueError("a: has no elements")
    made = _quantiles(matrix, places.reshape(-1).astype(_F64), method)
    if a.dtype.kind in "fV":
        made = np.where(np.isnan(_greatest(matrix, axis=1)), made.dtype.type(np.nan), made)
        wide = a.dtype.kind == "f" and isinstance(q, (np.ndarray, np.generic)) and method not in _ELEMENTS
        made = made.astype(np.promote_types(a.dtype, q.dtype) if wide and q.dtype.kind == "f" else a.dtype)
    kept = _kept(shape, axes, a.ndim) if keepdims else shape
    target = Output(out, a, places.shape + kept, made.dtype)
    target.made[...] = made.reshape(places.shape + kept)
    return _scalar(target.result(), out)


def _places(n, q, method):
    """The place of each probability among n sorted elements, as NumPy computes it: an integer for those that
    choose one."""
    if method in _INTERPOLATING and method != "linear":
        alpha, beta = _INTERPOLATING[method]
        return np.clip(n * q + (alpha + q * (1 - alpha - beta)) - 1, 0, n - 1)
    if method == "inverted_cdf":
        return np.clip(np.ceil(n * q - 1), 0, n - 1)
    if method == "averaged_inverted_cdf":
        h = n * q - 1
        return np.clip(np.where(h == np.floor(h), h + 0.5, np.ceil(h)), 0, n - 1)
    if method == "closest_observation":
        h = n * q - 1.5
        low = np.floor(h)
        return np.clip(np.where((h == low) & (low % 2 == 1), low, low + 1), 0, n - 1)
    h = (n - 1) * q
    if method == "midpoint":
        return np.where(h == np.floor(h), h, np.floor(h) + 0.5)
    return {"linear": np.asarray, "lower": np.floor, "higher": np.ceil, "nearest": np.rint}[method](h)


def _quantiles(matrix, q, method):
    """For each probability a row of the quantiles of the matrix's rows."""
    h = _places(matrix.shape[1], q, method)
    low = np.floor(h)
    if method in _ELEMENTS:
        return _elements_at(matrix, low)
    lower, higher = (_elements_at(matrix, x).astype(_F64) for x in (low, np.ceil(h)))
    return _between(lower, higher, (h - low).reshape(-1, 1))


def _elements_at(matrix, places):
    unique, which = np.unique(places.astype(_INT64), return_inverse=True)
    return _at_places(matrix, unique.tolist())[0][which.reshape(-1)]


# ---- Truth ------------------------------------------------------------------------------------------------


def _truth(a, axis, out, keepdims, where, reduction, of_none):
    a = _host_array(a)
    flags = a if a.dtype.kind == "b" else a != 0
    made = reduction(flags, axis, None, keepdims, of_none, where)
    if out is None:
        return made
    target = Output(out, a, np.shape(made), _BOOL)
    target.made[...] = made
    return target.result()


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """numpy.any: whether an element is not zero; NaN is not. False if there are none.

    a: any shape and real type; axis: None, an axis or a tuple of axes; where: the elements to look at. The
    result is bool, of the shape of a without the axes. Errors: AxisError for an axis that the array does not
    have.

    >>> iw.any(np.array([[0, 0], [0, 7]]), axis=1)
    array([False,  True])
    """
    return _truth(a, axis, out, keepdims, where, _greatest, False)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """numpy.all: whether all elements are not zero; NaN is not. True if there are none. See any().

    >>> iw.all(np.array([[1, 0], [5, 7]]), axis=1)
    array([False,  True])
    """
    return _truth(a, axis, out, keepdims, where, _least, True)
