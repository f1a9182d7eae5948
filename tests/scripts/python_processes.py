# SPDX-License-Identifier: Apache-2.0
#
# usage: python_processes.py LIBRARY METHOD
#
# The library from processes of Python's multiprocessing, which METHOD starts: fork, spawn or forkserver.
# The parent has used threads of the library before, and goes on doing so. No package beside Python is
# needed.
import ctypes
import multiprocessing
import sys

N = 300000


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("backend", ctypes.c_int), ("isa", ctypes.c_char_p),
                ("threads", ctypes.c_uint), ("blocks", ctypes.c_int), ("device", ctypes.c_int),
                ("openmp", ctypes.c_uint)]


class Library:
    def __init__(self, path, blocks):
        self.shared = ctypes.CDLL(path)
        self.shared.iw_message.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        options = Options(size=ctypes.sizeof(Options), backend=1, threads=3, blocks=blocks)
        self.must(self.shared.iw_context_open(ctypes.byref(self.context), ctypes.byref(options)))
        self.numbers = (ctypes.c_uint64 * N)(*range(N))

    def must(self, status):
        if status != 0:
            raise RuntimeError(self.shared.iw_message().decode())

    def total(self):
        total = ctypes.c_uint64()
        self.must(self.shared.iw_reduce(self.context, ctypes.c_void_p(1), 6, self.numbers, ctypes.c_size_t(N),
                                         ctypes.byref(total), None))
        return total.value

    def close(self):
        self.shared.iw_context_close(self.context)


kept = None  # the context that children of a fork inherit


def work(path, blocks):
    totals = []
    if kept is not None:
        totals.append(kept.total())
    own = Library(path, blocks)
    totals.append(own.total())
    own.close()
    return totals


def main():
    global kept
    path, method = sys.argv[1:]
    right = N * (N - 1) // 2
    for blocks in (1, 2):
        kept = Library(path, blocks)
        assert kept.total() == right
        with multiprocessing.get_context(method).Pool(3) as pool:
            results = [pool.apply_async(work, (path, blocks)) for _ in range(9)]
            assert kept.total() == right
            for result in results:
                totals = result.get(timeout=120)
                assert totals == [right] * (2 if method == "fork" else 1), totals
        assert kept.total() == right
        kept.close()
    print(f"{method}: 18 calls in children")


if __name__ == "__main__":
    main()
