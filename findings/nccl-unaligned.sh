#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# NCCL 2.28.9: ncclSend and ncclRecv of float32 arrays that do not begin at a multiple of 16 bytes.
#
# Expected: NCCL takes the alignment of the data type, and messages of 1 GiB take the links' time wherever they
# begin, as cuMemcpyPeerAsync does.
# Seen: two GPUs that send each other 1 GiB take 1.2 times as long if the sent arrays begin 4 bytes later, 1.3
# times if the received ones do, and 1.5 times if both do. At 16 bytes later they take no longer.
#
# Output: 22809 sent +4: slower, received +4: slower, both +4: slower, both +16: equal
# "slower" is more than 1.1 times the time of aligned arrays. Needs two NVIDIA GPUs that are connected by
# NVLink (exits with 77 without two; seen on two H200, NV18). FINDING_PYTHON may name a Python that has the
# package.
set -euo pipefail
test "$(nvidia-smi --list-gpus 2> /dev/null | wc -l)" -ge 2 || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=${FINDING_PYTHON:-v/bin/python}
if test ! "${FINDING_PYTHON:-}"; then
  python3 -m venv v
  v/bin/pip -q install nvidia-nccl-cu12==2.28.9
fi
cat > finding.py << 'END'
import ctypes as c, statistics, time
import nvidia.nccl

nccl = c.CDLL(list(nvidia.nccl.__path__)[0] + "/lib/libnccl.so.2")
cuda = c.CDLL("libcuda.so.1")
BYTES, FLOAT32, RUNS = 1 << 30, 7, 15


def fine(result):
    if result != 0:
        raise SystemExit(f"error {result}")


fine(cuda.cuInit(0))
devices, contexts, streams, sent, received = [], [], [], [], []
for ordinal in range(2):
    device, context, stream = c.c_int(), c.c_void_p(), c.c_void_p()
    fine(cuda.cuDeviceGet(c.byref(device), ordinal))
    fine(cuda.cuDevicePrimaryCtxRetain(c.byref(context), device))
    fine(cuda.cuCtxSetCurrent(context))
    fine(cuda.cuStreamCreate(c.byref(stream), 1))
    for arrays in sent, received:
        at = c.c_uint64()
        fine(cuda.cuMemAlloc_v2(c.byref(at), c.c_size_t(BYTES + 256)))
        arrays.append(at.value)
    contexts.append(context)
    streams.append(stream)
comms = (c.c_void_p * 2)()
fine(nccl.ncclCommInitAll(comms, 2, (c.c_int * 2)(0, 1)))
version = c.c_int()
fine(nccl.ncclGetVersion(c.byref(version)))


def exchange(send_offset, receive_offset):
    fine(nccl.ncclGroupStart())
    for r in range(2):
        fine(cuda.cuCtxSetCurrent(contexts[r]))
        fine(nccl.ncclSend(c.c_void_p(sent[r] + send_offset), c.c_size_t(BYTES // 4), FLOAT32, 1 - r, c.c_void_p(comms[r]), streams[r]))
        fine(nccl.ncclRecv(c.c_void_p(received[r] + receive_offset), c.c_size_t(BYTES // 4), FLOAT32, 1 - r, c.c_void_p(comms[r]), streams[r]))
    fine(nccl.ncclGroupEnd())
    for r in range(2):
        fine(cuda.cuCtxSetCurrent(contexts[r]))
        fine(cuda.cuStreamSynchronize(streams[r]))


def seconds(*offsets):
    times = []
    for run in range(RUNS):
        start = time.perf_counter()
        exchange(*offsets)
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:])


aligned = seconds(0, 0)
words = []
for name, offsets in ("sent +4", (4, 0)), ("received +4", (0, 4)), ("both +4", (4, 4)), ("both +16", (16, 16)):
    ratio = seconds(*offsets) / aligned
    print(f"{name}: {ratio:.2f} times {1000 * aligned:.2f} ms", file=open("times", "a"))
    words.append(f"{name}: {'slower' if ratio > 1.1 else 'equal'}")
print(version.value, ", ".join(words))
END
seen=$("$python" finding.py 2> log) || { cat log >&2; exit 1; }
cat times
echo "$seen"
test "$seen" = '22809 sent +4: slower, received +4: slower, both +4: slower, both +16: equal'
