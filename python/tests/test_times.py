# SPDX-License-Identifier: Apache-2.0
"""datetime64 and timedelta64 beside NumPy."""

import bisect

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.extra import numpy as hnp

import isowarp as iw

DTYPES = ["M8[s]", "m8[ns]", "M8[D]", ">m8[us]"]
units = st.sampled_from([np.iinfo("i8").min, np.iinfo("i8").min + 1, -1, 0, 1, 2, 10**9, np.iinfo("i8").max])


@st.composite
def times(draw, max_dims=2):
    shape = draw(hnp.array_shapes(max_dims=max_dims, max_side=6))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    a = draw(hnp.arrays("i8", shape, elements=units)).view(dtype.newbyteorder("="))
    return (a if draw(st.booleans()) else np.ascontiguousarray(a.T).T).astype(dtype)


def same(got, wanted):
    assert got.dtype == wanted.dtype.newbyteorder("=") and np.shape(got) == np.shape(wanted)
    np.testing.assert_array_equal(got, wanted)


@hypothesis.given(times(), st.data())
def test_orders(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    same(iw.sort(a, axis), np.sort(a, axis))
    same(iw.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    same(
        iw.lexsort(list(a), -1) if a.ndim == 2 else iw.lexsort([a]),
        np.lexsort(list(a), -1) if a.ndim == 2 else np.lexsort([a]),
    )
    for ours, theirs in ((iw.min, np.min), (iw.max, np.max), (iw.argmin, np.argmin), (iw.argmax, np.argmax)):
        same(ours(a, axis), theirs(a, axis))
        same(ours(a), theirs(a))
    kth = data.draw(st.integers(0, a.shape[axis] - 1))
    at = np.take_along_axis(a, iw.argpartition(a, kth, axis), axis).take(kth, axis)
    np.testing.assert_array_equal(at, np.sort(a, axis).take(kth, axis))
    same(iw.nth_element(a, kth, axis), np.sort(a, axis).take(kth, axis))


@hypothesis.given(times(), times())
def test_groups_and_searches(a, v):
    for got, wanted in zip(iw.unique(a, True, True, True), np.unique(a, True, True, True)):
        same(got, wanted)
    ordered = np.sort(a.reshape(-1))
    assert iw.is_sorted(ordered)
    if a.dtype == v.dtype:  # other units may overflow
        same(iw.searchsorted(ordered, v), np.searchsorted(ordered, v))
        other = np.sort(v.reshape(-1))
        same(iw.merge(ordered, other), np.sort(np.concatenate((ordered, other))))


@pytest.mark.parametrize("n", [0, 1, 10, 1024, 1025, 20000])
@pytest.mark.parametrize("layout", ["plain", "stepped", "swapped", "read-only"])
def test_orders_by_definition(n, layout):
    """Few and many times, with NaT and both ends: ordered as integers, NaT last (argmin: first), the input kept."""
    random = np.random.default_rng(n)
    bits = random.choice([-(2**63), 1 - 2**63, -1, 0, 5, 2**63 - 1, *range(100, 110)], n)
    a = bits.view("M8[us]").astype(">M8[us]" if layout == "swapped" else "M8[us]")
    a = np.repeat(a, 2)[::2] if layout == "stepped" else a
    a.flags.writeable = layout != "read-only"
    keys = [(b == -(2**63), b) for b in bits.tolist()]
    order = sorted(range(n), key=lambda i: keys[i])
    ordered, ranked = bits[order].view("M8[us]"), sorted(keys)
    same(iw.sort(a), ordered)
    same(iw.argsort(a), np.array(order, "i8"))
    same(iw.lexsort([a]), np.array(order, "i8"))
    same(iw.merge(ordered, ordered), np.repeat(ordered, 2))
    same(iw.searchsorted(ordered, a), np.array([bisect.bisect_left(ranked, k) for k in keys], "i8"))
    same(iw.unique(a), np.array([b for _, b in sorted(set(keys))], "i8").view("M8[us]"))
    same(iw.compress(bits > 0, a), bits[bits > 0].view("M8[us]"))
    if n:
        same(iw.nth_element(a, n // 2), ordered[n // 2])
        same(iw.nth_element(a, -1), ordered[-1])
        same(iw.searchsorted(ordered, ordered[0]), np.int64(0))
        same(iw.argmax(a), np.int64(min(range(n), key=lambda i: (not keys[i][0], -keys[i][1]))))
        same(iw.argmin(a), np.int64(min(range(n), key=lambda i: (not keys[i][0], keys[i][1]))))
        same(iw.max(a), bits.min().view("M8[us]") if bits.min() == -(2**63) else bits.max().view("M8[us]"))
        same(iw.min(a), bits.min().view("M8[us]"))
        assert iw.argpartition(a, n // 2)[n // 2] in np.flatnonzero(bits == ordered[n // 2].astype("i8"))
    np.testing.assert_array_equal(a.astype("i8"), bits)
    for nth in (n, -n - 1, 2**70):
        with pytest.raises(ValueError, match="nth: .* is no index"):
            iw.nth_element(a, nth)


def test_where_times_are_not_taken():
    """Errors of times say what an argument has, whatever its layout, and are made when they are printed."""
    dates = np.array(["2026-11-28", "NaT"], "M8[D]")
    for a in (dates, dates[::-1], dates.astype(">M8[D]"), list(dates), dates[0]):
        for function in (iw.sum, iw.median, iw.mean, iw.any, iw.cumulative_sum, iw.histogram):
            with pytest.raises(TypeError, match=r": elements of type datetime64\[D\] are not supported; supported are"):
                function(a)
    with pytest.raises(TypeError, match="condition: elements of type datetime64"):
        iw.compress(dates, dates)
    with pytest.raises(TypeError, match="elements of type timedelta64"):
        iw.sort(dates, payloads=[dates - dates])
    with pytest.raises(TypeError, match="see nth_element"):
        iw.partition(dates, "<", 1)
    same(iw.merge(dates[:1], dates[:1].astype("M8[s]")), np.repeat(dates[:1], 2).astype("M8[s]"))


def test_other_functions():
    a = np.array(["2026-11-28", "NaT", "2026-01-01", "2026-11-28"], "M8[D]")
    values, index = iw.topk(a, 2, largest=False)
    same(values, np.array(["2026-01-01", "2026-11-28"], "M8[D]"))
    assert index.tolist() == [2, 0]
    same(iw.compress([1, 0, 0, 1], a), a[[0, 3]])
    keys, sums = iw.group_by(a, [1, 2, 3, 4])
    same(keys, np.array(["2026-01-01", "2026-11-28", "NaT"], "M8[D]"))
    assert sums.tolist() == [3, 5, 2]
    assert iw.min(a[[0, 2]], initial=np.datetime64("2020-01-01")) == np.datetime64("2020-01-01")
    same(iw.searchsorted(np.sort(a), np.datetime64("2026-06-01T12")), np.int64(1))
    moved, (numbers,) = iw.sort(a, payloads=[np.arange(4, dtype="u8")]), ([],)
    assert moved[1][0].tolist() == [2, 0, 3, 1] and moved[1][0].dtype == np.uint64
    with pytest.raises(TypeError, match="datetime64"):
        iw.sum(a)


SECONDS = np.array([1, 5, 9], "m8[s]")
DATES = SECONDS.astype("i8").view("M8[s]")


@pytest.mark.parametrize("v", [[0, 10], 5, True, np.int8(9), [], np.array([1500, 9000], "m8[ms]"), np.array([2], "u4")])
def test_times_beside_integers(v):
    for side in ("left", "right"):
        same(iw.searchsorted(SECONDS, v, side), np.searchsorted(SECONDS, v, side))
    same(iw.searchsorted([1, 2, 9], SECONDS), np.searchsorted([1, 2, 9], SECONDS))
    if np.size(v):
        v = np.reshape(v, -1)
        same(iw.merge(SECONDS, v), np.sort(np.concatenate((SECONDS, v))))
        same(iw.merge(v, SECONDS), np.sort(np.concatenate((SECONDS, v))))


@pytest.mark.parametrize("call", [iw.searchsorted, iw.merge])
@pytest.mark.parametrize("a", [SECONDS, DATES])
@pytest.mark.parametrize("b", [[1.0], np.array([1], "u8"), ["1"], SECONDS, DATES, np.array([1])])
def test_times_beside_another_kind(call, a, b):
    if b is a or (a is SECONDS and np.asarray(b).dtype == np.int64):
        return  # these have one
    for first, second in ((a, b), (b, a)):
        with pytest.raises(TypeError, match="have no common type"):
            call(first, second)


def test_keys_without_dimensions():
    class Derived(np.ndarray):
        pass

    for view in (np.ndarray, Derived):
        number, time = np.array(0, "i2").view(view), np.array(0, "M8[s]").view(view)
        assert iw.lexsort([number, time]) == 0 and iw.lexsort([time, time]) == 0
    with pytest.raises(TypeError, match="elements of uint64 and timedelta64"):
        iw.searchsorted(np.arange(3, dtype=">u8"), np.array([1], ">m8[ms]"))


@pytest.mark.parametrize("a", [SECONDS, DATES, DATES.astype(">M8[s]")])
def test_initial_values(a):
    minute = np.array(1, a.dtype.newbyteorder("=")).astype(a.dtype.kind + "8[m]")[()]
    for initial in (0, 7, np.int64(100), "NaT", minute, -1):
        same(iw.min(a, initial=initial), np.min(a, initial=initial))
        same(iw.max(a, initial=initial), np.max(a, initial=initial))
        mask = [True, False, False]
        same(iw.min(a, initial=initial, where=mask), np.min(a, initial=initial, where=mask))
        same(iw.max(a[:0], initial=initial), np.max(a[:0], initial=initial))
    other = DATES[0] if a.dtype.kind == "m" else SECONDS[0]
    for initial in (1.5, other, [1, 2], "no date"):
        with pytest.raises(TypeError, match="initial: .* is no value of the type"):
            iw.min(a, initial=initial)
    with pytest.raises(ValueError, match="no whole number of units"):
        iw.min(a, initial=np.array(1500, a.dtype.kind + "8[ms]")[()])


@pytest.mark.parametrize("a", [SECONDS, DATES])
def test_out_of_times(a):
    for dtype in (a.dtype, a.dtype.newbyteorder()):
        out = np.zeros((), dtype)
        assert iw.max(a, out=out) is out and out == a[2]
        out = np.zeros((2, 2), dtype)[:, 0]
        assert iw.compress([1, 0, 1], a, out=out) is out and (out == a[[0, 2]]).all()
        assert iw.min(a.reshape(1, 3), 1, (out[:1],))[0] == out[0] == a[0]
    other = "M8[s]" if a.dtype.kind == "m" else "m8[s]"
    for dtype in ("i8", "u8", "f8", a.dtype.kind + "8[ms]", other, "O"):
        with pytest.raises(TypeError, match="out: has elements of"):
            iw.max(a, out=np.zeros((), dtype))
        with pytest.raises(TypeError, match="out: has elements of"):
            iw.compress([1, 0, 1], a, out=np.zeros(2, dtype))
    with pytest.raises(ValueError, match="out: has the shape"):
        iw.max(a, out=np.zeros(1, a.dtype))


@pytest.mark.parametrize("function", [iw.sort, iw.max, iw.unique, iw.argsort, iw.topk])
def test_lists_of_several_kinds(function):
    """Of a list NumPy has a type for, or a TypeError: numbers, durations, texts and None are no dates."""
    date, days = np.datetime64("2020-01-05"), np.timedelta64(3, "D")
    arguments = (1,) if function is iw.topk else ()
    for other in (days, 5, 1.5, "2021", None, True):
        for mixed in ([date, other], [other, date], [[date, other], [date, date]]):
            with pytest.raises(TypeError, match="a: elements of .*datetime64.* have no common type"):
                function(mixed, *arguments)
    for mixed in ([days, 1.5], [1.5, days], [days, None]):
        with pytest.raises(TypeError, match="a: elements of .*timedelta64.* have no common type"):
            function(mixed, *arguments)
    for good in ([days, 5], [date, np.datetime64("2019")], [[date, date], [np.datetime64("2019"), date]]):
        wanted = function(np.array(good), *arguments)
        for x, y in zip(*((r if isinstance(r, tuple) else (r,)) for r in (function(good, *arguments), wanted))):
            np.testing.assert_array_equal(x, y, strict=True)
