# SPDX-License-Identifier: Apache-2.0
"""Threads: one context each, the GIL released, and contexts that several use; a fork; overlapping arguments;
types."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import isowarp as iw
from isowarp import _core
from conftest import same


def test_many_threads_at_a_time():
    x = np.random.default_rng(2).standard_normal(5000).astype("f4")
    expected = iw.cumulative_sum(x), iw.histogram(x, 50)[0], iw.sum(x, exact=True)
    shared = iw.Context("cpu", threads=1)
    wrong = []

    def work(i):
        for round in range(20):
            if i % 2:
                with shared:
                    got = iw.cumulative_sum(x), iw.histogram(x, 50)[0], iw.sum(x, exact=True)
            else:
                got = iw.cumulative_sum(x), iw.histogram(x, 50)[0], iw.sum(x, exact=True)
            if any(a.tobytes() != b.tobytes() for a, b in zip(got, expected)):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_gil_is_released():
    """Another thread's Python code goes on while a call runs: it is seen between the call's begin and
    end."""
    x = np.zeros(2**24, "f8")
    inside, ticks, end = threading.Event(), [], threading.Event()

    def tick():
        while not end.is_set():
            if inside.is_set():
                ticks.append(time.perf_counter())
            time.sleep(0)

    t = threading.Thread(target=tick)
    t.start()
    with iw.Context("cpu", threads=1):
        for _ in range(20):  # repeated until it is seen once
            inside.set()
            first = time.perf_counter()
            iw.sum(x, exact=True)
            last = time.perf_counter()
            inside.clear()
            margin = (last - first) / 4
            if any(first + margin < when < last - margin for when in ticks):
                break
    end.set()
    t.join()
    assert any(first + margin < when < last - margin for when in ticks)


def test_contexts_nest_and_belong_to_a_thread():
    with iw.Context("cpu", threads=2) as outer:
        assert outer.threads == 2 and outer.backend == "cpu"
        with iw.Context("sim") as inner:
            assert inner.isa == "sim" and iw.sum(np.arange(4)) == 6
        seen = []
        t = threading.Thread(target=lambda: seen.append(iw.sum(np.arange(4))))
        t.start()
        t.join()
        assert seen == [6]
    outer.reserve(1 << 20)
    outer.synchronize()
    assert "Context" in repr(outer)


def test_threads_inside_the_same_context_go_back_to_their_own():
    shared, own = iw.Context("cpu", threads=1), [iw.Context("cpu", threads=n) for n in (2, 3)]
    inside, leave, seen = threading.Barrier(2), threading.Barrier(2), {}

    def work(i):
        with own[i]:
            with shared:
                inside.wait()
                if i:  # the second one leaves first
                    leave.wait()
            seen[i] = _core.info(None)[2]
            if not i:
                leave.wait()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert seen == {0: 2, 1: 3}


def test_fork():
    iw.sum(np.arange(100000))
    child = os.fork()
    if child == 0:
        os._exit(0 if iw.sum(np.arange(100000)) == 4999950000 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_environment():
    """The thread's own context is opened by the environment, and a wrong one is an error that says so."""
    code = "import isowarp as iw; print(iw.sum([1, 2])); print(iw.Context().isa)"
    run = lambda **e: subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ, **e), capture_output=True, text=True
    )
    assert run(ISOWARP_BACKEND="sim").stdout.split() == ["3", "sim"]
    wrong = run(ISOWARP_BACKEND="gpu")
    assert wrong.returncode == 1 and "ISOWARP_BACKEND" in wrong.stderr


@pytest.mark.parametrize("dtype", ["bfloat16"])
def test_bfloat16(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(20).astype(ml_dtypes.bfloat16)
    assert iw.sum(x) == 190 and iw.sum(x, dtype="f4") == 190 and iw.sum(x, exact=True, dtype="f8") == 190
    same(iw.select(x, x > 10), x[11:])
    same(iw.histogram(x, np.array([0.0, 5.0, 19.0]))[0], np.array([5, 15]))


def test_not_enough_memory():
    with pytest.raises(MemoryError):
        iw.Context("cpu").reserve(2**62)


def test_subclasses_and_lists():
    assert iw.sum([1, 2, 3]) == 6 and iw.sum(range(4)) == 6
    same(iw.cumsum([[1, 2], [3, 4]]), np.array([1, 3, 6, 10]))
    with pytest.raises(TypeError, match="a: masked arrays"):
        iw.sum(np.ma.masked_array([1, 2], [0, 1]))
    assert iw.sum(5) == 5 and iw.digitize(3, [1, 2]) == 2
    assert np.array_equal(iw.cumsum(5), [5])
    x = np.array([1, 3])
    x.flags.writeable = False
    same(iw.cumulative_sum(x), np.array([1, 4]))
