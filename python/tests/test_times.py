# SPDX-License-Identifier: Apache-2.0
"""datetime64 and timedelta64 beside NumPy."""

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
    with pytest.raises(TypeError):
        iw.max(a, out=np.empty((), "M8[D]"))
