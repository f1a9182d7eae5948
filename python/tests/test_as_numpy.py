# SPDX-License-Identifier: Apache-2.0
"""Arguments that NumPy's functions have: axis=(), where, initial, dtype and out, kind, order, stable; and arrays without
dimensions. Integers are compared to the bit with NumPy's results, floats where the order of sums does not matter.
"""

import copy
import pickle

import numpy as np
import pytest

import isowarp as iw
from conftest import same

AxisError = np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError
MATRIX = np.arange(24).reshape(4, 6) % 7


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["i8", "u1", "f4", "f8", "?"])
def test_no_axes(name, dtype):
    a = MATRIX.astype(dtype)
    for options in ({}, {"keepdims": True}, {"initial": 1}):
        same(getattr(iw, name)(a, axis=(), **options), getattr(np, name)(a, axis=(), **options))
    same(getattr(iw, name)(a.T, axis=()), getattr(np, name)(a.T, axis=()).copy("C"))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
@pytest.mark.parametrize(
    "where", [[True, False, True, True, False, True], np.eye(4, 6) == 1, [0, 3, 0, 0, 1, 1], True, False]
)
def test_where(axis, where):
    mask = np.asarray(where) != 0
    for dtype in ("i4", "u1", "f8", "?"):
        a = MATRIX.astype(dtype)
        for name in ("sum", "prod"):
            same(getattr(iw, name)(a, axis, where=where), getattr(np, name)(a, axis, where=mask))
        for name in ("min", "max"):
            with pytest.raises(ValueError, match="where: min and max need an initial"):
                getattr(iw, name)(a, axis, where=mask) if where is not True else iw.min(a, where=mask)
            same(
                getattr(iw, name)(a, axis, initial=1, where=where),
                getattr(np, name)(a, axis, initial=1, where=mask),
            )
    assert np.signbit(iw.sum([-0.0, -0.0], where=[True, False])) == np.signbit(np.sum([-0.0], where=[True]))
    with pytest.raises(ValueError, match="where: has the shape"):
        iw.sum(MATRIX, where=np.ones(5, bool))
    # What is left out has no part: neither a NaN nor the order of the others' sum.
    x = np.array([1e30, np.nan, 1.0, -1e30])
    assert iw.sum(x, where=~np.isnan(x)) == iw.sum(np.array([1e30, -0.0, 1.0, -1e30]))
    assert iw.sum(x, where=~np.isnan(x), exact=True) == 1


def test_initial_that_keeps_all():
    """It comes first: the others do not overflow, or give 0, before they meet it."""
    huge = np.array([1e200, -1e200, 1e200])
    assert iw.prod(huge, initial=0) == 0 and np.signbit(iw.prod(huge, initial=0.0))
    assert np.isnan(iw.prod([1e200, np.inf], initial=0)) and np.isnan(iw.prod([np.nan, 1], initial=0.0))
    assert iw.prod([1e-200, 1e-200], initial=np.inf) == np.inf and np.isnan(iw.prod([0.0, 1], initial=np.inf))
    assert iw.sum([1.7e308, 1.7e308], initial=-np.inf) == -np.inf
    assert np.isnan(iw.sum([1, np.inf], initial=-np.inf)) and iw.sum([1, -np.inf], initial=-np.inf) == -np.inf
    same(iw.prod([huge, huge], axis=1, initial=0.0), np.array([-0.0, -0.0]))
    same(iw.scan(np.array([1e200, 1e200, np.inf]), "prod", initial=0.0), np.array([0.0, 0.0, np.nan]))
    same(iw.scan(np.array([1e200, 1e200, 2.0]), "prod", initial=0.0, exclusive=True), np.zeros(3))
    assert (
        iw.sum([1, 2], initial=3) == 6
        and iw.min(np.zeros(0), initial=4.0) == 4
        and iw.sum([1.0], initial=None) == 1
    )


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod"])
def test_dtype_bool(name):
    ours, numpys = getattr(iw, name), getattr(np, name)
    for a in ([0, 2, 0], [0.0, np.nan], [3, 1], np.zeros(0), np.array([], bool), [True, False]):
        same(ours(a, dtype=bool), numpys(np.asarray(a), dtype=bool))
    axis = {"axis": 1}
    same(ours(MATRIX, dtype="?", **axis), numpys(MATRIX, dtype="?", **axis))
    b = MATRIX > 2
    out, expected = (np.zeros(numpys(b, **axis).shape, bool) for _ in range(2))
    same(ours(b, out=out, **axis), numpys(b, out=expected, **axis))
    if name.startswith("cumulative"):
        for a in (MATRIX, np.zeros((0, 2), "u1")):
            same(ours(a, dtype="?", include_initial=True, **axis), numpys(a, dtype="?", include_initial=True, **axis))
    with pytest.raises(TypeError, match="out: a result of int64 cannot be cast to bool"):
        ours(MATRIX, out=out, **axis)


def test_a_wider_out_widens():
    assert iw.sum(np.array([2**62] * 4), out=np.zeros(())) == 2.0**64
    ones = np.ones(70000, "f2")
    assert iw.sum(ones, out=np.zeros((), "f4")) == 70000 and iw.sum(ones) == np.inf
    same(iw.cumsum(np.full(3, 60000, "f2"), out=np.zeros(3)), np.array([6e4, 1.2e5, 1.8e5]))
    for dtype in ("u1", "i2", "i8", "f4", "f8"):
        for out in ("u1", "i2", "i8", "f4", "f8"):
            if np.can_cast(np.promote_types(dtype, out), out, "same_kind"):
                a = np.full(9, 50, dtype)
                same(iw.sum(a, out=np.zeros((), out)), np.sum(a, out=np.zeros((), out)))
                same(iw.cumsum(a, out=np.zeros(9, out)), np.cumsum(a, out=np.zeros(9, out)))
    unsigned, signed = np.array([2**63 + 5, 7], "u8"), np.array([-1, 7], "i8")  # whose common type is float64
    same(iw.sum(unsigned, out=np.zeros((), "i8")), np.array(12 - 2**63))
    same(iw.cumsum(unsigned, out=np.zeros(2, "i8")), np.array([5 - 2**63, 12 - 2**63]))
    same(iw.cumsum(signed, out=np.zeros(2, "u8")), np.array([2**64 - 1, 6], "u8"))
    same(iw.max(np.zeros(3, "u1"), initial=300, out=np.zeros((), "i4")), np.array(300, "i4"))
    same(iw.max([True], initial=2), np.bool_(True))
    same(iw.sum(np.full(4, 100, "i1"), dtype="i1", out=np.zeros((), "i8")), np.array(-112))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("method", ["linear", "midpoint", "hazen", "lower", "nearest"])
def test_types_of_quantiles(dtype, method):
    a = np.array([3, 1, 0, 1, 2], dtype)
    for q in (0.5, np.float16(0.5), np.float32(0.5), np.float64(0.5), [0.5, 0.25], np.array([0.5], "f4")):
        same(iw.quantile(a, q, method=method), np.quantile(a, q, method=method))


def test_arguments_of_other_types():
    """Errors name the argument, whichever function it is given to."""
    a = np.ones((2, 3))
    axis = {"cumulative_sum": 0, "cumulative_prod": 0}
    for name in ("sum prod min max argmin argmax any all mean var std median cumsum cumprod cumulative_sum cumulative_prod").split():
        for out in ([0.0], 1.0, "f8", (1, 2)):
            with pytest.raises(TypeError, match="out: has to be an array, not"):
                getattr(iw, name)(a, axis=axis.get(name), out=out)
    for name in ("sum", "min", "mean", "var", "std", "any", "all"):
        with pytest.raises(ValueError, match=r"where: has the shape \(2,\), which is not broadcast to that of a, \(2, 3\)"):
            getattr(iw, name)(a, where=[True, False], **({"initial": 0} if name == "min" else {}))
    for q in ("0.5", [None], 1j, np.timedelta64(1)):
        with pytest.raises(TypeError, match="q: numbers from 0 to 1 are needed"):
            iw.quantile(a, q)
    with pytest.raises(ValueError, match="power: 2; valid are"):
        iw.power_edges(0, 4, 2, "2")


def test_booleans_as_values():
    a = np.array([True, False, True])
    same(iw.quantile(a, [0.0, 1.0], method="lower"), np.array([False, True]))
    same(iw.quantile(a, 0.5), np.float64(1.0))
    edges, x = np.array([False, True, True]), np.array([-1.0, 0.5, 1.0])
    same(iw.histogram(x, edges)[0], np.array([1, 1]))
    same(iw.digitize(x, edges), np.array([0, 1, 3]))
    same(iw.histogram_rows(x.reshape(1, 3), edges)[0], np.array([[1, 1]]))
    same(iw.histogramdd(x, [edges])[0], np.array([1.0, 1.0]))
    same(iw.searchsorted(edges, x, "right"), np.array([0, 1, 3]))


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "argmin", "argmax", "cumsum", "cumprod"])
def test_no_dimensions(name):
    ours, numpys = getattr(iw, name), getattr(np, name)
    for axis in (None, 0, -1):
        same(ours(5.0, axis=axis), numpys(np.float64(5), axis=axis))
        same(ours(np.array(7, "u1"), axis), numpys(np.array(7, "u1"), axis))
    for axis in (1, -2):
        with pytest.raises(AxisError):
            ours(5.0, axis=axis)
    if not name.startswith("cum"):
        same(ours(5.0, axis=0, keepdims=True), numpys(np.float64(5), axis=0, keepdims=True))


def test_axes():
    for call in (
        iw.sum,
        iw.min,
        iw.argmax,
        iw.cumsum,
        iw.sort,
        iw.argsort,
        iw.median,
        iw.topk,
        iw.nth_element,
    ):
        more = (1,) if call in (iw.topk, iw.nth_element) else ()
        for axis in (2, -3):
            with pytest.raises(AxisError):
                call(MATRIX, *more, axis=axis)
        for axis in ("x", 1.5):
            with pytest.raises(TypeError):
                call(MATRIX, *more, axis=axis)
    for call in (iw.sort, iw.topk, iw.nth_element, iw.median):
        with pytest.raises(AxisError):
            call(5.0, *((1,) if call in (iw.topk, iw.nth_element) else ()), axis=-1)
    same(iw.argsort(5.0), np.array([0]))
    same(iw.sort(5.0, axis=None), np.array([5.0]))
    same(iw.median(5.0), np.float64(5))
    same(iw.median(MATRIX, axis=()), np.median(MATRIX, axis=()))
    same(iw.median(MATRIX, 1, None, True), np.median(MATRIX, 1))


def test_kinds_of_sorts():
    x = np.array([3, 1, 2, 1])
    for kind in ("quicksort", "heapsort", "mergesort", "stable", "Q", None):
        same(iw.sort(x, kind=kind), np.sort(x))
        same(iw.argsort(x, -1, kind), np.array([1, 3, 2, 0]))
    for stable in (True, False, None):
        same(iw.argsort(x, stable=stable, descending=True), np.array([0, 2, 1, 3]))
        same(iw.sort(x, stable=stable), np.sort(x))
    for call in (iw.sort, iw.argsort):
        with pytest.raises(ValueError, match="kind: 'x' is not one of"):
            call(x, kind="x")
        with pytest.raises(TypeError, match="kind: a string"):
            call(x, kind=3)
        with pytest.raises(ValueError, match="kind, stable"):
            call(x, kind="stable", stable=True)
        with pytest.raises(ValueError, match="order: the elements have no fields"):
            call(x, order="f")


def test_in_c_order():
    a = np.random.default_rng(2).integers(0, 99, (4, 5, 6))
    made = [
        iw.sort(a, 0),
        iw.argsort(a, 1),
        *iw.topk(a, 2, 0),
        iw.cumsum(a, 0),
        iw.sum(a, 1),
        iw.scan(a, "max", axis=0),
    ]
    x = np.random.default_rng(3).integers(0, 255, 99).astype("u1")
    made += [
        iw.histogram2d(x, x, 5)[0],
        iw.histogramdd([x, x, x], [[0, 300], 2, 3])[0],
        iw.sort(np.asfortranarray(a)),
    ]
    assert all(m.flags.c_contiguous for m in made)


def test_bfloat16_twice():
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    x = np.arange(5).astype(dtype)
    for _ in range(3):
        for call in (iw.cumulative_sum, iw.cumsum, iw.sum, iw.prod, iw.max, iw.sort, iw.argmin):
            call(x)
        same(iw.cumulative_sum(x), np.array([0, 1, 3, 6, 10]).astype(dtype))


def test_equal_dtypes_that_are_other_objects():
    for dtype in ("longlong", "ulonglong"):
        a = np.array([3, 1, 2], dtype)
        other = pickle.loads(pickle.dumps(np.dtype("f8")))
        assert iw.sum(a) == 6 and iw.median(a) == 2 and iw.argmax(a) == 0
        same(iw.histogram(a.astype(other), 2)[0], np.array([1, 2]))
        same(iw.sort(a).astype("i8"), np.array([1, 2, 3]))


def test_masks_are_not_dropped():
    masked = np.ma.masked_array([1, 2, 3], [0, 1, 0])
    for call in (
        lambda: iw.sum(masked),
        lambda: iw.histogram([1, 2, 3], weights=masked),
        lambda: iw.histogram([1, 2, 3], masked),
        lambda: iw.histogram2d(masked, masked),
        lambda: iw.histogramdd([masked, masked]),
        lambda: iw.digitize([1], masked),
        lambda: iw.searchsorted([1, 2], masked),
        lambda: iw.sum([1, 2, 3], where=masked),
    ):
        with pytest.raises(TypeError, match="masked arrays are not supported"):
            call()


def test_digitize_as_numpy():
    x = np.array([-np.inf, -1, -0.0, 0.0, 0.5, 2, 7, np.inf, np.nan])
    for edges in (
        [],
        [1],
        [0.0],
        [0, 0, 2],
        [2, 0.5, 0.5, -0.0],
        [0.0, -0.0],
        [np.inf],
        [-np.inf, 0, np.inf],
        [0, np.nan],
        [np.nan, 1],
        [1, 1],
        np.array([0, 2, 7], "i8"),
        np.array([7, 2, 0], "u1"),
    ):
        for dtype in ("f2", "f4", "f8"):
            for right in (False, True):
                y = x.astype(dtype)
                same(iw.digitize(y, edges, right), np.digitize(y, edges, right))
                y = np.tile(y, (2, 500))  # by a table
                same(iw.digitize(y, edges, right), np.digitize(y, edges, right))
    for dtype in ("i1", "u1", "i4", "u8", "?"):
        for edges in ([-128, 0, 0, 127], [-1000, 0.5, 1, 1000], [255, 255], [1], [3, -2.5, -2.5, -7]):
            for right in (False, True):
                y = np.arange(5000).astype(dtype)
                same(iw.digitize(y, edges, right), np.digitize(y, edges, right))
    same(iw.digitize(np.array([1, 2], "f2"), [1, 100000]), np.array([1, 1]))
    same(iw.digitize(2, [1, 3]), np.int64(1))
    big = 2**53
    same(iw.digitize(np.array([big, big + 1, big + 2]), [big + 1]), np.array([0, 1, 1]))
    same(iw.digitize(np.array([float(big), big + 2]), np.array([big + 1])), np.array([0, 1]))
    with pytest.raises(ValueError, match="bins: must be monotonically"):
        iw.digitize(x, [1, 3, 2])


def test_bincount_of_nothing():
    for x in ([], (), np.zeros(0, "i8"), np.zeros(0, "u1")):
        same(iw.bincount(x), np.zeros(0, "i8"))
        same(iw.bincount(x, minlength=3), np.zeros(3, "i8"))
    with pytest.raises(TypeError, match="x: integers"):
        iw.bincount(np.zeros(0))


def test_copies_of_exact_sums():
    s = iw.ExactSum().add([1e300, 1.0, -1e300])
    for made in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert made == s
        made.add([1.0])
        assert float(made) == 2 and float(s) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: iw.reduce(np.zeros(3), "and"),
        lambda: iw.scan(np.zeros(3), "prod", keys=[1, 1, 2]),
        lambda: iw.histogram([1.0, np.nextafter(1, 2)], 10),
        lambda: iw.histogram(np.array([0, 5e-324])),
        lambda: iw.histogram(np.zeros(3), 10, (0, 5e-324)),
        lambda: iw.histogram_rows(np.zeros((2, 3)), 3, (0, 5e-324)),
        lambda: iw.multisplit([1.0, 2.0], 3, range=(0, 5e-324)),
        lambda: iw.multisplit([1.0, 2.0], bits=(70, 3)),
        lambda: iw.multisplit([1, 2], bits=(60, 16)),
        lambda: iw.log_edges(1, 1, 3),
        lambda: iw.log_edges(-1, 1, 3),
        lambda: iw.dot_exact([1.0], [2.0]),
        lambda: iw.reduce_segments([1, 2], [0, 5]),
        lambda: iw.reduce_segments([1, 2], [2, 1]),
    ],
)
def test_messages_have_no_names_of_c(call):
    with pytest.raises((ValueError, TypeError, iw.Error)) as caught:
        call()
    message = str(caught.value)
    assert "->" not in message and "iw_" not in message.lower() and "spec" not in message, message
