# SPDX-License-Identifier: Apache-2.0
"""Arrays: NumPy's, and those of devices, which come by DLPack or __cuda_array_interface__."""

from functools import lru_cache as _lru_cache
from math import prod as _product

import numpy as np

from . import _core
from ._core import array_in, mask_in

# iw_type of isowarp.h, by the dtype's name in the machine's byte order.
_NAMES = (
    "uint8",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
    "int8",
    "int16",
    "bool",
    "float16",
)
CODES = {np.dtype(name): code for code, name in enumerate(_NAMES, 1)}
_SAME = {dtype: dtype for dtype in CODES}  # the one object of each dtype, for equal ones such as numpy.dtype("q")
U8, U16, I32, U32, I64, U64, F32, F64, I8, I16, BOOL, F16, BF16 = range(1, 14)
_INT64, _UINT64, _INTP = np.dtype("int64"), np.dtype("uint64"), np.dtype("intp")
_ON_HOST = -1  # Memory.device

_DLPACK_KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}


def _not_supported(dtype, name):
    return f"{name}: elements of type {dtype} are not supported; supported are {', '.join(_NAMES)} and bfloat16"


class TimesError(TypeError):
    """That an array has datetime64 or timedelta64: its arguments are the dtype and the array's name. It takes longer
    to print such a dtype than to sort few elements."""

    def __str__(self):
        dtype, name = self.args
        return _not_supported(dtype.newbyteorder("="), name)


def code_of(dtype, name):
    """The iw_type of a dtype; bfloat16 is that of the package ml_dtypes."""
    code = CODES.get(dtype)
    if code is None:
        if dtype.kind in "mM":
            raise TimesError(dtype, name)
        if dtype.name != "bfloat16":
            raise TypeError(_not_supported(dtype, name))
        code = CODES[dtype] = BF16
        _SAME[dtype] = dtype
        _core.bfloat16_is(dtype)
    return code


class DeviceArray:
    """An array in C order in the memory of a CUDA device, of the simulated GPU, or of another library on the
    host.

    CuPy, PyTorch and JAX take it without a copy: cupy.asarray(x), torch.from_dlpack(x),
    jax.dlpack.from_dlpack(x).
    """

    __slots__ = ("memory", "shape", "dtype", "size", "__weakref__")

    def __init__(self, memory, shape, dtype):
        self.memory, self.shape, self.dtype = memory, tuple(shape), np.dtype(dtype)
        self.size = _product(self.shape)
        if self.size * self.dtype.itemsize > memory.bytes:
            raise ValueError(f"shape: {self.shape} of {self.dtype} does not fit in {memory.bytes} bytes")

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def device(self):
        """ "cuda:0", "sim" or "host"."""
        device = self.memory.device
        return f"cuda:{device}" if device >= 0 else "sim" if device == -2 else "host"

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self):
        return f"<isowarp.DeviceArray of shape {self.shape}, {self.dtype}, on {self.device}>"

    def reshape(self, *shape):
        """The same memory with another shape of the same size."""
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = tuple(shape[0])
        if -1 in shape:
            rest = _product(n for n in shape if n != -1)
            shape = tuple(self.size // rest if n == -1 else n for n in shape)
        if _product(shape) != self.size:
            raise ValueError(f"shape: {shape} has not {self.size} elements")
        return DeviceArray(self.memory, shape, self.dtype)

    def __getitem__(self, index):
        """The first elements, x[:n], of an array of one dimension; no copy."""
        if not isinstance(index, slice) or self.ndim != 1 or index.indices(self.size)[::2] != (0, 1):
            raise TypeError("a DeviceArray has no elements in Python; only x[:n] is possible")
        return DeviceArray(self.memory, (index.indices(self.size)[1],), self.dtype)

    def to_host(self):
        """A copy as a NumPy array. Waits for the work that makes the elements."""
        made = np.empty(self.shape, self.dtype)
        _core.copy(made, self.memory, made.nbytes)
        return made

    def __array__(self, dtype=None, copy=None):
        """numpy.asarray(x) of memory on the host, without a copy."""
        if self.memory.device != _ON_HOST:
            raise TypeError(f"the array is on the device {self.device}; x.to_host() copies it")
        made = np.ndarray(self.shape, self.dtype, self.memory)
        if copy is False and dtype is not None and made.dtype != dtype:
            raise ValueError(f"dtype: elements of {made.dtype} are not converted to {np.dtype(dtype)} without a copy")
        return made.astype(made.dtype if dtype is None else dtype, copy=bool(copy))

    @property
    def __cuda_array_interface__(self):
        if self.memory.device < 0:
            raise AttributeError(f"the array is on the {self.device}, not on a CUDA device")
        stream = self.memory.stream
        if stream == 0:  # the context's own stream has no number: nothing may be left to wait for
            _core.synchronize(self.memory)
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.pointer, self.memory.read_only),
            "version": 3,
            "strides": None,
            "stream": stream or None,
        }

    def __dlpack_device__(self):
        if self.memory.device == -2:
            raise BufferError("the array is on the simulated GPU")
        return (2, self.memory.device) if self.memory.device >= 0 else (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        device = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(dl_device) != device):
            raise BufferError("a DeviceArray is exported where it is, without a copy")
        if device[0] == 2 and stream != -1 and (self.memory.stream == 0 or stream != self.memory.stream):
            _core.synchronize(self.memory)
        versioned = max_version is not None and max_version[0] >= 1
        if self.memory.read_only and not versioned:
            raise BufferError("the array is read-only, which only DLPack 1.0 can tell: ask with max_version=(1, 0)")
        code = 4 if self.dtype.name == "bfloat16" else _DLPACK_KINDS[self.dtype.kind]
        return _core.dlpack_export(self.memory, self.shape, code, 8 * self.dtype.itemsize, versioned)


def _c_strides(shape, itemsize):
    strides = []
    for n in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= n
    return tuple(strides)


def _in_c_order(shape, strides, itemsize, name):
    """Raises unless the strides, in bytes, are those of C order; strides of dimensions of one element do not
    count."""
    if strides is None or 0 in shape:
        return
    for n, given, needed in zip(shape, strides, _c_strides(shape, itemsize)):
        if n != 1 and given != needed:
            raise ValueError(
                f"{name}: a device array has to be in C order without gaps; its strides are {tuple(strides)}"
            )


def _from_cuda_interface(a, about, name):
    shape, dtype = tuple(about["shape"]), np.dtype(about["typestr"])
    code_of(dtype, name)
    if about.get("mask") is not None:
        raise ValueError(f"{name}: device arrays with a mask are not supported")
    _in_c_order(shape, about.get("strides"), dtype.itemsize, name)
    stream = about.get("stream")
    device = getattr(a, "device", 0)
    device = getattr(device, "index", getattr(device, "id", device))  # PyTorch, CuPy
    pointer = about["data"][0] or 0
    # Without a stream nothing has to be waited for: the legacy default stream (1) serves.
    device = device if isinstance(device, int) else 0
    memory = _core.wrap(
        pointer, _product(shape) * dtype.itemsize, device, stream or 1, a, bool(about["data"][1])
    )
    return DeviceArray(memory, shape, dtype)


def _dlpack_dtype(code, bits, name):
    if code == 4 and bits == 16:
        try:
            return np.dtype("bfloat16")
        except TypeError:
            raise TypeError(f"{name}: bfloat16 needs the package ml_dtypes to be imported") from None
    kind = {value: key for key, value in _DLPACK_KINDS.items()}.get(code)
    if kind is None:
        raise TypeError(f"{name}: elements of DLPack's type {code} of {bits} bits are not supported")
    return np.dtype("bool" if kind == "b" else f"{kind}{bits // 8}")


def _from_dlpack(a, name):
    stream = 1 if a.__dlpack_device__()[0] != 1 else None  # CUDA's legacy default stream
    given = {} if stream is None else {"stream": stream}
    try:
        capsule = a.__dlpack__(max_version=(1, 0), **given)
    except TypeError:  # a library of DLPack 0.x
        capsule = a.__dlpack__(**given)
    memory, shape, strides, code, bits, lanes = _core.dlpack_import(capsule, stream or 0)
    if lanes != 1:
        raise TypeError(f"{name}: elements of {lanes} lanes are not supported")
    dtype = _dlpack_dtype(code, bits, name)
    code_of(dtype, name)
    if strides is not None:
        _in_c_order(shape, tuple(n * dtype.itemsize for n in strides), dtype.itemsize, name)
    return DeviceArray(memory, shape, dtype)


_NUMBERS = {bool, int, float}
_PLAIN = {bool, int, float, list, tuple}  # which are in no device's memory


def device_array(a, name="a"):
    """The array as a DeviceArray without a copy if it is on a device, else None."""
    if type(a) in _PLAIN or isinstance(a, (np.ndarray, np.generic)):
        return None
    if isinstance(a, DeviceArray):
        return a
    about = getattr(a, "__cuda_array_interface__", None)
    if about is not None and about.get("stream") is not None:
        return _from_cuda_interface(a, about, name)
    where = getattr(a, "__dlpack_device__", None)
    if where is not None and where()[0] not in (1, 3):
        return _from_dlpack(
            a, name
        )  # which makes the stream wait for the array's, as the interface above cannot then
    return None if about is None else _from_cuda_interface(a, about, name)


def from_dlpack(a):
    """A DeviceArray of the memory of any array with __dlpack__, without a copy.

    Errors: TypeError without __dlpack__ and for other element types, ValueError if it is not in C order.

    >>> iw.from_dlpack(np.array([1, 2]))
    <isowarp.DeviceArray of shape (2,), int64, on host>
    """
    if not hasattr(a, "__dlpack__"):
        raise TypeError("a: has no __dlpack__")
    return _from_dlpack(a, "a")


def to_device(a, context=None):
    """Copies an array to where the kernels of a Context (by default the current one) run.

    Errors: isowarp.Error if there is no such device.

    >>> iw.to_device(np.array([1, 2])).to_host()
    array([1, 2])
    """
    a = array_in(a, "a")
    if isinstance(a, DeviceArray):
        return a
    made = DeviceArray(_core.allocate(getattr(context, "handle", context), a.nbytes), a.shape, a.dtype)
    _core.copy(made.memory, a, a.nbytes)
    return made


def unmasked(a, name):
    """numpy.asarray(), which would drop the mask of a masked array."""
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; their filled() or compressed() are")
    return np.asarray(a)


def values_in(a, name):
    """What elements are compared with: as unmasked(), but Python's integers beyond 64 bits are float64 if that holds
    all values."""
    a = unmasked(a, name)
    if a.dtype.kind != "O" or not all(type(x) in _NUMBERS for x in a.flat):
        return a
    try:
        made = a.astype(np.float64)
    except OverflowError:
        made = None
    if made is None or not np.all((made == a) | (made != made)):
        raise ValueError(f"{name}: no type holds integers beyond 64 bits exactly among these; give them as floats")
    return made


def _made_ready(a, name):
    """What array_in() gives for an array that is not ready: a DeviceArray of one on a device, else a copy in C
    order, aligned and in the machine's byte order, whose booleans are the bytes 0 and 1."""
    if type(a) in _PLAIN:
        a = np.asarray(a)
        if _SAME.get(a.dtype) is a.dtype:  # and whatever NumPy makes of Python's objects is in C order
            return a
    device = device_array(a, name)
    if device is not None:
        return device
    a = unmasked(a, name)
    if not a.dtype.isnative:
        a = a.astype(a.dtype.newbyteorder("="))
    dtype = a.dtype
    code_of(dtype, name)
    same = _SAME[dtype]
    if same is not dtype:
        a = a.view(same)
    if same.kind == "b":
        return np.ascontiguousarray(a.view(np.uint8) != 0).reshape(a.shape)
    flags = a.flags
    return a if flags.c_contiguous and flags.aligned else a.copy()


# array_in(a, name): the array as the library takes it, `a` itself if it is ready. Every function of the
# package gets each of its arrays by it, so that no result depends on how an array lies in memory
# (core/array.c). mask_in(a, name): the same for flags, of which all that is not 0 is true.
_core.arrays_are(
    np.ndarray,
    CODES,
    DeviceArray,
    _made_ready,
    np.datetime64,
    type(np.dtype("M8")),
    np.timedelta64,
    type(np.dtype("m8")),
    TimesError,
)


def one_dimension(a, name):
    a = array_in(a, name)
    if a.ndim != 1:
        raise ValueError(f"{name}: an array of one dimension is needed, not of {a.ndim}")
    return a


@_lru_cache(None)
def limits_of(dtype):
    """The least and the greatest integer, or boolean."""
    if dtype.kind == "b":
        return 0, 1
    about = np.iinfo(dtype)
    return int(about.min), int(about.max)


def is_on_device(a):
    return type(a) is DeviceArray


def data_of(a):
    """What _core takes."""
    return a.memory if type(a) is DeviceArray else a


def rounded(x, dtype):
    """An array of float64 with the nearest elements of a float type. bfloat16's own conversion rounds to float32
    first. A float32 that is cut off, and whose last bit says whether something was, is rounded as the float64
    would be."""
    if dtype.kind != "V":
        return x.astype(dtype)
    with np.errstate(over="ignore"):
        near = x.astype(np.float32)
    wide, bits = near.astype(np.float64), near.view(np.uint32)
    return ((bits - (np.abs(wide) > np.abs(x))) | (wide != x)).astype(np.uint32).view(np.float32).astype(dtype)


def converted(a, dtype, name):
    """The array with another element type."""
    if a.dtype == dtype:
        return a
    if type(a) is DeviceArray:
        raise TypeError(f"{name}: a device array of {a.dtype} is not converted to {dtype}")
    return rounded(a, dtype) if dtype.kind == "V" and a.dtype.name == "float64" else a.astype(dtype)


def flat(a):
    return a if a.ndim == 1 else a.reshape(-1)


def empty_like_place(a, shape, dtype):
    """An array without values, where `a` is."""
    if type(a) is not DeviceArray:
        return np.empty(shape, dtype)
    dtype = np.dtype(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return DeviceArray(_core.allocate(a.memory, _product(shape) * dtype.itemsize), shape, dtype)


class Output:
    """Where a result goes: a new array, or the caller's `out`, through a temporary one if the library cannot
    write to it."""

    __slots__ = ("out", "made")

    def __init__(self, out, like, shape, dtype, *, may_equal=False):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if isinstance(out, tuple) and len(out) == 1:
            out = out[0]
        self.out = out
        if out is None:
            self.made = empty_like_place(like, shape, dtype)
            return
        device = device_array(out, "out")
        if device is None and not isinstance(out, np.ndarray):
            raise TypeError(f"out: has to be an array, not {type(out).__name__}")
        shown = out if device is None else device
        if tuple(shown.shape) != shape:
            raise ValueError(f"out: has the shape {tuple(shown.shape)}, but the result has {shape}")
        if is_on_device(like) != (device is not None):
            raise ValueError("out: has to be where the input is")
        if device is not None:
            if device.dtype != dtype:
                raise TypeError(
                    f"out: has elements of {device.dtype}, but those of the result are {np.dtype(dtype)}"
                )
            if device.memory.read_only:
                raise ValueError("out: the array is read-only")
            self.made = device
            return
        if not out.flags.writeable:
            raise ValueError("out: the array is read-only")
        if not np.can_cast(dtype, out.dtype, "same_kind"):
            raise TypeError(f"out: a result of {np.dtype(dtype)} cannot be cast to {out.dtype}")
        fits = out.dtype == dtype and out.flags.carray
        if fits and np.may_share_memory(out, like):
            fits = may_equal and out.ctypes.data == like.ctypes.data and out.nbytes == like.nbytes
        self.made = out if fits else np.empty(shape, dtype)

    def result(self):
        if self.out is None:
            return self.made
        if type(self.made) is not DeviceArray and self.made is not self.out:
            self.out[...] = self.made
        return self.out
