# SPDX-License-Identifier: Apache-2.0
"""Partition, selection, runs, multisplit, sorts, which are stable, top-k and medians."""

from math import floor as _floor, prod as _product
from numbers import Real as _Real
import operator as _operator

import numpy as np

from . import _core
from ._arrays import (
    Output,
    array_in,
    converted,
    data_of,
    empty_like_place,
    flat,
    is_on_device,
    limits_of,
    mask_in,
    one_dimension,
    rounded,
)
from ._histogram import _CLOSED_TOP, _DROP, _binning_of, _digits
from ._reduce import _axes, _kept, _scalar, _shortened, max

_COMPARISONS = {"<": 0, "<=": 1, "==": 2, "!=": 3, ">": 4, ">=": 5}
_OPERATORS = {"<": np.less, "<=": np.less_equal, ">=": np.greater_equal}
_INT64, _ndarray, _empty, _contiguous = np.dtype("int64"), np.ndarray, np.empty, np.ascontiguousarray
_COMPARE, _FLAGS, _BIN = range(3)
_PLAIN_FLOATS = {np.dtype("float32"), np.dtype("float64")}  # whose constants _core takes as Python floats
_BINS, _PIVOT, _BITS = range(3)


def _constant(value, dtype, name):
    """A number as one element; integers exactly, so that a comparison means what is written."""
    made = np.empty((), dtype)
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        if dtype.kind in "iub":
            number = int(value)
            least, most = limits_of(dtype)
            good = number == value and least <= number <= most
            made[()] = number if good else 0
        else:
            with np.errstate(over="ignore"):
                made = rounded(np.array(float(value)), dtype)
            good = not np.isinf(made) or np.isinf(float(value))
    except (OverflowError, TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(f"{name}: {value!r} is no number of the elements' type, {dtype}")
    return made


def _number(value):
    """Python's number for one of NumPy's, also as an array without dimensions."""
    return value.item() if isinstance(value, (np.generic, _ndarray)) and value.ndim == 0 else value


def _comparison(test, value, dtype):
    """The test, and its value as one element. A number that the type does not have is compared as a number, but a
    float between two numbers of a float type is rounded to one of them, as NumPy rounds Python's."""
    value = _number(value)
    try:
        return test, _constant(value, dtype, "value")
    except ValueError:
        if not isinstance(value, _Real):
            raise
    is_above = value > 0
    if dtype.kind not in "iub":  # between the largest number and infinity
        if test in ("==", "!="):
            return test, _constant(float("nan"), dtype, "value")
        return ("<" if is_above else "<=") if test[0] == "<" else (">=" if is_above else ">"), _constant(
            float("inf") if is_above else -float("inf"), dtype, "value"
        )
    least, most = limits_of(dtype)
    if least < value < most and test not in ("==", "!="):  # a fraction
        return "<=" if test[0] == "<" else ">", _constant(_floor(value), dtype, "value")
    is_true = test == "!=" or (value == value and test[0] == ("<" if is_above else ">"))
    return ">=" if is_true else "<", _constant(least, dtype, "value")


def _flags(mask, a, name):
    mask = mask_in(mask, name)
    if mask.ndim != 1 or mask.size != a.size:
        raise ValueError(f"{name}: has the shape {mask.shape}, but there are {a.size} elements")
    if mask.dtype.itemsize != 1:
        if is_on_device(mask):
            raise TypeError(f"{name}: flags of one byte are needed, not {mask.dtype}")
        mask = mask != 0
    if is_on_device(mask) != is_on_device(a):
        raise ValueError(f"{name}: has to be where the elements are")
    return mask


def _tested(a, test, value, namesake):
    """The array, and a comparison with its constant or a mask. Errors say what NumPy's function of the name is."""
    try:
        a = one_dimension(a, "a")
        return a, _test(a, test, value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error} ({namesake})") from None


def _test(a, test, value):
    if type(test) is str:
        if test not in _COMPARISONS:
            raise ValueError(f"test: {test!r} is not one of {', '.join(_COMPARISONS)}, or a mask")
        if value is None:
            raise ValueError(f"value: is needed for the test {test!r}")
        if type(value) is not float or a.dtype not in _PLAIN_FLOATS or not -1e38 < value < 1e38:
            test, value = _comparison(test, value, a.dtype)
        return (_COMPARE, _COMPARISONS[test], value)
    if test is None:
        raise TypeError(f"test: one of {', '.join(_COMPARISONS)} or a mask is needed")
    if value is not None:
        raise ValueError("value: only a comparison has one")
    return (_FLAGS, data_of(_flags(test, a, "test")), None)


def _payloads_in(payloads, a):
    made = [one_dimension(p, f"payloads[{i}]") for i, p in enumerate(payloads)]
    for i, p in enumerate(made):
        if p.size != a.size:
            raise ValueError(f"payloads[{i}]: has {p.size} elements, but there are {a.size}")
    return made


def partition(a, test=None, value=None, *, payloads=None):
    """Divides an array into the elements that pass a test and the others (numpy.partition is something else: it
    moves the k-th element to its place; see nth_element() and argpartition()). Both are in their order.

    test: "<", "<=", "==", "!=", ">" or ">=" with the value on the right, or a mask.
    payloads: arrays of the same length that are divided alike. Returns the pair (passed, others) and, with
    payloads, a list of such pairs behind it.

    a: one dimension. A number that the type cannot hold is compared as a number, but floats are rounded to a
    type of floats, as NumPy rounds Python's. Errors: ValueError for other tests, shapes, and values.

    >>> iw.partition(np.array([5, 1, 7, 2]), "<", 4)
    (array([1, 2]), array([5, 7]))
    """
    a, test = _tested(a, test, value, "numpy.partition is another function: see nth_element() and argpartition()")
    if type(a) is _ndarray and payloads is None and a.size <= 1024:  # one array takes less time than two
        n, dtype = a.size, a.dtype
        both = _empty(2 * n, dtype)
        count = _core.partition(dtype, n, a, test, both, None, None)
        return both[:count], both[n : 2 * n - count]
    code = a.dtype
    if payloads is None:
        front, rest = (empty_like_place(a, a.size, a.dtype) for _ in range(2))
        count = _core.partition(code, a.size, data_of(a), test, data_of(front), data_of(rest), None)
        return _shortened(front, count), _shortened(rest, a.size - count)
    moved = [a] + _payloads_in(payloads, a)
    made = [[empty_like_place(p, p.size, p.dtype) for _ in range(2)] for p in moved]
    count = _core.partition(
        code,
        a.size,
        data_of(a),
        test,
        None,
        None,
        tuple((data_of(p), data_of(f), data_of(r), p.dtype.itemsize) for p, (f, r) in zip(moved, made)),
    )
    pairs = [(_shortened(f, count), _shortened(r, a.size - count)) for f, r in made]
    return pairs[0] + (pairs[1:],)


def select(a, test=None, value=None, *, payloads=None):
    """The elements that pass a test (numpy.select is something else: it chooses among arrays). They are in their
    order; with payloads the result is the pair of them and a list. See partition().

    >>> iw.select(np.array([5, 1, 7, 2]), [True, False, False, True])
    array([5, 2])
    """
    a, test = _tested(a, test, value, "numpy.select is another function: it chooses among arrays")
    if payloads is None and type(a) is np.ndarray:
        made = np.empty(a.size, a.dtype)
        return _shortened(made, _core.select(a.dtype, a.size, a, test, made, None))
    moved = [a] + ([] if payloads is None else _payloads_in(payloads, a))
    made = [empty_like_place(p, p.size, p.dtype) for p in moved]
    count = _core.select(
        a.dtype,
        a.size,
        data_of(a),
        test,
        data_of(made[0]) if payloads is None else None,
        (
            None
            if payloads is None
            else tuple((data_of(p), data_of(f), None, p.dtype.itemsize) for p, f in zip(moved, made))
        ),
    )
    made = [_shortened(m, count) for m in made]
    return made[0] if payloads is None else (made[0], made[1:])


def where(a, test=None, value=None):
    """The indices of the elements that pass a test (numpy.where is something else: it chooses between two arrays;
    nonzero() is numpy.where of one argument). They ascend, and are 64-bit integers. See partition().

    >>> iw.where(np.array([5, 1, 7, 2]), ">=", 5)
    array([0, 2])
    """
    a, test = _tested(a, test, value, "numpy.where is another function: it chooses between two arrays; see nonzero()")
    made = empty_like_place(a, a.size, _INT64)
    count = _core.select(
        a.dtype, a.size, data_of(a), test, None, ((None, data_of(made), None, 8),)
    )
    return _shortened(made, count)


def compress(condition, a, axis=None, out=None):
    """numpy.compress: the elements (or, with an axis, the slices) whose condition is true.

    The result has the type of a. Errors: IndexError for a true element beyond the array.

    >>> iw.compress([True, False, True], np.array([5, 6, 7]))
    array([5, 7])
    """
    if axis is None and out is None:  # the most frequent use
        made = _core.compressed(condition, a, _empty)
        if made is not None:
            return made
    a = array_in(a, "a")
    if a.ndim != 1 and axis is not None:
        if is_on_device(a):
            raise ValueError("axis: a device array of one dimension is needed")
        condition = mask_in(condition, "condition")
        if condition.ndim != 1:
            raise ValueError("condition: an array of one dimension is needed")
        indices = _core.nonzero(condition, _empty, _INT64)
        if indices is None:
            indices = where(np.ascontiguousarray(condition != 0), "!=", False)
        return a.take(indices, axis, out)
    if axis is not None and axis not in (0, -1):
        raise ValueError(f"axis: {axis} is not an axis of an array of one dimension")
    a = flat(a)
    condition = mask_in(condition, "condition")
    if condition.ndim != 1:
        raise ValueError("condition: an array of one dimension is needed")
    if condition.dtype.kind == "b" and condition.size == a.size and out is None and type(a) is type(condition) is _ndarray:
        made = _empty(a.size, a.dtype)  # the most frequent use
        return _shortened(made, _core.select(a.dtype, a.size, a, (_FLAGS, condition, None), made, None))
    if condition.size < a.size:  # as NumPy: what has no condition is left out
        a = a[: condition.size]
    elif condition.size > a.size:
        if is_on_device(condition) or (condition[a.size :] != 0).any():
            raise IndexError(f"condition: an element beyond the {a.size} of the array is true")
        condition = condition[: a.size]
    made = select(a, condition)
    if out is None:
        return made
    target = Output(out, a, (made.size,), a.dtype)
    if is_on_device(made):
        _core.copy(target.made.memory, made.memory, made.size * made.dtype.itemsize)
    else:
        target.made[...] = made
    return target.result()


def unique_consecutive(a, return_index=False, return_counts=False):
    """The first element of each run of equal neighbours and, if wanted, the runs' first indices and lengths.

    Elements are equal if their bits are: -0 differs from +0, and a NaN equals one of the same bits.

    a: one dimension. Indices and lengths are 64-bit integers. (unique() finds equal elements anywhere.)

    >>> iw.unique_consecutive(np.array([1, 1, 2, 1]), return_counts=True)
    (array([1, 2, 1]), array([2, 1, 1]))
    """
    a = one_dimension(a, "a")
    made = empty_like_place(a, a.size, a.dtype)
    code, result = a.dtype, []
    index = empty_like_place(a, a.size, _INT64) if return_index else None
    count = _core.unique(
        code, a.size, data_of(a), data_of(made), ((None, data_of(index), None, 8),) if return_index else None
    )
    result.append(_shortened(made, count))
    if return_index:
        result.append(_shortened(index, count))
    if return_counts:
        result.append(run_lengths(a)[1])
    return result[0] if len(result) == 1 else tuple(result)


def run_lengths(a):
    """The pair (values, lengths) of the runs of equal neighbours; see unique_consecutive.

    >>> iw.run_lengths(np.array([1, 1, 2, 1]))
    (array([1, 2, 1]), array([2, 1, 1]))
    """
    a = one_dimension(a, "a")
    values, lengths = empty_like_place(a, a.size, a.dtype), empty_like_place(a, a.size, _INT64)
    count = _core.run_lengths(a.dtype, a.size, data_of(a), data_of(values), data_of(lengths))
    return _shortened(values, count), _shortened(lengths, count)


def multisplit(a, bins=None, *, range=None, pivot=None, bits=None, payloads=None, order=False):
    """Sorts elements by bucket, stably. Exactly one of these says what the buckets are:

    bins: a number of even bins (over range, or that of the data) or their edges, as of histogram; elements
    in no bin come last.
    pivot: three buckets: less, equal, and greater or NaN. A number that the type cannot hold has no equals.
    bits: (lowest bit, number of bits) of the element's bits. Returns (elements, offsets); bucket k is
    elements[offsets[k]:offsets[k + 1]]. order=True: and the original index of each element. payloads: and a
    list of arrays that are sorted alike.

    a: one dimension. Offsets and indices are 64-bit integers. Errors: ValueError for other buckets.

    >>> iw.multisplit(np.array([5, 1, 7, 5]), pivot=5)
    (array([1, 5, 5, 7]), array([0, 1, 3, 4]))
    """
    a = one_dimension(a, "a")
    if (bins is None) + (pivot is None) + (bits is None) != 2:
        raise ValueError("bins, pivot, bits: exactly one of them is needed")
    starts, keys = None, a
    if bins is not None:
        if a.dtype.kind == "b" and not is_on_device(a):
            split = multisplit(a.view(np.uint8), bins, range=range, payloads=payloads, order=order)
            return (split[0].view(a.dtype),) + split[1:]
        spec, starts, keys = _splits(a, bins, range)
        buckets, count = (_BINS, spec, None), spec[0]
    elif pivot is not None:
        pivot, keys = _pivot(a, pivot)
        buckets, count = (_PIVOT, pivot, None), 3
    else:
        bit, width = bits
        if not 1 <= width <= 16:
            raise ValueError(f"bits: {width} bits; 1 to 16 can be sorted by")
        buckets, count = (_BITS, bit, width), 1 << width
    moved = [a] + ([] if payloads is None else _payloads_in(payloads, a))
    made = [empty_like_place(p, p.size, p.dtype) for p in moved]
    index = empty_like_place(a, a.size, _INT64) if order else None
    offsets = np.empty(count + 1, _INT64)
    all_payloads = [(data_of(p), data_of(m), None, p.dtype.itemsize) for p, m in zip(moved, made)]
    if order:
        all_payloads.append((None, data_of(index), None, 8))
    alone = len(all_payloads) == 1 and keys is a
    _core.multisplit(
        keys.dtype,
        a.size,
        data_of(keys),
        buckets,
        data_of(made[0]) if alone else None,
        offsets,
        None if alone else tuple(all_payloads),
    )
    if starts is not None:
        offsets = offsets[starts]
    result = (made[0], offsets) + ((index,) if order else ())
    return result if payloads is None else result + (made[1:],)


def _pivot(a, pivot):
    """The pivot as an element, and what it divides: the array or, if its type does not have the number, for each
    element the bucket."""
    pivot = _number(pivot)
    try:
        return _constant(pivot, a.dtype, "pivot"), a
    except ValueError:
        if not isinstance(pivot, _Real):
            raise
    if is_on_device(a):
        raise ValueError(f"pivot: {pivot!r} is no number of {a.dtype}; partition(a, '<', {pivot!r}) divides a device array by it")
    test, value = _comparison("<", pivot, a.dtype)
    with np.errstate(invalid="ignore"):  # bfloat16 warns of NaN
        return np.array(1, np.uint8), np.where(_OPERATORS[test](a, value), 0, 2).astype(np.uint8)


def _splits(a, bins, range):
    """The library's buckets for bins; the one that each bin begins with and that behind the last, or None: the buckets
    are the bins; and what goes into the buckets: the elements or, where no buckets of their type are these bins, the
    indices of their bins. Bins without a value of the elements' type are empty."""
    held, _, binning = _binning_of(a, bins, range)
    if binning is None:
        raise ValueError("bins: two edges at least are needed")
    if binning.index is None and held.dtype == a.dtype:
        return binning.spec, None, a
    inner, _, _, known, _, flags = binning.spec
    low, high = [k for k, _ in binning.index or ()], [k for _, k in binning.index or ()]
    starts = np.array(low + high[-1:], _INT64)
    integers = a.dtype.kind in "iu"
    good = held.dtype == a.dtype and binning.index is not None
    if good and integers and known[0] == limits_of(a.dtype)[0]:  # nothing is below
        starts = np.maximum(starts, 0)
    elif good and starts[0] == -1 and integers:  # from the least value on
        known, starts = np.append(known.dtype.type(limits_of(a.dtype)[0]), known), starts + 1
    if good and starts[-1] == known.size and integers and known[-1] < limits_of(a.dtype)[1]:  # to the largest one
        known, flags = np.append(known, known.dtype.type(limits_of(a.dtype)[1])), _CLOSED_TOP
    elif starts.size and starts[-1] >= known.size:
        good = False
    if good and starts[0] == 0:
        return (known.size - 1, None, None, known, _DROP, flags), starts, a
    if is_on_device(a):
        raise ValueError(f"bins: edges have to be numbers of the elements' type, {a.dtype}, or between them")
    index = _digits(held, binning)
    known = np.zeros(1, np.uint32), np.full(1, binning.bins, np.uint32)
    return (binning.bins, *known, None, _DROP, 0), None, np.where(index < 0, binning.bins, index).astype(np.uint32)


_KINDS = ("quicksort", "heapsort", "mergesort", "stable")  # of NumPy, which looks at the first letter


def _check_kind(kind, order, stable):
    """NumPy's arguments about how to sort: every sort here is a stable one."""
    if order is not None:
        raise ValueError("order: the elements have no fields to sort by")
    if kind is None:
        return
    if stable is not None:
        raise ValueError("kind, stable: at most one of them can be given")
    if not isinstance(kind, str):
        raise TypeError(f"kind: a string is needed, not {type(kind).__name__}")
    if kind[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(f"kind: {kind!r} is not one of {', '.join(_KINDS)}")


def _sorted(a, axis, descending, wants_index):
    """The elements of a stable sort along an axis, or their indices along it."""
    dimensions, step = a.ndim, 1
    if axis is None:
        a, axis, dimensions = flat(a), -1, 1
    elif axis != -1 or dimensions == 0:
        if dimensions == 0 and wants_index and _operator.index(axis) in (0, -1):
            a, dimensions = flat(a), 1  # as numpy.argsort, but not numpy.sort
        axis = _axes(_operator.index(axis), dimensions)[0]
        if axis != dimensions - 1:
            if is_on_device(a):
                raise ValueError("axis: a device array is sorted along its last axis")
            step = _product(a.shape[axis + 1 :])
    shape, dtype = a.shape, a.dtype
    columns = shape[axis] if dimensions > 1 else 0
    if columns and wants_index and is_on_device(a):
        raise ValueError("a: the indices of rows are made for arrays in host memory only")
    made_type = _INT64 if wants_index else dtype
    made = _empty(shape, made_type) if type(a) is _ndarray else empty_like_place(a, shape, made_type)
    out = data_of(made)
    if a.size:
        moves = ((None, out, None, 8),) if wants_index else None
        _core.sort(dtype, a.size, data_of(a), columns, step, None if wants_index else out, moves, bool(descending))
    return made


def _sorted_with(a, axis, descending, payloads):
    """(elements, payloads) of a stable sort of an array of one dimension."""
    if axis is None:
        a = flat(a)
    else:
        _axes(_operator.index(axis), a.ndim)
    if a.ndim > 1:
        raise ValueError("payloads: move with arrays of one dimension only")
    moved = _payloads_in(payloads, a)
    elements, made = empty_like_place(a, a.size, a.dtype), [empty_like_place(p, p.size, p.dtype) for p in moved]
    moves = [(data_of(p), data_of(m), None, p.dtype.itemsize) for p, m in zip(moved, made)]
    if a.size:
        _core.sort(a.dtype, a.size, data_of(a), 0, 1, data_of(elements), tuple(moves) or None, bool(descending))
    return elements, made


def _axis_back(a, axis):
    """The last axis swapped back, in C order."""
    return _contiguous(a.swapaxes(axis, -1))


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False, payloads=None):
    """A sorted copy, by a stable sort along an axis (None: of all elements).

    The order of floats is total: -0 before 0, and NaN last; NaNs are equal to each other. descending=True is
    the reverse, with NaN first; equal elements keep their order then, too. kind and stable are NumPy's: every sort
    is stable, whatever they are.
    payloads: arrays of the same length that are sorted alike; the result is (elements, list of arrays) then.

    a: any shape and real type. Errors: ValueError for payloads of several dimensions or other lengths, AxisError.

    >>> iw.sort(np.array([[3, 1], [2, 5]]), axis=0)
    array([[2, 1],
           [3, 5]])
    """
    if kind is not None or order is not None:
        _check_kind(kind, order, stable)
    if axis == -1 and payloads is None:  # the most frequent use
        made = _core.sorted(a, bool(descending), _empty, None)
        if made is not None:
            return made
    a = array_in(a, "a")
    return _sorted(a, axis, descending, False) if payloads is None else _sorted_with(a, axis, descending, payloads)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The indices that sort an array along an axis (None: all elements), stably, in the order of sort().

    The result has the shape of a, of 64-bit integers. Errors: AxisError.

    >>> iw.argsort([3, 1, 2, 1])
    array([1, 3, 2, 0])
    """
    if kind is not None or order is not None:
        _check_kind(kind, order, stable)
    if axis == -1:  # the most frequent use
        index = _core.sorted(a, bool(descending), _empty, _INT64)
        if index is not None:
            return index
    return _sorted(array_in(a, "a"), axis, descending, True)


# ---- Top-k, n-th elements and medians ---------------------------------------------------------------------

def _along(a, axis, what):
    """The array with an axis swapped with its last one, and the axis; None: that of the flat array."""
    if axis is None:
        return flat(a), 0
    axis = _axes(_operator.index(axis), a.ndim)[0]
    if axis != a.ndim - 1:
        if is_on_device(a):
            raise ValueError(f"axis: {what} of a device array is along its last axis")
        a = np.ascontiguousarray(a.swapaxes(axis, -1))
    return a, axis


def topk(a, k, axis=-1, *, largest=True):
    """The k largest elements along an axis (None: of all elements), the largest one first, or with largest=False
    the smallest ones, the smallest one first: the pair (values, indices).

    They are the first k of sort(a, descending=largest): NaN is larger than all numbers, and 0 larger than -0.
    Equal elements come in the order of their indices, and those of smaller index are taken.

    Both have the shape of a, with k instead of the axis's length. Errors: ValueError for a k that is too
    large, AxisError.

    >>> iw.topk(np.array([3, 9, 4, 9]), 2)
    (array([9, 9]), array([1, 3]))
    """
    a = array_in(a, "a")
    if type(a) is _ndarray and a.ndim == 1 and type(k) is int and 0 < k <= a.size and axis == -1:
        dtype = a.dtype  # the most frequent use
        values, index = _empty(k, dtype), _empty(k, _INT64)
        _core.top_k(dtype, 1, a.size, a, k, bool(largest), values, index)
        return values, index
    a, axis = _along(a, axis, "a top-k")
    columns, k = a.shape[-1], _operator.index(k)
    if not 0 <= k <= columns:
        raise ValueError(f"k: {k} is not in 0 ... {columns}, the number of elements along the axis")
    shape = a.shape[:-1] + (k,)
    values, index = empty_like_place(a, shape, a.dtype), empty_like_place(a, shape, _INT64)
    rows = a.size // columns if columns else 0
    if rows and k:
        _core.top_k(
            a.dtype,
            rows,
            columns,
            data_of(a),
            k,
            bool(largest),
            data_of(values),
            data_of(index),
        )
    if axis != a.ndim - 1:
        values, index = _axis_back(values, axis), _axis_back(index, axis)
    return values, index


def at_places(matrix, places, wants_index=False):
    """Of each row of a matrix the elements that a sort moves to some places, an array of 64-bit integers, and their
    indices, or None: two matrices of a row for each place."""
    rows, columns = matrix.shape
    values = _empty((places.size, rows), matrix.dtype)
    index = _empty((places.size, rows), _INT64) if wants_index else None
    _core.places(matrix.dtype, rows, columns, matrix, places.size, places, values, index)
    return values, index


def nth_element(a, nth, axis=-1, *, return_index=False):
    """The element that an ascending sort() moves to index nth, along an axis (None: of all elements), without
    sorting all of them: numpy.partition(a, nth, axis) has it at nth. nth may be negative, as an index.

    return_index: the result is (elements, index along the axis) then; of equal elements each has a place of its
    own, in the order of indices. Of a device array of one dimension the result is in host memory.

    The result has the shape of a without the axis. Errors: ValueError for a place that is none, AxisError.

    >>> iw.nth_element([30, 10, 20], 1)
    np.int64(20)
    """
    if type(nth) is int and axis == -1 and not return_index:  # the most frequent use
        value = _core.nth_of(a, nth, _empty)
        if value is not None:
            return value
    a = array_in(a, "a")
    if type(a) is not _ndarray or a.ndim != 1 or axis != -1:
        a, axis = _along(a, axis, "the n-th element")
    columns, nth = a.shape[-1], _operator.index(nth)
    if not -columns <= nth < columns:
        raise ValueError(f"nth: {nth} is no index of the {columns} elements along the axis")
    nth %= columns
    if a.ndim == 1:
        value = _empty((), a.dtype)
        index = _core.nth(a.dtype, columns, data_of(a), nth, value)
        return (value[()], np.int64(index)) if return_index else value[()]
    if is_on_device(a):
        raise ValueError("a: a device array of one dimension is needed; axis=None takes all elements")
    shape = a.shape[:-1]
    made = at_places(a.reshape(_product(shape), columns), np.array([nth]), return_index)
    values, index = (None if x is None else x.reshape(shape) for x in made)
    if a.ndim > 2 and axis != a.ndim - 1:  # where the axis was is the one that had been the last
        values, index = (None if x is None else np.ascontiguousarray(np.moveaxis(x, axis, -1)) for x in (values, index))
    return (values, index) if return_index else values


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """numpy.median: the middle element of a sort or, of an even number of elements, the mean of the two middle
    ones as numpy.mean makes it, but without overflow; NaN if an element is NaN. nth_element(a, (n - 1) // 2) is
    the lower one itself.

    Of a device array that of all elements, in host memory. The input stays as it is, whatever overwrite_input is.

    a: any shape and real type. The result has the shape of a without the axes (with keepdims, of length 1),
    and NumPy's type. Errors: AxisError.

    >>> iw.median([1, 7, 3, 4])
    np.float64(3.5)
    """
    if axis is None and out is None and not keepdims:  # the most frequent use
        made = _core.median(a, np.float64, np.float32)
        if made is not None:
            return made
    a = array_in(a, "a")
    if is_on_device(a):
        if out is not None or keepdims or (axis is not None and a.ndim != 1):
            raise ValueError("a: a device array has a median of all elements, without out and keepdims")
        if a.size == 0:
            raise ValueError("a: a device array without elements")
        values = np.array([[nth_element(a, place, None)] for place in _middle_places(a.size).tolist()])
        return _means(values, max(flat(a)))[0]
    if a.size == 0:  # NaN and NumPy's warning, or no results; numpy.median fails for some of these
        return np.mean(a, axis, out=out, keepdims=keepdims)
    axes = list(range(a.ndim)) if axis is None else _axes(axis, a.ndim)
    rest = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(a.shape[i] for i in rest)
    columns = _product(a.shape[i] for i in axes)
    matrix = np.ascontiguousarray(np.transpose(a, rest + sorted(axes))).reshape(-1, columns)
    values, _ = at_places(matrix, _middle_places(columns))
    made = _means(values, None if a.dtype.kind in "biu" else max(matrix, axis=1))
    shape = _kept(shape, axes, a.ndim) if keepdims else shape
    target = Output(out, a, shape, made.dtype)
    target.made[...] = made.reshape(shape)
    return target.result() if keepdims else _scalar(target.result(), out)


def _middle_places(n):
    return np.array([n // 2] if n % 2 else [n // 2 - 1, n // 2])


def _mean_of_two(values):
    """What numpy.mean gives of two rows, but without overflow."""
    half = values.dtype.type(0.5)
    with np.errstate(over="ignore"):
        made = np.add.reduce(values) * half
    infinite = np.isinf(made)
    if infinite.any():
        over = infinite & np.isfinite(values).all(axis=0)
        made[over] = np.add.reduce(values[:, over] * half)  # halves of such large numbers are exact
    return made


def _means(values, greatest):
    """The means of the columns of a matrix; NaN where the greatest element is, as it is if there is a NaN."""
    made = _mean_of_two(values) if len(values) == 2 and values.dtype.kind in "fV" else np.mean(values, axis=0)
    if made.dtype.kind in "fV" and greatest is not None:
        made[np.isnan(greatest.to_host() if is_on_device(greatest) else greatest)] = np.nan
    return made
