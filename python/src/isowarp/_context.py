# SPDX-License-Identifier: Apache-2.0
"""Where calls run."""

from threading import get_ident as _get_ident
from typing import NamedTuple, Optional

from . import _core

_BACKENDS = ("auto", "cpu", "cuda", "sim")


class Finding(NamedTuple):
    """What one check of the simulated GPU found at one place."""

    severity: str  # "error" or "note"
    check: str  # "race"
    message: str
    file: Optional[str]
    line: int
    other_file: Optional[str]
    other_line: int
    times: int
    seed: int


def as_findings(rows):
    return [Finding(*row) for row in rows]


class Context:
    """A backend with its threads and scratch memory. `with Context("cpu", threads=2): ...` makes this
    thread's calls on host memory run in it. Without one, each thread opens its own at its first call, by the
    environment variables ISOWARP_BACKEND, ISOWARP_ISA and ISOWARP_THREADS. Several threads may use one
    context; they take turns.
    """

    __slots__ = ("handle", "_before")

    def __init__(self, backend="auto", *, isa=None, threads=0, device=0, openmp=False):
        if backend not in _BACKENDS:
            raise ValueError(f"backend: {backend!r} is not one of {', '.join(_BACKENDS)}")
        if not 0 <= threads <= 1024:
            raise ValueError(f"threads: {threads} is not in 0 ... 1024")
        self.handle = _core.open(_BACKENDS.index(backend), isa, threads, 1 if openmp else 0, device)
        self._before = {}  # what each thread that is inside ran in before, a list for each

    def __enter__(self):
        self._before.setdefault(_get_ident(), []).append(_core.use(self.handle))
        return self

    def __exit__(self, *exception):
        before = self._before[_get_ident()]
        _core.use(before.pop())
        if not before:
            del self._before[_get_ident()]

    @property
    def backend(self):
        """ "auto" is a context for the CPU and CUDA."""
        return _BACKENDS[_core.info(self.handle)[0]]

    @property
    def isa(self):
        """The instruction set: "avx2", ...; "cuda" or "sim"."""
        return _core.info(self.handle)[1]

    @property
    def threads(self):
        return _core.info(self.handle)[2]

    @property
    def why(self):
        """One sentence: what was chosen and why."""
        return _core.info(self.handle)[4]

    def reserve(self, nbytes):
        """Reserves scratch memory, so that calls that need no more do not allocate."""
        _core.reserve(self.handle, nbytes)

    def synchronize(self):
        """Waits for all work that was queued."""
        _core.synchronize(self.handle)

    def findings(self):
        """The findings of the simulated GPU since they were last asked for."""
        return as_findings(_core.findings(self.handle))

    def __repr__(self):
        return f"<isowarp.Context: {self.why}>"
