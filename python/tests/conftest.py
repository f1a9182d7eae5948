# SPDX-License-Identifier: Apache-2.0
"""Inputs that the tests share."""

import os

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

hypothesis.settings.register_profile(
    "isowarp",
    deadline=None,
    max_examples=int(os.environ.get("ISOWARP_TEST_EXAMPLES", "60")),
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("isowarp")


def pytest_terminal_summary(terminalreporter):
    """Counts as Automake's test driver writes them, which .ci/run adds up."""
    count = {
        name: len(terminalreporter.stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")
    }
    terminalreporter.write_line(
        f"\n# PASS: {count['passed']}\n# FAIL: {count['failed'] + count['error']}\n"
        f"# SKIP: {count['skipped']}"
    )


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = INTEGERS + FLOATS + ["bool"]


@st.composite
def views(draw, dtypes=TYPES, max_dims=3, max_side=9, elements=None):
    """Arrays of any strides: transposed, every second element, backwards, misaligned, of the other byte
    order."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=max_dims, min_side=0, max_side=max_side))
    a = draw(hnp.arrays(dtype, shape, elements=elements(dtype) if elements else None))
    how = draw(st.sampled_from(["plain", "transposed", "stepped", "backwards", "misaligned", "swapped"]))
    if how == "transposed":
        a = np.ascontiguousarray(a.T).T
    elif how == "stepped":
        wide = np.zeros(a.shape[:-1] + (2 * a.shape[-1],), dtype)
        wide[..., ::2] = a
        a = wide[..., ::2]
    elif how == "backwards":
        a = np.ascontiguousarray(a[..., ::-1])[..., ::-1]
    elif how == "misaligned":
        raw = np.zeros(a.nbytes + 1, np.uint8)
        moved = raw[1:].view(dtype).reshape(a.shape)
        moved[...] = a
        a = moved
    elif how == "swapped" and dtype.itemsize > 1:
        a = a.astype(dtype.newbyteorder())
    return a


def plain_floats(dtype):
    """Finite numbers whose sums of a few hundred neither overflow nor cancel badly."""
    if dtype.kind == "f":
        return hnp.from_dtype(dtype, min_value=0.0, max_value=100.0, allow_nan=False, allow_infinity=False)
    return hnp.from_dtype(dtype)


def same(a, b):
    """Equal shape, type and bytes."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
    assert a.tobytes() == b.tobytes(), (a, b)


def ranks(a):
    """The total order of sort() as integers: equal ranks are equal elements."""
    if a.dtype.kind != "f":
        return a.astype("O")
    values = np.where(np.isnan(a), 0, a).astype("f8")
    order = np.lexsort((~np.signbit(a) & (values == 0), values, np.isnan(a)))
    keys = list(zip(np.isnan(a), values, np.where(np.isnan(a), False, ~np.signbit(a) & (values == 0))))
    result = np.zeros(a.size, "i8")
    for before, at in zip(order, order[1:]):
        result[at] = result[before] + (keys[at] != keys[before])
    return result
