# SPDX-License-Identifier: Apache-2.0
"""Groups of equal elements in any order, orders by several keys, and where elements are not zero: by stable sorts,
selections and reductions of segments."""

import operator as _operator

import numpy as np

from . import _core
from ._arrays import array_in, flat, one_dimension
from ._move import argsort
from ._reduce import _axes, _shortened as shortened, reduce_segments

_INT64, _UINT64 = np.dtype("int64"), np.dtype("uint64")
_ndarray, _empty, _contiguous = np.ndarray, np.empty, np.ascontiguousarray


def _host_array(a, name="a"):
    a = array_in(a, name)
    if type(a) is not _ndarray:
        raise ValueError(f"{name}: has to be in host memory; its to_host() is")
    return a


def nonzero(a):
    """numpy.nonzero: the indices of the elements that are not zero, as an array for each axis, in the order of C.
    NaN is not zero, -0 is.

    a: an array of one dimension or more, of any real type; the indices are 64-bit integers.
    Errors: ValueError for an array without dimensions.

    >>> iw.nonzero(np.array([[0, 3], [4, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    found = _core.nonzero(a, _empty, _INT64)
    if found is not None:  # the most frequent use
        return (found,)
    a = _host_array(a)
    if a.ndim == 0:
        raise ValueError("a: Calling nonzero on 0d arrays is not allowed; reshape(1) gives it a dimension")
    found = _core.nonzero(flat(a), _empty, _INT64)
    return (found,) if a.ndim == 1 else np.unravel_index(found, a.shape)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """numpy.argpartition: indices that move the element at place kth of the sorted elements there, smaller ones in
    front of it, and greater ones and NaN behind. (isowarp.partition() is something else: it divides by a test.)

    a: any shape and real type. kth: an integer, which may be negative as an index, or several. axis: an axis,
    or None for all elements. The result has the shape of a (axis=None: one dimension), of 64-bit integers.
    Which order the others have is fixed, too: that of their indices among the smaller ones, the equal ones, and
    the others, if kth is one integer; if it is several, or the element is NaN, all are sorted. Errors:
    ValueError for a place that is none of the axis, AxisError.

    >>> iw.argpartition([30, 10, 20, 40, 20], 2)
    array([1, 2, 4, 0, 3])
    """
    if kind != "introselect" or order is not None:
        raise ValueError("kind, order: only 'introselect', NumPy's only one, and None are valid")
    if type(kth) is int and axis == -1:  # the most frequent use
        index = _core.argpartition(a, kth, _empty, _INT64, -1)
        if index is not None:
            return index
    a = _host_array(a)
    if axis is None or (a.ndim == 0 and axis in (0, -1)):  # as argsort
        a, axis = flat(a), -1
    axis = _axes(_operator.index(axis), a.ndim)[0]
    places = [kth] if type(kth) is int else [_operator.index(k) for k in (kth if np.ndim(kth) else (kth,))]
    for place in places:
        if a.size and not -a.shape[axis] <= place < a.shape[axis]:
            raise ValueError(f"kth: {place} is no index of the {a.shape[axis]} elements along the axis")
    if len(places) != 1 or a.size == 0:
        return argsort(a, axis)
    return _core.argpartition(a, places[0], _empty, _INT64, axis)


def lexsort(keys, axis=-1):
    """numpy.lexsort: the indices that sort by the last key, equal ones by the one before it, and so on; stably,
    each key in the order of sort().

    keys: a sequence of arrays of the same shape, of types of their own, or an array whose first axis has them.
    The result has the shape of one key, of 64-bit integers. Errors: TypeError if there is no key, ValueError
    for keys of different shapes, AxisError.

    >>> iw.lexsort(([9, 4, 0, 4], [1, 5, 1, 4]))
    array([2, 0, 3, 1])
    """
    if axis == -1:  # the most frequent use
        order = _core.lexsort(keys, _empty, _INT64)
        if order is not None:
            return order
    keys = [_host_array(key, f"keys[{i}]") for i, key in enumerate(keys)]
    if not keys:
        raise TypeError("keys: there has to be one at least")
    shape = keys[0].shape
    for i, key in enumerate(keys):
        if key.shape != shape:
            raise ValueError(f"keys[{i}]: has the shape {key.shape}, but the first one has {shape}")
    if not shape:
        return np.int64(0)
    axis = _axes(_operator.index(axis), len(shape))[0]
    rows = keys if axis == len(shape) - 1 else [_contiguous(key.swapaxes(axis, -1)) for key in keys]
    order = _core.lexsort(rows, _empty, _INT64)
    if order is not None:
        return order if rows is keys else _contiguous(order.swapaxes(axis, -1))
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        again = argsort(np.take_along_axis(key, order, axis), axis)
        order = np.take_along_axis(order, again, axis)
    return order


def unique(
    a,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """numpy.unique: the different elements, ascending, and, where wanted, the index of the first one of each in the
    flat array, the number of the group of each element, of the shape of a, and how often each occurs.

    a: any shape and real type. Zeros of both signs are equal and become +0; NaNs are equal, and last, unless
    equal_nan is False. Indices and counts are 64-bit integers. The elements are sorted, whatever `sorted` is.
    (unique_consecutive() looks at neighbours only.) Errors: ValueError for an axis: rows are not compared.

    >>> iw.unique([3, 1, 3, 2], return_counts=True)
    (array([1, 2, 3]), array([1, 1, 2]))
    >>> iw.unique(np.array([2.5, -1.0, 2.5]), return_inverse=True)
    (array([-1. ,  2.5]), array([1, 0, 1]))
    """
    if axis is not None:
        raise ValueError("axis: rows are not compared; only None, for all elements, is valid")
    a = _host_array(a)
    n, dtype = a.size, a.dtype
    values = _empty(n, dtype)
    index, inverse, counts = (
        _empty(n, _INT64) if wanted else None for wanted in (return_index, return_inverse, return_counts)
    )
    found = _core.distinct(dtype, n, a, values, counts, bool(equal_nan), index, inverse)
    values = shortened(values, found)
    if index is None and inverse is None and counts is None:
        return values
    result = [values]
    if return_index:
        result.append(shortened(index, found))
    if return_inverse:
        result.append(inverse.reshape(a.shape))
    if return_counts:
        result.append(shortened(counts, found))
    return tuple(result)


def group_by(keys, values, op="sum", *, dtype=None, initial=None):
    """Reduces the values of each key, wherever its elements are: the pair of the different keys, ascending, and
    their results. (reduce_by_key() takes keys that are sorted or in runs, and does not sort them.)

    keys, values: arrays of one dimension and the same length, of any real types. op: "sum", "min", "max",
    "prod", "and", "or" or "xor". dtype: the type of results, by default that of the values; initial: comes
    first in each group. The values of a group are combined in the order in which they are given, and a result
    has the bits of reduce() of that group alone. Keys are equal as in unique(): zeros of both signs, and all
    NaNs. Errors: ValueError for shapes that differ and for other operators.

    >>> iw.group_by([2, 1, 2, 1], [1.5, 10.0, 2.0, 20.0])
    (array([1, 2]), array([30. ,  3.5]))
    """
    keys, values = one_dimension(_host_array(keys, "keys"), "keys"), one_dimension(
        _host_array(values, "values"), "values"
    )
    if keys.size != values.size:
        raise ValueError(f"keys: has {keys.size} elements, but there are {values.size} values")
    n = keys.size
    unique, moved, offsets = _empty(n, keys.dtype), _empty(n, values.dtype), _empty(n + 1, _UINT64)
    found = _core.grouped(keys.dtype, n, keys, unique, None, values.dtype.itemsize, values, moved, offsets)
    results = reduce_segments(moved, offsets[: found + 1], op, dtype=dtype, initial=initial)
    return shortened(unique, found), results
