# SPDX-License-Identifier: Apache-2.0
"""Histograms with NumPy's arguments.

A sample is in the bin whose edges it lies between, by comparison: counts are those of numpy.histogram
wherever NumPy follows the edges that it returns. NumPy's bins are translated to cuts of the sample's own
type, so that nothing is
converted: an edge e of another type is the least value of the sample's type that is not below e.
"""

from functools import lru_cache as _lru_cache
from math import copysign as _copysign, isfinite as _isfinite
from numbers import Real as _Real
import operator as _operator

import numpy as np

from . import _core
from ._arrays import array_in, code_of, converted, data_of, empty_like_place, flat, is_on_device, limits_of, unmasked, values_in
from ._sorted import is_sorted, searchsorted, toward

_DROP, _CLAMP, _COUNT = _core.DROP, _core.CLAMP, _core.COUNT
_CLOSED_TOP = _core.CLOSED_TOP
_F64, _INT64, _UINT64 = np.dtype("float64"), np.dtype("int64"), np.dtype("uint64")
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}  # by the bytes of an element
_ndarray, _empty, _zeros = np.ndarray, np.empty, np.zeros
_LEAST, _BEYOND, _INFINITE = -1, -2, -3  # cuts below and above all values, and between the numbers and inf


class HistogramResult(tuple):
    """The pair (counts, edges), which a notebook shows as a chart."""

    __slots__ = ()

    @property
    def counts(self):
        return self[0]

    @property
    def edges(self):
        return self[1]

    def _repr_html_(self):
        counts, edges = (x if isinstance(x, np.ndarray) else x.to_host() for x in self)
        width, height, most = 480, 160, float(counts.max()) if counts.size else 0.0
        places = _places(edges, width)
        bars = []
        for count, x, end, low, high in zip(
            counts.tolist(), places, places[1:], edges.tolist(), edges[1:].tolist()
        ):
            h = max(0.0, count) / most * height if most > 0 else 0.0
            bars.append(
                f'<rect x="{x:.2f}" y="{height - h:.2f}" width="{max(end - x - 0.5, 0.2):.2f}" height="{h:.2f}">'
                f"<title>{low:g} to {high:g}: {count:g}</title></rect>"
            )
        return _picture(bars, width, height, edges, most)


class HistogramResult2D(tuple):
    """Counts of several dimensions, and the edges. A notebook shows those of two dimensions as a chart."""

    __slots__ = ()

    def _repr_html_(self):
        counts, x_edges = self[:2]
        counts = counts if isinstance(counts, np.ndarray) else counts.to_host()
        if counts.ndim != 2 or counts.size == 0:
            return None
        if len(self) == 3:
            y_edges = self[2]
        elif isinstance(x_edges, list):
            x_edges, y_edges = x_edges
        else:  # a histogram of each row: the first one is on top
            counts, y_edges = counts.T, np.arange(counts.shape[0] + 1)[::-1]
        width, height, most = 480, 320, float(counts.max())
        counts, x_edges = _fewer(counts, x_edges)
        turned, y_edges = _fewer(counts.T, y_edges)
        counts, peak = turned.T, float(turned.max())
        xs, ys = _places(x_edges, width), _places(y_edges, height)
        cells = []
        for row, x, end, low, high in zip(counts.tolist(), xs, xs[1:], x_edges, x_edges[1:]):
            for count, y, top, bottom, over in zip(row, ys, ys[1:], y_edges, y_edges[1:]):
                if count > 0:
                    cells.append(
                        f'<rect x="{x:.2f}" y="{height - top:.2f}" width="{end - x:.2f}" '
                        f'height="{top - y:.2f}" fill-opacity="{count / peak:.3f}">'
                        f"<title>{low:g} to {high:g}, {bottom:g} to {over:g}: {count:g}</title></rect>"
                    )
        return _picture(cells, width, height, x_edges, most)


_MOST_DRAWN = 64  # cells of an axis


def _fewer(counts, edges):
    """The counts along the first axis with their edges, neighbours added up so that they can be drawn."""
    each = -(-counts.shape[0] // _MOST_DRAWN)
    if each == 1:
        return counts, edges
    first = np.arange(0, counts.shape[0], each)
    return np.add.reduceat(counts, first, axis=0), np.append(edges[first], edges[-1])


def _places(edges, length):
    """Where the edges are drawn: side by side if some are infinite."""
    places = np.asarray(edges, float)
    with np.errstate(all="ignore"):
        span = places[-1] - places[0]
    if not np.isfinite(span) or span == 0:
        places = np.arange(places.size, dtype=float)
        span = places[-1]
    return ((places - places[0]) / span * length).tolist()


def _picture(shapes, width, height, edges, most):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 20}" height="{height + 24}" '
        f'viewBox="-10 -4 {width + 20} {height + 24}" fill="steelblue" font-family="sans-serif" font-size="11">'
        f"{''.join(shapes)}<g fill='currentColor'><text x='0' y='{height + 14}'>{float(edges[0]):g}</text>"
        f"<text x='{width}' y='{height + 14}' text-anchor='end'>{float(edges[-1]):g}</text>"
        f"<text x='{width / 2}' y='{height + 14}' text-anchor='middle'>most: {most:g}</text></g></svg>"
    )


# ---- Edges ------------------------------------------------------------------------------------------------


def _samples(a, name="a"):
    """The samples as one dimension; booleans are counted as numbers, as NumPy does."""
    a = array_in(a, name)
    if a.ndim != 1:
        a = a.reshape(-1)
    return a.view(np.uint8) if a.dtype.kind == "b" and not is_on_device(a) else a


def _end(value):
    """An end of a range. Edges of bfloat16 are float32: what its arithmetic results in depends on ml_dtypes' version."""
    return np.float32(value) if getattr(getattr(value, "dtype", None), "name", "") == "bfloat16" else value


def _checked_range(range, name="range"):
    try:
        first, last = map(_end, range)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: a pair of numbers is needed, not {range!r}") from None
    if first > last:
        raise ValueError(
            f"{name}: max must be larger than min in range parameter; it is {first!r}, {last!r}"
        )
    try:
        first, last = (float(x) if type(x) is int and x.bit_length() > 63 else x for x in (first, last))
        is_finite = _isfinite(first) and _isfinite(last)
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise ValueError(f"{name}: supplied range of [{first}, {last}] is not finite in float64")
    return first, last


def _range_of(a, range, name="range"):
    """NumPy's first and last edge."""
    if range is not None:
        first, last = _checked_range(range, name)
    elif a.size == 0:
        first, last = 0, 1
    else:
        lo, hi = np.empty((), a.dtype), np.empty((), a.dtype)
        for op, to in ((1, lo), (2, hi)):
            _core.reduce(op, a.dtype, a.dtype, 0, a.size, None, None, data_of(a), to)
        first, last = _end(lo[()]), _end(hi[()])
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"a: autodetected range of [{first}, {last}] is not finite")
    return _widened_range(first, last) if first == last else (first, last)


def _widened_range(first, last):
    """The range of equal ends v: v - 0.5 to v + 0.5 as NumPy's, or v - |v|/2 to v + |v|/2 where these are v after
    rounding, as the library's (doc/design/histogram.md#automatic-ranges)."""
    low, high = first - 0.5, last + 0.5
    if low == high:
        most, half = np.finfo(np.result_type(low)).max, abs(first / 2)
        with np.errstate(over="ignore"):
            low, high = max(first - half, -most), min(last + half, most)
    return low, high


def _count_of(bins, name="bins"):
    try:
        count = _operator.index(bins)
    except TypeError:
        raise TypeError(f"{name}: an integer, a string, or an array of edges is needed") from None
    if count < 1:
        raise ValueError(f"{name}: {count} bins; there has to be one at least")
    if count > 2**31 - 1:
        raise ValueError(f"{name}: {count} bins; at most 2147483647 can be counted")
    return count


def _linspace(first, last, bins, dtype=None):
    """numpy.linspace of finite ends; of a range or ends that the type does not hold from a wider one."""
    if -3e4 < first and last < 3e4:  # whose difference is no infinity of any type
        return np.linspace(first, last, bins + 1, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(first, last, bins + 1, dtype=dtype)
        if np.isfinite(edges).all():
            return edges
        wide = np.linspace(float(first) / 2, float(last) / 2, bins + 1) * 2
        narrow = wide.astype(edges.dtype)
    return narrow if np.isfinite(narrow).all() else wide


def _ascends(edges):
    """Whether each edge is less than the next, by pieces, as there may be many."""
    pieces = (edges[at : at + _CHUNK + 1] for at in range(0, edges.size - 1, _CHUNK))
    return all((piece[:-1] < piece[1:]).all() for piece in pieces)


def _even_edges(first, last, bins, dtype):
    """NumPy's edges of even bins for samples of a type."""
    kind = np.result_type(first, last, np.empty(1, dtype if dtype.kind != "V" else np.float32))
    if np.issubdtype(kind, np.integer) or kind == np.bool_:
        kind = np.result_type(kind, float)
    edges = _linspace(first, last, bins, kind)
    if not _ascends(edges):
        why = f"both are {edges[0]}" if edges[0] == edges[-1] else f"some of {bins} bins would be empty"
        raise ValueError(
            f"bins: too many bins for the range from {first} to {last}: as {kind} {why}; give a wider range, or edges "
            "as an array"
        )
    return edges


def _given_edges(bins, name="bins", least=2):
    edges = values_in(bins, name)
    if edges.ndim != 1:
        raise ValueError(f"{name}: edges of one dimension are needed, not of {edges.ndim}")
    if edges.size < least:
        raise ValueError(f"{name}: {least} edges at least are needed, not {edges.size}")
    if edges.dtype.kind not in "iufb" and edges.dtype.name != "bfloat16":
        raise TypeError(f"{name}: edges of type {edges.dtype} are not supported")
    if edges.dtype != np.longdouble:
        edges = array_in(edges, name)
    if np.any(edges[:-1] > edges[1:]) or np.any(edges != edges):
        raise ValueError(f"{name}: must increase monotonically, when an array")
    return edges


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """numpy.histogram_bin_edges.

    The result has an edge more than bins. Errors are those of histogram().

    >>> iw.histogram_bin_edges([1, 2, 5], bins=2)
    array([1., 3., 5.])
    """
    return _edges_for(_samples(a), bins, range, weights)


def _edges_for(a, bins, range, weights):
    if isinstance(bins, str):
        if is_on_device(a):
            raise ValueError("bins: a rule by name needs an array in host memory")
        range = range if range is None else _checked_range(range)
        return np.histogram_bin_edges(a if a.dtype.kind != "V" else a.astype(np.float32), bins, range, weights)
    if np.ndim(bins) == 0:
        return _even_edges(*_range_of(a, range), _count_of(bins), a.dtype)
    return _given_edges(bins, least=0)


# ---- From edges to cuts -----------------------------------------------------------------------------------


@_lru_cache(None)
def _most(dtype):
    """The largest number of a type; inf of those whose samples are not widened."""
    if dtype.kind in "iub" or dtype == _F64:
        return float("inf")
    return float(np.finfo(dtype).max) if dtype.kind == "f" else (2 - 2.0**-7) * 2.0**127


def _held(a, edges):
    """The samples in a type that has values above the largest finite edge, so that infinities are told from it."""
    most = _most(a.dtype)
    above = edges >= most
    if not above[:-1].any() and (not above[-1] or np.isinf(edges[-1]) or edges[-1] == most):
        return a
    if is_on_device(a):
        raise ValueError(f"bins: the edge {edges[above][0]} of a device array is not below the largest {a.dtype}, {most}")
    return a.astype(_F64)


def _cuts(edges, dtype):
    """For each edge but the last the least value that is not below it, and the greatest one that is not above the
    last; and what these are if they are no numbers of the type."""
    cuts, below, above = toward(edges, dtype, True)
    last, last_below, last_above = toward(edges[-1:], dtype, False)
    cuts[-1] = last[0]
    states = np.zeros(cuts.size, np.int8)
    if dtype.kind in "iu":
        lowest, highest = limits_of(dtype)
        states[below | (~above & (cuts == lowest))] = _LEAST
        states[above] = _BEYOND
        states[-1] = _LEAST if last_below[0] else 0
        if last_above[0]:
            cuts[-1] = highest
    else:
        states[np.isneginf(cuts)] = _LEAST
        states[np.isposinf(cuts)] = _INFINITE
        if np.isposinf(cuts[-1]):
            states[-1] = _BEYOND
    return cuts, states


class Binning:
    """What the library counts for NumPy's edges: `spec` of _core, and `index`, which has for each of NumPy's
    bins the first one of the library's intervals that it consists of and the one behind its last; -1 is what
    lies below all of them. None: the library's bins are NumPy's."""

    __slots__ = ("spec", "index", "outputs", "bins")

    def __init__(self, edges, dtype, ends=None):
        self.bins = edges.size - 1
        if (
            edges.dtype == dtype
            and np.isfinite(edges[0])
            and np.isfinite(edges[-1])
            and _ascends(edges)
        ):
            self._plain(edges)
            return
        cuts, states = _cuts(edges, dtype)
        if ends is not None:  # the edges are their float64, which may be between them and the samples
            cuts[0], cuts[-1] = min(ends[0], int(cuts[0])), max(ends[1], int(cuts[-1]))
            states[0] = states[-1] = 0
        if not states.any() and np.all(cuts[:-1] < cuts[1:]):
            self._plain(cuts)
            return
        self._merged(cuts, states, dtype)

    def _plain(self, cuts):
        self.spec = (self.bins, None, None, np.ascontiguousarray(cuts), _DROP, _CLOSED_TOP)
        self.index, self.outputs = None, self.bins

    def _merged(self, cuts, states, dtype):
        # The last bin is closed: its upper cut is the value after the last edge.
        if states[-1] == 0:
            after = _after(cuts[-1], dtype)
            states[-1] = 0 if after is not None else _BEYOND if dtype.kind in "iu" else _INFINITE
            cuts[-1] = cuts[-1] if after is None else after
        elif states[-1] == _LEAST and dtype.kind not in "iu":  # the last edge is -inf: the next is the lowest number
            cuts[-1], states[-1] = np.nextafter(cuts[-1], dtype.type(0)), 0
        known, flags = np.unique(cuts[states == 0]), 0
        if (states == _INFINITE).any():  # infinity alone is above bins that are closed at the largest number
            known, flags = self._up_to_infinity(known, dtype), _CLOSED_TOP
        if known.size == 0:
            known = np.zeros(1, dtype)
        if known.size == 1:  # one more cut, where it divides no bin if that is possible
            other = None if flags else _after(known[0], dtype)
            known = np.array(
                [_before(known[0], dtype), known[0]] if other is None else [known[0], other], dtype
            )
        inner = known.size - 1
        place = np.searchsorted(known, cuts)
        place[states == _LEAST], place[states == _BEYOND], place[states == _INFINITE] = -1, inner + 1, inner
        self.spec = (inner, None, None, known, _COUNT, flags)
        self.outputs = inner + 2
        # Of output j the library's interval is [j, j + 1); below it is number -1 and above number inner.
        self.index = [(int(a), int(b)) for a, b in zip(place[:-1], place[1:])]

    @staticmethod
    def _up_to_infinity(known, dtype):
        most = np.nextafter(dtype.type(np.inf), dtype.type(0))
        if known.size and known[-1] == most:
            raise ValueError(f"bins: an edge is the largest {dtype}, {most}, and another one lies above it")
        return np.append(known, most).astype(dtype)

    def of_outputs(self, outputs, axis=0):
        """NumPy's bins from the library's outputs along an axis."""
        if self.index is None:
            return outputs
        outputs = np.moveaxis(outputs, axis, 0)
        ordered = np.concatenate((outputs[-2:-1], outputs[:-2], outputs[-1:]))  # from below to above
        low, high = np.array(self.index, _INT64).reshape(-1, 2).T
        made = ordered[np.minimum(low + 1, self.outputs - 1)]  # the interval of each bin, unless it had to be divided
        made[low >= high] = 0
        for k in np.flatnonzero(high > low + 1):
            made[k] = ordered[low[k] + 1 : high[k] + 1].sum(axis=0)
        return np.moveaxis(made, 0, axis)


_MOST_KEPT = 4096  # bins


def _ends(dtype, range, first, last):
    """The least and the largest sample, where float64 may not hold them and they are the range."""
    if range is not None or dtype.kind not in "iu" or dtype.itemsize != 8:
        return None
    least, most = limits_of(dtype)  # the range of equal samples is wider
    return max(int(first), least), min(int(last), most)


@_lru_cache(64, typed=True)
def _even_binning(first, last, bins, dtype, ends, *signs):
    """Even bins, which are often the same in many calls. The caller must not change them. signs: tell -0
    from +0."""
    edges = _even_edges(first, last, bins, dtype)
    return edges, Binning(edges, dtype, ends)


def _binning_of(a, bins, range, weights=None):
    """The samples, in a type that the edges can be compared with, NumPy's edges, in an array of their own, and what
    the library counts for them, or None if the edges are too few for a bin."""
    if isinstance(bins, str) or np.ndim(bins) != 0:
        edges = _edges_for(a, bins, range, weights)
        a = _held(a, edges) if edges.size > 1 else a
        return a, edges, Binning(edges, a.dtype) if edges.size > 1 else None
    first, last = _range_of(a, range)
    ends, bins = _ends(a.dtype, range, first, last), _count_of(bins)
    if last > _most(a.dtype):
        a = _held(a, np.array([last]))
    if bins > _MOST_KEPT:
        edges = _even_edges(first, last, bins, a.dtype)
        return a, edges, Binning(edges, a.dtype, ends)
    signs = _copysign(1.0, first), _copysign(1.0, last)
    edges, binning = _even_binning(first, last, bins, a.dtype, ends, *signs)
    return a, edges.copy(), binning


def _after(value, dtype):
    """The next value of a type, or None."""
    if dtype.kind in "iu":
        return None if value == np.iinfo(dtype).max else dtype.type(int(value) + 1)
    with np.errstate(over="ignore"):
        after = np.nextafter(value, dtype.type(np.inf))
    return None if np.isinf(after) else after


def _before(value, dtype):
    return dtype.type(int(value) - 1) if dtype.kind in "iu" else np.nextafter(value, dtype.type(-np.inf))


# ---- Histograms -------------------------------------------------------------------------------------------


def _density(counts, edges, weighted):
    widths = np.array(np.diff(edges), float)
    return counts / widths / counts.sum()


_MANY_BINS = 1 << 24  # of which edges and counters of the library's own would take much memory
_CHUNK = 1 << 20  # samples


def _counts_by_search(a, cuts):
    """The counts of few samples in many bins, by a search for each. It takes no memory but that of the counts."""
    counts, last = _zeros(cuts.size - 1, _INT64), cuts[-1]
    for at in range(0, a.size, _CHUNK):
        part = a[at : at + _CHUNK]
        index = searchsorted(cuts, part, side="right") - 1
        index[part == last] = counts.size - 1
        index, number = np.unique(index[(index >= 0) & (index < counts.size)], return_counts=True)  # NaN is behind all
        counts[index] += number
    return counts


def _counts(a, binning):
    if _MANY_BINS < binning.bins > a.size and binning.index is None and not is_on_device(a):
        return _counts_by_search(a, binning.spec[3])
    if is_on_device(a) and binning.index is None:
        counts = empty_like_place(a, binning.outputs, _INT64)
    else:
        counts = np.empty(binning.outputs, _INT64)
    _core.histogram(a.dtype, a.size, data_of(a), binning.spec, data_of(counts))
    return binning.of_outputs(counts)


_WEIGHTS = (np.dtype("int32"), np.dtype("uint32"), _INT64, _UINT64, np.dtype("float32"), _F64)


def _weights_in(weights, a):
    """The weights in a type that the library sums up; float128 is rounded to float64."""
    if not is_on_device(a):
        weights = unmasked(weights, "weights")
        weights = weights.astype(_F64) if weights.dtype == np.longdouble else weights
    weights = array_in(weights, "weights")
    if weights.dtype in _WEIGHTS:
        return weights
    if weights.dtype.kind in "iu":
        return converted(weights, _INT64 if weights.dtype.kind == "i" else _UINT64, "weights")
    return converted(weights, _INT64 if weights.dtype.kind == "b" else _F64, "weights")


def _sum_type(weights):
    return weights.dtype if weights.dtype.kind == "f" else _INT64 if weights.dtype.kind == "i" else _UINT64


def _weighted(a, binning, weights):
    sums = empty_like_place(a, binning.outputs, _sum_type(weights))
    if is_on_device(a) and binning.index is not None:
        sums = np.empty(binning.outputs, _sum_type(weights))
    _core.histogram_weighted(
        a.dtype,
        a.size,
        data_of(a),
        binning.spec,
        weights.dtype,
        data_of(weights),
        data_of(sums),
    )
    return binning.of_outputs(sums)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """numpy.histogram: the pair (counts, edges).

    Sums of float weights are exact and rounded once. Sums of integer weights are 64-bit integers.

    a: any shape and real type. Counts are 64-bit integers, one for each bin; density makes them float64. Edges
    are NumPy's, of bfloat16 those of the same samples in float32. Errors: ValueError for bins and ranges that
    NumPy refuses, and for too many bins for the range.

    >>> counts, edges = iw.histogram([1, 2, 2, 4], bins=3)
    >>> counts, edges
    (array([1, 2, 1]), array([1., 2., 3., 4.]))
    """
    a = array_in(a, "a")
    made = _histogram_f64(a, bins, range) if weights is None and type(bins) is int and a.dtype is _F64 else None
    if made is None:
        shape, a = a.shape, _samples(a)
        if weights is not None:
            weights = _weights_in(weights, a)
            if weights.shape != shape:
                raise ValueError(f"weights: should have the same shape as a, {shape}, not {weights.shape}")
            weights = flat(weights)
        a, edges, binning = _binning_of(a, bins, range, weights)
        if binning is None:
            made = np.zeros(0, _INT64 if weights is None else _sum_type(weights)), edges
        else:
            made = _counts(a, binning) if weights is None else _weighted(a, binning, weights), edges
    if density:
        counts, edges = made
        counts = counts if isinstance(counts, np.ndarray) else counts.to_host()
        made = _density(counts, edges, weights is not None), edges
    return HistogramResult(made)


_PYTHON_NUMBERS = (float, int, np.float64)


def _histogram_f64(a, bins, range):
    """The pair (counts, edges) of even bins of float64, whose edges are NumPy's and made by the library; or None:
    what this refuses is looked at again."""
    if type(a) is not np.ndarray or not 0 < bins <= _MANY_BINS or a.size == 0:
        return None
    first = last = None
    if range is not None:
        first, last = _checked_range(range)
        if type(first) not in _PYTHON_NUMBERS or type(last) not in _PYTHON_NUMBERS:
            return None  # a wider type has other edges
        if first == last:
            first, last = _widened_range(first, last)
    counts, edges = np.empty(bins, _INT64), np.empty(bins + 1, _F64)
    try:
        _core.histogram_even(a.size, a, bins, first, last, counts, edges)
    except ValueError:
        return None
    return counts, edges


def bincount(x, /, weights=None, minlength=0):
    """numpy.bincount. Sums of float weights are exact and rounded once.

    x: integers of one dimension, none negative. Counts are 64-bit integers, sums of weights float64.
    Errors: TypeError if x has no integers, ValueError for negative ones.

    >>> iw.bincount([1, 3, 1], minlength=5)
    array([0, 2, 0, 1, 0])
    """
    if type(minlength) is int and minlength >= 0:  # the most frequent uses
        made = _core.bincount(x, minlength, _zeros, _INT64 if weights is None else _F64, weights)
        if type(made) is _ndarray:
            return made
    given, x = x, array_in(x, "x")
    if x.ndim != 1:
        raise ValueError("x: an array of one dimension is needed")
    dtype, minlength = x.dtype, _operator.index(minlength)
    if minlength < 0:
        raise ValueError(f"minlength: {minlength}, but it must not be negative")
    greatest = None
    if dtype.kind not in "iu":
        x = _as_integers(x, given)
        dtype = x.dtype
    if weights is not None and x.size:  # without elements NumPy does not look at weights
        weights = converted(array_in(weights, "weights"), _F64, "weights")
        if weights.shape != x.shape:
            raise ValueError("weights: must have the length of x")
    if type(x) is _ndarray and (weights is None or type(weights) is _ndarray and x.size):
        made = _core.bincount(x, minlength, _zeros, _INT64 if weights is None else _F64, weights)
        if type(made) is _ndarray:
            return made
        greatest = made
    elif x.size == 0:  # as NumPy, with weights too
        return np.zeros(minlength, _INT64)
    greatest = _greatest(x) if greatest is None else greatest
    counted = _checked_greatest(greatest, x) + 1
    binning = _by_value(x.dtype, counted)
    if weights is None:
        made = _counts(x, binning)
    else:
        made = _weighted(x, binning, weights)
    made = made if isinstance(made, np.ndarray) else made.to_host()
    if minlength <= counted:
        return made
    longer = np.zeros(minlength, made.dtype)
    longer[:counted] = made
    return longer


def _as_integers(x, given):
    """What bincount takes besides integers: booleans, and a list without elements."""
    if x.dtype.kind == "b":
        return converted(x, np.dtype("uint8"), "x")
    if x.size == 0 and isinstance(given, (list, tuple)):
        return _empty(0, _INT64)
    raise TypeError(f"x: integers are needed, not {x.dtype}")


def _greatest(x):
    """The greatest element as an unsigned integer."""
    greatest = np.empty((), _UNSIGNED[x.dtype.itemsize])
    _core.reduce(2, greatest.dtype, greatest.dtype, 0, x.size, None, None, data_of(x), greatest)
    return int(greatest)


def _checked_greatest(greatest, x):
    """The greatest element, unless one is negative: as unsigned integers these are greater than all others."""
    if greatest >= 1 << 8 * x.dtype.itemsize - 1 and x.dtype.kind == "i":
        least = np.empty((), x.dtype)
        _core.reduce(1, x.dtype, x.dtype, 0, x.size, None, None, data_of(x), least)
        raise ValueError(f"x: has a negative element, {least}")
    if greatest > 2**31 - 2:
        raise ValueError(f"x: has the element {greatest}; bins are counted for elements below 2147483647")
    return greatest


@_lru_cache(64)
def _by_value(dtype, bins):
    """Even bins of one integer each, from 0 to bins - 1. The caller must not change them."""
    made = Binning.__new__(Binning)
    made.bins = made.outputs = bins
    made.index = None
    if bins == 1:
        made.spec = (1, np.zeros(1, dtype), np.ones(1, dtype), None, _DROP, 0)
    else:  # the last edge is bins, which the type may not hold
        made.spec = (bins, np.zeros(1, dtype), np.array([bins - 1], dtype), None, _DROP, _core.HI_INCLUDED)
    return made


def histogram_rows(a, bins=10, range=None):
    """The histogram of each row of a matrix with the same bins: counts of shape (rows, bins), and the edges.
    Without a range it is that of the whole matrix.

    Errors are those of histogram(), and ValueError if a is no matrix.

    >>> iw.histogram_rows(np.array([[1, 2], [2, 2]]), 2, (1, 3))[0]
    array([[1, 1],
           [0, 2]])
    """
    a = array_in(a, "a")
    if a.ndim != 2:
        raise ValueError(f"a: a matrix is needed, not an array of {a.ndim} dimensions")
    samples, edges, binning = _binning_of(_samples(a), bins, range)
    if binning is None:
        return HistogramResult2D((np.zeros((a.shape[0], 0), _INT64), edges))
    a = samples.reshape(a.shape)
    if is_on_device(a) and binning.index is not None:
        raise ValueError("bins: edges of a device array have to be of its type, finite and increasing")
    counts = empty_like_place(a, (a.shape[0], binning.outputs), _INT64)
    _core.histogram_rows(
        a.dtype, a.shape[0], a.shape[1], data_of(a), binning.spec, data_of(counts)
    )
    return HistogramResult2D((binning.of_outputs(counts, axis=1), edges))


# ---- Several dimensions -----------------------------------------------------------------------------------


def _dimension(a, bins, range, i):
    """The samples of one dimension, its edges, as NumPy makes them, and what the library counts for them."""
    if np.ndim(bins) != 0:
        edges = _given_edges(bins, f"bins[{i}]")
        a = _held(a, edges)
        return a, edges, Binning(edges, a.dtype)
    first, last = _range_of(a, range, f"range[{i}]")
    edges = _linspace(first, last, _count_of(bins, f"bins[{i}]"))
    if last > _most(a.dtype):
        a = _held(a, edges)
    return a, edges, Binning(edges, a.dtype, _ends(a.dtype, range, first, last))


_MOST_AXES = 4  # that the library counts together


def _digits(a, binning):
    """The bin of each sample, -1 for none."""
    inner, outputs = binning.spec[0], binning.outputs
    narrow = outputs < 2**16
    found = np.empty(a.size, np.uint16 if narrow else np.uint32)
    _core.digitize(a.dtype, a.size, a, binning.spec, found.dtype, found)
    intervals = np.full(inner + 2, -1, _INT64)  # from below to above: NumPy's bin of each
    if binning.index is None:
        intervals[1:-1] = np.arange(inner)
    else:
        low, high = np.array(binning.index, _INT64).reshape(-1, 2).T  # each bin begins where the one before ends
        intervals[low[0] + 1 : high[-1] + 1] = np.repeat(np.arange(low.size), high - low)
    outside = (intervals[:1], intervals[-1:]) if binning.index is not None else ()
    bins = np.concatenate((intervals[1:-1], *outside, np.full(1, -1, _INT64)))  # by the library's indices
    return bins[found]


def _by_index(columns, binnings, weights):
    """Counts in several dimensions by the index of each sample's bin."""
    shape = tuple(b.bins for b in binnings)
    total = int(np.prod(shape, dtype=object))
    if total > 2**31 - 1:
        raise ValueError(f"bins: {total} bins in all; at most 2147483647 can be counted")
    index = np.zeros(columns[0].size, _INT64)
    inside = np.ones(columns[0].size, bool)
    for column, binning in zip(columns, binnings):
        digits = _digits(column, binning)
        inside &= digits >= 0
        index = index * binning.bins + digits
    index[~inside] = -1
    flat_bins = _by_value(index.dtype, total)
    made = _counts(index, flat_bins) if weights is None else _weighted(index, flat_bins, weights)
    return made.reshape(shape)


def _table(columns, binnings, weights):
    """Counts or sums in up to four dimensions."""
    shape = tuple(b.outputs for b in binnings)
    total = int(np.prod(shape, dtype=object))
    if total > 2**31 - 4:
        raise ValueError(f"bins: {total} bins in all; at most 2147483644 can be counted")
    made = np.empty(shape, _INT64 if weights is None else _sum_type(weights))
    axes = tuple((c.dtype, c, b.spec) for c, b in zip(columns, binnings))
    weight_type = None if weights is None else weights.dtype
    _core.histogram_nd(columns[0].size, axes, weight_type, weights, made)
    for axis, binning in enumerate(binnings):
        made = binning.of_outputs(made, axis)
    return made


def _columns_of(columns):
    """The columns of a sample, in their common type as NumPy has them; but 64-bit integers stay if that is a float,
    so that they are compared with edges exactly."""
    if len({x.shape for x in columns}) > 1:
        raise ValueError(f"sample: its columns have the shapes {', '.join(str(x.shape) for x in columns)}")
    columns = [x.reshape(-1) for x in columns]
    types = {x.dtype for x in columns}
    wide = {t for t in types if t.kind in "iu" and t.itemsize == 8}
    if not wide or (all(t.kind in "iub" for t in types) and np.result_type(*types).kind != "f"):
        return list(np.asarray(columns))
    common = np.result_type(_F64, *(types - wide))
    return [x if x.dtype in wide else x.astype(common) for x in columns]


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """numpy.histogramdd. Up to four dimensions are counted in one pass; more of them by an index of each
    sample, which takes several passes and 17 bytes of memory a sample. Sums of float weights are exact and
    rounded once.

    The result is the pair of the float64 counts, of a dimension for each column, and the list of edges.
    Errors are those of histogram().

    >>> iw.histogramdd(np.array([[0.0, 0.0], [1.0, 1.0]]), bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    if isinstance(sample, np.ndarray) and sample.ndim == 2:
        columns = list(sample.T)
    elif isinstance(sample, np.ndarray) and sample.ndim == 1:
        columns = [sample]
    else:
        columns = _columns_of([unmasked(x, "sample") for x in sample])
    if not columns:
        raise ValueError("sample: has no dimension")
    columns = [_samples(c, "sample") for c in columns]
    d = len(columns)
    if not hasattr(bins, "__len__"):
        bins = d * [bins]
    elif len(bins) != d:
        raise ValueError(f"bins: there are {len(bins)}, but the sample has {d} dimensions")
    range = d * [None] if range is None else range
    if len(range) != d:
        raise ValueError(f"range: there are {len(range)}, but the sample has {d} dimensions")
    dimensions = [_dimension(c, b, r, i) for i, (c, b, r) in enumerate(zip(columns, bins, range))]
    columns, edges, binnings = ([x[k] for x in dimensions] for k in (0, 1, 2))
    if weights is not None:
        weights = flat(_weights_in(weights, columns[0]))
        if weights.size != columns[0].size:
            raise ValueError("weights: must have one for each sample")
    if d == 1:
        counts = (
            _counts(columns[0], binnings[0])
            if weights is None
            else _weighted(columns[0], binnings[0], weights)
        )
    elif d <= _MOST_AXES:
        counts = _table(columns, binnings, weights)
    else:
        counts = _by_index(columns, binnings, weights)
    counts = counts.astype(float, order="C")
    if density:
        total = counts.sum()
        for i, e in enumerate(edges):
            shape = [1] * d
            shape[i] = -1
            counts = counts / np.diff(e).reshape(shape)
        counts /= total
    return HistogramResult2D((counts, edges))


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """numpy.histogram2d: (counts, edges of x, edges of y).

    Errors are those of histogramdd().

    >>> iw.histogram2d([0.0, 1.0], [0.0, 1.0], bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    x, y = unmasked(x, "x"), unmasked(y, "y")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("x, y: arrays of one dimension and the same length are needed")
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [np.asarray(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return HistogramResult2D((counts, edges[0], edges[1]))


def digitize(x, bins, right=False):
    """numpy.digitize: for each element the number of edges that are not above it or, if right, below it; the edges
    may fall, too.

    The result has the shape of x, of 64-bit integers. Errors: ValueError for edges that neither rise nor fall.

    >>> iw.digitize([0.5, 1.0, 9.0], [0, 1, 2])
    array([1, 2, 3])
    """
    x, edges = array_in(x, "x"), values_in(bins, "bins")
    if is_on_device(x):
        raise ValueError("x: has to be in host memory")
    if edges.ndim != 1:
        raise ValueError(f"bins: edges of one dimension are needed, not of {edges.ndim}")
    edges = array_in(edges, "bins")
    if is_sorted(edges) and (edges.size == 0 or edges[-1] == edges[-1]):
        return _passed(x, edges, right)
    if x.size < _FEW and is_sorted(edges, descending=True) and edges[0] > edges[-1]:  # not 0 before -0, which rise
        return searchsorted(edges, x, "right" if right else "left", descending=True)
    if edges.dtype.kind in "fV" and np.isnan(edges).any():
        return np.digitize(x, edges, right)  # in an order of its own
    if (edges[:-1] <= edges[1:]).all():  # with 0 before -0
        return _passed(x, edges + edges.dtype.type(0), right)
    if not (edges[:-1] >= edges[1:]).all():
        raise ValueError("bins: must be monotonically increasing or decreasing")
    return edges.size - _passed(x, edges[::-1] + edges.dtype.type(0), right)


_FEW = 4096  # elements, for which a search is faster than a table


def _passed(x, edges, right):
    """The number of edges, which rise, that each element passes: that are not above it or, if right, below it."""
    if x.size < _FEW or edges.size < 2:
        return searchsorted(edges, x, "left" if right else "right")
    shape, x = x.shape, _samples(x)
    dtype = x.dtype
    cuts, below, above = toward(edges, dtype, not right)
    if below is not None:
        never = above | (cuts == limits_of(dtype)[1]) if right else above
        always, cuts, infinite = int(below.sum()), cuts[~(below | never)], 0
        cuts = cuts + dtype.type(1) if right else cuts
    else:
        with np.errstate(over="ignore"):
            cuts = np.nextafter(cuts[~np.isposinf(cuts)], dtype.type(np.inf)) if right else cuts
        always, infinite = int(np.isneginf(cuts).sum()), int(np.isposinf(cuts).sum())
        cuts = cuts[np.isfinite(cuts)]
    known = np.unique(cuts)
    if known.size < 2:
        return searchsorted(edges, x, "left" if right else "right").reshape(shape)
    passed = always + np.searchsorted(cuts, known, "right")
    # By the library's indices: those of its bins, below and above them, and NaN.
    table = np.concatenate((passed[:-1], [always, passed[-1], edges.size]))
    found = np.empty(x.size, np.uint16 if table.size < 2**16 else np.uint32)
    _core.digitize(dtype, x.size, x, (known.size - 1, None, None, known, _COUNT, 0), found.dtype, found)
    made = table[found]
    if infinite:
        made[np.isposinf(x)] += infinite
    return made.reshape(shape)


# ---- Axes by a transform ----------------------------------------------------------------------------------


def _transformed_edges(lo, hi, bins, power, dtype):
    dtype = np.dtype(dtype)
    code = code_of(dtype, "dtype")
    edges = np.empty(_count_of(bins) + 1, dtype)
    ends = (np.array(lo, dtype), np.array(hi, dtype))
    _core.transformed_edges(code, *ends, edges.size - 1, float(power), edges)
    return edges


def log_edges(lo, hi, bins, dtype="float64"):
    """Edges of a logarithmic axis, for `bins` of histogram and others: lo * (hi/lo)**(k/bins), each rounded
    once to the nearest value of the type, so that they are the same on every machine.

    The result has bins + 1 elements. Errors: ValueError if lo or hi is not positive.

    >>> iw.log_edges(1, 1000, 3)
    array([   1.,   10.,  100., 1000.])
    """
    return _transformed_edges(lo, hi, bins, 0, dtype)


def power_edges(lo, hi, bins, power, dtype="float64"):
    """Edges of an axis that is even in x**power: (lo**p + (hi**p - lo**p) * k/bins)**(1/p), each rounded
    once to the nearest value of the type. power: 1/64 to 64, or -64 to -1/64.

    >>> iw.power_edges(0, 4, 2, 0.5)
    array([0., 1., 4.])
    """
    if not isinstance(power, _Real) or not 2**-6 <= abs(power) <= 2**6:
        raise ValueError(f"power: {power}; valid are 1/64 to 64, and -64 to -1/64")
    return _transformed_edges(lo, hi, bins, power, dtype)
