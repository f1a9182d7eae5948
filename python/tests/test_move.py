# SPDX-License-Identifier: Apache-2.0
"""Partition, selection, runs, multisplit, sorts and searches."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import isowarp as iw
from conftest import INTEGERS, TYPES, ranks, same, views

COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}


def native(a):
    return np.ascontiguousarray(a.astype(a.dtype.newbyteorder("=")))


@given(views(max_dims=1, max_side=60), st.sampled_from(sorted(COMPARISONS)), st.data())
def test_comparison(a, name, data):
    value = data.draw(st.sampled_from(a.tolist() or [a.dtype.type(1).item()]))
    with np.errstate(all="ignore"):
        mask = COMPARISONS[name](native(a), a.dtype.newbyteorder("=").type(value))
    a_native = native(a)
    passed, others = iw.partition(a, name, value)
    same(passed, a_native[mask])
    same(others, a_native[~mask])
    same(iw.select(a, name, value), a_native[mask])
    same(iw.where(a, name, value), np.flatnonzero(mask))


@given(views(max_dims=1, max_side=60), st.data())
def test_mask_and_payloads(a, data):
    mask = data.draw(hnp.arrays(st.sampled_from(["?", "i4", "u1"]), a.shape))
    other = np.arange(a.size) * 3
    a_native, kept = native(a), mask != 0
    passed, others, [(p, q)] = iw.partition(a, mask, payloads=[other])
    same(passed, a_native[kept])
    same(others, a_native[~kept])
    same(p, other[kept])
    same(q, other[~kept])
    same(iw.compress(mask, a), a_native[kept])
    chosen, [payload] = iw.select(a, mask, payloads=[other])
    same(chosen, a_native[kept])
    same(payload, other[kept])


def test_compress():
    x = np.arange(12).reshape(3, 4)
    for condition, axis in (([1, 0, 1], 0), ([0, 1, 1, 0], 1), ([0, 1, 1], None), ([True], 0)):
        same(iw.compress(condition, x, axis=axis), np.compress(condition, x, axis=axis))
    out = np.zeros(2, int)
    assert iw.compress([1, 0, 1], np.arange(3), out=out) is out and out[1] == 2
    with pytest.raises(IndexError, match="condition"):
        iw.compress([1, 1], np.arange(1))


@given(hnp.arrays(st.sampled_from(TYPES), st.integers(0, 80), elements=st.integers(0, 1)))
def test_runs(a):
    heads = np.flatnonzero(np.concatenate(([True], a[1:] != a[:-1]))) if a.size else np.zeros(0, int)
    lengths = np.diff(np.concatenate((heads, [a.size]))) if a.size else heads
    same(iw.unique_consecutive(a), a[heads])
    values, index, counts = iw.unique_consecutive(a, return_index=True, return_counts=True)
    same(values, a[heads])
    same(index, heads)
    same(counts, lengths)
    values, counts = iw.run_lengths(a)
    same(values, a[heads])
    same(counts, lengths)
    same(np.repeat(values, counts), a)


@given(
    hnp.arrays(st.sampled_from(["f4", "f8", "i4", "u1"]), st.integers(0, 80), elements=st.integers(0, 20))
)
def test_multisplit(a):
    edges = np.array([2, 5, 9, 15], a.dtype)
    bucket = np.where((a >= 2) & (a <= 15), np.minimum(np.searchsorted(edges, a, side="right") - 1, 2), 3)
    order = np.argsort(bucket, kind="stable")
    elements, offsets, index, [payload] = iw.multisplit(
        a, edges, order=True, payloads=[np.arange(a.size) * 2]
    )
    same(elements, a[order])
    same(index, order)
    same(payload, order * 2)
    same(offsets, np.searchsorted(bucket[order], [0, 1, 2, 3]))
    same(iw.multisplit(a, edges)[0], a[order])
    three = np.where(a < 7, 0, np.where(a == 7, 1, 2))
    elements, offsets = iw.multisplit(a, pivot=7)
    same(elements, a[np.argsort(three, kind="stable")])
    assert offsets[-1] == a.size
    if a.dtype.kind in "iu":
        elements, offsets = iw.multisplit(a, bits=(1, 3))
        same(elements, a[np.argsort((a >> 1) & 7, kind="stable")])
        assert offsets.size == 9


@given(
    hnp.arrays(st.sampled_from(TYPES), st.integers(0, 40), elements=None),
    st.one_of(
        st.integers(1, 40),
        st.lists(st.integers(-300, 300).map(lambda k: k / 4), min_size=2, max_size=9).map(sorted),
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=4).map(sorted),
    ),
    st.sampled_from([None, (0, 9), (-3.5, 300)]),
)
def test_multisplit_has_the_bins_of_histogram(a, bins, range):
    with np.errstate(all="ignore"):
        try:
            counts, edges = iw.histogram(a, bins, range)
            elements, offsets, index = iw.multisplit(a, bins, range=range, order=True)
        except ValueError as error:  # the range has an infinity, or the largest value is an edge of two bins
            assert any(word in str(error) for word in ("not finite", "too many bins", "edges have to be")), error
            return
    same(np.diff(offsets), counts)
    same(elements, a[index])
    assert offsets[0] == 0 and sorted(index.tolist()) == list(np.arange(a.size))
    for k, (low, high) in enumerate(zip(edges.tolist(), edges[1:].tolist())):
        inside = elements[offsets[k] : offsets[k + 1]].tolist()
        assert all(low <= x <= high for x in inside) or isinstance(bins, int)


def test_multisplit_of_integers():
    elements, offsets = iw.multisplit(np.arange(10)[::-1], 10)
    same(elements, np.arange(10))
    same(offsets, np.arange(11))
    same(iw.multisplit(np.array([0, 255, 7, 255], "u1"), [0, 8, 256])[1], np.array([0, 2, 4]))
    same(iw.multisplit(np.array([3, -128, 5], "i1"), [-1000, -128, 4, 4, 4.5])[1], np.array([0, 0, 2, 2, 2]))
    same(iw.multisplit(np.array([True, False, True]), 2)[1], np.array([0, 1, 3]))
    for dtype in INTEGERS:
        for value in (0, np.iinfo(dtype).min, np.iinfo(dtype).max):
            a = np.full(3, value, dtype)
            for bins in (1, 2, 3):
                counts, _ = iw.histogram(a, bins)
                assert counts.sum() == 3 and counts.max() == 3
                try:
                    same(np.diff(iw.multisplit(a, bins)[1]), counts)
                except ValueError as error:
                    assert "edges have to be" in str(error) or "too many bins" in str(error), error


@given(
    hnp.arrays(
        st.sampled_from(["?", "i1", "u1", "i4", "i8", "u8", "f4", "f8"]), st.integers(0, 60), elements=st.integers(0, 1)
    ),
    st.integers(1, 9),
    st.integers(1, 40),
)
def test_multisplit_bins_without_a_value(a, factor, bins):
    if a.dtype != np.bool_:
        a = a * factor + (np.arange(a.size) % 7).astype(a.dtype)
    for edges in (bins, [-np.inf, 0.25, 0.75, 3, np.inf], [0.1, 0.2], [0, 0, 1, 1, 2]):
        samples = a.view(np.uint8) if a.dtype == np.bool_ else a
        counts, cuts = np.histogram(samples, edges)
        elements, offsets, order = iw.multisplit(a, edges, order=True)
        assert elements.dtype == a.dtype
        same(np.diff(offsets), counts)
        same(elements, a[order])
        for k in range(len(cuts) - 1):
            part = samples[order[offsets[k] : offsets[k + 1]]]
            assert ((cuts[k] <= part) & ((part < cuts[k + 1]) | (k + 2 == len(cuts)) & (part == cuts[k + 1]))).all()
            assert (np.diff(order[offsets[k] : offsets[k + 1]]) > 0).all()


@given(
    hnp.arrays(
        st.sampled_from(["f2", "f4", "f8", "i1", "u1", "?", "i2", "u2", "i4", "u4", "i8", "u8"]),
        st.integers(0, 60),
        elements=None,
    ),
    st.booleans(),
)
def test_sort(a, descending):
    rank = ranks(a)
    if descending:
        rank = np.array([-int(r) for r in rank], "O" if a.dtype.kind != "f" else "i8")
    order = np.argsort(rank, kind="stable")
    same(iw.sort(a, descending=descending), a[order])
    same(iw.argsort(a, descending=descending), order)
    elements, [payload] = iw.sort(a, descending=descending, payloads=[np.arange(a.size, dtype="i2")])
    same(elements, a[order])
    same(payload, order.astype("i2"))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_sort_axes(axis, dtype):
    a = np.random.default_rng(1).integers(0, 50, (3, 40, 7)).astype(dtype)
    same(iw.sort(a, axis), np.sort(a, axis, kind="stable"))
    same(iw.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    same(iw.sort(a[:, ::2], axis), np.sort(a[:, ::2], axis, kind="stable"))
    assert iw.sort(np.empty((0, 3)), 0).shape == iw.argsort(np.empty((3, 0))).shape[::-1] == (0, 3)


def test_sort_special():
    x = np.array([np.nan, 1, -0.0, 0.0, -np.inf, -np.nan, np.inf, -0.0])
    same(iw.argsort(x), np.array([4, 2, 7, 3, 1, 6, 0, 5]))
    same(iw.argsort(x, descending=True), np.array([0, 5, 6, 1, 3, 2, 7, 4]))


@given(
    hnp.arrays(st.sampled_from(TYPES), st.integers(0, 60)),
    st.sampled_from(TYPES),
    st.sampled_from(["left", "right"]),
    st.data(),
)
def test_searchsorted(a, dtype, side, data):
    """As NumPy, also of values of another type, NaN, and zeros of both signs in any order."""
    with np.errstate(all="ignore"):
        a = np.sort(a)
        if data.draw(st.booleans()):
            v = data.draw(
                hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=20))
            )
        else:  # many equal ones
            v = data.draw(hnp.arrays("i8", st.integers(0, 20), elements=st.integers(0, max(a.size - 1, 0))))
            v = a[v] if a.size else v.astype(dtype)
        expected = np.searchsorted(a, v, side)
        same(iw.searchsorted(a, v, side), expected)
        order = np.random.default_rng(a.size).permutation(a.size)
        shuffled = np.empty_like(a)
        shuffled[order] = a
        same(iw.searchsorted(shuffled, v, side, sorter=order), expected)
        opposite = np.searchsorted(a, v, "right" if side == "left" else "left")
        same(iw.searchsorted(iw.sort(a, descending=True), v, side, descending=True), a.size - opposite)


def test_searchsorted_zeros():
    a = np.array([-1, 0.0, -0.0, 0.0, 2])
    same(iw.searchsorted(a, [0.0, -0.0]), np.array([1, 1]))
    same(iw.searchsorted(a, [0.0, -0.0], "right"), np.array([4, 4]))
    assert iw.searchsorted(a, 1.5) == 4 and isinstance(iw.searchsorted(a, 1.5), np.int64)


def ends_of(dtype):
    """Elements at which conversions go wrong."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind != "f":
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        near = [2**k + d for k in (8, 24, 53, 62, 63) for d in (-2, -1, 0, 1, 2)]
        return np.array([n for n in [least, least + 1, 0, 1, 5, most - 1, most, *near] if least <= n <= most], dtype)
    about = np.finfo(dtype)
    with np.errstate(over="ignore"):
        near = [2.0**k for k in (8, 24, 53, 62, 63, 64)] + [0.1, 1e39, 65519.0, 65520.0]
        made = np.array([0, 1, 5, about.max, about.smallest_subnormal, np.inf] + near).astype(dtype)
    return np.concatenate((-made, made, np.nextafter(made, dtype.type(0)), np.full(1, np.nan, dtype)))


@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("second", TYPES)
def test_searches_compare_exactly(first, second):
    """By Python's comparisons of integers and floats, which are exact; NaN is above all. Both the shorter array and the
    longer one is the sorted one."""
    first, second = np.dtype(first), np.dtype(second)
    for repeats in (1, 9):
        a, v = np.tile(ends_of(first), 10 - repeats), np.tile(ends_of(second), repeats)
        for descending in (False, True):
            a = iw.sort(a, descending=descending)
            keys = [(x != x, 0 if x != x else x) for x in a.tolist()]
            for side in ("left", "right"):
                found = iw.searchsorted(a, v, side, descending=descending)
                alone = [iw.searchsorted(a, v[i : i + 1], side, descending=descending)[0] for i in range(v.size)]
                assert found.tolist() == alone
                for at, x in zip(found.tolist(), v.tolist()):
                    key = (x != x, 0 if x != x else x)
                    if descending:
                        expected = sum(k > key if side == "left" else k >= key for k in keys)
                    else:
                        expected = sum(k < key if side == "left" else k <= key for k in keys)
                    assert at == expected, (a.dtype, x, v.dtype, side, descending, at, expected)


def test_searches_for_python_numbers():
    a = np.arange(2**62, 2**62 + 50, dtype="u8")
    assert iw.searchsorted(a, 2**62 + 25) == 25 and iw.searchsorted(a, np.int64(2**62 + 25), "right") == 26
    for value, at in ((-1, 0), (2**63, 50), (2**64, 50), (10**400, 50), (-(10**400), 0), (float(2**62), 0), (np.nan, 50)):
        assert iw.searchsorted(a, value) == at
    floats = np.array([-np.inf, -1e300, 0, 2.0**64, 1e300, np.inf])
    assert iw.searchsorted(floats, 2**64) == 3 and iw.searchsorted(floats, 2**64 + 1) == 4
    assert iw.searchsorted(floats, 2**64, "right") == 4 and iw.searchsorted(floats, 2**64 - 1, "right") == 3
    assert iw.searchsorted(floats, 10**400) == 5 and iw.searchsorted(floats, -(10**400), "right") == 1
    same(iw.searchsorted(floats, [0, 2**64]), np.array([2, 3]))
    with pytest.raises(ValueError, match="v: no type holds integers beyond 64 bits"):
        iw.searchsorted(floats, [0, 2**64 + 1])
    small = np.arange(-5, 5, dtype="i1")
    assert iw.searchsorted(small, 300) == 10 and iw.searchsorted(small, -300) == 0 and iw.searchsorted(small, 0.5) == 6
    assert iw.searchsorted(small[::-1], 300, descending=True) == 0
    same(iw.searchsorted(np.array([0.1], "f4"), 0.1, "right"), np.int64(0))  # the float32 is greater
    with pytest.raises(TypeError, match="sorter: integers"):
        iw.searchsorted([1, 2], 1, sorter=[0.0, 1.0])
    with pytest.raises(ValueError, match="sorter: has an index"):
        iw.searchsorted([1, 2], 1, sorter=[0, -1])


def test_searches_of_bfloat16_for_large_integers():
    few = np.array([-np.inf, 1, np.inf], pytest.importorskip("ml_dtypes").bfloat16)
    for value, at in ((-(10**400), 1), (-(2**70), 1), (2**70, 2), (10**400, 2)):
        for side in ("left", "right"):
            assert iw.searchsorted(few, value, side) == at


def test_merges_of_signed_and_unsigned():
    a, b = np.array([-3, 2**62 + 1]), np.array([5, 2**62, 2**62 + 2], "u8")
    made, index = iw.merge(a, b, return_index=True)
    same(made, np.array([-3, 5, 2**62, 2**62 + 1, 2**62 + 2]))
    same(index, np.array([0, 2, 3, 1, 4]))
    top = np.array([2**64 - 1, 2**63], "u8")
    same(iw.merge(top, a[1:], descending=True), np.array([2**64 - 1, 2**63, 2**62 + 1], "u8"))
    same(iw.merge(a[:0], top[::-1]), top[::-1])
    with pytest.raises(TypeError, match="a, b: no type holds"):
        iw.merge(a, top[::-1])


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: iw.partition([1, 2], "=<", 1), ValueError, "test: '=<' is not one of"),
        (lambda: iw.partition([1, 2], "<"), ValueError, "value: is needed"),
        (lambda: iw.partition([1, 2], "<", "1.5"), ValueError, "value: '1.5' is no number"),
        (lambda: iw.multisplit(np.zeros(2, "f4"), pivot="1"), ValueError, "pivot: '1' is no number"),
        (lambda: iw.partition([1, 2], [True]), ValueError, "test: has the shape"),
        (lambda: iw.partition([[1, 2]], [True]), ValueError, "a: an array of one dimension"),
        (lambda: iw.partition([1, 2], [1, 0], payloads=[[1]]), ValueError, r"payloads\[0\]: has 1 elements"),
        (lambda: iw.partition([1, 2], [1, 0], payloads=[[1, 2]] * 8), ValueError, "payloads: 9 arrays"),
        (lambda: iw.multisplit([1, 2]), ValueError, "bins, pivot, bits"),
        (lambda: iw.sort([1, 2], 1), ValueError, "axis"),
        (lambda: iw.sort(3), ValueError, "axis -1 is out of bounds for array of dimension 0"),
        (lambda: iw.sort([1, 2], payloads=[[1]]), ValueError, r"payloads\[0\]: has 1 elements"),
        (
            lambda: iw.sort([[1, 2]], payloads=[[1, 2]]),
            ValueError,
            "payloads: move with arrays of one dimension",
        ),
        (lambda: iw.argsort([1j]), TypeError, "a"),
        (lambda: iw.searchsorted([1, 2], 1, "middle"), ValueError, "side: 'middle'"),
        (lambda: iw.searchsorted([[1, 2]], 1), ValueError, "a: an array of one dimension"),
        (lambda: iw.searchsorted([1, 2], 1, sorter=[0]), ValueError, "sorter: 2 integers"),
        (lambda: iw.searchsorted([1, 2], ["x"]), TypeError, "v: elements of type"),
        (lambda: iw.multisplit([1, 2], bits=(0, 17)), ValueError, "bits: 17"),
    ],
)
def test_errors(call, error, part):
    with pytest.raises(error, match=part):
        call()


def test_namesakes_of_numpy():
    """Errors of functions that are not NumPy's say so."""
    a = np.arange(5)
    for call, error, text in (
        (lambda: iw.partition(a, 2), ValueError, "numpy.partition is another function"),
        (lambda: iw.partition(a), TypeError, "numpy.partition is another function"),
        (lambda: iw.select([a > 1], [a]), ValueError, "numpy.select is another function"),
        (lambda: iw.where(a > 1), TypeError, "see nonzero"),
        (lambda: iw.where(a > 1, a, -a), ValueError, "numpy.where is another function"),
    ):
        with pytest.raises(error, match=text):
            call()


@given(st.integers(1, 4), st.data())
def test_any_axis_of_more_dimensions(ndim, data):
    a = np.random.default_rng(ndim).integers(0, 9, (2, 3, 4, 2)[:ndim])
    axis = data.draw(st.integers(-ndim, ndim - 1))
    place = data.draw(st.integers(0, a.shape[axis] - 1))
    wanted = np.argsort(a, axis, kind="stable")
    for got, right in (
        (iw.sort(a, axis), np.sort(a, axis)),
        (iw.argsort(a, axis), wanted),
        (iw.lexsort((a,), axis), wanted),
        (iw.nth_element(a, place, axis), np.sort(a, axis).take(place, axis)),
        (iw.nth_element(a, place, axis, return_index=True)[1], wanted.take(place, axis)),
        (iw.topk(a, place + 1, axis, largest=False)[1], wanted.take(range(place + 1), axis)),
        (iw.cumsum(a, axis), np.cumsum(a, axis)),
        (iw.cumulative_sum(a, axis=axis, include_initial=True), np.cumulative_sum(a, axis=axis, include_initial=True)),
        (iw.argmax(a, axis), np.argmax(a, axis)),
        (iw.any(a, axis), np.any(a, axis)),
    ):
        np.testing.assert_array_equal(got, right)
        assert np.asarray(got).flags.c_contiguous


@pytest.mark.parametrize("shape", [(4, 5), (3, 1, 7), (2, 0), (0, 3), (33, 40)])
def test_lexsort_of_the_rows_of_matrices(shape):
    r = np.random.default_rng(5)
    keys = [r.integers(0, 3, shape), r.integers(0, 2, shape).astype("f4"), r.integers(0, 3, shape).astype("u1")]
    for axis in range(-len(shape), len(shape)):
        for number in (1, 2, 3):
            got = iw.lexsort(keys[:number], axis)
            np.testing.assert_array_equal(got, np.lexsort(keys[:number], axis), strict=True)
            assert got.flags.c_contiguous


def test_keys_of_lexsort_that_are_not_ready():
    a, b = np.array([3, 1, 3, 1, 2]), np.array([1.0, 5, 0, 4, 2])
    for keys in ((b, a), [b, a], [b.tolist(), a.tolist()], (b[::-1][::-1], a.astype(">i8")), np.array([b, a]), iter((b, a))):
        np.testing.assert_array_equal(iw.lexsort(keys), np.lexsort((b, a)))
    with pytest.raises(ValueError, match=r"keys\[1\]"):
        iw.lexsort((a, b[:2]))
    with pytest.raises(TypeError, match="one at least"):
        iw.lexsort(())
    many = [np.arange(5) // (k + 1) for k in range(41)]  # more than one call takes
    np.testing.assert_array_equal(iw.lexsort(many), np.lexsort(many))


@pytest.mark.filterwarnings("ignore")  # of the comparisons of the test
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "bfloat16"])
def test_comparison_with_numbers_that_the_type_cannot_hold(dtype):
    """By Python's comparisons, which are exact."""
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
    if dtype.kind in "fV":
        most = float(np.nextafter(dtype.type(np.inf), dtype.type(0)))
        a = np.array([-np.inf, -most, -1, 0, 1, most, np.inf, np.nan], dtype)
        values = [1e39, -1e39, 10**400, -(10**400)] if dtype.itemsize < 8 else [10**400, -(10**400)]
        values += [np.inf, -np.inf, np.nan, most, -most]
    else:
        least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        a = np.array([least, most, 0, 1, 1], dtype)
        values = [least - 1, most + 1, 0.5, -0.5, 1.5, 1e39, -1e39, np.inf, -np.inf, np.nan, 2.0**70, 10**400, Fraction(1, 3)]
        values += [np.float32(0.5), np.float16(-0.5), np.array(least - 1), np.array(1.5), np.longdouble(0.5)]
    elements = (a.astype("f8") if dtype.kind == "V" else a).tolist()
    for value in values:
        bucket = np.array([0 if x < value else 1 if x == value else 2 for x in elements])
        order = np.argsort(bucket, kind="stable")
        moved, offsets, index = iw.multisplit(a, pivot=value, order=True)
        same(moved, a[order])
        same(index, order)
        same(offsets, np.searchsorted(bucket[order], np.arange(4)))
        for name, compare in COMPARISONS.items():
            mask = np.array([bool(compare(x, value)) for x in elements])
            same(iw.select(a, name, value), a[mask])
            passed, others = iw.partition(a, name, value)
            same(others, a[~mask])


def test_comparison_with_what_is_no_number():
    for dtype in ("i4", "f4"):
        for value in ("1", [1, 2], "x", 1j):
            with pytest.raises(ValueError, match="value: .* is no number"):
                iw.select(np.array([1, 2], dtype), "<", value)
            with pytest.raises(ValueError, match="pivot: .* is no number"):
                iw.multisplit(np.array([1, 2], dtype), pivot=value)


def test_searchsorted_of_a_number():
    """Python's numbers and NumPy's, of the array's type and beyond it, give a scalar."""
    floats = np.array([-np.inf, -1.5, -0.0, 0.0, 2.0, np.inf, np.nan])
    integers = np.array([-(2**63), -5, 0, 7, 2**53 + 1, 2**63 - 1])
    for side in ("left", "right"):
        for v in (-0.0, 0.0, 1.5, 2.0, np.inf, -np.inf, np.nan, 1e-320, np.float64(2)):
            found = iw.searchsorted(floats, v, side)
            assert type(found) is np.int64 and found == np.searchsorted(floats, np.array([v]), side)[0]
        for v in (-(2**63) - 1, -(2**63), -5, 6, 7, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**70, np.int64(7), True, 7.5):
            right = sum(e < v or (side == "right" and e == v) for e in integers.tolist())
            found = iw.searchsorted(integers, v, side)
            assert type(found) is np.int64 and found == right
