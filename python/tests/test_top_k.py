# SPDX-License-Identifier: Apache-2.0
"""Top-k, n-th elements, medians, and merges of sorted arrays, by stable sorts of NumPy."""

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import isowarp as iw
from conftest import FLOATS, TYPES, ranks, same, views


def stable_order(a, descending=False, axis=-1):
    """The indices that a stable sort in the library's order gives."""
    rank = ranks(a.reshape(-1))
    if descending:
        rank = np.array([-int(r) for r in rank], "O")
    return np.argsort(rank.reshape(a.shape), axis, kind="stable")


def native(a):
    return np.ascontiguousarray(a.astype(a.dtype.newbyteorder("=")))


@given(views(max_side=20), st.booleans(), st.data())
def test_topk(a, largest, data):
    axis = data.draw(st.sampled_from([None] + list(range(-a.ndim, a.ndim))))
    a_native = native(a).reshape(-1) if axis is None else native(a)
    along = -1 if axis is None else axis
    k = data.draw(st.integers(0, a_native.shape[along]))
    order = np.take(stable_order(a_native, largest, along), range(k), along)
    values, indices = iw.topk(a, k, axis, largest=largest)
    same(indices, order)
    same(values, np.take_along_axis(a_native, order, along))


# Inputs of tests/suites/check_top_k.c: the library sorts some and samples others.
@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "u1", "f2"])
@pytest.mark.parametrize("kind", ["random", "descending", "equal", "half_equal"])
def test_topk_of_many(dtype, kind):
    rng = np.random.default_rng(3)
    for shape in ((4095,), (70001,), (3, 9000), (700, 65)):
        a = rng.integers(0, 10**6, shape).astype("f8")
        a = (a % 65000 if dtype == "f2" else a).astype(dtype)
        if kind == "descending":
            a = np.sort(a, axis=-1)[..., ::-1]
        elif kind != "random":
            a = np.where(rng.integers(0, 2, shape) if kind == "half_equal" else True, a.flat[0], a)
        down = a.astype("f8") if a.dtype.kind == "f" else a.astype("i8")
        for largest in (True, False):
            order = np.argsort(-down if largest else down, axis=-1, kind="stable")
            for k in {1, 10, a.shape[-1] // 2, a.shape[-1]}:
                values, indices = iw.topk(a, k, largest=largest)
                same(indices, order[..., :k])
                same(values, np.take_along_axis(a, order[..., :k], -1))


def test_topk_special():
    x = np.array([np.nan, 1, -0.0, 0.0, -np.inf, -np.nan, np.inf, -0.0], "f4")
    same(iw.topk(x, 4)[1], np.array([0, 5, 6, 1]))
    same(iw.topk(x, 5, largest=False)[1], np.array([4, 2, 7, 3, 1]))
    values, indices = iw.topk(np.zeros((3, 0), "i2"), 0)
    assert values.shape == indices.shape == (3, 0) and values.dtype == np.int16
    same(iw.topk([3, 9, 9], 2)[1], np.array([1, 2]))


@given(views(max_side=20), st.data())
def test_nth_element(a, data):
    axis = data.draw(st.sampled_from([None] + list(range(-a.ndim, a.ndim))))
    a_native = native(a).reshape(-1) if axis is None else native(a)
    along = -1 if axis is None else axis
    n = a_native.shape[along]
    if n == 0:
        with pytest.raises(ValueError, match="nth: 0 is no index"):
            iw.nth_element(a, 0, axis)
        return
    nth = data.draw(st.integers(-n, n - 1))
    order = np.take(stable_order(a_native, False, along), [nth], along)
    value, index = iw.nth_element(a, nth, axis, return_index=True)
    same(index, np.squeeze(order, along))
    same(value, np.squeeze(np.take_along_axis(a_native, order, along), along))
    same(value, iw.nth_element(a, nth, axis))


@pytest.mark.parametrize("shape", [(5000,), (100000,), (2, 5001), (2000, 9)])
def test_nth_element_of_many(shape):
    a = np.random.default_rng(2).integers(0, 300, shape).astype("f4")
    for nth in (0, 7, shape[-1] // 2, -1):
        value, index = iw.nth_element(a, nth, return_index=True)
        same(value, np.partition(a, nth)[..., nth])
        same(index, np.argsort(a, -1, kind="stable")[..., nth])


@given(views(FLOATS + ["int8", "uint16", "int64", "bool"], max_side=7), st.booleans(), st.data())
def test_median(a, keepdims, data):
    axis = data.draw(
        st.one_of(
            st.none(),
            st.integers(-a.ndim, a.ndim - 1),
            st.lists(st.integers(0, a.ndim - 1), min_size=1, unique=True).map(tuple),
        )
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's of empty slices and overflow
        right = (np.median if a.size else np.mean)(native(a), axis, keepdims=keepdims)
        if a.size and a.dtype.kind == "f" and np.isinf(right).any():  # NumPy's sum of two may overflow
            wide = np.median(native(a).astype("g"), axis, keepdims=keepdims)
            right = np.where(np.isinf(right), wide, right).astype(right.dtype)[()]
        made = iw.median(a, axis, keepdims=keepdims)
        assert np.asarray(made).dtype == right.dtype and type(made) is type(right)
        np.testing.assert_array_equal(made, right)
        if right.ndim:
            out = np.empty(right.shape, right.dtype)
            assert iw.median(a, axis, out, keepdims=keepdims) is out
            np.testing.assert_array_equal(out, right)


@pytest.mark.parametrize("n", [4096, 4097, 20000, 20001])
def test_median_of_many(n):
    rng = np.random.default_rng(n)
    for dtype in ("f4", "f8", "i8"):
        a = (rng.standard_normal((2, n)) * 1000).astype(dtype)
        same(iw.median(a), np.median(a))
        same(iw.median(a, axis=1), np.median(a, axis=1))
        if dtype != "i8":
            a[1, n // 3] = np.nan
            np.testing.assert_array_equal(iw.median(a, axis=1), np.median(a, axis=1))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "bfloat16"])
def test_median_of_the_largest_numbers(dtype):
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
    most = np.nextafter(dtype.type(np.inf), dtype.type(0))
    below = np.nextafter(most, dtype.type(0))
    below2 = np.nextafter(below, dtype.type(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(iw.median(np.array([most] * 4, dtype)), most)
        rows = np.array([[most, below2], [-most, -below2], [-most, most]], dtype)
        same(iw.median(rows, 1), np.array([below, -below, 0], dtype))
        same(iw.median(np.array([most, np.inf], dtype)), dtype.type(np.inf))


@given(st.sampled_from(TYPES), st.sampled_from(TYPES), st.booleans(), st.data())
def test_merge_and_is_sorted(first, second, descending, data):
    with np.errstate(all="ignore"):
        x, y = (data.draw(hnp.arrays(dtype, st.integers(0, 40))) for dtype in (first, second))
        dtype = np.promote_types(x.dtype, y.dtype)
        if dtype == "f8" and {x.dtype.kind, y.dtype.kind} == {"i", "u"}:
            dtype = np.dtype("i8")
        a, b = (iw.sort(z.astype(dtype), descending=descending) for z in (x, y))
        both = np.concatenate((a, b))
        order = stable_order(both, descending)
        made, index = iw.merge(a, b, descending=descending, return_index=True)
        same(made, both[order])
        same(index, order)
        same(made, iw.merge(a, b, descending=descending))
        same(
            iw.merge(np.sort(np.arange(9).astype(first)), np.sort(np.arange(3, 20).astype(second))),
            np.sort(np.concatenate((np.arange(9).astype(first), np.arange(3, 20).astype(second)))).astype(dtype),
        )
        is_sorted = bool((np.diff(ranks(x) if not descending else -ranks(x)) >= 0).all())
        assert iw.is_sorted(x, descending=descending) is is_sorted
        assert iw.is_sorted(made, descending=descending)


def test_merge_of_many():
    rng = np.random.default_rng(4)
    a, b = np.sort(rng.integers(0, 1000, 30000)), np.sort(rng.integers(0, 1000, 777))
    made, index = iw.merge(a, b, return_index=True)
    both = np.concatenate((a, b))
    same(index, np.argsort(both, kind="stable"))
    same(made, both[index])
    assert iw.is_sorted(made) and not iw.is_sorted(both)
    made[29999] = 0
    assert not iw.is_sorted(made)


@pytest.mark.parametrize("backend", ["sim", "cuda"])
def test_on_a_device(backend):
    try:
        context = iw.Context(backend)
    except iw.Error as error:
        pytest.skip(str(error))
    x = np.random.default_rng(5).integers(0, 50, 6000).astype("f4")
    d = iw.to_device(x, context)
    for got, right in zip(iw.topk(d, 9), iw.topk(x, 9)):
        assert isinstance(got, iw.DeviceArray)
        same(got.to_host(), right)
    for got, right in zip(iw.topk(d.reshape(3, 2000), 5, largest=False), iw.topk(x.reshape(3, 2000), 5, largest=False)):
        same(got.to_host(), right)
    assert iw.nth_element(d, 17, return_index=True) == iw.nth_element(x, 17, return_index=True)
    same(iw.median(d), np.median(x))
    ordered = iw.sort(d)
    assert iw.is_sorted(ordered) and not iw.is_sorted(d)
    for got, right in zip(iw.merge(ordered, ordered, return_index=True), iw.merge(*[np.sort(x)] * 2, return_index=True)):
        same(got.to_host(), right)
    x[3] = np.nan
    assert np.isnan(iw.median(iw.to_device(x, context)))
    with pytest.raises(ValueError, match="axis: a top-k of a device array"):
        iw.topk(d.reshape(3, 2000), 5, 0)
    with pytest.raises(ValueError, match="a: a device array of one dimension"):
        iw.nth_element(d.reshape(3, 2000), 5)
    with pytest.raises(ValueError, match="a: a device array has a median of all"):
        iw.median(d.reshape(3, 2000), 1)
    with pytest.raises(ValueError, match="b: has to be where a is"):
        iw.merge(d, x)


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: iw.topk([1, 2], 3), ValueError, r"k: 3 is not in 0 \.\.\. 2"),
        (lambda: iw.topk([1, 2], -1), ValueError, "k: -1 is not in"),
        (lambda: iw.topk([1, 2], 1.5), TypeError, "float"),
        (lambda: iw.topk([1, 2], 1, 1), ValueError, "axis"),
        (lambda: iw.topk(3, 1), ValueError, "axis -1 is out of bounds for array of dimension 0"),
        (lambda: iw.topk([1j], 1), TypeError, "a: elements of type"),
        (lambda: iw.nth_element([1, 2], 2), ValueError, "nth: 2 is no index of the 2"),
        (lambda: iw.nth_element([1, 2], 0, 2), ValueError, "axis"),
        (lambda: iw.median(["x"]), TypeError, "a: elements of type"),
        (lambda: iw.median([1, 2], 1), ValueError, "axis"),
        (lambda: iw.merge([[1]], [1]), ValueError, "a: an array of one dimension"),
        (lambda: iw.merge([1], [1j]), TypeError, "b: elements of type"),
        (lambda: iw.is_sorted([[1]]), ValueError, "a: an array of one dimension"),
    ],
)
def test_errors(call, error, part):
    with pytest.raises(error, match=part):
        call()
