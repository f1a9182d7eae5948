# SPDX-License-Identifier: Apache-2.0
"""Kernels of the language of <isowarp/kernel.h>: `isowarp compile` makes a shared object and says what the
argument struct has; the extension loads it and launches the kernel."""

import json
import operator as _operator
import os
import shutil
import struct
import subprocess
import tempfile
import warnings
from typing import NamedTuple

import numpy as np

from . import _core
from ._arrays import CODES, DeviceArray, array_in
from ._context import Context, as_findings

_TYPES = {
    ("f" if d.kind == "f" else "b" if d.kind == "b" else d.kind) + str(8 * d.itemsize): d
    for d in CODES
    if d.kind != "b"
}


class FindingWarning(UserWarning):
    """A note of the simulated GPU: allowed, but perhaps not intended."""


class Unwritten(NamedTuple):
    """An array for a kernel to fill in, made by isowarp.unwritten()."""

    shape: tuple
    dtype: np.dtype


def unwritten(shape, dtype="float32"):
    """Stands for a new array in the arguments of a kernel. The simulated GPU reports a kernel that reads an
    element of it before anything has written it, or leaves one unwritten."""
    return Unwritten((shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype))


def program():
    """The program `isowarp`: $ISOWARP_PROGRAM, or that of the installation the package was built with, or of
    PATH."""
    from . import _installed

    for path in (
        os.environ.get("ISOWARP_PROGRAM"),
        os.path.join(_installed.PREFIX, "bin", "isowarp"),
        shutil.which("isowarp"),
    ):
        if path and os.access(path, os.X_OK):
            return path
    raise _core.Error(
        "kernels need the program isowarp, of the library's installation; ISOWARP_PROGRAM may say where it is"
    )


def _environment():
    """The program may lie in a prefix whose libraries the loader does not search."""
    from . import _installed

    folders = [f for f in (_installed.LIBDIR, os.environ.get("LD_LIBRARY_PATH")) if f]
    return dict(os.environ, LD_LIBRARY_PATH=":".join(folders)) if folders else dict(os.environ)


def _number(member, dtype, value):
    """A number as an element: integers exactly, from what Python takes for one."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        if dtype.kind == "f":
            return np.array(float(value)).astype(dtype)
        value = bool(value) if isinstance(value, np.bool_) else _operator.index(value)
    except (TypeError, ValueError):
        kind = "a number" if dtype.kind == "f" else "an integer"
        raise TypeError(f"{member['name']}: {kind} is needed for '{member['declaration']}', not {value!r}") from None
    try:
        made = np.array([value]).astype(dtype)[0]
    except OverflowError:
        made = None
    if made is None or int(made) != value:
        raise ValueError(f"{member['name']}: {value!r} is no {member['type']}")
    return made


class Kernel:
    """A compiled kernel. k[grid, block](*args) launches it; see isowarp.kernel()."""

    def __init__(self, source, name, backend, isa, warp_size):
        self.context = Context(backend, isa=isa)
        self.backend = backend
        with tempfile.TemporaryDirectory(prefix="isowarp-") as folder:
            path = os.path.join(folder, "kernel.so")
            command = [program(), "compile", os.fspath(source), "--backend", backend, "-o", path]
            if backend == "cpu":
                command += ["--isa", self.context.isa]
            if name is not None:
                command += ["--kernel", name]
            if warp_size is not None:
                command += ["--warp-size", str(warp_size)]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=_environment()
            )
            if done.returncode != 0:
                raise _core.Error(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")
            about = json.loads(done.stdout)
            self.name, self.members = about["kernel"], about["members"]
            self._kernel, self.block, self._size = _core.load(path, self.name)
        self.findings = []

    def __repr__(self):
        return f"<isowarp.Kernel {self.name}({', '.join(m['declaration'] for m in self.members)}) for {self.backend}>"

    def __getitem__(self, shape):
        grid, block = shape if isinstance(shape, tuple) else (shape, self.block)
        if block == 0:
            raise ValueError("block: the kernel runs with blocks of any size; write k[grid, block](...)")
        return lambda *args, **named: self.launch(grid, block, *args, **named)

    def launch(self, grid, block, *args, **named):
        """Launches `grid` blocks of `block` threads, and waits. args: one for each member of the argument
        struct, in their order or by name: numbers, arrays, and unwritten(); arrays whose member does not
        point to const are written. Returns the arrays of the unwritten() arguments, one alone not as a
        tuple."""
        args = self._bound(args, named)
        struct_bytes, keep, back = bytearray(self._size), [], []
        for member, value in zip(self.members, args):
            at = slice(member["offset"], member["offset"] + member["size"])
            if member["kind"] == "pointer":
                pointer = self._place(member, value, keep, back)
                struct_bytes[at] = struct.pack("P", pointer)
            else:
                struct_bytes[at] = self._value(member, value)
        try:
            _core.launch(self.context.handle, self._kernel, grid, block, struct_bytes, tuple(keep))
        except _core.FindingError as error:
            raise _with_findings(error) from None
        results = self._copy_back(back)
        self.findings = as_findings(_core.findings(self.context.handle))
        for note in self.findings:
            warnings.warn(note.message, FindingWarning, stacklevel=3)
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    def _bound(self, args, named):
        names = [m["name"] for m in self.members]
        if len(args) > len(names):
            raise TypeError(
                f"{self.name} takes {len(names)} arguments ({', '.join(names)}), not {len(args)}"
            )
        given = dict(zip(names, args))
        for name, value in named.items():
            if name not in names or name in given:
                raise TypeError(
                    f"{name}: {'is given twice' if name in given else 'is not one of ' + ', '.join(names)}"
                )
            given[name] = value
        for m in self.members:
            if m["name"] not in given:
                raise TypeError(
                    f"{m['name']}: is missing; {self.name} takes {', '.join(x['declaration'] for x in self.members)}"
                )
        return [given[name] for name in names]

    def _value(self, member, value):
        """The bytes of a number, or of an array within the struct."""
        if member["type"] is None or member["kind"] not in ("scalar", "array"):
            raise TypeError(
                f"{member['name']}: '{member['declaration']}' is neither a number nor an array of numbers"
            )
        dtype = _TYPES[member["type"]]
        if member["kind"] == "scalar":
            return _number(member, dtype, value).tobytes()
        made = np.ascontiguousarray(value, dtype)
        if made.nbytes != member["size"]:
            raise ValueError(
                f"{member['name']}: {made.size} elements, but '{member['declaration']}' has "
                f"{member['size'] // dtype.itemsize}"
            )
        return made.tobytes()

    def _place(self, member, value, keep, back):
        """Puts an array where the kernel finds it; returns its address."""
        name, dtype = member["name"], _TYPES.get(member["type"])
        if isinstance(value, Unwritten):
            host = np.empty(value.shape, value.dtype)
            if self.backend != "sim":
                host.view(np.uint8).reshape(-1)[:] = 0xFF
        else:
            host = array_in(value, name)
        if dtype is not None and host.dtype != dtype and not (host.dtype.kind == "b" and dtype == np.uint8):
            raise TypeError(f"{name}: '{member['declaration']}' needs elements of {dtype}, not {host.dtype}")
        writes = not member["const"]
        if isinstance(host, DeviceArray):
            keep.append(host.memory)
            return host.memory.pointer
        if writes and not isinstance(value, Unwritten) and (host is not value or not host.flags.writeable):
            raise ValueError(f"{name}: the kernel may write to it: a writable array in C order is needed")
        if self.backend == "cpu":
            keep.append(host)
            back.append((member, value, host, None))
            return host.ctypes.data
        memory = _core.allocate(self.context.handle, host.nbytes)
        if not isinstance(value, Unwritten):
            _core.copy(memory, host, host.nbytes)
        keep.append(memory)
        back.append((member, value, host, memory if writes else None))
        return memory.pointer

    def _copy_back(self, back):
        results = []
        for member, value, host, memory in back:
            if memory is not None:
                try:
                    _core.copy(host, memory, host.nbytes)
                except _core.FindingError as error:
                    raise _with_findings(error, member["name"] + ": ") from None
            if isinstance(value, Unwritten):
                results.append(host)
        return results


def _with_findings(error, prefix=""):
    findings = as_findings(error.args[1])
    made = _core.FindingError(prefix + error.args[0], findings)
    made.findings = findings
    return made


def kernel(source, name=None, *, backend="sim", isa=None, warp_size=None):
    """Compiles a kernel from a C file, for the simulated GPU ("sim"), this CPU ("cpu") or the GPU that is
    there ("cuda").

    name: the kernel, if the file has several. warp_size: 8, 16, 32 or 64 lanes, not of "cuda".
    Example: k = isowarp.kernel("sums.c"); sums = k[1, 64](x, isowarp.unwritten(6), 6).
    Raises Error with the compiler's messages; a launch raises FindingError, whose `findings` say what is
    wrong and where. Needs a C compiler (nvcc for "cuda"); the environment variables of `isowarp run` hold.
    """
    if backend not in ("sim", "cpu", "cuda"):
        raise ValueError(f"backend: {backend!r} is not one of sim, cpu, cuda")
    return Kernel(source, name, backend, isa, warp_size)
