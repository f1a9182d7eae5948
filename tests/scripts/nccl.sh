#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# <isowarp/nccl.h> where there is neither NCCL nor a GPU: messages that say what is missing, and its
# functions with an NCCL in their place that works in host memory (tests/scripts/fake_nccl.c).
# bench/distributed.sh uses GPUs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$PWD/.libs/libisowarp.so
[ -f "$library" ] || library="$PWD/.libs/libisowarp.a $CUDA_LIBS -lm"
LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# shellcheck disable=SC2086
$CC -std=gnu11 -O1 -fPIC -shared "$srcdir/tests/scripts/fake_nccl.c" -o "$work/libcuda.so.1" -lpthread ||
  { echo 'a shared object cannot be built'; exit 77; }
# shellcheck disable=SC2086
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $CFLAGS -O1 -I"$srcdir/include" "$srcdir/tests/scripts/nccl_ranks.c" \
  -o "$work/nccl_ranks" $library -ldl -lpthread
LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH "$work/nccl_ranks" missing "$work/libcuda.so.1"
for ranks in 1 2 3 5; do
  LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH "$work/nccl_ranks" $ranks "$work/libcuda.so.1"
  LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH FAKE_NO_ACCESS=1 "$work/nccl_ranks" $ranks "$work/libcuda.so.1"
done
LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH FAKE_COPY_FAILS=1 "$work/nccl_ranks" 3 "$work/libcuda.so.1"
# A library that is not NCCL.
if LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH "$work/nccl_ranks" 1 libdl.so.2 > "$work/message" 2>&1; then
  echo 'libdl was taken for NCCL'
  exit 1
fi
grep 'libdl.so.2 has no ncclGetUniqueId: NCCL 2.8 or later is needed' "$work/message" || { cat "$work/message"; exit 1; }
# A version that keeps one message of a group from rank to rank.
if LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH FAKE_OLD=1 "$work/nccl_ranks" 2 "$work/libcuda.so.1" > "$work/message" 2>&1; then
  echo 'NCCL 2.7 was taken'
  exit 1
fi
grep 'has the version code 2708: NCCL 2.8 or later, 2800, is needed' "$work/message" || { cat "$work/message"; exit 1; }
