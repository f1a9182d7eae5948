#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# isowarp verify with every instruction set of this machine, several numbers of threads and both block
# modes. The suites have every number of threads in both modes. On OpenMP's threads a sixth of the cases,
# which has all operations; tests/scripts/verify_sim.sh has the simulated GPU. Then some cases on a simulated
# device so small that a block has several rows in flight.

program=${ISOWARP:-${top_builddir:-.}/isowarp}
status=0

run() {
  result=$("$program" verify "$@") || status=1
  echo "isowarp verify $*: $(echo "$result" | tail -n 1)"
  echo "$result" | grep -E ' differs from | error: ' | head -n 5
}

sets=$("$program" info | sed -n 's/^instruction sets built: //p' | tr ',' '\n' |
  grep -vE 'not on this machine|not found')
[ -n "$sets" ] || { echo "isowarp info names no instruction set" >&2; exit 1; }
# ./quickstart check has all cases with the best set, a sixth where others and teams differ from it.
part=
[ "${ISOWARP_TEST_BRIEF-}" != machine ] || part=f32
# shellcheck disable=SC2086
for isa in $sets; do
  run --isa "$isa" $part
done
# A new operator of isowarp/scans.h needs a new table (tests/reference/reference.py).
for op in $("$program" scan --op '?' 2>&1 | sed -n 's/.* is not one of //p' | tr -d ,); do
  "$program" verify "reduce/$op/u" > /dev/null || { echo "reduce/$op/u…: the table has no such cases, or they differ"; status=1; }
done
# What tests/gpu/gpu.sh asks for has to be there on a machine without a GPU, too.
names=$(sed -n '/verify --backend cuda \\$/,/[^\\]$/p' "${srcdir:-.}/tests/gpu/gpu.sh" | sed '1d; s/\\$//')
# shellcheck disable=SC2086
run ${names:-none}
run --blocks thread --threads 3
# shellcheck disable=SC2086
run --blocks team --threads 7 $part
ISOWARP_OPENMP=1 run --blocks team --threads 2 f32
[ -z "$part" ] || exit $status # the kernels of the simulated GPU are not built then
# The GPU's schedules on a device so small that a block has several rows of samples in flight. Alone in
# their processes: what a call reads of its scratch, no other call has written.
for cases in pairs/ range/ argm; do
  ISOWARP_SIM_PROCESSORS=1 run --backend sim "$cases"
done
exit $status
