# SPDX-License-Identifier: Apache-2.0
"""isowarp: scan, reduce, histogram, sort, partition and multisplit with the same bits on every CPU and GPU.

Functions whose names NumPy has take NumPy's arguments. README.md of the package says where results differ.
"""

import atexit as _atexit

from . import _core
from ._arrays import DeviceArray, from_dlpack, to_device
from ._context import Context, Finding
from ._core import Error, FindingError
from ._groups import argpartition, group_by, lexsort, nonzero, unique
from ._histogram import (
    HistogramResult,
    HistogramResult2D,
    bincount,
    digitize,
    histogram,
    histogram2d,
    histogram_bin_edges,
    histogram_rows,
    histogramdd,
    log_edges,
    power_edges,
)
from ._kernel import FindingWarning, Kernel, kernel, unwritten
from ._move import (
    argsort,
    compress,
    median,
    multisplit,
    nth_element,
    partition,
    run_lengths,
    select,
    sort,
    topk,
    unique_consecutive,
    where,
)
from ._reduce import (
    ExactSum,
    argmax,
    argmax_by_key,
    argmax_segments,
    argmin,
    argmin_by_key,
    argmin_segments,
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
    dot_exact,
    max,
    min,
    prod,
    reduce,
    reduce_by_key,
    reduce_rows,
    reduce_segments,
    scan,
    sum,
)
from ._sorted import is_sorted, merge, searchsorted
from ._statistics import all, any, mean, quantile, std, var
from ._times import takes_times as _takes_times

argmax = _takes_times(argmax, elements=False)
argmin = _takes_times(argmin, elements=False, nat_is_least=True)
argpartition = _takes_times(argpartition, elements=False)
argsort = _takes_times(argsort, elements=False)
compress = _takes_times(compress)
group_by = _takes_times(group_by, inputs=("keys",))
is_sorted = _takes_times(is_sorted, elements=False)
lexsort = _takes_times(lexsort, inputs=("keys",), elements=False)
max = _takes_times(max)
merge = _takes_times(merge, inputs=("a", "b"))
min = _takes_times(min, nat_is_least=True)
nth_element = _takes_times(nth_element)
run_lengths = _takes_times(run_lengths)
searchsorted = _takes_times(searchsorted, inputs=("a", "v"), elements=False)
sort = _takes_times(sort)
topk = _takes_times(topk)
unique = _takes_times(unique)
unique_consecutive = _takes_times(unique_consecutive)

__version__ = "0.1.0"
__all__ = [
    "Context",
    "DeviceArray",
    "Error",
    "ExactSum",
    "Finding",
    "FindingError",
    "FindingWarning",
    "HistogramResult",
    "HistogramResult2D",
    "Kernel",
    "all",
    "any",
    "argmax",
    "argmax_by_key",
    "argmax_segments",
    "argmin",
    "argmin_by_key",
    "argmin_segments",
    "argpartition",
    "argsort",
    "bincount",
    "compress",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "digitize",
    "dot_exact",
    "from_dlpack",
    "group_by",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogram_rows",
    "histogramdd",
    "is_sorted",
    "kernel",
    "lexsort",
    "library_version",
    "log_edges",
    "max",
    "mean",
    "median",
    "merge",
    "min",
    "multisplit",
    "nonzero",
    "nth_element",
    "partition",
    "power_edges",
    "prod",
    "quantile",
    "reduce",
    "reduce_by_key",
    "reduce_rows",
    "reduce_segments",
    "run_lengths",
    "scan",
    "searchsorted",
    "select",
    "sort",
    "std",
    "sum",
    "to_device",
    "topk",
    "unique",
    "unique_consecutive",
    "unwritten",
    "var",
    "where",
]


def library_version():
    """The version of the C library that runs."""
    return _core.version()


_atexit.register(_core.end_thread)
