# SPDX-License-Identifier: Apache-2.0
"""No result depends on how an array lies in memory: every function is called with the same elements in C order
and in other orders, strides, alignments and byte orders, read-only, as a subclass, and with other bytes for
true."""

import inspect
import os

import numpy as np
import pytest

import isowarp as iw
from conftest import TYPES, same

ARRAYS = int(os.environ.get("ISOWARP_TEST_ARRAYS", "3000"))


class Derived(np.ndarray):
    """A subclass that changes nothing."""


def fortran(a, rng):
    return np.asfortranarray(a) if a.ndim else a


def stepped(a, rng):
    wide = np.zeros(a.shape + (2,), a.dtype)
    wide[..., 1] = a
    return wide[..., 1]


def backwards(a, rng):
    return a[..., ::-1].copy()[..., ::-1] if a.ndim else a


def misaligned(a, rng):
    moved = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    moved[...] = a
    return moved


def swapped(a, rng):
    return a if a.dtype.kind == "V" else a.astype(a.dtype.newbyteorder("S"))


def read_only(a, rng):
    a = np.array(a)
    a.flags.writeable = False
    return a


def derived(a, rng):
    return a.view(Derived)


def other_bools(a, rng):
    """Any byte that is not 0 is true."""
    if a.dtype.kind != "b":
        return a
    return np.array(a.astype("u1") * rng.integers(1, 256, a.shape, "u1")).view(bool)


LAYOUTS = [fortran, stepped, backwards, misaligned, swapped, read_only, derived, other_bools]

# For each function its calls: f(a, lay) with lay(x) for each other array.
ANY_SHAPE = {
    "sum": [
        lambda a, lay: iw.sum(a),
        lambda a, lay: iw.sum(a, axis=-1),
        lambda a, lay: iw.sum(a, axis=0, keepdims=True),
        lambda a, lay: iw.sum(a, exact=True),
        lambda a, lay: iw.sum(a, axis=()),
        lambda a, lay: iw.sum(a, dtype="f8"),
        lambda a, lay: iw.sum(a, where=lay(np.asarray(a) == np.asarray(a)), initial=1),
    ],
    "prod": [lambda a, lay: iw.prod(a), lambda a, lay: iw.prod(a, axis=0, initial=0)],
    "min": [lambda a, lay: iw.min(a), lambda a, lay: iw.min(a, axis=-1), lambda a, lay: iw.min(a, initial=1)],
    "max": [lambda a, lay: iw.max(a), lambda a, lay: iw.max(a, axis=0)],
    "argmin": [lambda a, lay: iw.argmin(a), lambda a, lay: iw.argmin(a, axis=-1)],
    "argmax": [lambda a, lay: iw.argmax(a), lambda a, lay: iw.argmax(a, axis=0)],
    "cumulative_sum": [
        lambda a, lay: iw.cumulative_sum(a),
        lambda a, lay: iw.cumulative_sum(a, axis=-1, include_initial=True),
    ],
    "cumulative_prod": [lambda a, lay: iw.cumulative_prod(a, axis=0)],
    "cumsum": [lambda a, lay: iw.cumsum(a), lambda a, lay: iw.cumsum(a, axis=0, dtype="f8")],
    "cumprod": [lambda a, lay: iw.cumprod(a)],
    "scan": [
        lambda a, lay: iw.scan(a, "max"),
        lambda a, lay: iw.scan(a, "sum", exclusive=True),
        lambda a, lay: iw.scan(a, "or"),
        lambda a, lay: iw.scan(a, "sum", keys=lay(small_of(a))),
        lambda a, lay: iw.scan(a, "min", flags=lay(small_of(a) == 1)),
        lambda a, lay: iw.scan(a, "sum", offsets=lay(offsets_of(a))),
    ],
    "reduce": [lambda a, lay: iw.reduce(a, "xor"), lambda a, lay: iw.reduce(a, "sum", axis=-1)],
    "reduce_rows": [lambda a, lay: iw.reduce_rows(a, "max")],
    "reduce_segments": [lambda a, lay: iw.reduce_segments(a, lay(offsets_of(a)))],
    "argmin_segments": [lambda a, lay: iw.argmin_segments(a, lay(offsets_of(a)), return_values=True)],
    "argmax_segments": [lambda a, lay: iw.argmax_segments(a, lay(offsets_of(a)))],
    "reduce_by_key": [
        lambda a, lay: iw.reduce_by_key(lay(small_of(a)), a),
        lambda a, lay: iw.reduce_by_key(a, lay(small_of(a))),
    ],
    "argmin_by_key": [lambda a, lay: iw.argmin_by_key(a, lay(small_of(a)), return_values=True)],
    "argmax_by_key": [lambda a, lay: iw.argmax_by_key(lay(small_of(a)), a)],
    "dot_exact": [lambda a, lay: iw.dot_exact(a, lay(np.array(a)), "f8")],
    "histogram": [
        lambda a, lay: iw.histogram(a),
        lambda a, lay: iw.histogram(a, 7, (0, 3)),
        lambda a, lay: iw.histogram(a, 3, (0, 3), density=True),
        lambda a, lay: iw.histogram(a, lay(np.array([-1.5, 0, 2, 2.5]))),
        lambda a, lay: iw.histogram(a, lay(np.array([0, 1e30, 1e300]))),
        lambda a, lay: iw.histogram(a, 5, (0, 4), weights=lay(np.array(small_like(a), "f4"))),
        lambda a, lay: iw.histogram(a, 5, (0, 4), weights=lay(small_like(a) == 1)),
        lambda a, lay: iw.histogram(a, 4, (np.longdouble(0), np.longdouble(4))),
    ],
    "histogram_bin_edges": [lambda a, lay: iw.histogram_bin_edges(a, 5)],
    "histogram_rows": [lambda a, lay: iw.histogram_rows(a, 4, (0, 4))],
    "histogram2d": [lambda a, lay: iw.histogram2d(a, lay(small_like(a)), 3, [(0, 4), (0, 3)])],
    "histogramdd": [
        lambda a, lay: iw.histogramdd(a, 2, [(0, 4)] * (a.shape[1] if a.ndim == 2 else 1)),
        lambda a, lay: iw.histogramdd([a, lay(small_like(a))], 2, [(0, 4)] * 2, weights=lay(small_like(a))),
    ],
    "bincount": [
        lambda a, lay: iw.bincount(lay(small_of(a)), weights=a),
        lambda a, lay: iw.bincount(a if a.size and iw.max(a) < 9 else lay(small_of(a))),
    ],
    "digitize": [
        lambda a, lay: iw.digitize(a, lay(np.array([0, 1.5, 3]))),
        lambda a, lay: iw.digitize(a, lay(np.array([5, 2, 2, 0], "i1")), right=True),
        lambda a, lay: iw.digitize(lay(np.array([0, 1.5, 3])), iw.sort(a, axis=None)),
    ],
    "partition": [
        lambda a, lay: iw.partition(a, "<", 1),
        lambda a, lay: iw.partition(a, lay(small_of(a) == 1), payloads=[lay(small_of(a))]),
    ],
    "select": [
        lambda a, lay: iw.select(a, "!=", 1),
        lambda a, lay: iw.select(a, lay(small_of(a) == 1)),
        lambda a, lay: iw.select(a, lay(small_of(a))),
    ],
    "where": [lambda a, lay: iw.where(a, ">=", 1)],
    "compress": [
        lambda a, lay: iw.compress(lay(small_of(a) == 1), a),
        lambda a, lay: iw.compress(a, lay(small_of(a))),
        lambda a, lay: iw.compress(lay(np.array([True])), a, axis=0),
    ],
    "unique_consecutive": [lambda a, lay: iw.unique_consecutive(a, return_index=True, return_counts=True)],
    "run_lengths": [lambda a, lay: iw.run_lengths(a)],
    "multisplit": [
        lambda a, lay: iw.multisplit(a, pivot=1, order=True),
        lambda a, lay: iw.multisplit(a, bits=(0, 3), payloads=[lay(small_of(a))]),
        lambda a, lay: iw.multisplit(a, lay(np.array([0, 2, 4]))),
    ],
    "sort": [
        lambda a, lay: iw.sort(a),
        lambda a, lay: iw.sort(a, axis=0, descending=True),
        lambda a, lay: iw.sort(a, axis=None, kind="stable"),
        lambda a, lay: iw.sort(a, payloads=[lay(small_of(a))]),
    ],
    "argsort": [lambda a, lay: iw.argsort(a, stable=True), lambda a, lay: iw.argsort(a, axis=0)],
    "searchsorted": [
        lambda a, lay: iw.searchsorted(lay(np.arange(5)), a),
        lambda a, lay: iw.searchsorted(lay(np.arange(5, dtype="u8")), a, side="right"),
        lambda a, lay: iw.searchsorted(lay(iw.sort(a, axis=None)), lay(np.array([0.5, 1, np.inf]))),
        lambda a, lay: iw.searchsorted(a, 1, sorter=lay(iw.argsort(a))),
    ],
    "is_sorted": [lambda a, lay: iw.is_sorted(a)],
    "merge": [lambda a, lay: iw.merge(lay(iw.sort(a)), lay(np.arange(3)), return_index=True)],
    "topk": [lambda a, lay: iw.topk(a, 1), lambda a, lay: iw.topk(a, 2, axis=0, largest=False)],
    "nth_element": [
        lambda a, lay: iw.nth_element(a, 0),
        lambda a, lay: iw.nth_element(a, -1, axis=0, return_index=True),
    ],
    "median": [lambda a, lay: iw.median(a), lambda a, lay: iw.median(a, axis=0, keepdims=True)],
    "mean": [
        lambda a, lay: iw.mean(a),
        lambda a, lay: iw.mean(a, axis=0),
        lambda a, lay: iw.mean(a, axis=-1, exact=False),
        lambda a, lay: iw.mean(a, where=lay(small_like(a) == 1)),
    ],
    "var": [lambda a, lay: iw.var(a, ddof=1)],
    "std": [lambda a, lay: iw.std(a, axis=-1, keepdims=True)],
    "quantile": [lambda a, lay: iw.quantile(a, lay(np.array([0.25, 1]))), lambda a, lay: iw.quantile(a, 0.3, 0, method="nearest")],
    "any": [lambda a, lay: iw.any(a), lambda a, lay: iw.any(a, axis=0, where=lay(small_like(a) == 1))],
    "all": [lambda a, lay: iw.all(a, axis=-1)],
    "nonzero": [lambda a, lay: iw.nonzero(a)],
    "argpartition": [lambda a, lay: iw.argpartition(a, 1), lambda a, lay: iw.argpartition(a, 0, axis=0)],
    "lexsort": [lambda a, lay: iw.lexsort([lay(small_like(a)), a]), lambda a, lay: iw.lexsort(a, 0)],
    "unique": [lambda a, lay: iw.unique(a, True, True, True), lambda a, lay: iw.unique(a, equal_nan=False)],
    "group_by": [lambda a, lay: iw.group_by(a, lay(small_of(a))), lambda a, lay: iw.group_by(lay(small_of(a)), a, "max")],
    "to_device": [lambda a, lay: iw.to_device(a).to_host()],
    "ExactSum": [
        lambda a, lay: bytes(iw.ExactSum().add(a)),
        lambda a, lay: bytes(iw.ExactSum().add(a, lay(np.array(a)))),
    ],
}
NOT_OF_ARRAYS = {"kernel", "library_version", "log_edges", "power_edges", "unwritten", "from_dlpack"}


def small_of(a):
    """A key for each element."""
    return np.resize(np.array([0, 0, 1, 2, 2, 1], "i2"), a.size)


def small_like(a):
    return small_of(a).reshape(a.shape)


def offsets_of(a):
    return np.array([0, a.size // 3, a.size], "i8")


def random_array(rng):
    dtype = np.dtype(rng.choice(TYPES + ["M8[s]", "m8[ms]"]))
    shape = [int(n) for n in rng.integers(0, 7, int(rng.choice([0, 1, 1, 1, 2, 2, 3])))]
    if shape and rng.random() < 0.05:  # what small arrays are spared: blocks, threads, tables, calls without the GIL
        shape[rng.integers(0, len(shape))] = int(rng.integers(7, 6000))
    shape = tuple(shape)
    a = rng.integers(0, 5, shape).astype(dtype)
    if rng.random() < 0.2:
        a = (
            np.frombuffer(rng.bytes(a.nbytes), "u1").copy().view(dtype).reshape(shape)
            if dtype.kind != "b"
            else a
        )
    elif dtype.kind in "mM":
        a = np.where(rng.random(shape) < 0.2, np.array("NaT", dtype), a)
    elif dtype.kind == "f":
        special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.5], dtype)
        a = np.where(rng.random(shape) < 0.2, rng.choice(special, shape), a).astype(dtype)
    return np.array(a, dtype)


def outcome(f, a, lay):
    with np.errstate(all="ignore"):
        try:
            return f(a, lay)
        except (TypeError, ValueError, OverflowError, IndexError) as error:
            return type(error), str(error)


def equal(x, y):
    if isinstance(x, (tuple, list)):
        assert type(x) is type(y) and len(x) == len(y), (x, y)
        for one, other in zip(x, y):
            equal(one, other)
    elif isinstance(x, (np.ndarray, np.generic)):
        assert type(x) is type(y) and not isinstance(x, Derived), (type(x), type(y))
        same(x, y)
        assert not isinstance(x, np.ndarray) or x.flags.c_contiguous == y.flags.c_contiguous, (
            x.flags,
            y.flags,
        )
    else:
        assert type(x) is type(y) and x == y, (x, y)


@pytest.mark.filterwarnings("ignore")
def test_layouts():
    seed = int(os.environ.get("ISOWARP_TEST_SEED", "40"))
    rng = np.random.default_rng(seed)
    for number in range(ARRAYS):
        a = random_array(rng)
        chosen = [LAYOUTS[i] for i in rng.integers(0, len(LAYOUTS), int(rng.integers(1, 4)))]

        def lay(x):
            for layout in chosen:
                x = layout(x, rng)
            return x

        laid = lay(a)
        assert laid.shape == a.shape and (laid.astype(a.dtype) == a).sum() == (a == a).sum()
        for name, calls in ANY_SHAPE.items():
            for i, call in enumerate(calls):
                plain = outcome(call, a, lambda x: x)
                other = outcome(call, laid, lay)
                try:
                    equal(plain, other)
                except AssertionError:
                    names = ", ".join(layout.__name__ for layout in chosen)
                    pytest.fail(
                        f"seed {seed}, array {number}, {name}[{i}] of {a!r} as {names}:\n{plain!r}\n{other!r}"
                    )


def test_every_function_is_here():
    functions = {name for name in iw.__all__ if inspect.isfunction(getattr(iw, name)) or name == "ExactSum"}
    assert functions - NOT_OF_ARRAYS == set(ANY_SHAPE)


@pytest.mark.parametrize("op", ["sum", "cumsum", "max", "sort"])
@pytest.mark.parametrize("layout", [fortran, stepped, backwards, misaligned, swapped])
def test_out(op, layout):
    """Results in an `out` of any layout, also one that overlaps the input."""
    a = np.random.default_rng(1).integers(0, 9, (4, 5, 6))
    if op == "sort":
        return
    call = lambda x, out: getattr(iw, op)(x, axis=1, out=out)  # noqa: E731
    expected = getattr(iw, op)(a, axis=1)
    out = layout(np.zeros(expected.shape, "i8"), None)
    assert call(a, out) is out
    same(out.astype("i8"), expected)
    wide = layout(np.zeros(expected.shape), None)
    call(a, wide)
    same(wide.astype("f8"), expected.astype("f8"))
    if op == "cumsum":
        b = layout(a, None)
        call(b, b)
        same(b.astype("i8"), expected)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out: the array is read-only"):
        call(a, out)
