# SPDX-License-Identifier: Apache-2.0
"""Arrays that are not NumPy's. The simulated GPU has memory of its own, so that the whole path of device
arrays runs on
it; the protocols are tested with NumPy's DLPack on the host, and with objects that only look like arrays on
CUDA.
"""

import gc
import weakref

import numpy as np
import pytest

import isowarp as iw
from isowarp import _core
from isowarp._arrays import array_in, device_array
from conftest import same


@pytest.fixture(scope="module", params=["sim", "cuda"])
def device(request):
    """A context of a device with memory of its own; also a CUDA device where there is one."""
    try:
        return iw.Context(request.param)
    except iw.Error as error:
        if request.param == "sim":
            raise
        pytest.skip(str(error))


def test_calls_on_a_device(device):
    x = np.random.default_rng(5).standard_normal(1000).astype("f4")
    d = iw.to_device(x, device)
    assert isinstance(d, iw.DeviceArray) and d.device == {"sim": "sim", "cuda": "cuda:0"}[device.backend]
    assert d.shape == (1000,) and d.dtype == np.float32
    same(d.to_host(), x)
    sums = iw.cumulative_sum(d)
    assert isinstance(sums, iw.DeviceArray)
    same(sums.to_host(), iw.cumulative_sum(x))
    same(iw.sum(d).to_host(), iw.sum(x))
    same(iw.sum(d, exact=True).to_host(), iw.sum(x, exact=True))
    same(iw.max(d).to_host(), iw.max(x))
    same(iw.argmin(d).to_host(), iw.argmin(x))
    counts, edges = iw.histogram(d, 8)
    same(counts.to_host(), iw.histogram(x, 8)[0])
    same(edges, iw.histogram(x, 8)[1])
    same(iw.histogram(d, np.array([-np.inf, 0.0, np.inf]))[0], iw.histogram(x, [-np.inf, 0.0, np.inf])[0])
    weights = iw.to_device(np.arange(1000, dtype="f4"), device)
    same(iw.histogram(d, 8, weights=weights)[0].to_host(), iw.histogram(x, 8, weights=weights.to_host())[0])
    for got, expected in zip(iw.partition(d, "<", 0), iw.partition(x, "<", 0)):
        same(got.to_host(), expected)
    mask = iw.to_device(x > 1, device)
    same(iw.compress(mask, d).to_host(), x[x > 1])
    same(iw.where(d, mask).to_host(), np.flatnonzero(x > 1))
    elements, offsets = iw.multisplit(d, pivot=0)
    same(elements.to_host(), iw.multisplit(x, pivot=0)[0])
    integers = iw.to_device(np.repeat(np.arange(5), 7), device)
    values, lengths = iw.run_lengths(integers)
    same(values.to_host(), np.arange(5))
    same(lengths.to_host(), np.full(5, 7))
    same(iw.bincount(integers), np.full(5, 7))
    rows = d.reshape(10, 100)
    same(iw.reduce_rows(rows).to_host(), iw.reduce_rows(x.reshape(10, 100)))
    same(iw.sum(rows, axis=0).to_host(), iw.sum(x.reshape(10, 100), axis=0))
    offsets = np.array([3, 3, 400, 900])
    for some in (offsets, iw.to_device(offsets.astype("u8"), device)):
        same(iw.scan(d, offsets=some).to_host(), iw.scan(x, offsets=offsets))
        same(iw.reduce_segments(d, some).to_host(), iw.reduce_segments(x, offsets))
        for got, expected in zip(
            iw.argmin_segments(d, some, return_values=True),
            iw.argmin_segments(x, offsets, return_values=True),
        ):
            same(got.to_host(), expected)
    keys = iw.to_device(np.arange(1000) // 70, device)
    for got, expected in zip(iw.argmax_by_key(keys, d), iw.argmax_by_key(np.arange(1000) // 70, x)):
        same(got.to_host(), expected)
    same(
        iw.searchsorted(iw.sort(d), d.reshape(10, 100)).to_host(),
        np.searchsorted(np.sort(x), x.reshape(10, 100)),
    )
    assert float(iw.ExactSum().add(d)) == float(iw.sum(x, exact=True, dtype="f8"))


def test_out_on_a_device(device):
    x = np.arange(100, dtype="i8")
    d, out = iw.to_device(x, device), iw.to_device(np.zeros(100, "i8"), device)
    assert iw.cumsum(d, out=out) is out
    same(out.to_host(), np.cumsum(x))
    assert iw.cumsum(d, out=d) is d
    same(d.to_host(), np.cumsum(x))
    with pytest.raises(ValueError, match="out: has to be where"):
        iw.cumsum(d, out=np.zeros(100, "i8"))
    with pytest.raises(TypeError, match="a: a device array of int64 is not converted to float64"):
        iw.cumsum(d, out=iw.to_device(np.zeros(100), device))
    with pytest.raises(TypeError, match="out: has elements"):
        iw.max(d, axis=0, out=iw.to_device(np.zeros(()), device))
    with pytest.raises(TypeError, match="a: a device array of int64"):
        iw.sum(d, dtype="f8")
    with pytest.raises(ValueError, match="different devices"):
        iw.where(d, "<", 3) and _core.copy(d.memory, iw.to_device(x, iw.Context("sim")).memory, 8)
    with pytest.raises(ValueError, match="flags: has to be where"):
        iw.scan(d, flags=np.zeros(100, bool))


def test_host_memory_of_another_library_by_dlpack():
    x = np.arange(12, dtype="f4").reshape(3, 4)
    d = iw.from_dlpack(x)
    assert d.device == "host" and d.shape == (3, 4) and d.dtype == np.float32
    assert d.memory.pointer == x.ctypes.data and d.memory.bytes == x.nbytes
    same(iw.sum(d, axis=1).to_host(), np.sum(x, axis=1))
    x[0, 0] = 100  # no copy was made
    same(d.to_host(), x)
    for dtype in ("i1", "u2", "i8", "f2", "f8") + (
        ("?",) if np.__version__ >= "2" else ()
    ):  # NumPy 1 exports no bool
        same(iw.from_dlpack(np.ones(3, dtype)).to_host(), np.ones(3, dtype))
    with pytest.raises(ValueError, match="a: a device array has to be in C order"):
        iw.from_dlpack(x.T)
    with pytest.raises(TypeError, match="a: elements of DLPack's type 5"):
        iw.from_dlpack(np.zeros(3, complex))
    with pytest.raises(TypeError, match="a: has no __dlpack__"):
        iw.from_dlpack([1])


class OldDLPack:
    """A library of DLPack 0.x: without max_version."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def test_both_kinds_of_capsules():
    x = np.arange(6.0).reshape(2, 3)
    old = iw.from_dlpack(OldDLPack(x))
    same(old.to_host(), x)
    assert not old.memory.read_only
    same(np.asarray(iw.from_dlpack(old)), x)
    same(np.from_dlpack(old), x)
    assert "dltensor_versioned" in repr(old.__dlpack__(max_version=(1, 0))) and '"dltensor"' in repr(old.__dlpack__())
    del old
    gc.collect()


@pytest.mark.skipif(np.__version__ < "2.1", reason="NumPy exports no read-only arrays by DLPack")
def test_read_only_memory():
    x = np.arange(6.0)
    x.flags.writeable = False
    d = iw.from_dlpack(x)
    assert d.memory.read_only and d.memory.pointer == x.ctypes.data
    same(iw.cumsum(d).to_host(), np.cumsum(x))
    with pytest.raises(ValueError, match="out: the array is read-only"):
        iw.cumsum(d, out=d)
    with pytest.raises(BufferError, match="read-only"):
        d.__dlpack__()
    again = iw.from_dlpack(d)
    assert again.memory.read_only and not np.asarray(again).flags.writeable and not np.from_dlpack(d).flags.writeable
    capsule = d.__dlpack__(max_version=(1, 1))  # nobody imports it
    del capsule, d, again
    gc.collect()


def test_host_memory_is_an_array_of_numpy():
    x = np.arange(12, dtype="i4").reshape(3, 4)
    d = iw.from_dlpack(x)
    y = np.asarray(d)
    assert y.ctypes.data == x.ctypes.data and y.flags.writeable
    same(y, x)
    del d
    gc.collect()
    y[0, 0] = 7
    assert x[0, 0] == 7
    made = iw.sum(iw.from_dlpack(x), axis=1)
    assert made.device == "host"
    same(np.asarray(made), np.sum(x, axis=1))
    same(np.array(made, "f8"), np.sum(x, axis=1).astype("f8"))
    same(np.asarray(iw.from_dlpack(np.zeros((0, 3)))), np.zeros((0, 3)))


def test_memory_of_a_device_is_no_array_of_numpy(device):
    with pytest.raises(TypeError, match="to_host"):
        np.asarray(iw.to_device([1, 2], device))


def test_owner_lives_as_long_as_the_array():
    class Owned(np.ndarray):
        pass

    x = np.arange(5.0).view(Owned)
    gone = weakref.ref(x)
    d = iw.from_dlpack(x)
    del x
    gc.collect()
    assert gone() is not None
    same(d.to_host(), np.arange(5.0))
    del d
    gc.collect()
    assert gone() is None


def test_export_by_dlpack():
    d = iw.to_device(np.arange(6, dtype="i4").reshape(2, 3))
    assert d.device == "host" and d.__dlpack_device__() == (1, 0)
    x = np.from_dlpack(d)
    same(x, np.arange(6, dtype="i4").reshape(2, 3))
    assert x.ctypes.data == d.memory.pointer
    memory = weakref.ref(d)
    del d
    gc.collect()
    same(x, np.arange(6, dtype="i4").reshape(2, 3))  # the capsule keeps the memory
    assert memory() is None
    iw.to_device(np.zeros(3)).__dlpack__()  # an export that nobody takes
    with pytest.raises(BufferError):
        iw.to_device(np.zeros(3)).__dlpack__(copy=True)


class OnCuda:
    """Says of an address that it is on a CUDA device."""

    def __init__(self, **about):
        self.__cuda_array_interface__ = {
            "shape": (4,),
            "typestr": "<f4",
            "data": (0x7F0000001000, False),
            "version": 3,
            **about,
        }


def test_cuda_array_interface_in():
    d = device_array(OnCuda(stream=7))
    assert (
        d.device == "cuda:0"
        and d.memory.pointer == 0x7F0000001000
        and d.memory.bytes == 16
        and d.memory.stream == 7
    )
    assert device_array(OnCuda()).memory.stream == 1  # no stream: the legacy default stream
    a = OnCuda(shape=(2, 3), strides=(12, 4), typestr="|b1")
    a.device = 3
    with pytest.raises(ValueError, match="x: a device array has to be in C order"):
        device_array(a, "x")
    a.__cuda_array_interface__["strides"] = (3, 1)
    d = device_array(a, "x")
    assert d.shape == (2, 3) and d.dtype == np.bool_ and d.device == "cuda:3"
    assert device_array(OnCuda(shape=(0,), data=(0, False))).size == 0
    with pytest.raises(TypeError, match="x: elements of type complex64"):
        device_array(OnCuda(typestr="<c8"), "x")
    with pytest.raises(ValueError, match="x: device arrays with a mask"):
        device_array(OnCuda(mask=1), "x")
    assert array_in(OnCuda(), "x").device == "cuda:0"


def test_cuda_array_interface_out():
    owner = object()
    d = iw.DeviceArray(_core.wrap(0x7F0000001000, 24, 2, 5, owner, False), (2, 3), "f4")
    about = d.__cuda_array_interface__
    assert about == {
        "shape": (2, 3),
        "typestr": "<f4",
        "data": (0x7F0000001000, False),
        "version": 3,
        "strides": None,
        "stream": 5,
    }
    assert device_array(d) is d and d.__dlpack_device__() == (2, 2)
    assert not hasattr(iw.to_device(np.zeros(3)), "__cuda_array_interface__")
    d.__dlpack__(stream=5)
    with pytest.raises(ValueError, match="shape"):
        iw.DeviceArray(d.memory, (7,), "f4")


class DlpackOnCuda:
    """NumPy's capsule, said to be of a CUDA device: only the protocol's calls are tested by it."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()


def test_dlpack_asks_for_a_stream():
    a = DlpackOnCuda(np.arange(3.0))
    assert device_array(a).shape == (3,) and a.streams == [1]
    a.__cuda_array_interface__ = OnCuda(
        stream=None
    ).__cuda_array_interface__  # as of PyTorch, which does not say its stream
    assert device_array(a).shape == (3,) and a.streams == [1, 1]
    a.__cuda_array_interface__ = OnCuda(stream=2).__cuda_array_interface__
    assert device_array(a).shape == (4,) and a.streams == [1, 1]


def test_no_cuda_is_an_error_that_says_so():
    try:
        iw.Context("cuda")
    except iw.Error as error:
        assert "cuda" in str(error).lower()
        with pytest.raises(iw.Error):
            iw.sum(OnCuda(shape=(0,), data=(0, False)))
    else:
        pytest.skip("there is a CUDA device")


def test_device_array_is_no_sequence(device):
    d = iw.to_device(np.arange(6), device)
    assert len(d) == 6 and d[:2].shape == (2,) and d.reshape(2, -1).shape == (2, 3) and d.device in repr(d)
    for call in (lambda: d[0], lambda: d[1:], lambda: d[::2]):
        with pytest.raises(TypeError):
            call()
    if d.device == "sim":
        with pytest.raises(BufferError):
            d.__dlpack__()
    with pytest.raises(ValueError):
        d.reshape(4)
