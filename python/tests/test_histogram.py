# SPDX-License-Identifier: Apache-2.0
"""Histograms are equal to numpy.histogram's wherever NumPy follows its own edges.

numpy.histogram with given edges sorts and searches, which decides by comparison. With a number of bins it
computes an index and corrects it by one. It compares 64-bit integers as float64.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import isowarp as iw
from conftest import FLOATS, INTEGERS, TYPES, same, views


def finite(dtype):
    if dtype.kind == "f":
        return hnp.from_dtype(dtype, min_value=-1e4, max_value=1e4, allow_nan=False, allow_infinity=False)
    return hnp.from_dtype(dtype)


def by_comparison(a, edges):
    """The definition, in Python's exact arithmetic."""
    made = np.zeros(edges.size - 1, np.int64)
    e = edges.tolist()
    for x in np.asarray(a).reshape(-1).tolist():
        for k in range(len(e) - 1):
            if e[k] <= x < e[k + 1] or (k == len(e) - 2 and x == e[k + 1]):
                made[k] += 1
    return made


def equal(ours, edges):
    """Equal numbers: of the zeros in the data either one may be the least."""
    assert ours.dtype == edges.dtype and np.array_equal(ours, edges)


def many(elements, dtype):
    return hnp.arrays(dtype, st.integers(0, 60), elements=elements)


@given(views(dtypes=TYPES, elements=finite), st.integers(1, 30))
def test_even_bins(a, bins):
    if a.dtype == np.bool_:
        a = a.view(np.uint8)  # NumPy warns, and does the same
    try:
        expected, edges = np.histogram(a, bins)
    except ValueError:
        if (a == a.flat[0]).all():  # of one large value, whose range NumPy has not
            assert iw.histogram(a, 1)[0].sum() == a.size
            return
        with pytest.raises(ValueError):
            iw.histogram(a, bins)
        return
    if np.any(edges[:-1] >= edges[1:]):
        return
    counts, ours = iw.histogram(a, bins)
    equal(ours, edges)
    if (
        a.dtype.itemsize == 8
        and a.dtype.kind in "iu"
        and a.size
        and max(abs(int(x)) for x in a.reshape(-1)) > 2**53
    ):
        wide = edges.astype(
            object
        )  # float64 may have neither end: the least and the largest sample are the range
        wide[0], wide[-1] = min(wide[0], int(a.min())), max(wide[-1], int(a.max()))
        same(counts, by_comparison(a, wide))
        assert counts.sum() == a.size
        return
    same(counts, by_comparison(a, edges))
    if np.array_equal(expected, np.histogram(a, edges)[0]):
        same(counts, expected)


@given(
    st.sampled_from(FLOATS[1:] + INTEGERS),
    st.integers(1, 40),
    st.floats(-100, 100),
    st.floats(0.001, 200),
    st.data(),
)
def test_even_bins_with_range(dtype, bins, lo, width, data):
    a = data.draw(many(finite(np.dtype(dtype)), np.dtype(dtype)))
    hi = lo + width
    try:
        expected, edges = np.histogram(a, bins, (lo, hi))
    except ValueError:
        return
    if np.any(edges[:-1] >= edges[1:]):
        return
    near = edges.astype(dtype)  # samples on and beside edges
    a = np.concatenate((a, near, np.nextafter(near, np.inf, dtype=dtype) if a.dtype.kind == "f" else near))
    counts, ours = iw.histogram(a, bins, (lo, hi))
    equal(ours, edges)
    same(counts, by_comparison(a, edges))
    same(counts, np.histogram(a, edges)[0])


@given(st.sampled_from(TYPES[:-1]), st.sampled_from(["float64", "float32", "int64"]), st.data())
def test_given_edges(dtype, edge_type, data):
    a = data.draw(many(None, np.dtype(dtype)))
    special = [np.inf, -np.inf] if edge_type != "int64" else []
    edges = data.draw(
        st.lists(
            st.one_of(
                st.integers(-300, 300).map(lambda i: i / 2 if edge_type != "int64" else i),
                st.sampled_from(special or [0]),
            ),
            min_size=2,
            max_size=9,
        )
    )
    edges = np.sort(np.array(edges, edge_type))
    if np.dtype(dtype).kind in "iu" or edge_type != "int64":
        a = np.concatenate((a, np.clip(np.nan_to_num(edges), 0, 127).astype(dtype)))
    with np.errstate(all="ignore"):
        same(iw.histogram(a, edges)[0], by_comparison(a, edges))


@given(
    st.sampled_from(["float16", "float32"]),
    st.lists(st.floats(-100, 100), min_size=2, max_size=9, unique=True),
)
def test_edges_of_a_wider_type(dtype, edges):
    """The samples beside edges that their type has not."""
    edges = np.sort(np.array(edges))
    near = edges.astype(dtype)
    a = np.concatenate(
        (near, np.nextafter(near, np.inf, dtype=dtype), np.nextafter(near, -np.inf, dtype=dtype))
    )
    same(iw.histogram(a, edges)[0], by_comparison(a, edges))
    same(iw.histogram(a, edges, weights=np.ones(a.size, int))[0], by_comparison(a, edges))
    same(iw.digitize(a, edges), np.digitize(a.astype("f8"), edges))
    same(iw.digitize(a, edges, right=True), np.digitize(a.astype("f8"), edges, right=True))


@pytest.mark.parametrize("dtype", TYPES[:-1])
def test_ends_of_the_type(dtype):
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    a = np.array([info.min, info.min, 0, 1, info.max], dtype)
    for edges in (
        [-np.inf, 0, np.inf],
        [-np.inf, np.inf],
        [0, 0],
        [0, 1, 1],
        [float(info.min), 0, float(info.max)],
        [1e-3, np.inf],
        [-np.inf, -np.inf, 0.5],
        [-1e30, 1e30] if np.dtype(dtype).kind in "iu" else [0.0, 1.0],
    ):
        edges = np.array(edges)
        same(iw.histogram(a, edges)[0], by_comparison(a, edges))


@pytest.mark.parametrize("dtype", ["f8", "i8"])
def test_few_samples_in_many_bins(dtype):
    """Which are searched for, so that no memory is needed but that of edges and counts."""
    bins = (1 << 24) + 3
    edges = np.arange(bins + 1, dtype=dtype) - 5
    a = np.array([-6, -5, -0.0, 0, 1, 1, 7, 2000, edges[-2], edges[-1], edges[-1] + 1], dtype)
    a = np.concatenate((a, [np.nan, np.inf, -np.inf])) if dtype == "f8" else a
    for counts, got in (iw.histogram(a, edges), iw.histogram(a, bins, (-5, bins - 5))):
        assert np.array_equal(got, edges) and counts.dtype == np.int64 and counts.size == bins
        places = np.flatnonzero(counts)
        assert places.tolist() == [0, 5, 6, 12, 2005, bins - 1] and counts[places].tolist() == [1, 2, 2, 1, 1, 2]


def test_not_numpys_mistake():
    """NumPy compares these integers with the edges as float64, in which they are equal to an edge."""
    a = np.array([2**60 - 1], np.int64)
    same(iw.histogram(a, 2, (0, 2**61))[0], np.array([1, 0]))
    same(np.histogram(a, 2, (0, 2**61))[0], np.array([0, 1]))
    a = np.array([2**60 + 1, 2**60 + 3], np.int64)
    same(iw.histogram(a, np.array([2**60, 2**60 + 2, 2**60 + 4], np.int64))[0], np.array([1, 1]))


@given(
    views(dtypes=["float32", "float64", "int32", "uint8"], max_dims=2, elements=finite),
    st.integers(1, 9),
    st.data(),
)
def test_weights_and_density(a, bins, data):
    weights = data.draw(
        hnp.arrays(
            st.sampled_from([np.dtype("f8"), np.dtype("f4"), np.dtype("i4"), np.dtype("u8"), np.dtype("?")]),
            a.shape,
            elements=st.integers(0, 1),
        )
    )
    expected, edges = np.histogram(
        a, bins, weights=weights if weights.dtype != np.bool_ else weights.astype("i8")
    )
    counts, ours = iw.histogram(a, bins, weights=weights)
    equal(ours, edges)
    if np.array_equal(np.histogram(a, edges)[0], np.histogram(a, bins)[0]):
        assert np.array_equal(counts, expected)
        with np.errstate(all="ignore"):
            dense, plain = np.histogram(a, bins, density=True)[0], iw.histogram(a, bins, density=True)[0]
        same(plain, dense)


@pytest.mark.parametrize("count", [1, 10, 5000])
@pytest.mark.parametrize("most", [1, 7, 9000])
def test_bincount_of_weights_is_exact(count, most):
    """Weights that are near each other, far from each other, subnormal and huge."""
    random = np.random.default_rng(count)
    x = random.integers(0, most, count)
    near = random.normal(size=count)
    for weights in (near, np.round(8 * near), near * 1e-310, near * 2.0**1014, np.ldexp(near, random.integers(-60, 60, count))):
        sums = [Fraction(0)] * (int(x.max()) + 1)
        for k, w in zip(x.tolist(), weights.tolist()):
            sums[k] += Fraction(w)
        same(iw.bincount(x, weights), np.array([float(s) for s in sums]))


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_bincount_of_weights_near_ties(size):
    """Sums between two numbers that a rest, which two numbers do not hold, decides; and sums that are not finite."""
    tiny = 2.0**-120
    parts = [[1.0, 2.0**-53], [1.0, 2.0**-53, tiny], [1.0, 2.0**-53, -tiny], [1.0, 2.0**-53, tiny, -tiny], [1e16, 1.0, -1e16]]
    parts += [[1 + 2.0**-52, 2.0**-53, -tiny], [-1.0, -(2.0**-53), -tiny], [5e-324] * 3, [1.7e308, 1.7e308, -1.7e308], [-0.0, -0.0]]
    for some in (parts, parts[:2], parts + [[np.inf, 1.0]]):
        x = np.concatenate([[k] * len(p) for k, p in enumerate(some)]).astype(f"u{size}")
        right = [np.inf if np.inf in p else float(sum(map(Fraction, p))) for p in some]
        same(iw.bincount(x, np.concatenate(some)), np.array(right))
    assert np.isnan(iw.bincount([0, 0, 1], [np.inf, -np.inf, 1.0])[0])


def test_weights_are_summed_exactly():
    x, w = np.zeros(3), np.array([1e16, 1.0, -1e16])
    assert iw.histogram(x, [0.0, 1.0], weights=w)[0][0] == 1.0
    assert iw.bincount(np.zeros(3, int), weights=w)[0] == 1.0


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), max_size=50), st.data(), st.booleans())
def test_two_dimensions(pairs, data, density):
    x, y = np.array(pairs).reshape(-1, 2).T
    bins = data.draw(
        st.sampled_from(
            [
                3,
                [2, 5],
                np.linspace(-5, 5, 7),
                [np.array([-5, 0, 0.5, 5.0]), 4],
                [np.array([-np.inf, 0, 0, np.inf]), np.array([-1.0, 1.0])],
            ]
        )
    )
    if x.size == 0 and density:
        return
    weights = data.draw(st.sampled_from([None, np.arange(x.size) * 0.5]))
    with np.errstate(all="ignore"):
        expected = np.histogram2d(x, y, bins, weights=weights, density=density)
        ours = iw.histogram2d(x, y, bins, weights=weights, density=density)
    for a, b in zip(ours, expected):
        assert a.dtype == b.dtype
        assert np.allclose(a, b, rtol=1e-13, equal_nan=True) if density else np.array_equal(a, b)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-3, 3)),
    st.booleans(),
)
def test_more_dimensions(sample, weighted):
    weights = np.arange(len(sample)) * 0.25 if weighted else None
    expected, edges = np.histogramdd(sample, 3, weights=weights)
    counts, ours = iw.histogramdd(sample, 3, weights=weights)
    assert all(np.array_equal(a, b) for a, b in zip(ours, edges))
    same(counts, expected)


@given(
    hnp.arrays(st.sampled_from(INTEGERS), st.integers(0, 60), elements=st.integers(0, 100)),
    st.integers(0, 120),
)
def test_bincount(x, minlength):
    if x.dtype == np.uint64:
        same(iw.bincount(x, minlength=minlength), np.bincount(x.astype("i8"), minlength=minlength))
        return
    same(iw.bincount(x, minlength=minlength), np.bincount(x, minlength=minlength))
    weights = np.arange(x.size) * 0.5
    same(iw.bincount(x, weights, minlength), np.bincount(x, weights, minlength))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_bincount_of_many(threads, dtype):
    """On more than two threads the library counts."""
    x = np.random.default_rng(threads).integers(0, 100, 2**16 + 7).astype(dtype)
    with iw.Context("cpu", threads=threads):
        same(iw.bincount(x), np.bincount(x.astype("i8")))
        same(iw.bincount(x, minlength=120), np.bincount(x.astype("i8"), minlength=120))
        if np.dtype(dtype).kind == "i":
            x[-1] = -3
            with pytest.raises(ValueError, match="x: has a negative element, -3"):
                iw.bincount(x)


@pytest.mark.parametrize("size", [10, 3000])
def test_bincount_of_weights_of_any_type(size):
    x = np.arange(size) % 7
    for dtype in INTEGERS + FLOATS + ["bool"]:
        weights = (np.arange(size) % 5).astype(dtype)
        same(iw.bincount(x, weights), np.bincount(x, weights))
    same(iw.bincount(x, np.full(size, 2**64 - 1, "u8")), np.bincount(x, np.full(size, 2.0**64)))
    same(iw.bincount(np.zeros(0, int), np.zeros(0)), np.bincount(np.zeros(0, int), np.zeros(0)))
    with pytest.raises(ValueError, match="weights: must have the length of x"):
        iw.bincount(x, np.ones(size - 1, "i4"))


@pytest.mark.parametrize(
    "dtype, most", [("uint8", 255), ("int8", 127), ("uint16", 65535), ("int32", 200000)]
)
def test_bincount_to_the_end_of_the_type(dtype, most):
    x = np.array([0, most, most, most // 2], dtype)
    same(iw.bincount(x), np.bincount(x))


@given(views(dtypes=TYPES[:-1], max_dims=2), st.data(), st.booleans(), st.booleans())
def test_digitize(x, data, right, decreasing):
    integers = data.draw(st.booleans())
    edges = data.draw(
        st.lists(
            (
                st.integers(-50, 50)
                if integers
                else st.one_of(st.integers(-99, 99).map(lambda i: i / 2), st.sampled_from([np.inf, -np.inf]))
            ),
            min_size=1,
            max_size=8,
        )
    )
    edges = np.sort(np.array(edges))
    edges = edges[::-1] if decreasing else edges
    with np.errstate(all="ignore"):
        same(iw.digitize(x, edges, right), np.digitize(x, edges, right))


def test_rows():
    x = np.random.default_rng(3).random((7, 50)).astype("f4")
    counts, edges = iw.histogram_rows(x, 5, (0, 1))
    for row, got in zip(x, counts):
        same(got, iw.histogram(row, 5, (0, 1))[0])


def test_rules_by_name():
    x = np.random.default_rng(3).standard_normal(200)
    for rule in ("auto", "fd", "sturges"):
        same(iw.histogram(x, rule)[0], np.histogram(x, rule)[0])
    same(iw.histogram_bin_edges(x, 7), np.histogram_bin_edges(x, 7))


def test_picture():
    result = iw.histogram(np.array([1.0, 2.0, 2.0]), 4)
    assert result.counts is result[0] and result.edges is result[1]
    picture = result._repr_html_()
    assert picture.startswith("<svg") and picture.count("<rect") == 4 and "1.75 to 2: 2" in picture
    iw.histogram(np.array([]), 4)._repr_html_()


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: iw.histogram([1.0], 0), ValueError, "bins: 0 bins"),
        (lambda: iw.histogram([1.0], 1.5), TypeError, "bins: an integer"),
        (lambda: iw.histogram([1.0], [2, 1]), ValueError, "bins: must increase"),
        (lambda: iw.histogram([1.0], [1.0, np.nan]), ValueError, "bins: must increase"),
        (lambda: iw.multisplit([1.0], [1]), ValueError, "bins: two edges"),
        (lambda: iw.histogramdd([[1.0]], [[1]]), ValueError, "bins.0.: 2 edges"),
        (lambda: iw.histogram([1.0], [[1, 2]]), ValueError, "bins: edges of one dimension"),
        (lambda: iw.histogram([1.0], 3, (2, 1)), ValueError, "range: max must be larger"),
        (lambda: iw.histogram([1.0], 3, (0, np.inf)), ValueError, "range: supplied range"),
        (lambda: iw.histogram(np.zeros(3), 3, 5), ValueError, "range: a pair"),
        (lambda: iw.histogram([np.nan]), ValueError, "NaN|nan"),
        (lambda: iw.histogram(np.array([np.inf], "f4")), ValueError, "a: autodetected range"),
        (lambda: iw.histogram([1.0], weights=[1.0, 2.0]), ValueError, "weights: should have the same shape"),
        (lambda: iw.histogram([1.0], weights=[1j]), TypeError, "weights"),
        (lambda: iw.bincount([-1]), ValueError, "x: has a negative element, -1"),
        (lambda: iw.bincount([1.5]), TypeError, "x: integers"),
        (lambda: iw.bincount([[1]]), ValueError, "x: an array of one dimension"),
        (lambda: iw.bincount([1], minlength=-1), ValueError, "minlength"),
        (lambda: iw.digitize([1], [1, 3, 2]), ValueError, "bins: must be monotonically|bins: must increase"),
        (lambda: iw.histogram2d([1, 2], [1]), ValueError, "x, y"),
        (lambda: iw.histogramdd(np.zeros((3, 2)), [1, 2, 3]), ValueError, "bins: there are 3"),
    ],
)
def test_errors(call, error, part):
    with pytest.raises(error, match=part):
        call()


# ---- Axes by a transform ----


def neighbours(edge, dtype):
    """Half way to the values below and above, as fractions."""
    return [
        (Fraction(float(edge)) + Fraction(float(np.nextafter(edge, dtype.type(to))))) / 2
        for to in (-np.inf, np.inf)
    ]


@given(
    st.sampled_from(["f4", "f8", "f2"]),
    st.floats(0.01, 10),
    st.floats(1.5, 1000),
    st.integers(1, 9),
)
def test_log_edges(name, lo, ratio, bins):
    dtype = np.dtype(name)
    lo, hi = dtype.type(lo), dtype.type(lo * ratio)
    edges = iw.log_edges(lo, hi, bins, dtype)
    assert edges.dtype == dtype and edges[0] == lo and edges[-1] == hi and np.all(edges[:-1] < edges[1:])
    low, high = Fraction(float(lo)), Fraction(float(hi))
    for k in range(1, bins):  # e**bins is lo**(bins - k) * hi**k, exactly
        below, above = neighbours(edges[k], dtype)
        assert below**bins < low ** (bins - k) * high**k < above**bins


@given(st.floats(0, 10), st.floats(0.5, 1000), st.integers(1, 9), st.sampled_from([2, 3, 0.5]))
def test_power_edges(lo, width, bins, power):
    lo, hi = np.float32(lo), np.float32(lo + width)
    edges = iw.power_edges(lo, hi, bins, power, "f4")
    assert edges[0] == lo and edges[-1] == hi
    if power < 1:
        even = (
            np.sqrt(float(lo)) * (bins - np.arange(bins + 1)) + np.sqrt(float(hi)) * np.arange(bins + 1)
        ) / bins
        assert np.allclose(edges, even**2, rtol=1e-6)
        return
    low, high = Fraction(float(lo)) ** power, Fraction(float(hi)) ** power
    for k in range(1, bins):
        below, above = neighbours(edges[k], np.dtype("f4"))
        assert below**power <= low + (high - low) * k / bins <= above**power


def test_edges_by_a_transform():
    assert iw.log_edges(1, 1024, 10).tolist() == [2**k for k in range(11)]
    assert iw.log_edges(1, 1000, 3, "i4").tolist() == [1, 10, 100, 1000]
    counts, edges = iw.histogram([0.5, 1, 5, 50, 1000], iw.log_edges(1, 1000, 3))
    same(counts, np.array([2, 1, 1]))
    with pytest.raises(ValueError, match="power"):
        iw.power_edges(0, 1, 4, 100)
    with pytest.raises(ValueError, match="lo must be positive"):
        iw.log_edges(0, 1, 4)


@given(st.integers(1, 5), st.integers(0, 200), st.booleans(), st.data())
def test_dimensions(d, n, weighted, data):
    """Up to four dimensions are one call of the library, five are not."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    sample = random.integers(-3, 9, (n, d)) / random.choice([1.0, 4.0])
    bins = [
        np.array([-1, 0, 2.5, 8]) if data.draw(st.booleans()) else np.array([-np.inf, 0, 4])
        for _ in range(d)
    ]
    weights = random.integers(-9, 9, n) / 8 if weighted else None
    expected, edges = np.histogramdd(sample, bins, weights=weights)
    counts, ours = iw.histogramdd(sample, bins, weights=weights)
    same(counts, expected)
    for a, b in zip(ours, edges):
        same(a, b)


def test_pictures():
    """Notebooks draw counts of one and two dimensions, whatever the edges, with few shapes."""
    x = np.arange(2000) % 300
    for bins in (7, [-np.inf, 3, 200, np.inf], [5, 5]):
        assert iw.histogram(x, bins)._repr_html_().count("<rect") == (len(bins) - 1 if bins != 7 else 7)
    two = iw.histogram2d(x, x[::-1], 300)
    assert 0 < two._repr_html_().count("<rect") <= 64 * 64 and "nan" not in two._repr_html_()
    assert len(two) == 3 and two[0].sum() == 2000
    assert iw.histogramdd([x, x], 5)._repr_html_().count("<rect") == 5
    rows = iw.histogram_rows(x.reshape(2, 1000), 4)._repr_html_()
    assert rows.count("<rect") == 8 and "0 to 74.75, 1 to 0: " in rows
    assert iw.histogramdd([x, x, x], 5)._repr_html_() is None


EVERYTHING = [-np.inf, -3e38, -65504.0, -1.0, -0.0, 0.5, 65504.0, 3e38, 3.4028234663852886e38, np.inf, np.nan]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "edges",
    [
        [-np.inf, 0, 1e39],
        [-1e39, 1e39],
        [-1e39, 0, 65504, 65520, 1e39],
        [0, 1e39, 1e40, np.inf],
        [0, np.inf, np.inf],
        [-np.inf, -np.inf, 0, np.inf, np.inf],
        [-np.inf, 0, 65504.0, 1e5],
        [-np.inf, 0, 3.4028234663852886e38],
        [-np.inf, 3.4028234663852886e38, 3.5e38],
        [65504.0, 65504.0, np.inf],
        [1e39, 1e40],
        [-1e40, -1e39],
        [-(2**70), 0, 2**70],
    ],
)
def test_edges_beyond_the_type(dtype, edges):
    with np.errstate(over="ignore"):
        a = np.array(EVERYTHING).astype(dtype)
    edges = np.array(edges, "f8")
    same(iw.histogram(a, edges)[0], by_comparison(a, edges))
    same(iw.histogram(a, edges.astype(np.longdouble))[0], by_comparison(a, edges))
    same(iw.histogramdd([a], [edges])[0], by_comparison(a, edges).astype("f8"))
    same(iw.histogram(a, edges, weights=np.full(a.size, 2))[0], 2 * by_comparison(a, edges))


def test_too_few_edges_for_a_bin():
    for edges in ([], [1.0], np.array([3])):
        for options in ({}, {"weights": [1.0, 2.0]}, {"density": True}):
            for ours, numpys in zip(iw.histogram([1, 2], edges, **options), np.histogram([1, 2], edges, **options)):
                same(ours, numpys)
        same(iw.histogram_bin_edges([1, 2], edges), np.histogram_bin_edges([1, 2], edges))
    assert iw.histogram_rows([[1, 2], [3, 4]], [1])[0].shape == (2, 0)


def test_edges_beyond_float64():
    a = np.array([0.0, 1.7976931348623157e308, np.inf])
    beyond = np.longdouble(2) ** 1024
    same(iw.histogram(a, np.array([0, beyond]))[0], np.array([2]))
    with pytest.raises(ValueError, match="bins: an edge is the largest float64"):
        iw.histogram(a, np.array([0, 1.7976931348623157e308, beyond]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_wide_ranges(dtype):
    """A range whose length the type does not hold; the edges are those of exact arithmetic, but for the last bit."""
    most = np.finfo(dtype).max
    a = np.array([-most, 0, most], dtype)
    counts, edges = iw.histogram(a, 4)
    assert edges.dtype == dtype
    exact = np.array([Fraction(float(most)) * k / 2 for k in range(-2, 3)], "f8").astype(dtype)
    assert (np.abs(edges - exact) <= np.abs(exact) * np.finfo(dtype).eps).all() and edges[0] == -most and edges[-1] == most
    same(counts, np.array([1, 0, 1, 1]))
    same(iw.histogram(a, 4, weights=np.ones(3))[0], counts.astype("f8"))
    same(iw.histogramdd([a], 4)[0], counts.astype("f8"))
    same(iw.histogram(a, 1)[1], np.array([-most, most], dtype))
    counts, edges = iw.histogram(np.array([-3e38, 0, 3e38], "f4"), 2, (-1e39, 1e39))
    same(edges, np.array([-1e39, 0, 1e39]))
    same(counts, np.array([1, 2]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_value(dtype):
    """v - 0.5 to v + 0.5, or v - |v|/2 to v + |v|/2 where these are v after rounding:
    doc/design/histogram.md#automatic-ranges."""
    for v in (3.0, 1e17 if dtype != "float16" else 3e4, -1e17 if dtype != "float16" else -3e4):
        v = np.dtype(dtype).type(v)
        half = 0.5 if v - np.dtype(dtype).type(0.5) != v else abs(v) / 2
        a = np.array([v, v])
        for x in (a, a[::-1], a.astype(a.dtype.newbyteorder()), a.tolist() if dtype == "float64" else a):
            for options in ({}, {"range": (v, v)}, {"density": True}):
                counts, edges = iw.histogram(x, 4, **options)
                assert edges[0] == v - half and edges[-1] == v + half
                assert np.argmax(counts) == 2
    assert np.isfinite(iw.histogram([1.7e308, 1.7e308])[1]).all()


def test_integers_beyond_64_bits():
    """As edges, ends of a range and values of digitize(); those that no type holds are refused."""
    a = np.array([2**64 - 1, 3], "u8")
    same(iw.histogram(a, [0, 5, 2**64])[0], np.array([1, 1]))
    same(iw.digitize(a, [0, 5, 2**64]), np.array([2, 1]))
    same(iw.histogram(a, 2, (0, 2**64))[1], np.array([0.0, 2.0**63, 2.0**64]))
    same(iw.histogram(a, 2, (0, 2**64))[0], np.array([1, 1]))
    for edges in ([0, 2**64 + 1], [0, 10**400]):
        for call in (iw.histogram, iw.digitize):
            with pytest.raises(ValueError, match="bins: no type holds integers beyond 64 bits"):
                call(a, edges)
    with pytest.raises(ValueError, match="range: supplied range of .* is not finite"):
        iw.histogram(a, 2, (0, 10**400))


def test_longdouble_ranges():
    third = np.longdouble(1) / 3
    x = np.array([0.1, 1 / 3, 0.5])
    for a in (x, x[::-1], x.astype(">f8")):
        counts, edges = iw.histogram(a, 2, (0, third))
        assert edges.dtype == np.longdouble and edges[-1] == third
        same(counts, np.array([1, 1]) if np.longdouble(1 / 3) <= third else np.array([1, 0]))


@given(st.sampled_from(INTEGERS), st.sampled_from(FLOATS + ["longdouble"] + INTEGERS), st.data())
def test_edges_of_integers_are_exact(dtype, edge_type, data):
    a = np.array(data.draw(st.lists(hnp.from_dtype(np.dtype(dtype)), max_size=20)), dtype)
    near = [float(x) for x in a[:6].tolist()] if np.dtype(edge_type).kind == "f" else a[:6].tolist()
    about = None if np.dtype(edge_type).kind == "f" else np.iinfo(edge_type)
    near = [x for x in near if about is None or about.min <= x <= about.max]
    with np.errstate(over="ignore"):
        edges = np.sort(np.array(near + [0, 1, 7], edge_type))
    exact = [Fraction(int(e)) if about else (float(e) if not np.isfinite(e) else Fraction(*e.as_integer_ratio())) for e in edges]
    expected = [
        sum(low <= x < high or (k == edges.size - 2 and x == high) for x in a.tolist())
        for k, (low, high) in enumerate(zip(exact, exact[1:]))
    ]
    same(iw.histogram(a, edges)[0], np.array(expected))


@pytest.mark.parametrize("dtype", ["i8", "u8"])
@pytest.mark.parametrize("other", ["f8", "f4", "f2", "i8", "u8", "i4", "?"])
def test_axes_of_64_bit_integers_are_compared_exactly(dtype, other):
    x, y = (1700000000000000000 + np.arange(0, 500, 100)).astype(dtype), np.ones(5, other)
    edges = (1700000000000000000 + np.arange(0, 600, 100)).astype(dtype)
    weights = np.array([1.0, 2, 4, 8, 16])
    same(iw.histogram2d(x, y, [edges, [0.0, 2]])[0], np.ones((5, 1)))
    same(iw.histogram2d(y, x, [[0, 2], edges], weights=weights)[0], weights.reshape(1, 5))
    bins = [edges, [0, 2], edges, [0.0, 2], [0.5, 1.5]]
    same(iw.histogramdd([x, y, x, y, y], bins)[0].sum((1, 3, 4)), np.eye(5))
    for ours, theirs in zip(iw.histogram2d(x, y, 3)[1:], np.histogram2d(x, y, 3)[1:]):
        same(ours, theirs)


def test_range_of_equal_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    most = np.nextafter(bfloat16(np.inf), bfloat16(0))
    a = np.array([most, most], bfloat16)
    counts, edges = iw.histogram(a, 2)
    assert counts.tolist() == [0, 2] and edges[0] == np.float32(most) / 2 and edges[-1] == np.finfo("f4").max
    assert iw.histogram(-a, 2).counts.tolist() == [2, 0]
    assert iw.histogramdd([a, -a], 2)[0].tolist() == [[0, 0], [2, 0]]
    assert iw.multisplit(a, 2)[1].tolist() == [0, 0, 2]


@pytest.mark.parametrize("bins", [2, 10, 1000, "sturges"])
def test_edges_of_bfloat16_are_those_of_float32(bins):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a = np.linspace(-3, 4, 1000).astype(bfloat16)
    wide = a.astype("f4")
    ends = [-2.5, 0, 0.3, 4] if bins == "sturges" else [-3e38, -2.5, 0, 0.3, 3e38]
    pairs = [(bfloat16(x), bfloat16(y)) for x in ends for y in ends if x < y]
    for range in [None, (0, 1), (0.5, 0.7), (5, 5), (0.5, 0.5), (bfloat16(0), 1), np.array([0.3, 2], bfloat16), *pairs]:
        wider = lambda x: np.float32(x) if isinstance(x, bfloat16) else x
        as_float32 = range if range is None else tuple(map(wider, range))
        for ours, expected in zip(iw.histogram(a, bins, range), iw.histogram(wide, bins, as_float32)):
            same(ours, expected)
        if bins != "sturges":
            (ours, [edges]), (expected, [edges_expected]) = (
                iw.histogramdd([x], bins, [r]) for x, r in ((a, range), (wide, as_float32))
            )
            same(ours, expected)
            same(edges, edges_expected)


def test_ranges_that_edges_do_not_divide():
    a = np.array([2**64 - 6, 2**64 - 1], "u8")
    for bins in (1, 3):
        with pytest.raises(ValueError, match=f"from {2**64 - 6} to {2**64 - 1}: as float64 both are 1.8.*e.19; give a"):
            iw.multisplit(a, bins)
    with pytest.raises(ValueError, match="from 1.0 to 1.0+[12]: as float64 some of 9 bins would be empty; give a"):
        iw.histogram([1, 1 + 2**-52], 9)
    assert iw.multisplit(a, [2**64 - 6, 2**64 - 3, 2**64 - 1])[1].tolist() == [0, 1, 2]
