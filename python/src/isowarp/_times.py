# SPDX-License-Identifier: Apache-2.0
"""datetime64 and timedelta64 for functions that compare and move elements: as unsigned 64-bit integers in
NumPy's order, in which NaT is the last one, and the minimum and maximum of elements with a NaT."""

from functools import wraps as _wraps
from inspect import signature as _signature

import numpy as np

_UINT64 = np.dtype("uint64")
_NAT = 2**63  # the bits of NaT, an int64's least value


def _is_time(x):
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "mM"


def _times_in(x):
    """The arrays of times that an argument is or has."""
    return [x] if _is_time(x) else [y for y in x if _is_time(y)] if isinstance(x, (list, tuple)) else []


def _ranks(x, dtype, base):
    """Times as integers that are ordered as they are; base is the bits of the least one."""
    if isinstance(x, (list, tuple)) and not all(y.ndim == 0 for y in _times_in(x)):
        return [
            _ranks(y, y.dtype.newbyteorder("="), base) if _is_time(y) else y for y in x
        ]  # keys of lexsort(), each of its own type
    with np.errstate(over="ignore"):  # modulo 2^64
        return np.asarray(x, dtype).view(_UINT64) - _UINT64.type(base)


def _times(ranks, dtype, base):
    with np.errstate(over="ignore"):
        return np.asarray(ranks + _UINT64.type(base)).view(dtype)[()]


def takes_times(function, inputs=("a",), elements=(0,), nat_is_least=False):
    """The function for times, too. inputs: the names of parameters that have times; elements: which of the results
    are times then. Other calls are the function's own."""
    parameters = _signature(function)
    base = _NAT if nat_is_least else _NAT + 1

    @_wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError:
            given = parameters.bind(*args, **kwargs)
            named = given.arguments
            times = [x for name in inputs for x in _times_in(named.get(name))]
            if not times or any(_times_in(x) for name, x in named.items() if name not in inputs):
                raise
        dtype = np.result_type(*{x.dtype for x in times}) if elements or len(inputs) > 1 else times[0].dtype
        if not dtype.isnative:
            dtype = dtype.newbyteorder("=")
        for name in inputs:
            if _times_in(named.get(name)):
                named[name] = _ranks(named[name], dtype, base)
        results = function(*given.args, **given.kwargs)
        if not isinstance(results, tuple):
            return _times(results, dtype, base) if 0 in elements else results
        return tuple(_times(x, dtype, base) if i in elements else x for i, x in enumerate(results))

    return call
