# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts isowarp's functions in NumPy's place, for NumPy's own tests, which come with its wheel:

    cd python/suites; python -m pytest -p numpy_plugin --tb=line -q NUMPY/lib/tests/test_histograms.py …

Calls with what README.md says is not there go on to NumPy, and so do calls of NumPy that isowarp makes itself.
"""

import collections
import functools

import numpy as np

import isowarp as iw

FUNCTIONS = """histogram histogram2d histogramdd histogram_bin_edges bincount digitize sum prod min max argmin argmax
cumulative_sum cumulative_prod cumsum cumprod compress searchsorted median sort argsort mean var std quantile any all nonzero
argpartition lexsort unique""".split()
NOT_THERE = {"quantile": "weights", "unique": "axis"}  # arguments
calls, passed_on = collections.Counter(), collections.Counter()
is_inside = False
any_of = any


def is_not_there(x):
    """Whether a type, or that of an array, is one that the package refuses."""
    if x is None or isinstance(x, str):
        return False
    try:
        if isinstance(x, (list, tuple)) and any_of([is_not_there(y) for y in x]):
            return True
        dtype = np.dtype(x) if isinstance(x, (np.dtype, type)) else np.asarray(x).dtype
    except Exception:
        return True
    is_subclass = isinstance(x, np.ndarray) and type(x) is not np.ndarray
    return dtype.kind in "OcSUVT" or dtype == np.longdouble or is_subclass


def put_in_place(name):
    ours, theirs = getattr(iw, name), getattr(np, name)

    @functools.wraps(theirs)
    def call(*args, **kwargs):
        global is_inside
        if is_inside:
            return theirs(*args, **kwargs)
        calls[name] += 1
        given = list(args) + list(kwargs.values())
        if kwargs.get(NOT_THERE.get(name)) is not None or (args and args[0] is None) or any_of([is_not_there(x) for x in given]):
            passed_on[name] += 1
            return theirs(*args, **kwargs)
        if NOT_THERE.get(name) == "weights":
            kwargs.pop("weights", None)
        is_inside = True
        try:
            return ours(*args, **kwargs)
        finally:
            is_inside = False

    setattr(np, name, call)


for each in FUNCTIONS:
    put_in_place(each)
np.amin, np.amax = np.min, np.max


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{calls.total()} calls, {passed_on.total()} of them passed on to NumPy")
