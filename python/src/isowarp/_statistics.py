# SPDX-License-Identifier: Apache-2.0
"""Means, variances, quantiles, and whether any or all elements are true. Means and variances are quotients of
exact sums, rounded once: no intermediate result overflows, cancels or depends on an order."""

from math import isfinite as _isfinite, prod as _product
import operator as _operator
from warnings import warn as _warn

import numpy as np

from . import _core
from ._arrays import Output, array_in, code_of, is_on_device, mask_in, rounded
from ._move import at_places
from ._reduce import _MAX, _MIN, _axes, _kept, _mask_of, _reduce, _scalar, sum as _total

_F64, _INT64, _BOOL = np.dtype("float64"), np.dtype("int64"), np.dtype("bool")
_empty = np.empty


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


_MEAN, _VARIANCE, _DEVIATION = range(3)
_TOO_FEW = "Mean of empty slice", "Degrees of freedom <= 0 for slice", "Degrees of freedom <= 0 for slice"


def _of_rows(a, axis, dtype, out, keepdims, where, what, ddof=0.0):
    """A statistic of each row along some axes."""
    a = _host_array(a)
    dtype = _float_type(a, dtype)
    code = code_of(dtype if dtype.isnative else dtype.newbyteorder("="), "dtype")
    if a.dtype.itemsize == 2 and a.dtype.kind in "fV" and what != _MEAN:
        a = a.astype(np.float32)
    if axis is None and out is None and where is True and not keepdims:  # the most frequent use
        made = _empty((), _F64)
        few = _core.statistics(what, ddof, code, a.dtype, 1, a.size, None, a, made)
        if few:
            _warn(_TOO_FEW[what], RuntimeWarning, stacklevel=3)
        return made[()] if dtype is _F64 else made.astype(dtype)[()]
    matrix, axes, shape = _rows_along(a, axis)
    rows, columns = matrix.shape
    offsets = None
    if where is not True:
        chosen = _rows_along(_flags_of(where, a), axis)[0]
        offsets = np.zeros(rows + 1, _INT64)
        np.cumsum(np.count_nonzero(chosen, axis=1), out=offsets[1:])
        matrix = matrix[chosen]
    made = _empty(rows, _F64)
    if _core.statistics(what, ddof, code, matrix.dtype, rows, columns, offsets, matrix, made):
        _warn(_TOO_FEW[what], RuntimeWarning, stacklevel=3)
    return _given_out(made if dtype is _F64 else made.astype(dtype), a, shape, axes, out, keepdims)


def _flags_of(where, a):
    where = _host_array(where)
    if where.dtype.kind != "b":
        raise TypeError(f"where: booleans are needed, not {where.dtype}")
    return _mask_of(where, a)


def _rows_along(a, axis):
    """A matrix whose rows lie along the axes, the axes, and the shape without them."""
    if axis is None:
        return a.reshape(1, a.size), list(range(a.ndim)), ()
    axes = _axes(axis, a.ndim)
    rest = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(a.shape[i] for i in rest)
    columns = _product(a.shape[i] for i in axes)
    matrix = np.ascontiguousarray(a.transpose(rest + sorted(axes))).reshape(_product(shape), columns)
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
    takes less time for many short rows, each of which has a wide exact sum otherwise. Errors:
    TypeError for types that are not real numbers, AxisError for an axis that the array does not have.

    >>> iw.mean([1e308, 1e308, 1.5e308])
    np.float64(1.1666666666666667e+308)
    >>> iw.mean(np.array([[1, 2], [3, 5]]), axis=0)
    array([2. , 3.5])
    """
    if exact:
        return _of_rows(a, axis, dtype, out, keepdims, where, _MEAN)
    a = _host_array(a)
    dtype = _float_type(a, dtype)
    axes = list(range(a.ndim)) if axis is None else _axes(axis, a.ndim)
    count = _product(a.shape[i] for i in axes) if where is True else _total(_flags_of(where, a), axis, _INT64)
    wide = a.astype(np.float32) if a.dtype.itemsize == 2 and a.dtype.kind in "fV" else a
    total = _total(wide, axis, _F64, where=where)
    if where is True and count and out is None and not keepdims and dtype is _F64:  # the most frequent use
        return total / count
    with np.errstate(all="ignore"):
        made = rounded(np.asarray(np.asarray(total) / np.asarray(count, _F64)), dtype)
    return _given_out(made, a, made.shape, axes, out, keepdims)


def _checked_ddof(ddof, correction):
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof, correction: ddof and correction can't be provided simultaneously")
        ddof = correction
    ddof = float(ddof if isinstance(ddof, float) else _operator.index(ddof))
    if not _isfinite(ddof):
        raise ValueError(f"ddof: a finite number is needed, not {ddof}")
    return ddof


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
    return _of_rows(a, axis, dtype, out, keepdims, where, _VARIANCE, ddof)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None, mean=None):
    """numpy.std: the float nearest to the square root of the true variance; see var().

    >>> iw.std([1, 2, 3, 4], ddof=1)
    np.float64(1.2909944487358056)
    """
    ddof = _checked_ddof(ddof, correction)
    return _of_rows(a, axis, dtype, out, keepdims, where, _DEVIATION, ddof)


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
    with np.errstate(all="ignore"):
        made = low + (high - low) * weight
    if not np.isfinite(made).all():
        made = _between_any(low, high, weight, made)
    made = np.minimum(np.maximum(made, low), high)
    return np.where((weight == 0) | (low == high), low, made)


def _between_any(low, high, weight, made):
    """The same where a difference overflows or an end is infinite."""
    half = np.float64(0.5)
    with np.errstate(all="ignore"):
        halved = 2 * (low * half + (high * half - low * half) * weight)
    made = np.where(np.isfinite(made), made, halved)
    is_low, is_high = np.isneginf(low), np.isposinf(high)
    made = np.where(is_low & ~is_high, low, np.where(is_high & ~is_low, high, made))
    both = np.where(weight < 0.5, low, np.where(weight > 0.5, high, 0.0))
    return np.where(is_low & is_high, both, made)


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
    that of a without the axes, and the type of float elements, or of an array or a list q that has a wider one; of
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
    a, given = _host_array(a), None
    if a.dtype.kind == "b":
        a, given = a.view(np.uint8), a.dtype
    places = np.asarray(q)
    if places.dtype.kind not in "iufb":
        raise TypeError(f"q: numbers from 0 to 1 are needed, not {places.dtype}")
    if places.size and not (places.min() >= 0 and places.max() <= 1):  # or NaN
        bad = places[~((places >= 0) & (places <= 1))][0]
        raise ValueError(f"q: Quantiles must be in the range [0, 1], and one is {bad}")
    matrix, axes, shape = _rows_along(a, axis)
    if matrix.shape[1] == 0:
        raise ValueError("a: has no elements")
    made, greatest = _quantiles(matrix, places.reshape(-1).astype(_F64), method)
    if given is not None and method in _ELEMENTS:
        made = made.astype(given)
    elif a.dtype.kind in "fV":
        made[:, greatest != greatest] = np.nan
        wide = a.dtype.kind == "f" and places.dtype.kind == "f" and type(q) is not float and method not in _ELEMENTS
        dtype = np.promote_types(a.dtype, places.dtype) if wide else a.dtype
        made = rounded(made, dtype) if made.dtype == _F64 else made.astype(dtype)
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
    """For each probability a row of the quantiles of the matrix's rows, and the rows' greatest elements."""
    n, number = matrix.shape[1], q.size
    h = _places(n, q, method)
    low = np.floor(h)
    if method in _ELEMENTS:
        found = at_places(matrix, np.append(low, n - 1).astype(_INT64))[0]
        return found[:-1], found[-1]
    found = at_places(matrix, np.concatenate((low, np.ceil(h), [n - 1])).astype(_INT64))[0]
    lower, higher = found[:number].astype(_F64), found[number:-1].astype(_F64)
    return _between(lower, higher, (h - low).reshape(-1, 1)), found[-1]


# ---- Truth ------------------------------------------------------------------------------------------------


_BOOLS = np.bool_(False), np.bool_(True)


def _truth(a, axis, out, keepdims, where, reduction, of_none):
    a = mask_in(a, "a")
    if is_on_device(a):
        raise ValueError("a: has to be in host memory; its to_host() is")
    flags = a if a.dtype.kind == "b" else a != 0
    if axis is None and out is None and where is True and not keepdims:  # the most frequent use
        return _BOOLS[_core.truth(a.size, flags, of_none)]
    initial = None if a.size and where is True else of_none
    made = _reduce(flags, reduction, axis, None, None, keepdims, initial, where)
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
    return _truth(a, axis, out, keepdims, where, _MAX, False)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """numpy.all: whether all elements are not zero; NaN is not. True if there are none. See any().

    >>> iw.all(np.array([[1, 0], [5, 7]]), axis=1)
    array([False,  True])
    """
    return _truth(a, axis, out, keepdims, where, _MIN, True)
