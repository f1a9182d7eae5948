# SPDX-License-Identifier: Apache-2.0
"""Calls on sorted arrays: searches, merges, and whether one is sorted. Values of another type are compared
exactly."""

import numpy as np

from . import _core
from ._arrays import array_in, converted, data_of, empty_like_place, is_on_device, limits_of, one_dimension, values_in

_INT64, _UINT64, _empty = np.dtype("int64"), np.dtype("uint64"), np.empty


def _common(dtype, other):
    """NumPy's common type of two types if it holds all their values, as none of 64-bit integers and floats
    does."""
    try:
        wide = np.promote_types(dtype, other)
    except TypeError:  # some integers and bfloat16
        return None
    return wide if wide.kind in "iub" or not any(t.kind in "iu" and t.itemsize == 8 for t in (dtype, other)) else None


def toward(v, dtype, up):
    """Values as elements of another type: each the least element that is not below it or, if not up, the greatest
    one that is not above it; and where there is none, masks of the values (below all elements, above all) or None.
    NaN is above all integers."""
    if dtype.kind in "iub":
        return _toward_integers(v, dtype, up)
    with np.errstate(over="ignore"):
        made = v.astype(dtype)
        low, high = _sides(made, v)
        wrong, end = (low, np.inf) if up else (high, -np.inf)
        made[wrong] = np.nextafter(made[wrong], dtype.type(end))
    return made, None, None


def _toward_integers(v, dtype, up):
    least, most = limits_of(dtype)
    if v.dtype.kind in "fV":
        v = v if v.dtype.itemsize >= 4 else v.astype(np.float32)
        v = np.ceil(v) if up else np.floor(v)
        below, above = v < least, ~(v < v.dtype.type(most + 1))  # powers of 2, and 0
    else:
        first, last = limits_of(v.dtype)
        below = v < least if first < least else np.zeros(v.shape, bool)
        above = v > most if last > most else np.zeros(v.shape, bool)
    return np.where(below | above, v.dtype.type(0), v).astype(dtype), below, above


def _sides(made, v):
    """Where floats that values were rounded to are below them, and where above."""
    if v.dtype.kind in "fV":
        wide = made.astype(v.dtype)
        return wide < v, wide > v
    first, last = limits_of(v.dtype)  # an integer's float is an integer, and is compared as one
    wide = made.astype(np.float64)
    inside = (wide >= first) & (wide < float(last + 1))
    whole = np.where(inside, wide, 0).astype(v.dtype)
    return np.where(inside, whole < v, wide < 0), np.where(inside, whole > v, wide > 0)


def _of_one_type(a, v, up):
    """A sorted array and values as arrays of one type in which their comparisons are the exact ones, and the masks
    of toward(). The sorted array is converted only if it is the smaller one."""
    if a.dtype == v.dtype:
        return a, v, None, None
    if is_on_device(a):
        raise TypeError(f"v: a device array of {v.dtype} is not converted to {a.dtype}")
    wide = _common(a.dtype, v.dtype)
    if wide is not None and (wide == a.dtype or a.size <= v.size):
        return a.astype(wide), v.astype(wide), None, None
    shape = v.shape
    v, below, above = toward(v.reshape(-1), a.dtype, up)
    return a, v.reshape(shape), below, above


def _number_in(v, dtype, up):
    """A Python integer beyond 64 bits as an array that is compared like it; other values as they are."""
    if type(v) is not int or -(2**63) <= v < 2**64:
        return v
    if dtype.kind not in "fV":
        return np.array(np.inf if v > 0 else -np.inf)
    try:
        near = float(v)
    except OverflowError:
        near = np.inf if v > 0 else -np.inf
    if (near == np.inf or near > v) and not up:
        near = np.nextafter(near, -np.inf)
    elif (near == -np.inf or near < v) and up:
        near = np.nextafter(near, np.inf)
    return np.array(near)


def searchsorted(a, v, side="left", sorter=None, *, descending=False):
    """numpy.searchsorted: for each value the index in the sorted array at which it keeps the order, before its
    equals ("left") or behind them ("right"). Values of another type are compared exactly, integers of 64 bits
    with each other and with floats, too; a large sorted array is not converted.

    descending: the array is sorted as by sort(a, descending=True). On a device -0 comes before 0.

    a: one dimension. The result has the shape of v, of 64-bit integers. Errors: ValueError for other sides and
    sorters.

    >>> iw.searchsorted([10, 20, 20, 30], [20, 25], side="right")
    array([3, 3])
    """
    if sorter is None and (side == "left" or side == "right"):  # the most frequent use
        made = _core.searched(a, v, side == "right", bool(descending), _empty, _INT64)
        if made is not None:
            return made if made.ndim else made[()]
    a = one_dimension(a, "a")
    if side not in ("left", "right"):
        raise ValueError(f"side: {side!r} is neither 'left' nor 'right'")
    upper, descending = side == "right", bool(descending)
    if type(v) is int:
        v = _number_in(v, a.dtype, upper == descending)
    v = array_in(values_in(v, "v") if type(v) in (float, list, tuple) else v, "v")
    if is_on_device(a) != is_on_device(v):
        raise ValueError("v: has to be where the sorted array is")
    if sorter is not None:
        a = _by_sorter(a, sorter)
    a, values, below, above = _of_one_type(a, v, upper == descending)
    made = empty_like_place(v, v.shape, _INT64)
    _core.bounds(upper, a.dtype, a.size, data_of(a), v.size, data_of(values), descending, data_of(made))
    if above is not None:
        found = made.reshape(-1)
        found[above], found[below] = (0, a.size) if descending else (a.size, 0)
    return made if is_on_device(made) else made[()]


def _by_sorter(a, sorter):
    if is_on_device(a):
        raise ValueError("sorter: a device array has to be sorted itself")
    sorter = np.asarray(sorter)
    if sorter.dtype.kind not in "iu":
        raise TypeError(f"sorter: integers are needed, not {sorter.dtype}")
    if sorter.shape != a.shape:
        raise ValueError(f"sorter: {a.size} integers are needed, not an array of shape {sorter.shape}")
    if sorter.size and not 0 <= sorter.min() <= sorter.max() < a.size:
        raise ValueError(f"sorter: has an index that is not in 0 ... {a.size - 1}")
    return a[sorter]


def is_sorted(a, *, descending=False):
    """Whether an array is sorted as sort() sorts: -0 before 0, and NaN last, or first if descending.

    >>> iw.is_sorted([1, 2, 2])
    True
    """
    a = one_dimension(a, "a")
    return _core.sorted_until(a.dtype, a.size, data_of(a), bool(descending)) == a.size


def _type_of_both(a, b, descending):
    """The type to merge two sorted arrays in. Signed and unsigned 64-bit integers have no common one, but their
    least and greatest elements, which are at the ends, tell whether one of the two holds all of them."""
    dtype = np.promote_types(a.dtype, b.dtype)
    if not (dtype.kind == "f" and a.dtype.kind in "iu" and b.dtype.kind in "iu"):
        return dtype
    if is_on_device(a):
        raise TypeError(f"b: a device array of {b.dtype} is not merged with one of {a.dtype}")
    signed, unsigned = (a, b) if a.dtype.kind == "i" else (b, a)
    if unsigned.size == 0 or unsigned[0 if descending else -1] <= limits_of(_INT64)[1]:
        return _INT64
    if signed.size == 0 or signed[-1 if descending else 0] >= 0:
        return _UINT64
    raise TypeError(f"a, b: no type holds the elements of {a.dtype} and of {b.dtype}; convert one with astype()")


def merge(a, b, *, descending=False, return_index=False):
    """Merges two arrays that are sorted as by sort(): the stable sort of the elements of a and then those of b.
    They are converted to a type that holds both, as numpy.concatenate does; signed and unsigned 64-bit integers
    to int64 if it holds all elements, else to uint64 (numpy.concatenate rounds them to float64).

    return_index: the result is (elements, index) then; the index is that in the concatenation of a and b.
    If a or b is not sorted (is_sorted() tells), the elements are unspecified.

    Errors: TypeError for elements that no type holds.

    >>> iw.merge([1, 4], [2, 4])
    array([1, 2, 4, 4])
    """
    if not return_index:  # the most frequent use
        made = _core.merged(a, b, bool(descending), _empty)
        if made is not None:
            return made
    a, b = one_dimension(a, "a"), one_dimension(b, "b")
    if is_on_device(a) != is_on_device(b):
        raise ValueError("b: has to be where a is")
    if a.dtype != b.dtype:
        dtype = _type_of_both(a, b, descending)
        a, b = converted(a, dtype, "a"), converted(b, dtype, "b")
    n, dtype = a.size + b.size, a.dtype
    made = empty_like_place(a, n, dtype)
    index = empty_like_place(a, n, _INT64) if return_index else None
    _core.merge(dtype, a.size, data_of(a), b.size, data_of(b), bool(descending), data_of(made), data_of(index))
    return (made, index) if return_index else made
