# SPDX-License-Identifier: Apache-2.0
"""Statistics and groups beside exact arithmetic (fractions), definitions and NumPy; and the examples of docstrings."""

import bisect
import doctest
import math
from fractions import Fraction

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.extra import numpy as hnp

import isowarp as iw
from conftest import FLOATS, INTEGERS, TYPES, views

rng = np.random.default_rng(29)


def same(got, wanted):
    assert type(got) is type(wanted)
    np.testing.assert_array_equal(got, wanted, strict=True)


@pytest.mark.skipif(np.__version__ < "2", reason="examples are printed as by NumPy 2")
def test_examples():
    runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder(recurse=False)
    for name in iw.__all__:
        for example in finder.find(getattr(iw, name), name, globs={"iw": iw, "np": np}):
            runner.run(example)
    assert runner.summarize().failed == 0 and runner.tries > 10


# ---- Means and variances ----------------------------------------------------------------------------------


def test_bfloat16_results_are_rounded_once():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    each = np.arange(2**16, dtype="u2").view(bfloat16)
    each = sorted((float(x), int(x.view("u2"))) for x in each[np.isfinite(each.astype("f4"))])

    def nearest(x):
        k = bisect.bisect(each, (x, 0))  # exact: Python compares fractions and floats by their values
        found = min(each[max(k - 2, 0) : k + 2], key=lambda y: (abs(Fraction(y[0]) - x), y[1] & 1))
        return found[0]

    # The mean of each is a little above or below the middle of two neighbours; the last one is that middle.
    for last in (2.0**-38, -(2.0**-38), 2.0**-60, -(2.0**-60), 0.0):
        for sign in (1, -1):
            x = sign * np.array([2, 1, 1 + 2.0**-6, last])
            middle = (Fraction(4) + Fraction(2) ** -6 + Fraction(last)) / 4 * sign
            assert float(iw.mean(x.astype(bfloat16))) == nearest(middle)
            assert float(iw.mean(x, dtype=bfloat16)) == nearest(middle)
            if abs(last) != 2.0**-60:  # float64 has the sum
                assert float(iw.mean(x, dtype=bfloat16, exact=False)) == nearest(middle)
                assert float(iw.reduce(np.array([float(middle)]), "max", dtype=bfloat16)) == nearest(middle)
    for x in (3.38e38, 3.3961e38, -3.39e38, 1e-45, 1e-41, -1e-320, 0.0):
        assert float(iw.mean(np.array([x]), dtype=bfloat16)) == nearest(Fraction(x))
    for x in (3.3962e38, 3.5e38, -1e300, np.inf, -np.inf):  # beyond the middle of the largest number and 2^128
        assert float(iw.mean(np.array([x]), dtype=bfloat16)) == np.copysign(np.inf, x)
    assert np.isnan(float(iw.mean(np.array([np.nan]), dtype=bfloat16)))
    x, ones = 1 + 2.0**-8 + 2.0**-40, np.ones(1, bfloat16)  # an initial value, and what is compared with
    assert float(iw.reduce(ones, "max", initial=x)) == 1 + 2.0**-7
    assert iw.select(np.array([1, 1 + 2.0**-7], bfloat16), ">=", x).astype("f4") == 1 + 2.0**-7



def fractions(row):
    return [Fraction(int(x)) if row.dtype.kind in "iub" else Fraction(float(x)) for x in row.tolist()]


def nearest(x, dtype):
    """By comparing the neighbours of a rounded value, whatever the way of rounding it."""
    dtype = np.dtype(dtype)
    with np.errstate(over="ignore"):
        near = dtype.type(float(x)) if abs(x) < 2**1024 else dtype.type(math.copysign(math.inf, x))
        candidates = {
            near,
            np.nextafter(near, dtype.type(-math.inf)),
            np.nextafter(near, dtype.type(math.inf)),
        }
    finite = [c for c in candidates if np.isfinite(c)]
    return min(finite, key=lambda c: (abs(Fraction(float(c)) - x), int(c.view(f"u{dtype.itemsize}")) & 1))


def finite(dtype):
    return {"allow_nan": False, "allow_infinity": False} if np.dtype(dtype).kind == "f" else {}


@st.composite
def rows(draw, dtypes=TYPES):
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6))
    return draw(hnp.arrays(dtype, shape, elements=hnp.from_dtype(np.dtype(dtype), **finite(dtype))))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@hypothesis.given(rows(), st.integers(0, 2))
def test_mean_and_variance_are_the_nearest(a, ddof):
    dtype = a.dtype if a.dtype.kind == "f" else np.float64
    means, variances, deviations = (
        iw.mean(a, axis=1),
        iw.var(a, axis=1, ddof=ddof),
        iw.std(a, axis=1, ddof=ddof),
    )
    assert means.dtype == variances.dtype == deviations.dtype == dtype
    for i, row in enumerate(a):
        x = fractions(row)
        mean = sum(x) / len(x)
        if abs(mean) <= Fraction(float(np.finfo(dtype).max)):
            assert means[i] == nearest(mean, dtype)
        if len(x) <= ddof:
            assert np.isnan(variances[i]) and np.isnan(deviations[i])
            continue
        variance = sum((v - mean) ** 2 for v in x) / (len(x) - ddof)
        if variance < Fraction(float(np.finfo(dtype).max)):
            assert variances[i] == nearest(variance, dtype)
        else:
            assert variances[i] == np.inf or variances[i] == np.finfo(dtype).max
        if (
            np.isfinite(deviations[i]) and deviations[i] > 0
        ):  # between the squares of the middles to its neighbours
            low, high = (np.nextafter(deviations[i], deviations.dtype.type(e)) for e in (-math.inf, math.inf))
            middle = (Fraction(float(low)) + Fraction(float(deviations[i]))) / 2
            assert middle**2 <= variance
            if np.isfinite(high):
                assert variance <= ((Fraction(float(high)) + Fraction(float(deviations[i]))) / 2) ** 2


@hypothesis.given(views(dtypes=INTEGERS + ["float32", "float64"], max_dims=3), st.data())
def test_mean_beside_numpy(a, data):
    hypothesis.assume(a.size and (a.dtype.kind != "f" or (np.isfinite(a).all() and np.abs(a).max() < 1e15)))
    axis = data.draw(st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)))
    keepdims = data.draw(st.booleans())
    wanted = np.mean(a, axis, keepdims=keepdims)
    exact, fast = iw.mean(a, axis, keepdims=keepdims), iw.mean(a, axis, keepdims=keepdims, exact=False)
    for got in (exact, fast):
        assert np.shape(got) == np.shape(wanted) and got.dtype == wanted.dtype
    # The values are not NumPy's, but those of the definitions: the nearest to the fraction, and order 1's
    # sum, divided.
    along = (a.reshape(1, -1) if axis is None else np.moveaxis(a, axis, -1)).reshape(-1, a.size if axis is None else a.shape[axis])
    means = [nearest(sum(fractions(row)) / row.size, wanted.dtype) for row in along]
    assert np.array_equal(np.ravel(exact), means)
    sums = iw.sum(np.ascontiguousarray(along).astype("f8"), axis=1)
    assert np.array_equal(np.ravel(fast), (sums / along.shape[1]).astype(wanted.dtype))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_numpy_loses():
    assert iw.mean([1e308, 1e308, 1.5e308]) == 1.1666666666666667e308
    assert iw.var(1_700_000_000_000_000_000 + np.arange(5), ddof=1) == 2.5
    assert iw.var(np.array([2**63 - 1, 2**63, 2**63 + 1], "u8"), ddof=1) == 1
    assert iw.std([3e200, -3e200]) == 3e200 and iw.var([1e-200, -1e-200]) == 0.0
    assert iw.std([5e-324, -5e-324]) == 5e-324
    assert iw.mean(np.array([np.inf, 1])) == np.inf and np.isnan(iw.mean([np.inf, -np.inf]))
    assert np.isnan(iw.mean([])) and np.isnan(iw.var([1.0, np.inf])) and np.isnan(iw.mean([1, np.nan]))
    assert iw.mean(np.array([65504, 65504], "f2")) == np.float16(65504)
    x = rng.integers(-(2**63), 2**63, 70000)
    assert iw.mean(x) == float(Fraction(sum(x.tolist()), x.size))


def deviation_is_nearest(x, variance):
    """Whether a float lies where its square root rounds to: between the squares of the middles to its neighbours."""
    middle = lambda other: (Fraction(float(x)) + Fraction(float(np.nextafter(x, other)))) / 2  # noqa: E731
    return middle(-math.inf) ** 2 <= variance <= middle(math.inf) ** 2


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4", "i1"])
def test_long_rows_and_degrees_of_freedom(dtype):
    """Squares of many elements are added by their exponents; degrees of freedom may be fractions and tiny."""
    x = rng.integers(-100, 100, 9000).astype(dtype)
    x = x * 2.0 ** rng.integers(-400 if dtype == "f8" else -60, -20, x.size) if np.dtype(dtype).kind == "f" else x
    x = x.astype(dtype)
    for row in (x, x[:4096], x[:4095], x[:3]):
        values = fractions(row)
        mean = sum(values) / len(values)
        squares = sum((v - mean) ** 2 for v in values)
        for ddof in (0, 1.5, -0.1, len(values) - 1e-9, len(values) - 0.5):
            variance = squares / Fraction(len(values) - ddof)  # the float, as NumPy's
            assert iw.var(row, ddof=ddof) == nearest(variance, iw.var(row).dtype)
            if iw.std(row).dtype == "f8":
                assert deviation_is_nearest(iw.std(row, ddof=ddof), variance)
    assert iw.std(np.array([5e-324, 0]), ddof=1) == 5e-324 and iw.std([5e-324, 0.0]) == 0  # half of it, to even
    assert iw.std([5e-324, 0.0], ddof=2 - 2.0**-51) == float(Fraction(5e-324) * 2**25)
    for ddof in (math.inf, math.nan):
        with pytest.raises(ValueError, match="ddof"):
            iw.var([1.0, 2.0], ddof=ddof)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@hypothesis.given(views(dtypes=TYPES, max_dims=3), st.data())
def test_chosen_elements_have_the_statistics_of_their_own(a, data):
    hypothesis.assume(a.ndim and a.size)
    axis = data.draw(st.integers(0, a.ndim - 1))
    where = data.draw(hnp.arrays(bool, a.shape))
    for statistic in (iw.mean, iw.var, iw.std):
        got = np.moveaxis(np.expand_dims(statistic(a, axis, where=where), axis), axis, -1).reshape(-1)
        rows = np.moveaxis(a, axis, -1).reshape(got.size, -1), np.moveaxis(where, axis, -1).reshape(got.size, -1)
        for x, row, chosen in zip(got, *rows):
            np.testing.assert_array_equal(x, statistic(np.ascontiguousarray(row[chosen])), strict=True)


def test_statistics_errors():
    for call, error, text in (
        (lambda: iw.mean([1j]), TypeError, "complex128"),
        (lambda: iw.mean([1.0], dtype=int), TypeError, "dtype: a float"),
        (lambda: iw.mean([1.0], axis=1), ValueError, "axis 1"),
        (lambda: iw.var([1.0], ddof=1, correction=1), ValueError, "ddof, correction"),
        (lambda: iw.quantile([1.0], 1.5), ValueError, "q: Quantiles must be in .* 1.5"),
        (lambda: iw.quantile([1.0], 0.5, method="best"), ValueError, "method: 'best'"),
        (lambda: iw.quantile([], 0.5), ValueError, "a: has no elements"),
        (lambda: iw.nonzero(np.float64(1)), ValueError, "a: Calling nonzero on 0d arrays"),
        (lambda: iw.argpartition([1, 2], 2), ValueError, "kth: 2"),
        (lambda: iw.lexsort([]), TypeError, "keys"),
        (lambda: iw.lexsort([[1], [1, 2]]), ValueError, r"keys\[1\]"),
        (lambda: iw.unique([[1]], axis=0), ValueError, "axis"),
        (lambda: iw.group_by([1], [1, 2]), ValueError, "keys: has 1"),
        (lambda: iw.any([1], axis=3), ValueError, "axis 3"),
    ):
        with pytest.raises(error, match=text):
            call()


# ---- Quantiles --------------------------------------------------------------------------------------------

numbers = hnp.arrays("f8", st.integers(1, 9), elements=st.floats(allow_nan=False))


@hypothesis.given(numbers, st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_quantiles_stay_between_their_neighbours_and_rise(a, q):
    ordered, q = np.sort(a), sorted(q)
    got = iw.quantile(a, q)
    assert (got[:-1] <= got[1:]).all()
    for p, x in zip(q, got):
        h = Fraction((a.size - 1) * p)
        low, high = ordered[math.floor(h)], ordered[math.ceil(h)]
        assert low <= x <= high
        if np.isfinite([low, high]).all():
            exact = Fraction(low) + (Fraction(high) - Fraction(low)) * (h - math.floor(h))
            assert abs(Fraction(x) - exact) <= max(
                abs(Fraction(low)), abs(Fraction(high))
            ) / 2**51 + Fraction(5e-324)


METHODS = ["lower", "higher", "nearest", "inverted_cdf", "closest_observation", "averaged_inverted_cdf", "midpoint", "hazen",
           "weibull", "interpolated_inverted_cdf", "median_unbiased", "normal_unbiased", "linear"]  # fmt: skip


def place(n, q, method):
    """h of quantile()'s definition, in float64: Hyndman and Fan's (1996) places, from 0 on."""
    alpha, beta = {"interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "median_unbiased": (1 / 3, 1 / 3),
                   "normal_unbiased": (3 / 8, 3 / 8)}.get(method, (1, 1))  # fmt: skip
    h = (n - 1) * q
    if method == "midpoint":
        return h if h == math.floor(h) else math.floor(h) + 0.5
    if method in ("lower", "higher", "nearest"):
        return {"lower": math.floor, "higher": math.ceil, "nearest": round}[method](h)  # round(): of two the even one
    if method == "inverted_cdf":
        h = math.ceil(n * q - 1)
    elif method == "averaged_inverted_cdf":
        h = n * q - 1
        h = h + 0.5 if h == math.floor(h) else math.ceil(h)
    elif method == "closest_observation":
        h = n * q - 1.5
        h = math.floor(h) + (h != math.floor(h) or math.floor(h) % 2 == 0)
    elif (alpha, beta) != (1, 1):
        h = n * q + (alpha + q * (1 - alpha - beta)) - 1
    return min(max(h, 0), n - 1)


def quantile_by_definition(ordered, q, method):
    h = place(len(ordered), q, method)
    low, high, part = float(ordered[math.floor(h)]), float(ordered[math.ceil(h)]), h - math.floor(h)
    return low if part == 0 or low == high else min(max(low + (high - low) * part, low), high)


@hypothesis.given(
    st.integers(1, 30),
    st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.1, 0.3, 0.9])), min_size=1),
    st.sampled_from(METHODS),
)
def test_methods(n, q, method):
    a = rng.permutation(n) ** 2.0 / 3
    wanted = [quantile_by_definition(np.sort(a), p, method) for p in q]
    assert iw.quantile(a, q, method=method).tolist() == wanted


@hypothesis.given(views(), st.floats(0, 1), st.sampled_from(METHODS[:5]), st.data())
def test_quantiles_that_are_elements(a, q, method, data):
    hypothesis.assume(a.size)
    axis = data.draw(st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)))
    a = a.view("u1") if a.dtype == bool else a
    wanted = np.quantile(a.astype(a.dtype.newbyteorder("=")), q, axis=axis, method=method)
    got = iw.quantile(a, q, axis, method=method)
    assert np.array_equal(got, wanted, equal_nan=a.dtype.kind == "f")


def test_quantile_shapes_and_special_numbers():
    a = rng.random((4, 5, 6))
    for axis in (None, 0, (0, 2), -1):
        for q in (0.3, [0.1, 0.9], [[0.5]]):
            got, wanted = iw.quantile(a, q, axis, keepdims=True), np.quantile(a, q, axis=axis, keepdims=True)
            assert got.shape == wanted.shape
            axes = tuple(range(3)) if axis is None else (axis,) if isinstance(axis, int) else axis
            rows = np.moveaxis(a, axes, range(-len(axes), 0)).reshape(-1, np.prod([a.shape[i] for i in axes]))
            assert np.ravel(got).tolist() == [
                quantile_by_definition(np.sort(row), p, "linear") for p in np.ravel(q) for row in rows
            ]
    same(iw.quantile([-1.7e308, -1.7e308, 1.7e308], [0.5, 0.75]), np.array([-1.7e308, 0]))
    same(iw.quantile([-np.inf, 0, np.inf], [0.25, 0.5, 0.75]), np.array([-np.inf, 0, np.inf]))
    same(iw.quantile([-np.inf, np.inf], [0.25, 0.5, 0.75]), np.array([-np.inf, 0, np.inf]))
    assert np.isnan(iw.quantile([1, np.nan, 2], 0.5)) and iw.quantile([1, 2], 0.5, method="midpoint") == 1.5
    same(iw.quantile(np.array([2**53 + 1] * 2), 0.5, method="lower"), np.int64(2**53 + 1))


# ---- Truth, groups and orders -----------------------------------------------------------------------------


@hypothesis.given(views(), st.data())
def test_truth(a, data):
    axis = data.draw(st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)))
    keepdims = data.draw(st.booleans())
    for ours, theirs in ((iw.any, np.any), (iw.all, np.all)):
        same(ours(a, axis, keepdims=keepdims), theirs(a, axis, keepdims=keepdims))
    got, wanted = iw.nonzero(a), np.nonzero(a)
    assert len(got) == len(wanted)
    for x, y in zip(got, wanted):
        same(x, y)


@hypothesis.given(views(max_dims=2), st.data())
def test_argpartition(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    hypothesis.assume(a.size and a.shape[axis])
    kth = data.draw(st.integers(-a.shape[axis], a.shape[axis] - 1))
    index = iw.argpartition(a, kth, axis)
    moved, ordered = np.take_along_axis(a, index, axis), np.sort(a, axis)
    same(np.sort(index, axis), np.sort(np.argsort(a, axis), axis))
    at = np.take(moved, [kth], axis)
    np.testing.assert_array_equal(at, np.take(ordered, [kth], axis))
    kth %= a.shape[axis]
    front, back = np.split(moved, [kth], axis)
    nan = at != at
    assert ((front <= at) | nan).all() and ((back >= at) | (back != back)).all()


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "bool"])
@pytest.mark.parametrize("equals", [1, 64, 65, 3000])
def test_argpartition_of_many(dtype, equals):
    """What is below, equal and the rest, each in their order, around few equals and many."""
    random = np.random.default_rng(equals)
    a = random.integers(-100, 100, 6000).astype(dtype) if dtype in ("i1", "u1") else random.integers(0, 30000, 6000).astype(dtype)
    if a.dtype.kind == "u" and a.dtype.itemsize > 2:
        a[random.choice(a.size, 2000, replace=False)] += np.array(1 << 8 * a.dtype.itemsize - 1, dtype)
    if a.dtype.kind in "fi" and dtype != "i1":
        a *= random.choice([-1, 1], a.size).astype(dtype)
    a[random.choice(a.size, equals, replace=False)] = a[17]
    if a.dtype.kind == "f":
        for other in (np.nan, 0.0, -0.0):
            a[random.choice(a.size, 300, replace=False)] = other
    for kth in (int(np.flatnonzero(iw.argsort(a) == 17)[0]), 0, 300, 2900, 3000, 3100, 5650, 5999):
        same(iw.argpartition(a, kth), divided(a, kth))
    for columns in (1, 2, 3, 10, 120, 5000):
        rows = np.resize(a, 6000 // columns * columns + 2 * columns).reshape(-1, columns)
        for kth in sorted({0, columns // 2, columns - 1}):
            wanted = divided(rows, kth)
            same(iw.argpartition(rows, kth - columns), wanted)
            same(iw.argpartition(rows.T, kth, axis=0), np.ascontiguousarray(wanted.T))


def divided(a, kth):
    at = np.sort(a)[..., kth, None]
    side = np.where(a < at, 0, np.where(a == at, 1, 2))
    return np.where(at == at, np.argsort(side, kind="stable"), iw.argsort(a))


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1"])
@pytest.mark.parametrize(
    "shape, axis", [((3, 20000), 0), ((40000, 20), 0), ((5, 7, 3000), 1), ((3000, 3, 4), 1), ((70000, 3), 0), ((9, 2500, 2), 0), ((1, 9), 0)]
)
def test_columns_in_blocks(shape, axis, dtype):
    """Along an axis that is not the last one, of more elements than are turned at a time."""
    a = np.random.default_rng(3).integers(0, 200, shape).astype(dtype)
    kth = shape[axis] // 2
    same(iw.sort(a, axis), np.sort(a, axis))
    same(iw.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    same(iw.cumsum(a, axis), np.cumsum(a, axis))
    same(iw.scan(a, "max", axis=axis), np.maximum.accumulate(a, axis))
    wanted = np.ascontiguousarray(np.moveaxis(divided(np.moveaxis(a, axis, -1), kth), -1, axis))
    same(iw.argpartition(a, kth, axis), wanted)
    out = a.copy()
    same(iw.cumsum(out, axis, out=out, dtype=out.dtype), np.cumsum(a, axis, dtype=a.dtype))


def test_argpartition_of_blocks():
    """Rows that are more than a block, the last of which is not full; a NaN is in some of them."""
    rows = np.random.default_rng(1).integers(0, 50, (60000, 3)).astype("f8")
    rows[[0, 43690, 43691, 59999], [0, 1, 2, 0]] = np.nan
    for kth in (0, 1, 2):
        same(iw.argpartition(rows, kth), divided(rows, kth))
    same(iw.argpartition(np.float64(3), 0), np.argpartition(np.float64(3), 0))


@hypothesis.given(
    st.lists(
        hnp.arrays("f4", (2, 7), elements=st.sampled_from([0, -0.0, 1, np.nan, -2])), min_size=1, max_size=3
    ),
    st.integers(-2, 1),
)
def test_lexsort(keys, axis):
    keys = [k + np.float32(0) for k in keys]  # NumPy's zeros are equal
    same(iw.lexsort(keys, axis), np.lexsort(keys, axis))


@pytest.mark.parametrize("columns", [1, 5, 16, 17])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "bool"])
def test_lexsort_of_rows(dtype, columns):
    """A stable sort by each key in turn, in the order of sort(): -0 before 0, and NaN last."""
    random = np.random.default_rng(columns)
    least, most = (0, 1) if dtype == "bool" else (-9, 9) if "f" in dtype else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    some = np.array([least, most, 0, 1, most - 1] + ([-0.0, np.nan, -np.nan, np.inf, 0.5] if "f" in dtype else []), dtype)
    for number in (1, 2, 4, 5):
        keys = [random.choice(some, (40, columns)) for _ in range(number)]
        order = np.argsort(np.zeros((40, columns)), kind="stable")
        for key in keys:
            order = np.take_along_axis(order, iw.argsort(np.take_along_axis(key, order, 1)), 1)
        same(iw.lexsort(keys), order)
        same(iw.lexsort([key[3] for key in keys]), order[3])


@hypothesis.given(views(), st.booleans())
def test_unique(a, equal_nan):
    got = iw.unique(a, True, True, True, equal_nan=equal_nan)
    wanted = np.unique(a, True, True, True, equal_nan=equal_nan)
    np.testing.assert_array_equal(got[0], wanted[0])
    assert got[0].dtype == wanted[0].dtype.newbyteorder("=") and got[2].shape == a.shape
    for x, y in zip(got[1:], wanted[1:]):
        np.testing.assert_array_equal(x, y.reshape(x.shape))


@hypothesis.given(
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.5, math.nan, -3.0]), st.integers(-9, 9)), max_size=30),
    st.sampled_from(["sum", "min", "max", "prod"]),
)
def test_group_by(pairs, op):
    keys, values = np.array([p[0] for p in pairs], "f8"), np.array([p[1] for p in pairs], "i8")
    unique, results = iw.group_by(keys, values, op)
    np.testing.assert_array_equal(unique, np.unique(keys))
    for key, result in zip(unique, results):
        chosen = values[(keys == key) | ((keys != keys) & (key != key))]
        assert result == iw.reduce(chosen, op)
