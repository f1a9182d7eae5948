# SPDX-License-Identifier: Apache-2.0
"""Other people's tests over the functions of isowarp that have names of NumPy (README.md has a table of the results).

NumPy's own, in which each of these functions is replaced while a test runs; what it calls itself is NumPy's, and so are calls
with types and arguments that README.md says are not there:

    python -m pytest -p in_numpys_place --pyargs numpy.lib.tests.test_histograms numpy._core.tests.test_multiarray …

The Array API suite's (https://github.com/data-apis/array-api-tests), with complex numbers left to NumPy, as there are none:

    ARRAY_API_TESTS_MODULE=in_numpys_place pytest array_api_tests/test_sorting_functions.py …
"""

import builtins
import functools
import threading

import numpy as _numpy
from numpy import *  # noqa: F403 - the module that the Array API suite looks at
from numpy import __array_api_version__, fft, linalg  # noqa: F401

import isowarp as _isowarp

_NAMES = """all any argmax argmin argpartition argsort bincount compress cumprod cumsum cumulative_prod cumulative_sum
digitize histogram histogram2d histogram_bin_edges histogramdd lexsort max mean median min nonzero percentile prod
quantile searchsorted sort std sum unique var""".split()
_NUMPYS = {name: getattr(_numpy, name) for name in _NAMES if hasattr(_isowarp, name) and hasattr(_numpy, name)}
_NOT_THERE = {"quantile": "weights", "unique": "axis"}  # arguments
_inside = threading.local()
_calls = {"replaced": 0, "numpys": 0}


def _is_not_there(x):
    """Whether an element type, or that of an array or a list, is one that the package refuses."""
    if x is None or isinstance(x, (str, builtins.bool, int, float)):
        return False
    try:
        if isinstance(x, (list, tuple)) and builtins.any([_is_not_there(y) for y in x]):
            return True
        dtype = _numpy.dtype(x) if isinstance(x, (_numpy.dtype, type)) else _numpy.asarray(x).dtype
    except Exception:
        return True
    is_subclass = isinstance(x, _numpy.ndarray) and type(x) is not _numpy.ndarray
    return dtype.kind in "OcSUVT" or dtype == _numpy.longdouble or is_subclass


def _goes_on(name, args, named):
    given = list(args) + list(named.values())
    is_special = named.get(_NOT_THERE.get(name)) is not None or not args or args[0] is None
    return is_special or builtins.any([_is_not_there(x) for x in given])


def _replacement(name):
    ours, numpys = getattr(_isowarp, name), _NUMPYS[name]

    @functools.wraps(numpys)
    def call(*args, **named):
        if getattr(_inside, "call", False):
            return numpys(*args, **named)
        _inside.call = True
        goes_on = _goes_on(name, args, named)
        _calls["numpys" if goes_on else "replaced"] += 1
        if not goes_on and _NOT_THERE.get(name) == "weights":
            named.pop("weights", None)
        try:
            if goes_on:
                return numpys(*args, **named)
            return ours(*args, **named)
        finally:
            _inside.call = False

    return call


def pytest_runtest_setup(item):
    for name in _NUMPYS:
        setattr(_numpy, name, _replacement(name))


def pytest_runtest_teardown(item):
    for name, numpys in _NUMPYS.items():
        setattr(_numpy, name, numpys)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{_calls['replaced']} calls of isowarp, {_calls['numpys']} went on to NumPy")


def _or_numpys(name):
    ours, numpys = getattr(_isowarp, name), _NUMPYS[name]

    @functools.wraps(ours)
    def call(x, *args, **named):
        is_complex = getattr(getattr(x, "dtype", None), "kind", "") == "c" or "complex" in str(named.get("dtype"))
        return (numpys if is_complex else ours)(x, *args, **named)

    return call


globals().update({name: _or_numpys(name) for name in _NUMPYS})
