#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# isowarp verify with every instruction set of this machine, several numbers of threads and both block modes.
# The suites have every number of threads in both modes.

program=${ISOWARP:-${top_builddir:-.}/isowarp}
status=0

run() {
  result=$("$program" verify "$@") || status=1
  echo "isowarp verify $*: $(echo "$result" | tail -n 1)"
  echo "$result" | grep -E ' differs from | error: ' | head -n 5
}

sets=$("$program" info | sed -n 's/^instruction sets built: //p' | tr ',' '\n' |
  grep -v 'not on this machine')
[ -n "$sets" ] || { echo "isowarp info names no instruction set" >&2; exit 1; }
for isa in $sets; do
  run --isa "$isa"
done
run --blocks thread --threads 3
run --blocks team --threads 7
ISOWARP_OPENMP=1 run --blocks team --threads 2
exit $status
