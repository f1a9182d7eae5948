# SPDX-License-Identifier: Apache-2.0
"""datetime64 and timedelta64 for functions that compare and move elements: as unsigned 64-bit integers in
NumPy's order, in which NaT is the last one, and the minimum and maximum of elements with a NaT."""

from functools import wraps as _wraps
from inspect import signature as _signature

import numpy as np

from . import _core
from ._arrays import Output, TimesError

_NAT = 2**63  # the bits of NaT, an int64's least value


def _is_time(x):
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "mM"


def _times_in(x):
    """The arrays of times that an argument is or has."""
    return [x] if _is_time(x) else [y for y in x if _is_time(y)] if isinstance(x, (list, tuple)) else []


def _as_times(x, name):
    """A list of times, also of lists, as an array; other lists, and those of arrays, as they are. Elements of
    several kinds are an error where NumPy has no type for them: it would take numbers and durations for dates."""
    if any(isinstance(y, np.ndarray) for y in x):
        return x
    made, each = np.asarray(x), np.array(x, object)
    kinds = {y.dtype.kind for y in each.flat if _is_time(y)}
    if len(kinds) > 1 or (kinds and made.dtype.kind == "O"):
        names = " and ".join(dict.fromkeys(type(y).__name__ for y in each.flat))
        raise TypeError(f"{name}: elements of {names} have no common type")
    return made if made.dtype.kind in "mM" else x


def _ranks(x, dtype, base):
    """Times as integers that are ordered as they are; base is the bits of the least one."""
    if isinstance(x, (list, tuple)) and not all(isinstance(y, np.generic) for y in _times_in(x)):
        return [
            _ranks(y, y.dtype.newbyteorder("="), base) if _is_time(y) else y for y in x
        ]  # keys of lexsort(), each of its own type
    return _core.ranks_of(np.asarray(x, dtype), base, np.empty)


def _times(ranks, dtype, base):
    return _core.times_of(ranks, dtype, base, np.empty)


def _common(named, inputs):
    """The type of times that the arguments are compared in: NumPy's common one of times of one kind and integers
    beside timedelta64."""
    arrays = [np.asarray(named[name]) for name in inputs]
    types = [x.dtype.newbyteorder("=") for x in arrays if x.size or _is_time(x)]
    if types[0] == types[-1] and types[0].kind in "mM":
        return types[0]
    if {t.kind for t in types} != {"m", "M"}:
        try:
            dtype = np.result_type(*types)
        except TypeError:
            dtype = None
        if dtype is not None and dtype.kind in "mM":
            return dtype
    different = " and ".join(dict.fromkeys(str(t) for t in types))
    raise TypeError(f"{', '.join(inputs)}: elements of {different} have no common type; convert one with astype()")


def _initial_in(initial, dtype):
    """The initial value in the unit of the elements, in which NumPy takes integers and strings, too."""
    made = np.empty((), dtype)
    given = np.asarray(initial)
    try:
        made[()] = initial
        good = given.dtype.kind not in "mM" or given.dtype.kind == dtype.kind
    except (OverflowError, TypeError, ValueError):
        good = False
    if not good:
        raise TypeError(f"initial: {initial!r} is no value of the type {dtype}")
    if given.dtype.kind == dtype.kind and not np.isnat(given) and made.astype(given.dtype) != given:
        raise ValueError(
            f"initial: {initial!r} is no whole number of units of {dtype}; convert the array with astype()"
        )
    return made


def _out_for(out, dtype):
    """The array that times are written to."""
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    given = getattr(out, "dtype", type(out).__name__)
    if not isinstance(out, np.ndarray) or given.newbyteorder("=") != dtype:
        raise TypeError(f"out: has elements of {given}, but those of the result are {dtype}")
    return out


# A function of the same parameters: to call one of (*args, **kwargs) takes as long as to compare few elements. Times
# that the library can read as they are, and nothing else to convert, are the most frequent use: what of_times() looks
# at takes longer than such a call.
_SOURCE = """
def {name}({parameters}):
    try:
        return function({arguments})
    except TimesError:
        ranks = {ranks}
        if ranks is None:
            return of_times({arguments_by_name})
    except TypeError:
        return of_times({arguments_by_name})
    {assignment}
    return {made}
"""


def takes_times(function, inputs=("a",), elements=True, nat_is_least=False):
    """The function for times, too. inputs: the names of parameters that have times; elements: whether the result, or
    the first one of several, has times then. Other calls are the function's own."""
    base = _NAT if nat_is_least else _NAT + 1
    known = inputs + (("out", "initial") if elements else ())

    def of_times(**named):
        for name in inputs:
            if isinstance(named[name], (list, tuple)):
                named[name] = _as_times(named[name], name)
        times = [x for name in inputs for x in _times_in(named[name])]
        if not times or any(_times_in(x) for name, x in named.items() if name not in known):
            raise  # the function's error, which is being handled
        dtype = _common(named, inputs) if len(inputs) > 1 else np.result_type(*times) if elements else times[0].dtype
        dtype = dtype if dtype.isnative else dtype.newbyteorder("=")
        out = named.pop("out", None) if elements else None
        if out is not None:
            out = _out_for(out, dtype)
        initial = named.get("initial")
        if initial is not None and initial is not np._NoValue:
            named["initial"] = _ranks(_initial_in(initial, dtype), dtype, base)
        for name in inputs:
            if len(inputs) > 1 or _times_in(named[name]):
                named[name] = _ranks(named[name], dtype, base)
        results = function(**named)
        made = _times(results, dtype, base) if elements else results
        if out is None:
            return made
        target = Output(out, made, np.shape(made), dtype)
        target.made[...] = made
        return target.result()

    names = [*_signature(function).parameters]
    split = function.__code__.co_argcount  # those behind it have to be named
    by_name = [f"{name}={name}" for name in names]
    arguments = ", ".join(names[:split] + by_name[split:])
    scope = {"function": function, "of_times": of_times, "base": base, "empty": np.empty, "TimesError": TimesError}
    scope.update(ranks_of=_core.ranks_of, times_of=_core.times_of)
    others = [f"{name} is not None" for name in ("out", "initial") if name in names and elements]
    ranks = f"ranks_of({inputs[0]}, base, empty)" if len(inputs) == 1 else None  # two are compared in C
    source = _SOURCE.format(
        name=function.__name__,
        parameters=", ".join(names[:split] + (["*"] + names[split:] if names[split:] else [])),
        arguments=arguments,
        arguments_by_name=", ".join(by_name),
        ranks=f"None if {' or '.join(others)} else {ranks}" if others else ranks,
        assignment=f"{inputs[0]}, time_dtype = ranks, {inputs[0]}.dtype",
        made=f"times_of(function({arguments}), time_dtype, base, empty)" if elements else f"function({arguments})",
    )
    exec(source, scope)
    call = _wraps(function)(scope[function.__name__])
    call.__defaults__, call.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return call
