# SPDX-License-Identifier: Apache-2.0
"""Scans, reductions and exact sums, against NumPy and against fractions."""

from fractions import Fraction
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import isowarp as iw
from conftest import FLOATS, INTEGERS, TYPES, plain_floats, same, views

TOLERANCE = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-12}


def agree(ours, numpys):
    """Equal bits of integers; nearly equal floats, which NumPy adds up in another order."""
    ours, numpys = np.asarray(ours), np.asarray(numpys)
    if numpys.dtype.kind == "f":
        assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
        assert np.allclose(ours, numpys, rtol=TOLERANCE[numpys.dtype.name], atol=0, equal_nan=True)
    else:
        same(ours, numpys)


@st.composite
def arrays_and_axes(draw, **options):
    a = draw(views(**options))
    axes = st.integers(-a.ndim, a.ndim - 1)
    axis = draw(
        st.one_of(
            st.none(),
            axes,
            st.lists(axes, min_size=1, max_size=a.ndim, unique_by=lambda i: i % a.ndim).map(tuple),
        )
    )
    return a, axis


@given(arrays_and_axes(elements=plain_floats), st.booleans(), st.sampled_from(["sum", "prod"]))
def test_sum_and_prod(case, keepdims, name):
    a, axis = case
    with np.errstate(all="ignore"):
        if name == "prod" and a.dtype.kind == "f":
            a = (a > 50).astype(a.dtype) + 1  # powers of 2: exact unless they overflow, and then equal
        agree(
            getattr(iw, name)(a, axis=axis, keepdims=keepdims),
            getattr(np, name)(a, axis=axis, keepdims=keepdims),
        )


@given(arrays_and_axes(), st.booleans(), st.sampled_from(["min", "max"]))
def test_min_and_max(case, keepdims, name):
    a, axis = case
    try:
        expected = getattr(np, name)(a, axis=axis, keepdims=keepdims)
    except ValueError:
        with pytest.raises(ValueError, match="no elements"):
            getattr(iw, name)(a, axis=axis, keepdims=keepdims)
        return
    ours = getattr(iw, name)(a, axis=axis, keepdims=keepdims)
    assert np.asarray(ours).dtype == np.asarray(expected).dtype.newbyteorder("=")
    assert np.array_equal(ours, expected, equal_nan=a.dtype.kind == "f")


@given(views(dtypes=INTEGERS + ["bool"]), st.data(), st.sampled_from(["argmin", "argmax"]))
def test_arg(a, data, name):
    axis = data.draw(st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)))
    try:
        expected = getattr(np, name)(a, axis=axis)
    except ValueError:
        with pytest.raises(ValueError, match="no elements"):
            getattr(iw, name)(a, axis=axis)
        return
    same(getattr(iw, name)(a, axis=axis), expected)


def test_arg_of_floats():
    x = np.array([1.0, np.nan, -np.inf, np.nan])
    assert iw.argmin(x) == iw.argmax(x) == 1
    assert iw.argmin(np.array([0.0, -0.0])) == 1 and iw.argmax(np.array([-0.0, 0.0])) == 1


@given(arrays_and_axes(elements=plain_floats, max_dims=3))
def test_cumulative_sum(case):
    a, axis = case
    if isinstance(axis, tuple):
        axis = axis[0]
    # NumPy rounds each sum of float16, whose errors add up.
    wide, dtype = (a.astype("f4"), "f2") if a.dtype.kind == "f" and a.dtype.itemsize == 2 else (a, None)
    agree(iw.cumsum(a, axis=axis), np.cumsum(wide, axis=axis).astype(dtype or np.cumsum(wide).dtype))
    if axis is not None and hasattr(np, "cumulative_sum"):
        for include in (False, True):
            numpys = np.cumulative_sum(wide, axis=axis, include_initial=include)
            agree(iw.cumulative_sum(a, axis=axis, include_initial=include), numpys.astype(dtype or numpys.dtype))


@given(views(dtypes=INTEGERS, max_dims=2), st.sampled_from(TYPES))
def test_dtype(a, dtype):
    if dtype == "bool":
        return
    with np.errstate(all="ignore"):
        agree(
            iw.sum(a, dtype=dtype),
            iw.sum(a.astype(dtype)).astype(dtype) if dtype in FLOATS else np.sum(a, dtype=dtype),
        )
        if dtype not in FLOATS:
            agree(iw.cumsum(a, dtype=dtype), np.cumsum(a, dtype=dtype))


def test_order_1_of_a_row():
    """The tree of a row of 128 elements: neighbours, then pairs of pairs (doc/order1.md)."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal(128).astype("f4")
    tree = x.copy()
    while tree.size > 1:
        tree = tree[0::2] + tree[1::2]
    same(iw.sum(x), tree[0])


@pytest.mark.parametrize("n", [0, 1, 127, 128, 4096, 4097, 2**17 + 1])
@pytest.mark.parametrize("dtype", FLOATS)
def test_same_bits_everywhere(n, dtype):
    x = np.random.default_rng(n).standard_normal(n).astype(dtype)
    with iw.Context("cpu", threads=1):
        total, sums = iw.sum(x), iw.cumulative_sum(x)
    if n:
        same(sums[-1], total)
    contexts = [("cpu", 3), ("sim", 0)] if n < 5000 else [("cpu", 3)]
    for backend, threads in contexts:
        with iw.Context(backend, threads=threads):
            same(iw.sum(x), total)
            same(iw.cumulative_sum(x), sums)


@given(hnp.arrays(np.float64, st.integers(0, 300), elements=st.floats(-1e300, 1e300)))
def test_exact(x):
    true = sum(map(Fraction, x.tolist()), Fraction(0))
    assert iw.sum(x, exact=True) == float(true)
    total = iw.ExactSum().add(x[::2])
    total += iw.ExactSum().add(x[1::2])
    assert float(total) == float(true)
    assert total == iw.ExactSum().add(x[::-1]) and iw.ExactSum(bytes(total)) == total
    assert float(total) == math.fsum(x.tolist())


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(max_dims=3, max_side=6),
        elements=st.floats(-(2.0**90), 2.0**90, width=32),
    ),
    st.data(),
)
def test_exact_axis(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    same(
        iw.sum(x, axis=axis, dtype="f8", exact=True),
        np.apply_along_axis(lambda r: math.fsum(r.tolist()), axis, x),
    )


def test_dot_exact():
    a = np.array([1e20, 3.0, -1e20], "f4")
    assert iw.dot_exact(a, np.ones(3, "f4"), dtype="f8") == 3.0
    with pytest.raises(ValueError, match="a, b"):
        iw.dot_exact(a, a[:2])


@given(
    st.integers(1, 40),
    st.integers(1, 200),
    st.sampled_from(["sum", "min", "max"]),
    st.sampled_from(["f4", "i8"]),
)
def test_rows_segments_and_keys(rows, columns, op, dtype):
    rng = np.random.default_rng(rows * 1000 + columns)
    x = (rng.standard_normal((rows, columns)) * 100).astype(dtype)
    alone = np.array([iw.reduce(r, op) for r in x])
    same(iw.reduce_rows(x, op), alone)
    same(iw.reduce_segments(x.reshape(-1), np.arange(rows + 1) * columns, op), alone)
    same(iw.reduce(np.ascontiguousarray(x.T), op, axis=0), alone)
    keys, results = iw.reduce_by_key(np.repeat(np.arange(rows), columns), x.reshape(-1), op)
    same(keys, np.arange(rows))
    same(results, alone)
    flags = np.zeros(x.size, bool)
    flags[::columns] = True
    scans = iw.scan(x.reshape(-1), op, flags=flags)
    same(iw.scan(x, op, axis=1), np.array([iw.scan(r, op) for r in x]))
    if dtype == "f4" and op == "sum":  # segments by flags keep the order of the whole array
        assert np.allclose(scans, iw.scan(x, op, axis=1).reshape(-1), rtol=1e-3, atol=1e-3)
    else:
        same(scans, iw.scan(x, op, axis=1).reshape(-1))
    same(iw.argmin(x, axis=1), np.argmin(x, axis=1))
    same(iw.argmax(x, axis=0), np.argmax(x, axis=0))
    if dtype == "i8" and op == "sum":
        same(scans, np.cumsum(x, axis=1).reshape(-1))


def test_segments_that_are_empty_or_wrong():
    x = np.arange(5, dtype="i8")
    same(iw.reduce_segments(x, [0, 0, 5, 5]), np.array([0, 10, 0]))
    same(iw.reduce_segments(x, [0, 0, 5], initial=7), np.array([7, 17]))
    with pytest.raises(ValueError, match="offsets"):
        iw.reduce_segments(x, [0, -1])
    with pytest.raises(ValueError):
        iw.reduce_segments(x, [3, 2])
    with pytest.raises(ValueError):
        iw.reduce_segments(x, [0, 6])


@given(
    hnp.arrays(st.sampled_from(["f4", "f8", "i4", "u1"]), st.integers(0, 300), elements=st.integers(0, 9)),
    st.sampled_from(["sum", "min", "max"]),
    st.booleans(),
    st.data(),
)
def test_offsets_of_scans_and_of_arg(a, op, exclusive, data):
    """A segment gives what it gives alone; elements in no segment give 0, or stay."""
    offsets = np.array(sorted(data.draw(st.lists(st.integers(0, a.size), min_size=1, max_size=9))))
    if data.draw(st.booleans()):
        offsets = offsets.astype("u4")
    pieces = [a[i:j] for i, j in zip(offsets, offsets[1:])]
    expected = np.zeros_like(a)
    for i, piece in zip(offsets, pieces):
        expected[i : i + piece.size] = iw.scan(piece, op, exclusive=exclusive)
    same(iw.scan(a, op, offsets=offsets, exclusive=exclusive), expected)
    kept = np.full_like(a, 77)
    kept[offsets[0] : offsets[-1]] = expected[offsets[0] : offsets[-1]]
    for out in (np.full_like(a, 77), np.full(2 * a.size, 77, a.dtype)[::2]):
        assert iw.scan(a, op, offsets=offsets, exclusive=exclusive, out=out) is out
        same(out, kept)
    for ours, numpys, empty in (
        (iw.argmin_segments, np.argmin, "max"),
        (iw.argmax_segments, np.argmax, "min"),
    ):
        limits = np.iinfo(a.dtype) if a.dtype.kind in "iu" else None
        nothing = getattr(limits, empty) if limits else (np.inf if empty == "max" else -np.inf)
        indices, values = ours(a, offsets, return_values=True)
        same(ours(a, offsets), indices)
        same(indices, np.array([numpys(p) if p.size else 0 for p in pieces], "i8"))
        same(values, np.array([p[i] if p.size else nothing for p, i in zip(pieces, indices)], a.dtype))


@given(
    hnp.arrays(st.sampled_from(["f4", "i8", "u2", "?"]), st.integers(0, 200), elements=st.integers(0, 1)),
    st.sampled_from(["f8", "i2"]),
)
def test_arg_by_key(keys, dtype):
    values = np.random.default_rng(keys.size).integers(0, 9, keys.size).astype(dtype)
    heads = (
        np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if keys.size else np.zeros(0, int)
    )
    runs = np.split(values, heads[1:]) if keys.size else []
    for ours, numpys in ((iw.argmin_by_key, np.argmin), (iw.argmax_by_key, np.argmax)):
        unique, indices, least = ours(keys, values, return_values=True)
        same(unique, keys[heads])
        same(indices, np.array([numpys(r) for r in runs], "i8"))
        same(least, np.array([r[i] for r, i in zip(runs, indices)], dtype))
        same(ours(keys, values)[1], indices)


def test_exclusive_and_initial():
    x = np.array([3, 1, 5], "i8")
    same(iw.scan(x, exclusive=True), np.array([0, 3, 4]))
    same(iw.scan(x, exclusive=True, initial=10), np.array([10, 13, 14]))
    same(iw.scan(x, "max", initial=4), np.array([4, 4, 5]))
    same(iw.scan(np.array([6, 3], "u1"), "and"), np.array([6, 2], "u1"))
    assert iw.sum(x, initial=100) == 109 and iw.min(np.array([], "i8"), initial=5) == 5


def test_out():
    x = np.arange(6, dtype="i8")
    out = np.empty(6, "i8")
    assert iw.cumsum(x, out=out) is out
    same(out, np.cumsum(x))
    wide = np.zeros(12)
    assert iw.cumsum(x, out=wide[::2]).base is wide
    same(wide[::2], np.cumsum(x).astype(float))
    assert iw.cumsum(x, out=x) is x  # in place
    same(x, np.cumsum(np.arange(6)))
    shifted = np.arange(7, dtype="i8")
    iw.cumsum(shifted[:6], out=shifted[1:])  # overlapping: through a copy
    same(shifted[1:], np.cumsum(np.arange(6)))
    total = np.empty((), "i8")
    assert iw.sum(np.arange(4), out=total) is total and total == 6


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: iw.sum(np.array(["a"])), TypeError, "a: elements of type"),
        (lambda: iw.sum(np.zeros(3, complex)), TypeError, "a: elements of type"),
        (lambda: iw.sum(np.zeros(3), out=np.zeros(2)), ValueError, "out: has the shape"),
        (lambda: iw.sum(np.zeros(3), out=np.zeros((), "i4")), TypeError, "out: a result of float64"),
        (lambda: iw.cumulative_sum(np.zeros((2, 2))), ValueError, "axis: is needed"),
        (lambda: iw.sum(np.zeros(3), axis=1), ValueError, "axis 1"),
        (lambda: iw.sum(np.zeros((3, 3)), axis=(0, 0)), ValueError, "axis: the same"),
        (lambda: iw.scan(np.zeros(3), "mean"), ValueError, "op: 'mean' is not one of"),
        (lambda: iw.scan(np.zeros(3), flags=np.zeros(2)), ValueError, "flags: has the shape"),
        (lambda: iw.scan(np.zeros(3), keys=np.zeros(3), flags=np.zeros(3)), ValueError, "flags, keys"),
        (lambda: iw.scan(np.zeros(3), keys=np.zeros(3), offsets=[0]), ValueError, "flags, keys, offsets"),
        (lambda: iw.scan(np.zeros(3), offsets=[2, 1]), ValueError, "offset"),
        (lambda: iw.scan(np.zeros(3), offsets=[0.5]), TypeError, "offsets: integers"),
        (lambda: iw.argmin_segments(np.zeros(3), [0, 4]), ValueError, "offset"),
        (lambda: iw.argmax_segments(np.zeros(3), []), ValueError, "at least one offset"),
        (lambda: iw.argmin_by_key(np.zeros(2), np.zeros(3)), ValueError, "keys: has the shape"),
        (lambda: iw.reduce_rows(np.zeros(3)), ValueError, "a: a matrix"),
        (lambda: iw.sum(np.arange(3), initial="x"), ValueError, "initial"),
        (
            lambda: iw.sum(np.arange(3), initial=1.5),
            ValueError,
            "initial: 1.5 is no number of the type int64",
        ),
        (lambda: iw.Context("gpu"), ValueError, "backend: 'gpu'"),
        (lambda: iw.Context("cpu", isa="mmx"), iw.Error, "mmx"),
        (lambda: iw.scan(np.zeros(3, "f4"), "and"), TypeError, "op: .* not for float32"),
        (lambda: iw.ExactSum(b"short"), ValueError, "data: has 5 bytes"),
        (lambda: iw.ExactSum(bytes(280)), ValueError, "format"),
    ],
)
def test_errors(call, error, part):
    with pytest.raises(error, match=part):
        call()


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", ["f2", "bfloat16"])
def test_initial_values_are_rounded(dtype):
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
    a = np.array([1, 2], dtype)
    for initial in (0.1, -1e9, 2**100, np.nan, np.inf, -np.inf, 3, "0.1"):
        with np.errstate(over="ignore"):
            first = np.float64(initial).astype(dtype)
        same(iw.min(a, initial=initial), np.min(a, initial=first))
        same(iw.max(a, initial=initial), np.max(a, initial=first))
        same(iw.sum(a[:0], initial=initial), first)
        same(iw.prod(a[:1], initial=initial), first)
        same(iw.scan(a[:1], "prod", initial=initial)[0], first)
    for initial in ("x", 1j, np.timedelta64(1, "s")):
        with pytest.raises(ValueError, match="initial: .* is no number of the type"):
            iw.sum(a, initial=initial)


@pytest.mark.parametrize("dtype", ["f4", "f8", "bfloat16"])
def test_initial_values_that_keep_all_numbers(dtype):
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
    a = np.array([np.nextafter(dtype.type(np.inf), dtype.type(0))] * 2, dtype)
    same(iw.sum(a, initial=-np.inf), dtype.type(-np.inf))
    same(iw.prod(a, initial=0), dtype.type(0))
    same(iw.prod(dtype.type(1) / a, initial=np.inf), dtype.type(np.inf))
    same(iw.prod(a, initial=1e-30), dtype.type(np.inf))  # other ones meet the product of the elements
    same(iw.sum(a, initial=-float(a[0])), dtype.type(np.inf))


@pytest.mark.parametrize("op, ufunc", [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor), ("prod", np.multiply)])
def test_reductions_of_few(op, ufunc):
    """Rows of no elements, whose result is the identity, and reductions along no axis."""
    nothing, a = np.zeros((3, 0), "i2"), np.arange(12, dtype="i2").reshape(3, 4)
    same(iw.reduce(nothing, op, axis=1), ufunc.reduce(nothing, axis=1, dtype="i2"))
    same(iw.reduce(a, op, axis=()), a)
    same(iw.reduce(a, op, axis=(), initial=6), ufunc(a, np.int16(6)))


def test_columns_of_long_rows():
    """Threads reduce neighbouring columns, each its own part."""
    for rows in 3, 16, 17, 40:
        a = np.random.default_rng(rows).integers(-99, 99, (rows, 3_000_017 // rows)).astype("f8")
        with iw.Context("cpu", threads=3):
            for ours, theirs in ((iw.max, np.max), (iw.min, np.min), (iw.sum, np.sum), (iw.argmax, np.argmax)):
                np.testing.assert_array_equal(ours(a, axis=0), theirs(a, axis=0))
