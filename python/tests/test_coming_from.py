# SPDX-License-Identifier: Apache-2.0
"""isowarp's side of the lines of doc/coming-from.md: the small inputs on which other libraries differ."""

import numpy as np
import pytest

import isowarp as iw

nan, inf = float("nan"), float("inf")
MIXED = np.array([3, nan, -0.0, 0.0, -inf, inf, 1, -nan], "f4")
SAMPLES = np.array([0, 1, nan, 2, inf, -1])
NORMALS = np.random.default_rng(1).standard_normal(1 << 18).astype("f4")


def same(ours, *expected):
    """Equal values and signs of zeros; NaN is equal to NaN."""
    ours, expected = np.asarray(ours).reshape(-1), np.array(expected)
    np.testing.assert_array_equal(ours, expected)
    numbers = ~np.isnan(ours.astype("f8"))
    np.testing.assert_array_equal(np.signbit(ours[numbers]), np.signbit(expected[numbers]))


def test_sort():
    same(iw.sort(MIXED), -inf, -0.0, 0.0, 1, 3, inf, nan, nan)
    same(iw.argsort(MIXED), 4, 2, 3, 6, 0, 5, 1, 7)
    same(iw.sort(np.array([0.0, -0.0, 1, -0.0, 0.0])), -0.0, -0.0, 0.0, 0.0, 1)
    same(iw.sort(np.array([1e-40, 0, -1e-40], "f4")) > 0, False, False, True)


def test_the_length_does_not_move_nan():
    """Both NaN are last, in arrays that are sorted in one block and in many, and in rows."""
    few = np.array([nan, -nan, 1], "f4")
    for copies in 1, 1000, 100_000:
        many = iw.sort(np.tile(few, copies))
        assert np.all(many[:copies] == 1) and np.all(np.isnan(many[copies:]))
        assert np.all(iw.argsort(np.tile(few, copies))[copies : copies + 4] == [0, 1, 3, 4][: 2 * copies])
    same(iw.sort(np.stack([few, few]), axis=1), 1, nan, nan, 1, nan, nan)


def test_bits_of_nan():
    """A sort keeps the signs and payloads of NaN, in their order, with few elements and with many."""
    bits = np.array([0x7FF8000000000001, 0xFFF8000000000002, 0x3FF0000000000000, 0x7FF8000000000003], "u8")
    for copies in 1, 1000, 100_000:
        many = iw.sort(np.tile(bits, copies).view("f8")).view("u8")
        assert np.all(many[:copies] == bits[2])
        assert np.all(many[copies:] == np.tile(bits[[0, 1, 3]], copies))


def test_top_k():
    values, indices = iw.topk(MIXED, 3)
    same(values, nan, nan, inf)
    same(indices, 1, 7, 5)


def test_min_and_max():
    for a in [1, nan, 2], [nan, 1, 2], [1, 2, nan]:
        same(iw.min(np.array(a)), nan)
        same(iw.max(np.array(a)), nan)
        assert iw.argmax(np.array(a)) == iw.argmin(np.array(a)) == a.index(nan)
    for a in [0.0, -0.0], [-0.0, 0.0]:
        same(iw.min(np.array(a)), -0.0)
        same(iw.max(np.array(a)), 0.0)
    same(iw.argmax(np.array([-0.0, 0.0])), 1)
    same(iw.argmax(np.array([0.0, -0.0])), 0)


def test_extremes_of_groups():
    keys, a = np.array([1, 1, 2]), np.array([nan, 1, 2])
    for op in "max", "min":
        same(iw.reduce_by_key(keys, a, op)[1], nan, 2)
    same(iw.max(np.array([-5.0, -3])), -3)


def test_running_extremes():
    same(iw.scan(np.array([1, nan, 2]), "max"), 1, nan, nan)
    same(iw.scan(np.array([nan, 2]), "min"), nan, nan)


def test_last_prefix_is_the_sum():
    expected = iw.sum(NORMALS).tobytes()
    for threads in 1, 2, 3:
        with iw.Context("cpu", threads=threads):
            for _ in range(5):
                assert iw.cumsum(NORMALS)[-1].tobytes() == expected == iw.sum(NORMALS).tobytes()


def test_many_ones():
    ones = np.ones((1 << 24) + 4096, "f4")
    assert iw.sum(ones) == iw.cumsum(ones)[-1] == ones.size
    assert iw.cumsum(np.ones(5000, "f2"))[-1] == iw.sum(np.ones(5000, "f2")) == 5000


def test_order_does_not_depend_on_the_length():
    assert iw.sum(np.tile(NORMALS[:1000], (16, 1)), axis=1).tobytes() == 16 * iw.sum(NORMALS[:1000]).tobytes()


def test_a_row_does_not_depend_on_the_others():
    row = NORMALS[:1000]
    for rows in 1, 2, 16, 1000:
        assert iw.cumsum(np.tile(row, (rows, 1)), axis=1).tobytes() == rows * iw.cumsum(row).tobytes()


def test_the_address_does_not_change_a_sum():
    buffer = np.empty(NORMALS.size + 5, "f4")
    for start in range(5):
        moved = buffer[start : start + NORMALS.size]
        moved[:] = NORMALS
        assert iw.sum(moved).tobytes() == iw.sum(NORMALS).tobytes()


def test_mean_divides():
    """A product with the reciprocal of 7 would miss the mean of seven equal numbers in half of the cases."""
    a = np.arange(1, 100_001, dtype="f4")
    assert np.all(iw.mean(np.tile(a, (7, 1)), axis=0) == a)


def test_sum_of_negative_zeros():
    same(iw.sum(np.array([-0.0, -0.0])), -0.0)
    same(iw.sum(np.array([-0.0, -0.0]), initial=0), 0.0)
    same(iw.cumsum(np.array([-0.0, -0.0])), -0.0, -0.0)
    zeros = np.array([-0.0, -0.0])
    same(iw.sum(np.array([])), 0.0)
    for dtype in ("f2", "f4", "f8"):  # what is a sum of numbers has the one zero that numbers have
        same(iw.sum(zeros.astype(dtype)), -0.0)
        same(iw.sum(zeros.astype(dtype), exact=True), 0.0)
        same(iw.mean(zeros.astype(dtype)), 0.0)
    same(iw.dot_exact(zeros.astype("f4"), np.ones(2, "f4")), 0.0)
    total = iw.ExactSum()
    total.add(zeros)
    same(total.round(), 0.0)
    same(iw.histogram([0.5, 0.5], 1, (0, 1), weights=zeros)[0], 0.0)


def test_integer_constants():
    wide = np.array([2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1])
    for number in wide.tolist():
        same(iw.select(wide, "==", number), number)
        assert iw.select(wide, ">", number).tolist() == [x for x in wide.tolist() if x > number]
        assert iw.digitize(wide, [number]).tolist() == [int(x >= number) for x in wide.tolist()]


def test_indices_of_nan():
    for values in ([np.nan, 1.0], [1.0, np.nan, 5.0, np.nan], [1.0, 2.0, np.nan]):
        first = int(np.isnan(values).argmax())
        assert iw.argmax(values) == first and iw.argmin(values) == first
        assert np.isnan(iw.max(values)) and np.isnan(iw.min(values))
        assert iw.argmax(np.array([values]), axis=1).tolist() == [first]
        assert iw.argmax_segments(np.array(values), np.array([0, len(values)])).tolist() == [first]


def test_types_of_sums():
    hundreds = np.array([100, 100], "i1")
    assert iw.sum(hundreds) == 200 and iw.sum(hundreds).dtype == np.int64
    assert iw.sum(np.ones(128, "i1")) == 128 and iw.mean(np.ones(128, "i1")) == 1
    same(iw.cumsum(hundreds), 100, 200)
    assert iw.sum(np.array([2**31 - 1, 1], "i4")) == 2**31
    assert iw.sum(np.array([2**63 - 1, 1])) == -(2**63)
    assert iw.sum(NORMALS).dtype == np.float32
    same(iw.cumsum(hundreds, dtype="i1"), 100, -56)
    assert iw.sum(np.array([2**31 - 1, 1], "i4"), dtype="i4") == -(2**31)
    assert iw.sum(np.array([200, 200], "u1")) == 400 and iw.sum(np.array([200, 200], "u1"), dtype="u1") == 144


def test_subnormals():
    tiny = np.array([1e-40, 1e-40], "f4")
    assert iw.sum(tiny) == tiny[0] + tiny[1] != 0


def test_histogram():
    counts, _ = iw.histogram(SAMPLES, 2, range=(0, 2))
    same(counts, 1, 2)
    assert counts.dtype == np.int64
    with pytest.raises(ValueError):
        iw.histogram(SAMPLES, 2)


def test_histogram_of_small_integers():
    same(iw.histogram(np.array([0, 100, 127, -128], "i1"), 4)[0], 1, 0, 1, 2)
    same(iw.histogram(np.array([-128, -1, 0, 126], "i1"), 5, range=(-128, 127))[0], 1, 0, 2, 0, 1)
    same(iw.histogram(np.zeros(1 << 16, "i2"), 2, range=(0, 1))[0], 1 << 16, 0)


def test_bins_are_those_of_the_edges():
    ramp = np.arange(1000) / 1000
    counts, edges = iw.histogram(ramp, 1000, range=(0, 1))
    same(counts, *np.histogram(ramp, edges)[0])
    assert np.all(iw.histogram(edges[:-1], edges)[0] == 1)


def test_samples_of_a_wider_type_follow_its_edges():
    """NumPy's edges of float32 samples are float32; those who count in float64 find these bins."""
    wide = NORMALS.astype("f8")
    counts, edges = iw.histogram(wide, 1000, range=(-5, 5))
    same(counts, *np.histogram(wide, np.linspace(-5, 5, 1001))[0])
    assert edges.dtype == np.float64 and iw.histogram(NORMALS, 1000, range=(-5, 5))[1].dtype == np.float32


def test_digitize_of_nan():
    same(iw.digitize(np.array([nan, 1.0, 2.0]), np.array([1.0, 2.0])), 2, 1, 2)
    same(iw.searchsorted(np.array([1.0, 2.0, nan]), np.array([nan, 0.0, 5.0])), 2, 0, 2)


def test_bincount():
    with pytest.raises(ValueError):
        iw.bincount(np.array([-1, 0]))
    same(iw.bincount(np.array([1, 1, 5])), 0, 2, 0, 0, 0, 1)


def test_empty_segments():
    a, offsets = np.array([1.0, 2, 3]), [0, 1, 1, 3]
    same(iw.reduce_segments(a, offsets), 1, 0.0, 5)
    same(iw.reduce_segments(a, offsets, "prod"), 1, 1, 6)
    same(iw.reduce_segments(a, offsets, "max"), 1, -inf, 3)
    same(iw.reduce_segments(np.array([1, 2, 3], "i4"), offsets, "max"), 1, -(2**31), 3)
    with pytest.raises(ValueError):
        iw.reduce_segments(a, [0, 1, 4])


def test_empty_arrays():
    empty = np.array([], "f4")
    assert iw.sum(empty) == 0 and iw.prod(empty) == 1
    with pytest.raises(ValueError):
        iw.max(empty)


def test_in_place():
    a = np.arange(5.0)
    assert iw.cumsum(a, out=a) is a
    same(a, 0, 1, 3, 6, 10)
    a.flags.writeable = False
    for call in iw.cumsum, iw.sum, iw.sort, iw.argsort, iw.median, iw.histogram:
        call(a)
    same(a, 0, 1, 3, 6, 10)


def test_exclusive_scan_has_the_type_of_the_elements():
    same(iw.scan(np.full(4, 0.5, "f4"), exclusive=True, initial=0), 0, 0.5, 1, 1.5)


def test_runs_are_equal_bits():
    keys, sums = iw.reduce_by_key(np.array([-0.0, 0.0, nan, nan]), np.array([1, 2, 3, 4]))
    same(keys, -0.0, 0.0, nan)
    same(sums, 1, 2, 7)
    quiet_nans = np.array([0x7FF8000000000000, 0xFFF8000000000001], "u8").view("f8")
    assert iw.reduce_by_key(quiet_nans, np.array([1, 2]))[0].size == 2


def test_masked_arrays():
    with pytest.raises(TypeError, match="masked"):
        iw.sum(np.ma.masked_array([1.0, 2, 3], [0, 1, 0]))


def test_median():
    assert iw.median(np.array([1, inf])) == inf
    assert np.isnan(iw.median(np.array([1, nan, 2])))


def test_weights_do_not_depend_on_the_order():
    bins, weights = np.zeros(NORMALS.size, int), NORMALS.astype("f8")
    forwards, backwards = iw.bincount(bins, weights), iw.bincount(bins, weights[::-1])
    assert forwards.tobytes() == backwards.tobytes()


def test_medians_and_means_do_not_overflow_or_cancel():
    assert iw.median(np.array([100, 101], "i1")) == 100.5
    assert iw.median(np.array([2147483647, 2147483645], "i4")) == 2147483646
    for a in [1e16, 1, -1e16], [1, 1e16, -1e16]:
        assert iw.mean(np.array(a)) == 1 / 3
    assert iw.sum(np.array([2**53 + 1, 0])) == iw.cumsum(np.array([2**53 + 1, 0]))[-1] == 2**53 + 1


def test_a_group_has_the_sum_of_its_elements():
    a = np.array([1e16, 1, -1e16])
    assert iw.group_by(np.zeros(3), a)[1].tobytes() == iw.sum(a).tobytes()


def test_a_bin_does_not_depend_on_other_samples():
    x = 2 + 1e-8
    same(iw.histogram(np.array([x]), [1, 2, 3])[0], 0, 1)
    same(iw.histogram(np.array([1.5, x]), [1, 2, 3])[0], 1, 1)
    same(iw.histogram(np.array([-10, -11, 10, 11, 0, -1]), [-20, -10, 0, 10, 20])[0], 1, 2, 1, 2)
    same(iw.histogram(np.array([nan, inf, -inf, 5]), [5, 6, 7])[0], 1, 0)


def test_integers_are_integers():
    same(iw.sort(np.array([3, -1, 2, -5], "i4")), -5, -1, 2, 3)
    assert iw.sum(np.array([2**24 + 1, 1], "i4")) == 2**24 + 2
    assert iw.max(np.array([3000000000, 1], "u4")) == 3000000000


def test_groups_that_do_not_occur():
    for a in [5.0, 3], [-5.0, -3]:
        same(iw.reduce_segments(np.array(a), [0, 1, 1, 2], "max"), a[0], -inf, a[1])
        same(iw.reduce_segments(np.array(a), [0, 1, 1, 2], "min"), a[0], inf, a[1])


def test_a_scan_goes_on_from_its_initial_value():
    ones = np.ones(8, "i4")
    same(iw.scan(ones, initial=10), *range(11, 19))
    same(iw.scan(ones, initial=10, exclusive=True), *range(10, 18))
    assert iw.sum(ones, initial=10) == 18


def test_a_nan_is_the_minimum_wherever_it_stands():
    for a in [1, nan, 3, 2], [5, 1, nan], [nan, 5, 1]:
        same(iw.min(np.array(a, "f4")), nan)
        same(iw.min(np.array([a], "f4"), axis=1), nan)
        same(iw.min(np.array([a], "f4").T, axis=0), nan)
        same(iw.scan(np.array(a, "f4"), "min")[-1], nan)


def test_sums_that_overflow_on_the_way():
    """Infinite in order 1, right in an exact sum, and never NaN."""
    for a in [1e308, 1e308], [1e308, 1e308, -1e308]:
        assert iw.sum(np.array(a)) == inf
    assert iw.sum(np.array([1e308, 1e308, -1e308]), exact=True) == 1e308
    assert iw.sum(np.array([1e308, 1e308]), exact=True) == inf


def test_the_byte_order_does_not_change_a_sum():
    swapped = NORMALS.astype(NORMALS.dtype.newbyteorder())
    for call in iw.sum, iw.mean, iw.var, iw.cumsum:
        assert np.asarray(call(swapped)).astype("f4").tobytes() == np.asarray(call(NORMALS)).astype("f4").tobytes()


def test_means_of_small_integers():
    for kind in "i1", "u1", "i2", "i4":
        a = np.array([100, 101, 102], kind)
        assert (iw.mean(a), iw.var(a), iw.var(a, ddof=1)) == (101, 2 / 3, 1)
    assert iw.var(np.array([10**9, 10**9 + 1, 10**9 + 2], "i4")) == 2 / 3
