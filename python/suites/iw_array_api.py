# SPDX-License-Identifier: Apache-2.0
"""NumPy's Array API namespace with isowarp's functions in it, for the suite array-api-tests:

    ARRAY_API_TESTS_MODULE=iw_array_api PYTHONPATH=python/suites python -m pytest array_api_tests --disable-deadline
"""

import builtins
import functools

import numpy
from numpy import *  # noqa: F403
from numpy import abs, bool, fft, linalg, pow, round  # noqa: F401  names that the star leaves out

import isowarp

__array_api_version__ = numpy.__array_api_version__
__array_namespace_info__ = numpy.__array_namespace_info__
FUNCTIONS = """sum prod min max argmin argmax cumulative_sum cumulative_prod searchsorted sort argsort mean var std any all
nonzero""".split()


def except_complex(ours, theirs):
    """Calls with complex numbers, which isowarp does not have, are NumPy's."""

    @functools.wraps(theirs)
    def call(x, *args, **kwargs):
        dtypes = (getattr(x, "dtype", None), kwargs.get("dtype"))
        is_complex = builtins.any(t is not None and numpy.dtype(t).kind == "c" for t in dtypes)
        return (theirs if is_complex else ours)(x, *args, **kwargs)

    return call


for name in FUNCTIONS:
    globals()[name] = except_complex(getattr(isowarp, name), getattr(numpy, name))
