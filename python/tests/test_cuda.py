# SPDX-License-Identifier: Apache-2.0
"""Arrays on a CUDA device, which other code has made: by the driver's interface through ctypes, so that neither
CuPy nor PyTorch is needed. Skipped where there is no device. test_device.py has the calls themselves."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest

import isowarp as iw
from isowarp import _core
from conftest import same


def has_device():
    try:
        return iw.Context("cuda") is not None
    except iw.Error:
        return False


pytestmark = pytest.mark.skipif(not has_device(), reason="there is no CUDA device")
LEGACY = 1  # CUDA's name of the legacy default stream in the protocols


class Driver:
    """What the tests need of libcuda, in the primary context of device 0, which the library has too."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.context = context
        self("cuCtxSetCurrent", context)
        self.large = self.allocate(1 << 30)

    def __call__(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        assert status == 0, f"{name} returned {status}"

    def allocate(self, nbytes):
        pointer = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(nbytes, 1)))
        return pointer.value

    def free(self, pointer):
        self("cuMemFree_v2", ctypes.c_uint64(pointer))

    def stream(self):
        """One that does not wait for the legacy default stream."""
        made = ctypes.c_void_p()
        self("cuStreamCreate", ctypes.byref(made), 1)
        return made.value

    def synchronize(self, stream):
        self("cuStreamSynchronize", ctypes.c_void_p(stream))

    def write(self, pointer, array, stream=None):
        """Without a stream the copy is complete when this returns."""
        arguments = ctypes.c_uint64(pointer), ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        if stream is None:
            self("cuMemcpyHtoD_v2", *arguments)
        else:
            self("cuMemcpyHtoDAsync_v2", *arguments, ctypes.c_void_p(stream))

    def read(self, pointer, shape, dtype, stream=None):
        made = np.empty(shape, dtype)
        arguments = ctypes.c_void_p(made.ctypes.data), ctypes.c_uint64(pointer), ctypes.c_size_t(made.nbytes)
        if stream is None:
            self("cuMemcpyDtoH_v2", *arguments)
        else:
            self("cuMemcpyDtoHAsync_v2", *arguments, ctypes.c_void_p(stream))
            self.synchronize(stream)
        return made

    def fill(self, pointer, n, word, stream):
        """Queues a write of n equal words; the stream is busy for some milliseconds before it."""
        for _ in range(20):
            self("cuMemsetD32Async", ctypes.c_uint64(self.large), 0, ctypes.c_size_t(1 << 28), ctypes.c_void_p(stream))
        self("cuMemsetD32Async", ctypes.c_uint64(pointer), word, ctypes.c_size_t(n), ctypes.c_void_p(stream))


@pytest.fixture(scope="module")
def driver():
    return Driver()


class Array:
    """An array of other code: an address, and the stream on which it was written (None: none is said)."""

    def __init__(self, driver, host, stream=None):
        self.driver, self.shape, self.dtype, self.stream = driver, host.shape, host.dtype, stream
        self.pointer = driver.allocate(host.nbytes)
        driver.write(self.pointer, host)

    def __del__(self):
        self.driver.free(self.pointer)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.pointer, False),
            "version": 3,
            "strides": None,
            "stream": self.stream,
        }

    def to_host(self):
        return self.driver.read(self.pointer, self.shape, self.dtype, self.stream)


def test_calls_by_cuda_array_interface(driver):
    x = np.random.default_rng(1).standard_normal(100003).astype("f4")
    for stream in (None, LEGACY, driver.stream()):
        a = Array(driver, x, stream)
        sums = iw.cumulative_sum(a)
        assert isinstance(sums, iw.DeviceArray) and sums.device == "cuda:0"
        same(sums.to_host(), iw.cumulative_sum(x))
        same(iw.sum(a).to_host(), iw.sum(x))
        same(iw.sum(a, exact=True).to_host(), iw.sum(x, exact=True))
        same(iw.histogram(a, 64, (-3, 3))[0].to_host(), iw.histogram(x, 64, (-3, 3))[0])
        same(iw.select(a, "<", 0.5).to_host(), x[x < 0.5])
        same(iw.sort(a).to_host(), iw.sort(x))
        for got, right in zip(iw.topk(a, 100), iw.topk(x, 100)):
            same(got.to_host(), right)
        same(iw.median(a), iw.median(x))
        assert iw.nth_element(a, 17, return_index=True) == iw.nth_element(x, 17, return_index=True)
    with pytest.raises(ValueError, match="flags: has to be where"):
        iw.scan(a, flags=np.zeros(x.size, bool))


def test_out_of_other_code(driver):
    x = np.arange(5000, dtype="i8")
    a, out = Array(driver, x, driver.stream()), Array(driver, np.zeros_like(x), driver.stream())
    assert iw.cumsum(a, out=out) is out
    same(out.to_host(), np.cumsum(x))  # the stream of `out` waits for the call
    assert iw.cumsum(a, out=a) is a
    same(a.to_host(), np.cumsum(x))


def test_calls_wait_for_the_stream_of_their_array(driver):
    n = 1 << 20
    stream = driver.stream()
    a = Array(driver, np.zeros(n, "i4"), stream)
    for word in range(1, 6):
        driver.fill(a.pointer, n, word, stream)
        sums = iw.cumulative_sum(a)
        about = sums.__cuda_array_interface__
        assert about["stream"] == stream and about["shape"] == (n,) and about["typestr"] == "<i8"
        driver.fill(a.pointer, n, 0, stream)  # behind the call, so that it does not see these
        same(driver.read(about["data"][0], (n,), "i8", stream), np.arange(1, n + 1, dtype="i8") * word)


def test_calls_wait_for_the_streams_of_all_arrays(driver):
    n = 1 << 18
    streams = driver.stream(), driver.stream()
    a, flags = Array(driver, np.zeros(n, "i4"), streams[0]), Array(driver, np.zeros(n, "u1"), streams[1])
    driver.fill(a.pointer, n, 7, streams[0])
    driver.fill(flags.pointer, n // 4, 0x01000001, streams[1])
    right = np.tile(np.array([1, 0, 0, 1], bool), n // 4)
    same(iw.where(a, flags).to_host(), np.flatnonzero(right))
    same(iw.select(a, flags).to_host(), np.full(n // 2, 7, "i4"))


def test_arrays_without_a_stream_are_on_the_legacy_one(driver):
    n = 1 << 20
    a = Array(driver, np.zeros(n, "i4"))
    driver.fill(a.pointer, n, 3, None)
    same(iw.sum(a).to_host(), np.int64(3 * n))


def test_results_of_an_own_stream_are_complete(driver):
    """An interface without a stream promises that there is nothing to wait for."""
    x = np.random.default_rng(2).random(1 << 22)
    y = iw.cumulative_sum(iw.to_device(x, iw.Context("cuda")))
    about = y.__cuda_array_interface__
    assert about["stream"] is None
    same(driver.read(about["data"][0], x.shape, "f8"), iw.cumulative_sum(x))


class ByDlpack:
    """An array that has no other protocol."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


def test_dlpack(driver):
    x = np.random.default_rng(3).integers(0, 100, (30, 1000)).astype("i4")
    d = iw.to_device(x, iw.Context("cuda"))
    assert d.__dlpack_device__() == (2, 0)
    source = ByDlpack(d)
    taken = iw.from_dlpack(source)
    assert source.streams == [LEGACY] and taken.memory.pointer == d.memory.pointer
    assert taken.shape == x.shape and taken.dtype == x.dtype and taken.device == "cuda:0"
    same(iw.sum(source, axis=1).to_host(), x.sum(axis=1))
    gone = weakref.ref(d)
    del source, d
    gc.collect()
    same(taken.to_host(), x)  # the capsule keeps the memory
    assert gone() is None
    for dtype in ("i1", "u2", "u8", "f2", "f8", "?"):
        same(iw.from_dlpack(ByDlpack(iw.to_device(np.ones(3, dtype), iw.Context("cuda")))).to_host(), np.ones(3, dtype))
    taken.__dlpack__()  # an export that nobody takes


def test_dlpack_waits(driver):
    """What a stream has still to write is complete for a consumer that names its own stream."""
    n = 1 << 20
    stream, other = driver.stream(), driver.stream()
    a = Array(driver, np.zeros(n, "i4"), stream)
    driver.fill(a.pointer, n, 2, stream)
    sums = iw.cumulative_sum(a)
    capsule = sums.__dlpack__(stream=other)
    same(driver.read(sums.memory.pointer, (n,), "i8", other), np.arange(1, n + 1, dtype="i8") * 2)
    del capsule


def test_memory_is_given_back(driver):
    context = iw.Context("cuda")
    x = np.zeros(1 << 24)
    for _ in range(1500):  # 187 GiB, more than a device has
        d = iw.DeviceArray(_core.allocate(context.handle, x.nbytes), x.shape, x.dtype)
    same(iw.sum(iw.to_device(x, context)).to_host(), np.float64(0))
    del d


def test_threads(driver):
    x = np.random.default_rng(4).random(1 << 18)
    right, failed = iw.cumulative_sum(x), []

    def work():
        try:
            driver("cuCtxSetCurrent", driver.context)
            a = Array(driver, x, driver.stream())
            for _ in range(50):
                same(iw.cumulative_sum(a).to_host(), right)
        except BaseException as error:  # a thread's assertion is lost otherwise
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed[0]


def test_no_copy_of_arrays_that_do_not_fit(driver):
    a = Array(driver, np.zeros((4, 6), "f4"))
    a.shape = (6, 4)
    about = dict(a.__cuda_array_interface__, strides=(4, 24))

    class Transposed:
        __cuda_array_interface__ = about

    with pytest.raises(ValueError, match="x: a device array has to be in C order"):
        iw.cumulative_sum(Transposed())
    with pytest.raises(TypeError, match="a: a device array of float32 is not converted"):
        iw.sum(a, dtype="i8")
